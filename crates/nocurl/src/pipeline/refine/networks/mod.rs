//! Search over graphs with networks as regressions: edges are turned around and variables attached
//! anew while the score falls.

mod fit;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use self::fit::{Fitted, Fitter, MOST_UNITS, rows_needed};
use super::{Refined, Refinement};
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::{Action, Dataset, Error, Order, Progress, Run};
use crate::math::Problem;
use crate::math::networks::{self, Rows};
use crate::methods::{Directions, Facts, Needs, Task};

/// Edges that one move may turn around. A move with more is made of shorter ones.
const MOST: usize = 4;

/// A score must fall by this much. Scores are twice log-likelihoods.
const LEAST: f64 = 1.0;

/// BIC of networks as the score.
pub(super) struct Networks;

impl Refinement for Networks {
    fn facts(&self) -> Facts {
        Facts {
            name: "networks",
            phrase: "the search with networks",
            summary: "search over graphs with a network for each variable, for effects of any shape",
            directions: Directions::NonlinearEffects,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            depends_on_units: false,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "this project; prices after Zou, Hastie and Tibshirani, 2007",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // One network at a time for each thread; those of all variables are kept.
        networks::memory(MOST_UNITS, size)
    }

    fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error> {
        let what = || Error::NeedsRows { what: Action::set("refine", "networks") };
        let rows = task.rows.ok_or_else(what)?;
        search(task.problem, rows, start, task.seed, task.run)
    }
}

/// Searches from `start`.
///
/// The score of a graph is the sum over variables of [`Fitted::score`]. First every variable gets
/// its parents among all that are before it. Then, while the score falls, the edge `u -> v` is
/// turned around in two ways, v before u and all between them, or u after v and all between them;
/// who loses a parent may take over parents of the other. At last every variable is fitted on all
/// that do not descend from it, and the search goes on if that helped.
///
/// All moves of a round are tried on several threads; those that have to do with different
/// variables are made together, the best first.
///
/// # Errors
/// [`Error::DifferentRows`] when the rows are not those of the problem, [`Error::TooFewRows`],
/// cancellation.
fn search(
    problem: &Problem,
    rows: &Dataset,
    start: &Order,
    seed: u64,
    run: &Run<'_>,
) -> Result<Refined, Error> {
    problem.check_rows(rows, "rows for the search with networks")?;
    let needed = rows_needed(problem.size());
    if problem.rows() < needed {
        return Err(Error::TooFewRows { rows: problem.rows(), needed });
    }
    let rows = Rows::standardised(rows);
    let quiet = run.quiet();
    let search = Search {
        problem,
        fitter: Fitter::new(problem, &rows, seed, &quiet),
        fits: Mutex::default(),
        run,
    };
    let order = start.sequence();
    let fit = |j: usize| search.fit(j, search.candidates(j, |i| precedes(&order, i, j)));
    let nodes = (0..problem.size()).into_par_iter().map(fit).collect::<Result<Vec<_>, _>>()?;
    let mut state = Scored { nodes, order };
    let score_before = state.score();
    let mut moves = 0;
    loop {
        let made = match search.round(&mut state, |state| search.reversals(state))? {
            0 => search.round(&mut state, |state| search.attachments(state))?,
            made => made,
        };
        if made == 0 {
            break;
        }
        moves += made;
    }
    let score_after = state.score();
    let order = Order::strict(&state.order);
    let parents = Some(state.nodes.into_iter().map(|node| node.parents).collect());
    Ok(Refined { order, parents, score_before, score_after, moves })
}

fn precedes(order: &[usize], i: usize, j: usize) -> bool {
    order.iter().find(|&&v| v == i || v == j) == Some(&i) && i != j
}

/// A graph, and an order of its variables.
#[derive(Debug, Clone)]
struct Scored {
    nodes: Vec<Fitted>,
    order: Vec<usize>,
}

impl Scored {
    fn score(&self) -> f64 {
        self.nodes.iter().map(|node| node.score).sum()
    }

    fn has(&self, from: usize, to: usize) -> bool {
        self.nodes[to].parents.binary_search(&from).is_ok()
    }

    /// Marks what a directed path from `v` leads to, and `v`.
    fn descendants(&self, v: usize) -> Vec<bool> {
        let mut reached = vec![false; self.order.len()];
        reached[v] = true;
        for &w in &self.order {
            reached[w] |= self.nodes[w].parents.iter().any(|&parent| reached[parent]);
        }
        reached
    }

    /// Marks what has a directed path to `v`, and `v`.
    fn ancestors(&self, v: usize) -> Vec<bool> {
        let mut reached = vec![false; self.order.len()];
        reached[v] = true;
        for &w in self.order.iter().rev() {
            if reached[w] {
                self.nodes[w].parents.iter().for_each(|&parent| reached[parent] = true);
            }
        }
        reached
    }
}

/// Other parents for some variables.
struct Move {
    gain: f64,
    changes: Vec<(usize, Fitted)>,
}

struct Search<'a> {
    problem: &'a Problem,
    fitter: Fitter<'a>,
    /// What was fitted before: a fit depends on the variable and its candidates alone.
    fits: Mutex<BTreeMap<(usize, Vec<usize>), Fitted>>,
    run: &'a Run<'a>,
}

impl Search<'_> {
    fn fit(&self, target: usize, candidates: Vec<usize>) -> Result<Fitted, Error> {
        let lock = || self.fits.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (target, candidates);
        let known = lock().get(&key).cloned();
        if let Some(node) = known {
            return Ok(node);
        }
        let node = self.fitter.fit(target, &key.1)?;
        let mut fits = lock();
        fits.insert(key, node.clone());
        let (stage, done) = ("fitting networks", fits.len() as u64);
        self.run.step(Progress { stage, done, total: None, objective: None })?;
        Ok(node)
    }

    /// The variables with `may` that `target` may have as parents, in rising order.
    fn candidates(&self, target: usize, may: impl Fn(usize) -> bool) -> Vec<usize> {
        let known = |i| self.problem.knowledge().allows(i, target);
        (0..self.problem.size()).filter(|&i| i != target && may(i) && known(i)).collect()
    }

    /// Whether what is known lets the variables come in this order.
    fn allows(&self, order: &[usize]) -> bool {
        let knowledge = self.problem.knowledge();
        if knowledge.is_empty() {
            return true;
        }
        let later = |at: usize| &order[at + 1..];
        (0..order.len()).all(|at| later(at).iter().all(|&w| !knowledge.must_precede(w, order[at])))
    }

    /// Makes those of the moves that lower the score, as far as they have to do with different
    /// variables and leave no cycle; how many.
    fn round(
        &self,
        state: &mut Scored,
        moves: impl Fn(&Scored) -> Result<Vec<Move>, Error>,
    ) -> Result<u64, Error> {
        let mut moves = moves(state)?;
        moves.retain(|step| step.gain > LEAST);
        moves.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let mut touched = vec![false; state.nodes.len()];
        let mut made = 0;
        for step in moves {
            if step.changes.iter().any(|&(v, _)| touched[v]) {
                continue;
            }
            let mut nodes = state.nodes.clone();
            for (v, node) in &step.changes {
                nodes[*v] = node.clone();
            }
            let Some(order) = self.sorted(&nodes, &state.order) else { continue };
            step.changes.iter().for_each(|&(v, _)| touched[v] = true);
            *state = Scored { nodes, order };
            made += 1;
        }
        Ok(made)
    }

    /// An order with all parents first and in line with what is known, otherwise as in `before`;
    /// none where there is a cycle.
    fn sorted(&self, nodes: &[Fitted], before: &[usize]) -> Option<Vec<usize>> {
        let mut rest = before.to_vec();
        let mut order = Vec::with_capacity(rest.len());
        let mut placed = vec![false; rest.len()];
        let known = self.problem.knowledge();
        while !rest.is_empty() {
            let ready = |&v: &usize| {
                let earlier = |w: usize| known.must_precede(w, v);
                nodes[v].parents.iter().all(|&parent| placed[parent])
                    && rest.iter().all(|&w| !earlier(w))
            };
            let at = rest.iter().position(ready)?;
            let v = rest.remove(at);
            placed[v] = true;
            order.push(v);
        }
        Some(order)
    }

    /// Every edge turned around, in both ways.
    fn reversals(&self, state: &Scored) -> Result<Vec<Move>, Error> {
        let edges = state.nodes.iter().enumerate();
        let edges: Vec<(usize, usize)> =
            edges.flat_map(|(v, node)| node.parents.iter().map(move |&u| (u, v))).collect();
        let moves = edges.par_iter().map(|&(u, v)| self.reversal(state, u, v));
        Ok(moves.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The ways to turn `u -> v` around.
    fn reversal(&self, state: &Scored, u: usize, v: usize) -> Result<Vec<Move>, Error> {
        let (below, above) = (state.descendants(u), state.ancestors(v));
        let part = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            state.order.iter().copied().filter(|&w| keep(w)).collect()
        };
        let before = part(&|w| !below[w]);
        let between = part(&|w| below[w] && above[w] && w != u && w != v);
        let after = part(&|w| below[w] && !above[w]);
        let with = |other: usize, near: &dyn Fn(usize) -> bool| -> Vec<usize> {
            between.iter().copied().filter(|&w| near(w)).chain([other]).collect()
        };
        let mut moves = Vec::new();
        let mut try_out = |moved: usize, partners: &[usize], order: &[usize]| {
            if partners.len() <= MOST && self.allows(order) {
                moves.push(self.rearranged(state, moved, partners, order)?);
            }
            Ok(())
        };
        // v before all of them, or u after all of them.
        let order = [&before[..], &[v, u], &between, &after].concat();
        try_out(v, &with(u, &|w| state.has(w, v)), &order)?;
        if !between.is_empty() {
            let order = [&before[..], &between, &[v, u], &after].concat();
            try_out(u, &with(v, &|w| state.has(u, w)), &order)?;
        }
        Ok(moves)
    }

    /// The move after which `moved` stands on the other side of its neighbours `partners`: each of
    /// them may take over the parents of the other.
    fn rearranged(
        &self,
        state: &Scored,
        moved: usize,
        partners: &[usize],
        order: &[usize],
    ) -> Result<Move, Error> {
        let parents = |v: usize| &state.nodes[v].parents;
        let fitted = |target: usize, others: &[usize]| {
            let near = |i: usize| {
                let mut both = others.iter().chain([&target]);
                others.contains(&i) || both.any(|&w| parents(w).contains(&i))
            };
            let candidates = self.candidates(target, |i| near(i) && precedes(order, i, target));
            self.fit(target, candidates).map(|node| (target, node))
        };
        let mut changes = vec![fitted(moved, partners)?];
        for &partner in partners {
            changes.push(fitted(partner, &[moved])?);
        }
        let gain = changes.iter().map(|(v, node)| state.nodes[*v].score - node.score).sum();
        Ok(Move { gain, changes })
    }

    /// Every variable with parents among all that do not descend from it.
    fn attachments(&self, state: &Scored) -> Result<Vec<Move>, Error> {
        let attach = |v: usize| {
            let below = state.descendants(v);
            let node = self.fit(v, self.candidates(v, |i| !below[i]))?;
            Ok(Move { gain: state.nodes[v].score - node.score, changes: vec![(v, node)] })
        };
        (0..state.nodes.len()).into_par_iter().map(attach).collect()
    }
}
