//! Partially directed graphs.

use std::collections::BTreeSet;

use crate::core::{Dag, Error};

/// A partially directed graph: each two variables have no edge, a directed or an undirected one.
///
/// It says which directions are determined: a directed edge has a determined direction, an
/// undirected edge an undetermined one. Made by [`Pdag::class_of`] it is the completed graph of a Markov equivalence class: the
/// directed edges are those that every member of the class shares, the undirected ones have
/// either direction in some member. Data alone, without assumptions on the noise, cannot tell the
/// members apart.
///
/// ```
/// use nocurl::{Dag, Pdag};
/// let chain = Pdag::class_of(&Dag::from_edges(3, &[(0, 1), (1, 2)])?);
/// assert_eq!(chain.undirected().count(), 2);
/// let collider = Pdag::class_of(&Dag::from_edges(3, &[(0, 1), (2, 1)])?);
/// assert_eq!(collider.directed().count(), 2);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdag {
    /// For each variable those that share an edge with it, in increasing index, and how.
    edges: Vec<Vec<(usize, u8)>>,
}

/// How `i` shares an edge with `j`: `i -> j` has the first mark, `j -> i` the second, an undirected
/// edge both.
const OUT: u8 = 1;
const IN: u8 = 2;

impl Pdag {
    fn without_edges(d: usize) -> Self {
        Self { edges: vec![Vec::new(); d] }
    }

    /// A graph with these directed edges `from -> to` and undirected edges. It is taken as given:
    /// whether it is completed, or has a member at all, is not checked.
    ///
    /// # Errors
    /// When an edge is not between two of the `d` variables or a pair has two edges.
    pub fn new(
        d: usize,
        directed: &[(usize, usize)],
        undirected: &[(usize, usize)],
    ) -> Result<Self, Error> {
        let mut graph = Self::without_edges(d);
        let edges = directed.iter().map(|&edge| (edge, true));
        for ((i, j), arrow) in edges.chain(undirected.iter().map(|&edge| (edge, false))) {
            if i >= d || j >= d || i == j || graph.is_adjacent(i, j) {
                return Err(Error::InvalidEdge { from: i, to: j, variables: d });
            }
            graph.set(i, j, true);
            graph.set(j, i, !arrow);
        }
        Ok(graph)
    }

    /// A graph whose directions are all determined.
    pub fn of_dag(dag: &Dag) -> Self {
        let mut graph = Self::without_edges(dag.size());
        dag.edges().for_each(|(i, j, _)| graph.set(i, j, true));
        graph
    }

    /// The completed graph of the class that holds `dag`.
    ///
    /// Labels edges as compelled or reversible in topological order (Chickering, 1995). Cost
    /// O(m k log k) for m edges and at most k parents.
    pub fn class_of(dag: &Dag) -> Self {
        let d = dag.size();
        let mut rank = vec![0; d];
        dag.order().iter().enumerate().for_each(|(place, &i)| rank[i] = place);
        // Parents of each variable, the latest in the order first.
        let parents: Vec<Vec<usize>> = (0..d)
            .map(|j| {
                let mut parents: Vec<usize> = dag.parents(j).collect();
                parents.sort_unstable_by_key(|&i| std::cmp::Reverse(rank[i]));
                parents
            })
            .collect();
        let mut compelled: Vec<Vec<usize>> = vec![Vec::new(); d];
        let mut label = vec![None; d];
        for &y in dag.order() {
            parents[y].iter().for_each(|&x| label[x] = None);
            for &x in &parents[y] {
                if label[x].is_some() {
                    continue;
                }
                let into_x = &compelled[x];
                // A compelled w -> x forces x -> y when w and y are not adjacent, and otherwise
                // w -> y; a parent of y that is no parent of x makes x -> y part of a v-structure.
                let forced = into_x.iter().any(|&w| !dag.has_edge(w, y));
                if !forced {
                    into_x.iter().for_each(|&w| label[w] = Some(true));
                }
                let collides = || parents[y].iter().any(|&z| z != x && !dag.has_edge(z, x));
                let rest = forced || collides();
                for &z in &parents[y] {
                    if forced || label[z].is_none() {
                        label[z] = Some(rest);
                    }
                }
            }
            compelled[y] = parents[y].iter().copied().filter(|&x| label[x] == Some(true)).collect();
        }
        let mut graph = Self::without_edges(d);
        for y in 0..d {
            for &x in &parents[y] {
                graph.set(x, y, true);
                graph.set(y, x, true);
            }
            for &x in &compelled[y] {
                graph.set(y, x, false);
            }
        }
        graph
    }

    /// A directed acyclic graph with the same adjacencies, these directed edges and no v-structure
    /// that is not here already: of a completed graph, a member of its class. Weights are 1.
    ///
    /// Removes sinks one after the other (Dor and Tarsi, 1992). Cost O(m k^2) for m edges and
    /// degrees up to k.
    ///
    /// # Errors
    /// When there is no such graph.
    pub fn to_dag(&self) -> Result<Dag, Error> {
        let mut rest = self.clone();
        let mut edges = Vec::new();
        let mut removed = 0;
        // Whether a variable can be the next sink changes only when one next to it is removed.
        let mut candidates: BTreeSet<usize> = (0..self.size()).collect();
        while let Some(x) = candidates.pop_first() {
            let around: Vec<usize> = rest.adjacent(x).collect();
            let sink = around.iter().all(|&y| {
                rest.has_directed(y, x)
                    || rest.has_undirected(x, y)
                        && around.iter().all(|&z| z == y || rest.is_adjacent(y, z))
            });
            if !sink {
                continue;
            }
            for &y in &around {
                edges.push((y, x));
                rest.set(x, y, false);
                rest.set(y, x, false);
            }
            candidates.extend(around);
            removed += 1;
        }
        if removed < self.size() {
            return Err(Error::NoAcyclicMember);
        }
        Dag::from_edges(self.size(), &edges)
    }

    /// Directs every undirected edge whose direction follows from the directed ones, because the
    /// other would make a cycle or a new v-structure: the four rules of Meek (1995).
    ///
    /// The rules, for undirected `a - b`, give `a -> b` when
    /// 1. some `c -> a` has `c` and `b` not adjacent,
    /// 2. `a -> c -> b`,
    /// 3. `a - c -> b` and `a - e -> b` with `c` and `e` not adjacent,
    /// 4. `a - c -> e -> b` with `c` and `b` not adjacent, `a` and `e` adjacent.
    ///
    /// Rules 1 to 3 complete the v-structures of a graph; rule 4 is for directions known from
    /// elsewhere. Cost O(m k^2) for m edges and degrees up to k.
    pub fn apply_meek_rules(&mut self) {
        self.follow(self.directed().collect());
    }

    /// The same where all that follows from other directed edges than these is directed already.
    pub(crate) fn follow(&mut self, mut queue: Vec<(usize, usize)>) {
        let mut found = Vec::new();
        while let Some((x, y)) = queue.pop() {
            let next_to_x = || self.adjacent(x);
            let next_to_y = || self.adjacent(y);
            // Every rule with x -> y as one of its directed edges.
            found.clear();
            for b in next_to_y().filter(|&b| b != x) {
                if self.has_undirected(y, b) && !self.is_adjacent(x, b) {
                    found.push((y, b)); // rule 1, x = c
                }
                if self.has_directed(y, b) && self.has_undirected(x, b) {
                    found.push((x, b)); // rule 2, first edge
                }
                if self.has_directed(b, x) && self.has_undirected(b, y) {
                    found.push((b, y)); // rule 2, second edge
                }
            }
            for a in next_to_x().filter(|&a| self.has_undirected(a, x) && self.is_adjacent(a, y)) {
                let another = |e| {
                    e != x
                        && self.has_directed(e, y)
                        && self.has_undirected(a, e)
                        && !self.is_adjacent(x, e)
                };
                if self.has_undirected(a, y) && next_to_y().any(another) {
                    found.push((a, y)); // rule 3, x = c
                }
                for b in next_to_y().filter(|&b| self.has_directed(y, b)) {
                    if self.has_undirected(a, b) && !self.is_adjacent(x, b) {
                        found.push((a, b)); // rule 4, c -> e
                    }
                }
            }
            for c in next_to_x().filter(|&c| self.has_directed(c, x) && !self.is_adjacent(c, y)) {
                for a in next_to_y().filter(|&a| self.has_undirected(a, y)) {
                    if self.has_undirected(a, c) && self.is_adjacent(a, x) {
                        found.push((a, y)); // rule 4, e -> b
                    }
                }
            }
            for &(a, b) in &found {
                if self.has_undirected(a, b) {
                    self.set(b, a, false);
                    queue.push((a, b));
                }
            }
        }
    }

    /// Gives an undirected edge a direction.
    pub(crate) fn direct(&mut self, from: usize, to: usize) {
        debug_assert!(self.has_undirected(from, to));
        self.set(to, from, false);
    }

    /// The same graph with variable `k` under the number `to[k]`.
    pub(crate) fn renumbered(&self, to: &[usize]) -> Self {
        let mut graph = Self::without_edges(self.size());
        for (i, edges) in self.edges.iter().enumerate() {
            let around = edges.iter().map(|&(j, marks)| (to[j], marks));
            graph.edges[to[i]] = around.collect();
            graph.edges[to[i]].sort_unstable();
        }
        graph
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.edges.len()
    }

    /// True when `from -> to` is directed.
    pub fn has_directed(&self, from: usize, to: usize) -> bool {
        self.marks(from, to) == OUT
    }

    /// True when `i - j` is undirected.
    pub fn has_undirected(&self, i: usize, j: usize) -> bool {
        self.marks(i, j) == OUT | IN
    }

    /// True when there is an edge of any kind between the two.
    pub fn is_adjacent(&self, i: usize, j: usize) -> bool {
        self.marks(i, j) != 0
    }

    /// True when every direction is determined.
    pub fn is_directed(&self) -> bool {
        self.undirected().next().is_none()
    }

    /// Directed edges `(from, to)`, by `from`, then by `to`.
    pub fn directed(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.marked(OUT)
    }

    /// Undirected edges `(i, j)` with `i < j`, by `i`, then by `j`.
    pub fn undirected(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.marked(OUT | IN).filter(|&(i, j)| i < j)
    }

    /// Those that share an edge of any kind with a variable, in increasing index.
    pub fn adjacent(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges[variable].iter().map(|&(j, _)| j)
    }

    /// Pairs with just these marks, row by row.
    fn marked(&self, marks: u8) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.edges.iter().enumerate();
        rows.flat_map(move |(i, edges)| {
            edges.iter().filter(move |&&(_, own)| own == marks).map(move |&(j, _)| (i, j))
        })
    }

    fn marks(&self, i: usize, j: usize) -> u8 {
        let edges = &self.edges[i];
        edges.binary_search_by_key(&j, |&(k, _)| k).map_or(0, |at| edges[at].1)
    }

    fn set(&mut self, i: usize, j: usize, mark: bool) {
        self.set_half(i, j, OUT, mark);
        self.set_half(j, i, IN, mark);
    }

    fn set_half(&mut self, i: usize, j: usize, bit: u8, mark: bool) {
        let edges = &mut self.edges[i];
        match edges.binary_search_by_key(&j, |&(k, _)| k) {
            Ok(at) if mark => edges[at].1 |= bit,
            Ok(at) => {
                edges[at].1 &= !bit;
                if edges[at].1 == 0 {
                    edges.remove(at);
                }
            }
            Err(at) if mark => edges.insert(at, (j, bit)),
            Err(_) => {}
        }
    }
}
