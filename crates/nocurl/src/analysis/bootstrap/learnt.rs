//! What was learnt from a resampled table, small enough to be sent.

use super::tally::Replicate;
use crate::core::{Dag, Error, Mat, Pdag};

/// The graph that was learnt from a resampled table, and which of its directions are determined.
///
/// ```
/// use nocurl::bootstrap::Learnt;
/// use nocurl::{Dag, Pdag};
/// let dag = Dag::from_edges(3, &[(0, 1), (2, 1)])?;
/// let learnt = Learnt::new(&dag, &Pdag::class_of(&dag), Vec::new());
/// assert_eq!(learnt.edges, [(0, 1, 1.0), (2, 1, 1.0)]);
/// assert_eq!(learnt.directed, [(0, 1), (2, 1)]);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Learnt {
    /// The edges with their weights.
    pub edges: Vec<(usize, usize, f64)>,
    /// Pairs whose direction is determined.
    pub directed: Vec<(usize, usize)>,
    /// Pairs whose direction is undetermined.
    pub undirected: Vec<(usize, usize)>,
    /// Conditions, by their names, with variables that they act on directly.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub acts_on: Vec<(String, usize)>,
    /// Operations that learning took ([`Work`](crate::Work)).
    #[cfg_attr(feature = "serde", serde(default))]
    pub operations: u64,
}

impl Learnt {
    /// A graph with what is determined of it, and what conditions act on.
    pub fn new(dag: &Dag, determined: &Pdag, acts_on: Vec<(String, usize)>) -> Self {
        Self {
            edges: dag.edges().collect(),
            directed: determined.directed().collect(),
            undirected: determined.undirected().collect(),
            acts_on,
            operations: 0,
        }
    }

    /// The same as graphs of `size` variables, where these are the conditions.
    pub(super) fn replicate(
        &self,
        size: usize,
        conditions: &[String],
        with_paths: bool,
    ) -> Result<Replicate, Error> {
        let pairs = self.edges.iter().map(|&(from, to, _)| (from, to));
        let all = pairs.chain(self.directed.iter().copied()).chain(self.undirected.iter().copied());
        for (from, to) in all {
            if from >= size || to >= size || from == to {
                return Err(Error::InvalidEdge { from, to, variables: size });
            }
        }
        let mut weights = Mat::zeros(size, size);
        self.edges.iter().for_each(|&(from, to, weight)| weights[(from, to)] = weight);
        let determined = Pdag::new(size, &self.directed, &self.undirected)?;
        let acts_on = placed(&self.acts_on, conditions);
        Ok(Replicate::new(Dag::new(weights)?, determined, acts_on, with_paths))
    }
}

/// What conditions act on, with their places in place of their names: a resampled table need not
/// have rows of all conditions, and counts places otherwise.
pub(super) fn placed(acts_on: &[(String, usize)], conditions: &[String]) -> Vec<(usize, usize)> {
    let place = |name: &String| conditions.iter().position(|known| known == name);
    acts_on.iter().filter_map(|(name, variable)| Some((place(name)?, *variable))).collect()
}
