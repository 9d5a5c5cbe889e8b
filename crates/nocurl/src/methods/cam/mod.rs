//! Causal additive models (`cam`).

mod basis;
mod curves;
mod design;
mod fit;
mod search;
mod select;
mod smooth;

pub(crate) use self::curves::{Chosen, Curves};
use self::design::Design;
use self::fit::Additive;
use self::search::Search;
use super::require;
use crate::core::memory::{Memory, Size};
use crate::core::moments::BLOCK_ROWS;
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Dag, Dataset, Error, Mat, Order, Run, Termination};
use crate::math::Problem;
use crate::math::regress::linear_parts;
use crate::methods::{Directions, Facts, Method, Needs, Proposal, Task, parameters};

parameters! {
    /// Causal additive models: smooth effects by splines.
    pub struct Cam {
        /// Cubic splines a variable is expanded into; fewer where there are few rows or values.
        basis: usize = 10, "from 4";
        /// Most candidates for parents of a variable, chosen by boosting; 0 lets all others be candidates.
        neighbours: usize = 10, "from 0";
        /// Whether parents that are not significant are dropped after the search.
        prune: bool = true, "true, false";
        /// Level of that test.
        alpha: f64 = 0.001, "between 0 and 1";
    }
}

impl Method for Cam {
    fn facts(&self) -> Facts {
        Facts {
            name: "cam",
            class: "CAM",
            summary: "nonlinear: additive splines, greedy order search, significance (CAM)",
            directions: Directions::NonlinearEffects,
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            depends_on_units: false,
            reference: "Bühlmann, Peters and Ernest, CAM: Causal additive models, Annals of Statistics 42, 2014",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        // The Gram matrix of all basis functions, which is factorised, and a block of rows of these
        // for each thread.
        let functions = self.basis as f64;
        let block = 8.0 * BLOCK_ROWS as f64 * functions * size.variables as f64;
        let threads = size.threads as f64;
        Memory::matrices(4.0 * functions * functions + 8.0)
            .and_tables(2.0)
            .and_bytes(threads * block)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("cam")?, self, task.run)
    }
}

impl Cam {
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

/// The graph of a causal additive model, `x_j = sum of f_ij(x_i) over its parents + noise`.
///
/// Where the functions are not linear and the noise is Gaussian, only the true order makes the
/// model fit, and the sum over all variables of the logarithm of the residual variance is least
/// for it (up to sampling). It is sought in three steps:
///
/// 1. *Neighbours.* Boosting says which variables may be parents of which; a neighbour whose
///    effect is straight must be one both ways.
/// 2. *Order.* Starting without edges, the edge that lowers the sum most is added, again and
///    again, while no cycle arises and until no edge is left.
/// 3. *Pruning.* Parents whose smooth term is not significant at `alpha` in the fit on all of
///    them are dropped.
///
/// Every fit is a penalised least squares on cubic splines, with an intercept whatever `center`
/// says and one smoothing parameter a term, chosen by restricted likelihood. Columns are
/// standardised first: the graph does not depend on units. A variable has at most n / 20 parents,
/// rounded up.
///
/// The authors' package smooths with thin plate splines and generalised cross-validation, and lets
/// a neighbour be one in one direction only.
///
/// The weights returned are the *linear parts*: coefficients of the linear regression of each
/// variable on its parents. They are not zero for any edge that stays, but may be close to it
/// where an effect is strong and even, such as a square.
///
/// On linear data with Gaussian noise the directions are those of some graph that fits about as
/// well, no more.
///
/// Cost: one product of all splines, O(n d^2 m^2) for m of them a variable, of which d^2 m^2
/// numbers are kept, then O(k^3 m^3) for each edge added with k candidates a variable; the rows
/// are not looked at again.
///
/// Reference: Bühlmann, Peters and Ernest, *CAM: Causal additive models, high-dimensional order
/// search and penalized regression*, Annals of Statistics 42 (2014).
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::DifferentRows`] when the rows are not those of
/// the problem.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::cam::{self, Cam};
/// use nocurl::{Dataset, Mat, Problem};
/// // x2 = x1^2 + noise.
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { x(i) * x(i) + noise(i) });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let proposal = cam::propose(&problem, &data, &Cam::default(), &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [0, 1]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &Cam,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let (n, d) = (rows.values().nrows(), problem.size());
    problem.check_rows(rows, "rows for `cam`")?;
    let design = Design::new(rows, params.basis, run)?;
    let mut allowed = if params.neighbours == 0 {
        (0..d).map(|j| (0..d).filter(|&i| i != j).collect()).collect()
    } else {
        select::neighbours(&design, params.neighbours, run)?
    };
    let knowledge = problem.knowledge();
    if !knowledge.is_empty() {
        for (j, allowed) in allowed.iter_mut().enumerate() {
            allowed.retain(|&i| knowledge.allows(i, j));
        }
    }
    let mut search = Search::new(&design, allowed, most_parents(n), run)?;
    if !knowledge.is_empty() {
        search.start_from(knowledge);
    }
    search.run(run)?;
    let order = Order::of_dag(&Dag::new(support(d, search.fits.iter().map(Additive::parents)))?);

    let kept = keep(problem, &design, &search.fits, params, run)?;
    let mut proposal = Proposal::direct(order);
    proposal.weights =
        Some(linear_parts(problem, support(d, kept.iter().map(Vec::as_slice)).as_ref())?);
    proposal.iterations = search.edges;
    proposal.evaluations = search.evaluations;
    proposal.termination = Termination::Converged;
    Ok(proposal)
}

/// The most parents that this many rows can tell apart.
fn most_parents(rows: usize) -> usize {
    rows.div_ceil(20)
}

/// For every variable, the at most `most` others whose smooth effects help to predict it, or which
/// it helps to predict, in rising order.
pub(super) fn neighbours(
    rows: &Dataset,
    most: usize,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let design = Design::new(rows, Cam::default().basis, run)?;
    select::neighbours_of_either(&design, most, run)
}

/// Which of these parents have a smooth effect that is significant at `alpha`, given the others;
/// required ones stay.
pub(super) fn significant(
    problem: &Problem,
    rows: &Dataset,
    parents: &[Vec<usize>],
    alpha: f64,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let params = Cam { alpha, ..Cam::default() };
    let design = Design::new(rows, params.basis, run)?;
    let progress = Counter::new("fitting smooth effects", parents.len(), run);
    let most = most_parents(rows.values().nrows());
    let fit = |(j, parents): (usize, &Vec<usize>)| {
        let fit = Additive::greedy(&design, j, parents, most);
        progress.add(1).map(|()| fit)
    };
    let fits = parents.par_iter().enumerate().map(fit).collect::<Result<Vec<Additive>, Error>>()?;
    keep(problem, &design, &fits, &params, run)
}

/// The parents of each variable that stay.
fn keep(
    problem: &Problem,
    design: &Design,
    fits: &[Additive],
    params: &Cam,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let progress = Counter::new("testing edges", fits.len(), run);
    let required = |i, j| problem.knowledge().requires(i, j);
    fits.par_iter()
        .enumerate()
        .map(|(j, fit)| {
            let parents = fit.parents().iter().copied();
            let kept = if params.prune {
                let p_values = fit.p_values(design);
                let tested = parents.zip(p_values);
                tested
                    .filter(|&(i, p)| p < params.alpha || required(i, j))
                    .map(|(i, _)| i)
                    .collect()
            } else {
                parents.collect()
            };
            progress.add(1).map(|()| kept)
        })
        .collect()
}

/// A matrix with 1 where there is an edge, row -> column.
pub(super) fn support<'a>(d: usize, parents: impl Iterator<Item = &'a [usize]>) -> Mat<f64> {
    let mut support = Mat::zeros(d, d);
    for (j, parents) in parents.enumerate() {
        for &i in parents {
            support[(i, j)] = 1.0;
        }
    }
    support
}
