//! One network, and its loss over the rows.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::sigmoid::{Backward, Forward, sigmoid};
use crate::core::{Dataset, Run};
use crate::math::linalg::FactorSpace;

/// Rows that go through a network together; the hidden units of so many stay in the cache.
const BLOCK: usize = 256;

/// A network that predicts one variable from others through a layer of sigmoids.
///
/// Most inputs and hidden units lose all their first-layer weights early in training. Such inputs
/// are left out, and such units are put aside: they are constants, which the output's bias takes
/// in, and can be taken back as they were.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Net {
    pub(crate) target: usize,
    /// The variables that enter, in rising order.
    pub(crate) inputs: Vec<usize>,
    /// First-layer weights (inputs x hidden units, column by column), biases of the hidden units,
    /// their weights in the output, and its bias.
    pub(crate) parameters: Vec<f64>,
    /// Hidden units in use.
    hidden: usize,
    /// Bias and weight of hidden units put aside.
    aside: Vec<(f64, f64)>,
}

impl Net {
    /// A network with random parameters, uniform up to one over the square root of what enters, and
    /// first-layer weights smaller where an input is large, so that no unit starts out saturated.
    pub(crate) fn random(
        target: usize,
        inputs: Vec<usize>,
        rows: &Rows,
        hidden: usize,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let mut draw = |fan_in: usize| {
            let bound = 1.0 / (fan_in as f64).sqrt();
            bound * (2.0 * rng.random::<f64>() - 1.0)
        };
        let d = rows.deviations.len();
        let mut parameters = Vec::new();
        for _ in 0..hidden {
            parameters.extend(inputs.iter().map(|&i| draw(d) / rows.deviations[i].max(1.0)));
        }
        parameters.extend((0..hidden).map(|_| draw(d)));
        parameters.extend((0..=hidden).map(|_| draw(hidden)));
        Self { target, inputs, parameters, hidden, aside: Vec::new() }
    }

    /// Number of first-layer weights.
    pub(crate) fn weights(&self) -> usize {
        self.inputs.len() * self.hidden
    }

    /// Where the weights of the second layer are among the parameters.
    pub(crate) fn second_layer(&self) -> Range<usize> {
        let start = self.weights() + self.hidden;
        start..start + self.hidden
    }

    /// The squared 2-norm of the first-layer weights of each input.
    pub(crate) fn squared_norms(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let p = self.inputs.len();
        self.inputs.iter().enumerate().map(move |(at, &input)| {
            let weights = self.parameters[..self.weights()].iter().skip(at).step_by(p);
            (input, weights.map(|w| w * w).sum())
        })
    }

    /// The network on these inputs with all its units: weights of inputs that stay are kept, those
    /// of new ones are zero.
    pub(crate) fn widened(&self, inputs: Vec<usize>) -> Self {
        let at: Vec<Option<usize>> =
            inputs.iter().map(|input| self.inputs.binary_search(input).ok()).collect();
        let weight = |unit: usize, at: Option<usize>| {
            let active = at.filter(|_| unit < self.hidden);
            active.map_or(0.0, |at| self.parameters[unit * self.inputs.len() + at])
        };
        let hidden = self.hidden + self.aside.len();
        let biases = &self.parameters[self.weights()..self.weights() + self.hidden];
        let seconds = &self.parameters[self.second_layer()];
        let mut parameters: Vec<f64> = (0..hidden)
            .flat_map(|unit| at.iter().map(move |&at| (unit, at)))
            .map(|(unit, at)| weight(unit, at))
            .collect();
        parameters.extend(biases.iter().copied().chain(self.aside.iter().map(|unit| unit.0)));
        parameters.extend(seconds.iter().copied().chain(self.aside.iter().map(|unit| unit.1)));
        let constant: f64 = self.aside.iter().map(|&(bias, weight)| weight * sigmoid(bias)).sum();
        parameters.push(self.output_bias() - constant);
        Self { target: self.target, inputs, parameters, hidden, aside: Vec::new() }
    }

    /// The network without the inputs and hidden units for which `keep` is false; their weights
    /// must be zero.
    pub(crate) fn narrowed(&self, keep_input: &[bool], keep_unit: &[bool]) -> Self {
        let p = self.inputs.len();
        let kept = |keep: &[bool]| (0..keep.len()).filter(|&at| keep[at]).collect::<Vec<_>>();
        let (inputs, units) = (kept(keep_input), kept(keep_unit));
        let (bias, second) = (self.weights(), self.second_layer().start);
        let mut parameters = Vec::new();
        for &unit in &units {
            parameters.extend(inputs.iter().map(|&at| self.parameters[unit * p + at]));
        }
        parameters.extend(units.iter().map(|&unit| self.parameters[bias + unit]));
        parameters.extend(units.iter().map(|&unit| self.parameters[second + unit]));
        let mut aside = self.aside.clone();
        let mut output_bias = self.output_bias();
        for unit in (0..self.hidden).filter(|&unit| !keep_unit[unit]) {
            let (bias, weight) = (self.parameters[bias + unit], self.parameters[second + unit]);
            output_bias += weight * sigmoid(bias);
            aside.push((bias, weight));
        }
        parameters.push(output_bias);
        let inputs = inputs.into_iter().map(|at| self.inputs[at]).collect();
        Self { target: self.target, inputs, parameters, hidden: units.len(), aside }
    }

    /// The network with what enters its hidden units this many times as large: the larger, the
    /// more of the curve of a sigmoid each of them sees at first.
    pub(crate) fn stretched(mut self, factor: f64) -> Self {
        let first = self.second_layer().start;
        self.parameters[..first].iter_mut().for_each(|parameter| *parameter *= factor);
        self
    }

    /// The network without the input at this place, whatever its weights.
    pub(crate) fn without(&self, place: usize) -> Self {
        let p = self.inputs.len();
        let kept = |at: usize| at >= self.weights() || at % p != place;
        let parameters = self.parameters.iter().enumerate().filter(|&(at, _)| kept(at));
        let parameters = parameters.map(|(_, &parameter)| parameter).collect();
        let mut inputs = self.inputs.clone();
        inputs.remove(place);
        Self { inputs, parameters, ..self.clone() }
    }

    /// How many weights that are not zero the input at this place has.
    pub(crate) fn weights_of(&self, place: usize) -> usize {
        let weights = self.parameters[..self.weights()].iter().skip(place);
        weights.step_by(self.inputs.len()).filter(|&&weight| weight != 0.0).count()
    }

    /// Whether the weight of this input in this hidden unit is a parameter.
    pub(crate) fn has(&self, input: usize, unit: usize) -> bool {
        unit < self.hidden && self.inputs.binary_search(&input).is_ok()
    }

    /// Whether it is a network for this variable with inputs among these and so many hidden units.
    pub(crate) fn is_of(&self, target: usize, candidates: &[usize], hidden: usize) -> bool {
        let rising = self.inputs.windows(2).all(|pair| pair[0] < pair[1]);
        self.target == target
            && rising
            && self.inputs.iter().all(|input| candidates.binary_search(input).is_ok())
            && self.hidden.checked_add(self.aside.len()) == Some(hidden)
            && self.parameters.len() == self.weights() + 2 * self.hidden + 1
            && self.parameters.iter().all(|parameter| parameter.is_finite())
            && self.aside.iter().all(|(bias, weight)| bias.is_finite() && weight.is_finite())
    }

    fn output_bias(&self) -> f64 {
        self.parameters[self.second_layer().end]
    }
}

/// The rows of the table, means subtracted. The networks have biases, so that means change nothing
/// but how well the search for the minimum goes.
pub(crate) struct Rows {
    values: Mat<f64>,
    deviations: Vec<f64>,
    /// Whether sigmoids need no more than single precision.
    coarse: bool,
}

/// Space for a block of rows on its way through a network.
#[derive(Default)]
pub(crate) struct Workspace {
    inputs: Vec<f64>,
    units: Vec<f64>,
    residual: Vec<f64>,
    arch: pulp::Arch,
}

impl Rows {
    pub(crate) fn new(data: &Dataset) -> Self {
        let mut values = data.values().to_owned();
        let mut centre = |j: usize| {
            let column = values.col_as_slice_mut(j);
            let n = column.len() as f64;
            let mean = column.iter().sum::<f64>() / n;
            column.iter_mut().for_each(|value| *value -= mean);
            (column.iter().map(|value| value * value).sum::<f64>() / n).sqrt()
        };
        let deviations = (0..data.names().len()).map(&mut centre).collect();
        Self { values, deviations, coarse: false }
    }

    /// The same, and all variances 1.
    pub(crate) fn standardised(data: &Dataset) -> Self {
        let mut rows = Self::new(data);
        for (j, deviation) in rows.deviations.iter_mut().enumerate() {
            if *deviation > 0.0 {
                rows.values.col_as_slice_mut(j).iter_mut().for_each(|value| *value /= *deviation);
                *deviation = 1.0;
            }
        }
        rows
    }

    /// The same with sigmoids in single precision: losses are exact to about 1e-8.
    pub(crate) fn coarse(self) -> Self {
        Self { coarse: true, ..self }
    }

    /// Standard deviations of the variables.
    pub(crate) fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    pub(crate) fn values(&self) -> MatRef<'_, f64> {
        self.values.as_ref()
    }

    /// The values alone.
    pub(crate) fn into_values(self) -> Mat<f64> {
        self.values
    }

    /// Second moments of the variables.
    pub(crate) fn correlation(&self) -> Mat<f64> {
        let (n, d) = (self.values.nrows(), self.values.ncols());
        let mut moments = Mat::zeros(d, d);
        let (x, scale) = (self.values.as_ref(), 1.0 / n as f64);
        matmul(&mut moments, Accum::Replace, x.transpose(), x, scale, Par::Seq);
        moments
    }

    pub(crate) fn count(&self) -> usize {
        self.values.nrows()
    }

    /// The sum over some rows of squared residuals of a network, divided by twice the number of
    /// all rows. Its gradient overwrites `gradient`. Infinite when the work is asked to stop.
    ///
    /// Cost: six operations for each row and first-layer weight, and a sigmoid for each row and
    /// hidden unit.
    pub(crate) fn loss(
        &self,
        net: &Net,
        rows: Range<usize>,
        gradient: &mut [f64],
        space: &mut Workspace,
        run: &Run<'_>,
    ) -> f64 {
        gradient.fill(0.0);
        let mut sum = 0.0;
        for start in rows.clone().step_by(BLOCK) {
            if run.is_stopped() {
                return f64::INFINITY;
            }
            sum += self.block(net, start..rows.end.min(start + BLOCK), gradient, space);
        }
        let scale = 1.0 / self.count() as f64;
        gradient.iter_mut().for_each(|slope| *slope *= scale);
        sum * scale / 2.0
    }

    /// Takes a block of rows through a network: hidden units and residuals are in `space` then.
    fn forward(&self, net: &Net, rows: Range<usize>, space: &mut Workspace) {
        let (b, p, hidden) = (rows.len(), net.inputs.len(), net.hidden);
        let (first, rest) = net.parameters.split_at(net.weights());
        let (biases, rest) = rest.split_at(hidden);
        let (weights, output_bias) = (&rest[..hidden], rest[hidden]);
        let Workspace { inputs, units, residual, arch } = space;

        inputs.clear();
        for &i in &net.inputs {
            inputs.extend_from_slice(&self.values.col_as_slice(i)[rows.clone()]);
        }
        units.resize(b * hidden, 0.0);
        residual.clear();
        residual.extend(self.values.col_as_slice(net.target)[rows].iter().map(|x| output_bias - x));

        let x = MatRef::from_column_major_slice(inputs, b, p);
        let z = MatMut::from_column_major_slice_mut(units, b, hidden);
        let w = MatRef::from_column_major_slice(first, p, hidden);
        matmul(z, Accum::Replace, x, w, 1.0, Par::Seq);
        let coarse = self.coarse;
        arch.dispatch(Forward { units, biases, weights, residual, coarse });
    }

    fn block(
        &self,
        net: &Net,
        rows: Range<usize>,
        gradient: &mut [f64],
        space: &mut Workspace,
    ) -> f64 {
        let (b, p, hidden) = (rows.len(), net.inputs.len(), net.hidden);
        self.forward(net, rows, space);
        let Workspace { inputs, units, residual, arch } = space;
        let weights = &net.parameters[net.second_layer()];

        let (first_gradient, rest) = gradient.split_at_mut(net.weights());
        let (bias_gradient, rest) = rest.split_at_mut(hidden);
        let (weight_gradient, output_gradient) = rest.split_at_mut(hidden);
        arch.dispatch(Backward { units, weights, residual, bias_gradient, weight_gradient });
        output_gradient[0] += residual.iter().sum::<f64>();
        let x = MatRef::from_column_major_slice(inputs, b, p);
        let z = MatRef::from_column_major_slice(units, b, hidden);
        let w = MatMut::from_column_major_slice_mut(first_gradient, p, hidden);
        matmul(w, Accum::Add, x.transpose(), z, 1.0, Par::Seq);
        residual.iter().map(|r| r * r).sum()
    }

    /// What a network leaves of its variable, row by row.
    pub(crate) fn residuals(&self, net: &Net, space: &mut Workspace) -> Vec<f64> {
        let n = self.count();
        let mut residuals = Vec::with_capacity(n);
        for start in (0..n).step_by(BLOCK) {
            self.forward(net, start..n.min(start + BLOCK), space);
            residuals.extend(space.residual.iter().map(|difference| -difference));
        }
        residuals
    }

    /// The mean squared residual of a network whose second layer is fitted anew, by least squares
    /// with a ridge on its weights.
    ///
    /// Cost: one operation for each row and pair of hidden units besides the way through the network.
    pub(crate) fn refitted(&self, net: &Net, ridge: f64, space: &mut Workspace) -> f64 {
        let (n, hidden) = (self.count(), net.hidden);
        // Sums of products of the hidden units, the constant 1 and the target.
        let mut gram = Mat::zeros(hidden + 2, hidden + 2);
        for start in (0..n).step_by(BLOCK) {
            let rows = start..n.min(start + BLOCK);
            let (b, target) = (rows.len(), &self.values.col_as_slice(net.target)[rows.clone()]);
            self.forward(net, rows, space);
            space.units.resize(b * (hidden + 1), 1.0);
            space.units.extend_from_slice(target);
            let columns = MatRef::from_column_major_slice(&space.units, b, hidden + 2);
            matmul(&mut gram, Accum::Add, columns.transpose(), columns, 1.0 / n as f64, Par::Seq);
        }
        let (one, target) = (hidden, hidden + 1);
        let covariance = |i: usize, j: usize| gram[(i, j)] - gram[(i, one)] * gram[(j, one)];
        let total = covariance(target, target);
        let units = Mat::from_fn(hidden, hidden, covariance);
        let shared: Vec<f64> = (0..hidden).map(|i| covariance(i, target)).collect();
        let mut ridged =
            Mat::from_fn(hidden, hidden, |i, j| units[(i, j)] + if i == j { ridge } else { 0.0 });
        let mut weights = shared.clone();
        if !FactorSpace::new(hidden).solve(ridged.as_mut(), &mut weights) {
            return total;
        }
        let mut residual = total;
        for (j, weight) in weights.iter().enumerate() {
            let fitted: f64 = (0..hidden).map(|i| units[(i, j)] * weights[i]).sum();
            residual += weight * (fitted - 2.0 * shared[j]);
        }
        // A perfect fit leaves rounding; the floor keeps ratios of residuals finite.
        residual.max(f64::EPSILON * total)
    }
}
