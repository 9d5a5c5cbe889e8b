//! A graph to stand for an equivalence class.

use super::sort_regress::{self, SortBy};
use crate::core::parallel::*;
use crate::core::{Dag, Error, Order, Pdag, Run};
use crate::math::Problem;
use crate::math::regress::Node;

/// Variances that differ by less than this share say nothing: the columns were standardised, and
/// maybe rounded after that.
const SAME: f64 = 1e-2;

/// Beyond so many variables each is explained by those next to it alone.
const FEW: usize = 200;

/// The member of a class that its undirected parts tell best from their roots.
///
/// The class leaves these directions open, so any member would do. In a part that is undirected
/// every variable can come first, and with one of them as the root the rest falls into parts of the
/// same kind (He and Geng, *Active learning of causal networks*, 2008). The root is the variable
/// with the smallest variance given its known parents, in the units given: where error variances
/// are equal that is the truth, as in `eq-td` (Chen, Drton and Wang, 2019). Where all columns have
/// the same variance it is the one that the others explain least, as in `r2-sortnregress` (Reisach
/// et al., 2023).
///
/// # Errors
/// When the graph is no equivalence class.
pub(crate) fn member(problem: &Problem, class: &Pdag) -> Result<Dag, Error> {
    let s = problem.sample_covariance();
    let variances = (0..class.size()).map(|v| s[(v, v)]);
    let (smallest, largest) = variances
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let ranks = match largest < smallest * (1.0 + SAME) {
        true if class.size() > FEW => Some(by_neighbours(problem, class)),
        true => sort_regress::propose(problem, SortBy::R2, &Run::default())
            .ok()
            .map(|proposal| proposal.order.ranks()),
        false => None,
    };
    let residual = |graph: &Pdag, v: usize| {
        let parents = graph.adjacent(v).filter(|&u| graph.has_directed(u, v)).collect();
        // A variable that its parents determine has nothing left.
        Node::new(s, v, parents).map_or(0.0, |node| node.residual)
    };
    let mut graph = class.clone();
    // What was left when a variable had so many parents; it has more when that changes.
    let mut known: Vec<(usize, f64)> = vec![(usize::MAX, 0.0); class.size()];
    let mut key = |graph: &Pdag, v: usize| match &ranks {
        Some(ranks) => ranks[v] as f64,
        None => {
            let parents = graph.adjacent(v).filter(|&u| graph.has_directed(u, v)).count();
            if known[v].0 != parents {
                known[v] = (parents, residual(graph, v));
            }
            known[v].1
        }
    };
    loop {
        let mut open: Vec<usize> = graph.undirected().flat_map(|(i, j)| [i, j]).collect();
        open.sort_unstable();
        open.dedup();
        let keyed = open.into_iter().map(|v| (key(&graph, v), v));
        let Some((_, root)) = keyed.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return graph.to_dag();
        };
        let around: Vec<(usize, usize)> = graph
            .adjacent(root)
            .filter(|&v| graph.has_undirected(root, v))
            .map(|v| (root, v))
            .collect();
        around.iter().for_each(|&(root, v)| graph.direct(root, v));
        graph.follow(around);
    }
}

/// Places of variables by how much those next to them explain, the least first.
fn by_neighbours(problem: &Problem, class: &Pdag) -> Vec<usize> {
    let s = problem.sample_covariance();
    let left = |v: usize| {
        let node = Node::new(s, v, class.adjacent(v).collect());
        node.map_or(0.0, |node| node.residual / s[(v, v)])
    };
    let left: Vec<f64> = (0..class.size()).into_par_iter().map(left).collect();
    let mut sequence: Vec<usize> = (0..class.size()).collect();
    sequence.sort_by(|&a, &b| left[b].total_cmp(&left[a]).then(a.cmp(&b)));
    Order::strict(&sequence).ranks()
}
