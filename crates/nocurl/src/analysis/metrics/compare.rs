//! Edge counts and the rates made from them.

use super::sid;
use crate::core::{Dag, Determines, Error, Pdag};

/// An estimated graph against the true one, edge by edge.
///
/// With `T` edges in the truth, `E` in the estimate and `C` of them correct (no contradicting direction):
/// `E = C + reversed + extra` and `T = C + reversed + missing`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Comparison {
    /// Structural Hamming distance: `extra + missing + reversed`.
    pub shd: usize,
    /// Edges of the estimate between variables that are not adjacent in the truth.
    pub extra: usize,
    /// Edges of the truth between variables that are not adjacent in the estimate.
    pub missing: usize,
    /// Edges in both graphs with contradicting directions; each counts once, not as extra and missing.
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
    /// Structural intervention distance, see [`sid`]; none between partially directed graphs.
    pub sid: Option<usize>,
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
    compare_as(truth, estimate, &Pdag::of_dag(estimate), Determines::Graph)
}

/// [`compare`] for an estimate of which `determined` says which directions are determined; edges
/// are counted as [`compare_partially_directed`] says.
///
/// The distance of the classes and [`sid`] are those of the estimate as it is drawn.
///
/// # Errors
/// When the graphs have different numbers of variables.
///
/// ```
/// use nocurl::{Dag, Determines, Pdag, metrics::compare_as};
/// let truth = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
/// let estimate = Dag::from_edges(3, &[(1, 0), (1, 2)])?;
/// let class = Pdag::class_of(&estimate);
/// let reversed = |determines: Determines| {
///     let determined = determines.determined(&estimate, &class);
///     compare_as(&truth, &estimate, &determined, determines).map(|scores| scores.reversed)
/// };
/// assert_eq!(reversed(Determines::Graph)?, 1);
/// assert_eq!(reversed(Determines::Class)?, 0);
/// assert_eq!(reversed(Determines::Skeleton)?, 2);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn compare_as(
    truth: &Dag,
    estimate: &Dag,
    determined: &Pdag,
    determines: Determines,
) -> Result<Comparison, Error> {
    same_size(truth.size(), estimate.size())?;
    same_size(truth.size(), determined.size())?;
    let pairs = Pairs::count(&Pdag::of_dag(truth), determined, determines);
    let classes = cpdag_shd(&Pdag::class_of(truth), &Pdag::class_of(estimate))?;
    Ok(pairs.scores(truth.size(), classes, Some(sid(truth, estimate)?)))
}

/// Compares two partially directed graphs, such as completed graphs of equivalence classes.
///
/// An edge is correct when the two variables are adjacent in both graphs and no determined
/// direction of one contradicts one of the other: an undirected edge, of the truth or of the
/// estimate, agrees with either direction. An estimate that determines a skeleton has found no
/// direction: its edges count as reversed wherever the truth has a directed edge, as in the
/// paper's tables.
///
/// `cpdag_shd` is the distance of the graphs as they are given, or of the class of one whose edges
/// are all directed. [`sid`] needs two acyclic graphs and is left out.
///
/// # Errors
/// When the graphs have different numbers of variables, or directed edges have a cycle in a graph
/// without undirected ones.
///
/// ```
/// use nocurl::{Determines, Pdag, metrics::compare_partially_directed};
/// let truth = Pdag::new(3, &[(0, 1)], &[(1, 2)])?;
/// let estimate = Pdag::new(3, &[(2, 1)], &[(0, 1)])?;
/// let scores = compare_partially_directed(&truth, &estimate, Determines::Class)?;
/// assert_eq!((scores.shd, scores.cpdag_shd, scores.sid), (0, 2, None));
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn compare_partially_directed(
    truth: &Pdag,
    estimate: &Pdag,
    determines: Determines,
) -> Result<Comparison, Error> {
    same_size(truth.size(), estimate.size())?;
    let class = |graph: &Pdag| match graph.is_directed() {
        true => graph.to_dag().map(|dag| Pdag::class_of(&dag)),
        false => Ok(graph.clone()),
    };
    let classes = cpdag_shd(&class(truth)?, &class(estimate)?)?;
    Ok(Pairs::count(truth, estimate, determines).scores(truth.size(), classes, None))
}

/// The structural Hamming distance alone: the number of pairs of variables whose edge differs.
///
/// # Errors
/// When the graphs have different numbers of variables.
pub fn shd(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    same_size(truth.size(), estimate.size())?;
    let pairs = Pairs::count(&Pdag::of_dag(truth), &Pdag::of_dag(estimate), Determines::Graph);
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
/// use nocurl::{Dag, Pdag, metrics::cpdag_shd};
/// let chain = Pdag::class_of(&Dag::from_edges(3, &[(0, 1), (1, 2)])?);
/// let turned = Pdag::class_of(&Dag::from_edges(3, &[(1, 0), (1, 2)])?);
/// let collider = Pdag::class_of(&Dag::from_edges(3, &[(0, 1), (2, 1)])?);
/// assert_eq!(cpdag_shd(&chain, &turned)?, 0);
/// assert_eq!(cpdag_shd(&chain, &collider)?, 2);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn cpdag_shd(truth: &Pdag, estimate: &Pdag) -> Result<usize, Error> {
    same_size(truth.size(), estimate.size())?;
    let edge = |graph: &Pdag, i, j| {
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
    fn count(truth: &Pdag, estimate: &Pdag, determines: Determines) -> Self {
        let mut pairs = Self::default();
        for j in 0..truth.size() {
            for i in 0..j {
                let directed = |graph: &Pdag| (graph.has_directed(i, j), graph.has_directed(j, i));
                match (truth.is_adjacent(i, j), estimate.is_adjacent(i, j)) {
                    (false, false) => {}
                    (false, true) => pairs.extra += 1,
                    (true, false) => pairs.missing += 1,
                    (true, true) => match (directed(truth), directed(estimate)) {
                        ((true, _), (_, true)) | ((_, true), (true, _)) => pairs.reversed += 1,
                        ((true, _) | (_, true), (false, false))
                            if determines == Determines::Skeleton =>
                        {
                            pairs.reversed += 1;
                        }
                        _ => pairs.correct += 1,
                    },
                }
            }
        }
        pairs
    }

    /// These counts, the rates made from them for `d` variables, and the other distances.
    fn scores(self, d: usize, cpdag_shd: usize, sid: Option<usize>) -> Comparison {
        let Self { correct, extra, missing, reversed } = self;
        let true_edges = correct + reversed + missing;
        let estimated_edges = correct + reversed + extra;
        let pairs_without_edge = d * d.saturating_sub(1) / 2 - true_edges;
        let f1 = |hits| match true_edges + estimated_edges {
            0 => 1.0,
            edges => ratio(2 * hits, edges),
        };
        Comparison {
            shd: extra + missing + reversed,
            cpdag_shd,
            sid,
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
        }
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
