//! DAG-NoCurl: a penalised estimate, its Hodge projection, and regression on the order.

mod wide;

use rand::RngExt;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Facts, Method, Proposal, Task, by_condition, parameters, require};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::{Error, Knowledge, Mat, MatRef, Order, Run, Termination, names};
use crate::math::objective::{Acyclicity, Grams};
use crate::math::optimize::lbfgs::{self, LbfgsParams, Limits};
use crate::math::optimize::{Multiplier, Penalised, Solver, factors, half_trace};
use crate::math::regress::{along, threshold};
use crate::math::{Problem, hodge, linalg};

/// The variants of the paper's ablation study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Steps 1 and 2 (Algorithm 1 without its last, optional step).
    #[default]
    Standard,
    /// `s`: no Step 2; the threshold rises by 0.05 until the estimate is acyclic.
    Threshold,
    /// `-`: weights from the estimate by Eq. (defW) instead of by regression.
    Projected,
    /// `+`: after Step 2, weights and potential are optimised together.
    Joint,
    /// Weights and potential are optimised together from a random start.
    RandomStart,
    /// Regression on a random potential, then both are optimised together.
    RandomPotential,
}

names!(Variant {
    Standard = "standard",
    Threshold = "s",
    Projected = "-",
    Joint = "+",
    RandomStart = "rand-init",
    RandomPotential = "rand-p",
});

parameters! {
    /// DAG-NoCurl: a penalised estimate, its Hodge projection to an order, and regression on it.
    ///
    /// Step 1 minimises `F(A) + lambda h(A)` for each lambda in turn, each from the last one's result.
    pub struct NoCurl {
        /// Penalties of Step 1, one minimisation each: (10, 1000) is the paper's NoCurl-2, 100 its NoCurl-1.
        lambdas: Vec<f64> = vec![10.0, 1000.0], "above 0, at least one";
        /// Entries of the estimate below this do not count as edges.
        estimate_threshold: f64 = 0.3, "from 0";
        /// The penalty on cycles.
        acyclicity: Acyclicity = Acyclicity::Polynomial, "`polynomial`, `exponential`, `log-det`";
        /// How Step 1 is minimised.
        solver: Solver = Solver::Ridge, "`ridge`, `lbfgs`";
        /// Which steps are taken: the ablations of the paper.
        variant: Variant = Variant::Standard, "`standard`, `s`, `-`, `+`, `rand-init`, `rand-p`";
        /// Relative decrease of the objective at which a minimisation stops, with `ridge` at ten times
        /// this before the last penalty; without it 1e-5 for `ridge` (1e-6 from 251 variables on, at
        /// every penalty), 1e-8 for `lbfgs`.
        tolerance: Option<f64> = None, "above 0";
        /// Limit on the iterations of a minimisation.
        max_iterations: u64 = 15_000, "from 1";
    }
}

impl Method for NoCurl {
    fn facts(&self) -> Facts {
        Facts {
            name: "nocurl",
            class: "NoCurl",
            summary: "penalised estimate, Hodge projection to an order, regression on it (DAG-NoCurl)",
            experiments: self.variant == Variant::Standard,
            reference: "Yu, Gao, Yin and Ji, DAGs with no curl, ICML 2021",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        if wide::applies(self, size.variables) {
            return wide::memory(size);
        }
        // The estimate with its history, and the factors of all columns.
        Memory::matrices(36.0 + factors(size.variables))
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, self, task.seed, task.run)
    }
}

impl NoCurl {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        validate_lambdas(&self.lambdas)?;
        let bound = self.estimate_threshold;
        require("estimate_threshold", bound, bound >= 0.0, "it must not be negative")?;
        let tolerance = self.tolerance.unwrap_or(self.solver.tolerance());
        require("tolerance", tolerance, tolerance > 0.0, "it must be positive")?;
        require(
            "max_iterations",
            self.max_iterations,
            self.max_iterations >= 1,
            "at least 1 is needed",
        )
    }
}

/// Checks the penalties of Step 1.
pub(super) fn validate_lambdas(lambdas: &[f64]) -> Result<(), Error> {
    require("lambdas", "empty", !lambdas.is_empty(), "give at least one penalty")?;
    for &lambda in lambdas {
        let reason = "each must be positive";
        require("lambdas", lambda, lambda > 0.0 && lambda.is_finite(), reason)?;
    }
    Ok(())
}

/// Random starts draw weights and potential from [0, 1), as the paper.
fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    rng.random::<f64>()
}

/// Proposes an order by DAG-NoCurl (Yu, Gao, Yin and Ji, 2021, Algorithm 1).
///
/// # Errors
/// Parameters out of range, singular second moments, or cancellation.
pub(super) fn propose(
    problem: &Problem,
    params: &NoCurl,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    if let Some(experiments) = problem.experiments() {
        return by_condition::propose(problem, experiments, |grams| {
            let (estimate, effort) = first_estimate(problem, grams, params, run)?;
            Ok(by_potential(estimate, effort))
        });
    }
    let d = problem.size();
    if wide::applies(params, d) {
        return wide::propose(problem, params, run);
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    match params.variant {
        Variant::RandomStart => {
            let w = Mat::from_fn(d, d, |_, _| uniform(&mut rng));
            let potential = (0..d).map(|_| uniform(&mut rng)).collect();
            return joint(problem, params, w, potential, Effort::default(), run);
        }
        Variant::RandomPotential => {
            let potential: Vec<f64> = (0..d).map(|_| uniform(&mut rng)).collect();
            let a = along(problem, &Order::from_potential(&potential))?;
            let w = hodge::weights_on_potential(a.as_ref(), &potential);
            return joint(problem, params, w, potential, Effort::default(), run);
        }
        _ => {}
    }

    let moments = problem.second_moments().into();
    let (estimate, effort) = first_estimate(problem, moments, params, run)?;
    if params.variant == Variant::Threshold {
        let proposal = raise_threshold(estimate.clone(), params.estimate_threshold, effort);
        return Ok(Proposal { estimate: Some(estimate), ..proposal });
    }

    let standard = by_potential(estimate, effort);
    let Proposal { order, potential: Some(potential), estimate: Some(estimate), .. } = &standard
    else {
        return Ok(standard);
    };
    let (order, potential, estimate) = (order.clone(), potential.clone(), estimate.clone());
    let proposal = match params.variant {
        Variant::Projected => {
            let w = hodge::weights_on_potential(estimate.as_ref(), &potential);
            let weights = hodge::graph_of(w.as_ref(), &potential);
            effort.proposal(order, Some(potential), Some(weights))
        }
        Variant::Joint => {
            let a = along(problem, &order)?;
            let w = hodge::weights_on_potential(a.as_ref(), &potential);
            joint(problem, params, w, potential, effort, run)?
        }
        _ => return Ok(standard),
    };
    Ok(Proposal { estimate: Some(estimate), ..proposal })
}

/// What the minimisations add up to.
#[derive(Debug, Clone, Copy)]
struct Effort {
    iterations: u64,
    evaluations: u64,
    termination: Termination,
}

impl Default for Effort {
    fn default() -> Self {
        Self { iterations: 0, evaluations: 0, termination: Termination::Converged }
    }
}

impl Effort {
    fn add(&mut self, iterations: u64, evaluations: u64, termination: Termination) {
        self.iterations += iterations;
        self.evaluations += evaluations;
        if self.termination != Termination::MaxIterations {
            self.termination = termination;
        }
    }

    fn proposal(
        self,
        order: Order,
        potential: Option<Vec<f64>>,
        weights: Option<Mat<f64>>,
    ) -> Proposal {
        Proposal {
            search: None,
            order,
            potential,
            graph: None,
            weights,
            estimate: None,
            directed: None,
            iterations: self.iterations,
            evaluations: self.evaluations,
            termination: self.termination,
            score: None,
            warnings: Vec::new(),
        }
    }
}

/// Step 1, Eq. (pre), and its threshold.
fn first_estimate(
    problem: &Problem,
    second_moments: Grams<'_>,
    params: &NoCurl,
    run: &Run<'_>,
) -> Result<(Mat<f64>, Effort), Error> {
    let (mut estimate, effort) = estimate(problem, second_moments, params, run)?;
    threshold(&mut estimate, params.estimate_threshold);
    Ok((estimate, effort))
}

/// Step 2, Eq. (solvep): the potential, and the order that weights follow.
fn by_potential(estimate: Mat<f64>, effort: Effort) -> Proposal {
    let potential = hodge::potential(&Reachability::new(estimate.as_ref()));
    let order = Order::from_potential(&potential);
    let proposal = effort.proposal(order, Some(potential), None);
    Proposal { estimate: Some(estimate), ..proposal }
}

/// Step 1: `min F(A) / unit + lambda h(A)`, for each lambda from the last one's result, first from 0.
fn estimate(
    problem: &Problem,
    second_moments: Grams<'_>,
    params: &NoCurl,
    run: &Run<'_>,
) -> Result<(Mat<f64>, Effort), Error> {
    let d = problem.size();
    let mut weights = Mat::zeros(d, d);
    let mut effort = Effort::default();
    let penalised = Penalised {
        second_moments,
        unit: second_moments.unit(d),
        acyclicity: params.acyclicity,
        lambda1: 0.0,
        solver: params.solver,
        tolerance: params.tolerance.unwrap_or(params.solver.tolerance()),
        max_iterations: params.max_iterations,
        knowledge: problem.knowledge(),
    };
    for (k, &lambda) in params.lambdas.iter().enumerate() {
        let multiplier = Multiplier { linear: lambda, quadratic: 0.0 };
        let last = k + 1 == params.lambdas.len();
        let looser = if last { 1.0 } else { params.solver.before_the_last() };
        let penalised = Penalised { tolerance: looser * penalised.tolerance, ..penalised };
        let info = penalised.minimise(multiplier, &mut weights, run)?;
        effort.add(info.iterations, info.evaluations, info.termination);
    }
    Ok((weights, effort))
}

/// Variant `s`: raises the threshold until the estimate is acyclic.
fn raise_threshold(mut estimate: Mat<f64>, start: f64, effort: Effort) -> Proposal {
    const INCREMENT: f64 = 0.05;
    let mut bound = start;
    loop {
        threshold(&mut estimate, bound);
        let reach = Reachability::new(estimate.as_ref());
        if !reach.is_cyclic() {
            let potential = hodge::potential(&reach);
            return effort.proposal(
                Order::from_potential(&potential),
                Some(potential),
                Some(estimate),
            );
        }
        bound += INCREMENT;
    }
}

/// Minimises `F(W∘ReLU(grad p))` over skew-symmetric W and p together, Eq. (score), by L-BFGS.
fn joint(
    problem: &Problem,
    params: &NoCurl,
    w: Mat<f64>,
    potential: Vec<f64>,
    mut effort: Effort,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let d = problem.size();
    let mut objective = Joint::new(problem.second_moments(), problem.knowledge());
    let unit = Grams::from(problem.second_moments()).unit(d);
    let mut x: Vec<f64> = objective.pairs.iter().map(|&pair| w[pair]).collect();
    x.extend_from_slice(&potential);
    let lbfgs_params = LbfgsParams {
        relative_tolerance: params.tolerance.unwrap_or(Solver::Lbfgs.tolerance()),
        max_iterations: params.max_iterations,
        ..LbfgsParams::default()
    };
    let info = lbfgs::minimize(
        &mut x,
        &mut |x, gradient| {
            run.worked((d as f64).powi(3));
            let loss = objective.evaluate(x, gradient);
            gradient.iter_mut().for_each(|slope| *slope /= unit);
            loss / unit
        },
        Limits::default(),
        &lbfgs_params,
        run,
        "weights and potential",
    )?;
    effort.add(info.iterations, info.evaluations, info.termination);
    let mut gradient = vec![0.0; x.len()];
    objective.evaluate(&x, &mut gradient);
    let potential = x[x.len() - d..].to_vec();
    let weights = objective.graph;
    Ok(effort.proposal(Order::from_potential(&potential), Some(potential), Some(weights)))
}

/// `F(W∘ReLU(grad p))` as a function of the upper triangle of W and of p.
struct Joint<'a> {
    second_moments: MatRef<'a, f64>,
    pairs: Vec<(usize, usize)>,
    graph: Mat<f64>,
    smooth: Mat<f64>,
    knowledge: &'a Knowledge,
}

impl<'a> Joint<'a> {
    fn new(second_moments: MatRef<'a, f64>, knowledge: &'a Knowledge) -> Self {
        let d = second_moments.nrows();
        let pairs = (0..d).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
        let zeros = || Mat::zeros(d, d);
        Self { second_moments, pairs, graph: zeros(), smooth: zeros(), knowledge }
    }

    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (w, p) = x.split_at(self.pairs.len());
        for (&(i, j), &w) in self.pairs.iter().zip(w) {
            let rise = p[j] - p[i];
            self.graph[(i, j)] = w * rise.max(0.0);
            self.graph[(j, i)] = -w * (-rise).max(0.0);
        }
        if !self.knowledge.is_empty() {
            self.knowledge.forbidden().for_each(|edge| self.graph[edge] = 0.0);
        }
        linalg::matmul(self.smooth.as_mut(), self.second_moments, self.graph.as_ref());
        self.smooth -= self.second_moments;
        let loss = half_trace(self.graph.as_ref(), self.smooth.as_ref());
        let (dw, dp) = gradient.split_at_mut(self.pairs.len());
        dp.fill(0.0);
        for ((&(i, j), &w), dw) in self.pairs.iter().zip(w).zip(dw) {
            let rise = p[j] - p[i];
            // The entry along the rise is w * rise, whichever way it points.
            let (from, to) = if rise > 0.0 { (i, j) } else { (j, i) };
            let pinned = !self.knowledge.allows(from, to);
            let slope = if pinned { 0.0 } else { self.smooth[(from, to)] };
            *dw = slope * rise;
            if rise != 0.0 {
                dp[j] += slope * w;
                dp[i] -= slope * w;
            }
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_gradient_agrees_with_finite_differences() {
        let names = crate::core::Dataset::default_names(5);
        let pair = |i: usize, j: usize| (names[i].clone(), names[j].clone());
        let forbidden = vec![pair(0, 1), pair(1, 0), pair(2, 4), pair(4, 3)];
        let spec = crate::core::KnowledgeSpec { forbidden, ..Default::default() };
        let knowledge = spec.resolve(&names).unwrap();
        for knowledge in [&Knowledge::unconstrained(&names), &knowledge] {
            joint_gradient_agrees(knowledge);
        }
    }

    fn joint_gradient_agrees(knowledge: &Knowledge) {
        let d = 5;
        let s = Mat::from_fn(d, d, |i, j| if i == j { 2.0 } else { 0.5 / (1 + i + j) as f64 });
        let mut objective = Joint::new(s.as_ref(), knowledge);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..10 {
            let x: Vec<f64> =
                (0..d * (d - 1) / 2 + d).map(|_| 2.0 * uniform(&mut rng) - 1.0).collect();
            let mut gradient = vec![0.0; x.len()];
            let value = objective.evaluate(&x, &mut gradient);
            // The value is F of the graph that the weights and the potential make.
            let graph = objective.graph.clone();
            let loss = crate::math::objective::least_squares(s.as_ref(), graph.as_ref());
            assert!((value - loss).abs() < 1e-13 * loss);
            let potential = &x[x.len() - d..];
            for j in 0..d {
                for i in 0..d {
                    assert!(graph[(i, j)] == 0.0 || potential[i] < potential[j]);
                    let pinned = !knowledge.allows(i, j);
                    assert!(graph[(i, j)] == 0.0 || !pinned);
                }
            }
            let step = 1e-6;
            let mut unused = vec![0.0; x.len()];
            for k in 0..x.len() {
                let mut value_at = |shift: f64| {
                    let mut moved = x.clone();
                    moved[k] += shift;
                    objective.evaluate(&moved, &mut unused)
                };
                let slope = (value_at(step) - value_at(-step)) / (2.0 * step);
                assert!((slope - gradient[k]).abs() < 1e-7, "{k}: {slope} {}", gradient[k]);
            }
        }
    }
}
