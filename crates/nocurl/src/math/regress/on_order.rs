//! Regression of every variable on those before it.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Par};

use crate::core::{Error, Mat, Order};
use crate::math::Problem;
use crate::math::linalg::Cholesky;

/// The regressions of all variables on those before them in an order.
#[derive(Debug, Clone)]
pub struct Regression {
    /// Coefficients, row -> column.
    pub weights: Mat<f64>,
    /// What is left of each variable's second moment.
    pub residual_variances: Vec<f64>,
}

/// Regresses each variable on all variables at earlier places: Step 2 of DAG-NoCurl, which the
/// paper solves as an optimisation, in closed form.
///
/// Minimises `F(A)` over all `A` with `A[i][j] = 0` unless i comes before j. Variables that share
/// a place are regressed on the same predecessors. Cost: one Cholesky factorisation, one
/// triangular inverse and one triangular product, O(d^3) together for all columns.
///
/// # Errors
/// [`Error::Collinear`] when the second moments are singular.
///
/// ```
/// use nocurl::{Mat, Moments, Order, Problem, internals::regress::on_order};
/// let names = vec!["a".to_string(), "b".to_string()];
/// let covariance = Mat::from_fn(2, 2, |i, j| [[1.0, 2.0], [2.0, 5.0]][i][j]);
/// let moments = Moments::from_covariance(names, 100, vec![0.0; 2], covariance.as_ref())?;
/// let problem = Problem::new(&moments, true)?;
/// let fit = on_order(&problem, &Order::strict(&[0, 1]))?;
/// assert!((fit.weights[(0, 1)] - 2.0).abs() < 1e-12);
/// assert!((fit.residual_variances[1] - 1.0).abs() < 1e-12);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn on_order(problem: &Problem, order: &Order) -> Result<Regression, Error> {
    let s = problem.second_moments();
    let d = problem.size();
    let sequence = order.sequence();
    let permuted = Mat::from_fn(d, d, |a, b| s[(sequence[a], sequence[b])]);
    let cholesky = Cholesky::new(permuted.as_ref()).ok_or_else(|| problem.singular())?;
    drop(permuted);
    let lower = cholesky.lower();

    // Row k of L up to the place before k's; the regression on these m variables has the
    // coefficients (L_m)^-T L[k, ..m]', and (L_m)^-1 is the leading block of L^-1.
    let mut known = Mat::<f64>::zeros(d, d);
    let mut residual_variances = vec![0.0; d];
    let mut before = 0;
    for place in order.places() {
        for k in before..before + place.len() {
            let mut explained = 0.0;
            for i in 0..before {
                known[(i, k)] = lower[(k, i)];
                explained += lower[(k, i)] * lower[(k, i)];
            }
            residual_variances[sequence[k]] = if place.len() == 1 {
                lower[(k, k)] * lower[(k, k)]
            } else {
                s[(sequence[k], sequence[k])] - explained
            };
        }
        before += place.len();
    }
    let inverse = cholesky.inverse_lower();
    let mut ordered = Mat::zeros(d, d);
    triangular::matmul(
        ordered.as_mut(),
        BlockStructure::TriangularUpper,
        Accum::Replace,
        inverse.transpose(),
        BlockStructure::TriangularUpper,
        known.as_ref(),
        BlockStructure::TriangularUpper,
        1.0,
        Par::Seq,
    );
    let mut weights = known;
    for b in 0..d {
        for a in 0..d {
            weights[(sequence[a], sequence[b])] = if a < b { ordered[(a, b)] } else { 0.0 };
        }
    }
    Ok(Regression { weights, residual_variances })
}
