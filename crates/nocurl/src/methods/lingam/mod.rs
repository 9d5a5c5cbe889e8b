//! Linear models with errors that are not Gaussian (`lingam`).

mod search;

use self::search::Search;
use super::{Directions, Facts, Method, Needs, Proposal, Task, parameters, require};
use crate::core::progress::Counter;
use crate::core::{Dataset, Error, Order, Run, Termination};
use crate::math::Problem;
use crate::math::regress::eliminate;

parameters! {
    /// Directions from errors that are not Gaussian (DirectLiNGAM, pairwise likelihood ratio).
    pub struct Lingam {
        /// What an edge costs: it must raise the log-likelihood by `penalty / 2 * log n`; 1 is the plain BIC.
        /// Without it by `(log n + 2 log d) / 2`, the extended BIC.
        penalty: Option<f64> = None, "above 0";
    }
}

impl Method for Lingam {
    fn facts(&self) -> Facts {
        Facts {
            name: "lingam",
            class: "Lingam",
            summary: "linear effects, errors not Gaussian: order by pairwise likelihood ratios (DirectLiNGAM)",
            directions: Directions::ErrorShape,
            needs: Needs::Rows,
            chooses_edges: true,
            depends_on_units: false,
            reference: "Shimizu et al., DirectLiNGAM, JMLR 12, 2011; Hyvärinen and Smith, Pairwise likelihood ratios, JMLR 14, 2013",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("lingam")?, self, task.run)
    }
}

impl Lingam {
    /// The penalty in force.
    pub(crate) fn penalty(&self, problem: &Problem) -> f64 {
        let (n, d) = (problem.rows() as f64, problem.size() as f64);
        self.penalty.unwrap_or(1.0 + 2.0 * d.ln() / n.ln())
    }
}

/// The order of a linear model `x_j = sum of w_ij x_i + noise` whose errors are independent and,
/// but for one of them, not Gaussian.
///
/// Of two variables, one of which causes the other, the regression of the effect on its cause
/// leaves a residual that is independent of the cause; the other regression does not. The
/// difference of the two models' log-likelihoods per row is approximated by entropies:
/// `R(i, j) = H(j) + H(i given j) - H(i) - H(j given i)`, positive where i causes j. First comes the
/// variable with the smallest sum of `min(0, R(i, j))^2` over all others. Then its part is taken out
/// of all others by regression, and so on. Edges are chosen along the order by backward
/// elimination.
///
/// A variable is left behind as soon as its sum is larger than that of one whose sum is complete:
/// sums only grow, so that the order is the one that all comparisons would give, with a part of
/// them. Columns are standardised: units do not matter. Prior knowledge restricts which variable
/// can come next.
///
/// Where errors are Gaussian the order is arbitrary.
///
/// Cost: at most O(n d^3), and O(n d) numbers beside the rows.
///
/// References: Shimizu, Inazumi, Sogawa, Hyvärinen, Kawahara, Washio, Hoyer and Bollen,
/// *DirectLiNGAM*, JMLR 12 (2011); Hyvärinen and Smith, *Pairwise likelihood ratios for estimation
/// of non-Gaussian structural equation models*, JMLR 14 (2013).
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::DifferentRows`] when the rows are not those of
/// the problem.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::lingam::{self, Lingam};
/// use nocurl::{Dataset, Mat, Problem};
/// // x1 = x2 + noise, both uniform.
/// let noise = |i: usize| (i as f64 * 0.618_034).fract() - 0.5;
/// let cause = |i: usize| (i as f64 * 0.414_214).fract() - 0.5;
/// let values = Mat::from_fn(1000, 2, |i, j| cause(i) + if j == 0 { noise(i) } else { 0.0 });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let proposal = lingam::propose(&problem, &data, &Lingam::default(), &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [1, 0]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &Lingam,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let (n, d) = (problem.rows() as f64, problem.size());
    let penalty = params.penalty(problem);
    let fits = penalty > 0.0 && penalty.is_finite();
    require("penalty", penalty, fits, "it must be a number above 0")?;
    problem.check_rows(rows, "rows for `lingam`")?;
    let progress = Counter::new("comparing directions", d, run);
    let mut search = Search::new(rows);
    let mut sequence = Vec::with_capacity(d);
    while let Some(first) = search.first(problem.knowledge(), run)? {
        search.take_out(first);
        sequence.push(first);
        progress.add(1)?;
    }
    let order = Order::strict(&sequence);
    let weights = eliminate(problem, &order, penalty * n.ln())?;
    let mut proposal = Proposal::direct(order);
    proposal.weights = Some(weights);
    proposal.iterations = d as u64;
    proposal.evaluations = search.comparisons();
    proposal.termination = Termination::Direct;
    Ok(proposal)
}
