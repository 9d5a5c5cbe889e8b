//! The augmented Lagrangian of a constraint `h = 0`, as the published code of NOTEARS has it.

use super::{Info, Multiplier};
use crate::core::{Error, Termination};

/// Growth of rho while h does not shrink to a quarter.
const GROWTH: f64 = 10.0;
const SHRINK: f64 = 0.25;

/// When an augmented Lagrangian ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lagrangian {
    /// The constraint counts as met when h is at most this.
    pub(crate) penalty_tolerance: f64,
    /// The largest rho.
    pub(crate) max_penalty: f64,
    /// Limit on updates of the multiplier.
    pub(crate) max_rounds: u64,
    /// Whether a try at a larger rho starts from the last accepted point, not from the last try.
    pub(crate) restarts: bool,
}

impl Lagrangian {
    /// Minimises `alpha h + rho / 2 h^2` and whatever else `subproblem` adds to it, for rising
    /// alpha and rho, from `point`, which is overwritten.
    pub(crate) fn minimise<T: Clone>(
        &self,
        point: &mut T,
        mut subproblem: impl FnMut(Multiplier, &mut T) -> Result<Info, Error>,
    ) -> Result<Info, Error> {
        let mut multiplier = Multiplier { linear: 0.0, quadratic: 1.0 };
        let (mut iterations, mut evaluations) = (0, 0);
        let mut h = f64::INFINITY;
        let mut termination = Termination::MaxIterations;
        for _ in 0..self.max_rounds {
            let accepted = self.restarts.then(|| point.clone());
            let info = loop {
                let info = subproblem(multiplier, point)?;
                iterations += info.iterations;
                evaluations += info.evaluations;
                if info.penalty <= SHRINK * h || multiplier.quadratic >= self.max_penalty {
                    break info;
                }
                multiplier.quadratic *= GROWTH;
                if let Some(accepted) = &accepted {
                    point.clone_from(accepted);
                }
            };
            h = info.penalty;
            multiplier.linear += multiplier.quadratic * h;
            if h <= self.penalty_tolerance {
                // A last subproblem that was cut short leaves a point that may still move.
                if info.termination != Termination::MaxIterations {
                    termination = Termination::Converged;
                }
                break;
            }
            if multiplier.quadratic >= self.max_penalty {
                termination = Termination::PenaltyLimit;
                break;
            }
        }
        Ok(Info { penalty: h, iterations, evaluations, termination })
    }
}
