//! Greedy search over equivalence classes (`fges`).

mod class;
mod local;
mod moves;
mod search;
mod wide;

use super::likelihood::Likelihood;
use super::member::member;
use super::{
    Directions, Facts, Method, MixedScore, Proposal, TakesKnowledge, Task, parameters, require,
};
use crate::core::memory::{Memory, Size, ask};
use crate::core::parallel::threads;
use crate::core::{Determines, Error, Kind, Order, Termination, names};
use crate::math::regress::{refit, refit_dag};
use crate::math::{Price, Problem};

pub(super) use class::Class;
pub(super) use moves::{Candidate, Moves, Score};
pub(super) use search::{greedy, search};

/// How the search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FgesSearch {
    /// Removals that help come before further additions. At the end each variable in turn loses
    /// all its edges and is attached anew, then each edge is left out, then both its ends are
    /// attached anew; the search ends where none of this helps.
    #[default]
    Thorough,
    /// Additions until none helps, then removals until none helps, as published.
    TwoPhase,
}

names!(FgesSearch { Thorough = "thorough", TwoPhase = "two-phase" });

/// Beyond so many variables each is looked at with those near it alone.
const MANY_VARIABLES: usize = 200;

/// The penalty with few variables.
pub(super) const USUAL: f64 = 2.0;

/// Bytes for each of many variables: those near it, what can be done at it, and rows of the factors.
const PER_VARIABLE: f64 = 60_000.0;

parameters! {
    /// Greedy search over equivalence classes.
    pub struct Fges {
        /// What an edge costs: it must raise the log-likelihood by `penalty / 2 * log n`; 1 is the plain BIC.
        /// Without it 2, and beyond 200 variables the price of the extended BIC, `log n + 2 log d`: so many
        /// pairs would let false edges through at 2.
        penalty: Option<f64> = None, "above 0";
        /// How the search goes.
        search: FgesSearch = FgesSearch::Thorough, "`thorough`, `two-phase`";
        /// What is fitted to a variable given its parents, which matters where columns have levels:
        /// `auto` takes counts (`multinomial`) for tables of categories alone and a Gaussian law of numbers
        /// and indicators (`degenerate-gaussian`) for others.
        score: MixedScore = MixedScore::Auto, "`auto`, `degenerate-gaussian`, `multinomial`";
    }
}

impl Method for Fges {
    fn facts(&self) -> Facts {
        Facts {
            name: "fges",
            class: "FGES",
            summary: "greedy search over equivalence classes by BIC (FGES)",
            determines: Determines::Class,
            directions: Directions::Independences,
            chooses_edges: true,
            depends_on_units: false,
            counts: self.score.counts(),
            columns: Kind::ALL,
            experiments: true,
            knowledge: TakesKnowledge::No {
                reason: "its moves go through whole equivalence classes",
                instead: "order-search",
            },
            reference: "Chickering, JMLR 2002; Ramsey, Glymour, Sanchez-Romero and Glymour, 2017",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        match size.variables > MANY_VARIABLES {
            true => Memory::default().and_bytes(PER_VARIABLE * size.variables as f64),
            false => matrices(size.threads),
        }
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task, self)
    }
}

impl Fges {
    /// What edges cost.
    pub(crate) fn price(&self, problem: &Problem) -> Price {
        let n = problem.rows() as f64;
        match self.penalty {
            Some(penalty) => Price::bic(n, penalty),
            None if problem.size() > MANY_VARIABLES => Price::extended(n, problem.size()),
            None => Price::bic(n, USUAL),
        }
    }

    fn validate(&self) -> Result<(), Error> {
        let penalty = self.penalty.unwrap_or(USUAL);
        let fits = penalty > 0.0 && penalty.is_finite();
        require("penalty", penalty, fits, "it must be a number above 0")
    }
}

/// What a search that looks at all pairs takes.
fn matrices(threads: usize) -> Memory {
    Memory::matrices(12.0 + 2.0 * threads as f64)
}

/// The equivalence class that greedy additions and removals of edges lead to, from no edges at
/// all; minimised is `-2 log-likelihood + penalty * log n * edges` of the Gaussian model with
/// intercepts, which does not depend on units.
///
/// Every way to add an edge `x -> y` to some member of the class is a set `C` of neighbours of `y`
/// that become its parents too. All of them share one factorisation of the parents of `y`, which
/// grows by one row as `C` grows by one variable and gives the gain for all `x` at once; after a
/// step only variables whose surroundings changed are scored again, in parallel where they are
/// many. The graph is restored to its completed form by bit sets.
///
/// Cost: O(d^2) at the start; a step O(d k) for each clique among the neighbours of each variable
/// it touches, with k parents. The number of cliques is bounded: see the warning it then gives.
///
/// Beyond 200 variables that are all numbers each is looked at with those near it alone ([`wide`]): a
/// step then costs what it touches, whatever d.
///
/// References: Chickering, *Optimal structure identification with greedy search*, JMLR 3 (2002);
/// Ramsey et al., *A million variables and more: the fast greedy equivalence search algorithm*
/// (2017); removals first, and trials without an edge, as in Nazaret and Blei, *Extremely greedy
/// equivalence search* (2024).
///
/// # Errors
/// A penalty out of range, or [`Error::Cancelled`].
pub(super) fn propose(task: &Task<'_>, params: &Fges) -> Result<Proposal, Error> {
    params.validate()?;
    let problem = task.problem;
    let likelihood = Likelihood::new(task, params.score)?;
    let (way, is_many) = ((params.price(problem), params.search), problem.size() > MANY_VARIABLES);
    let found = match likelihood.local() {
        None if is_many => wide::search(problem, way, task.run)?.with_warning(problem, way.0),
        local => {
            if is_many {
                ask("the greedy search over all pairs", matrices(threads()).at(problem.size(), 0))?;
            }
            search(problem, local, way, None, task.run)?
        }
    };
    let member = match problem.is_plain() {
        true => member(problem, &found.class)?,
        false => found.class.to_dag()?,
    };
    let mut warnings = found.warnings;
    warnings.extend(likelihood.warning(task, params.score));
    // A matrix of weights is more than a graph of many variables needs.
    let (weights, graph) = match is_many && problem.is_plain() {
        true => (None, Some(refit_dag(problem, &member)?)),
        false => (Some(refit(problem, member.weights())?), None),
    };
    Ok(Proposal {
        weights,
        graph,
        iterations: found.steps,
        evaluations: found.scored,
        termination: Termination::Converged,
        score: Some(likelihood.score()),
        warnings,
        ..Proposal::direct(Order::of_dag(&member))
    })
}
