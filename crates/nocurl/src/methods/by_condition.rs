//! Least-squares methods where the rows come from experiments.

use super::Proposal;
use crate::core::parallel::*;
use crate::core::{Error, Mat, Order};
use crate::math::local::Experimental;
use crate::math::objective::Grams;
use crate::math::regress::refit;
use crate::math::{Experiments, Price, Problem};

/// Times that an order is proposed; two are usual.
const PASSES: usize = 4;

/// Proposes an order with the loss of each variable by its own second moments.
///
/// Whether the condition shifts a variable beside what its causes explain decides which moments it
/// goes by: those within conditions, or those of all its rows. At first all go by the former, which
/// hold for every graph; then each by what BIC says given the variables before it, until that
/// changes nothing.
///
/// # Errors
/// Those of the method, soft interventions, or moments that are singular.
pub(super) fn propose(
    problem: &Problem,
    experiments: &Experiments,
    mut method: impl FnMut(Grams<'_>) -> Result<Proposal, Error>,
) -> Result<Proposal, Error> {
    if !problem.is_centred() {
        let reason = "means are subtracted where there are conditions".into();
        return Err(Error::Experiments { reason });
    }
    let mut within = vec![true; problem.size()];
    let (mut iterations, mut evaluations) = (0, 0);
    for pass in 1.. {
        let own = experiments.second_moments(problem.variables(), &within)?;
        let mut proposal = method(own.grams())?;
        iterations += proposal.iterations;
        evaluations += proposal.evaluations;
        put_first(&mut proposal, experiments.condition());
        let parents = parents(problem, &proposal);
        let shifted = shifted(problem, experiments, &parents);
        if shifted == within || pass == PASSES {
            let weights =
                weights(problem, experiments, proposal.weights.take(), parents, &shifted)?;
            return Ok(Proposal { weights: Some(weights), iterations, evaluations, ..proposal });
        }
        within = shifted;
    }
    unreachable!("the last pass returns")
}

/// Nothing comes before the condition.
fn put_first(proposal: &mut Proposal, condition: usize) {
    let mut potential = match proposal.potential.take() {
        Some(potential) => potential,
        None => proposal.order.ranks().iter().map(|&rank| rank as f64).collect(),
    };
    let lowest = potential.iter().copied().fold(f64::INFINITY, f64::min);
    potential[condition] = lowest - 1.0;
    proposal.order = Order::from_potential(&potential);
    proposal.potential = Some(potential);
}

/// The variables that act on each: those of the method, or all before it. Not the condition.
fn parents(problem: &Problem, proposal: &Proposal) -> Vec<Vec<usize>> {
    let mut all = problem.knowledge().candidates(&proposal.order);
    for (j, parents) in all.iter_mut().enumerate() {
        let own = |i: usize| proposal.weights.as_ref().is_none_or(|w: &Mat<f64>| w[(i, j)] != 0.0);
        let condition = problem.experiments().map(Experiments::condition);
        parents.retain(|&i| Some(i) != condition && own(i));
    }
    all
}

/// Whether the condition shifts each variable beside what its parents explain, by BIC.
fn shifted(problem: &Problem, experiments: &Experiments, parents: &[Vec<usize>]) -> Vec<bool> {
    let (local, price) = (Experimental(experiments), Price::bic(experiments.rows(), 1.0));
    let decide = |(v, parents): (usize, &Vec<usize>)| {
        local.is_shifted(v, parents, price, problem.knowledge())
    };
    parents.par_iter().enumerate().map(decide).collect()
}

/// The method's weights, or those of regressions, with the edges of the condition.
fn weights(
    problem: &Problem,
    experiments: &Experiments,
    own: Option<Mat<f64>>,
    parents: Vec<Vec<usize>>,
    shifted: &[bool],
) -> Result<Mat<f64>, Error> {
    let (d, condition) = (problem.size(), experiments.condition());
    let mut support = Mat::zeros(d, d);
    for (j, parents) in parents.into_iter().enumerate() {
        parents.into_iter().for_each(|i| support[(i, j)] = 1.0);
        support[(condition, j)] = f64::from(u8::from(shifted[j]));
    }
    let mut fitted = refit(problem, support.as_ref())?;
    if let Some(own) = own {
        for j in 0..d {
            for i in (0..d).filter(|&i| i != condition) {
                fitted[(i, j)] = own[(i, j)];
            }
        }
    }
    Ok(fitted)
}
