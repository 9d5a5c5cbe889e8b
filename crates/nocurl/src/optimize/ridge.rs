//! Least squares with an acyclicity penalty, by reweighted ridge regressions.

use faer::prelude::ReborrowMut;
use faer::{ColMut, Mat, MatMut, MatRef};
use rayon::prelude::*;

use super::penalised::Info;
use crate::algorithms::Termination;
use crate::linalg::{self, FactorSpace};
use crate::objective::{Acyclicity, Penalty};
use crate::observe::checkpoint;
use crate::{Error, Observer, Progress};

/// How a penalty `h` enters the objective: `linear * h + quadratic / 2 * h^2`.
///
/// A fixed penalty has `quadratic = 0`; an augmented Lagrangian has both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multiplier {
    /// The coefficient of `h`.
    pub linear: f64,
    /// The coefficient of `h^2 / 2`.
    pub quadratic: f64,
}

impl Multiplier {
    pub(super) fn value(self, h: f64) -> f64 {
        self.linear * h + self.quadratic / 2.0 * h * h
    }

    pub(super) fn slope(self, h: f64) -> f64 {
        self.linear + self.quadratic * h
    }
}

/// When the reweighted ridge stops.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `tolerance` | 1e-8 | stop when the objective falls by less than this, relative to its size | > 0 |
/// | `max_iterations` | 5000 | stop after this many iterations | >= 1 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RidgeParams {
    /// Smallest relative decrease of the objective that counts as progress.
    pub tolerance: f64,
    /// Limit on iterations.
    pub max_iterations: u64,
}

impl Default for RidgeParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 5000 }
    }
}

/// Sufficient decrease asked of a step, as a part of what the slope promises.
const ARMIJO: f64 = 1e-4;

/// Halvings of a step before the search counts as stalled.
const MAX_HALVINGS: u32 = 40;

/// Minimises `F(A) + penalty(h(A))` over matrices with zero diagonal, starting from `weights`,
/// which is overwritten.
///
/// Because `grad h = 2 E' ∘ A`, the penalty acts on column j like a ridge with weights
/// `2 slope E'[:, j]`. Each iteration solves these d ridge regressions with `E` held fixed and
/// backtracks on the true objective; the step is a descent direction, and the fixed points are
/// the stationary points of the objective.
///
/// Cost per iteration: d Cholesky factorisations of the variables that the ridge leaves free.
pub fn minimise(
    second_moments: MatRef<'_, f64>,
    acyclicity: Acyclicity,
    multiplier: Multiplier,
    weights: &mut Mat<f64>,
    params: &RidgeParams,
    observer: &dyn Observer,
) -> Result<Info, Error> {
    let d = weights.nrows();
    let mut penalty = Penalty::new(acyclicity, d);
    let mut direction = Directions::new(d);
    let mut step = Mat::<f64>::zeros(d, d);
    let mut smooth_step = Mat::<f64>::zeros(d, d);
    let mut trial = Mat::<f64>::zeros(d, d);

    // The gradient of F, S A - S, is carried along: a step P changes it by S P.
    let mut smooth = Mat::<f64>::zeros(d, d);
    linalg::matmul(smooth.as_mut(), second_moments, weights.as_ref());
    smooth -= second_moments;
    let mut loss = half_trace(weights.as_ref(), smooth.as_ref());

    let mut h = penalty.evaluate(weights.as_ref());
    let mut objective = loss + multiplier.value(h);
    let mut evaluations = 1;
    let mut iterations = 0;
    let termination = loop {
        if iterations == params.max_iterations {
            break Termination::MaxIterations;
        }
        iterations += 1;
        let progress = Progress {
            stage: "estimate",
            done: iterations,
            total: None,
            objective: Some(objective),
        };
        checkpoint(observer, progress)?;

        let slope = direction.solve(
            second_moments,
            multiplier.slope(h),
            penalty.walks(),
            weights.as_ref(),
            smooth.as_ref(),
            step.as_mut(),
        )?;
        linalg::matmul(smooth_step.as_mut(), second_moments, step.as_ref());
        let (along, curvature) = line(smooth.as_ref(), step.as_ref(), smooth_step.as_ref());

        let mut length = 1.0;
        let mut halvings = 0;
        let accepted = loop {
            for j in 0..d {
                for i in 0..d {
                    trial[(i, j)] = weights[(i, j)] + length * step[(i, j)];
                }
            }
            let trial_h = penalty.evaluate(trial.as_ref());
            evaluations += 1;
            let trial_loss = loss + length * along + length * length / 2.0 * curvature;
            let trial_objective = trial_loss + multiplier.value(trial_h);
            if trial_objective <= objective + ARMIJO * length * slope {
                break Some((trial_loss, trial_h, trial_objective));
            }
            halvings += 1;
            if halvings > MAX_HALVINGS {
                break None;
            }
            length /= 2.0;
        };
        let Some((new_loss, new_h, new_objective)) = accepted else {
            // The last trial lies a rounding error away; report the point itself.
            h = penalty.evaluate(weights.as_ref());
            break Termination::Stalled;
        };
        std::mem::swap(weights, &mut trial);
        for j in 0..d {
            for i in 0..d {
                smooth[(i, j)] += length * smooth_step[(i, j)];
            }
        }
        let decrease = objective - new_objective;
        (loss, h, objective) = (new_loss, new_h, new_objective);
        if decrease <= params.tolerance * objective.abs().max(1.0) {
            break Termination::Converged;
        }
    };
    Ok(Info { penalty: h, iterations, evaluations, termination })
}

/// `F(A)` from `smooth = S A - S`: half the trace of `(A - I)' (S A - S)`.
pub(crate) fn half_trace(weights: MatRef<'_, f64>, smooth: MatRef<'_, f64>) -> f64 {
    let d = weights.nrows();
    let mut sum = 0.0;
    for j in 0..d {
        for i in 0..d {
            sum += weights[(i, j)] * smooth[(i, j)];
        }
        sum -= smooth[(j, j)];
    }
    sum / 2.0
}

/// First and second derivative of F along `step`.
fn line(
    smooth: MatRef<'_, f64>,
    step: MatRef<'_, f64>,
    smooth_step: MatRef<'_, f64>,
) -> (f64, f64) {
    let (mut along, mut curvature) = (0.0, 0.0);
    for j in 0..step.ncols() {
        for i in 0..step.nrows() {
            along += smooth[(i, j)] * step[(i, j)];
            curvature += smooth_step[(i, j)] * step[(i, j)];
        }
    }
    (along, curvature)
}

/// Columns are solved in this many groups at most, each with work space of its own.
const GROUPS: usize = 32;

/// A ridge weight above this multiple of a variable's own second moment leaves it so little room
/// that it is stepped on its own rather than solved with the others.
const FORCED: f64 = 30.0;

/// Solves the ridge regressions of one iteration.
struct Directions {
    spaces: Vec<ColumnSpace>,
}

/// Work space for solving columns one after the other.
struct ColumnSpace {
    matrix: Mat<f64>,
    right: Vec<f64>,
    free: Vec<usize>,
    factor: FactorSpace,
}

impl Directions {
    fn new(d: usize) -> Self {
        let spaces = (0..GROUPS.min(d)).map(|_| ColumnSpace::new(d)).collect();
        Self { spaces }
    }

    /// Fills `step` and returns the slope of the objective along it.
    fn solve(
        &mut self,
        s: MatRef<'_, f64>,
        strength: f64,
        walks: MatRef<'_, f64>,
        weights: MatRef<'_, f64>,
        smooth: MatRef<'_, f64>,
        step: MatMut<'_, f64>,
    ) -> Result<f64, Error> {
        let width = s.ncols().div_ceil(self.spaces.len());
        let slopes: Vec<Result<f64, Error>> = step
            .par_col_chunks_mut(width)
            .zip(self.spaces.par_iter_mut())
            .enumerate()
            .map(|(group, (mut columns, space))| {
                let mut slope = 0.0;
                for k in 0..columns.ncols() {
                    let j = group * width + k;
                    let column = columns.rb_mut().col_mut(k);
                    slope += space.solve(s, strength, walks, weights, smooth, j, column)?;
                }
                Ok(slope)
            })
            .collect();
        slopes.into_iter().sum()
    }
}

impl ColumnSpace {
    fn new(d: usize) -> Self {
        Self {
            matrix: Mat::zeros(d, d),
            right: vec![0.0; d],
            free: Vec::with_capacity(d),
            factor: FactorSpace::new(d),
        }
    }

    /// Fills one column of the step and returns its part of the slope.
    #[expect(clippy::too_many_arguments, reason = "the state of one iteration, read only")]
    fn solve(
        &mut self,
        s: MatRef<'_, f64>,
        strength: f64,
        walks: MatRef<'_, f64>,
        weights: MatRef<'_, f64>,
        smooth: MatRef<'_, f64>,
        j: usize,
        mut step: ColMut<'_, f64>,
    ) -> Result<f64, Error> {
        let d = s.nrows();
        let ridge = |i: usize| 2.0 * strength * walks[(j, i)];
        let gradient = |i: usize| smooth[(i, j)] + ridge(i) * weights[(i, j)];
        let mut slope = 0.0;
        self.free.clear();
        step[j] = 0.0;
        for i in (0..d).filter(|&i| i != j) {
            let weight = ridge(i);
            if weight <= FORCED * s[(i, i)] {
                self.free.push(i);
            } else {
                let g = gradient(i);
                step[i] = -g / (s[(i, i)] + weight);
                slope += g * step[i];
            }
        }
        let m = self.free.len();
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        let mut jitter = 0.0;
        loop {
            for (b, &k) in self.free.iter().enumerate() {
                let source = s.col(k);
                let mut target = self.matrix.as_mut().col_mut(b).subrows_mut(b, m - b);
                for (to, &i) in target.rb_mut().iter_mut().zip(&self.free[b..]) {
                    *to = source[i];
                }
                target[0] = s[(k, k)] * (1.0 + jitter) + ridge(k);
                self.right[b] = -gradient(k);
            }
            let matrix = self.matrix.as_mut().submatrix_mut(0, 0, m, m);
            if self.factor.solve(matrix, &mut self.right[..m]) {
                break;
            }
            if jitter > 1.0 {
                return Err(Error::Numeric {
                    stage: "the first estimate",
                    reason: "the second moments are not finite: rescale the data".into(),
                });
            }
            jitter = (jitter * 100.0_f64).max(1e-12);
        }
        for (&i, &value) in self.free.iter().zip(&self.right) {
            step[i] = value;
            slope += gradient(i) * value;
        }
        Ok(slope)
    }
}
