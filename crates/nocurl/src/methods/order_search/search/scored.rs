//! Parents of one variable by any likelihood that is a product over variables.

use super::score::{Node, Score};
use crate::core::Knowledge;
use crate::math::Problem;
use crate::math::local::{Blocks, Ladder, Priced, Rung};

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

    /// The score of a variable with these parents.
    fn score(&self, v: usize, parents: &[usize], space: &mut Space) -> f64 {
        let Some(blocks) = self.priced.local.blocks() else {
            return self.priced.score(v, parents);
        };
        space.take(blocks, v, parents);
        self.priced.of(space.ladder.fit(blocks), parents.len())
    }

    /// The candidate that lowers the score most, with the score, if any does.
    fn best(
        &self,
        v: usize,
        parents: &[usize],
        score: f64,
        space: &mut Space,
    ) -> Option<(usize, f64)> {
        if let Some(blocks) = self.priced.local.blocks() {
            return self.best_block(blocks, v, parents, score, space);
        }
        self.best_of(v, parents, score, &space.open)
    }

    /// The same by the ladder.
    fn best_block(
        &self,
        blocks: &Blocks,
        v: usize,
        parents: &[usize],
        score: f64,
        space: &mut Space,
    ) -> Option<(usize, f64)> {
        space.take(blocks, v, parents);
        let Space { open, ladder, .. } = space;
        let edges = parents.len() + 1;
        let mut best = None;
        let mut lowest = score - PROGRESS;
        for &candidate in open.iter() {
            let fit = ladder.fit_with(blocks, candidate);
            let score = self.priced.of(fit, edges);
            if score < lowest {
                (lowest, best) = (score, Some((candidate, score)));
            }
        }
        best
    }

    /// The best of these candidates by fits of their own.
    fn best_of(
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
    /// The factor of the parents, where variables are blocks; what was kept in a file has none.
    #[cfg_attr(feature = "serde", serde(skip))]
    rung: Option<Rung>,
}

/// Work space for the choice of parents.
#[derive(Debug, Default)]
pub(crate) struct Space {
    open: Vec<usize>,
    sorted: Vec<usize>,
    ladder: Ladder,
}

impl Space {
    /// Brings the ladder to these parents.
    fn take(&mut self, blocks: &Blocks, v: usize, parents: &[usize]) {
        self.sorted.clear();
        self.sorted.extend(parents);
        // In one order, so that a set has one score.
        self.sorted.sort_unstable();
        self.ladder.take(blocks, v, &self.sorted);
    }
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
    type Choice = Space;

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

    fn wants(&self, node: &Chosen, v: usize, candidate: usize, work: &mut Vec<f64>) -> bool {
        if !self.knowledge.allows(candidate, v) {
            return false;
        }
        if let (Some(blocks), Some(rung)) = (self.priced.local.blocks(), &node.rung) {
            let fit = rung.fit_with(blocks, v, candidate, work);
            return self.priced.of(fit, node.parents.len() + 1) < node.score - PROGRESS;
        }
        self.best_of(v, &node.parents, node.score, &[candidate]).is_some()
    }

    fn choose(
        &self,
        space: &mut Space,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Chosen,
    ) {
        let parents = &mut node.parents;
        parents.clear();
        parents.extend(start);
        let mut score = self.score(v, parents, space);
        for _ in 0..ROUNDS {
            let mut changed = false;
            while self.has_room(v, parents) {
                space.open.clear();
                let new = |&&c: &&usize| !parents.contains(&c) && self.knowledge.allows(c, v);
                space.open.extend(candidates.iter().filter(new));
                let Some((parent, lower)) = self.best(v, parents, score, space) else { break };
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
        node.rung = self.priced.local.blocks().map(|blocks| {
            space.ladder.take(blocks, v, parents);
            space.ladder.rung(blocks)
        });
    }
}
