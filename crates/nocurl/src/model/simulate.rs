//! Rows drawn from a model.

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::expectation::{Answer, Settings};
use super::{Mechanism, Model};
use crate::core::{Kind, Mat};

/// The seed of answers that are simulated: they are the same in every run.
const SEED: u64 = 0x6e6f_6375_726c;

/// The randomness of rows, one column per variable. Answers about different interventions use the
/// same randomness, so that their difference has little error.
pub(super) struct Draws {
    /// Standard normal for linear mechanisms, uniform for the others.
    columns: Vec<Vec<f64>>,
}

/// One generator per variable, so that a variable's draws do not depend on the others.
fn generators(variables: usize, seed: u64) -> Vec<Xoshiro256PlusPlus> {
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..variables).map(|_| Xoshiro256PlusPlus::seed_from_u64(seeds.next_u64())).collect()
}

impl Draws {
    /// Antithetic draws: the second half mirrors the first.
    pub(super) fn new(model: &Model) -> Self {
        let half = Model::DRAWS / 2;
        let mut generators = generators(model.size(), SEED);
        let columns = model.mechanisms().iter().zip(&mut generators).map(|(mechanism, rng)| {
            let is_linear = mechanism.linear().is_some();
            let mut column: Vec<f64> = (0..half)
                .map(|_| if is_linear { StandardNormal.sample(rng) } else { rng.random() })
                .collect();
            let mirrored: Vec<f64> =
                column.iter().map(|x| if is_linear { -x } else { 1.0 - x }).collect();
            column.extend(mirrored);
            column
        });
        Self { columns: columns.collect() }
    }

    /// Means and probabilities of levels after variables are set, on the learnt scales.
    pub(super) fn expect(&self, model: &Model, set: &Settings) -> Vec<Answer> {
        let rows = Model::DRAWS;
        let level = model.level_of(set);
        let variables = model.variables();
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); model.size()];
        let mut answers: Vec<Option<Answer>> = vec![None; model.size()];
        for &v in model.graph().order() {
            let mechanism = model.mechanism_in(v, level);
            let noise = &self.columns[v];
            let mut column = vec![0.0; rows];
            answers[v] = Some(match (set.get(&v), mechanism) {
                (Some(&value), mechanism) => {
                    column.fill(value);
                    match mechanism.linear() {
                        Some(_) => Answer::Number(value),
                        None => {
                            let mut chances = vec![0.0; variables.list()[v].levels.len()];
                            chances[value as usize] = 1.0;
                            Answer::Levels(chances)
                        }
                    }
                }
                (None, Mechanism::Linear(linear)) => {
                    let deviation = linear.variance.sqrt();
                    let mut sum = 0.0;
                    for (i, value) in column.iter_mut().enumerate() {
                        let mean = linear.mean(variables, |parent| values[parent][i]);
                        sum += mean;
                        *value = mean + deviation * noise[i];
                    }
                    Answer::Number(sum / rows as f64)
                }
                (None, mechanism) => {
                    let mut sums = vec![0.0; variables.list()[v].levels.len()];
                    for (i, value) in column.iter_mut().enumerate() {
                        let chances = mechanism.probabilities(variables, |p| values[p][i]);
                        sums.iter_mut().zip(&chances).for_each(|(sum, chance)| *sum += chance);
                        *value = level_at(&chances, noise[i]) as f64;
                    }
                    sums.iter_mut().for_each(|sum| *sum /= rows as f64);
                    Answer::Levels(sums)
                }
            });
            values[v] = column;
        }
        answers.into_iter().flatten().collect()
    }
}

/// The level where the cumulative probability passes a number between 0 and 1.
fn level_at(chances: &[f64], at: f64) -> usize {
    let mut sum = 0.0;
    let passed = chances.iter().position(|chance| {
        sum += chance;
        at < sum
    });
    passed.unwrap_or(chances.len() - 1)
}

impl Model {
    /// Rows that answers without a closed form are simulated from.
    pub const DRAWS: usize = 10_000;

    /// New rows in the units of the table: numbers, and positions of levels. Two levels that are
    /// coded as numbers are drawn with the mean as probability, and ordered levels are rounded.
    ///
    /// # Errors
    /// Mechanisms without rows.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Mat<f64>, crate::core::Error> {
        self.check_fitted(0..self.size())?;
        let variables = self.variables();
        let mut drawn = Mat::zeros(rows, self.size());
        let mut generators = generators(self.size(), seed);
        let condition = self.experiment().map(|experiment| experiment.condition);
        // Targets depend on the condition, whether or not there is an edge.
        let rest = self.graph().order().iter().copied().filter(|&v| Some(v) != condition);
        for v in condition.into_iter().chain(rest) {
            let known = &variables.list()[v];
            let last = known.levels.len().saturating_sub(1) as f64;
            let mut column = vec![0.0; rows];
            for (i, to) in column.iter_mut().enumerate() {
                let level = condition.filter(|&c| c != v).map(|c| drawn[(i, c)] as usize);
                let rng = &mut generators[v];
                *to = match self.mechanism_in(v, level) {
                    Mechanism::Linear(linear) => {
                        let mean = linear.mean(variables, |parent| drawn[(i, parent)]);
                        let error: f64 = StandardNormal.sample(rng);
                        let value = mean + error * linear.variance.sqrt();
                        match known.kind {
                            Kind::Binary => f64::from(u8::from(rng.random::<f64>() < mean)),
                            Kind::Ordinal if last > 0.0 => value.round().clamp(0.0, last),
                            _ => value,
                        }
                    }
                    mechanism => {
                        let chances = mechanism.probabilities(variables, |p| drawn[(i, p)]);
                        level_at(&chances, rng.random()) as f64
                    }
                };
            }
            drawn.col_as_slice_mut(v).copy_from_slice(&column);
        }
        for v in (0..self.size()).filter(|&v| !variables.list()[v].transforms.is_empty()) {
            for value in drawn.col_as_slice_mut(v) {
                *value = self.off_scale(v, *value);
            }
        }
        Ok(drawn)
    }
}
