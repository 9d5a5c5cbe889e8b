//! Workbooks of Excel: a list of sheets, texts that they share, formats that tell dates, and a file
//! of rows for each sheet.

use std::io;
use std::sync::Arc;

use super::xml::{Token, Xml, attribute, skip};
use super::{Cell, Extent, MOST_COLUMNS, Row, Rows, check_row, check_size, dates};
use crate::Error;
use crate::archive::Archive;

/// Bytes of the lists beside the sheets.
const LONGEST_LIST: u64 = 64 << 20;

/// Bytes of all texts together, which are in memory.
const LONGEST_TEXTS: usize = 512 << 20;

/// What sheets have in common.
#[derive(Default)]
pub(super) struct Book {
    sheets: Vec<Listed>,
    texts: Texts,
    /// For each style of cells whether it shows dates.
    dated: Vec<bool>,
    since_1904: bool,
}

/// A sheet by its name, and where its rows are.
struct Listed {
    name: String,
    member: String,
    hidden: bool,
}

/// Texts one after the other.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, at: usize) -> Option<&str> {
        let start = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        self.all.get(start..*self.ends.get(at)?)
    }
}

impl Book {
    pub(super) fn open(archive: &Archive) -> Result<Self, Error> {
        let label = &archive.place().label;
        let read = |error: io::Error| Error::decoding(label, "Excel", &error);
        let mut names = archive.members().iter().map(|member| member.name.as_str());
        let path = names.find(|name| name.ends_with("workbook.xml")).unwrap_or("xl/workbook.xml");
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let list = |path: &str| archive.text(path, LONGEST_LIST);
        let places = places(list(&format!("{folder}/_rels/{file}.rels"))?).map_err(read)?;
        let mut book = Self {
            sheets: Vec::new(),
            texts: Texts::default(),
            dated: Vec::new(),
            since_1904: false,
        };
        book.list(list(path)?.unwrap_or_default(), folder, &places).map_err(read)?;
        let of_kind = |kind: &str| places.iter().find(|place| place.kind.ends_with(kind));
        let inside = |place: &Place| within(folder, &place.target);
        if let Some(styles) = of_kind("/styles").map(inside) {
            book.dated = dated(list(&styles)?.unwrap_or_default()).map_err(read)?;
        }
        let texts = of_kind("/sharedStrings").map(inside);
        if let Some(member) = texts.and_then(|name| archive.find(&name)) {
            book.texts = shared(Xml::new(archive.stream(member)?)).map_err(read)?;
        }
        Ok(book)
    }

    /// The sheets in their order, and the calendar.
    fn list(&mut self, text: String, folder: &str, places: &[Place]) -> io::Result<()> {
        let mut xml = Xml::of_text(text);
        while let Some(token) = xml.next()? {
            let Token::Start(tag) = token else { continue };
            match tag.local_name().as_ref() {
                "workbookPr" => {
                    let since = attribute(&tag, "date1904")?;
                    self.since_1904 = since.is_some_and(|flag| flag == "1" || flag == "true");
                }
                "sheet" => {
                    let id = attribute(&tag, "id")?;
                    let place = places.iter().find(|place| Some(&place.id) == id.as_ref());
                    // Sheets of charts have no rows.
                    let Some(place) = place.filter(|place| place.kind.ends_with("/worksheet"))
                    else {
                        continue;
                    };
                    self.sheets.push(Listed {
                        name: attribute(&tag, "name")?.unwrap_or_default(),
                        member: within(folder, &place.target),
                        hidden: attribute(&tag, "state")?.is_some_and(|state| state != "visible"),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.sheets.iter().map(|sheet| sheet.name.clone()).collect()
    }

    /// The first sheet that is shown and holds anything, or else the first.
    pub(super) fn first_full(&self, archive: &Archive) -> Result<(usize, Extent), Error> {
        let shown = self.sheets.iter().enumerate().filter(|(_, sheet)| !sheet.hidden);
        let mut first = None;
        for (at, _) in shown {
            let extent = self.extent(archive, at)?;
            if extent.is_table() {
                return Ok((at, extent));
            }
            first.get_or_insert((at, extent));
        }
        Ok(first.unwrap_or_default())
    }

    /// Goes through a sheet.
    pub(super) fn extent(&self, archive: &Archive, at: usize) -> Result<Extent, Error> {
        let mut extent = Extent::default();
        let mut rows = SheetRows::new(&Arc::default(), self.stream(archive, at)?);
        rows.keeps = false;
        let read = |error: io::Error| Error::decoding(&archive.place().label, "Excel", &error);
        while let Some(row) = rows.next_row().map_err(read)? {
            extent.see(&row);
        }
        extent.formulas = rows.formulas;
        extent.merged = rows.merged;
        Ok(extent)
    }

    pub(super) fn rows(self: &Arc<Self>, archive: &Archive, at: usize) -> Result<SheetRows, Error> {
        Ok(SheetRows::new(self, self.stream(archive, at)?))
    }

    fn stream(&self, archive: &Archive, at: usize) -> Result<Xml, Error> {
        let label = &archive.place().label;
        let member = self.sheets.get(at).and_then(|sheet| archive.find(&sheet.member));
        let reason = "it lists a sheet that is not there";
        let member = member.ok_or_else(|| Error::invalid(label, "Excel", reason))?;
        Ok(Xml::new(archive.stream(member)?))
    }
}

/// Where a part of the workbook is.
struct Place {
    id: String,
    kind: String,
    target: String,
}

fn places(text: Option<String>) -> io::Result<Vec<Place>> {
    let mut xml = Xml::of_text(text.unwrap_or_default());
    let mut places = Vec::new();
    while let Some(token) = xml.next()? {
        let Token::Start(tag) = token else { continue };
        if tag.local_name().as_ref() == "Relationship" {
            let get = |name| Ok::<_, io::Error>(attribute(&tag, name)?.unwrap_or_default());
            places.push(Place { id: get("Id")?, kind: get("Type")?, target: get("Target")? });
        }
    }
    Ok(places)
}

/// A path within the archive, as seen from a folder of it.
fn within(folder: &str, target: &str) -> String {
    match target.strip_prefix('/') {
        Some(whole) => whole.into(),
        None if folder.is_empty() => target.into(),
        None => format!("{folder}/{}", target.trim_start_matches("./")),
    }
}

/// For each style whether it shows dates.
fn dated(text: String) -> io::Result<Vec<bool>> {
    let mut xml = Xml::of_text(text);
    let mut written = Vec::new();
    let mut dated = Vec::new();
    let mut inside = false;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(tag) => match tag.local_name().as_ref() {
                "cellXfs" => inside = true,
                "numFmt" => {
                    let code = attribute(&tag, "formatCode")?.unwrap_or_default();
                    written.push((number(&tag, "numFmtId")?, dates::is_written(&code)));
                }
                "xf" if inside => {
                    let format = number(&tag, "numFmtId")?;
                    let own = written.iter().find(|(id, _)| *id == format);
                    dated.push(own.map_or_else(|| dates::is_known(format), |(_, is)| *is));
                }
                _ => {}
            },
            Token::End(name) if name == "cellXfs" => inside = false,
            _ => {}
        }
    }
    Ok(dated)
}

fn number(tag: &quick_xml::events::BytesStart<'_>, name: &str) -> io::Result<u32> {
    Ok(attribute(tag, name)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// The texts that cells refer to by number.
fn shared(mut xml: Xml) -> io::Result<Texts> {
    let mut texts = Texts::default();
    let mut inside = false;
    while let Some(token) = xml.next()? {
        match token {
            Token::Start(tag) => match tag.local_name().as_ref() {
                "t" => inside = true,
                // How a text is pronounced is no part of it.
                "rPh" => skip(&mut xml)?,
                _ => {}
            },
            Token::Text(text) if inside => texts.all.push_str(&text),
            Token::End(name) => match name.as_str() {
                "t" => inside = false,
                "si" => texts.ends.push(texts.all.len()),
                _ => {}
            },
            Token::Text(_) => {}
        }
        if texts.all.len() + 8 * texts.ends.len() > LONGEST_TEXTS {
            let words = format!("its texts take more than {} MiB", LONGEST_TEXTS >> 20);
            return Err(io::Error::other(words));
        }
    }
    Ok(texts)
}

/// The rows of a sheet.
pub(super) struct SheetRows {
    book: Arc<Book>,
    xml: Xml,
    /// Whether the content of cells is wanted.
    keeps: bool,
    last_row: u64,
    formulas: u64,
    merged: Option<String>,
}

/// A cell that is being read.
#[derive(Default)]
struct Open {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    /// Whether there is a value or a text.
    has_value: bool,
    formula: bool,
}

impl SheetRows {
    fn new(book: &Arc<Book>, xml: Xml) -> Self {
        let book = Arc::clone(book);
        Self { book, xml, keeps: true, last_row: 0, formulas: 0, merged: None }
    }

    /// The cells of a row that has begun.
    fn cells(&mut self) -> io::Result<Vec<(usize, Cell)>> {
        let mut cells: Vec<(usize, Cell)> = Vec::new();
        let mut open: Option<Open> = None;
        let mut next = 0;
        let mut inside = false;
        let mut size = 0_usize;
        while let Some(token) = self.xml.next()? {
            match token {
                Token::Start(tag) => match tag.local_name().as_ref() {
                    "c" => {
                        let place = attribute(&tag, "r")?;
                        let column = place.as_deref().and_then(column_of).unwrap_or(next);
                        if column >= MOST_COLUMNS {
                            let words = format!("it has more than {MOST_COLUMNS} columns");
                            return Err(io::Error::other(words));
                        }
                        open = Some(Open {
                            column,
                            kind: attribute(&tag, "t")?.unwrap_or_default(),
                            style: number(&tag, "s")? as usize,
                            ..Open::default()
                        });
                        next = column + 1;
                    }
                    "v" | "t" => {
                        inside = true;
                        open.iter_mut().for_each(|cell| cell.has_value = true);
                    }
                    "f" => {
                        open.iter_mut().for_each(|cell| cell.formula = true);
                        skip(&mut self.xml)?;
                    }
                    "rPh" => skip(&mut self.xml)?,
                    _ => {}
                },
                Token::Text(text) if inside => {
                    open.iter_mut().for_each(|cell| cell.value.push_str(&text));
                }
                Token::Text(_) => {}
                Token::End(name) => match name.as_str() {
                    "v" | "t" => inside = false,
                    "c" => {
                        let Some(cell) = open.take() else { continue };
                        self.formulas += u64::from(cell.formula && !cell.has_value);
                        let column = cell.column;
                        if let Some(cell) = self.content(cell)? {
                            size = size.saturating_add(cell.len());
                            check_size(size)?;
                            cells.push((column, cell));
                        }
                    }
                    "row" => break,
                    _ => {}
                },
            }
        }
        cells.sort_by_key(|(column, _)| *column);
        Ok(cells)
    }

    fn content(&self, cell: Open) -> io::Result<Option<Cell>> {
        if !cell.has_value || (cell.value.is_empty() && cell.kind != "s") {
            return Ok(None);
        }
        if !self.keeps {
            return Ok(Some(Cell::Text(String::new())));
        }
        Ok(Some(match cell.kind.as_str() {
            "s" => {
                let text = cell.value.trim().parse().ok().and_then(|at| self.book.texts.get(at));
                let words = "a cell refers to a text that is not there";
                Cell::Text(text.ok_or_else(|| io::Error::other(words))?.to_string())
            }
            "b" => Cell::Text(if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }.into()),
            "" | "n" if self.book.dated.get(cell.style) == Some(&true) => {
                let days = cell.value.trim().parse().ok();
                let date = days.and_then(|days| dates::date(days, self.book.since_1904));
                date.map_or(Cell::Number(cell.value), Cell::Text)
            }
            "" | "n" => Cell::Number(cell.value),
            _ => Cell::Text(cell.value),
        }))
    }

    fn note_merged(&mut self, range: &str) {
        let rows =
            |end: &str| end.trim_start_matches(|c: char| c.is_ascii_alphabetic()).to_string();
        if let Some((from, to)) = range.split_once(':')
            && rows(from) != rows(to)
        {
            self.merged.get_or_insert_with(|| crate::error::shorten(range, 20));
        }
    }
}

impl Rows for SheetRows {
    fn next_row(&mut self) -> io::Result<Option<Row>> {
        while let Some(token) = self.xml.next()? {
            let Token::Start(tag) = token else { continue };
            match tag.local_name().as_ref() {
                "row" => {
                    let number = attribute(&tag, "r")?.and_then(|text| text.parse().ok());
                    let number = number.unwrap_or(0).max(self.last_row.saturating_add(1));
                    self.last_row = number;
                    let cells = self.cells()?;
                    if !cells.is_empty() {
                        check_row(number)?;
                        return Ok(Some(Row { number, times: 1, cells }));
                    }
                }
                "mergeCell" => {
                    let range = attribute(&tag, "ref")?.unwrap_or_default();
                    self.note_merged(&range);
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// The column of a place such as `AB12`, from 0.
fn column_of(place: &str) -> Option<usize> {
    let mut column = 0_usize;
    for letter in place.bytes().take_while(u8::is_ascii_alphabetic) {
        column = column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1;
        if column > 1 << 20 {
            return Some(column);
        }
    }
    column.checked_sub(1)
}
