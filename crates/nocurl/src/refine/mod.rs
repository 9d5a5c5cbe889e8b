//! Search over orders: single variables move to their best place while the score falls.

pub(crate) mod bic;
mod equal_variance;

use serde::{Deserialize, Serialize};

use crate::algorithms::Problem;
use crate::{Error, Observer, Order};

/// The score an order search lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refine {
    /// The sum of residual variances, right when error variances are equal; depends on units.
    EqualVariance,
    /// The Bayesian information criterion with the best parents found before each variable; does
    /// not depend on units.
    Bic,
}

/// What a search found.
#[derive(Debug, Clone)]
pub struct Refined {
    /// The order, without ties.
    pub order: Order,
    /// The score of the starting order.
    pub score_before: f64,
    /// The score of the order found.
    pub score_after: f64,
    /// Moves that lowered the score.
    pub moves: u64,
}

/// Searches for an order with a lower score, from `start`, among those that prior knowledge allows.
///
/// # Errors
/// Singular second moments, or cancellation.
pub fn refine(
    problem: &Problem,
    start: &Order,
    score: Refine,
    observer: &dyn Observer,
) -> Result<Refined, Error> {
    let repaired = problem.knowledge().map(|knowledge| knowledge.repair(start));
    let start = repaired.as_ref().unwrap_or(start);
    match score {
        Refine::EqualVariance => equal_variance::search(problem, start, observer),
        Refine::Bic => bic::search(problem, start, observer),
    }
}
