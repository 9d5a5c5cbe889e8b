//! Smooth functions drawn at random.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Noise;

/// Waves that a function is made of.
const WAVES: usize = 500;

/// A function drawn from a Gaussian process whose kernel is near `exp(-|x - y|^2 / 2)`: a sum of
/// waves with random directions and phases and normal heights (Rahimi and Recht, 2007). Given its
/// waves it is a function of the place alone, so that a longer table begins with the rows of a
/// shorter one; an exact draw would need all rows at once, and their number cubed in time.
#[derive(Debug)]
pub(super) struct Smooth {
    inputs: usize,
    /// Of each wave its direction, its phase and its height.
    waves: Vec<f64>,
}

impl Smooth {
    pub(super) fn new(inputs: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let height = (2.0 / WAVES as f64).sqrt();
        let mut waves = Vec::with_capacity(WAVES * (inputs + 2));
        for _ in 0..WAVES {
            waves.extend((0..inputs).map(|_| Noise::Gaussian.sample(rng)));
            waves.push(std::f64::consts::TAU * rng.random::<f64>());
            waves.push(height * Noise::Gaussian.sample(rng));
        }
        Self { inputs, waves }
    }

    /// Its value at a point.
    pub(super) fn at(&self, point: &[f64]) -> f64 {
        let wave = |wave: &[f64]| {
            let (direction, rest) = wave.split_at(self.inputs);
            let along: f64 = direction.iter().zip(point).map(|(w, x)| w * x).sum();
            rest[1] * libm::cos(along + rest[0])
        };
        self.waves.chunks_exact(self.inputs + 2).map(wave).sum()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn covariances_are_those_of_the_kernel() {
        let points = [[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [-1.0, 2.0]];
        let draws = 4000;
        let mut products = [[0.0; 4]; 4];
        for seed in 0..draws {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let function = Smooth::new(2, &mut rng);
            let values = points.map(|point| function.at(&point));
            for (a, row) in products.iter_mut().enumerate() {
                for (b, product) in row.iter_mut().enumerate() {
                    *product += values[a] * values[b] / draws as f64;
                }
            }
        }
        for (a, row) in products.iter().enumerate() {
            for (b, product) in row.iter().enumerate() {
                let square: f64 =
                    points[a].iter().zip(points[b]).map(|(x, y)| (x - y) * (x - y)).sum();
                let expected = (-square / 2.0).exp();
                // Five standard errors of a product of normal numbers.
                let close = 5.0 * ((1.0 + expected * expected) / draws as f64).sqrt();
                assert!((product - expected).abs() < close, "{a} {b} {product} {expected}");
            }
        }
    }
}
