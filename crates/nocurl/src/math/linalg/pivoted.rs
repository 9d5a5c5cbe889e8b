//! Cholesky factorisations that choose their pivots.

use std::cmp::Ordering;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::matmul::{self as dense};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::cholesky::pivot_floor;
use crate::core::Error;
use crate::core::parallel::*;

/// Columns that are factored before the rest of the matrix is brought up to date.
const PANEL: usize = 64;

/// Columns of one block of the update; fixed, so that results do not depend on threads.
const BLOCK: usize = 128;

/// A factorisation `P a P' = L L'` with the pivots in an order chosen on the way.
#[derive(Debug, Clone)]
pub struct PivotedCholesky {
    /// `order[k]` is the row of `a` that was eliminated as number `k`.
    pub order: Vec<usize>,
    /// The lower triangular factor, rows and columns in `order`; the strict upper triangle is zero.
    pub factor: Mat<f64>,
    /// The rows of `a` that are, up to rounding, a linear combination of those eliminated before
    /// them; their columns of the factor are zero.
    pub dependent: Vec<usize>,
}

/// Factors a symmetric positive semidefinite matrix (its lower triangle is read), eliminating at
/// each step the row with the smallest remaining diagonal entry, the first one among equals.
///
/// On a covariance matrix the remaining diagonal holds the variances given all variables
/// eliminated so far. A pivot counts as zero when it is no more than rounding error of its
/// original diagonal entry.
///
/// Columns are factored in panels, as LAPACK's `xPSTRF` does for the largest pivot: only the
/// diagonal is kept up to date at each step, the rest after each panel by one symmetric product.
/// Cost d^3 / 3 multiplications and additions, memory one matrix besides `a`. After each panel
/// `watch` is told how many rows are eliminated; an error of its ends the factorisation.
///
/// # Errors
/// Those of `watch`.
///
/// ```
/// use nocurl::{Mat, internals::linalg};
/// let a = Mat::from_fn(2, 2, |i, j| [[5.0, 2.0], [2.0, 1.0]][i][j]);
/// let pivoted = linalg::smallest_pivot_first(a.as_ref(), |_| Ok(()))?;
/// assert_eq!(pivoted.order, [1, 0]);
/// assert_eq!(pivoted.factor[(1, 0)], 2.0);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn smallest_pivot_first(
    a: MatRef<'_, f64>,
    watch: impl FnMut(usize) -> Result<(), Error>,
) -> Result<PivotedCholesky, Error> {
    factor(a, f64::total_cmp, |_, _| false, watch)
}

/// [`smallest_pivot_first`] among orders in which `i` is eliminated before `j` wherever
/// `precedes(i, j)`, which has to be a strict partial order.
///
/// # Errors
/// Those of `watch`.
pub fn smallest_pivot_first_within(
    a: MatRef<'_, f64>,
    precedes: impl Fn(usize, usize) -> bool,
    watch: impl FnMut(usize) -> Result<(), Error>,
) -> Result<PivotedCholesky, Error> {
    factor(a, f64::total_cmp, precedes, watch)
}

/// The same with the largest pivot at each step, which finds the rank reliably: the rows that are
/// not dependent are a well-conditioned choice among all.
pub(super) fn largest_pivot_first(a: MatRef<'_, f64>) -> PivotedCholesky {
    let largest_first = |x: &f64, y: &f64| y.total_cmp(x);
    factor(a, largest_first, |_, _| false, |_| Ok(())).expect("only watching can fail")
}

/// A square factor `f` with `f f' = a` of a symmetric positive semidefinite matrix, whose lower
/// triangle is read.
pub(crate) fn semidefinite_factor(a: MatRef<'_, f64>) -> Mat<f64> {
    let pivoted = largest_pivot_first(a);
    let mut factor = Mat::zeros(a.nrows(), a.nrows());
    for (k, &i) in pivoted.order.iter().enumerate() {
        factor.row_mut(i).copy_from(pivoted.factor.row(k));
    }
    factor
}

/// Eliminates first what `compare` puts first, of the rows that `precedes` puts after none left.
fn factor(
    a: MatRef<'_, f64>,
    compare: impl Fn(&f64, &f64) -> Ordering,
    precedes: impl Fn(usize, usize) -> bool,
    mut watch: impl FnMut(usize) -> Result<(), Error>,
) -> Result<PivotedCholesky, Error> {
    let d = a.nrows();
    let mut matrix = a.to_owned();
    let mut order: Vec<usize> = (0..d).collect();
    let mut dependent = Vec::new();
    // Both by position, not by row of `a`: they move with the rows.
    let mut remaining: Vec<f64> = (0..d).map(|i| a[(i, i)]).collect();
    let mut floor: Vec<f64> = remaining.iter().map(|size| size * pivot_floor(d)).collect();

    // By row of `a`: how many rows must still come before it.
    let mut waiting: Vec<usize> =
        (0..d).map(|j| (0..d).filter(|&i| precedes(i, j)).count()).collect();

    let mut start = 0;
    while start < d {
        let end = d.min(start + PANEL);
        for step in start..end {
            let pivot = (step..d)
                .filter(|&i| waiting[order[i]] == 0)
                .min_by(|&i, &j| {
                    compare(&remaining[i], &remaining[j]).then(order[i].cmp(&order[j]))
                })
                .expect("there is a row left");
            exchange(&mut matrix, step, pivot);
            order.swap(step, pivot);
            remaining.swap(step, pivot);
            floor.swap(step, pivot);
            for &j in order[step + 1..].iter().filter(|&&j| precedes(order[step], j)) {
                waiting[j] -= 1;
            }

            if remaining[step] > floor[step] {
                eliminate(&mut matrix, start, step, remaining[step].sqrt());
                let column = &matrix.col_as_slice(step)[step + 1..];
                for (left, value) in remaining[step + 1..].iter_mut().zip(column) {
                    *left -= value * value;
                }
            } else {
                dependent.push(order[step]);
                matrix.col_as_slice_mut(step)[step..].fill(0.0);
            }
        }
        subtract_panel(matrix.as_mut(), start, end);
        watch(end)?;
        start = end;
    }
    for j in 0..d {
        matrix.col_as_slice_mut(j)[..j].fill(0.0);
    }
    Ok(PivotedCholesky { order, factor: matrix, dependent })
}

/// Exchanges rows and columns `a < b` of a symmetric matrix of which only the lower triangle is
/// held; left of column `a` only the rows, which are rows of the factor there.
fn exchange(matrix: &mut Mat<f64>, a: usize, b: usize) {
    if a == b {
        return;
    }
    for column in 0..a {
        matrix.col_as_slice_mut(column).swap(a, b);
    }
    for between in a + 1..b {
        let value = matrix[(between, a)];
        matrix[(between, a)] = matrix[(b, between)];
        matrix[(b, between)] = value;
    }
    let diagonal = matrix[(a, a)];
    matrix[(a, a)] = matrix[(b, b)];
    matrix[(b, b)] = diagonal;
    for row in b + 1..matrix.nrows() {
        let value = matrix[(row, a)];
        matrix[(row, a)] = matrix[(row, b)];
        matrix[(row, b)] = value;
    }
}

/// Makes column `step` a column of the factor: what the earlier columns of its panel explain is
/// taken out, then it is divided by `root`, the root of its pivot.
fn eliminate(matrix: &mut Mat<f64>, panel: usize, step: usize, root: f64) {
    let below = matrix.nrows() - step - 1;
    let (left, mut right) = matrix.as_mut().split_at_col_mut(step);
    let mut column = right.as_mut().subcols_mut(0, 1).subrows_mut(step + 1, below);
    let done = left.as_ref().subcols(panel, step - panel);
    dense::matmul(
        column.as_mut(),
        Accum::Add,
        done.subrows(step + 1, below),
        done.subrows(step, 1).transpose(),
        -1.0,
        Par::Seq,
    );
    for i in 0..below {
        column[(i, 0)] /= root;
    }
    right[(step, 0)] = root;
}

/// Takes what columns `start..end` of the factor explain out of the matrix right of them.
fn subtract_panel(matrix: MatMut<'_, f64>, start: usize, end: usize) {
    let rest = matrix.nrows() - end;
    let (left, right) = matrix.split_at_col_mut(end);
    let panel = left.as_ref().subcols(start, end - start).subrows(end, rest);
    column_groups(right.subrows_mut(end, rest), BLOCK).into_par_iter().enumerate().for_each(
        |(index, columns)| {
            let (first, width) = (index * BLOCK, columns.ncols());
            let (_, lower) = columns.split_at_row_mut(first);
            let (corner, below) = lower.split_at_row_mut(width);
            let own = panel.subrows(first, width);
            triangular::matmul(
                corner,
                BlockStructure::TriangularLower,
                Accum::Add,
                own,
                BlockStructure::Rectangular,
                own.transpose(),
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
            let others = panel.subrows(first + width, rest - first - width);
            dense::matmul(below, Accum::Add, others, own.transpose(), -1.0, Par::Seq);
        },
    );
}
