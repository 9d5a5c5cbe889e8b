//! Eigenvalues and eigenvectors.

use faer::{Mat, MatRef, Side};

/// Eigenvalues in increasing order, and eigenvectors, of a symmetric matrix (its lower triangle is
/// read); `None` when the iteration fails. Cost O(d^3).
pub(crate) fn eigen(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    if a.nrows() == 0 {
        return Some((Vec::new(), Mat::zeros(0, 0)));
    }
    let decomposition = a.self_adjoint_eigen(Side::Lower).ok()?;
    let values = decomposition.S().column_vector().iter().copied().collect();
    Some((values, decomposition.U().to_owned()))
}
