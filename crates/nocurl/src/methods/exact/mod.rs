//! The best order of all, by dynamic programming over subsets of the variables (`exact`).

mod bic;
mod least_squares;
mod regression;

use crate::core::advice::{Action, Text};
use crate::core::error::list;
use crate::core::memory::{Memory, Size};
use crate::core::{Determines, Error, Kind, Run, names};
use crate::math::Problem;
use crate::math::linalg::collinear_set;
use crate::methods::likelihood::Likelihood;
use crate::methods::{Directions, Facts, Method, MixedScore, Proposal, Task, parameters};

/// Subsets between two reports.
const REPORT: usize = 1 << 14;

/// The most variables where some are blocks of columns or levels are counted: every set of parents
/// is a fit of its own there.
const MOST_MIXED: usize = 18;

/// What the best order minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ExactScore {
    /// The sum of all residual variances, each variable regressed on all before it: twice the
    /// least-squares loss `F`. Depends on the units of the columns.
    #[default]
    LeastSquares,
    /// `sum_j n log(residual variance of j given its parents) + log(n) * number of edges`, minus
    /// twice the Gaussian log-likelihood with its penalty, without the constant
    /// `n d (1 + log 2 pi) + d log n`. Does not depend on the units.
    Bic,
}

names!(ExactScore { LeastSquares = "least-squares", Bic = "bic" });

impl ExactScore {
    /// The most variables whose tables fit in 8 GiB.
    fn default_limit(self) -> usize {
        match self {
            // One number per subset: 4 GiB at 29; at 30 the tables alone would take all 8 GiB.
            Self::LeastSquares => 29,
            // One number per variable and set of others, and one per subset: 7 GiB at 26.
            Self::Bic => 26,
        }
    }
}

parameters! {
    /// The best order of all, for few variables.
    ///
    /// One more variable doubles memory and time, for `bic` a little more.
    pub struct Exact {
        /// What the best order minimises.
        score: ExactScore = ExactScore::LeastSquares, "`least-squares`, `bic`";
        /// More variables are refused before any memory is taken; without it what fits in 8 GiB: 29 for
        /// `least-squares`, 26 for `bic` and with prior knowledge. Never more than 18 where columns are categorical.
        max_variables: Option<usize> = None, "2 to 36";
    }
}

impl Method for Exact {
    fn facts(&self) -> Facts {
        let bic = self.score == ExactScore::Bic;
        Facts {
            name: "exact",
            class: "Exact",
            summary: "the best order of all by dynamic programming, for few variables",
            determines: if bic { Determines::Class } else { Determines::Graph },
            directions: if bic { Directions::Independences } else { Directions::EqualVariances },
            chooses_edges: bic,
            depends_on_units: !bic,
            most_to_check: 20,
            counts: bic,
            experiments: bic,
            columns: if bic { Kind::ALL } else { Kind::NUMBERS },
            most_to_resample: Some(12),
            reference: "Silander and Myllymaki, A simple approach for finding the globally optimal Bayesian network structure, UAI 2006",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        let sets = 2.0_f64.powi(size.variables.min(1000) as i32);
        let bytes = match self.score {
            ExactScore::LeastSquares => 8.0 * sets,
            ExactScore::Bic => (4.0 * size.variables as f64 + 8.0) * sets,
        };
        Memory::matrices(8.0).and_bytes(bytes)
    }

    fn takes(&self, variables: usize, informed: bool) -> Result<(), Error> {
        // Where parents are limited, least squares needs the tables of BIC.
        let limit = self.limit(if informed { ExactScore::Bic } else { self.score })?;
        if variables <= limit {
            return Ok(());
        }
        Err(Error::TooManyColumns {
            method: "exact",
            limit,
            columns: variables,
            advice: Text::new("use ").act(Action::method("order-search")),
        })
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        if self.score == ExactScore::Bic {
            let likelihood = Likelihood::new(task, MixedScore::Auto)?;
            if let Some(local) = likelihood.local() {
                check_size(task.problem, self.limit(ExactScore::Bic)?.min(MOST_MIXED))?;
                let mut proposal = bic::best_graph_by(task.problem, local, task.run)?;
                proposal.score = Some(likelihood.score());
                proposal.warnings.extend(likelihood.warning(task, MixedScore::Auto));
                return Ok(proposal);
            }
        }
        propose(task.problem, self, task.run)
    }
}

impl Exact {
    /// Checks the parameters and returns the limit on the number of variables.
    fn limit(&self, tables: ExactScore) -> Result<usize, Error> {
        match self.max_variables {
            Some(limit) if !(2..=36).contains(&limit) => Err(Error::Parameter {
                name: "max_variables",
                value: limit.to_string(),
                reason: "it should be between 2 and 36",
            }),
            Some(limit) => Ok(limit),
            None => Ok(tables.default_limit()),
        }
    }
}

/// The order, and for BIC the graph, with the smallest score of all.
///
/// Whatever set `U` of variables comes first, the best continuation does not depend on the order
/// inside `U`. So with `f(U)` the score of the best order of `U`,
///
/// ```text
/// f(U) = min over j in U of f(U \ j) + cost(j | U \ j)
/// ```
///
/// where the cost of `j` is its residual variance given all of `U \ j` for least squares, and for
/// BIC the score of its best set of parents within `U \ j`. With least squares this is what an
/// exact solver without a penalty on edges finds (the GOBNILP rows of the NoCurl paper). Prior
/// knowledge limits the parents and the orders: the result is the best of those that satisfy it.
///
/// Cost about `d 2^d` small steps and `8 * 2^d` bytes for least squares, `d^2 2^d / 4` and
/// `4 d 2^d` bytes for BIC. Residual variances come from one Schur complement step per subset, on
/// a depth-first walk. Variables that are, up to rounding, a linear combination of others have
/// residual variance zero given them, for BIC the rounding level; a warning names them.
///
/// References: Silander and Myllymaki, *A simple approach for finding the globally optimal
/// Bayesian network structure*, UAI 2006; the order search goes back to Held and Karp (1962).
///
/// # Errors
/// [`Error::TooManyColumns`] above the limit, [`Error::Parameter`], [`Error::OutOfMemory`], [`Error::Cancelled`].
///
/// ```
/// use nocurl::methods::exact::{self, Exact};
/// use nocurl::{Mat, Moments, Problem, Run};
/// let s = Mat::from_fn(2, 2, |i, j| [[5.0, 2.0], [2.0, 1.0]][i][j]);
/// let names = vec!["x1".to_string(), "x2".to_string()];
/// let moments = Moments::from_covariance(names, 100, vec![0.0; 2], s.as_ref())?;
/// let problem = Problem::new(&moments, true)?;
/// let proposal = exact::propose(&problem, &Exact::default(), &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [1, 0]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(problem: &Problem, params: &Exact, run: &Run<'_>) -> Result<Proposal, Error> {
    let informed = !problem.knowledge().is_empty();
    params.takes(problem.size(), informed)?;
    let mut proposal = match params.score {
        ExactScore::LeastSquares if informed => bic::best_order_within(problem, run)?,
        ExactScore::LeastSquares => least_squares::best_order(problem, run)?,
        ExactScore::Bic => bic::best_graph(problem, run)?,
    };
    if let Some(set) = collinear_set(problem.second_moments()) {
        proposal.warnings.push(if problem.rows() > problem.size() as u64 {
            let names: Vec<String> = set.iter().map(|&j| problem.names()[j].clone()).collect();
            Text::new(format!(
                "columns {} are exactly collinear, so the order among them is arbitrary: ",
                list(&names)
            ))
            .act(Action::leave_out_one(&names))
        } else {
            Text::new(format!(
                "{} rows do not determine {} columns, so many orders are equally good: use more \
                 rows, or ",
                problem.rows(),
                problem.size()
            ))
            .act(Action::FewerColumns)
        });
    }
    Ok(proposal)
}

/// Refuses more variables than a limit.
fn check_size(problem: &Problem, limit: usize) -> Result<(), Error> {
    if problem.size() <= limit {
        return Ok(());
    }
    Err(Error::TooManyColumns {
        method: "exact",
        limit,
        columns: problem.size(),
        advice: Text::new("use ").act(Action::method("order-search")),
    })
}

/// Memory for a table, or an error instead of an abort.
fn reserve<T>(length: usize) -> Result<Vec<T>, Error> {
    let mut table = Vec::new();
    table.try_reserve_exact(length).map_err(|_| Error::OutOfMemory {
        stage: "exact search",
        mebibytes: (length * size_of::<T>()) >> 20,
    })?;
    Ok(table)
}
