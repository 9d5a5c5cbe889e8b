//! How close columns are to being linear combinations of each other.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

use super::cholesky::{Cholesky, pivot_floor};
use super::pivoted::largest_pivot_first;

/// A set of columns of which one is, up to rounding, a linear combination of the others; `None`
/// when a covariance or second moment matrix (its lower triangle is read) has no such set.
///
/// A well-conditioned basis is chosen among the columns; of all other columns, the one is reported
/// that needs the fewest columns of the basis, together with these: `x3 = x1 + x2` is reported as
/// these three whatever else there is. Indices increase. Cost O(d^3).
///
/// ```
/// use nocurl::{Mat, internals::linalg};
/// let twice = [[1.0, 0.2, 2.0], [0.2, 1.0, 0.4], [2.0, 0.4, 4.0]];
/// let twice = Mat::from_fn(3, 3, |i, j| twice[i][j]);
/// assert_eq!(linalg::collinear_set(twice.as_ref()), Some(vec![0, 2]));
/// ```
pub fn collinear_set(s: MatRef<'_, f64>) -> Option<Vec<usize>> {
    let correlation = correlation(s);
    let pivoted = largest_pivot_first(correlation.as_ref());
    if pivoted.dependent.is_empty() {
        return None;
    }
    let rank = s.nrows() - pivoted.dependent.len();
    let basis = &pivoted.order[..rank];
    let inverse = Cholesky::from_lower(pivoted.factor.submatrix(0, 0, rank, rank)).inverse_lower();
    let conditional_variance: Vec<f64> =
        (0..rank).map(|k| inverse.col(k).squared_norm_l2().recip()).collect();
    // Standardised coefficients of the dependent columns, one row each, on the basis.
    let coefficients = pivoted.factor.submatrix(rank, 0, pivoted.dependent.len(), rank) * inverse;
    let needed = |row: usize| {
        let mut set: Vec<usize> = (0..rank)
            .filter(|&k| {
                // By how much the residual variance would grow without this column.
                let coefficient = coefficients[(row, k)];
                coefficient * coefficient * conditional_variance[k] > pivot_floor(s.nrows())
            })
            .map(|k| basis[k])
            .collect();
        set.push(pivoted.order[rank + row]);
        set.sort_unstable();
        set
    };
    (0..pivoted.dependent.len()).map(needed).min_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b)))
}

/// The ratio of the largest to the smallest eigenvalue of the correlation matrix that belongs to a
/// covariance or second moment matrix: how close the columns are to being collinear, in units that
/// do not depend on their scales. Infinite when they are collinear up to rounding. Cost O(d^3).
///
/// ```
/// use nocurl::{Mat, internals::linalg};
/// let s = Mat::from_fn(2, 2, |i, j| [[4.0, 1.0], [1.0, 1.0]][i][j]);
/// assert!((linalg::condition_number(s.as_ref()) - 3.0).abs() < 1e-14);
/// ```
pub fn condition_number(s: MatRef<'_, f64>) -> f64 {
    match extreme_eigenvalues(s) {
        Some((smallest, largest)) if smallest > largest * f64::EPSILON => largest / smallest,
        _ => f64::INFINITY,
    }
}

/// The smallest and the largest eigenvalue of the correlation matrix that belongs to a covariance
/// or second moment matrix (its lower triangle is read); `None` when they cannot be computed. A
/// smallest eigenvalue near 0, maybe just below it by rounding, means collinear columns.
/// Cost O(d^3).
pub fn extreme_eigenvalues(s: MatRef<'_, f64>) -> Option<(f64, f64)> {
    let correlation = correlation(s);
    if !correlation.is_all_finite() {
        return None;
    }
    let d = s.nrows();
    let mut values = Diag::<f64>::zeros(d);
    // Sequential, so that the last bits do not depend on the number of threads.
    let space =
        self_adjoint_evd_scratch::<f64>(d, ComputeEigenvectors::No, Par::Seq, Default::default());
    self_adjoint_evd(
        correlation.as_ref(),
        values.as_mut(),
        None,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(space)),
        Default::default(),
    )
    .ok()?;
    let values = values.column_vector();
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    Some((smallest, values.iter().copied().fold(0.0, f64::max)))
}

/// The matrix with every variable scaled to a unit diagonal; the lower triangle of `s` is read.
fn correlation(s: MatRef<'_, f64>) -> Mat<f64> {
    let scale: Vec<f64> = (0..s.nrows()).map(|i| s[(i, i)].sqrt()).collect();
    Mat::from_fn(s.nrows(), s.ncols(), |i, j| {
        if i == j { 1.0 } else { s[(i.max(j), i.min(j))] / scale[i] / scale[j] }
    })
}
