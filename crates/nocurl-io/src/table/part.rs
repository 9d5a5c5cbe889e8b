//! Parts of tables: their moments, some of their rows, and the moments of tables drawn from them.

use std::ops::Range;
use std::sync::Arc;

use nocurl::moments::Replicates;
use nocurl::{Mat, MatMut, Moments, OneHot, Run, Variable, Variables};

use super::collect::{Assembly, Collect};
use super::columns::Selection;
use super::finish::{About, Coded, complete};
use super::kinds::{Coding, Plan};
use super::open::{candidates, read_as};
use super::part_memory::PartBounds;
use super::reading::Reading;
use super::sample::Sample;
use super::survey::{Survey, TableSurvey};
use super::transform::needs_ranks;
use super::{Input, Missing, ReadOptions};
use crate::{Error, Summary};

/// Tables that are drawn from the rows of a part, by [`Replicates`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resample {
    /// Their numbers.
    pub numbers: Range<u64>,
    /// The seed of all of them.
    pub seed: u64,
    /// The number of the part.
    pub part: u64,
}

/// How it is known what the columns of a part are.
#[derive(Debug, Clone, Copy)]
pub enum Kinds<'a> {
    /// By a look at the part, as of a whole table.
    Find,
    /// All of them are numbers; else [`Error::KindsNeeded`] says that all parts must be looked at.
    Numbers,
    /// By a look at all parts.
    Given(&'a [Variable]),
}

/// Looks at the columns of a part, to know what they are in all parts together.
///
/// # Errors
/// Anything wrong with the file.
pub fn read_survey<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<TableSurvey, Error> {
    let options = ReadOptions { part: true, ..options.clone() };
    let reading = Reading::new::<Survey>(&options).of_all();
    let (found, _) = read_as(input.into(), reading, run)?;
    let rows = found.rows;
    Ok(TableSurvey { columns: candidates(found), rows })
}

/// Reads a part of a table: moments of its rows, some of the rows, and where `options.resample` asks
/// for it the moments of tables drawn from them. Any number of rows will do, none too.
///
/// # Errors
/// Anything wrong with the file, or [`Error::KindsNeeded`].
pub fn read_part<'a>(
    input: impl Into<Input<'a>>,
    options: &ReadOptions,
    kinds: Kinds<'_>,
    run: &Run<'_>,
) -> Result<(Summary, Vec<Moments>), Error> {
    if options.standardize || needs_ranks(&options.transform) {
        let reason =
            "ranks and standardised columns need the whole table: leave them out for parts";
        return Err(Error::unsupported("the table", reason));
    }
    if options.condition.is_some() && options.missing == Missing::Em {
        let reason = "missing values are not estimated where there are conditions: leave the rows \
                      out that have some";
        return Err(nocurl::Error::Experiments { reason: reason.into() }.into());
    }
    // What conditions there are must be known beforehand.
    if options.condition.is_some() && matches!(kinds, Kinds::Numbers) {
        return Err(Error::KindsNeeded);
    }
    let bounds = PartBounds::new(options);
    let mut options = ReadOptions { part: true, max_columns: bounds.most, ..options.clone() };
    let plan = match kinds {
        Kinds::Given(variables) => {
            options.columns = Some(variables.iter().map(|v| v.name.clone()).collect());
            options.drop.clear();
            (options.continuous, options.categorical, options.ordinal) = Default::default();
            Some(Plan::of_variables(variables, &options.na))
        }
        Kinds::Find | Kinds::Numbers => None,
    };
    let reading = match (&plan, kinds) {
        (Some(plan), _) => Reading::new::<PartMoments>(&options).with(plan),
        (None, Kinds::Numbers) => Reading::new::<PartMoments>(&options).asking(),
        (None, _) => Reading::new::<PartMoments>(&options),
    };
    let read = read_as(input.into(), reading, run);
    if let Some(plan) = &plan {
        plan.check_levels()?;
    }
    let (found, _) = read.map_err(|error| match (error, kinds) {
        (Error::NotNumeric { .. }, Kinds::Numbers) => Error::KindsNeeded,
        (error, _) => bounds.explain(error),
    })?;
    finish(found, &options, kinds, run)
}

fn finish(
    mut found: Assembly,
    options: &ReadOptions,
    kinds: Kinds<'_>,
    run: &Run<'_>,
) -> Result<(Summary, Vec<Moments>), Error> {
    let incomplete = found.take_incomplete();
    let mut gathered: PartMoments = found.take();
    gathered.draw();
    let PartMoments { moments, sample, resampled, weights, .. } = gathered;
    if let Some(value) = weights.and_then(|weights| weights.wrong) {
        let column = found.selection.names.last().cloned().unwrap_or_default();
        return Err(Error::Weight { column, value });
    }
    if weights.is_some() && options.missing == Missing::Em {
        return Err(Error::unsupported("the table", "gaps are not estimated in weighted rows"));
    }
    let selection = found.selection.without_weights();
    let coded = match kinds {
        Kinds::Given(variables) => Coded::given(variables),
        _ => Coded::new(&selection, |slot| moments.counts(slot), &incomplete),
    };
    let moments = coded.moments(moments);
    if let Some(name) = &options.condition {
        told_apart(&moments, name)?;
    }
    let estimated = options.missing == Missing::Em && incomplete.nrows() > 0;
    let (rows_dropped, missing_values) = (found.dropped, found.missing);
    let about = About::new(&mut found, None);
    let (table, kept) = complete(moments, &incomplete, &coded, about, options, run)?;
    let (_, places) = coded.select(&kept);
    let sample = sample.recoded(&places);
    let summary = Summary {
        moments: table.data,
        sample: sample.bounded(kept.len()),
        rows_dropped,
        missing_values,
        left_out: table.left_out,
        estimated: u64::from(estimated),
    };
    Ok((summary, resampled.map_or_else(Vec::new, |waiting| waiting.totals.moments())))
}

/// Refuses a column of conditions that is none, as one is that the part does not have.
fn told_apart(moments: &Moments, name: &String) -> Result<(), Error> {
    match moments.conditions() {
        Some(_) => Ok(()),
        None if moments.weight() == 0.0 => Ok(()),
        None => {
            let reason = format!("column `{name}` holds no conditions: these are categories");
            Err(nocurl::Error::Experiments { reason }.into())
        }
    }
}

/// Moments, some of the rows, and tables drawn from them.
#[derive(Debug)]
pub(super) struct PartMoments {
    moments: OneHot,
    places: Arc<Vec<Vec<usize>>>,
    sample: Sample,
    weights: Option<Weights>,
    resampled: Option<Waiting>,
}

#[derive(Debug, Clone, Copy)]
struct Weights {
    /// The first that is none.
    wrong: Option<f64>,
}

/// Rows of a piece wait until their place in the part is known.
#[derive(Debug)]
struct Waiting {
    rows: Vec<(Mat<f64>, Option<Vec<f64>>)>,
    totals: Replicates,
}

impl PartMoments {
    /// Draws from the rows that wait.
    fn draw(&mut self) {
        let Some(waiting) = &mut self.resampled else { return };
        let rows = std::mem::take(&mut waiting.rows);
        let blocks: Vec<_> =
            rows.iter().map(|(block, weights)| (block.as_ref(), weights.as_deref())).collect();
        waiting.totals.push_all(&blocks);
    }
}

impl Collect for PartMoments {
    fn start(selection: &Selection) -> Self {
        let own = selection.without_weights();
        let condition = own.told();
        let resampled = selection.resample.clone().map(|wish| {
            let (numbers, seed, part) = (wish.numbers, wish.seed, wish.part);
            let totals = Replicates::new(own.variables(), condition, numbers, seed, part);
            Waiting { rows: Vec::new(), totals }
        });
        Self {
            moments: own.one_hot(),
            places: Arc::clone(&selection.places),
            sample: Sample::default(),
            weights: selection.weight.map(|_| Weights { wrong: None }),
            resampled,
        }
    }

    fn push(&mut self, block: MatMut<'_, f64>) {
        let Some(weights) = &mut self.weights else {
            self.sample.push(block.as_ref());
            if let Some(waiting) = &mut self.resampled {
                waiting.rows.push((block.as_ref().to_owned(), None));
            }
            self.moments.push(block);
            return;
        };
        let last = block.ncols() - 1;
        let mut of_rows: Vec<f64> = block.as_ref().col(last).iter().copied().collect();
        for weight in of_rows.iter_mut().filter(|weight| **weight < 0.0) {
            weights.wrong.get_or_insert(*weight);
            *weight = 0.0;
        }
        let values = block.subcols_mut(0, last);
        self.sample.push_weighted(values.as_ref(), &of_rows);
        if let Some(waiting) = &mut self.resampled {
            waiting.rows.push((values.as_ref().to_owned(), Some(of_rows.clone())));
        }
        self.moments.push_weighted(values, &of_rows);
    }

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.draw();
        self.sample.append(later.sample);
        if let (Some(weights), Some(later)) = (&mut self.weights, later.weights) {
            weights.wrong = weights.wrong.or(later.wrong);
        }
        self.moments.append(later.moments, &self.places);
        if let (Some(waiting), Some(later)) = (&mut self.resampled, later.resampled) {
            waiting.rows.extend(later.rows);
        }
        self.draw();
    }
}

impl Selection {
    /// The columns that are variables.
    pub(super) fn without_weights(&self) -> Self {
        let mut own = self.clone();
        if own.weight.take().is_some() {
            own.names.pop();
            own.positions.pop();
            own.declared.pop();
            own.codings.pop();
            own.recoded.pop();
            own.texts.pop();
            own.transforms.pop();
        }
        own
    }

    /// The column whose levels are told apart, as the conditions of an experiment.
    fn told(&self) -> Option<usize> {
        let discrete = self.discrete();
        // Where there are no rows, columns of levels have none.
        let seen = |slot: usize| !discrete[slot] || !self.places[slot].is_empty();
        self.condition.filter(|&slot| discrete[slot] && (0..discrete.len()).all(seen))
    }

    /// Moments of these columns, of no rows yet.
    pub(super) fn one_hot(&self) -> OneHot {
        match self.told() {
            None => OneHot::new(&self.discrete()),
            Some(slot) => {
                let places = self.places.iter().take(self.names.len());
                OneHot::by_condition(&places.map(Vec::len).collect::<Vec<_>>(), slot)
            }
        }
    }

    /// The variables, with the levels by their codes.
    fn variables(&self) -> Variables {
        let named = self.names.iter().zip(&self.codings).zip(&self.transforms);
        let variable =
            |((name, coding), transform): ((&String, &Option<Arc<Coding>>), &Option<_>)| {
                match coding {
                    None => Variable {
                        transforms: transform.iter().cloned().collect(),
                        ..Variable::continuous(name)
                    },
                    Some(coding) => Variable::with_levels(name, coding.kind, coding.levels.clone()),
                }
            };
        named.map(variable).collect::<Vec<_>>().into()
    }
}
