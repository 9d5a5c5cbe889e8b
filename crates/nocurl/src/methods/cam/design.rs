//! The functions of all variables and their second moments.

use super::basis::Basis;
use crate::core::advice::{Action, Text};
use crate::core::moments::BLOCK_ROWS;
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Dataset, Error, Mat, MatMut, Run};
use crate::math::linalg;

/// The most functions whose second moments are kept: 8 GiB of them.
const MOST_FUNCTIONS: usize = 1 << 15;

/// Multiplications between two reports.
const BLOCK_WORK: usize = 1 << 31;

/// What every additive fit is made from: one pass over the rows, after which nothing depends on
/// their number.
#[derive(Debug)]
pub(super) struct Design {
    rows: usize,
    /// Where the functions of each variable begin; one more at the end.
    starts: Vec<usize>,
    /// Penalties of all functions, 0 for the first of each variable.
    penalty: Vec<f64>,
    /// Second moments of all functions.
    gram: Mat<f64>,
    bases: Vec<Basis>,
}

impl Design {
    /// Expands every variable into at most `size` splines and multiplies everything out.
    ///
    /// Cost O(n (d m)^2) with m functions a variable; memory O((d m)^2), whatever n.
    pub(super) fn new(data: &Dataset, size: usize, run: &Run<'_>) -> Result<Self, Error> {
        let (n, d) = (data.values().nrows(), data.values().ncols());
        let columns: Vec<&[f64]> = (0..d).map(|j| data.column(j)).collect();
        // With fewer rows than this there is no telling curves from noise.
        let size = size.min(n / 3);
        let bases: Vec<Basis> = columns.par_iter().map(|column| Basis::new(column, size)).collect();
        let mut starts = vec![0];
        for basis in &bases {
            starts.push(starts[starts.len() - 1] + basis.len());
        }
        let total = starts[d];
        if total > MOST_FUNCTIONS {
            return Err(Error::TooManyColumns {
                method: "cam",
                limit: MOST_FUNCTIONS * d / total,
                columns: d,
                advice: Text::new("set ").act(Action::parameter("basis")).say(" lower"),
            });
        }
        let mut gram = Mat::zeros(total, total);
        let block_rows = (BLOCK_WORK / (total * total)).clamp(32, BLOCK_ROWS);
        let progress =
            Counter::new("expanding the columns into splines", n, run).of((total * total) as f64);
        for first in (0..n).step_by(block_rows) {
            let rows = first..n.min(first + block_rows);
            let mut block = Mat::zeros(rows.len(), total);
            parts(block.as_mut(), &bases)
                .into_par_iter()
                .zip(bases.par_iter().zip(&columns))
                .for_each(|(part, (basis, column))| basis.evaluate(&column[rows.clone()], part));
            linalg::matmul_accumulate(
                gram.as_mut(),
                block.transpose(),
                block.as_ref(),
                1.0 / n as f64,
            );
            progress.add(rows.len())?;
        }
        let penalty = bases.iter().flat_map(|basis| basis.penalty()).copied().collect();
        Ok(Self { rows: n, starts, penalty, gram, bases })
    }

    /// Number of variables.
    pub(super) fn variables(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> f64 {
        self.rows as f64
    }

    /// The functions of a variable.
    pub(super) fn of(&self, variable: usize) -> std::ops::Range<usize> {
        self.starts[variable]..self.starts[variable + 1]
    }

    /// The penalties of the functions of a variable; the first is 0.
    pub(super) fn penalty(&self, variable: usize) -> &[f64] {
        &self.penalty[self.of(variable)]
    }

    /// The second moment of two functions.
    pub(super) fn moment(&self, a: usize, b: usize) -> f64 {
        self.gram[(a, b)]
    }

    /// The second moment of a function with a variable, standardised.
    pub(super) fn target(&self, function: usize, variable: usize) -> f64 {
        self.gram[(function, self.starts[variable])]
    }

    /// The functions of a variable at these values of it, one column each.
    pub(super) fn functions(&self, variable: usize, values: &[f64]) -> Mat<f64> {
        let basis = &self.bases[variable];
        let mut functions = Mat::zeros(values.len(), basis.len());
        basis.evaluate(values, functions.as_mut());
        functions
    }

    /// The second moments of all functions with one of them.
    pub(super) fn column(&self, function: usize) -> &[f64] {
        self.gram.col_as_slice(function)
    }
}

/// Cuts a block of columns into those of each variable.
fn parts<'a>(mut block: MatMut<'a, f64>, bases: &[Basis]) -> Vec<MatMut<'a, f64>> {
    let mut parts = Vec::with_capacity(bases.len());
    for basis in bases {
        let (part, rest) = block.split_at_col_mut(basis.len());
        parts.push(part);
        block = rest;
    }
    parts
}
