//! A training that can be kept and taken up again.

use super::net::Net;
use crate::core::{Error, Keeper, Run, Termination, TrainingState, is_count, unfit};

/// A training so far: how each of its passes ended, and the networks after the last one.
///
/// What a training does next depends on these alone, so it is taken up by going through its
/// decisions again, without the work.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Journal {
    passes: Vec<Pass>,
    nets: Vec<Net>,
}

/// How one run of L-BFGS ended, and what became of the inputs and hidden units after it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Pass {
    pub(crate) iterations: u64,
    pub(crate) evaluations: u64,
    pub(crate) termination: Termination,
    /// Whether its steps, on average, were within the tolerance.
    pub(crate) small: bool,
    /// Whether an input or a hidden unit was taken in.
    pub(crate) grown: bool,
    /// h of the norms; 0 where cycles are not penalised.
    pub(crate) penalty: f64,
}

impl Pass {
    fn is_sound(&self) -> bool {
        let counts = [self.iterations, self.evaluations];
        self.penalty.is_finite() && counts.into_iter().all(is_count)
    }
}

impl Journal {
    pub(crate) fn iterations(&self) -> u64 {
        self.passes.iter().map(|pass| pass.iterations).sum()
    }

    fn is_of(&self, candidates: &[Vec<usize>], hidden: usize) -> bool {
        let fits = |(target, net): (usize, &Net)| net.is_of(target, &candidates[target], hidden);
        let started = self.passes.is_empty() || self.nets.len() == candidates.len();
        started
            && self.nets.len() <= candidates.len()
            && self.nets.iter().enumerate().all(fits)
            && self.passes.iter().all(Pass::is_sound)
    }
}

/// Goes through the passes of a training that was kept, then keeps those that follow.
pub(crate) struct Log<'a> {
    keeper: Option<&'a dyn Keeper>,
    journal: Journal,
    /// Passes gone through again.
    replayed: usize,
}

impl<'a> Log<'a> {
    /// Starts from what the keeper of the run has, if that is of networks with these inputs.
    pub(crate) fn open(
        run: &'a Run<'a>,
        candidates: &[Vec<usize>],
        hidden: usize,
    ) -> Result<Self, Error> {
        let keeper = run.keeper();
        let journal: Journal = match keeper.and_then(Keeper::state) {
            None => Journal::default(),
            Some(state) => state.decode()?,
        };
        if !journal.is_of(candidates, hidden) {
            return Err(unfit());
        }
        Ok(Self { keeper, journal, replayed: 0 })
    }

    /// A log that keeps nothing.
    pub(crate) fn none() -> Self {
        Self { keeper: None, journal: Journal::default(), replayed: 0 }
    }

    /// The next pass that was kept; with the last of them `nets` become what it left.
    pub(crate) fn replay(&mut self, nets: &mut [Net]) -> Option<Pass> {
        let pass = *self.journal.passes.get(self.replayed)?;
        self.replayed += 1;
        if self.replayed == self.journal.passes.len() {
            nets.clone_from_slice(&self.journal.nets);
        }
        Some(pass)
    }

    /// Takes in a pass and keeps it when it is time; keeps what was before it when it failed.
    pub(crate) fn record(
        &mut self,
        pass: Result<Pass, Error>,
        nets: &[Net],
    ) -> Result<Pass, Error> {
        let Some(keeper) = self.keeper else { return pass };
        match pass {
            Ok(pass) => {
                self.journal.passes.push(pass);
                self.replayed += 1;
                self.journal.nets = nets.to_vec();
                if keeper.is_due() {
                    self.keep();
                }
            }
            Err(_) => self.keep(),
        }
        pass
    }

    /// Keeps all that was done.
    pub(crate) fn keep(&self) {
        if let Some(keeper) = self.keeper {
            let done = format!("{} iterations", self.journal.iterations());
            keeper.keep(&TrainingState::new(done, &self.journal));
        }
    }
}
