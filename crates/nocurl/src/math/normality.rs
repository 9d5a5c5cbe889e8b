//! A test of normality by skewness and kurtosis.

/// The p-value of normality: the chance, under it, of a sample whose skewness and kurtosis together
/// are at least as odd as these; 1 for fewer than 8 values, which cannot tell.
///
/// `skewness` is the third standardised sample moment, `kurtosis` the fourth (3 for a normal law).
/// Each is brought to a standard normal law under normality, and the sum of the squares has a
/// chi-squared law with two degrees of freedom. Unlike the same sum of untransformed moments
/// (Jarque and Bera) it holds its level from about 20 values on.
///
/// References: D'Agostino and Pearson, *Tests for departure from normality*, Biometrika 60 (1973);
/// Anscombe and Glynn, *Distribution of the kurtosis statistic b2 for normal samples*, Biometrika
/// 70 (1983).
///
/// ```
/// use nocurl::checks::normality;
/// assert!(normality(1000, 0.05, 3.1) > 0.1);
/// assert!(normality(1000, 0.0, 6.0) < 1e-10);
/// ```
pub fn normality(values: u64, skewness: f64, kurtosis: f64) -> f64 {
    if values < 8 {
        return 1.0;
    }
    let (a, b) = (skewness_z(values as f64, skewness), kurtosis_z(values as f64, kurtosis));
    (-0.5 * (a * a + b * b)).exp()
}

/// D'Agostino's transformation of the skewness.
fn skewness_z(n: f64, skewness: f64) -> f64 {
    let y = skewness * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let w2 = (2.0 * (beta - 1.0)).sqrt() - 1.0;
    let alpha = (2.0 / (w2 - 1.0)).sqrt();
    (y / alpha).asinh() / (0.5 * w2.ln()).sqrt()
}

/// Anscombe and Glynn's transformation of the kurtosis.
fn kurtosis_z(n: f64, kurtosis: f64) -> f64 {
    let mean = 3.0 * (n - 1.0) / (n + 1.0);
    let variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0).powi(2) * (n + 3.0) * (n + 5.0));
    let x = (kurtosis - mean) / variance.sqrt();
    let beta = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
        * (6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0))).sqrt();
    let a = 6.0 + 8.0 / beta * (2.0 / beta + (1.0 + 4.0 / (beta * beta)).sqrt());
    let root = ((1.0 - 2.0 / a) / (1.0 + x * (2.0 / (a - 4.0)).sqrt())).cbrt();
    (1.0 - 2.0 / (9.0 * a) - root) / (2.0 / (9.0 * a)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standardised_moment(values: &[f64], power: i32) -> f64 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let moment = |k| values.iter().map(|v| (v - mean).powi(k)).sum::<f64>() / n;
        moment(power) / moment(2).powf(f64::from(power) / 2.0)
    }

    /// Statistics printed in the documentation of SciPy's `skewtest` and `kurtosistest`.
    #[test]
    fn transformations_agree_with_scipy() {
        let skewed: [(&[f64], f64); 2] = [
            (&[2.0, 8.0, 0.0, 4.0, 1.0, 9.0, 9.0, 0.0], 0.44626385374196975),
            (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8000.0], 3.571773510360407),
        ];
        for (values, z) in skewed {
            assert!((skewness_z(8.0, standardised_moment(values, 3)) - z).abs() < 1e-13);
        }
        let range: Vec<f64> = (0..20).map(f64::from).collect();
        let z = kurtosis_z(20.0, standardised_moment(&range, 4));
        assert!((z + 1.7058104152122062).abs() < 1e-13, "{z}");
    }

    #[test]
    fn it_is_a_probability_for_any_sample() {
        for n in [0, 1, 2, 7, 8, 20, 1000, 1 << 40] {
            let largest = (n as f64).max(1.0);
            for kurtosis in [1.0, 3.0, 9.0, largest] {
                for skewness in [0.0, -1.0, largest.sqrt()] {
                    let p = normality(n, skewness, kurtosis);
                    assert!((0.0..=1.0).contains(&p), "{n} {skewness} {kurtosis}: {p}");
                }
            }
        }
    }
}
