//! A training that is kept in a file while it goes on.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nocurl::{Action, Data, Keeper, Options, Text, TrainingState};

use super::{TrainingRun, read_checkpoint, write_checkpoint};
use crate::Error;

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(30);

/// Keeps a training in a file.
pub struct Kept<'a> {
    path: &'a Path,
    run: TrainingRun,
    state: Option<TrainingState>,
    written: Mutex<Written>,
}

/// What has become of the file.
struct Written {
    when: Instant,
    /// How far the training in the file is, or why the last write failed.
    outcome: Option<Result<String, String>>,
}

impl<'a> Kept<'a> {
    /// Goes on from the file where there is one; refuses it where it does not fit.
    pub fn open(path: &'a Path, data: Data<'_>, options: &Options) -> Result<Self, Error> {
        let run = TrainingRun::new(data, options);
        let state = read_checkpoint(path, &run)?;
        let written = Mutex::new(Written { when: Instant::now(), outcome: None });
        Ok(Self { path, run, state, written })
    }

    /// What is to be said when the file could not be written.
    pub fn warning(&self) -> Option<Text> {
        let reason = self.outcome()?.err()?;
        Some(format!("the training was not kept: {reason}").into())
    }

    /// The error of a training, with what is left of it.
    pub fn error(&self, error: nocurl::Error) -> Error {
        let path = self.path.display();
        match (error, self.outcome()) {
            (nocurl::Error::Cancelled, Some(Ok(done))) => Error::Stopped {
                left: Text::new(format!("{done} are kept in `{path}`; "))
                    .act(Action::Repeat)
                    .say(" to go on from there"),
            },
            (nocurl::Error::Cancelled, Some(Err(reason))) => {
                Error::Stopped { left: format!("the training was not kept: {reason}").into() }
            }
            (
                reason @ (nocurl::Error::Diverged { .. } | nocurl::Error::OutOfRange { .. }),
                Some(Ok(done)),
            ) => {
                let left = format!("the {done} before are kept in `{path}`");
                Error::Diverged { reason: Box::new(reason), left }
            }
            (error, _) => error.into(),
        }
    }

    fn outcome(&self) -> Option<Result<String, String>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).outcome.clone()
    }
}

impl Keeper for Kept<'_> {
    fn state(&self) -> Option<TrainingState> {
        self.state.clone()
    }

    fn is_due(&self) -> bool {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.when.elapsed() >= INTERVAL
    }

    fn keep(&self, state: &TrainingState) {
        let outcome = write_checkpoint(self.path, &self.run, state);
        let outcome = outcome.map(|()| state.done().to_string()).map_err(|error| error.to_string());
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        *written = Written { when: Instant::now(), outcome: Some(outcome) };
    }
}
