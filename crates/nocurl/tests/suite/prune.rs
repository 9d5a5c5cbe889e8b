//! Pruning against elimination from scratch and against p-values of statsmodels.

use nocurl::Prune;
use nocurl::internals::prune;
use nocurl::internals::regress::{on_order, refit, threshold};
use nocurl::{Dataset, Error, Mat, MatRef, Moments, Order, Problem};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names = Dataset::default_names(s.nrows());
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

fn of_table(x: Mat<f64>, center: bool) -> Problem {
    let names = Dataset::default_names(x.ncols());
    Problem::new(&Dataset::new(names, x).unwrap().moments(), center).unwrap()
}

/// Coefficients and residual variance of `j` on `parents`, by Gauss-Jordan elimination.
fn regression(s: MatRef<'_, f64>, j: usize, parents: &[usize]) -> (Vec<f64>, f64) {
    let m = parents.len();
    let mut rows: Vec<Vec<f64>> = parents
        .iter()
        .map(|&a| parents.iter().map(|&b| s[(a, b)]).chain([s[(a, j)]]).collect())
        .collect();
    for k in 0..m {
        let pivot = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = if i == k { 1.0 - 1.0 / pivot[k] } else { row[k] / pivot[k] };
            row.iter_mut().zip(&pivot).for_each(|(value, p)| *value -= factor * p);
        }
    }
    let coefficients: Vec<f64> = rows.iter().map(|row| row[m]).collect();
    let explained: f64 = coefficients.iter().zip(parents).map(|(c, &i)| c * s[(i, j)]).sum();
    (coefficients, s[(j, j)] - explained)
}

/// Backward elimination with every candidate regression computed from scratch.
fn naive(s: MatRef<'_, f64>, rows: f64, potential: &[f64], bound: f64) -> Mat<f64> {
    let d = s.nrows();
    let mut weights = Mat::zeros(d, d);
    for j in 0..d {
        let mut parents: Vec<usize> = (0..d).filter(|&i| potential[i] < potential[j]).collect();
        while !parents.is_empty() {
            let (_, now) = regression(s, j, &parents);
            let without = |k: usize| {
                let mut fewer = parents.clone();
                fewer.remove(k);
                regression(s, j, &fewer).1
            };
            let candidates = (0..parents.len()).map(|k| (k, without(k)));
            let (k, least) = candidates.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            if rows * (least / now).ln() >= bound {
                break;
            }
            parents.remove(k);
        }
        for (&i, value) in parents.iter().zip(regression(s, j, &parents).0) {
            weights[(i, j)] = value;
        }
    }
    weights
}

proptest! {
    #[test]
    fn elimination_equals_refitting_from_scratch(
        (s, potential) in (2usize..7).prop_flat_map(|d| {
            let values = prop::collection::vec(-1.0..1.0f64, 20 * d);
            let s = values.prop_map(move |x| Mat::from_fn(d, d, |i, j| {
                (0..20).map(|k| x[k * d + i] * x[k * d + j]).sum::<f64>() / 20.0
            }));
            (s, prop::collection::vec((0u8..6).prop_map(f64::from), d))
        }),
        rows in 10u64..2000,
    ) {
        let d = s.nrows();
        let order = Order::from_potential(&potential);
        let n = rows as f64;
        let bounds =
            [(Prune::Bic, n.ln()), (Prune::Ebic, n.ln() + 2.0 * (d as f64).ln())];
        for (rule, bound) in bounds {
            let found = prune(&problem(s.as_ref(), rows), &order, rule).unwrap();
            let expected = naive(s.as_ref(), n, &potential, bound);
            for j in 0..d {
                for i in 0..d {
                    let (a, b) = (found[(i, j)], expected[(i, j)]);
                    prop_assert_eq!(a != 0.0, b != 0.0, "{:?}: {} -> {}", rule, i, j);
                    prop_assert!((a - b).abs() <= 1e-11, "{} and {}", a, b);
                }
            }
        }
    }
}

/// The table of testdata/README-prune.md.
const TABLE: [[f64; 4]; 20] = [
    [5.0, 4.66, 1.91, 3.04],
    [5.3, 6.53, 2.98, 2.2],
    [4.73, 4.99, 0.77, 3.17],
    [4.11, 5.97, 2.66, 0.76],
    [4.55, 6.25, 4.11, 1.16],
    [4.01, 5.42, 0.71, 2.36],
    [5.06, 4.04, 2.28, 3.64],
    [6.34, 7.17, 3.42, 4.39],
    [4.51, 6.01, 1.96, 1.14],
    [4.38, 6.05, 4.63, 0.65],
    [5.49, 5.41, 3.01, 3.44],
    [5.36, 6.34, 1.61, 1.2],
    [5.11, 5.62, 2.44, 2.26],
    [4.07, 4.85, 2.49, 1.88],
    [4.97, 7.53, 3.33, 3.57],
    [5.7, 6.32, 3.47, 3.46],
    [3.66, 5.26, 2.09, 1.5],
    [4.54, 6.97, 3.85, 1.46],
    [3.1, 4.21, 2.96, 0.88],
    [3.71, 5.23, 1.46, 3.61],
];

/// From, to, coefficient in the full regression, p-value adjusted by Benjamini and Hochberg.
const TESTED: [(usize, usize, f64, f64); 6] = [
    (0, 1, 0.5764766249558024, 0.10208014423555094),
    (0, 2, -0.02146062076215613, 0.9481149734926035),
    (1, 2, 0.5363258989134418, 0.12340611703396585),
    (0, 3, 1.0565997704103869, 0.02573712588712776),
    (1, 3, -0.23282942326385925, 0.5232026300727604),
    (2, 3, -0.28390155367532804, 0.37306953232020296),
];

#[test]
fn t_test_agrees_with_statsmodels() {
    let order = Order::strict(&[0, 1, 2, 3]);
    // An intercept is always there, whether or not the method sees centred data.
    for center in [true, false] {
        let problem = of_table(Mat::from_fn(20, 4, |i, j| TABLE[i][j]), center);
        for (_, _, _, level) in TESTED {
            for alpha in [level * (1.0 - 1e-7), level * (1.0 + 1e-7)] {
                let weights = prune(&problem, &order, Prune::TTest { alpha }).unwrap();
                for (i, j, _, adjusted) in TESTED {
                    assert_eq!(weights[(i, j)] != 0.0, adjusted <= alpha, "{i} -> {j} at {alpha}");
                }
            }
        }
        let all = prune(&problem, &order, Prune::TTest { alpha: 0.95 }).unwrap();
        for (i, j, coefficient, _) in TESTED {
            assert!((all[(i, j)] - coefficient).abs() < 1e-12, "{i} -> {j}: {}", all[(i, j)]);
        }
    }
}

#[test]
fn parents_that_stay_are_fitted_again() {
    let problem = of_table(Mat::from_fn(20, 4, |i, j| TABLE[i][j]), true);
    let order = Order::strict(&[0, 1, 2, 3]);
    let weights = prune(&problem, &order, Prune::TTest { alpha: 0.05 }).unwrap();
    let s = problem.second_moments();
    // Only x1 -> x4 stays; its weight is that of the simple regression.
    assert!((weights[(0, 3)] - s[(0, 3)] / s[(0, 0)]).abs() < 1e-14);
    assert_eq!(
        (0..4).map(|j| weights.col(j).iter().filter(|w| **w != 0.0).count()).sum::<usize>(),
        1
    );
}

#[test]
fn a_mean_is_no_reason_for_an_edge() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let normal = |_: usize, _: usize| -> f64 {
        let z: f64 = StandardNormal.sample(&mut rng);
        5.0 + z
    };
    let problem = of_table(Mat::from_fn(500, 3, normal), false);
    let order = Order::strict(&[2, 0, 1]);
    // Without an intercept each column explains the others' means.
    assert!(on_order(&problem, &order).unwrap().weights[(2, 0)] > 0.8);
    for rule in [Prune::Ebic, Prune::Bic, Prune::TTest { alpha: 0.01 }] {
        let weights = prune(&problem, &order, rule).unwrap();
        assert_eq!(weights, Mat::<f64>::zeros(3, 3), "{rule:?}");
    }
    let mut support = Mat::zeros(3, 3);
    support[(2, 0)] = 1.0;
    let refitted = refit(&problem, support.as_ref()).unwrap();
    let s = problem.covariance();
    assert!((refitted[(2, 0)] - s[(2, 0)] / s[(2, 2)]).abs() < 1e-12);
    assert!(refitted[(2, 0)].abs() < 0.2);
}

#[test]
fn refit_keeps_the_support() {
    let problem = of_table(Mat::from_fn(20, 4, |i, j| TABLE[i][j]), true);
    let mut support = Mat::zeros(4, 4);
    support[(0, 3)] = -1e-9;
    support[(2, 3)] = 7.0;
    let refitted = refit(&problem, support.as_ref()).unwrap();
    let (expected, _) = regression(problem.second_moments(), 3, &[0, 2]);
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        match (i, j) {
            (0, 3) => assert!((refitted[(0, 3)] - expected[0]).abs() < 1e-13),
            (2, 3) => assert!((refitted[(2, 3)] - expected[1]).abs() < 1e-13),
            _ => assert_eq!(refitted[(i, j)], 0.0),
        }
    }
}

#[test]
fn threshold_keeps_what_is_at_least_the_bound() {
    let mut weights = Mat::from_fn(2, 3, |i, j| [[0.3, -0.3, 0.299], [-0.31, 0.0, -0.1]][i][j]);
    threshold(&mut weights, 0.3);
    assert_eq!(weights, Mat::from_fn(2, 3, |i, j| [[0.3, -0.3, 0.0], [-0.31, 0.0, 0.0]][i][j]));
    let before = weights.clone();
    threshold(&mut weights, 0.0);
    assert_eq!(weights, before);
    threshold(&mut weights, f64::INFINITY);
    assert_eq!(weights, Mat::<f64>::zeros(2, 3));
}

#[test]
fn too_few_rows_for_the_test_say_how_many_are_needed() {
    let s = Mat::<f64>::identity(6, 6);
    let order = Order::strict(&[0, 1, 2, 3, 4, 5]);
    let rule = Prune::TTest { alpha: 0.05 };
    // Five parents and an intercept leave no freedom to six rows.
    for (rows, enough) in [(3, false), (6, false), (7, true)] {
        match prune(&problem(s.as_ref(), rows), &order, rule) {
            Ok(_) => assert!(enough, "{rows} rows"),
            Err(error) => {
                assert!(!enough, "{rows} rows");
                assert_eq!(error, Error::TooFewRows { rows, needed: 7 });
            }
        }
    }
    for alpha in [0.0, 1.0, -1.0, f64::NAN] {
        let result = prune(&problem(s.as_ref(), 100), &order, Prune::TTest { alpha });
        assert!(matches!(result, Err(Error::Parameter { name: "alpha", .. })), "{alpha}");
    }
}
