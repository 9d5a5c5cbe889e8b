//! Text with a delimiter, cut at ends of records into pieces that are parsed in parallel.

use std::io::Read;
use std::sync::Arc;

use nocurl::Run;

use super::block::Block;
use super::collect::{Assembly, append_wave, report, wave_width};
use super::columns::Selection;
use super::dialect::{Dialect, line_end, unquote};
use super::encoding::Decoder;
use super::kinds::{Declared, are_told};
use super::reading::Reading;
use super::survey::ColumnSurvey;
use super::top::{OPEN, Top, has_text, lines_in, misquoted, next_line, rows_in_cell};
use super::words::{Absent, is_large, is_rounded_cell, is_whole, number};
use crate::Error;
use crate::digest::Digest;
use crate::error::shorten;

/// Bytes read at a time. Fixed, because the borders of pieces decide how sums are rounded.
pub(super) const PIECE: usize = 8 << 20;

/// A record longer than this is not one of a table.
const LONGEST_RECORD: usize = 64 << 20;

/// Reads a table from a stream of text; also returns the digest of the stream.
pub(super) fn read(
    input: impl Read + Send,
    label: &str,
    length: Option<u64>,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, String), Error> {
    let mut stream = Stream {
        input,
        label,
        digest: Digest::new(),
        decoder: Decoder::new(),
        rest: Vec::new(),
        dialect: Dialect { delimiter: b',' },
        done: 0,
        ended: false,
        failed: None,
    };
    let mut first = stream.read_more()?;
    check_is_text(&first, label, "CSV")?;
    if first.starts_with(b"\xef\xbb\xbf") {
        first.drain(..3);
    }
    if first.iter().all(u8::is_ascii_whitespace) && stream.ended {
        return Err(Error::Empty { path: label.into() });
    }
    let mut top = Top::new(&first, label, options)?;
    stream.dialect = top.dialect;
    let mut first = stream.cut(first)?;
    // A header that was cut off by the end of the first piece.
    if top.bytes > first.len() {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    let selection = Arc::new(selection(label, &top, options)?);
    let mut total = Assembly::new(&selection, options.missing);
    total.lines = top.lines;
    total.warnings = std::mem::take(&mut top.notes);
    first.drain(..top.bytes);
    let parser = Parser::new(label, &top, &selection, options);

    let width = wave_width(selection.names.len(), 2 * PIECE);
    let mut wave = vec![first];
    while !wave.is_empty() {
        // The next pieces are read and digested while these are parsed.
        let (next, parsed) = rayon::join(
            || stream.pieces(width),
            || append_wave(&mut total, wave, |piece| parser.parse(&piece)),
        );
        parsed?;
        wave = next.map_err(|error| error.shifted(total.rows, total.lines))?;
        report(run, stream.done, length)?;
    }
    if total.rows == 0 && top.named && !options.part {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    if stream.decoder.is_windows {
        total.warnings.push("text that is not UTF-8 was read as Windows-1252".into());
    }
    Ok((total, stream.digest.finish()))
}

/// Whether the start of a text has cells that are no numbers.
pub(super) fn begins_with_text(
    start: &[u8],
    label: &str,
    options: &Reading<'_>,
) -> Result<bool, Error> {
    let text = decoded(start);
    check_is_text(&text, label, "CSV")?;
    Ok(has_text(&text, &Top::new(&text, label, options)?, options))
}

/// The start of a file as UTF-8, without a mark.
pub(super) fn decoded(start: &[u8]) -> Vec<u8> {
    let mut text = start.to_vec();
    Decoder::new().decode(&mut text, 0, false);
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    text
}

/// The selected columns, without the names of rows where nobody asks for them.
fn selection(label: &str, top: &Top, options: &Reading<'_>) -> Result<Selection, Error> {
    let declared = |column| match top.row_names == Some(column) {
        true => Declared::RowNames,
        false => Declared::Cells,
    };
    if !options.purpose.surveys && options.plan.is_none() && are_told(options) {
        return Err(Error::KindsNeeded);
    }
    let selection = Selection::new(label, &top.names, options, declared)?;
    let row_names = selection.declared.contains(&Declared::RowNames);
    if row_names && options.plan.is_none() && !options.purpose.surveys {
        return Err(Error::KindsNeeded);
    }
    Ok(selection)
}

/// Refuses bytes that are no text, under the name of a format.
pub(super) fn check_is_text(start: &[u8], label: &str, format: &'static str) -> Result<(), Error> {
    match start.contains(&0) {
        true => Err(Error::invalid(label, format, "it holds zero bytes, so it is not text")),
        false => Ok(()),
    }
}

/// Cuts a stream of text into pieces that end where records end.
struct Stream<'a, R> {
    input: R,
    label: &'a str,
    digest: Digest,
    decoder: Decoder,
    /// The start of a record whose end has not been read.
    rest: Vec<u8>,
    dialect: Dialect,
    done: u64,
    ended: bool,
    /// What was wrong after the last piece, with lines counted from there.
    failed: Option<Error>,
}

impl<R: Read> Stream<'_, R> {
    /// What was left over and the next bytes; at the end of the stream a final line end is added.
    fn read_more(&mut self) -> Result<Vec<u8>, Error> {
        let mut bytes = std::mem::take(&mut self.rest);
        let old = bytes.len();
        self.input
            .by_ref()
            .take(PIECE as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::read(self.label, &error))?;
        self.digest.update(&bytes[old..]);
        self.done += (bytes.len() - old) as u64;
        self.ended = bytes.len() - old < PIECE;
        self.decoder.decode(&mut bytes, old, self.ended);
        if self.ended && bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        Ok(bytes)
    }

    /// Keeps whole records and puts the rest back; reads on while there is no whole record.
    fn cut(&mut self, mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        while !self.ended {
            if let Some(end) = self.dialect.last_record_end(&bytes) {
                self.rest = bytes.split_off(end);
                break;
            }
            // What has no end of a line may be no text at all.
            check_is_text(&bytes, self.label, "CSV")?;
            if bytes.len() > LONGEST_RECORD {
                // Only what follows the first line tells whether it is a line or a quoted cell.
                if let Some(line) = bytes.iter().position(|&byte| byte == b'\n') {
                    let open = "a quoted cell does not end within 64 MiB";
                    self.dialect
                        .record(&bytes[..=line], 0)
                        .map_err(|wrong| misquoted(self.label, &bytes[..=line], wrong, 1, open))?;
                }
                let reason = "a line does not end within 64 MiB";
                return Err(Error::invalid(self.label, "CSV", reason));
            }
            self.rest = bytes;
            bytes = self.read_more()?;
        }
        Ok(bytes)
    }

    /// Up to `count` pieces; fewer at the end.
    fn pieces(&mut self, count: usize) -> Result<Vec<Vec<u8>>, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut pieces = Vec::new();
        while pieces.len() < count && !self.ended {
            let bytes = self.read_more()?;
            match self.cut(bytes) {
                Ok(piece) => pieces.push(piece),
                // Its line is known once the pieces before it have been parsed.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        match self.failed.take() {
            Some(error) if pieces.is_empty() => Err(error),
            failed => {
                self.failed = failed;
                Ok(pieces)
            }
        }
    }
}

/// Turns pieces of text into rows of numbers.
struct Parser<'a> {
    label: &'a str,
    dialect: Dialect,
    decimal: u8,
    absent: Absent,
    selection: &'a Arc<Selection>,
    slots: Vec<Slot>,
    /// For each column of the file whether it is read.
    selected: Vec<bool>,
    /// Lines to pass over, if the first records have other numbers of cells than the others.
    skip: Option<u64>,
    options: &'a Reading<'a>,
}

/// What becomes of the cells of a column.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Skipped,
    /// Plain numbers, but for some.
    Numbers(usize),
    /// Anything else: levels, or numbers in another spelling.
    Cells(usize),
}

impl<'a> Parser<'a> {
    fn new(
        label: &'a str,
        top: &Top,
        selection: &'a Arc<Selection>,
        options: &'a Reading<'a>,
    ) -> Self {
        let mut slots = vec![Slot::Skipped; top.names.len()];
        for (slot, &position) in selection.positions.iter().enumerate() {
            let plain = top.decimal == b'.' && selection.codings[slot].is_none();
            slots[position] = if plain { Slot::Numbers(slot) } else { Slot::Cells(slot) };
        }
        let (dialect, decimal) = (top.dialect, top.decimal);
        let absent = Absent::new(&options.na);
        let selected = slots.iter().map(|slot| *slot != Slot::Skipped).collect();
        let skip = top.skip;
        Self { label, dialect, decimal, absent, selection, slots, selected, skip, options }
    }

    /// Parses a piece that ends with a line end.
    fn parse(&self, text: &[u8]) -> Result<Assembly, Error> {
        let mut part: Assembly = Assembly::new(self.selection, self.options.missing);
        let mut block =
            Block::new(if self.options.purpose.surveys { 0 } else { self.selection.names.len() });
        let mut at = 0;
        // Rows still in the block are not counted by the assembly yet.
        let mut rows = 0;
        let quoted = text.contains(&b'"');
        while at < text.len() {
            let start = self.dialect.skip_blanks(text, at);
            if let Some(next) = line_end(text, start) {
                part.lines += 1;
                at = next;
                continue;
            }
            if self.options.comment.is_some_and(|comment| text[start] == comment) {
                part.lines += 1;
                at = next_line(text, start);
                continue;
            }
            rows += 1;
            let line = part.lines + 1;
            if self.options.purpose.surveys {
                at = self.look_at_row(text, start, part.columns_seen(), rows, line)?;
                part.rows += 1;
            } else {
                at = self.parse_row(text, start, &mut block, rows, line)?;
                block.finish_row(line, &mut part);
            }
            part.lines += if quoted { lines_in(&text[start..at]) } else { 1 };
        }
        if !self.options.purpose.surveys {
            block.flush(&mut part);
        }
        Ok(part)
    }

    /// Looks at the cells of the record at `at` and returns where the next one starts.
    fn look_at_row(
        &self,
        text: &[u8],
        at: usize,
        columns: &mut [ColumnSurvey],
        row: u64,
        line: u64,
    ) -> Result<usize, Error> {
        let (cells, next) = self
            .dialect
            .record(text, at)
            .map_err(|wrong| misquoted(self.label, &text[at..], wrong.from(at), line, OPEN))?;
        if cells.len() != self.slots.len() {
            return Err(self.ragged(line, cells.len()));
        }
        for (cell, slot) in cells.into_iter().zip(&self.slots) {
            let (Slot::Numbers(slot) | Slot::Cells(slot)) = *slot else { continue };
            self.check_lines(cell, line)?;
            let content = unquote(cell);
            if self.absent.has(&content) {
                columns[slot].absent(&content, &self.absent);
                continue;
            }
            let is_number = number(&content, self.decimal).is_some();
            columns[slot].text(&content, is_number, row, Some(line));
        }
        Ok(next)
    }

    /// Parses the record at `at` and returns where the next one starts.
    fn parse_row(
        &self,
        text: &[u8],
        mut at: usize,
        block: &mut Block,
        row: u64,
        line: u64,
    ) -> Result<usize, Error> {
        let mut column = 0;
        let line_start = at;
        loop {
            at = self.dialect.skip_blanks(text, at);
            let slot = self.slots.get(column).copied().unwrap_or(Slot::Skipped);
            let end = if let Slot::Numbers(slot) = slot
                && let Some((value, end)) = self.dialect.number(text, at)
            {
                if is_large(value) {
                    self.note_rounded(&text[at..end], value, slot);
                }
                block.set(slot, value);
                end
            } else {
                let end = self.other_cell(text, at, line_start, line)?;
                if let Slot::Numbers(slot) | Slot::Cells(slot) = slot {
                    block.set(slot, self.slow_value(&text[at..end], slot, row, line)?);
                }
                end
            };
            column += 1;
            match line_end(text, end) {
                Some(next) if column == self.slots.len() => return Ok(next),
                Some(_) => return Err(self.ragged(line, column)),
                None => at = self.dialect.after_delimiter(end),
            }
        }
    }

    /// Notes a whole number that a floating-point number cannot hold.
    #[cold]
    fn note_rounded(&self, cell: &[u8], value: f64, slot: usize) {
        if is_rounded_cell(cell, value) || self.options.doubles && is_whole(cell) {
            self.selection.note_rounded(slot);
        }
    }

    /// The end of a cell that is not plainly a number, of a record that starts in `line`.
    fn other_cell(&self, text: &[u8], at: usize, start: usize, line: u64) -> Result<usize, Error> {
        let end = self.dialect.cell_end(text, at).map_err(|wrong| {
            misquoted(self.label, &text[start..], wrong.from(start), line, OPEN)
        })?;
        self.check_lines(&text[at..end], line + lines_in(&text[start..at]))?;
        Ok(end)
    }

    /// Refuses a quoted cell that has taken rows into it, and starts in `line`.
    fn check_lines(&self, cell: &[u8], line: u64) -> Result<(), Error> {
        if cell.starts_with(b"\"") && self.dialect.row_within(cell, &self.selected).is_some() {
            return Err(rows_in_cell(self.label, cell, line));
        }
        Ok(())
    }

    /// A cell that is not plainly a number: a level, quoted, missing, in another spelling, or wrong.
    fn slow_value(&self, cell: &[u8], slot: usize, row: u64, line: u64) -> Result<f64, Error> {
        let text = unquote(cell);
        if let Some(coding) = &self.selection.codings[slot] {
            return Ok(coding.of_text(&text));
        }
        if self.absent.has(&text) {
            return Ok(f64::NAN);
        }
        let value = number(&text, self.decimal);
        if let Some(value) = value.filter(|&value| is_large(value)) {
            self.note_rounded(&text, value, slot);
        }
        if value.is_some() && text.contains(&b'%') {
            self.selection.note_percent(slot);
        }
        value.ok_or_else(|| Error::NotNumeric {
            column: shorten(&self.selection.names[slot], 80),
            row,
            line,
            text: shorten(&String::from_utf8_lossy(&text), 40),
        })
    }

    fn ragged(&self, line: u64, found: usize) -> Error {
        Error::Ragged {
            path: self.label.into(),
            line,
            expected: self.slots.len(),
            found,
            skip: self.skip,
        }
    }
}
