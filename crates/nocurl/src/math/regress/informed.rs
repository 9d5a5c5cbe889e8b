//! Regression along an order with prior knowledge.

use super::{Node, on_order, refit, threshold};
use crate::core::parallel::*;
use crate::core::{Error, Mat, Order};
use crate::math::Problem;

/// The weights of `on_order`, each variable regressed only on those before it that may be its
/// parents.
///
/// Cost: that of `on_order`, and O(m^3) for each variable that may not have all m before it as
/// parents.
///
/// # Errors
/// [`Error::Collinear`] when the second moments are singular.
pub fn along(problem: &Problem, order: &Order) -> Result<Mat<f64>, Error> {
    let knowledge = problem.knowledge();
    if !problem.is_plain() {
        let (d, candidates) = (problem.size(), knowledge.candidates(order));
        let before = |i, j: usize| f64::from(u8::from(candidates[j].contains(&i)));
        return refit(problem, Mat::from_fn(d, d, before).as_ref());
    }
    let mut weights = on_order(problem, order)?.weights;
    if !knowledge.is_empty() {
        let ranks = order.ranks();
        let before = |v: usize| ranks.iter().filter(|&&rank| rank < ranks[v]).count();
        let candidates = knowledge.candidates(order);
        let restricted = candidates.into_iter().enumerate();
        let restricted = restricted.filter(|(v, parents)| parents.len() < before(*v)).collect();
        replace_columns(problem, &mut weights, restricted)?;
    }
    Ok(weights)
}

/// Brings the weights of a method in line with prior knowledge: edges that it does not allow or
/// that are against the order go, required ones come in, and variables whose parents change are
/// regressed anew.
///
/// # Errors
/// [`Error::Collinear`] when the second moments are singular.
pub(crate) fn restrict(
    problem: &Problem,
    order: &Order,
    mut weights: Mat<f64>,
) -> Result<Mat<f64>, Error> {
    let knowledge = problem.knowledge();
    if knowledge.is_empty() {
        return Ok(weights);
    }
    let candidates = knowledge.candidates(order);
    let mut changed = Vec::new();
    for (v, candidates) in candidates.into_iter().enumerate() {
        let own = |i: usize| weights[(i, v)] != 0.0;
        let parents: Vec<usize> =
            candidates.into_iter().filter(|&i| own(i) || knowledge.requires(i, v)).collect();
        let count = (0..problem.size()).filter(|&i| own(i)).count();
        if parents.len() != count || !parents.iter().all(|&i| own(i)) {
            changed.push((v, parents));
        }
    }
    replace_columns(problem, &mut weights, changed)?;
    Ok(weights)
}

/// [`threshold`] that leaves required edges in, however small; those of weight 0 get one of the
/// size of rounding, so that they are edges.
pub(crate) fn threshold_unless_required(problem: &Problem, weights: &mut Mat<f64>, bound: f64) {
    let edges = problem.knowledge().required_edges();
    let required: Vec<(usize, usize, f64)> = edges.map(|(i, j)| (i, j, weights[(i, j)])).collect();
    threshold(weights, bound);
    for (i, j, weight) in required {
        weights[(i, j)] = if weight == 0.0 { faintest(problem, i, j) } else { weight };
    }
}

/// A weight of `i -> j` of the size of rounding: an edge without an effect.
pub(super) fn faintest(problem: &Problem, i: usize, j: usize) -> f64 {
    if !problem.is_plain() {
        return f64::EPSILON;
    }
    let s = problem.sample_covariance();
    f64::EPSILON * (s[(j, j)] / s[(i, i)]).sqrt()
}

/// Regresses each of these variables on the parents beside it.
fn replace_columns(
    problem: &Problem,
    weights: &mut Mat<f64>,
    columns: Vec<(usize, Vec<usize>)>,
) -> Result<(), Error> {
    if !problem.is_plain() {
        for (v, parents) in columns {
            weights.col_as_slice_mut(v).fill(0.0);
            parents.into_iter().for_each(|i| weights[(i, v)] = 1.0);
        }
        *weights = refit(problem, weights.as_ref())?;
        return Ok(());
    }
    let fit = |(v, parents)| {
        Node::new(problem.second_moments(), v, parents)
            .map(|node| (v, node))
            .ok_or_else(|| problem.singular())
    };
    let fitted = columns.into_par_iter().map(fit).collect::<Result<Vec<_>, Error>>()?;
    for (v, node) in fitted {
        weights.col_as_slice_mut(v).fill(0.0);
        for (&i, &value) in node.parents.iter().zip(&node.coefficients) {
            weights[(i, v)] = value;
        }
    }
    Ok(())
}
