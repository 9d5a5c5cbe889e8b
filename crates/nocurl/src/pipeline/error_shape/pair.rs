//! Which of two variables causes the other.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::core::Dataset;
use crate::math::entropy::{dot, entropy, residual_entropies};
use crate::math::regress::Node;
use crate::math::{Problem, normality};

/// More rows than this are thinned out evenly.
const MOST_ROWS: usize = 10_000;

/// Groups of rows that are left out in turn.
const GROUPS: usize = 25;

/// Residuals with a smaller share of the variance are rounding.
const ROUNDING: f64 = 1e-10;

/// The likelihood ratio of `i -> j` against `j -> i`, significantly different from 0.
pub(super) struct Ratio {
    /// The ratio in standard errors, positive for `i -> j`.
    pub(super) statistic: f64,
    /// The chance of a ratio so far from 0, either way, where neither direction is better.
    pub(super) p_value: f64,
}

/// Judges pairs of variables.
pub(super) struct Judge<'a> {
    problem: &'a Problem,
    rows: &'a Dataset,
    level: f64,
    law: StudentsT,
}

impl<'a> Judge<'a> {
    pub(super) fn new(problem: &'a Problem, rows: &'a Dataset, level: f64) -> Self {
        let law = StudentsT::new(0.0, 1.0, (GROUPS - 1) as f64).expect("freedom is at least 1");
        Self { problem, rows, level, law }
    }

    /// The ratio of a pair without the part of their common parents; nothing where it is not
    /// significant or errors look normal.
    pub(super) fn ratio(&self, i: usize, j: usize, parents: &[usize]) -> Option<Ratio> {
        let (a, b) = (self.residual(i, parents)?, self.residual(j, parents)?);
        let difference = difference(&a, &b)?;
        let (cause, effect) = if difference > 0.0 { (&a, &b) } else { (&b, &a) };
        if self.is_normal(cause) && self.is_normal(&errors(effect, cause)?) {
            return None;
        }
        let statistic = difference / standard_error(&a, &b)?;
        let p_value = 2.0 * self.law.sf(statistic.abs());
        (p_value < self.level).then_some(Ratio { statistic, p_value })
    }

    /// What the parents leave of a variable, with mean 0 and variance 1.
    fn residual(&self, variable: usize, parents: &[usize]) -> Option<Vec<f64>> {
        let step = self.rows.values().nrows().div_ceil(MOST_ROWS);
        let column = |v: usize| self.rows.column(v).iter().step_by(step);
        let mut residual: Vec<f64> = column(variable).copied().collect();
        let node = Node::new(self.problem.sample_covariance(), variable, parents.to_vec())?;
        for (&parent, &coefficient) in node.parents.iter().zip(&node.coefficients) {
            for (value, cause) in residual.iter_mut().zip(column(parent)) {
                *value -= coefficient * cause;
            }
        }
        let size = self.problem.sample_covariance()[(variable, variable)];
        standardise(&mut residual, ROUNDING * size)?;
        Some(residual)
    }

    fn is_normal(&self, values: &[f64]) -> bool {
        let n = values.len() as f64;
        let moment = |power| values.iter().map(|v| v.powi(power)).sum::<f64>() / n;
        normality(values.len() as u64, moment(3), moment(4)) >= self.level
    }
}

/// Brings values to mean 0 and variance 1; nothing where their variance is at most `least`.
fn standardise(values: &mut [f64], least: f64) -> Option<()> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|value| *value -= mean);
    let variance = dot(values, values) / n;
    if !(variance > least && variance.is_finite()) {
        return None;
    }
    let scale = variance.sqrt().recip();
    values.iter_mut().for_each(|value| *value *= scale);
    Some(())
}

/// What the cause leaves of the effect, both standardised.
fn errors(effect: &[f64], cause: &[f64]) -> Option<Vec<f64>> {
    let r = dot(effect, cause) / effect.len() as f64;
    let mut errors: Vec<f64> = effect.iter().zip(cause).map(|(e, c)| e - r * c).collect();
    standardise(&mut errors, ROUNDING)?;
    Some(errors)
}

/// The difference of the log-likelihoods per row of `a -> b` and `b -> a`.
fn difference(a: &[f64], b: &[f64]) -> Option<f64> {
    let (of_a, of_b) = residual_entropies(a, b)?;
    Some(entropy(b) + of_a - entropy(a) - of_b)
}

/// The standard error of [`difference`], by leaving out groups of rows in turn.
fn standard_error(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len();
    let (mut first, mut second) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut values = [0.0; GROUPS];
    for (group, value) in values.iter_mut().enumerate() {
        let out = group * n / GROUPS..(group + 1) * n / GROUPS;
        for (rest, all) in [(&mut first, a), (&mut second, b)] {
            rest.clear();
            rest.extend_from_slice(&all[..out.start]);
            rest.extend_from_slice(&all[out.end..]);
            standardise(rest, 0.0)?;
        }
        *value = difference(&first, &second)?;
    }
    let mean = values.iter().sum::<f64>() / GROUPS as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares * (GROUPS - 1) as f64 / GROUPS as f64).sqrt())
}
