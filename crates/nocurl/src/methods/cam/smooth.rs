//! How smooth a term of an additive fit is.

use faer::Mat;

use crate::math::linalg::eigen;

/// Exponents of ten of the smoothing parameters tried, in halves: from all but free, where the
/// smoothest curve keeps 0.9999 of itself, to all but straight, where it keeps 0.00001.
const HALF_DECADES: std::ops::RangeInclusive<i32> = -8..=10;

/// The smoothing parameter at which a term is all but a straight line.
pub(super) const STRAIGHT: f64 = 1e5;

/// One term of an additive fit, given all others: the coefficients minimise
/// `deviance - 2 b'rhs + b'(schur + lambda diag(penalty)) b`.
pub(super) struct Term {
    /// Second moments of the term's functions, less what the other terms explain of them.
    pub(super) schur: Mat<f64>,
    /// Their moments with the variable, less what the other terms explain.
    pub(super) rhs: Vec<f64>,
    /// The penalised residual variance without the term.
    pub(super) deviance: f64,
}

/// A term with the smoothing that suits it.
pub(super) struct Smoothed {
    pub(super) lambda: f64,
    pub(super) coefficients: Vec<f64>,
    /// The penalised residual variance with the term.
    pub(super) deviance: f64,
}

impl Term {
    /// Chooses the smoothing parameter that maximises the restricted likelihood and solves for the
    /// coefficients; `freedom` is the number of rows less that of unpenalised coefficients.
    ///
    /// With the straight part eliminated and functions scaled to penalty 1, the eigenvalues `e` of
    /// the second moments turn minus twice the logarithm of that likelihood into
    /// `freedom log(deviance - sum w^2 / (e + lambda)) + sum log(1 + e / lambda)`.
    ///
    /// `None` when the straight part is, up to rounding, explained by the other terms.
    pub(super) fn smooth(&self, penalty: &[f64], freedom: f64) -> Option<Smoothed> {
        /// The least share of a variable that must not be explained by the other terms.
        const FREE: f64 = 1e-9;
        let curved = penalty.len() - 1;
        let pivot = self.schur[(0, 0)];
        if pivot.is_nan() || pivot <= FREE {
            return None;
        }
        let slope = self.rhs[0] / pivot;
        let straight = self.deviance - self.rhs[0] * slope;
        let scale: Vec<f64> = penalty[1..].iter().map(|value| value.sqrt().recip()).collect();
        let scaled = Mat::from_fn(curved, curved, |a, b| {
            let free = self.schur[(a + 1, b + 1)]
                - self.schur[(a + 1, 0)] * (self.schur[(b + 1, 0)] / pivot);
            scale[a] * scale[b] * free
        });
        let rhs: Vec<f64> = (0..curved)
            .map(|a| scale[a] * (self.rhs[a + 1] - self.schur[(a + 1, 0)] * slope))
            .collect();
        let (mut values, vectors) = eigen(scaled.as_ref())?;
        // Below 0 by rounding alone.
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        let rotated: Vec<f64> =
            (0..curved).map(|k| (0..curved).map(|a| vectors[(a, k)] * rhs[a]).sum()).collect();

        let deviance = |lambda: f64| {
            let explained: f64 =
                rotated.iter().zip(&values).map(|(w, e)| w * w / (e + lambda)).sum();
            (straight - explained).max(f64::EPSILON)
        };
        let criterion = |lambda: f64| {
            let volume: f64 = values.iter().map(|e| (e / lambda).ln_1p()).sum();
            freedom * deviance(lambda).ln() + volume
        };
        let lambda = HALF_DECADES
            .map(|half| 10f64.powf(f64::from(half) / 2.0))
            .map(|lambda| (criterion(lambda), lambda))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(STRAIGHT, |(_, lambda)| lambda);

        let mut coefficients = vec![0.0; curved + 1];
        for a in 0..curved {
            let sum: f64 =
                (0..curved).map(|k| vectors[(a, k)] * rotated[k] / (values[k] + lambda)).sum();
            coefficients[a + 1] = scale[a] * sum;
        }
        let bent: f64 = (1..=curved).map(|a| self.schur[(a, 0)] * coefficients[a]).sum();
        coefficients[0] = slope - bent / pivot;
        Some(Smoothed { lambda, coefficients, deviance: deviance(lambda) })
    }
}
