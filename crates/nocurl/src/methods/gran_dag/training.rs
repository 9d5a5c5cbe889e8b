//! Windows of steps: watched, stopped and kept.

use rand::seq::SliceRandom;

use super::GranErrors;
use super::cycles::Cycles;
use super::network::{Block, HALF_LOG_TAU, Net, Shape, Space};
use super::schedule::Schedule;
use crate::core::parallel::*;
use crate::core::random::stream;
use crate::core::{Dataset, Epoch, Error, Mat, Progress, Run, TrainingState, is_count, unfit};
use crate::math::Problem;
use crate::math::networks::Rows;
use crate::math::optimize::Multiplier;

/// Steps after which held-out rows are looked at, and the state may be kept.
pub(super) const WINDOW: u64 = 100;

/// The share of the rows that is held out: one in so many.
const HELD_OUT: usize = 5;

/// Errors that are so many times as large as the values themselves have exploded, and so has a
/// loss of this size in units of their deviations.
const EXPLODED: f64 = 1e6;

/// Operations of a step from which on it is done by several threads.
const WORTHWHILE: usize = 1 << 16;

/// Rows of a block in which held-out rows go through the networks.
const BLOCK: usize = 256;

/// Random streams: which rows are held out, the first networks, and the order of rows in each pass.
const HOLD_OUT: u64 = 0;
const NETWORKS: u64 = 1;
const PASSES: u64 = 2;

/// How networks are trained.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) shape: Shape,
    pub(super) learning_rate: f64,
    pub(super) batch: usize,
    /// Path products up to this are no edges, and stay none.
    pub(super) clamp: f64,
}

/// A training between two windows.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Snapshot {
    pub(super) steps: u64,
    pub(super) nets: Vec<Net>,
    pub(super) stage: Stage,
}

/// What is trained now.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub(super) enum Stage {
    /// `gran-dag`, and whether its constraint is met.
    Constrained(Schedule, bool),
    /// Step 1 of `nocurl-gran`.
    Estimate,
    /// Step 2 of `nocurl-gran`, with the path products of step 1 by columns.
    OnPotential(Vec<f64>),
}

impl Snapshot {
    fn kept(&self) -> TrainingState {
        TrainingState::new(format!("{} steps", self.steps), self)
    }

    fn check(&self, shape: Shape, candidates: &[Vec<usize>]) -> Result<(), Error> {
        let d = candidates.len();
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        let fits = is_count(self.steps)
            && self.nets.len() == d
            && self.nets.iter().zip(candidates).all(|(net, own)| net.is_of(shape, own))
            && match &self.stage {
                Stage::Constrained(schedule, _) => schedule.is_sound(),
                Stage::Estimate => true,
                Stage::OnPotential(estimate) => estimate.len() == d * d && finite(estimate),
            };
        if fits { Ok(()) } else { Err(unfit()) }
    }
}

/// What a window came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trained {
    /// The mean negative log-likelihood of a value on held-out rows.
    pub(super) loss: f64,
    /// h as the last step saw it.
    pub(super) cycles: f64,
}

/// A training on one table.
pub(super) struct Trainer<'a> {
    settings: Settings,
    candidates: Vec<Vec<usize>>,
    problem: &'a Problem,
    values: Mat<f64>,
    /// Rows to train on, and rows that are held out.
    rows: Vec<usize>,
    held_out: Vec<usize>,
    /// A loss beyond this has exploded.
    most: f64,
    seed: u64,
    /// Steps at most.
    total: u64,
    run: &'a Run<'a>,
}

impl<'a> Trainer<'a> {
    /// Networks on standardised rows, each with inputs among `candidates`. Where all errors have the
    /// same variance, units stay as they are but for one factor.
    pub(super) fn new(
        problem: &'a Problem,
        rows: &Dataset,
        settings: Settings,
        candidates: Vec<Vec<usize>>,
        seed: u64,
        total: u64,
        run: &'a Run<'a>,
    ) -> Result<Self, Error> {
        let n = rows.values().nrows();
        if n < 2 * HELD_OUT {
            return Err(Error::TooFewRows { rows: n as u64, needed: 2 * HELD_OUT as u64 });
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut stream(seed, HOLD_OUT));
        let held_out = order.split_off(n - n / HELD_OUT);
        let values = match settings.shape.errors {
            GranErrors::Equal => in_one_unit(rows),
            GranErrors::Own | GranErrors::Predicted => Rows::standardised(rows).into_values(),
        };
        let most = match settings.shape.errors {
            GranErrors::Equal => {
                let squares: f64 =
                    (0..values.ncols()).map(|j| values.col(j).squared_norm_l2()).sum();
                let variance = squares / (n * values.ncols()) as f64;
                HALF_LOG_TAU + 0.5 * (libm::log(variance) + 1.0) + libm::log(EXPLODED)
            }
            GranErrors::Own | GranErrors::Predicted => EXPLODED,
        };
        let rows = order;
        Ok(Self { settings, candidates, problem, values, rows, held_out, most, seed, total, run })
    }

    /// The state to go on from, or random networks.
    pub(super) fn start(&self, stage: Stage) -> Result<Snapshot, Error> {
        if let Some(kept) = self.run.keeper().and_then(|keeper| keeper.state()) {
            let state: Snapshot = kept.decode()?;
            state.check(self.settings.shape, &self.candidates)?;
            let same = std::mem::discriminant(&state.stage) == std::mem::discriminant(&stage);
            let next = matches!((&stage, &state.stage), (Stage::Estimate, Stage::OnPotential(_)));
            return if same || next { Ok(state) } else { Err(unfit()) };
        }
        let mut rng = stream(self.seed, NETWORKS);
        let d = self.problem.size();
        let random =
            |inputs: &Vec<usize>| Net::random(inputs.clone(), d, self.settings.shape, &mut rng);
        Ok(Snapshot { steps: 0, nets: self.candidates.iter().map(random).collect(), stage })
    }

    /// Trains for up to `steps`, no more than a window. What is kept when training stops here is
    /// the state before, so `state` must not be used after an error.
    pub(super) fn window(
        &self,
        state: &mut Snapshot,
        steps: u64,
        multiplier: Option<Multiplier>,
    ) -> Result<Trained, Error> {
        let before = self.run.keeper().map(|keeper| (keeper, state.kept()));
        let result = self.steps(state, steps, multiplier);
        if let (Err(_), Some((keeper, before))) = (&result, before) {
            keeper.keep(&before);
        }
        let cycles = result?;
        let trained = Trained { loss: self.held_out_loss(&state.nets), cycles };
        self.tell(state, &trained);
        Ok(trained)
    }

    fn steps(
        &self,
        state: &mut Snapshot,
        steps: u64,
        multiplier: Option<Multiplier>,
    ) -> Result<f64, Error> {
        let d = self.problem.size();
        let mut products = Mat::zeros(d, d);
        let mut cycles = Cycles::new(d);
        let mut spaces: Vec<Space> = (0..d).map(|_| Space::default()).collect();
        let (mut dealt, mut batch, mut h) = (None, Vec::new(), 0.0);
        for _ in 0..steps {
            if self.run.is_stopped() {
                return Err(Error::Cancelled);
            }
            let rows = self.batch(state.steps, &mut dealt, &mut batch);
            let mut slope = 0.0;
            if let Some(multiplier) = multiplier {
                self.products(&state.nets, &mut spaces, &mut products);
                h = cycles.evaluate(&products);
                slope = multiplier.slope(h);
            }
            let block = Block { rows, values: &batch };
            let penalty = multiplier.map(|_| (slope, &cycles, &products));
            let loss = self.step(&mut state.nets, block, penalty, &mut spaces);
            state.steps += 1;
            if !(loss + slope * h).is_finite() || loss > self.most {
                return Err(self.diverged(state.steps, loss));
            }
        }
        Ok(h)
    }

    /// Fills in the rows of a step, column by column; how many. Each pass over the rows has an
    /// order of its own, the last of which is in `dealt`.
    fn batch(
        &self,
        step: u64,
        dealt: &mut Option<(u64, Vec<usize>)>,
        batch: &mut Vec<f64>,
    ) -> usize {
        let (n, size) = (self.rows.len(), self.settings.batch.min(self.rows.len()));
        let in_pass = (n / size) as u64;
        let (pass, at) = (step / in_pass, (step % in_pass) as usize);
        if dealt.as_ref().is_none_or(|(last, _)| *last != pass) {
            let mut rows = self.rows.clone();
            rows.shuffle(&mut stream(self.seed, PASSES + pass));
            *dealt = Some((pass, rows));
        }
        if let Some((_, rows)) = dealt {
            gather(&self.values, &rows[at * size..(at + 1) * size], batch);
        }
        size
    }

    /// One step of all networks; their loss, the mean over rows and variables.
    fn step(
        &self,
        nets: &mut [Net],
        block: Block<'_>,
        penalty: Option<(f64, &Cycles, &Mat<f64>)>,
        spaces: &mut [Space],
    ) -> f64 {
        let Settings { shape, learning_rate, clamp, .. } = self.settings;
        let arch = pulp::Arch::new();
        let size: usize = nets.iter().map(|net| net.parameters.len()).sum();
        let alone = size * block.rows < WORTHWHILE;
        let slopes = |(j, (net, space)): (usize, (&mut Net, &mut Space))| {
            net.loss(shape, j, block, true, space)
        };
        let losses: Vec<f64> = if alone {
            nets.iter_mut().zip(spaces.iter_mut()).enumerate().map(slopes).collect()
        } else {
            nets.par_iter_mut().zip(spaces.par_iter_mut()).enumerate().map(slopes).collect()
        };
        let count = block.rows * nets.len();
        let (loss, precision) = mean_loss(shape.errors, losses.iter().sum(), count);
        let scale = precision / count as f64;
        let one = |(j, (net, space)): (usize, (&mut Net, &mut Space))| {
            space.gradient.iter_mut().for_each(|slope| *slope *= scale);
            if let Some((slope, cycles, _)) = penalty {
                net.add_product_slopes(shape, |i| slope * cycles.slope(i, j), space);
            }
            net.step(&space.gradient, learning_rate, arch);
            if let Some((_, _, products)) = penalty {
                let required = |i| self.problem.knowledge().requires(i, j);
                net.retain(shape, |i| products[(i, j)] > clamp || required(i));
            }
        };
        if alone {
            nets.iter_mut().zip(spaces).enumerate().for_each(one);
        } else {
            nets.par_iter_mut().zip(spaces.par_iter_mut()).enumerate().for_each(one);
        }
        loss
    }

    /// Fills in the matrix of path products, row -> column.
    fn products(&self, nets: &[Net], spaces: &mut [Space], products: &mut Mat<f64>) {
        for (j, (net, space)) in nets.iter().zip(spaces).enumerate() {
            let column = products.col_as_slice_mut(j);
            column.fill(0.0);
            let found = net.products(self.settings.shape, space);
            net.inputs.iter().zip(found).for_each(|(&i, &product)| column[i] = product);
        }
    }

    /// The matrix of path products, row -> column.
    pub(super) fn matrix(&self, nets: &[Net]) -> Mat<f64> {
        let d = self.problem.size();
        let mut products = Mat::zeros(d, d);
        let mut spaces: Vec<Space> = (0..d).map(|_| Space::default()).collect();
        self.products(nets, &mut spaces, &mut products);
        products
    }

    /// The mean negative log-likelihood of a value that is held out.
    fn held_out_loss(&self, nets: &[Net]) -> f64 {
        let mut sum = 0.0;
        let mut values = Vec::new();
        for rows in self.held_out.chunks(BLOCK) {
            gather(&self.values, rows, &mut values);
            let block = Block { rows: rows.len(), values: &values };
            let loss = |(j, net): (usize, &Net)| {
                net.loss(self.settings.shape, j, block, false, &mut Space::default())
            };
            let losses: Vec<f64> = nets.par_iter().enumerate().map(loss).collect();
            sum += losses.iter().sum::<f64>();
        }
        mean_loss(self.settings.shape.errors, sum, self.held_out.len() * nets.len()).0
    }

    /// Hands the state on to be kept, now and then, and always when training is over.
    pub(super) fn keep(&self, state: &Snapshot, over: bool) {
        if let Some(keeper) = self.run.keeper()
            && (over || keeper.is_due())
        {
            keeper.keep(&state.kept());
        }
    }

    fn tell(&self, state: &Snapshot, trained: &Trained) {
        let (stage, objective) = ("training networks", Some(trained.loss));
        let total = Some(self.total);
        self.run.report(Progress { stage, done: state.steps, total, objective });
        self.run.trained(Epoch {
            number: state.steps.div_ceil(WINDOW),
            elbo: -trained.loss * state.nets.len() as f64,
            acyclicity: trained.cycles,
            edges: state.nets.iter().map(|net| net.inputs.len()).sum(),
        });
    }

    fn diverged(&self, steps: u64, loss: f64) -> Error {
        let learning_rate = self.settings.learning_rate;
        Error::Diverged { epoch: steps.div_ceil(WINDOW), loss, learning_rate, set: learning_rate }
    }
}

/// The mean negative log-likelihood of so many values from the sum over them, and the factor of its
/// derivatives. Where all errors have the same deviation, which the sum has as 1, it is the one with
/// the largest likelihood.
pub(super) fn mean_loss(errors: GranErrors, sum: f64, count: usize) -> (f64, f64) {
    let mean = sum / count as f64;
    if errors != GranErrors::Equal {
        return (mean, 1.0);
    }
    let variance = (2.0 * (mean - HALF_LOG_TAU)).max(f64::MIN_POSITIVE);
    (HALF_LOG_TAU + 0.5 * (libm::log(variance) + 1.0), 1.0 / variance)
}

/// The rows with means 0, and the smallest deviation 1: where errors have the same variance, the
/// variable that varies least has no parents, and its deviation is that of the errors.
fn in_one_unit(rows: &Dataset) -> Mat<f64> {
    let centred = Rows::new(rows);
    let least = centred.deviations().iter().copied().fold(f64::INFINITY, f64::min);
    let mut values = centred.into_values();
    values *= faer::Scale(1.0 / least);
    values
}

/// Some rows, column by column.
fn gather(values: &Mat<f64>, rows: &[usize], into: &mut Vec<f64>) {
    into.clear();
    for j in 0..values.ncols() {
        let column = values.col_as_slice(j);
        into.extend(rows.iter().map(|&row| column[row]));
    }
}
