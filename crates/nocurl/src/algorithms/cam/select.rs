//! Which variables may be parents: preliminary neighbourhood selection by boosting.

use rayon::prelude::*;

use super::design::Design;
use crate::observe::Counter;
use crate::{Error, Observer};

/// Boosting steps.
const STEPS: usize = 100;

/// The share of a fitted term that a step takes in.
const SHRINKAGE: f64 = 0.1;

/// Effective degrees of freedom of a term, with the constant 4.
const FREEDOM: f64 = 3.0;

/// A variable must be chosen this often to be a neighbour: in 2 of 100 steps.
const OFTEN: usize = 2;

/// For every variable, the at most `most` variables that boosting chooses most often when it fits
/// that variable by smooth functions of all others; in increasing order.
pub(super) fn neighbours(
    design: &Design,
    most: usize,
    observer: &dyn Observer,
) -> Result<Vec<Vec<usize>>, Error> {
    let d = design.variables();
    let shrunken: Vec<f64> = (0..d).flat_map(|i| shrink(design.penalty(i))).collect();
    let progress = Counter::new("selecting neighbours", d, observer);
    (0..d)
        .into_par_iter()
        .map(|target| {
            let counts = boost(design, &shrunken, target);
            let mut chosen: Vec<usize> = (0..d).filter(|&i| counts[i] >= OFTEN).collect();
            chosen.sort_by_key(|&i| std::cmp::Reverse(counts[i]));
            chosen.truncate(most);
            chosen.sort_unstable();
            progress.add(1).map(|()| chosen)
        })
        .collect()
}

/// How often each variable is chosen: at every step the one whose term takes most off the
/// residual sum of squares, by componentwise boosting (Bühlmann and Yu, 2003).
fn boost(design: &Design, shrunken: &[f64], target: usize) -> Vec<usize> {
    let d = design.variables();
    let mut residual = design.column(design.of(target).start).to_vec();
    let mut counts = vec![0; d];
    for _ in 0..STEPS {
        let gain = |i: usize| -> f64 {
            design
                .of(i)
                .map(|k| residual[k] * residual[k] * shrunken[k] * (2.0 - shrunken[k]))
                .sum()
        };
        let best = (0..d)
            .filter(|&i| i != target)
            .map(|i| (gain(i), i))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, best)) = best else { break };
        counts[best] += 1;
        let step: Vec<f64> =
            design.of(best).map(|k| SHRINKAGE * shrunken[k] * residual[k]).collect();
        for (k, step) in design.of(best).zip(step) {
            for (value, moment) in residual.iter_mut().zip(design.column(k)) {
                *value -= step * moment;
            }
        }
    }
    counts
}

/// The factors `1 / (1 + lambda penalty)` with the sum [`FREEDOM`], or all 1 where that is more
/// than there are functions.
fn shrink(penalty: &[f64]) -> Vec<f64> {
    let factors = |lambda: f64| penalty.iter().map(move |p| 1.0 / (1.0 + lambda * p));
    if penalty.len() as f64 <= FREEDOM {
        return vec![1.0; penalty.len()];
    }
    // The sum falls with lambda: bisection on its logarithm.
    let (mut low, mut high) = (-30.0f64, 30.0f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if factors(middle.exp()).sum::<f64>() > FREEDOM { low = middle } else { high = middle }
    }
    factors((0.5 * (low + high)).exp()).collect()
}
