//! What can be done next at one variable, and what it gains.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use faer::MatRef;

use super::class::Class;
use crate::core::Dag;
use crate::core::graph::bits::{self, BitMatrix};
use crate::math::Price;
use crate::math::local::{Local, Priced};
use crate::math::regress::Node;
use crate::methods::sweep::{Entries, Subsets, Sweep};

/// Cliques tried at most among the neighbours of a variable. Up to 13 neighbours all are.
pub(super) const MOST_CLIQUES: usize = 8192;

/// An edge that can come or go between `x` and the variable it is a candidate of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::methods) struct Candidate {
    /// The squared partial correlation of the edge, or what it gains, with a minus sign for
    /// removals: the larger, the better.
    pub(in crate::methods) value: f64,
    pub(in crate::methods) x: usize,
    /// Position of the clique of neighbours that stay or become parents.
    pub(in crate::methods) clique: usize,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then_with(|| {
            // Of equal gains the smaller change.
            (other.clique, other.x).cmp(&(self.clique, self.x))
        })
    }
}

/// All candidates at one variable, of one kind.
#[derive(Debug, Default)]
pub(in crate::methods) struct Moves {
    pub(in crate::methods) cliques: Vec<Vec<usize>>,
    pub(in crate::methods) heap: BinaryHeap<Candidate>,
    /// Additions that would close a cycle, each with a path that shows it.
    pub(super) blocked: Vec<(Candidate, Vec<usize>)>,
    /// Candidates that were scored.
    pub(in crate::methods) scored: u64,
    /// True when there were too many cliques to try all.
    pub(in crate::methods) limited: bool,
}

impl Moves {
    /// The best way to remove the edge of `x`.
    pub(super) fn cheapest(&self, x: usize) -> Option<Candidate> {
        self.heap.iter().copied().filter(|candidate| candidate.x == x).max()
    }
}

/// A score that is a sum over variables, as the greedy search asks for it.
pub(in crate::methods) trait Score: Sync {
    /// Number of variables.
    fn size(&self) -> usize;

    /// The value that pays for an edge.
    fn bound(&self) -> f64;

    /// What an edge of this value gains.
    fn gain(&self, value: f64) -> f64;

    /// The score of a graph, the larger the better, up to a constant; `None` where there is none.
    fn score(&self, dag: &Dag) -> Option<f64>;

    /// Operations of scoring a candidate, about.
    fn operations(&self) -> f64;

    /// Variables from which on it pays to score them on several threads.
    fn worthwhile(&self) -> usize;

    /// Additions of an edge into `y`.
    fn additions(&self, class: &Class, y: usize) -> Moves;

    /// Removals of the edges `x -> y` and `x - y`.
    fn removals(&self, class: &Class, y: usize) -> Moves;
}

/// What surrounds variables in a class; lists are in rising order.
pub(super) trait Surroundings {
    fn parents(&self, y: usize) -> Vec<usize>;

    /// Those next to `y` by an undirected edge.
    fn neighbours(&self, y: usize) -> Vec<usize>;

    fn adjacent(&self, a: usize, b: usize) -> bool;
}

/// What an edge must bring, where values are squared partial correlations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    rows: f64,
    /// The squared partial correlation that pays for an edge.
    pub(super) bound: f64,
    /// The most parents that the rows can tell apart.
    most_parents: usize,
}

impl Limits {
    pub(super) fn new(rows: u64, price: Price) -> Self {
        let n = rows as f64;
        // An edge raises twice the log-likelihood by -n log(1 - r^2).
        Self { rows: n, bound: -(-price.single() / n).exp_m1(), most_parents: (rows / 2) as usize }
    }

    /// What an edge of this squared partial correlation gains: twice the log-likelihood, less the
    /// penalty.
    pub(super) fn gain(&self, value: f64) -> f64 {
        self.rows * ((-self.bound).ln_1p() - (-value).ln_1p())
    }

    /// Twice the log-likelihood of a variable given its parents, less the penalties and up to a
    /// constant; `None` when the moments of the parents are singular.
    pub(super) fn score(&self, s: &impl Entries, y: usize, parents: Vec<usize>) -> Option<f64> {
        // What an edge costs: its gain at no correlation, with the opposite sign.
        let cost = -self.gain(0.0);
        let node = Node::by(|i, j| s.entry(i, j), y, parents)?;
        Some(-self.rows * node.residual.ln() - cost * node.parents.len() as f64)
    }

    /// Additions of an edge into `y`: for every clique `C` of neighbours of `y`, each `x` that is
    /// not adjacent to `y` and whose adjacent neighbours of `y` are all in `C`. The parents of `y`
    /// and `C` are then given.
    ///
    /// The columns hold the candidates and all that are next to `y`, in rising order.
    pub(super) fn additions<S: Entries>(
        &self,
        s: S,
        class: &impl Surroundings,
        y: usize,
        columns: &[usize],
        candidate: impl Fn(usize) -> bool,
    ) -> Moves {
        let mut moves = Moves::default();
        let mut sweep = Sweep::new(s, columns, y);
        let parents = class.parents(y);
        if parents.len() >= self.most_parents || !parents.iter().all(|&z| sweep.push(z)) {
            return moves;
        }
        let around = class.neighbours(y);
        let candidates: Vec<(usize, usize)> = columns
            .iter()
            .copied()
            .enumerate()
            .filter(|&(_, x)| x != y && !class.adjacent(y, x) && candidate(x))
            .collect();
        let mut found = Vec::new();
        let room = self.most_parents - parents.len() - 1;
        let adjacent = |a, b| class.adjacent(a, b);
        let mut cliques = Subsets::new(&mut sweep, around.len(), room, MOST_CLIQUES, adjacent);
        let _ = cliques.walk(&around, &mut |sweep, clique| {
            let before = found.len();
            moves.scored += candidates.len() as u64;
            for &(at, x) in &candidates {
                let value = sweep.squared_correlation(at);
                let fits = || around.iter().all(|&t| !class.adjacent(x, t) || clique.contains(&t));
                if value > self.bound && fits() {
                    found.push(Candidate { value, x, clique: moves.cliques.len() });
                }
            }
            if found.len() > before {
                moves.cliques.push(clique.to_vec());
            }
            ControlFlow::Continue(())
        });
        moves.limited = cliques.limited;
        moves.heap = found.into();
        moves
    }

    /// Removals of the edges `x -> y` and `x - y`: for every clique `C` of neighbours of `y` that
    /// are adjacent to `x`. The other parents of `y` and `C` are given.
    pub(super) fn removals<S: Entries + Copy>(
        &self,
        s: S,
        class: &impl Surroundings,
        y: usize,
    ) -> Moves {
        let mut moves = Moves::default();
        let (near, parents) = (class.neighbours(y), class.parents(y));
        let mut columns: Vec<usize> = near.iter().chain(&parents).copied().collect();
        columns.sort_unstable();
        let mut sweep = Sweep::new(s, &columns, y);
        if !parents.iter().all(|&z| sweep.push(z)) {
            return moves;
        }
        let adjacent = |a, b| class.adjacent(a, b);
        let mut cliques = Subsets::new(&mut sweep, near.len(), usize::MAX, MOST_CLIQUES, adjacent);
        let _ = cliques.walk(&near, &mut |sweep, clique| {
            let fits = |x: usize| clique.iter().all(|&z| z != x && class.adjacent(x, z));
            let mut found = |x, value: f64| {
                moves.scored += 1;
                moves.heap.push(Candidate { value: -value, x, clique: moves.cliques.len() });
            };
            for (at, &x) in columns.iter().enumerate() {
                if parents.binary_search(&x).is_err() && fits(x) {
                    found(x, sweep.squared_correlation(at));
                }
            }
            // Leaving one parent out of a regression needs no regression of its own.
            if parents.iter().any(|&x| fits(x)) {
                let given = parents.iter().chain(clique).copied().collect();
                if let Some(node) = Node::by(|i, j| s.entry(i, j), y, given) {
                    for (k, &x) in parents.iter().enumerate().filter(|&(_, &x)| fits(x)) {
                        let rise = node.coefficients[k].powi(2) / node.inverse[(k, k)];
                        found(x, rise / (rise + node.residual));
                    }
                }
            }
            moves.cliques.push(clique.to_vec());
            ControlFlow::Continue(())
        });
        moves.limited = cliques.limited;
        moves
    }
}

/// What scores depend on: squared partial correlations are the values of candidates.
pub(super) struct Scorer<'a> {
    correlation: MatRef<'a, f64>,
    limits: Limits,
    everyone: Vec<usize>,
    pub(super) allowed: Option<&'a BitMatrix>,
    /// What scores come from where correlations are not all; values of moves are gains then.
    pub(super) local: Option<Priced<'a>>,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(
        correlation: MatRef<'a, f64>,
        rows: u64,
        price: Price,
        allowed: Option<&'a BitMatrix>,
    ) -> Self {
        let (limits, everyone) = (Limits::new(rows, price), (0..correlation.nrows()).collect());
        Self { correlation, limits, everyone, allowed, local: None }
    }

    /// Scores by a likelihood of single variables.
    pub(super) fn by(local: &'a dyn Local, price: Price, allowed: Option<&'a BitMatrix>) -> Self {
        let limits = Limits { bound: 0.0, ..Limits::new(local.rows() as u64, price) };
        Self {
            correlation: MatRef::from_column_major_slice(&[], 0, 0),
            limits,
            everyone: (0..local.size()).collect(),
            allowed,
            local: Some(Priced { local, price }),
        }
    }
}

/// Operations of scoring a candidate by its partial correlation.
const CANDIDATE: f64 = 300.0;

impl Score for Scorer<'_> {
    fn gain(&self, value: f64) -> f64 {
        if self.local.is_some() { value } else { self.limits.gain(value) }
    }

    fn score(&self, dag: &Dag) -> Option<f64> {
        let parents = |j| dag.parents(j).collect::<Vec<_>>();
        if let Some(priced) = self.local {
            return Some((0..self.size()).map(|j| -priced.score(j, &parents(j))).sum());
        }
        let of_variable = |j| self.limits.score(&self.correlation, j, parents(j));
        (0..self.size()).map(of_variable).sum()
    }

    fn bound(&self) -> f64 {
        self.limits.bound
    }

    fn operations(&self) -> f64 {
        self.local.map_or(CANDIDATE, |priced| priced.local.operations())
    }

    fn worthwhile(&self) -> usize {
        64
    }

    fn size(&self) -> usize {
        self.everyone.len()
    }

    fn additions(&self, class: &Class, y: usize) -> Moves {
        if let Some(priced) = self.local {
            return self.local_additions(priced, class, y);
        }
        let candidate = |x: usize| self.allowed.is_none_or(|pairs| pairs.has(y, x));
        self.limits.additions(self.correlation, class, y, &self.everyone, candidate)
    }

    fn removals(&self, class: &Class, y: usize) -> Moves {
        if let Some(priced) = self.local {
            return self.local_removals(priced, class, y);
        }
        self.limits.removals(self.correlation, class, y)
    }
}

/// The members of a set that are not in a list.
pub(super) fn without(set: &[u64], list: &[usize]) -> Vec<u64> {
    let mut rest = set.to_vec();
    list.iter().for_each(|&i| bits::exclude(&mut rest, i));
    rest
}
