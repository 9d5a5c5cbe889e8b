//! Search over graphs with curves and networks as regressions: edges are turned around and variables
//! attached anew while the score falls.

use super::fit::{is_odd, rows_needed};
use super::fits::WIDE;
use super::local::{Halt, Local};
use crate::core::parallel::*;
use crate::core::{Dataset, Error, Fitted, Order, Run};
use crate::math::regress::Node;
use crate::math::{Price, Problem};

/// Edges that one move may turn around. A move with more is made of shorter ones.
const MOST: usize = 4;

/// A score must fall by this much. Scores are twice log-likelihoods.
const LEAST: f64 = 1.0;

/// A move that makes the score worse by more than this on some of the rows is not tried on all.
const HOPELESS: f64 = 10.0;

/// The same for a move between sums of curves, on all rows: a network may make up for less.
const CLEAR: f64 = 50.0;

/// One in so many variables with parents must be of that kind for shapes to count.
const SHARE: usize = 4;

/// What a search found: a graph, and an order of its variables.
pub(crate) struct Found {
    pub(crate) nodes: Vec<Fitted>,
    pub(crate) order: Vec<usize>,
    /// The score before the first move.
    pub(crate) score_before: f64,
    /// Moves that lowered the score.
    pub(crate) moves: u64,
    /// Networks that were fitted.
    pub(crate) fits: u64,
    /// Whether it stopped at its limit of fits.
    pub(crate) limited: bool,
}

impl Found {
    pub(crate) fn score(&self) -> f64 {
        self.nodes.iter().map(|node| node.score).sum()
    }

    /// All edges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(v, node)| node.parents.iter().map(move |&parent| (parent, v)))
    }

    /// The edges into variables whose fits are clearly better than a linear regression: their
    /// directions are determined.
    pub(crate) fn directed(&self, problem: &Problem) -> Vec<(usize, usize)> {
        // On straight effects a curve is a little better by chance; it must pay for one more.
        let margin = Price::extended(problem.rows() as f64, problem.size()).single();
        let curved = |v: usize| {
            let node = &self.nodes[v];
            node.score + margin < straight(problem, v, &node.parents)
        };
        let curved: Vec<bool> = (0..self.nodes.len()).map(curved).collect();
        self.edges().filter(|&(_, v)| curved[v]).collect()
    }
}

/// What a variable costs in a linear regression on these parents, by the same criterion as with a
/// network: its columns are standardised there too.
fn straight(problem: &Problem, variable: usize, parents: &[usize]) -> f64 {
    let n = problem.rows() as f64;
    let correlation = problem.correlation();
    let Some(node) = Node::new(correlation.as_ref(), variable, parents.to_vec()) else {
        return f64::INFINITY;
    };
    let price = Price::extended(n, problem.size()).single();
    n * libm::log(node.residual) + price * parents.len() as f64
}

/// Searches from the best of several orders.
///
/// The score of a graph is the sum over variables of [`Fitted::score`]. First every variable gets
/// its parents among all that are before it in an order. Then, while the score falls, the edge
/// `u -> v` is turned around in two ways, v before u and all between them, or u after v and all
/// between them; who loses a parent may take over parents of the other. At last every variable is
/// fitted on all that do not descend from it, and the search goes on if that helped. Variables
/// whose residuals are far from normal are put behind all others then, one at a time, and the
/// search goes on from there. Where the residuals of many are still not normal, [`Fitted::shape`]
/// is added to the score, and it goes on once more. It ends after a round in which the number of
/// fits has passed `most_fits`.
///
/// Who keeps the state of the run keeps the fits. A search that is taken up goes through its
/// decisions again with them.
///
/// All moves of a round are tried on several threads; those that have to do with different
/// variables are made together, the best first.
///
/// # Errors
/// [`Error::DifferentRows`] when the rows are not those of the problem, [`Error::TooFewRows`],
/// cancellation.
pub(crate) fn search(
    problem: &Problem,
    data: &Dataset,
    starts: &[Order],
    most_fits: Option<u64>,
    seed: u64,
    run: &Run<'_>,
) -> Result<Found, Error> {
    problem.check_rows(data, "rows for the search with networks")?;
    let needed = rows_needed(problem.size(), WIDE);
    if problem.rows() < needed {
        return Err(Error::TooFewRows { rows: problem.rows(), needed });
    }
    let local = Local::new(problem, data, seed, run)?;
    let mut search = Search { problem, local, shaped: false };
    let found = search.run(starts, most_fits);
    search.local.keep();
    found
}

/// All of them, or what stopped the first. Each is looked at: what all of them lack is wanted at once.
fn gathered<T>(found: impl IntoIterator<Item = Result<T, Halt>>) -> Result<Vec<T>, Halt> {
    let found: Vec<Result<T, Halt>> = found.into_iter().collect();
    found.into_iter().collect()
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

    /// Whether the errors of many variables with parents are not normal.
    fn is_shaped(&self) -> bool {
        let with_parents = self.nodes.iter().filter(|node| !node.parents.is_empty());
        let odd = with_parents.clone().filter(|node| is_odd(node)).count();
        odd > 0 && SHARE * odd >= with_parents.count()
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
    local: Local<'a>,
    /// Whether the shape of residuals counts.
    shaped: bool,
}

impl Search<'_> {
    fn run(&mut self, starts: &[Order], most_fits: Option<u64>) -> Result<Found, Error> {
        let mut state = self.best_start(starts)?;
        let score_before = state.score();
        let mut moves = self.descend(&mut state, most_fits)?;
        moves += self.restart(&mut state, most_fits)?;
        if state.is_shaped() {
            self.shaped = true;
            moves += self.descend(&mut state, most_fits)?;
        }
        self.add_faint(&mut state);
        let (Scored { nodes, order }, fits) = (state, self.local.count());
        let limited = self.is_over(most_fits);
        Ok(Found { nodes, order, score_before, moves, fits, limited })
    }

    fn is_over(&self, most_fits: Option<u64>) -> bool {
        most_fits.is_some_and(|most| self.local.count() >= most)
    }

    /// Makes moves while the score falls; how many.
    fn descend(&self, state: &mut Scored, most_fits: Option<u64>) -> Result<u64, Error> {
        let mut moves = 0;
        while !self.is_over(most_fits) {
            let made = match self.round(state, |state| self.reversals(state))? {
                0 => self.round(state, |state| self.attachments(state))?,
                made => made,
            };
            if made == 0 {
                break;
            }
            moves += made;
        }
        Ok(moves)
    }

    /// Tries to leave a local optimum: residuals that are far from normal say that a variable does
    /// not have its parents yet. Each such variable is put behind all others, which lets it have any,
    /// and the search goes on from there; what is better is kept. How many moves that were.
    fn restart(&self, state: &mut Scored, most_fits: Option<u64>) -> Result<u64, Error> {
        let (mut moves, mut tried) = (0, vec![false; state.nodes.len()]);
        loop {
            let odd = (0..tried.len()).filter(|&v| !tried[v] && is_odd(&state.nodes[v]));
            let oddest = odd.min_by(|&a, &b| state.nodes[a].shape.total_cmp(&state.nodes[b].shape));
            let Some(v) = oddest.filter(|_| !self.is_over(most_fits)) else { return Ok(moves) };
            tried[v] = true;
            let Some(mut other) = self.sunk(state, v)? else { continue };
            let made = self.descend(&mut other, most_fits)?;
            if self.total(&other) < self.total(state) - LEAST {
                *state = other;
                moves += made + 1;
            }
        }
    }

    /// The graph with a variable behind all others; none where it has no child or may not be there.
    fn sunk(&self, state: &Scored, v: usize) -> Result<Option<Scored>, Error> {
        let mut order: Vec<usize> = state.order.iter().copied().filter(|&w| w != v).collect();
        order.push(v);
        let changed: Vec<usize> = (0..order.len()).filter(|&w| w == v || state.has(v, w)).collect();
        if changed.len() == 1 || !self.allows(&order) {
            return Ok(None);
        }
        let fit = |&w: &usize| self.local.fit(w, &self.candidates(w, |i| precedes(&order, i, w)));
        let fitted = self.local.each(&changed, fit)?;
        let mut nodes = state.nodes.clone();
        for (w, node) in changed.into_iter().zip(fitted) {
            nodes[w] = node;
        }
        Ok(Some(Scored { nodes, order }))
    }

    fn total(&self, state: &Scored) -> f64 {
        state.nodes.iter().map(|node| self.cost(node)).sum()
    }

    /// What a variable counts for.
    fn cost(&self, node: &Fitted) -> f64 {
        node.score + if self.shaped { node.shape } else { 0.0 }
    }

    /// The start with the best score: of all rows, or of some where there are many.
    fn best_start(&self, starts: &[Order]) -> Result<Scored, Error> {
        let orders: Vec<Vec<usize>> = starts.iter().map(Order::sequence).collect();
        if let [order] = &orders[..] {
            return self.start(order);
        }
        let d = self.problem.size();
        let all: Vec<(usize, usize)> =
            (0..orders.len()).flat_map(|start| (0..d).map(move |j| (start, j))).collect();
        let scores = self.local.each(&all, |&(start, j)| {
            let before = self.candidates(j, |i| precedes(&orders[start], i, j));
            match self.local.quick(j, &before)? {
                Some(node) => Ok(node.score),
                None => self.local.fit(j, &before).map(|node| node.score),
            }
        })?;
        let mut best: Option<(f64, &[usize])> = None;
        for (order, scores) in orders.iter().zip(scores.chunks(d)) {
            let total: f64 = scores.iter().sum();
            if best.is_none_or(|(least, _)| total < least) {
                best = Some((total, order));
            }
        }
        let Some((_, order)) = best else { return Err(Error::Cancelled) };
        self.start(order)
    }

    /// Every variable with parents among all that are before it.
    fn start(&self, order: &[usize]) -> Result<Scored, Error> {
        let all: Vec<usize> = (0..order.len()).collect();
        let before = |j: usize| self.candidates(j, |i| precedes(order, i, j));
        let nodes = self.local.each(&all, |&j| self.local.fit(j, &before(j)))?;
        Ok(Scored { nodes, order: order.to_vec() })
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
        let moves = self.local.each(&edges, |&(u, v)| self.reversal(state, u, v))?;
        Ok(moves.into_iter().flatten().collect())
    }

    /// The ways to turn `u -> v` around.
    fn reversal(&self, state: &Scored, u: usize, v: usize) -> Result<Vec<Move>, Halt> {
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
                moves.push(self.rearranged(state, moved, partners, order));
            }
        };
        // v before all of them, or u after all of them.
        let order = [&before[..], &[v, u], &between, &after].concat();
        try_out(v, &with(u, &|w| state.has(w, v)), &order);
        if !between.is_empty() {
            let order = [&before[..], &between, &[v, u], &after].concat();
            try_out(u, &with(v, &|w| state.has(u, w)), &order);
        }
        Ok(gathered(moves)?.into_iter().flatten().collect())
    }

    /// The move after which `moved` stands on the other side of its neighbours `partners`: each of
    /// them may take over the parents of the other. None where some of the rows say that it does not
    /// help.
    fn rearranged(
        &self,
        state: &Scored,
        moved: usize,
        partners: &[usize],
        order: &[usize],
    ) -> Result<Option<Move>, Halt> {
        let parents = |v: usize| &state.nodes[v].parents;
        let candidates = |target: usize, others: &[usize]| {
            let near = |i: usize| {
                let mut both = others.iter().chain([&target]);
                others.contains(&i) || both.any(|&w| parents(w).contains(&i))
            };
            self.candidates(target, |i| near(i) && precedes(order, i, target))
        };
        let mut wanted = vec![(moved, candidates(moved, partners))];
        wanted.extend(partners.iter().map(|&partner| (partner, candidates(partner, &[moved]))));
        // Where curves are all that it takes now, they say first whether there is hope.
        if !self.shaped && wanted.iter().all(|&(v, _)| !state.nodes[v].network) {
            let change = |(v, candidates): &(usize, Vec<usize>)| {
                Ok(state.nodes[*v].score - self.local.curves(*v, candidates)?)
            };
            if gathered(wanted.iter().map(change))?.iter().sum::<f64>() < -CLEAR {
                return Ok(None);
            }
        }
        let tried = gathered(wanted.iter().flat_map(|(v, candidates)| {
            [self.local.quick(*v, parents(*v)), self.local.quick(*v, candidates)]
        }))?;
        let gain: f64 = tried
            .chunks(2)
            .filter_map(|pair| Some(self.cost(pair[0].as_ref()?) - self.cost(pair[1].as_ref()?)))
            .sum();
        if gain < -HOPELESS {
            return Ok(None);
        }
        let fitted = |(v, candidates): (usize, Vec<usize>)| {
            self.local.fit(v, &candidates).map(|node| (v, node))
        };
        let changes = gathered(wanted.into_iter().map(fitted))?;
        let gain =
            changes.iter().map(|(v, node)| self.cost(&state.nodes[*v]) - self.cost(node)).sum();
        Ok(Some(Move { gain, changes }))
    }

    /// Adds parents whose effects are faint, along the order found. The search does without them:
    /// it looks at many graphs, of which some would fit by chance. What a variable costs stays.
    fn add_faint(&self, state: &mut Scored) {
        let (order, nodes) = (&state.order, &mut state.nodes);
        // Where residuals are not normal the curves do not fit, and what they miss would look like
        // faint effects of others.
        let fits = |node: &Fitted| !node.network && !is_odd(node);
        nodes.par_iter_mut().enumerate().filter(|(_, node)| fits(node)).for_each(|(v, node)| {
            let before = self.candidates(v, |i| precedes(order, i, v));
            node.parents = self.local.with_faint(v, &node.parents, &before);
        });
    }

    /// Every variable with parents among all that do not descend from it.
    fn attachments(&self, state: &Scored) -> Result<Vec<Move>, Error> {
        let all: Vec<usize> = (0..state.nodes.len()).collect();
        self.local.each(&all, |&v| {
            let below = state.descendants(v);
            let node = self.local.fit(v, &self.candidates(v, |i| !below[i]))?;
            let gain = self.cost(&state.nodes[v]) - self.cost(&node);
            Ok(Move { gain, changes: vec![(v, node)] })
        })
    }
}
