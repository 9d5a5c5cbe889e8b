//! Sheets of workbooks (.xlsx, .ods) as text: a sheet becomes the lines that a spreadsheet program
//! would export, row by row while they are read, so that it is understood as any text is.

mod dates;
mod ods;
mod xlsx;
mod xml;

use std::io::{self, Read};
use std::sync::Arc;

use nocurl::{Action, Text};

use super::quoted::{push_number, push_text};
use crate::archive::Archive;
use crate::error::shorten;
use crate::packed::{ALWAYS_MADE, bounded};
use crate::{Error, Format};

/// Columns that a sheet has at most, in the programs that write them.
const MOST_COLUMNS: usize = 16_384;

/// Rows that a sheet has at most.
const MOST_ROWS: u64 = 1 << 20;

/// A cell that holds something.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    /// As it is written.
    Number(String),
    Text(String),
}

impl Cell {
    /// Bytes that it takes, about.
    fn len(&self) -> usize {
        let (Self::Number(text) | Self::Text(text)) = self;
        text.len() + 32
    }
}

/// Refuses the number of a row that no sheet has: the empty rows before it would become lines.
fn check_row(number: u64) -> io::Result<()> {
    match number > MOST_ROWS {
        true => Err(io::Error::other(format!("it has more than {MOST_ROWS} rows"))),
        false => Ok(()),
    }
}

/// Refuses rows that take more memory than any of a table.
fn check_size(bytes: usize) -> io::Result<()> {
    const MOST: usize = 64 << 20;
    match bytes > MOST {
        true => Err(io::Error::other(format!("a row of it has more than {} MiB", MOST >> 20))),
        false => Ok(()),
    }
}

/// A row that holds something.
#[derive(Debug, Clone, Default, PartialEq)]
struct Row {
    /// From 1.
    number: u64,
    /// How many rows are the same, from this one on.
    times: u64,
    /// By their columns, from 0.
    cells: Vec<(usize, Cell)>,
}

/// The rows of a sheet from the first to the last.
trait Rows: Send {
    fn next_row(&mut self) -> io::Result<Option<Row>>;
}

/// What is known of a sheet once it has been gone through.
#[derive(Debug, Clone, Default)]
struct Extent {
    /// Columns with anything in them.
    used: Vec<bool>,
    /// Rows with anything in them.
    rows: u64,
    /// Formulas that no program has computed.
    formulas: u64,
    /// Places of cells that are merged over several rows, the first of them.
    merged: Option<String>,
}

impl Extent {
    fn see(&mut self, row: &Row) {
        self.rows += row.times;
        for &(column, _) in &row.cells {
            if self.used.len() <= column {
                self.used.resize(column + 1, false);
            }
            self.used[column] = true;
        }
    }

    fn is_empty(&self) -> bool {
        self.used.is_empty()
    }

    /// Whether there is more than names.
    fn is_table(&self) -> bool {
        self.rows > 1
    }
}

/// The kind of workbook that an archive is, if it is one.
pub(super) fn kind_of(archive: &Archive) -> Option<Format> {
    if archive.find("content.xml").is_some() {
        return Some(Format::Ods);
    }
    let is_book = |name: &str| name.ends_with("workbook.xml");
    archive.members().iter().any(|member| is_book(&member.name)).then_some(Format::Xlsx)
}

/// A sheet of a workbook.
pub(super) struct Sheet {
    archive: Arc<Archive>,
    part: Part,
    extent: Extent,
    pub(super) notes: Vec<Text>,
}

/// Where the rows are.
enum Part {
    Xlsx(Arc<xlsx::Book>, usize),
    Ods(usize),
}

impl Sheet {
    /// The sheet of a name or number, or the first that holds anything.
    pub(super) fn open(
        archive: Archive,
        format: Format,
        wanted: Option<&str>,
    ) -> Result<Self, Error> {
        let archive = Arc::new(archive);
        let label = archive.place().label.clone();
        let read = |error: io::Error| Error::read(&label, &error);
        let (names, part, extent): (Vec<String>, _, _) = if format == Format::Ods {
            let sheets = ods::sheets(&archive)?;
            let names: Vec<String> = sheets.iter().map(|(name, _)| name.clone()).collect();
            let full = || sheets.iter().position(|(_, extent)| extent.is_table());
            let at = chosen(&label, &names, wanted)?.or_else(full).unwrap_or(0);
            let extent = sheets.into_iter().nth(at).map(|(_, extent)| extent);
            (names, Part::Ods(at), extent.unwrap_or_default())
        } else {
            let book = Arc::new(xlsx::Book::open(&archive)?);
            let names = book.names();
            let (at, extent) = match chosen(&label, &names, wanted)? {
                Some(at) => (at, book.extent(&archive, at)?),
                None => book.first_full(&archive)?,
            };
            (names, Part::Xlsx(book, at), extent)
        };
        let at = match part {
            Part::Xlsx(_, at) | Part::Ods(at) => at,
        };
        if extent.is_empty() {
            let name = names.get(at).map_or_else(String::new, |name| quoted(name));
            let path = format!("sheet {name} of {label}");
            return Err(if names.is_empty() {
                read(io::Error::other("it has no sheets"))
            } else {
                Error::Empty { path }
            });
        }
        let mut sheet = Self { archive, part, extent, notes: Vec::new() };
        sheet.note(&names, at, wanted.is_some());
        Ok(sheet)
    }

    fn note(&mut self, names: &[String], at: usize, chosen: bool) {
        if names.len() > 1 && !chosen {
            let others: Vec<&String> =
                names.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, name)| name).collect();
            let words = format!(
                "read sheet {} of {}; for another ({}), use ",
                quoted(&names[at]),
                names.len(),
                listed(others.iter().map(|name| name.as_str()))
            );
            let other = Action::set("sheet", others[0].clone());
            self.notes.push(Text::new(words).act(other));
        }
        if self.extent.formulas > 0 {
            let many = if self.extent.formulas == 1 { "formula has" } else { "formulas have" };
            let words = format!(
                "{} {many} no value: open and save the file in a spreadsheet program first",
                self.extent.formulas
            );
            self.notes.push(words.into());
        }
        if let Some(place) = &self.extent.merged {
            let words = format!(
                "cells are merged over several rows ({place}): only the first row of them has the \
                 value"
            );
            self.notes.push(words.into());
        }
    }

    /// The sheet as text: commas between cells, a line for each row, nothing in empty columns.
    pub(super) fn text(&self) -> Result<Box<dyn Read + Send>, Error> {
        let columns = self.extent.used.iter().enumerate().filter(|(_, used)| **used);
        let columns = columns.map(|(column, _)| column).collect();
        let bytes = self.archive.place().length;
        Ok(match &self.part {
            Part::Xlsx(book, at) => {
                let rows = book.rows(&self.archive, *at)?;
                Box::new(bounded("Excel", Lines::new(rows, columns), bytes, ALWAYS_MADE))
            }
            Part::Ods(at) => {
                let rows = ods::rows(&self.archive, *at)?;
                Box::new(bounded("OpenDocument", Lines::new(rows, columns), bytes, ALWAYS_MADE))
            }
        })
    }
}

/// The place of the sheet that is asked for, by its name or its number from 1.
fn chosen(label: &str, names: &[String], wanted: Option<&str>) -> Result<Option<usize>, Error> {
    let Some(wanted) = wanted else { return Ok(None) };
    let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < names.len());
    let found = names.iter().position(|name| name == wanted).or_else(by_number);
    found.map(Some).ok_or_else(|| Error::NoSuchPart {
        path: label.into(),
        what: "sheet",
        name: shorten(wanted, 80),
        there: listed(names.iter().map(String::as_str)),
    })
}

fn quoted(name: &str) -> String {
    format!("`{}`", shorten(name, 40))
}

/// Names for a message; of many the first.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<String> = names.map(quoted).collect();
    match names.len() {
        0 => "none".into(),
        many if many > SHOWN => {
            format!("{} and {} more", names[..SHOWN].join(", "), many - SHOWN)
        }
        _ => names.join(", "),
    }
}

/// Rows as lines of text.
struct Lines<R> {
    rows: R,
    /// Columns that are written.
    columns: Vec<usize>,
    /// Lines written.
    line: u64,
    /// A row that has to be written so many times more.
    again: Row,
    text: Vec<u8>,
    at: usize,
}

impl<R: Rows> Lines<R> {
    fn new(rows: R, columns: Vec<usize>) -> Self {
        Self { rows, columns, line: 0, again: Row::default(), text: Vec::new(), at: 0 }
    }

    /// Writes the next row; false at the end.
    fn write(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.at = 0;
        if self.again.times == 0 {
            let Some(row) = self.rows.next_row()? else { return Ok(false) };
            self.again = row;
            // Empty rows are empty lines, so that lines are rows of the sheet.
            let skipped = self.again.number.saturating_sub(self.line + 1);
            self.text.resize(skipped as usize, b'\n');
            self.line += skipped;
        }
        self.again.times -= 1;
        let mut cells = self.again.cells.iter().peekable();
        for (place, &column) in self.columns.iter().enumerate() {
            if place > 0 {
                self.text.push(b',');
            }
            while cells.peek().is_some_and(|(at, _)| *at < column) {
                cells.next();
            }
            match cells.peek().filter(|(at, _)| *at == column) {
                Some((_, Cell::Number(number))) => push_number(&mut self.text, number),
                Some((_, Cell::Text(text))) => push_text(&mut self.text, text),
                None => {}
            }
        }
        self.text.push(b'\n');
        self.line += 1;
        Ok(true)
    }
}

impl<R: Rows> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !self.write()? {
                return Ok(0);
            }
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
