//! Epochs: all batches once, watched, stopped and kept.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::model::{Batch, Layout, Model};
use super::params::Settings;
use super::state::Snapshot;
use crate::core::simulate::Noise;
use crate::core::{Dataset, Epoch, Error, Mat, Progress, Run};
use crate::math::Problem;
use crate::math::optimize::Multiplier;

/// A loss this many times that of a model that answers 0 to everything has exploded.
const EXPLODED: f64 = 1e6;

/// The rows in batches.
#[derive(Debug)]
struct Batches {
    /// Rows up to the end of each batch.
    ends: Vec<usize>,
    variables: usize,
    values: Vec<f64>,
    places: Vec<u32>,
}

impl Batches {
    /// Deals the rows into batches of at most `size`, as even as can be, in random order.
    fn new(x: &Mat<f64>, size: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let (n, d) = (x.nrows(), x.ncols());
        let mut rows: Vec<usize> = (0..n).collect();
        rows.shuffle(rng);
        let count = n.div_ceil(size);
        let ends: Vec<usize> = (1..=count).map(|k| k * n / count).collect();
        let (mut values, mut places) = (Vec::with_capacity(n * d), Vec::with_capacity(n * d));
        let mut start = 0;
        for &end in &ends {
            let chosen = &rows[start..end];
            let cell = |place: u32| {
                let place = place as usize;
                x[(chosen[place % chosen.len()], place / chosen.len())]
            };
            let mut sorted: Vec<u32> = (0..(chosen.len() * d) as u32).collect();
            sorted.sort_unstable_by(|&a, &b| cell(a).total_cmp(&cell(b)).then(a.cmp(&b)));
            values.extend(sorted.iter().map(|&place| cell(place)));
            places.extend(sorted);
            start = end;
        }
        Self { ends, variables: d, values, places }
    }

    fn iter(&self) -> impl Iterator<Item = Batch<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| {
            let cells = start * self.variables..end * self.variables;
            let (values, places) = (&self.values[cells.clone()], &self.places[cells]);
            Batch { rows: end - start, values, places }
        })
    }

    fn largest(&self) -> usize {
        self.iter().map(|batch| batch.rows).max().unwrap_or(0)
    }
}

/// What an epoch came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trained {
    /// The negative of the evidence lower bound, up to a constant: mean over batches.
    pub(super) loss: f64,
    /// h of the matrix that the last step saw.
    pub(super) cycles: f64,
    /// Its entries off the diagonal that the threshold leaves.
    pub(super) edges: usize,
}

/// A training on one table.
pub(super) struct Trainer<'a> {
    settings: Settings,
    layout: Layout,
    batches: Batches,
    /// Mean over rows of half the sum of squares.
    trivial: f64,
    initial: Vec<f64>,
    run: &'a Run<'a>,
    /// Epochs in all, where known.
    total: Option<u64>,
}

impl<'a> Trainer<'a> {
    pub(super) fn new(
        problem: &Problem,
        rows: &Dataset,
        settings: Settings,
        seed: u64,
        total: Option<u64>,
        run: &'a Run<'a>,
    ) -> Result<Self, Error> {
        let (n, d) = (rows.values().nrows(), problem.size());
        problem.check_rows(rows, "rows to train on")?;
        let batch = |reason| {
            Err(Error::Parameter { name: "batch", value: settings.batch.to_string(), reason })
        };
        if n < settings.batch {
            return batch("the table has fewer rows; set it to the number of rows or less");
        }
        if settings.batch.checked_mul(d).is_none_or(|cells| u32::try_from(cells).is_err()) {
            return batch("a batch with so many variables is too large; set it lower");
        }
        let x = values(rows, problem.is_centred());
        let trivial = 0.5 * x.squared_norm_l2() / n as f64;
        let layout = Layout { hidden: settings.hidden, variables: d };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let initial = initial(layout, &mut rng);
        let batches = Batches::new(&x, settings.batch, &mut rng);
        Ok(Self { settings, layout, batches, trivial, initial, run, total })
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    /// Random networks, and a matrix of zeros.
    pub(super) fn initial(&self) -> Vec<f64> {
        self.initial.clone()
    }

    /// Steps of an epoch.
    pub(super) fn steps(&self) -> u64 {
        self.batches.ends.len() as u64
    }

    /// The state to go on from, where one was kept.
    pub(super) fn kept(&self) -> Result<Option<Snapshot>, Error> {
        match self.run.keeper().and_then(|keeper| keeper.state()) {
            None => Ok(None),
            Some(kept) => {
                let state: Snapshot = kept.decode()?;
                state.check(self.layout).map(|()| Some(state))
            }
        }
    }

    /// A model whose matrix has these factors.
    pub(super) fn model(&self, scale: Vec<f64>) -> Model {
        Model::new(self.layout, self.batches.largest(), scale)
    }

    /// Trains on all batches once. What is kept when training stops here is the state before, so
    /// `state` must not be used after an error.
    pub(super) fn epoch(
        &self,
        model: &mut Model,
        state: &mut Snapshot,
        before: &mut Snapshot,
        multiplier: Option<Multiplier>,
        learning_rate: f64,
    ) -> Result<Trained, Error> {
        before.clone_from(state);
        let stop = |error| {
            if let Some(keeper) = self.run.keeper() {
                keeper.keep(&before.kept());
            }
            Err(error)
        };
        let (mut loss, mut cycles) = (0.0, 0.0);
        for batch in self.batches.iter() {
            if self.run.is_stopped() {
                return stop(Error::Cancelled);
            }
            let found = model.evaluate(&state.parameters, batch, multiplier);
            let evidence = found.evidence();
            if !found.total.is_finite() || evidence > EXPLODED * self.trivial {
                return stop(self.diverged(state.epochs + 1, evidence, learning_rate));
            }
            loss += evidence;
            cycles = found.cycles;
            state.adam.step(&mut state.parameters, model.gradient(), learning_rate);
        }
        state.epochs += 1;
        loss /= self.steps() as f64;
        let trained = Trained { loss, cycles, edges: self.edges(model.matrix()) };
        self.tell(state.epochs, &trained);
        Ok(trained)
    }

    /// Hands the state on to be kept, now and then, and always when training is over.
    pub(super) fn keep(&self, state: &Snapshot, over: bool) {
        if let Some(keeper) = self.run.keeper()
            && (over || keeper.is_due())
        {
            keeper.keep(&state.kept());
        }
    }

    fn tell(&self, done: u64, trained: &Trained) {
        let objective = Some(trained.loss);
        self.run.report(Progress { stage: "training", done, total: self.total, objective });
        self.run.trained(Epoch {
            number: done,
            elbo: -trained.loss,
            acyclicity: trained.cycles,
            edges: trained.edges,
        });
    }

    fn edges(&self, matrix: &[f64]) -> usize {
        let d = self.layout.variables;
        let kept = |k: &usize| k % d != k / d && matrix[*k].abs() >= self.settings.threshold;
        (0..matrix.len()).filter(kept).count()
    }

    fn diverged(&self, epoch: u64, loss: f64, learning_rate: f64) -> Error {
        Error::Diverged { epoch, loss, learning_rate, set: self.settings.learning_rate }
    }
}

/// The values to train on.
fn values(rows: &Dataset, centred: bool) -> Mat<f64> {
    let mut x = rows.values().to_owned();
    if centred {
        for (j, mean) in rows.moments().mean().iter().enumerate() {
            x.col_as_slice_mut(j).iter_mut().for_each(|value| *value -= mean);
        }
    }
    x
}

/// Parameters to start from: weights normal after Glorot and Bengio (2010), biases of the encoder
/// uniform as PyTorch draws them, all others 0, as in the published code.
fn initial(layout: Layout, rng: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let hidden = layout.hidden;
    let deviation = (2.0 / (1.0 + hidden as f64)).sqrt();
    let mut parameters = vec![0.0; layout.size()];
    let (encoder, rest) = parameters.split_at_mut(layout.network());
    for network in [&mut *encoder, &mut rest[..layout.network()]] {
        for k in (0..hidden).chain(2 * hidden..3 * hidden) {
            network[k] = deviation * Noise::Gaussian.sample(rng);
        }
    }
    let mut uniform = |bound: f64| bound * (2.0 * rng.random::<f64>() - 1.0);
    encoder[hidden..2 * hidden].iter_mut().for_each(|bias| *bias = uniform(1.0));
    encoder[3 * hidden] = uniform(1.0 / (hidden as f64).sqrt());
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_cell_once_and_are_even() {
        let x = Mat::from_fn(23, 3, |i, j| ((5 * i + 11 * j) as f64).sin());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let batches = Batches::new(&x, 5, &mut rng);
        let sizes: Vec<usize> = batches.iter().map(|batch| batch.rows).collect();
        assert_eq!((sizes.iter().sum::<usize>(), sizes.len()), (23, 5));
        assert!(sizes.iter().all(|&rows| rows == 4 || rows == 5));
        let mut rows = Vec::new();
        for batch in batches.iter() {
            assert!(batch.values.is_sorted());
            let mut cells = vec![f64::NAN; batch.values.len()];
            for (&value, &place) in batch.values.iter().zip(batch.places) {
                cells[place as usize] = value;
            }
            for i in 0..batch.rows {
                let found =
                    (0..23).find(|&r| (0..3).all(|j| x[(r, j)] == cells[i + j * batch.rows]));
                rows.push(found.unwrap());
            }
        }
        assert_ne!(rows, (0..23).collect::<Vec<_>>());
        rows.sort_unstable();
        assert_eq!(rows, (0..23).collect::<Vec<_>>());
    }

    #[test]
    fn networks_start_as_published() {
        let layout = Layout { hidden: 2000, variables: 3 };
        let parameters = initial(layout, &mut Xoshiro256PlusPlus::seed_from_u64(5));
        let (encoder, rest) = parameters.split_at(layout.network());
        let decoder = &rest[..layout.network()];
        let spread = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        for network in [encoder, decoder] {
            for part in [&network[..2000], &network[4000..6000]] {
                assert!((spread(part) * 2001.0 / 2.0 - 1.0).abs() < 0.15);
            }
        }
        assert!((spread(&encoder[2000..4000]) * 3.0 - 1.0).abs() < 0.15);
        assert!(encoder[6000].abs() < 0.0224 && encoder[6000] != 0.0);
        assert!(decoder[2000..4000].iter().chain(&rest[6000..]).all(|&x| x == 0.0));
    }
}
