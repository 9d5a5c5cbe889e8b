//! Text whose rows are variables, turned so that its columns are.

use nocurl::memory::ask;

use super::csv::decoded;
use super::quoted::push_text;
use super::reading::Reading;
use super::top::{OPEN, Top, counts_up, lines_in, misquoted};
use super::words::number;
use crate::{Error, Header, ReadOptions};

/// A table that was turned, as text with commas between cells.
pub(super) struct Transposed {
    text: Vec<u8>,
    decimal: u8,
}

impl Transposed {
    /// Turns the records of a text. The first cell of each names a variable; the first record names
    /// the observations, unless its other cells are values.
    pub(super) fn of(bytes: &[u8], label: &str, reading: &Reading<'_>) -> Result<Self, Error> {
        ask("turning the table", 3 * bytes.len() as u64)?;
        let mut text = decoded(bytes);
        if text.last().is_some_and(|&last| last != b'\n') {
            text.push(b'\n');
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(Error::Empty { path: label.into() });
        }
        let options = ReadOptions { header: Header::No, ..(**reading).clone() };
        let top = Top::new(&text, label, &reading.over(&options))?;
        let mut records: Vec<Vec<Vec<u8>>> = Vec::new();
        let mut at = top.dialect.skip_blank_lines(&text, top.bytes);
        while at < text.len() {
            let line = lines_in(&text[..at]) + 1;
            let (cells, next) = top
                .dialect
                .record(&text, at)
                .map_err(|wrong| misquoted(label, &text[at..], wrong.from(at), line, OPEN))?;
            let comment = reading.comment.is_some_and(|comment| text[at] == comment);
            let cells: Vec<Vec<u8>> =
                cells.into_iter().map(|cell| super::dialect::unquote(cell).into_owned()).collect();
            // R leaves out the name above the names of rows.
            if records.len() == 1 && records[0].len() + 1 == cells.len() {
                records[0].insert(0, Vec::new());
            }
            let expected = records.first().map_or(cells.len(), Vec::len);
            if !comment {
                if cells.len() != expected {
                    let (path, found) = (label.into(), cells.len());
                    return Err(Error::Ragged { path, line, expected, found, skip: None });
                }
                records.push(cells);
            }
            at = top.dialect.skip_blank_lines(&text, next);
        }
        let first = records.first_mut().ok_or(Error::Empty { path: label.into() })?;
        let values = |cells: &[Vec<u8>]| {
            cells.iter().all(|cell| cell.is_empty() || number(cell, top.decimal).is_some())
        };
        let named = match reading.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => !values(&first[1..]) || counts_up(&first[1..]),
        };
        if named {
            // What names the observations is no variable.
            first[0].clear();
        }
        let mut turned = Vec::with_capacity(text.len());
        for column in 0..records[0].len() {
            for (row, cells) in records.iter().enumerate() {
                if row > 0 {
                    turned.push(b',');
                }
                match std::str::from_utf8(&cells[column]) {
                    Ok(cell) if cell.contains([',', '"', '\n', '\r']) => {
                        push_text(&mut turned, cell);
                    }
                    _ => turned.extend(&cells[column]),
                }
            }
            turned.push(b'\n');
        }
        Ok(Self { text: turned, decimal: top.decimal })
    }

    /// The turned text.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// How it is read.
    pub(super) fn options(&self, reading: &Reading<'_>) -> ReadOptions {
        ReadOptions {
            header: Header::Yes,
            delimiter: Some(b','),
            decimal: Some(self.decimal),
            comment: None,
            skip_rows: 0,
            ..(**reading).clone()
        }
    }
}
