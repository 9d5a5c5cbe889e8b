//! Order search on the Bayesian information criterion.

use faer::{Mat, MatRef};

use super::Refined;
use crate::algorithms::Problem;
use crate::graph::bits::members;
use crate::observe::checkpoint;
use crate::regress::Node;
use crate::{Error, Knowledge, Observer, Order, Progress};

/// A fall of the score that counts; scores are in units of log-likelihood times two.
const PROGRESS: f64 = 1e-6;

/// Moves each variable in turn to the place where the BIC of the order is smallest, until no move
/// helps. The BIC of an order is the sum over variables of `n log(residual variance) +
/// parents * log n`, with parents chosen among the variables before by adding and removing one at
/// a time.
///
/// A variable travels by swaps of neighbours. A swap changes what two variables may have as
/// parents, and their parents are searched anew, from those they had, only where that matters.
pub(super) fn search(
    problem: &Problem,
    start: &Order,
    observer: &dyn Observer,
) -> Result<Refined, Error> {
    let model = Model::new(problem);
    let mut state = State::new(&model, start.sequence()).ok_or_else(|| problem.singular())?;
    let score_before = state.score();
    let (mut moves, mut round) = (0, 0);
    loop {
        let mut improved = false;
        for v in 0..problem.size() {
            if state.move_to_best(v).ok_or_else(|| problem.singular())? {
                moves += 1;
                improved = true;
            }
            let progress = Progress {
                stage: "search for a better order",
                done: round * problem.size() as u64 + v as u64,
                total: None,
                objective: None,
            };
            checkpoint(observer, progress)?;
        }
        round += 1;
        if !improved {
            break;
        }
    }
    Ok(Refined {
        order: Order::strict(&state.sequence),
        score_before,
        score_after: state.score(),
        moves,
    })
}

/// The data: correlations, so that nothing depends on units.
struct Model<'a> {
    correlation: Mat<f64>,
    knowledge: Option<&'a Knowledge>,
    rows: f64,
    /// What a parent costs.
    penalty: f64,
}

impl<'a> Model<'a> {
    fn new(problem: &'a Problem) -> Self {
        let rows = problem.rows() as f64;
        let (correlation, knowledge) = (problem.correlation(), problem.knowledge());
        Self { correlation, knowledge, rows, penalty: rows.ln() }
    }

    fn allows(&self, from: usize, to: usize) -> bool {
        self.knowledge.is_none_or(|knowledge| knowledge.allows(from, to))
    }

    fn s(&self) -> MatRef<'_, f64> {
        self.correlation.as_ref()
    }

    fn score(&self, node: &Node) -> f64 {
        self.rows * node.residual.ln() + self.penalty * node.parents.len() as f64
    }

    /// True when a fall of the residual by `gain` is worth a parent.
    fn worthwhile(&self, node: &Node, gain: f64) -> bool {
        let rest = (1.0 - gain / node.residual).max(f64::EPSILON);
        -self.rows * rest.ln() > self.penalty + PROGRESS
    }

    /// Adds the best candidates and drops the least useful parents, from `parents` on, until
    /// neither lowers the score.
    fn search_parents(&self, v: usize, parents: Vec<usize>, candidates: &[usize]) -> Option<Node> {
        let s = self.s();
        let mut node = Node::new(s, v, parents)?;
        // Every step must lower the score as computed, so that rounding cannot lead in circles.
        let lower = |next: &Node, node: &Node| self.score(next) < self.score(node) - PROGRESS;
        loop {
            let mut changed = false;
            // More parents than rows allow would fit anything.
            while (node.parents.len() as f64) < self.rows / 2.0 {
                let best = candidates
                    .iter()
                    .filter(|&&c| self.allows(c, v) && !node.parents.contains(&c))
                    .map(|&c| (node.gain(s, v, c), c))
                    .max_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, c)) = best.filter(|&(gain, _)| self.worthwhile(&node, gain)) else {
                    break;
                };
                let mut parents = node.parents.clone();
                parents.push(c);
                let next = Node::new(s, v, parents)?;
                if !lower(&next, &node) {
                    break;
                }
                (node, changed) = (next, true);
            }
            let required = |i| self.knowledge.is_some_and(|known| known.requires(i, v));
            while let Some((k, _)) = node.cheapest(required) {
                let mut next = node.clone();
                next.remove(k);
                if !lower(&next, &node) {
                    break;
                }
                (node, changed) = (next, true);
            }
            if !changed {
                return Some(node);
            }
        }
    }
}

/// An order with the parents of every variable.
struct State<'a> {
    model: &'a Model<'a>,
    sequence: Vec<usize>,
    nodes: Vec<Node>,
}

impl<'a> State<'a> {
    fn new(model: &'a Model<'a>, sequence: Vec<usize>) -> Option<Self> {
        let mut nodes: Vec<Option<Node>> = vec![None; sequence.len()];
        for (k, &v) in sequence.iter().enumerate() {
            let required =
                model.knowledge.map(|known| members(known.required_parents(v)).collect());
            let parents = required.unwrap_or_default();
            nodes[v] = Some(model.search_parents(v, parents, &sequence[..k])?);
        }
        Some(Self { model, sequence, nodes: nodes.into_iter().collect::<Option<_>>()? })
    }

    fn score(&self) -> f64 {
        self.nodes.iter().map(|node| self.model.score(node)).sum()
    }

    /// Tries all places for a variable, keeps the best; true when that lowers the score.
    fn move_to_best(&mut self, v: usize) -> Option<bool> {
        let home = self.sequence.iter().position(|&u| u == v).expect("all variables are there");
        let up = self.travel(home, (0..home).rev().collect())?;
        let down = self.travel(home, (home..self.sequence.len() - 1).collect())?;
        let best = if up.gain >= down.gain { up } else { down };
        if best.gain <= PROGRESS {
            return Some(false);
        }
        self.sequence.remove(home);
        self.sequence.insert(best.place, v);
        for (u, node) in best.changed {
            self.nodes[u] = node;
        }
        Some(true)
    }

    /// Takes the variable at `home` along the given swaps (each of places k and k + 1) and
    /// returns its best place with the nodes that differ there.
    fn travel(&self, home: usize, swaps: Vec<usize>) -> Option<Journey> {
        let model = self.model;
        let mut sequence = self.sequence.clone();
        let mut changed: Vec<(usize, Node)> = Vec::new();
        let mut best = Journey { gain: 0.0, place: home, changed: Vec::new() };
        let v = sequence[home];
        let mut gain = 0.0;
        for k in swaps {
            let (first, second) = (sequence[k], sequence[k + 1]);
            if model.knowledge.is_some_and(|known| known.must_precede(first, second)) {
                break;
            }
            sequence.swap(k, k + 1);
            // `second` may no longer have `first` as a parent, `first` may now have `second`.
            let node = self.current(&changed, second);
            if node.parents.contains(&first) {
                let kept = node.parents.iter().copied().filter(|&u| u != first).collect();
                let next = model.search_parents(second, kept, &sequence[..k])?;
                gain += model.score(node) - model.score(&next);
                replace(&mut changed, second, next);
            }
            let node = self.current(&changed, first);
            let gain_of_edge = node.gain(model.s(), first, second);
            if model.allows(second, first) && model.worthwhile(node, gain_of_edge) {
                let mut parents = node.parents.clone();
                parents.push(second);
                let next = model.search_parents(first, parents, &sequence[..k + 1])?;
                gain += model.score(node) - model.score(&next);
                replace(&mut changed, first, next);
            }
            if gain > best.gain {
                let place = if sequence[k] == v { k } else { k + 1 };
                best = Journey { gain, place, changed: changed.clone() };
            }
        }
        Some(best)
    }

    fn current<'b>(&'b self, changed: &'b [(usize, Node)], v: usize) -> &'b Node {
        changed.iter().find(|(u, _)| *u == v).map_or(&self.nodes[v], |(_, node)| node)
    }
}

/// The best place a variable passed on its way.
struct Journey {
    gain: f64,
    place: usize,
    changed: Vec<(usize, Node)>,
}

fn replace(changed: &mut Vec<(usize, Node)>, v: usize, node: Node) {
    match changed.iter_mut().find(|(u, _)| *u == v) {
        Some((_, old)) => *old = node,
        None => changed.push((v, node)),
    }
}
