//! The graph on which resampled tables agree.

use super::Bootstrap;
use crate::core::{Dag, Pdag};

impl Bootstrap {
    /// The partially directed graph of all edges and directions whose confidence is at least
    /// `level`.
    ///
    /// It is legal: directions have no cycle, all that follows from them by Meek's rules is
    /// directed too, and there is a directed acyclic graph with its edges, its directions and no
    /// further v-structure. Edges go in by falling frequency, each in its more frequent direction
    /// unless that closes a cycle; this graph is acyclic. Where the directions that are sure
    /// enough leave no such graph (an undirected ring without a chord), the v-structures of the
    /// acyclic one go in as well. O(d^2 + m^2) for m edges.
    pub fn consensus(&self, level: f64) -> Pdag {
        let mut chosen: Vec<(usize, usize, f64, f64)> = self
            .pairs
            .iter()
            .map(|pair| {
                let sure = self.confidence(pair.from, pair.to);
                (pair.from, pair.to, sure.adjacent, sure.direction)
            })
            .filter(|&(_, _, adjacent, _)| adjacent > 0.0 && adjacent >= level)
            .collect();
        chosen.sort_by(|a, b| {
            b.3.total_cmp(&a.3).then(b.2.total_cmp(&a.2)).then((a.0, a.1).cmp(&(b.0, b.1)))
        });
        let edges = acyclic(self.variables, &chosen);
        let (mut directed, mut undirected) = (Vec::new(), Vec::new());
        for (&edge, &(from, to, _, direction)) in edges.iter().zip(&chosen) {
            let sure = edge == (from, to) && direction > 0.0 && direction >= level;
            if sure { &mut directed } else { &mut undirected }.push(edge);
        }
        legal(self.variables, &edges, &directed, &undirected)
    }
}

/// The edges, each in its direction or turned around where that would close a cycle.
fn acyclic(d: usize, chosen: &[(usize, usize, f64, f64)]) -> Vec<(usize, usize)> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); d];
    let mut edges = Vec::with_capacity(chosen.len());
    for &(from, to, ..) in chosen {
        let edge = if leads(&children, to, from) { (to, from) } else { (from, to) };
        children[edge.0].push(edge.1);
        edges.push(edge);
    }
    edges
}

/// The graph with these directions, and those that follow; `edges` are all of them without a cycle.
fn legal(
    d: usize,
    edges: &[(usize, usize)],
    directed: &[(usize, usize)],
    undirected: &[(usize, usize)],
) -> Pdag {
    let closed = |directed: &[(usize, usize)], undirected: &[(usize, usize)]| {
        let mut graph = Pdag::new(d, directed, undirected).expect("each pair is there once");
        graph.apply_meek_rules();
        graph
    };
    let graph = closed(directed, undirected);
    if graph.to_dag().is_ok() {
        return graph;
    }
    // The acyclic graph is a member once its v-structures are given.
    let dag = Dag::from_edges(d, edges).expect("no edge closes a cycle");
    let collides = |&(from, to): &(usize, usize)| {
        dag.parents(to)
            .any(|other| other != from && !dag.has_edge(from, other) && !dag.has_edge(other, from))
    };
    let (more, rest): (Vec<_>, Vec<_>) = undirected.iter().copied().partition(collides);
    closed(&[directed, &more].concat(), &rest)
}

/// True when a directed path leads from one variable to the other.
fn leads(children: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; children.len()];
    let mut queue = vec![from];
    while let Some(i) = queue.pop() {
        if i == to {
            return true;
        }
        if !std::mem::replace(&mut seen[i], true) {
            queue.extend(&children[i]);
        }
    }
    false
}
