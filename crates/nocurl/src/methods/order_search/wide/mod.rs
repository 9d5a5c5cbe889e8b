//! The search over orders where there are many variables: each is looked at with those near it alone.
//!
//! Near each other are pairs with a large correlation, and those that a regression on all variables
//! needs; with parents found, pairs come in whose partial correlation given these is large. A move
//! then touches a neighbourhood, a restart disturbs one, and what restarts find in neighbourhoods
//! apart from each other is kept together. Memory is that of the pairs.

mod attempt;
mod own;
mod state;

use super::search::{Family, Node, PATIENCE, PROGRESS, Prices, Queue};
use crate::core::parallel::*;
use crate::core::random::stream;
use crate::core::{Dag, Error, Keeper, Progress, Run, TrainingState, is_count, unfit};
use crate::math::Problem;
use crate::methods::near::{Correlate, Correlations, Wide};
use attempt::{Attempt, Outcome};
pub(super) use own::search_experiments;
use state::{Change, State};

/// Times that pairs are looked for which are near each other by the parents found; once is usual.
const WIDENINGS: usize = 8;

/// What the search found.
pub(super) struct Found {
    pub(super) dag: Dag,
    pub(super) restarts: u64,
    /// Restarts that ended where they began.
    pub(super) returned: u64,
    pub(super) moves: u64,
}

/// Where the search begins: at the best of these orders once no move helps.
pub(super) struct Begin {
    pub(super) orders: Vec<Vec<usize>>,
    /// Also at what is least explained by the others.
    pub(super) least: bool,
}

/// The best order that is found from a start with so many restarts.
pub(super) fn search(
    problem: &Problem,
    prices: Prices,
    begin: Begin,
    restarts: u64,
    seed: u64,
    run: &Run<'_>,
) -> Result<Found, Error> {
    search_by(Correlations::new(problem, prices), begin, restarts, seed, run)
}

/// Operations of looking at a pair; of moving a variable to its best place and of a restart, for each
/// pair of those near it.
const PAIR: f64 = 20.0;
const MOVE: f64 = 1000.0;
const RESTART: f64 = 4000.0;

/// The same by any correlations.
fn search_by<C: Correlate>(
    correlations: C,
    mut begin: Begin,
    restarts: u64,
    seed: u64,
    run: &Run<'_>,
) -> Result<Found, Error> {
    let d = correlations.size();
    let report = Progress { stage: "pairs of variables", done: 0, total: None, objective: None };
    run.step(report)?;
    let (wide, left) = Wide::new(correlations);
    run.worked(PAIR * (d * d) as f64);
    let everyone: Vec<usize> = (0..d).collect();
    if begin.least {
        let mut sequence = everyone.clone();
        sequence.sort_by(|&a, &b| left[b].total_cmp(&left[a]).then(a.cmp(&b)));
        begin.orders.push(sequence);
    }
    let mut search = Search {
        wide,
        state: State::new(&everyone),
        run,
        written: vec![0; d],
        batch: 0,
        moves: 0,
        returned: 0,
        restarts,
        done: 0,
        joined: Vec::new(),
    };
    match run.keeper().and_then(Keeper::state) {
        Some(state) => search.take_up(state.decode()?)?,
        None => search.begin(&begin.orders, &everyone)?,
    }
    let mut journal = search.journal();
    while search.done < restarts {
        let half = search.done < restarts / 2;
        let mut ended = search.restart(seed);
        if ended.is_ok() && half && search.done >= restarts / 2 {
            ended = search.widen();
        }
        if let Err(error) = ended {
            journal.keep(run);
            return Err(error);
        }
        if run.keeper().is_some() {
            journal = search.journal();
        }
        if run.keeper().is_some_and(Keeper::is_due) {
            journal.keep(run);
        }
    }
    journal.keep(run);
    search.widen()?;
    loop {
        let touched = search.choose(&everyone, true);
        if touched.is_empty() {
            break;
        }
        search.moves += touched.len() as u64;
        search.descend(&touched)?;
    }
    let edges: Vec<(usize, usize)> = (0..d)
        .flat_map(|v| search.state.node(v).parents().iter().map(move |&parent| (parent, v)))
        .collect();
    let (returned, moves) = (search.returned, search.moves);
    Ok(Found { dag: Dag::from_edges(d, &edges)?, restarts, returned, moves })
}

struct Search<'r, C> {
    wide: Wide<C>,
    state: State,
    run: &'r Run<'r>,
    /// The batch that changed a variable last.
    written: Vec<u64>,
    batch: u64,
    moves: u64,
    returned: u64,
    restarts: u64,
    done: u64,
    /// Pairs that came near each other by the parents found, where the search is kept.
    joined: Vec<(usize, usize)>,
}

/// A search between two batches of restarts, from which it goes on to the same end.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Journal {
    state: State,
    joined: Vec<(usize, usize)>,
    moves: u64,
    returned: u64,
    done: u64,
}

impl Journal {
    /// Keeps the search, if restarts are over.
    fn keep(&self, run: &Run<'_>) {
        if let (Some(keeper), restarts @ 1..) = (run.keeper(), self.done) {
            keeper.keep(&TrainingState::new(format!("{restarts} restarts"), self));
        }
    }

    fn is_sound(&self, size: usize, restarts: u64) -> bool {
        let counts = [self.moves, self.returned, self.done];
        let pair = |&(u, v): &(usize, usize)| u < size && v < size && u != v;
        counts.into_iter().all(is_count)
            && self.done <= restarts
            && self.joined.iter().all(pair)
            && self.state.is_sound(size)
    }
}

impl<C: Correlate> Search<'_, C> {
    /// Takes the best of these orders once no move helps.
    fn begin(&mut self, orders: &[Vec<usize>], everyone: &[usize]) -> Result<(), Error> {
        let mut best: Option<State> = None;
        for sequence in orders {
            self.state = State::new(sequence);
            self.choose(everyone, false);
            self.descend(everyone)?;
            let better = |best: &State| self.state.score() < best.score() - PROGRESS;
            if best.as_ref().is_none_or(better) {
                best = Some(self.state.clone());
            }
        }
        if let Some(best) = best {
            self.state = best;
        }
        self.widen()
    }

    /// Goes on from where a search was kept.
    fn take_up(&mut self, journal: Journal) -> Result<(), Error> {
        if !journal.is_sound(self.state.size(), self.restarts) {
            return Err(unfit());
        }
        self.wide.join(&journal.joined);
        let Journal { state, joined, moves, returned, done } = journal;
        (self.state, self.joined) = (state, joined);
        (self.moves, self.returned, self.done) = (moves, returned, done);
        Ok(())
    }

    fn journal(&self) -> Journal {
        Journal {
            state: self.state.clone(),
            joined: self.joined.clone(),
            moves: self.moves,
            returned: self.returned,
            done: self.done,
        }
    }

    /// Chooses the parents of some variables anew; returns those with better ones now.
    fn choose(&mut self, which: &[usize], thoroughly: bool) -> Vec<usize> {
        let (wide, state) = (&self.wide, &self.state);
        let chosen: Vec<Family> = which
            .par_iter()
            .map_init(|| Attempt::new(wide, state), |attempt, &v| attempt.parents(v, thoroughly))
            .collect();
        self.run.worked(MOVE * self.spread() * which.len() as f64);
        let mut touched = Vec::new();
        for (&v, node) in which.iter().zip(chosen) {
            // A variable without a node yet has the score 0, as one without parents has.
            let old = self.state.node(v);
            if node.score() < old.score() - PROGRESS || old.residual() == 0.0 {
                self.state.set_node(v, node);
                touched.push(v);
            }
        }
        touched
    }

    /// Moves variables to their best places, from these on, until no move helps.
    ///
    /// Some are looked at at a time. What one finds is left out, and looked at again, where another
    /// changed something near it: so nothing depends on the threads.
    fn descend(&mut self, from: &[usize]) -> Result<(), Error> {
        let size = (self.state.size() / 128).clamp(8, 256);
        let mut queue = Queue::new(self.state.size());
        from.iter().for_each(|&v| queue.push(v));
        loop {
            let batch: Vec<usize> = std::iter::from_fn(|| queue.pop()).take(size).collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.report()?;
            let (wide, state) = (&self.wide, &self.state);
            let outcomes: Vec<Outcome> = batch
                .par_iter()
                .map_init(|| Attempt::new(wide, state), |attempt, &v| attempt.improve(v, PATIENCE))
                .collect();
            self.run.worked(MOVE * self.spread() * outcomes.len() as f64);
            self.batch += 1;
            let mut crowded = false;
            for (v, outcome) in batch.into_iter().zip(outcomes) {
                match outcome {
                    Outcome::Better(change) => match self.keep(change) {
                        Some(touched) => touched.iter().for_each(|&u| self.around(u, &mut queue)),
                        None => queue.push(v),
                    },
                    Outcome::Crowded => {
                        crowded = true;
                        queue.push(v);
                    }
                    Outcome::Same | Outcome::Worse => {}
                }
            }
            if crowded {
                self.state.relabel();
            }
        }
    }

    /// Some restarts at once.
    fn restart(&mut self, seed: u64) -> Result<(), Error> {
        self.report()?;
        let size = (self.state.size() as u64 / 16).clamp(16, 1024);
        let batch = self.done..(self.done + size).min(self.restarts);
        self.done = batch.end;
        let (wide, state, run) = (&self.wide, &self.state, self.run);
        let outcomes: Vec<Outcome> = batch
            .into_par_iter()
            .map_init(
                || Attempt::new(wide, state),
                |attempt, number| attempt.restart(&mut stream(seed, 1 + number), run),
            )
            .collect::<Result<_, Error>>()?;
        self.run.worked(RESTART * self.spread() * outcomes.len() as f64);
        self.batch += 1;
        let mut crowded = false;
        for outcome in outcomes {
            match outcome {
                Outcome::Better(change) => drop(self.keep(change)),
                Outcome::Same => self.returned += 1,
                Outcome::Crowded => crowded = true,
                Outcome::Worse => {}
            }
        }
        if crowded {
            self.state.relabel();
        }
        Ok(())
    }

    /// Makes a change, unless something near what it looked at has changed in the same batch;
    /// returns what it touched.
    fn keep(&mut self, change: Change) -> Option<Vec<usize>> {
        let fresh = |v: &usize| self.written[*v] != self.batch;
        let unaffected = |v: &usize| fresh(v) && self.wide.near(*v).iter().all(fresh);
        if !change.examined.iter().all(unaffected) {
            return None;
        }
        let touched: Vec<usize> = change.touched().collect();
        touched.iter().for_each(|&v| self.written[v] = self.batch);
        self.moves += change.labels.len() as u64;
        self.state.apply(change);
        Some(touched)
    }

    /// Adds a variable and all that share an edge with it.
    fn around(&self, v: usize, queue: &mut Queue) {
        queue.push(v);
        self.state.node(v).parents().iter().for_each(|&parent| queue.push(parent));
        let near = self.wide.near(v).iter();
        let children = near.filter(|&&u| self.state.node(u).parents().contains(&v));
        children.for_each(|&u| queue.push(u));
    }

    /// Looks for pairs that are near each other by the parents found, and goes on from there.
    fn widen(&mut self) -> Result<(), Error> {
        for round in 0..WIDENINGS {
            self.report()?;
            let parents = |v: usize| self.state.node(v).parents();
            let mut missing = self.wide.missing(parents);
            if round == 0 {
                missing.extend(self.wide.two_apart(parents));
            }
            if missing.is_empty() {
                break;
            }
            self.wide.join(&missing);
            if self.run.keeper().is_some() {
                self.joined.extend(&missing);
            }
            let mut touched: Vec<usize> = missing.into_iter().flat_map(|(u, v)| [u, v]).collect();
            touched.sort_unstable();
            touched.dedup();
            self.choose(&touched, false);
            self.descend(&touched)?;
        }
        Ok(())
    }

    /// How many pairs there are among those near a variable, on average.
    fn spread(&self) -> f64 {
        let d = self.state.size();
        let pairs = |v: usize| (1 + self.wide.near(v).len()).pow(2);
        (0..d).map(pairs).sum::<usize>() as f64 / d as f64
    }

    fn report(&self) -> Result<(), Error> {
        let (done, total) = (self.done, Some(self.restarts));
        let objective = Some(self.state.score());
        self.run.step(Progress { stage: "search for an order", done, total, objective })
    }
}
