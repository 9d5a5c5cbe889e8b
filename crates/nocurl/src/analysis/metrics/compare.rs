//! Edge counts and the rates made from them.

use serde::Serialize;

use super::sid;
use crate::core::{Claim, Cpdag, Dag, Error};

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
    /// Distance of the Markov equivalence classes, see [`cpdag_shd`].
    pub cpdag_shd: usize,
    /// Structural intervention distance, see [`sid`].
    pub sid: usize,
}

/// Compares an estimate with the truth in every way of this module that needs no data. The cost is
/// that of [`sid`]; [`shd`] alone is O(d^2).
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
    compare_as(truth, estimate, Claim::Dag)
}

/// [`compare`] for an estimate that does not mean all its directions, as the paper's tables count:
///
/// - of a [`Claim::Class`], an edge that the CPDAG leaves open is correct wherever the truth has an
///   edge, whatever its direction;
/// - of a [`Claim::Skeleton`], an edge where the truth has one counts as reversed: its direction
///   was not found.
///
/// The distance of the classes and [`sid`] are those of the estimate as it stands.
///
/// # Errors
/// When the graphs have different numbers of variables.
///
/// ```
/// use nocurl::{Claim, Dag, metrics::compare_as};
/// let truth = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
/// let estimate = Dag::from_edges(3, &[(1, 0), (1, 2)])?;
/// let reversed = |claim| compare_as(&truth, &estimate, claim).map(|scores| scores.reversed);
/// assert_eq!(reversed(Claim::Dag)?, 1);
/// assert_eq!(reversed(Claim::Class)?, 0);
/// assert_eq!(reversed(Claim::Skeleton)?, 2);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn compare_as(truth: &Dag, estimate: &Dag, claim: Claim) -> Result<Comparison, Error> {
    same_size(truth.size(), estimate.size())?;
    let class = Cpdag::from_dag(estimate);
    let means_direction = |i, j| match claim {
        Claim::Dag => true,
        Claim::Class => class.has_directed(i, j) || class.has_directed(j, i),
        Claim::Skeleton => false,
    };
    let Pairs { mut correct, extra, missing, mut reversed } = Pairs::count(truth, estimate);
    for (i, j, _) in estimate.edges().filter(|&(i, j, _)| !means_direction(i, j)) {
        if claim == Claim::Class && truth.has_edge(j, i) {
            (correct, reversed) = (correct + 1, reversed - 1);
        } else if claim == Claim::Skeleton && truth.has_edge(i, j) {
            (correct, reversed) = (correct - 1, reversed + 1);
        }
    }
    let d = truth.size();
    let true_edges = correct + reversed + missing;
    let estimated_edges = correct + reversed + extra;
    let pairs_without_edge = d * d.saturating_sub(1) / 2 - true_edges;
    let f1 = |hits| match true_edges + estimated_edges {
        0 => 1.0,
        edges => ratio(2 * hits, edges),
    };
    Ok(Comparison {
        shd: extra + missing + reversed,
        cpdag_shd: cpdag_shd(&Cpdag::from_dag(truth), &class)?,
        sid: sid(truth, estimate)?,
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
    same_size(truth.size(), estimate.size())?;
    let pairs = Pairs::count(truth, estimate);
    Ok(pairs.extra + pairs.missing + pairs.reversed)
}

/// The structural Hamming distance of two completed graphs: one for each pair of variables whose
/// edge differs, be it there or not, directed or undirected, or directed the other way. Cost
/// O(d^2).
///
/// # Errors
/// When the graphs have different numbers of variables.
///
/// ```
/// use nocurl::{Cpdag, Dag, metrics::cpdag_shd};
/// let chain = Cpdag::from_dag(&Dag::from_edges(3, &[(0, 1), (1, 2)])?);
/// let turned = Cpdag::from_dag(&Dag::from_edges(3, &[(1, 0), (1, 2)])?);
/// let collider = Cpdag::from_dag(&Dag::from_edges(3, &[(0, 1), (2, 1)])?);
/// assert_eq!(cpdag_shd(&chain, &turned)?, 0);
/// assert_eq!(cpdag_shd(&chain, &collider)?, 2);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn cpdag_shd(truth: &Cpdag, estimate: &Cpdag) -> Result<usize, Error> {
    same_size(truth.size(), estimate.size())?;
    let edge = |graph: &Cpdag, i, j| {
        (graph.has_directed(i, j), graph.has_directed(j, i), graph.has_undirected(i, j))
    };
    let differs = |(i, j): &(usize, usize)| edge(truth, *i, *j) != edge(estimate, *i, *j);
    Ok((0..truth.size()).flat_map(|i| (0..i).map(move |j| (i, j))).filter(differs).count())
}

/// Pairs of variables by what the two graphs say of them.
#[derive(Default)]
struct Pairs {
    correct: usize,
    extra: usize,
    missing: usize,
    reversed: usize,
}

impl Pairs {
    fn count(truth: &Dag, estimate: &Dag) -> Self {
        let mut pairs = Self::default();
        for j in 0..truth.size() {
            for i in 0..j {
                let edge = |dag: &Dag| (dag.has_edge(i, j), dag.has_edge(j, i));
                match (edge(truth), edge(estimate)) {
                    ((false, false), (false, false)) => {}
                    ((false, false), _) => pairs.extra += 1,
                    (_, (false, false)) => pairs.missing += 1,
                    (a, b) if a == b => pairs.correct += 1,
                    _ => pairs.reversed += 1,
                }
            }
        }
        pairs
    }
}

pub(super) fn same_size(truth: usize, estimate: usize) -> Result<(), Error> {
    if truth == estimate {
        return Ok(());
    }
    Err(Error::DifferentSizes { truth, estimate })
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
