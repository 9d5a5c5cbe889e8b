//! The top of a text file: what stands before the names, the names, and how cells are written.

use nocurl::{Action, Text};

use super::columns::check_count;
use super::dialect::{Dialect, Misquoted, SAMPLE_LINES, line_end, unquote, usual};
use super::kinds::is_asked;
use super::reading::Reading;
use super::words::{Absent, has_decimal_comma, number};
use crate::{Error, Header};

/// Records that are looked at before a file is read.
const GLANCE: usize = 100;

/// What the first lines say.
pub(super) struct Top {
    pub(super) dialect: Dialect,
    /// The sign before the places of a number.
    pub(super) decimal: u8,
    pub(super) names: Vec<String>,
    /// The column that names or numbers the rows, which nobody asks for.
    pub(super) row_names: Option<usize>,
    /// Bytes and lines up to the first row.
    pub(super) bytes: usize,
    pub(super) lines: u64,
    /// Whether there was a header.
    pub(super) named: bool,
    pub(super) notes: Vec<Text>,
}

/// What stands before the table.
struct Before {
    bytes: usize,
    delimiter: Option<u8>,
    notes: Vec<Text>,
}

impl Top {
    /// Looks at the start of a file.
    pub(super) fn new(text: &[u8], label: &str, options: &Reading<'_>) -> Result<Self, Error> {
        let mut before = Before::new(text, options);
        let rest = &text[before.bytes..];
        let delimiter = options.delimiter.or(before.delimiter);
        let dialect =
            delimiter.map_or_else(|| Dialect::detect(rest), |delimiter| Dialect { delimiter });
        if matches!(dialect.delimiter, b'"' | b'\n' | b'\r') {
            return Err(Error::unsupported(label, "a quote or a line end cannot be the delimiter"));
        }
        before.skip_titles(text, dialect);
        let start = dialect.skip_blank_lines(text, before.bytes);
        let line = lines_in(&text[..start]) + 1;
        let (cells, end) = dialect
            .record(text, start)
            .map_err(|wrong| misquoted(label, &text[start..], wrong.from(start), line, OPEN))?;
        check_count(label, cells.len(), options)?;
        check_names(&cells, dialect, label, line)?;
        let cells: Vec<Vec<u8>> =
            cells.into_iter().map(|cell| unquote(cell).into_owned()).collect();
        let absent = Absent::new(&options.na);
        let rows = Records { text, dialect, comment: options.comment, at: end };
        let width =
            usual(&rows.clone().take(SAMPLE_LINES).map(|row| row.len()).collect::<Vec<_>>());
        let named = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => is_header(&cells, &absent, &rows, &mut before.notes),
        };
        let at = if named { end } else { start };
        let rows = Records { at, ..rows };
        let decimal = options.decimal.unwrap_or_else(|| decimal(rows, dialect));
        let mut top = Self {
            dialect,
            decimal,
            names: nocurl::Dataset::default_names(cells.len()),
            row_names: None,
            bytes: at,
            lines: lines_in(&text[..at]),
            named,
            notes: before.notes,
        };
        if named {
            let rows = Records { text, dialect, comment: options.comment, at };
            let blank = |column: usize| {
                rows.clone().take(GLANCE).all(|row| row.get(column).is_none_or(Vec::is_empty))
            };
            top.take_names(cells, width, label, options, blank)?;
        }
        Ok(top)
    }

    fn take_names(
        &mut self,
        cells: Vec<Vec<u8>>,
        width: usize,
        label: &str,
        options: &Reading<'_>,
        blank: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let mut names = Vec::with_capacity(cells.len() + 1);
        // R leaves out the name above the names of rows.
        let shorter = width == cells.len() + 1;
        if shorter {
            names.push(String::new());
        }
        for cell in cells {
            let column = names.len() + 1;
            names.push(String::from_utf8(cell).map_err(|_| {
                let reason = format!("the name of column {column} is not UTF-8");
                Error::invalid(label, "CSV", reason)
            })?);
        }
        let first = names.first().cloned().unwrap_or_default();
        let row_names = (first.is_empty() || is_row_names(&first)) && names.len() > 2;
        let mut unnamed = Vec::new();
        for (column, name) in names.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            if column == 0 && row_names {
                *name = "rownames".into();
            } else {
                *name = format!("x{}", column + 1);
                // Where rows end in a delimiter, there is nothing to name.
                if !blank(column) {
                    unnamed.push(column + 1);
                }
            }
        }
        self.notes.extend(unnamed_warning(&unnamed));
        if row_names && names[1..].contains(&names[0]) {
            names[0] = "x1".into();
        }
        if row_names && !is_asked(&names[0], options) {
            self.row_names = Some(0);
        }
        self.names = names;
        Ok(())
    }
}

/// Names that R and pandas give to the column of row names.
fn is_row_names(name: &str) -> bool {
    ["unnamed: 0", "rownames", "row.names", "row_names"].contains(&name.to_lowercase().as_str())
}

impl Before {
    /// Lines to skip, comments, and the line in which Excel is told the delimiter.
    fn new(text: &[u8], options: &Reading<'_>) -> Self {
        let mut before = Self { bytes: 0, delimiter: None, notes: Vec::new() };
        for _ in 0..options.skip_rows {
            before.bytes = next_line(text, before.bytes);
        }
        loop {
            let line = line(text, before.bytes).trim_ascii();
            let next = next_line(text, before.bytes);
            if let Some(&[delimiter]) = line.strip_prefix(b"sep=")
                && before.delimiter.is_none()
            {
                before.delimiter = Some(delimiter);
            } else if !is_comment(line, options.comment)
                || (options.comment.is_none() && before.is_names(text, next))
            {
                return before;
            }
            if next == before.bytes {
                return before;
            }
            before.bytes = next;
        }
    }

    /// Whether a line that begins like a comment holds the names of the table below.
    fn is_names(&self, text: &[u8], next: usize) -> bool {
        let below = line(text, next);
        if is_comment(below.trim_ascii(), None) {
            return false;
        }
        let dialect = Dialect::detect(&text[self.bytes..]);
        let cells = dialect.count(text, self.bytes).0;
        cells > 1 && cells == dialect.count(text, next).0
    }

    /// Lines above the names that have one cell, where those below have several.
    fn skip_titles(&mut self, text: &[u8], dialect: Dialect) {
        let usual = usual(&dialect.widths(&text[self.bytes..]));
        if usual < 2 {
            return;
        }
        let mut titles = Vec::new();
        loop {
            let start = dialect.skip_blank_lines(text, self.bytes);
            let Ok((cells, next)) = dialect.record(text, start) else { break };
            let filled = cells.iter().filter(|cell| !unquote(cell).is_empty()).count();
            let below = || dialect.record(text, dialect.skip_blank_lines(text, next));
            // As spreadsheets write a title: above cells that are all names.
            let wide = usual > 2
                && cells.len() == usual
                && below().is_ok_and(|(cells, _)| cells.iter().all(|cell| is_name(&unquote(cell))));
            // Sizes and labels of what follows: too few cells for names, and some are numbers.
            let sizes = cells.len() + 1 < usual
                && cells.iter().any(|cell| number(&unquote(cell), b'.').is_some());
            let title = filled == 1 && (cells.len() == 1 || wide) || sizes;
            if !title || next >= text.len() || titles.len() == 8 {
                break;
            }
            let words = String::from_utf8_lossy(&unquote(line(text, start))).into_owned();
            let words =
                words.trim_matches(|c: char| c == char::from(dialect.delimiter) || c == '"');
            titles.push(format!("`{}`", crate::error::shorten(words, 40)));
            self.bytes = next;
        }
        if !titles.is_empty() {
            let lines = if titles.len() == 1 { "a line" } else { "lines" };
            let words = format!("passed over {lines} above the names: {}", titles.join(", "));
            self.notes.push(words.into());
        }
    }
}

/// Why a quote that is not closed is an error.
pub(super) const OPEN: &str = "a quote opens a cell and none closes it";

/// The error of a cell in `text`, which starts in `line`.
pub(super) fn misquoted(
    label: &str,
    text: &[u8],
    wrong: Misquoted,
    line: u64,
    open: &str,
) -> Error {
    let (at, reason) = match wrong {
        Misquoted::Open(at) => (at, open),
        Misquoted::Followed(at) => (at, "something follows the quote that closes a cell"),
    };
    let line = line + lines_in(&text[..at]);
    Error::Misquoted { path: label.into(), line, reason: reason.into() }
}

/// Refuses names that hold rows: a quote in the first line may have taken them.
fn check_names(cells: &[&[u8]], dialect: Dialect, label: &str, line: u64) -> Result<(), Error> {
    let slots = vec![true; cells.len()];
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
pub(super) fn rows_in_cell(label: &str, cell: &[u8], line: u64) -> Error {
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

fn is_name(cell: &[u8]) -> bool {
    !cell.is_empty() && number(cell, b'.').is_none()
}

fn is_comment(line: &[u8], comment: Option<u8>) -> bool {
    line.first() == Some(&comment.unwrap_or(b'#'))
}

/// Whether the first line holds names.
fn is_header(
    cells: &[Vec<u8>],
    absent: &Absent,
    rows: &Records<'_>,
    notes: &mut Vec<Text>,
) -> bool {
    let numeric = |cell: &Vec<u8>| number(cell, b'.').is_some() || has_decimal_comma(cell);
    if !cells.iter().any(numeric) || !cells.iter().all(|cell| numeric(cell) || absent.has(cell)) {
        return true;
    }
    if has_corner(cells, absent, rows) {
        let words = "the first line has nothing in its first cell and is taken for names; if it is \
                     data, use ";
        notes.push(Text::new(words).act(Action::set("header", "no")));
        return true;
    }
    if !are_years(cells) || rows.clone().next().is_none_or(|row| are_years(&row)) {
        return false;
    }
    let words = "the first line looks like years and is taken for names; if it is data, use ";
    notes.push(Text::new(words).act(Action::set("header", "no")));
    true
}

/// Whether the first cell is empty above cells that are not, as over names or numbers of rows.
fn has_corner(cells: &[Vec<u8>], absent: &Absent, rows: &Records<'_>) -> bool {
    let filled = |row: Vec<Vec<u8>>| row.first().is_some_and(|cell| !absent.has(cell));
    let mut below = rows.clone().take(GLANCE).peekable();
    cells.len() > 2
        && cells[0].is_empty()
        && cells[1..].iter().all(|cell| !absent.has(cell))
        && below.peek().is_some()
        && below.all(filled)
}

/// Whole numbers that rise, as years above columns do.
fn are_years(cells: &[Vec<u8>]) -> bool {
    let year = |cell: &Vec<u8>| std::str::from_utf8(cell).ok()?.parse::<u32>().ok();
    let years: Vec<u32> = cells.iter().filter_map(year).collect();
    years.len() == cells.len()
        && years.len() > 1
        && years.iter().all(|year| (1500..=2200).contains(year))
        && years.windows(2).all(|pair| pair[0] < pair[1])
}

/// The decimal sign, by the first rows: a comma only where it cannot be anything else.
fn decimal(rows: Records<'_>, dialect: Dialect) -> u8 {
    if dialect.delimiter == b',' {
        return b'.';
    }
    let (mut commas, mut points) = (0, 0);
    for cell in rows.take(GLANCE).flatten() {
        if has_decimal_comma(&cell) {
            commas += 1;
        } else if cell.contains(&b'.') && number(&cell, b'.').is_some() {
            points += 1;
        }
    }
    if commas > points { b',' } else { b'.' }
}

/// The records of a text from a place on.
#[derive(Clone)]
pub(super) struct Records<'a> {
    pub(super) text: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) comment: Option<u8>,
    pub(super) at: usize,
}

impl Iterator for Records<'_> {
    type Item = Vec<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.at = self.dialect.skip_blank_lines(self.text, self.at);
            if self.at >= self.text.len() {
                return None;
            }
            if self.comment.is_some_and(|comment| self.text[self.at] == comment) {
                self.at = next_line(self.text, self.at);
                continue;
            }
            // What is wrong with quotes is found when the cells are read.
            let (cells, next) = self.dialect.record(self.text, self.at).ok()?;
            // A record at the end of the text may have been cut off.
            if next >= self.text.len() && self.text.last() != Some(&b'\n') {
                self.at = next;
                return None;
            }
            self.at = next;
            return Some(cells.into_iter().map(|cell| unquote(cell).into_owned()).collect());
        }
    }
}

/// Whether the first rows have a selected cell that is neither a number nor missing. What is found
/// later is found by reading.
pub(super) fn has_text(text: &[u8], top: &Top, options: &Reading<'_>) -> bool {
    let absent = Absent::new(&options.na);
    let rows = Records { text, dialect: top.dialect, comment: options.comment, at: top.bytes };
    let is_text = |cell: &Vec<u8>| !absent.has(cell) && number(cell, top.decimal).is_none();
    rows.take(GLANCE).any(|row| row.iter().any(is_text))
}

/// The line at a place, without its end.
fn line(text: &[u8], at: usize) -> &[u8] {
    let end = text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |n| at + n);
    &text[at..end]
}

/// Where the line after that at a place begins.
pub(super) fn next_line(text: &[u8], at: usize) -> usize {
    let end = at + line(text, at).len();
    line_end(text, end).unwrap_or(end)
}

pub(super) fn lines_in(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}
