//! Parameters of both methods.

use serde::{Deserialize, Serialize};

use crate::core::Error;
use crate::methods::require;

/// Parameters of DAG-GNN.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `hidden` | 64 | hidden units of each network | 1 to 65536 |
/// | `epochs` | 300 | passes over the rows before the penalty is looked at again | >= 1 |
/// | `learning_rate` | 0.003 | of Adam; divided by log10 of rho and kept between 0.0001 and 0.01 | > 0 |
/// | `batch` | 100 | rows of a step | >= 1, at most the rows of the table |
/// | `threshold` | 0.3 | entries of the matrix smaller than this are no edges | >= 0 |
/// | `penalty_tolerance` | 1e-8 | stop when h is at most this | > 0 |
/// | `max_penalty` | 1e20 | stop when rho reaches this | > 1 |
/// | `max_rounds` | 100 | limit on updates of the multiplier | >= 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DagGnnParams {
    /// Hidden units of each network.
    pub hidden: usize,
    /// Passes over the rows for each penalty.
    pub epochs: u64,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// Rows of a step.
    pub batch: usize,
    /// Smallest size of an entry that is an edge.
    pub threshold: f64,
    /// The constraint counts as met when h is at most this.
    pub penalty_tolerance: f64,
    /// The largest penalty coefficient.
    pub max_penalty: f64,
    /// Limit on updates of the multiplier.
    pub max_rounds: u64,
}

impl Default for DagGnnParams {
    fn default() -> Self {
        Self {
            hidden: 64,
            epochs: 300,
            learning_rate: 3e-3,
            batch: 100,
            threshold: 0.3,
            penalty_tolerance: 1e-8,
            max_penalty: 1e20,
            max_rounds: 100,
        }
    }
}

impl DagGnnParams {
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

/// Parameters of DAG-GNN with NoCurl.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `hidden` | 64 | hidden units of each network | 1 to 65536 |
/// | `lambda` | 10 | penalty on cycles while the estimate is trained | > 0 |
/// | `estimate_epochs` | 400 | passes over the rows for the estimate | >= 1 |
/// | `epochs` | 600 | passes over the rows with the potential fixed | >= 1 |
/// | `learning_rate` | 0.003 | of Adam | > 0 |
/// | `batch` | 100 | rows of a step | >= 1, at most the rows of the table |
/// | `threshold` | 0.3 | entries of the estimate and of the final matrix smaller than this are no edges | >= 0 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoCurlGnnParams {
    /// Hidden units of each network.
    pub hidden: usize,
    /// Penalty of the estimate.
    pub lambda: f64,
    /// Passes over the rows for the estimate.
    pub estimate_epochs: u64,
    /// Passes over the rows with the potential fixed.
    pub epochs: u64,
    /// Learning rate of Adam.
    pub learning_rate: f64,
    /// Rows of a step.
    pub batch: usize,
    /// Smallest size of an entry that is an edge.
    pub threshold: f64,
}

impl Default for NoCurlGnnParams {
    fn default() -> Self {
        Self {
            hidden: 64,
            lambda: 10.0,
            estimate_epochs: 400,
            epochs: 600,
            learning_rate: 3e-3,
            batch: 100,
            threshold: 0.3,
        }
    }
}

impl NoCurlGnnParams {
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
