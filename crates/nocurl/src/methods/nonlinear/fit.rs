//! The best parents of one variable among candidates, by networks.

use std::collections::BTreeSet;

use super::harmonic::Harmonics;
use crate::core::random::stream;
use crate::core::{Error, Fitted, Mat, Run};
use crate::math::Price;
use crate::math::entropy::negentropy;
use crate::math::networks::{Log, Loss, Net, Rows, Training, Workspace};
use crate::math::objective::Acyclicity;

/// Hidden units of a network with few inputs.
pub(crate) const MOST_UNITS: usize = 32;

/// Rows for each weight there are at least, so that no network can learn its rows by heart.
const ROWS_PER_WEIGHT: usize = 5;

/// How much larger than usual first-layer weights start. Networks that start out nearly straight
/// do not find waves: with 1, six of 18 edges of `cos(a'x + 1)` were missed, with 2 and 3 none.
const STRETCH: f64 = 2.0;

/// Relative decrease of the objective at which a training stops, and its limit of iterations. With
/// 1e-5, or with 60 iterations while inputs still go, it is faster and misses edges.
const TOLERANCE: f64 = 1e-6;
const MAX_ITERATIONS: u64 = 300;

/// Residuals are not normal where a law of their own is better by this much: a chance of 5e-5.
const ODD: f64 = 20.0;

/// Rows that a search over so many variables needs, of which a network has at most so many inputs.
pub(super) fn rows_needed(variables: usize, inputs: usize) -> u64 {
    (ROWS_PER_WEIGHT * (variables.min(inputs + 1) + 2)) as u64
}

/// Whether the residuals of a fit are far from a normal law.
pub(super) fn is_odd(node: &Fitted) -> bool {
    node.shape < -ODD
}

/// Fits networks to standardised rows.
pub(super) struct Fitter {
    rows: Rows,
    correlation: Mat<f64>,
    /// Edges that must be there.
    required: BTreeSet<(usize, usize)>,
    seed: u64,
}

impl Fitter {
    pub(super) fn new(rows: Rows, required: BTreeSet<(usize, usize)>, seed: u64) -> Self {
        let correlation = rows.correlation();
        Self { rows, correlation, required, seed }
    }

    /// The parents of `target` among `candidates`, which are in rising order: what is left after
    /// backward elimination from a network on all of them. Depends on nothing but its arguments.
    /// None where it is clear on the way that the score will not be below `bound`.
    pub(super) fn fit(
        &self,
        target: usize,
        candidates: &[usize],
        bound: f64,
        run: &Run<'_>,
    ) -> Result<Option<Fitted>, Error> {
        let mut rng = stream(self.seed, target as u64);
        let units = self.units(candidates.len());
        // Drawn as for all variables, stretched to what it is for the candidates alone.
        let share = self.variables() as f64 / candidates.len().max(1) as f64;
        let net = Net::random(target, candidates.to_vec(), &self.rows, units, &mut rng)
            .stretched(STRETCH * share.sqrt());
        match self.eliminate(net, bound, run)? {
            // Few inputs may have more units than all candidates had.
            Some(fitted) if self.units(fitted.parents.len()) > units => {
                self.fit(target, &fitted.parents, bound, run)
            }
            fitted => Ok(fitted),
        }
    }

    /// What is left of a network after backward elimination.
    ///
    /// An input goes when the residual variance without it, its weights gone and the second layer
    /// fitted anew, is larger by less than the extended BIC asks for its weights.
    fn eliminate(&self, mut net: Net, bound: f64, run: &Run<'_>) -> Result<Option<Fitted>, Error> {
        let n = self.rows.count() as f64;
        let (target, candidates) = (net.target, net.inputs.clone());
        // Laplace and normal priors of unit scale on the weights between standardised variables.
        let penalty = 1.0 / n;
        let training = Training {
            rows: &self.rows,
            loss: Loss::Logarithm,
            variables: self.variables(),
            lambda1: penalty,
            lambda2: penalty,
            acyclicity: Acyclicity::Polynomial,
            tolerance: TOLERANCE,
            max_iterations: MAX_ITERATIONS,
            stage: "training networks",
            run,
        };
        let mut inputs = candidates.clone();
        let mut space = Workspace::default();
        loop {
            let nets = std::slice::from_mut(&mut net);
            training.minimise(nets, std::slice::from_ref(&inputs), None, &mut Log::none())?;
            let ridge = penalty * self.rows.refitted(&net, penalty, &mut space);
            let full = self.rows.refitted(&net, ridge, &mut space);
            let (mut kept, mut weak, mut price) = (Vec::new(), Vec::new(), 0.0);
            for (place, &input) in net.inputs.iter().enumerate() {
                let own = self.price(net.weights_of(place));
                let without = self.rows.refitted(&net.without(place), ridge, &mut space);
                let gain = n * libm::log(without / full);
                if gain >= own || self.is_required(input, target) {
                    kept.push(input);
                    price += own;
                } else {
                    weak.push((gain / own, input));
                }
            }
            // Without weak inputs the residual variance is larger, and strong ones cost what they
            // cost.
            if n * libm::log(full) + price >= bound {
                return Ok(None);
            }
            if weak.is_empty() {
                let required = candidates.iter().filter(|&&i| self.is_required(i, target));
                kept.extend(required);
                kept.sort_unstable();
                kept.dedup();
                let score = n * libm::log(full) + price;
                let shape = -2.0 * n * negentropy(self.rows.residuals(&net, &mut space));
                let fitted = Fitted { parents: kept, score, shape, network: true };
                return Ok((score < bound).then_some(fitted));
            }
            // The weaker half goes; what stands in for each other does not go at once.
            weak.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            kept.extend(weak[weak.len().div_ceil(2)..].iter().map(|&(_, input)| input));
            kept.sort_unstable();
            net = net.widened(kept.clone());
            inputs = kept;
        }
    }

    /// Fits of a line and a wave on the same rows.
    pub(super) fn harmonics<'a>(&'a self, run: &'a Run<'_>) -> Harmonics<'a> {
        Harmonics {
            values: self.rows.values(),
            correlation: self.correlation.as_ref(),
            price: Price::extended(self.rows.count() as f64, self.variables()),
            run,
        }
    }

    /// Hidden units of a network with so many inputs.
    fn units(&self, inputs: usize) -> usize {
        (self.rows.count() / (ROWS_PER_WEIGHT * (inputs + 2))).clamp(1, MOST_UNITS)
    }

    /// What the extended BIC asks for an input with so many weights.
    fn price(&self, weights: usize) -> f64 {
        let price = Price::extended(self.rows.count() as f64, self.variables());
        weights as f64 * price.parameter + price.edge
    }

    pub(super) fn is_required(&self, from: usize, to: usize) -> bool {
        self.required.contains(&(from, to))
    }

    fn variables(&self) -> usize {
        self.correlation.ncols()
    }
}
