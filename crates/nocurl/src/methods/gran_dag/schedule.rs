//! When the penalty on cycles grows, and when it is enough: the augmented Lagrangian of the
//! published code.

use crate::core::is_count;
use crate::math::optimize::Multiplier;

/// The first penalty, and its growth.
const FIRST: f64 = 1e-3;
const GROWTH: f64 = 10.0;

/// The penalty grows when h is still more than this share of what it was.
const SHRINK: f64 = 0.9;

/// A change of the objective on held-out rows, per step, below which it is at rest.
const REST: f64 = 1e-4;

/// Where the augmented Lagrangian stands between two windows.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Schedule {
    lambda: f64,
    mu: f64,
    /// h when lambda was last updated.
    before: Option<f64>,
    /// The objective on held-out rows after this window and the two before it.
    values: Vec<f64>,
    /// Windows done.
    windows: u64,
}

impl Schedule {
    pub(super) fn new() -> Self {
        Self { lambda: 0.0, mu: FIRST, before: None, values: Vec::new(), windows: 0 }
    }

    pub(super) fn multiplier(&self) -> Multiplier {
        Multiplier { linear: self.lambda, quadratic: self.mu }
    }

    /// Takes in a window of so many steps: the loss on held-out rows, and h. True when the
    /// multiplier changed.
    ///
    /// Every second window is looked at: the multiplier changes when the objective, which has risen
    /// or fallen in both, has hardly changed or has risen.
    pub(super) fn advance(&mut self, steps: u64, loss: f64, h: f64) -> bool {
        self.values.push(loss + self.multiplier().value(h));
        if self.values.len() > 3 {
            self.values.remove(0);
        }
        self.windows += 1;
        let [first, middle, last] = self.values[..] else { return false };
        if self.windows.is_multiple_of(2) {
            return false;
        }
        let monotone = first.min(last) < middle && middle < first.max(last);
        let change = (last - first) / steps as f64;
        if !monotone || (change.abs() >= REST && change <= 0.0) {
            return false;
        }
        let old = self.multiplier().value(h);
        self.lambda += self.mu * h;
        if self.before.is_some_and(|before| h > SHRINK * before) {
            self.mu *= GROWTH;
        }
        self.before = Some(h);
        let risen = self.multiplier().value(h) - old;
        self.values.iter_mut().skip(2).for_each(|last| *last += risen);
        true
    }

    /// True when all numbers are those of a training.
    pub(super) fn is_sound(&self) -> bool {
        let numbers = [Some(self.lambda), Some(self.mu), self.before];
        let numbers = numbers.into_iter().flatten().chain(self.values.iter().copied());
        let sound = self.mu >= FIRST && is_count(self.windows);
        sound && self.values.len() <= 3 && numbers.into_iter().all(f64::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decisions as the published code takes them, step by step.
    fn published(results: &[(f64, f64)], steps: usize) -> Vec<(f64, f64)> {
        let (mut mu, mut lambda) = (1e-3, 0.0);
        let (mut hs, mut values, mut told) = (Vec::<f64>::new(), Vec::<f64>::new(), Vec::new());
        for (window, &(loss, h)) in results.iter().enumerate() {
            values.push(loss + lambda * h + 0.5 * mu * h * h);
            let mut delta = f64::NEG_INFINITY;
            if window >= 2 && window % 2 == 0 {
                let [t0, half, t1] = values[values.len() - 3..] else { unreachable!() };
                if t0.min(t1) < half && half < t0.max(t1) {
                    delta = (t1 - t0) / steps as f64;
                }
            }
            if delta.abs() < 1e-4 || delta > 0.0 {
                let old = lambda * h + 0.5 * mu * h * h;
                lambda += mu * h;
                hs.push(h);
                if let [.., before, now] = hs[..]
                    && now > 0.9 * before
                {
                    mu *= 10.0;
                }
                *values.last_mut().unwrap() += lambda * h + 0.5 * mu * h * h - old;
            }
            told.push((lambda, mu));
        }
        told
    }

    #[test]
    fn it_moves_as_the_published_loop() {
        for wave in [0.3, 0.7, 1.9] {
            let results: Vec<(f64, f64)> = (0..200)
                .map(|k| {
                    let k = f64::from(k);
                    (1.0 + 0.01 * (wave * k).sin() - 1e-4 * k, 2.0 * (-0.03 * k).exp())
                })
                .collect();
            let mut schedule = Schedule::new();
            let mut changes = 0;
            for ((loss, h), expected) in results.iter().zip(published(&results, 100)) {
                changes += u64::from(schedule.advance(100, *loss, *h));
                let multiplier = schedule.multiplier();
                assert_eq!((multiplier.linear, multiplier.quadratic), expected);
            }
            assert!(changes > 5 && schedule.is_sound());
        }
    }
}
