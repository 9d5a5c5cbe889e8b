//! Sorting baselines.

use nocurl::Run;
use nocurl::methods::sort_regress::{self, SortBy};
use nocurl::{Mat, MatRef, Moments, Problem};
use proptest::prelude::*;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names: Vec<String> = (1..=s.nrows()).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

fn sequence(s: MatRef<'_, f64>, by: SortBy) -> Vec<usize> {
    sort_regress::propose(&problem(s, 100), by, &Run::default()).unwrap().order.sequence()
}

/// The chain x3 -> x1 -> x2 with weights 2 and unit errors: variances 5, 21, 1.
fn chain() -> Mat<f64> {
    let s = [[5.0, 10.0, 2.0], [10.0, 21.0, 4.0], [2.0, 4.0, 1.0]];
    Mat::from_fn(3, 3, |i, j| s[i][j])
}

#[test]
fn variance_sorts_a_chain() {
    assert_eq!(sequence(chain().as_ref(), SortBy::Variance), [2, 0, 1]);
}

#[test]
fn r2_matches_regression_on_all_others() {
    // Precisions are 5, 1 and 5, so R2 is 1 - 1/25, 1 - 1/21 and 1 - 1/5.
    assert_eq!(sequence(chain().as_ref(), SortBy::R2), [2, 1, 0]);
}

#[test]
fn equal_keys_are_sorted_by_index() {
    let identity = Mat::<f64>::identity(5, 5);
    for by in [SortBy::Variance, SortBy::R2] {
        assert_eq!(sequence(identity.as_ref(), by), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn collinear_columns_have_the_largest_r2() {
    let s = Mat::from_fn(3, 3, |i, j| [[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 0.0, 4.0]][i][j]);
    assert_eq!(sequence(s.as_ref(), SortBy::Variance), [0, 1, 2]);
    // x1 and x3 determine each other, x2 stands alone.
    assert_eq!(sequence(s.as_ref(), SortBy::R2)[0], 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Powers of two change no digit, so not even rounding can move a variable.
    #[test]
    fn r2_does_not_depend_on_units(values in prop::collection::vec(-1.0..1.0f64, 60),
                                   scale in prop::collection::vec(-8i32..8, 5)) {
        let s = Mat::from_fn(5, 5, |i, j| (0..12).map(|k| values[k * 5 + i] * values[k * 5 + j]).sum());
        let scaled = Mat::from_fn(5, 5, |i, j| s[(i, j)] * f64::powi(2.0, scale[i] + scale[j]));
        prop_assert_eq!(sequence(s.as_ref(), SortBy::R2), sequence(scaled.as_ref(), SortBy::R2));
        let sorted = sequence(scaled.as_ref(), SortBy::Variance);
        prop_assert!(sorted.windows(2).all(|w| scaled[(w[0], w[0])] <= scaled[(w[1], w[1])]));
    }
}
