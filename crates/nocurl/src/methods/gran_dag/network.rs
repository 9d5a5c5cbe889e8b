//! One network: what it says of a variable, its loss on some rows, and its path products.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::GranErrors;

/// The slope of the activation below zero, that of PyTorch.
const LEAK: f64 = 0.01;

/// Half the logarithm of two pi.
pub(super) const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;

/// Layers of hidden units, and numbers that a network says of its variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) hidden: usize,
    pub(super) layers: usize,
    /// Whose deviation of errors is learnt: its logarithm is an output, one number of the network,
    /// or no part of it.
    pub(super) errors: GranErrors,
}

impl Shape {
    fn outputs(self) -> usize {
        1 + usize::from(self.errors == GranErrors::Predicted)
    }

    /// Parameters behind those of the layers.
    fn beside(self) -> usize {
        usize::from(self.errors == GranErrors::Own)
    }

    /// Ways from an input to the outputs.
    pub(super) fn paths(self) -> f64 {
        libm::pow(self.hidden as f64, self.layers as f64) * self.outputs() as f64
    }

    /// Sizes of the layers after the inputs.
    fn widths(self) -> impl Iterator<Item = usize> {
        std::iter::repeat_n(self.hidden, self.layers).chain([self.outputs()])
    }

    /// Parameters of a network with so many inputs.
    pub(super) fn size(self, inputs: usize) -> usize {
        let mut below = inputs;
        let mut size = self.beside();
        for width in self.widths() {
            size += (below + 1) * width;
            below = width;
        }
        size
    }
}

/// The network of one variable, with the running means of squared gradients beside its parameters.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Net {
    /// The variables that enter, in rising order.
    pub(super) inputs: Vec<usize>,
    /// Layer by layer the weights, unit by unit, and the biases; at the end the logarithm of the
    /// error's deviation, where that is no output.
    pub(super) parameters: Vec<f64>,
    pub(super) squares: Vec<f64>,
}

/// Space for a block of rows on its way through a network, and for a gradient.
#[derive(Debug, Default)]
pub(super) struct Space {
    inputs: Vec<f64>,
    /// Of each layer, the values of its units.
    values: Vec<Vec<f64>>,
    /// Derivatives in the units of a layer and of the one below.
    slopes: Vec<f64>,
    below: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    paths: Vec<Vec<f64>>,
}

/// A block of rows, column by column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) rows: usize,
    pub(super) values: &'a [f64],
}

impl<'a> Block<'a> {
    fn column(self, variable: usize) -> &'a [f64] {
        &self.values[variable * self.rows..(variable + 1) * self.rows]
    }
}

impl Net {
    /// A network with weights uniform after Glorot and Bengio (2010) as though all `variables`
    /// entered, as the published code draws them, and biases 0.
    pub(super) fn random(
        inputs: Vec<usize>,
        variables: usize,
        shape: Shape,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let gain = (2.0 / (1.0 + LEAK * LEAK)).sqrt();
        let size = shape.size(inputs.len());
        let mut parameters = Vec::with_capacity(size);
        let (mut below, mut fan_in) = (inputs.len(), variables);
        for width in shape.widths() {
            let bound = gain * (6.0 / (fan_in + width) as f64).sqrt();
            let weights = (0..below * width).map(|_| bound * (2.0 * rng.random::<f64>() - 1.0));
            parameters.extend(weights);
            parameters.resize(parameters.len() + width, 0.0);
            (below, fan_in) = (width, width);
        }
        parameters.resize(size, 0.0);
        Self { inputs, squares: vec![0.0; size], parameters }
    }

    /// The same without the inputs for which `keep` is false.
    pub(super) fn retain(&mut self, shape: Shape, keep: impl Fn(usize) -> bool) {
        let p = self.inputs.len();
        let kept: Vec<bool> = self.inputs.iter().map(|&input| keep(input)).collect();
        if kept.iter().all(|&keep| keep) {
            return;
        }
        for numbers in [&mut self.parameters, &mut self.squares] {
            let mut at = 0;
            numbers.retain(|_| {
                at += 1;
                at > p * shape.hidden || kept[(at - 1) % p]
            });
        }
        let mut at = 0;
        self.inputs.retain(|_| {
            at += 1;
            kept[at - 1]
        });
    }

    /// Takes a block through the layers; the values of all units are in `space` then.
    fn forward(&self, shape: Shape, block: Block<'_>, space: &mut Space) {
        let b = block.rows;
        space.inputs.clear();
        for &input in &self.inputs {
            space.inputs.extend_from_slice(block.column(input));
        }
        space.values.resize_with(shape.layers + 1, Vec::new);
        let (mut below, mut rest) = (self.inputs.len(), &self.parameters[..]);
        for (layer, width) in shape.widths().enumerate() {
            let (weights, after) = rest.split_at(below * width);
            let (biases, after) = after.split_at(width);
            let (done, own) = space.values.split_at_mut(layer);
            let x = done.last().unwrap_or(&space.inputs);
            own[0].clear();
            biases.iter().for_each(|&bias| own[0].resize(own[0].len() + b, bias));
            let z = MatMut::from_column_major_slice_mut(&mut own[0], b, width);
            let x = MatRef::from_column_major_slice(&x[..b * below], b, below);
            let w = MatRef::from_column_major_slice(weights, below, width);
            matmul(z, Accum::Add, x, w, 1.0, Par::Seq);
            if layer < shape.layers {
                own[0].iter_mut().for_each(|z| *z = z.max(LEAK * *z));
            }
            (below, rest) = (width, after);
        }
    }

    /// The sum over rows of the negative log-likelihood of `target`, with errors of deviation 1
    /// where that is no part of the network. With `gradient`, `space` has the derivatives of the sum
    /// in all parameters after it.
    pub(super) fn loss(
        &self,
        shape: Shape,
        target: usize,
        block: Block<'_>,
        gradient: bool,
        space: &mut Space,
    ) -> f64 {
        self.forward(shape, block, space);
        let b = block.rows;
        let Space { values, slopes, gradient: total, .. } = &mut *space;
        let out = &values[shape.layers];
        slopes.clear();
        slopes.resize(b * shape.outputs(), 0.0);
        let (means, deviations) = slopes.split_at_mut(b);
        let own = self.parameters.last().copied().unwrap_or(0.0);
        let (mut sum, mut slope) = (0.0, 0.0);
        for (row, &x) in block.column(target).iter().enumerate() {
            let log_deviation = match shape.errors {
                GranErrors::Own => own,
                GranErrors::Equal => 0.0,
                GranErrors::Predicted => out[b + row],
            };
            let precision = libm::exp(-2.0 * log_deviation);
            let residual = out[row] - x;
            let square = residual * residual * precision;
            sum += HALF_LOG_TAU + log_deviation + 0.5 * square;
            means[row] = residual * precision;
            match deviations.get_mut(row) {
                Some(place) => *place = 1.0 - square,
                None => slope += 1.0 - square,
            }
        }
        if gradient {
            total.clear();
            total.resize(self.parameters.len(), 0.0);
            if let (1, Some(last)) = (shape.beside(), total.last_mut()) {
                *last = slope;
            }
            self.backward(shape, b, space);
        }
        sum
    }

    /// The gradient from the derivatives in the outputs, layer by layer.
    fn backward(&self, shape: Shape, b: usize, space: &mut Space) {
        let Space { inputs, values, slopes, below: lower, gradient, .. } = space;
        let mut end = self.parameters.len() - shape.beside();
        for layer in (0..=shape.layers).rev() {
            let width = if layer == shape.layers { shape.outputs() } else { shape.hidden };
            let below = if layer == 0 { self.inputs.len() } else { shape.hidden };
            let start = end - (below + 1) * width;
            let (own, biases) = gradient[start..end].split_at_mut(below * width);
            for (unit, bias) in biases.iter_mut().enumerate() {
                *bias = slopes[unit * b..(unit + 1) * b].iter().sum();
            }
            let x = if layer == 0 { &*inputs } else { &values[layer - 1] };
            let x = MatRef::from_column_major_slice(&x[..b * below], b, below);
            let delta = MatRef::from_column_major_slice(&slopes[..b * width], b, width);
            let own = MatMut::from_column_major_slice_mut(own, below, width);
            matmul(own, Accum::Replace, x.transpose(), delta, 1.0, Par::Seq);
            if layer > 0 {
                let weights = &self.parameters[start..start + below * width];
                let w = MatRef::from_column_major_slice(weights, below, width);
                lower.resize(b * below, 0.0);
                let down = MatMut::from_column_major_slice_mut(&mut lower[..b * below], b, below);
                matmul(down, Accum::Replace, delta, w.transpose(), 1.0, Par::Seq);
                for (slope, value) in lower.iter_mut().zip(&values[layer - 1]) {
                    *slope *= if *value > 0.0 { 1.0 } else { LEAK };
                }
                std::mem::swap(slopes, lower);
            }
            end = start;
        }
    }

    /// For each input the sum over all ways to the outputs of the products of absolute weights,
    /// divided by the number of ways.
    pub(super) fn products<'a>(&self, shape: Shape, space: &'a mut Space) -> &'a [f64] {
        self.ways(shape, space);
        let p = self.inputs.len();
        let (ways, rest) = space.paths.split_at_mut(shape.layers);
        let products = &mut rest[0];
        products.clear();
        products.resize(p, 0.0);
        for (unit, &way) in ways[0].iter().enumerate() {
            let weights = &self.parameters[unit * p..(unit + 1) * p];
            for (product, weight) in products.iter_mut().zip(weights) {
                *product += weight.abs() * way;
            }
        }
        products.iter_mut().for_each(|product| *product /= shape.paths());
        products
    }

    /// For the units of each layer the sum of the products of absolute weights on the ways from
    /// there to the outputs.
    fn ways(&self, shape: Shape, space: &mut Space) {
        let (hidden, outputs) = (shape.hidden, shape.outputs());
        space.paths.resize_with(shape.layers + 1, Vec::new);
        let mut end = self.parameters.len() - shape.beside();
        for layer in (0..shape.layers).rev() {
            let width = if layer + 1 == shape.layers { outputs } else { hidden };
            let start = end - (hidden + 1) * width;
            let (done, above) = space.paths.split_at_mut(layer + 1);
            let own = &mut done[layer];
            own.clear();
            own.resize(hidden, 0.0);
            for (unit, weights) in
                self.parameters[start..start + hidden * width].chunks_exact(hidden).enumerate()
            {
                let way = if layer + 1 == shape.layers { 1.0 } else { above[0][unit] };
                for (sum, weight) in own.iter_mut().zip(weights) {
                    *sum += weight.abs() * way;
                }
            }
            end = start;
        }
    }

    /// Adds to the gradient in `space` that of the sum of `slope(i)` times the product of input i.
    pub(super) fn add_product_slopes(
        &self,
        shape: Shape,
        slope: impl Fn(usize) -> f64,
        space: &mut Space,
    ) {
        self.ways(shape, space);
        let Space { paths, below: reach, slopes: next, gradient, .. } = space;
        let scale = 1.0 / shape.paths();
        let (mut width_below, mut start) = (self.inputs.len(), 0);
        // What has come from the inputs to the units of the layer below.
        reach.clear();
        reach.extend(self.inputs.iter().map(|&input| scale * slope(input)));
        for (layer, width) in shape.widths().enumerate() {
            next.clear();
            next.resize(width, 0.0);
            for unit in 0..width {
                let way = if layer == shape.layers { 1.0 } else { paths[layer][unit] };
                let own = start + unit * width_below..start + (unit + 1) * width_below;
                let weights = self.parameters[own.clone()].iter().zip(&mut gradient[own]);
                for ((weight, total), reach) in weights.zip(reach.iter()) {
                    let sign = if *weight == 0.0 { 0.0 } else { weight.signum() };
                    *total += sign * way * reach;
                    next[unit] += weight.abs() * reach;
                }
            }
            start += (width_below + 1) * width;
            width_below = width;
            std::mem::swap(reach, next);
        }
    }

    /// A step of RMSprop, as PyTorch has it.
    pub(super) fn step(&mut self, gradient: &[f64], learning_rate: f64, arch: pulp::Arch) {
        let Self { parameters, squares, .. } = self;
        arch.dispatch(Step { parameters, squares, gradient, learning_rate });
    }

    /// Whether it is a network of this shape with inputs among these, all numbers sound.
    pub(super) fn is_of(&self, shape: Shape, candidates: &[usize]) -> bool {
        let rising = self.inputs.windows(2).all(|pair| pair[0] < pair[1]);
        let size = shape.size(self.inputs.len());
        rising
            && self.inputs.iter().all(|input| candidates.binary_search(input).is_ok())
            && self.parameters.len() == size
            && self.squares.len() == size
            && self.parameters.iter().all(|number| number.is_finite())
            && self.squares.iter().all(|&square| square.is_finite() && square >= 0.0)
    }
}

/// Weight of the past in the running mean of squared gradients, and what is added to its root.
const DECAY: f64 = 0.99;
const FLOOR: f64 = 1e-8;

struct Step<'a> {
    parameters: &'a mut [f64],
    squares: &'a mut [f64],
    gradient: &'a [f64],
    learning_rate: f64,
}

/// Compiled for each set of vector instructions; the bits are the same with all of them.
impl pulp::NullaryFnOnce for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let numbers = self.parameters.iter_mut().zip(self.squares);
        for ((parameter, square), &slope) in numbers.zip(self.gradient) {
            *square = DECAY * *square + (1.0 - DECAY) * slope * slope;
            *parameter -= self.learning_rate * slope / (square.sqrt() + FLOOR);
        }
    }
}
