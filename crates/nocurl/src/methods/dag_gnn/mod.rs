//! DAG-GNN (`dag-gnn`), and its combination with NoCurl (`nocurl-gnn`).
//!
//! Both train a variational autoencoder. With one network `f` from a number to a number and another
//! one `g`, the same for all variables, a row `x` is encoded as `e = f(x)`, entry by entry. With an
//! offset `a` its latent mean is `z = (I - A')(e + a) - a`, with unit variances and a standard
//! normal prior, and it is reconstructed as `g((I - A')^-1 (z + a) - a)` with unit variances. The
//! loss of a row is the negative of the evidence lower bound,
//!
//! ```text
//! KL + NLL = |z|^2 / 2 + |x - reconstruction|^2 / 2
//! ```
//!
//! up to a constant. The matrix is `A = sinh(3 B)` entry by entry, and B is trained.
//!
//! The published code (`modules.py` and `train.py` of <https://github.com/fishmoon1234/DAG-GNN>)
//! takes the latent mean for the latent value and draws none. What goes into `g` is then e again,
//! exactly: the inverse undoes what the encoder did. So the reconstruction does not depend on A,
//! no inverse is computed here, and A only acts through `|z|^2 / 2` and the penalties. Tests hold
//! the loss and its gradient against the form with the inverse.
//!
//! Variables are single numbers; vector-valued and discrete variables, which the published code has
//! too, are out of scope.

mod adam;
mod autoencoder;
mod model;
mod network;
mod params;
mod schedule;
mod state;
mod training;

pub use params::{DagGnn, NoCurlGnn};
pub(crate) use state::Snapshot;

use self::schedule::Schedule;
use self::state::Stage;
use self::training::Trainer;
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::unfit;
use crate::core::{Dataset, Error, Mat, MatRef, Order, Run, Termination};
use crate::math::optimize::Multiplier;
use crate::math::regress::{cut_cycles, linear_parts, threshold};
use crate::math::{Problem, hodge};
use crate::methods::Proposal;

/// Memory of a training: matrices with the state of Adam and of the last epoch, rows in batches with
/// the places of their sorted values, networks for each thread.
fn memory(hidden: usize, size: &Size) -> Memory {
    let networks = 8.0 * 64.0 * hidden as f64 * size.threads as f64;
    Memory::matrices(24.0).and_tables(6.0).and_bytes(networks)
}

/// Learns a graph by DAG-GNN: minimises `KL + NLL` subject to `h(A) = 0`, by an augmented
/// Schedule.
///
/// For each penalty, `KL + NLL + alpha h + rho h^2 / 2 + 100 tr(A∘A)` with
/// `h = tr (I + A∘A/d)^d - d` is trained by Adam for some hundred epochs, from where the last one
/// ended. Rho grows tenfold while h does not fall to a quarter, then alpha grows by `rho h`, until h
/// is at most `penalty_tolerance`. Entries of the last matrix below `threshold` are no edges. Where
/// a limit ended the training, the matrix may still have cycles: then the weakest edges are dropped
/// until there is none, with a warning.
///
/// As the published code does it, with two differences: rows are dealt into batches once at random,
/// where it keeps the order of the table, and batches are even where the number of rows is no
/// multiple of their size. That code prints several graphs, among them that of the epoch with the
/// smallest `KL + NLL`, which can be an early one with cycles; the last one is as close to the truth.
///
/// Edges that prior knowledge forbids are pinned at 0. Directions come from equal variances after one
/// transformation that all variables share, so they depend on units.
///
/// The weights returned are *linear parts*: coefficients of the linear regression of each variable
/// on its parents, as for [`cam`](super::cam). Entries of A speak of encoded values, which have no
/// unit that a user knows; `estimate` has them.
///
/// Cost of an epoch: O(n d^2 + (n / batch) d^3 log d).
///
/// Reference: Yu, Chen, Gao and Yu, *DAG-GNN: DAG structure learning with graph neural networks*,
/// ICML 2019.
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::DifferentRows`] when the rows are not those
/// of the problem, [`Error::ForeignCheckpoint`] when the state kept is not of this training,
/// [`Error::Diverged`].
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::dag_gnn::{self, DagGnn};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::Problem;
/// let simulation = Simulation { variables: 5, rows: 100, ..Simulation::default() };
/// let data = simulate(&simulation, 1)?.data;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = DagGnn { epochs: 20, max_rounds: 2, ..DagGnn::default() };
/// let proposal = dag_gnn::propose(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.order.size(), 5);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &DagGnn,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let trainer = Trainer::new(problem, rows, params.settings(), seed, None, run)?;
    let mut state = trainer
        .kept()?
        .unwrap_or_else(|| Snapshot::new(trainer.initial(), Stage::Constrained(Schedule::new())));
    let mut before = state.clone();
    let mut model = trainer.model(allowed(problem));
    let termination = loop {
        let Stage::Constrained(schedule) = &state.stage else { return Err(unfit()) };
        if let Some(ended) = schedule.ended {
            break ended;
        }
        let multiplier = Some(schedule.multiplier());
        let rate = schedule.learning_rate(params.learning_rate);
        let trained = trainer.epoch(&mut model, &mut state, &mut before, multiplier, rate)?;
        let Stage::Constrained(schedule) = &mut state.stage else { return Err(unfit()) };
        schedule.advance(params, &trained);
        let over = schedule.ended.is_some();
        trainer.keep(&state, over);
    };
    let estimate = edges(model.matrix_at(&state.parameters), problem.size(), params.threshold);
    let mut support = estimate.clone();
    let mut warnings = Vec::new();
    if Reachability::new(support.as_ref()).is_cyclic() {
        cut_cycles(&mut support);
        if termination != Termination::PenaltyLimit {
            warnings.push(
                "the matrix has cycles: the weakest edges were dropped until none was left".into(),
            );
        }
    }
    let potential = hodge::potential(&Reachability::new(support.as_ref()));
    Ok(Proposal {
        search: None,
        order: Order::from_potential(&potential),
        potential: Some(potential),
        graph: None,
        weights: Some(linear_parts(problem, support.as_ref())?),
        estimate: Some(estimate),
        directed: None,
        iterations: state.epochs,
        evaluations: state.epochs * trainer.steps(),
        termination,
        score: None,
        warnings,
    })
}

/// Learns a graph by DAG-GNN with NoCurl, Algorithm 2 of the paper.
///
/// 1. `KL + NLL + lambda h + 100 tr(A∘A)` is trained for `estimate_epochs`, and the estimate
///    thresholded.
/// 2. Its potential p is found by Hodge projection, as for `nocurl`. Then `KL + NLL` is trained for
///    `epochs` with `A = sinh(3 W)∘ReLU(grad p)`, which is acyclic whatever W is: there is no
///    penalty, and the networks start from where step 1 left them. W starts from 0.
/// 3. The matrix is thresholded.
///
/// Where prior knowledge contradicts the order of p, the nearest order that satisfies it gives the
/// potential of step 2. Everything else is as for [`propose`]; the cost is fixed by the number of
/// epochs.
///
/// Reference: Yu, Gao, Yin and Ji, *DAGs with no curl: an efficient DAG structure learning
/// approach*, ICML 2021, supplement.
///
/// # Errors
/// Those of [`propose`].
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::dag_gnn::{self, NoCurlGnn};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::Problem;
/// let simulation = Simulation { variables: 5, rows: 100, ..Simulation::default() };
/// let data = simulate(&simulation, 1)?.data;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = NoCurlGnn { estimate_epochs: 20, epochs: 30, ..NoCurlGnn::default() };
/// let proposal = dag_gnn::propose_with_nocurl(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.iterations, 50);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose_with_nocurl(
    problem: &Problem,
    rows: &Dataset,
    params: &NoCurlGnn,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    let d = problem.size();
    let total = params.estimate_epochs.saturating_add(params.epochs);
    let trainer = Trainer::new(problem, rows, params.settings(), seed, Some(total), run)?;
    let mut state = match trainer.kept()? {
        Some(state) => state,
        None => Snapshot::new(trainer.initial(), Stage::Estimate),
    };
    let mut before = state.clone();

    // Step 1.
    if state.stage == Stage::Estimate {
        let mut model = trainer.model(allowed(problem));
        let multiplier = Some(Multiplier { linear: params.lambda, quadratic: 0.0 });
        while state.epochs < params.estimate_epochs {
            let rate = params.learning_rate;
            trainer.epoch(&mut model, &mut state, &mut before, multiplier, rate)?;
            trainer.keep(&state, false);
        }
        let estimate = model.matrix_at(&state.parameters).to_vec();
        let mut parameters = state.parameters;
        parameters[trainer.layout().matrix()..].fill(0.0);
        state = Snapshot {
            epochs: state.epochs,
            ..Snapshot::new(parameters, Stage::OnPotential(estimate))
        };
    }

    // Step 2: the potential, then weights that follow it.
    let Stage::OnPotential(estimate) = &state.stage else { return Err(unfit()) };
    let estimate = edges(estimate, d, params.threshold);
    let (order, potential) = ordered(problem, &estimate);
    let mut model = trainer.model(rises(problem, &potential));
    while state.epochs < total {
        trainer.epoch(&mut model, &mut state, &mut before, None, params.learning_rate)?;
        trainer.keep(&state, state.epochs == total);
    }

    // Step 3.
    let support = edges(model.matrix_at(&state.parameters), d, params.threshold);
    Ok(Proposal {
        search: None,
        order,
        potential: Some(potential),
        graph: None,
        weights: Some(linear_parts(problem, support.as_ref())?),
        estimate: Some(estimate),
        directed: None,
        iterations: state.epochs,
        evaluations: state.epochs * trainer.steps(),
        termination: Termination::Converged,
        score: None,
        warnings: Vec::new(),
    })
}

/// Factors of the entries of a free matrix: 0 for edges that are known not to be there.
fn allowed(problem: &Problem) -> Vec<f64> {
    let d = problem.size();
    let allows = |i, j| i == j || problem.knowledge().allows(i, j);
    (0..d * d).map(|k| f64::from(u8::from(allows(k % d, k / d)))).collect()
}

/// The factors `ReLU(grad p)` of a matrix that follows a potential, by columns.
fn rises(problem: &Problem, potential: &[f64]) -> Vec<f64> {
    let d = potential.len();
    let rise = |k: usize| (potential[k / d] - potential[k % d]).max(0.0);
    allowed(problem).into_iter().enumerate().map(|(k, allowed)| allowed * rise(k)).collect()
}

/// The order of a thresholded estimate and its potential, in line with what is known.
fn ordered(problem: &Problem, estimate: &Mat<f64>) -> (Order, Vec<f64>) {
    let potential = hodge::potential(&Reachability::new(estimate.as_ref()));
    let order = Order::from_potential(&potential);
    let repaired = problem.knowledge().repair(&order);
    if repaired == order {
        return (order, potential);
    }
    let potential = hodge::potential_of_order(&repaired);
    (repaired, potential)
}

/// The entries of a matrix, given by columns, that are edges.
fn edges(matrix: &[f64], d: usize, bound: f64) -> Mat<f64> {
    let mut edges = MatRef::from_column_major_slice(matrix, d, d).to_owned();
    (0..d).for_each(|j| edges[(j, j)] = 0.0);
    threshold(&mut edges, bound);
    edges
}
