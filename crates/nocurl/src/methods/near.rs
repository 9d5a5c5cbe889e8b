//! Which variables have to do with which: the pairs that the search looks at.

use super::order_search::search::{Choice, Family, Node, Prices, Table};
use super::sweep::Entries;
use crate::core::MatRef;
use crate::core::parallel::*;
use crate::math::Problem;

/// What the regressions of each variable see.
pub(super) trait Correlate: Sync {
    /// Number of variables.
    fn size(&self) -> usize;

    /// The correlations of one variable with any other, as the regressions of `of` see them.
    fn with<'s>(&'s self, of: usize, v: usize) -> impl Fn(usize) -> f64 + 's;

    /// The same where many others are asked for.
    fn row<'s>(&'s self, of: usize, v: usize) -> impl Fn(usize) -> f64 + 's {
        self.with(of, v)
    }

    /// What parents of a variable cost, and what pays for them.
    fn prices(&self, of: usize) -> &Prices;
}

/// So many variables with the largest correlations are near a variable.
const MOST_BY_CORRELATION: usize = 40;

/// Those next to a variable in the graph are near each other, if they are no more than this.
const MOST_AROUND: usize = 24;

/// Adding this to a correlation and taking it away again rounds it to a multiple of 2^-40: other
/// units give other last digits, which could turn a search another way.
const ROUNDING: f64 = 6144.0;

/// The same correlation without its last digits.
pub(super) fn rounded(value: f64) -> f64 {
    (value + ROUNDING) - ROUNDING
}

/// Correlations, read off the second moments as they are needed: no matrix of their own.
pub(super) struct Correlations<'a> {
    moments: MatRef<'a, f64>,
    /// One over each standard deviation.
    scale: Vec<f64>,
    prices: Prices,
}

impl<'a> Correlations<'a> {
    pub(super) fn new(problem: &'a Problem, prices: Prices) -> Self {
        let moments = problem.sample_covariance();
        let scale = (0..moments.ncols()).map(|v| 1.0 / moments[(v, v)].sqrt()).collect();
        Self { moments, scale, prices }
    }
}

impl Correlate for Correlations<'_> {
    fn size(&self) -> usize {
        self.scale.len()
    }

    fn prices(&self, _: usize) -> &Prices {
        &self.prices
    }

    fn with<'s>(&'s self, _: usize, v: usize) -> impl Fn(usize) -> f64 + 's {
        let column = self.moments.col(v);
        let column = column.try_as_col_major().expect("columns are contiguous").as_slice();
        let own = self.scale[v];
        move |u| {
            let value = if u == v { 1.0 } else { column[u] * own * self.scale[u] };
            rounded(value)
        }
    }
}

impl Entries for &Correlations<'_> {
    fn entry(&self, i: usize, j: usize) -> f64 {
        self.with(0, j)(i)
    }

    fn gather(&self, with: usize, others: &[usize], into: &mut Vec<f64>) {
        into.extend(others.iter().copied().map(self.with(0, with)));
    }
}

/// The data, prices, and for each variable those near it.
pub(super) struct Wide<C> {
    pub(super) correlations: C,
    /// Symmetric; each in increasing order.
    near: Vec<Vec<usize>>,
}

/// Some variables, numbered by their places in a list.
pub(super) struct Around<'a, C> {
    pub(super) wide: &'a Wide<C>,
    pub(super) columns: &'a [usize],
    /// The variable whose parents are chosen.
    pub(super) of: usize,
}

impl<C: Correlate> Table for Around<'_, C> {
    fn size(&self) -> usize {
        self.columns.len()
    }

    fn row<'s>(&'s self, v: usize, space: &'s mut Vec<f64>) -> &'s [f64] {
        let with = self.wide.correlations.row(self.of, self.columns[v]);
        space.clear();
        space.extend(self.columns.iter().map(|&u| with(u)));
        space
    }

    fn prices(&self) -> &Prices {
        self.wide.correlations.prices(self.of)
    }

    fn allows(&self, from: usize, to: usize) -> bool {
        from != to
    }

    fn requires(&self, _: usize, _: usize) -> bool {
        false
    }
}

/// Work space for a look at all variables.
#[derive(Default)]
struct Look {
    choice: Choice,
    node: Family,
    best: Vec<(f64, usize)>,
}

impl<C: Correlate> Wide<C> {
    /// Near a variable are those with the largest correlations with it, and those that a regression
    /// on all variables needs, chosen one at a time. Also returns what such a regression leaves of
    /// each variable. Cost O(d^2 k^2) for k of them.
    pub(super) fn new(correlations: C) -> (Self, Vec<f64>) {
        let d = correlations.size();
        let mut wide = Self { correlations, near: Vec::new() };
        let everyone: Vec<usize> = (0..d).collect();
        let looks: Vec<(Vec<usize>, f64)> = (0..d)
            .into_par_iter()
            .map_init(Look::default, |look, v| wide.look(v, &everyone, look))
            .collect();
        let left = looks.iter().map(|(_, left)| *left).collect();
        wide.near = looks.into_iter().map(|(near, _)| near).collect();
        let pairs: Vec<(usize, usize)> =
            (0..d).flat_map(|v| wide.near[v].iter().map(move |&u| (u, v))).collect();
        wide.join(&pairs);
        (wide, left)
    }

    fn look(&self, v: usize, everyone: &[usize], look: &mut Look) -> (Vec<usize>, f64) {
        let all = Around { wide: self, columns: everyone, of: v };
        let Look { choice, node, best } = look;
        choice.choose(&all, v, std::iter::empty(), everyone, node);
        let with = self.correlations.row(v, v);
        let prices = self.correlations.prices(v);
        best.clear();
        let pays = |&(size, _): &(f64, usize)| prices.pays(size, 1.0, 1.0);
        let others = everyone.iter().filter(|&&u| u != v).map(|&u| (with(u).abs(), u));
        best.extend(others.filter(pays));
        let largest = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if best.len() > MOST_BY_CORRELATION {
            best.select_nth_unstable_by(MOST_BY_CORRELATION, largest);
            best.truncate(MOST_BY_CORRELATION);
        }
        let mut near: Vec<usize> = best.iter().map(|&(_, u)| u).collect();
        near.extend(node.parents());
        near.sort_unstable();
        near.dedup();
        (near, node.residual())
    }

    /// Number of variables.
    pub(super) fn size(&self) -> usize {
        self.near.len()
    }

    /// Pairs that are near each other, each counted from both sides.
    pub(super) fn pairs(&self) -> usize {
        self.near.iter().map(Vec::len).sum()
    }

    /// Those near a variable, in increasing order.
    pub(super) fn near(&self, v: usize) -> &[usize] {
        &self.near[v]
    }

    pub(super) fn are_near(&self, u: usize, v: usize) -> bool {
        self.near[v].binary_search(&u).is_ok()
    }

    /// Makes each of these pairs near each other.
    pub(super) fn join(&mut self, pairs: &[(usize, usize)]) {
        let mut grown = Vec::new();
        for &(u, v) in pairs {
            self.near[v].push(u);
            self.near[u].push(v);
            grown.extend([u, v]);
        }
        grown.sort_unstable();
        grown.dedup();
        for v in grown {
            self.near[v].sort_unstable();
            self.near[v].dedup();
        }
    }

    /// Pairs that are not near each other although both share an edge with a third: where an edge
    /// is turned around, the parents of one end become candidates of the other.
    pub(super) fn two_apart<'p>(
        &self,
        parents: impl Fn(usize) -> &'p [usize],
    ) -> Vec<(usize, usize)> {
        let mut adjacent = vec![Vec::new(); self.near.len()];
        for v in 0..self.near.len() {
            for &u in parents(v) {
                adjacent[v].push(u);
                adjacent[u].push(v);
            }
        }
        let mut pairs = Vec::new();
        for around in adjacent.iter().filter(|around| around.len() <= MOST_AROUND) {
            for (k, &u) in around.iter().enumerate() {
                let others = around[..k].iter().filter(|&&w| !self.are_near(u, w));
                pairs.extend(others.map(|&w| (w, u)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Pairs that are not near each other although one would be a parent of the other that pays for
    /// itself, given the parents that the other has now. Cost O(d^2 k).
    pub(super) fn missing<'p>(
        &self,
        parents: impl Fn(usize) -> &'p [usize] + Sync,
    ) -> Vec<(usize, usize)> {
        let d = self.correlations.size();
        let everyone: Vec<usize> = (0..d).collect();
        let look = |choice: &mut Choice, v: usize| {
            let all = Around { wide: self, columns: &everyone, of: v };
            let wanted = choice.wanted(&all, v, parents(v));
            let new = wanted.into_iter().filter(|&u| u != v && !self.are_near(u, v));
            new.map(|u| (u, v)).collect::<Vec<_>>()
        };
        let found: Vec<Vec<(usize, usize)>> =
            (0..d).into_par_iter().map_init(Choice::default, look).collect();
        found.into_iter().flatten().collect()
    }
}
