//! Least squares with an acyclicity penalty where there are many variables: over few pairs of them.
//!
//! With d near n or above it the minimum over all matrices fits the noise, and it has d^2 entries. Here
//! weights may be at pairs of variables that have to do with each other: those that the regression
//! of one on all others needs, chosen one at a time while they pay (extended BIC). The minimum over
//! these pairs is found by the same steps as over all. Then every pair that was left out is
//! looked at: one comes in where its gradient is too large to be chance, given the ridge that cycles
//! would put on it. So at the end no pair would pay for itself.
//!
//! What is exact: h and its gradient at the pairs, up to rounding. What is not: pairs that do not pay
//! stay at zero.

mod pairs;
#[cfg(test)]
mod tests;

use faer::MatRef;

use super::line::{Cost, Line};
use super::penalised::Info;
use super::ridge::{Multiplier, progress};
use crate::core::error::SIMILAR_UNITS;
use crate::core::parallel::*;
use crate::core::{Error, Knowledge, Run, Termination};
use crate::math::linalg::FactorSpace;
use crate::math::objective::{Acyclicity, SparsePenalty, Support, Walks};
use crate::math::regress::{Grower, Growth};
use pairs::Pairs;

/// Weights of the parents of each variable, in increasing index.
pub(crate) type Columns = Vec<Vec<(usize, f64)>>;

/// Operations of an iteration for each variable and pair: walks from one go over all.
const OPERATIONS: f64 = 10.0;

/// Times that pairs come in at most; two are usual.
const WIDENINGS: usize = 8;

/// The problem of [`Penalised`](super::Penalised) over few pairs.
#[derive(Clone, Copy)]
pub(crate) struct Screened<'a> {
    pub(crate) grower: Grower<'a>,
    /// What the loss is counted in, as in [`Penalised`](super::Penalised).
    pub(crate) unit: f64,
    pub(crate) acyclicity: Acyclicity,
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u64,
    pub(crate) knowledge: &'a Knowledge,
}

impl Screened<'_> {
    /// Minimises `F(A) / unit + lambda h(A)` for each lambda in turn, from the last one's result, first from
    /// 0. Also returns what each took.
    ///
    /// # Errors
    /// Cancellation, or moments that are not finite.
    pub(crate) fn minimise(
        &self,
        lambdas: &[f64],
        run: &Run<'_>,
    ) -> Result<(Columns, Vec<Info>), Error> {
        run.step(progress(0, f64::NAN))?;
        let mut pairs = Pairs::new(&self.grower, self.knowledge);
        let mut weights: Columns = vec![Vec::new(); pairs.size()];
        let mut infos = Vec::new();
        for lambda in lambdas.iter().map(|lambda| self.unit * lambda) {
            for _ in 0..WIDENINGS {
                let support = Support::new(&pairs.columns(self.knowledge));
                let mut state = State::new(self, &support, &weights);
                infos.push(state.minimise(lambda, run)?);
                weights = state.weights();
                let missing = state.missing(lambda);
                if missing.is_empty() {
                    break;
                }
                pairs.join(&missing);
            }
        }
        Ok((weights, infos))
    }
}

/// The regression of one variable on those that may act on it.
struct Column {
    parents: Vec<usize>,
    /// Second moments of the parents, column by column.
    gram: Vec<f64>,
    weights: Vec<f64>,
    /// The gradient of F.
    smooth: Vec<f64>,
    step: Vec<f64>,
    smooth_step: Vec<f64>,
}

/// Derivatives along a step.
#[derive(Clone, Copy)]
struct Slopes {
    /// Of the whole objective.
    slope: f64,
    /// Of F, first and second.
    along: f64,
    curvature: f64,
}

impl Column {
    fn new(s: MatRef<'_, f64>, j: usize, parents: &[usize], known: &[(usize, f64)]) -> Self {
        let gram: Vec<f64> =
            parents.iter().flat_map(|&k| parents.iter().map(move |&i| s[(i, k)])).collect();
        let mut weights = vec![0.0; parents.len()];
        for &(i, weight) in known {
            weights[parents.binary_search(&i).expect("no pair goes")] = weight;
        }
        let mut smooth: Vec<f64> = parents.iter().map(|&i| -s[(i, j)]).collect();
        add_product(&mut smooth, &gram, &weights);
        let m = parents.len();
        Self {
            parents: parents.to_vec(),
            gram,
            weights,
            smooth,
            step: vec![0.0; m],
            smooth_step: vec![0.0; m],
        }
    }

    /// `(A - I)' (S A - S)` of this column.
    fn squares(&self, s: MatRef<'_, f64>, j: usize) -> f64 {
        let entries = self.parents.iter().zip(&self.weights).zip(&self.smooth);
        s[(j, j)] + entries.map(|((&i, weight), smooth)| weight * (smooth - s[(i, j)])).sum::<f64>()
    }

    /// The ridge regression with ridge `2 strength walks`; the step and its product with S.
    fn solve(&mut self, strength: f64, walks: &[f64], space: &mut Space) -> Result<Slopes, Error> {
        let m = self.parents.len();
        let ridge = |k: usize| 2.0 * strength * walks[k];
        // Exact collinearity leaves the matrix singular: then a little more ridge, as needed.
        let mut jitter: f64 = 0.0;
        loop {
            space.matrix.clear();
            space.matrix.extend_from_slice(&self.gram);
            for k in 0..m {
                let own = &mut space.matrix[k * m + k];
                *own = *own * (1.0 + jitter) + ridge(k);
                self.step[k] = -(self.smooth[k] + ridge(k) * self.weights[k]);
            }
            if m == 0 || space.solve(m, &mut self.step) {
                break;
            }
            if jitter > 1.0 {
                return Err(Error::OutOfRange {
                    stage: "the first estimate",
                    advice: SIMILAR_UNITS,
                });
            }
            jitter = (jitter * 100.0).max(1e-12);
        }
        self.smooth_step.fill(0.0);
        add_product(&mut self.smooth_step, &self.gram, &self.step);
        let mut slopes = Slopes { slope: 0.0, along: 0.0, curvature: 0.0 };
        for k in 0..m {
            let (step, smooth) = (self.step[k], self.smooth[k]);
            slopes.slope += (smooth + ridge(k) * self.weights[k]) * step;
            slopes.along += smooth * step;
            slopes.curvature += self.smooth_step[k] * step;
        }
        Ok(slopes)
    }

    fn advance(&mut self, length: f64) {
        for k in 0..self.parents.len() {
            self.weights[k] += length * self.step[k];
            self.smooth[k] += length * self.smooth_step[k];
        }
    }
}

/// `sum += gram * vector`.
fn add_product(sum: &mut [f64], gram: &[f64], vector: &[f64]) {
    for (column, &factor) in gram.chunks_exact(vector.len().max(1)).zip(vector) {
        sum.iter_mut().zip(column).for_each(|(sum, entry)| *sum += factor * entry);
    }
}

/// Work space for the regression of a column.
#[derive(Default)]
struct Space {
    matrix: Vec<f64>,
    factor: Option<FactorSpace>,
    size: usize,
}

impl Space {
    /// Solves the system of `m` unknowns in place; false when it is not positive definite.
    fn solve(&mut self, m: usize, right: &mut [f64]) -> bool {
        if self.size < m {
            (self.size, self.factor) = (m, None);
        }
        let factor = self.factor.get_or_insert_with(|| FactorSpace::new(self.size));
        factor.solve(faer::MatMut::from_column_major_slice_mut(&mut self.matrix, m, m), right)
    }
}

/// A minimisation over the pairs of a support.
struct State<'a> {
    problem: &'a Screened<'a>,
    support: &'a Support,
    columns: Vec<Column>,
    moments: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(problem: &'a Screened<'a>, support: &'a Support, weights: &Columns) -> Self {
        let s = problem.grower.moments();
        let columns = (0..support.size())
            .into_par_iter()
            .map(|j| Column::new(s, j, support.column(j), &weights[j]))
            .collect();
        let moments = (0..support.size()).map(|i| s[(i, i)]).collect();
        Self { problem, support, columns, moments }
    }

    /// The weights that are not zero.
    fn weights(&self) -> Columns {
        let entries = |column: &Column| {
            let all = column.parents.iter().copied().zip(column.weights.iter().copied());
            all.filter(|&(_, weight)| weight != 0.0).collect()
        };
        self.columns.iter().map(entries).collect()
    }

    /// The weights of all pairs some way along the step.
    fn along(&self, length: f64) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.support.pairs());
        for column in &self.columns {
            let both = column.weights.iter().zip(&column.step);
            all.extend(both.map(|(weight, step)| weight + length * step));
        }
        all
    }

    fn penalty(&self) -> SparsePenalty<'_> {
        let kind = self.problem.acyclicity;
        SparsePenalty { support: self.support, kind, moments: &self.moments }
    }

    /// The steps of [`Penalised`](super::Penalised), from the weights as they are.
    fn minimise(&mut self, lambda: f64, run: &Run<'_>) -> Result<Info, Error> {
        let multiplier = Multiplier { linear: lambda, quadratic: 0.0 };
        let s = self.problem.grower.moments();
        let columns = self.columns.iter().enumerate();
        let mut loss = columns.map(|(j, column)| column.squares(s, j)).sum::<f64>() / 2.0;
        let (mut walks, mut trial) = (Walks::default(), Walks::default());
        self.penalty().evaluate(&self.along(0.0), &mut walks);
        let mut objective = loss + multiplier.value(walks.value);
        let (mut iterations, mut evaluations) = (0, 1);
        let termination = loop {
            if iterations == self.problem.max_iterations {
                break Termination::MaxIterations;
            }
            iterations += 1;
            run.step(progress(iterations, objective))?;
            let Slopes { slope, along, curvature } = self.solve(lambda, &walks)?;
            run.worked(OPERATIONS * (self.support.size() * self.support.pairs()) as f64);
            let line = Line { loss, objective, along, curvature, slope };
            let found = line.search(1.0, |length| {
                evaluations += 1;
                self.penalty().evaluate(&self.along(length), &mut trial);
                Cost { h: trial.value, value: multiplier.value(trial.value), slope: None }
            });
            let Some(next) = found else { break Termination::Stalled };
            self.columns.par_iter_mut().for_each(|column| column.advance(next.length));
            std::mem::swap(&mut walks, &mut trial);
            let decrease = objective - next.objective;
            (loss, objective) = (next.loss, next.objective);
            if decrease <= self.problem.tolerance * objective.abs().max(self.problem.unit) {
                break Termination::Converged;
            }
        };
        Ok(Info { penalty: walks.value, iterations, evaluations, termination })
    }

    /// The ridge regressions of all columns.
    fn solve(&mut self, strength: f64, walks: &Walks) -> Result<Slopes, Error> {
        let support = self.support;
        let found = self
            .columns
            .par_iter_mut()
            .enumerate()
            .map_init(Space::default, |space, (j, column)| {
                column.solve(strength, &walks.at_pairs[support.range(j)], space)
            })
            .collect::<Result<Vec<Slopes>, Error>>()?;
        let sum = |of: fn(&Slopes) -> f64| found.iter().map(of).sum();
        Ok(Slopes {
            slope: sum(|slopes| slopes.slope),
            along: sum(|slopes| slopes.along),
            curvature: sum(|slopes| slopes.curvature),
        })
    }

    /// Pairs that were left out and would pay for themselves, given the ridge that the walks back put
    /// on them. Cost O(d^2 k^2) for k pairs of a column.
    fn missing(&self, strength: f64) -> Vec<(usize, usize)> {
        let Screened { grower, knowledge, .. } = self.problem;
        let look = |growth: &mut Growth, j: usize, walks: &dyn Fn(usize) -> f64| {
            let ridge = |i: usize| 2.0 * strength * walks(i);
            growth.begin(grower, j);
            let parents = self.support.column(j);
            parents.iter().for_each(|&i| growth.add(grower, i, ridge(i)));
            let left_out =
                |&i: &usize| knowledge.allows(i, j) && parents.binary_search(&i).is_err();
            let pays = |&i: &usize| grower.pays(growth.part_of(grower, i, ridge(i)));
            let all = (0..self.support.size()).filter(left_out).filter(pays);
            all.map(|i| (i, j)).collect::<Vec<_>>()
        };
        let weights = self.along(0.0);
        self.penalty().rows(&weights, Growth::default, look).into_iter().flatten().collect()
    }
}
