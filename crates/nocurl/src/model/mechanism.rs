//! How one variable follows from its parents.

use std::collections::BTreeMap;

use crate::core::{Error, Kind, Variables};

/// How one variable follows from its parents.
///
/// Callers use the methods of [`Model`](super::Model) and these; other forms, such as curves, answer
/// the same questions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Mechanism {
    /// A number: a linear function of the parents plus a normal error.
    Linear(Linear),
    /// Levels whose parents have levels: smoothed counts.
    Counts(Counts),
    /// Levels with other parents: multinomial logistic regression.
    Logistic(Logistic),
    /// Levels whose rows were not available; only the parents are known.
    Unfitted(Vec<usize>),
}

/// The contribution of one parent to a linear predictor.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The parent.
    pub variable: usize,
    /// One coefficient for a number, or one per level except the base.
    pub coefficients: Vec<f64>,
}

/// A linear function of the parents plus a normal error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Linear {
    /// The contributions of the parents.
    pub terms: Vec<Term>,
    /// The mean when all parents are 0 or at their base level.
    pub intercept: f64,
    /// The variance of the error: the maximum-likelihood estimate.
    pub variance: f64,
    /// Number of rows it was fitted to; 0 if unknown.
    pub rows: f64,
    /// Covariance of the estimated coefficients in the order of the terms, as the lower triangle row
    /// by row; empty if unknown.
    pub covariance: Vec<f64>,
}

impl Linear {
    /// A linear mechanism whose precision is unknown.
    pub fn new(terms: Vec<Term>, intercept: f64, variance: f64) -> Self {
        Self { terms, intercept, variance, rows: 0.0, covariance: Vec::new() }
    }

    /// Number of coefficients.
    pub fn width(&self) -> usize {
        self.terms.iter().map(|term| term.coefficients.len()).sum()
    }

    /// An entry of the covariance of the coefficients.
    pub(crate) fn covariance_of(&self, a: usize, b: usize) -> Option<f64> {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.covariance.get(high * (high + 1) / 2 + low).copied()
    }

    /// Degrees of freedom of the residuals, if the number of rows is known.
    pub(crate) fn freedom(&self) -> Option<f64> {
        let freedom = self.rows - self.width() as f64 - 1.0;
        (self.rows > 0.0 && freedom > 0.0).then_some(freedom)
    }

    /// The mean given the values of the parents.
    pub(crate) fn mean(&self, variables: &Variables, value: impl Fn(usize) -> f64) -> f64 {
        self.intercept + sum_of(&self.terms, variables, value)
    }
}

/// Counts of the levels of a variable for each combination of its parents' levels.
///
/// The probability of level `j` is `(n_j + share_j) / (n + 1)`: the counts of the rows with the
/// same parent levels, plus one row distributed by the overall shares of the levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The parents.
    pub parents: Vec<usize>,
    /// Rows with each level, whatever the parents.
    pub overall: Vec<f64>,
    /// Rows with each level by the levels of the parents; combinations without rows are absent.
    pub table: BTreeMap<Vec<usize>, Vec<f64>>,
}

impl Counts {
    /// The probability of each level given the levels of the parents.
    pub fn probabilities(&self, given: &[usize]) -> Vec<f64> {
        let total: f64 = self.overall.iter().sum();
        let levels = self.overall.len() as f64;
        let share = |j: usize| (self.overall[j] + 1.0 / levels) / (total + 1.0);
        if self.parents.is_empty() {
            return (0..self.overall.len()).map(share).collect();
        }
        let counted = self.table.get(given);
        let rows: f64 = counted.map_or(0.0, |counts| counts.iter().sum());
        let count = |j: usize| counted.map_or(0.0, |counts| counts[j]);
        (0..self.overall.len()).map(|j| (count(j) + share(j)) / (rows + 1.0)).collect()
    }
}

/// Multinomial logistic regression: the log-odds of each level against the base are linear.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// The parents.
    pub parents: Vec<usize>,
    /// Log-odds of each level except the base when all parents are 0 or at their base level.
    pub intercepts: Vec<f64>,
    /// One list of terms per level except the base.
    pub levels: Vec<Vec<Term>>,
}

/// Whether a variable contributes one coefficient per level except its base.
pub(crate) fn is_block(variables: &Variables, variable: usize) -> bool {
    variables.list()[variable].kind == Kind::Categorical
}

/// Whether a variable has probabilities of levels rather than a mean. Binary variables are numbers 0
/// and 1 unless all variables have levels without an order.
pub(crate) fn has_levels(variables: &Variables, variable: usize) -> bool {
    match variables.list()[variable].kind {
        Kind::Categorical => true,
        Kind::Binary => variables.is_categorical(),
        Kind::Continuous | Kind::Ordinal => false,
    }
}

/// The sum of the contributions of the parents, for values on the learnt scale.
pub(crate) fn sum_of(terms: &[Term], variables: &Variables, value: impl Fn(usize) -> f64) -> f64 {
    terms.iter().map(|term| of_term(term, variables, value(term.variable))).sum()
}

/// The contribution of one parent at a value.
pub(crate) fn of_term(term: &Term, variables: &Variables, value: f64) -> f64 {
    match is_block(variables, term.variable) {
        false => term.coefficients[0] * value,
        true if value.is_nan() => f64::NAN,
        true => match value as usize {
            0 => 0.0,
            level => term.coefficients[level - 1],
        },
    }
}

impl Mechanism {
    /// The parents.
    pub fn parents(&self) -> Vec<usize> {
        match self {
            Self::Linear(linear) => linear.terms.iter().map(|term| term.variable).collect(),
            Self::Counts(counts) => counts.parents.clone(),
            Self::Logistic(logistic) => logistic.parents.clone(),
            Self::Unfitted(parents) => parents.clone(),
        }
    }

    /// The linear mechanism, if it is one.
    pub fn linear(&self) -> Option<&Linear> {
        match self {
            Self::Linear(linear) => Some(linear),
            _ => None,
        }
    }

    /// The probability of each level given the values of the parents; empty for a number.
    pub(crate) fn probabilities(
        &self,
        variables: &Variables,
        value: impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        match self {
            Self::Linear(_) | Self::Unfitted(_) => Vec::new(),
            Self::Counts(counts) => {
                let given: Vec<usize> =
                    counts.parents.iter().map(|&parent| value(parent) as usize).collect();
                counts.probabilities(&given)
            }
            Self::Logistic(logistic) => {
                let mut odds = vec![0.0];
                odds.extend(
                    logistic
                        .intercepts
                        .iter()
                        .zip(&logistic.levels)
                        .map(|(intercept, terms)| intercept + sum_of(terms, variables, &value)),
                );
                softmax(&mut odds);
                odds
            }
        }
    }

    /// The logarithm of the density of a value given those of the parents, all on the learnt scale.
    pub(crate) fn log_density(
        &self,
        variables: &Variables,
        own: f64,
        value: impl Fn(usize) -> f64,
    ) -> f64 {
        match self {
            Self::Linear(linear) => {
                let off = own - linear.mean(variables, value);
                normal_log_density(off, linear.variance)
            }
            _ => self.probabilities(variables, value)[own as usize].ln(),
        }
    }

    /// Renumbers the parents: variable `v` becomes `to[v]`.
    pub(crate) fn renumbered(&self, to: &[usize]) -> Self {
        let of = |parents: &[usize]| parents.iter().map(|&parent| to[parent]).collect();
        let terms = |terms: &[Term]| -> Vec<Term> {
            terms.iter().map(|t| Term { variable: to[t.variable], ..t.clone() }).collect()
        };
        match self {
            Self::Linear(linear) => {
                Self::Linear(Linear { terms: terms(&linear.terms), ..linear.clone() })
            }
            Self::Counts(counts) => {
                Self::Counts(Counts { parents: of(&counts.parents), ..counts.clone() })
            }
            Self::Logistic(logistic) => Self::Logistic(Logistic {
                parents: of(&logistic.parents),
                levels: logistic.levels.iter().map(|own| terms(own)).collect(),
                ..logistic.clone()
            }),
            Self::Unfitted(parents) => Self::Unfitted(of(parents)),
        }
    }

    /// The mechanism for a fixed level of one parent, which it no longer has.
    pub(crate) fn given(&self, variables: &Variables, parent: usize, level: usize) -> Self {
        let value = level as f64;
        let split = |terms: &[Term]| -> (Vec<Term>, f64) {
            let fixed = terms.iter().filter(|term| term.variable == parent);
            let shift = fixed.map(|term| of_term(term, variables, value)).sum();
            let rest = terms.iter().filter(|term| term.variable != parent);
            (rest.cloned().collect(), shift)
        };
        match self {
            Self::Linear(linear) => {
                let (terms, shift) = split(&linear.terms);
                let kept = kept_coefficients(&linear.terms, parent);
                let covariance = match linear.covariance.is_empty() {
                    true => Vec::new(),
                    false => (0..kept.len())
                        .flat_map(|a| (0..=a).map(move |b| (a, b)))
                        .filter_map(|(a, b)| linear.covariance_of(kept[a], kept[b]))
                        .collect(),
                };
                let dropped = linear.width() - kept.len();
                // The degrees of freedom stay those of the fit.
                let rows = if linear.rows > 0.0 { linear.rows - dropped as f64 } else { 0.0 };
                let intercept = linear.intercept + shift;
                let variance = linear.variance;
                Self::Linear(Linear { terms, intercept, variance, rows, covariance })
            }
            Self::Counts(counts) => {
                let Some(at) = counts.parents.iter().position(|&p| p == parent) else {
                    return self.clone();
                };
                let rest = |list: &[usize]| {
                    let mut list = list.to_vec();
                    list.remove(at);
                    list
                };
                let fits = counts.table.iter().filter(|(given, _)| given[at] == level);
                let table: BTreeMap<Vec<usize>, Vec<f64>> =
                    fits.map(|(given, counts)| (rest(given), counts.clone())).collect();
                let parents = rest(&counts.parents);
                let overall = match (parents.is_empty(), table.get(&Vec::new())) {
                    (true, Some(own)) => own.clone(),
                    _ => counts.overall.clone(),
                };
                Self::Counts(Counts { parents, overall, table })
            }
            Self::Logistic(logistic) => {
                let (levels, shifts): (Vec<_>, Vec<_>) =
                    logistic.levels.iter().map(|terms| split(terms)).unzip();
                let intercepts =
                    logistic.intercepts.iter().zip(shifts).map(|(own, shift)| own + shift);
                let parents = logistic.parents.iter().copied().filter(|&p| p != parent).collect();
                Self::Logistic(Logistic { parents, intercepts: intercepts.collect(), levels })
            }
            Self::Unfitted(parents) => {
                Self::Unfitted(parents.iter().copied().filter(|&p| p != parent).collect())
            }
        }
    }

    /// Refuses numbers that do not fit the variables.
    pub(super) fn check(&self, child: usize, variables: &Variables) -> Result<(), Error> {
        let wrong = |reason: &str| {
            let name = &variables.names()[child];
            Err(Error::Model { reason: format!("the mechanism of `{name}` {reason}") })
        };
        let d = variables.size();
        let mut parents = self.parents();
        if parents.iter().any(|&parent| parent >= d || parent == child) {
            return wrong("has a parent that is not another variable");
        }
        parents.sort_unstable();
        if parents.windows(2).any(|pair| pair[0] == pair[1]) {
            return wrong("has the same parent twice");
        }
        let fits = |term: &Term| {
            term.coefficients.len() == variables.columns(term.variable).len()
                && term.coefficients.iter().all(|c| c.is_finite())
        };
        let levels = variables.list()[child].levels.len();
        match self {
            Self::Linear(linear) => {
                if is_block(variables, child) {
                    return wrong("is linear, but the variable is categorical");
                }
                if !linear.terms.iter().all(fits) || !linear.intercept.is_finite() {
                    return wrong("does not have one finite coefficient per column");
                }
                if !(linear.variance > 0.0 && linear.variance.is_finite()) {
                    return wrong("has an error variance that is not a positive number");
                }
                let (width, entries) = (linear.width(), linear.covariance.len());
                if entries != 0 && entries != width * (width + 1) / 2 {
                    return wrong("has a covariance of another size than its coefficients");
                }
            }
            Self::Counts(counts) => {
                let is_count = |x: &f64| *x >= 0.0 && x.is_finite();
                let row = |counts: &Vec<f64>| counts.len() == levels && counts.iter().all(is_count);
                let known = |given: &Vec<usize>| {
                    given.len() == counts.parents.len()
                        && given
                            .iter()
                            .zip(&counts.parents)
                            .all(|(&level, &p)| level < variables.list()[p].levels.len())
                };
                if levels < 2 || !row(&counts.overall) {
                    return wrong("does not have one count per level");
                }
                if !counts.table.iter().all(|(given, counts)| known(given) && row(counts)) {
                    return wrong("has counts that do not fit the levels");
                }
            }
            Self::Logistic(logistic) => {
                let whole = logistic.levels.len() + 1 == levels
                    && logistic.intercepts.len() == logistic.levels.len();
                if !whole || !logistic.intercepts.iter().all(|x| x.is_finite()) {
                    return wrong("does not have one regression per level except the base");
                }
                let same = |terms: &Vec<Term>| {
                    terms.iter().map(|term| term.variable).eq(logistic.parents.iter().copied())
                };
                if !logistic.levels.iter().all(|terms| terms.iter().all(fits) && same(terms)) {
                    return wrong("does not have one finite coefficient per column");
                }
            }
            Self::Unfitted(_) => {}
        }
        Ok(())
    }
}

/// The places of the coefficients that do not belong to one parent.
fn kept_coefficients(terms: &[Term], parent: usize) -> Vec<usize> {
    let mut at = 0;
    let mut kept = Vec::new();
    for term in terms {
        let places = at..at + term.coefficients.len();
        at = places.end;
        if term.variable != parent {
            kept.extend(places);
        }
    }
    kept
}

/// The logarithm of the normal density at a distance from the mean.
pub(crate) fn normal_log_density(off: f64, variance: f64) -> f64 {
    -0.5 * ((2.0 * std::f64::consts::PI * variance).ln() + off * off / variance)
}

/// Exponentials that sum to 1, without overflow.
pub(crate) fn softmax(odds: &mut [f64]) {
    let most = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    odds.iter_mut().for_each(|x| *x = (*x - most).exp());
    let total: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|x| *x /= total);
}
