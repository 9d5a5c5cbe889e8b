//! One word for data whose effects may be of any shape (`nonlinear`).

mod fit;
mod fits;
mod harmonic;
mod known;
mod local;
mod search;
mod waves;

pub(crate) use fit::MOST_UNITS;
pub use fits::Fits;
pub(crate) use search::search;

use super::{
    Cam, Directions, Facts, Method, Needs, OrderSearch, Proposal, Task, cam, order_search,
    parameters, require,
};
use crate::core::memory::{Memory, Size};
use crate::core::{Action, Dag, Dataset, Error, Order, Run, Termination, Text};
use crate::math::regress::linear_parts;
use crate::math::{Problem, networks};

parameters! {
    /// Networks as regressions, from the best of two starts.
    pub struct Nonlinear {
        /// Networks that are fitted at most; the search ends after the round that passes it.
        max_fits: u64 = 20_000, "from 1";
    }
}

impl Method for Nonlinear {
    fn facts(&self) -> Facts {
        Facts {
            name: "nonlinear",
            class: "Nonlinear",
            summary: "effects of any shape: networks as regressions, from smooth and linear starts",
            directions: Directions::NonlinearEffects,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            depends_on_units: false,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "this project; starts of `cam` and `order-search`",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // The splines of the screening are there beside the networks.
        networks::memory(MOST_UNITS, size).plus(cam::Curves::memory(size))
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("nonlinear")?, self, task.seed, task.run)
    }
}

/// A graph for effects of any shape, with directions as far as their shapes and the independences
/// determine them.
///
/// 1. Orders come from `order-search`, which takes effects to be linear, and from [`cam`], which
///    takes them to be sums of curves. The one with the better score is the start.
/// 2. The search of the refinement `networks` goes on from there: parents by extended BIC of a sum
///    of curves, of a line and a wave, or of a network for each variable, whichever is best, edges
///    turned around and variables attached anew. Where the residuals of many variables are not
///    normal it goes on with a score that counts their entropies. At the end, variables with sums of
///    curves and normal residuals get parents whose effects are faint, along the order found.
/// 3. For every variable with parents the extended BIC says whether what it was fitted by is clearly
///    better than a linear regression. Where it is, directions into the variable are determined,
///    since a curved effect with an additive Gaussian error fits in one direction alone. The others
///    are determined as far as they follow from these and from the equivalence class. Where nothing
///    is curved, the result is that of `order-search`.
///
/// Nothing depends on units. How long it takes is limited by a number of fits, so that the same
/// data always has the same result.
///
/// A variable that depends on one parent by a curve and on another by a straight line has both
/// directions called determined, though the second may not be.
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::TooFewRows`], [`Error::DifferentRows`] when
/// the rows are not those of the problem.
///
/// ```
/// use nocurl::methods::nonlinear::{self, Nonlinear};
/// use nocurl::{Dataset, Mat, Problem, Run};
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { x(i) * x(i) + noise(i) });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let proposal = nonlinear::propose(&problem, &data, &Nonlinear::default(), 0, &Run::default())?;
/// assert_eq!(proposal.directed, Some(vec![(0, 1)]));
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &Nonlinear,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    require("max_fits", params.max_fits, params.max_fits >= 1, "at least 1 is needed")?;
    problem.check_rows(rows, "rows for `nonlinear`")?;
    // What is kept are the fits.
    let unkept = run.unkept();
    let task = Task::new(problem, &unkept).with_rows(rows).with_seed(seed);
    let linear = order_search::propose(&task, &OrderSearch::default())?;
    let smooth = cam::propose(problem, rows, &Cam::default(), run)?;
    let starts = [&smooth, &linear].map(|start| problem.knowledge().repair(&start.order));
    let found = search(problem, rows, &starts, Some(params.max_fits), seed, run)?;
    let directed = found.directed(problem);
    if directed.is_empty() {
        return Ok(Proposal { directed: Some(directed), ..linear });
    }
    let edges: Vec<(usize, usize)> = found.edges().collect();
    let dag = Dag::from_edges(problem.size(), &edges)?;
    let mut warnings = Vec::new();
    if found.limited {
        warnings.push(
            Text::new("the search stopped at its limit of networks before it had ended: raise ")
                .act(Action::parameter("max_fits")),
        );
    }
    Ok(Proposal {
        weights: Some(linear_parts(problem, dag.weights())?),
        directed: Some(directed),
        iterations: found.moves,
        evaluations: found.fits,
        termination: Termination::Converged,
        warnings,
        ..Proposal::direct(Order::strict(&found.order))
    })
}
