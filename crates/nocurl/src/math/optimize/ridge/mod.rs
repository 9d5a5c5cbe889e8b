//! Least squares with an acyclicity penalty, by reweighted ridge regressions.

mod direct;
mod iterative;
#[cfg(test)]
mod tests;

use faer::{Mat, MatRef};

use super::penalised::{Info, Penalised};
use crate::core::{Error, Knowledge, Progress, Run, Termination};
use crate::math::objective::{Grams, Penalty};

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
    pub(crate) fn value(self, h: f64) -> f64 {
        self.linear * h + self.quadratic / 2.0 * h * h
    }

    pub(crate) fn slope(self, h: f64) -> f64 {
        self.linear + self.quadratic * h
    }
}

/// What the ridge regressions of one iteration read.
#[derive(Clone, Copy)]
struct Iterate<'a> {
    second_moments: Grams<'a>,
    /// The slope of the penalty's coefficient: ridge weights are `2 strength E'`.
    strength: f64,
    walks: MatRef<'a, f64>,
    weights: MatRef<'a, f64>,
    /// The gradient of F.
    smooth: MatRef<'a, f64>,
    knowledge: &'a Knowledge,
}

impl Iterate<'_> {
    /// False for entries that stay zero: the diagonal and edges that are known not to be there.
    fn is_free(&self, i: usize, j: usize) -> bool {
        i != j && self.knowledge.allows(i, j)
    }

    /// The second moment of a variable in the loss of a column.
    fn moment(&self, i: usize, j: usize) -> f64 {
        self.second_moments.of(j)[(i, i)]
    }

    fn ridge(&self, i: usize, j: usize) -> f64 {
        2.0 * self.strength * self.walks[(j, i)]
    }

    fn gradient(&self, i: usize, j: usize) -> f64 {
        self.smooth[(i, j)] + self.ridge(i, j) * self.weights[(i, j)]
    }
}

/// The columns of a matrix as slices, to be worked on in parallel.
fn slices(matrix: &mut Mat<f64>) -> Vec<&mut [f64]> {
    matrix
        .as_mut()
        .col_iter_mut()
        .map(|column| column.try_as_col_major_mut().expect("columns are contiguous").as_slice_mut())
        .collect()
}

/// Up to this many variables the regressions are solved by factorisations, column by column;
/// beyond, by conjugate gradients on all columns together.
const FACTORED: usize = 250;

/// Finds the step of one iteration.
enum Steps {
    Direct(direct::Columns),
    Iterative(Box<iterative::Columns>),
}

impl Steps {
    fn new(d: usize) -> Self {
        if d <= FACTORED {
            Self::Direct(direct::Columns::new(d))
        } else {
            Self::Iterative(Box::new(iterative::Columns::new(d)))
        }
    }

    /// Fills `step` and `smooth_step = S step`; returns the slope of the objective along it.
    fn solve(
        &mut self,
        iterate: Iterate<'_>,
        step: &mut Mat<f64>,
        smooth_step: &mut Mat<f64>,
    ) -> Result<f64, Error> {
        match self {
            Self::Direct(columns) => {
                let slope = columns.solve(iterate, step)?;
                iterate.second_moments.times(smooth_step.as_mut(), step.as_ref(), |j| j);
                Ok(slope)
            }
            Self::Iterative(columns) => Ok(columns.solve(iterate, step, smooth_step)),
        }
    }
}

/// Sufficient decrease asked of a step, as a part of what the slope promises.
const ARMIJO: f64 = 1e-4;

/// Halvings of a step before the search counts as stalled.
const MAX_HALVINGS: u32 = 40;

/// Minimises `F(A) + penalty(h(A))` over matrices with zero diagonal, and zeros where `knowledge`
/// allows no edge, starting from `weights`, which is overwritten.
///
/// Because `grad h = 2 E' ∘ A`, the penalty acts on column j like a ridge with weights
/// `2 slope E'[:, j]`. Each iteration solves these d ridge regressions with `E` held fixed and
/// backtracks on the true objective; the step is a descent direction, and the fixed points are
/// the stationary points of the objective.
///
/// Cost per iteration: up to 250 variables d Cholesky factorisations of the variables that the
/// ridge leaves free, in parallel; beyond, at most 20 d x d products by conjugate gradients.
pub(super) fn minimise(
    problem: &Penalised<'_>,
    multiplier: Multiplier,
    weights: &mut Mat<f64>,
    run: &Run<'_>,
) -> Result<Info, Error> {
    minimise_by(Steps::new(weights.nrows()), problem, multiplier, weights, run)
}

/// [`minimise`] with the given way of finding steps.
fn minimise_by(
    mut steps: Steps,
    problem: &Penalised<'_>,
    multiplier: Multiplier,
    weights: &mut Mat<f64>,
    run: &Run<'_>,
) -> Result<Info, Error> {
    let Penalised { second_moments, acyclicity, knowledge, .. } = *problem;
    let d = weights.nrows();
    let mut penalty = Penalty::new(acyclicity, d);
    let mut step = Mat::<f64>::zeros(d, d);
    let mut smooth_step = Mat::<f64>::zeros(d, d);
    let mut trial = Mat::<f64>::zeros(d, d);

    // The gradient of F, S A - S, is carried along: a step P changes it by S P.
    let mut smooth = Mat::<f64>::zeros(d, d);
    second_moments.gradient(&mut smooth, weights.as_ref());
    let mut loss = half_trace(weights.as_ref(), smooth.as_ref());

    let mut h = penalty.evaluate(weights.as_ref());
    let mut objective = loss + multiplier.value(h);
    let mut evaluations = 1;
    let mut iterations = 0;
    let termination = loop {
        if iterations == problem.max_iterations {
            break Termination::MaxIterations;
        }
        iterations += 1;
        run.step(progress(iterations, objective))?;

        let iterate = Iterate {
            second_moments,
            strength: multiplier.slope(h),
            walks: penalty.walks(),
            weights: weights.as_ref(),
            smooth: smooth.as_ref(),
            knowledge,
        };
        let slope = steps.solve(iterate, &mut step, &mut smooth_step)?;
        let (along, curvature) = line(smooth.as_ref(), step.as_ref(), smooth_step.as_ref());

        let line = Line { loss, objective, along, curvature, slope };
        let found = line.backtrack(|length| {
            for j in 0..d {
                let (from, along) = (weights.col_as_slice(j), step.col_as_slice(j));
                let both = from.iter().zip(along);
                let trial = trial.col_as_slice_mut(j).iter_mut();
                trial.zip(both).for_each(|(to, (from, step))| *to = from + length * step);
            }
            evaluations += 1;
            let h = penalty.evaluate(trial.as_ref());
            (h, multiplier.value(h))
        });
        let Some(next) = found else {
            // The last trial lies a rounding error away; report the point itself.
            h = penalty.evaluate(weights.as_ref());
            break Termination::Stalled;
        };
        std::mem::swap(weights, &mut trial);
        add_scaled(&mut smooth, next.length, &smooth_step);
        let decrease = objective - next.objective;
        (loss, h, objective) = (next.loss, next.h, next.objective);
        if decrease <= problem.tolerance * objective.abs().max(1.0) {
            break Termination::Converged;
        }
    };
    Ok(Info { penalty: h, iterations, evaluations, termination })
}

pub(super) fn progress(iterations: u64, objective: f64) -> Progress {
    Progress { stage: "first estimate", done: iterations, total: None, objective: Some(objective) }
}

fn add_scaled(sum: &mut Mat<f64>, factor: f64, addend: &Mat<f64>) {
    for j in 0..sum.ncols() {
        let both = sum.col_as_slice_mut(j).iter_mut().zip(addend.col_as_slice(j));
        both.for_each(|(sum, addend)| *sum += factor * addend);
    }
}

/// The loss along a step: a parabola, and the slope of the whole objective at its start.
pub(super) struct Line {
    pub(super) loss: f64,
    pub(super) objective: f64,
    pub(super) along: f64,
    pub(super) curvature: f64,
    pub(super) slope: f64,
}

/// Where a step ended.
pub(super) struct Reached {
    pub(super) length: f64,
    pub(super) loss: f64,
    pub(super) h: f64,
    pub(super) objective: f64,
}

impl Line {
    /// The longest of 1, 1/2, 1/4, ... times the step that lowers the objective enough (Armijo);
    /// `penalty` gives h and what it costs that far along the step.
    pub(super) fn backtrack(&self, mut penalty: impl FnMut(f64) -> (f64, f64)) -> Option<Reached> {
        let mut length = 1.0;
        for _ in 0..=MAX_HALVINGS {
            let (h, cost) = penalty(length);
            let loss = self.loss + length * self.along + length * length / 2.0 * self.curvature;
            let objective = loss + cost;
            if objective <= self.objective + ARMIJO * length * self.slope {
                return Some(Reached { length, loss, h, objective });
            }
            length /= 2.0;
        }
        None
    }
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
