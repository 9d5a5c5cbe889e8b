//! Models of levels alone: exact answers by variable elimination.

use std::collections::{BTreeMap, BTreeSet};

use super::{Mechanism, Model};

/// Factors with more entries than this are not made: the answer is then simulated or refused.
const MOST_ENTRIES: usize = 1 << 20;

/// A table over the levels of some variables.
#[derive(Debug, Clone)]
pub(super) struct Factor {
    /// In increasing order; the last changes fastest.
    pub(super) variables: Vec<usize>,
    sizes: Vec<usize>,
    pub(super) values: Vec<f64>,
}

impl Factor {
    fn scalar(value: f64) -> Self {
        Self { variables: Vec::new(), sizes: Vec::new(), values: vec![value] }
    }

    /// A factor of these variables by a function of their levels.
    fn of(
        variables: Vec<usize>,
        sizes: Vec<usize>,
        mut value: impl FnMut(&[usize]) -> f64,
    ) -> Option<Self> {
        let entries = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size))?;
        if entries > MOST_ENTRIES {
            return None;
        }
        let mut levels = vec![0; variables.len()];
        let mut values = Vec::with_capacity(entries);
        for _ in 0..entries {
            values.push(value(&levels));
            for k in (0..levels.len()).rev() {
                levels[k] += 1;
                if levels[k] < sizes[k] {
                    break;
                }
                levels[k] = 0;
            }
        }
        Some(Self { variables, sizes, values })
    }

    fn at(&self, level: impl Fn(usize) -> usize) -> f64 {
        let place = self
            .variables
            .iter()
            .zip(&self.sizes)
            .fold(0, |place, (&variable, &size)| place * size + level(variable));
        self.values[place]
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let mut all: BTreeMap<usize, usize> = BTreeMap::new();
        for factor in [self, other] {
            all.extend(factor.variables.iter().copied().zip(factor.sizes.iter().copied()));
        }
        let (variables, sizes): (Vec<usize>, Vec<usize>) = all.into_iter().unzip();
        let names = variables.clone();
        Self::of(variables, sizes, |levels| {
            let level = |v: usize| levels[names.binary_search(&v).unwrap_or(0)];
            self.at(level) * other.at(level)
        })
    }

    fn without(&self, variable: usize) -> Self {
        let Ok(k) = self.variables.binary_search(&variable) else { return self.clone() };
        let size = self.sizes[k];
        let inner: usize = self.sizes[k + 1..].iter().product();
        let outer: usize = self.sizes[..k].iter().product();
        let mut values = vec![0.0; outer * inner];
        for o in 0..outer {
            for s in 0..size {
                for i in 0..inner {
                    values[o * inner + i] += self.values[(o * size + s) * inner + i];
                }
            }
        }
        let (mut variables, mut sizes) = (self.variables.clone(), self.sizes.clone());
        variables.remove(k);
        sizes.remove(k);
        Self { variables, sizes, values }
    }
}

/// A table of probabilities times the exponential of a scale.
pub(super) struct Joint {
    pub(super) table: Factor,
    pub(super) log_scale: f64,
}

/// A network of levels with some variables fixed.
pub(super) struct Query<'a> {
    pub(super) model: &'a Model,
    /// Levels that variables are set to: they no longer depend on their parents.
    pub(super) set: &'a BTreeMap<usize, f64>,
    /// Levels that are observed.
    pub(super) observed: &'a BTreeMap<usize, usize>,
    /// The condition whose regimes apply.
    pub(super) level: Option<usize>,
    /// Whether observed values count that the condition sets.
    pub(super) counts_set: bool,
}

impl Query<'_> {
    /// The joint table of `kept` with the observed levels, not normalised; nothing when some
    /// mechanism is no table of levels or the tables get too large.
    pub(super) fn joint(&self, kept: &[usize]) -> Option<Joint> {
        let mut factors = Vec::new();
        let mut log_scale = 0.0;
        for v in self.relevant(kept) {
            let is_set = || self.model.regime(v, self.level).is_some_and(|regime| regime.set);
            if !self.counts_set && self.observed.contains_key(&v) && is_set() {
                continue;
            }
            let factor = self.factor(v)?;
            match factor.variables.is_empty() {
                true => log_scale += factor.values[0].ln(),
                false => factors.push(factor),
            }
        }
        let keep: BTreeSet<usize> = kept.iter().copied().collect();
        let mut open: BTreeSet<usize> =
            factors.iter().flat_map(|f| f.variables.iter().copied()).collect();
        open.retain(|v| !keep.contains(v));
        while let Some(next) = cheapest(&open, &factors) {
            open.remove(&next);
            let (with, rest): (Vec<_>, Vec<_>) =
                factors.into_iter().partition(|f| f.variables.binary_search(&next).is_ok());
            factors = rest;
            let mut product = Factor::scalar(1.0);
            for factor in &with {
                product = product.times(factor)?;
            }
            let mut rest = product.without(next);
            // Products of many probabilities would underflow.
            let most = rest.values.iter().copied().fold(0.0, f64::max);
            if most > 0.0 {
                log_scale += most.ln();
                rest.values.iter_mut().for_each(|value| *value /= most);
            }
            factors.push(rest);
        }
        let mut table = Factor::scalar(1.0);
        for factor in &factors {
            table = table.times(factor)?;
        }
        Some(Joint { table, log_scale })
    }

    /// The probability of each level of one variable given what is observed.
    pub(super) fn marginal(&self, variable: usize) -> Option<Vec<f64>> {
        let levels = self.model.variables().list()[variable].levels.len();
        let point = |level: usize| {
            let mut chances = vec![0.0; levels];
            chances[level] = 1.0;
            chances
        };
        if let Some(&level) = self.set.get(&variable) {
            return Some(point(level as usize));
        }
        if let Some(&level) = self.observed.get(&variable) {
            return Some(point(level));
        }
        let mut chances = self.joint(&[variable])?.table.values;
        let total: f64 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= total);
        Some(chances)
    }

    /// The ancestors of what is kept and observed: others sum to 1.
    fn relevant(&self, kept: &[usize]) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut queue: Vec<usize> = kept.iter().chain(self.observed.keys()).copied().collect();
        while let Some(v) = queue.pop() {
            if self.set.contains_key(&v) || !found.insert(v) {
                continue;
            }
            queue.extend(self.model.mechanism_in(v, self.level).parents());
        }
        found
    }

    /// The conditional probabilities of one variable, where fixed levels are taken.
    fn factor(&self, v: usize) -> Option<Factor> {
        let list = self.model.variables().list();
        let mechanism = self.model.mechanism_in(v, self.level);
        let parents = mechanism.parents();
        let fixed =
            |p: usize| self.set.get(&p).copied().or_else(|| Some(*self.observed.get(&p)? as f64));
        let is_table = match mechanism {
            Mechanism::Counts(_) => true,
            // Numbers are fine where they are set.
            Mechanism::Logistic(_) => parents.iter().all(|&p| {
                self.set.contains_key(&p) || self.model.mechanisms()[p].linear().is_none()
            }),
            _ => false,
        };
        if !is_table {
            return None;
        }
        let mut open: Vec<usize> =
            parents.iter().copied().chain([v]).filter(|&u| fixed(u).is_none()).collect();
        open.sort_unstable();
        let sizes = open.iter().map(|&u| list[u].levels.len()).collect();
        let names = open.clone();
        Factor::of(open, sizes, |levels| {
            let value = |u: usize| {
                let free = || levels[names.binary_search(&u).unwrap_or(0)] as f64;
                fixed(u).unwrap_or_else(free)
            };
            mechanism.probabilities(self.model.variables(), value)[value(v) as usize]
        })
    }
}

/// The variable whose elimination makes the smallest table.
fn cheapest(open: &BTreeSet<usize>, factors: &[Factor]) -> Option<usize> {
    let cost = |v: usize| {
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for factor in factors.iter().filter(|f| f.variables.binary_search(&v).is_ok()) {
            sizes.extend(factor.variables.iter().copied().zip(factor.sizes.iter().copied()));
        }
        sizes.values().fold(1.0, |product, &size| product * size as f64)
    };
    open.iter().copied().min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
}
