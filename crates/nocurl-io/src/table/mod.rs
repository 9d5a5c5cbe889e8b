//! Tables: reading them in bounded memory, writing them without loss.

#[cfg(feature = "parquet")]
mod arrow;
mod block;
#[cfg(feature = "parquet")]
mod chunks;
mod collect;
mod columns;
mod csv;
mod dialect;
mod encoding;
mod finish;
#[cfg(feature = "parquet")]
mod fixed;
mod foreign;
#[cfg(feature = "parquet")]
mod guard;
mod header;
mod infinite;
#[cfg(feature = "parquet")]
mod ipc;
mod kinds;
#[cfg(feature = "parquet")]
mod layout;
#[cfg(feature = "parquet")]
mod leaves;
mod lines;
mod memory;
mod model_rows;
mod npy;
mod npz;
#[cfg(feature = "parquet")]
mod numbers;
mod open;
mod opened;
mod overview;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod part;
mod part_memory;
mod pattern;
mod quoted;
mod reading;
mod sample;
#[cfg(feature = "parquet")]
mod schema;
mod several;
mod sheet;
mod survey;
#[cfg(feature = "parquet")]
mod thrift;
mod top;
mod transform;
mod transposed;
mod words;
mod write;

use nocurl::memory::{Memory, ask};
use nocurl::{Codes, Dataset, Mat, Moments, Run, Text};
use serde::{Deserialize, Serialize};

use crate::{Error, Format, Source};
pub(crate) use collect::MOST_DROPPED;
pub use collect::reading_memory;
use collect::{Hot, Rows};
pub(crate) use columns::MOST_COLUMNS;
use finish::{About, Coded, complete};
pub use kinds::{LeftOut, Ordinal};
pub use memory::{Columns, GivenLevels};
pub use model_rows::{RowSchema, read_rows};
pub use overview::{ColumnOverview, Overview, read_overview};
pub use part::{Kinds, Resample, read_part, read_survey};
pub(crate) use pattern::is_meant;
use sample::{KeptMoments, SampledMoments};
pub(crate) use sample::{SAMPLE_ROWS, Sample, SampledRow};
pub use several::decimal_sign;
pub use survey::{Surveyed, TableSurvey};
pub use transform::{Scale, TransformRule};
pub use write::{write_rows, write_table};

/// What to do about missing values: empty cells, `NA`, `N/A`, `NaN`, `null`, `None`, `#N/A`, `<NA>`,
/// `?`, `-`, `.` and `*` in text, nulls and NaN elsewhere. Infinite values are always an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse the table and say where the first missing value is and how many there are.
    #[default]
    Error,
    /// Leave out the rows that miss a value if they are at most 5% of all, with a note; refuse the
    /// table if they are more. The default of the command line and of Python.
    Auto,
    /// Leave out the rows that miss a value in any selected column.
    Drop,
    /// Estimate means and covariance by expectation-maximisation under a Gaussian model
    /// ([`nocurl::missing`]). Rows with gaps are kept in memory until the end. Only for moments.
    Em,
}

/// Whether the first line of a text file holds names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Header {
    /// It does unless all its cells are numbers.
    #[default]
    Auto,
    /// It does, even if the names are numbers.
    Yes,
    /// It does not: the columns are `x1` to `xd`.
    No,
}

/// How a table is read.
///
/// | Name | Default | Meaning |
/// |---|---|---|
/// | `columns` | all | columns to read, in this order |
/// | `drop` | none | columns to leave out |
/// | `keep_constant` | false | keep columns that do not vary |
/// | `part` | false | it is a part of a table: any number of rows will do, and columns that do not vary stay |
/// | `weights` | none | a column that says how often each row counts; for [`read_part`] |
/// | `resample` | none | tables to be drawn from the same rows; for [`read_part`] |
/// | `missing` | error | see [`Missing`] |
/// | `continuous`, `categorical`, `ordinal` | by the values | columns of these kinds |
/// | `transform` | none | functions of columns of numbers, see [`TransformRule`]; ranks take a pass more |
/// | `standardize` | false | columns of numbers at mean 0 and variance 1, after that |
/// | `na` | none | words or numbers that stand for missing values, besides the usual ones |
/// | `format` | by extension, else by the first bytes | see [`Format`] |
/// | `header` | auto | see [`Header`]; text only |
/// | `delimiter` | detect | byte between cells, a space for any run of blanks; text only |
/// | `room` | no bound | memory for rows that are kept, see [`Room`] |
/// | `decimal` | detect | sign before the places of a number; text only |
/// | `comment` | `#` above the names | byte at which lines begin that are passed over; text only |
/// | `skip_rows` | 0 | lines to pass over at the start; text only |
/// | `transpose` | false | rows are variables and columns are observations; text and sheets only |
/// | `rows` | none | it is a covariance matrix of so many rows, see [`crate::read_matrix`] |
/// | `sheet` | the first | sheet of a workbook, file of a zip archive or array of an .npz, by name |
/// | `file_column` | none | name of a column that holds the name of the file of each row |
/// | `condition` | none | name of the column that holds the conditions of an experiment |
/// | `max_columns` | 20,000 | more selected columns are an error: memory grows with the square |
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Columns to read, in this order.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Keep columns that do not vary; else they are left out, and a warning says so.
    pub keep_constant: bool,
    /// Whether it is a part of a table, of which any number of rows will do.
    pub part: bool,
    /// A column that says how often each row counts.
    pub weights: Option<String>,
    /// Tables to be drawn from the same rows.
    pub resample: Option<Resample>,
    /// Columns of numbers on a scale, by name or pattern.
    pub continuous: Vec<String>,
    /// Columns of categories, by name or pattern.
    pub categorical: Vec<String>,
    /// Columns whose levels have an order.
    pub ordinal: Vec<Ordinal>,
    /// The column that holds the conditions of an experiment: its levels may be more than those of
    /// other columns.
    pub condition: Option<String>,
    /// Functions of columns of numbers; the last one that means a column counts.
    pub transform: Vec<TransformRule>,
    /// Columns of numbers at mean 0 and variance 1, after that.
    pub standardize: bool,
    /// What to do about missing values.
    pub missing: Missing,
    /// Words or numbers that stand for missing values, besides the usual ones.
    pub na: Vec<String>,
    /// The format, when extension and first bytes should not decide.
    pub format: Option<Format>,
    /// Whether a text file starts with names.
    pub header: Header,
    /// The delimiter of a text file.
    pub delimiter: Option<u8>,
    /// Memory for rows that are kept.
    pub room: Option<Room>,
    /// The decimal sign of a text file: a point or a comma.
    pub decimal: Option<u8>,
    /// Lines of a text file that begin with this are passed over.
    pub comment: Option<u8>,
    /// Lines to pass over at the start of a text file.
    pub skip_rows: usize,
    /// Whether rows are variables and columns are observations, of text and sheets.
    pub transpose: bool,
    /// The rows of the table that a covariance matrix is of: [`crate::read_matrix`].
    pub rows: Option<u64>,
    /// Which sheet of a workbook, file of a zip archive or array of an `.npz`, by its name; of
    /// sheets also the number, from 1.
    pub sheet: Option<String>,
    /// A column of this name holds the name of the file that a row is from.
    pub file_column: Option<String>,
    /// Largest number of columns that may be selected.
    pub max_columns: usize,
}

/// How much memory there is, and what everything together takes that depends on the rows: more rows
/// than fit are refused while they are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Bytes there are.
    pub bytes: u64,
    /// What is taken at its peak.
    pub taken: Memory,
}

impl Room {
    /// Rows of this many columns that fit.
    pub fn rows(&self, columns: usize) -> u64 {
        if self.taken.per_cell == 0.0 {
            return u64::MAX;
        }
        let left = self.bytes.saturating_sub(self.taken.at(columns, 0));
        (left as f64 / (8.0 * self.taken.per_cell * columns as f64)) as u64
    }
}

impl ReadOptions {
    /// The same where a column holds the conditions of an experiment: these are categories, and are
    /// read whatever other columns are.
    #[must_use]
    pub fn told_apart(mut self, condition: Option<&String>) -> Self {
        let Some(condition) = condition else { return self };
        if let Some(columns) = self.columns.as_mut().filter(|all| !all.contains(condition)) {
            columns.push(condition.clone());
        }
        if !self.categorical.contains(condition) {
            self.categorical.push(condition.clone());
        }
        self.condition = Some(condition.clone());
        self
    }
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            columns: None,
            drop: Vec::new(),
            keep_constant: false,
            part: false,
            weights: None,
            resample: None,
            continuous: Vec::new(),
            categorical: Vec::new(),
            ordinal: Vec::new(),
            condition: None,
            transform: Vec::new(),
            standardize: false,
            missing: Missing::Error,
            na: Vec::new(),
            format: None,
            header: Header::Auto,
            delimiter: None,
            room: None,
            decimal: None,
            comment: None,
            skip_rows: 0,
            transpose: false,
            rows: None,
            sheet: None,
            file_column: None,
            max_columns: 20_000,
        }
    }
}

/// A table as it was read.
#[derive(Debug, Clone)]
pub struct Table<T> {
    /// The data: [`Moments`] or a [`Dataset`].
    pub data: T,
    /// Rows in use.
    pub rows: u64,
    /// Rows left out because of missing values.
    pub rows_dropped: u64,
    /// Missing values that were found in the selected columns.
    pub missing_values: u64,
    /// The columns that have some, with how many.
    pub gaps: Vec<(String, u64)>,
    /// Columns that are no variables, and why.
    pub left_out: Vec<(String, LeftOut)>,
    /// What was read, unless it was a table in memory.
    pub origin: Option<Origin>,
    /// What the user should know, in plain words.
    pub warnings: Vec<Text>,
}

/// The bytes that a table was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// XXH3 digest of the input: `xxh3-128:` and the digits that `xxh128sum` gives.
    pub digest: String,
    /// The format that was read.
    pub format: Format,
}

/// Where a table comes from: bytes in one of the formats, or memory of the caller.
pub enum Input<'a> {
    /// A file, standard input, or bytes.
    Source(&'a Source),
    /// Columns in memory.
    Columns(&'a dyn Columns),
    /// Arrow record batches, one after the other.
    #[cfg(feature = "parquet")]
    Batches(Box<dyn arrow_array::RecordBatchReader + Send + 'a>),
}

impl<'a> From<&'a Source> for Input<'a> {
    fn from(source: &'a Source) -> Self {
        Self::Source(source)
    }
}

impl<'a> From<&'a dyn Columns> for Input<'a> {
    fn from(table: &'a dyn Columns) -> Self {
        Self::Columns(table)
    }
}

impl Input<'_> {
    fn label(&self) -> String {
        match self {
            Self::Source(source) => source.label(),
            _ => memory::LABEL.into(),
        }
    }
}

impl Table<Moments> {
    /// A table of which moments are all there is; variables that do not vary are left out.
    pub fn of_moments(moments: &Moments) -> Self {
        // Of one row nothing can be said to vary.
        let constant = if moments.rows() < 2 { Vec::new() } else { moments.constant_columns() };
        let kept = columns::without(moments.columns(), &constant);
        let left_out: Vec<_> =
            constant.iter().map(|&v| finish::constant_column(moments, v)).collect();
        let data = if constant.is_empty() { moments.clone() } else { moments.select(&kept) };
        Self {
            rows: moments.rows(),
            rows_dropped: 0,
            missing_values: 0,
            gaps: Vec::new(),
            warnings: kinds::left_out_note(&left_out).into_iter().collect(),
            left_out,
            data,
            origin: None,
        }
    }
}

impl<T> Table<T> {
    /// Notes what is left out, in place of what was noted before.
    pub(crate) fn leave_out(&mut self, left_out: Vec<(String, LeftOut)>) {
        self.warnings = kinds::left_out_note(&left_out).into_iter().collect();
        self.left_out = left_out;
    }

    /// The same with something more to say.
    #[must_use]
    pub fn noting(mut self, note: Option<Text>) -> Self {
        self.warnings.extend(note);
        self
    }

    /// The same table with its data in another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Table<U> {
        Table {
            data: form(self.data),
            rows: self.rows,
            rows_dropped: self.rows_dropped,
            missing_values: self.missing_values,
            gaps: self.gaps,
            left_out: self.left_out,
            origin: self.origin,
            warnings: self.warnings,
        }
    }
}

/// Reads means and second moments of a table.
///
/// Memory is O(d^2) plus a bounded number of pieces of the file, whatever the number of rows;
/// only [`Missing::Em`] keeps the rows with gaps. The result has the same bits for any number of
/// threads.
///
/// # Errors
/// Anything wrong with the file, in one line; fewer than two rows or columns.
pub fn read_moments<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Table<Moments>, Error> {
    moments_of(input.into(), options, run)
}

// The public functions only convert their argument: what is generic is compiled again by every
// crate that calls it.

fn moments_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Table<Moments>, Error> {
    let (mut found, origin) = open::read::<Hot>(input, options, run)?;
    let incomplete = found.take_incomplete();
    let hot = found.take::<Hot>().moments;
    let coded = Coded::new(&found.selection, |slot| hot.counts(slot), &incomplete);
    let moments = coded.moments(hot);
    let about = About::new(&mut found, origin);
    Ok(complete(moments, &incomplete, &coded, about, options, run)?.0)
}

/// What is kept beside moments.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Some of the rows.
    pub rows: Dataset,
    /// All rows as compact codes, of a table of categories alone.
    pub codes: Option<Codes>,
    /// Rows with gaps, up to 2000, with NaN in the gaps, where these are estimated. They have a
    /// column for each variable: numbers as in `rows`, levels by codes of no meaning here.
    pub gapped: Mat<f64>,
}

/// Reads means and second moments of a table, and keeps up to 2000 of its complete rows for checks
/// that need rows: all of them where there are no more, else a sample spread evenly over the table,
/// in its order. Of a table of categories alone all rows are kept, a byte for each value.
///
/// Memory is that of [`read_moments`] and the sample. The result has the same bits for any number
/// of threads.
///
/// # Errors
/// As [`read_moments`].
///
/// ```
/// use nocurl::Run;
/// use nocurl_io::{ReadOptions, Source, read_sampled};
/// let source = Source::bytes("example.csv", "a,b\n1,2\n3,5\n");
/// let (table, sample) = read_sampled(&source, &ReadOptions::default(), &Run::default()).unwrap();
/// assert_eq!(table.data.mean(), [2.0, 3.5]);
/// assert_eq!(sample.rows.column(1), [2.0, 5.0]);
/// ```
pub fn read_sampled<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Sampled), Error> {
    sampled_of(input.into(), options, run)
}

fn sampled_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Sampled), Error> {
    let (mut found, origin) = open::read::<SampledMoments>(input, options, run)?;
    let incomplete = found.take_incomplete();
    let sampled: SampledMoments = found.take();
    let about = About::new(&mut found, origin);
    let (table, sampled, ..) =
        sampled_table(sampled, &found.selection, &incomplete, about, options, run)?;
    Ok((table, sampled))
}

/// The table of what was gathered, what is kept beside it, its variables with the places of their
/// codes, and the columns that are left.
fn sampled_table(
    gathered: SampledMoments,
    selection: &columns::Selection,
    incomplete: &Mat<f64>,
    about: About,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Sampled, Coded, Vec<usize>), Error> {
    let SampledMoments { moments: Hot { moments: hot, .. }, sample, codes, .. } = gathered;
    let coded = Coded::new(selection, |slot| hot.counts(slot), incomplete);
    let moments = coded.moments(hot);
    let (table, kept) = complete(moments, incomplete, &coded, about, options, run)?;
    let (variables, places) = coded.select(&kept);
    let rows = sample.into_dataset(variables.list().to_vec(), &places, &kept)?;
    let rows = rows.on_scale_of(table.data.variables())?;
    let codes = codes.filter(|_| variables.is_categorical() && incomplete.nrows() == 0);
    let codes = codes.map(|codes| codes.select(&kept).recoded(&places));
    let taken = incomplete.nrows().min(SAMPLE_ROWS);
    let spread = |i: usize| i * incomplete.nrows() / taken;
    let gapped = Mat::from_fn(taken, kept.len(), |i, j| incomplete[(spread(i), kept[j])]);
    Ok((table, Sampled { rows, codes, gapped }, coded, kept))
}

/// Reads means and second moments of a table as [`read_sampled`] does, and keeps all complete rows
/// as well where they are at most 64 MiB of numbers: what resampling draws from.
///
/// # Errors
/// As [`read_moments`].
pub fn read_kept<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Sampled, Option<Dataset>), Error> {
    kept_of(input.into(), options, run)
}

fn kept_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Sampled, Option<Dataset>), Error> {
    let (mut found, origin) = open::read::<KeptMoments>(input, options, run)?;
    let incomplete = found.take_incomplete();
    let KeptMoments { sampled, rows, .. } = found.take();
    let about = About::new(&mut found, origin);
    let (table, sampled, coded, kept) =
        sampled_table(sampled, &found.selection, &incomplete, about, options, run)?;
    let rows = rows.map(|Rows(blocks)| {
        let all = joined(blocks);
        let values = match kept.len() == all.ncols() {
            true => all,
            false => Mat::from_fn(all.nrows(), kept.len(), |i, j| all[(i, kept[j])]),
        };
        let (variables, places) = coded.select(&kept);
        let rows = Dataset::of_codes(variables.list().to_vec(), values, &places)?;
        rows.on_scale_of(table.data.variables())
    });
    Ok((table, sampled, rows.transpose()?))
}

/// Blocks of rows as one matrix.
fn joined(blocks: Vec<Mat<f64>>) -> Mat<f64> {
    let columns = blocks.first().map_or(0, Mat::ncols);
    let mut values = Mat::zeros(blocks.iter().map(Mat::nrows).sum(), columns);
    let mut start = 0;
    for block in blocks {
        values.as_mut().subrows_mut(start, block.nrows()).copy_from(&block);
        start += block.nrows();
    }
    values
}

/// Reads a table with all its rows.
///
/// # Errors
/// As [`read_moments`]; [`Missing::Em`] is refused, since it estimates moments and not rows.
pub fn read_dataset<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Table<Dataset>, Error> {
    dataset_of(input.into(), options, run)
}

fn dataset_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Table<Dataset>, Error> {
    if options.missing == Missing::Em {
        return Err(Error::NoRowsEstimated { path: input.label() });
    }
    let (mut found, origin) = open::read::<Rows>(input, options, run)?;
    let Rows(blocks) = found.take();
    let rows: usize = blocks.iter().map(Mat::nrows).sum();
    let columns = found.selection.names.len();
    ask("the table", 8 * rows as u64 * columns as u64)?;
    let values = if blocks.is_empty() { Mat::zeros(0, columns) } else { joined(blocks) };
    let counts = |slot: usize| finish::counted(values.col_as_slice(slot));
    let coded = Coded::new(&found.selection, counts, &Mat::new());
    let mut data = coded.dataset(values)?;
    let mut about = About::new(&mut found, origin);
    let kept = about.without_constants(&data.moments(), options);
    if kept.len() < data.names().len() {
        let variables = data.variables().select(&kept);
        let values = Mat::from_fn(rows, kept.len(), |i, j| data.values()[(i, kept[j])]);
        data = Dataset::new(variables, values)?;
    }
    if options.standardize {
        let standardized = data.moments().standardized();
        data = data.on_scale_of(standardized.variables())?;
    }
    about.table(rows as u64, data.names().len(), data, options.part)
}
