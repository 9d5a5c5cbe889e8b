//! Networks under an acyclicity constraint (`notears-mlp`), and the same by way of a potential
//! (`nocurl-mlp`).

pub mod nocurl;

pub use self::nocurl::NoCurlMlp;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::require;
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::{Dataset, Error, Order, Run};
use crate::math::networks::{self, Log, Loss, Net, Rows, Training, norms};
use crate::math::objective::Acyclicity;
use crate::math::optimize::Lagrangian;
use crate::math::regress::{cut_cycles, linear_parts, threshold};
use crate::math::{Problem, hodge};
use crate::methods::{Facts, Method, Needs, Proposal, Task, parameters};

parameters! {
    /// NOTEARS-MLP: networks under an acyclicity constraint.
    ///
    /// Minimises the loss of all networks, `||X - X̂||^2 / 2n`, with `lambda1 ||W||_1` on their first
    /// layers and `lambda2 / 2 ||.||^2` on the weights of both, subject to `h(A) = 0`, where `A_ij` is
    /// the 2-norm of the weights by which variable i enters the network of variable j.
    pub struct NotearsMlp {
        /// Hidden units of a network.
        hidden: usize = 32, "from 1";
        /// The L1 penalty on first-layer weights.
        lambda1: f64 = 0.01, "from 0";
        /// The L2 penalty on the weights of both layers.
        lambda2: f64 = 0.01, "from 0";
        /// Edges of a smaller norm go.
        norm_threshold: f64 = 0.3, "from 0";
        /// The acyclicity constraint h.
        acyclicity: Acyclicity = Acyclicity::Polynomial, "`polynomial`, `exponential`, `log-det`";
        /// The constraint counts as met when h is at most this.
        penalty_tolerance: f64 = 1e-8, "above 0";
        /// The largest penalty coefficient rho.
        max_penalty: f64 = 1e16, "above 1";
        /// Limit on updates of the multiplier.
        max_rounds: u64 = 100, "from 1";
        /// Relative decrease of the objective at which a subproblem stops.
        tolerance: f64 = 1e-6, "above 0";
        /// Limit on the iterations of a subproblem.
        max_iterations: u64 = 500, "from 1";
    }
}

impl Method for NotearsMlp {
    fn facts(&self) -> Facts {
        Facts {
            name: "notears-mlp",
            class: "NotearsMLP",
            summary: "nonlinear: networks under a smooth acyclicity constraint (NOTEARS-MLP)",
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "Zheng, Dan, Aragam, Ravikumar and Xing, Learning sparse nonparametric DAGs, AISTATS 2020",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        networks::memory(self.hidden, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("notears-mlp")?, self, task.seed, task.run)
    }
}

impl NotearsMlp {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        validate_networks(self.hidden, [self.lambda1, self.lambda2])?;
        validate_search(self.norm_threshold, self.tolerance, self.max_iterations)?;
        let small = self.penalty_tolerance;
        require("penalty_tolerance", small, small > 0.0, "it must be positive")?;
        let limit = self.max_penalty;
        let reason = "it must be a finite number above 1";
        require("max_penalty", limit, limit > 1.0 && limit.is_finite(), reason)?;
        require("max_rounds", self.max_rounds, self.max_rounds >= 1, "at least 1 is needed")
    }
}

fn validate_networks(hidden: usize, lambdas: [f64; 2]) -> Result<(), Error> {
    require("hidden", hidden, hidden >= 1, "at least 1 is needed")?;
    for (name, lambda) in ["lambda1", "lambda2"].into_iter().zip(lambdas) {
        let reason = "it must be a finite number that is not negative";
        require(name, lambda, lambda >= 0.0 && lambda.is_finite(), reason)?;
    }
    Ok(())
}

fn validate_search(norm_threshold: f64, tolerance: f64, max_iterations: u64) -> Result<(), Error> {
    let reason = "it must not be negative";
    require("norm_threshold", norm_threshold, norm_threshold >= 0.0, reason)?;
    require("tolerance", tolerance, tolerance > 0.0, "it must be positive")?;
    require("max_iterations", max_iterations, max_iterations >= 1, "at least 1 is needed")
}

/// The graph of networks under an acyclicity constraint.
///
/// Each variable is predicted from all others by a network with one layer of sigmoids; an edge is
/// there where its first-layer weights are not all zero. The constraint is met by an augmented
/// Lagrangian, the subproblems are solved by L-BFGS on the positive and negative parts of the
/// first-layer weights, and what is left of cycles is cut at the weakest edges. Rows are taken
/// about their means, which changes nothing since the networks have biases; units do matter.
///
/// Differs from the authors' code in three points: subproblems stop at a relative decrease of
/// 1e-6 or after 500 iterations, where L-BFGS-B's defaults are 2e-9 and 15000; inputs whose weights
/// are all zero are not computed with until their gradient says they should be; and the penalty is
/// the polynomial one of the tables this project compares with.
///
/// The weights returned are the *linear parts*: coefficients of the linear regression of each
/// variable on its parents, as for `cam`. The norms only say whether there is an edge.
///
/// Cost: an evaluation takes six operations for each row, network, hidden unit and input in use,
/// and d hidden units' sigmoids for each row; some hundreds to thousands are needed.
///
/// Reference: Zheng, Dan, Aragam, Ravikumar and Xing, *Learning Sparse Nonparametric DAGs*,
/// AISTATS 2020.
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::OutOfRange`] when the loss is no number,
/// [`Error::DifferentRows`] when the rows are not those of the problem.
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::notears_mlp::{self, NotearsMlp};
/// use nocurl::{Dataset, Mat, Problem};
/// // x2 = 2 sin(2 x1) + noise.
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let y = |i: usize| 2.0 * (2.0 * x(i)).sin() + noise(i);
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { y(i) });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = NotearsMlp { hidden: 8, ..NotearsMlp::default() };
/// let proposal = notears_mlp::propose(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [0, 1]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &NotearsMlp,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let rows = centred(problem, rows, "rows for `notears-mlp`")?;
    let candidates = candidates(problem, |_, _| true);
    let mut nets = start(&rows, &candidates, params.hidden, seed);
    let training = Training {
        rows: &rows,
        loss: Loss::Squares,
        variables: problem.size(),
        lambda1: params.lambda1,
        lambda2: params.lambda2,
        acyclicity: params.acyclicity,
        tolerance: params.tolerance,
        max_iterations: params.max_iterations,
        stage: "training networks",
        run,
    };
    let lagrangian = Lagrangian {
        penalty_tolerance: params.penalty_tolerance,
        max_penalty: params.max_penalty,
        max_rounds: params.max_rounds,
        restarts: false,
    };
    let mut log = Log::open(run, &candidates, params.hidden)?;
    let info = lagrangian.minimise(&mut nets, |multiplier, nets| {
        training.minimise(nets, &candidates, Some(multiplier), &mut log)
    })?;
    log.keep();
    let mut norms = norms(&nets, problem.size());
    cut_cycles(&mut norms);
    let potential = hodge::potential(&Reachability::new(norms.as_ref()));
    threshold(&mut norms, params.norm_threshold);
    Ok(Proposal {
        search: None,
        order: Order::from_potential(&potential),
        potential: Some(potential),
        graph: None,
        weights: Some(linear_parts(problem, norms.as_ref())?),
        estimate: None,
        directed: None,
        iterations: info.iterations,
        evaluations: info.evaluations,
        termination: info.termination,
        score: None,
        warnings: Vec::new(),
    })
}

/// The rows about their means, when they are those of the problem.
fn centred(problem: &Problem, rows: &Dataset, what: &'static str) -> Result<Rows, Error> {
    problem.check_rows(rows, what)?;
    Ok(Rows::new(rows))
}

/// The inputs that the network of each variable may have.
fn candidates(problem: &Problem, precedes: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let d = problem.size();
    let known = |i, j| problem.knowledge().allows(i, j);
    let may = |i: usize, j: usize| i != j && precedes(i, j) && known(i, j);
    (0..d).map(|j| (0..d).filter(|&i| may(i, j)).collect()).collect()
}

/// A network for each variable with all its candidates, at random.
fn start(rows: &Rows, candidates: &[Vec<usize>], hidden: usize, seed: u64) -> Vec<Net> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let nets = candidates.iter().enumerate();
    nets.map(|(j, inputs)| Net::random(j, inputs.clone(), rows, hidden, &mut rng)).collect()
}
