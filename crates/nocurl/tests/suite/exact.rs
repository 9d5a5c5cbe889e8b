//! Exact search against brute force.

use std::sync::Mutex;

use nocurl::methods::exact::{self, Exact, ExactScore};
use nocurl::{Dag, Error, Mat, MatRef, Moments, Problem, Progress, Proposal, Run};
use proptest::prelude::*;

const ROWS: u64 = 50;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names: Vec<String> = (1..=s.nrows()).map(|j| format!("x{j}")).collect();
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

fn bic() -> Exact {
    Exact { score: ExactScore::Bic, ..Default::default() }
}

fn solve(s: MatRef<'_, f64>, params: &Exact) -> Proposal {
    exact::propose(&problem(s, ROWS), params, &Run::default()).unwrap()
}

fn gram(d: usize, n: usize) -> impl Strategy<Value = Mat<f64>> {
    prop::collection::vec(-1.0..1.0f64, n * d).prop_map(move |values| {
        let x = Mat::from_fn(n, d, |i, j| values[i * d + j] + 0.5 * values[i * d + (j + 1) % d]);
        Mat::from_fn(d, d, |i, j| (0..n).map(|k| x[(k, i)] * x[(k, j)]).sum::<f64>() / n as f64)
    })
}

/// The variance of `target` given `parents`, by eliminating them one after the other.
fn residual_variance(s: MatRef<'_, f64>, target: usize, parents: &[usize]) -> f64 {
    let mut schur = s.to_owned();
    for &k in parents {
        let before = schur.clone();
        // The tests with collinear columns have pivots that are zero up to rounding.
        if before[(k, k)] > 1e-12 {
            for i in 0..s.nrows() {
                for j in 0..s.nrows() {
                    schur[(i, j)] -= before[(i, k)] * before[(k, j)] / before[(k, k)];
                }
            }
        }
    }
    schur[(target, target)]
}

fn least_squares(s: MatRef<'_, f64>, order: &[usize]) -> f64 {
    (0..order.len()).map(|k| residual_variance(s, order[k], &order[..k])).sum()
}

fn bic_of(s: MatRef<'_, f64>, dag: &Dag) -> f64 {
    let n = ROWS as f64;
    let fit: f64 = (0..dag.size())
        .map(|j| n * residual_variance(s, j, &dag.parents(j).collect::<Vec<_>>()).ln())
        .sum();
    fit + n.ln() * dag.edge_count() as f64
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for &first in items {
        let rest: Vec<usize> = items.iter().copied().filter(|&i| i != first).collect();
        for mut tail in permutations(&rest) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn least_squares_is_the_best_of_all_permutations(s in (2usize..=6).prop_flat_map(|d| gram(d, d + 4))) {
        let variables: Vec<usize> = (0..s.nrows()).collect();
        let found = least_squares(s.as_ref(), &solve(s.as_ref(), &Exact::default()).order.sequence());
        let best = permutations(&variables)
            .iter()
            .map(|order| least_squares(s.as_ref(), order))
            .fold(f64::INFINITY, f64::min);
        prop_assert!((found - best).abs() <= 1e-10 * best, "{found} {best}");
    }

    #[test]
    fn collinear_columns_do_not_mislead(s in gram(4, 9), rank in 2usize..4) {
        // Columns from `rank` on repeat the first ones.
        let s = Mat::from_fn(5, 5, |i, j| s[(i % rank, j % rank)]);
        let proposal = solve(s.as_ref(), &Exact::default());
        let found = least_squares(s.as_ref(), &proposal.order.sequence());
        let best = permutations(&[0, 1, 2, 3, 4])
            .iter()
            .map(|order| least_squares(s.as_ref(), order))
            .fold(f64::INFINITY, f64::min);
        // The problem adds a ridge of 1e-8, so that the optimum is known to about that.
        prop_assert!((found - best).abs() <= 1e-6, "{found} {best}");
        prop_assert!(problem(s.as_ref(), ROWS).warnings()[0].contains("exactly collinear"));
    }

    /// Thirteen variables are enough for the sets to be shared among threads.
    #[test]
    fn no_order_is_better(s in gram(13, 30), order in Just((0..13).collect::<Vec<usize>>()).prop_shuffle()) {
        let found = solve(s.as_ref(), &Exact::default()).order.sequence();
        let bound = least_squares(s.as_ref(), &order) * (1.0 + 1e-10);
        prop_assert!(least_squares(s.as_ref(), &found) <= bound);
        // Nor one that differs by a single exchange.
        for k in 1..13 {
            let mut near = found.clone();
            near.swap(k - 1, k);
            let bound = least_squares(s.as_ref(), &near) * (1.0 + 1e-10);
            prop_assert!(least_squares(s.as_ref(), &found) <= bound);
        }
    }

    #[test]
    fn bic_is_the_best_of_all_graphs(s in gram(4, 9)) {
        let proposal = solve(s.as_ref(), &bic());
        let dag = Dag::new(proposal.weights.clone().unwrap()).unwrap();
        let pairs: Vec<(usize, usize)> =
            (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
        let best = (0..1 << pairs.len())
            .filter_map(|mask: usize| {
                let edges: Vec<_> =
                    (0..pairs.len()).filter(|k| mask >> k & 1 == 1).map(|k| pairs[k]).collect();
                Dag::from_edges(4, &edges).ok()
            })
            .map(|dag| bic_of(s.as_ref(), &dag))
            .fold(f64::INFINITY, f64::min);
        let found = bic_of(s.as_ref(), &dag);
        prop_assert!((found - best).abs() <= 1e-9, "{found} {best}");
        let ranks = proposal.order.ranks();
        prop_assert!(dag.edges().all(|(i, j, _)| ranks[i] < ranks[j]));
    }

    #[test]
    fn bic_weights_leave_residuals_uncorrelated_with_parents(s in gram(6, 40)) {
        let weights = solve(s.as_ref(), &bic()).weights.unwrap();
        let left = &s - &s * &weights;
        for i in 0..6 {
            for j in 0..6 {
                prop_assert!(weights[(i, j)] == 0.0 || left[(i, j)].abs() < 1e-12);
            }
        }
    }
}

/// A covariance with structure at any size: a moving average of order 2 with a pattern of scales.
fn banded(d: usize) -> Mat<f64> {
    let x = Mat::from_fn(d, d + 2, |i, k| match k as isize - i as isize {
        0 => 1.0 + (i * 7 % 5) as f64 / 4.0,
        1 => 0.8,
        2 => -0.5,
        _ => 0.0,
    });
    &x * x.transpose()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let s = banded(14);
    for params in [Exact::default(), bic()] {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| solve(s.as_ref(), &params))
        };
        let (one, three) = (run(1), run(3));
        assert_eq!(one.order, three.order);
        assert_eq!(one.weights, three.weights);
    }
}

#[test]
fn independent_variables_keep_their_order_and_get_no_edges() {
    let s = Mat::from_fn(5, 5, |i, j| if i == j { 5.0 - i as f64 } else { 0.0 });
    assert_eq!(solve(s.as_ref(), &Exact::default()).order.sequence(), [0, 1, 2, 3, 4]);
    let proposal = solve(s.as_ref(), &bic());
    assert_eq!(proposal.order.sequence(), [0, 1, 2, 3, 4]);
    assert_eq!(proposal.weights.unwrap(), Mat::<f64>::zeros(5, 5));
}

#[test]
fn bic_survives_exact_collinearity() {
    // x3 = x1 + x2.
    let s = [[1.0, 0.0, 1.0], [0.0, 4.0, 4.0], [1.0, 4.0, 5.0]];
    let s = Mat::from_fn(3, 3, |i, j| s[i][j]);
    let proposal = solve(s.as_ref(), &bic());
    let weights = proposal.weights.unwrap();
    assert!((0..3).all(|i| (0..3).all(|j| weights[(i, j)].is_finite())));
    let few = exact::propose(&problem(s.as_ref(), 3), &bic(), &Run::default()).unwrap();
    let weights = few.weights.unwrap();
    assert!((0..3).all(|i| (0..3).all(|j| weights[(i, j)].is_finite())));
}

#[test]
fn too_many_variables_are_refused_before_memory_is_taken() {
    let s = Mat::<f64>::identity(30, 30);
    for (score, expected) in [(ExactScore::LeastSquares, 29), (ExactScore::Bic, 26)] {
        let params = Exact { score, ..Default::default() };
        let error =
            exact::propose(&problem(s.as_ref(), ROWS), &params, &Run::default()).unwrap_err();
        let Error::TooManyColumns { limit, columns, .. } = error else { panic!("{error}") };
        assert_eq!((limit, columns), (expected, 30));
    }
    let s = Mat::<f64>::identity(4, 4);
    let params = Exact { max_variables: Some(3), ..Default::default() };
    let error = exact::propose(&problem(s.as_ref(), ROWS), &params, &Run::default()).unwrap_err();
    assert!(error.to_string().starts_with("method `exact` takes at most 3 variables"), "{error}");
    let params = Exact { max_variables: Some(64), ..Default::default() };
    let error = exact::propose(&problem(s.as_ref(), ROWS), &params, &Run::default()).unwrap_err();
    assert!(matches!(error, Error::Parameter { name: "max_variables", .. }));
}

/// Writes down what it is told, and stops after so many reports.
struct Recorder {
    seen: Mutex<Vec<Progress>>,
    patience: usize,
}

impl nocurl::Watch for Recorder {
    fn report(&self, progress: Progress) {
        self.seen.lock().unwrap().push(progress);
    }
}

impl nocurl::Stop for Recorder {
    fn is_stopped(&self) -> bool {
        self.seen.lock().unwrap().len() >= self.patience
    }
}

#[test]
fn progress_rises_to_the_total_and_can_be_stopped() {
    let problem = problem(banded(16).as_ref(), ROWS);
    for (params, reports) in [(Exact::default(), 64), (bic(), 16 * 2 + 4)] {
        let run = Recorder { seen: Mutex::default(), patience: usize::MAX };
        exact::propose(&problem, &params, &Run::default().watched_by(&run).stopped_by(&run))
            .unwrap();
        let seen = run.seen.into_inner().unwrap();
        assert_eq!(seen.len(), reports);
        assert!(seen.windows(2).all(|w| w[0].stage != w[1].stage || w[0].done < w[1].done));
        assert_eq!(Some(seen[reports - 1].done), seen[reports - 1].total);

        for patience in [1, reports - 1] {
            let run = Recorder { seen: Mutex::default(), patience };
            let result = exact::propose(
                &problem,
                &params,
                &Run::default().watched_by(&run).stopped_by(&run),
            );
            assert_eq!(result.unwrap_err(), Error::Cancelled);
        }
    }
}

#[test]
fn parameters_are_read_by_name() {
    let params: Exact = serde_json::from_str(r#"{"score": "bic"}"#).unwrap();
    assert_eq!(params, bic());
    assert_eq!(serde_json::from_str::<Exact>("{}").unwrap(), Exact::default());
    assert!(serde_json::from_str::<Exact>(r#"{"scores": "bic"}"#).is_err());
}
