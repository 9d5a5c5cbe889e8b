//! Edge counts and the rates made from them.

use serde::Serialize;

use crate::{Dag, Error};

/// An estimated graph against the true one, edge by edge.
///
/// With `T` edges in the truth, `E` in the estimate and `C` of them correct (same direction):
/// `E = C + reversed + extra` and `T = C + reversed + missing`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Structural Hamming distance: `extra + missing + reversed`.
    pub shd: usize,
    /// Edges of the estimate between variables that are not adjacent in the truth.
    pub extra: usize,
    /// Edges of the truth between variables that are not adjacent in the estimate.
    pub missing: usize,
    /// Edges in both graphs with opposite directions; each counts once, not as extra and missing.
    pub reversed: usize,
    /// Edges of the truth.
    pub true_edges: usize,
    /// Edges of the estimate.
    pub estimated_edges: usize,
    /// False discovery rate: `(extra + reversed) / E`, 0 when the estimate is empty.
    pub fdr: f64,
    /// True positive rate: `C / T`, 0 when the truth is empty.
    pub tpr: f64,
    /// False positive rate: `(extra + reversed) / (d (d - 1) / 2 - T)`, the number of pairs without
    /// a true edge below; it can exceed 1, since reversed edges are not among those pairs. The
    /// denominator is 1 when there is no such pair.
    pub fpr: f64,
    /// Precision: `C / E`, 0 when the estimate is empty.
    pub precision: f64,
    /// Recall: `C / T`, the same as `tpr`.
    pub recall: f64,
    /// Harmonic mean of precision and recall: `2 C / (E + T)`; 1 when both graphs are empty.
    pub f1: f64,
    /// Precision of the adjacencies, whatever their direction: `(C + reversed) / E`.
    pub skeleton_precision: f64,
    /// Recall of the adjacencies: `(C + reversed) / T`.
    pub skeleton_recall: f64,
    /// Harmonic mean of the two: `2 (C + reversed) / (E + T)`; 1 when both graphs are empty.
    pub skeleton_f1: f64,
}

/// Compares an estimate with the truth. Cost O(d^2).
///
/// Counts and rates are those of the evaluation code of NOTEARS and DAG-NoCurl, where a reversed
/// edge is a false discovery but one step of the distance. Weights play no part.
///
/// # Errors
/// When the graphs have different numbers of variables.
///
/// ```
/// use nocurl::{Dag, metrics::compare};
/// let truth = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
/// let estimate = Dag::from_edges(3, &[(1, 0), (0, 2)])?;
/// let comparison = compare(&truth, &estimate)?;
/// assert_eq!((comparison.extra, comparison.missing, comparison.reversed), (1, 1, 1));
/// assert_eq!(comparison.shd, 3);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn compare(truth: &Dag, estimate: &Dag) -> Result<Comparison, Error> {
    same_size(truth.size(), estimate.size())?;
    let d = truth.size();
    let (mut correct, mut extra, mut missing, mut reversed) = (0, 0, 0, 0);
    for j in 0..d {
        for i in 0..j {
            let edge = |dag: &Dag| (dag.has_edge(i, j), dag.has_edge(j, i));
            match (edge(truth), edge(estimate)) {
                ((false, false), (false, false)) => {}
                ((false, false), _) => extra += 1,
                (_, (false, false)) => missing += 1,
                (a, b) if a == b => correct += 1,
                _ => reversed += 1,
            }
        }
    }
    let true_edges = correct + reversed + missing;
    let estimated_edges = correct + reversed + extra;
    let pairs_without_edge = d * d.saturating_sub(1) / 2 - true_edges;
    let f1 = |hits| match true_edges + estimated_edges {
        0 => 1.0,
        edges => ratio(2 * hits, edges),
    };
    Ok(Comparison {
        shd: extra + missing + reversed,
        extra,
        missing,
        reversed,
        true_edges,
        estimated_edges,
        fdr: ratio(extra + reversed, estimated_edges),
        tpr: ratio(correct, true_edges),
        fpr: ratio(extra + reversed, pairs_without_edge),
        precision: ratio(correct, estimated_edges),
        recall: ratio(correct, true_edges),
        f1: f1(correct),
        skeleton_precision: ratio(correct + reversed, estimated_edges),
        skeleton_recall: ratio(correct + reversed, true_edges),
        skeleton_f1: f1(correct + reversed),
    })
}

/// The structural Hamming distance alone: the number of pairs of variables whose edge differs.
///
/// # Errors
/// When the graphs have different numbers of variables.
pub fn shd(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    compare(truth, estimate).map(|comparison| comparison.shd)
}

pub(super) fn same_size(truth: usize, estimate: usize) -> Result<(), Error> {
    if truth == estimate {
        return Ok(());
    }
    Err(Error::Mismatch {
        what: "graphs to compare",
        detail: format!("the truth has {truth} variables, the estimate {estimate}"),
    })
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
