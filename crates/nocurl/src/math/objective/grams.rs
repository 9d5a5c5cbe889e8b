//! The second moments that the least-squares loss of each column goes by.

use crate::core::{Mat, MatMut, MatRef};
use crate::math::linalg;

/// A column whose second moment is smaller than this share of the largest does not set the unit.
const SMALLEST: f64 = 1e-12;

/// Second moments of all columns, or of each column its own, as experiments give them: the rows in
/// which a variable is set say nothing about its column of weights.
#[derive(Debug, Clone, Copy)]
pub enum Grams<'a> {
    /// The same for all.
    Shared(MatRef<'a, f64>),
    /// Some matrices, and for each column the place of its own.
    Own(&'a [Mat<f64>], &'a [usize]),
}

impl<'a> From<MatRef<'a, f64>> for Grams<'a> {
    fn from(second_moments: MatRef<'a, f64>) -> Self {
        Self::Shared(second_moments)
    }
}

impl<'a> Grams<'a> {
    /// The second moments of one column of the loss.
    pub fn of(self, column: usize) -> MatRef<'a, f64> {
        match self {
            Self::Shared(matrix) => matrix,
            Self::Own(matrices, place) => matrices[place[column]].as_ref(),
        }
    }

    /// The unit of the loss: the smallest second moment of a column in its own loss. Where errors have
    /// equal variances, as least squares assumes, it is the variance of an error. Penalties that are
    /// multiples of it, and tolerances that do not go below it, make the minimum the same in all units.
    pub(crate) fn unit(self, columns: usize) -> f64 {
        let own = (0..columns).map(|j| self.of(j)[(j, j)]);
        let (least, most) =
            own.fold((f64::INFINITY, 0.0_f64), |(low, high), own| (low.min(own), high.max(own)));
        least.max(SMALLEST * most)
    }

    /// The product with weights, of which those at place k are the ones of `columns[k]`.
    pub(crate) fn times(
        self,
        mut to: MatMut<'_, f64>,
        weights: MatRef<'_, f64>,
        columns: impl Fn(usize) -> usize,
    ) {
        let Self::Own(..) = self else {
            return linalg::matmul(to, self.of(0), weights);
        };
        for k in 0..weights.ncols() {
            let own = weights.subcols(k, 1);
            linalg::matmul(to.as_mut().subcols_mut(k, 1), self.of(columns(k)), own);
        }
    }

    /// The gradient of the loss, `S A - S`, into memory that is there.
    pub(crate) fn gradient(self, to: &mut Mat<f64>, weights: MatRef<'_, f64>) {
        self.times(to.as_mut(), weights, |column| column);
        match self {
            Self::Shared(matrix) => *to -= matrix,
            Self::Own(..) => {
                for j in 0..to.ncols() {
                    let own = self.of(j);
                    (0..to.nrows()).for_each(|i| to[(i, j)] -= own[(i, j)]);
                }
            }
        }
    }
}
