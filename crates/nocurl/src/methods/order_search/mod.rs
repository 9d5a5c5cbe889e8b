//! Search over orders by BIC, with restarts (`order-search`).

pub(crate) mod search;
mod wide;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::fges::{self, Fges, FgesSearch};
use super::likelihood::Likelihood;
use super::member::member;
use super::nocurl::{self, NoCurl};
use super::{
    Directions, Facts, Method, MixedScore, Proposal, RunnerUp, SearchReport, Task, parameters,
    require,
};
use crate::core::memory::{Memory, Size, ask};
use crate::core::parallel::*;
use crate::core::{Dag, Determines, Error, Kind, Order, Pdag, Progress, Run, Termination};
use crate::math::Problem;
use crate::math::local::{Local, Priced};
use crate::math::regress::{refit, refit_dag};
use search::{Model, Node, PROGRESS, Prices, Score, Scored, Search, State};
use wide::Begin;

/// Restarts that run at once, each from the best order before them. More would use more threads,
/// and lose improvements that two of them find apart.
const BATCH: u64 = 8;

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

/// Variables that a restart moves to random places.
const KICKS: usize = 3;

parameters! {
    /// Search over orders by BIC, with restarts.
    pub struct OrderSearch {
        /// What an edge costs: it must raise the log-likelihood by `penalty / 2 * log n`; 1 is the plain BIC.
        /// Without it by `(log n + 2 log d) / 2`, the extended BIC, which is stricter the more edges there
        /// are to choose from (Foygel and Drton, 2010).
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
        // Tables of categories are searched by another likelihood, from nothing.
        let numbers = task.problem.is_plain();
        numbers.then(|| propose_from(task.problem, self, from, task.seed, task.run))
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
        let few = if problem.size() <= MOST_FOR_MANY { MANY } else { 0 };
        self.restarts.unwrap_or(few.max(Self::usual(problem)))
    }

    /// Restarts that are enough for most tables.
    fn usual(problem: &Problem) -> u64 {
        (5 * problem.size() as u64).max(100)
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
/// in parallel, in batches whose size does not depend on the threads. Up to 50 variables, parents
/// are also chosen two at a time where one alone does not pay, and the whole is done again from
/// other random orders until two such searches end at the same score, ten times at most. What stands for the class
/// found is the member with error variances most alike, or the one found where there is prior
/// knowledge or a variable is categorical.
///
/// Where variables are categorical the likelihood is that of blocks of columns or of counts
/// ([`MixedScore`]), in the same search; an edge then costs as many penalties as it has parameters.
///
/// References: Teyssier and Koller, *Ordering-based search* (2005), for orders and their moves;
/// Wienöbst, Henckel and Weichwald, *Embracing discrete search* (2025), for parents that are
/// chosen from those before, and restarts.
///
/// # Errors
/// A penalty out of range, or [`Error::Cancelled`].
pub(super) fn propose(task: &Task<'_>, params: &OrderSearch) -> Result<Proposal, Error> {
    params.validate()?;
    let problem = task.problem;
    let likelihood = Likelihood::new(task, params.score)?;
    let penalty = params.penalty(problem);
    let found = match likelihood.local() {
        None if is_wide(problem) => {
            let restarts = params.restarts(problem);
            let prices = Prices::new(problem, penalty);
            let mut begin = Begin { orders: Vec::new(), least: true };
            if problem.size() <= MOST_FOR_GREEDY {
                let greedy = Start::Greedy.order(problem, penalty, task.seed, task.run)?;
                begin.orders.push(greedy.sequence());
            }
            let found = wide::search(problem, prices, begin, restarts, task.seed, task.run)?;
            wide_proposal(problem, found)?
        }
        None => {
            if problem.size() > MOST_FOR_GREEDY {
                let matrices = Memory::matrices(10.0 + 4.0 * threads() as f64);
                ask("the search with prior knowledge", matrices.at(problem.size(), 0))?;
            }
            let starts = [Start::Greedy, Start::Potential, Start::Random];
            best_order(&Model::new(problem, penalty), task, params, &starts)?.proposal(problem)?
        }
        Some(local) => {
            let priced = Priced { local, price: penalty * local.rows().ln() };
            let starts = [Start::GreedyBy(local), Start::Random, Start::Another];
            best_order(&Scored::new(priced, problem), task, params, &starts)?.proposal(problem)?
        }
    };
    Ok(Proposal {
        score: Some(likelihood.score()),
        warnings: likelihood.warning(task, params.score).into_iter().collect(),
        ..found
    })
}

/// What independent searches find, until two of them agree.
fn best_order<S: Score>(
    model: &S,
    task: &Task<'_>,
    params: &OrderSearch,
    starts: &[Start<'_>],
) -> Result<Found<S::Node>, Error> {
    let (problem, seed, run) = (task.problem, task.seed, task.run);
    let restarts = params.restarts(problem);
    let most = if problem.size() <= MOST_FOR_RUNS && restarts > 0 { MOST_RUNS } else { 1 };
    let climb = Climb { model, restarts, seed, run };
    let mut found = Found::default();
    while found.runs < most && found.agreed < 2 {
        climb.report(found.runs, 0, None)?;
        let start = match found.runs {
            0 => best_start(model, task, params, starts)?,
            number => random_start(problem, model, seed, number, run)?,
        };
        found = climb.from(start, found)?;
    }
    Ok(found)
}

/// One search: a start, and restarts around the best order so far.
struct Climb<'a, S: Score> {
    model: &'a S,
    restarts: u64,
    seed: u64,
    run: &'a Run<'a>,
}

impl<S: Score> Climb<'_, S> {
    fn report(&self, number: u64, done: u64, state: Option<&State<S::Node>>) -> Result<(), Error> {
        let done = number * self.restarts + done;
        let (stage, total) = ("search for an order", Some((number + 1) * self.restarts));
        self.run.step(Progress { stage, done, total, objective: state.map(State::score) })
    }

    /// Goes through all restarts, and adds what that finds to what the searches before it found.
    fn from(
        &self,
        start: (State<S::Node>, u64),
        mut all: Found<S::Node>,
    ) -> Result<Found<S::Node>, Error> {
        let number = all.runs;
        let mut found = Found { moves: start.1, ..Found::default() };
        found.add(start.0);
        let mut done = 0;
        while done < self.restarts {
            self.report(number, done, found.best.as_ref())?;
            let batch = done..(done + BATCH).min(self.restarts);
            done = batch.end;
            let best = found.best.clone().expect("the start is one");
            let settled: Vec<(State<S::Node>, u64)> = batch
                .into_par_iter()
                .map_init(
                    || Search::new(self.model),
                    |search, restart| {
                        let mut state = best.clone();
                        let part = 1 + number * (1 << 32) + restart;
                        disturb(search, &mut state, &mut stream(self.seed, part));
                        let mut moves = search.settle(&mut state, self.run)?;
                        if self.model.size() <= MOST_FOR_RUNS {
                            moves += search.polish(&mut state, self.run)?;
                        }
                        Ok((state, moves))
                    },
                )
                .collect::<Result<_, Error>>()?;
            for (state, moves) in settled {
                found.moves += moves;
                found.restarts += 1;
                found.add(state);
            }
        }
        let mut best = found.best.take().expect("the start is one");
        let mut search = Search::new(self.model);
        loop {
            found.moves += search.descend(&mut best, self.run)?;
            match search.polish(&mut best, self.run)? {
                0 => break,
                moves => found.moves += moves,
            }
        }
        found.best = Some(best);
        all.join(found);
        Ok(all)
    }
}

/// What searches have found together.
struct Found<N: Node> {
    /// Searches that were independent of each other, and how many ended at the best score.
    runs: u64,
    agreed: u64,
    restarts: u64,
    /// Restarts that ended at the best score.
    reached: u64,
    moves: u64,
    best: Option<State<N>>,
    /// The best with another score.
    next: Option<State<N>>,
}

impl<N: Node> Default for Found<N> {
    fn default() -> Self {
        Self { runs: 0, agreed: 0, restarts: 0, reached: 0, moves: 0, best: None, next: None }
    }
}

impl<N: Node> Found<N> {
    /// Looks at where a restart ended.
    fn add(&mut self, state: State<N>) {
        let Some(best) = &self.best else {
            (self.best, self.reached) = (Some(state), 1);
            return;
        };
        let above = state.score() - best.score();
        if above < -PROGRESS {
            (self.next, self.reached) = (self.best.take(), 1);
            self.best = Some(state);
        } else if above <= PROGRESS {
            self.reached += 1;
        } else if self.next.as_ref().is_none_or(|next| state.score() < next.score()) {
            self.next = Some(state);
        }
    }

    /// Adds another search that was independent of these.
    fn join(&mut self, other: Self) {
        self.runs += 1;
        self.moves += other.moves;
        self.restarts += other.restarts;
        let Some(state) = other.best else { return };
        let before = self.best.as_ref().map(State::score);
        let above = before.map_or(f64::NEG_INFINITY, |best| state.score() - best);
        let reached = self.reached;
        self.add(state);
        (self.agreed, self.reached) = match above {
            better if better < -PROGRESS => (1, other.reached),
            same if same <= PROGRESS => (self.agreed + 1, reached + other.reached),
            _ => (self.agreed, reached),
        };
        if let Some(next) = other.next {
            let reached = self.reached;
            self.add(next);
            self.reached = reached;
        }
    }

    /// What stands for the best order, and how stable the search was.
    fn proposal(self, problem: &Problem) -> Result<Proposal, Error> {
        let best = self.best.expect("at least one search was made");
        let runner_up = match &self.next {
            None => None,
            Some(next) => {
                let gap = next.score() - best.score();
                let class =
                    |state: &State<N>| Ok::<_, Error>(Pdag::class_of(&graph_of(problem, state)?));
                let (one, other) = (class(&best)?, class(next)?);
                Some(RunnerUp { gap, differs: differences(&one, &other) })
            }
        };
        let search = SearchReport {
            runs: self.runs,
            agreed: self.agreed,
            restarts: self.restarts,
            reached_best: self.reached.min(self.restarts),
            runner_up,
        };
        let proposal = proposal(problem, &best, self.restarts, self.moves)?;
        Ok(Proposal { search: Some(search), ..proposal })
    }
}

/// Pairs of variables that two classes join differently.
fn differences(one: &Pdag, other: &Pdag) -> usize {
    let d = one.size();
    let mark = |graph: &Pdag, i, j| {
        (graph.is_adjacent(i, j), graph.has_directed(i, j), graph.has_directed(j, i))
    };
    let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| mark(one, i, j) != mark(other, i, j)).count()
}

/// The same from a graph that was learnt from data like this, with a few restarts: most of what a
/// full search looks at is known then.
fn propose_from(
    problem: &Problem,
    params: &OrderSearch,
    from: &Dag,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let full = params.restarts.unwrap_or(OrderSearch::usual(problem));
    let restarts = (full / WARM_SHARE).max(1);
    if is_wide(problem) {
        let prices = Prices::new(problem, params.penalty(problem));
        let begin = Begin { orders: vec![from.order().to_vec()], least: false };
        let found = wide::search(problem, prices, begin, restarts, seed, run)?;
        return wide_proposal(problem, found);
    }
    let model = Model::new(problem, params.penalty(problem));
    let order = problem.knowledge().repair(&Order::strict(from.order()));
    let mut search = Search::new(&model);
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

/// What stands for the best order of many variables.
fn wide_proposal(problem: &Problem, found: wide::Found) -> Result<Proposal, Error> {
    let dag = member(problem, &Pdag::class_of(&found.dag))?;
    let search = SearchReport {
        runs: 1,
        agreed: 1,
        restarts: found.restarts,
        reached_best: found.returned,
        runner_up: None,
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

/// The best order that a search from each of the starts finds, and the moves of all.
fn best_start<S: Score>(
    model: &S,
    task: &Task<'_>,
    params: &OrderSearch,
    starts: &[Start<'_>],
) -> Result<(State<S::Node>, u64), Error> {
    let penalty = params.penalty(task.problem);
    let states: Vec<(State<S::Node>, u64)> = starts
        .par_iter()
        .map(|start| {
            let order = start.order(task.problem, penalty, task.seed, task.run)?;
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
fn random_start<S: Score>(
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

/// A stream of random numbers of its own for each part of the work.
fn stream(seed: u64, part: u64) -> Xoshiro256PlusPlus {
    // Multiplied by an odd constant, so that neighbouring seeds do not share their parts.
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(part))
}

/// Where the search starts.
enum Start<'a> {
    /// The published greedy search over equivalence classes.
    Greedy,
    /// The same by another likelihood.
    GreedyBy(&'a dyn Local),
    /// The NoCurl potential of the correlations.
    Potential,
    /// Any order.
    Random,
    /// Any other order.
    Another,
}

impl Start<'_> {
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
            Self::Greedy | Self::GreedyBy(_) => {
                let search = FgesSearch::TwoPhase;
                let params = Fges { penalty, search, ..Fges::default() };
                let local = if let Self::GreedyBy(local) = self { Some(*local) } else { None };
                let found = fges::search(problem, local, &params, None, &watch)?;
                Order::of_dag(&found.class.to_dag()?)
            }
            Self::Potential => {
                // A rough estimate is enough for a start.
                let (lambdas, max_iterations) = (vec![10.0], 3);
                let params = NoCurl { lambdas, max_iterations, ..NoCurl::default() };
                nocurl::propose(&problem.standardised(), &params, seed, &watch)?.order
            }
            Self::Random => shuffled(problem, &mut stream(seed, 0)),
            Self::Another => shuffled(problem, &mut stream(seed, u64::MAX)),
        };
        Ok(problem.knowledge().repair(&order))
    }
}

/// Moves a few variables to random places.
fn disturb<S: Score>(
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
