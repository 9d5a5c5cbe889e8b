//! The acyclicity penalties: values from their definitions, gradients from finite differences.

use nocurl::internals::objective::{Acyclicity, Penalty};
use nocurl::{Mat, MatRef};
use proptest::prelude::*;

const KINDS: [Acyclicity; 3] =
    [Acyclicity::Polynomial, Acyclicity::Exponential, Acyclicity::LogDet];

fn value(kind: Acyclicity, a: MatRef<'_, f64>) -> f64 {
    Penalty::new(kind, a.nrows()).evaluate(a)
}

fn product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let d = a.nrows();
    Mat::from_fn(d, d, |i, j| (0..d).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

fn squares(a: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * a[(i, j)])
}

fn trace(a: &Mat<f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// Each penalty as a sum over closed walks: `sum_k c_k tr(B^k)` with B = A∘A and
/// c_k = C(d, k) / d^k, 1 / k! or 1 / k. Written without the crate's own products.
fn by_walks(kind: Acyclicity, a: &Mat<f64>) -> f64 {
    let d = a.nrows();
    let b = squares(a);
    let (terms, mut power, mut factor, mut sum) = match kind {
        Acyclicity::Polynomial => (d, b.clone(), 1.0, 0.0),
        Acyclicity::Exponential => (150, b.clone(), 1.0, 0.0),
        Acyclicity::LogDet => (4000, b.clone(), 1.0, 0.0),
    };
    for k in 1..=terms {
        let step = k as f64;
        let coefficient = match kind {
            Acyclicity::Polynomial => {
                factor *= (d - k + 1) as f64 / (step * d as f64);
                factor
            }
            Acyclicity::Exponential => {
                factor /= step;
                factor
            }
            Acyclicity::LogDet => 1.0 / step,
        };
        sum += coefficient * trace(&power);
        power = product(&power, &b);
    }
    sum
}

/// A matrix of `d` variables; for the log-determinant the row sums of A∘A stay below `radius`.
fn weights(most: usize, radius: f64) -> impl Strategy<Value = Mat<f64>> {
    (1..=most).prop_flat_map(move |d| {
        prop::collection::vec(prop::option::weighted(0.6, -1.0f64..1.0), d * d).prop_map(
            move |entries| {
                let limit = (radius / d as f64).sqrt();
                Mat::from_fn(d, d, |i, j| {
                    if i == j { 0.0 } else { limit * entries[i * d + j].unwrap_or(0.0) }
                })
            },
        )
    })
}

/// A strictly triangular matrix whose rows and columns are permuted alike.
fn permuted_dag() -> impl Strategy<Value = Mat<f64>> {
    (1..=20usize).prop_flat_map(|d| {
        let order = Just((0..d).collect::<Vec<_>>()).prop_shuffle();
        let entries = prop::collection::vec(prop::option::weighted(0.5, -3.0f64..3.0), d * d);
        (order, entries).prop_map(move |(order, entries)| {
            let mut a = Mat::zeros(d, d);
            for i in 0..d {
                for j in i + 1..d {
                    a[(order[i], order[j])] = entries[i * d + j].unwrap_or(0.0);
                }
            }
            a
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_weighted_counts_of_closed_walks(a in weights(7, 0.9)) {
        for kind in KINDS {
            let (found, expected) = (value(kind, a.as_ref()), by_walks(kind, &a));
            // The constant d is subtracted on the way, so errors scale with d.
            let tolerance = 64.0 * f64::EPSILON * (a.nrows() as f64 + expected);
            prop_assert!((found - expected).abs() <= tolerance, "{kind:?} {found} {expected}");
        }
    }

    /// Larger weights for the two penalties that are finite everywhere.
    #[test]
    fn values_of_large_weights(a in weights(6, 30.0)) {
        for kind in [Acyclicity::Polynomial, Acyclicity::Exponential] {
            let (found, expected) = (value(kind, a.as_ref()), by_walks(kind, &a));
            let tolerance = 1e-12 * (a.nrows() as f64 + expected);
            prop_assert!((found - expected).abs() <= tolerance, "{kind:?} {found} {expected}");
        }
    }

    #[test]
    fn gradients_match_central_differences(a in weights(6, 0.7)) {
        let d = a.nrows();
        let step = f64::EPSILON.cbrt();
        for kind in KINDS {
            let mut penalty = Penalty::new(kind, d);
            penalty.evaluate(a.as_ref());
            let gradient = penalty.gradient(a.as_ref());
            for i in 0..d {
                for j in 0..d {
                    let shifted = |by: f64| {
                        let mut a = a.clone();
                        a[(i, j)] += by;
                        value(kind, a.as_ref())
                    };
                    let slope = (shifted(step) - shifted(-step)) / (2.0 * step);
                    let gap = (slope - gradient[(i, j)]).abs();
                    prop_assert!(gap <= 1e-7, "{kind:?} ({i}, {j}): {slope} {}", gradient[(i, j)]);
                }
            }
        }
    }

    #[test]
    fn zero_exactly_on_acyclic_graphs(a in permuted_dag()) {
        for kind in KINDS {
            prop_assert_eq!(value(kind, a.as_ref()), 0.0, "{:?}", kind);
        }
    }

    #[test]
    fn the_gradient_of_an_acyclic_graph_is_zero(a in permuted_dag()) {
        let d = a.nrows();
        for kind in KINDS {
            let mut penalty = Penalty::new(kind, d);
            penalty.evaluate(a.as_ref());
            prop_assert_eq!(penalty.gradient(a.as_ref()), Mat::<f64>::zeros(d, d), "{:?}", kind);
        }
    }

    /// One ring through some of the variables on top of a DAG.
    #[test]
    fn positive_on_graphs_with_a_cycle(
        a in permuted_dag(),
        length in 2..6usize,
        weight in 0.3f64..0.9,
    ) {
        prop_assume!(a.nrows() >= length);
        let mut a = Mat::from_fn(a.nrows(), a.nrows(), |i, j| a[(i, j)].clamp(-0.2, 0.2));
        for i in 0..length {
            a[(i, (i + 1) % length)] = weight;
        }
        for kind in KINDS {
            let found = value(kind, a.as_ref());
            prop_assert!(found > 0.0, "{kind:?} {found}");
        }
    }

    /// A penalty may be used again and again: its work space carries nothing over.
    #[test]
    fn evaluations_do_not_depend_on_earlier_ones(a in weights(6, 0.8)) {
        let d = a.nrows();
        for kind in KINDS {
            let mut used = Penalty::new(kind, d);
            used.evaluate(Mat::from_fn(d, d, |i, j| 3.0 + (i + 2 * j) as f64).as_ref());
            let mut fresh = Penalty::new(kind, d);
            prop_assert_eq!(used.evaluate(a.as_ref()), fresh.evaluate(a.as_ref()));
            prop_assert_eq!(used.walks(), fresh.walks());
        }
    }
}

#[test]
fn a_ring_of_two_by_hand() {
    // B = [[0, x], [x, 0]] has the eigenvalues x and -x.
    let weight = 0.6f64;
    let x = weight * weight;
    let mut a = Mat::zeros(2, 2);
    a[(0, 1)] = weight;
    a[(1, 0)] = -weight;
    for (kind, expected) in [
        (Acyclicity::Polynomial, x * x / 2.0),
        (Acyclicity::Exponential, 2.0 * x.cosh() - 2.0),
        (Acyclicity::LogDet, -(1.0 - x * x).ln()),
    ] {
        let found = value(kind, a.as_ref());
        assert!((found - expected).abs() < 1e-15, "{kind:?} {found} {expected}");
    }
}

/// Large enough for products that are cut over threads.
#[test]
fn zero_exactly_on_a_large_acyclic_graph() {
    let d = 200;
    // 7 and 200 have no common factor, so this is a permutation.
    let place = |i: usize| (7 * i + 3) % d;
    let a = Mat::from_fn(d, d, |i, j| {
        if place(i) < place(j) { (1.0 + (i * d + j) as f64).sin() } else { 0.0 }
    });
    for kind in KINDS {
        assert_eq!(value(kind, a.as_ref()), 0.0, "{kind:?}");
    }
}

#[test]
fn log_det_is_infinite_outside_its_domain() {
    let mut a = Mat::zeros(3, 3);
    a[(0, 1)] = 1.2;
    a[(1, 0)] = 1.2;
    assert_eq!(value(Acyclicity::LogDet, a.as_ref()), f64::INFINITY);
    // det(I - B) > 0 again for two separate strong rings, yet still outside.
    let mut two = Mat::zeros(4, 4);
    for (i, j) in [(0, 1), (1, 0), (2, 3), (3, 2)] {
        two[(i, j)] = 1.5;
    }
    assert_eq!(value(Acyclicity::LogDet, two.as_ref()), f64::INFINITY);
}

#[test]
fn extreme_weights_give_infinity_or_a_number_never_a_panic() {
    for weight in [1e-200, 1e5, 1e160, f64::MAX] {
        let mut a = Mat::zeros(3, 3);
        a[(0, 1)] = weight;
        a[(1, 2)] = 1.0;
        a[(2, 0)] = weight;
        for kind in KINDS {
            let found = value(kind, a.as_ref());
            assert!(found >= 0.0, "{kind:?} at {weight:e}: {found}");
        }
    }
}
