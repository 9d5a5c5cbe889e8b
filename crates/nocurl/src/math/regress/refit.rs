//! Regression on given parents.

use faer::{Mat, MatRef};

use super::Node;
use super::informed::faintest;
use crate::core::Error;
use crate::core::parallel::*;
use crate::math::Problem;

/// Sets weights smaller than `bound` in size to zero.
pub fn threshold(weights: &mut Mat<f64>, bound: f64) {
    for j in 0..weights.ncols() {
        for i in 0..weights.nrows() {
            if weights[(i, j)].abs() < bound {
                weights[(i, j)] = 0.0;
            }
        }
    }
}

/// Regresses every variable on its parents in `support` (the entries that are not zero).
///
/// # Errors
/// When the second moments are singular.
pub fn refit(problem: &Problem, support: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    if !problem.is_plain() {
        return super::blocks::weights(problem, support);
    }
    let d = problem.size();
    let columns = (0..d)
        .into_par_iter()
        .map(|j| {
            let parents: Vec<usize> = (0..d).filter(|&i| support[(i, j)] != 0.0).collect();
            // Few parents need no shrinkage; many may.
            let node = Node::new(problem.sample_covariance(), j, parents.clone())
                .or_else(|| Node::new(problem.covariance(), j, parents))
                .ok_or_else(|| problem.singular())?;
            Ok(node.parents.into_iter().zip(node.coefficients).collect())
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(assemble(d, columns))
}

/// The linear regressions of all variables on their parents. An edge whose coefficient is exactly
/// 0 keeps a weight of rounding size, so that it stays an edge.
pub(crate) fn linear_parts(problem: &Problem, support: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let mut weights = refit(problem, support)?;
    for j in 0..problem.size() {
        for i in 0..problem.size() {
            if support[(i, j)] != 0.0 && weights[(i, j)] == 0.0 {
                weights[(i, j)] = faintest(problem, i, j);
            }
        }
    }
    Ok(weights)
}

/// A matrix from the entries of its columns.
pub(crate) fn assemble(d: usize, columns: Vec<Vec<(usize, f64)>>) -> Mat<f64> {
    let mut weights = Mat::zeros(d, d);
    for (j, column) in columns.into_iter().enumerate() {
        for (i, value) in column {
            weights[(i, j)] = value;
        }
    }
    weights
}
