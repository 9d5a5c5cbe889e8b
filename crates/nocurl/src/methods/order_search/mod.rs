//! Search over orders by BIC, with restarts (`order-search`).

mod climb;
mod price;
pub(crate) mod search;
mod start;
mod wide;

use super::likelihood::Likelihood;
use super::member::member;
use super::{
    Directions, Facts, Method, MixedScore, Proposal, SearchReport, Task, parameters, require,
};
use crate::core::memory::{Memory, Size, ask};
use crate::core::parallel::threads;
use crate::core::random::stream;
use crate::core::{Dag, Determines, Error, Kind, Order, Pdag, Termination};
use crate::math::local::Priced;
use crate::math::regress::{refit, refit_dag};
use crate::math::{Experiments, Price, Problem};
use climb::{Climb, Found, Log};
use price::adapted;
use search::{Model, Node, Prices, Score, Scored, Search, State};
use start::{Start, best_start, disturb, random_start};
use wide::Begin;

/// Restarts where there are few variables: they take milliseconds, and with them the search ends
/// at the exact optimum of all but one of 38 real tables, where 100 miss four.
const MANY: u64 = 400;

/// So many variables are few.
const MOST_FOR_MANY: usize = 20;

/// Searches that are independent of each other, at most: they go on until two end at the same score.
const MOST_RUNS: u64 = 10;

/// Only for so many variables: with more, one search takes long and two seldom agree.
const MOST_FOR_RUNS: usize = 50;

/// A search that starts from a known graph has one restart for so many of a full one.
const WARM_SHARE: u64 = 20;

/// Bytes for each of many variables: those near it, its parents, and rows of the factors.
const PER_VARIABLE: f64 = 40_000.0;

/// From so many variables on, each is looked at with those near it alone.
const MANY_VARIABLES: usize = 200;

/// With more variables the greedy search, which looks at all pairs at each step, is no start.
const MOST_FOR_GREEDY: usize = 2000;

parameters! {
    /// Search over orders by BIC, with restarts.
    pub struct OrderSearch {
        /// What an edge costs: it must raise the log-likelihood by `penalty / 2 * log n`; 1 is the plain BIC.
        /// Without it the price suits the table: from that of the extended BIC, `log n + 2 log d`, down to
        /// `log n` where many edges are weak.
        penalty: Option<f64> = None, "above 0";
        /// Searches from disturbed copies of the best order; without it 5 for each variable, at least 100,
        /// and 400 for up to 20 variables.
        restarts: Option<u64> = None, "from 0";
        /// What is fitted to a variable given its parents, which matters where columns have levels:
        /// `auto` takes counts (`multinomial`) for tables of categories alone and a Gaussian law of numbers
        /// and indicators (`degenerate-gaussian`) for others.
        score: MixedScore = MixedScore::Auto, "`auto`, `degenerate-gaussian`, `multinomial`";
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
            counts: self.score.counts(),
            columns: Kind::ALL,
            experiments: true,
            checkpoint: true,
            reference: "Teyssier and Koller, UAI 2005; Wienöbst, Henckel and Weichwald, Embracing discrete search, 2025",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // A search for each thread, each with a factor over all variables; with many variables the
        // pairs that have to do with each other.
        if size.variables > MOST_FOR_GREEDY {
            return Memory::default().and_bytes(PER_VARIABLE * size.variables as f64);
        }
        Memory::matrices(10.0 + 4.0 * size.threads as f64)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task, self)
    }

    fn warm(&self, task: &Task<'_>, from: &Dag) -> Option<Result<Proposal, Error>> {
        Some(propose_from(task, self, from))
    }
}

impl OrderSearch {
    fn validate(&self) -> Result<(), Error> {
        let penalty = self.penalty.unwrap_or(1.0);
        let fits = penalty > 0.0 && penalty.is_finite();
        require("penalty", penalty, fits, "it must be a number above 0")
    }

    /// The price that is given, or the highest one.
    pub(crate) fn price(&self, problem: &Problem) -> Price {
        let n = problem.rows() as f64;
        self.penalty
            .map_or_else(|| Price::extended(n, problem.size()), |penalty| Price::bic(n, penalty))
    }

    /// The restarts in force.
    fn restarts(&self, problem: &Problem) -> u64 {
        let few = if problem.size() <= MOST_FOR_MANY { MANY } else { 0 };
        self.restarts.unwrap_or(few.max(Self::usual(problem)))
    }

    /// Restarts that are enough for most tables.
    fn usual(problem: &Problem) -> u64 {
        (5 * problem.size() as u64).max(100)
    }
}

/// The order with the smallest BIC that a local search with restarts finds, and the parents that
/// go with it; minimised is `-2 log-likelihood + price * edges` of the Gaussian model with
/// intercepts, which does not depend on units. The price is `penalty * log n`, or the one at which
/// a further edge is as likely to be there as not ([`adapted`]).
///
/// A move takes one variable to its best place. Parents are chosen among the variables before by
/// adding and removing one at a time, from those chosen last. One row of a Cholesky factor over
/// all variables is added with each parent, so one parent more costs O(d k) for k parents and
/// gives the partial correlations of all candidates at once.
///
/// The search starts from three orders: of the published greedy search over equivalence classes,
/// of the NoCurl potential of the correlations, and a random one. Then restarts move a few
/// variables of the best order at random, and the search goes on around them only. Restarts run
/// in parallel, in batches whose size does not depend on the threads. Up to 50 variables, parents
/// are also chosen two at a time where one alone does not pay, and the whole is done again from
/// other random orders until two such searches end at the same score, ten times at most. What stands for the class
/// found is the member with error variances most alike, or the one found where there is prior
/// knowledge or a variable is categorical.
///
/// Where variables are categorical the likelihood is that of blocks of columns or of counts
/// ([`MixedScore`]), in the same search; an edge then costs `log n` for each of its parameters, and
/// `2 log d` once.
///
/// References: Teyssier and Koller, *Ordering-based search* (2005), for orders and their moves;
/// Wienöbst, Henckel and Weichwald, *Embracing discrete search* (2025), for parents that are
/// chosen from those before, and restarts.
///
/// # Errors
/// A penalty out of range, or [`Error::Cancelled`].
pub(super) fn propose(task: &Task<'_>, params: &OrderSearch) -> Result<Proposal, Error> {
    params.validate()?;
    let likelihood = Likelihood::new(task, params.score)?;
    let found = match likelihood.local() {
        None if is_wide(task.problem) => by_neighbourhoods(task, params)?,
        None => by_correlations(task, params)?,
        Some(_) if let Some(experiments) = wide_experiments(task.problem) => {
            let restarts = params.restarts(task.problem);
            by_conditions(task, params, experiments, (None, restarts))?
        }
        Some(local) => {
            let price = params.price(task.problem);
            let model = Scored::new(Priced { local, price }, task.problem);
            let starts = [Start::GreedyBy(local), Start::Random, Start::Another];
            best_order(&model, task, params, (price, &starts))?.proposal(task.problem, price)?
        }
    };
    Ok(Proposal {
        score: Some(likelihood.score()),
        warnings: likelihood.warning(task, params.score).into_iter().collect(),
        ..found
    })
}

/// The search where there are many variables, at the price of the extended BIC unless a penalty is
/// given.
fn by_neighbourhoods(task: &Task<'_>, params: &OrderSearch) -> Result<Proposal, Error> {
    let (problem, price) = (task.problem, params.price(task.problem));
    let mut begin = Begin { orders: Vec::new(), least: true };
    if problem.size() <= MOST_FOR_GREEDY {
        let greedy = Start::Greedy.order(problem, price, task.seed, task.run)?;
        begin.orders.push(greedy.sequence());
    }
    let (prices, restarts) = (Prices::new(problem, price), params.restarts(problem));
    let found = wide::search(problem, prices, begin, restarts, task.seed, task.run)?;
    wide_proposal(problem, found, price)
}

/// The search where all variables are numbers. Unless a penalty is given, a first search at the
/// price of the extended BIC shows which price suits the table.
fn by_correlations(task: &Task<'_>, params: &OrderSearch) -> Result<Proposal, Error> {
    let problem = task.problem;
    if problem.size() > MOST_FOR_GREEDY {
        let matrices = Memory::matrices(10.0 + 4.0 * threads() as f64);
        ask("the search with prior knowledge", matrices.at(problem.size(), 0))?;
    }
    let (mut price, mut starts) =
        (params.price(problem), vec![Start::Greedy, Start::Potential, Start::Random]);
    if params.penalty.is_none() {
        let (first, _) = best_start(&Model::new(problem, price), task, price, &starts)?;
        price = adapted(problem, &graph_of(problem, &first)?);
        starts = vec![Start::Known(Order::strict(first.sequence())), Start::Another];
    }
    let model = Model::new(problem, price);
    best_order(&model, task, params, (price, &starts))?.proposal(problem, price)
}

/// What independent searches find, until two of them agree.
fn best_order<S: Score>(
    model: &S,
    task: &Task<'_>,
    params: &OrderSearch,
    (price, starts): (Price, &[Start<'_>]),
) -> Result<Found<S::Node>, Error> {
    let (problem, seed, run) = (task.problem, task.seed, task.run);
    let restarts = params.restarts(problem);
    let most = if problem.size() <= MOST_FOR_RUNS && restarts > 0 { MOST_RUNS } else { 1 };
    let climb = Climb { model, restarts, seed, run };
    let mut log = Log::open(run, problem.size())?;
    let mut search = || {
        while log.all().runs < most && log.all().agreed < 2 {
            if !log.is_started() {
                let number = log.all().runs;
                climb.report(number, 0, None)?;
                log.start(match number {
                    0 => best_start(model, task, price, starts)?,
                    number => random_start(problem, model, seed, number, run)?,
                });
            }
            climb.go_on(&mut log)?;
        }
        Ok(())
    };
    let ended = search();
    log.keep();
    ended.map(|()| log.into_found())
}

/// The same from a graph that was learnt from data like this, with a few restarts: most of what a
/// full search looks at is known then.
fn propose_from(task: &Task<'_>, params: &OrderSearch, from: &Dag) -> Result<Proposal, Error> {
    params.validate()?;
    let (problem, mut price) = (task.problem, params.price(task.problem));
    let likelihood = Likelihood::new(task, params.score)?;
    let wide = likelihood.local().is_none() && is_wide(problem);
    if likelihood.local().is_none() && params.penalty.is_none() && !wide {
        price = adapted(problem, from);
    }
    let found = match likelihood.local() {
        None if wide => {
            let full = params.restarts.unwrap_or(OrderSearch::usual(problem));
            let restarts = (full / WARM_SHARE).max(1);
            let prices = Prices::new(problem, price);
            let begin = Begin { orders: vec![from.order().to_vec()], least: false };
            let found = wide::search(problem, prices, begin, restarts, task.seed, task.run)?;
            wide_proposal(problem, found, price)?
        }
        None => again(&Model::new(problem, price), task, params, from)?,
        Some(_) if let Some(experiments) = wide_experiments(problem) => {
            let full = params.restarts.unwrap_or(OrderSearch::usual(problem));
            by_conditions(task, params, experiments, (Some(from), (full / WARM_SHARE).max(1)))?
        }
        Some(local) => again(&Scored::new(Priced { local, price }, problem), task, params, from)?,
    };
    Ok(Proposal { score: Some(likelihood.score()), ..found })
}

fn again<S: Score>(
    model: &S,
    task: &Task<'_>,
    params: &OrderSearch,
    from: &Dag,
) -> Result<Proposal, Error> {
    let (problem, seed, run) = (task.problem, task.seed, task.run);
    let full = params.restarts.unwrap_or(OrderSearch::usual(problem));
    let restarts = (full / WARM_SHARE).max(1);
    let order = problem.knowledge().repair(&Order::strict(from.order()));
    let mut search = Search::new(model);
    let mut best = search.start(order.sequence());
    let mut moves = search.descend(&mut best, run)?;
    for restart in 0..restarts {
        let mut state = best.clone();
        disturb(&mut search, &mut state, &mut stream(seed, 1 + restart));
        moves += search.settle(&mut state, run)?;
        best = best.better(state);
    }
    proposal(problem, &best, restarts, moves)
}

/// True where each variable is looked at with those near it alone: prior knowledge can be about any
/// two.
fn is_wide(problem: &Problem) -> bool {
    problem.size() > MANY_VARIABLES && problem.is_plain() && problem.knowledge().is_empty()
}

/// The experiments where they leave each variable one column, and nothing else is known.
fn wide_experiments(problem: &Problem) -> Option<&Experiments> {
    let experiments = problem.experiments()?;
    let (d, condition, knowledge) = (problem.size(), experiments.condition(), problem.knowledge());
    let simple = |v: usize| {
        let (single, hard) =
            (experiments.columns(v).len() == 1, experiments.own_views(v).next().is_none());
        let free = (0..d).all(|u| u == v || knowledge.allows(u, v) && !knowledge.requires(u, v));
        v == condition || single && hard && free
    };
    (d > MANY_VARIABLES && (0..d).all(simple)).then_some(experiments)
}

/// The search where there are many variables and conditions act on some of them.
fn by_conditions(
    task: &Task<'_>,
    params: &OrderSearch,
    experiments: &Experiments,
    start: (Option<&Dag>, u64),
) -> Result<Proposal, Error> {
    let (problem, price) = (task.problem, params.price(task.problem));
    let found = wide::search_experiments(problem, experiments, price, start, task.seed, task.run)?;
    wide_proposal(problem, found, price)
}

/// What stands for the best order of many variables.
fn wide_proposal(problem: &Problem, found: wide::Found, price: Price) -> Result<Proposal, Error> {
    // Conditions can tell members of a class apart: then the one found is shown.
    let dag = match problem.is_plain() {
        true => member(problem, &Pdag::class_of(&found.dag))?,
        false => found.dag,
    };
    let search = SearchReport {
        runs: 1,
        agreed: 1,
        restarts: found.restarts,
        reached_best: found.returned,
        runner_up: None,
        price: Some(price.single()),
    };
    Ok(Proposal {
        graph: Some(refit_dag(problem, &dag)?),
        iterations: found.restarts,
        evaluations: found.moves,
        termination: Termination::Converged,
        search: Some(search),
        ..Proposal::direct(Order::of_dag(&dag))
    })
}

/// What stands for the best order that was found.
fn proposal<N: Node>(
    problem: &Problem,
    best: &State<N>,
    restarts: u64,
    moves: u64,
) -> Result<Proposal, Error> {
    let dag = if problem.is_plain() { shown(problem, best)? } else { graph_of(problem, best)? };
    Ok(Proposal {
        weights: Some(refit(problem, dag.weights())?),
        iterations: restarts,
        evaluations: moves,
        termination: Termination::Converged,
        ..Proposal::direct(Order::of_dag(&dag))
    })
}

/// The graph that was found.
fn graph_of<N: Node>(problem: &Problem, best: &State<N>) -> Result<Dag, Error> {
    let d = problem.size();
    let edges: Vec<(usize, usize)> =
        (0..d).flat_map(|v| best.parents(v).iter().map(move |&parent| (parent, v))).collect();
    Dag::from_edges(d, &edges)
}

/// The graph to show for the class that was found.
fn shown<N: Node>(problem: &Problem, best: &State<N>) -> Result<Dag, Error> {
    let dag = graph_of(problem, best)?;
    // With prior knowledge not every member is allowed; the one found is.
    if problem.knowledge().is_empty() { member(problem, &Pdag::class_of(&dag)) } else { Ok(dag) }
}
