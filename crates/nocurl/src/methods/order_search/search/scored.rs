//! Parents of one variable by any likelihood that is a product over variables.

use super::score::{Node, Score};
use crate::core::Knowledge;
use crate::math::Problem;
use crate::math::local::Priced;

/// A fall of the score that counts: more than rounding.
const PROGRESS: f64 = 1e-7;

/// Rounds of additions and removals, of which two or three are usual.
const ROUNDS: usize = 32;

/// A likelihood with its prices, and prior knowledge.
#[derive(Debug)]
pub(crate) struct Scored<'a> {
    priced: Priced<'a>,
    knowledge: &'a Knowledge,
}

impl<'a> Scored<'a> {
    pub(crate) fn new(priced: Priced<'a>, problem: &'a Problem) -> Self {
        Self { priced, knowledge: problem.knowledge() }
    }

    /// More parameters than half of the rows would fit anything.
    fn has_room(&self, v: usize, parents: &[usize]) -> bool {
        self.priced.local.freedom(v, parents) <= self.priced.local.rows() / 2.0
    }

    /// The candidate that lowers the score most, with the score, if any does.
    fn best(
        &self,
        v: usize,
        parents: &[usize],
        score: f64,
        open: &[usize],
    ) -> Option<(usize, f64)> {
        let mut best = None;
        let mut lowest = score - PROGRESS;
        self.priced.scores_with(v, parents, open, lowest, &mut |candidate, score| {
            if score < lowest {
                (lowest, best) = (score, Some((candidate, score)));
            }
        });
        best
    }

    /// The parent, by its place, without which the score is lowest, with the score, if that helps.
    fn least(&self, v: usize, parents: &[usize], score: f64) -> Option<(usize, f64)> {
        let mut best = None;
        let mut lowest = score - PROGRESS;
        for place in 0..parents.len() {
            if self.knowledge.requires(parents[place], v) {
                continue;
            }
            let mut others = parents.to_vec();
            others.remove(place);
            let score = self.priced.score(v, &others);
            if score < lowest {
                (lowest, best) = (score, Some((place, score)));
            }
        }
        best
    }
}

/// A variable with its parents.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Chosen {
    parents: Vec<usize>,
    score: f64,
}

impl Node for Chosen {
    fn parents(&self) -> &[usize] {
        &self.parents
    }

    fn score(&self) -> f64 {
        self.score
    }

    fn is_sound(&self) -> bool {
        self.score.is_finite()
    }
}

impl Score for Scored<'_> {
    type Node = Chosen;
    type Choice = Vec<usize>;

    fn size(&self) -> usize {
        self.priced.local.size()
    }

    fn operations(&self) -> f64 {
        self.size() as f64 * self.priced.local.operations()
    }

    fn cost(&self) -> f64 {
        self.priced.price.single()
    }

    fn knowledge(&self) -> &Knowledge {
        self.knowledge
    }

    fn wants(&self, node: &Chosen, v: usize, candidate: usize, _: &mut Vec<f64>) -> bool {
        if !self.knowledge.allows(candidate, v) {
            return false;
        }
        self.best(v, &node.parents, node.score, &[candidate]).is_some()
    }

    fn choose(
        &self,
        open: &mut Vec<usize>,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Chosen,
    ) {
        let parents = &mut node.parents;
        parents.clear();
        parents.extend(start);
        let mut score = self.priced.score(v, parents);
        for _ in 0..ROUNDS {
            let mut changed = false;
            while self.has_room(v, parents) {
                open.clear();
                let new = |&&c: &&usize| !parents.contains(&c) && self.knowledge.allows(c, v);
                open.extend(candidates.iter().filter(new));
                let Some((parent, lower)) = self.best(v, parents, score, open) else { break };
                parents.push(parent);
                (score, changed) = (lower, true);
            }
            while let Some((place, lower)) = self.least(v, parents, score) {
                parents.remove(place);
                (score, changed) = (lower, true);
            }
            if !changed {
                break;
            }
        }
        // In one order, so that the same parents are the same whatever the way to them.
        parents.sort_unstable();
        node.score = score;
    }
}
