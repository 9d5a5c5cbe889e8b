//! A line and one wave of a linear combination as a regression: `c0 + c'x + A cos(w'x) + B sin(w'x)`.
//!
//! A network needs four units for each period; this takes two numbers for each input, whatever the
//! frequency. Where effects are of this kind it leaves nothing that other variables could explain.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::waves::{self, Wave};
use crate::core::{Error, Fitted, Run};
use crate::math::Price;
use crate::math::entropy::negentropy;
use crate::math::linalg::{Cholesky, FactorSpace};
use crate::math::regress::Node;

/// Iterations of Levenberg and Marquardt, and the relative decrease of the residual variance at
/// which they end.
const MAX_ITERATIONS: usize = 30;
const TOLERANCE: f64 = 1e-7;

/// Inputs that are taken in after the first fit.
const MOST_ADDED: usize = 6;

/// Steps of the frequency along a line, in units of its deviation, and how many at most; the fastest
/// wave has a period of about the deviation of what the line leaves.
const FINE: f64 = 0.25;
const MOST_STEPS: usize = 20_000;
const FASTEST: f64 = 5.0;

/// Columns of standardised variables, and what inputs cost.
pub(super) struct Harmonics<'a> {
    pub(super) values: MatRef<'a, f64>,
    pub(super) correlation: MatRef<'a, f64>,
    pub(super) price: Price,
    pub(super) run: &'a Run<'a>,
}

/// One model with its fit.
#[derive(Clone)]
struct Model {
    inputs: Vec<usize>,
    /// The constant, a slope for each input, A and B, an entry of w for each input.
    theta: Vec<f64>,
    /// The mean squared residual.
    variance: f64,
}

impl Harmonics<'_> {
    /// The model along the line through `parents` and whatever else helps it; none where nothing goes
    /// up and down along it, or where there are more inputs than `most`.
    pub(super) fn along_line(
        &self,
        target: usize,
        parents: &[usize],
        candidates: &[usize],
        most: usize,
    ) -> Option<Wave> {
        let n = self.values.nrows();
        let mut line = Node::new(self.correlation, target, parents.to_vec())?;
        while line.parents.len() < most {
            let mut best: Option<Node> = None;
            for &i in candidates.iter().filter(|i| !line.parents.contains(i)) {
                let wider = [&line.parents[..], &[i]].concat();
                let Some(node) = Node::new(self.correlation, target, wider) else { continue };
                if best.as_ref().is_none_or(|best| node.residual < best.residual) {
                    best = Some(node);
                }
            }
            let Some(best) = best else { break };
            if n as f64 * libm::log(line.residual / best.residual) < self.price.single() {
                break;
            }
            line = best;
        }
        if line.parents.is_empty() || line.parents.len() > most {
            return None;
        }
        let mut slopes: Vec<(usize, f64)> =
            line.parents.iter().copied().zip(line.coefficients.iter().copied()).collect();
        slopes.sort_unstable_by_key(|slope| slope.0);
        let fitted: Vec<f64> = (0..n)
            .map(|row| slopes.iter().map(|&(i, slope)| slope * self.values[(row, i)]).sum())
            .collect();
        let left: Vec<f64> = fitted
            .iter()
            .enumerate()
            .map(|(row, fitted)| self.values[(row, target)] - fitted)
            .collect();
        let frequency = fastest(&fitted, &left)?;
        Some(Wave {
            inputs: slopes.iter().map(|slope| slope.0).collect(),
            entries: slopes.iter().map(|slope| frequency * slope.1).collect(),
        })
    }

    /// The direction in which what curves leave goes up and down.
    pub(super) fn across(&self, left: &[f64], candidates: &[usize]) -> Result<Option<Wave>, Error> {
        waves::strongest(self.values, left, candidates, self.run)
    }

    /// The best model from a wave on: inputs go while the extended BIC does not pay for them, and
    /// others come while it does. `others` have slopes at first.
    pub(super) fn fit(
        &self,
        target: usize,
        wave: &Wave,
        others: &[usize],
        candidates: &[usize],
        required: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Fitted>, Error> {
        let n = self.values.nrows() as f64;
        let mut inputs = [&wave.inputs, others].concat();
        inputs.sort_unstable();
        inputs.dedup();
        let entry = |i: &usize| wave.inputs.binary_search(i).map_or(0.0, |at| wave.entries[at]);
        let entries: Vec<f64> = inputs.iter().map(entry).collect();
        let Some(model) = self.start(target, inputs, &entries) else { return Ok(None) };
        let Some(model) = self.descend(target, model)? else { return Ok(None) };
        let own = 2.0 * self.price.parameter + self.price.edge;
        let score = |model: &Model| {
            let inputs = model.inputs.len() as f64;
            n * libm::log(model.variance) + own * inputs + 3.0 * self.price.parameter
        };
        let Some(mut best) = self.eliminate(target, model, own, required)? else {
            return Ok(None);
        };
        for _ in 0..MOST_ADDED {
            let Some(wider) = self.widened(target, &best, candidates, own) else { break };
            let Some(wider) = self.descend(target, wider)? else { break };
            let Some(wider) = self.eliminate(target, wider, own, required)? else { break };
            if score(&wider) >= score(&best) {
                break;
            }
            best = wider;
        }
        let (_, left) = self.evaluate(target, &best);
        let shape = -2.0 * n * negentropy(left);
        Ok(Some(Fitted { score: score(&best), parents: best.inputs, shape, network: true }))
    }

    /// The columns that the parameters multiply, to first order, and what the model leaves.
    fn evaluate(&self, target: usize, model: &Model) -> (Mat<f64>, Vec<f64>) {
        let (n, p) = (self.values.nrows(), model.inputs.len());
        let (a, b, w) = (model.theta[p + 1], model.theta[p + 2], &model.theta[p + 3..]);
        let mut slopes = Mat::zeros(n, 2 * p + 3);
        let mut left = self.values.col(target).iter().copied().collect::<Vec<f64>>();
        for (row, left) in left.iter_mut().enumerate() {
            let x = |at: usize| self.values[(row, model.inputs[at])];
            let angle: f64 = (0..p).map(|at| w[at] * x(at)).sum();
            let (sine, cosine) = libm::sincos(angle);
            let turn = b * cosine - a * sine;
            slopes[(row, 0)] = 1.0;
            slopes[(row, p + 1)] = cosine;
            slopes[(row, p + 2)] = sine;
            *left -= model.theta[0] + a * cosine + b * sine;
            for at in 0..p {
                let value = x(at);
                slopes[(row, at + 1)] = value;
                slopes[(row, p + 3 + at)] = turn * value;
                *left -= model.theta[at + 1] * value;
            }
        }
        (slopes, left)
    }

    /// The model with these entries of w and all else by least squares.
    fn start(&self, target: usize, inputs: Vec<usize>, entries: &[f64]) -> Option<Model> {
        let p = inputs.len();
        let mut theta = vec![0.0; p + 3];
        theta.extend_from_slice(entries);
        let mut model = Model { inputs, theta, variance: 0.0 };
        let (slopes, left) = self.evaluate(target, &model);
        let linear = slopes.get(.., ..p + 3).to_owned();
        let step = Normal::new(linear, &left).step(1e-9)?;
        model.theta[..p + 3].copy_from_slice(&step);
        model.variance = mean_square(&self.evaluate(target, &model).1);
        Some(model)
    }

    /// The model at the least squares that Levenberg and Marquardt reach.
    fn descend(&self, target: usize, mut model: Model) -> Result<Option<Model>, Error> {
        let mut damping = 1e-3;
        let (slopes, left) = self.evaluate(target, &model);
        model.variance = mean_square(&left);
        let mut normal = Normal::new(slopes, &left);
        for _ in 0..MAX_ITERATIONS {
            if self.run.is_stopped() {
                return Err(Error::Cancelled);
            }
            let Some(step) = normal.step(damping) else { return Ok(None) };
            let theta = model.theta.iter().zip(&step).map(|(value, step)| value + step).collect();
            let mut next = Model { inputs: model.inputs.clone(), theta, variance: 0.0 };
            let (slopes, left) = self.evaluate(target, &next);
            next.variance = mean_square(&left);
            if next.variance < model.variance {
                let small = model.variance - next.variance <= TOLERANCE * model.variance;
                (model, normal) = (next, Normal::new(slopes, &left));
                damping = (damping * 0.1).max(1e-9);
                if small {
                    break;
                }
            } else {
                damping *= 10.0;
                if damping > 1e6 {
                    break;
                }
            }
        }
        // A perfect fit leaves rounding.
        model.variance = model.variance.max(f64::EPSILON);
        Ok(model.variance.is_finite().then_some(model))
    }

    /// Leaves out inputs that do not pay, the weaker half at a time.
    fn eliminate(
        &self,
        target: usize,
        mut model: Model,
        own: f64,
        required: &dyn Fn(usize) -> bool,
    ) -> Result<Option<Model>, Error> {
        let n = self.values.nrows() as f64;
        loop {
            let p = model.inputs.len();
            let (slopes, left) = self.evaluate(target, &model);
            let Some(inverse) = Normal::new(slopes, &left).inverse() else { return Ok(None) };
            let mut weak: Vec<(f64, usize)> = Vec::new();
            for (at, &input) in model.inputs.iter().enumerate() {
                let (c, w) = (at + 1, p + 3 + at);
                let theta = [model.theta[c], model.theta[w]];
                let square = quadratic([inverse[(c, c)], inverse[(c, w)], inverse[(w, w)]], theta);
                let gain = n * libm::log1p(square / model.variance);
                if gain < own && !required(input) {
                    weak.push((gain, at));
                }
            }
            if weak.is_empty() {
                return Ok(Some(model));
            }
            weak.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            weak.truncate(weak.len().div_ceil(2));
            let stays = |at: usize| weak.iter().all(|&(_, out)| out != at);
            let kept: Vec<usize> = (0..p).filter(|&at| stays(at)).collect();
            let mut theta = vec![model.theta[0]];
            theta.extend(kept.iter().map(|&at| model.theta[at + 1]));
            theta.extend_from_slice(&model.theta[p + 1..p + 3]);
            theta.extend(kept.iter().map(|&at| model.theta[p + 3 + at]));
            let inputs = kept.iter().map(|&at| model.inputs[at]).collect();
            match self.descend(target, Model { inputs, theta, variance: 0.0 })? {
                Some(next) => model = next,
                None => return Ok(None),
            }
        }
    }

    /// The model with the candidate whose slope and entry would help most; none where none pays.
    fn widened(
        &self,
        target: usize,
        model: &Model,
        candidates: &[usize],
        own: f64,
    ) -> Option<Model> {
        let (n, p) = (self.values.nrows(), model.inputs.len());
        let (slopes, left) = self.evaluate(target, model);
        let turn: Vec<f64> = (0..n)
            .map(|row| {
                model.theta[p + 2] * slopes[(row, p + 1)]
                    - model.theta[p + 1] * slopes[(row, p + 2)]
            })
            .collect();
        let others: Vec<usize> =
            candidates.iter().copied().filter(|i| !model.inputs.contains(i)).collect();
        let columns = Mat::from_fn(n, 2 * others.len(), |row, at| {
            let value = self.values[(row, others[at / 2])];
            if at % 2 == 0 { value } else { value * turn[row] }
        });
        let scale = 1.0 / n as f64;
        let normal = Normal::new(slopes, &left);
        let inverse = normal.inverse()?;
        let mut cross = Mat::zeros(2 * p + 3, columns.ncols());
        let slopes = normal.slopes.transpose();
        matmul(&mut cross, Accum::Replace, slopes, columns.as_ref(), scale, Par::Seq);
        let through = &inverse * &cross;
        let product = |a: &[f64], b: &[f64]| crate::math::entropy::dot(a, b) * scale;
        let gain = |k: usize| {
            let (a, b) = (2 * k, 2 * k + 1);
            let block = |i: usize, j: usize| {
                let explained: f64 =
                    (0..cross.nrows()).map(|r| cross[(r, i)] * through[(r, j)]).sum();
                product(columns.col_as_slice(i), columns.col_as_slice(j)) - explained
            };
            let rest = [a, b].map(|i| product(columns.col_as_slice(i), &left));
            let (aa, ab, bb) = (block(a, a), block(a, b), block(b, b));
            let determinant = aa * bb - ab * ab;
            if determinant.is_nan() || determinant <= f64::EPSILON * aa * bb {
                return 0.0;
            }
            let square = (rest[0] * rest[0] * bb - 2.0 * rest[0] * rest[1] * ab
                + rest[1] * rest[1] * aa)
                / determinant;
            n as f64 * libm::log1p(square / model.variance)
        };
        let gains = (0..others.len()).map(|k| (gain(k), others[k]));
        let best = gains.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        if best.0 < own {
            return None;
        }
        let at = model.inputs.partition_point(|&i| i < best.1);
        let mut wider = model.clone();
        wider.inputs.insert(at, best.1);
        wider.theta.insert(p + 3 + at, 0.0);
        wider.theta.insert(at + 1, 0.0);
        Some(wider)
    }
}

/// Normal equations with columns of length 1.
struct Normal {
    slopes: Mat<f64>,
    lengths: Vec<f64>,
    gram: Mat<f64>,
    right: Vec<f64>,
}

impl Normal {
    fn new(slopes: Mat<f64>, left: &[f64]) -> Self {
        let (n, m) = (slopes.nrows(), slopes.ncols());
        let scale = 1.0 / n as f64;
        let mut gram = Mat::zeros(m, m);
        matmul(&mut gram, Accum::Replace, slopes.transpose(), &slopes, scale, Par::Seq);
        let length = |at: usize| gram[(at, at)].sqrt().max(f64::MIN_POSITIVE);
        let lengths: Vec<f64> = (0..m).map(length).collect();
        let scaled = Mat::from_fn(m, m, |a, b| gram[(a, b)] / (lengths[a] * lengths[b]));
        let right = (0..m)
            .map(|at| {
                crate::math::entropy::dot(slopes.col_as_slice(at), left) * scale / lengths[at]
            })
            .collect();
        Self { slopes, lengths, gram: scaled, right }
    }

    /// The step with this damping; none where it cannot be told.
    fn step(&self, damping: f64) -> Option<Vec<f64>> {
        let m = self.right.len();
        let mut damped = self.gram.clone();
        (0..m).for_each(|at| damped[(at, at)] += damping);
        let mut step = self.right.clone();
        if !FactorSpace::new(m).solve(damped.as_mut(), &mut step) {
            return None;
        }
        step.iter_mut().zip(&self.lengths).for_each(|(step, length)| *step /= length);
        step.iter().all(|step| step.is_finite()).then_some(step)
    }

    /// The inverse of the moments of the columns.
    fn inverse(&self) -> Option<Mat<f64>> {
        let mut inverse = Cholesky::new(self.gram.as_ref())?.inverse();
        let m = self.lengths.len();
        for b in 0..m {
            for a in 0..m {
                inverse[(a, b)] /= self.lengths[a] * self.lengths[b];
            }
        }
        Some(inverse)
    }
}

/// `theta' V^-1 theta` for the symmetric matrix with entries `[v00, v01, v11]`; 0 where it is singular.
fn quadratic([aa, ab, bb]: [f64; 3], [x, y]: [f64; 2]) -> f64 {
    let determinant = aa * bb - ab * ab;
    if determinant > 0.0 { (x * x * bb - 2.0 * x * y * ab + y * y * aa) / determinant } else { 0.0 }
}

fn mean_square(values: &[f64]) -> f64 {
    crate::math::entropy::dot(values, values) / values.len() as f64
}

/// The frequency of the strongest wave of `left` along `fitted`; none where none stands out.
fn fastest(fitted: &[f64], left: &[f64]) -> Option<f64> {
    let n = left.len() as f64;
    let (spread, rest) = (mean_square(fitted).sqrt(), mean_square(left).sqrt());
    if !(spread > 0.0 && rest > 0.0) {
        return None;
    }
    let step = FINE / spread;
    let steps = ((FASTEST / (rest * step)) as usize).min(MOST_STEPS);
    // Turned on by the same angle at each step.
    let turns: Vec<(f64, f64)> = fitted.iter().map(|fitted| libm::sincos(step * fitted)).collect();
    let mut turned: Vec<(f64, f64)> = left.iter().map(|&left| (0.0, left)).collect();
    let mut best = (0.0, 0.0);
    for k in 1..=steps {
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (now, turn) in turned.iter_mut().zip(&turns) {
            let (s, c) = *now;
            *now = (s * turn.1 + c * turn.0, c * turn.1 - s * turn.0);
            sine += now.0;
            cosine += now.1;
        }
        let strength = 2.0 * (sine * sine + cosine * cosine) / (n * rest * rest);
        if strength > best.0 {
            best = (strength, k as f64 * step);
        }
    }
    let chance = 2.0 * libm::log(steps.max(1) as f64);
    (best.0 > chance + waves::MARGIN).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Dataset;
    use crate::core::simulate::{Simulation, simulate};
    use crate::math::Problem;
    use crate::math::networks::Rows;

    /// The last of eight columns is a line and a wave of the second, fourth and fifth.
    fn table(frequency: f64) -> Dataset {
        let independent =
            Simulation { variables: 8, rows: 1500, degree: 0.0, ..Simulation::default() };
        let mut x = simulate(&independent, 5).unwrap().data.values().to_owned();
        for row in 0..1500 {
            let sum = x[(row, 1)] - 0.7 * x[(row, 3)] + 1.4 * x[(row, 4)];
            x[(row, 7)] += sum * frequency + 2.0 * (sum * frequency + 0.5).sin();
        }
        Dataset::new(Dataset::default_names(8), x).unwrap()
    }

    #[test]
    fn fast_and_slow_waves_are_found_with_their_inputs_alone() {
        for frequency in [1.0, 40.0] {
            let data = table(frequency);
            let problem = Problem::new(&data.moments(), true).unwrap();
            let rows = Rows::standardised(&data);
            let correlation = problem.correlation();
            let harmonics = Harmonics {
                values: rows.values(),
                correlation: correlation.as_ref(),
                price: Price::extended(1500.0, 8),
                run: &Run::default(),
            };
            let candidates: Vec<usize> = (0..7).collect();
            // One parent too many, one too few.
            let wave = harmonics.along_line(7, &[0, 1, 3], &candidates, 7).unwrap();
            let none = |_| false;
            let found = harmonics.fit(7, &wave, &[], &candidates, &none).unwrap().unwrap();
            assert_eq!(found.parents, [1, 3, 4], "{frequency}");
            // Errors of variance 1 are left.
            let variance = data.column(7).iter().map(|x| x * x).sum::<f64>() / 1500.0;
            let price = 3.0 * (2.0 * 1500f64.ln() + 2.0 * 8f64.ln()) + 3.0 * 1500f64.ln();
            let left = ((found.score - price) / 1500.0).exp() * variance;
            assert!((left - 1.0).abs() < 0.15, "{left}");
        }
    }

    #[test]
    fn noise_has_no_wave() {
        let independent =
            Simulation { variables: 4, rows: 1000, degree: 2.0, ..Simulation::default() };
        let data = simulate(&independent, 2).unwrap().data;
        let problem = Problem::new(&data.moments(), true).unwrap();
        let rows = Rows::standardised(&data);
        let correlation = problem.correlation();
        let harmonics = Harmonics {
            values: rows.values(),
            correlation: correlation.as_ref(),
            price: Price::extended(1000.0, 4),
            run: &Run::default(),
        };
        for target in 0..4 {
            let others: Vec<usize> = (0..4).filter(|&i| i != target).collect();
            assert_eq!(harmonics.along_line(target, &[], &others, 20), None);
        }
    }
}
