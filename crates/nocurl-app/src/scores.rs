//! An estimated graph against the true one, as files have them.

use nocurl::metrics::{Comparison, compare_as, compare_partially_directed};
use nocurl::{Determines, Pdag};
use nocurl_io::{Error, GraphDocument};

/// Scores of an estimate on the same variables, in the same order, as the truth.
///
/// Edges are counted as [`compare_partially_directed`] says, by the directions that the two
/// documents determine. With `determines`, the directions of the estimate are those that a method
/// which determines this much finds in its graph. The structural intervention distance is that of
/// the estimate as it is drawn, and is left out where the truth is partially directed or the
/// estimate has edges that nobody has drawn in a direction.
///
/// # Errors
/// Graphs of different numbers of variables.
pub fn score(
    truth: &GraphDocument,
    estimate: &GraphDocument,
    determines: Option<Determines>,
) -> Result<Comparison, Error> {
    let (true_directions, dag) = (truth.directed()?, estimate.dag()?);
    let determined = match determines {
        None => estimate.directed()?,
        Some(determines) => determines.determined(&dag, &Pdag::class_of(&dag)),
    };
    let determines = determines.unwrap_or(estimate.determines);
    Ok(if true_directions.is_directed() && estimate.is_drawn() {
        compare_as(&truth.dag()?, &dag, &determined, determines)?
    } else {
        compare_partially_directed(&true_directions, &determined, determines)?
    })
}
