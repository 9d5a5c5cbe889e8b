//! The hidden layer of a network on a block of rows, for each set of vector instructions.

use crate::math::exponential::{exp_parts, exp_parts_single};

/// `1 / (1 + exp(-z))` to a few units in the last place, without a branch or a call, so that a
/// loop over it becomes vector instructions.
#[inline(always)]
pub(crate) fn sigmoid(z: f64) -> f64 {
    let (exponential, two_to_power) = exp_parts(-z);
    1.0 / exponential.mul_add(two_to_power, 1.0)
}

/// The same to single precision, at a third of the cost.
#[inline(always)]
fn coarse_sigmoid(z: f64) -> f64 {
    let (exponential, two_to_power) = exp_parts_single(-z as f32);
    f64::from(1.0 / exponential.mul_add(two_to_power, 1.0))
}

/// Rows that are summed side by side.
const LANES: usize = 8;

/// From the sums that enter the hidden units to what leaves them, and on to the output.
///
/// `units` holds one column of `residual.len()` rows for each hidden unit, without the bias.
pub(crate) struct Forward<'a> {
    pub(crate) units: &'a mut [f64],
    pub(crate) biases: &'a [f64],
    pub(crate) weights: &'a [f64],
    /// Gets the weighted sum of the units added.
    pub(crate) residual: &'a mut [f64],
    /// Whether single precision is enough.
    pub(crate) coarse: bool,
}

impl pulp::NullaryFnOnce for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let coarse = self.coarse;
        let columns = self.units.chunks_exact_mut(self.residual.len());
        for ((column, &bias), &weight) in columns.zip(self.biases).zip(self.weights) {
            if coarse {
                pass(column, bias, weight, self.residual, coarse_sigmoid);
            } else {
                pass(column, bias, weight, self.residual, sigmoid);
            }
        }
    }
}

/// One unit.
#[inline(always)]
fn pass(
    column: &mut [f64],
    bias: f64,
    weight: f64,
    residual: &mut [f64],
    sigmoid: impl Fn(f64) -> f64,
) {
    for (unit, sum) in column.iter_mut().zip(residual) {
        *unit = sigmoid(*unit + bias);
        *sum = unit.mul_add(weight, *sum);
    }
}

/// The way back: `units` is turned into the gradient of half the squared residuals with respect to
/// what enters the hidden units; gradients of biases and weights are added to.
pub(crate) struct Backward<'a> {
    pub(crate) units: &'a mut [f64],
    pub(crate) weights: &'a [f64],
    pub(crate) residual: &'a [f64],
    pub(crate) bias_gradient: &'a mut [f64],
    pub(crate) weight_gradient: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let columns = self.units.chunks_exact_mut(self.residual.len());
        let gradients = self.bias_gradient.iter_mut().zip(self.weight_gradient);
        for ((column, &weight), gradients) in columns.zip(self.weights).zip(gradients) {
            let (mut biases, mut weights) = ([0.0; LANES], [0.0; LANES]);
            let (units, last_units) = column.as_chunks_mut::<LANES>();
            let (residuals, last_residuals) = self.residual.as_chunks::<LANES>();
            // Each statement is a vector instruction or two.
            for (units, residuals) in units.iter_mut().zip(residuals) {
                let mut shares = *residuals;
                (0..LANES).for_each(|lane| shares[lane] *= units[lane]);
                (0..LANES).for_each(|lane| weights[lane] += shares[lane]);
                (0..LANES).for_each(|lane| shares[lane] -= shares[lane] * units[lane]);
                (0..LANES).for_each(|lane| shares[lane] *= weight);
                (0..LANES).for_each(|lane| biases[lane] += shares[lane]);
                *units = shares;
            }
            for (lane, (unit, &residual)) in last_units.iter_mut().zip(last_residuals).enumerate() {
                let share = residual * *unit;
                weights[lane] += share;
                *unit = weight * (share - share * *unit);
                biases[lane] += *unit;
            }
            *gradients.0 += biases.iter().sum::<f64>();
            *gradients.1 += weights.iter().sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exponential::LIMIT;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sigmoid_is_exact_up_to_rounding(z in -750.0..750.0f64) {
            let cut = z.clamp(-LIMIT, LIMIT);
            let expected = 1.0 / (1.0 + libm::exp(-cut));
            prop_assert!((sigmoid(z) - expected).abs() <= 4.0 * f64::EPSILON * expected);
        }

        #[test]
        fn the_coarse_sigmoid_is_exact_to_single_precision(z in -80.0..80.0f64) {
            let expected = 1.0 / (1.0 + libm::exp(-z));
            // A rounding of z is as large as z itself allows.
            let close = f64::from(f32::EPSILON) * (4.0 + z.abs()) * expected;
            prop_assert!((coarse_sigmoid(z) - expected).abs() <= close, "{z}");
        }
    }

    #[test]
    fn the_sigmoid_stays_between_zero_and_one() {
        for z in [f64::NEG_INFINITY, -1e300, -0.0, 0.0, 1e300, f64::INFINITY] {
            assert!((0.0..=1.0).contains(&sigmoid(z)), "{z}");
            assert!((0.0..=1.0).contains(&coarse_sigmoid(z)), "{z}");
        }
        assert_eq!(sigmoid(0.0), 0.5);
        assert!(sigmoid(f64::NAN).is_nan());
    }
}
