//! Long work: watching it, stopping it, keeping what it has reached, and doing parts of it elsewhere.
//! Each by itself, so that a caller gives only those it wants.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Error, Fitters, TrainingState};

/// What a long computation reports from time to time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The stage of the pipeline, in a few words a user understands.
    pub stage: &'static str,
    /// Units of work done in this stage.
    pub done: u64,
    /// Units of work in this stage, where known beforehand.
    pub total: Option<u64>,
    /// Value of the objective, where the stage minimises one.
    pub objective: Option<f64>,
}

/// How a training stands after an epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Epoch {
    /// Counted from 1.
    pub number: u64,
    /// The evidence lower bound of a row on average, up to a constant.
    pub elbo: f64,
    /// The penalty h of the matrix; 0 where it cannot have a cycle.
    pub acyclicity: f64,
    /// Edges that the threshold leaves.
    pub edges: usize,
}

/// Receives progress.
pub trait Watch: Sync {
    /// Called often; must be cheap.
    fn report(&self, _progress: Progress) {}

    /// Called after each epoch of a training.
    fn trained(&self, _epoch: Epoch) {}
}

/// Asks for work to stop.
pub trait Stop: Sync {
    /// True once the work should stop; it then ends with [`Error::Cancelled`]. Called often; must
    /// be cheap.
    fn is_stopped(&self) -> bool;
}

impl Stop for AtomicBool {
    fn is_stopped(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// Counts the operations of a piece of work: about a multiplication each, by what the work does and
/// not by a clock. So work that is limited by it ends at the same place on every machine.
#[derive(Debug, Default)]
pub struct Work(AtomicU64);

impl Work {
    /// Operations so far.
    pub fn done(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, operations: u64) {
        self.0.fetch_add(operations, Ordering::Relaxed);
    }
}

/// Keeps the state of a training, so that it can go on at another time.
pub trait Keeper: Sync {
    /// The state to go on from; none starts afresh.
    fn state(&self) -> Option<TrainingState>;

    /// Asked after each epoch or pass: true when the state should be kept now.
    fn is_due(&self) -> bool;

    /// Keeps the state between two epochs or passes: when it is due, when training is over, and
    /// when it is stopped or diverges, which leaves the state before that epoch or pass.
    fn keep(&self, state: &TrainingState);
}

/// Who watches a piece of work, who may stop it, who keeps its state, and who does its fits elsewhere;
/// by default nobody.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::{Error, Options, Run, learn};
/// let stop = AtomicBool::new(true);
/// let data = simulate(&Simulation::default(), 1)?.data;
/// let run = Run::default().stopped_by(&stop);
/// assert_eq!(learn(&data, &Options::default(), &run).unwrap_err(), Error::Cancelled);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Run<'a> {
    watch: Option<&'a dyn Watch>,
    stop: Option<&'a dyn Stop>,
    keeper: Option<&'a dyn Keeper>,
    fitters: Option<&'a dyn Fitters>,
    work: Option<&'a Work>,
}

impl<'a> Run<'a> {
    /// Work that nobody watches, stops or keeps.
    pub const ALONE: Run<'static> =
        Run { watch: None, stop: None, keeper: None, fitters: None, work: None };

    /// The same work, watched.
    pub fn watched_by(self, watch: &'a dyn Watch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// The same work, which can be stopped.
    pub fn stopped_by(self, stop: &'a dyn Stop) -> Self {
        Self { stop: Some(stop), ..self }
    }

    /// The same work, whose state is kept; methods that do not train never ask.
    pub fn kept_by(self, keeper: &'a dyn Keeper) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    /// The same work, whose fits are done elsewhere; methods without such fits never ask.
    pub fn fitted_by(self, fitters: &'a dyn Fitters) -> Self {
        Self { fitters: Some(fitters), ..self }
    }

    /// The same work, whose operations are counted.
    pub fn counted_by(self, work: &'a Work) -> Self {
        Self { work: Some(work), ..self }
    }

    /// One of many computations: it can be stopped, and is done here, without reports and a keeper of
    /// its own.
    pub fn quiet(&self) -> Self {
        Self { watch: None, keeper: None, fitters: None, ..*self }
    }

    /// The same work, whose state nobody keeps.
    pub fn unkept(&self) -> Self {
        Self { keeper: None, ..*self }
    }

    /// Reports progress.
    pub fn report(&self, progress: Progress) {
        if let Some(watch) = self.watch {
            watch.report(progress);
        }
    }

    /// Counts operations of what was just done.
    pub fn worked(&self, operations: f64) {
        if let Some(work) = self.work {
            work.add(operations as u64);
        }
    }

    /// Reports an epoch of a training.
    pub fn trained(&self, epoch: Epoch) {
        if let Some(watch) = self.watch {
            watch.trained(epoch);
        }
    }

    /// True once the work should stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(Stop::is_stopped)
    }

    /// Who keeps the state of a training.
    pub fn keeper(&self) -> Option<&'a dyn Keeper> {
        self.keeper
    }

    /// Who does fits elsewhere.
    pub fn fitters(&self) -> Option<&'a dyn Fitters> {
        self.fitters
    }

    /// Reports progress and turns a request to stop into an error.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn step(&self, progress: Progress) -> Result<(), Error> {
        self.report(progress);
        if self.is_stopped() { Err(Error::Cancelled) } else { Ok(()) }
    }
}

/// Counts work that several threads do and reports it; the count never falls.
pub(crate) struct Counter<'a> {
    stage: &'static str,
    done: Mutex<u64>,
    total: u64,
    /// Operations of a unit.
    each: f64,
    run: &'a Run<'a>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(stage: &'static str, total: usize, run: &'a Run<'a>) -> Self {
        Self { stage, done: Mutex::new(0), total: total as u64, each: 0.0, run }
    }

    /// The same with so many operations in a unit of work.
    pub(crate) fn of(self, operations: f64) -> Self {
        Self { each: operations, ..self }
    }

    /// Counts units of work just done, and turns a request to stop into [`Error::Cancelled`].
    pub(crate) fn add(&self, units: usize) -> Result<(), Error> {
        self.run.worked(units as f64 * self.each);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += units as u64;
        let (stage, total) = (self.stage, Some(self.total));
        self.run.step(Progress { stage, done: *done, total, objective: None })
    }
}
