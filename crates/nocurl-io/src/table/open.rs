//! From a source to what is gathered of it: whether its columns must be looked at first.

use nocurl::{Action, Run, Text};

#[cfg(feature = "parquet")]
use super::arrow;
use super::collect::{Assembly, Collect};
use super::csv::{self, PIECE};
use super::kinds::{Candidate, Plan, are_told};
use super::opened::Found;
use super::reading::Reading;
use super::sample::Ranked;
use super::sheet::listed;
use super::survey::{ColumnSurvey, Survey};
use super::transform::{needs_ranks, scores};
use super::{Input, Origin, ReadOptions, memory, several};
use crate::digest::alongside;
use crate::input;
use crate::{Error, Format, Source};

/// Reads the input into a collection, whatever it is.
pub(super) fn read<C: Collect>(
    input: Input<'_>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<(Assembly, Option<Origin>), Error> {
    read_as(input, Reading::new::<C>(options), run)
}

/// The same, with what is known of the columns.
pub(super) fn read_as(
    input: Input<'_>,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, Option<Origin>), Error> {
    let of_file = reading.transpose || reading.rows.is_some();
    if of_file && !matches!(input, Input::Source(_)) {
        let reason = "only files are read with rows as variables, or as a matrix";
        return Err(Error::unsupported(memory::LABEL, reason));
    }
    let found = match input {
        Input::Source(source) => return read_source(source, reading, run),
        Input::Columns(table) => planned(
            reading,
            |reading| memory::read(table, reading, run),
            |reading| memory::read(table, reading, run).map(candidates),
        )?,
        #[cfg(feature = "parquet")]
        Input::Batches(batches) => read_batches(batches, reading, run)?,
    };
    Ok((found, None))
}

/// Reads batches that can be had once: they are kept where they must be looked at first.
#[cfg(feature = "parquet")]
fn read_batches(
    batches: Box<dyn arrow_array::RecordBatchReader + Send + '_>,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let schema = batches.schema();
    let alone = reading.plan.is_some() || reading.ask || reading.purpose.surveys;
    if alone {
        return finished(arrow::read_batches(batches, &reading, run)?, &reading);
    }
    let invalid = |error| Error::decoding(memory::LABEL, "Arrow", &error);
    let mut batches = batches;
    // A column that is empty from the start may be so to the end, and is left out then.
    let first = batches.next().transpose().map_err(invalid)?;
    let empty = first.iter().flat_map(|batch| batch.columns()).any(arrow::is_empty);
    let rest = first.into_iter().map(Ok).chain(batches);
    let twice = empty || needs_ranks(&reading.transform);
    if !twice && !arrow::must_look(&schema, &reading)? {
        let rest = arrow_array::RecordBatchIterator::new(rest, schema);
        return finished(arrow::read_batches(Box::new(rest), &reading, run)?, &reading);
    }
    let all: Vec<_> = rest.collect::<Result<_, _>>().map_err(invalid)?;
    let again = || {
        let batches = all.clone().into_iter().map(Ok);
        Box::new(arrow_array::RecordBatchIterator::new(batches, schema.clone()))
    };
    planned(
        reading,
        |reading| arrow::read_batches(again(), reading, run),
        |reading| arrow::read_batches(again(), reading, run).map(candidates),
    )
}

/// Reads bytes into a collection, whatever their format.
fn read_source(
    source: &Source,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, Option<Origin>), Error> {
    if let Some(parts) = several::parts(source, &reading) {
        return several::read(&parts, reading, run);
    }
    let (input, watch) = input::Input::open(source)?;
    let found = Found::of(input, &reading).and_then(|found| read_found(found, reading, run));
    watch.unchanged(found)
}

fn read_found(
    found: Found,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, Option<Origin>), Error> {
    let (found, digest, format) = match found {
        Found::Text(input) => {
            let (found, digest) = read_text(input, reading, run)?;
            (found, digest, Format::Csv)
        }
        Found::Opened(opened) => {
            let (mut found, digest) = alongside(&opened.place, || {
                planned(
                    reading,
                    |reading| opened.read(reading, run),
                    |reading| opened.read(reading, run).map(candidates),
                )
            })?;
            found.warnings.splice(..0, opened.notes);
            found.left_out.extend(opened.left_out);
            (found, digest, opened.format)
        }
    };
    Ok((found, Some(Origin { digest, format })))
}

/// Reads text, at once where its cells are numbers.
fn read_text(
    mut input: input::Input,
    reading: Reading<'_>,
    run: &Run<'_>,
) -> Result<(Assembly, String), Error> {
    let label = input.label.clone();
    if input.length().is_none() {
        let start = input.peek(PIECE)?;
        let whole = start.len() < PIECE;
        let twice = are_told(&reading) || needs_ranks(&reading.transform);
        if !whole
            && !reading.purpose.surveys
            && !twice
            && !csv::begins_with_text(&start, &label, &reading)?
        {
            let (found, digest) = csv::read(input.into_stream(), &label, None, &reading, run)?;
            return Ok((finished(found, &reading)?, digest));
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
        |reading| Ok(candidates(csv::read(input.handle(), &label, length, reading, run)?.0)),
    )?;
    Ok((found, digest))
}

/// Reads a table by a function that reads and one that looks at its columns; where ranks are asked
/// for, it is gone through once before to know them.
pub(super) fn planned(
    reading: Reading<'_>,
    read: impl Fn(&Reading<'_>) -> Result<Assembly, Error>,
    look: impl Fn(&Reading<'_>) -> Result<Vec<Candidate>, Error>,
) -> Result<Assembly, Error> {
    if !needs_ranks(&reading.transform) {
        return of_kinds(reading, read, look);
    }
    let mut seen = of_kinds(reading.to_gather::<Ranked>(), &read, &look)?;
    let Ranked(sample) = seen.take();
    let scores = scores(&sample, &seen.selection, &reading.transform);
    drop(sample);
    of_kinds(reading.with_scores(&scores), read, look)
}

/// Reads a table: at once where all its columns are numbers, else after a look at them.
fn of_kinds(
    reading: Reading<'_>,
    read: impl Fn(&Reading<'_>) -> Result<Assembly, Error>,
    look: impl Fn(&Reading<'_>) -> Result<Vec<Candidate>, Error>,
) -> Result<Assembly, Error> {
    if reading.plan.is_some() || reading.ask || reading.purpose.surveys {
        return finished(read(&reading)?, &reading);
    }
    let to_look = reading.to_gather::<Survey>();
    let seen = match read(&reading) {
        Err(Error::KindsNeeded | Error::NotNumeric { .. }) => look(&to_look)?,
        Ok(found) if found.has_empty_column() && !reading.part => look(&to_look.of_all())?,
        Ok(found) => return finished(found, &reading),
        Err(error) => return Err(error),
    };
    let plan = Plan::new(seen.clone(), &reading, reading.purpose.glances);
    let mut plan = plan.map_err(|error| error.besides(wrong_elsewhere(seen, &reading, &read)))?;
    let mut found = read(&reading.with(&plan))?;
    // A column of numbers has not been looked at beside those that are none.
    if found.has_empty_column() && !reading.part {
        plan = Plan::new(look(&to_look.of_all())?, &reading, reading.purpose.glances)?;
        found = read(&reading.with(&plan))?;
    }
    let mut found = finished(found, &reading)?;
    found.warnings.extend(plan.notes);
    found.left_out.extend(plan.left_out);
    Ok(found)
}

/// What is wrong with the columns that need no decision, beside those that do.
fn wrong_elsewhere(
    seen: Vec<Candidate>,
    reading: &Reading<'_>,
    read: impl Fn(&Reading<'_>) -> Result<Assembly, Error>,
) -> Option<Error> {
    let plan = Plan::new(seen, reading, true).ok()?;
    let found = read(&reading.with(&plan)).ok()?;
    found.check(reading.missing).err()
}

/// What was read, unless it must not be used; with a word on what it is not exact about.
fn finished(mut found: Assembly, reading: &Reading<'_>) -> Result<Assembly, Error> {
    found.check(reading.missing)?;
    let dropped = found.dropped_note(reading.missing);
    found.warnings.splice(..0, dropped);
    // A look goes on where there are some.
    if let Some(infinite) = found.infinite_values() {
        found.warnings.push(infinite.text());
    }
    let percents = found.percents();
    if !percents.is_empty() {
        let list = listed(percents.iter().map(String::as_str));
        let words = format!("percentages in {list} are read as fractions: 45% is 0.45");
        found.warnings.push(words.into());
    }
    let rounded = found.rounded();
    if !rounded.is_empty() {
        let words = format!(
            "whole numbers of {} are beyond 2^53 and were rounded; if they only name rows, ",
            listed(rounded.iter().map(String::as_str))
        );
        found.warnings.push(Text::new(words).act(Action::leave_out(&rounded)));
    }
    Ok(found)
}

/// The columns that were looked at, and those of types that are not read.
pub(super) fn candidates(mut seen: Assembly) -> Vec<Candidate> {
    let columns = seen.take::<Survey>().columns;
    // Columns that the name of a file tells are not in it.
    let of_file = seen.selection.positions.len();
    let names = seen.selection.names.iter().zip(&seen.selection.declared).take(of_file);
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
