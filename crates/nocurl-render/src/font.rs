//! The font of printed pictures: outlines of its letters.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::scene::Step;

/// Letters of Liberation Sans, under its licence: `font/LICENSE-OFL.txt`.
pub(crate) static FILE: &[u8] = include_bytes!("../font/sans.ttf");

/// The font, and one unit of it in sizes.
pub(crate) struct Font {
    face: Face<'static>,
    unit: f64,
}

impl Font {
    pub(crate) fn new() -> Self {
        let face = Face::parse(FILE, 0).expect("the font inside the program is whole");
        let unit = 1.0 / f64::from(face.units_per_em());
        Self { face, unit }
    }

    /// The glyph of a letter; the empty box, number 0, where there is none.
    pub(crate) fn glyph(&self, letter: char) -> u16 {
        self.face.glyph_index(letter).map_or(0, |glyph| glyph.0)
    }

    /// The outline of a letter that stands at a place, with y downwards.
    pub(crate) fn outline(&self, glyph: u16, x: f64, y: f64, size: f64) -> Vec<Step> {
        let scale = size * self.unit;
        let mut pen = Pen { steps: Vec::new(), x, y, scale, at: [x, y] };
        self.face.outline_glyph(GlyphId(glyph), &mut pen);
        pen.steps
    }
}

/// True when printed pictures have every letter of a text; else it is shown with empty boxes.
pub(crate) fn has_letters(text: &str) -> bool {
    let font = Font::new();
    crate::text::shown(text).chars().all(|letter| font.glyph(letter) != 0)
}

/// Letters in the order they are seen from left to right: parts in Hebrew and Arabic are turned.
pub(crate) fn visual(text: &str) -> Vec<char> {
    let from_right =
        |c: char| matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff);
    let letters: Vec<char> = text.chars().collect();
    let mut seen = Vec::with_capacity(letters.len());
    let mut at = 0;
    while at < letters.len() {
        let Some(run) = letters[at..].iter().position(|&c| from_right(c)) else {
            seen.extend(&letters[at..]);
            break;
        };
        seen.extend(&letters[at..at + run]);
        let start = at + run;
        // A part ends with its last letter of that script before one of another.
        let mut end = start;
        for (place, &letter) in letters.iter().enumerate().skip(start) {
            if from_right(letter) {
                end = place + 1;
            } else if letter.is_alphanumeric() {
                break;
            }
        }
        seen.extend(letters[start..end].iter().rev());
        at = end;
    }
    seen
}

/// Draws an outline, with quadratic curves made cubic.
struct Pen {
    steps: Vec<Step>,
    x: f64,
    y: f64,
    scale: f64,
    at: [f64; 2],
}

impl Pen {
    fn point(&self, x: f32, y: f32) -> [f64; 2] {
        [self.x + f64::from(x) * self.scale, self.y - f64::from(y) * self.scale]
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.point(x, y);
        self.steps.push(Step::Move(self.at));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.at = self.point(x, y);
        self.steps.push(Step::Line(self.at));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (handle, to) = (self.point(x1, y1), self.point(x, y));
        let toward = |from: [f64; 2]| [0, 1].map(|k| from[k] + 2.0 / 3.0 * (handle[k] - from[k]));
        self.steps.push(Step::Cubic([toward(self.at), toward(to), to]));
        self.at = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let points = [self.point(x1, y1), self.point(x2, y2), self.point(x, y)];
        self.steps.push(Step::Cubic(points));
        self.at = points[2];
    }

    fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widths::WIDTHS;

    #[test]
    fn measured_widths_are_those_of_the_font() {
        let font = Font::new();
        for &(first, widths) in WIDTHS {
            for (letter, &width) in (first..).zip(widths) {
                let glyph = char::from_u32(letter).and_then(|c| font.face.glyph_index(c));
                let known = glyph.and_then(|glyph| font.face.glyph_hor_advance(glyph));
                assert_eq!(known.unwrap_or(0), width, "U+{letter:04X}");
            }
        }
    }

    #[test]
    fn words_in_hebrew_are_turned_and_others_are_not() {
        let seen: String = visual("ab \u{5d0}\u{5d1} \u{5d2} 12").into_iter().collect();
        assert_eq!(seen, "ab \u{5d2} \u{5d1}\u{5d0} 12");
        assert!(has_letters("raf → β, Ж, \u{5d0}") && !has_letters("数"));
    }
}
