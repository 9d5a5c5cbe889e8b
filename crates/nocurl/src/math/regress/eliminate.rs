//! Parents along an order, chosen by backward elimination.

use super::{Node, assemble};
use crate::core::parallel::*;
use crate::core::{Error, Mat, Order};
use crate::math::Problem;

/// Whether prior knowledge requires the edge.
pub(crate) fn is_required(problem: &Problem, from: usize, to: usize) -> bool {
    problem.knowledge().requires(from, to)
}

/// Calls `work` with every variable and its predecessors that may be parents, in parallel.
pub(crate) fn per_variable<T: Send>(
    problem: &Problem,
    order: &Order,
    work: impl Fn(usize, Vec<usize>) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let mut before = Vec::with_capacity(order.size());
    let mut predecessors = vec![Vec::new(); order.size()];
    for place in order.places() {
        for &j in place {
            predecessors[j] = before.clone();
        }
        before.extend_from_slice(place);
    }
    if !problem.knowledge().is_empty() {
        predecessors = problem.knowledge().candidates(order);
    }
    predecessors.into_par_iter().enumerate().map(|(j, p)| work(j, p)).collect()
}

/// Backward elimination: drops the parent that costs least while its loss is below `bound`.
pub(crate) fn eliminate(problem: &Problem, order: &Order, bound: f64) -> Result<Mat<f64>, Error> {
    let columns = per_variable(problem, order, |j, predecessors| {
        let mut node =
            Node::new(problem.covariance(), j, predecessors).ok_or_else(|| problem.singular())?;
        let n = problem.rows() as f64;
        while let Some((worst, increase)) = node.cheapest(|i| is_required(problem, i, j)) {
            if n * (increase / node.residual).ln_1p() >= bound {
                break;
            }
            node.remove(worst);
        }
        Ok(node.parents.into_iter().zip(node.coefficients).collect())
    })?;
    Ok(assemble(problem.size(), columns))
}
