//! Tables of numbers: reading them in bounded memory, writing them without loss.

#[cfg(feature = "parquet")]
mod arrow;
mod block;
mod collect;
mod columns;
mod csv;
mod dialect;
#[cfg(feature = "parquet")]
mod fixed;
#[cfg(feature = "parquet")]
mod guard;
mod header;
#[cfg(feature = "parquet")]
mod ipc;
#[cfg(feature = "parquet")]
mod layout;
#[cfg(feature = "parquet")]
mod leaves;
mod memory;
mod npy;
#[cfg(feature = "parquet")]
mod numbers;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod sample;
#[cfg(feature = "parquet")]
mod schema;
#[cfg(feature = "parquet")]
mod thrift;
mod write;

use nocurl::memory::{Memory, ask};
use nocurl::missing::{EmParams, expectation_maximization};
use nocurl::{Action, Dataset, Mat, Moments, Run, Text};
use serde::{Deserialize, Serialize};

use crate::digest::alongside;
use crate::{Error, Format, Source, input};
pub use collect::reading_memory;
use collect::{Assembly, Collect, Rows};
pub use memory::Columns;
use sample::{KeptMoments, SampledMoments};
pub use write::write_table;

/// What to do about missing values: empty cells, `NA`, `N/A`, `NaN`, `null`, `?` and `-` in text,
/// nulls and NaN elsewhere. Infinite values are always an error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// Refuse the table and say where the first missing value is and how many there are.
    #[default]
    Error,
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
/// | `drop_constant` | false | leave out columns that do not vary, with a warning |
/// | `missing` | error | see [`Missing`] |
/// | `format` | by extension, else by the first bytes | see [`Format`] |
/// | `header` | auto | see [`Header`]; text only |
/// | `delimiter` | detect | byte between cells, a space for any run of blanks; text only |
/// | `room` | no bound | memory for rows that are kept, see [`Room`] |
/// | `max_columns` | 20,000 | more selected columns are an error: memory grows with the square |
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOptions {
    /// Columns to read, in this order.
    pub columns: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Leave out columns that do not vary.
    pub drop_constant: bool,
    /// What to do about missing values.
    pub missing: Missing,
    /// The format, when extension and first bytes should not decide.
    pub format: Option<Format>,
    /// Whether a text file starts with names.
    pub header: Header,
    /// The delimiter of a text file.
    pub delimiter: Option<u8>,
    /// Memory for rows that are kept.
    pub room: Option<Room>,
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

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            columns: None,
            drop: Vec::new(),
            drop_constant: false,
            missing: Missing::Error,
            format: None,
            header: Header::Auto,
            delimiter: None,
            room: None,
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

impl<T> Table<T> {
    /// The same table with its data in another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Table<U> {
        Table {
            data: form(self.data),
            rows: self.rows,
            rows_dropped: self.rows_dropped,
            missing_values: self.missing_values,
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
    let read = read::<Moments>(input, options, run)?;
    let (table, ..) = complete(read, |moments| (moments, ()), options, run)?;
    Ok(table)
}

/// Reads means and second moments of a table, and keeps up to 2000 of its complete rows for checks
/// that need rows: all of them where there are no more, else a sample spread evenly over the table,
/// in its order.
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
/// assert_eq!(sample.column(1), [2.0, 5.0]);
/// ```
pub fn read_sampled<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Dataset), Error> {
    sampled_of(input.into(), options, run)
}

fn sampled_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Dataset), Error> {
    let read = read::<SampledMoments>(input, options, run)?;
    let split = |both: SampledMoments| (both.moments, both.sample);
    let (table, sample, kept) = complete(read, split, options, run)?;
    let sample = sample.into_dataset(table.data.names().to_vec(), &kept)?;
    Ok((table, sample))
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
) -> Result<(Table<Moments>, Dataset, Option<Dataset>), Error> {
    kept_of(input.into(), options, run)
}

fn kept_of(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, Dataset, Option<Dataset>), Error> {
    let read = read::<KeptMoments>(input, options, run)?;
    let split = |all: KeptMoments| (all.sampled.moments, (all.sampled.sample, all.rows));
    let (table, (sample, rows), columns) = complete(read, split, options, run)?;
    let names = table.data.names();
    let sample = sample.into_dataset(names.to_vec(), &columns)?;
    let rows = rows.map(|rows| {
        let all = joined(rows.into_parts().1);
        let values = match columns.len() == all.ncols() {
            true => all,
            false => Mat::from_fn(all.nrows(), columns.len(), |i, j| all[(i, columns[j])]),
        };
        Dataset::new(names.to_vec(), values)
    });
    Ok((table, sample, rows.transpose()?))
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

/// Moments of what was read, after EM and without constant columns where these are asked for; what
/// was gathered beside them; and the columns that are left.
fn complete<C: Collect, S>(
    (mut assembly, origin): (Assembly<C>, Option<Origin>),
    split: impl FnOnce(C) -> (Moments, S),
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Table<Moments>, S, Vec<usize>), Error> {
    let incomplete = assembly.take_incomplete();
    let (mut moments, beside) = split(assembly.collected);
    let mut warnings = assembly.warnings;
    if options.missing == Missing::Em && incomplete.nrows() > 0 {
        let fit =
            expectation_maximization(&moments, incomplete.as_ref(), &EmParams::default(), run)?;
        if fit.termination != nocurl::Termination::Converged {
            let words = format!(
                "the estimate from incomplete rows had not settled after {} iterations; compare \
                 with ",
                fit.iterations
            );
            warnings.push(Text::new(words).act(Action::set("missing", "drop")));
        }
        moments = fit.moments;
    }
    let constant = if options.drop_constant { moments.constant_columns() } else { Vec::new() };
    let kept = columns::without(moments.columns(), &constant);
    if !constant.is_empty() {
        warnings.push(columns::constant_warning(moments.names(), &constant));
        moments = moments.select(&kept);
    }
    check_size(moments.rows(), moments.columns())?;
    let table = Table {
        rows: moments.rows(),
        rows_dropped: assembly.dropped,
        missing_values: assembly.missing,
        data: moments,
        origin,
        warnings,
    };
    Ok((table, beside, kept))
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
    let (assembly, origin) = read::<Rows>(input, options, run)?;
    let (names, blocks) = assembly.collected.into_parts();
    let mut warnings = assembly.warnings;
    let rows: usize = blocks.iter().map(Mat::nrows).sum();
    ask("the table", 8 * rows as u64 * names.len() as u64)?;
    let values = if blocks.is_empty() { Mat::zeros(0, names.len()) } else { joined(blocks) };
    let mut data = Dataset::new(names, values)?;
    if options.drop_constant {
        let constant = data.moments().constant_columns();
        if !constant.is_empty() {
            let kept = columns::without(data.names().len(), &constant);
            warnings.push(columns::constant_warning(data.names(), &constant));
            let variables = data.variables().select(&kept);
            let rows = data.values().nrows();
            let values = Mat::from_fn(rows, kept.len(), |i, j| data.values()[(i, kept[j])]);
            data = Dataset::new(variables, values)?;
        }
    }
    let rows = data.values().nrows() as u64;
    check_size(rows, data.names().len())?;
    Ok(Table {
        rows,
        rows_dropped: assembly.dropped,
        missing_values: assembly.missing,
        data,
        origin,
        warnings,
    })
}

fn check_size(rows: u64, columns: usize) -> Result<(), Error> {
    if columns < 2 {
        return Err(nocurl::Error::TooFewColumns { columns }.into());
    }
    if rows < 2 {
        return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
    }
    Ok(())
}

/// Bytes that are enough to know a format.
const MAGIC_BYTES: usize = 8;

/// Reads the input into a collection, whatever it is.
fn read<C: Collect>(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Option<Origin>), Error> {
    let assembly = match input {
        Input::Source(source) => {
            let (assembly, format, digest) = read_source(source, options, run)?;
            return Ok((assembly, Some(Origin { digest, format })));
        }
        Input::Columns(table) => memory::read::<C>(table, options, run)?,
        #[cfg(feature = "parquet")]
        Input::Batches(batches) => arrow::read_batches(batches, options, run)?,
    };
    assembly.check(options.missing)?;
    Ok((assembly, None))
}

/// Reads bytes into a collection, whatever their format.
fn read_source<C: Collect>(
    source: &Source,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Format, String), Error> {
    let (input, watch) = input::Input::open(source)?;
    watch.unchanged(read_input(input, options, run))
}

fn read_input<C: Collect>(
    mut input: input::Input,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Format, String), Error> {
    let label = input.label.clone();
    let start = input.peek(MAGIC_BYTES)?;
    if start.is_empty() {
        return Err(Error::Empty { path: label });
    }
    let by_name = || Format::of_extension(&input.extension);
    let format = options.format.or_else(by_name).unwrap_or_else(|| Format::of_magic(&start));
    if format == Format::Csv {
        let length = input.length();
        let (assembly, digest) = csv::read(input.into_stream(), &label, length, options, run)?;
        assembly.check(options.missing)?;
        return Ok((assembly, format, digest));
    }
    let input = input.into_seekable()?;
    let (assembly, digest) = alongside(&input, || {
        let assembly = match format {
            Format::Npy => npy::read(&input, options, run)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::read(&input, options, run)?,
            #[cfg(feature = "parquet")]
            Format::Arrow => arrow::read(&input, options, run)?,
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Arrow => {
                return Err(Error::unsupported(
                    &label,
                    "this build cannot read Parquet and Arrow; build it with the feature `parquet`",
                ));
            }
            Format::Csv => unreachable!("text has been read above"),
        };
        assembly.check(options.missing)?;
        Ok(assembly)
    })?;
    Ok((assembly, format, digest))
}
