//! Equal-variance orders and the factorisations behind them.

use nocurl::internals::linalg::{self, collinear_set, condition_number, smallest_pivot_first};
use nocurl::methods::equal_variance::{self, Direction};
use nocurl::{Error, Mat, MatRef, Moments, Problem, Progress, Run};
use proptest::prelude::*;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names: Vec<String> = (1..=s.nrows()).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

/// `x' x / n` for `n` rows of numbers from -1 to 1.
fn gram(d: usize, n: usize) -> impl Strategy<Value = Mat<f64>> {
    prop::collection::vec(-1.0..1.0f64, n * d).prop_map(move |values| {
        let x = Mat::from_fn(n, d, |i, j| values[i * d + j]);
        Mat::from_fn(d, d, |i, j| (0..n).map(|k| x[(k, i)] * x[(k, j)]).sum::<f64>() / n as f64)
    })
}

/// A random order, and strictly triangular weights along it, about half of them zero.
fn graph(d: usize) -> impl Strategy<Value = (Vec<usize>, Mat<f64>)> {
    let order = Just((0..d).collect::<Vec<_>>()).prop_shuffle();
    let weight = prop_oneof![Just(0.0), 0.5..2.0f64, -2.0..-0.5f64];
    (order, prop::collection::vec(weight, d * d)).prop_map(move |(order, weights)| {
        let mut a = Mat::zeros(d, d);
        for later in 0..d {
            for earlier in 0..later {
                a[(order[earlier], order[later])] = weights[earlier * d + later];
            }
        }
        (order, a)
    })
}

/// The covariance `(I - A)^-T (I - A)^-1` of unit errors, along a topological order of `A`.
fn population_covariance(order: &[usize], a: MatRef<'_, f64>) -> Mat<f64> {
    let d = order.len();
    // Row j: how the errors enter variable j.
    let mut effects = Mat::<f64>::identity(d, d);
    for &j in order {
        for i in 0..d {
            for k in 0..d {
                let passed = a[(i, j)] * effects[(i, k)];
                effects[(j, k)] += passed;
            }
        }
    }
    Mat::from_fn(d, d, |i, j| (0..d).map(|k| effects[(i, k)] * effects[(j, k)]).sum())
}

/// Smallest pivots by whole Schur complements; also the smallest gap between the two best.
fn naive_order(a: MatRef<'_, f64>) -> (Vec<usize>, f64) {
    let mut schur = a.to_owned();
    let mut left: Vec<usize> = (0..a.nrows()).collect();
    let (mut order, mut gap) = (Vec::new(), f64::INFINITY);
    while !left.is_empty() {
        left.sort_by(|&i, &j| schur[(i, i)].total_cmp(&schur[(j, j)]));
        if left.len() > 1 {
            gap = gap.min(schur[(left[1], left[1])] - schur[(left[0], left[0])]);
        }
        let pivot = left.remove(0);
        let before = schur.clone();
        for &i in &left {
            for &j in &left {
                schur[(i, j)] -= before[(i, pivot)] * before[(pivot, j)] / before[(pivot, pivot)];
            }
        }
        order.push(pivot);
    }
    (order, gap)
}

fn assert_factors(a: MatRef<'_, f64>, pivoted: &linalg::PivotedCholesky) {
    let (d, order, factor) = (a.nrows(), &pivoted.order, &pivoted.factor);
    let size = (0..d).map(|i| a[(i, i)]).fold(0.0, f64::max);
    let product = factor * factor.transpose();
    for i in 0..d {
        for j in 0..d {
            let difference = product[(i, j)] - a[(order[i], order[j])];
            assert!(difference.abs() <= 64.0 * d as f64 * f64::EPSILON * size);
            assert!(i >= j || factor[(i, j)] == 0.0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pivots_are_those_of_the_naive_elimination(a in (1usize..12).prop_flat_map(|d| gram(d, d + 8))) {
        let (order, gap) = naive_order(a.as_ref());
        prop_assume!(gap > 1e-10);
        let pivoted = smallest_pivot_first(a.as_ref(), |_| Ok(())).unwrap();
        prop_assert_eq!(&pivoted.order, &order);
        prop_assert!(pivoted.dependent.is_empty());
        assert_factors(a.as_ref(), &pivoted);
    }

    #[test]
    fn equal_variances_give_a_topological_order((order, a) in (2usize..9).prop_flat_map(graph)) {
        let s = population_covariance(&order, a.as_ref());
        let problem = problem(s.as_ref(), 1000);
        for direction in [Direction::TopDown, Direction::BottomUp] {
            let proposal = equal_variance::propose(&problem, direction, &Run::default()).unwrap();
            let ranks = proposal.order.ranks();
            for i in 0..order.len() {
                for j in 0..order.len() {
                    prop_assert!(a[(i, j)] == 0.0 || ranks[i] < ranks[j], "{direction:?} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn a_sum_is_found_among_independent_columns(s in gram(6, 40), first in 0usize..3) {
        // Column 6 is the sum of two others.
        let second = first + 3;
        let mix = |k: usize, j: usize| {
            if k < 6 { f64::from(k == j) } else { f64::from(j == first || j == second) }
        };
        let s = Mat::from_fn(7, 7, |p, q| {
            (0..6).flat_map(|i| (0..6).map(move |j| (i, j)))
                .map(|(i, j)| mix(p, i) * mix(q, j) * s[(i, j)]).sum()
        });
        prop_assert_eq!(collinear_set(s.as_ref()), Some(vec![first, second, 6]));
        prop_assert_eq!(collinear_set(s.submatrix(0, 0, 6, 6)), None);
    }
}

/// A matrix of several panels, with a pattern that is easy to repeat.
fn large(d: usize, rank: usize) -> Mat<f64> {
    let mut state = 1u64;
    let x = Mat::from_fn(rank, d, |_, j| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * (1.0 + j as f64 / d as f64)
    });
    x.transpose() * &x
}

#[test]
fn panels_agree_with_the_naive_elimination() {
    let d = 300;
    let a = large(d, 2 * d);
    let mut seen = Vec::new();
    let pivoted = smallest_pivot_first(a.as_ref(), |done| {
        seen.push(done);
        Ok(())
    })
    .unwrap();
    assert_factors(a.as_ref(), &pivoted);
    assert_eq!(pivoted.order, naive_order(a.as_ref()).0);
    assert_eq!(seen.last(), Some(&d));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let a = large(400, 500);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| smallest_pivot_first(a.as_ref(), |_| Ok(())).unwrap())
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.order, three.order);
    assert_eq!(one.factor, three.factor);
}

#[test]
fn a_matrix_without_full_rank_is_factored_all_the_same() {
    // Columns from 90 on repeat the first ones, so that 60 are left with nothing of their own.
    let (d, rank) = (150, 90);
    let columns = large(rank, 300);
    let a = Mat::from_fn(d, d, |i, j| columns[(i % rank, j % rank)]);
    let pivoted = smallest_pivot_first(a.as_ref(), |_| Ok(())).unwrap();
    assert_eq!(pivoted.dependent.len(), d - rank);
    assert_factors(a.as_ref(), &pivoted);
    let problem = problem(a.as_ref(), 1000);
    assert!(problem.warnings()[0].contains("exactly collinear"), "{:?}", problem.warnings());
    for direction in [Direction::TopDown, Direction::BottomUp] {
        let proposal = equal_variance::propose(&problem, direction, &Run::default()).unwrap();
        let mut sequence = proposal.order.sequence();
        sequence.sort_unstable();
        assert_eq!(sequence, (0..d).collect::<Vec<_>>());
    }
}

#[test]
fn equal_pivots_are_taken_by_index() {
    let identity = Mat::<f64>::identity(130, 130);
    let pivoted = smallest_pivot_first(identity.as_ref(), |_| Ok(())).unwrap();
    assert_eq!(pivoted.order, (0..130).collect::<Vec<_>>());
    // The last one goes first, and 0 is moved behind 1 and 2, which it equals.
    let s = Mat::from_fn(4, 4, |i, j| if i == j { [2.0, 2.0, 2.0, 1.0][i] } else { 0.0 });
    assert_eq!(smallest_pivot_first(s.as_ref(), |_| Ok(())).unwrap().order, [3, 0, 1, 2]);
}

#[test]
fn collinear_columns_are_ordered_with_a_warning() {
    // x3 = x1 + x2.
    let s = [[1.0, 0.0, 1.0], [0.0, 4.0, 4.0], [1.0, 4.0, 5.0]];
    let s = Mat::from_fn(3, 3, |i, j| s[i][j]);
    for (rows, told) in [(100, "columns `x1`, `x2`, `x3` are exactly"), (3, "3 rows are too few")] {
        let problem = problem(s.as_ref(), rows);
        assert!(problem.warnings()[0].to_string().starts_with(told), "{:?}", problem.warnings());
        let down = equal_variance::propose(&problem, Direction::TopDown, &Run::default()).unwrap();
        assert_eq!(down.order.sequence(), [0, 1, 2]);
        let up = equal_variance::propose(&problem, Direction::BottomUp, &Run::default()).unwrap();
        assert_eq!(up.order.size(), 3);
    }
}

#[test]
fn duplicates_and_short_data_are_collinear() {
    let s = [[1.0, 0.3, 1e6], [0.3, 1.0, 3e5], [1e6, 3e5, 1e12]];
    let s = Mat::from_fn(3, 3, |i, j| s[i][j]);
    assert_eq!(collinear_set(s.as_ref()), Some(vec![0, 2]));
    assert_eq!(condition_number(s.as_ref()), f64::INFINITY);

    let short = large(12, 5);
    assert_eq!(collinear_set(short.as_ref()).unwrap().len(), 6);
    assert_eq!(collinear_set(Mat::<f64>::identity(3, 3).as_ref()), None);
    assert_eq!(condition_number(Mat::<f64>::identity(3, 3).as_ref()), 1.0);
}

#[test]
fn close_to_collinear_is_not_collinear() {
    // x2 = x1 + an error with a millionth of the standard deviation.
    let s = Mat::from_fn(2, 2, |i, j| if i == 1 && j == 1 { 1.0 + 1e-12 } else { 1.0 });
    assert_eq!(collinear_set(s.as_ref()), None);
    assert!(condition_number(s.as_ref()) > 1e12);
}

#[test]
fn an_observer_can_stop_it() {
    struct Stop;
    impl nocurl::Watch for Stop {
        fn report(&self, progress: Progress) {
            assert_eq!(progress.total, Some(2));
        }
    }

    impl nocurl::Stop for Stop {
        fn is_stopped(&self) -> bool {
            true
        }
    }
    let problem = problem(Mat::<f64>::identity(2, 2).as_ref(), 10);
    for direction in [Direction::TopDown, Direction::BottomUp] {
        let result = equal_variance::propose(
            &problem,
            direction,
            &Run::default().watched_by(&Stop).stopped_by(&Stop),
        );
        assert_eq!(result.unwrap_err(), Error::Cancelled);
    }
}
