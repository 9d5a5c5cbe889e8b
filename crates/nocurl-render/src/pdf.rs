//! PDF, with the font inside, so that words can be searched and copied.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::font::{self, Font, visual};
use crate::scene::{Scene, Shape, Step};
use crate::style::Colour;
use crate::text::text_width;

/// Objects of the file, which are numbered from 1.
const CATALOGUE: usize = 1;
const PAGES: usize = 2;
const PAGE: usize = 3;
const CONTENT: usize = 4;
const FONT: usize = 5;
const DESCENDANT: usize = 6;
const DESCRIPTOR: usize = 7;
const FONT_FILE: usize = 8;
const TO_UNICODE: usize = 9;
const INFO: usize = 10;
const FIRST_STATE: usize = 11;

pub(crate) fn write(scene: &Scene) -> Vec<u8> {
    let mut page = Page {
        content: String::new(),
        height: scene.height,
        font: Font::new(),
        states: BTreeSet::new(),
        current: None,
        letters: BTreeMap::new(),
    };
    for group in &scene.groups {
        page.opacity(group.opacity);
        group.shapes.iter().for_each(|shape| page.draw(shape));
    }
    let mut file = File::default();
    file.object(CATALOGUE, &format!("<</Type/Catalog/Pages {PAGES} 0 R>>"));
    file.object(PAGES, &format!("<</Type/Pages/Kids[{PAGE} 0 R]/Count 1>>"));
    let mut states = String::new();
    for (at, share) in page.states.iter().enumerate() {
        let _ = write!(states, "/G{share} {} 0 R", FIRST_STATE + at);
    }
    file.object(
        PAGE,
        &format!(
            "<</Type/Page/Parent {PAGES} 0 R/MediaBox[0 0 {} {}]/Contents {CONTENT} 0 R\
             /Resources<</Font<</F {FONT} 0 R>>/ExtGState<<{states}>>>>>>",
            short(scene.width),
            short(scene.height)
        ),
    );
    file.stream(CONTENT, "", page.content.as_bytes());
    fonts(&mut file, &page);
    file.object(INFO, &format!("<</Title {}/Producer(nocurl)>>", words(&scene.title)));
    for (at, share) in page.states.iter().enumerate() {
        let value = short(f64::from(*share) / 100.0);
        file.object(FIRST_STATE + at, &format!("<</ca {value}/CA {value}>>"));
    }
    file.finish()
}

/// The font: its file, its widths, and the letters of its glyphs.
fn fonts(file: &mut File, page: &Page) {
    let name = "NocurlSans";
    file.object(
        FONT,
        &format!(
            "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H\
             /DescendantFonts[{DESCENDANT} 0 R]/ToUnicode {TO_UNICODE} 0 R>>"
        ),
    );
    let mut widths = String::new();
    for (glyph, letter) in &page.letters {
        let width = text_width(letter.encode_utf8(&mut [0; 4]), 1000.0);
        let _ = write!(widths, "{glyph}[{}]", short(width));
    }
    file.object(
        DESCENDANT,
        &format!(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)\
             /Ordering(Identity)/Supplement 0>>/FontDescriptor {DESCRIPTOR} 0 R/DW 620\
             /CIDToGIDMap/Identity/W[{widths}]>>"
        ),
    );
    file.object(
        DESCRIPTOR,
        &format!(
            "<</Type/FontDescriptor/FontName/{name}/Flags 32/FontBBox[-544 -303 1302 980]\
             /ItalicAngle 0/Ascent 905/Descent -212/CapHeight 729/StemV 80\
             /FontFile2 {FONT_FILE} 0 R>>"
        ),
    );
    file.stream(FONT_FILE, &format!("/Length1 {}", font::FILE.len()), font::FILE);
    let mut map = String::from(
        "/CIDInit/ProcSet findresource begin 12 dict begin begincmap\n\
         /CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n\
         /CMapName/Adobe-Identity-UCS def/CMapType 2 def\n\
         1 begincodespacerange<0000><FFFF>endcodespacerange\n",
    );
    let pairs: Vec<(&u16, &char)> = page.letters.iter().collect();
    for part in pairs.chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", part.len());
        for (glyph, letter) in part {
            let _ = write!(map, "<{glyph:04X}><");
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(map, "{unit:04X}");
            }
            map.push_str(">\n");
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap CMapName currentdict/CMap defineresource pop end end");
    file.stream(TO_UNICODE, "", map.as_bytes());
}

/// What is drawn, as the page describes it.
struct Page {
    content: String,
    height: f64,
    font: Font,
    /// Opacities in use, in hundredths.
    states: BTreeSet<u8>,
    current: Option<u8>,
    /// Glyphs in use, with the letters they show.
    letters: BTreeMap<u16, char>,
}

impl Page {
    fn opacity(&mut self, opacity: f64) {
        let share = (100.0 * opacity).round() as u8;
        if self.current != Some(share) {
            self.states.insert(share);
            self.current = Some(share);
            let _ = writeln!(self.content, "/G{share} gs");
        }
    }

    fn at(&self, [x, y]: [f64; 2]) -> String {
        format!("{} {}", short(x), short(self.height - y))
    }

    fn step(&mut self, step: &Step) {
        let line = match *step {
            Step::Move(to) => format!("{} m\n", self.at(to)),
            Step::Line(to) => format!("{} l\n", self.at(to)),
            Step::Cubic([a, b, to]) => {
                format!("{} {} {} c\n", self.at(a), self.at(b), self.at(to))
            }
            Step::Close => "h\n".into(),
        };
        self.content.push_str(&line);
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { steps, fill, stroke } => {
                if let Some(colour) = fill {
                    let _ = writeln!(self.content, "{} rg", rgb(*colour));
                }
                if let Some(stroke) = stroke {
                    let (colour, width) = (rgb(stroke.colour), short(stroke.width));
                    let dash = stroke.dash.map(|dash| dash.map(short).join(" "));
                    let dash = dash.unwrap_or_default();
                    let _ = writeln!(self.content, "{colour} RG {width} w [{dash}] 0 d");
                }
                steps.iter().for_each(|step| self.step(step));
                self.content.push_str(match (fill, stroke) {
                    (Some(_), Some(_)) => "B\n",
                    (Some(_), None) => "f\n",
                    (None, Some(_)) => "S\n",
                    (None, None) => "n\n",
                });
            }
            Shape::Text { x, y, size, colour, centred, text } => {
                let x = if *centred { x - text_width(text, *size) / 2.0 } else { *x };
                let mut glyphs = String::new();
                for letter in visual(text) {
                    let glyph = self.font.glyph(letter);
                    self.letters.entry(glyph).or_insert(letter);
                    let _ = write!(glyphs, "{glyph:04X}");
                }
                let (place, colour) = (self.at([x, *y]), rgb(*colour));
                let _ = writeln!(
                    self.content,
                    "BT {colour} rg /F {} Tf {place} Td <{glyphs}> Tj ET",
                    short(*size)
                );
            }
        }
    }
}

/// The file with the places of its objects.
struct File {
    bytes: Vec<u8>,
    places: BTreeMap<usize, usize>,
}

impl Default for File {
    fn default() -> Self {
        Self { bytes: b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec(), places: BTreeMap::new() }
    }
}

impl File {
    fn object(&mut self, number: usize, content: &str) {
        self.places.insert(number, self.bytes.len());
        self.bytes.extend(format!("{number} 0 obj\n{content}\nendobj\n").bytes());
    }

    fn stream(&mut self, number: usize, more: &str, content: &[u8]) {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(7));
        packed.write_all(content).expect("writing to memory does not fail");
        let packed = packed.finish().expect("writing to memory does not fail");
        self.places.insert(number, self.bytes.len());
        let length = packed.len();
        let head = format!("{number} 0 obj\n<</Length {length}/Filter/FlateDecode{more}>>stream\n");
        self.bytes.extend(head.bytes());
        self.bytes.extend(packed);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    fn finish(mut self) -> Vec<u8> {
        let table = self.bytes.len();
        let count = self.places.len() + 1;
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for place in self.places.values() {
            let _ = writeln!(end, "{place:010} 00000 n ");
        }
        let _ = write!(
            end,
            "trailer\n<</Size {count}/Root {CATALOGUE} 0 R/Info {INFO} 0 R>>\nstartxref\n{table}\n\
             %%EOF\n"
        );
        self.bytes.extend(end.bytes());
        self.bytes
    }
}

fn rgb(colour: Colour) -> String {
    colour.map(|part| short(f64::from(part) / 255.0)).join(" ")
}

/// A text of the file's description, in UTF-16.
fn words(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("{unit:04X}"));
    format!("<FEFF{}>", units.collect::<String>())
}

/// A number with at most three digits after the point.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}
