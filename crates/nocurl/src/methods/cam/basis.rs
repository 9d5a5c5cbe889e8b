//! Smooth functions of one variable.

use faer::{Mat, MatMut};

use crate::math::linalg::eigen;

/// Degree of the splines.
const DEGREE: usize = 3;

/// Directions of the basis with less variance than this, relative to the largest, do not count:
/// they are what the values of the variable cannot tell apart.
const NEGLIGIBLE: f64 = 1e-10;

/// Functions of one variable, orthonormal on the data, from the smoothest to the most curved.
///
/// The first is the variable itself, standardised; it is not penalised. The others span, with it
/// and the constant, all cubic splines with knots at quantiles; they are centred, uncorrelated
/// with the variable and with each other, and `penalty[k]` is the integral of the squared second
/// derivative of function `k`, in units of the smallest of them (Demmler and Reinsch, 1975).
#[derive(Debug, Clone)]
pub(super) struct Basis {
    mean: f64,
    /// What rounding left out of the mean.
    rest: f64,
    deviation: f64,
    splines: Splines,
    /// From centred splines to the curved functions, one column each.
    transform: Mat<f64>,
    /// What is taken off each curved function: its mean, and its slope on the variable.
    offset: Vec<f64>,
    slope: Vec<f64>,
    penalty: Vec<f64>,
}

impl Basis {
    /// A basis from at most `size` splines for the values of a variable: fewer where there are
    /// few different values, none but the variable itself where there are two.
    pub(super) fn new(values: &[f64], size: usize) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().map(|value| value / n).sum::<f64>();
        let rest = values.iter().map(|value| (value - mean) / n).sum::<f64>();
        let centred = |value: f64| (value - mean) - rest;
        let squares: f64 = values.iter().map(|&value| centred(value) * (centred(value) / n)).sum();
        let deviation = if squares > 0.0 { squares.sqrt() } else { 1.0 };
        let standard: Vec<f64> = values.iter().map(|&value| centred(value) / deviation).collect();

        let mut distinct = standard.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let mut basis = Self {
            mean,
            rest,
            deviation,
            splines: Splines::at_quantiles(&distinct, size.min(distinct.len())),
            transform: Mat::zeros(0, 0),
            offset: Vec::new(),
            slope: Vec::new(),
            penalty: vec![0.0],
        };
        if size > DEGREE && distinct.len() > 2 {
            basis.diagonalise(&standard);
        }
        basis
    }

    /// Finds the combinations of splines that are uncorrelated on the data and have no product of
    /// second derivatives.
    fn diagonalise(&mut self, standard: &[f64]) {
        let (size, n) = (self.splines.count(), standard.len() as f64);
        let (mut mean, mut slope) = (vec![0.0; size], vec![0.0; size]);
        let mut scatter = Mat::<f64>::zeros(size, size);
        for &x in standard {
            let (first, values) = self.splines.at(x);
            for (a, &value) in values.iter().enumerate() {
                mean[first + a] += value / n;
                slope[first + a] += value * x / n;
                for (b, &other) in values.iter().enumerate() {
                    scatter[(first + a, first + b)] += value * other / n;
                }
            }
        }
        for b in 0..size {
            for a in 0..size {
                scatter[(a, b)] -= mean[a] * mean[b] + slope[a] * slope[b];
            }
        }
        let Some((variances, directions)) = eigen(scatter.as_ref()) else { return };
        let least = NEGLIGIBLE * variances.last().copied().unwrap_or(0.0);
        let kept: Vec<usize> = (0..size).filter(|&k| variances[k] > least).collect();
        let whiten = Mat::from_fn(size, kept.len(), |b, k| {
            directions[(b, kept[k])] / variances[kept[k]].sqrt()
        });
        let roughness = whiten.transpose() * self.splines.roughness() * &whiten;
        let Some((penalty, rotation)) = eigen(roughness.as_ref()) else { return };
        let Some(&smallest) = penalty.first() else { return };
        if smallest <= 0.0 {
            return;
        }
        self.transform = whiten * rotation;
        let apply = |weights: &[f64]| -> Vec<f64> {
            (0..penalty.len())
                .map(|k| (0..size).map(|b| weights[b] * self.transform[(b, k)]).sum())
                .collect()
        };
        (self.offset, self.slope) = (apply(&mean), apply(&slope));
        self.penalty.extend(penalty.iter().map(|value| value / smallest));
    }

    /// Number of functions.
    pub(super) fn len(&self) -> usize {
        self.penalty.len()
    }

    /// The penalty of each function; 0 for the first.
    pub(super) fn penalty(&self) -> &[f64] {
        &self.penalty
    }

    /// Fills one row per value and one column per function.
    pub(super) fn evaluate(&self, values: &[f64], mut out: MatMut<'_, f64>) {
        for (row, value) in values.iter().enumerate() {
            let x = (value - self.mean - self.rest) / self.deviation;
            out[(row, 0)] = x;
            if self.offset.is_empty() {
                continue;
            }
            let (first, splines) = self.splines.at(x);
            for k in 0..self.offset.len() {
                let spline: f64 = splines
                    .iter()
                    .enumerate()
                    .map(|(a, s)| s * self.transform[(first + a, k)])
                    .sum();
                out[(row, k + 1)] = spline - self.offset[k] - self.slope[k] * x;
            }
        }
    }
}

/// Cubic B-splines.
#[derive(Debug, Clone)]
struct Splines {
    knots: Vec<f64>,
}

impl Splines {
    /// About `count` splines on the range of `distinct` values (increasing), with inner knots at
    /// their quantiles.
    fn at_quantiles(distinct: &[f64], count: usize) -> Self {
        let (low, high) = (distinct[0], distinct[distinct.len() - 1]);
        let inner = count.saturating_sub(DEGREE + 1);
        let quantile = |k: usize| {
            let place = (distinct.len() - 1) as f64 * k as f64 / (inner + 1) as f64;
            let below = place as usize;
            distinct[below] + (place - below as f64) * (distinct[below + 1] - distinct[below])
        };
        let mut knots = vec![low; DEGREE + 1];
        knots.extend((1..=inner).map(quantile));
        knots.extend([high; DEGREE + 1]);
        Self { knots }
    }

    /// Number of splines.
    fn count(&self) -> usize {
        self.knots.len() - DEGREE - 1
    }

    /// The splines that are not zero at `x`, a value within the range: the index of the first, and
    /// their values, by the recursion of Cox and de Boor.
    fn at(&self, x: f64) -> (usize, [f64; DEGREE + 1]) {
        let inner = &self.knots[DEGREE + 1..self.count()];
        let interval = DEGREE + inner.partition_point(|&knot| knot <= x);
        let mut values = [0.0; DEGREE + 1];
        values[0] = 1.0;
        for degree in 1..=DEGREE {
            let mut left = 0.0;
            for (k, value) in values.iter_mut().take(degree).enumerate() {
                let (from, to) =
                    (self.knots[interval + 1 + k - degree], self.knots[interval + 1 + k]);
                let part = *value / (to - from);
                *value = left + (to - x) * part;
                left = (x - from) * part;
            }
            values[degree] = left;
        }
        (interval - DEGREE, values)
    }

    /// The integrals of products of second derivatives.
    fn roughness(&self) -> Mat<f64> {
        let count = self.count();
        // Second derivatives are straight between knots: their values at the knots say all.
        let mut bends = Mat::<f64>::identity(count, count);
        for degree in [DEGREE, DEGREE - 1] {
            let rows = bends.nrows() - 1;
            let skipped = DEGREE - degree + 1;
            bends = Mat::from_fn(rows, count, |i, b| {
                let width = self.knots[i + skipped + degree] - self.knots[i + skipped];
                degree as f64 * (bends[(i + 1, b)] - bends[(i, b)]) / width
            });
        }
        let mut roughness = Mat::zeros(count, count);
        for i in 0..count - DEGREE {
            let width = self.knots[DEGREE + i + 1] - self.knots[DEGREE + i];
            for b in 0..count {
                let (left, right) = (bends[(i, b)], bends[(i + 1, b)]);
                for a in 0..count {
                    roughness[(a, b)] += width / 6.0
                        * (bends[(i, a)] * (2.0 * left + right)
                            + bends[(i + 1, a)] * (left + 2.0 * right));
                }
            }
        }
        roughness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without order or ties.
    fn scattered(n: usize) -> Vec<f64> {
        (1..=n).map(|i| (i as f64 * 0.754_877_666).fract().powi(2) * 7.0 - 3.0).collect()
    }

    fn splines() -> Splines {
        let mut values = scattered(60);
        values.sort_by(f64::total_cmp);
        Splines::at_quantiles(&values, 10)
    }

    /// A grid over the range with both ends.
    fn grid(splines: &Splines) -> impl Iterator<Item = f64> {
        let (low, high) = (splines.knots[0], splines.knots[splines.knots.len() - 1]);
        (0..=50).map(move |k| if k == 50 { high } else { low + (high - low) * f64::from(k) / 50.0 })
    }

    fn combine(splines: &Splines, coefficients: &[f64], x: f64) -> f64 {
        let (first, values) = splines.at(x);
        values.iter().enumerate().map(|(a, value)| value * coefficients[first + a]).sum()
    }

    /// Coefficients of 1, x, x^2 and x^3 by Marsden's identity: means of products of knots.
    fn marsden(splines: &Splines, power: usize) -> Vec<f64> {
        (0..splines.count())
            .map(|b| {
                let [t, u, v] = [1, 2, 3].map(|k| splines.knots[b + k]);
                [1.0, (t + u + v) / 3.0, (t * u + t * v + u * v) / 3.0, t * u * v][power]
            })
            .collect()
    }

    #[test]
    fn splines_reproduce_cubic_polynomials() {
        let splines = splines();
        assert_eq!(splines.count(), 10);
        for x in grid(&splines) {
            assert!(splines.at(x).1.iter().all(|&value| value >= 0.0));
            for power in 0..=3 {
                let value = combine(&splines, &marsden(&splines, power), x);
                let expected = x.powi(power as i32);
                assert!((value - expected).abs() < 1e-13 * 64.0, "x^{power} at {x}: {value}");
            }
        }
    }

    #[test]
    fn roughness_is_the_integral_of_squared_second_derivatives() {
        let splines = splines();
        let roughness = splines.roughness();
        let form = |p: usize, q: usize| -> f64 {
            let (p, q) = (marsden(&splines, p), marsden(&splines, q));
            (0..10).map(|a| (0..10).map(|b| p[a] * roughness[(a, b)] * q[b]).sum::<f64>()).sum()
        };
        let (low, high) = (splines.knots[0], splines.knots[13]);
        let integral = |power: i32| (high.powi(power) - low.powi(power)) / f64::from(power);
        for (p, q, expected) in [
            (0, 0, 0.0),
            (1, 1, 0.0),
            (1, 3, 0.0),
            (2, 2, 4.0 * integral(1)),
            (2, 3, 12.0 * integral(2)),
            (3, 3, 36.0 * integral(3)),
        ] {
            assert!((form(p, q) - expected).abs() < 1e-9, "{p} {q}: {} {expected}", form(p, q));
        }
    }

    #[test]
    fn functions_are_orthonormal_and_start_with_the_variable() {
        let values: Vec<f64> = scattered(200).iter().map(|x| 1e9 + 1e-3 * x).collect();
        let basis = Basis::new(&values, 10);
        assert_eq!(basis.len(), 9);
        let mut z = Mat::zeros(200, 9);
        basis.evaluate(&values, z.as_mut());
        let moments = z.transpose() * &z;
        for a in 0..9 {
            assert!(z.col(a).sum().abs() < 1e-6, "function {a} is centred");
            for b in 0..9 {
                let expected = f64::from(u8::from(a == b));
                assert!((moments[(a, b)] / 200.0 - expected).abs() < 1e-8, "{a} {b}");
            }
        }
        assert_eq!(basis.penalty()[..2], [0.0, 1.0]);
        assert!(basis.penalty().is_sorted());
    }

    #[test]
    fn few_different_values_give_few_functions() {
        let repeat = |levels: usize| (0..90).map(|i| (i % levels) as f64).collect::<Vec<_>>();
        for (levels, expected) in [(1, 1), (2, 1), (3, 2), (4, 3), (5, 4), (9, 8), (30, 9)] {
            let values = repeat(levels);
            let basis = Basis::new(&values, 10);
            assert_eq!(basis.len(), expected, "{levels} levels");
            let mut z = Mat::zeros(90, basis.len());
            basis.evaluate(&values, z.as_mut());
            assert!(z.is_all_finite());
        }
        assert_eq!(Basis::new(&repeat(30), 3).len(), 1, "no splines: the variable alone");
    }
}
