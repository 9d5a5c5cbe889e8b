//! From a matrix with faint cycles to one without.

use super::threshold;
use crate::core::Mat;
use crate::core::graph::Reachability;

/// Drops the smallest entries, no more than needed, until no cycle is left: a constraint met to
/// 1e-8 still leaves faint entries both ways.
pub(crate) fn cut_cycles(weights: &mut Mat<f64>) {
    let d = weights.nrows();
    let mut sizes: Vec<f64> = (0..d)
        .flat_map(|j| (0..d).map(move |i| (i, j)))
        .map(|at| weights[at].abs())
        .filter(|&size| size > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    // The graph with all entries >= sizes[k] is acyclic for every k from some point on.
    let acyclic_from = |bound: f64| {
        let mut kept = weights.clone();
        threshold(&mut kept, bound);
        !Reachability::new(kept.as_ref()).is_cyclic()
    };
    let (mut low, mut high) = (0, sizes.len());
    while low < high {
        let middle = (low + high) / 2;
        if acyclic_from(sizes[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    threshold(weights, sizes.get(low).copied().unwrap_or(f64::INFINITY));
}
