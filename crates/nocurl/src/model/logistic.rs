//! Multinomial logistic regression.

use super::mechanism::softmax;
use crate::core::parallel::*;
use crate::core::{Error, Mat, MatRef, Run};
use crate::math::linalg::Cholesky;
use crate::math::optimize::lbfgs::{LbfgsParams, Limits, minimize};

/// The penalty on squared coefficients of standardised columns, in units of the log-likelihood of one
/// row. It keeps coefficients finite where a column separates the levels, and moves others by about
/// this share of a standard error squared.
const PENALTY: f64 = 1e-3;

/// Newton's method is used up to this many unknowns, limited-memory BFGS beyond.
const MOST_UNKNOWNS: usize = 300;

/// Rows per piece of work; fixed, so sums do not depend on the number of threads.
const ROWS: usize = 4096;

const MOST_ITERATIONS: usize = 100;

/// A fitted regression: an intercept and coefficients for each level except the first.
#[derive(Debug)]
pub(super) struct Fitted {
    pub(super) intercepts: Vec<f64>,
    /// By level, then by column.
    pub(super) coefficients: Vec<Vec<f64>>,
}

/// Fits the log-odds of levels against the first one as linear functions of columns, by penalised
/// maximum likelihood.
///
/// Newton's method with step halving costs O(n u^2 + u^3) per iteration for `u` unknowns.
///
/// # Errors
/// None in practice: the penalised likelihood has one finite maximum.
pub(super) fn fit(
    columns: MatRef<'_, f64>,
    labels: &[usize],
    levels: usize,
) -> Result<Fitted, Error> {
    let (n, p) = (columns.nrows(), columns.ncols());
    let rows = n.max(1) as f64;
    let mean: Vec<f64> = (0..p).map(|j| columns.col(j).iter().sum::<f64>() / rows).collect();
    let unit: Vec<f64> = (0..p)
        .map(|j| {
            let squares: f64 = columns.col(j).iter().map(|x| (x - mean[j]).powi(2)).sum();
            if squares > 0.0 { (squares / rows).sqrt() } else { 1.0 }
        })
        .collect();
    // Row by row, with the intercept first.
    let width = p + 1;
    let mut design = vec![1.0; n * width];
    for j in 0..p {
        for (i, x) in columns.col(j).iter().enumerate() {
            design[i * width + j + 1] = (x - mean[j]) / unit[j];
        }
    }
    let problem = Problem { design: &design, labels, width, classes: levels - 1 };
    let found = problem.solve()?;
    let mut fitted = Fitted { intercepts: Vec::new(), coefficients: Vec::new() };
    for own in found.chunks(width) {
        let coefficients: Vec<f64> = (0..p).map(|j| own[j + 1] / unit[j]).collect();
        let shift: f64 = coefficients.iter().zip(&mean).map(|(c, m)| c * m).sum();
        fitted.intercepts.push(own[0] - shift);
        fitted.coefficients.push(coefficients);
    }
    Ok(fitted)
}

struct Problem<'a> {
    design: &'a [f64],
    labels: &'a [usize],
    width: usize,
    /// Levels except the first.
    classes: usize,
}

/// Sums over a piece of the rows.
struct Sums {
    loss: f64,
    gradient: Vec<f64>,
    /// Lower triangle.
    hessian: Mat<f64>,
}

impl Problem<'_> {
    fn unknowns(&self) -> usize {
        self.width * self.classes
    }

    fn solve(&self) -> Result<Vec<f64>, Error> {
        let mut at = vec![0.0; self.unknowns()];
        if self.unknowns() > MOST_UNKNOWNS {
            let mut objective = |x: &[f64], gradient: &mut [f64]| {
                let sums = self.sums(x, false);
                gradient.copy_from_slice(&sums.gradient);
                sums.loss
            };
            let params = LbfgsParams {
                relative_tolerance: 1e-14,
                gradient_tolerance: 1e-8 * self.labels.len() as f64,
                ..LbfgsParams::default()
            };
            let limits = Limits::default();
            minimize(&mut at, &mut objective, limits, &params, &Run::ALONE, "the regression")?;
            return Ok(at);
        }
        let mut now = self.sums(&at, true);
        for _ in 0..MOST_ITERATIONS {
            let Some(step) = newton_step(&now) else { break };
            let slope: f64 = step.iter().zip(&now.gradient).map(|(s, g)| s * g).sum();
            // The decrease that a full step promises, next to rounding errors of the loss.
            if -slope <= 1e-14 * (1.0 + now.loss.abs()) {
                let polished: Vec<f64> = at.iter().zip(&step).map(|(x, s)| x + s).collect();
                return Ok(polished);
            }
            let mut length = 1.0;
            loop {
                let next: Vec<f64> = at.iter().zip(&step).map(|(x, s)| x + length * s).collect();
                let there = self.sums(&next, true);
                if there.loss <= now.loss + 1e-4 * length * slope {
                    (at, now) = (next, there);
                    break;
                }
                length *= 0.5;
                if length < 1e-8 {
                    return Ok(at);
                }
            }
        }
        Ok(at)
    }

    /// Loss, gradient and curvature of the penalised negative log-likelihood.
    fn sums(&self, at: &[f64], curved: bool) -> Sums {
        let pieces: Vec<(usize, usize)> = (0..self.labels.len())
            .step_by(ROWS)
            .map(|start| (start, (start + ROWS).min(self.labels.len())))
            .collect();
        let parts: Vec<Sums> =
            pieces.into_par_iter().map(|(from, to)| self.piece(at, from, to, curved)).collect();
        let mut total = self.none(curved);
        for part in parts {
            total.loss += part.loss;
            total.gradient.iter_mut().zip(&part.gradient).for_each(|(sum, x)| *sum += x);
            if curved {
                total.hessian += &part.hessian;
            }
        }
        for (k, x) in at.iter().enumerate().filter(|(k, _)| k % self.width > 0) {
            total.loss += 0.5 * PENALTY * x * x;
            total.gradient[k] += PENALTY * x;
            if curved {
                total.hessian[(k, k)] += PENALTY;
            }
        }
        total
    }

    fn none(&self, curved: bool) -> Sums {
        let size = if curved { self.unknowns() } else { 0 };
        Sums { loss: 0.0, gradient: vec![0.0; self.unknowns()], hessian: Mat::zeros(size, size) }
    }

    fn piece(&self, at: &[f64], from: usize, to: usize, curved: bool) -> Sums {
        let (w, classes) = (self.width, self.classes);
        let mut sums = self.none(curved);
        let mut odds = vec![0.0; classes + 1];
        for i in from..to {
            let x = &self.design[i * w..(i + 1) * w];
            odds[0] = 0.0;
            for c in 0..classes {
                odds[c + 1] = at[c * w..(c + 1) * w].iter().zip(x).map(|(b, x)| b * x).sum();
            }
            softmax(&mut odds);
            let label = self.labels[i];
            sums.loss -= odds[label].max(f64::MIN_POSITIVE).ln();
            for c in 0..classes {
                let off = odds[c + 1] - f64::from(u8::from(label == c + 1));
                let own = &mut sums.gradient[c * w..(c + 1) * w];
                own.iter_mut().zip(x).for_each(|(sum, x)| *sum += off * x);
            }
            if !curved {
                continue;
            }
            for b in 0..classes {
                for a in b..classes {
                    let same = f64::from(u8::from(a == b));
                    let weight = odds[b + 1] * (same - odds[a + 1]);
                    for (j, xj) in x.iter().enumerate() {
                        let factor = weight * xj;
                        let column = &mut sums.hessian.col_as_slice_mut(b * w + j)[a * w..];
                        let column = &mut column[..w];
                        column.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x);
                    }
                }
            }
        }
        sums
    }
}

/// The step to the minimum of the quadratic approximation.
fn newton_step(sums: &Sums) -> Option<Vec<f64>> {
    let size = sums.gradient.len();
    let lower = |i: usize, j: usize| sums.hessian[(i.max(j), i.min(j))];
    let whole = Mat::from_fn(size, size, lower);
    let mut factor = Cholesky::new(whole.as_ref());
    let mut ridge = 1e-12;
    while factor.is_none() && ridge < 1.0 {
        let most = (0..size).map(|i| whole[(i, i)]).fold(0.0, f64::max);
        let raised = |i: usize, j: usize| whole[(i, j)] + if i == j { ridge * most } else { 0.0 };
        factor = Cholesky::new(Mat::from_fn(size, size, raised).as_ref());
        ridge *= 100.0;
    }
    let factor = factor?;
    let mut step = Mat::from_fn(size, 1, |i, _| -sums.gradient[i]);
    factor.solve_lower(step.as_mut());
    factor.solve_upper(step.as_mut());
    Some(step.col_as_slice(0).to_vec())
}
