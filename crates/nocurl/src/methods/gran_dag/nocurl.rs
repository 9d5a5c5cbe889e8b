//! DAG-NoCurl with the networks of GraN-DAG (`nocurl-gran`).

use super::network::Shape;
use super::training::{Settings, Snapshot, Stage, Trainer, WINDOW};
use super::{GranErrors, candidates, chosen};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::{Dataset, Error, Mat, MatRef, Order, Run, Termination, unfit};
use crate::math::optimize::Multiplier;
use crate::math::regress::cut_cycles;
use crate::math::{Problem, hodge};
use crate::methods::nocurl::validate_lambdas;
use crate::methods::{Facts, Method, Needs, Proposal, Task, parameters, require};

parameters! {
    /// DAG-NoCurl with the networks of GraN-DAG.
    pub struct NoCurlGran {
        /// Hidden units of a layer.
        hidden: usize = 10, "1 to 1024";
        /// Layers of hidden units.
        layers: usize = 2, "1 to 8";
        /// What is learnt of the variances of errors: one for each variable (`own`), one for all, in the units
        /// given (`equal`), or what the networks predict for each row (`predicted`).
        errors: GranErrors = GranErrors::Own, "`own`, `equal`, `predicted`";
        /// Most candidates for parents of a variable, chosen by boosting; 0 lets all others be candidates.
        neighbours: usize = 20, "from 0";
        /// Penalties on cycles while the estimate is trained, one training each.
        lambdas: Vec<f64> = vec![0.01, 0.1, 1.0], "above 0, at least one";
        /// Path products below this share of the largest into the same variable are no edges.
        share: f64 = 0.1, "0 to 1";
        /// Steps for each penalty.
        estimate_iterations: u64 = 4_000, "from 1";
        /// Steps with the potential fixed.
        iterations: u64 = 5_000, "from 1";
        /// Learning rate of RMSprop.
        learning_rate: f64 = 1e-3, "above 0";
        /// Rows of a step.
        batch: usize = 64, "from 1";
        /// Whether parents that are not significant are dropped after training, as `cam` does.
        prune: bool = true, "true, false";
        /// Level of that test.
        alpha: f64 = 0.001, "between 0 and 1";
    }
}

impl Method for NoCurlGran {
    fn facts(&self) -> Facts {
        Facts {
            name: "nocurl-gran",
            class: "NoCurlGran",
            summary: "nonlinear: likelihood of networks, Hodge projection to an order, networks on it",
            directions: self.errors.directions(),
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            depends_on_units: self.errors == GranErrors::Equal,
            checkpoint: true,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "Yu, Gao, Yin and Ji, DAGs with no curl, ICML 2021 (future work of its supplement)",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        super::memory(self.hidden, self.layers, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("nocurl-gran")?, self, task.seed, task.run)
    }
}

impl NoCurlGran {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.settings().validate(self.alpha)?;
        validate_lambdas(&self.lambdas)?;
        let (share, reason) = (self.share, "it must lie between 0 and 1");
        require("share", share, (0.0..=1.0).contains(&share), reason)?;
        let counts =
            [("estimate_iterations", self.estimate_iterations), ("iterations", self.iterations)];
        for (name, count) in counts {
            require(name, count, count >= 1, "at least 1 is needed")?;
        }
        Ok(())
    }

    fn settings(&self) -> Settings {
        let Self { hidden, layers, errors, learning_rate, batch, .. } = *self;
        let shape = Shape { hidden, layers, errors };
        Settings { shape, learning_rate, batch, clamp: 0.0 }
    }
}

/// The graph of the networks of GraN-DAG by DAG-NoCurl.
///
/// 1. The networks of [`gran-dag`](super::propose) are trained with a fixed penalty `lambda h`
///    instead of a constraint, for each lambda in turn from where the last one ended. Their path
///    products, less those below `share` of the largest into the same variable, are an estimate
///    that may be cyclic. Where its potential has ties, that of the estimate without its weakest
///    edges decides.
/// 2. The potential of the estimate says which inputs each network may have. They are trained on
///    these alone, from where step 1 left them, and without a penalty, since there can be no cycle.
/// 3. Path products below `share` of the largest go, then parents that are not significant, as for
///    `gran-dag`.
///
/// The cost is fixed by the number of steps. Everything else is as for `gran-dag`.
///
/// # Errors
/// Those of [`gran-dag`](super::propose).
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::gran_dag::nocurl::{NoCurlGran, propose};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::Problem;
/// let simulation = Simulation { variables: 4, degree: 2.0, rows: 100, ..Simulation::default() };
/// let data = simulate(&simulation, 1)?.data;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params =
///     NoCurlGran { estimate_iterations: 50, iterations: 150, ..NoCurlGran::default() };
/// let proposal = propose(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.iterations, 300);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &NoCurlGran,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    problem.check_rows(rows, "rows for `nocurl-gran`")?;
    let d = problem.size();
    let candidates = candidates(problem, rows, params.neighbours, run)?;
    let estimating = params.estimate_iterations.saturating_mul(params.lambdas.len() as u64);
    let total = estimating.saturating_add(params.iterations);
    let trainer = Trainer::new(problem, rows, params.settings(), candidates, seed, total, run)?;
    let mut state = trainer.start(Stage::Estimate)?;

    // Step 1.
    if state.stage == Stage::Estimate {
        for (number, &linear) in params.lambdas.iter().enumerate() {
            let until = params.estimate_iterations.saturating_mul(number as u64 + 1);
            let multiplier = Some(Multiplier { linear, quadratic: 0.0 });
            train(&trainer, &mut state, until, multiplier, false)?;
        }
        let estimate = trainer.matrix(&state.nets);
        let entries = (0..d).flat_map(|j| estimate.col_as_slice(j).to_vec()).collect();
        state.stage = Stage::OnPotential(entries);
        state.nets.iter_mut().for_each(|net| net.squares.fill(0.0));
    }

    // Step 2: the potential, then networks that follow it.
    let Stage::OnPotential(entries) = &state.stage else { return Err(unfit()) };
    let estimate = edges(MatRef::from_column_major_slice(entries, d, d), params.share);
    let (order, potential) = ordered(problem, &estimate);
    let ranks = order.ranks();
    for (j, net) in state.nets.iter_mut().enumerate() {
        net.retain(params.settings().shape, |i| ranks[i] < ranks[j]);
    }
    train(&trainer, &mut state, total, None, true)?;

    // Step 3.
    let support = edges(trainer.matrix(&state.nets).as_ref(), params.share);
    let pruning = params.prune.then_some(params.alpha);
    Ok(Proposal {
        search: None,
        order,
        potential: Some(potential),
        graph: None,
        weights: Some(chosen(problem, rows, &support, pruning, run)?),
        estimate: Some(estimate),
        directed: None,
        iterations: state.steps,
        evaluations: state.steps,
        termination: Termination::Converged,
        score: None,
        warnings: Vec::new(),
    })
}

/// Trains up to so many steps in all.
fn train(
    trainer: &Trainer<'_>,
    state: &mut Snapshot,
    until: u64,
    multiplier: Option<Multiplier>,
    last: bool,
) -> Result<(), Error> {
    while state.steps < until {
        let steps = WINDOW.min(until - state.steps);
        trainer.window(state, steps, multiplier)?;
        trainer.keep(state, last && state.steps == until);
    }
    Ok(())
}

/// The entries that are edges: at least this share of the largest in their column.
fn edges(all: MatRef<'_, f64>, share: f64) -> Mat<f64> {
    let d = all.ncols();
    let largest: Vec<f64> =
        (0..d).map(|j| (0..d).map(|k| all[(k, j)]).fold(0.0, f64::max)).collect();
    Mat::from_fn(d, d, |i, j| if all[(i, j)] >= share * largest[j] { all[(i, j)] } else { 0.0 })
}

/// The order of an estimate and its potential, in line with what is known.
fn ordered(problem: &Problem, estimate: &Mat<f64>) -> (Order, Vec<f64>) {
    let mut potential = hodge::potential(&Reachability::new(estimate.as_ref()));
    let mut found = Order::from_potential(&potential);
    if !found.is_strict() {
        let mut strongest = estimate.clone();
        cut_cycles(&mut strongest);
        let ties = hodge::potential(&Reachability::new(strongest.as_ref()));
        let ranks = Order::from_potential(&ties).ranks();
        let places = found.places().iter().cloned().flat_map(|mut place| {
            place.sort_by_key(|&v| (ranks[v], v));
            place.chunk_by(|&a, &b| ranks[a] == ranks[b]).map(<[usize]>::to_vec).collect::<Vec<_>>()
        });
        found = Order::from_places(places.collect());
        potential = hodge::potential_of_order(&found);
    }
    let repaired = problem.knowledge().repair(&found);
    if repaired != found {
        potential = hodge::potential_of_order(&repaired);
    }
    (repaired, potential)
}
