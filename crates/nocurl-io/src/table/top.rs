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

/// Lines above the names that are passed over.
const MOST_TITLES: usize = 16;

/// What the first lines say.
pub(super) struct Top {
    pub(super) dialect: Dialect,
    /// The sign before the places of a number.
    pub(super) decimal: u8,
    /// What the first rows say about it.
    pub(super) decimals: Decimals,
    pub(super) names: Vec<String>,
    /// The column that names or numbers the rows, which nobody asks for.
    pub(super) row_names: Option<usize>,
    /// Bytes and lines up to the first row.
    pub(super) bytes: usize,
    pub(super) lines: u64,
    /// Whether there was a header.
    pub(super) named: bool,
    /// Lines above the first record that has as many cells as most, if the first has not.
    pub(super) skip: Option<u64>,
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
        let first = Records { at: start, ..rows.clone() };
        let width =
            usual(&rows.clone().take(SAMPLE_LINES).map(|row| row.len()).collect::<Vec<_>>());
        let named = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => is_header(&cells, &absent, &rows, &mut before.notes),
        };
        let mut at = if named { end } else { start };
        let mut rows = Records { at, ..rows };
        let units_may_follow = named && options.header == Header::Auto;
        if units_may_follow && let Some(words) = units(&mut rows, &absent) {
            let line = lines_in(&text[..at]) + 1;
            at = rows.at;
            let words =
                format!("passed over line {line}, which holds units and no values: {words}");
            before.notes.push(words.into());
        }
        let decimals = Decimals::of(rows, dialect);
        // Of several files all are asked, so that each number means the same in all of them.
        let all = options.file.and_then(|part| part.decimals).unwrap_or(&decimals);
        let decimal = options.decimal.unwrap_or_else(|| match dialect.delimiter {
            b',' => b'.',
            _ => all.sign(),
        });
        if options.decimal.is_none() && all.are_open() {
            before.notes.extend(all.example.as_ref().map(open_decimals));
        }
        let mut top = Self {
            dialect,
            decimal,
            decimals,
            names: nocurl::Dataset::default_names(cells.len()),
            row_names: None,
            bytes: at,
            lines: lines_in(&text[..at]),
            named,
            skip: (width > 1 && ![cells.len(), cells.len() + 1].contains(&width))
                .then(|| first.lines_above(width))
                .flatten(),
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
            let filled =
                |cells: &[&[u8]]| cells.iter().filter(|cell| !unquote(cell).is_empty()).count();
            // Cells that are all names follow, maybe below further lines of this kind.
            let names_follow = || {
                let mut at = next;
                for _ in 0..MOST_TITLES {
                    let Ok((cells, next)) =
                        dialect.record(text, dialect.skip_blank_lines(text, at))
                    else {
                        return false;
                    };
                    if cells.len() == usual && cells.iter().all(|cell| is_name(&unquote(cell))) {
                        return true;
                    }
                    if 2 * filled(&cells) > usual || next >= text.len() {
                        return false;
                    }
                    at = next;
                }
                false
            };
            // As spreadsheets write a title or a note: beside empty cells.
            let padded = usual > 2
                && cells.len() == usual
                && (filled(&cells) < 2 || 2 * filled(&cells) < usual)
                && names_follow();
            // Sizes and labels, or notes with a comma: too few cells for names.
            let short = cells.len() + 1 < usual
                && (cells.iter().any(|cell| number(&unquote(cell), b'.').is_some())
                    || names_follow());
            let title = cells.len() == 1 && filled(&cells) == 1 || padded || short;
            if !title || next >= text.len() || titles.len() == MOST_TITLES {
                break;
            }
            self.bytes = next;
            if filled(&cells) == 0 {
                continue;
            }
            let words: Vec<String> = cells
                .iter()
                .map(|cell| String::from_utf8_lossy(&unquote(cell)).into_owned())
                .filter(|words| !words.is_empty())
                .collect();
            titles.push(format!("`{}`", crate::error::shorten(&words.join(", "), 40)));
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
        // Columns that are counted are those of pandas, next to its index.
        if !counts_up(&cells[1..]) {
            notes.push(Text::new(words).act(Action::set("header", "no")));
        }
        return true;
    }
    if counts_up(cells) {
        return counts_columns(cells, absent, rows, notes);
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

/// Whole numbers one after the other from 0 or 1, as pandas and NumPy call columns without names.
pub(super) fn counts_up(cells: &[Vec<u8>]) -> bool {
    let start: u32 = if cells.first().is_some_and(|cell| cell == b"0") { 0 } else { 1 };
    cells.len() > 1
        && cells.iter().zip(start..).all(|(cell, n)| *cell == n.to_string().into_bytes())
}

/// Whether cells that count up are names: values below them are written in another way, or are other
/// numbers. A note says so where the first line may as well be the first row.
fn counts_columns(
    cells: &[Vec<u8>],
    absent: &Absent,
    rows: &Records<'_>,
    notes: &mut Vec<Text>,
) -> bool {
    /// Rows that tell which whole numbers a column has.
    const ENOUGH: usize = 10;
    let below: Vec<_> = rows.clone().take(GLANCE).filter(|row| row.len() == cells.len()).collect();
    let whole = |cell: &[u8]| -> Option<i64> { std::str::from_utf8(cell).ok()?.parse().ok() };
    let filled =
        |column: usize| below.iter().map(move |row| &row[column]).filter(|cell| !absent.has(cell));
    // Columns whose values are no whole numbers.
    let others = (0..cells.len()).filter(|&j| filled(j).any(|cell| whole(cell).is_none())).count();
    if others == cells.len() && others > 2 {
        return true;
    }
    // Whether the number above a column is none of those below it.
    let stands_out = |(j, cell): (usize, &Vec<u8>)| {
        let above = whole(cell);
        let mut values = filled(j).map(|cell| whole(cell));
        values.clone().next().is_some()
            && (values.clone().all(|value| value > above) || values.all(|value| value < above))
    };
    let in_turn = |row: &Vec<Vec<u8>>| {
        let numbers: Vec<_> = row.iter().filter_map(|cell| whole(cell)).collect();
        numbers.len() == row.len() && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
    };
    let named = match others {
        0 => {
            below.len() >= ENOUGH && !in_turn(&below[0]) && cells.iter().enumerate().any(stands_out)
        }
        _ => others == cells.len() || cells.len() > 2,
    };
    let last = String::from_utf8_lossy(&cells[cells.len() - 1]).into_owned();
    let counted = format!("the first line counts the columns (up to {last}) and is taken for");
    notes.push(match named {
        true => Text::new(format!("{counted} names; if it is data, use "))
            .act(Action::set("header", "no")),
        false => Text::new(format!("{counted} data; if it holds names, use "))
            .act(Action::set("header", "yes")),
    });
    named
}

/// Words right below the names, above columns of numbers: units, or a second line of names. The rows
/// then begin behind them.
fn units(rows: &mut Records<'_>, absent: &Absent) -> Option<String> {
    let mut behind = rows.clone();
    let first = behind.next()?;
    let below: Vec<_> = behind.clone().take(GLANCE).collect();
    let numeric = |cell: &Vec<u8>| number(cell, b'.').is_some() || has_decimal_comma(cell);
    let measured = |column: &usize| {
        let mut values =
            below.iter().filter_map(|row| row.get(*column)).filter(|cell| !absent.has(cell));
        values.clone().next().is_some() && values.all(numeric)
    };
    let above: Vec<&Vec<u8>> =
        (0..first.len()).filter(measured).map(|column| &first[column]).collect();
    let words: Vec<_> = above.iter().filter(|cell| !absent.has(cell)).collect();
    // One word above numbers is a cell that is none of them.
    if below.len() < 2
        || words.len() < 2
        || 2 * words.len() < above.len()
        || above.iter().any(|cell| numeric(cell))
    {
        return None;
    }
    *rows = behind;
    let shown = words
        .iter()
        .take(3)
        .map(|word| format!("`{}`", crate::error::shorten(&String::from_utf8_lossy(word), 20)));
    Some(shown.collect::<Vec<_>>().join(", "))
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

/// What cells say about the decimal sign.
#[derive(Debug, Clone, Default)]
pub(super) struct Decimals {
    /// Cells in which a comma is the decimal sign and can be nothing else.
    commas: usize,
    /// Numbers with a decimal point.
    points: usize,
    /// A number whose comma may be the decimal sign or stand between thousands.
    example: Option<String>,
}

impl Decimals {
    /// By the first rows. Commas between cells are no decimal signs.
    fn of(rows: Records<'_>, dialect: Dialect) -> Self {
        let mut found = Self::default();
        if dialect.delimiter == b',' {
            return found;
        }
        for cell in rows.take(GLANCE).flatten() {
            if has_decimal_comma(&cell) {
                found.commas += 1;
            } else if number(&cell, b'.').is_some() {
                found.points += usize::from(cell.contains(&b'.'));
                if found.example.is_none() && cell.iter().filter(|&&byte| byte == b',').count() == 1
                {
                    found.example = Some(String::from_utf8_lossy(&cell).into_owned());
                }
            }
        }
        found
    }

    /// The same with what the rows of another file say.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            commas: self.commas + other.commas,
            points: self.points + other.points,
            example: self.example.or(other.example),
        }
    }

    /// A comma only where it cannot be anything else.
    fn sign(&self) -> u8 {
        if self.commas > self.points { b',' } else { b'.' }
    }

    /// The sign, if there is anything that tells.
    pub(super) fn told(&self) -> Option<u8> {
        (self.commas + self.points > 0).then(|| self.sign())
    }

    /// Whether commas may be either.
    fn are_open(&self) -> bool {
        self.commas == 0 && self.points == 0 && self.example.is_some()
    }
}

/// What is said where commas may be either.
fn open_decimals(example: &String) -> Text {
    let value = number(example.as_bytes(), b'.').unwrap_or(f64::NAN);
    Text::new(format!(
        "commas are read as thousands (`{example}` as {value}); for decimal commas use "
    ))
    .act(Action::set("decimal", ","))
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

impl Records<'_> {
    /// Lines above the first record with this many cells.
    fn lines_above(mut self, width: usize) -> Option<u64> {
        for _ in 0..SAMPLE_LINES {
            let start = self.dialect.skip_blank_lines(self.text, self.at);
            if self.next()?.len() == width {
                return Some(lines_in(&self.text[..start]));
            }
        }
        None
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
