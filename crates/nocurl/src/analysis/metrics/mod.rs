//! How far an estimate is from the truth.

mod compare;
mod intervention;

pub use compare::{Comparison, compare, compare_as, compare_partially_directed, cpdag_shd, shd};
pub use intervention::sid;

use crate::core::MatRef;
use crate::math::objective::least_squares;

/// `F(A) - F(A0)`: how much better (negative) or worse the estimated weights fit the data than the
/// true ones do, with [`least_squares`] of the second moments the estimate was made from.
///
/// The paper takes the weights of the estimate before the final threshold.
pub fn delta_f(
    second_moments: MatRef<'_, f64>,
    weights: MatRef<'_, f64>,
    true_weights: MatRef<'_, f64>,
) -> f64 {
    least_squares(second_moments, weights) - least_squares(second_moments, true_weights)
}
