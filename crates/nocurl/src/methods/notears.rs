//! NOTEARS: least squares under an acyclicity constraint, by an augmented Lagrangian.

use super::{Facts, Method, Proposal, Task, by_condition, parameters, require};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::{Error, Mat, Order, Run};
use crate::math::objective::{Acyclicity, Grams};
use crate::math::optimize::{Lagrangian, Penalised, Solver, factors};
use crate::math::regress::cut_cycles;
use crate::math::{Problem, hodge};

parameters! {
    /// NOTEARS: least squares under an acyclicity constraint.
    ///
    /// Minimises `F(A) + lambda1 ||A||_1` subject to `h(A) = 0`.
    pub struct Notears {
        /// The L1 penalty; the paper's tables use none.
        lambda1: f64 = 0.0, "from 0";
        /// The acyclicity constraint h.
        acyclicity: Acyclicity = Acyclicity::Polynomial, "`polynomial`, `exponential`, `log-det`";
        /// The minimiser of the subproblems; with an L1 penalty always `lbfgs`.
        solver: Solver = Solver::Ridge, "`ridge`, `lbfgs`";
        /// The constraint counts as met when h is at most this.
        penalty_tolerance: f64 = 1e-8, "above 0";
        /// The largest penalty coefficient rho.
        max_penalty: f64 = 1e16, "above 1";
        /// Limit on updates of the multiplier.
        max_rounds: u64 = 100, "from 1";
        /// Relative decrease of the objective at which a subproblem stops.
        tolerance: f64 = 1e-8, "above 0";
        /// Limit on the iterations of a subproblem.
        max_iterations: u64 = 15_000, "from 1";
    }
}

impl Method for Notears {
    fn facts(&self) -> Facts {
        Facts {
            name: "notears",
            class: "Notears",
            summary: "least squares under a smooth acyclicity constraint (NOTEARS)",
            experiments: true,
            most_to_check: 100,
            reference: "Zheng, Aragam, Ravikumar and Xing, DAGs with NO TEARS, NeurIPS 2018",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // The history of the minimiser, or its factors.
        Memory::matrices(40.0 + factors(size.variables))
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, self, task.run)
    }
}

impl Notears {
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
    params: &Notears,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    match problem.experiments() {
        None => by_moments(problem, problem.second_moments().into(), params, run),
        Some(experiments) => by_condition::propose(problem, experiments, |grams| {
            by_moments(problem, grams, params, run)
        }),
    }
}

fn by_moments(
    problem: &Problem,
    second_moments: Grams<'_>,
    params: &Notears,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let d = problem.size();
    let penalised = Penalised {
        second_moments,
        unit: second_moments.unit(d),
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
        penalised.minimise(multiplier, weights, run)
    })?;
    cut_cycles(&mut weights);
    let potential = hodge::potential(&Reachability::new(weights.as_ref()));
    Ok(Proposal {
        search: None,
        order: Order::from_potential(&potential),
        potential: Some(potential),
        graph: None,
        weights: Some(weights),
        estimate: None,
        directed: None,
        iterations: info.iterations,
        evaluations: info.evaluations,
        termination: info.termination,
        score: None,
        warnings: Vec::new(),
    })
}
