//! From blocks of rows to moments or to a data set, with the policy for missing values.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use nocurl::memory::{Memory, ask};
use nocurl::{Action, Mat, MatMut, MatRef, OneHot, Progress, Run};
use rayon::prelude::*;

use super::block::column_mut;
use super::columns::Selection;
use super::infinite::Infinite;
use super::kinds::LeftOut;
use super::sample::SAMPLE_ROWS;
use super::survey::ColumnSurvey;
use crate::error::shorten;
use crate::{Error, Missing};

/// Something that rows are gathered in, piece by piece.
pub(super) trait Collect: Debug + Send + 'static {
    /// Whether the rows themselves are kept.
    const KEEPS_ROWS: bool = false;
    /// True for a first look at cells, which gathers no rows.
    const SURVEYS: bool = false;
    /// True for a look at all rows as they are, with their gaps, beside the complete ones.
    const GLANCES: bool = false;

    /// Nothing yet, for these columns.
    fn start(selection: &Selection) -> Self
    where
        Self: Sized;
    /// Adds complete rows; the block may be used as work space.
    fn push(&mut self, block: MatMut<'_, f64>);
    /// Adds what was gathered from later rows, which come after so many rows and lines.
    fn append(&mut self, later: Self, rows: u64, lines: u64)
    where
        Self: Sized;
    /// Takes rows with gaps, where these are estimated from.
    fn push_incomplete(&mut self, _: MatRef<'_, f64>) {}
    /// Looks at rows as they are, with their gaps.
    fn observe(&mut self, _: &MatMut<'_, f64>) {}
    /// Where a first look at cells keeps what it sees, a column each.
    fn surveyed(&mut self) -> &mut [ColumnSurvey] {
        &mut []
    }
}

/// A collection of whatever type: readers are compiled once, and speak to it a block at a time.
pub(super) trait Gather: Debug + Send {
    fn take_block(&mut self, block: MatMut<'_, f64>);
    fn take_incomplete(&mut self, block: MatRef<'_, f64>);
    fn take_later(&mut self, later: Box<dyn Gather>, rows: u64, lines: u64);
    fn look_at(&mut self, block: &MatMut<'_, f64>);
    fn columns_seen(&mut self) -> &mut [ColumnSurvey];
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<C: Collect> Gather for C {
    fn take_block(&mut self, block: MatMut<'_, f64>) {
        self.push(block);
    }

    fn take_incomplete(&mut self, block: MatRef<'_, f64>) {
        self.push_incomplete(block);
    }

    fn take_later(&mut self, later: Box<dyn Gather>, rows: u64, lines: u64) {
        self.append(*typed(later), rows, lines);
    }

    fn look_at(&mut self, block: &MatMut<'_, f64>) {
        self.observe(block);
    }

    fn columns_seen(&mut self) -> &mut [ColumnSurvey] {
        self.surveyed()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

fn typed<C: Collect>(gathered: Box<dyn Gather>) -> Box<C> {
    gathered.into_any().downcast().expect("all parts of a read gather the same")
}

/// What a table is read for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// Whether the rows themselves are kept.
    keeps_rows: bool,
    /// Whether this is a first look at cells, which gathers no rows.
    pub(super) surveys: bool,
    /// Whether all rows are looked at as they are, beside the complete ones.
    pub(super) glances: bool,
    start: fn(&Selection) -> Box<dyn Gather>,
}

impl Purpose {
    /// To gather rows in such a collection.
    pub(super) fn of<C: Collect>() -> Self {
        Self {
            keeps_rows: C::KEEPS_ROWS,
            surveys: C::SURVEYS,
            glances: C::GLANCES,
            start: |selection| Box::new(C::start(selection)),
        }
    }
}

/// Moments, of levels by their codes.
#[derive(Debug)]
pub(super) struct Hot {
    pub(super) moments: OneHot,
    /// Codes mean the same in all pieces.
    places: Arc<Vec<Vec<usize>>>,
}

impl Collect for Hot {
    fn start(selection: &Selection) -> Self {
        Self { moments: selection.one_hot(), places: Arc::clone(&selection.places) }
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        self.moments.push(block);
    }

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.moments.append(later.moments, &self.places);
    }
}

/// Rows as they come, in blocks.
#[derive(Debug)]
pub(super) struct Rows(pub(super) Vec<Mat<f64>>);

impl Rows {
    pub(super) fn keep(&mut self, block: MatRef<'_, f64>) {
        self.0.push(block.to_owned());
    }
}

impl Collect for Rows {
    const KEEPS_ROWS: bool = true;

    fn start(_: &Selection) -> Self {
        Self(Vec::new())
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        self.keep(block.as_ref());
    }

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.0.extend(later.0);
    }
}

/// The largest share of rows with gaps that [`Missing::Auto`] leaves out.
pub(crate) const MOST_DROPPED: f64 = 0.05;

/// What is said of rows that [`Missing::Auto`] leaves out, with the gaps of the columns.
fn dropped_note(dropped: u64, rows: u64, gaps: &[(String, u64)]) -> nocurl::Text {
    const SHOWN: usize = 4;
    let mut shown: Vec<String> = gaps
        .iter()
        .take(SHOWN)
        .map(|(name, count)| format!("`{}` {count}", shorten(name, 80)))
        .collect();
    if gaps.len() > SHOWN {
        shown.push(format!("and {} more", gaps.len() - SHOWN));
    }
    let were = if dropped == 1 { "row was" } else { "rows were" };
    let words = format!(
        "{dropped} of {rows} {were} left out because of missing values ({}); to estimate them \
         instead, use ",
        shown.join(", ")
    );
    nocurl::Text::new(words).act(Action::set("missing", "em"))
}

/// A cell, by row (from 0, within its piece) and selected column.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: u64,
    line: Option<u64>,
    column: usize,
}

impl Place {
    fn shifted(self, rows: u64, lines: u64) -> Self {
        Self { row: self.row + rows, line: self.line.map(|line| line + lines), column: self.column }
    }
}

/// What was read so far, of a piece of the file or of all of it.
#[derive(Debug)]
pub(super) struct Assembly {
    pub(super) selection: Arc<Selection>,
    policy: Missing,
    /// Until it is taken.
    collected: Option<Box<dyn Gather>>,
    /// Rows seen.
    pub(super) rows: u64,
    /// Lines seen, in text.
    pub(super) lines: u64,
    pub(super) dropped: u64,
    pub(super) missing: u64,
    /// Gaps of each column.
    gaps: Vec<u64>,
    pub(super) infinite: Infinite,
    first_missing: Option<Place>,
    first_infinite: Option<Place>,
    /// Values of each column that have no logarithm, though it is asked for: how many, the least.
    no_logarithm: Vec<(u64, f64)>,
    /// Rows with gaps, one after the other, kept for [`Missing::Em`].
    incomplete: Vec<f64>,
    /// The most rows that may be kept.
    most_rows: u64,
    pub(super) warnings: Vec<nocurl::Text>,
    pub(super) left_out: Vec<(String, LeftOut)>,
    /// Columns of other files whose integers were rounded.
    pub(super) rounded: Vec<String>,
    /// Columns of other files with percentages.
    percents: Vec<String>,
}

/// It is taken once, at the end.
const UNTAKEN: &str = "it has not been taken";

impl Assembly {
    pub(super) fn new(selection: &Arc<Selection>, policy: Missing) -> Self {
        Self {
            selection: Arc::clone(selection),
            policy,
            collected: Some((selection.purpose.start)(selection)),
            gaps: vec![0; selection.names.len()],
            infinite: Infinite::new(selection.names.len()),
            no_logarithm: vec![(0, 0.0); selection.names.len()],
            rows: 0,
            lines: 0,
            dropped: 0,
            missing: 0,
            first_missing: None,
            first_infinite: None,
            incomplete: Vec::new(),
            most_rows: selection.most_rows,
            warnings: Vec::new(),
            left_out: Vec::new(),
            rounded: Vec::new(),
            percents: Vec::new(),
        }
    }

    /// Takes out what was gathered, which is what it was read for.
    pub(super) fn take<C: Collect>(&mut self) -> C {
        *typed(self.collected.take().expect(UNTAKEN))
    }

    /// Where a first look at cells keeps what it sees, a column each.
    pub(super) fn columns_seen(&mut self) -> &mut [ColumnSurvey] {
        self.gathered().columns_seen()
    }

    fn gathered(&mut self) -> &mut dyn Gather {
        self.collected.as_deref_mut().expect(UNTAKEN)
    }

    /// The columns whose integers were rounded, here or in another file.
    pub(super) fn rounded(&self) -> Vec<String> {
        joined(&self.rounded, self.selection.rounded())
    }

    /// The columns with percentages, here or in another file.
    pub(super) fn percents(&self) -> Vec<String> {
        joined(&self.percents, self.selection.percents())
    }

    /// Counts lines from so many further up, where the first are not in the file.
    pub(super) fn raise(&mut self, lines: u64) {
        let raised = |place: Place| Place {
            line: place.line.map(|line| line.saturating_sub(lines)),
            ..place
        };
        self.first_missing = self.first_missing.map(raised);
        self.first_infinite = self.first_infinite.map(raised);
        self.lines = self.lines.saturating_sub(lines);
        self.columns_seen().iter_mut().for_each(|column| column.raise(lines));
    }

    /// Adds rows in which NaN stands for a missing value. `lines` are the lines of the rows.
    pub(super) fn push(&mut self, mut block: MatMut<'_, f64>, lines: Option<&[u64]>) {
        let rows = block.nrows();
        self.selection.recode(&mut block);
        if self.selection.purpose.surveys {
            self.gathered().look_at(&block);
            self.rows += rows as u64;
            return;
        }
        self.transform(&mut block);
        if self.selection.purpose.glances {
            self.mark_infinite(&mut block, lines);
            self.gathered().look_at(&block);
        }
        if all_finite(block.as_ref()) {
            // Under `Error` the table is lost after the first gap; counting goes on alone.
            if self.missing == 0 || self.policy != Missing::Error {
                self.gathered().take_block(block);
            }
            self.rows += rows as u64;
            return;
        }
        let mut complete = Vec::with_capacity(rows);
        let first_kept = self.incomplete.len();
        for i in 0..rows {
            let gaps = self.inspect_row(block.as_ref(), i, lines);
            if gaps == 0 {
                complete.push(i);
            } else if self.policy == Missing::Em && gaps < block.ncols() {
                self.incomplete.extend((0..block.ncols()).map(|j| block[(i, j)]));
            } else {
                self.dropped += 1;
            }
        }
        let usable = self.first_infinite.is_none() || self.selection.purpose.glances;
        if self.policy != Missing::Error && usable {
            for j in 0..block.ncols() {
                for (to, &from) in complete.iter().enumerate() {
                    block[(to, j)] = block[(from, j)];
                }
            }
            let d = block.ncols();
            self.gathered().take_block(block.subrows_mut(0, complete.len()));
            let kept = &self.incomplete[first_kept..];
            if !kept.is_empty() {
                let gaps = Mat::from_fn(kept.len() / d, d, |i, j| kept[i * d + j]);
                self.gathered().take_incomplete(gaps.as_ref());
            }
        }
        self.rows += rows as u64;
    }

    /// Notes infinite values and puts gaps in their place, for a look that goes on.
    fn mark_infinite(&mut self, block: &mut MatMut<'_, f64>, lines: Option<&[u64]>) {
        if all_finite(block.as_ref()) {
            return;
        }
        for column in 0..block.ncols() {
            for (i, value) in column_mut(block, column).iter_mut().enumerate() {
                if value.is_infinite() {
                    let line = lines.map(|lines| lines[i]);
                    let place = Place { row: self.rows + i as u64, line, column };
                    self.infinite.take(column, *value);
                    self.first_infinite.get_or_insert(place);
                    *value = f64::NAN;
                }
            }
        }
    }

    /// Puts columns on the scales that are asked for.
    fn transform(&mut self, block: &mut MatMut<'_, f64>) {
        for (slot, transform) in self.selection.transforms.iter().enumerate() {
            let Some(transform) = transform else { continue };
            let (count, least) = &mut self.no_logarithm[slot];
            for value in column_mut(block, slot).iter_mut().filter(|value| value.is_finite()) {
                let moved = transform.apply(*value);
                if moved.is_nan() {
                    *count += 1;
                    *least = least.min(*value);
                }
                // No gap: the table is refused at the end, with all such columns.
                *value = if moved.is_nan() { 0.0 } else { moved };
            }
        }
    }

    /// Notes missing and infinite values of a row and returns how many are missing.
    fn inspect_row(&mut self, block: MatRef<'_, f64>, i: usize, lines: Option<&[u64]>) -> usize {
        let mut gaps = 0;
        for column in 0..block.ncols() {
            let value = block[(i, column)];
            if value.is_finite() {
                continue;
            }
            let line = lines.map(|lines| lines[i]);
            let place = Place { row: self.rows + i as u64, line, column };
            if value.is_nan() {
                gaps += 1;
                self.gaps[column] += 1;
                self.first_missing.get_or_insert(place);
            } else {
                self.infinite.take(column, value);
                self.first_infinite.get_or_insert(place);
            }
        }
        self.missing += gaps as u64;
        gaps
    }

    /// Adds the next piece of the file.
    pub(super) fn append(&mut self, mut later: Self) {
        let shifted = |place: Option<Place>| place.map(|p| p.shifted(self.rows, self.lines));
        self.first_missing = self.first_missing.or(shifted(later.first_missing));
        self.first_infinite = self.first_infinite.or(shifted(later.first_infinite));
        if self.missing == 0 || self.policy != Missing::Error {
            let (rows, lines) = (self.rows, self.lines);
            let later = later.collected.take().expect(UNTAKEN);
            self.gathered().take_later(later, rows, lines);
        }
        self.gaps.iter_mut().zip(later.gaps).for_each(|(gaps, more)| *gaps += more);
        self.infinite.append(&later.infinite);
        for ((count, least), (more, other)) in self.no_logarithm.iter_mut().zip(later.no_logarithm)
        {
            *count += more;
            *least = least.min(other);
        }
        self.rows += later.rows;
        self.lines += later.lines;
        self.dropped += later.dropped;
        self.missing += later.missing;
        self.incomplete.extend(later.incomplete);
    }

    /// Adds the rows of the next file.
    pub(super) fn add(&mut self, later: Self) -> Result<(), Error> {
        self.rounded.extend(later.selection.rounded());
        self.percents.extend(later.selection.percents());
        for note in &later.warnings {
            if !self.warnings.contains(note) {
                self.warnings.push(note.clone());
            }
        }
        self.append(later);
        self.check_room(0)
    }

    /// Refuses rows that there is no room for: those read so far, and `more` that are known to come.
    fn check_room(&self, more: u64) -> Result<(), Error> {
        let incomplete = (self.incomplete.len() / self.selection.names.len().max(1)) as u64;
        let complete =
            if self.selection.purpose.keeps_rows { self.rows - self.dropped + more } else { 0 };
        match complete + incomplete > self.most_rows {
            true => Err(Error::TooManyRows {
                rows: complete + incomplete,
                columns: self.selection.names.len(),
                limit: self.most_rows,
            }),
            false => Ok(()),
        }
    }

    /// Refuses what the policy does not allow.
    pub(super) fn check(&self, policy: Missing) -> Result<(), Error> {
        if let Some(error) = self.infinite_values().filter(|_| !self.selection.purpose.glances) {
            return Err(error.besides(self.missing_values(policy)));
        }
        let named = self.selection.names.iter().zip(&self.no_logarithm);
        let wrong = named.filter(|(_, (count, _))| *count > 0);
        let columns: Vec<_> =
            wrong.map(|(name, &(count, least))| (name.clone(), count, least)).collect();
        if !columns.is_empty() {
            return Err(Error::NoLogarithm { columns });
        }
        self.missing_values(policy).map_or(Ok(()), Err)
    }

    /// What is said of infinite values.
    pub(super) fn infinite_values(&self) -> Option<Error> {
        self.first_infinite.map(|place| Error::Infinite {
            column: shorten(&self.selection.names[place.column], 80),
            row: place.row + 1,
            line: place.line,
            count: self.infinite.counts().iter().sum(),
            others: self.others(place.column, self.infinite.counts()),
            words: self.infinite.words(),
        })
    }

    /// What is said of missing values, where none are allowed.
    fn missing_values(&self, policy: Missing) -> Option<Error> {
        let refused = match policy {
            Missing::Error => true,
            Missing::Auto => self.dropped as f64 > MOST_DROPPED * self.rows as f64,
            Missing::Drop | Missing::Em => false,
        };
        self.first_missing.filter(|_| refused).map(|place| Error::MissingValues {
            column: shorten(&self.selection.names[place.column], 80),
            row: place.row + 1,
            line: place.line,
            count: self.missing,
            others: self.others(place.column, &self.gaps),
            complete: (self.rows - self.dropped, self.rows),
        })
    }

    /// What is said of rows that were left out though nobody asked for it.
    pub(super) fn dropped_note(&self, policy: Missing) -> Option<nocurl::Text> {
        (policy == Missing::Auto && self.dropped > 0)
            .then(|| dropped_note(self.dropped, self.rows, &self.gaps_by_column()))
    }

    /// The columns beside one that have some of what was counted, with how many.
    fn others(&self, first: usize, counts: &[u64]) -> Vec<(String, u64)> {
        let names = self.selection.names.iter().zip(counts).enumerate();
        let others = names.filter(|(j, (_, count))| *j != first && **count > 0);
        others.map(|(_, (name, &count))| (shorten(name, 80), count)).collect()
    }

    /// The columns with gaps, and how many they have.
    pub(super) fn gaps_by_column(&self) -> Vec<(String, u64)> {
        let all = self.selection.names.iter().zip(&self.gaps);
        all.filter(|(_, gaps)| **gaps > 0).map(|(name, &gaps)| (name.clone(), gaps)).collect()
    }

    /// True when a column has no value in any row.
    pub(super) fn has_empty_column(&self) -> bool {
        self.rows > 0 && self.gaps.contains(&self.rows)
    }

    /// Takes out the rows with gaps, as a matrix with NaN in the gaps.
    pub(super) fn take_incomplete(&mut self) -> Mat<f64> {
        let values = std::mem::take(&mut self.incomplete);
        let d = self.selection.names.len();
        Mat::from_fn(values.len() / d, d, |i, j| values[i * d + j])
    }
}

/// Names of both, each once.
fn joined(some: &[String], more: Vec<String>) -> Vec<String> {
    let mut all = [some, &more].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn all_finite(block: MatRef<'_, f64>) -> bool {
    (0..block.ncols()).all(|j| {
        let column = block.col(j).try_as_col_major();
        let column = column.expect("columns of a block are contiguous").as_slice();
        are_finite(column)
    })
}

/// Whether all numbers are finite: zero times those that are is zero. Without an
/// early exit and with several sums, so that the loop is one of vector instructions.
fn are_finite(values: &[f64]) -> bool {
    let (lanes, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for lane in lanes {
        sums.iter_mut().zip(lane).for_each(|(sum, value)| *sum += value * 0.0);
    }
    sums.iter().chain(rest).all(|value| value.is_finite())
}

/// Memory that pieces in flight may take together.
pub(super) const BUDGET: usize = 1 << 30;

/// Pieces to read at a time. It bounds memory and has no influence on the result.
pub(super) fn wave_width(columns: usize, piece_bytes: usize) -> usize {
    width_on(columns, piece_bytes, rayon::current_num_threads())
}

fn width_on(columns: usize, piece_bytes: usize, threads: usize) -> usize {
    let each = piece_bytes.saturating_add(8 * columns * columns);
    (BUDGET / each.max(1)).clamp(1, 2 * threads)
}

/// Files of this many columns that are read at a time: one for each thread, as long as what that takes
/// more is little, and there.
pub(super) fn files_at_once(columns: usize, purpose: Purpose, room: Option<&crate::Room>) -> usize {
    const MORE: usize = BUDGET / 2;
    let threads = rayon::current_num_threads();
    let one = reading_memory(purpose.keeps_rows, columns, threads).at(columns, 0);
    // Rows that are kept are counted file by file.
    let is_there = !purpose.keeps_rows
        && room.is_none_or(|room| one.saturating_add(MORE as u64) <= room.bytes);
    let files = MORE / usize::try_from(one).unwrap_or(usize::MAX).max(1);
    if is_there { (1 + files).min(threads) } else { 1 }
}

/// Memory that reading takes at its peak, from above, on this number of threads: moments of the
/// whole and of the pieces in flight, these pieces, and the sample; or the rows.
pub fn reading_memory(keeps_rows: bool, columns: usize, threads: usize) -> Memory {
    let piece = 8 * piece_rows(columns) * columns;
    let width = width_on(columns, piece, threads) as f64;
    // As bytes and as numbers.
    let pieces = width * 2.0 * piece as f64;
    match keeps_rows {
        // In blocks first, then in one table.
        true => Memory::matrices(2.0).and_tables(2.0).and_bytes(pieces),
        false => {
            let sample = 8.0 * 2.0 * SAMPLE_ROWS as f64 * columns as f64;
            Memory::matrices(1.0 + width).and_bytes(pieces + sample)
        }
    }
}

/// Rows of a piece: enough to make merging two d x d matrices cheap in comparison.
pub(super) fn piece_rows(columns: usize) -> usize {
    ((1 << 20) / columns.max(1)).next_multiple_of(nocurl::moments::BLOCK_ROWS).min(1 << 16)
}

/// Decodes pieces in parallel and appends them in order.
pub(super) fn append_wave<P: Send>(
    total: &mut Assembly,
    pieces: Vec<P>,
    decode: impl Fn(P) -> Result<Assembly, Error> + Sync + Send,
) -> Result<(), Error> {
    if total.selection.purpose.keeps_rows {
        let columns = total.selection.names.len();
        let piece = 8 * piece_rows(columns) as u64 * columns as u64;
        ask("the rows", pieces.len() as u64 * piece)?;
    }
    let parts: Vec<_> = pieces.into_par_iter().map(decode).collect();
    for part in parts {
        let part = part.map_err(|error| error.shifted(total.rows, total.lines))?;
        total.append(part);
    }
    total.check_room(0)
}

/// Reads `rows` rows of `columns` columns in pieces, by a function of the first row and the number
/// of rows.
pub(super) fn by_rows(
    total: &mut Assembly,
    rows: u64,
    columns: usize,
    run: &Run<'_>,
    read: impl Fn(u64, usize) -> Result<Assembly, Error> + Sync + Send,
) -> Result<(), Error> {
    // Without gaps all of them will be kept.
    if matches!(total.policy, Missing::Error | Missing::Auto) {
        total.check_room(rows)?;
    }
    let piece = piece_rows(columns) as u64;
    let width = wave_width(columns, 8 * piece as usize * columns);
    let mut start = 0;
    while start < rows {
        let starts: Vec<u64> = (start..rows).step_by(piece as usize).take(width).collect();
        start = starts.last().map_or(rows, |from| rows.min(from + piece));
        append_wave(total, starts, |from| read(from, piece.min(rows - from) as usize))?;
        report(run, total.rows, Some(rows))?;
    }
    Ok(())
}

/// Reports how far reading is, and stops if asked to.
pub(super) fn report(run: &Run<'_>, done: u64, total: Option<u64>) -> Result<(), Error> {
    run.report(Progress { stage: "reading", done, total, objective: None });
    if run.is_stopped() { Err(nocurl::Error::Cancelled.into()) } else { Ok(()) }
}

/// Codes in place of numbers, and gaps in place of numbers that stand for missing values.
impl Selection {
    fn recode(&self, block: &mut MatMut<'_, f64>) {
        for (slot, value) in self.constants() {
            column_mut(block, slot).fill(value);
        }
        for (slot, coding) in self.codings.iter().enumerate().take(self.positions.len()) {
            if let Some(coding) = coding.as_ref().filter(|_| self.recoded[slot]) {
                coding.of_numbers(column_mut(block, slot));
            }
        }
        if self.absent.is_empty() {
            return;
        }
        for slot in (0..self.names.len()).filter(|&slot| self.codings[slot].is_none()) {
            let absent = |value: &&mut f64| self.absent.contains(*value);
            column_mut(block, slot).iter_mut().filter(absent).for_each(|value| *value = f64::NAN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_that_is_none_is_found_wherever_it_stands() {
        for length in 0..40 {
            let mut values = vec![-1e308; length];
            assert!(are_finite(&values));
            for at in 0..length {
                for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let known = std::mem::replace(&mut values[at], odd);
                    assert!(!are_finite(&values), "{odd} at {at} of {length}");
                    values[at] = known;
                }
            }
        }
    }
}
