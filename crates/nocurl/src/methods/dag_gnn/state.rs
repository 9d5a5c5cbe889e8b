//! What a training needs to go on.

use super::adam::Adam;
use super::model::Layout;
use super::schedule::Schedule;
use crate::core::{Error, TrainingState, is_count, unfit};

/// A training between two epochs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Snapshot {
    /// Epochs done.
    pub(crate) epochs: u64,
    pub(super) parameters: Vec<f64>,
    pub(super) adam: Adam,
    pub(super) stage: Stage,
}

/// What is trained now.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub(super) enum Stage {
    /// `dag-gnn`.
    Constrained(Schedule),
    /// Step 1 of `nocurl-gnn`.
    Estimate,
    /// Step 2 of `nocurl-gnn`, with the estimate of step 1 by columns.
    OnPotential(Vec<f64>),
}

impl Snapshot {
    pub(super) fn new(parameters: Vec<f64>, stage: Stage) -> Self {
        let adam = Adam::new(parameters.len());
        Self { epochs: 0, parameters, adam, stage }
    }

    /// What a keeper is given.
    pub(super) fn kept(&self) -> TrainingState {
        TrainingState::new(format!("{} epochs", self.epochs), self)
    }

    /// Refuses a state of another model, or one with numbers that make no sense.
    pub(super) fn check(&self, layout: Layout) -> Result<(), Error> {
        let (size, entries) = (layout.size(), layout.variables * layout.variables);
        let sizes = [&self.parameters, &self.adam.first, &self.adam.second];
        let sound = sizes.iter().all(|part| part.len() == size && finite(part))
            && self.adam.second.iter().all(|&x| x >= 0.0)
            && is_count(self.epochs)
            && is_count(self.adam.steps)
            && match &self.stage {
                Stage::Constrained(schedule) => schedule.is_sound(),
                Stage::Estimate => true,
                Stage::OnPotential(estimate) => estimate.len() == entries && finite(estimate),
            };
        if sound { Ok(()) } else { Err(unfit()) }
    }
}

fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}
