//! Which variable reaches which.

use crate::core::{Dag, MatRef};

/// The connectivity matrix `C` of a directed graph: `C[i][j] = 1` when a path of one or more edges
/// leads from `i` to `j`; a variable on a cycle reaches itself.
///
/// Computed by strongly connected components (Tarjan) and bit sets in O(d^2 + d m / 64) for m
/// edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachability {
    size: usize,
    words: usize,
    bits: Vec<u64>,
    components: Vec<Vec<usize>>,
}

impl Reachability {
    /// Reachability in the graph of the entries of `weights` (row -> column) that are not zero.
    pub fn new(weights: MatRef<'_, f64>) -> Self {
        let d = weights.nrows();
        Self::of_children(
            &(0..d)
                .map(|i| (0..d).filter(|&j| weights[(i, j)] != 0.0).collect())
                .collect::<Vec<_>>(),
        )
    }

    /// Reachability in a graph.
    pub fn of_dag(dag: &Dag) -> Self {
        let children = |i| dag.children(i).collect();
        Self::of_children(&(0..dag.size()).map(children).collect::<Vec<_>>())
    }

    /// Reachability in the graph with these children of each variable.
    pub(crate) fn of_children(children: &[Vec<usize>]) -> Self {
        let d = children.len();
        let words = d.div_ceil(64);
        // Tarjan gives components in reverse topological order: those reached come first.
        let components = strong_components(children);
        let mut bits = vec![0u64; d * words];
        let mut row = vec![0u64; words];
        for component in &components {
            row.fill(0);
            for &i in component {
                for &j in &children[i] {
                    row[j / 64] |= 1 << (j % 64);
                    for (word, reached) in row.iter_mut().zip(&bits[j * words..(j + 1) * words]) {
                        *word |= reached;
                    }
                }
            }
            for &i in component {
                bits[i * words..(i + 1) * words].copy_from_slice(&row);
            }
        }
        Self { size: d, words, bits, components: components.into_iter().rev().collect() }
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.size
    }

    /// True when a path of one or more edges leads from `from` to `to`.
    pub fn reaches(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.words + to / 64] >> (to % 64) & 1 == 1
    }

    /// Number of variables that `from` reaches, itself among them when it is on a cycle.
    pub fn reached_count(&self, from: usize) -> usize {
        self.bits[from * self.words..(from + 1) * self.words]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The strongly connected components in topological order.
    pub fn components(&self) -> &[Vec<usize>] {
        &self.components
    }

    /// True when some variable reaches itself.
    pub fn is_cyclic(&self) -> bool {
        (0..self.size).any(|i| self.reaches(i, i))
    }
}

/// Tarjan's algorithm without recursion; components come in reverse topological order.
fn strong_components(children: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let d = children.len();
    let mut index = vec![UNSEEN; d];
    let mut low = vec![0; d];
    let mut on_stack = vec![false; d];
    let (mut stack, mut components) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..d {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&(i, position)) = calls.last() {
            if position == 0 {
                index[i] = next;
                low[i] = next;
                next += 1;
                stack.push(i);
                on_stack[i] = true;
            }
            if let Some(&j) = children[i].get(position) {
                let top = calls.len() - 1;
                calls[top].1 += 1;
                if index[j] == UNSEEN {
                    calls.push((j, 0));
                } else if on_stack[j] {
                    low[i] = low[i].min(index[j]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[i]);
            }
            if low[i] == index[i] {
                let start = stack.iter().rposition(|&j| j == i).expect("the root is on the stack");
                let mut component = stack.split_off(start);
                component.iter().for_each(|&j| on_stack[j] = false);
                component.sort_unstable();
                components.push(component);
            }
        }
    }
    components
}
