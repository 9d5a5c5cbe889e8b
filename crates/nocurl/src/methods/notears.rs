//! NOTEARS: least squares under an acyclicity constraint, by an augmented Lagrangian.

use serde::{Deserialize, Serialize};

use super::{Problem, Proposal, require};
use crate::core::graph::Reachability;
use crate::core::{Error, Mat, Observer, Order};
use crate::math::hodge;
use crate::math::objective::Acyclicity;
use crate::math::optimize::{Lagrangian, Penalised, Solver};
use crate::math::regress::cut_cycles;

/// Parameters of NOTEARS.
///
/// Minimises `F(A) + lambda1 ||A||_1` subject to `h(A) = 0`.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `lambda1` | 0 | the L1 penalty (the paper's tables use none) | >= 0 |
/// | `acyclicity` | polynomial | the constraint h | |
/// | `solver` | ridge | minimiser of the subproblems; with an L1 penalty always `lbfgs` | |
/// | `penalty_tolerance` | 1e-8 | stop when h is at most this | > 0 |
/// | `max_penalty` | 1e16 | stop when rho reaches this | > 1 |
/// | `max_rounds` | 100 | limit on updates of the multiplier | >= 1 |
/// | `tolerance` | 1e-8 | relative decrease at which a subproblem stops | > 0 |
/// | `max_iterations` | 15000 | limit on iterations of a subproblem | >= 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NotearsParams {
    /// The L1 penalty.
    pub lambda1: f64,
    /// The acyclicity constraint.
    pub acyclicity: Acyclicity,
    /// The minimiser of the subproblems.
    pub solver: Solver,
    /// The constraint counts as met when h is at most this.
    pub penalty_tolerance: f64,
    /// The largest penalty coefficient.
    pub max_penalty: f64,
    /// Limit on updates of the multiplier.
    pub max_rounds: u64,
    /// Relative decrease of the objective at which a subproblem stops.
    pub tolerance: f64,
    /// Limit on the iterations of a subproblem.
    pub max_iterations: u64,
}

impl Default for NotearsParams {
    fn default() -> Self {
        Self {
            lambda1: 0.0,
            acyclicity: Acyclicity::Polynomial,
            solver: Solver::Ridge,
            penalty_tolerance: 1e-8,
            max_penalty: 1e16,
            max_rounds: 100,
            tolerance: 1e-8,
            max_iterations: 15_000,
        }
    }
}

impl NotearsParams {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        let lambda1 = self.lambda1;
        let reason = "it must be a finite number that is not negative";
        require("lambda1", lambda1, lambda1 >= 0.0 && lambda1.is_finite(), reason)?;
        let positive = "it must be positive";
        require(
            "penalty_tolerance",
            self.penalty_tolerance,
            self.penalty_tolerance > 0.0,
            positive,
        )?;
        let limit = self.max_penalty;
        let reason = "it must be a finite number above 1";
        require("max_penalty", limit, limit > 1.0 && limit.is_finite(), reason)?;
        require("max_rounds", self.max_rounds, self.max_rounds >= 1, "at least 1 is needed")?;
        require("tolerance", self.tolerance, self.tolerance > 0.0, positive)?;
        require(
            "max_iterations",
            self.max_iterations,
            self.max_iterations >= 1,
            "at least 1 is needed",
        )
    }
}

/// Learns weights by NOTEARS (Zheng, Aragam, Ravikumar and Xing, 2018).
///
/// # Errors
/// Parameters out of range, moments that are not finite, or cancellation.
pub(super) fn propose(
    problem: &Problem,
    params: &NotearsParams,
    observer: &dyn Observer,
) -> Result<Proposal, Error> {
    params.validate()?;
    let d = problem.size();
    let penalised = Penalised {
        second_moments: problem.second_moments(),
        acyclicity: params.acyclicity,
        lambda1: params.lambda1,
        solver: params.solver,
        tolerance: params.tolerance,
        max_iterations: params.max_iterations,
        knowledge: problem.knowledge(),
    };
    let mut weights = Mat::zeros(d, d);
    let lagrangian = Lagrangian {
        penalty_tolerance: params.penalty_tolerance,
        max_penalty: params.max_penalty,
        max_rounds: params.max_rounds,
        restarts: true,
    };
    let info = lagrangian.minimise(&mut weights, |multiplier, weights| {
        penalised.minimise(multiplier, weights, observer)
    })?;
    cut_cycles(&mut weights);
    let potential = hodge::potential(&Reachability::new(weights.as_ref()));
    Ok(Proposal {
        order: Order::from_potential(&potential),
        potential: Some(potential),
        weights: Some(weights),
        estimate: None,
        iterations: info.iterations,
        evaluations: info.evaluations,
        termination: info.termination,
        warnings: Vec::new(),
    })
}
