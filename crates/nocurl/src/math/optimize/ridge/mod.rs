//! Least squares with an acyclicity penalty, by reweighted ridge regressions.

mod conjugate;
mod direct;
mod iterative;
#[cfg(test)]
mod tests;

use conjugate::Conjugate;
use faer::{Mat, MatRef};

use super::line::{Cost, Line};
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

    /// The gradient of a column, also at entries that stay zero.
    fn gradients(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        let known = column(self.smooth, j).iter().zip(column(self.weights, j));
        let ridges = self.walks.row(j).iter().map(|walks| 2.0 * self.strength * walks);
        known.zip(ridges).map(|((smooth, weight), ridge)| smooth + ridge * weight)
    }
}

/// A column of a matrix.
fn column(matrix: MatRef<'_, f64>, j: usize) -> &[f64] {
    matrix.col(j).try_as_col_major().expect("columns are contiguous").as_slice()
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

    /// True when there are factors to keep from one iteration to the next.
    fn keep_factors(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Fills `step` and `smooth_step = S step`; returns the slope of the objective along it. Factors
    /// are made anew, or are those of before, which make a step that is not as good.
    fn solve(
        &mut self,
        iterate: Iterate<'_>,
        anew: bool,
        step: &mut Mat<f64>,
        smooth_step: &mut Mat<f64>,
    ) -> Result<f64, Error> {
        match self {
            Self::Direct(columns) => {
                let slope = columns.solve(iterate, anew, step)?;
                iterate.second_moments.times(smooth_step.as_mut(), step.as_ref(), |j| j);
                Ok(slope)
            }
            Self::Iterative(columns) => Ok(columns.solve(iterate, step, smooth_step)),
        }
    }
}

/// Work of at most so many iterations takes plain steps: there is little to learn from a step before,
/// and searches over orders start from three of them.
const PLAIN: u64 = 3;

/// Operations of an iteration, in units of d^3: the factors that are left, the products, and the
/// powers of the penalty.
const OPERATIONS: f64 = 2.0;

/// Factors are made anew in the first iterations, in which ridges change much.
const FIRST: u64 = 8;

/// Later they serve this many iterations: ridges change little, and conjugate directions make up
/// for what a factor has wrong.
const SERVED: u64 = 4;

/// The d x d matrices that the factors of all columns take.
pub(crate) fn factors(d: usize) -> f64 {
    if d <= FACTORED { d as f64 / 2.0 + 12.0 } else { 0.0 }
}

/// Minimises `F(A) / unit + penalty(h(A))` over matrices with zero diagonal, and zeros where `knowledge`
/// allows no edge, starting from `weights`, which is overwritten.
///
/// Because `grad h = 2 E' ∘ A`, the penalty acts on column j like a ridge with weights
/// `2 slope E'[:, j]`. Each iteration solves these d ridge regressions with `E` held fixed, which
/// gives a descent direction, joins it to the direction before, and searches along the result on
/// the true objective. The fixed points are the stationary points of the objective.
///
/// Cost: up to 250 variables d Cholesky factorisations of the variables that the ridge leaves free,
/// in parallel, in about every third iteration; beyond, at most 20 d x d products by conjugate
/// gradients in each.
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
    let Penalised { second_moments, unit, acyclicity, knowledge, .. } = *problem;
    // The loss stays in the units of the data.
    let multiplier =
        Multiplier { linear: unit * multiplier.linear, quadratic: unit * multiplier.quadratic };
    let d = weights.nrows();
    let mut penalty = Penalty::new(acyclicity, d);
    let mut step = Mat::<f64>::zeros(d, d);
    let mut smooth_step = Mat::<f64>::zeros(d, d);
    let mut conjugate = Conjugate::new(d);
    let mut trial = Mat::<f64>::zeros(d, d);

    // The gradient of F, S A - S, is carried along: a step P changes it by S P.
    let mut smooth = Mat::<f64>::zeros(d, d);
    second_moments.gradient(&mut smooth, weights.as_ref());
    let mut loss = half_trace(weights.as_ref(), smooth.as_ref());

    let mut h = penalty.evaluate(weights.as_ref());
    let mut objective = loss + multiplier.value(h);
    let mut evaluations = 1;
    let mut iterations = 0;
    let (mut length, mut doubtful) = (1.0, false);
    let plain = problem.max_iterations <= PLAIN;
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
        let early = iterations <= FIRST || iterations.is_multiple_of(SERVED);
        let anew = early || doubtful || !steps.keep_factors();
        let slope = steps.solve(iterate, anew, &mut step, &mut smooth_step)?;
        run.worked(OPERATIONS * (d as f64).powi(3));
        if plain {
            conjugate.forget();
            length = 1.0;
        }
        let slope = conjugate.turn(iterate, &mut step, &smooth_step, slope);
        let direction = &conjugate.direction;
        let (along, curvature) =
            line(smooth.as_ref(), direction.as_ref(), conjugate.smooth.as_ref());

        let line = Line { loss, objective, along, curvature, slope };
        let found = line.search(length, |length| {
            for j in 0..d {
                let (from, along) = (weights.col_as_slice(j), direction.col_as_slice(j));
                let both = from.iter().zip(along);
                let trial = trial.col_as_slice_mut(j).iter_mut();
                trial.zip(both).for_each(|(to, (from, step))| *to = from + length * step);
            }
            evaluations += 1;
            let h = penalty.evaluate(trial.as_ref());
            let slope = || multiplier.slope(h) * penalty.slope(trial.as_ref(), direction.as_ref());
            Cost { h, value: multiplier.value(h), slope: (!plain).then(slope) }
        });
        let Some(next) = found else {
            // The last trial lies a rounding error away; go back to the point itself.
            h = penalty.evaluate(weights.as_ref());
            if doubtful {
                break Termination::Stalled;
            }
            conjugate.forget();
            (length, doubtful) = (1.0, true);
            continue;
        };
        std::mem::swap(weights, &mut trial);
        add_scaled(&mut smooth, next.length, &conjugate.smooth);
        let decrease = objective - next.objective;
        (loss, h, objective, length) = (next.loss, next.h, next.objective, next.best);
        // Little to gain by factors of before says nothing.
        doubtful = decrease <= problem.tolerance * objective.abs().max(unit);
        if doubtful && anew {
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
        let both = column(smooth, j).iter().zip(column(smooth_step, j));
        for (step, (smooth, smooth_step)) in column(step, j).iter().zip(both) {
            along += smooth * step;
            curvature += smooth_step * step;
        }
    }
    (along, curvature)
}
