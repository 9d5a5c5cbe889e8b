//! Search over orders: single variables move to their best place while the score falls.

mod bic;
mod equal_variance;
mod networks;

use serde::{Deserialize, Serialize};

use crate::core::advice::Action;
use crate::core::{Dataset, Error, Observer, Order};
use crate::math::Problem;

/// The score an order search lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refine {
    /// The sum of residual variances, right when error variances are equal; depends on units.
    EqualVariance,
    /// The Bayesian information criterion with the best parents found before each variable; does
    /// not depend on units.
    Bic,
    /// The same criterion with a network of sigmoids for each variable, for effects of any shape;
    /// needs the rows, and does not depend on units.
    Networks,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Refined {
    /// The order, without ties.
    pub order: Order,
    /// The parents of each variable, where the search chose them too.
    pub parents: Option<Vec<Vec<usize>>>,
    /// The score of the starting order.
    pub score_before: f64,
    /// The score of the order found.
    pub score_after: f64,
    /// Moves that lowered the score.
    pub moves: u64,
}

/// Searches for an order with a lower score, from `start`, among those that prior knowledge allows.
/// `rows` and `seed` are for [`Refine::Networks`], which fits a network of up to 32 sigmoids for
/// every variable and every set of candidates it looks at: some `d + 2 edges` of them, a tenth of a
/// second to seconds each.
///
/// # Errors
/// Singular second moments, cancellation, or no rows where [`Refine::Networks`] needs them.
pub fn refine(
    problem: &Problem,
    rows: Option<&Dataset>,
    start: &Order,
    score: Refine,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Refined, Error> {
    let repaired = problem.knowledge().map(|knowledge| knowledge.repair(start));
    let start = repaired.as_ref().unwrap_or(start);
    match score {
        Refine::EqualVariance => equal_variance::search(problem, start, observer),
        Refine::Bic => bic::search(problem, start, observer),
        Refine::Networks => {
            let rows = rows.ok_or(Error::NeedsRows { what: Action::set("refine", "networks") })?;
            networks::search(problem, rows, start, seed, observer)
        }
    }
}
