//! Search over orders by BIC, with restarts (`order-search`).

pub(crate) mod search;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::fges::{self, Fges, FgesSearch};
use super::member::member;
use super::nocurl::{self, NoCurl};
use super::{Directions, Facts, Method, Proposal, Task, parameters, require};
use crate::core::parallel::*;
use crate::core::{Dag, Determines, Error, Order, Pdag, Progress, Run, Termination};
use crate::math::Problem;
use crate::math::regress::refit;
use search::{Model, Search, State};

/// Restarts that run at once, each from the best order before them. More would use more threads,
/// and lose improvements that two of them find apart.
const BATCH: u64 = 8;

/// Variables that a restart moves to random places.
const KICKS: usize = 3;

parameters! {
    /// Search over orders by BIC, with restarts.
    pub struct OrderSearch {
        /// What an edge costs: it must raise the log-likelihood by `penalty / 2 * log n`; 1 is the plain BIC.
        /// Without it by `(log n + 2 log d) / 2`, the extended BIC, which is stricter the more edges there
        /// are to choose from (Foygel and Drton, 2010).
        penalty: Option<f64> = None, "above 0";
        /// Searches from disturbed copies of the best order; without it 5 for each variable, at least 100.
        restarts: Option<u64> = None, "from 0";
    }
}

impl Method for OrderSearch {
    fn facts(&self) -> Facts {
        Facts {
            name: "order-search",
            class: "OrderSearch",
            summary: "search over orders by BIC with restarts; does not depend on units",
            determines: Determines::Class,
            directions: Directions::Independences,
            chooses_edges: true,
            depends_on_units: false,
            reference: "Teyssier and Koller, UAI 2005; Wienöbst, Henckel and Weichwald, Embracing discrete search, 2025",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, self, task.seed, task.run)
    }
}

impl OrderSearch {
    fn validate(&self) -> Result<(), Error> {
        let penalty = self.penalty.unwrap_or(1.0);
        let fits = penalty > 0.0 && penalty.is_finite();
        require("penalty", penalty, fits, "it must be a number above 0")
    }

    /// The penalty in force.
    pub(crate) fn penalty(&self, problem: &Problem) -> f64 {
        let (n, d) = (problem.rows() as f64, problem.size() as f64);
        self.penalty.unwrap_or(1.0 + 2.0 * d.ln() / n.ln())
    }

    /// The restarts in force.
    fn restarts(&self, problem: &Problem) -> u64 {
        self.restarts.unwrap_or((5 * problem.size() as u64).max(100))
    }
}

/// The order with the smallest BIC that a local search with restarts finds, and the parents that
/// go with it; minimised is `-2 log-likelihood + penalty * log n * edges` of the Gaussian model
/// with intercepts, which does not depend on units.
///
/// A move takes one variable to its best place. Parents are chosen among the variables before by
/// adding and removing one at a time, from those chosen last. One row of a Cholesky factor over
/// all variables is added with each parent, so one parent more costs O(d k) for k parents and
/// gives the partial correlations of all candidates at once.
///
/// The search starts from three orders: of the published greedy search over equivalence classes,
/// of the NoCurl potential of the correlations, and a random one. Then restarts move a few
/// variables of the best order at random, and the search goes on around them only. Restarts run
/// in parallel, in batches whose size does not depend on the threads. What stands for the class
/// found is the member with error variances most alike, or the one found where there is prior
/// knowledge.
///
/// References: Teyssier and Koller, *Ordering-based search* (2005), for orders and their moves;
/// Wienöbst, Henckel and Weichwald, *Embracing discrete search* (2025), for parents that are
/// chosen from those before, and restarts.
///
/// # Errors
/// A penalty out of range, or [`Error::Cancelled`].
pub(super) fn propose(
    problem: &Problem,
    params: &OrderSearch,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let (penalty, restarts) = (params.penalty(problem), params.restarts(problem));
    let model = Model::new(problem, penalty);
    let progress = |done, state: Option<&State>| {
        let (stage, total) = ("search for an order", Some(restarts));
        run.step(Progress { stage, done, total, objective: state.map(State::score) })
    };
    progress(0, None)?;
    let (mut best, mut moves) = best_start(problem, &model, penalty, seed, run)?;
    let mut done = 0;
    while done < restarts {
        progress(done, Some(&best))?;
        let batch = done..(done + BATCH).min(restarts);
        done = batch.end;
        let found: Vec<(State, u64)> = batch
            .into_par_iter()
            .map_init(
                || Search::new(&model),
                |search, restart| {
                    let mut state = best.clone();
                    disturb(search, &mut state, &mut stream(seed, 1 + restart));
                    let moves = search.settle(&mut state, run)?;
                    Ok((state, moves))
                },
            )
            .collect::<Result<_, Error>>()?;
        for (state, more) in found {
            moves += more;
            best = best.better(state);
        }
    }
    moves += Search::new(&model).descend(&mut best, run)?;
    let dag = shown(problem, &best)?;
    Ok(Proposal {
        weights: Some(refit(problem, dag.weights())?),
        iterations: restarts,
        evaluations: moves,
        termination: Termination::Converged,
        ..Proposal::direct(Order::of_dag(&dag))
    })
}

/// The best order that a search from each of the starts finds, and the moves of all.
fn best_start(
    problem: &Problem,
    model: &Model<'_>,
    penalty: f64,
    seed: u64,
    run: &Run<'_>,
) -> Result<(State, u64), Error> {
    let states: Vec<(State, u64)> = [Start::Greedy, Start::Potential, Start::Random]
        .into_par_iter()
        .map(|start| {
            let order = start.order(problem, penalty, seed, run)?;
            let mut search = Search::new(model);
            let mut state = search.start(order.sequence());
            let moves = search.descend(&mut state, run)?;
            Ok((state, moves))
        })
        .collect::<Result<_, Error>>()?;
    let moves = states.iter().map(|(_, moves)| moves).sum();
    let states = states.into_iter().map(|(state, _)| state);
    Ok((states.reduce(State::better).expect("there are several starts"), moves))
}

/// The graph to show for the class that was found.
fn shown(problem: &Problem, best: &State) -> Result<Dag, Error> {
    let d = problem.size();
    let edges: Vec<(usize, usize)> =
        (0..d).flat_map(|v| best.parents(v).iter().map(move |&parent| (parent, v))).collect();
    let dag = Dag::from_edges(d, &edges)?;
    // With prior knowledge not every member is allowed; the one found is.
    if problem.knowledge().is_empty() { member(problem, &Pdag::class_of(&dag)) } else { Ok(dag) }
}

/// A stream of random numbers of its own for each part of the work.
fn stream(seed: u64, part: u64) -> Xoshiro256PlusPlus {
    // Multiplied by an odd constant, so that neighbouring seeds do not share their parts.
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(part))
}

/// Where the search starts.
enum Start {
    /// The published greedy search over equivalence classes.
    Greedy,
    /// The NoCurl potential of the correlations.
    Potential,
    /// Any order.
    Random,
}

impl Start {
    /// The order, as prior knowledge allows.
    fn order(
        &self,
        problem: &Problem,
        penalty: f64,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Order, Error> {
        let watch = run.quiet();
        let order = match self {
            Self::Greedy => {
                let params = Fges { penalty, search: FgesSearch::TwoPhase };
                Order::of_dag(&fges::search(problem, &params, None, &watch)?.class.to_dag()?)
            }
            Self::Potential => {
                // A rough estimate is enough for a start.
                let (lambdas, max_iterations) = (vec![10.0], 3);
                let params = NoCurl { lambdas, max_iterations, ..NoCurl::default() };
                nocurl::propose(&problem.standardised(), &params, seed, &watch)?.order
            }
            Self::Random => {
                let mut sequence: Vec<usize> = (0..problem.size()).collect();
                let mut rng = stream(seed, 0);
                for last in (1..sequence.len()).rev() {
                    sequence.swap(last, rng.random_range(0..=last));
                }
                Order::strict(&sequence)
            }
        };
        Ok(problem.knowledge().repair(&order))
    }
}

/// Moves a few variables to random places.
fn disturb(search: &mut Search<'_>, state: &mut State, rng: &mut Xoshiro256PlusPlus) {
    let d = state.sequence().len();
    for _ in 0..KICKS {
        let (v, place) = (rng.random_range(0..d), rng.random_range(0..d));
        search.kick(state, v, place);
    }
}
