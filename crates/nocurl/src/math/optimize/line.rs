//! The line search along a step on which the loss is a parabola.

use super::lbfgs::{Trial, cubic_share};

/// Sufficient decrease asked of a step, as a part of what the slope promises.
const ARMIJO: f64 = 1e-4;

/// A search that comes below this part of a step has stalled.
const SHORTEST: f64 = 1e-12;

/// How far a first trial may go, as a multiple of the step.
const FIRST: (f64, f64) = (0.3, 2.0);

/// The loss along a step, and the slope of the whole objective at its start.
pub(super) struct Line {
    pub(super) loss: f64,
    pub(super) objective: f64,
    pub(super) along: f64,
    pub(super) curvature: f64,
    pub(super) slope: f64,
}

/// The penalty some way along a step.
pub(super) struct Cost {
    pub(super) h: f64,
    /// What it adds to the objective, and how fast that grows along the step, if known.
    pub(super) value: f64,
    pub(super) slope: Option<f64>,
}

/// Where a step ended.
pub(super) struct Reached {
    pub(super) length: f64,
    pub(super) loss: f64,
    pub(super) h: f64,
    pub(super) objective: f64,
    /// The length that would have been best here, and is likely to be for the next step: what makes a
    /// step too long or too short stays for a while.
    pub(super) best: f64,
}

impl Line {
    /// The first length from `first` downwards that lowers the objective enough (Armijo). Shorter
    /// ones are where a cubic through both ends has its minimum, or half as long.
    pub(super) fn search(
        &self,
        first: f64,
        mut penalty: impl FnMut(f64) -> Cost,
    ) -> Option<Reached> {
        let mut length = first;
        while length >= SHORTEST {
            let Cost { h, value, slope } = penalty(length);
            let loss = self.loss + length * self.along + length * length / 2.0 * self.curvature;
            let objective = loss + value;
            let share = slope.map(|slope| {
                let slope = self.along + length * self.curvature + slope;
                let start = Trial { step: 0.0, value: self.objective, slope: self.slope };
                cubic_share(start, Trial { step: length, value: objective, slope })
            });
            if objective <= self.objective + ARMIJO * length * self.slope {
                let best = share.map_or(1.0, |share| (share * length).clamp(FIRST.0, FIRST.1));
                return Some(Reached { length, loss, h, objective, best });
            }
            length *= share.unwrap_or(0.5).clamp(0.1, 0.5);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loss `1 - t + t^2 / 2`, and a penalty of `size t^3 / 3` from 0.
    fn searched(size: f64, first: f64, known: bool) -> (Vec<f64>, Reached) {
        let line = Line { loss: 1.0, objective: 1.0, along: -1.0, curvature: 1.0, slope: -1.0 };
        let mut tried = Vec::new();
        let reached = line.search(first, |length| {
            tried.push(length);
            let value = size * length.powi(3) / 3.0;
            let slope = known.then_some(size * length * length);
            Cost { h: value / 2.0, value, slope }
        });
        (tried, reached.expect("the objective falls"))
    }

    /// Where `-1 + t + size t^2` is 0.
    fn minimum(size: f64) -> f64 {
        2.0 / (1.0 + (1.0 + 4.0 * size).sqrt())
    }

    #[test]
    fn the_best_length_is_the_minimum_of_a_cubic() {
        for size in [0.1, 0.5, 1.0] {
            for first in [0.5, 1.0] {
                let (tried, reached) = searched(size, first, true);
                assert_eq!(tried, [first], "size {size}");
                assert!((reached.best - minimum(size)).abs() < 1e-14, "size {size}");
                let loss = 1.0 - first + first * first / 2.0;
                assert_eq!((reached.length, reached.loss), (first, loss));
                assert!((reached.objective - loss - 2.0 * reached.h).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_step_that_is_too_long_is_cut_to_the_minimum() {
        let (tried, reached) = searched(20.0, 1.0, true);
        assert_eq!(tried.len(), 2);
        assert!((reached.length - minimum(20.0)).abs() < 1e-14);
        // A next step is not cut that short from the start.
        assert_eq!(reached.best, FIRST.0);
    }

    #[test]
    fn without_a_slope_steps_are_halved() {
        let (tried, reached) = searched(40.0, 1.0, false);
        assert_eq!(tried, [1.0, 0.5, 0.25]);
        assert_eq!((reached.length, reached.best), (0.25, 1.0));
    }

    #[test]
    fn a_step_that_does_not_fall_is_given_up() {
        let line = Line { loss: 1.0, objective: 1.0, along: 1.0, curvature: 1.0, slope: -1.0 };
        let flat = |_| Cost { h: 0.0, value: 0.0, slope: Some(0.0) };
        assert!(line.search(1.0, flat).is_none());
        let infinite = |_| Cost { h: f64::INFINITY, value: f64::INFINITY, slope: Some(f64::NAN) };
        assert!(line.search(1.0, infinite).is_none());
    }
}
