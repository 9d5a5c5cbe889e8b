//! A keeper of trainings, for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use nocurl::{Epoch, Keeper, Run, TrainingState};

/// Keeps every state that is due, goes on from one, and may stop the work.
#[derive(Default)]
pub(crate) struct Notebook {
    pub(crate) from: Option<TrainingState>,
    pub(crate) states: Mutex<Vec<TrainingState>>,
    pub(crate) epochs: Mutex<Vec<Epoch>>,
    pub(crate) asked: AtomicUsize,
    pub(crate) stop_at: Option<usize>,
}

impl Keeper for Notebook {
    fn state(&self) -> Option<TrainingState> {
        self.from.clone()
    }

    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, state: &TrainingState) {
        self.states.lock().unwrap().push(state.clone());
    }
}

impl Notebook {
    /// Work that is written down here, kept here and stopped by it.
    pub(crate) fn run(&self) -> Run<'_> {
        Run::default().watched_by(self).stopped_by(self).kept_by(self)
    }
}

impl nocurl::Watch for Notebook {
    fn trained(&self, epoch: Epoch) {
        self.epochs.lock().unwrap().push(epoch);
    }
}

impl nocurl::Stop for Notebook {
    fn is_stopped(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.stop_at.is_some_and(|at| asked >= at)
    }
}

/// A state as it comes back from a file.
pub(crate) fn written_and_read(state: &TrainingState) -> TrainingState {
    serde_json::from_str(&serde_json::to_string(state).unwrap()).unwrap()
}
