//! A graph to stand for an equivalence class.

use super::Problem;
use crate::regress::Node;
use crate::{Cpdag, Dag, Error};

/// The member of a class whose error variances, in the units given, are most alike as far as the
/// roots of its undirected parts tell.
///
/// The class leaves these directions open, so any member would do. Where error variances are equal
/// this one is the truth: in a part that is undirected every variable can come first, and the one
/// that does has the smallest variance given its known parents, as in `eq-td` (Chen, Drton and
/// Wang, 2019). With that variable as the root the rest falls into parts of the same kind (He and
/// Geng, *Active learning of causal networks*, 2008).
///
/// # Errors
/// When the graph is no equivalence class.
pub(super) fn member(problem: &Problem, class: &Cpdag) -> Result<Dag, Error> {
    let s = problem.sample_covariance();
    let variance = |graph: &Cpdag, v: usize| {
        let parents = (0..graph.size()).filter(|&u| graph.has_directed(u, v)).collect();
        // A variable that its parents determine has nothing left.
        Node::new(s, v, parents).map_or(0.0, |node| node.residual)
    };
    let mut graph = class.clone();
    loop {
        let mut open: Vec<usize> = graph.undirected().flat_map(|(i, j)| [i, j]).collect();
        open.sort_unstable();
        open.dedup();
        let root = open
            .into_iter()
            .map(|v| (variance(&graph, v), v))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, v)| v);
        let Some(root) = root else { return graph.to_dag() };
        let around: Vec<usize> =
            (0..graph.size()).filter(|&v| graph.has_undirected(root, v)).collect();
        around.into_iter().for_each(|v| graph.direct(root, v));
        graph.apply_meek_rules();
    }
}
