//! Causal additive models.

use std::sync::atomic::{AtomicUsize, Ordering};

use nocurl::Action;
use nocurl::methods::Cam;
use nocurl::metrics::compare;
use nocurl::simulate::{GraphFamily, Mechanism, Simulation, simulate};
use nocurl::{Algorithm, Dataset, Determines, Error, Fit, Mat, Options, Progress, Run, learn};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn cam(params: Cam) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

fn fit(data: &Dataset) -> Fit {
    learn(data, &cam(Cam::default()), &Run::default()).unwrap()
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Mat::from_fn(n, d, |_, _| StandardNormal.sample(&mut rng))
}

fn dataset(x: Mat<f64>) -> Dataset {
    Dataset::new(Dataset::default_names(x.ncols()), x).unwrap()
}

/// Builds columns one after the other from standard normal noise.
fn model(n: usize, seed: u64, d: usize, cause: impl Fn(&[f64], usize) -> f64) -> Dataset {
    let mut x = normal(n, d, seed);
    for i in 0..n {
        for j in 0..d {
            let before: Vec<f64> = (0..j).map(|k| x[(i, k)]).collect();
            x[(i, j)] = cause(&before, j) + 0.5 * x[(i, j)];
        }
    }
    dataset(x)
}

/// Nonlinear additive data on a random graph.
fn additive(variables: usize, rows: usize, seed: u64) -> nocurl::simulate::Simulated {
    let simulation = Simulation {
        variables,
        rows,
        mechanism: Mechanism::Nonlinear3,
        degree: 3.0,
        ..Simulation::default()
    };
    simulate(&simulation, seed).unwrap()
}

#[test]
fn a_nonlinear_chain_is_found_in_its_direction() {
    let data = model(600, 3, 4, |before, j| match j {
        0 => 0.0,
        1 => 2.0 * (1.5 * before[0]).sin(),
        2 => before[1] * before[1],
        _ => 2.0 * (before[2] - 1.0).tanh(),
    });
    assert_eq!(edges(&fit(&data)), [(0, 1), (1, 2), (2, 3)]);
    let fit = fit(&data);
    assert_eq!(fit.order, [0, 1, 2, 3]);
    assert_eq!(fit.determines, Determines::Graph);
}

#[test]
fn a_nonlinear_collider_is_found() {
    let data = model(600, 5, 3, |before, j| match j {
        2 => (2.0 * before[0]).powi(2) + 3.0 * before[1].sin(),
        _ => 0.0,
    });
    assert_eq!(edges(&fit(&data)), [(0, 2), (1, 2)]);
}

#[test]
fn additive_models_on_random_graphs_are_recovered() {
    let mut total = 0;
    for seed in 0..4 {
        let drawn = additive(8, 1000, seed);
        let comparison = compare(&drawn.truth, &fit(&drawn.data).dag).unwrap();
        assert!(comparison.true_edges >= 6, "{comparison:?}");
        total += comparison.shd;
    }
    // An empty graph would be wrong by a dozen edges each.
    assert!(total <= 4, "{total}");
}

#[test]
fn noise_has_no_edges() {
    let found: usize =
        (0..10).map(|seed| fit(&dataset(normal(300, 8, seed))).dag.edge_count()).sum();
    // 28 pairs ten times at a level of 0.001, and a little more for curves chosen by the data.
    assert!(found <= 3, "{found} edges");
}

#[test]
fn an_even_function_is_seen_though_nothing_is_correlated() {
    // Ten times 20 values, each with its negative: the covariance with the square is exactly 0.
    let noise = normal(400, 1, 2);
    let x = Mat::from_fn(400, 2, |i, j| {
        let x = f64::from((i / 2 % 20) as u32 + 1) / 8.0 * if i % 2 == 0 { 1.0 } else { -1.0 };
        if j == 0 { x } else { x * x + 0.5 * noise[(i / 2, 0)] }
    });
    let fit = fit(&dataset(x));
    assert_eq!(edges(&fit), [(0, 1)]);
    assert!(fit.dag.weights()[(0, 1)].abs() < 1e-12, "there is no linear part");
}

#[test]
fn units_and_origins_do_not_matter() {
    let drawn = additive(7, 400, 2);
    let x = drawn.data.values();
    let plain = fit(&drawn.data);
    assert!(plain.dag.edge_count() > 3);
    let scale = [1e-9, -1e12, 1.0, 3e5, -2.0, 1e-3, 7e40];
    let scaled = Mat::from_fn(x.nrows(), 7, |i, j| scale[j] * (x[(i, j)] + j as f64));
    let scaled = fit(&dataset(scaled));
    assert_eq!(edges(&scaled), edges(&plain));
    for (i, j, weight) in plain.dag.edges() {
        let other = scaled.dag.weights()[(i, j)] * scale[i] / scale[j];
        assert!((other - weight).abs() < 1e-6 * weight.abs(), "{weight} {other}");
    }
}

#[test]
fn the_graph_moves_with_the_columns() {
    let drawn = additive(7, 400, 2);
    let x = drawn.data.values();
    let place = [3, 6, 0, 5, 1, 4, 2];
    let moved = Mat::from_fn(x.nrows(), 7, |i, j| x[(i, place[j])]);
    let moved = fit(&dataset(moved));
    let mut back: Vec<(usize, usize)> =
        edges(&moved).into_iter().map(|(i, j)| (place[i], place[j])).collect();
    back.sort_unstable();
    let mut plain = edges(&fit(&drawn.data));
    plain.sort_unstable();
    assert_eq!(back, plain);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let simulation = Simulation { variables: 24, rows: 1500, ..Simulation::default() };
    let data = simulate(&simulation, 1).unwrap().data;
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&data))
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.order, three.order);
    assert_eq!(one.dag, three.dag);
    assert_eq!(one.evaluations, three.evaluations);
}

#[test]
fn weights_are_the_linear_parts_of_the_kept_edges() {
    let drawn = additive(6, 500, 1);
    let fit = fit(&drawn.data);
    assert_eq!(fit.dag.weights(), fit.unpruned.weights(), "no threshold and no other rule");
    let moments = drawn.data.moments();
    let s = moments.second_moments(true);
    for j in 0..6 {
        let parents: Vec<usize> = (0..6).filter(|&i| fit.dag.has_edge(i, j)).collect();
        // Residuals of the regression are uncorrelated with every parent.
        for &k in &parents {
            let explained: f64 =
                parents.iter().map(|&i| fit.dag.weights()[(i, j)] * s[(i, k)]).sum();
            assert!((s[(j, k)] - explained).abs() < 1e-10);
        }
    }
}

#[test]
fn parameters_are_used_and_checked() {
    let data = additive(8, 500, 1).data;
    let count = |params: Cam| learn(&data, &cam(params), &Run::default()).unwrap().dag.edge_count();
    let pruned = count(Cam::default());
    let full = Cam { prune: false, neighbours: 0, ..Cam::default() };
    assert_eq!(count(full.clone()), 8 * 7 / 2, "without choice and test the order is complete");
    assert!(pruned < 28);
    let two = Cam { neighbours: 2, prune: false, ..Cam::default() };
    let fit = learn(&data, &cam(two), &Run::default()).unwrap();
    for j in 0..8 {
        assert!((0..8).filter(|&i| fit.dag.has_edge(i, j)).count() <= 2);
    }
    for (params, wrong) in [
        (Cam { basis: 3, ..Cam::default() }, "basis"),
        (Cam { alpha: 0.0, ..Cam::default() }, "alpha"),
        (Cam { alpha: 1.0, ..Cam::default() }, "alpha"),
        (Cam { alpha: f64::NAN, ..Cam::default() }, "alpha"),
    ] {
        let error = learn(&data, &cam(params), &Run::default()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name, .. } if name == wrong), "{error}");
    }
}

#[test]
fn moments_are_not_enough() {
    let data = dataset(normal(50, 3, 1));
    let error = learn(&data.moments(), &cam(Cam::default()), &Run::default()).unwrap_err();
    assert_eq!(error, Error::NeedsRows { what: Action::method("cam") });
    assert!(error.to_string().contains("rows"));
    assert!(Algorithm::from(Cam::default()).facts().needs_rows());
    assert_eq!(cam(Cam::default()).effective_threshold(), 0.0);
}

#[test]
fn columns_of_few_values_go_through() {
    let noise = normal(300, 4, 9);
    let x = Mat::from_fn(300, 4, |i, j| match j {
        0 => f64::from(u8::from(noise[(i, 0)] > 0.0)),
        1 => (noise[(i, 1)] * 1.2).round(),
        2 => 2.0 * f64::from(u8::from(noise[(i, 0)] > 0.0)) + 0.5 * noise[(i, 2)],
        _ => (noise[(i, 1)] * 1.2).round().powi(2) + 0.3 * noise[(i, 3)],
    });
    let fit = fit(&dataset(x));
    assert!(fit.dag.weights().is_all_finite());
    assert!(fit.dag.has_edge(0, 2) || fit.dag.has_edge(2, 0));
    assert!(fit.dag.has_edge(1, 3), "a square of whole numbers");
    assert_eq!(fit.dag.edge_count(), 2);
}

#[test]
fn few_rows_and_copies_go_through() {
    for (rows, columns) in [(2, 2), (3, 5), (8, 10), (20, 10), (13, 30)] {
        let found = fit(&dataset(normal(rows, columns, 4)));
        assert!(found.dag.weights().is_all_finite());
        assert!(found.dag.edge_count() <= columns, "{rows} x {columns}");
    }
    let base = normal(200, 3, 6);
    let copies = Mat::from_fn(200, 5, |i, j| match j {
        3 => 2.0 * base[(i, 0)] - 1.0,
        4 => base[(i, 1)] + base[(i, 2)],
        _ => base[(i, j)],
    });
    for neighbours in [0, 10] {
        let params = Cam { neighbours, ..Cam::default() };
        let fit = learn(&dataset(copies.clone()), &cam(params), &Run::default()).unwrap();
        assert!(fit.dag.weights().is_all_finite());
        assert!(fit.dag.has_edge(0, 3) || fit.dag.has_edge(3, 0));
    }
}

#[test]
fn it_reports_and_can_be_stopped_anywhere() {
    struct StopAfter(AtomicUsize);
    impl nocurl::Watch for StopAfter {
        fn report(&self, progress: Progress) {
            assert!(progress.total.is_some_and(|total| progress.done <= total), "{progress:?}");
            let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        }
    }

    impl nocurl::Stop for StopAfter {
        fn is_stopped(&self) -> bool {
            self.0.load(Ordering::SeqCst) == 0
        }
    }
    let simulation =
        Simulation { graph: GraphFamily::Chain, variables: 6, rows: 300, ..Simulation::default() };
    let data = simulate(&simulation, 1).unwrap().data;
    let run = |reports| {
        let run = StopAfter(AtomicUsize::new(reports));
        let result =
            learn(&data, &cam(Cam::default()), &Run::default().watched_by(&run).stopped_by(&run));
        (result.map(|fit| fit.dag), reports - run.0.load(Ordering::SeqCst))
    };
    let (_, used) = run(10_000);
    assert!(used > 20, "{used} reports");
    for reports in 1..=used {
        assert_eq!(run(reports).0.unwrap_err(), Error::Cancelled, "{reports} of {used}");
    }
    assert!(run(used + 1).0.is_ok());
}
