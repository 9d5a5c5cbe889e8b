//! From a source to what is gathered of it: which format it is in, and whether its columns must be
//! looked at first.

use nocurl::Run;

use super::collect::{Assembly, Collect};
use super::csv::{self, PIECE};
use super::kinds::{Candidate, Plan, are_told};
use super::reading::Reading;
use super::sample::Ranked;
use super::survey::{ColumnSurvey, Survey};
use super::transform::{needs_ranks, scores};
use super::{Input, Origin, ReadOptions, memory, npy};
#[cfg(feature = "parquet")]
use super::{arrow, parquet};
use crate::digest::alongside;
use crate::input::{self, Seekable};
use crate::{Error, Format, Source};

/// Bytes that are enough to know a format.
const MAGIC_BYTES: usize = 8;

/// Reads the input into a collection, whatever it is.
pub(super) fn read<C: Collect>(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Option<Origin>), Error> {
    let reading = Reading::new(options);
    let found = match input {
        Input::Source(source) => return read_source(source, reading, run),
        Input::Columns(table) => planned(
            reading,
            |reading| memory::read(table, reading, run),
            |reading| memory::read(table, reading, run),
            |reading| memory::read(table, reading, run),
        )?,
        #[cfg(feature = "parquet")]
        Input::Batches(batches) => read_batches(batches, reading, run)?,
    };
    Ok((found, None))
}

/// Reads batches that can be had once: they are kept where they must be looked at first.
#[cfg(feature = "parquet")]
fn read_batches<C: Collect>(
    batches: Box<dyn arrow_array::RecordBatchReader + Send + '_>,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let schema = batches.schema();
    if !arrow::must_look(&schema, &reading)? && !needs_ranks(&reading.transform) {
        let found = arrow::read_batches(batches, &reading, run)?;
        found.check(reading.missing)?;
        return Ok(found);
    }
    let invalid = |error| Error::invalid(memory::LABEL, "Arrow", error);
    let all: Vec<_> = batches.collect::<Result<_, _>>().map_err(invalid)?;
    let again = || {
        let batches = all.clone().into_iter().map(Ok);
        Box::new(arrow_array::RecordBatchIterator::new(batches, schema.clone()))
    };
    planned(
        reading,
        |reading| arrow::read_batches(again(), reading, run),
        |reading| arrow::read_batches(again(), reading, run),
        |reading| arrow::read_batches(again(), reading, run),
    )
}

/// Reads bytes into a collection, whatever their format.
fn read_source<C: Collect>(
    source: &Source,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Option<Origin>), Error> {
    let (input, watch) = input::Input::open(source)?;
    watch.unchanged(input.unpacked().and_then(|input| read_input(input, reading, run)))
}

fn read_input<C: Collect>(
    mut input: input::Input,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly<C>, Option<Origin>), Error> {
    let label = input.label.clone();
    let start = input.peek(MAGIC_BYTES)?;
    if start.is_empty() {
        return Err(Error::Empty { path: label });
    }
    foreign(&label, &input.extension, &start)?;
    let by_name = || Format::of_extension(&input.extension);
    let format = reading.format.or_else(by_name).unwrap_or_else(|| Format::of_magic(&start));
    let (found, digest) = match format {
        Format::Csv => read_text(input, reading, run)?,
        format => {
            let input = input.into_seekable()?;
            alongside(&input, || {
                planned(
                    reading,
                    |reading| of_format(format, &input, reading, run),
                    |reading| of_format(format, &input, reading, run),
                    |reading| of_format(format, &input, reading, run),
                )
            })?
        }
    };
    Ok((found, Some(Origin { digest, format })))
}

/// Refuses formats of other programs, with the line that converts them.
fn foreign(label: &str, extension: &str, start: &[u8]) -> Result<(), Error> {
    let line = match (extension, start) {
        ("xlsx" | "xls" | "ods", _) => "pandas.read_excel(path).to_csv('table.csv', index=False)",
        ("sav", _) => "pandas.read_spss(path).to_csv('table.csv', index=False)",
        ("dta", _) => "pandas.read_stata(path).to_csv('table.csv', index=False)",
        ("rds", _) => "write.csv(readRDS(path), 'table.csv', row.names = FALSE)",
        ("json", _) => "pandas.read_json(path).to_csv('table.csv', index=False)",
        ("jsonl" | "ndjson", _) => {
            "pandas.read_json(path, lines=True).to_csv('table.csv', index=False)"
        }
        ("npz", _) => "numpy.save('table.npy', next(iter(numpy.load(path).values())))",
        (_, [b'B', b'Z', b'h', ..]) => {
            let reason = "it is a bzip2 file; unpack it first: bunzip2 -k FILE";
            return Err(Error::unsupported(label, reason));
        }
        (_, [b'P', b'K', 3, 4, ..]) => {
            let reason = "it is a zip file; unpack it first: unzip FILE";
            return Err(Error::unsupported(label, reason));
        }
        _ => return Ok(()),
    };
    let program = if extension == "rds" { "R" } else { "Python" };
    let words = format!("files of this kind are not read; convert it in {program}: {line}");
    Err(Error::unsupported(label, words))
}

/// Reads text, at once where its cells are numbers.
fn read_text<C: Collect>(
    mut input: input::Input,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly<C>, String), Error> {
    let label = input.label.clone();
    if input.length().is_none() {
        let start = input.peek(PIECE)?;
        let whole = start.len() < PIECE;
        let twice = are_told(&reading) || needs_ranks(&reading.transform);
        if !whole && !twice && !csv::begins_with_text(&start, &label, &reading)? {
            let (found, digest) = csv::read::<C>(input.into_stream(), &label, None, &reading, run)?;
            found.check(reading.missing)?;
            return Ok((found, digest));
        }
    }
    let input = input.into_seekable()?;
    let length = Some(input.length);
    let mut digest = String::new();
    let digest_of = std::cell::RefCell::new(&mut digest);
    let found = planned(
        reading,
        |reading| {
            let (found, read) = csv::read(input.handle(), &label, length, reading, run)?;
            **digest_of.borrow_mut() = read;
            Ok(found)
        },
        |reading| Ok(csv::read(input.handle(), &label, length, reading, run)?.0),
        |reading| Ok(csv::read(input.handle(), &label, length, reading, run)?.0),
    )?;
    Ok((found, digest))
}

/// Reads one of the formats that need no order.
fn of_format<C: Collect>(
    format: Format,
    input: &Seekable,
    reading: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    match format {
        Format::Npy => npy::read(input, reading, run),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(input, reading, run),
        #[cfg(feature = "parquet")]
        Format::Arrow => arrow::read(input, reading, run),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => Err(Error::unsupported(
            &input.label,
            "this build cannot read Parquet and Arrow; build it with the feature `parquet`",
        )),
        Format::Csv => unreachable!("text is read in another way"),
    }
}

/// Reads a table; where ranks are asked for, it is gone through once before to know them.
fn planned<C: Collect>(
    reading: Reading<'_>,
    read: impl Fn(&Reading<'_>) -> Result<Assembly<C>, Error>,
    look: impl Fn(&Reading<'_>) -> Result<Assembly<Survey>, Error>,
    rank: impl Fn(&Reading<'_>) -> Result<Assembly<Ranked>, Error>,
) -> Result<Assembly<C>, Error> {
    if !needs_ranks(&reading.transform) {
        return of_kinds(reading, read, look);
    }
    let mut seen = of_kinds(reading, rank, &look)?;
    let Ranked(sample) = seen.collected.take();
    let scores = scores(&sample, &seen.selection, &reading.transform);
    drop(sample);
    of_kinds(reading.with_scores(&scores), read, look)
}

/// Reads a table: at once where all its columns are numbers, else after a look at them.
fn of_kinds<C: Collect>(
    reading: Reading<'_>,
    read: impl Fn(&Reading<'_>) -> Result<Assembly<C>, Error>,
    look: impl Fn(&Reading<'_>) -> Result<Assembly<Survey>, Error>,
) -> Result<Assembly<C>, Error> {
    let seen = match read(&reading) {
        Err(Error::KindsNeeded | Error::NotNumeric { .. }) => look(&reading)?,
        Ok(found) if found.has_empty_column() => look(&reading.of_all())?,
        Ok(found) => {
            found.check(reading.missing)?;
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    let plan = Plan::new(candidates(seen), &reading)?;
    let mut found = read(&reading.with(&plan))?;
    found.check(reading.missing)?;
    found.warnings.extend(plan.notes);
    found.left_out.extend(plan.left_out);
    Ok(found)
}

/// The columns that were looked at, and those of types that are not read.
fn candidates(mut seen: Assembly<Survey>) -> Vec<Candidate> {
    let columns = seen.collected.take().columns;
    let names = seen.selection.names.iter().zip(&seen.selection.declared);
    let looked = names.zip(columns).map(|((name, declared), survey)| Candidate {
        name: name.clone(),
        declared: declared.clone(),
        survey,
    });
    let unread = seen.selection.unread.iter().map(|(name, declared)| Candidate {
        name: name.clone(),
        declared: declared.clone(),
        survey: ColumnSurvey::default(),
    });
    looked.chain(unread).collect()
}
