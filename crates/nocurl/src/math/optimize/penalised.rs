//! Least squares with an acyclicity penalty, by either minimiser.

use super::lbfgs::{self, LbfgsParams, Limits};
use super::ridge::{self, Multiplier};
use crate::core::{Error, Knowledge, Mat, Run, Termination, names};
use crate::math::objective::{Acyclicity, Grams, Penalty};

/// How a penalised least-squares problem is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Reweighted ridge regressions: less than a hundredth of the evaluations.
    #[default]
    Ridge,
    /// Limited-memory BFGS, as the published experiments.
    Lbfgs,
}

names!(Solver { Ridge = "ridge", Lbfgs = "lbfgs" });

impl Solver {
    /// The relative decrease of the objective at which to stop: the published 1e-8 for L-BFGS.
    /// A step of reweighted ridge goes much further than an L-BFGS step, and 1e-5 gives graphs as
    /// good at a fraction of the cost.
    pub fn tolerance(self) -> f64 {
        match self {
            Self::Ridge => 1e-5,
            Self::Lbfgs => 1e-8,
        }
    }

    /// What the tolerance is multiplied by where a minimum is only the start for a larger penalty;
    /// the published code goes to the full one.
    pub(crate) fn before_the_last(self) -> f64 {
        match self {
            Self::Ridge => 10.0,
            Self::Lbfgs => 1.0,
        }
    }
}

/// Operations of an evaluation, in units of d^3: the product with the moments and the powers of the
/// penalty.
const OPERATIONS: f64 = 3.0;

/// The problem `min F(A) / unit + lambda1 ||A||_1 + penalty(h(A))` over matrices with zero diagonal,
/// and zeros for edges that are known not to be there.
#[derive(Debug, Clone, Copy)]
pub struct Penalised<'a> {
    /// `S = X'X / n`, of all columns or of each its own.
    pub second_moments: Grams<'a>,
    /// What the loss is counted in, so that penalties and tolerances do not depend on the units of
    /// the data.
    pub unit: f64,
    /// The acyclicity penalty h.
    pub acyclicity: Acyclicity,
    /// The L1 penalty; when positive, L-BFGS is used whatever `solver` says.
    pub lambda1: f64,
    /// The minimiser.
    pub solver: Solver,
    /// Relative decrease of the objective at which to stop.
    pub tolerance: f64,
    /// Limit on iterations.
    pub max_iterations: u64,
    /// Edges that this does not allow have weight zero, as the diagonal.
    pub knowledge: &'a Knowledge,
}

/// How a minimisation went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Info {
    /// The penalty h at the point reached.
    pub penalty: f64,
    /// Iterations used.
    pub iterations: u64,
    /// Evaluations of the objective.
    pub evaluations: u64,
    /// Why it stopped.
    pub termination: Termination,
}

impl Penalised<'_> {
    /// Minimises from `weights`, which is overwritten with the point reached.
    ///
    /// # Errors
    /// Cancellation, or moments that are not finite.
    pub fn minimise(
        &self,
        multiplier: Multiplier,
        weights: &mut Mat<f64>,
        run: &Run<'_>,
    ) -> Result<Info, Error> {
        match self.solver {
            Solver::Ridge if self.lambda1 == 0.0 => ridge::minimise(self, multiplier, weights, run),
            _ => self.lbfgs(multiplier, weights, run),
        }
    }

    /// L-BFGS on the entries; with an L1 penalty on their positive and negative parts.
    fn lbfgs(
        &self,
        multiplier: Multiplier,
        weights: &mut Mat<f64>,
        run: &Run<'_>,
    ) -> Result<Info, Error> {
        let d = weights.nrows();
        let split = self.lambda1 > 0.0;
        let size = d * d;
        let mut x = packed(weights, split);
        let pinned: Vec<bool> = (0..x.len())
            .map(|k| (k % size % d, k % size / d))
            .map(|(i, j)| i == j || !self.knowledge.allows(i, j))
            .collect();
        let lower = vec![0.0; x.len()];
        let limits =
            Limits { pinned: Some(&pinned), lower: if split { Some(&lower) } else { None } };

        let mut state = Evaluation::new(self, multiplier, d);
        let lambda1 = self.lambda1;
        let mut objective = |x: &[f64], gradient: &mut [f64]| {
            run.worked(OPERATIONS * (d as f64).powi(3));
            if split {
                for k in 0..size {
                    state.point[(k % d, k / d)] = x[k] - x[size + k];
                }
                let value = state.evaluate();
                for k in 0..size {
                    let g = state.gradient[(k % d, k / d)];
                    gradient[k] = g + lambda1;
                    gradient[size + k] = lambda1 - g;
                }
                value + lambda1 * x.iter().sum::<f64>()
            } else {
                for (k, &value) in x.iter().enumerate() {
                    state.point[(k % d, k / d)] = value;
                }
                let value = state.evaluate();
                for (k, slope) in gradient.iter_mut().enumerate() {
                    *slope = state.gradient[(k % d, k / d)];
                }
                value
            }
        };
        let params = LbfgsParams {
            relative_tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            ..LbfgsParams::default()
        };
        let info = lbfgs::minimize(&mut x, &mut objective, limits, &params, run, "first estimate")?;
        unpack(&x, split, weights);
        let penalty = Penalty::new(self.acyclicity, d).evaluate(weights.as_ref());
        Ok(Info {
            penalty,
            iterations: info.iterations,
            evaluations: info.evaluations,
            termination: info.termination,
        })
    }
}

/// The entries by columns; split into their positive parts and then their negative ones.
fn packed(weights: &Mat<f64>, split: bool) -> Vec<f64> {
    let d = weights.nrows();
    let entries = || (0..d * d).map(|k| weights[(k % d, k / d)]);
    if split {
        let positive = entries().map(|value| value.max(0.0));
        positive.chain(entries().map(|value| (-value).max(0.0))).collect()
    } else {
        entries().collect()
    }
}

/// The reverse of [`packed`].
fn unpack(x: &[f64], split: bool, weights: &mut Mat<f64>) {
    let d = weights.nrows();
    for k in 0..d * d {
        weights[(k % d, k / d)] = if split { x[k] - x[d * d + k] } else { x[k] };
    }
}

/// Value and gradient of the smooth part at a point, with their work space.
struct Evaluation<'a> {
    second_moments: Grams<'a>,
    unit: f64,
    multiplier: Multiplier,
    penalty: Penalty,
    point: Mat<f64>,
    gradient: Mat<f64>,
}

impl<'a> Evaluation<'a> {
    fn new(problem: &Penalised<'a>, multiplier: Multiplier, d: usize) -> Self {
        Self {
            second_moments: problem.second_moments,
            unit: problem.unit,
            multiplier,
            penalty: Penalty::new(problem.acyclicity, d),
            point: Mat::zeros(d, d),
            gradient: Mat::zeros(d, d),
        }
    }

    fn evaluate(&mut self) -> f64 {
        let d = self.point.nrows();
        self.second_moments.gradient(&mut self.gradient, self.point.as_ref());
        self.gradient *= faer::Scale(1.0 / self.unit);
        let loss = ridge::half_trace(self.point.as_ref(), self.gradient.as_ref());
        let h = self.penalty.evaluate(self.point.as_ref());
        if !h.is_finite() {
            return f64::INFINITY;
        }
        let slope = 2.0 * self.multiplier.slope(h);
        let walks = self.penalty.walks();
        for j in 0..d {
            for i in 0..d {
                self.gradient[(i, j)] += slope * walks[(j, i)] * self.point[(i, j)];
            }
        }
        loss + self.multiplier.value(h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_agree_with_finite_differences() {
        let of = |size: f64| {
            Mat::from_fn(5, 5, |i, j| if i == j { 2.0 } else { size / (1 + i + j) as f64 })
        };
        let s = of(0.3);
        gradients_agree(s.as_ref().into());
        // Each column by second moments of its own.
        let own = [s, of(-0.2), of(0.7)];
        let place = [0, 1, 2, 1, 0];
        gradients_agree(Grams::Own(&own, &place));
    }

    fn gradients_agree(second_moments: Grams<'_>) {
        let d = 5;
        let names = crate::core::Dataset::default_names(d);
        let point = Mat::from_fn(d, d, |i, j| 0.1 * ((i * 7 + j * 3) % 5) as f64 - 0.2);
        for acyclicity in [Acyclicity::Polynomial, Acyclicity::Exponential, Acyclicity::LogDet] {
            for (linear, quadratic) in [(3.0, 0.0), (0.0, 7.0), (2.0, 50.0)] {
                let problem = Penalised {
                    second_moments,
                    unit: 0.7,
                    acyclicity,
                    lambda1: 0.0,
                    solver: Solver::Lbfgs,
                    tolerance: 1e-8,
                    max_iterations: 1,
                    knowledge: &Knowledge::unconstrained(&names),
                };
                let multiplier = Multiplier { linear, quadratic };
                let mut state = Evaluation::new(&problem, multiplier, d);
                state.point.copy_from(&point);
                state.evaluate();
                let gradient = state.gradient.clone();
                let step = 1e-5;
                for j in 0..d {
                    for i in (0..d).filter(|&i| i != j) {
                        let mut value_at = |shift: f64| {
                            state.point[(i, j)] = point[(i, j)] + shift;
                            state.evaluate()
                        };
                        let slope = (value_at(step) - value_at(-step)) / (2.0 * step);
                        value_at(0.0);
                        let size = 1.0 + gradient.norm_max();
                        // The third derivative times step^2, and rounding over step.
                        assert!(
                            (slope - gradient[(i, j)]).abs() < 1e-7 * size,
                            "{acyclicity:?} {multiplier:?} ({i}, {j}): {slope} {}",
                            gradient[(i, j)]
                        );
                    }
                }
            }
        }
    }
}
