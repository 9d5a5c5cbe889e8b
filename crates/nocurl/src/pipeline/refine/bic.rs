//! Order search on the Bayesian information criterion.

use super::{Refined, Refinement};
use crate::core::{Determines, Error, Kind, Order, Run};
use crate::math::local::{Priced, gaussian};
use crate::math::{Price, Problem};
use crate::methods::order_search::search::{Model, Score, Scored, Search};
use crate::methods::{Directions, Facts, Task};

/// BIC as the score.
pub(super) struct Bic;

impl Refinement for Bic {
    fn facts(&self) -> Facts {
        Facts {
            name: "bic",
            phrase: "the order search by BIC",
            summary: "order search by BIC; does not depend on units",
            determines: Determines::Class,
            directions: Directions::Independences,
            depends_on_units: false,
            columns: Kind::ALL,
            reference: "Teyssier and Koller, UAI 2005",
            ..Facts::LINEAR
        }
    }

    fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error> {
        search(task.problem, start, task.run)
    }
}

/// Moves each variable in turn to the place where the BIC of the order is smallest, until no move
/// helps. The BIC of an order is the sum over variables of `n log(residual variance) +
/// parents * log n`, with parents chosen among the variables before by adding and removing one at
/// a time.
///
/// A variable travels by swaps of neighbours. A swap changes what two variables may have as
/// parents, and their parents are chosen anew, from those they had, only where that matters.
fn search(problem: &Problem, start: &Order, run: &Run<'_>) -> Result<Refined, Error> {
    let price = Price::bic(problem.rows() as f64, 1.0);
    if problem.is_plain() {
        return descend(&Model::new(problem, price), start, run);
    }
    let local = gaussian(problem);
    let priced = Priced { local: local.as_ref(), price };
    descend(&Scored::new(priced, problem), start, run)
}

fn descend<S: Score>(model: &S, start: &Order, run: &Run<'_>) -> Result<Refined, Error> {
    let mut search = Search::new(model);
    let mut state = search.start(start.sequence());
    let score_before = state.score();
    let moves = search.descend(&mut state, run)?;
    Ok(Refined {
        parents: None,
        directed: None,
        order: Order::strict(state.sequence()),
        score_before,
        score_after: state.score(),
        moves,
    })
}
