//! From data to a graph: the pipeline that all methods share.

use serde::{Deserialize, Serialize};

use crate::core::error::SIMILAR_UNITS;
use crate::core::{Claim, Cpdag, Dag, Data, Error, KnowledgeSpec, Mat, Observer, Text};
use crate::math::hodge;
use crate::math::objective::least_squares;
use crate::math::regress::{along, linear_parts, restrict, threshold_unless_required};
use crate::methods::{Algorithm, Problem, Termination, require};
use crate::pipeline::refine::{Refine, refine};
use crate::pipeline::{Prune, prune};

/// The threshold when nothing else prunes, as the paper's experiments.
pub const DEFAULT_THRESHOLD: f64 = 0.3;

/// What to learn with.
///
/// | Name | Default | Meaning |
/// |---|---|---|
/// | `algorithm` | `order-search` | the method and its parameters |
/// | `center` | true | subtract means; the paper's experiments do not |
/// | `refine` | none | order search after the method |
/// | `prune` | none | rule that drops edges from the regression on the order |
/// | `threshold` | 0.3, or 0 where a rule or a score chose the edges | weights smaller than this go, after pruning |
/// | `seed` | 0 | the only source of randomness |
/// | `knowledge` | none | what is known about the graph beforehand |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Seed of everything random.
    pub seed: u64,
    /// What is known beforehand; every result satisfies it.
    #[serde(default, skip_serializing_if = "KnowledgeSpec::is_empty")]
    pub knowledge: KnowledgeSpec,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::default(),
            center: true,
            refine: None,
            prune: None,
            threshold: None,
            seed: 0,
            knowledge: KnowledgeSpec::default(),
        }
    }
}

impl Options {
    /// The threshold in force: as given, else 0.3, else 0 when a rule prunes or the method has
    /// chosen the edges by a score that does not depend on units.
    pub fn effective_threshold(&self) -> f64 {
        let chosen = match self.refine {
            None => self.algorithm.chooses_edges(),
            Some(score) => score == Refine::Networks,
        };
        let default = if self.prune.is_some() || chosen { 0.0 } else { DEFAULT_THRESHOLD };
        self.threshold.unwrap_or(default)
    }

    /// What the result claims: that of the method, or of the order search that comes after it.
    pub fn claim(&self) -> Claim {
        match self.refine {
            None => self.algorithm.claim(),
            Some(Refine::EqualVariance | Refine::Networks) => Claim::Dag,
            Some(Refine::Bic) => Claim::Class,
        }
    }

    /// True when other units of the columns can give another graph: through the method, through an
    /// order search on error variances, through a threshold on weights, or because a later step
    /// starts from directions that the method's class leaves open, which are drawn by variances.
    pub fn depends_on_units(&self) -> bool {
        let goes_on = self.refine.is_some() || self.prune.is_some();
        self.algorithm.depends_on_units()
            || goes_on && self.algorithm.claim() == Claim::Class
            || self.assumes_equal_variances()
            || self.effective_threshold() > 0.0
    }

    /// True when moments are not enough: data must be a [`crate::Dataset`].
    pub fn needs_rows(&self) -> bool {
        self.algorithm.needs_rows() || self.refine == Some(Refine::Networks)
    }

    /// True when the weights of the graph are the whole of the effects, not their linear parts.
    pub fn is_linear(&self) -> bool {
        match self.refine {
            None => self.algorithm.is_linear(),
            Some(score) => score != Refine::Networks,
        }
    }

    /// True when directions rest on error variances of similar size.
    pub fn assumes_equal_variances(&self) -> bool {
        match self.refine {
            None => self.algorithm.assumes_equal_variances(),
            Some(score) => score == Refine::EqualVariance,
        }
    }

    fn validate(&self) -> Result<(), Error> {
        let bound = self.effective_threshold();
        require("threshold", bound, bound >= 0.0, "it must not be negative")?;
        self.prune.map_or(Ok(()), |rule| rule.validate())
    }
}

/// What was learnt.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The graph with its weights, row -> column.
    pub dag: Dag,
    /// The variables from causes to effects.
    pub order: Vec<usize>,
    /// A potential that rises along every edge.
    pub potential: Vec<f64>,
    /// All graphs that fit as well by independences alone, of those that prior knowledge allows.
    pub cpdag: Cpdag,
    /// How much of the graph is meant.
    pub claim: Claim,
    /// Weights before pruning and threshold, along the order.
    pub unpruned: Mat<f64>,
    /// The first estimate, maybe cyclic, for methods that make an order of one.
    pub estimate: Option<Mat<f64>>,
    /// Least-squares loss of the unpruned weights.
    pub unpruned_loss: f64,
    /// Least-squares loss of the graph.
    pub loss: f64,
    /// Iterations of the method.
    pub iterations: u64,
    /// Evaluations of its objective.
    pub evaluations: u64,
    /// How the method ended.
    pub termination: Termination,
    /// What the user should know, in plain words.
    pub warnings: Vec<Text>,
}

/// Learns a graph from the rows of a table (`&Dataset`) or from their moments (`&Moments`).
///
/// ```
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::{Options, learn};
/// let simulated = simulate(&Simulation { variables: 5, ..Simulation::default() }, 1)?;
/// let fit = learn(&simulated.data.moments(), &Options::default(), &())?;
/// assert_eq!(fit.dag.size(), 5);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// Data or parameters that the method cannot use, or cancellation by the observer.
pub fn learn<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Fit, Error> {
    options.validate()?;
    let data = data.into();
    let problem =
        Problem::new(&data.moments(), options.center)?.with_knowledge(&options.knowledge)?;
    if problem.knowledge().is_some() {
        options.algorithm.takes_knowledge()?;
    }
    let s = problem.second_moments();
    let proposal = options.algorithm.propose(&problem, data.rows(), options.seed, observer)?;
    let mut warnings = problem.warnings().to_vec();
    warnings.extend(proposal.warnings);
    let (mut order, mut potential, mut own) =
        (proposal.order, proposal.potential, proposal.weights);
    if let Some(knowledge) = problem.knowledge() {
        let edge = |i, j| own.as_ref().is_some_and(|weights: &Mat<f64>| weights[(i, j)] != 0.0);
        let repaired = knowledge.repair_keeping(&order, edge);
        if repaired != order {
            (order, potential) = (repaired, None);
        }
    }
    if let Some(score) = options.refine {
        let refined = refine(&problem, data.rows(), &order, score, options.seed, observer)?;
        (order, potential) = (refined.order, None);
        own = match refined.parents {
            None => None,
            Some(parents) => {
                let edge = |i, j: usize| f64::from(u8::from(parents[j].contains(&i)));
                let support = Mat::from_fn(problem.size(), problem.size(), edge);
                Some(linear_parts(&problem, support.as_ref())?)
            }
        };
    }
    let unpruned = match own {
        Some(weights) => restrict(&problem, &order, weights)?,
        None => along(&problem, &order)?,
    };
    let unpruned_loss = least_squares(s, unpruned.as_ref());
    let mut weights = match options.prune {
        Some(rule) => prune(&problem, &order, rule)?,
        None => unpruned.clone(),
    };
    threshold_unless_required(&problem, &mut weights, options.effective_threshold());
    if !weights.is_all_finite() {
        return Err(Error::OutOfRange { stage: "the method", advice: SIMILAR_UNITS });
    }
    let loss = least_squares(s, weights.as_ref());
    let dag = Dag::new(weights)?;
    let mut cpdag = Cpdag::from_dag(&dag);
    if let Some(knowledge) = problem.knowledge() {
        // No graph rather than one that breaks what is known.
        let satisfied = knowledge.is_satisfied_by(&dag);
        debug_assert_eq!(satisfied, Ok(()));
        satisfied?;
        knowledge.direct(&mut cpdag);
    }
    match proposal.termination {
        Termination::MaxIterations => warnings
            .push("the method stopped at its limit of iterations before it had converged".into()),
        Termination::PenaltyLimit => warnings.push(
            "the method reached its largest penalty before all cycles were gone: the weakest edges \
             were dropped until none was left"
                .into(),
        ),
        _ => {}
    }
    Ok(Fit {
        cpdag,
        claim: options.claim(),
        potential: potential.unwrap_or_else(|| hodge::potential_of_order(&order)),
        order: order.sequence(),
        dag,
        unpruned,
        estimate: proposal.estimate,
        unpruned_loss,
        loss,
        iterations: proposal.iterations,
        evaluations: proposal.evaluations,
        termination: proposal.termination,
        warnings,
    })
}
