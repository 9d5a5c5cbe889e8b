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
    let parents = |j| (0..d).filter(|&i| support[(i, j)] != 0.0).collect();
    Ok(assemble(d, refit_columns(problem, parents)?))
}

/// The same for a graph, without a matrix: the weights of each variable's parents.
///
/// # Errors
/// When the second moments are singular.
pub(crate) fn refit_dag(problem: &Problem, dag: &Dag) -> Result<Dag, Error> {
    if !problem.is_plain() {
        return Dag::new(refit(problem, dag.weights())?);
    }
    Dag::from_parents(refit_columns(problem, |j| dag.parents(j).collect())?)
}

fn refit_columns(
    problem: &Problem,
    parents: impl Fn(usize) -> Vec<usize> + Sync,
) -> Result<Vec<Vec<(usize, f64)>>, Error> {
    (0..problem.size())
        .into_par_iter()
        .map(|j| {
            let parents = parents(j);
            // Few parents need no shrinkage; many may.
            let node = Node::new(problem.sample_covariance(), j, parents.clone())
                .or_else(|| Node::new(problem.covariance(), j, parents))
                .ok_or_else(|| problem.singular())?;
            Ok(node.parents.into_iter().zip(node.coefficients).collect())
        })
        .collect()
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

/// The same for a graph.
pub(crate) fn linear_dag(problem: &Problem, dag: &Dag) -> Result<Dag, Error> {
    if !problem.is_plain() {
        return Dag::new(linear_parts(problem, dag.weights())?);
    }
    let mut columns = refit_columns(problem, |j| dag.parents(j).collect())?;
    for (j, column) in columns.iter_mut().enumerate() {
        let none = column.iter_mut().filter(|(_, weight)| *weight == 0.0);
        none.for_each(|(i, weight)| *weight = faintest(problem, *i, j));
    }
    Dag::from_parents(columns)
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
        let parents = dag.weighted_parents(j);
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
