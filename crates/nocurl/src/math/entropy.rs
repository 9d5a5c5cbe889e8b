//! Entropies of standardised values, by the approximation of Hyvärinen (1998).
//!
//! A law with mean 0 and variance 1 has entropy at most that of the normal law; how much less is
//! approximated from two means, of `log cosh u` and of `u exp(-u^2 / 2)`, which are robust to
//! outliers where third and fourth moments are not.
//!
//! Reference: Hyvärinen, *New approximations of differential entropy for independent component
//! analysis and projection pursuit*, NIPS 1997.

use super::exponential::exp;

/// Entropy of the normal law with variance 1: `(1 + log 2 pi) / 2`.
const NORMAL: f64 = 1.418_938_533_204_673;

/// Weights of the two means, and the mean of `log cosh u` under the normal law, as published.
const K1: f64 = 79.047;
const K2: f64 = 7.4129;
const GAMMA: f64 = 0.37457;

/// Values that are worked on side by side.
const LANES: usize = 8;

/// Values whose exponentials are computed at a time: loops over them become vector instructions.
/// Factors of a product lie between 1 and 2, so that a lane's share of them is far from the end of
/// the range of numbers.
const BLOCK: usize = 256;

/// Sums over values of `log cosh u` and `u exp(-u^2 / 2)`.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    log_cosh: f64,
    skew: f64,
}

impl Sums {
    /// The entropy of `n` values.
    fn entropy(self, n: usize) -> f64 {
        let n = n as f64;
        let (even, odd) = (self.log_cosh / n - GAMMA, self.skew / n);
        NORMAL - K1 * even * even - K2 * odd * odd
    }

    /// Adds a block of values.
    // Always inline: else it would be compiled without the vector instructions of its caller.
    #[inline(always)]
    fn add(&mut self, values: &[f64], factors: &mut [f64; BLOCK], skews: &mut [f64; BLOCK]) {
        // log cosh u = |u| + log(1 + exp(-2 |u|)) - log 2, and logarithms of products are sums.
        for ((&u, factor), skew) in values.iter().zip(factors.iter_mut()).zip(skews.iter_mut()) {
            *factor = 1.0 + exp(-2.0 * u.abs());
            *skew = u * exp(-0.5 * u * u);
        }
        let n = values.len();
        let (mut product, mut size, mut skew) = ([1.0; LANES], [0.0; LANES], [0.0; LANES]);
        let whole = n - n % LANES;
        for at in (0..whole).step_by(LANES) {
            for lane in 0..LANES {
                product[lane] *= factors[at + lane];
                size[lane] += values[at + lane].abs();
                skew[lane] += skews[at + lane];
            }
        }
        for at in whole..n {
            product[0] *= factors[at];
            size[0] += values[at].abs();
            skew[0] += skews[at];
        }
        // A product of 32 factors of at most 2 a lane, and of all lanes at most 2^256.
        let product: f64 = product.iter().product();
        let size: f64 = size.iter().sum();
        self.log_cosh += size + libm::log(product) - n as f64 * std::f64::consts::LN_2;
        self.skew += skew.iter().sum::<f64>();
    }
}

/// The entropies of what is left of each of two standardised columns after regression on the
/// other, with correlation `r`: of `(a - r b)` and of `(b - r a)`, both divided by `deviation`.
struct Residuals<'a> {
    a: &'a [f64],
    b: &'a [f64],
    r: f64,
    deviation: f64,
}

impl pulp::NullaryFnOnce for Residuals<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn call(self) -> (f64, f64) {
        let (r, scale) = (self.r, 1.0 / self.deviation);
        let (mut first, mut second) = (Sums::default(), Sums::default());
        let mut space = [[0.0; BLOCK]; 4];
        let [one, other, factors, skews] = &mut space;
        for (a, b) in self.a.chunks(BLOCK).zip(self.b.chunks(BLOCK)) {
            let ends = one.iter_mut().zip(other.iter_mut());
            for ((&a, &b), (one, other)) in a.iter().zip(b).zip(ends) {
                *one = (-r).mul_add(b, a) * scale;
                *other = (-r).mul_add(a, b) * scale;
            }
            first.add(&one[..a.len()], factors, skews);
            second.add(&other[..a.len()], factors, skews);
        }
        (first.entropy(self.a.len()), second.entropy(self.a.len()))
    }
}

/// The entropy of one column.
struct Whole<'a>(&'a [f64]);

impl pulp::NullaryFnOnce for Whole<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sums = Sums::default();
        let mut space = [[0.0; BLOCK]; 2];
        let [factors, skews] = &mut space;
        for values in self.0.chunks(BLOCK) {
            sums.add(values, factors, skews);
        }
        sums.entropy(self.0.len())
    }
}

/// The sum of products of two columns.
struct Dot<'a>(&'a [f64], &'a [f64]);

impl pulp::NullaryFnOnce for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sums = [0.0; LANES];
        let (a, b) = (self.0.chunks_exact(LANES), self.1.chunks_exact(LANES));
        let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a.zip(b) {
            for lane in 0..LANES {
                sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
            }
        }
        sums.iter().sum::<f64>() + rest
    }
}

/// The sum of products of two columns, by vector instructions.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(Dot(a, b))
}

/// The entropy of values with mean 0 and variance 1.
pub(crate) fn entropy(values: &[f64]) -> f64 {
    pulp::Arch::new().dispatch(Whole(values))
}

/// How much less the entropy of values is than that of a normal law with their variance; 0 where
/// they are all the same.
pub(crate) fn negentropy(mut values: Vec<f64>) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|value| *value -= mean);
    let variance = dot(&values, &values) / n;
    if !(variance > 0.0 && variance.is_finite()) {
        return 0.0;
    }
    let scale = variance.sqrt().recip();
    values.iter_mut().for_each(|value| *value *= scale);
    NORMAL - entropy(&values)
}

/// The entropies of the residuals of two columns with mean 0 and variance 1, each regressed on the
/// other and scaled to variance 1; `None` where one is all but a multiple of the other.
pub(crate) fn residual_entropies(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    /// Less than this share of the variance is rounding.
    const LEAST: f64 = 1e-12;
    let r = dot(a, b) / a.len() as f64;
    let left = 1.0 - r * r;
    (left > LEAST)
        .then(|| pulp::Arch::new().dispatch(Residuals { a, b, r, deviation: left.sqrt() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hand(values: &[f64]) -> f64 {
        let n = values.len() as f64;
        let even = values.iter().map(|u| u.cosh().ln()).sum::<f64>() / n - GAMMA;
        let odd = values.iter().map(|u| u * (-u * u / 2.0).exp()).sum::<f64>() / n;
        NORMAL - K1 * even * even - K2 * odd * odd
    }

    fn column(n: usize, step: f64) -> Vec<f64> {
        let values: Vec<f64> = (0..n).map(|i| (i as f64 * step).fract().powi(3)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        values.iter().map(|v| (v - mean) / variance.sqrt()).collect()
    }

    #[test]
    fn entropies_are_those_of_the_formula() {
        for n in [3, 8, 100, 4096, 10_001] {
            let (a, b) = (column(n, 0.618_034), column(n, 0.414_214));
            assert!((entropy(&a) - by_hand(&a)).abs() < 1e-12, "{n}");
            let r = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / n as f64;
            let left = (1.0 - r * r).sqrt();
            let residual = |x: &[f64], y: &[f64]| -> Vec<f64> {
                x.iter().zip(y).map(|(x, y)| (x - r * y) / left).collect()
            };
            let (first, second) = residual_entropies(&a, &b).unwrap();
            assert!((first - by_hand(&residual(&a, &b))).abs() < 1e-10, "{n}");
            assert!((second - by_hand(&residual(&b, &a))).abs() < 1e-10, "{n}");
        }
    }

    #[test]
    fn far_outliers_stay_finite() {
        let mut values = vec![-1e-6; 1_000_000];
        values[17] = 1e3;
        assert!(entropy(&values).is_finite());
        let a = column(50, 0.618_034);
        assert!(residual_entropies(&a, &a).is_none());
    }
}
