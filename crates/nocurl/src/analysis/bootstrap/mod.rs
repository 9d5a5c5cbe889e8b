//! How much of a graph would be found again: learning on resampled data.
//!
//! Each replicate draws a table like the one given, learns from it with the same options, and is
//! counted (Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993; for networks Friedman,
//! Goldszmidt and Wyner, *Data analysis with Bayesian networks: a bootstrap approach*, 1999). What
//! is found in most replicates does not hang on a few rows. That is all it says: replicates share
//! the assumptions of the method, so a direction that these get wrong is wrong in all of them.
//! Scores that count rows, as BIC does, meet repeated rows in a replicate and tend to keep more
//! edges there than in the data (Steck and Jaakkola, 2003).

mod calibration;
mod confidence;
mod consensus;
mod learnt;
mod resample;
mod tally;

use std::collections::BTreeMap;

use crate::analysis::treatments::treatments;
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Dag, Data, Error, Moments, Run, Stop, Work};
use crate::math::levels_seen;
use crate::pipeline::{Fit, Options, learn, learn_from};
use learnt::placed;
use resample::Resampler;
use tally::{Replicate, Tally};

pub use calibration::Calibration;
pub use confidence::{Confidence, DETERMINED_LEVEL};
pub use learnt::Learnt;
pub use resample::wishart;

/// More replicates than this are taken for a slip of the hand.
pub const MOST_REPLICATES: usize = 1_000_000;

/// How to resample.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `replicates` | 100 | tables drawn and learnt from | 2 to 1,000,000 |
/// | `level` | 0.95 | share of replicates inside an interval | above 0, below 1 |
/// | `paths` | true | count directed paths and total effects as well | |
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BootstrapParams {
    /// Tables drawn and learnt from.
    pub replicates: usize,
    /// Share of replicates inside an interval.
    pub level: f64,
    /// Whether directed paths and total effects are counted too: one number for every effect of
    /// every replicate.
    pub paths: bool,
}

impl Default for BootstrapParams {
    fn default() -> Self {
        Self { replicates: 100, level: 0.95, paths: true }
    }
}

impl BootstrapParams {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first one outside its range.
    pub fn validate(&self) -> Result<(), Error> {
        let parameter = |name, value: String, reason| Err(Error::Parameter { name, value, reason });
        if !(2..=MOST_REPLICATES).contains(&self.replicates) {
            let reason = "between 2 and 1000000 are possible, some hundred are usual";
            return parameter("replicates", self.replicates.to_string(), reason);
        }
        if !(self.level > 0.0 && self.level < 1.0) {
            return parameter("level", self.level.to_string(), "it must lie between 0 and 1");
        }
        Ok(())
    }
}

/// Where the tables of the replicates come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Kind {
    /// Rows of the data, drawn with replacement.
    Rows,
    /// A Gaussian law with the moments of the data, where only these are there.
    Gaussian,
}

/// From the lower to the upper percentile of some values, both interpolated linearly between
/// neighbours; the percentile interval of Efron and Tibshirani (1993), chapter 13.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// Two variables that are adjacent in some replicate. Frequencies are shares of the replicates that
/// did not fail; none is above [`Confidence::most`].
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Where the more frequent direction starts; of two equally frequent ones, the smaller index.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Frequency of `from -> to` as a determined direction.
    pub forward: f64,
    /// Frequency of `to -> from`.
    pub backward: f64,
    /// Frequency of an edge whose direction is undetermined.
    pub undirected: f64,
    /// Frequency of an edge of any kind: the sum of the three, as far as that is allowed.
    pub adjacent: f64,
    /// Weights of `from -> to` over the replicates whose graph has it, determined or not.
    pub weight: Option<Interval>,
    /// Weights of `to -> from` in the same way.
    pub weight_backward: Option<Interval>,
}

/// An ordered pair of variables with a directed path between them in some replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Where the paths start.
    pub from: usize,
    /// Where they end.
    pub to: usize,
    /// Share of replicates with a path of edges whose directions are determined.
    pub ancestor: f64,
    /// Total effects over all replicates, 0 in those whose graph has no path; undetermined
    /// directions are taken as the replicate's graph has them.
    pub effect: Interval,
}

/// What the replicates had in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// Where the tables came from.
    pub kind: Kind,
    /// Number of variables.
    pub variables: usize,
    /// Replicates asked for.
    pub asked: usize,
    /// Replicates drawn: as many as were asked for, or as there was time for.
    pub replicates: usize,
    /// Replicates that could not be learnt from, for example because a column was constant.
    pub failed: usize,
    /// Why the first of these failed.
    pub first_error: Option<Error>,
    /// Share of replicates inside an interval.
    pub level: f64,
    /// All pairs that are adjacent in some replicate, by the smaller and then the larger index.
    pub pairs: Vec<Pair>,
    /// All ordered pairs with a path in some replicate, by `from`, then by `to`; empty where these
    /// were not asked for.
    pub paths: Vec<Path>,
    /// What the frequencies are worth, where that was measured for the method.
    pub calibration: Option<Calibration>,
    /// The share of replicates in which a condition (by its level) acts directly on a variable
    /// ([`crate::treatments`]).
    pub treatments: BTreeMap<(usize, usize), f64>,
    /// The classes of the replicates, the most frequent first; of up to 100 variables.
    pub classes: Vec<CountedClass>,
}

impl Bootstrap {
    /// Replicates that were learnt from.
    pub fn learnt(&self) -> usize {
        self.replicates - self.failed
    }
}

/// A class that replicates gave.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedClass {
    /// Edges whose direction is determined.
    pub directed: Vec<(usize, usize)>,
    /// The others.
    pub undirected: Vec<(usize, usize)>,
    /// Replicates that gave it.
    pub count: usize,
}

/// Memory that resampling takes at its peak, from above, without the data itself: a table for each
/// thread, and what the replicates have found.
pub fn memory(options: &Options, params: &BootstrapParams, size: &Size) -> Memory {
    let one = options.memory(&Size { threads: 1, ..*size });
    let drawn = Memory::default()
        .and_tables(f64::from(u8::from(options.needs_rows() || options.uses_error_shape())))
        .and_bytes(4.0 * size.rows as f64);
    // A pair that has something takes as much as it has from a dozen replicates.
    let found = Memory::matrices(0.75 * params.replicates.max(12) as f64 + 4.0);
    one.plus(drawn).times(size.threads as f64).plus(found)
}

/// Learns from `params.replicates` resampled tables and counts what they have in common.
///
/// From rows (`&Dataset`) each replicate draws as many rows with replacement; linear methods see
/// only the moments of the drawn rows, without a copy. From `&Moments` each draws the moments that
/// as many rows of a Gaussian law would have ([`wishart`]). Conditions of an experiment are resampled
/// one by one, so that each keeps its number of rows. Every replicate has a random stream of
/// its own, from `options.seed` and its number, and replicates are counted in order: the result does
/// not depend on threads.
///
/// Cost: `replicates` times that of [`learn`], of the total effects (O(d m)) and, from rows, one pass
/// over them. Memory: O(d^2) and n counts for each thread (a table for each thread if the method
/// needs rows), and one number for every edge and every nonzero effect of every replicate.
///
/// ```
/// use nocurl::Run;
/// use nocurl::bootstrap::{BootstrapParams, bootstrap};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::Options;
/// let simulated = simulate(&Simulation { variables: 5, ..Simulation::default() }, 1)?;
/// let params = BootstrapParams { replicates: 20, ..BootstrapParams::default() };
/// let found = bootstrap(&simulated.data, &Options::default(), &params, &Run::default())?;
/// assert!(found.pairs.iter().all(|pair| pair.adjacent <= 1.0));
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// Parameters out of range, data that no replicate could be learnt from, more than half of the
/// replicates failing, or a request to stop.
pub fn bootstrap<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    params: &BootstrapParams,
    run: &Run<'_>,
) -> Result<Bootstrap, Error> {
    replicate(data.into(), options, params, Start::default(), run)
}

/// Where replicates start, and what ends them early; by default each is learnt from nothing, and
/// all are.
#[derive(Clone, Copy, Default)]
pub struct Start<'a> {
    /// The graph that was learnt from the data itself: methods that can go on from it
    /// ([`Method::warm`](crate::methods::Method::warm)) take a fraction of the time.
    pub from: Option<&'a Dag>,
    /// Operations that all replicates may take ([`Work`]): those are counted that end within it, in
    /// order. How many that are depends on no clock and no number of threads.
    pub budget: Option<u64>,
    /// Asked all the time; once it says stop, the replicates before that one are what there is.
    /// The first replicates are the same however many follow.
    pub enough: Option<&'a dyn Stop>,
    /// The moments of resampled tables that somebody else has drawn, as
    /// [`Replicates`](crate::moments::Replicates) does; without any they are drawn here.
    pub drawn: Option<&'a [Moments]>,
    /// What was learnt from the first of these elsewhere, by [`learn_again`]; the others, and those
    /// with nothing, are learnt here.
    pub learnt: &'a [Option<Learnt>],
}

/// As [`bootstrap`], with a [`Start`].
///
/// # Errors
/// As [`bootstrap`]. That not one replicate was learnt in time is no error.
pub fn bootstrap_from<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    params: &BootstrapParams,
    start: Start<'_>,
    run: &Run<'_>,
) -> Result<Bootstrap, Error> {
    replicate(data.into(), options, params, start, run)
}

fn replicate(
    data: Data<'_>,
    options: &Options,
    params: &BootstrapParams,
    start: Start<'_>,
    run: &Run<'_>,
) -> Result<Bootstrap, Error> {
    params.validate()?;
    let rows = data.moments().rows();
    let resampler = match start.drawn {
        Some(drawn) => Resampler::drawn(drawn, options)?,
        None => Resampler::new(data, options)?,
    };
    if let Some(drawn) = start.drawn.filter(|drawn| drawn.len() < params.replicates) {
        let (found, expected) = (drawn.len(), params.replicates);
        let what = "resampled tables that were drawn";
        return Err(Error::Lengths { what, found, of: "tables that are asked for", expected });
    }
    let variables = resampler.columns();
    let streams = resample::streams(options.seed, params.replicates);
    let counter = Counter::new("learning from resampled data", params.replicates, run);
    let quiet = run.quiet();
    let usual = resampler.operations() + fit_operations(variables);
    let conditions = match options.experiments.resolve(data.moments().variables())? {
        None => Vec::new(),
        Some(told) => {
            levels_seen(&data.moments()).variables().list()[told.condition].levels.clone()
        }
    };
    let again = |data: Data<'_>, quiet: &Run<'_>| {
        let fit = match start.from {
            Some(dag) => learn_from(data, options, dag, quiet)?,
            None => learn(data, options, quiet)?,
        };
        let acts_on = placed(&acting(data, options, &fit)?, &conditions);
        Ok(Replicate::new(fit.dag, fit.determined, acts_on, params.paths))
    };
    let mut tally = Tally::new(variables);
    let (mut done, mut failed, mut first_error) = (0, 0, None);
    let mut left = start.budget;
    // No more tables than threads are there at a time, also when a thread that waits takes up
    // another replicate.
    let numbered: Vec<_> = streams.into_iter().enumerate().collect();
    'all: for batch in numbered.chunks(threads().max(1)) {
        let outcomes: Vec<(Result<Replicate, Error>, u64)> = batch
            .par_iter()
            .map(|(number, stream)| {
                if let Some(Some(learnt)) = start.learnt.get(*number) {
                    let replicate = learnt.replicate(variables, &conditions, params.paths);
                    return (replicate, usual + learnt.operations);
                }
                let work = Work::default();
                let most = left.map(|left| left.saturating_sub(usual));
                let late = Late { run: &quiet, enough: start.enough, work: &work, most };
                let run = quiet.stopped_by(&late).counted_by(&work);
                let outcome = resampler.draw(*number, stream.clone(), |data| again(data, &run));
                // What parallel parts had done when one of them failed depends on the threads.
                let failed = matches!(&outcome, Err(error) if *error != Error::Cancelled);
                (outcome, usual + if failed { 0 } else { work.done() })
            })
            .collect();
        for (outcome, operations) in outcomes {
            if let Some(budget) = &mut left {
                match budget.checked_sub(operations) {
                    Some(rest) => *budget = rest,
                    None if run.is_stopped() => return Err(Error::Cancelled),
                    None => break 'all,
                }
            }
            match outcome {
                Ok(replicate) => tally.add(&replicate),
                Err(Error::Cancelled) if !run.is_stopped() => break 'all,
                // The machine's doing, not the replicate's.
                Err(error @ (Error::Cancelled | Error::OutOfMemory { .. })) => return Err(error),
                Err(error) => {
                    failed += 1;
                    first_error.get_or_insert(error);
                }
            }
            done += 1;
        }
        counter.add(batch.len())?;
    }
    if let Some(error) = first_error.as_ref().filter(|_| 2 * failed > done) {
        let (replicates, first) = (done, Box::new(error.clone()));
        return Err(Error::BootstrapFailed { failed, replicates, first });
    }
    Ok(Bootstrap {
        kind: resampler.kind(),
        variables,
        asked: params.replicates,
        replicates: done,
        failed,
        first_error,
        level: params.level,
        paths: tally.paths(params.level),
        pairs: tally.pairs(params.level),
        treatments: tally.treatments(),
        classes: tally.classes(),
        calibration: Calibration::of(options, rows, variables, done - failed),
    })
}

/// Learns from the moments of one resampled table, starting from the graph of the data itself: what
/// [`Start::learnt`] takes.
///
/// # Errors
/// As [`learn`].
pub fn learn_again(
    drawn: &Moments,
    options: &Options,
    from: &Dag,
    run: &Run<'_>,
) -> Result<Learnt, Error> {
    let work = Work::default();
    let fit = learn_from(drawn.into(), options, from, &run.counted_by(&work))?;
    let learnt = Learnt::new(&fit.dag, &fit.determined, acting(drawn.into(), options, &fit)?);
    Ok(Learnt { operations: work.done(), ..learnt })
}

/// The conditions of a resampled table, with the variables that they act on directly.
fn acting(data: Data<'_>, options: &Options, fit: &Fit) -> Result<Vec<(String, usize)>, Error> {
    let Some(told) = options.experiments.resolve(&fit.variables)? else { return Ok(Vec::new()) };
    let levels = &fit.variables.list()[told.condition].levels;
    let found = treatments(data, options, fit)?;
    Ok(found.into_iter().map(|one| (levels[one.condition].clone(), one.variable)).collect())
}

/// Operations of what every method does with a table of so many variables.
fn fit_operations(variables: usize) -> u64 {
    (variables as u64).pow(3)
}

/// Stops a replicate when the user asks for it, when there are enough, or when it takes more work than
/// is left.
struct Late<'a> {
    run: &'a Run<'a>,
    enough: Option<&'a dyn Stop>,
    work: &'a Work,
    most: Option<u64>,
}

impl Stop for Late<'_> {
    fn is_stopped(&self) -> bool {
        self.run.is_stopped()
            || self.enough.is_some_and(Stop::is_stopped)
            || self.most.is_some_and(|most| self.work.done() > most)
    }
}
