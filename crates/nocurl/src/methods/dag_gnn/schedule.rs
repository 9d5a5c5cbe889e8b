//! The schedule of DAG-GNN: when the penalty on cycles grows, and when it is enough.

use super::DagGnn;
use super::training::Trained;
use crate::core::{Termination, is_count};
use crate::math::optimize::Multiplier;

/// Growth of rho while h does not shrink to a quarter.
const GROWTH: f64 = 10.0;
const SHRINK: f64 = 0.25;

/// A loss this many times the best one ends the growth of rho for now.
const WORSE: f64 = 2.0;

/// Bounds of the learning rate.
const SLOWEST: f64 = 1e-4;
const FASTEST: f64 = 1e-2;

/// Where the augmented Schedule stands between two epochs.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Schedule {
    alpha: f64,
    rho: f64,
    /// Epochs with this penalty.
    epoch: u64,
    /// Updates of the multiplier.
    rounds: u64,
    /// h when alpha was last updated; none before.
    accepted: Option<f64>,
    /// h when the penalty was last looked at; the published code begins with 1.
    latest: f64,
    /// The smallest loss of an epoch so far, without penalties.
    best: Option<f64>,
    pub(super) ended: Option<Termination>,
}

impl Schedule {
    pub(super) fn new() -> Self {
        Self {
            alpha: 0.0,
            rho: 1.0,
            epoch: 0,
            rounds: 0,
            accepted: None,
            latest: 1.0,
            best: None,
            ended: None,
        }
    }

    pub(super) fn multiplier(&self) -> Multiplier {
        Multiplier { linear: self.alpha, quadratic: self.rho }
    }

    /// Smaller the larger rho is; while rho is 1 the quotient is beyond all bounds, and the
    /// largest rate is used.
    pub(super) fn learning_rate(&self, initial: f64) -> f64 {
        (initial / (self.rho.log10() + 1e-10)).clamp(SLOWEST, FASTEST)
    }

    /// Takes in an epoch.
    pub(super) fn advance(&mut self, params: &DagGnn, epoch: &Trained) {
        let best = self.best.map_or(epoch.loss, |best| best.min(epoch.loss));
        self.best = Some(best);
        let worse = epoch.loss > WORSE * best;
        self.epoch += 1;
        if self.epoch < params.epochs {
            return;
        }
        self.epoch = 0;
        if !worse {
            self.latest = epoch.cycles;
            if self.latest > SHRINK * self.accepted.unwrap_or(f64::INFINITY) {
                self.rho *= GROWTH;
                if self.rho < params.max_penalty {
                    return;
                }
            }
        }
        self.accepted = Some(self.latest);
        self.alpha += self.rho * self.latest;
        self.rounds += 1;
        self.ended = if self.latest <= params.penalty_tolerance {
            Some(Termination::Converged)
        } else if self.rho >= params.max_penalty {
            Some(Termination::PenaltyLimit)
        } else if self.rounds >= params.max_rounds {
            Some(Termination::MaxIterations)
        } else {
            None
        };
    }

    /// True when all numbers are those of a training: a penalty of 0 would never grow.
    pub(super) fn is_sound(&self) -> bool {
        let numbers =
            [Some(self.alpha), Some(self.rho), Some(self.latest), self.accepted, self.best];
        numbers.iter().flatten().all(|x| x.is_finite())
            && self.rho >= 1.0
            && [self.epoch, self.rounds].into_iter().all(is_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule as the published code nests its loops, for values of h and of the loss that
    /// do not depend on what is trained.
    fn nested(params: &DagGnn, mut epoch: impl FnMut(f64, f64) -> Trained) -> (f64, f64) {
        let (mut rho, mut alpha, mut latest, mut accepted) = (1.0, 0.0, 1.0, f64::INFINITY);
        let mut best = f64::INFINITY;
        for _ in 0..params.max_rounds {
            while rho < params.max_penalty {
                let mut last = None;
                for _ in 0..params.epochs {
                    let trained = epoch(alpha, rho);
                    best = trained.loss.min(best);
                    last = Some(trained);
                }
                let last = last.unwrap();
                if last.loss > 2.0 * best {
                    break;
                }
                latest = last.cycles;
                if latest > 0.25 * accepted {
                    rho *= 10.0;
                } else {
                    break;
                }
            }
            accepted = latest;
            alpha += rho * latest;
            if latest <= params.penalty_tolerance || rho >= params.max_penalty {
                break;
            }
        }
        (alpha, rho)
    }

    #[test]
    fn it_moves_as_the_published_loops() {
        for (shrink, jump) in [(0.9, 0), (0.5, 7), (0.2, 0), (0.7, 3), (1.0, 0)] {
            let params = DagGnn { epochs: 3, max_rounds: 12, ..DagGnn::default() };
            let results = |count: &mut i32| {
                *count += 1;
                let worse = jump > 0 && *count % jump == 0;
                let loss = if worse { 30.0 } else { 10.0 };
                Trained { loss, cycles: f64::powi(shrink, *count), edges: 0 }
            };
            let (mut count, mut expected) = (0, Vec::new());
            let end = nested(&params, |alpha, rho| {
                expected.push((alpha, rho));
                results(&mut count)
            });
            let (mut schedule, mut count, mut found) = (Schedule::new(), 0, Vec::new());
            while schedule.ended.is_none() {
                let multiplier = schedule.multiplier();
                found.push((multiplier.linear, multiplier.quadratic));
                schedule.advance(&params, &results(&mut count));
            }
            assert_eq!(found, expected);
            assert_eq!((schedule.alpha, schedule.rho), end);
        }
    }

    #[test]
    fn the_learning_rate_falls_with_the_penalty() {
        let rate = |rho| Schedule { rho, ..Schedule::new() }.learning_rate(3e-3);
        assert_eq!(rate(1.0), 1e-2);
        assert!((rate(10.0) - 3e-3).abs() < 1e-11);
        assert!((rate(1e3) - 1e-3).abs() < 1e-11);
        assert_eq!(Schedule { rho: 1e9, ..Schedule::new() }.learning_rate(1e-4), 1e-4);
    }
}
