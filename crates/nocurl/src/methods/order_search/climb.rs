//! One search from a start, and what several of them find together.

use super::search::{Node, PROGRESS, Score, Search, State};
use super::start::disturb;
use super::{MOST_FOR_RUNS, graph_of, proposal};
use crate::core::parallel::*;
use crate::core::random::stream;
use crate::core::{Error, Keeper, Pdag, Progress, Run, TrainingState, is_count, unfit};
use crate::math::{Price, Problem};
use crate::methods::{Proposal, RunnerUp, SearchReport};

/// Restarts that run at once, each from the best order before them. More would use more threads,
/// and lose improvements that two of them find apart.
const BATCH: u64 = 8;

/// One search: a start, and restarts around the best order so far.
pub(super) struct Climb<'a, S: Score> {
    pub(super) model: &'a S,
    pub(super) restarts: u64,
    pub(super) seed: u64,
    pub(super) run: &'a Run<'a>,
}

impl<S: Score> Climb<'_, S> {
    pub(super) fn report(
        &self,
        number: u64,
        done: u64,
        state: Option<&State<S::Node>>,
    ) -> Result<(), Error> {
        let done = number * self.restarts + done;
        let (stage, total) = ("search for an order", Some((number + 1) * self.restarts));
        self.run.step(Progress { stage, done, total, objective: state.map(State::score) })
    }

    /// Goes through all restarts that are left of a search, and adds what that finds to what the
    /// searches before it found.
    pub(super) fn go_on(&self, log: &mut Log<'_, S::Node>) -> Result<(), Error> {
        let number = log.journal.all.runs;
        while log.journal.done < self.restarts {
            let Journal { found, done, .. } = &mut log.journal;
            self.report(number, *done, found.best.as_ref())?;
            let batch = *done..(*done + BATCH).min(self.restarts);
            let end = batch.end;
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
            *done = end;
            log.keep_when_due();
        }
        let found = &log.journal.found;
        let (mut best, mut moves) = (found.best.clone().expect("the start is one"), 0);
        let mut search = Search::new(self.model);
        loop {
            moves += search.descend(&mut best, self.run)?;
            match search.polish(&mut best, self.run)? {
                0 => break,
                more => moves += more,
            }
        }
        log.journal.found.moves += moves;
        log.journal.found.best = Some(best);
        log.journal.join();
        Ok(())
    }
}

/// A search so far, from which it goes on to the same end.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Journal<N> {
    /// What the searches before found.
    all: Found<N>,
    /// What the present one has found, if it has started.
    found: Found<N>,
    /// Its restarts that are over.
    done: u64,
}

impl<N: Node> Journal<N> {
    fn join(&mut self) {
        self.all.join(std::mem::take(&mut self.found));
        self.done = 0;
    }

    fn restarts(&self) -> u64 {
        self.all.restarts + self.done
    }

    fn is_sound(&self, size: usize) -> bool {
        let started = self.found.best.is_some() || self.done == 0;
        started && is_count(self.done) && self.all.is_sound(size) && self.found.is_sound(size)
    }
}

/// Keeps a search between its batches of restarts.
pub(super) struct Log<'a, N> {
    keeper: Option<&'a dyn Keeper>,
    journal: Journal<N>,
}

impl<'a, N: Node> Log<'a, N> {
    /// Starts from what the keeper of the run has, if that is of so many variables.
    pub(super) fn open(run: &Run<'a>, size: usize) -> Result<Self, Error> {
        let keeper = run.keeper();
        let journal: Journal<N> = match keeper.and_then(Keeper::state) {
            None => Journal::default(),
            Some(state) => state.decode()?,
        };
        if journal.is_sound(size) { Ok(Self { keeper, journal }) } else { Err(unfit()) }
    }

    /// What all searches that are over have found.
    pub(super) fn all(&self) -> &Found<N> {
        &self.journal.all
    }

    /// True in the middle of a search.
    pub(super) fn is_started(&self) -> bool {
        self.journal.found.best.is_some()
    }

    /// Begins another search here.
    pub(super) fn start(&mut self, (state, moves): (State<N>, u64)) {
        self.journal.found = Found { moves, ..Found::default() };
        self.journal.found.add(state);
    }

    fn keep_when_due(&self) {
        if self.keeper.is_some_and(Keeper::is_due) {
            self.keep();
        }
    }

    /// Keeps what was found, if restarts were among it.
    pub(super) fn keep(&self) {
        if let (Some(keeper), restarts @ 1..) = (self.keeper, self.journal.restarts()) {
            keeper.keep(&TrainingState::new(format!("{restarts} restarts"), &self.journal));
        }
    }

    pub(super) fn into_found(self) -> Found<N> {
        self.journal.all
    }
}

/// What searches have found together.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Found<N> {
    /// Searches that were independent of each other, and how many ended at the best score.
    pub(super) runs: u64,
    pub(super) agreed: u64,
    restarts: u64,
    /// Restarts that ended at the best score.
    reached: u64,
    moves: u64,
    best: Option<State<N>>,
    /// The best with another score.
    next: Option<State<N>>,
}

impl<N> Default for Found<N> {
    fn default() -> Self {
        Self { runs: 0, agreed: 0, restarts: 0, reached: 0, moves: 0, best: None, next: None }
    }
}

impl<N: Node> Found<N> {
    fn is_sound(&self, size: usize) -> bool {
        let counts = [self.runs, self.agreed, self.restarts, self.reached, self.moves];
        let mut states = self.best.iter().chain(&self.next);
        counts.into_iter().all(is_count)
            && (self.best.is_some() || counts == [0; 5] && self.next.is_none())
            && states.all(|state| state.is_sound(size))
    }

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
    pub(super) fn proposal(self, problem: &Problem, price: Price) -> Result<Proposal, Error> {
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
            price: Some(price.single()),
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
