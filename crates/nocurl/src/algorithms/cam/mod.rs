//! Causal additive models (`cam`).

mod basis;
mod design;
mod fit;
mod search;
mod select;
mod smooth;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::design::Design;
use self::fit::Additive;
use self::search::Search;
use super::require;
use crate::observe::Counter;
use crate::regress::refit;
use crate::{Dag, Dataset, Error, Mat, Observer, Order, Problem, Proposal, Termination};

/// Parameters of causal additive models.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `basis` | 10 | cubic splines a variable is expanded into; fewer where there are few rows or values | from 4 |
/// | `neighbours` | 10 | most candidates for parents of a variable, chosen by boosting; 0 for no choice | |
/// | `prune` | true | whether parents that are not significant are dropped after the search | |
/// | `alpha` | 0.001 | level of that test | between 0 and 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CamParams {
    /// Splines a variable.
    pub basis: usize,
    /// Most candidates for parents of a variable; 0 lets all others be candidates.
    pub neighbours: usize,
    /// Whether parents are tested after the search.
    pub prune: bool,
    /// Level of the test.
    pub alpha: f64,
}

impl Default for CamParams {
    fn default() -> Self {
        Self { basis: 10, neighbours: 10, prune: true, alpha: 0.001 }
    }
}

impl CamParams {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        require("basis", self.basis, self.basis >= 4, "a cubic spline needs at least 4")?;
        let alpha = self.alpha;
        require("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must lie between 0 and 1")
    }
}

/// The graph of a causal additive model.
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &CamParams,
    observer: &dyn Observer,
) -> Result<Proposal, Error> {
    params.validate()?;
    let d = problem.size();
    let design = Design::new(rows, params.basis, observer)?;
    let allowed = if params.neighbours == 0 {
        (0..d).map(|j| (0..d).filter(|&i| i != j).collect()).collect()
    } else {
        select::neighbours(&design, params.neighbours, observer)?
    };
    let mut search = Search::new(&design, allowed, most_parents(rows.values().nrows()), observer)?;
    search.run(observer)?;
    let order = Order::of_dag(&Dag::new(support(d, search.fits.iter().map(Additive::parents)))?);

    let kept = keep(&design, &search.fits, params, observer)?;
    let mut proposal = Proposal::direct(order);
    proposal.weights = Some(linear_parts(problem, support(d, kept.iter().map(Vec::as_slice)))?);
    proposal.iterations = search.edges;
    proposal.evaluations = search.evaluations;
    proposal.termination = Termination::Converged;
    Ok(proposal)
}

/// The most parents that this many rows can tell apart.
fn most_parents(rows: usize) -> usize {
    rows.div_ceil(20)
}

/// The parents of each variable that stay.
fn keep(
    design: &Design,
    fits: &[Additive],
    params: &CamParams,
    observer: &dyn Observer,
) -> Result<Vec<Vec<usize>>, Error> {
    let progress = Counter::new("testing edges", fits.len(), observer);
    fits.par_iter()
        .map(|fit| {
            let parents = fit.parents().iter().copied();
            let kept = if params.prune {
                let p_values = fit.p_values(design);
                parents.zip(p_values).filter(|&(_, p)| p < params.alpha).map(|(i, _)| i).collect()
            } else {
                parents.collect()
            };
            progress.add(1).map(|()| kept)
        })
        .collect()
}

/// A matrix with 1 where there is an edge, row -> column.
fn support<'a>(d: usize, parents: impl Iterator<Item = &'a [usize]>) -> Mat<f64> {
    let mut support = Mat::zeros(d, d);
    for (j, parents) in parents.enumerate() {
        for &i in parents {
            support[(i, j)] = 1.0;
        }
    }
    support
}

/// The linear regressions of all variables on their parents. An edge whose coefficient is exactly
/// 0 keeps a weight of rounding size, so that it stays an edge.
fn linear_parts(problem: &Problem, support: Mat<f64>) -> Result<Mat<f64>, Error> {
    let mut weights = refit(problem, support.as_ref())?;
    let s = problem.covariance();
    for j in 0..problem.size() {
        for i in 0..problem.size() {
            if support[(i, j)] != 0.0 && weights[(i, j)] == 0.0 {
                weights[(i, j)] = f64::EPSILON * (s[(j, j)] / s[(i, i)]).sqrt();
            }
        }
    }
    Ok(weights)
}
