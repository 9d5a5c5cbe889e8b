//! Regression on given parents.

use faer::{Mat, MatRef};

use super::Node;
use super::informed::faintest;
use crate::core::parallel::*;
use crate::core::{Dag, Error};
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

/// What the parents leave of the variance of each variable, with the weights as they are. A
/// variable that its parents determine keeps what rounding can see. Nothing where some variable is a
/// block of columns: a block has no variance.
pub(crate) fn error_variances(problem: &Problem, dag: &Dag) -> Option<Vec<f64>> {
    if !problem.is_plain() {
        return None;
    }
    let s = problem.sample_covariance();
    let of = |j: usize| {
        let parents: Vec<(usize, f64)> =
            dag.parents(j).map(|i| (i, dag.weights()[(i, j)])).collect();
        let explained: f64 = parents
            .iter()
            .map(|&(i, weight)| {
                let others: f64 = parents.iter().map(|&(k, other)| other * s[(i, k)]).sum();
                weight * (2.0 * s[(i, j)] - others)
            })
            .sum();
        (s[(j, j)] - explained).max(f64::EPSILON * s[(j, j)])
    };
    Some((0..dag.size()).into_par_iter().map(of).collect())
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
