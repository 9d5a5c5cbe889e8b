//! GraN-DAG (`gran-dag`), and the same by way of a potential (`nocurl-gran`).
//!
//! Each variable has a network on the others that says the mean of a normal law, and the logarithm
//! of its deviation is a number of its own, one number for all variables, or a second output.
//! Hidden units are leaky rectifiers. How much variable i matters to the network of variable j is
//! the sum over all ways through the network of the products of absolute weights, divided by the
//! number of ways: `A_ij`. The loss is the negative log-likelihood, the mean over rows and
//! variables; a fifth of the rows is held out and says when a penalty has had its effect.

mod cycles;
mod network;
pub mod nocurl;
mod schedule;
#[cfg(test)]
mod tests;
mod training;

pub use self::nocurl::NoCurlGran;

use self::network::Shape;
use self::schedule::Schedule;
use self::training::{Settings, Stage, Trainer, WINDOW};
use super::{cam, require};
use crate::core::graph::Reachability;
use crate::core::memory::{Memory, Size};
use crate::core::{Dataset, Error, Mat, Order, Run, Termination, names, unfit};
use crate::math::regress::{cut_cycles, linear_parts};
use crate::math::{Problem, hodge};
use crate::methods::{Directions, Facts, Method, Needs, Proposal, Task, parameters};

/// What is learnt of the variances of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum GranErrors {
    /// A variance for each variable.
    #[default]
    Own,
    /// One variance for all variables, in the units given.
    Equal,
    /// A variance for each row, which the network of a variable predicts.
    Predicted,
}

names!(GranErrors { Own = "own", Equal = "equal", Predicted = "predicted" });

impl GranErrors {
    fn directions(self) -> Directions {
        match self {
            Self::Equal => Directions::EqualVariances,
            Self::Own | Self::Predicted => Directions::NonlinearEffects,
        }
    }
}

parameters! {
    /// GraN-DAG: likelihood of networks under an acyclicity constraint.
    pub struct GranDag {
        /// Hidden units of a layer.
        hidden: usize = 10, "1 to 1024";
        /// Layers of hidden units.
        layers: usize = 2, "1 to 8";
        /// What is learnt of the variances of errors: one for each variable (`own`), one for all, in the units
        /// given (`equal`), or what the networks predict for each row (`predicted`).
        errors: GranErrors = GranErrors::Own, "`own`, `equal`, `predicted`";
        /// Most candidates for parents of a variable, chosen by boosting; 0 lets all others be candidates.
        neighbours: usize = 20, "from 0";
        /// Learning rate of RMSprop.
        learning_rate: f64 = 1e-3, "above 0";
        /// Rows of a step.
        batch: usize = 64, "from 1";
        /// Edges whose path product falls to this are gone for good.
        clamp: f64 = 1e-4, "from 0";
        /// The constraint counts as met when h is at most this.
        penalty_tolerance: f64 = 1e-8, "above 0";
        /// Limit on steps.
        max_iterations: u64 = 100_000, "from 1";
        /// Whether parents that are not significant are dropped after training, as `cam` does.
        prune: bool = true, "true, false";
        /// Level of that test.
        alpha: f64 = 0.001, "between 0 and 1";
    }
}

/// Memory of a training: a network for each variable with its gradients and running squares, what is
/// kept of it, and the rows in batches.
fn memory(hidden: usize, layers: usize, size: &Size) -> Memory {
    let hidden = hidden as f64;
    let inner =
        8.0 * 16.0 * size.variables as f64 * layers as f64 * (hidden + 1.0) * (hidden + 1.0);
    Memory::matrices(16.0 * hidden + 12.0).and_tables(3.0).and_bytes(inner)
}

impl Method for GranDag {
    fn facts(&self) -> Facts {
        Facts {
            name: "gran-dag",
            class: "GranDAG",
            summary: "nonlinear: likelihood of networks under an acyclicity constraint (GraN-DAG)",
            directions: self.errors.directions(),
            needs: Needs::Rows,
            linear: false,
            chooses_edges: true,
            depends_on_units: self.errors == GranErrors::Equal,
            checkpoint: true,
            most_to_check: 4,
            most_to_resample: Some(0),
            reference: "Lachapelle, Brouillard, Deleu and Lacoste-Julien, Gradient-based neural DAG learning, ICLR 2020",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        memory(self.hidden, self.layers, size)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task.problem, task.rows_for("gran-dag")?, self, task.seed, task.run)
    }
}

impl GranDag {
    /// Checks the ranges in the table above.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first value out of range.
    pub fn validate(&self) -> Result<(), Error> {
        self.settings().validate(self.alpha)?;
        let small = self.penalty_tolerance;
        require("penalty_tolerance", small, small > 0.0, "it must be positive")?;
        let limit = self.max_iterations;
        require("max_iterations", limit, limit >= 1, "at least 1 is needed")
    }

    fn settings(&self) -> Settings {
        let Self { hidden, layers, errors, learning_rate, batch, clamp, .. } = *self;
        Settings { shape: Shape { hidden, layers, errors }, learning_rate, batch, clamp }
    }
}

impl Settings {
    fn validate(&self, alpha: f64) -> Result<(), Error> {
        let Shape { hidden, layers, .. } = self.shape;
        let reason = "it must lie between 1 and 1024";
        require("hidden", hidden, (1..=1024).contains(&hidden), reason)?;
        let reason = "it must lie between 1 and 8";
        require("layers", layers, (1..=8).contains(&layers), reason)?;
        let rate = self.learning_rate;
        let reason = "it must be a finite positive number";
        require("learning_rate", rate, rate > 0.0 && rate.is_finite(), reason)?;
        require("batch", self.batch, self.batch >= 1, "at least 1 is needed")?;
        let reason = "it must be a finite number that is not negative";
        require("clamp", self.clamp, self.clamp >= 0.0 && self.clamp.is_finite(), reason)?;
        require("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must lie between 0 and 1")
    }
}

/// The graph of the networks with the largest likelihood, subject to `h(A) = tr exp(A) - d = 0`.
///
/// 1. *Neighbours.* Boosting by splines says which variables may be parents of which; where one of
///    two helps to predict the other, both are candidates.
/// 2. *Training.* `loss + lambda h + mu h^2 / 2` is minimised by RMSprop on batches of rows. When
///    it rests on held-out rows, lambda grows by `mu h`, and mu tenfold where h has not fallen by a
///    tenth. Edges whose `A_ij` falls to `clamp` are gone for good. It ends when h is at most
///    `penalty_tolerance`.
/// 3. *Pruning.* Parents whose smooth effect is not significant at `alpha` are dropped, by the fit
///    of [`cam`].
///
/// Differs from the authors' code in three points: columns are standardised, so that units do not
/// matter; neighbours come from boosting where theirs come from 500 random trees a variable; and
/// cycles that a limit on steps leaves are cut at the smallest path products, not at the smallest
/// mean derivatives. With `errors` equal, which the authors' code does not have, columns stay in
/// their units, and directions come from the variances of errors too: where an effect is all but
/// straight beside its error, networks say nothing of its direction, and only this does.
///
/// The weights returned are the *linear parts*: coefficients of the linear regression of each
/// variable on its parents, as for [`cam`]. `estimate` has the path products. On linear data with
/// Gaussian errors directions are arbitrary.
///
/// Cost of a step: six operations for each row of the batch and each weight, and seven products of
/// matrices as large as the largest strongly connected component that is left.
///
/// Reference: Lachapelle, Brouillard, Deleu and Lacoste-Julien, *Gradient-based neural DAG
/// learning*, ICLR 2020.
///
/// # Errors
/// [`Error::Parameter`], [`Error::Cancelled`], [`Error::TooFewRows`], [`Error::DifferentRows`] when
/// the rows are not those of the problem, [`Error::ForeignCheckpoint`] when the state kept is not
/// of this training, [`Error::Diverged`].
///
/// ```
/// use nocurl::Run;
/// use nocurl::methods::gran_dag::{self, GranDag};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::Problem;
/// let simulation = Simulation { variables: 4, degree: 2.0, rows: 100, ..Simulation::default() };
/// let data = simulate(&simulation, 1)?.data;
/// let problem = Problem::new(&data.moments(), true)?;
/// let params = GranDag { max_iterations: 300, ..GranDag::default() };
/// let proposal = gran_dag::propose(&problem, &data, &params, 0, &Run::default())?;
/// assert_eq!(proposal.order.size(), 4);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn propose(
    problem: &Problem,
    rows: &Dataset,
    params: &GranDag,
    seed: u64,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    params.validate()?;
    problem.check_rows(rows, "rows for `gran-dag`")?;
    let candidates = candidates(problem, rows, params.neighbours, run)?;
    let total = params.max_iterations;
    let trainer = Trainer::new(problem, rows, params.settings(), candidates, seed, total, run)?;
    let mut state = trainer.start(Stage::Constrained(Schedule::new(), false))?;
    let termination = loop {
        let Stage::Constrained(schedule, met) = &state.stage else { return Err(unfit()) };
        if *met {
            break Termination::Converged;
        }
        if state.steps >= total {
            break Termination::MaxIterations;
        }
        let (steps, multiplier) = (WINDOW.min(total - state.steps), schedule.multiplier());
        let trained = trainer.window(&mut state, steps, Some(multiplier))?;
        let Stage::Constrained(schedule, met) = &mut state.stage else { return Err(unfit()) };
        *met = trained.cycles <= params.penalty_tolerance;
        if !*met && schedule.advance(steps, trained.loss, trained.cycles) {
            // The published code starts its optimiser anew here.
            state.nets.iter_mut().for_each(|net| net.squares.fill(0.0));
        }
        let over = *met || state.steps >= total;
        trainer.keep(&state, over);
    };
    let estimate = trainer.matrix(&state.nets);
    let mut support = estimate.clone();
    let mut warnings = Vec::new();
    if Reachability::new(support.as_ref()).is_cyclic() {
        cut_cycles(&mut support);
        if termination == Termination::Converged {
            warnings.push(
                "faint cycles were left: the weakest edges were dropped until there was none"
                    .into(),
            );
        }
    }
    let potential = hodge::potential(&Reachability::new(support.as_ref()));
    let pruning = params.prune.then_some(params.alpha);
    let (weights, estimate) = (chosen(problem, rows, &support, pruning, run)?, Some(estimate));
    Ok(Proposal {
        search: None,
        order: Order::from_potential(&potential),
        potential: Some(potential),
        graph: None,
        weights: Some(weights),
        estimate,
        directed: None,
        iterations: state.steps,
        evaluations: state.steps,
        termination,
        score: None,
        warnings,
    })
}

/// The inputs that the network of each variable may have, in rising order.
fn candidates(
    problem: &Problem,
    rows: &Dataset,
    neighbours: usize,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let d = problem.size();
    let knowledge = problem.knowledge();
    let mut candidates = if neighbours == 0 {
        vec![(0..d).collect(); d]
    } else {
        cam::neighbours(rows, neighbours, run)?
    };
    for (j, own) in candidates.iter_mut().enumerate() {
        own.extend((0..d).filter(|&i| i != j && knowledge.requires(i, j)));
        own.sort_unstable();
        own.dedup();
        own.retain(|&i| i != j && knowledge.allows(i, j));
    }
    Ok(candidates)
}

/// The linear parts of the edges of an acyclic matrix that a test at this level leaves, where one
/// is asked for.
fn chosen(
    problem: &Problem,
    rows: &Dataset,
    support: &Mat<f64>,
    alpha: Option<f64>,
    run: &Run<'_>,
) -> Result<Mat<f64>, Error> {
    let Some(alpha) = alpha else { return linear_parts(problem, support.as_ref()) };
    let d = problem.size();
    let parents: Vec<Vec<usize>> =
        (0..d).map(|j| (0..d).filter(|&i| support[(i, j)] != 0.0).collect()).collect();
    let kept = cam::significant(problem, rows, &parents, alpha, run)?;
    linear_parts(problem, cam::support(d, kept.iter().map(Vec::as_slice)).as_ref())
}
