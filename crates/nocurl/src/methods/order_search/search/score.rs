//! What the search over orders needs of a score.

use std::fmt::Debug;

use crate::core::{Kept, Knowledge};

/// A variable with the parents that were chosen for it.
pub(crate) trait Node: Clone + Debug + Default + Send + Sync + Kept + 'static {
    /// Its parents.
    fn parents(&self) -> &[usize];

    /// Its part of the score: the smaller, the better.
    fn score(&self) -> f64;

    /// False for one that cannot have been chosen: it was kept in a file, and changed there.
    fn is_sound(&self) -> bool;
}

/// A score that is a sum over variables given their parents, with a way to choose these.
pub(crate) trait Score: Sync {
    /// A variable with its parents.
    type Node: Node;

    /// Work space for the choice of parents.
    type Choice: Default;

    /// Number of variables.
    fn size(&self) -> usize;

    /// Operations of moving a variable to its best place, about.
    fn operations(&self) -> f64;

    /// What a parent costs, or costs at least, in units of the score.
    fn cost(&self) -> f64;

    /// What is known beforehand.
    fn knowledge(&self) -> &Knowledge;

    /// True when a further parent lowers the score.
    fn wants(&self, node: &Self::Node, v: usize, candidate: usize, work: &mut Vec<f64>) -> bool;

    /// Chooses parents of `v` among `candidates`, from `start` on: adds the best one and drops the
    /// least useful one until neither lowers the score.
    fn choose(
        &self,
        choice: &mut Self::Choice,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Self::Node,
    );

    /// As [`Self::choose`]; where no single parent pays any more, a score may look further.
    fn choose_thoroughly(
        &self,
        choice: &mut Self::Choice,
        v: usize,
        start: impl Iterator<Item = usize>,
        candidates: &[usize],
        node: &mut Self::Node,
    ) {
        self.choose(choice, v, start, candidates, node);
    }
}
