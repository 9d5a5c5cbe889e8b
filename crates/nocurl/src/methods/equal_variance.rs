//! Orders for models whose errors all have the same variance (`eq-td`, `eq-bu`).

use crate::core::advice::{Action, Text};
use crate::core::error::list;
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::{Error, Mat, Order, Progress, Run};
use crate::math::linalg::{Cholesky, collinear_set, smallest_pivot_first_within};
use crate::math::objective::Grams;
use crate::math::regress::Node;
use crate::math::{Experiments, Problem};
use crate::methods::{Facts, Method, Parameters, Proposal, Task, by_condition};

/// From which end the order is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the sources: next is the variable with the smallest variance given those already
    /// placed (`eq-td`).
    TopDown,
    /// From the sinks: last is the variable that is least precise given all others, which is then
    /// left out (`eq-bu`).
    BottomUp,
}

/// The order of a linear model whose errors have equal variances.
///
/// In such a model a variable whose parents are all known has the error variance itself as its
/// variance given them, and every other variable more, so that sorting by conditional variance
/// finds the order. Both directions are one Cholesky factorisation on the smallest remaining
/// pivot, of the second moments or of their inverse: O(d^3).
///
/// The result depends on equal error variances and so on the units of the columns: data that has
/// been standardised, or measured in unlike units, gives an order without meaning.
///
/// Reference: Chen, Drton and Wang, *On causal discovery with an equal-variance assumption*,
/// Biometrika 106 (2019).
///
/// # Errors
/// [`Error::Cancelled`]; bottom-up also [`Error::Collinear`] or [`Error::TooFewRowsToInvert`] when the second
/// moments have no inverse.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::equal_variance::{self, Direction};
/// use nocurl::{Mat, Moments, Problem};
/// // x2 -> x1 with weight 2 and unit error variances.
/// let s = Mat::from_fn(2, 2, |i, j| [[5.0, 2.0], [2.0, 1.0]][i][j]);
/// let names = vec!["x1".to_string(), "x2".to_string()];
/// let moments = Moments::from_covariance(names, 100, vec![0.0; 2], s.as_ref())?;
/// let problem = Problem::new(&moments, true)?;
/// for direction in [Direction::TopDown, Direction::BottomUp] {
///     let proposal = equal_variance::propose(&problem, direction, &Run::default())?;
///     assert_eq!(proposal.order.sequence(), [1, 0]);
/// }
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(problem: &Problem, direction: Direction, run: &Run<'_>) -> Result<Proposal, Error> {
    let total = Some(problem.size() as u64);
    let watch = |done| {
        let stage = "sorting by conditional variance";
        run.step(Progress { stage, done: done as u64, total, objective: None })
    };
    watch(0)?;
    run.worked((problem.size() as f64).powi(3));
    if let (Some(experiments), Direction::TopDown) = (problem.experiments(), direction) {
        return by_condition::propose(problem, experiments, |grams| {
            sources_first(problem, experiments, grams, &watch)
        });
    }
    let precedes = |i, j| problem.knowledge().must_precede(i, j);
    match direction {
        Direction::TopDown => {
            let s = problem.second_moments();
            let pivoted = smallest_pivot_first_within(s, precedes, watch)?;
            let mut proposal = Proposal::direct(Order::strict(&pivoted.order));
            if !pivoted.dependent.is_empty() {
                let names: Vec<String> =
                    pivoted.dependent.iter().map(|&j| problem.names()[j].clone()).collect();
                let words = format!(
                    "{} of {} columns are exact linear combinations of columns placed before them \
                     ({}), so their place in the order is arbitrary: ",
                    names.len(),
                    problem.size(),
                    list(&names)
                );
                proposal.warnings.push(Text::new(words).act(Action::leave_out(&names)));
            }
            Ok(proposal)
        }
        Direction::BottomUp => {
            let (precision, succeeds) = (precision(problem)?, |i, j| precedes(j, i));
            let pivoted = smallest_pivot_first_within(precision.as_ref(), succeeds, watch)?;
            let mut order = pivoted.order;
            order.reverse();
            Ok(Proposal::direct(Order::strict(&order)))
        }
    }
}

/// Top-down where each variable is explained by the rows in which it is not set. The condition has
/// no variance to compare and comes first. Cost O(d^5) / 60.
fn sources_first(
    problem: &Problem,
    experiments: &Experiments,
    grams: Grams<'_>,
    watch: &dyn Fn(usize) -> Result<(), Error>,
) -> Result<Proposal, Error> {
    let mut order = vec![experiments.condition()];
    let mut left: Vec<usize> = (0..problem.size()).filter(|v| !order.contains(v)).collect();
    while !left.is_empty() {
        watch(order.len())?;
        let placed = &order[1..];
        let free = |&&v: &&usize| !left.iter().any(|&u| problem.knowledge().must_precede(u, v));
        let open: Vec<usize> = left.iter().filter(free).copied().collect();
        let variance = |&v: &usize| {
            let share = experiments.view(v).rows() / experiments.rows();
            let node = Node::new(grams.of(v), v, placed.to_vec());
            node.map(|node| node.residual / share).ok_or_else(|| problem.singular())
        };
        let found = open.par_iter().map(variance).collect::<Result<Vec<f64>, Error>>()?;
        let least = found.iter().zip(&open).min_by(|a, b| a.0.total_cmp(b.0));
        let Some((_, &next)) = least else { break };
        order.push(next);
        left.retain(|&v| v != next);
    }
    Ok(Proposal::direct(Order::strict(&order)))
}

/// The inverse of the second moments, or words on why there is none.
pub(super) fn precision(problem: &Problem) -> Result<Mat<f64>, Error> {
    let s = problem.second_moments();
    let set = collinear_set(s);
    if let (None, Some(cholesky)) = (&set, Cholesky::new(s)) {
        return Ok(cholesky.inverse());
    }
    match set {
        Some(set) if problem.rows() > problem.size() as u64 => Err(Error::Collinear {
            names: set.iter().map(|&j| problem.names()[j].clone()).collect(),
        }),
        _ => Err(Error::TooFewRowsToInvert { rows: problem.rows(), columns: problem.size() }),
    }
}

/// Equal error variances, sources first.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EqTd {}

impl Parameters for EqTd {}

impl Method for EqTd {
    fn facts(&self) -> Facts {
        Facts {
            name: "eq-td",
            class: "EqTD",
            summary: "equal error variances: sources first, by conditional variance",
            experiments: true,
            reference: "Chen, Drton and Wang, On causal discovery with an equal-variance assumption, Biometrika 106, 2019",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, _size: &Size) -> Memory {
        Memory::matrices(14.0)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, Direction::TopDown, task.run)
    }
}

/// Equal error variances, sinks first.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct EqBu {}

impl Parameters for EqBu {}

impl Method for EqBu {
    fn facts(&self) -> Facts {
        Facts {
            name: "eq-bu",
            class: "EqBU",
            summary: "equal error variances: sinks first, by the precision matrix",
            reference: "Chen, Drton and Wang, On causal discovery with an equal-variance assumption, Biometrika 106, 2019",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, _size: &Size) -> Memory {
        Memory::matrices(14.0)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, Direction::BottomUp, task.run)
    }
}
