//! The least-squares loss.

use crate::core::{Mat, MatRef};
use crate::math::linalg;

/// `F(A) = 1/2 tr((I - A)' S (I - A))`, that is `||X - XA||^2 / 2n` for `S = X'X / n`.
///
/// Cost: one d x d product.
///
/// ```
/// use nocurl::{Mat, internals::objective::least_squares};
/// let s = Mat::<f64>::identity(3, 3);
/// assert_eq!(least_squares(s.as_ref(), Mat::zeros(3, 3).as_ref()), 1.5);
/// ```
pub fn least_squares(second_moments: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> f64 {
    let d = weights.nrows();
    let residual = Mat::from_fn(d, d, |i, j| f64::from(u8::from(i == j)) - weights[(i, j)]);
    let mut product = Mat::zeros(d, d);
    linalg::matmul(product.as_mut(), second_moments, residual.as_ref());
    let mut sum = 0.0;
    for j in 0..d {
        for i in 0..d {
            sum += residual[(i, j)] * product[(i, j)];
        }
    }
    sum / 2.0
}
