//! Order search on the Bayesian information criterion.

use super::Refined;
use crate::core::{Error, Observer, Order};
use crate::math::Problem;
use crate::methods::order_search::search::{Model, Search};

/// Moves each variable in turn to the place where the BIC of the order is smallest, until no move
/// helps. The BIC of an order is the sum over variables of `n log(residual variance) +
/// parents * log n`, with parents chosen among the variables before by adding and removing one at
/// a time.
///
/// A variable travels by swaps of neighbours. A swap changes what two variables may have as
/// parents, and their parents are chosen anew, from those they had, only where that matters.
pub(super) fn search(
    problem: &Problem,
    start: &Order,
    observer: &dyn Observer,
) -> Result<Refined, Error> {
    let model = Model::new(problem, 1.0);
    let mut search = Search::new(&model);
    let mut state = search.start(start.sequence());
    let score_before = state.score();
    let moves = search.descend(&mut state, observer)?;
    Ok(Refined {
        parents: None,
        order: Order::strict(state.sequence()),
        score_before,
        score_after: state.score(),
        moves,
    })
}
