//! The ridge regressions of one iteration by Cholesky factorisations, column by column.

use faer::prelude::ReborrowMut;
use faer::{ColMut, Mat, MatMut};

use super::Iterate;
use crate::core::Error;
use crate::core::error::SIMILAR_UNITS;
use crate::core::parallel::*;
use crate::math::linalg::FactorSpace;

/// Columns are solved in this many groups at most, each with work space of its own.
const GROUPS: usize = 32;

/// A ridge weight above this multiple of a variable's own second moment leaves it so little room
/// that it is stepped on its own rather than solved with the others.
const FORCED: f64 = 30.0;

/// The ridge regressions of all columns.
pub(super) struct Columns {
    spaces: Vec<ColumnSpace>,
}

/// Work space for solving columns one after the other.
struct ColumnSpace {
    matrix: Mat<f64>,
    right: Vec<f64>,
    free: Vec<usize>,
    factor: FactorSpace,
}

impl Columns {
    pub(super) fn new(d: usize) -> Self {
        let spaces = (0..GROUPS.min(d)).map(|_| ColumnSpace::new(d)).collect();
        Self { spaces }
    }

    /// Fills `step` and returns the slope of the objective along it.
    pub(super) fn solve(
        &mut self,
        iterate: Iterate<'_>,
        step: MatMut<'_, f64>,
    ) -> Result<f64, Error> {
        let width = step.ncols().div_ceil(self.spaces.len());
        let slopes: Vec<Result<f64, Error>> = column_groups(step, width)
            .into_par_iter()
            .zip(self.spaces.par_iter_mut())
            .enumerate()
            .map(|(group, (mut columns, space))| {
                let mut slope = 0.0;
                for k in 0..columns.ncols() {
                    let j = group * width + k;
                    let column = columns.rb_mut().col_mut(k);
                    slope += space.solve(iterate, j, column)?;
                }
                Ok(slope)
            })
            .collect();
        slopes.into_iter().sum()
    }
}

impl ColumnSpace {
    fn new(d: usize) -> Self {
        Self {
            matrix: Mat::zeros(d, d),
            right: vec![0.0; d],
            free: Vec::with_capacity(d),
            factor: FactorSpace::new(d),
        }
    }

    /// Fills one column of the step and returns its part of the slope.
    fn solve(
        &mut self,
        iterate: Iterate<'_>,
        j: usize,
        mut step: ColMut<'_, f64>,
    ) -> Result<f64, Error> {
        let s = iterate.second_moments;
        let d = s.nrows();
        let mut slope = 0.0;
        self.free.clear();
        for i in 0..d {
            if !iterate.is_free(i, j) {
                step[i] = 0.0;
                continue;
            }
            let weight = iterate.ridge(i, j);
            if weight <= FORCED * s[(i, i)] {
                self.free.push(i);
            } else {
                let g = iterate.gradient(i, j);
                step[i] = -g / (s[(i, i)] + weight);
                slope += g * step[i];
            }
        }
        let m = self.free.len();
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        let mut jitter = 0.0;
        loop {
            for (b, &k) in self.free.iter().enumerate() {
                let source = s.col(k);
                let mut target = self.matrix.as_mut().col_mut(b).subrows_mut(b, m - b);
                for (to, &i) in target.rb_mut().iter_mut().zip(&self.free[b..]) {
                    *to = source[i];
                }
                target[0] = s[(k, k)] * (1.0 + jitter) + iterate.ridge(k, j);
                self.right[b] = -iterate.gradient(k, j);
            }
            let matrix = self.matrix.as_mut().submatrix_mut(0, 0, m, m);
            if self.factor.solve(matrix, &mut self.right[..m]) {
                break;
            }
            if jitter > 1.0 {
                return Err(Error::OutOfRange {
                    stage: "the first estimate",
                    advice: SIMILAR_UNITS,
                });
            }
            jitter = (jitter * 100.0_f64).max(1e-12);
        }
        for (&i, &value) in self.free.iter().zip(&self.right) {
            step[i] = value;
            slope += iterate.gradient(i, j) * value;
        }
        Ok(slope)
    }
}
