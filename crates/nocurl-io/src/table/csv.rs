//! Text with a delimiter, cut at ends of records into pieces that are parsed in parallel.

use std::io::Read;

use nocurl::Run;

use super::block::Block;
use super::collect::{Assembly, Collect, append_wave, report, wave_width};
use super::columns::{Selection, check_count};
use super::dialect::{Dialect, Misquoted, is_missing, line_end, unquote};
use crate::digest::Digest;
use crate::error::shorten;
use crate::{Error, Header, ReadOptions};

/// Bytes read at a time. Fixed, because the borders of pieces decide how sums are rounded.
const PIECE: usize = 8 << 20;

/// A record longer than this is not one of a table.
const LONGEST_RECORD: usize = 64 << 20;

/// Reads a table from a stream of text; also returns the digest of the stream.
pub(super) fn read<C: Collect>(
    input: impl Read + Send,
    label: &str,
    length: Option<u64>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly<C>, String), Error> {
    let mut stream = Stream {
        input,
        label,
        digest: Digest::new(),
        rest: Vec::new(),
        dialect: Dialect { delimiter: b',' },
        done: 0,
        ended: false,
        failed: None,
    };
    let mut first = stream.read_more()?;
    check_is_text(&first, label)?;
    if first.starts_with(b"\xef\xbb\xbf") {
        first.drain(..3);
    }
    if first.iter().all(u8::is_ascii_whitespace) && stream.ended {
        return Err(Error::Empty { path: label.into() });
    }
    let dialect = match options.delimiter {
        Some(delimiter) => Dialect { delimiter },
        None => Dialect::detect(&first),
    };
    if matches!(dialect.delimiter, b'"' | b'\n' | b'\r') {
        return Err(Error::unsupported(label, "a quote or a line end cannot be the delimiter"));
    }
    stream.dialect = dialect;
    let mut first = stream.cut(first)?;

    let mut top = Top::new(&first, dialect, label, options)?;
    let selection = Selection::new(label, &top.names, options)?;
    let mut total = Assembly::new(&selection, options.missing);
    total.lines = top.lines;
    total.warnings = std::mem::take(&mut top.warnings);
    first.drain(..top.bytes);
    let parser = Parser::new(label, dialect, &selection, top.names.len(), options);

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
    if total.rows == 0 && top.lines > 0 {
        return Err(Error::HeaderOnly { path: label.into() });
    }
    Ok((total, stream.digest.finish()))
}

fn check_is_text(start: &[u8], label: &str) -> Result<(), Error> {
    let reason = if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        "it is UTF-16; save it as UTF-8"
    } else if start.contains(&0) {
        "it holds zero bytes, so it is not text"
    } else {
        return Ok(());
    };
    Err(Error::invalid(label, "CSV", reason))
}

/// Cuts a stream of text into pieces that end where records end.
struct Stream<'a, R> {
    input: R,
    label: &'a str,
    digest: Digest,
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

/// What the first record says: names, or only how many columns there are.
struct Top {
    names: Vec<String>,
    /// Bytes and lines taken by the header and blank lines before it.
    bytes: usize,
    lines: u64,
    warnings: Vec<nocurl::Text>,
}

impl Top {
    fn new(
        text: &[u8],
        dialect: Dialect,
        label: &str,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let start = dialect.skip_blank_lines(text, 0);
        let line = lines_in(&text[..start]) + 1;
        let (cells, end) = dialect
            .record(text, start)
            .map_err(|wrong| misquoted(label, &text[start..], wrong.from(start), line, OPEN))?;
        check_count(label, cells.len(), options)?;
        let numeric = |cell: &[u8]| fast_float2::parse::<f64, _>(unquote(cell).as_ref()).is_ok();
        let is_header = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => {
                !cells.iter().any(|cell| numeric(cell))
                    || !cells.iter().all(|cell| numeric(cell) || is_missing(&unquote(cell)))
            }
        };
        if !is_header {
            let names = nocurl::Dataset::default_names(cells.len());
            return Ok(Self { names, bytes: 0, lines: 0, warnings: Vec::new() });
        }
        let mut names = Vec::with_capacity(cells.len());
        let mut unnamed = Vec::new();
        for (column, &cell) in (1..).zip(&cells) {
            let name = String::from_utf8(unquote(cell).into_owned()).map_err(|_| {
                let reason = format!("the name of column {column} is not UTF-8");
                Error::invalid(label, "CSV", reason)
            })?;
            names.push(if name.is_empty() {
                unnamed.push(column);
                format!("x{column}")
            } else {
                name
            });
        }
        check_names(&cells, dialect, label, line)?;
        let warnings = unnamed_warning(&unnamed).into_iter().collect();
        Ok(Self { names, bytes: end, lines: lines_in(&text[..end]), warnings })
    }
}

/// Why a quote that is not closed is an error.
const OPEN: &str = "a quote opens a cell and none closes it";

/// The error of a cell in `text`, which starts in `line`.
fn misquoted(label: &str, text: &[u8], wrong: Misquoted, line: u64, open: &str) -> Error {
    let (at, reason) = match wrong {
        Misquoted::Open(at) => (at, open),
        Misquoted::Followed(at) => (at, "something follows the quote that closes a cell"),
    };
    let line = line + lines_in(&text[..at]);
    Error::Misquoted { path: label.into(), line, reason: reason.into() }
}

/// Refuses names that hold rows: a quote in the first line may have taken them.
fn check_names(cells: &[&[u8]], dialect: Dialect, label: &str, line: u64) -> Result<(), Error> {
    let slots: Vec<_> = (0..cells.len()).map(Some).collect();
    let mut line = line;
    for cell in cells {
        if dialect.row_within(cell, &slots).is_some() {
            return Err(rows_in_cell(label, cell, line));
        }
        line += lines_in(cell);
    }
    Ok(())
}

/// The error of a quoted cell that holds rows and starts in `line`.
fn rows_in_cell(label: &str, cell: &[u8], line: u64) -> Error {
    let reason = format!(
        "a quote opens a cell of {} lines that hold what look like rows; close the quote, or remove \
         the column from the file",
        lines_in(cell) + 1
    );
    Error::Misquoted { path: label.into(), line, reason }
}

/// What is said of columns without names, in one sentence however many they are.
fn unnamed_warning(columns: &[usize]) -> Option<nocurl::Text> {
    const SHOWN: usize = 8;
    let names: Vec<String> =
        columns.iter().take(SHOWN).map(|column| format!("x{column}")).collect();
    let words = match columns {
        [] => return None,
        [column] => format!(
            "column {column} has no name and is called `x{column}`; if it only numbers the rows, "
        ),
        _ => {
            let mut list =
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            if columns.len() > SHOWN {
                list = format!("{list} and so on");
            }
            format!(
                "{} columns have no names and are called {list}; if they only number the rows, ",
                columns.len()
            )
        }
    };
    Some(nocurl::Text::new(words).act(nocurl::Action::leave_out(&names)))
}

/// Turns pieces of text into rows of numbers.
struct Parser<'a> {
    label: &'a str,
    dialect: Dialect,
    selection: &'a Selection,
    /// Place of each column of the file in the result, if it is selected.
    slots: Vec<Option<usize>>,
    options: &'a ReadOptions,
}

impl<'a> Parser<'a> {
    fn new(
        label: &'a str,
        dialect: Dialect,
        selection: &'a Selection,
        columns: usize,
        options: &'a ReadOptions,
    ) -> Self {
        let mut slots = vec![None; columns];
        for (slot, &position) in selection.positions.iter().enumerate() {
            slots[position] = Some(slot);
        }
        Self { label, dialect, selection, slots, options }
    }

    /// Parses a piece that ends with a line end.
    fn parse<C: Collect>(&self, text: &[u8]) -> Result<Assembly<C>, Error> {
        let mut part = Assembly::new(self.selection, self.options.missing);
        let mut block = Block::new(self.selection.names.len());
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
            rows += 1;
            let line = part.lines + 1;
            at = self.parse_row(text, start, &mut block, rows, line)?;
            part.lines += if quoted { lines_in(&text[start..at]) } else { 1 };
            block.finish_row(line, &mut part);
        }
        block.flush(&mut part);
        Ok(part)
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
            let slot = self.slots.get(column).copied().flatten();
            let end = match slot.and_then(|slot| Some((slot, self.dialect.number(text, at)?))) {
                Some((slot, (value, end))) => {
                    block.set(slot, value);
                    end
                }
                None => {
                    let end = self.other_cell(text, at, line_start, line)?;
                    if let Some(slot) = slot {
                        block.set(slot, self.slow_value(&text[at..end], slot, row, line)?);
                    }
                    end
                }
            };
            column += 1;
            match line_end(text, end) {
                Some(next) if column == self.slots.len() => return Ok(next),
                Some(_) => return Err(self.ragged(line, column)),
                None => at = self.dialect.after_delimiter(end),
            }
        }
    }

    /// The end of a cell that is not plainly a number, of a record that starts in `line`.
    fn other_cell(&self, text: &[u8], at: usize, start: usize, line: u64) -> Result<usize, Error> {
        let end = self.dialect.cell_end(text, at).map_err(|wrong| {
            misquoted(self.label, &text[start..], wrong.from(start), line, OPEN)
        })?;
        let cell = &text[at..end];
        if cell.starts_with(b"\"") && self.dialect.row_within(cell, &self.slots).is_some() {
            return Err(rows_in_cell(self.label, cell, line + lines_in(&text[start..at])));
        }
        Ok(end)
    }

    /// A cell that is not plainly a number: quoted, missing or wrong.
    fn slow_value(&self, cell: &[u8], slot: usize, row: u64, line: u64) -> Result<f64, Error> {
        let text = unquote(cell);
        if is_missing(&text) {
            return Ok(f64::NAN);
        }
        fast_float2::parse(text.as_ref()).map_err(|_| Error::NotNumeric {
            column: shorten(&self.selection.names[slot], 80),
            row,
            line,
            text: shorten(&String::from_utf8_lossy(&text), 40),
        })
    }

    fn ragged(&self, line: u64, found: usize) -> Error {
        Error::Ragged { path: self.label.into(), line, expected: self.slots.len(), found }
    }
}

fn lines_in(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}
