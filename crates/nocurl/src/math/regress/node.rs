//! One variable and its parents.

use faer::{Mat, MatRef};

use crate::math::linalg::Cholesky;

/// One variable and its parents: the regression and the inverse of the parents' moments.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) parents: Vec<usize>,
    pub(crate) coefficients: Vec<f64>,
    pub(crate) residual: f64,
    pub(crate) inverse: Mat<f64>,
}

impl Node {
    /// The regression of `variable` on `parents`; `None` when their moments are singular.
    pub(crate) fn new(s: MatRef<'_, f64>, variable: usize, parents: Vec<usize>) -> Option<Self> {
        Self::by(|i, j| s[(i, j)], variable, parents)
    }

    /// The same with moments that are asked for one at a time.
    pub(crate) fn by(
        moment: impl Fn(usize, usize) -> f64,
        variable: usize,
        parents: Vec<usize>,
    ) -> Option<Self> {
        let m = parents.len();
        let block = Mat::from_fn(m, m, |a, b| moment(parents[a], parents[b]));
        let inverse = Cholesky::new(block.as_ref())?.inverse();
        let target: Vec<f64> = parents.iter().map(|&i| moment(i, variable)).collect();
        let coefficients: Vec<f64> =
            (0..m).map(|a| (0..m).map(|b| inverse[(b, a)] * target[b]).sum()).collect();
        let explained: f64 = coefficients.iter().zip(&target).map(|(c, t)| c * t).sum();
        // A perfect fit leaves rounding; the floor keeps ratios of residuals finite.
        let variance = moment(variable, variable);
        let residual = (variance - explained).max(f64::EPSILON * variance);
        Some(Self { parents, coefficients, residual, inverse })
    }

    /// The parent whose removal raises the residual least, with that increase; parents that are
    /// `required` stay.
    pub(crate) fn cheapest(&self, required: impl Fn(usize) -> bool) -> Option<(usize, f64)> {
        (0..self.parents.len())
            .filter(|&k| !required(self.parents[k]))
            .map(|k| (k, self.coefficients[k] * self.coefficients[k] / self.inverse[(k, k)]))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Removes a parent: a rank-one update of the inverse, O(m^2).
    pub(crate) fn remove(&mut self, k: usize) {
        let last = self.parents.len() - 1;
        let pivot = self.inverse[(k, k)];
        let coefficient = self.coefficients[k];
        self.residual += coefficient * coefficient / pivot;
        let column: Vec<f64> = (0..=last).map(|i| self.inverse[(i, k)]).collect();
        for (value, c) in self.coefficients.iter_mut().zip(&column) {
            *value -= c * (coefficient / pivot);
        }
        for b in 0..=last {
            let factor = column[b] / pivot;
            for (a, c) in column.iter().enumerate() {
                self.inverse[(a, b)] -= c * factor;
            }
        }
        // The last parent takes the place of the one removed.
        self.parents.swap_remove(k);
        self.coefficients.swap_remove(k);
        if k < last {
            for i in 0..last {
                self.inverse[(i, k)] = self.inverse[(i, last)];
                self.inverse[(k, i)] = self.inverse[(last, i)];
            }
            self.inverse[(k, k)] = self.inverse[(last, last)];
        }
    }
}
