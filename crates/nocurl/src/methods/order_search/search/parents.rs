//! Parents of one variable, chosen among the variables before it.

use super::score::{Node, Score};
use crate::core::Knowledge;
use crate::math::{Price, Problem};

/// Below this share of its variance a variable counts as determined by others.
const FLOOR: f64 = 1e-10;

/// A parent is added when its squared partial correlation is above the bound by this factor, so
/// that rounding cannot lead in circles.
const MARGIN: f64 = 1.0 + 1e-9;

/// Rounds of additions and removals, of which two or three are usual. Where variables are all but
/// collinear rounding could lead in circles.
const ROUNDS: usize = 32;

/// Two parents together, or one in place of another, must lower the score by more than this.
const ENOUGH: f64 = 1e-6;

/// Correlations are rounded to multiples of one over this.
const DIGITS: f64 = (1u64 << 40) as f64;

/// The data: correlations, so that nothing depends on units, and what a parent costs.
#[derive(Debug)]
pub(crate) struct Model<'a> {
    size: usize,
    /// Row by row.
    correlation: Vec<f64>,
    prices: Prices,
    knowledge: &'a Knowledge,
}

/// What parents cost and what pays for them.
#[derive(Debug, Clone)]
pub(in crate::methods) struct Prices {
    rows: f64,
    /// What a parent costs, in units of the score.
    pub(in crate::methods) cost: f64,
    /// The squared partial correlation at which a parent pays for itself.
    bound: f64,
    /// More parents than this would fit anything.
    most: usize,
}

impl Prices {
    /// Parents cost this each.
    pub(in crate::methods) fn new(problem: &Problem, price: Price) -> Self {
        Self::of_rows(problem.rows() as f64, problem.size(), price)
    }

    /// The same for a variable that is explained by so many rows.
    pub(in crate::methods) fn of_rows(rows: f64, variables: usize, price: Price) -> Self {
        let cost = price.single();
        let most = ((rows / 2.0) as usize).min(variables);
        Self { rows, cost, bound: -(-cost / rows).exp_m1(), most }
    }

    /// True where a parent with this covariance and variance, given the others, pays for itself.
    pub(in crate::methods) fn pays(&self, covariance: f64, variance: f64, residual: f64) -> bool {
        variance > FLOOR && covariance * covariance > self.bound * MARGIN * variance * residual
    }
}

impl<'a> Model<'a> {
    /// The correlations of a problem, with what a parent costs.
    pub(crate) fn new(problem: &'a Problem, price: Price) -> Self {
        let size = problem.size();
        let s = problem.correlation();
        // Units change the last digits of a correlation, which could turn a search another way.
        let rounded = |value: f64| (value * DIGITS).round() / DIGITS;
        Self {
            size,
            correlation: (0..size * size).map(|at| rounded(s[(at / size, at % size)])).collect(),
            prices: Prices::new(problem, price),
            knowledge: problem.knowledge(),
        }
    }

    /// The correlations of one variable with all.
    fn row(&self, v: usize) -> &[f64] {
        &self.correlation[v * self.size..(v + 1) * self.size]
    }
}

/// What parents are chosen by: the correlations of some variables, and prices.
pub(in crate::methods) trait Table {
    /// Number of variables.
    fn size(&self) -> usize;

    /// The correlations of one variable with all, maybe put together in `space`.
    fn row<'s>(&'s self, v: usize, space: &'s mut Vec<f64>) -> &'s [f64];

    fn prices(&self) -> &Prices;

    /// False for edges that are known not to be there.
    fn allows(&self, from: usize, to: usize) -> bool;

    fn requires(&self, from: usize, to: usize) -> bool;
}

impl Table for Model<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn row<'s>(&'s self, v: usize, _: &'s mut Vec<f64>) -> &'s [f64] {
        self.row(v)
    }

    fn prices(&self) -> &Prices {
        &self.prices
    }

    fn allows(&self, from: usize, to: usize) -> bool {
        self.knowledge.allows(from, to)
    }

    fn requires(&self, from: usize, to: usize) -> bool {
        self.knowledge.requires(from, to)
    }
}

/// Operations of moving a variable past another.
const MOVE: f64 = 600.0;

impl Score for Model<'_> {
    type Node = Family;
    type Choice = Choice;

    fn size(&self) -> usize {
        self.size
    }

    fn operations(&self) -> f64 {
        MOVE * self.size as f64
    }

    fn cost(&self) -> f64 {
        self.prices.cost
    }

    fn knowledge(&self) -> &Knowledge {
        self.knowledge
    }

    fn wants(&self, node: &Family, v: usize, candidate: usize, work: &mut Vec<f64>) -> bool {
        let s = self.row(candidate);
        self.allows(candidate, v) && node.wants(&self.prices, s[v], |u| s[u], work)
    }

    fn choose(
        &self,
        choice: &mut Choice,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Family,
    ) {
        choice.choose(self, v, start, candidates, node);
    }

    fn choose_thoroughly(
        &self,
        choice: &mut Choice,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Family,
    ) {
        choice.choose_thoroughly(self, v, start, candidates, node);
    }
}

/// A variable with its parents.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Family {
    parents: Vec<usize>,
    /// The rows of the Cholesky factor of the parents' correlations, one after the other, with
    /// the inverse of each diagonal entry in its place.
    factor: Vec<f64>,
    /// The factor's row for the variable itself.
    target: Vec<f64>,
    residual: f64,
    /// `n log(residual variance) + cost * parents`.
    score: f64,
}

impl Node for Family {
    fn parents(&self) -> &[usize] {
        &self.parents
    }

    fn score(&self) -> f64 {
        self.score
    }

    fn is_sound(&self) -> bool {
        let k = self.parents.len();
        let numbers = self.factor.iter().chain(&self.target).chain([&self.residual, &self.score]);
        self.factor.len() == k * (k + 1) / 2
            && self.target.len() == k
            && numbers.into_iter().all(|number| number.is_finite())
    }
}

impl Family {
    /// True when a further parent lowers the score, given its correlations with the variable and
    /// with the parents. O(k^2) for k parents.
    pub(in crate::methods) fn wants(
        &self,
        prices: &Prices,
        with_variable: f64,
        with: impl Fn(usize) -> f64,
        work: &mut Vec<f64>,
    ) -> bool {
        let (mut variance, mut covariance) = (1.0, with_variable);
        work.clear();
        let mut rest = self.factor.as_slice();
        for (&parent, target) in self.parents.iter().zip(&self.target) {
            let (row, next) = rest.split_at(work.len() + 1);
            rest = next;
            let known: f64 = row.iter().zip(work.iter()).map(|(a, b)| a * b).sum();
            let value = (with(parent) - known) * row[work.len()];
            variance -= value * value;
            covariance -= value * target;
            work.push(value);
        }
        self.parents.len() < prices.most && prices.pays(covariance, variance, self.residual)
    }

    /// Gives the parents other numbers.
    pub(in crate::methods) fn renumber(&mut self, to: &[usize]) {
        self.parents.iter_mut().for_each(|parent| *parent = to[*parent]);
    }

    /// What the parents leave of the variance.
    pub(in crate::methods) fn residual(&self) -> f64 {
        self.residual
    }
}

/// One parent more: the new row of the factor, and what all variables have left.
struct Extend<'a> {
    correlations: &'a [f64],
    /// The rows of the factor so far.
    known: &'a [f64],
    parent: usize,
    variable: usize,
    /// One over the parent's standard deviation given those before.
    scale: f64,
    row: &'a mut [f64],
    /// Variances and covariances.
    now: (&'a [f64], &'a [f64]),
    next: (&'a mut [f64], &'a mut [f64]),
}

/// Compiled for each set of instructions, and the widest that the machine has is used. No sums are
/// reordered, so the bits are the same with all of them.
impl pulp::NullaryFnOnce for Extend<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { parent, scale, row, .. } = self;
        let d = row.len();
        row.copy_from_slice(self.correlations);
        let mut pairs = self.known.chunks_exact(2 * d);
        for pair in &mut pairs {
            let (first, second) = pair.split_at(d);
            let (a, b) = (first[parent], second[parent]);
            for ((to, x), y) in row.iter_mut().zip(first).zip(second) {
                *to -= a * x + b * y;
            }
        }
        let last = pairs.remainder();
        if !last.is_empty() {
            let a = last[parent];
            row.iter_mut().zip(last).for_each(|(to, x)| *to -= a * x);
        }
        let target = row[self.variable] * scale;
        let next = self.next.0.iter_mut().zip(self.next.1);
        let now = self.now.0.iter().zip(self.now.1);
        for ((value, next), now) in row.iter_mut().zip(next).zip(now) {
            *value *= scale;
            *next.0 = now.0 - *value * *value;
            *next.1 = now.1 - *value * target;
        }
    }
}

/// Work space for the choice of parents: what all variables have left once the parents are known.
///
/// Level k belongs to the first k parents. A parent more costs O(k d) and gives the partial
/// correlations of all candidates at once.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    variable: usize,
    parents: Vec<usize>,
    /// Row k: entry of every variable in the factor for parent k.
    rows: Vec<f64>,
    /// Level k: variance of every variable given the first k parents.
    variances: Vec<f64>,
    /// Level k: covariance of every variable with the variable, given the first k parents.
    covariances: Vec<f64>,
    /// Rows of the inverse of the parents' factor, one after the other.
    inverse: Vec<f64>,
    /// The factor's row for the variable itself.
    targets: Vec<f64>,
    /// Coefficient and precision of each parent.
    sums: Vec<(f64, f64)>,
    /// A row of correlations, where it has to be put together.
    gathered: Vec<f64>,
    arch: pulp::Arch,
}

impl Choice {
    /// Chooses parents of `v` among `candidates`, from `start` on: adds the best one and drops the
    /// least useful one until neither lowers the score.
    pub(in crate::methods) fn choose(
        &mut self,
        model: &impl Table,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Family,
    ) {
        self.begin(model, v);
        for parent in start {
            self.push(model, parent);
        }
        for _ in 0..ROUNDS {
            let mut changed = false;
            while self.parents.len() < model.prices().most
                && let Some(best) = self.best(model, candidates)
            {
                self.push(model, best);
                changed = true;
            }
            while let Some(least) = self.least(model) {
                self.remove(model, least);
                changed = true;
            }
            if !changed {
                break;
            }
        }
        self.store(model, node);
    }

    /// Variables that would pay for themselves as a further parent, given those there are.
    pub(in crate::methods) fn wanted(
        &mut self,
        model: &impl Table,
        v: usize,
        parents: &[usize],
    ) -> Vec<usize> {
        let d = model.size();
        self.begin(model, v);
        for &parent in parents {
            self.push(model, parent);
        }
        let level = self.parents.len() * d..(self.parents.len() + 1) * d;
        let residual = self.variances[level.start + v].max(f64::EPSILON);
        let known = self.variances[level.clone()].iter().zip(&self.covariances[level]);
        let pays = |(c, (variance, covariance)): (usize, (&f64, &f64))| {
            model.prices().pays(*covariance, *variance, residual).then_some(c)
        };
        known.enumerate().filter_map(pays).collect()
    }

    /// Chooses as [`Self::choose`] does. Where no single parent pays any more, it looks for two that
    /// pay together, and for one that pays in place of another. O(d) times the cost of a parent.
    pub(in crate::methods) fn choose_thoroughly(
        &mut self,
        model: &impl Table,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Family,
    ) {
        self.choose(model, v, start, candidates, node);
        for _ in 0..ROUNDS {
            let Some(parents) = self.together(model, candidates) else { return };
            self.choose(model, v, parents.into_iter(), candidates, node);
        }
    }

    /// The parents after the best addition of two, or exchange of one, if any lowers the score.
    fn together(&mut self, model: &impl Table, candidates: &[usize]) -> Option<Vec<usize>> {
        let (d, k, v) = (model.size(), self.parents.len(), self.variable);
        let before = self.variances[k * d + v].max(f64::EPSILON);
        let gain = |left: f64, more: f64| {
            model.prices().rows * (before / left.max(f64::EPSILON)).ln()
                - more * model.prices().cost
        };
        let mut best = (ENOUGH, None);
        for &c in candidates {
            let free = self.variances[k * d + c] > FLOOR && self.covariances[k * d + c] != 0.0;
            if !free || k >= model.prices().most || !model.allows(c, v) {
                continue;
            }
            self.push(model, c);
            let left = self.variances[(k + 1) * d + v];
            if k + 1 < model.prices().most
                && let Some((second, loss)) = self.strongest(model, candidates)
                && gain(left - loss, 2.0) > best.0
            {
                best = (gain(left - loss, 2.0), Some((c, Ok(second))));
            }
            if let Some((out, loss)) = self.weakest(model, k)
                && gain(left + loss, 0.0) > best.0
            {
                best = (gain(left + loss, 0.0), Some((c, Err(out))));
            }
            self.parents.pop();
        }
        let (c, other) = best.1?;
        let mut parents = self.parents.clone();
        match other {
            Ok(second) => parents.push(second),
            Err(out) => drop(parents.remove(out)),
        }
        parents.push(c);
        Some(parents)
    }

    /// The candidate that explains most of what is left, and how much.
    fn strongest(&self, model: &impl Table, candidates: &[usize]) -> Option<(usize, f64)> {
        let (d, k) = (model.size(), self.parents.len());
        let explained = |c: usize| {
            let (variance, covariance) = (self.variances[k * d + c], self.covariances[k * d + c]);
            (variance > FLOOR && model.allows(c, self.variable))
                .then(|| (c, covariance * covariance / variance))
        };
        candidates.iter().filter_map(|&c| explained(c)).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Of the first `among` parents the one that explains least, by its place, and how much.
    fn weakest(&mut self, model: &impl Table, among: usize) -> Option<(usize, f64)> {
        self.sum_up();
        let losses = self.sums.iter().take(among);
        losses
            .map(|(coefficient, precision)| coefficient * coefficient / precision)
            .enumerate()
            .filter(|&(a, _)| !model.requires(self.parents[a], self.variable))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Column a of the inverse factor gives the coefficient of parent a, and its precision.
    fn sum_up(&mut self) {
        let k = self.parents.len();
        self.sums.clear();
        self.sums.resize(k, (0.0, 0.0));
        let mut rest = self.inverse.as_slice();
        for (a, target) in self.targets[..k].iter().enumerate() {
            let (entries, next) = rest.split_at(a + 1);
            rest = next;
            for ((coefficient, precision), entry) in self.sums.iter_mut().zip(entries) {
                *coefficient += entry * target;
                *precision += entry * entry;
            }
        }
    }

    fn begin(&mut self, model: &impl Table, v: usize) {
        let d = model.size();
        self.variable = v;
        self.parents.clear();
        self.reserve(d, 0);
        self.variances[..d].fill(1.0);
        let row = model.row(v, &mut self.gathered);
        self.covariances[..d].copy_from_slice(row);
    }

    /// Makes room for one more parent than `parents`.
    fn reserve(&mut self, d: usize, parents: usize) {
        if self.variances.len() < (parents + 2) * d {
            let length = 2 * (parents + 2) * d;
            for part in [&mut self.rows, &mut self.variances, &mut self.covariances] {
                part.resize(length, 0.0);
            }
        }
    }

    /// Adds a parent, unless those there determine it already.
    fn push(&mut self, model: &impl Table, parent: usize) {
        let (d, k) = (model.size(), self.parents.len());
        self.reserve(d, k);
        let (before, after) = self.variances.split_at_mut((k + 1) * d);
        let (variances, next_variances) = (&before[k * d..], &mut after[..d]);
        if variances[parent] < FLOOR {
            return;
        }
        let scale = 1.0 / variances[parent].sqrt();
        let (known, row) = self.rows.split_at_mut(k * d);
        let row = &mut row[..d];
        let (before, after) = self.covariances.split_at_mut((k + 1) * d);
        let (covariances, next_covariances) = (&before[k * d..], &mut after[..d]);
        let variable = self.variable;
        self.arch.dispatch(Extend {
            correlations: model.row(parent, &mut self.gathered),
            known,
            parent,
            variable,
            scale,
            row,
            now: (variances, covariances),
            next: (next_variances, next_covariances),
        });
        // What is a parent is no candidate.
        next_covariances[parent] = 0.0;
        let target = row[variable];

        // The new row of the inverse factor: minus the factor's own row times those before it.
        self.inverse.truncate(k * (k + 1) / 2);
        let (start, diagonal) = (self.inverse.len(), 1.0 / row[parent]);
        self.inverse.resize(start + k + 1, 0.0);
        let (earlier, fresh) = self.inverse.split_at_mut(start);
        let mut rest = &*earlier;
        for a in 0..k {
            let (entries, next) = rest.split_at(a + 1);
            rest = next;
            let factor = known[a * d + parent] * diagonal;
            fresh.iter_mut().zip(entries).for_each(|(to, from)| *to -= factor * from);
        }
        fresh[k] = diagonal;
        self.targets.truncate(k);
        self.targets.push(target);
        self.parents.push(parent);
    }

    /// The candidate whose addition lowers the score most, if any does.
    fn best(&self, model: &impl Table, candidates: &[usize]) -> Option<usize> {
        let (d, k) = (model.size(), self.parents.len());
        let variances = &self.variances[k * d..(k + 1) * d];
        let covariances = &self.covariances[k * d..(k + 1) * d];
        let mut largest = model.prices().bound * MARGIN * variances[self.variable];
        let mut best = None;
        for &c in candidates {
            let (variance, covariance) = (variances[c], covariances[c]);
            if covariance * covariance > largest * variance
                && variance > FLOOR
                && model.allows(c, self.variable)
            {
                largest = covariance * covariance / variance;
                best = Some(c);
            }
        }
        best
    }

    /// The parent whose removal lowers the score most, by its place, if any does.
    fn least(&mut self, model: &impl Table) -> Option<usize> {
        let k = self.parents.len();
        let residual = self.variances[k * model.size() + self.variable];
        self.sum_up();
        let losses =
            self.sums.iter().map(|(coefficient, precision)| coefficient * coefficient / precision);
        let (least, smallest) = losses
            .enumerate()
            .filter(|&(a, _)| !model.requires(self.parents[a], self.variable))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        (smallest < model.prices().bound * (residual + smallest)).then_some(least)
    }

    /// Takes the parent at a place out; those after it are added again.
    fn remove(&mut self, model: &impl Table, at: usize) {
        let later = self.parents.split_off(at);
        for &parent in &later[1..] {
            self.push(model, parent);
        }
    }

    fn store(&self, model: &impl Table, node: &mut Family) {
        let (d, k) = (model.size(), self.parents.len());
        node.parents.clone_from(&self.parents);
        node.factor.clear();
        node.target.clear();
        for (a, &parent) in self.parents.iter().enumerate() {
            node.factor.extend((0..a).map(|b| self.rows[b * d + parent]));
            node.factor.push(1.0 / self.rows[a * d + parent]);
            node.target.push(self.rows[a * d + self.variable]);
        }
        // A perfect fit leaves rounding; the floor keeps logarithms finite.
        node.residual = self.variances[k * d + self.variable].max(f64::EPSILON);
        node.score = model.prices().rows * node.residual.ln() + model.prices().cost * k as f64;
    }
}
