//! DAG-NoCurl with networks (`nocurl-mlp`).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{candidates, centred, start, validate_networks, validate_search};
use crate::core::graph::Reachability;
use crate::core::progress::{Counter, Quiet};
use crate::core::{Dataset, Error, Observer, Order, Termination};
use crate::math::networks::{Log, Loss, Net, Training, norms};
use crate::math::objective::Acyclicity;
use crate::math::optimize::Multiplier;
use crate::math::regress::{linear_parts, threshold};
use crate::math::{Problem, hodge};
use crate::methods::nocurl::validate_lambdas;
use crate::methods::{Proposal, require};

/// Parameters of DAG-NoCurl with networks.
///
/// Step 1 minimises the penalised loss of [`NotearsMlpParams`](super::NotearsMlpParams) plus
/// `lambda h(A)`, for each lambda in turn, each from the last one's result; Step 2 the same without
/// `h` on the inputs that the potential allows.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `lambdas` | 10 | acyclicity penalties of Step 1 | > 0, at least one |
/// | `estimate_threshold` | 0.3 | norms of the estimate below this do not count as edges | >= 0 |
/// | `hidden` | 32 | hidden units of a network | >= 1 |
/// | `lambda1` | 0.01 | the L1 penalty | >= 0 |
/// | `lambda2` | 0.01 | the L2 penalty | >= 0 |
/// | `norm_threshold` | 0.3 | edges of a smaller norm go | >= 0 |
/// | `acyclicity` | polynomial | the penalty h | |
/// | `tolerance` | 1e-6 | relative decrease at which a minimisation stops | > 0 |
/// | `max_iterations` | 15000 | limit on iterations of a minimisation | >= 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoCurlMlpParams {
    /// Acyclicity penalties of Step 1, one minimisation each.
    pub lambdas: Vec<f64>,
    /// Threshold on the estimate before its connectivity is taken.
    pub estimate_threshold: f64,
    /// Hidden units of a network.
    pub hidden: usize,
    /// The L1 penalty on first-layer weights.
    pub lambda1: f64,
    /// The L2 penalty on the weights of both layers.
    pub lambda2: f64,
    /// Edges of a smaller norm go.
    pub norm_threshold: f64,
    /// The acyclicity penalty.
    pub acyclicity: Acyclicity,
    /// Relative decrease of the objective at which a minimisation stops.
    pub tolerance: f64,
    /// Limit on the iterations of a minimisation.
    pub max_iterations: u64,
}

impl Default for NoCurlMlpParams {
    fn default() -> Self {
        Self {
            lambdas: vec![10.0],
            estimate_threshold: 0.3,
            hidden: 32,
            lambda1: 0.01,
            lambda2: 0.01,
            norm_threshold: 0.3,
            acyclicity: Acyclicity::Polynomial,
            tolerance: 1e-6,
            max_iterations: 15_000,
        }
    }
}

impl NoCurlMlpParams {
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
/// use nocurl::methods::notears_mlp::nocurl::{NoCurlMlpParams, propose};
/// use nocurl::{Dataset, Mat, Problem};
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let y = |i: usize| 2.0 * (2.0 * x(i)).sin() + noise(i);
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { y(i) });
/// let data = Dataset::new(Dataset::default_names(2), values)?;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = NoCurlMlpParams { hidden: 8, ..NoCurlMlpParams::default() };
/// let proposal = propose(&problem, &data, &params, 0, &())?;
/// assert_eq!(proposal.order.sequence(), [0, 1]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &NoCurlMlpParams,
    seed: u64,
    observer: &dyn Observer,
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
        observer,
    };

    // Step 1, Eq. (pre), and its threshold.
    let all = candidates(problem, |_, _| true);
    let mut nets = start(&rows, &all, params.hidden, seed);
    let mut log = Log::open(observer, &all, params.hidden)?;
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
    let order = problem.knowledge().map_or_else(|| found.clone(), |known| known.repair(&found));
    let ranks = order.ranks();
    let earlier = candidates(problem, |i, j| ranks[i] < ranks[j]);
    let progress = Counter::new("training along the order", d, observer);
    let quiet = Quiet(observer);
    let training = Training { observer: &quiet, ..training };
    let train = |(net, inputs): (&mut Net, &Vec<usize>)| {
        *net = net.widened(inputs.clone());
        let nets = std::slice::from_mut(net);
        let info = training.minimise(nets, std::slice::from_ref(inputs), None, &mut Log::none())?;
        progress.add(1).map(|()| info)
    };
    let second = nets.par_iter_mut().zip(&earlier).map(train).collect::<Result<Vec<_>, _>>()?;
    infos.extend(second);
    let mut norms = norms(&nets, d);
    threshold(&mut norms, params.norm_threshold);

    let short = infos.iter().any(|info| info.termination == Termination::MaxIterations);
    Ok(Proposal {
        // The potential is that of the estimate: another order has another one.
        potential: (order == found).then_some(potential),
        order,
        weights: Some(linear_parts(problem, norms.as_ref())?),
        estimate: Some(estimate),
        iterations: infos.iter().map(|info| info.iterations).sum(),
        evaluations: infos.iter().map(|info| info.evaluations).sum(),
        termination: if short { Termination::MaxIterations } else { Termination::Converged },
        warnings: Vec::new(),
    })
}
