//! Parameters of both methods.

use crate::core::Error;
use crate::core::memory::{Memory, Size};
use crate::methods::{Directions, Facts, Method, Needs, Proposal, Task, parameters, require};

parameters! {
    /// DAG-GNN: an autoencoder under an acyclicity constraint.
    pub struct DagGnn {
        /// Hidden units of each network.
        hidden: usize = 64, "1 to 65536";
        /// Passes over the rows before the penalty is looked at again.
        epochs: u64 = 300, "from 1";
        /// Learning rate of Adam; divided by log10 of rho and kept between 0.0001 and 0.01.
        learning_rate: f64 = 3e-3, "above 0";
        /// Rows of a step.
        batch: usize = 100, "1 to the rows of the table";
        /// Entries of the matrix smaller than this are no edges.
        threshold: f64 = 0.3, "from 0";
        /// The constraint counts as met when h is at most this.
        penalty_tolerance: f64 = 1e-8, "above 0";
        /// The largest penalty coefficient rho.
        max_penalty: f64 = 1e20, "above 1";
        /// Limit on updates of the multiplier.
        max_rounds: u64 = 100, "from 1";
    }
}

impl Method for DagGnn {
    fn facts(&self) -> Facts {
        Facts {
            name: "dag-gnn",
            class: "DagGNN",
            summary: "nonlinear: autoencoder under an acyclicity constraint (DAG-GNN)",
            directions: Directions::TransformedVariances,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            most_to_check: 10,
            most_to_resample: Some(0),
            reference: "Yu, Chen, Gao and Yu, DAG-GNN, ICML 2019",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        super::memory(self.hidden, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        super::propose(task.problem, task.rows_for("dag-gnn")?, self, task.seed, task.run)
    }
}

impl DagGnn {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.settings().validate()?;
        count("epochs", self.epochs)?;
        positive("penalty_tolerance", self.penalty_tolerance)?;
        let limit = self.max_penalty;
        let reason = "it must be a finite number above 1";
        require("max_penalty", limit, limit > 1.0 && limit.is_finite(), reason)?;
        count("max_rounds", self.max_rounds)
    }

    pub(super) fn settings(&self) -> Settings {
        let Self { hidden, learning_rate, batch, threshold, .. } = *self;
        Settings { hidden, learning_rate, batch, threshold }
    }
}

parameters! {
    /// DAG-GNN with NoCurl: the autoencoder on the order of a potential.
    pub struct NoCurlGnn {
        /// Hidden units of each network.
        hidden: usize = 64, "1 to 65536";
        /// Penalty on cycles while the estimate is trained.
        lambda: f64 = 10.0, "above 0";
        /// Passes over the rows for the estimate.
        estimate_epochs: u64 = 400, "from 1";
        /// Passes over the rows with the potential fixed.
        epochs: u64 = 600, "from 1";
        /// Learning rate of Adam.
        learning_rate: f64 = 3e-3, "above 0";
        /// Rows of a step.
        batch: usize = 100, "1 to the rows of the table";
        /// Entries of the estimate and of the final matrix smaller than this are no edges.
        threshold: f64 = 0.3, "from 0";
    }
}

impl Method for NoCurlGnn {
    fn facts(&self) -> Facts {
        Facts {
            name: "nocurl-gnn",
            class: "NoCurlGNN",
            summary: "nonlinear: autoencoder, Hodge projection to an order, autoencoder on it (DAG-GNN)",
            directions: Directions::TransformedVariances,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            most_to_check: 10,
            most_to_resample: Some(0),
            reference: "Yu, Gao, Yin and Ji, DAGs with no curl, ICML 2021, Algorithm 2",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        super::memory(self.hidden, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        super::propose_with_nocurl(
            task.problem,
            task.rows_for("nocurl-gnn")?,
            self,
            task.seed,
            task.run,
        )
    }
}

impl NoCurlGnn {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.settings().validate()?;
        positive("lambda", self.lambda)?;
        count("estimate_epochs", self.estimate_epochs)?;
        count("epochs", self.epochs)
    }

    pub(super) fn settings(&self) -> Settings {
        let Self { hidden, learning_rate, batch, threshold, .. } = *self;
        Settings { hidden, learning_rate, batch, threshold }
    }
}

/// What both methods train with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) hidden: usize,
    pub(super) learning_rate: f64,
    pub(super) batch: usize,
    pub(super) threshold: f64,
}

impl Settings {
    fn validate(self) -> Result<(), Error> {
        let hidden = 1..=65_536;
        let reason = "it must lie between 1 and 65536";
        require("hidden", self.hidden, hidden.contains(&self.hidden), reason)?;
        positive("learning_rate", self.learning_rate)?;
        count("batch", self.batch as u64)?;
        let threshold = self.threshold;
        let reason = "it must be a finite number that is not negative";
        require("threshold", threshold, threshold >= 0.0 && threshold.is_finite(), reason)
    }
}

fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    require(name, value, value > 0.0 && value.is_finite(), "it must be a finite positive number")
}

fn count(name: &'static str, value: u64) -> Result<(), Error> {
    require(name, value, value >= 1, "at least 1 is needed")
}
