//! Regression of one variable on a few others, also when these are collinear.

use crate::core::{Mat, MatRef};
use crate::math::linalg::pivot_floor;

/// Coefficients of `target` on `parents`, and the residual variance.
///
/// A parent that is, up to rounding, a linear combination of those before it gets coefficient
/// zero. Cost O(p^3) for p parents.
pub(super) fn regress(s: MatRef<'_, f64>, target: usize, parents: &[usize]) -> (Vec<f64>, f64) {
    let p = parents.len();
    let floor = pivot_floor(s.nrows());
    // Lower triangular factor of the parents, with the target as an extra last row.
    let mut factor = Mat::<f64>::zeros(p + 1, p);
    let mut residual = s[(target, target)];
    for k in 0..p {
        let column = parents[k];
        let left = |row: usize, i: usize, factor: &Mat<f64>| {
            s[(i, column)] - (0..k).map(|m| factor[(row, m)] * factor[(k, m)]).sum::<f64>()
        };
        let pivot = left(k, column, &factor);
        if pivot <= floor * s[(column, column)] {
            continue;
        }
        factor[(k, k)] = pivot.sqrt();
        for row in k + 1..=p {
            let i = if row < p { parents[row] } else { target };
            factor[(row, k)] = left(row, i, &factor) / factor[(k, k)];
        }
        residual -= factor[(p, k)] * factor[(p, k)];
    }
    let mut coefficients = vec![0.0; p];
    for k in (0..p).rev() {
        if factor[(k, k)] > 0.0 {
            let explained: f64 = (k + 1..p).map(|m| factor[(m, k)] * coefficients[m]).sum();
            coefficients[k] = (factor[(p, k)] - explained) / factor[(k, k)];
        }
    }
    (coefficients, residual.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_parent_gets_no_weight() {
        // x1, x2 = x1 and x3 = 2 x1 + error of variance 0.5.
        let s = [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [2.0, 2.0, 4.5]];
        let s = Mat::from_fn(3, 3, |i, j| s[i][j]);
        assert_eq!(regress(s.as_ref(), 2, &[0, 1]), (vec![2.0, 0.0], 0.5));
        assert_eq!(regress(s.as_ref(), 2, &[]), (vec![], 4.5));
    }

    #[test]
    fn coefficients_solve_the_normal_equations() {
        let s = [[2.0, 0.5, 0.3], [0.5, 1.0, -0.4], [0.3, -0.4, 3.0]];
        let s = Mat::from_fn(3, 3, |i, j| s[i][j]);
        let (b, residual) = regress(s.as_ref(), 0, &[2, 1]);
        assert!((3.0 * b[0] - 0.4 * b[1] - 0.3).abs() < 1e-15);
        assert!((-0.4 * b[0] + b[1] - 0.5).abs() < 1e-15);
        assert!((residual - (2.0 - 0.3 * b[0] - 0.5 * b[1])).abs() < 1e-15);
    }
}
