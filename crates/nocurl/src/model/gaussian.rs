//! Models of numbers alone: the multivariate normal distribution that linear mechanisms imply.

use std::collections::BTreeMap;

use super::mechanism::normal_log_density;
use super::{Law, Linear, Model};
use crate::core::parallel::*;
use crate::core::{Dag, Error, Mat, MatRef};
use crate::math::linalg::Cholesky;

/// With more variables, what needs the covariance of all is refused: it takes the cube of their
/// number.
pub(super) const MOST_VARIABLES: usize = 2000;

/// Means and covariance of all variables.
pub(super) struct Joint {
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Mat<f64>,
}

impl Model {
    /// The linear mechanisms, for a model of numbers alone.
    pub(super) fn linears(&self) -> Option<Vec<&Linear>> {
        match self.law() {
            Law::Gaussian => self.mechanisms().iter().map(|found| found.linear()).collect(),
            Law::Discrete | Law::Mixed => None,
        }
    }

    /// The graph with the coefficients between numbers as weights.
    pub(super) fn weighted(&self) -> Option<Dag> {
        let parents = self.linears()?.into_iter().map(|linear| {
            let own = linear.terms.iter().map(|term| (term.variable, term.coefficients[0]));
            // An edge stays one, however faint.
            let faint = |(p, c): (usize, f64)| (p, if c == 0.0 { f64::MIN_POSITIVE } else { c });
            own.map(faint).collect()
        });
        Dag::from_parents(super::sorted(parents.collect())).ok()
    }

    /// The covariance that a model of numbers implies, on the learnt scales: with coefficients `A`
    /// and error variances `D` it is `(I - A)^-T D (I - A)^-1`. O(d^3).
    ///
    /// Nothing for models with levels, and for more than 2000 variables.
    pub fn covariance(&self) -> Option<Mat<f64>> {
        Some(self.joint()?.covariance)
    }

    pub(super) fn joint(&self) -> Option<Joint> {
        let d = self.size();
        if d > MOST_VARIABLES {
            return None;
        }
        let linears = self.linears()?;
        let mut paths = super::effects::total(&self.weighted()?);
        (0..d).for_each(|i| paths[(i, i)] = 1.0);
        let scaled = Mat::from_fn(d, d, |i, j| linears[i].variance * paths[(i, j)]);
        let product = paths.transpose() * scaled;
        // Exactly symmetric.
        let covariance = Mat::from_fn(d, d, |i, j| 0.5 * (product[(i, j)] + product[(j, i)]));
        let mut mean = vec![0.0; d];
        for &v in self.graph().order() {
            mean[v] = linears[v].mean(self.variables(), |parent| mean[parent]);
        }
        Some(Joint { mean, covariance })
    }
}

/// What is observed of a row, which others share.
pub(super) struct Pattern<'a> {
    joint: &'a Joint,
    observed: Vec<usize>,
    /// Nothing where nothing is observed.
    factor: Option<Cholesky>,
}

impl Joint {
    /// Rows by which of their cells are observed; `but` counts as missing.
    pub(super) fn patterns(
        rows: MatRef<'_, f64>,
        but: Option<usize>,
    ) -> BTreeMap<Vec<bool>, Vec<usize>> {
        let mut patterns: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
        for i in 0..rows.nrows() {
            let there = (0..rows.ncols()).map(|j| Some(j) != but && !rows[(i, j)].is_nan());
            patterns.entry(there.collect()).or_default().push(i);
        }
        patterns
    }

    pub(super) fn pattern(&self, there: &[bool]) -> Result<Pattern<'_>, Error> {
        let observed: Vec<usize> = (0..there.len()).filter(|&j| there[j]).collect();
        let size = observed.len();
        let block = Mat::from_fn(size, size, |a, b| self.covariance[(observed[a], observed[b])]);
        let singular = || Error::Model {
            reason:
                "columns determine each other exactly, so missing cells cannot be conditioned on \
                     the others"
                    .into(),
        };
        let factor = match size {
            0 => None,
            _ => Some(Cholesky::new(block.as_ref()).ok_or_else(singular)?),
        };
        Ok(Pattern { joint: self, observed, factor })
    }
}

impl Pattern<'_> {
    /// The log-density of the observed cells of rows.
    pub(super) fn log_density(&self, rows: MatRef<'_, f64>, of: &[usize]) -> Vec<f64> {
        let Some(factor) = &self.factor else { return vec![0.0; of.len()] };
        let constant: f64 = (0..self.observed.len())
            .map(|k| normal_log_density(0.0, factor.lower()[(k, k)].powi(2)))
            .sum();
        of.par_iter()
            .map(|&i| {
                let mut off = self.off(rows, i);
                factor.solve_lower(off.as_mut());
                constant - 0.5 * off.col_as_slice(0).iter().map(|x| x * x).sum::<f64>()
            })
            .collect()
    }

    /// The mean of a variable given the observed cells of rows.
    pub(super) fn mean_of(&self, variable: usize, rows: MatRef<'_, f64>, of: &[usize]) -> Vec<f64> {
        let Some(factor) = &self.factor else { return vec![self.joint.mean[variable]; of.len()] };
        let covariance = &self.joint.covariance;
        let mut pull =
            Mat::from_fn(self.observed.len(), 1, |k, _| covariance[(self.observed[k], variable)]);
        factor.solve_lower(pull.as_mut());
        factor.solve_upper(pull.as_mut());
        let pull = pull.col_as_slice(0);
        let mean = |&i: &usize| {
            let off = self.off(rows, i);
            let moved: f64 = pull.iter().zip(off.col_as_slice(0)).map(|(c, x)| c * x).sum();
            self.joint.mean[variable] + moved
        };
        of.iter().map(mean).collect()
    }

    fn off(&self, rows: MatRef<'_, f64>, i: usize) -> Mat<f64> {
        Mat::from_fn(self.observed.len(), 1, |k, _| {
            let j = self.observed[k];
            rows[(i, j)] - self.joint.mean[j]
        })
    }
}
