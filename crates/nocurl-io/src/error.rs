//! What can go wrong with files, in words for the person at the keyboard.

/// An error of reading or writing: nothing usable was read, nothing was written.
///
/// Each message fits on one line and says what is wrong, where, and what to do about it. Rows are
/// counted from 1 without the header; lines are counted from 1 with it.
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
        left: String,
    },
    /// A training that broke down and has left something.
    #[error("{reason}; {left}")]
    Diverged {
        /// Why.
        reason: String,
        /// What is left.
        left: String,
    },
    /// Things that were asked for and do not go together.
    #[error("{0}")]
    Request(String),
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
    #[error("{path}, line {line}: {found} cells where {expected} are expected")]
    Ragged {
        /// The file.
        path: String,
        /// Line in the file.
        line: u64,
        /// Cells of the first line.
        expected: usize,
        /// Cells of this line.
        found: usize,
    },
    /// A cell that is neither a number nor a missing value.
    #[error(
        "column `{column}`, row {row} (line {line}) is not a number: `{text}`; \
         leave the column out with --drop or --columns"
    )]
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
    /// A column of a type that is not numeric.
    #[error(
        "column `{column}` has type {kind}, which is not numeric; \
         leave it out with --drop or --columns"
    )]
    ColumnType {
        /// Name of the column.
        column: String,
        /// Type as the file says it.
        kind: String,
    },
    /// Missing values where none are allowed.
    #[error(
        "column `{column}` has no value in row {row}{}, and {count} {} missing in all; \
         use --missing drop or --missing em",
        line_of(.line), if *.count == 1 { "value is" } else { "values are" }
    )]
    MissingValues {
        /// Column of the first missing value.
        column: String,
        /// Row of the first missing value.
        row: u64,
        /// Line of the first missing value, for text files.
        line: Option<u64>,
        /// Number of missing values in the selected columns.
        count: u64,
    },
    /// An infinite value, which no policy for missing values covers.
    #[error("column `{column}` is infinite in row {row}{}; correct it or drop the column", line_of(.line))]
    Infinite {
        /// Name of the column.
        column: String,
        /// Row of the data.
        row: u64,
        /// Line in the file, for text files.
        line: Option<u64>,
    },
    /// A column without a single value.
    #[error("column `{column}` has no values at all; leave it out with --drop")]
    NoValues {
        /// Name of the column.
        column: String,
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
    #[error("{path} has {columns} columns, more than {limit}; choose some with --columns")]
    TooManyColumns {
        /// The file.
        path: String,
        /// Columns selected.
        columns: usize,
        /// The limit.
        limit: usize,
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
    /// A broken file; foreign messages are put on one line and shortened.
    pub(crate) fn invalid(
        path: &str,
        format: &'static str,
        reason: impl std::fmt::Display,
    ) -> Self {
        Self::Invalid { path: path.into(), format, reason: shorten(&reason.to_string(), 200) }
    }

    pub(crate) fn unsupported(path: &str, reason: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), reason: reason.into() }
    }

    /// The error of a piece of a file, placed after the rows and lines before it.
    pub(crate) fn shifted(mut self, rows: u64, lines: u64) -> Self {
        match &mut self {
            Self::NotNumeric { row, line, .. } => {
                *row += rows;
                *line += lines;
            }
            Self::Ragged { line, .. } => *line += lines,
            _ => {}
        }
        self
    }

    pub(crate) fn read(path: &str, error: &std::io::Error) -> Self {
        Self::Io { action: "read", path: path.into(), reason: shorten(&error.to_string(), 200) }
    }
}

/// Text on one line of at most `limit` characters.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let mut clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = clean.by_ref().take(limit).collect();
    if clean.next().is_some() {
        short.push('…');
    }
    short
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

fn line_of(line: &Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" (line {line})"))
}

fn suggest(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
