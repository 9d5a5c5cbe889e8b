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
    rows: f64,
    /// What a parent costs, in units of the score.
    cost: f64,
    /// The squared partial correlation at which a parent pays for itself.
    bound: f64,
    /// More parents than this would fit anything.
    most: usize,
    knowledge: &'a Knowledge,
}

impl<'a> Model<'a> {
    /// The correlations of a problem, with what a parent costs.
    pub(crate) fn new(problem: &'a Problem, price: Price) -> Self {
        let (size, rows) = (problem.size(), problem.rows() as f64);
        let s = problem.correlation();
        // Units change the last digits of a correlation, which could turn a search another way.
        let rounded = |value: f64| (value * DIGITS).round() / DIGITS;
        let cost = price.single();
        Self {
            size,
            correlation: (0..size * size).map(|at| rounded(s[(at / size, at % size)])).collect(),
            rows,
            cost,
            bound: -(-cost / rows).exp_m1(),
            most: (problem.rows() / 2).min(size as u64) as usize,
            knowledge: problem.knowledge(),
        }
    }

    fn allows(&self, from: usize, to: usize) -> bool {
        self.knowledge.allows(from, to)
    }

    fn requires(&self, from: usize, to: usize) -> bool {
        self.knowledge.requires(from, to)
    }

    /// The correlations of one variable with all.
    fn row(&self, v: usize) -> &[f64] {
        &self.correlation[v * self.size..(v + 1) * self.size]
    }
}

impl Score for Model<'_> {
    type Node = Family;
    type Choice = Choice;

    fn size(&self) -> usize {
        self.size
    }

    fn cost(&self) -> f64 {
        self.cost
    }

    fn knowledge(&self) -> &Knowledge {
        self.knowledge
    }

    fn wants(&self, node: &Family, v: usize, candidate: usize, work: &mut Vec<f64>) -> bool {
        node.wants(self, v, candidate, work)
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
}

impl Family {
    /// True when a further parent lowers the score. O(k^2) for k parents.
    fn wants(&self, model: &Model<'_>, v: usize, candidate: usize, work: &mut Vec<f64>) -> bool {
        let s = model.row(candidate);
        let (mut variance, mut covariance) = (1.0, s[v]);
        work.clear();
        let mut rest = self.factor.as_slice();
        for (&parent, target) in self.parents.iter().zip(&self.target) {
            let (row, next) = rest.split_at(work.len() + 1);
            rest = next;
            let known: f64 = row.iter().zip(work.iter()).map(|(a, b)| a * b).sum();
            let value = (s[parent] - known) * row[work.len()];
            variance -= value * value;
            covariance -= value * target;
            work.push(value);
        }
        variance > FLOOR
            && model.allows(candidate, v)
            && self.parents.len() < model.most
            && covariance * covariance > model.bound * MARGIN * variance * self.residual
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
    arch: pulp::Arch,
}

impl Choice {
    /// Chooses parents of `v` among `candidates`, from `start` on: adds the best one and drops the
    /// least useful one until neither lowers the score.
    fn choose(
        &mut self,
        model: &Model<'_>,
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
            while self.parents.len() < model.most
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

    /// Chooses as [`Self::choose`] does. Where no single parent pays any more, it looks for two that
    /// pay together, and for one that pays in place of another. O(d) times the cost of a parent.
    fn choose_thoroughly(
        &mut self,
        model: &Model<'_>,
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
    fn together(&mut self, model: &Model<'_>, candidates: &[usize]) -> Option<Vec<usize>> {
        let (d, k, v) = (model.size, self.parents.len(), self.variable);
        let before = self.variances[k * d + v].max(f64::EPSILON);
        let gain = |left: f64, more: f64| {
            model.rows * (before / left.max(f64::EPSILON)).ln() - more * model.cost
        };
        let mut best = (ENOUGH, None);
        for &c in candidates {
            let free = self.variances[k * d + c] > FLOOR && self.covariances[k * d + c] != 0.0;
            if !free || k >= model.most || !model.allows(c, v) {
                continue;
            }
            self.push(model, c);
            let left = self.variances[(k + 1) * d + v];
            if k + 1 < model.most
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
    fn strongest(&self, model: &Model<'_>, candidates: &[usize]) -> Option<(usize, f64)> {
        let (d, k) = (model.size, self.parents.len());
        let explained = |c: usize| {
            let (variance, covariance) = (self.variances[k * d + c], self.covariances[k * d + c]);
            (variance > FLOOR && model.allows(c, self.variable))
                .then(|| (c, covariance * covariance / variance))
        };
        candidates.iter().filter_map(|&c| explained(c)).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Of the first `among` parents the one that explains least, by its place, and how much.
    fn weakest(&mut self, model: &Model<'_>, among: usize) -> Option<(usize, f64)> {
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

    fn begin(&mut self, model: &Model<'_>, v: usize) {
        let d = model.size;
        self.variable = v;
        self.parents.clear();
        self.reserve(d, 0);
        self.variances[..d].fill(1.0);
        self.covariances[..d].copy_from_slice(model.row(v));
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
    fn push(&mut self, model: &Model<'_>, parent: usize) {
        let (d, k) = (model.size, self.parents.len());
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
            correlations: model.row(parent),
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
    fn best(&self, model: &Model<'_>, candidates: &[usize]) -> Option<usize> {
        let (d, k) = (model.size, self.parents.len());
        let variances = &self.variances[k * d..(k + 1) * d];
        let covariances = &self.covariances[k * d..(k + 1) * d];
        let mut largest = model.bound * MARGIN * variances[self.variable];
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
    fn least(&mut self, model: &Model<'_>) -> Option<usize> {
        let k = self.parents.len();
        let residual = self.variances[k * model.size + self.variable];
        self.sum_up();
        let losses =
            self.sums.iter().map(|(coefficient, precision)| coefficient * coefficient / precision);
        let (least, smallest) = losses
            .enumerate()
            .filter(|&(a, _)| !model.requires(self.parents[a], self.variable))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        (smallest < model.bound * (residual + smallest)).then_some(least)
    }

    /// Takes the parent at a place out; those after it are added again.
    fn remove(&mut self, model: &Model<'_>, at: usize) {
        let later = self.parents.split_off(at);
        for &parent in &later[1..] {
            self.push(model, parent);
        }
    }

    fn store(&self, model: &Model<'_>, node: &mut Family) {
        let (d, k) = (model.size, self.parents.len());
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
        node.score = model.rows * node.residual.ln() + model.cost * k as f64;
    }
}
