//! DAG-NoCurl where there are many variables: over pairs that have to do with each other.

use super::{Effort, NoCurl, Variant};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::{Dag, Error, Order, Run};
use crate::math::objective::{Acyclicity, Grams};
use crate::math::optimize::{Columns, Screened, Solver};
use crate::math::regress::{Grower, Growth, assemble};
use crate::math::{Problem, hodge};
use crate::methods::Proposal;

/// Up to this many variables both steps go over all pairs.
pub(super) const FEW: usize = 250;

/// True where the steps go over few pairs: with many variables and the usual choices. The logarithm
/// of a determinant has no series that ends, and the variants of the paper are for comparison.
pub(super) fn applies(params: &NoCurl, variables: usize) -> bool {
    variables > FEW
        && params.variant == Variant::Standard
        && params.solver == Solver::Ridge
        && params.acyclicity != Acyclicity::LogDet
}

/// The relative decrease of the objective at which to stop, at every penalty: a looser one costs
/// edges here.
const TOLERANCE: f64 = 1e-6;

/// Bytes for each of many variables: its regressions, and rows of factors.
const PER_VARIABLE: f64 = 40_000.0;

/// The estimate, once more in the order of the table, and what goes with the pairs. The graph is
/// handed over as a list of edges, so nothing else takes matrices.
pub(super) fn memory(size: &Size) -> Memory {
    let d = size.variables as f64;
    Memory::default().and_bytes(2.0 * 8.0 * d * d + PER_VARIABLE * d)
}

/// Both steps over few pairs.
pub(super) fn propose(
    problem: &Problem,
    params: &NoCurl,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let grower = Grower::new(problem);
    let screened = Screened {
        grower,
        unit: Grams::from(grower.moments()).unit(problem.size()),
        acyclicity: params.acyclicity,
        tolerance: params.tolerance.unwrap_or(TOLERANCE),
        max_iterations: params.max_iterations,
        knowledge: problem.knowledge(),
    };
    // Step 1, Eq. (pre), and its threshold.
    let (mut estimate, infos) = screened.minimise(&params.lambdas, run)?;
    let mut effort = Effort::default();
    infos.iter().for_each(|info| effort.add(info.iterations, info.evaluations, info.termination));
    let bound = params.estimate_threshold;
    estimate.iter_mut().for_each(|column| column.retain(|&(_, weight)| weight.abs() >= bound));

    // Step 2, Eq. (solvep), and the regressions on the order.
    let potential = hodge::potential(&Reachability::of_children(&children(&estimate)));
    let order = Order::from_potential(&potential);
    let graph = regress(problem, &grower, &order, &estimate)?;
    let proposal = effort.proposal(order, Some(potential), None);
    let estimate = Some(assemble(problem.size(), estimate));
    Ok(Proposal { estimate, graph: Some(graph), ..proposal })
}

fn children(columns: &Columns) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); columns.len()];
    for (j, column) in columns.iter().enumerate() {
        column.iter().for_each(|&(i, _)| children[i].push(j));
    }
    children
}

/// Regresses each variable on those before it: on its parents in the estimate, and on all others that
/// pay for themselves then. The rest would have coefficients of chance alone.
fn regress(
    problem: &Problem,
    grower: &Grower<'_>,
    order: &Order,
    estimate: &Columns,
) -> Result<Dag, Error> {
    let (ranks, knowledge) = (order.ranks(), problem.knowledge());
    let parents = (0..problem.size())
        .into_par_iter()
        .map_init(Growth::default, |growth, j| {
            let may = |i: usize| ranks[i] < ranks[j] && knowledge.allows(i, j);
            growth.begin(grower, j);
            let own = estimate[j].iter().map(|&(i, _)| i).filter(|&i| may(i));
            own.for_each(|i| growth.add(grower, i, 0.0));
            grower.grow(growth, may);
            growth.coefficients()
        })
        .collect();
    Dag::from_parents(parents)
}
