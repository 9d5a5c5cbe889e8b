//! Training: the penalised loss of several networks together, and its minimisation.

use std::sync::{Mutex, PoisonError};

use super::journal::{Log, Pass};
use super::net::{Net, Rows, Workspace};
use crate::core::parallel::*;
use crate::core::{Error, Mat, Run, Termination};
use crate::math::objective::{Acyclicity, Penalty};
use crate::math::optimize::lbfgs::{self, LbfgsParams, Limits};
use crate::math::optimize::{Info, Multiplier};

/// What the squared residuals of a network count for, `l` being half their mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// `l` itself: noise of variance 1 in the units given.
    Squares,
    /// `log(2 l) / 2`: noise of any variance. Penalties then weigh the same in all units. For
    /// targets of variance 1: below rounding it is constant.
    Logarithm,
}

impl Loss {
    /// Its value, and its derivative in `l`.
    fn of(self, l: f64) -> (f64, f64) {
        match self {
            Self::Squares => (l, 1.0),
            Self::Logarithm if l > f64::EPSILON => (0.5 * libm::log(2.0 * l), 0.5 / l),
            Self::Logarithm => (0.5 * libm::log(2.0 * f64::EPSILON), 0.0),
        }
    }
}

/// What is minimised over networks, and how.
pub(crate) struct Training<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) loss: Loss,
    /// Number of variables.
    pub(crate) variables: usize,
    /// The L1 penalty on first-layer weights.
    pub(crate) lambda1: f64,
    /// The L2 penalty on the weights of both layers.
    pub(crate) lambda2: f64,
    pub(crate) acyclicity: Acyclicity,
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u64,
    pub(crate) stage: &'static str,
    pub(crate) run: &'a Run<'a>,
}

/// Iterations after which the inputs in use are looked over.
const PASS: u64 = 50;

/// Iterations after which a small decrease ends a pass: when the memory of L-BFGS is full. With a
/// large penalty on cycles, the first steps are small wherever the search is.
const SETTLE: u64 = 10;

impl Training<'_> {
    /// Minimises the loss of `nets` with all penalties; the acyclicity penalty by `multiplier`,
    /// where there is one.
    ///
    /// Only inputs with weights are computed with. `candidates` are those each network may have;
    /// at a minimum, no gradient of a weight of the others exceeds `lambda1`. Passes that `log` has
    /// are not done again.
    ///
    /// # Errors
    /// Cancellation, or a loss that is not finite.
    pub(crate) fn minimise(
        &self,
        nets: &mut [Net],
        candidates: &[Vec<usize>],
        multiplier: Option<Multiplier>,
        log: &mut Log<'_>,
    ) -> Result<Info, Error> {
        let (mut iterations, mut evaluations) = (0, 0);
        let mut chosen = false;
        loop {
            let pass = match log.replay(nets) {
                Some(pass) => pass,
                None => {
                    let limit = PASS.min(self.max_iterations - iterations);
                    let pass = self.pass(nets, candidates, multiplier, limit);
                    log.record(pass, nets)?
                }
            };
            iterations += pass.iterations;
            evaluations += pass.evaluations;
            // Where what was taken in before did not help, what is taken in now will not either.
            let helpless = chosen && pass.small;
            chosen = true;
            let Pass { penalty, termination, .. } = pass;
            let rests = termination != Termination::MaxIterations && (!pass.grown || helpless);
            if rests || iterations >= self.max_iterations {
                return Ok(Info { penalty, iterations, evaluations, termination });
            }
        }
    }

    /// A run of L-BFGS, and a look at the inputs and hidden units after it.
    fn pass(
        &self,
        nets: &mut [Net],
        candidates: &[Vec<usize>],
        multiplier: Option<Multiplier>,
        max_iterations: u64,
    ) -> Result<Pass, Error> {
        let info = self.descend(nets, multiplier, max_iterations)?;
        let grown = self.choose_parts(nets, candidates)?;
        let cyclic = |_| {
            let norms = norms(nets, self.variables);
            Penalty::new(self.acyclicity, self.variables).evaluate(norms.as_ref())
        };
        let scale = info.objective.abs().max(1.0);
        Ok(Pass {
            iterations: info.iterations,
            evaluations: info.evaluations + 1,
            termination: info.termination,
            small: info.initial - info.objective <= self.tolerance * scale * info.iterations as f64,
            grown,
            penalty: multiplier.map_or(0.0, cyclic),
        })
    }

    /// One run of L-BFGS on the inputs that the networks have.
    fn descend(
        &self,
        nets: &mut [Net],
        multiplier: Option<Multiplier>,
        max_iterations: u64,
    ) -> Result<lbfgs::LbfgsInfo, Error> {
        let mut x = Vec::new();
        let mut lower = Vec::new();
        for net in nets.iter() {
            let scales = self.scales(net);
            let scaled: Vec<f64> = net.parameters.iter().zip(&scales).map(|(w, s)| w * s).collect();
            let (weights, rest) = scaled.split_at(net.weights());
            x.extend(weights.iter().map(|w| w.max(0.0)));
            x.extend(weights.iter().map(|w| (-w).max(0.0)));
            x.extend_from_slice(rest);
            lower.resize(x.len() - rest.len(), 0.0);
            lower.resize(x.len(), f64::NEG_INFINITY);
        }
        let limits = Limits { lower: Some(&lower), ..Limits::default() };
        let params = LbfgsParams {
            max_iterations,
            relative_tolerance: self.tolerance,
            min_iterations: SETTLE,
            ..LbfgsParams::default()
        };
        let mut objective = Objective::new(self, nets, multiplier);
        let mut evaluate = |x: &[f64], gradient: &mut [f64]| objective.evaluate(x, gradient);
        let info = lbfgs::minimize(&mut x, &mut evaluate, limits, &params, self.run, self.stage);
        // A search that was told to stop ends early, in no particular way.
        if self.run.is_stopped() {
            return Err(Error::Cancelled);
        }
        objective.set_parameters(&x);
        info
    }

    /// Adds the slopes of the L2 penalty and of the acyclicity penalty, which is a ridge `cyclic` on
    /// the weights of each input; the value of the former.
    fn penalise(&self, net: &Net, cyclic: impl Fn(usize) -> f64, slopes: &mut [f64]) -> f64 {
        let ridges: Vec<f64> = net.inputs.iter().map(|&i| self.lambda2 + cyclic(i)).collect();
        let mut squares = 0.0;
        let weights = net.parameters[..net.weights()].iter().zip(slopes.iter_mut());
        for ((weight, slope), ridge) in weights.zip(ridges.iter().cycle()) {
            squares += weight * weight;
            *slope += ridge * weight;
        }
        for at in net.second_layer() {
            let weight = net.parameters[at];
            squares += weight * weight;
            slopes[at] += self.lambda2 * weight;
        }
        self.lambda2 / 2.0 * squares
    }

    /// Factors on the parameters of a network that make their curvatures alike, whatever the units
    /// of its variables: L-BFGS works on the products.
    fn scales(&self, net: &Net) -> Vec<f64> {
        let deviation = |variable: usize| self.rows.deviations()[variable];
        let target = deviation(net.target);
        let inputs: Vec<f64> = net.inputs.iter().map(|&i| deviation(i) * target).collect();
        let mut scales = vec![1.0; net.parameters.len()];
        let (weights, rest) = scales.split_at_mut(net.weights());
        for unit in weights.chunks_exact_mut(inputs.len().max(1)) {
            unit.copy_from_slice(&inputs);
        }
        rest[..net.second_layer().len()].fill(target);
        scales
    }

    /// Leaves out inputs and hidden units without weights, except where a weight would lower the
    /// objective. True when any was taken in.
    fn choose_parts(&self, nets: &mut [Net], candidates: &[Vec<usize>]) -> Result<bool, Error> {
        let choose = |(net, candidates): (&mut Net, &Vec<usize>)| {
            let wide = net.widened(candidates.clone());
            let mut gradient = vec![0.0; wide.parameters.len()];
            let all = 0..self.rows.count();
            let mut space = Workspace::default();
            let squares = self.rows.loss(&wide, all, &mut gradient, &mut space, self.run);
            let (_, factor) = self.loss.of(squares);
            let count = wide.weights();
            let (p, hidden) = (candidates.len(), wide.second_layer().len());
            let (mut inputs, mut units) = (vec![false; p], vec![false; hidden]);
            let mut grown = false;
            let weights = wide.parameters[..count].iter().zip(&gradient);
            for (at, (&weight, slope)) in weights.enumerate() {
                if weight != 0.0 || factor * slope.abs() > self.lambda1 + SLACK {
                    inputs[at % p] = true;
                    units[at / p] = true;
                    grown |= weight == 0.0 && !net.has(candidates[at % p], at / p);
                }
            }
            *net = wide.narrowed(&inputs, &units);
            grown
        };
        let grown: Vec<bool> = nets.par_iter_mut().zip(candidates).map(choose).collect();
        if self.run.is_stopped() { Err(Error::Cancelled) } else { Ok(grown.contains(&true)) }
    }
}

/// The slope at which L-BFGS stops too.
const SLACK: f64 = 1e-5;

/// The matrix of first-layer norms, row -> column.
pub(crate) fn norms(nets: &[Net], d: usize) -> Mat<f64> {
    let mut norms = Mat::zeros(d, d);
    for net in nets {
        for (input, square) in net.squared_norms() {
            norms[(input, net.target)] = square.sqrt();
        }
    }
    norms
}

/// Value and gradient of the penalised loss, as a function of the scaled positive and negative parts
/// of first-layer weights and of the other parameters, one network after the other.
pub(crate) struct Objective<'a> {
    training: &'a Training<'a>,
    nets: &'a mut [Net],
    /// Of each network, the factors on its parameters.
    scales: Vec<Vec<f64>>,
    multiplier: Option<Multiplier>,
    penalty: Penalty,
    /// For each network and part of the rows, the loss and its gradient.
    shares: Vec<Share>,
    /// Parts into which the rows are cut.
    parts: usize,
    spaces: Mutex<Vec<Workspace>>,
}

struct Share {
    loss: f64,
    gradient: Vec<f64>,
}

/// Tasks there are at least, so that few variables keep many threads busy too.
const TASKS: usize = 32;

impl<'a> Objective<'a> {
    pub(crate) fn new(
        training: &'a Training<'a>,
        nets: &'a mut [Net],
        multiplier: Option<Multiplier>,
    ) -> Self {
        // A network that is trained alone is one of many.
        let parts = if nets.len() == 1 { 1 } else { TASKS.div_ceil(nets.len()) };
        let share = |net: &Net| Share { loss: 0.0, gradient: vec![0.0; net.parameters.len()] };
        let shares = nets.iter().flat_map(|net| (0..parts).map(move |_| share(net))).collect();
        let scales = nets.iter().map(|net| training.scales(net)).collect();
        let penalty = Penalty::new(training.acyclicity, training.variables);
        let spaces = Mutex::default();
        Self { training, nets, scales, multiplier, penalty, shares, parts, spaces }
    }

    fn set_parameters(&mut self, mut x: &[f64]) {
        for (net, scales) in self.nets.iter_mut().zip(&self.scales) {
            let count = net.weights();
            let (positive, rest) = x.split_at(count);
            let (negative, rest) = rest.split_at(count);
            let (others, rest) = rest.split_at(net.parameters.len() - count);
            for at in 0..count {
                net.parameters[at] = (positive[at] - negative[at]) / scales[at];
            }
            for (at, other) in others.iter().enumerate() {
                net.parameters[count + at] = other / scales[count + at];
            }
            x = rest;
        }
    }

    pub(crate) fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.set_parameters(x);
        if !self.losses() {
            return f64::INFINITY;
        }
        let (mut value, mut slope) = (0.0, 0.0);
        if let Some(multiplier) = self.multiplier {
            let norms = norms(self.nets, self.training.variables);
            let h = self.penalty.evaluate(norms.as_ref());
            if !h.is_finite() {
                return f64::INFINITY;
            }
            value = multiplier.value(h);
            slope = multiplier.slope(h);
        }
        let (mut x, mut gradient) = (x, gradient);
        let shares = self.shares.chunks_mut(self.parts);
        for ((net, scales), shares) in self.nets.iter().zip(&self.scales).zip(shares) {
            let size = net.parameters.len() + net.weights();
            let (own_x, rest_x) = x.split_at(size);
            let (own, rest) = gradient.split_at_mut(size);
            let (loss, factor) = self.training.loss.of(add_up(shares));
            value += loss;
            let total = &mut shares[0].gradient;
            total.iter_mut().for_each(|slope| *slope *= factor);
            // Of h: 2 E' ∘ A on the norms, that is 2 E' on each weight.
            let walks = self.penalty.walks();
            let cyclic = |input: usize| 2.0 * slope * walks[(net.target, input)];
            value += self.training.penalise(net, cyclic, total);
            value += split(net, scales, self.training.lambda1, total, own_x, own);
            (x, gradient) = (rest_x, rest);
        }
        value
    }

    /// Fills in the losses and their gradients; false when it was told to stop.
    fn losses(&mut self) -> bool {
        let Training { rows, run, .. } = *self.training;
        let (nets, parts, spaces) = (&*self.nets, self.parts, &self.spaces);
        let size = rows.count().div_ceil(parts);
        self.shares.par_iter_mut().enumerate().for_each(|(task, share)| {
            let lock = || spaces.lock().unwrap_or_else(PoisonError::into_inner);
            let mut space = lock().pop().unwrap_or_default();
            let (net, start) = (&nets[task / parts], task % parts * size);
            let own = start.min(rows.count())..rows.count().min(start + size);
            share.loss = rows.loss(net, own, &mut share.gradient, &mut space, run);
            lock().push(space);
        });
        !run.is_stopped()
    }
}

/// Adds the gradients of all parts of the rows to that of the first; the sum of the losses.
fn add_up(shares: &mut [Share]) -> f64 {
    let Some((first, others)) = shares.split_first_mut() else { return 0.0 };
    let mut loss = first.loss;
    for share in others {
        loss += share.loss;
        for (total, slope) in first.gradient.iter_mut().zip(&share.gradient) {
            *total += slope;
        }
    }
    loss
}

/// Writes the gradient with respect to the scaled positive and negative parts and other parameters,
/// `x`, from that with respect to the parameters; the L1 penalty, which only the parts show.
fn split(
    net: &Net,
    scales: &[f64],
    lambda1: f64,
    slopes: &[f64],
    x: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let count = net.weights();
    let (positive, rest) = gradient.split_at_mut(count);
    let (negative, others) = rest.split_at_mut(count);
    let mut value = 0.0;
    for at in 0..count {
        positive[at] = (lambda1 + slopes[at]) / scales[at];
        negative[at] = (lambda1 - slopes[at]) / scales[at];
        value += (x[at] + x[count + at]) / scales[at];
    }
    for (at, other) in others.iter_mut().enumerate() {
        *other = slopes[count + at] / scales[count + at];
    }
    lambda1 * value
}
