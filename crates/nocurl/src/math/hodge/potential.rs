//! The projection of DAG-NoCurl: from a graph, maybe cyclic, to an acyclic one.

use crate::core::graph::Reachability;
use crate::core::{Mat, MatRef, Order};

/// The potential of Eq. (solvep): the gradient part, on the complete graph, of the skew part of the
/// connectivity matrix C.
///
/// With `b_i = (sum_j C_ij - sum_j C_ji) / 2` it is `p_i = -(b_i - b_d) / d`. Whenever a path leads
/// from `i` to `j` and none back, `p_j > p_i`; variables of one strongly connected component have
/// exactly equal potentials, because all sums are sums of integers. Cost O(d^2).
///
/// ```
/// use nocurl::{Mat, graph::Reachability, hodge::potential};
/// let mut chain = Mat::zeros(4, 4);
/// chain[(0, 1)] = -1.0;
/// chain[(1, 2)] = 2.0;
/// chain[(2, 3)] = 5.0;
/// assert_eq!(potential(&Reachability::new(chain.as_ref())), [-0.75, -0.5, -0.25, 0.0]);
/// ```
pub fn potential(reach: &Reachability) -> Vec<f64> {
    let d = reach.size();
    let mut net: Vec<i64> = (0..d).map(|i| reach.reached_count(i) as i64).collect();
    for i in 0..d {
        for (j, balance) in net.iter_mut().enumerate() {
            *balance -= i64::from(reach.reaches(i, j));
        }
    }
    let last = net.last().copied().unwrap_or(0);
    net.iter().map(|b| (last - b) as f64 / (2 * d) as f64).collect()
}

/// The potential of an order in which every variable reaches all at later places.
///
/// The same formula as [`potential`], for methods that give an order outright. Cost O(d).
pub fn potential_of_order(order: &Order) -> Vec<f64> {
    let d = order.size();
    let mut net = vec![0; d];
    let mut before = 0;
    for place in order.places() {
        let after = d - before - place.len();
        for &i in place {
            net[i] = after as i64 - before as i64;
        }
        before += place.len();
    }
    let last = net.last().copied().unwrap_or(0);
    net.iter().map(|b| (last - b) as f64 / (2 * d) as f64).collect()
}

/// The skew-symmetric weights W of Eq. (defW): `A(i, j) / (p(j) - p(i))` on each pair with an edge,
/// zero where `p(i) = p(j)`.
///
/// An edge against the potential is turned round, as the equation has it; a potential that comes
/// from the same graph has none. Where both `A(i, j)` and `A(j, i)` are not zero but the potentials
/// differ the equation is silent: the entry along the potential is kept, the other dropped.
/// Cost O(d^2).
pub fn weights_on_potential(a: MatRef<'_, f64>, potential: &[f64]) -> Mat<f64> {
    check_size(a, potential);
    let d = potential.len();
    let mut weights = Mat::zeros(d, d);
    for i in 0..d {
        for j in 0..d {
            let rise = potential[j] - potential[i];
            let kept = if a[(i, j)] != 0.0 { a[(i, j)] } else { a[(j, i)] };
            if rise > 0.0 && kept != 0.0 {
                weights[(i, j)] = kept / rise;
                weights[(j, i)] = -weights[(i, j)];
            }
        }
    }
    weights
}

/// The graph `W∘ReLU(grad p)`: entry `(i, j)` is `W(i, j) (p(j) - p(i))` where `p(j) > p(i)`, else
/// zero. Acyclic whatever W and p are. Cost O(d^2).
///
/// ```
/// use nocurl::{Mat, hodge::{graph_of, weights_on_potential}};
/// let mut a = Mat::zeros(2, 2);
/// a[(1, 0)] = 3.0;
/// let p = [0.0, -0.5];
/// let w = weights_on_potential(a.as_ref(), &p);
/// assert_eq!((w[(1, 0)], w[(0, 1)]), (6.0, -6.0));
/// assert_eq!(graph_of(w.as_ref(), &p), a);
/// ```
pub fn graph_of(weights: MatRef<'_, f64>, potential: &[f64]) -> Mat<f64> {
    check_size(weights, potential);
    let d = potential.len();
    Mat::from_fn(d, d, |i, j| {
        let rise = potential[j] - potential[i];
        if rise > 0.0 { weights[(i, j)] * rise } else { 0.0 }
    })
}

fn check_size(matrix: MatRef<'_, f64>, potential: &[f64]) {
    let d = potential.len();
    assert_eq!((matrix.nrows(), matrix.ncols()), (d, d), "one row and column per potential");
}
