//! Adam (Kingma and Ba, 2015), in the form of PyTorch.

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const FLOOR: f64 = 1e-8;

/// Running means of gradients and of their squares.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Adam {
    pub(super) steps: u64,
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
}

impl Adam {
    pub(super) fn new(size: usize) -> Self {
        Self { steps: 0, first: vec![0.0; size], second: vec![0.0; size] }
    }

    /// Moves `x` a step against the gradient.
    pub(super) fn step(&mut self, x: &mut [f64], gradient: &[f64], learning_rate: f64) {
        self.steps += 1;
        let age = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let rate = learning_rate / (1.0 - FIRST_DECAY.powi(age));
        let scale = 1.0 / (1.0 - SECOND_DECAY.powi(age)).sqrt();
        let (first, second) = (&mut self.first, &mut self.second);
        pulp::Arch::new().dispatch(Step { x, gradient, first, second, rate, scale });
    }
}

struct Step<'a> {
    x: &'a mut [f64],
    gradient: &'a [f64],
    first: &'a mut [f64],
    second: &'a mut [f64],
    rate: f64,
    scale: f64,
}

/// Compiled for each set of vector instructions; the bits are the same with all of them.
impl pulp::NullaryFnOnce for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let moments = self.first.iter_mut().zip(self.second);
        for ((x, &g), (first, second)) in self.x.iter_mut().zip(self.gradient).zip(moments) {
            *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * g;
            *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * g * g;
            *x -= self.rate * *first / (second.sqrt() * self.scale + FLOOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_formulae() {
        let (mut x, mut adam) = (vec![1.0, -2.0], Adam::new(2));
        let gradients = [[0.3, -4.0], [0.1, 2.0], [-0.2, 1e-3]];
        for gradient in gradients {
            adam.step(&mut x, &gradient, 0.01);
        }
        for k in 0..2 {
            let (mut m, mut v, mut expected) = (0.0, 0.0, [1.0, -2.0][k]);
            for (t, gradient) in gradients.iter().enumerate() {
                m = 0.9 * m + 0.1 * gradient[k];
                v = 0.999 * v + 0.001 * gradient[k] * gradient[k];
                let t = t as i32 + 1;
                let (m_hat, v_hat) = (m / (1.0 - 0.9_f64.powi(t)), v / (1.0 - 0.999_f64.powi(t)));
                expected -= 0.01 * m_hat / (v_hat.sqrt() + 1e-8);
            }
            assert!((x[k] - expected).abs() < 1e-15, "{} {expected}", x[k]);
        }
    }

    #[test]
    fn the_first_step_has_the_size_of_the_learning_rate() {
        let (mut x, mut adam) = (vec![0.0, 0.0, 0.0], Adam::new(3));
        adam.step(&mut x, &[5.0, -1e-3, 0.0], 0.01);
        assert!((x[0] + 0.01).abs() < 1e-10 && (x[1] - 0.01).abs() < 1e-6);
        assert_eq!(x[2], 0.0);
    }
}
