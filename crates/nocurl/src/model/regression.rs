//! Least squares from second moments.

use crate::core::{Mat, MatRef};

/// A column whose remaining variance is a smaller share than this of its own repeats earlier ones.
const REPEATS: f64 = 1e-10;

/// The regression of one column on others, with an intercept where the moments are central.
#[derive(Debug, Clone)]
pub(super) struct Regression {
    /// One per regressor; 0 for a regressor that repeats earlier ones.
    pub(super) coefficients: Vec<f64>,
    /// The residual variance, divided by the number of rows.
    pub(super) residual: f64,
    /// The inverse of the regressors' moments; zeros for regressors that repeat earlier ones.
    pub(super) inverse: Mat<f64>,
}

/// Regresses the last column on all others. `s` holds second moments of all.
///
/// Works on correlations, so the result does not depend on units. Regressors that are constant or
/// linear combinations of earlier ones get the coefficient 0, as in R. Cost O(m^3).
pub(super) fn regress(s: MatRef<'_, f64>) -> Regression {
    let m = s.nrows() - 1;
    let unit: Vec<f64> =
        (0..=m).map(|i| if s[(i, i)] > 0.0 { s[(i, i)].sqrt() } else { 0.0 }).collect();
    let correlation = |i: usize, j: usize| match unit[i] > 0.0 && unit[j] > 0.0 {
        true => s[(i.max(j), i.min(j))] / unit[i] / unit[j],
        false => 0.0,
    };
    let mut a = Mat::from_fn(m + 1, m + 1, correlation);
    let mut used = vec![false; m];
    for k in 0..m {
        let pivot = a[(k, k)];
        if unit[k] == 0.0 || pivot < REPEATS {
            continue;
        }
        used[k] = true;
        sweep(&mut a, k, pivot);
    }
    let scale = |k: usize| if unit[k] > 0.0 { unit[m] / unit[k] } else { 0.0 };
    let coefficients = (0..m).map(|k| if used[k] { a[(k, m)] * scale(k) } else { 0.0 }).collect();
    let inverse = Mat::from_fn(m, m, |i, j| match used[i] && used[j] {
        true => -a[(i, j)] / unit[i] / unit[j],
        false => 0.0,
    });
    let variance = s[(m, m)];
    // A perfect fit leaves rounding errors; the floor keeps densities finite.
    let residual = (a[(m, m)] * variance).max(f64::EPSILON * variance);
    Regression { coefficients, residual, inverse }
}

/// Beaton's sweep operator on one row and column of a symmetric matrix.
fn sweep(a: &mut Mat<f64>, k: usize, pivot: f64) {
    let size = a.nrows();
    let row: Vec<f64> = (0..size).map(|i| a[(i, k)]).collect();
    for j in 0..size {
        if j == k {
            continue;
        }
        let factor = row[j] / pivot;
        for i in 0..size {
            if i != k {
                a[(i, j)] -= row[i] * factor;
            }
        }
    }
    for i in 0..size {
        if i != k {
            a[(i, k)] = row[i] / pivot;
            a[(k, i)] = row[i] / pivot;
        }
    }
    a[(k, k)] = -1.0 / pivot;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regressors_that_repeat_others_count_once() {
        // x, 2 x, a constant, z; y = 3 x - z.
        let rows = [[1.0, 2.0, 5.0, 0.0], [2.0, 4.0, 5.0, 1.0], [4.0, 8.0, 5.0, -1.0]];
        let full: Vec<[f64; 5]> =
            rows.map(|[a, b, c, d]| [a, b, c, d, 3.0 * a - d]).into_iter().collect();
        let mean = |j: usize| full.iter().map(|row| row[j]).sum::<f64>() / 3.0;
        let s = Mat::from_fn(5, 5, |i, j| {
            full.iter().map(|row| (row[i] - mean(i)) * (row[j] - mean(j))).sum::<f64>() / 3.0
        });
        let found = regress(s.as_ref());
        for (value, expected) in found.coefficients.iter().zip([3.0, 0.0, 0.0, -1.0]) {
            assert!((value - expected).abs() < 1e-12, "{:?}", found.coefficients);
        }
        assert!(found.residual < 1e-12 && found.residual > 0.0);
    }
}
