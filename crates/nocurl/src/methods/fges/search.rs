//! The greedy search itself.

use std::sync::Arc;

use super::FgesSearch;
use super::class::Class;
use super::moves::{Candidate, Moves, Score, Scorer};
use crate::core::advice::{Action, Text};
use crate::core::graph::bits::{self, BitMatrix, members};
use crate::core::parallel::*;
use crate::core::{Error, Mat, Pdag, Progress, Run, Targets};
use crate::math::local::Local;
use crate::math::{Price, Problem};

/// A rise of the score that counts, in units of twice the log-likelihood: far more than rounding can
/// feign where variables are nearly collinear, far less than an edge is worth.
pub(super) const PROGRESS: f64 = 0.01;

/// What was just added for its gain must not go again because of rounding.
pub(super) const ROUNDING: f64 = 1e-4;

/// What the search found.
pub(in crate::methods) struct Found {
    pub(in crate::methods) class: Pdag,
    pub(in crate::methods) steps: u64,
    pub(in crate::methods) scored: u64,
    /// True when some ways to change the class were too many to try.
    pub(in crate::methods) limited: bool,
    pub(in crate::methods) warnings: Vec<Text>,
}

impl Found {
    /// Says so where ways to change the class were too many.
    pub(super) fn with_warning(mut self, problem: &Problem, price: Price) -> Self {
        if self.limited {
            let twice = (2.0 * price.single() / (problem.rows() as f64).ln()).round();
            self.warnings.push(
                Text::new(
                    "some variables had so many undirected neighbours that not all ways to add or \
                     remove an edge were tried; a sparser graph has fewer of them: use ",
                )
                .act(Action::set_parameter("penalty", twice)),
            );
        }
        self
    }
}

/// Searches among graphs whose edges are all between pairs that `allowed` holds.
pub(in crate::methods) fn search(
    problem: &Problem,
    local: Option<&dyn Local>,
    (price, search): (Price, FgesSearch),
    allowed: Option<&BitMatrix>,
    run: &Run<'_>,
) -> Result<Found, Error> {
    let targets = problem.experiments().map(|all| Arc::new(all.targets().clone()));
    let sources = targets.as_ref().map(|targets| no_cause_of(problem.size(), targets.condition));
    let allowed = allowed.or(sources.as_ref());
    let correlation = if local.is_none() { problem.correlation() } else { Mat::new() };
    let scorer = match local {
        None => Scorer::new(correlation.as_ref(), problem.rows(), price, allowed),
        Some(local) => Scorer::by(local, price, allowed),
    };
    Ok(greedy_within(&scorer, search, targets, run)?.with_warning(problem, price))
}

/// Pairs that may have an edge where nothing acts on one variable.
fn no_cause_of(size: usize, condition: usize) -> BitMatrix {
    let mut pairs = BitMatrix::new(size);
    for y in (0..size).filter(|&y| y != condition) {
        (0..size).filter(|&x| x != y).for_each(|x| pairs.insert(y, x));
    }
    pairs
}

/// Searches by any score.
pub(in crate::methods) fn greedy(
    scorer: &dyn Score,
    search: FgesSearch,
    run: &Run<'_>,
) -> Result<Found, Error> {
    greedy_within(scorer, search, None, run)
}

/// The same over interventional classes where there are targets, as Hauser and Bühlmann,
/// *Characterization and greedy learning of interventional Markov equivalence classes*, JMLR 13
/// (2012).
fn greedy_within(
    scorer: &dyn Score,
    search: FgesSearch,
    targets: Option<Arc<Targets>>,
    run: &Run<'_>,
) -> Result<Found, Error> {
    let mut state = Greedy::new(scorer, targets, run);
    match search {
        FgesSearch::TwoPhase => {
            while state.add_best()? {}
            while state.remove_best()? {}
        }
        FgesSearch::Thorough => {
            state.climb()?;
            while state.reattach_all()? || state.question_edges()? {}
        }
    }
    // A score may end early when the work is to stop.
    if run.is_stopped() {
        return Err(Error::Cancelled);
    }
    let (steps, scored, limited) = (state.steps, state.scored, state.limited);
    Ok(Found { class: state.class.to_pdag()?, steps, scored, limited, warnings: Vec::new() })
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Addition,
    Removal,
}

/// A class with everything that can be done to it.
struct Greedy<'a> {
    scorer: &'a dyn Score,
    run: &'a Run<'a>,
    class: Class,
    additions: Vec<Moves>,
    removals: Vec<Moves>,
    /// Variables whose removals are out of date.
    stale: Vec<u64>,
    /// A pair that gets no edge for the time being.
    banned: Option<(usize, usize)>,
    /// Moves that were replaced, the latest last, while there may be a way back.
    journal: Option<Vec<(Kind, usize, Moves)>>,
    /// How much twice the log-likelihood, less the penalties, has risen.
    gain: f64,
    steps: u64,
    scored: u64,
    limited: bool,
}

impl<'a> Greedy<'a> {
    fn new(scorer: &'a dyn Score, targets: Option<Arc<Targets>>, run: &'a Run<'a>) -> Self {
        let d = scorer.size();
        let no_moves = || (0..d).map(|_| Moves::default()).collect();
        let mut state = Self {
            scorer,
            run,
            class: Class::empty(d, targets),
            additions: no_moves(),
            removals: no_moves(),
            stale: bits::empty(d),
            banned: None,
            journal: None,
            gain: 0.0,
            steps: 0,
            scored: 0,
            limited: false,
        };
        state.rescore_additions(&bits::set_of(d, 0..d));
        state
    }

    /// Removals and additions until none helps, removals first.
    ///
    /// Among collinear columns rounding can make an edge pay both when it comes and when it goes;
    /// the limit, more than every pair could need, ends that.
    fn climb(&mut self) -> Result<(), Error> {
        let limit = self.steps + 100 + (self.class.size() * self.class.size()) as u64;
        while self.steps < limit && (self.remove_best()? || self.add_best()?) {}
        Ok(())
    }

    /// Attaches each variable anew; false when nothing came of it.
    fn reattach_all(&mut self) -> Result<bool, Error> {
        let mut improved = false;
        for v in 0..self.class.size() {
            improved |= self.reattach(&[v])?;
        }
        Ok(improved)
    }

    /// Tries to do without each edge, the least useful first, and to attach both its ends anew;
    /// false when nothing came of it.
    fn question_edges(&mut self) -> Result<bool, Error> {
        self.rescore_removals();
        let mut edges: Vec<(Candidate, usize)> = Vec::new();
        for (y, moves) in self.removals.iter().enumerate() {
            for x in members(self.class.adjacent.row(y)) {
                edges.extend(moves.cheapest(x).map(|candidate| (candidate, y)));
            }
        }
        edges.sort_by(|a, b| b.cmp(a));
        // Where an edge is undirected, both ends have it.
        let mut paired = BitMatrix::new(self.class.size());
        let mut improved = false;
        for (Candidate { x, .. }, y) in edges {
            self.rescore_removals();
            if let Some(candidate) = self.removals[y].cheapest(x) {
                improved |= self.do_without(candidate, y)?;
            }
            if !paired.has(x, y) {
                improved |= self.reattach(&[x, y])?;
            }
            paired.insert(x, y);
            paired.insert(y, x);
        }
        Ok(improved)
    }

    /// Takes away all edges of some variables, the least useful first, and climbs from there.
    fn reattach(&mut self, variables: &[usize]) -> Result<bool, Error> {
        self.attempt(|state| {
            for &v in variables {
                while let Some((candidate, y)) = state.cheapest_edge_of(v) {
                    state.remove(candidate, y)?;
                    state.rescore_removals();
                }
            }
            state.climb()
        })
    }

    /// Takes away an edge and climbs, first without it and then with it.
    fn do_without(&mut self, candidate: Candidate, y: usize) -> Result<bool, Error> {
        self.attempt(|state| {
            state.remove(candidate, y)?;
            state.banned = Some((candidate.x, y));
            let climbed = state.climb();
            state.banned = None;
            climbed.and_then(|()| state.climb())
        })
    }

    /// Changes the class and goes back unless that ends higher.
    fn attempt(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        self.rescore_removals();
        let (class, gain) = (self.class.clone(), self.gain);
        self.journal = Some(Vec::new());
        change(self)?;
        let journal = self.journal.take().unwrap_or_default();
        // The sum of gains drifts where columns are collinear, and would rise for ever; the score
        // of the class itself cannot.
        if self.gain > gain + PROGRESS {
            let score =
                |class: &Class| Ok::<_, Error>(self.scorer.score(&class.to_pdag()?.to_dag()?));
            if let (Some(before), Some(after)) = (score(&class)?, score(&self.class)?)
                && after > before + PROGRESS
            {
                return Ok(true);
            }
        }
        (self.class, self.gain) = (class, gain);
        for (kind, y, moves) in journal.into_iter().rev() {
            self.moves_mut(kind)[y] = moves;
        }
        Ok(false)
    }

    /// The edge of `v` whose removal costs least.
    fn cheapest_edge_of(&self, v: usize) -> Option<(Candidate, usize)> {
        let own = self.removals[v].heap.peek().map(|&candidate| (candidate, v));
        members(self.class.adjacent.row(v))
            .filter_map(|y| Some((self.removals[y].cheapest(v)?, y)))
            .chain(own)
            .max()
    }

    /// Adds the edge that gains most; false when none gains.
    fn add_best(&mut self) -> Result<bool, Error> {
        let mut best: Option<(Candidate, usize)> = None;
        for y in 0..self.class.size() {
            let bound = best.map_or(self.scorer.bound(), |(candidate, _)| candidate.value);
            if let Some(candidate) = self.best_addition(y, bound) {
                best = Some((candidate, y));
            }
        }
        match best {
            Some((candidate, y)) => self.add(candidate, y).map(|()| true),
            None => Ok(false),
        }
    }

    /// The best valid addition at `y` that is better than `bound`.
    fn best_addition(&mut self, y: usize, bound: f64) -> Option<Candidate> {
        let (class, moves) = (&self.class, &mut self.additions[y]);
        let path = |cliques: &[Vec<usize>], candidate: &Candidate| {
            let clique = cliques[candidate.clique].iter().copied();
            class.path(y, candidate.x, &bits::set_of(class.size(), clique))
        };
        // What was blocked is free again once its path is broken and there is no other.
        let mut k = 0;
        while k < moves.blocked.len() {
            let (candidate, old) = &moves.blocked[k];
            if candidate.value > bound && !class.is_open(old) {
                match path(&moves.cliques, candidate) {
                    Some(new) => moves.blocked[k].1 = new,
                    None => {
                        moves.heap.push(moves.blocked.swap_remove(k).0);
                        continue;
                    }
                }
            }
            k += 1;
        }
        let is_banned = |x| self.banned == Some((x, y)) || self.banned == Some((y, x));
        let (mut best, mut aside) = (None, Vec::new());
        while let Some(&candidate) = moves.heap.peek().filter(|top| top.value > bound) {
            if is_banned(candidate.x) {
                aside.extend(moves.heap.pop());
                continue;
            }
            let Some(path) = path(&moves.cliques, &candidate) else {
                best = Some(candidate);
                break;
            };
            moves.heap.pop();
            moves.blocked.push((candidate, path));
        }
        moves.heap.extend(aside);
        best
    }

    /// Removes the edge that gains most; false when none gains.
    fn remove_best(&mut self) -> Result<bool, Error> {
        self.rescore_removals();
        let bound = -self.scorer.bound() * (1.0 - ROUNDING);
        let tops = self.removals.iter().enumerate();
        let best = tops.filter_map(|(y, moves)| Some((*moves.heap.peek()?, y))).max();
        match best.filter(|(candidate, _)| candidate.value > bound) {
            Some((candidate, y)) => self.remove(candidate, y).map(|()| true),
            None => Ok(false),
        }
    }

    fn add(&mut self, candidate: Candidate, y: usize) -> Result<(), Error> {
        let Candidate { x, clique, value } = candidate;
        let before = self.class.clone();
        let clique = &self.additions[y].cliques[clique];
        self.class.insert(x, y, clique.iter().copied().filter(|&t| !before.adjacent.has(x, t)));
        self.gain += self.scorer.gain(value);
        self.step(&before, x, y, "adding edges")
    }

    fn remove(&mut self, candidate: Candidate, y: usize) -> Result<(), Error> {
        let Candidate { x, clique, value } = candidate;
        let before = self.class.clone();
        let stays = &self.removals[y].cliques[clique];
        let shared = bits::both(before.neighbours.row(y), before.adjacent.row(x));
        self.class.delete(x, y, members(&shared).filter(|h| !stays.contains(h)));
        self.gain -= self.scorer.gain(-value);
        self.step(&before, x, y, "removing edges")
    }

    /// Completes the graph after the edge between `x` and `y` came or went, and scores anew what
    /// that touched: variables with other parents or neighbours, and the neighbours of both.
    fn step(&mut self, old: &Class, x: usize, y: usize, stage: &'static str) -> Result<(), Error> {
        self.steps += 1;
        let progress = Progress { stage, done: self.steps, total: None, objective: None };
        self.run.step(progress)?;
        self.class.complete()?;
        self.run.worked((self.class.size() as f64).powi(2));
        let new = &self.class;
        let changed = (0..new.size()).filter(|&v| {
            v == x
                || v == y
                || old.parents.row(v) != new.parents.row(v)
                || old.neighbours.row(v) != new.neighbours.row(v)
        });
        let mut touched = bits::set_of(new.size(), changed);
        for near in [&old.neighbours, &new.neighbours] {
            bits::include(&mut touched, near.row(x));
            bits::include(&mut touched, near.row(y));
        }
        bits::include(&mut self.stale, &touched);
        self.rescore_additions(&touched);
        Ok(())
    }

    fn rescore_additions(&mut self, which: &[u64]) {
        let (scorer, class) = (self.scorer, &self.class);
        let scored = for_each(which, scorer.worthwhile(), |y| scorer.additions(class, y));
        self.keep(scored, Kind::Addition);
    }

    fn rescore_removals(&mut self) {
        let which = std::mem::replace(&mut self.stale, bits::empty(self.class.size()));
        let (scorer, class) = (self.scorer, &self.class);
        let scored = for_each(&which, scorer.worthwhile(), |y| scorer.removals(class, y));
        self.keep(scored, Kind::Removal);
    }

    fn keep(&mut self, scored: Vec<(usize, Moves)>, kind: Kind) {
        for (y, moves) in scored {
            self.scored += moves.scored;
            self.run.worked(moves.scored as f64 * self.scorer.operations());
            self.limited |= moves.limited;
            let old = std::mem::replace(&mut self.moves_mut(kind)[y], moves);
            if let Some(journal) = &mut self.journal {
                journal.push((kind, y, old));
            }
        }
    }

    fn moves_mut(&mut self, kind: Kind) -> &mut [Moves] {
        match kind {
            Kind::Addition => &mut self.additions,
            Kind::Removal => &mut self.removals,
        }
    }
}

/// Moves of the variables of a set, in the order of the variables; in parallel where there are
/// enough for that to pay.
fn for_each(
    which: &[u64],
    worthwhile: usize,
    moves: impl Fn(usize) -> Moves + Sync,
) -> Vec<(usize, Moves)> {
    let which: Vec<usize> = members(which).collect();
    let scored = |&y: &usize| (y, moves(y));
    if which.len() < worthwhile {
        which.iter().map(scored).collect()
    } else {
        which.par_iter().map(scored).collect()
    }
}
