//! Watching and stopping long work.

use std::sync::{Mutex, PoisonError};

use crate::core::{Error, TrainingState};

/// What a long computation tells its observer from time to time.
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

/// Receives progress and may ask for the work to stop.
///
/// `()` is the silent observer that never stops anything.
pub trait Observer: Sync {
    /// Called often; must be cheap.
    fn report(&self, _progress: Progress) {}

    /// Called after each epoch of a training.
    fn trained(&self, _epoch: Epoch) {}

    /// Who keeps the state of a training; methods that do not train never ask.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }

    /// True once the work should stop; it then ends with [`Error::Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// Reports progress and turns a request to stop into [`Error::Cancelled`].
pub(crate) fn checkpoint(observer: &dyn Observer, progress: Progress) -> Result<(), Error> {
    observer.report(progress);
    if observer.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
}

/// Counts work that several threads do and tells the observer, who never sees the count fall.
pub(crate) struct Counter<'a> {
    stage: &'static str,
    done: Mutex<u64>,
    total: u64,
    observer: &'a dyn Observer,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(stage: &'static str, total: usize, observer: &'a dyn Observer) -> Self {
        Self { stage, done: Mutex::new(0), total: total as u64, observer }
    }

    /// Counts units of work just done, and turns a request to stop into [`Error::Cancelled`].
    pub(crate) fn add(&self, units: usize) -> Result<(), Error> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += units as u64;
        let (stage, total) = (self.stage, Some(self.total));
        checkpoint(self.observer, Progress { stage, done: *done, total, objective: None })
    }
}

/// Lets one of many computations be stopped without reports of its own.
pub(crate) struct Quiet<'a>(pub(crate) &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
