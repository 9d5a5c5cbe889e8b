//! DAG-NoCurl with networks (`nocurl-mlp`).

use super::{candidates, centred, start, validate_networks, validate_search};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Dataset, Error, Order, Run, Termination};
use crate::math::networks::{self, Log, Loss, Net, Training, norms};
use crate::math::objective::Acyclicity;
use crate::math::optimize::{Info, Multiplier};
use crate::math::regress::{linear_parts, threshold};
use crate::math::{Problem, hodge};
use crate::methods::nocurl::validate_lambdas;
use crate::methods::{Facts, Method, Needs, Proposal, Task, parameters, require};

parameters! {
    /// DAG-NoCurl with the networks of NOTEARS-MLP.
    ///
    /// Step 1 minimises the penalised loss of [`NotearsMlp`](super::NotearsMlp) plus `lambda h(A)`, for
    /// each lambda in turn, each from the last one's result; Step 2 the same without `h` on the inputs
    /// that the potential allows.
    pub struct NoCurlMlp {
        /// Acyclicity penalties of Step 1, one minimisation each.
        lambdas: Vec<f64> = vec![10.0], "above 0, at least one";
        /// Norms of the estimate below this do not count as edges.
        estimate_threshold: f64 = 0.3, "from 0";
        /// Hidden units of a network.
        hidden: usize = 32, "from 1";
        /// The L1 penalty on first-layer weights.
        lambda1: f64 = 0.01, "from 0";
        /// The L2 penalty on the weights of both layers.
        lambda2: f64 = 0.01, "from 0";
        /// Edges of a smaller norm go.
        norm_threshold: f64 = 0.3, "from 0";
        /// The acyclicity penalty h.
        acyclicity: Acyclicity = Acyclicity::Polynomial, "`polynomial`, `exponential`, `log-det`";
        /// Relative decrease of the objective at which a minimisation stops.
        tolerance: f64 = 1e-6, "above 0";
        /// Limit on the iterations of a minimisation.
        max_iterations: u64 = 15_000, "from 1";
    }
}

impl Method for NoCurlMlp {
    fn facts(&self) -> Facts {
        Facts {
            name: "nocurl-mlp",
            class: "NoCurlMLP",
            summary: "nonlinear: networks, Hodge projection to an order, networks on it",
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            checkpoint: true,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "Yu, Gao, Yin and Ji, DAGs with no curl, ICML 2021 (future work of its supplement)",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        networks::memory(self.hidden, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("nocurl-mlp")?, self, task.seed, task.run)
    }
}

impl NoCurlMlp {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        validate_lambdas(&self.lambdas)?;
        let bound = self.estimate_threshold;
        require("estimate_threshold", bound, bound >= 0.0, "it must not be negative")?;
        validate_networks(self.hidden, [self.lambda1, self.lambda2])?;
        validate_search(self.norm_threshold, self.tolerance, self.max_iterations)
    }
}

/// The graph of networks by DAG-NoCurl, which its authors name as future work (Yu, Gao, Yin and
/// Ji, 2021, supplement).
///
/// 1. The networks of [`notears-mlp`](super::propose) are trained with a fixed penalty instead of
///    a constraint, and the norms of their first layers are an estimate that may be cyclic.
/// 2. The potential of that estimate says which inputs each network may have. They are trained on
///    these alone, from where Step 1 left them: d problems that have nothing to do with each
///    other, and no penalty for cycles, since there can be none.
///
/// The weights returned are the linear parts, as for `notears-mlp`.
///
/// Cost: one subproblem of `notears-mlp`, then d small ones. From some 50 variables on it has more
/// superfluous edges than `notears-mlp`, see `docs/paper.md`.
///
/// # Errors
/// Those of [`notears-mlp`](super::propose).
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::notears_mlp::nocurl::{NoCurlMlp, propose};
/// use nocurl::{Dataset, Mat, Problem};
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let y = |i: usize| 2.0 * (2.0 * x(i)).sin() + noise(i);
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { y(i) });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = NoCurlMlp { hidden: 8, ..NoCurlMlp::default() };
/// let proposal = propose(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.order.sequence(), [0, 1]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &NoCurlMlp,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let d = problem.size();
    let rows = centred(problem, rows, "rows for `nocurl-mlp`")?;
    let training = Training {
        rows: &rows,
        loss: Loss::Squares,
        variables: d,
        lambda1: params.lambda1,
        lambda2: params.lambda2,
        acyclicity: params.acyclicity,
        tolerance: params.tolerance,
        max_iterations: params.max_iterations,
        stage: "training networks",
        run,
    };

    // Step 1, Eq. (pre), and its threshold.
    let all = candidates(problem, |_, _| true);
    let mut nets = start(&rows, &all, params.hidden, seed);
    let mut log = Log::open(run, &all, params.hidden)?;
    let mut infos = Vec::new();
    for &lambda in &params.lambdas {
        let multiplier = Multiplier { linear: lambda, quadratic: 0.0 };
        infos.push(training.minimise(&mut nets, &all, Some(multiplier), &mut log)?);
    }
    log.keep();
    let mut estimate = norms(&nets, d);
    threshold(&mut estimate, params.estimate_threshold);

    // Step 2, Eq. (solvep): the potential, then networks that follow it.
    let potential = hodge::potential(&Reachability::new(estimate.as_ref()));
    let found = Order::from_potential(&potential);
    let order = problem.knowledge().repair(&found);
    infos.extend(train_along(problem, &order, training, &mut nets)?);
    let mut norms = norms(&nets, d);
    threshold(&mut norms, params.norm_threshold);

    let short = infos.iter().any(|info| info.termination == Termination::MaxIterations);
    Ok(Proposal {
        search: None,
        // The potential is that of the estimate: another order has another one.
        potential: (order == found).then_some(potential),
        order,
        graph: None,
        weights: Some(linear_parts(problem, norms.as_ref())?),
        estimate: Some(estimate),
        directed: None,
        iterations: infos.iter().map(|info| info.iterations).sum(),
        evaluations: infos.iter().map(|info| info.evaluations).sum(),
        termination: if short { Termination::MaxIterations } else { Termination::Converged },
        score: None,
        warnings: Vec::new(),
    })
}

/// Trains each network for itself on the inputs that come before its variable.
fn train_along(
    problem: &Problem,
    order: &Order,
    training: Training<'_>,
    nets: &mut [Net],
) -> Result<Vec<Info>, Error> {
    let ranks = order.ranks();
    let earlier = candidates(problem, |i, j| ranks[i] < ranks[j]);
    let progress = Counter::new("training along the order", problem.size(), training.run);
    let quiet = training.run.quiet();
    let training = Training { run: &quiet, ..training };
    let train = |(net, inputs): (&mut Net, &Vec<usize>)| {
        *net = net.widened(inputs.clone());
        let nets = std::slice::from_mut(net);
        let info = training.minimise(nets, std::slice::from_ref(inputs), None, &mut Log::none())?;
        progress.add(1).map(|()| info)
    };
    nets.par_iter_mut().zip(&earlier).map(train).collect()
}
