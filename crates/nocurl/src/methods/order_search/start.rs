//! Where a search over orders starts, and how restarts disturb it.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::search::{Score, Search, State};
use crate::core::parallel::*;
use crate::core::random::stream;
use crate::core::{Error, Order, Run};
use crate::math::local::Local;
use crate::math::{Price, Problem};
use crate::methods::Task;
use crate::methods::fges::{self, FgesSearch};
use crate::methods::nocurl::{self, NoCurl};

/// Variables that a restart moves to random places.
const KICKS: usize = 3;

/// Where the search starts.
pub(super) enum Start<'a> {
    /// The published greedy search over equivalence classes.
    Greedy,
    /// The same by another likelihood.
    GreedyBy(&'a dyn Local),
    /// The NoCurl potential of the correlations.
    Potential,
    /// This one.
    Known(Order),
    /// Any order.
    Random,
    /// Any other order.
    Another,
}

impl Start<'_> {
    /// The order, as prior knowledge allows.
    pub(super) fn order(
        &self,
        problem: &Problem,
        price: Price,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Order, Error> {
        let watch = run.quiet();
        let order = match self {
            Self::Greedy | Self::GreedyBy(_) => {
                let local = if let Self::GreedyBy(local) = self { Some(*local) } else { None };
                let found =
                    fges::search(problem, local, (price, FgesSearch::TwoPhase), None, &watch)?;
                Order::of_dag(&found.class.to_dag()?)
            }
            Self::Potential => {
                // A rough estimate is enough for a start.
                let (lambdas, max_iterations) = (vec![10.0], 3);
                let params = NoCurl { lambdas, max_iterations, ..NoCurl::default() };
                nocurl::propose(&problem.standardised(), &params, seed, &watch)?.order
            }
            Self::Known(order) => order.clone(),
            Self::Random => shuffled(problem, &mut stream(seed, 0)),
            Self::Another => shuffled(problem, &mut stream(seed, u64::MAX)),
        };
        Ok(problem.knowledge().repair(&order))
    }
}

/// The best order that a search from each of the starts finds, and the moves of all.
pub(super) fn best_start<S: Score>(
    model: &S,
    task: &Task<'_>,
    price: Price,
    starts: &[Start<'_>],
) -> Result<(State<S::Node>, u64), Error> {
    let states: Vec<(State<S::Node>, u64)> = starts
        .par_iter()
        .map(|start| {
            let order = start.order(task.problem, price, task.seed, task.run)?;
            let mut search = Search::new(model);
            let mut state = search.start(order.sequence());
            let moves = search.descend(&mut state, task.run)?;
            Ok((state, moves))
        })
        .collect::<Result<_, Error>>()?;
    let moves = states.iter().map(|(_, moves)| moves).sum();
    let states = states.into_iter().map(|(state, _)| state);
    Ok((states.reduce(State::better).expect("there are several starts"), moves))
}

/// Where a further search starts: any order, by its number.
pub(super) fn random_start<S: Score>(
    problem: &Problem,
    model: &S,
    seed: u64,
    number: u64,
    run: &Run<'_>,
) -> Result<(State<S::Node>, u64), Error> {
    let order = shuffled(problem, &mut stream(seed, number * (1 << 32)));
    let mut search = Search::new(model);
    let mut state = search.start(problem.knowledge().repair(&order).sequence());
    let moves = search.descend(&mut state, run)?;
    Ok((state, moves))
}

/// The variables in an order by chance.
fn shuffled(problem: &Problem, rng: &mut Xoshiro256PlusPlus) -> Order {
    let mut sequence: Vec<usize> = (0..problem.size()).collect();
    for last in (1..sequence.len()).rev() {
        sequence.swap(last, rng.random_range(0..=last));
    }
    Order::strict(&sequence)
}

/// Moves a few variables to random places.
pub(super) fn disturb<S: Score>(
    search: &mut Search<'_, S>,
    state: &mut State<S::Node>,
    rng: &mut Xoshiro256PlusPlus,
) {
    let d = state.sequence().len();
    for _ in 0..KICKS {
        let (v, place) = (rng.random_range(0..d), rng.random_range(0..d));
        search.kick(state, v, place);
    }
}
