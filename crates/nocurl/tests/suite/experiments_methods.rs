//! Experiments: methods by least squares, and many variables or conditions.

use nocurl::experiments::Intervention;
use nocurl::methods::{EqTd, NoCurl, Notears, OrderSearch};
use nocurl::metrics::shd;
use nocurl::simulate::{Interventions, SimulatedExperiments, Simulation, simulate_experiments};
use nocurl::treatments::treatments;
use nocurl::{Algorithm, Dag, Evidence, Fit, Mat, Options, Run, learn};

fn drawn(simulation: &Simulation, conditions: usize, seed: u64) -> SimulatedExperiments {
    let interventions = Interventions { conditions, ..Interventions::default() };
    simulate_experiments(simulation, &interventions, seed).unwrap()
}

fn fit(drawn: &SimulatedExperiments, algorithm: impl Into<Algorithm>) -> Fit {
    let experiments = drawn.experiments.clone();
    let options = Options { algorithm: algorithm.into(), experiments, ..Options::default() };
    learn(&drawn.data, &options, &Run::default()).unwrap()
}

/// The graph without the condition, which is the first variable.
fn without_condition(dag: &Dag) -> Dag {
    let d = dag.size() - 1;
    Dag::new(Mat::from_fn(d, d, |i, j| dag.weights()[(i + 1, j + 1)])).unwrap()
}

/// What a method finds in the pooled rows, without the column of conditions.
fn pooled(drawn: &SimulatedExperiments, algorithm: impl Into<Algorithm>) -> Dag {
    let d = drawn.truth.size();
    let values = drawn.data.values();
    let names = drawn.data.names()[1..].to_vec();
    let rows = Mat::from_fn(values.nrows(), d, |i, j| values[(i, j + 1)]);
    let data = nocurl::Dataset::new(names, rows).unwrap();
    let options = Options { algorithm: algorithm.into(), ..Options::default() };
    learn(&data, &options, &Run::default()).unwrap().dag
}

#[test]
fn least_squares_by_each_variables_own_rows_finds_more() {
    let simulation = Simulation { variables: 8, rows: 200, degree: 3.0, ..Simulation::default() };
    let methods: [Algorithm; 3] =
        [NoCurl::default().into(), Notears::default().into(), EqTd::default().into()];
    for method in methods {
        let (mut told, mut mixed) = (0, 0);
        for seed in 0..6 {
            let drawn = drawn(&simulation, 8, seed);
            let fit = fit(&drawn, method.clone());
            told += shd(&drawn.truth, &without_condition(&fit.dag)).unwrap();
            mixed += shd(&drawn.truth, &pooled(&drawn, method.clone())).unwrap();
            assert!(fit.dag.parents(0).next().is_none(), "nothing acts on the condition");
            assert_eq!(fit.order[0], 0);
            let known = fit.evidence.values().filter(|&&from| from == Evidence::Experiments);
            assert!(known.count() > 0);
        }
        assert!(told <= 8 && 2 * told <= mixed, "{}: {told} {mixed}", method.name());
    }
}

#[test]
fn shifts_that_are_not_known_are_adjusted_for() {
    let simulation = Simulation { variables: 8, rows: 200, degree: 3.0, ..Simulation::default() };
    let mut wrong = 0;
    for seed in 0..4 {
        let mut drawn = drawn(&simulation, 4, seed);
        drawn.experiments.targets.clear();
        let found = fit(&drawn, NoCurl::default());
        wrong += shd(&drawn.truth, &without_condition(&found.dag)).unwrap();
        assert!((1..9).any(|v| found.dag.has_edge(0, v)), "the condition shifts something");
    }
    assert!(wrong <= 12, "{wrong}");
}

#[test]
fn soft_interventions_are_not_for_least_squares() {
    let simulation = Simulation { variables: 4, rows: 40, degree: 2.0, ..Simulation::default() };
    let interventions =
        Interventions { conditions: 3, kind: Intervention::Soft, ..Interventions::default() };
    let drawn = simulate_experiments(&simulation, &interventions, 1).unwrap();
    let experiments = drawn.experiments.clone();
    for algorithm in [NoCurl::default().into(), Notears::default().into()] {
        let options = Options { algorithm, experiments: experiments.clone(), ..Options::default() };
        let error = learn(&drawn.data, &options, &Run::default()).unwrap_err().to_string();
        assert!(error.contains("are soft, which is for order-search"), "{error}");
    }
}

/// Beyond 200 variables each is looked at with those near it alone.
#[test]
fn many_variables_and_conditions() {
    let simulation = Simulation {
        variables: 230,
        rows: 12,
        degree: 2.0,
        standardize: true,
        ..Simulation::default()
    };
    let interventions = Interventions {
        conditions: 300,
        targets: 1,
        control_rows: Some(600),
        ..Interventions::default()
    };
    let drawn = simulate_experiments(&simulation, &interventions, 3).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&drawn, OrderSearch { restarts: Some(50), ..OrderSearch::default() }))
    };
    let (one, two) = (with(1), with(2));
    assert_eq!(one.dag.weights(), two.dag.weights());
    let found = without_condition(&one.dag);
    let (wrong, edges) = (shd(&drawn.truth, &found).unwrap(), drawn.truth.edge_count());
    assert!(wrong * 20 <= edges, "{wrong} of {edges}");
    assert!(one.determined.is_directed());
    // Known targets explain what conditions shift.
    assert!((1..231).filter(|&v| one.dag.has_edge(0, v)).count() <= 2);
    let options = Options { experiments: drawn.experiments.clone(), ..Options::default() };
    assert!(treatments(&drawn.data, &options, &one).unwrap().len() <= 3);
}
