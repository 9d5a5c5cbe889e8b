//! The greedy search where there are many variables: each is looked at with those near it alone.
//!
//! Which are near each other is found as in the search over orders ([`Wide`]). A step changes the
//! class around one edge, and only what can be done there is scored again; what is best of all is
//! kept in a tree. Memory is that of the pairs.

mod class;
mod greedy;
mod ledger;
mod paths;
mod tournament;

use super::FgesSearch;
use super::moves::{Candidate, Limits};
use super::search::Found;
use crate::core::{Error, Pdag, Progress, Run};
use crate::math::{Price, Problem};
use crate::methods::near::{Correlations, Wide};
use crate::methods::order_search::search::Prices;
use greedy::Greedy;

/// A rise of the score that counts; see the search with few variables.
const PROGRESS: f64 = super::search::PROGRESS;

/// What was just added for its gain must not go again because of rounding.
const ROUNDING: f64 = super::search::ROUNDING;

/// Times that pairs are looked for which are near each other by the parents found; once is usual.
const WIDENINGS: usize = 8;

/// Operations of looking at a pair.
const PAIR: f64 = 20.0;

/// The class that greedy steps lead to.
pub(super) fn search(
    problem: &Problem,
    (price, way): (Price, FgesSearch),
    run: &Run<'_>,
) -> Result<Found, Error> {
    let report = Progress { stage: "pairs of variables", done: 0, total: None, objective: None };
    run.step(report)?;
    let (near, left) = Wide::new(Correlations::new(problem, Prices::new(problem, price)));
    run.worked(PAIR * (problem.size() as f64).powi(2));
    let mut search = Search::new(Greedy::new(near, Limits::new(problem.rows(), price), run), &left);
    match way {
        FgesSearch::TwoPhase => {
            search.widen(|state| {
                while state.add_best()? {}
                Ok(())
            })?;
            while search.state.remove_best()? {}
        }
        FgesSearch::Thorough => {
            search.widen(Greedy::climb)?;
            // What the steps lead to may bring pairs together that were apart.
            while search.improve()? {
                search.widen(Greedy::climb)?;
            }
        }
    }
    let state = search.state;
    Ok(Found {
        class: Pdag::class_of(&state.class.to_dag()?),
        steps: state.steps,
        scored: state.additions.scored + state.removals.scored,
        limited: state.additions.limited || state.removals.limited,
        warnings: Vec::new(),
    })
}

/// The search with what is still to be tried.
struct Search<'a> {
    state: Greedy<'a>,
    /// The variables, those that the others explain least first: an order that does not depend on
    /// that of the columns.
    sequence: Vec<usize>,
    /// Variables that are to be attached anew, and those whose edges are to be questioned: what
    /// is around them changed since.
    detached: Vec<bool>,
    questioned: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(state: Greedy<'a>, left: &[f64]) -> Self {
        let mut sequence: Vec<usize> = (0..left.len()).collect();
        sequence.sort_by(|&a, &b| left[b].total_cmp(&left[a]).then(a.cmp(&b)));
        let all = vec![true; left.len()];
        Self { state, sequence, detached: all.clone(), questioned: all }
    }

    /// Steps until none helps, and looks for pairs that are near each other by the parents found.
    fn widen(&mut self, climb: impl Fn(&mut Greedy<'a>) -> Result<(), Error>) -> Result<(), Error> {
        for round in 0..=WIDENINGS {
            self.state.class.begin();
            climb(&mut self.state)?;
            let changed = self.state.class.end(true);
            self.again(&changed);
            let Greedy { near, class, .. } = &mut self.state;
            let mut missing = near.missing(|v| class.in_member(v));
            if round == 0 {
                missing.extend(near.two_apart(|v| class.in_member(v)));
            }
            if missing.is_empty() || round == WIDENINGS {
                break;
            }
            near.join(&missing);
            let mut joined: Vec<usize> = missing.into_iter().flat_map(|(u, v)| [u, v]).collect();
            joined.sort_unstable();
            joined.dedup();
            joined.iter().for_each(|&v| self.state.additions.mark(v));
            self.again(&joined);
        }
        Ok(())
    }

    /// Attaches variables anew, leaves edges out, and attaches both their ends anew, wherever
    /// something changed since that was tried; false when nothing came of it.
    fn improve(&mut self) -> Result<bool, Error> {
        let mut improved = false;
        loop {
            let detached = due(&mut self.detached, &self.sequence);
            for &v in &detached {
                let changed = self.state.reattach(&[v])?;
                improved |= self.took(changed);
            }
            if !detached.is_empty() {
                continue;
            }
            let questioned = due(&mut self.questioned, &self.sequence);
            if questioned.is_empty() {
                return Ok(improved);
            }
            improved |= self.question_edges(&questioned)?;
        }
    }

    /// Tries to do without each edge of some variables, the least useful first, and to attach both
    /// its ends anew.
    fn question_edges(&mut self, of: &[usize]) -> Result<bool, Error> {
        self.state.refresh_removals();
        let mut edges: Vec<(Candidate, usize)> = Vec::new();
        for &v in of {
            let own = self.state.class.around(v);
            for (x, y) in own.flat_map(|u| [(u, v), (v, u)]) {
                let cheapest = self.state.removals.at(y).cheapest(x);
                edges.extend(cheapest.map(|candidate| (candidate, y)));
            }
        }
        edges.sort_by(|a, b| b.cmp(a));
        edges.dedup();
        let mut paired: Vec<(usize, usize)> = Vec::new();
        let mut improved = false;
        for (Candidate { x, .. }, y) in edges {
            self.state.refresh_removals();
            if let Some(candidate) = self.state.removals.at(y).cheapest(x) {
                let changed = self.state.do_without(candidate, y)?;
                improved |= self.took(changed);
            }
            // Where an edge is undirected, both ends have it.
            let pair = (x.min(y), x.max(y));
            if let Err(at) = paired.binary_search(&pair) {
                paired.insert(at, pair);
                let changed = self.state.reattach(&[x, y])?;
                improved |= self.took(changed);
            }
        }
        Ok(improved)
    }

    /// What changed is to be tried again.
    fn took(&mut self, changed: Option<Vec<usize>>) -> bool {
        changed.inspect(|changed| self.again(changed)).is_some()
    }

    fn again(&mut self, changed: &[usize]) {
        for &v in changed {
            for u in self.state.class.around(v).chain([v]) {
                self.detached[u] = true;
                self.questioned[u] = true;
            }
        }
    }
}

/// Takes the marks off those that have one.
fn due(marks: &mut [bool], sequence: &[usize]) -> Vec<usize> {
    sequence.iter().copied().filter(|&v| std::mem::take(&mut marks[v])).collect()
}

#[cfg(test)]
mod tests;
