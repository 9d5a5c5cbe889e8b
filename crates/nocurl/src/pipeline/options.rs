//! What to learn with.

use super::Prune;
use super::refine::Refine;
use crate::core::memory::{Memory, Size};
use crate::core::{Determines, Error, ExperimentSpec, KnowledgeSpec};
use crate::methods::{Algorithm, Directions, Facts, require};

/// The threshold when nothing else prunes, as the paper's experiments.
pub const DEFAULT_THRESHOLD: f64 = 0.3;

/// The problem with its three kinds of moments, and the graph in all its forms.
const BESIDES: Memory = Memory::matrices(9.0);

/// The problem alone: where the columns are put in another order, their moments become it. With more
/// rows than columns, sets of collinear ones are looked for too.
fn seen(size: &Size) -> Memory {
    Memory::matrices(if size.rows > size.variables as u64 { 4.0 } else { 1.0 })
}

/// Regressions on the order.
const PRUNING: Memory = Memory::matrices(6.0);

/// What to learn with.
///
/// | Name | Default | Meaning |
/// |---|---|---|
/// | `algorithm` | `order-search` | the method and its parameters |
/// | `center` | true | subtract means; the paper's experiments do not |
/// | `refine` | none | order search after the method |
/// | `prune` | none | rule that drops edges from the regression on the order |
/// | `threshold` | 0.3, or 0 where a rule or a score chose the edges | weights smaller than this go, after pruning |
/// | `error_shape` | false | undetermined edges are directed where the shape of errors tells how, see [`error_shape`](crate::error_shape) |
/// | `seed` | 0 | the only source of randomness |
/// | `knowledge` | none | what is known about the graph beforehand |
/// | `experiments` | none | the conditions that rows come from and what these act on |
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Options {
    /// The method with its parameters.
    pub algorithm: Algorithm,
    /// Whether means are subtracted.
    pub center: bool,
    /// Order search after the method.
    pub refine: Option<Refine>,
    /// Rule that drops edges.
    pub prune: Option<Prune>,
    /// Smallest size of a weight that stays.
    pub threshold: Option<f64>,
    /// Whether undetermined edges are directed by the shape of errors, where it tells. It misleads
    /// where effects are curved or columns have few values.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    pub error_shape: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// What is known beforehand; every result satisfies it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "KnowledgeSpec::is_empty"))]
    pub knowledge: KnowledgeSpec,
    /// The conditions of an experiment and what they act on.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "ExperimentSpec::is_empty")
    )]
    pub experiments: ExperimentSpec,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            center: true,
            refine: None,
            prune: None,
            threshold: None,
            error_shape: false,
            seed: 0,
            knowledge: KnowledgeSpec::default(),
            experiments: ExperimentSpec::default(),
        }
    }
}

impl Options {
    /// The facts of the step that chose the graph: the refinement, or without one the method.
    pub fn facts(&self) -> Facts {
        self.refine.map_or_else(|| self.algorithm.facts(), |refine| refine.facts())
    }

    /// The threshold in force: as given, else 0.3, else 0 when a rule prunes or the method has
    /// chosen the edges by a score that does not depend on units.
    pub fn effective_threshold(&self) -> f64 {
        let chosen = self.prune.is_some() || self.facts().chooses_edges;
        self.threshold.unwrap_or(if chosen { 0.0 } else { DEFAULT_THRESHOLD })
    }

    /// How much of the graph is determined, by the method or by the refinement after it.
    pub fn determines(&self) -> Determines {
        self.facts().determines
    }

    /// True when other units of the columns can give another graph: through the method, through an
    /// order search on error variances, through a threshold on weights, or because a later step
    /// starts from directions that the method's class leaves undetermined, which are drawn by
    /// variances.
    pub fn depends_on_units(&self) -> bool {
        let method = self.algorithm.facts();
        let goes_on = self.refine.is_some() || self.prune.is_some();
        method.depends_on_units
            || goes_on && method.determines == Determines::Class
            || self.facts().assumes_equal_variances()
            || self.effective_threshold() > 0.0
    }

    /// True when moments are not enough: data must be a [`crate::Dataset`].
    pub fn needs_rows(&self) -> bool {
        self.algorithm.facts().needs_rows() || self.facts().needs_rows()
    }

    /// Memory that learning takes at its peak, from above: second moments, method, refinement,
    /// pruning and the result; without the data itself.
    ///
    /// ```
    /// use nocurl::Options;
    /// use nocurl::memory::Size;
    /// let size = Size { variables: 1000, rows: 5000, threads: 1 };
    /// let bytes = Options::default().memory(&size).at(size.variables, size.rows);
    /// assert!(bytes > 8 * 1000 * 1000);
    /// ```
    pub fn memory(&self, size: &Size) -> Memory {
        let method = self.algorithm.memory(size);
        let refine = self.refine.map_or(Memory::default(), |refine| refine.memory(size));
        // A method that keeps no matrix of its own hands over a graph of few edges.
        let sparse = method.per_pair == 0.0 && self.refine.is_none() && self.prune.is_none();
        match sparse && self.knowledge.is_empty() {
            true if self.center => seen(size).plus(method),
            true => seen(size).plus(Memory::matrices(1.0)).plus(method),
            false => BESIDES.plus(method.or(refine).or(PRUNING)),
        }
    }

    /// What checking the result takes at its peak beside data of this size: some checks learn again,
    /// from the table in other units, unless there are too many variables for that.
    pub fn checking_memory(&self, size: &Size, data: Memory) -> Memory {
        match size.variables <= self.most_to_check() {
            true => data.plus(self.memory(size)),
            false => seen(size),
        }
    }

    /// True when directions come from independences alone and all edges that were found are there,
    /// so that the shape of errors may direct more of them. Not after a method for effects of any
    /// shape: what linear fits leave of curved effects is not normal either, and says nothing.
    pub fn uses_error_shape(&self) -> bool {
        let facts = self.facts();
        self.error_shape
            && facts.linear
            && facts.determines == Determines::Class
            && facts.directions == Directions::Independences
            && self.prune.is_none()
            && self.effective_threshold() == 0.0
    }

    /// The most variables for which a check learns again.
    pub(crate) fn most_to_check(&self) -> usize {
        self.algorithm.facts().most_to_check.min(self.facts().most_to_check)
    }

    /// True when learning from many resampled tables of this many variables is quick.
    pub fn is_quick(&self, variables: usize) -> bool {
        let all = [self.algorithm.facts(), self.facts()];
        all.iter().filter_map(|facts| facts.most_to_resample).all(|most| variables <= most)
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        let bound = self.effective_threshold();
        require("threshold", bound, bound >= 0.0, "it must not be negative")?;
        self.prune.map_or(Ok(()), |rule| rule.validate())
    }
}
