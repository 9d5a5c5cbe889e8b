//! How fast a figure grows.

/// A power with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponent {
    /// The power.
    pub value: f64,
    /// Its standard error, which takes three points.
    pub error: Option<f64>,
}

/// The power `b` of `y = a x^b` by least squares on logarithms; nothing unless two of `x` differ and
/// all is above 0.
///
/// ```
/// use nocurl_bench::scale::fit;
/// let square = fit(&[(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)]).unwrap();
/// assert!((square.value - 2.0).abs() < 1e-12 && square.error.unwrap() < 1e-7);
/// ```
pub fn fit(points: &[(f64, f64)]) -> Option<Exponent> {
    if points.iter().any(|&(x, y)| x.is_nan() || y.is_nan() || x <= 0.0 || y <= 0.0) {
        return None;
    }
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread.is_nan() || spread < 1e-12 {
        return None;
    }
    let value = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let rest = |&(x, y): &(f64, f64)| (y - mean_y - value * (x - mean_x)).powi(2);
    let rest: f64 = logs.iter().map(rest).sum();
    let error = (logs.len() > 2).then(|| (rest / (n - 2.0) / spread).sqrt());
    Some(Exponent { value, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_have_no_error_and_one_has_no_power() {
        assert_eq!(fit(&[(2.0, 5.0), (4.0, 5.0)]), Some(Exponent { value: 0.0, error: None }));
        assert_eq!(fit(&[(2.0, 5.0), (2.0, 6.0)]), None);
        assert_eq!(fit(&[(1.0, 0.0), (2.0, 6.0)]), None);
        assert_eq!(fit(&[]), None);
    }

    #[test]
    fn the_error_is_that_of_a_regression() {
        // Logarithms 0, 1, 2 and 0, 2, 1: slope 1/2, residuals -1/2, 1, -1/2.
        let e = std::f64::consts::E;
        let found = fit(&[(1.0, 1.0), (e, e * e), (e * e, e)]).unwrap();
        assert!((found.value - 0.5).abs() < 1e-12);
        assert!((found.error.unwrap() - 0.75f64.sqrt()).abs() < 1e-12);
    }
}
