//! Steps from class to class, and attempts that may be taken back.

use super::super::moves::{Candidate, Limits};
use super::class::Class;
use super::ledger::Ledger;
use super::paths::Paths;
use super::{PROGRESS, ROUNDING};
use crate::core::{Error, Progress, Run};
use crate::methods::near::{Correlations, Wide};

/// A class with everything that can be done to it.
pub(super) struct Greedy<'a> {
    pub(super) near: Wide<Correlations<'a>>,
    limits: Limits,
    run: &'a Run<'a>,
    pub(super) class: Class,
    paths: Paths,
    pub(super) additions: Ledger,
    pub(super) removals: Ledger,
    /// For each variable those with an addition that a path through it blocks, in rising order.
    watchers: Vec<Vec<u32>>,
    /// A pair that gets no edge for the time being.
    banned: Option<(usize, usize)>,
    /// How much twice the log-likelihood, less the penalties, has risen.
    gain: f64,
    pub(super) steps: u64,
}

/// Operations of a step: what it touched is scored anew.
const STEP: f64 = 25_000.0;

impl<'a> Greedy<'a> {
    pub(super) fn new(near: Wide<Correlations<'a>>, limits: Limits, run: &'a Run<'a>) -> Self {
        let d = near.size();
        Self {
            near,
            limits,
            run,
            class: Class::empty(d),
            paths: Paths::new(d),
            additions: Ledger::new(d),
            removals: Ledger::new(d),
            watchers: vec![Vec::new(); d],
            banned: None,
            gain: 0.0,
            steps: 0,
        }
    }

    /// Removals and additions until none helps, removals first.
    pub(super) fn climb(&mut self) -> Result<(), Error> {
        // More than every pair that is near could need: among collinear columns rounding can make
        // an edge pay both when it comes and when it goes.
        let limit = self.steps + 100 + self.near.pairs() as u64;
        while self.steps < limit && (self.remove_best()? || self.add_best()?) {}
        Ok(())
    }

    /// Adds the edge that gains most; false when none gains.
    pub(super) fn add_best(&mut self) -> Result<bool, Error> {
        self.refresh_additions();
        while let Some((candidate, y)) = self.additions.best(self.limits.bound) {
            let x = candidate.x;
            let path = match self.banned {
                Some(pair) if pair == (x, y) || pair == (y, x) => Some(Vec::new()),
                _ => {
                    let clique = &self.additions.at(y).cliques[candidate.clique];
                    self.paths.find(&self.class, y, x, clique)
                }
            };
            let Some(path) = path else { return self.add(candidate, y).map(|()| true) };
            self.watch(y, &path);
            self.additions.change(y, |moves| {
                moves.heap.pop();
                moves.blocked.push((candidate, path));
            });
        }
        Ok(false)
    }

    /// Removes the edge that gains most; false when none gains.
    pub(super) fn remove_best(&mut self) -> Result<bool, Error> {
        self.refresh_removals();
        match self.removals.best(-self.limits.bound * (1.0 - ROUNDING)) {
            Some((candidate, y)) => self.remove(candidate, y).map(|()| true),
            None => Ok(false),
        }
    }

    /// Takes away all edges of some variables, the least useful first, and climbs from there.
    /// Returns what changed if that ends higher.
    pub(super) fn reattach(&mut self, variables: &[usize]) -> Result<Option<Vec<usize>>, Error> {
        self.attempt(|state| {
            for &v in variables {
                while let Some((candidate, y)) = state.cheapest_edge_of(v) {
                    state.remove(candidate, y)?;
                    state.refresh_removals();
                }
            }
            state.climb()
        })
    }

    /// Takes away an edge and climbs, first without it and then with it.
    pub(super) fn do_without(
        &mut self,
        candidate: Candidate,
        y: usize,
    ) -> Result<Option<Vec<usize>>, Error> {
        self.attempt(|state| {
            state.remove(candidate, y)?;
            state.banned = Some((candidate.x, y));
            let climbed = state.climb();
            state.banned = None;
            for end in [candidate.x, y] {
                state.additions.change(end, |moves| {
                    let free = moves.blocked.extract_if(.., |(_, path)| path.is_empty());
                    moves.heap.extend(free.map(|(candidate, _)| candidate));
                });
            }
            climbed.and_then(|()| state.climb())
        })
    }

    /// Changes the class and goes back unless that ends higher; returns what changed then.
    fn attempt(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<Option<Vec<usize>>, Error> {
        self.refresh_removals();
        self.refresh_additions();
        let gain = self.gain;
        self.class.begin();
        self.additions.begin();
        self.removals.begin();
        change(self)?;
        // The sum of gains drifts where columns are collinear, and would rise for ever; the score
        // of the class itself cannot.
        let is_better =
            self.gain > gain + PROGRESS && self.rise().is_some_and(|rise| rise > PROGRESS);
        let touched = self.class.end(is_better);
        if is_better {
            self.additions.keep();
            self.removals.keep();
            return Ok(Some(touched));
        }
        self.gain = gain;
        self.removals.undo();
        for y in self.additions.undo() {
            self.recheck(y);
        }
        self.reopen(&touched);
        Ok(None)
    }

    /// How much the score has risen since the attempt began.
    fn rise(&self) -> Option<f64> {
        let s = &self.near.correlations;
        let mut rise = 0.0;
        for (v, before) in self.class.differences() {
            let now = self.class.in_member(v).to_vec();
            rise += self.limits.score(&s, v, now)? - self.limits.score(&s, v, before.to_vec())?;
        }
        Some(rise)
    }

    /// The edge of `v` whose removal costs least.
    fn cheapest_edge_of(&self, v: usize) -> Option<(Candidate, usize)> {
        let own = self.removals.at(v).heap.peek().map(|&candidate| (candidate, v));
        let others = self.class.around(v);
        others.filter_map(|y| Some((self.removals.at(y).cheapest(v)?, y))).chain(own).max()
    }

    fn add(&mut self, candidate: Candidate, y: usize) -> Result<(), Error> {
        let Candidate { x, clique, value } = candidate;
        self.touch_around(x, y);
        self.class.insert(x, y, &self.additions.at(y).cliques[clique]);
        self.gain += self.limits.gain(value);
        self.step(x, y, "adding edges")
    }

    fn remove(&mut self, candidate: Candidate, y: usize) -> Result<(), Error> {
        let Candidate { x, clique, value } = candidate;
        self.touch_around(x, y);
        self.class.delete(x, y, &self.removals.at(y).cliques[clique]);
        self.gain -= self.limits.gain(-value);
        self.step(x, y, "removing edges")
    }

    /// What the edge of `x` and `y` touched once it came or went: variables with other parents or
    /// neighbours, and the neighbours of both.
    fn step(&mut self, x: usize, y: usize, stage: &'static str) -> Result<(), Error> {
        self.steps += 1;
        self.run.step(Progress { stage, done: self.steps, total: None, objective: None })?;
        self.run.worked(STEP);
        self.touch_around(x, y);
        let mut changed = self.class.changed();
        changed.extend([x, y]);
        changed.sort_unstable();
        changed.dedup();
        for &v in &changed {
            self.touch(v);
        }
        self.reopen(&changed);
        Ok(())
    }

    fn touch_around(&mut self, x: usize, y: usize) {
        for v in [x, y] {
            for k in 0..self.class.neighbours(v).len() {
                self.touch(self.class.neighbours(v)[k]);
            }
        }
    }

    fn touch(&mut self, v: usize) {
        self.additions.mark(v);
        self.removals.mark(v);
    }

    fn watch(&mut self, y: usize, path: &[usize]) {
        for &v in path.iter().rev().skip(1) {
            let list = &mut self.watchers[v];
            if let Err(at) = list.binary_search(&(y as u32)) {
                list.insert(at, y as u32);
            }
        }
    }

    /// Additions that paths through these variables blocked are open again where these are broken.
    fn reopen(&mut self, changed: &[usize]) {
        for &v in changed {
            let mut list = std::mem::take(&mut self.watchers[v]);
            list.retain(|&y| self.free(y as usize, Some(v)));
            self.watchers[v] = list;
        }
    }

    /// The same for all additions at a variable, with paths that may have been forgotten.
    fn recheck(&mut self, y: usize) {
        self.free(y, None);
        for k in 0..self.additions.at(y).blocked.len() {
            let path = self.additions.at(y).blocked[k].1.clone();
            self.watch(y, &path);
        }
    }

    /// Frees what broken paths blocked at a variable; true when a path through `by` is left.
    fn free(&mut self, y: usize, by: Option<usize>) -> bool {
        let class = &self.class;
        let is_broken = |path: &[usize]| !class.is_open(path);
        if self.additions.at(y).blocked.iter().any(|(_, path)| is_broken(path)) {
            self.additions.change(y, |moves| {
                let free = moves.blocked.extract_if(.., |(_, path)| is_broken(path));
                moves.heap.extend(free.map(|(candidate, _)| candidate));
            });
        }
        let through = |v: usize| {
            let mut blocked = self.additions.at(y).blocked.iter();
            blocked.any(|(_, path)| path.contains(&v))
        };
        by.is_some_and(through)
    }

    pub(super) fn refresh_additions(&mut self) {
        let (near, limits, class) = (&self.near, self.limits, &self.class);
        let score =
            |y: usize| limits.additions(&near.correlations, class, y, near.near(y), |_| true);
        self.additions.refresh(score);
    }

    pub(super) fn refresh_removals(&mut self) {
        let (near, limits, class) = (&self.near, self.limits, &self.class);
        self.removals.refresh(|y| limits.removals(&near.correlations, class, y));
    }
}
