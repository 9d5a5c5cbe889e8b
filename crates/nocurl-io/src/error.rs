//! What can go wrong with files, in words for the person at the keyboard.

use std::slice;

use nocurl::advice::plain_character;
use nocurl::{Action, Text, Value};

use crate::table::MOST_COLUMNS;

pub use nocurl::advice::plain;

/// An error of reading or writing: nothing usable was read, nothing was written.
///
/// Each message fits on one line and says what is wrong, where, and what to do about it. Rows are
/// counted from 1 without the header; lines are counted from 1 with it. Front ends write
/// [`Error::text`] in their own spelling; `Display` is for readers of Rust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the engine: too few rows or columns, work cancelled and so on.
    #[error(transparent)]
    Engine(#[from] nocurl::Error),
    /// Work that was stopped and has left something.
    #[error("interrupted: {left}")]
    Stopped {
        /// What is left, and how to go on.
        left: Text,
    },
    /// A training that broke down and has left something.
    #[error("{reason}; {left}")]
    Diverged {
        /// Why.
        reason: Box<nocurl::Error>,
        /// What is left.
        left: String,
    },
    /// Rows where estimates from incomplete rows give moments alone.
    #[error("{}", no_rows_estimated(path))]
    NoRowsEstimated {
        /// The table.
        path: String,
    },
    /// The operating system refused.
    #[error("cannot {action} {path}: {reason}")]
    Io {
        /// What was tried: `read` or `write`.
        action: &'static str,
        /// The file, quoted, or standard input.
        path: String,
        /// Why it failed.
        reason: String,
    },
    /// A file that was written to, or replaced, between its first byte and its last.
    #[error("{path} changed while it was read; try again when nothing writes to it")]
    Changed {
        /// The file.
        path: String,
    },
    /// An output that the run reads.
    #[error("{what} {path} is also {input}, which is read: choose another name for it")]
    OutputIsInput {
        /// What would be written, as in `the graph`.
        what: &'static str,
        /// Where, quoted.
        path: String,
        /// What is read from there, as in `the table`.
        input: &'static str,
    },
    /// Two outputs in one place.
    #[error("{what} {path} and {other} {other_path} are one file: choose another name for one")]
    OneOutputTwice {
        /// The first.
        what: &'static str,
        /// Where, quoted.
        path: String,
        /// The second.
        other: &'static str,
        /// Where, quoted.
        other_path: String,
    },
    /// A folder to be filled that has something else in it.
    #[error("{path} has files of another kind in it, such as `{found}`: choose another folder")]
    ForeignFolder {
        /// The folder, quoted.
        path: String,
        /// One of its files.
        found: String,
    },
    /// A file or a folder that another process is writing.
    #[error("{path} is in use by {holder}: wait for it to end, or choose another name")]
    InUse {
        /// The file or folder, quoted.
        path: String,
        /// Who writes it.
        holder: String,
    },
    /// A file without a single byte, or without anything but blank lines.
    #[error("{path} is empty")]
    Empty {
        /// The file.
        path: String,
    },
    /// Names but no rows.
    #[error("{path} has a header but no rows of data")]
    HeaderOnly {
        /// The file.
        path: String,
    },
    /// A row with another number of cells than the first one.
    #[error("{}", ragged(path, *line, *expected, *found, *skip))]
    Ragged {
        /// The file.
        path: String,
        /// Line in the file.
        line: u64,
        /// Cells of the first line.
        expected: usize,
        /// Cells of this line.
        found: usize,
        /// Lines above the first one that has as many cells as most, where the first has not.
        skip: Option<u64>,
    },
    /// A quote that is not where it belongs.
    #[error("{path}, line {line}: {reason}")]
    Misquoted {
        /// The file.
        path: String,
        /// Line in which the cell starts.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// A cell that is neither a number nor a missing value.
    #[error("{}", not_numeric(column, *row, *line, text))]
    NotNumeric {
        /// Name of the column.
        column: String,
        /// Row of the data.
        row: u64,
        /// Line in the file.
        line: u64,
        /// The text of the cell, shortened.
        text: String,
    },
    /// A cell of a part that is none of the levels that all parts together have.
    #[error(
        "column `{column}` has the level `{level}`, which is none of its levels; look at all parts \
         together for them"
    )]
    UnknownLevel {
        /// Name of the column.
        column: String,
        /// The cell, shortened.
        level: String,
    },
    /// A column for the names of files that the files have already.
    #[error("{}", file_column_taken(name))]
    FileColumnTaken {
        /// Its name.
        name: String,
    },
    /// A table that lacks a column of a model.
    #[error(
        "{path} has no column `{column}`, which the graph needs (columns: {})",
        .columns.join(", ")
    )]
    LacksColumn {
        /// The table.
        path: String,
        /// The column.
        column: String,
        /// The columns that it has.
        columns: Vec<String>,
    },
    /// A level that was not in the table that a model was learnt from.
    #[error("{}", new_level(column, *row, level, levels))]
    NewLevel {
        /// The column.
        column: String,
        /// The row, counted from 1 without the header.
        row: u64,
        /// The level.
        level: String,
        /// The levels that are known.
        levels: Vec<String>,
    },
    /// Parts of a table, of which there are none.
    #[error("there is no part: give at least one")]
    NoParts,
    /// A weight that is no weight.
    #[error("column `{column}` has the weight {value}; weights are numbers from 0 on")]
    Weight {
        /// Name of the column.
        column: String,
        /// The first such weight.
        value: f64,
    },
    /// A column that is not the same in all parts of a table.
    #[error("column `{column}` is {one} in one part and {other} in another; make them alike")]
    PartsDiffer {
        /// Name of the column.
        column: String,
        /// What it is in one.
        one: String,
        /// What it is in the other.
        other: String,
    },
    /// Columns whose kinds must be found out before they are read. It does not leave this crate.
    #[doc(hidden)]
    #[error("the kinds of the columns are not known")]
    KindsNeeded,
    /// Columns about which somebody has to decide.
    #[error("{}", unclear(columns))]
    Unclear {
        /// What is unclear of each, and what to do.
        columns: Vec<Text>,
    },
    /// A column that is said to be of two kinds.
    #[error("column `{name}` is said to be {one} and {other}; choose one")]
    TwoKinds {
        /// Its name.
        name: String,
        /// A kind.
        one: &'static str,
        /// Another.
        other: &'static str,
    },
    /// Fewer than two columns after some were left out.
    #[error("{}", few_left(*columns, left))]
    FewLeft {
        /// Those that are left.
        columns: usize,
        /// What was left out.
        left: Text,
    },
    /// Fewer than two rows after those with gaps were left out.
    #[error("{}", few_complete(*rows, *dropped))]
    FewComplete {
        /// Those that are left.
        rows: u64,
        /// Those with gaps.
        dropped: u64,
    },
    /// More rows with gaps in the parts of a table than are left out unasked.
    #[error("{}", many_gaps(*dropped, *rows))]
    ManyGaps {
        /// Rows with gaps.
        dropped: u64,
        /// Rows in all.
        rows: u64,
    },
    /// Missing values where none are allowed.
    #[error("{}", missing_values(column, *row, line, *count, others, *complete))]
    MissingValues {
        /// Column of the first missing value.
        column: String,
        /// Row of the first missing value.
        row: u64,
        /// Line of the first missing value, for text files.
        line: Option<u64>,
        /// Number of missing values in the selected columns.
        count: u64,
        /// The other columns with gaps, and how many they have.
        others: Vec<(String, u64)>,
        /// Rows without gaps, and rows in all.
        complete: (u64, u64),
    },
    /// An infinite value, which no policy for missing values covers.
    #[error("{}", infinite(column, *row, line, *count, others, words))]
    Infinite {
        /// Name of the column.
        column: String,
        /// Row of the data.
        row: u64,
        /// Line in the file, for text files.
        line: Option<u64>,
        /// Number of infinite values in the selected columns.
        count: u64,
        /// The other columns with some, and how many they have.
        others: Vec<(String, u64)>,
        /// The words for them.
        words: Vec<String>,
    },
    /// Two things that are wrong with a table.
    #[error("{first}; besides, {other}")]
    Besides {
        /// The first, which says where it is.
        first: Box<Error>,
        /// The second.
        other: Box<Error>,
    },
    /// Values without a logarithm where it is asked for.
    #[error("{}", no_logarithm(columns))]
    NoLogarithm {
        /// Each column, how many such values it has, and the least.
        columns: Vec<(String, u64, f64)>,
    },
    /// A transformation of a column that has levels.
    #[error("column `{name}` is {kind}: {scale} is for numbers on a scale")]
    NotOnAScale {
        /// The transformation.
        scale: &'static str,
        /// The column.
        name: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A column without a single value.
    #[error("{}", no_values(column))]
    NoValues {
        /// Name of the column.
        column: String,
    },
    /// A sheet, an array or a file in an archive that is not there.
    #[error("{path} has no {what} `{name}`; there are {there}")]
    NoSuchPart {
        /// The file.
        path: String,
        /// What was looked for.
        what: &'static str,
        /// The name as given.
        name: String,
        /// Those that are there.
        there: String,
    },
    /// Several tables where one is expected.
    #[error("{}", several_parts(path, what, parts, first))]
    SeveralParts {
        /// The file.
        path: String,
        /// What they are.
        what: &'static str,
        /// Their names.
        parts: String,
        /// The first of them.
        first: String,
    },
    /// A file with other columns than the files before it.
    #[error("{}", other_columns(path, first, lacks, adds))]
    OtherColumns {
        /// The file.
        path: String,
        /// The first file.
        first: String,
        /// Columns of the first file that it does not have.
        lacks: Vec<String>,
        /// Columns that the first file does not have.
        adds: Vec<String>,
    },
    /// A column that is of another type than in the files before.
    #[error(
        "{path}: column `{column}` holds {here}, but {before} in the files before; write it as \
         the same type in all files"
    )]
    OtherTypes {
        /// The file.
        path: String,
        /// The column.
        column: String,
        /// What it holds here.
        here: &'static str,
        /// What it held before.
        before: &'static str,
    },
    /// What is wrong in one of several files.
    #[error("{path}: {error}")]
    InFile {
        /// The file.
        path: String,
        /// What is wrong.
        error: Box<Error>,
    },
    /// Two columns of the same name.
    #[error("columns {first} and {second} are both called `{name}`; names must be unique")]
    DuplicateName {
        /// The name.
        name: String,
        /// Position of the first one, counted from 1.
        first: usize,
        /// Position of the second one, counted from 1.
        second: usize,
    },
    /// A column that was asked for but is not there.
    #[error("there is no column `{name}`{}", suggest(.suggestion))]
    UnknownColumn {
        /// The name as given.
        name: String,
        /// The closest name in the file, if any is close.
        suggestion: Option<String>,
    },
    /// More columns than [`crate::ReadOptions::max_columns`].
    #[error("{}", too_many_columns(path, *columns, *limit))]
    TooManyColumns {
        /// The file.
        path: String,
        /// Columns selected.
        columns: usize,
        /// The limit.
        limit: usize,
    },
    /// A part of a table whose moments, and those of tables drawn from it, do not fit in memory.
    #[error(
        "{columns} columns take {mebibytes} MiB, {available} MiB are there: at most {most} columns \
         fit; choose fewer, or draw fewer tables at a time"
    )]
    PartTooWide {
        /// Columns selected.
        columns: usize,
        /// What they take.
        mebibytes: u64,
        /// What there is.
        available: u64,
        /// Columns that fit.
        most: usize,
    },
    /// More rows than there is room for, see [`crate::Room`].
    #[error("{rows} rows of {columns} columns do not fit in memory, {limit} do; take fewer")]
    TooManyRows {
        /// Rows read so far, or in all where that is known.
        rows: u64,
        /// Columns selected.
        columns: usize,
        /// Rows that fit.
        limit: u64,
    },
    /// A file that breaks the rules of its format.
    #[error("{path} is not a valid {format} file: {reason}")]
    Invalid {
        /// The file.
        path: String,
        /// Name of the format.
        format: &'static str,
        /// Which rule.
        reason: String,
    },
    /// A graph whose directed edges go round in a circle.
    #[error("{path} has a cycle: {}", round(.names))]
    Cycle {
        /// The file.
        path: String,
        /// The variables on the cycle, in order.
        names: Vec<String>,
    },
    /// Something this program does not do.
    #[error("{path}: {reason}")]
    Unsupported {
        /// The file.
        path: String,
        /// What, and what to do instead.
        reason: String,
    },
}

impl Error {
    /// The message: what is wrong, where, and what to do.
    pub fn text(&self) -> Text {
        match self {
            Self::Engine(error) => error.text(),
            Self::Stopped { left } => Text::new("interrupted: ").append(left.clone()),
            Self::Diverged { reason, left } => reason.text().say(format!("; {left}")),
            Self::NoRowsEstimated { path } => no_rows_estimated(path),
            Self::NotNumeric { column, row, line, text } => not_numeric(column, *row, *line, text),
            Self::NewLevel { column, row, level, levels } => new_level(column, *row, level, levels),
            Self::Unclear { columns } => unclear(columns),
            Self::FewLeft { columns, left } => few_left(*columns, left),
            Self::FewComplete { rows, dropped } => few_complete(*rows, *dropped),
            Self::ManyGaps { dropped, rows } => many_gaps(*dropped, *rows),
            Self::Ragged { path, line, expected, found, skip } => {
                ragged(path, *line, *expected, *found, *skip)
            }
            Self::MissingValues { column, row, line, count, others, complete } => {
                missing_values(column, *row, line, *count, others, *complete)
            }
            Self::Infinite { column, row, line, count, others, words } => {
                infinite(column, *row, line, *count, others, words)
            }
            Self::Besides { first, other } => first.text().say("; besides, ").append(other.text()),
            Self::SeveralParts { path, what, parts, first } => {
                several_parts(path, what, parts, first)
            }
            Self::OtherColumns { path, first, lacks, adds } => {
                other_columns(path, first, lacks, adds)
            }
            Self::InFile { path, error } => Text::new(format!("{path}: ")).append(error.text()),
            Self::FileColumnTaken { name } => file_column_taken(name),
            Self::NoLogarithm { columns } => no_logarithm(columns),
            Self::NoValues { column } => no_values(column),
            Self::TooManyColumns { path, columns, limit } => {
                too_many_columns(path, *columns, *limit)
            }
            // The others are words alone.
            other => Text::new(other.to_string()),
        }
    }

    /// A broken file; foreign messages are put on one line and shortened.
    pub(crate) fn invalid(
        path: &str,
        format: &'static str,
        reason: impl std::fmt::Display,
    ) -> Self {
        Self::Invalid { path: path.into(), format, reason: shorten(&reason.to_string(), 200) }
    }

    /// What a decoder says of a file: it is broken, unless memory was refused, which is no fault of
    /// the file.
    pub(crate) fn decoding(
        path: &str,
        format: &'static str,
        error: &(dyn std::error::Error + 'static),
    ) -> Self {
        let mut causes = std::iter::successors(Some(error), |cause| cause.source());
        let refused = causes.find_map(|cause| out_of_memory(cause.downcast_ref()?));
        refused.map_or_else(|| Self::invalid(path, format, error), Self::Engine)
    }

    pub(crate) fn unsupported(path: &str, reason: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), reason: reason.into() }
    }

    /// The error with another beside it.
    pub(crate) fn besides(self, other: Option<Self>) -> Self {
        match other {
            Some(other) => Self::Besides { first: Box::new(self), other: Box::new(other) },
            None => self,
        }
    }

    /// The error of a piece of a file, placed after the rows and lines before it.
    pub(crate) fn shifted(mut self, rows: u64, lines: u64) -> Self {
        match &mut self {
            Self::NotNumeric { row, line, .. } => {
                *row += rows;
                *line += lines;
            }
            Self::Ragged { line, .. } | Self::Misquoted { line, .. } => *line += lines,
            _ => {}
        }
        self
    }

    /// The error with lines counted from so many further up.
    pub(crate) fn raised(self, lines: u64) -> Self {
        self.lowered(0, lines)
    }

    /// The error with rows and lines counted from these on.
    pub(crate) fn lowered(mut self, rows: u64, lines: u64) -> Self {
        if let Self::Besides { first, other } = self {
            let (first, other) = (first.lowered(rows, lines), other.lowered(rows, lines));
            return first.besides(Some(other));
        }
        match &mut self {
            Self::NotNumeric { row, line, .. } => {
                *row = row.saturating_sub(rows);
                *line = line.saturating_sub(lines);
            }
            Self::MissingValues { row, line, .. } | Self::Infinite { row, line, .. } => {
                *row = row.saturating_sub(rows);
                line.iter_mut().for_each(|line| *line = line.saturating_sub(lines));
            }
            Self::Ragged { line, .. } | Self::Misquoted { line, .. } => {
                *line = line.saturating_sub(lines);
            }
            _ => {}
        }
        self
    }

    /// The row of the table in which something is wrong, where the error is of a whole table.
    pub(crate) fn row(&self) -> Option<u64> {
        match self {
            Self::MissingValues { row, .. } | Self::Infinite { row, .. } => Some(*row),
            Self::Besides { first, .. } => first.row(),
            _ => None,
        }
    }

    /// False for errors that are of one file and do not say of which.
    pub(crate) fn names_file(&self) -> bool {
        !matches!(
            self,
            Self::NotNumeric { .. } | Self::UnknownColumn { .. } | Self::DuplicateName { .. }
        )
    }

    pub(crate) fn read(path: &str, error: &std::io::Error) -> Self {
        if let Some(error) = out_of_memory(error) {
            return error.into();
        }
        Self::Io { action: "read", path: path.into(), reason: shorten(&error.to_string(), 200) }
    }
}

/// Memory that was refused while something was read.
fn out_of_memory(error: &std::io::Error) -> Option<nocurl::Error> {
    let known = error.get_ref().and_then(|inner| inner.downcast_ref::<nocurl::Error>());
    let of_kind = || {
        let refused = nocurl::Error::OutOfMemory { stage: "reading", mebibytes: 1 };
        (error.kind() == std::io::ErrorKind::OutOfMemory).then_some(refused)
    };
    known.cloned().or_else(of_kind)
}

/// Text on one line of at most `limit` characters.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let mut clean = text.chars().map(plain_character);
    let mut short: String = clean.by_ref().take(limit).collect();
    if clean.next().is_some() {
        short.push('…');
    }
    short
}

fn no_rows_estimated(path: &str) -> Text {
    Text::new(format!("{path}: "))
        .act(Action::set("missing", "em"))
        .say(" estimates moments, but this method needs the rows; use ")
        .act(Action::set("missing", "drop"))
}

fn not_numeric(column: &String, row: u64, line: u64, text: &str) -> Text {
    Text::new(format!("column `{column}`, row {row} (line {line}) is not a number: `{text}`; "))
        .act(Action::leave_out(slice::from_ref(column)))
}

fn new_level(column: &str, row: u64, level: &str, levels: &[String]) -> Text {
    const SHOWN: usize = 12;
    let mut known: Vec<&str> = levels.iter().take(SHOWN).map(String::as_str).collect();
    if levels.len() > SHOWN {
        known.push("...");
    }
    Text::new(format!(
        "row {row}, `{column}`: level `{level}` was not in the data that the graph was learnt from \
         ({}); to treat it as missing, use ",
        known.join(", ")
    ))
    .act(Action::set("unknown_level", "missing"))
}

fn unclear(columns: &[Text]) -> Text {
    const SHOWN: usize = 3;
    let start = match columns.len() {
        1 => Text::default(),
        many => Text::new(format!("{many} columns need a decision: ")),
    };
    let mut shown = columns.iter().take(SHOWN).cloned();
    let first = shown.next().unwrap_or_default();
    let text = shown.fold(start.append(first), |text, column| text.say("; ").append(column));
    match columns.len().saturating_sub(SHOWN) {
        0 => text,
        1 => text.say("; and 1 other"),
        others => text.say(format!("; and {others} others")),
    }
}

fn ragged(path: &str, line: u64, expected: usize, found: usize, skip: Option<u64>) -> Text {
    let text =
        Text::new(format!("{path}, line {line}: {found} cells where {expected} are expected"));
    match skip {
        None => text,
        Some(skip) => text
            .say("; if the lines above the names are notes, use ")
            .act(Action::set("skip_rows", skip)),
    }
}

fn many_gaps(dropped: u64, rows: u64) -> Text {
    Text::new(format!("{dropped} of {rows} rows have missing values; "))
        .act(Action::set("missing", "drop"))
        .say(format!(" keeps the other {}", rows - dropped))
}

fn few_left(columns: usize, left: &Text) -> Text {
    let are = if columns == 1 { "column is" } else { "columns are" };
    Text::new(format!("{columns} {are} left, and at least 2 are needed to learn a graph: "))
        .append(left.clone())
}

fn few_complete(rows: u64, dropped: u64) -> Text {
    let are = if rows == 1 { "row has" } else { "rows have" };
    Text::new(format!(
        "{rows} {are} no gap, and at least 2 are needed; {dropped} were left out: estimate what is \
         missing with "
    ))
    .act(Action::set("missing", "em"))
    .say(", or leave out the columns with most gaps")
}

fn no_logarithm(columns: &[(String, u64, f64)]) -> Text {
    const SHOWN: usize = 8;
    let mut list: Vec<String> = columns
        .iter()
        .take(SHOWN)
        .map(|(name, count, least)| format!("`{}` has {count} (least {least})", shorten(name, 80)))
        .collect();
    if columns.len() > SHOWN {
        list.push(format!("and {} columns more", columns.len() - SHOWN));
    }
    let names: Vec<String> = columns.iter().map(|(name, ..)| name.clone()).collect();
    Text::new(format!("values that are not positive have no logarithm: {}; add ", list.join(", ")))
        .act(Action::transform("rank", &names))
        .say(" for normal scores of these columns, or none in place of rank to leave them as they are")
}

fn missing_values(
    column: &str,
    row: u64,
    line: &Option<u64>,
    count: u64,
    others: &[(String, u64)],
    (complete, rows): (u64, u64),
) -> Text {
    let are = if count == 1 { "value is" } else { "values are" };
    let words = format!(
        "column `{column}` has no value in row {row}{}, and {count} {are} missing in all{}",
        line_of(line),
        also(others)
    );
    let those = if count == 1 { "this value".into() } else { format!("these {count} values") };
    let text = Text::new(format!("{words}; "))
        .act(Action::set("missing", "drop"))
        .say(format!(" keeps {complete} of {rows} rows, "))
        .act(Action::set("missing", "em"))
        .say(format!(" estimates {those}"));
    let all: u64 = others.iter().map(|(_, gaps)| gaps).sum();
    let first = (column.to_string(), count.saturating_sub(all));
    let hollow = others.iter().chain([&first]).filter(|(_, gaps)| 2 * gaps > rows);
    let hollow: Vec<String> = hollow.map(|(name, _)| name.clone()).collect();
    match hollow.is_empty() || hollow.len() > HOLLOW {
        true => text,
        false => {
            text.say("; before that, as most of it is missing, ").act(Action::leave_out(&hollow))
        }
    }
}

/// Columns of which most is missing that are named at most.
const HOLLOW: usize = 4;

/// The columns beside the first that have some of what is wrong.
fn also(others: &[(String, u64)]) -> String {
    const SHOWN: usize = 8;
    if others.is_empty() {
        return String::new();
    }
    let mut list: Vec<String> =
        others.iter().take(SHOWN).map(|(name, count)| format!("`{name}` {count}")).collect();
    if others.len() > SHOWN {
        let more = others.len() - SHOWN;
        list.push(format!("and {more} {} more", if more == 1 { "column" } else { "columns" }));
    }
    format!(" (also {})", list.join(", "))
}

fn infinite(
    column: &String,
    row: u64,
    line: &Option<u64>,
    count: u64,
    others: &[(String, u64)],
    words: &[String],
) -> Text {
    let are = if count == 1 { "value is" } else { "values are" };
    let names = [column].into_iter().chain(others.iter().map(|(name, _)| name));
    let names: Vec<String> = names.cloned().collect();
    let words = Value::List(words.iter().cloned().map(Value::Text).collect());
    Text::new(format!(
        "column `{column}` is infinite in row {row}{}, and {count} {are} infinite in all{}; use ",
        line_of(line),
        also(others)
    ))
    .act(Action::set("na", words))
    .say(" and ")
    .act(Action::set("missing", "drop"))
    .say(" if they stand for missing values, correct them, or ")
    .act(Action::leave_out(&names))
}

fn several_parts(path: &str, what: &str, parts: &str, first: &str) -> Text {
    Text::new(format!("{path} holds several {what}: {parts}; choose one, as in "))
        .act(Action::set("sheet", first))
}

fn file_column_taken(name: &str) -> Text {
    Text::new(format!("the files have a column `{name}` of their own: choose another name, as in "))
        .act(Action::set("file_column", format!("file_{name}")))
}

fn other_columns(path: &str, first: &str, lacks: &[String], adds: &[String]) -> Text {
    const SHOWN: usize = 8;
    let list = |names: &[String]| {
        let mut shown: Vec<String> =
            names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
        if names.len() > SHOWN {
            shown.push(format!("and {} more", names.len() - SHOWN));
        }
        shown.join(", ")
    };
    let differs = match (lacks, adds) {
        (lacks, []) => format!("it lacks {}", list(lacks)),
        ([], adds) => format!("it adds {}", list(adds)),
        (lacks, adds) => format!("it lacks {} and adds {}", list(lacks), list(adds)),
    };
    Text::new(format!("{path} has other columns than {first}: {differs}; "))
        .act(Action::FewerColumns)
        .say(" that all files have, or read it by itself")
}

fn no_values(column: &String) -> Text {
    Text::new(format!("column `{column}` has no values at all; "))
        .act(Action::leave_out(slice::from_ref(column)))
}

fn too_many_columns(path: &str, columns: usize, limit: usize) -> Text {
    // Text is not gone through to count so many.
    Text::new(match columns > MOST_COLUMNS {
        true => format!("{path} has more than {MOST_COLUMNS} columns, and {limit} are read; "),
        false => format!("{path} has {columns} columns, more than {limit}; "),
    })
    .act(Action::FewerColumns)
}

fn line_of(line: &Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}

fn suggest(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// A cycle back to its start; of a long one the first variables.
fn round(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> =
        names.iter().chain(names.first()).map(|n| shorten(n, 80)).collect();
    if names.len() > SHOWN + 1 {
        names.truncate(SHOWN);
        names.push("…".into());
    }
    names.join(" -> ")
}
