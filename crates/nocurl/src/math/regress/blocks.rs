//! Regressions of variables that are blocks of columns.

use faer::{Mat, MatRef};

use super::Node;
use crate::core::Error;
use crate::core::parallel::*;
use crate::math::local::{Blocks, Local, Priced};
use crate::math::{Price, Problem};

/// The coefficients of the columns of a variable (columns) on those of its parents (rows), which
/// stand one block after the other; and what is left of each column's variance.
///
/// # Errors
/// When the second moments are singular.
pub(crate) fn coefficients(
    problem: &Problem,
    variable: usize,
    parents: &[usize],
) -> Result<(Mat<f64>, Vec<f64>), Error> {
    let given: Vec<usize> = parents.iter().flat_map(|&parent| problem.columns(parent)).collect();
    let mut found = Mat::zeros(given.len(), problem.columns(variable).len());
    let mut rest = Vec::new();
    for (k, column) in problem.columns(variable).enumerate() {
        let node = Node::new(problem.sample_covariance(), column, given.clone())
            .or_else(|| Node::new(problem.covariance(), column, given.clone()))
            .ok_or_else(|| problem.singular())?;
        node.coefficients.iter().enumerate().for_each(|(i, &value)| found[(i, k)] = value);
        rest.push(node.residual);
    }
    Ok((found, rest))
}

/// Weights of the edges in `support`: the coefficient between two variables of one column each, the
/// strength where one of them has several.
///
/// # Errors
/// When the second moments are singular.
pub(crate) fn weights(problem: &Problem, support: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
    let (d, blocks) = (problem.size(), Blocks::new(problem));
    let single = |v: usize| problem.columns(v).len() == 1;
    let columns = (0..d)
        .into_par_iter()
        .map(|j| {
            let parents: Vec<usize> = (0..d).filter(|&i| support[(i, j)] != 0.0).collect();
            let (found, _) = coefficients(problem, j, &parents)?;
            let mut at = 0;
            let weight = |&i: &usize| {
                let coefficient = if single(j) { found[(at, 0)] } else { 0.0 };
                at += problem.columns(i).len();
                let weight = match single(i) && single(j) {
                    true => coefficient,
                    false => blocks.strength(j, &parents, i),
                };
                // An edge stays one, however faint.
                (i, if weight == 0.0 { f64::EPSILON } else { weight })
            };
            Ok(parents.iter().map(weight).collect())
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(super::assemble(d, columns))
}

/// Half of what is left of the variances of all columns given the parents of their variables: the
/// least-squares loss of the graph.
///
/// # Errors
/// When the second moments are singular.
pub(crate) fn loss(problem: &Problem, support: MatRef<'_, f64>) -> Result<f64, Error> {
    let d = problem.size();
    let mut sum = 0.0;
    for j in 0..d {
        let parents: Vec<usize> = (0..d).filter(|&i| support[(i, j)] != 0.0).collect();
        sum += coefficients(problem, j, &parents)?.1.iter().sum::<f64>();
    }
    Ok(sum / 2.0)
}

/// The parents that stay when those that do not pay their price go, one at a time, the least useful
/// first.
pub(crate) fn eliminate(
    problem: &Problem,
    blocks: &Blocks,
    price: Price,
    variable: usize,
    mut parents: Vec<usize>,
) -> Vec<usize> {
    let priced = Priced { local: blocks, price };
    let mut score = priced.score(variable, &parents);
    loop {
        let without = |place: usize| {
            let mut others = parents.clone();
            others.remove(place);
            (priced.score(variable, &others), place)
        };
        let free = |place: &usize| !problem.knowledge().requires(parents[*place], variable);
        let cheapest = (0..parents.len()).filter(free).map(without);
        match cheapest.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((lower, place)) if lower < score => {
                parents.remove(place);
                score = lower;
            }
            _ => return parents,
        }
    }
}
