//! Regression on an order against one set of normal equations per variable.

use nocurl::internals::objective::least_squares;
use nocurl::internals::regress::on_order;
use nocurl::{Mat, MatRef, Moments, Order, Problem};
use proptest::prelude::*;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names: Vec<String> = (1..=s.nrows()).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

/// Well-conditioned second moments, a potential with ties, and numbers for other weights.
fn cases() -> impl Strategy<Value = (Mat<f64>, Vec<f64>, Vec<f64>)> {
    (2usize..9).prop_flat_map(|d| {
        let values = prop::collection::vec(-1.0..1.0f64, 3 * d * d);
        let scales = prop::collection::vec(0.1..10.0f64, d);
        let s = (values, scales).prop_map(move |(x, scale)| {
            Mat::from_fn(d, d, |i, j| {
                let dot: f64 = (0..3 * d).map(|k| x[k * d + i] * x[k * d + j]).sum();
                let ridge = if i == j { 0.2 } else { 0.0 };
                scale[i] * scale[j] * (dot / (3 * d) as f64 + ridge)
            })
        });
        let places = prop::collection::vec((0u8..4).prop_map(f64::from), d);
        (s, places, prop::collection::vec(-2.0..2.0f64, d * d))
    })
}

/// Solves `a x = b` by elimination with row exchanges.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let m = b.len();
    for k in 0..m {
        let pivot = (k..m).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        let row = a[k].clone();
        for i in k + 1..m {
            let factor = a[i][k] / row[k];
            a[i].iter_mut().zip(&row).for_each(|(value, above)| *value -= factor * above);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..m).rev() {
        let known: f64 = (k + 1..m).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    b
}

proptest! {
    #[test]
    fn every_column_solves_its_normal_equations((s, potential, _) in cases()) {
        let d = s.nrows();
        let order = Order::from_potential(&potential);
        let fit = on_order(&problem(s.as_ref(), 1000), &order).unwrap();
        for j in 0..d {
            let before: Vec<usize> = (0..d).filter(|&i| potential[i] < potential[j]).collect();
            let matrix =
                before.iter().map(|&a| before.iter().map(|&b| s[(a, b)]).collect()).collect();
            let right: Vec<f64> = before.iter().map(|&a| s[(a, j)]).collect();
            let expected = solve(matrix, right.clone());
            for i in (0..d).filter(|i| !before.contains(i)) {
                prop_assert_eq!(fit.weights[(i, j)], 0.0, "{} -> {} is against the order", i, j);
            }
            let explained: f64 = expected.iter().zip(&right).map(|(c, r)| c * r).sum();
            // The condition number of the scaled moments stays below 100.
            let bound = 100.0 * f64::EPSILON * (d * d) as f64;
            for (&i, &c) in before.iter().zip(&expected) {
                let unit = (s[(j, j)] / s[(i, i)]).sqrt();
                prop_assert!((fit.weights[(i, j)] - c).abs() <= bound * unit * 10.0);
            }
            let residual = s[(j, j)] - explained;
            prop_assert!((fit.residual_variances[j] - residual).abs() <= bound * s[(j, j)]);
        }
    }

    #[test]
    fn no_other_weights_along_the_order_fit_better((s, potential, other) in cases()) {
        let d = s.nrows();
        let fit = on_order(&problem(s.as_ref(), 1000), &Order::from_potential(&potential)).unwrap();
        let best = least_squares(s.as_ref(), fit.weights.as_ref());
        let along = |i: usize, j: usize| f64::from(u8::from(potential[i] < potential[j]));
        for size in [1.0, 1e-2, 1e-5] {
            let moved = Mat::from_fn(d, d, |i, j| {
                fit.weights[(i, j)] + size * along(i, j) * other[i * d + j]
            });
            let loss = least_squares(s.as_ref(), moved.as_ref());
            prop_assert!(best <= loss + f64::EPSILON * (d * d) as f64 * loss);
        }
        let sum: f64 = fit.residual_variances.iter().sum();
        prop_assert!((sum / 2.0 - best).abs() <= f64::EPSILON * (d * d) as f64 * 100.0 * best);
    }
}
