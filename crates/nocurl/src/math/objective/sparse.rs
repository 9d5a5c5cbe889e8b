//! The acyclicity penalty of matrices with few entries.
//!
//! `E = (I + B/d)^(d-1)` is dense however few entries `B = A∘A` has, but the gradient `2 E'∘A` and the
//! ridge of the regressions need it only where weights may be. The row of `E` of one variable is a
//! sum over walks that start there, one term for each length: a term is the one before it times `B`,
//! at a cost of the entries that walks have reached. All terms are nonnegative, so nothing cancels.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::Acyclicity;
use crate::core::parallel::*;

/// Rows of `E` that are worked out together.
const SOURCES: usize = 16;

/// Walks of less weight than this are not followed, in units in which all second moments are 1. What
/// is left out of the penalty is below the rounding of the loss.
const FAINT: f64 = 1e-14;

/// Sums beyond this count as infinite.
const HUGE: f64 = 1e250;

/// The pairs whose weights may differ from zero: for each column the variables that may act on it.
#[derive(Debug, Clone)]
pub(crate) struct Support {
    start: Vec<usize>,
    parents: Vec<usize>,
    /// For each variable the columns it may act on, with the place of the pair.
    children: Vec<Vec<(u32, u32)>>,
    /// Variables in an order in which those near each other have few pairs between them.
    sequence: Vec<usize>,
}

impl Support {
    /// The pairs of these parents of each column, in increasing order.
    pub(crate) fn new(columns: &[Vec<usize>]) -> Self {
        let d = columns.len();
        let mut start = Vec::with_capacity(d + 1);
        let mut parents = Vec::new();
        let mut children = vec![Vec::new(); d];
        start.push(0);
        for (j, column) in columns.iter().enumerate() {
            for &i in column {
                children[i].push((j as u32, parents.len() as u32));
                parents.push(i);
            }
            start.push(parents.len());
        }
        let mut support = Self { start, parents, children, sequence: Vec::with_capacity(d) };
        support.walk();
        support
    }

    /// Breadth first from each variable that has not been met, so that rows that are worked out
    /// together reach the same variables.
    fn walk(&mut self) {
        let mut met = vec![false; self.size()];
        for first in 0..self.size() {
            let mut next = self.sequence.len();
            if !std::mem::replace(&mut met[first], true) {
                self.sequence.push(first);
            }
            while let Some(&v) = self.sequence.get(next) {
                next += 1;
                let children = self.children[v].iter().map(|&(child, _)| child as usize);
                for u in children.chain(self.column(v).iter().copied()).collect::<Vec<_>>() {
                    if !std::mem::replace(&mut met[u], true) {
                        self.sequence.push(u);
                    }
                }
            }
        }
    }

    /// Number of variables.
    pub(crate) fn size(&self) -> usize {
        self.children.len()
    }

    /// Number of pairs.
    pub(crate) fn pairs(&self) -> usize {
        self.parents.len()
    }

    /// The variables that may act on a column.
    pub(crate) fn column(&self, j: usize) -> &[usize] {
        &self.parents[self.range(j)]
    }

    /// The places of a column's pairs.
    pub(crate) fn range(&self, j: usize) -> Range<usize> {
        self.start[j]..self.start[j + 1]
    }
}

/// A penalty on the weights of given pairs.
#[derive(Debug)]
pub(crate) struct SparsePenalty<'a> {
    /// The pairs.
    pub(crate) support: &'a Support,
    /// Polynomial or exponential: those with a series that ends.
    pub(crate) kind: Acyclicity,
    /// The second moment of each variable. Cycles do not depend on units, and in units in which these
    /// are 1 no walk is large because of units.
    pub(crate) moments: &'a [f64],
}

/// Value of a penalty, and `E'` at the pairs: for the pair i -> j the walks from j to i.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    pub(crate) value: f64,
    pub(crate) at_pairs: Vec<f64>,
}

impl SparsePenalty<'_> {
    /// The penalty h of these weights of the pairs, with `E'` there.
    ///
    /// Cost: for each variable, and each length of walks (some 30), the pairs that walks from it reach.
    pub(crate) fn evaluate(&self, weights: &[f64], walks: &mut Walks) {
        let squares = self.squares(weights);
        let support = self.support;
        let parts: Vec<(f64, Vec<f64>)> = support
            .sequence
            .chunks(SOURCES)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map_init(
                || Space::new(support.size()),
                |space, sources| {
                    let mut found = Vec::new();
                    let value = self.follow(&squares, sources, space, &mut found);
                    (value, found)
                },
            )
            .collect();
        walks.value = parts.iter().map(|(value, _)| value).sum();
        walks.at_pairs.resize(support.pairs(), 0.0);
        let found = parts.iter().flat_map(|(_, found)| found.iter().copied());
        let places = support.sequence.iter().flat_map(|&j| support.range(j).map(move |at| (j, at)));
        for ((j, at), walk) in places.zip(found) {
            walks.at_pairs[at] = walk * self.moments[support.parents[at]] / self.moments[j];
        }
    }

    /// What `look` makes of every variable and its whole row of `E`, in the order of the variables.
    pub(crate) fn rows<S, T: Send>(
        &self,
        weights: &[f64],
        make: impl Fn() -> S + Sync + Send,
        look: impl Fn(&mut S, usize, &dyn Fn(usize) -> f64) -> T + Sync + Send,
    ) -> Vec<T> {
        let squares = self.squares(weights);
        let parts: Vec<Vec<(usize, T)>> = self
            .support
            .sequence
            .chunks(SOURCES)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map_init(
                || (Space::with_sums(self.support.size()), make()),
                |(space, own), sources| {
                    self.follow(&squares, sources, space, &mut Vec::new());
                    let sums = &space.sums;
                    let row = |(lane, &j): (usize, &usize)| {
                        let walks =
                            |i: usize| sums[i * SOURCES + lane] * self.moments[i] / self.moments[j];
                        (j, look(own, j, &walks))
                    };
                    sources.iter().enumerate().map(row).collect()
                },
            )
            .collect();
        let mut all: Vec<(usize, T)> = parts.into_iter().flatten().collect();
        all.sort_by_key(|&(j, _)| j);
        all.into_iter().map(|(_, found)| found).collect()
    }

    /// `A∘A` at the pairs, in units in which second moments are 1.
    fn squares(&self, weights: &[f64]) -> Vec<f64> {
        let of = |j: usize| {
            let scale = 1.0 / self.moments[j];
            self.support.range(j).map(move |at| {
                let (weight, parent) = (weights[at], self.support.parents[at]);
                weight * weight * self.moments[parent] * scale
            })
        };
        (0..self.support.size()).flat_map(of).collect()
    }

    /// Follows the walks from some variables; `found` gets their sums at the pairs of each, one after
    /// the other. Returns the part of h of these variables.
    fn follow(
        &self,
        squares: &[f64],
        sources: &[usize],
        space: &mut Space,
        found: &mut Vec<f64>,
    ) -> f64 {
        space.begin(sources);
        found.resize(sources.iter().map(|&j| self.support.range(j).len()).sum(), 0.0);
        let d = self.support.size() as f64;
        let mut value = 0.0;
        let mut length = 0.0;
        while !space.reached.is_empty() {
            length += 1.0;
            let part = match self.kind {
                Acyclicity::Polynomial => (d - length) / (d * length),
                _ => 1.0 / length,
            };
            let children = &self.support.children;
            pulp::Arch::new().dispatch(Advance { children, squares, part, space: &mut *space });
            if space.overflows {
                return f64::INFINITY;
            }
            let mut at_found = 0;
            for (lane, &j) in sources.iter().enumerate() {
                for at in self.support.range(j) {
                    let i = self.support.parents[at];
                    let walk = space.walk(i, lane);
                    found[at_found] += walk;
                    // A closed walk of this length and one more is met from each of its variables.
                    value += walk * squares[at] / (length + 1.0);
                    at_found += 1;
                }
            }
        }
        value
    }
}

/// Work space for the walks from some variables.
struct Space {
    /// For each variable the weight of walks of one length from each source.
    term: Vec<f64>,
    next: Vec<f64>,
    /// All lengths together, where they are asked for.
    sums: Vec<f64>,
    /// Variables with walks of this length.
    reached: Vec<u32>,
    /// The length, counted over all sources, at which a variable was reached last.
    stamp: Vec<u32>,
    now: u32,
    overflows: bool,
}

impl Space {
    fn new(d: usize) -> Self {
        Self {
            term: vec![0.0; d * SOURCES],
            next: vec![0.0; d * SOURCES],
            sums: Vec::new(),
            reached: Vec::new(),
            stamp: vec![0; d],
            now: 0,
            overflows: false,
        }
    }

    fn with_sums(d: usize) -> Self {
        Self { sums: vec![0.0; d * SOURCES], ..Self::new(d) }
    }

    /// Walks of no step: each source is at itself.
    fn begin(&mut self, sources: &[usize]) {
        self.sums.fill(0.0);
        self.reached.clear();
        self.now += 1;
        self.overflows = false;
        for (lane, &j) in sources.iter().enumerate() {
            let own = &mut self.term[j * SOURCES..(j + 1) * SOURCES];
            own.fill(0.0);
            own[lane] = 1.0;
            self.stamp[j] = self.now;
            self.reached.push(j as u32);
            if !self.sums.is_empty() {
                self.sums[j * SOURCES + lane] = 1.0;
            }
        }
    }

    /// The weight of the walks of this length from a source to a variable.
    fn walk(&self, to: usize, lane: usize) -> f64 {
        if self.stamp[to] == self.now { self.term[to * SOURCES + lane] } else { 0.0 }
    }
}

/// One step more of all walks.
struct Advance<'a> {
    children: &'a [Vec<(u32, u32)>],
    squares: &'a [f64],
    part: f64,
    space: &'a mut Space,
}

impl WithSimd for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { children, squares, part, space } = self;
        let now = space.now + 1;
        let mut fresh = Vec::with_capacity(space.reached.len());
        let row = |v: usize| v * SOURCES..(v + 1) * SOURCES;
        for &a in &space.reached {
            let a = a as usize;
            let (from, _) = S::as_simd_f64s(&space.term[row(a)]);
            for &(b, at) in &children[a] {
                let weight = squares[at as usize];
                if weight == 0.0 {
                    continue;
                }
                let b = b as usize;
                let (to, _) = S::as_mut_simd_f64s(&mut space.next[row(b)]);
                let weight = simd.splat_f64s(weight);
                if space.stamp[b] == now {
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = simd.mul_add_e_f64s(weight, *from, *to);
                    }
                } else {
                    space.stamp[b] = now;
                    fresh.push(b as u32);
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = simd.mul_f64s(weight, *from);
                    }
                }
            }
        }
        let part = simd.splat_f64s(part);
        fresh.retain(|&b| {
            let b = b as usize;
            let (to, _) = S::as_mut_simd_f64s(&mut space.next[row(b)]);
            let mut most = simd.splat_f64s(0.0);
            for to in to.iter_mut() {
                *to = simd.mul_f64s(*to, part);
                most = simd.max_f64s(most, *to);
            }
            let most = simd.reduce_max_f64s(most);
            space.overflows |= most.is_nan() || most > HUGE;
            if most.is_nan() || most <= FAINT {
                space.stamp[b] = 0;
                return false;
            }
            if !space.sums.is_empty() {
                let (sums, _) = S::as_mut_simd_f64s(&mut space.sums[row(b)]);
                for (sum, term) in sums.iter_mut().zip(to.iter()) {
                    *sum = simd.add_f64s(*sum, *term);
                }
            }
            true
        });
        space.reached = fresh;
        space.now = now;
        std::mem::swap(&mut space.term, &mut space.next);
    }
}
