//! The least-squares loss.

use crate::core::{Dag, Mat, MatRef};
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

/// The same for a graph with few edges: O(k^2) for a variable with k parents.
pub(crate) fn least_squares_of(second_moments: MatRef<'_, f64>, dag: &Dag) -> f64 {
    let s = second_moments;
    let of = |j: usize| {
        let parents = dag.weighted_parents(j);
        let explained = |&(i, weight): &(usize, f64)| {
            let others: f64 = parents.iter().map(|&(k, other)| other * s[(i, k)]).sum();
            weight * (2.0 * s[(i, j)] - others)
        };
        s[(j, j)] - parents.iter().map(explained).sum::<f64>()
    };
    (0..dag.size()).map(of).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_the_loss_of_its_matrix() {
        let s = Mat::from_fn(4, 4, |i, j| if i == j { 3.0 } else { 1.0 / (1 + i + j) as f64 });
        let parents = vec![vec![], vec![(0, 0.5)], vec![(0, -1.0), (1, 2.0)], vec![(2, 0.3)]];
        let dag = Dag::from_parents(parents).unwrap();
        let dense = least_squares(s.as_ref(), dag.weights());
        assert!((least_squares_of(s.as_ref(), &dag) - dense).abs() < 1e-12);
    }
}
