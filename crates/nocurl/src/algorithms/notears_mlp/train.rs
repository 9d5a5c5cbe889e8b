//! Training: the penalised loss of several networks together, and its minimisation.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::net::{Net, Rows, Workspace};
use crate::objective::{Acyclicity, Penalty};
use crate::optimize::lbfgs::{self, LbfgsParams, Limits};
use crate::optimize::{Info, Multiplier};
use crate::{Error, Mat, Observer, Termination};

/// What is minimised over networks, and how.
pub(super) struct Training<'a> {
    pub(super) rows: &'a Rows,
    /// Number of variables.
    pub(super) variables: usize,
    /// The L1 penalty on first-layer weights.
    pub(super) lambda1: f64,
    /// The L2 penalty on the weights of both layers.
    pub(super) lambda2: f64,
    pub(super) acyclicity: Acyclicity,
    pub(super) tolerance: f64,
    pub(super) max_iterations: u64,
    pub(super) stage: &'static str,
    pub(super) observer: &'a dyn Observer,
}

/// Iterations after which the inputs in use are looked over.
const PASS: u64 = 50;

impl Training<'_> {
    /// Minimises the loss of `nets` with all penalties; the acyclicity penalty by `multiplier`,
    /// where there is one.
    ///
    /// Only inputs with weights are computed with. `candidates` are those each network may have;
    /// at a minimum, no gradient of a weight of the others exceeds `lambda1`.
    ///
    /// # Errors
    /// Cancellation, or a loss that is not finite.
    pub(super) fn minimise(
        &self,
        nets: &mut [Net],
        candidates: &[Vec<usize>],
        multiplier: Option<Multiplier>,
    ) -> Result<Info, Error> {
        let (mut iterations, mut evaluations) = (0, 0);
        loop {
            let left = self.max_iterations - iterations;
            let info = self.descend(nets, multiplier, left.min(PASS))?;
            iterations += info.iterations;
            evaluations += info.evaluations + 1;
            let grown = self.choose_parts(nets, candidates)?;
            if std::env::var("P").is_ok() {
                let inputs: usize = nets.iter().map(|n| n.inputs.len()).sum();
                let units: usize = nets.iter().map(|n| n.second_layer().len()).sum();
                let weights: usize = nets.iter().map(|n| n.weights()).sum();
                println!("pass: {:?} iters {} evals {} obj {:.5} inputs {} units {} w {} grown {} mult {:?}", info.termination, info.iterations, info.evaluations, info.objective, inputs, units, weights, grown, multiplier);
            }
            let rests = info.termination != Termination::MaxIterations && !grown;
            if rests || iterations >= self.max_iterations {
                let penalty = Penalty::new(self.acyclicity, self.variables)
                    .evaluate(norms(nets, self.variables).as_ref());
                return Ok(Info { penalty, iterations, evaluations, termination: info.termination });
            }
        }
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
            let (weights, rest) = net.parameters.split_at(net.weights());
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
            ..LbfgsParams::default()
        };
        let mut objective = Objective::new(self, nets, multiplier);
        let mut evaluate = |x: &[f64], gradient: &mut [f64]| objective.evaluate(x, gradient);
        let info =
            lbfgs::minimize(&mut x, &mut evaluate, limits, &params, self.observer, self.stage)?;
        // A search that was told to stop ends early, in no particular way.
        if self.observer.cancelled() {
            return Err(Error::Cancelled);
        }
        objective.set_parameters(&x);
        Ok(info)
    }

    /// Leaves out inputs and hidden units without weights, except where a weight would lower the
    /// objective. True when any was taken in.
    fn choose_parts(&self, nets: &mut [Net], candidates: &[Vec<usize>]) -> Result<bool, Error> {
        let choose = |(net, candidates): (&mut Net, &Vec<usize>)| {
            let wide = net.widened(candidates.clone());
            let mut gradient = vec![0.0; wide.parameters.len()];
            let all = 0..self.rows.count();
            let mut space = Workspace::default();
            self.rows.loss(&wide, all, &mut gradient, &mut space, self.observer);
            let count = wide.weights();
            let (p, hidden) = (candidates.len(), wide.second_layer().len());
            let (mut inputs, mut units) = (vec![false; p], vec![false; hidden]);
            let mut grown = false;
            let weights = wide.parameters[..count].iter().zip(&gradient);
            for (at, (&weight, slope)) in weights.enumerate() {
                if weight != 0.0 || slope.abs() > self.lambda1 + SLACK {
                    inputs[at % p] = true;
                    units[at / p] = true;
                    grown |= weight == 0.0 && !net.has(candidates[at % p], at / p);
                }
            }
            *net = wide.narrowed(&inputs, &units);
            grown
        };
        let grown: Vec<bool> = nets.par_iter_mut().zip(candidates).map(choose).collect();
        if self.observer.cancelled() { Err(Error::Cancelled) } else { Ok(grown.contains(&true)) }
    }
}

/// The slope at which L-BFGS stops too.
const SLACK: f64 = 1e-5;

/// The matrix of first-layer norms, row -> column.
pub(super) fn norms(nets: &[Net], d: usize) -> Mat<f64> {
    let mut norms = Mat::zeros(d, d);
    for net in nets {
        for (input, square) in net.squared_norms() {
            norms[(input, net.target)] = square.sqrt();
        }
    }
    norms
}

/// Value and gradient of the penalised loss, as a function of the positive and negative parts of
/// first-layer weights and of the other parameters, one network after the other.
struct Objective<'a> {
    training: &'a Training<'a>,
    nets: &'a mut [Net],
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
    fn new(
        training: &'a Training<'a>,
        nets: &'a mut [Net],
        multiplier: Option<Multiplier>,
    ) -> Self {
        // A network that is trained alone is one of many.
        let parts = if nets.len() == 1 { 1 } else { TASKS.div_ceil(nets.len()) };
        let share = |net: &Net| Share { loss: 0.0, gradient: vec![0.0; net.parameters.len()] };
        let shares = nets.iter().flat_map(|net| (0..parts).map(move |_| share(net))).collect();
        let penalty = Penalty::new(training.acyclicity, training.variables);
        Self { training, nets, multiplier, penalty, shares, parts, spaces: Mutex::default() }
    }

    fn set_parameters(&mut self, mut x: &[f64]) {
        for net in self.nets.iter_mut() {
            let count = net.weights();
            let (positive, rest) = x.split_at(count);
            let (negative, rest) = rest.split_at(count);
            let (weights, others) = net.parameters.split_at_mut(count);
            for (weight, (positive, negative)) in
                weights.iter_mut().zip(positive.iter().zip(negative))
            {
                *weight = positive - negative;
            }
            let (own, rest) = rest.split_at(others.len());
            others.copy_from_slice(own);
            x = rest;
        }
    }

    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.set_parameters(x);
        if !self.losses() {
            return f64::INFINITY;
        }
        let d = self.training.variables;
        let mut value = 0.0;
        let mut slope = 0.0;
        if let Some(multiplier) = self.multiplier {
            let h = self.penalty.evaluate(norms(self.nets, d).as_ref());
            if !h.is_finite() {
                return f64::INFINITY;
            }
            value += multiplier.value(h);
            slope = multiplier.slope(h);
        }
        let Training { lambda1, lambda2, .. } = *self.training;
        let walks = self.penalty.walks();
        let mut gradient = gradient;
        for (net, shares) in self.nets.iter().zip(self.shares.chunks_mut(self.parts)) {
            let (sum, others) = shares.split_at_mut(1);
            let sum = &mut sum[0];
            value += sum.loss;
            for share in others {
                value += share.loss;
                for (total, slope) in sum.gradient.iter_mut().zip(&share.gradient) {
                    *total += slope;
                }
            }
            let (count, p) = (net.weights(), net.inputs.len());
            let (positive, rest) = gradient.split_at_mut(count);
            let (negative, rest) = rest.split_at_mut(count);
            let (others, rest) = rest.split_at_mut(sum.gradient.len() - count);
            for (at, &weight) in net.parameters[..count].iter().enumerate() {
                // Of h: 2 E' ∘ A on the norms, that is 2 E' on each weight.
                let cyclic = 2.0 * slope * walks[(net.target, net.inputs[at % p])];
                let total = sum.gradient[at] + (lambda2 + cyclic) * weight;
                value += lambda2 / 2.0 * weight * weight;
                positive[at] = lambda1 + total;
                negative[at] = lambda1 - total;
            }
            others.copy_from_slice(&sum.gradient[count..]);
            for at in net.second_layer() {
                let weight = net.parameters[at];
                value += lambda2 / 2.0 * weight * weight;
                others[at - count] += lambda2 * weight;
            }
            gradient = rest;
        }
        value + lambda1 * self.absolute(x)
    }

    /// The sum of positive and negative parts of all first-layer weights.
    fn absolute(&self, mut x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for net in self.nets.iter() {
            let (own, rest) = x.split_at(net.parameters.len() + net.weights());
            sum += own[..2 * net.weights()].iter().sum::<f64>();
            x = rest;
        }
        sum
    }

    /// Fills in the losses and their gradients; false when it was told to stop.
    fn losses(&mut self) -> bool {
        let Training { rows, observer, .. } = *self.training;
        let (nets, parts, spaces) = (&*self.nets, self.parts, &self.spaces);
        let size = rows.count().div_ceil(parts);
        self.shares.par_iter_mut().enumerate().for_each(|(task, share)| {
            let lock = || spaces.lock().unwrap_or_else(PoisonError::into_inner);
            let mut space = lock().pop().unwrap_or_default();
            let (net, start) = (&nets[task / parts], task % parts * size);
            let own = start.min(rows.count())..rows.count().min(start + size);
            share.loss = rows.loss(net, own, &mut share.gradient, &mut space, observer);
            lock().push(space);
        });
        !observer.cancelled()
    }
}
