//! How well a single number per variable sorts the graph.

use crate::core::parallel::*;

use super::Verdict;
use super::case::{Case, percent};
use crate::core::graph::bits::{BitMatrix, include, insert, members};
use crate::core::{Dag, Determines, Text};

/// Share from which sorting alone would give nearly the same order.
const SORTED: f64 = 0.9;

/// Relative difference below which two numbers are equal: columns scaled to variance 1 have
/// variances that differ by rounding alone.
const TIE: f64 = 1e-9;

/// Numbers of `varsortability` and `r2-sortability`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sortability {
    /// Share of directed paths along which the number rises; 0.5 is chance. None without edges.
    pub value: Option<f64>,
}

/// The share of directed paths along which `scores` rise from the first variable to the last, ties
/// counting one half; `None` for a graph without edges.
///
/// Two variables count once for every length of a path between them, as in the published
/// definition: with `E^k` the pairs joined by a path of k edges, it is the share of rising pairs in
/// `E^1, ..., E^(d-1)` together. With variances this is varsortability (Reisach, Seiler and
/// Weichwald, *Beware of the simulated DAG!*, NeurIPS 2021, Section 3.1), with R2 on all other
/// variables R2-sortability (Reisach, Tami, Seiler, Chambaz and Weichwald, NeurIPS 2023, Eq. 3).
/// 1 means that sorting by the score gives the order away, 0.5 that it says nothing.
///
/// Cost: O(l d m / 64) for m edges and a longest path of l, on sets of bits.
///
/// ```
/// use nocurl::Dag;
/// use nocurl::checks::sortability;
/// let chain = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
/// assert_eq!(sortability(&chain, &[1.0, 2.0, 3.0]), Some(1.0));
/// assert_eq!(sortability(&chain, &[2.0, 1.0, 2.0]), Some(0.5));
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Panics
/// When there is not one score for every variable.
pub fn sortability(dag: &Dag, scores: &[f64]) -> Option<f64> {
    let d = dag.size();
    assert_eq!(scores.len(), d, "one score per variable");
    let mut children = BitMatrix::new(d);
    dag.edges().for_each(|(i, j, _)| children.insert(i, j));
    let (mut above, mut level) = (BitMatrix::new(d), BitMatrix::new(d));
    for i in 0..d {
        for j in 0..d {
            let difference = scores[j] - scores[i];
            if difference.abs() <= TIE * scores[i].abs().max(scores[j].abs()) {
                insert(level.row_mut(i), j);
            } else if difference > 0.0 {
                insert(above.row_mut(i), j);
            }
        }
    }
    // Row i of `reached` holds the ends of paths of the current length from i.
    let mut reached = children.clone();
    let (mut twice_rising, mut paths) = (0_u64, 0_u64);
    loop {
        let shared = |a: &[u64], b: &[u64]| -> u64 {
            a.iter().zip(b).map(|(a, b)| u64::from((a & b).count_ones())).sum()
        };
        let mut found = 0;
        for i in 0..d {
            let ends = reached.row(i);
            found += shared(ends, ends);
            twice_rising += 2 * shared(ends, above.row(i)) + shared(ends, level.row(i));
        }
        if found == 0 {
            break;
        }
        paths += found;
        let longer: Vec<Vec<u64>> = (0..d)
            .into_par_iter()
            .map(|i| {
                let mut ends = vec![0; reached.row(i).len()];
                members(children.row(i)).for_each(|child| include(&mut ends, reached.row(child)));
                ends
            })
            .collect();
        for (i, ends) in longer.iter().enumerate() {
            reached.row_mut(i).copy_from_slice(ends);
        }
    }
    (paths > 0).then(|| twice_rising as f64 / (2 * paths) as f64)
}

/// What a sortability means. `rising` says what rises along the paths; `advice` is for an order that
/// sorting alone would nearly give.
pub(super) fn judge(
    case: &Case<'_>,
    value: Option<f64>,
    rising: &str,
    advice: Text,
) -> (Verdict, Text) {
    let Some(value) = value else {
        let reason = if case.fit.dag.edge_count() == 0 {
            "The graph has no edges, so there is no order to compare with."
        } else {
            "The columns are collinear, so shares of explained variance cannot be computed."
        };
        return (Verdict::Ok, format!("{reason} Nothing needs to be done.").into());
    };
    let share = percent(value);
    if case.options.determines() != Determines::Graph {
        let sentence = format!(
            "Along {share} of the paths {rising} rises. This says little, because the method does \
             not determine all directions. Nothing needs to be done."
        );
        (Verdict::Ok, sentence.into())
    } else if value >= SORTED {
        let sentence = format!(
            "Along {share} of the paths {rising} rises, so sorting by it gives nearly the same \
             order. "
        );
        (Verdict::Note, Text::new(sentence).append(advice))
    } else {
        let sentence = format!(
            "Along {share} of the paths {rising} rises (50% is chance), so the order does not just \
             follow it. Nothing needs to be done."
        );
        (Verdict::Ok, sentence.into())
    }
}
