//! Estimates from data with gaps.

use nocurl::Run;
use nocurl::missing::{EmParams, expectation_maximization};
use nocurl::{Dataset, Mat, Moments, Termination};
use proptest::prelude::*;

fn names(d: usize) -> Vec<String> {
    Dataset::default_names(d)
}

/// Splits rows into the moments of the complete ones and a matrix of the others.
fn split(rows: &[Vec<f64>]) -> (Moments, Mat<f64>) {
    let d = rows[0].len();
    let (complete, gaps): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| row.iter().all(|x| !x.is_nan()));
    let mut moments = Moments::new(names(d));
    moments.push_block(Mat::from_fn(complete.len(), d, |i, j| complete[i][j]).as_mut());
    (moments, Mat::from_fn(gaps.len(), d, |i, j| gaps[i][j]))
}

#[test]
fn agrees_with_an_independent_implementation() {
    let text = include_str!("../../../../testdata/em/gaps.json");
    let golden: serde_json::Value = serde_json::from_str(text).unwrap();
    let rows: Vec<Vec<f64>> = golden["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect())
        .collect();
    let (complete, incomplete) = split(&rows);
    assert!(complete.rows() > 0 && incomplete.nrows() > 0);
    let params = EmParams { tolerance: 1e-13, max_iterations: 100_000 };
    let fit =
        expectation_maximization(&complete, incomplete.as_ref(), &params, &Run::default()).unwrap();
    assert_eq!(fit.moments.rows(), golden["rows"].as_u64().unwrap());
    assert_eq!(fit.termination, Termination::Converged);
    let covariance = fit.moments.second_moments(true);
    // Both stop within their own tolerance of the same fixed point.
    for j in 0..4 {
        let mean = golden["mean"][j].as_f64().unwrap();
        assert!((fit.moments.mean()[j] - mean).abs() < 1e-9, "mean {j}");
        for i in 0..4 {
            let expected = golden["covariance"][i][j].as_f64().unwrap();
            assert!((covariance[(i, j)] - expected).abs() < 1e-9, "covariance {i} {j}");
        }
    }
    let last = fit.log_likelihood[fit.log_likelihood.len() - 1];
    assert!((last - golden["log_likelihood"].as_f64().unwrap()).abs() < 1e-8);
}

#[test]
fn running_out_of_iterations_is_a_result_that_says_so() {
    let rows = [[0.0, 1.0], [1.0, 2.5], [2.0, 2.0], [3.0, f64::NAN], [f64::NAN, 9.0]];
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    let (complete, incomplete) = split(&rows);
    let params = EmParams { max_iterations: 2, ..Default::default() };
    let fit =
        expectation_maximization(&complete, incomplete.as_ref(), &params, &Run::default()).unwrap();
    assert_eq!((fit.termination, fit.iterations), (Termination::MaxIterations, 2));
}

#[test]
fn a_variable_without_values_and_a_constant_one_are_errors() {
    let nan = f64::NAN;
    let none = Moments::new(names(2));
    let rows = Mat::from_fn(3, 2, |i, j| if j == 0 { i as f64 } else { nan });
    let error =
        expectation_maximization(&none, rows.as_ref(), &EmParams::default(), &Run::default());
    assert!(error.unwrap_err().to_string().contains("column `x2` has no values"));
    let rows = Mat::from_fn(3, 2, |i, j| if j == 0 { 5.0 } else { [1.0, nan, 2.0][i] });
    let error =
        expectation_maximization(&none, rows.as_ref(), &EmParams::default(), &Run::default());
    assert!(error.unwrap_err().to_string().contains("singular"));
}

fn tables(gap: f64) -> impl Strategy<Value = Vec<Vec<f64>>> {
    (2_usize..5).prop_flat_map(move |d| {
        let cell = (-3.0..3.0_f64, proptest::bool::weighted(gap.max(1e-12)));
        let cell = cell.prop_map(|(x, gap)| if gap { f64::NAN } else { x });
        proptest::collection::vec(proptest::collection::vec(cell, d), 30..60)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn without_gaps_the_moments_are_those_of_the_data(rows in tables(0.0)) {
        prop_assume!(rows.iter().flatten().all(|x| !x.is_nan()));
        let (complete, incomplete) = split(&rows);
        let params = EmParams::default();
        let fit = expectation_maximization(&complete, incomplete.as_ref(), &params, &Run::default()).unwrap();
        let (a, b) = (fit.moments.second_moments(true), complete.second_moments(true));
        for j in 0..a.ncols() {
            prop_assert!((fit.moments.mean()[j] - complete.mean()[j]).abs() < 1e-13);
            for i in 0..a.nrows() {
                prop_assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_likelihood_never_decreases(rows in tables(0.15)) {
        let rows: Vec<_> =
            rows.into_iter().filter(|row| row.iter().any(|x| !x.is_nan())).collect();
        let (complete, incomplete) = split(&rows);
        let params = EmParams { max_iterations: 60, ..Default::default() };
        let fit = expectation_maximization(&complete, incomplete.as_ref(), &params, &Run::default()).unwrap();
        for pair in fit.log_likelihood.windows(2) {
            let rounding = 1e3 * f64::EPSILON * pair[0].abs().max(1.0);
            prop_assert!(pair[1] >= pair[0] - rounding, "{} then {}", pair[0], pair[1]);
        }
    }
}
