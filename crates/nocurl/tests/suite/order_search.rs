//! Search over orders, against the exact optimum, other searches and its own definition.

use std::sync::atomic::AtomicBool;

use nocurl::internals::regress::refit;
use nocurl::methods::{Exact, ExactScore, Fges, FgesSearch, OrderSearch};
use nocurl::simulate::{GraphFamily, Noise, Simulation, simulate};
use nocurl::{Algorithm, Determines, Error, Fit, Mat, Moments, Options, Pdag, Problem, Run, learn};

use crate::fges::score;
use crate::notebook::{Notebook, written_and_read};

fn fit(moments: &Moments, algorithm: Algorithm) -> Fit {
    learn(moments, &Options { algorithm, ..Options::default() }, &Run::default()).unwrap()
}

fn search(moments: &Moments, penalty: f64, restarts: u64) -> Fit {
    fit(
        moments,
        Algorithm::from(OrderSearch {
            penalty: Some(penalty),
            restarts: Some(restarts),
            ..OrderSearch::default()
        }),
    )
}

fn data(variables: usize, degree: f64, rows: usize, seed: u64) -> Moments {
    let simulation = Simulation { variables, degree, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data.moments()
}

#[test]
fn finds_the_optimum_of_small_problems() {
    let exact = Exact { score: ExactScore::Bic, ..Exact::default() };
    let mut hits = 0;
    for seed in 0..40 {
        let moments = data(8, 4.0, 200, seed);
        let best = score(&moments, &fit(&moments, Algorithm::from(exact.clone())).dag, 1.0);
        let found = score(&moments, &search(&moments, 1.0, 50).dag, 1.0);
        assert!(found >= best - 1e-6, "seed {seed} beats the optimum");
        hits += u32::from(found <= best + 1e-6);
    }
    // 36 when this was written: parents are chosen one at a time, and 200 rows leave close calls.
    assert!(hits >= 34, "{hits} of 40");
}

#[test]
fn the_result_is_where_no_single_edge_helps() {
    for seed in 0..10 {
        let moments = data(10, 4.0, 300, seed);
        let found = search(&moments, 2.0, 0);
        let best = score(&moments, &found.dag, 2.0);
        let place = |v: usize| found.order.iter().position(|&u| u == v).unwrap();
        for i in 0..10 {
            for j in (0..10).filter(|&j| place(i) < place(j)) {
                let mut weights = found.dag.weights().to_owned();
                weights[(i, j)] = if weights[(i, j)] == 0.0 { 1.0 } else { 0.0 };
                let other = nocurl::Dag::new(weights).unwrap();
                assert!(score(&moments, &other, 2.0) > best - 1e-6, "seed {seed}: {i} -> {j}");
            }
        }
    }
}

#[test]
fn restarts_only_help_and_beat_the_greedy_search() {
    let greedy = Fges { search: FgesSearch::TwoPhase, ..Fges::default() };
    let mut better = 0;
    for seed in 0..6 {
        let simulation = Simulation {
            variables: 30,
            degree: 6.0,
            graph: if seed % 2 == 0 { GraphFamily::Er } else { GraphFamily::Sf },
            noise: Noise::Gumbel,
            ..Simulation::default()
        };
        let moments = simulate(&simulation, seed).unwrap().data.moments();
        let of = |found: Fit| score(&moments, &found.dag, 2.0);
        let first = of(search(&moments, 2.0, 0));
        let last = of(search(&moments, 2.0, 50));
        let greedy = of(fit(&moments, Algorithm::from(greedy.clone())));
        assert!(last <= first + 1e-6 && first <= greedy + 1e-6, "{greedy} {first} {last}");
        better += u32::from(first < greedy - 1.0);
    }
    assert!(better >= 3, "better than the greedy search in {better} of 6");
}

#[test]
fn recovers_the_class_of_standardised_data() {
    let mut hits = 0;
    for seed in 0..10 {
        let simulation = Simulation {
            variables: 20,
            degree: 3.0,
            rows: 5000,
            standardize: true,
            ..Simulation::default()
        };
        let simulated = simulate(&simulation, seed).unwrap();
        let found = search(&simulated.data.moments(), 2.0, 50);
        assert_eq!(found.determines, Determines::Class);
        assert_eq!(found.class, Pdag::class_of(&found.dag));
        hits += u32::from(found.class == Pdag::class_of(&simulated.truth));
    }
    assert!(hits >= 9, "{hits} of 10 classes were found");
}

#[test]
fn does_not_depend_on_units_and_gives_weights_in_them() {
    let moments = data(12, 4.0, 500, 5);
    let plain = search(&moments, 2.0, 20);
    // Powers of two, so that correlations are the same to the last bit.
    let scale = |i: usize| f64::exp2([3.0, -5.0, 0.0, 11.0, -20.0][i % 5]);
    let s = moments.second_moments(true);
    let scaled = Mat::from_fn(12, 12, |i, j| s[(i, j)] * scale(i) * scale(j));
    let names = moments.names().to_vec();
    let scaled =
        Moments::from_covariance(names, moments.rows(), vec![0.0; 12], scaled.as_ref()).unwrap();
    let found = search(&scaled, 2.0, 20);
    assert_eq!(found.class, plain.class);
    assert!(plain.class.directed().count() > 5);
    let shared = plain.dag.edges().filter(|&(i, j, _)| found.dag.has_edge(i, j));
    let same_parents = |j| plain.dag.parents(j).eq(found.dag.parents(j));
    for (i, j, weight) in shared.filter(|&(_, j, _)| same_parents(j)) {
        let expected = weight * scale(j) / scale(i);
        let found = found.dag.weights()[(i, j)];
        assert!((found - expected).abs() <= 1e-10 * expected.abs(), "{i} -> {j}");
    }
}

#[test]
fn open_directions_follow_similar_error_variances() {
    // Trees with equal error variances: every direction is open, and the root is the variable with
    // the smallest variance.
    for seed in 0..5 {
        let simulation = Simulation {
            variables: 12,
            graph: GraphFamily::Sf,
            degree: 2.0,
            rows: 3000,
            ..Simulation::default()
        };
        let simulated = simulate(&simulation, seed).unwrap();
        let found = search(&simulated.data.moments(), 2.0, 10);
        assert_eq!(found.class, Pdag::class_of(&simulated.truth), "seed {seed}");
        assert!(found.class.undirected().count() > 0, "seed {seed}");
        let edges = |dag: &nocurl::Dag| dag.edges().map(|(i, j, _)| (i, j)).collect::<Vec<_>>();
        assert_eq!(edges(&found.dag), edges(&simulated.truth), "seed {seed}");
    }
}

#[test]
fn weights_are_regressions_on_the_parents() {
    let moments = data(10, 3.0, 400, 2);
    let found = search(&moments, 2.0, 5);
    let again = refit(&Problem::new(&moments, true).unwrap(), found.dag.weights()).unwrap();
    assert_eq!(found.dag.weights(), again.as_ref());
}

#[test]
fn same_bits_for_any_number_of_threads_and_another_run() {
    let moments = data(40, 6.0, 300, 7);
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| search(&moments, 2.0, 30));
        (found.order, found.dag.weights().to_owned())
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    assert_eq!(one, on(1));
}

#[test]
fn defaults_are_the_extended_criterion_and_hundreds_of_restarts() {
    let moments = data(12, 4.0, 300, 9);
    let extended = 1.0 + 2.0 * 12f64.ln() / 300f64.ln();
    let found = fit(&moments, Algorithm::default());
    assert_eq!(found.dag.weights(), search(&moments, extended, 400).dag.weights());
    assert_ne!(found.dag.edge_count(), search(&moments, 0.5, 50).dag.edge_count());
}

#[test]
fn penalties_out_of_range_are_refused_and_it_can_be_stopped() {
    let moments = data(5, 2.0, 100, 1);
    for penalty in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let algorithm = Algorithm::from(OrderSearch {
            penalty: Some(penalty),
            restarts: Some(1),
            ..OrderSearch::default()
        });
        let error = learn(&moments, &Options { algorithm, ..Options::default() }, &Run::default())
            .unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "penalty", .. }), "{error}");
    }
    let algorithm = Algorithm::from(OrderSearch::default());
    let stopped = learn(
        &moments,
        &Options { algorithm, ..Options::default() },
        &Run::default().stopped_by(&AtomicBool::new(true)),
    );
    assert!(matches!(stopped, Err(Error::Cancelled)));
}

#[test]
fn two_parents_that_only_pay_together_are_found() {
    // `a` and `b` nearly cancel each other: alone neither says anything of `y = a + b + error`.
    let covariance = [[1.0, -0.9, 0.1], [-0.9, 1.0, 0.1], [0.1, 0.1, 1.2]];
    let covariance = Mat::from_fn(3, 3, |i, j| covariance[i][j]);
    let names = ["a", "b", "y"].map(String::from).to_vec();
    let moments = Moments::from_covariance(names, 100, vec![0.0; 3], covariance.as_ref()).unwrap();
    let knowledge =
        nocurl::KnowledgeSpec { sinks: vec!["y".into()], ..nocurl::KnowledgeSpec::default() };
    let exact = Algorithm::from(Exact { score: ExactScore::Bic, ..Exact::default() });
    let options = Options { algorithm: exact, knowledge: knowledge.clone(), ..Options::default() };
    let best = learn(&moments, &options, &Run::default()).unwrap();
    let best = score(&moments, &best.dag, 1.0);
    let algorithm = Algorithm::from(OrderSearch {
        penalty: Some(1.0),
        restarts: Some(5),
        ..OrderSearch::default()
    });
    let options = Options { algorithm, knowledge, ..Options::default() };
    let found = learn(&moments, &options, &Run::default()).unwrap();
    assert_eq!(found.dag.parents(2).collect::<Vec<_>>(), [0, 1]);
    assert!(score(&moments, &found.dag, 1.0) <= best + 1e-6);
}

#[test]
fn it_says_how_stable_the_search_was() {
    let moments = data(8, 3.0, 500, 3);
    let found = fit(&moments, Algorithm::default());
    let report = found.search.unwrap();
    assert!(report.agreed >= 2 && report.agreed <= report.runs, "{report:?}");
    assert_eq!(report.restarts, found.iterations);
    assert_eq!(report.restarts, 400 * report.runs);
    assert!(report.reached_best > 0 && report.reached_best <= report.restarts, "{report:?}");
    assert!(report.runner_up.is_none_or(|near| near.gap > 0.0 && near.differs > 0));
    assert!(fit(&moments, Fges::default().into()).search.is_none());
    // Many variables are searched once.
    let report = search(&data(60, 3.0, 200, 4), 2.0, 5).search.unwrap();
    assert_eq!((report.runs, report.restarts), (1, 5));
}

fn price_of(simulation: &Simulation, seed: u64) -> (f64, f64, Fit) {
    let moments = simulate(simulation, seed).unwrap().data.moments();
    let found = fit(&moments, Algorithm::from(OrderSearch::default()));
    let (n, d) = (simulation.rows as f64, simulation.variables as f64);
    (found.search.unwrap().price.unwrap(), n.ln() + 2.0 * d.ln(), found)
}

#[test]
fn the_price_of_an_edge_suits_the_table() {
    let strong = Simulation { variables: 30, rows: 1000, ..Simulation::default() };
    let weak = Simulation { weights: (0.05, 0.4), ..strong.clone() };
    for seed in 0..3 {
        // Nothing is lost by a strict price where all edges are strong.
        let (price, strict, _) = price_of(&strong, seed);
        assert!(price > strict - 2.0 && price <= strict, "{price} of {strict}");
        let (less, _, found) = price_of(&weak, seed);
        assert!(less < price - 1.0 && less >= 1000_f64.ln(), "{less} of {price}");
        // It is the price that was paid.
        let moments = simulate(&weak, seed).unwrap().data.moments();
        let penalty = less / 1000_f64.ln();
        let told = fit(
            &moments,
            Algorithm::from(OrderSearch { penalty: Some(penalty), ..OrderSearch::default() }),
        );
        let [own, other] = [&found.dag, &told.dag].map(|dag| score(&moments, dag, penalty));
        assert!((own - other).abs() < 10.0, "{own} and {other}");
    }
}

/// All of a fit, to the last bit.
fn told(fit: &Fit) -> String {
    format!("{fit:?}")
}

/// Options with so many restarts.
fn restarts(count: u64) -> Options {
    let algorithm = OrderSearch { restarts: Some(count), ..OrderSearch::default() }.into();
    Options { algorithm, ..Options::default() }
}

#[test]
fn a_search_that_was_stopped_ends_as_one_that_was_not() {
    let narrow = Simulation { variables: 12, rows: 200, ..Simulation::default() };
    let levels = Simulation { categorical: 0.5, ..narrow.clone() };
    let wide = Simulation { variables: 210, degree: 2.0, rows: 60, ..Simulation::default() };
    for (simulation, options) in
        [(narrow, restarts(20)), (levels, restarts(20)), (wide, restarts(60))]
    {
        let data = simulate(&simulation, 3).unwrap().data;
        let plain = told(&learn(&data, &options, &Run::default()).unwrap());
        let notebook = Notebook::default();
        assert_eq!(told(&learn(&data, &options, &notebook.run()).unwrap()), plain);
        let states = notebook.states.into_inner().unwrap();
        assert!(states.len() > 3, "{} states", states.len());
        for state in &states {
            let from = Some(written_and_read(state));
            let again = Notebook { from, ..Notebook::default() };
            let fit = learn(&data, &options, &again.run()).unwrap();
            assert_eq!(told(&fit), plain, "{}", state.done());
        }
    }
}

#[test]
fn a_request_to_stop_keeps_the_search() {
    let data = data(12, 4.0, 200, 1);
    let asked = Notebook::default();
    let plain = told(&learn(&data, &restarts(100), &asked.run()).unwrap());
    let asked = asked.asked.into_inner();
    let mut from = None;
    for _ in 0..2 {
        let stop_at = Some(asked / 2);
        let stopped = Notebook { from, stop_at, ..Notebook::default() };
        match learn(&data, &restarts(100), &stopped.run()) {
            Ok(fit) => assert_eq!(told(&fit), plain),
            Err(error) => assert_eq!(error, Error::Cancelled),
        }
        from = stopped.states.into_inner().unwrap().pop();
        assert!(from.is_some());
    }
    let last = Notebook { from, ..Notebook::default() };
    assert_eq!(told(&learn(&data, &restarts(100), &last.run()).unwrap()), plain);
}

#[test]
fn states_of_other_searches_are_refused() {
    let (small, large) = (data(8, 2.0, 100, 1), data(9, 2.0, 100, 1));
    let notebook = Notebook::default();
    learn(&small, &restarts(16), &notebook.run()).unwrap();
    let state = notebook.states.into_inner().unwrap().remove(0);
    let sound = serde_json::to_value(&state).unwrap();
    let refused = |moments: &Moments, state: serde_json::Value| {
        let from = Some(serde_json::from_value(state).unwrap());
        let again = Notebook { from, ..Notebook::default() };
        let error = learn(moments, &restarts(16), &again.run()).unwrap_err();
        assert!(matches!(error, Error::ForeignCheckpoint), "{error}");
    };
    refused(&large, sound.clone());
    for (place, value) in [
        ("/state/done", serde_json::json!(u64::MAX)),
        ("/state/found/best", serde_json::Value::Null),
        ("/state/found/best/sequence/0", serde_json::json!(99)),
        ("/state/found/best/nodes/0/parents", serde_json::json!([0])),
        ("/state/found/best/nodes/0/score", serde_json::json!("low")),
    ] {
        let mut state = sound.clone();
        *state.pointer_mut(place).unwrap() = value;
        refused(&small, state);
    }
}
