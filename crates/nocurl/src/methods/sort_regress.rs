//! Baselines that sort the variables by a single number (`sortnregress`, `r2-sortnregress`).

use super::equal_variance::precision;
use crate::core::memory::{Memory, Size};
use crate::core::{Error, Order, Progress, Run};
use crate::math::Problem;
use crate::methods::{Directions, Facts, Method, Parameters, Proposal, Task};

/// What the variables are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    /// Variance, the diagonal of the second moments (`sortnregress`): depends on the units.
    Variance,
    /// The share of each variable's variance that all others explain (`r2-sortnregress`): does not
    /// depend on the units.
    R2,
}

/// The order of increasing variance or R2, equal ones by index.
///
/// In simulated data variance and R2 tend to grow along the order, and these baselines measure how
/// much of a benchmark's answer can be read off without any causal reasoning: a method that does
/// not beat them has not shown anything. Cost O(d log d), for R2 one inverse, O(d^3).
///
/// References: Reisach, Seiler and Weichwald, *Beware of the simulated DAG!*, NeurIPS 2021;
/// Reisach, Tami, Seiler, Chambaz and Weichwald, *A scale-invariant sorting criterion to find a
/// causal order in additive noise models*, NeurIPS 2023.
///
/// # Errors
/// [`Error::Cancelled`]; for R2 also [`Error::Collinear`] or [`Error::TooFewRowsToInvert`] when the second
/// moments have no inverse.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::sort_regress::{self, SortBy};
/// use nocurl::{Mat, Moments, Problem};
/// let s = Mat::from_fn(2, 2, |i, j| [[5.0, 2.0], [2.0, 1.0]][i][j]);
/// let names = vec!["x1".to_string(), "x2".to_string()];
/// let moments = Moments::from_covariance(names, 100, vec![0.0; 2], s.as_ref())?;
/// let proposal = sort_regress::propose(&Problem::new(&moments, true)?, SortBy::Variance, &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [1, 0]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(problem: &Problem, by: SortBy, run: &Run<'_>) -> Result<Proposal, Error> {
    let d = problem.size();
    let stage = "sorting the variables";
    run.step(Progress { stage, done: 0, total: Some(d as u64), objective: None })?;
    run.worked((d as f64).powi(3));
    let s = problem.second_moments();
    let keys: Vec<f64> = match by {
        SortBy::Variance => (0..d).map(|j| s[(j, j)]).collect(),
        SortBy::R2 => {
            // The residual variance of j given all others is the inverse of its precision.
            let precision = precision(problem)?;
            (0..d).map(|j| 1.0 - 1.0 / (s[(j, j)] * precision[(j, j)])).collect()
        }
    };
    let mut sequence: Vec<usize> = (0..d).collect();
    sequence.sort_by(|&i, &j| keys[i].total_cmp(&keys[j]));
    Ok(Proposal::direct(Order::strict(&sequence)))
}

/// A baseline: the order of increasing variance.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct SortNRegress {}

impl Parameters for SortNRegress {}

impl Method for SortNRegress {
    fn facts(&self) -> Facts {
        Facts {
            name: "sortnregress",
            class: "SortNRegress",
            summary: "baseline: order by variance; depends on units",
            directions: Directions::Variances,
            reference: "Reisach, Seiler and Weichwald, Beware of the simulated DAG!, NeurIPS 2021",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, _size: &Size) -> Memory {
        Memory::matrices(14.0)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, SortBy::Variance, task.run)
    }
}

/// A baseline: the order of increasing R2.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct R2SortNRegress {}

impl Parameters for R2SortNRegress {}

impl Method for R2SortNRegress {
    fn facts(&self) -> Facts {
        Facts {
            name: "r2-sortnregress",
            class: "R2SortNRegress",
            summary: "baseline: order by R2 on all other variables",
            directions: Directions::R2,
            depends_on_units: false,
            reference: "Reisach, Tami, Seiler, Chambaz and Weichwald, NeurIPS 2023",
            ..Facts::LINEAR
        }
    }

    fn memory(&self, _size: &Size) -> Memory {
        Memory::matrices(14.0)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, SortBy::R2, task.run)
    }
}
