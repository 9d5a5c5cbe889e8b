//! Greedy search by kernel scores.

use nocurl::methods::{Gsges, GsgesScore};
use nocurl::simulate::{Mechanism, Simulation, simulate};
use nocurl::{
    Action, Algorithm, Dataset, Determines, Error, KnowledgeSpec, Mat, Options, Run, learn,
};

fn gsges(params: Gsges) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

fn both() -> [Options; 2] {
    [GsgesScore::CrossValidated, GsgesScore::Marginal]
        .map(|score| gsges(Gsges { score, ..Gsges::default() }))
}

/// x0 and x1 make x2, which makes x3, none of it linear.
fn collider(rows: usize) -> Dataset {
    let independent = Simulation { variables: 4, rows, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 4).unwrap().data.values().to_owned();
    for i in 0..rows {
        let (a, b): (f64, f64) = (x[(i, 0)], x[(i, 1)]);
        x[(i, 2)] = a * a + b * b + 0.5 * x[(i, 2)];
        let c: f64 = x[(i, 2)];
        x[(i, 3)] = 2.0 * (2.0 * c).sin() + 0.5 * x[(i, 3)];
    }
    Dataset::new(Dataset::default_names(4), x).unwrap()
}

#[test]
fn a_curved_collider_and_its_child_are_found() {
    let data = collider(500);
    for options in both() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        let directed: Vec<(usize, usize)> = fit.determined.directed().collect();
        assert_eq!(directed, [(0, 2), (1, 2), (2, 3)], "{:?}", options.algorithm);
        assert_eq!(fit.determines, Determines::Class);
        assert!(fit.iterations >= 3 && fit.evaluations > 0);
        // Linear methods see nothing here.
        let linear = learn(&data, &Options::default(), &Run::default()).unwrap();
        assert!(linear.dag.edge_count() < 3);
    }
}

/// Linear fits leave something curved, which is not normal, in either direction.
#[test]
fn what_linear_fits_leave_directs_nothing() {
    let independent = Simulation { variables: 2, rows: 500, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 4).unwrap().data.values().to_owned();
    for i in 0..500 {
        let cause: f64 = x[(i, 0)];
        x[(i, 1)] = cause + cause * cause + 0.5 * x[(i, 1)];
    }
    let data = Dataset::new(Dataset::default_names(2), x).unwrap();
    for options in both() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        assert_eq!(fit.dag.edge_count(), 1);
        assert_eq!((fit.determined.directed().count(), fit.error_shape), (0, None));
    }
    // A method for linear effects takes what is left for errors.
    assert!(learn(&data, &Options::default(), &Run::default()).unwrap().error_shape.is_some());
}

#[test]
fn results_do_not_depend_on_threads_or_units() {
    let simulation = Simulation {
        variables: 6,
        rows: 300,
        degree: 2.0,
        mechanism: Mechanism::GpAdditive,
        ..Simulation::default()
    };
    let data = simulate(&simulation, 3).unwrap().data;
    let values = data.values();
    let units = [64.0, 1.0, 0.125, 8.0, 2.0, 0.5];
    let scaled = Mat::from_fn(300, 6, |i, j| values[(i, j)] * units[j]);
    let scaled = Dataset::new(data.names().to_vec(), scaled).unwrap();
    for options in both() {
        let on = |threads: usize, data: &Dataset| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(data, &options, &Run::default()).unwrap())
        };
        let one = on(1, &data);
        assert_eq!(one.dag, on(2, &data).dag);
        assert_eq!(one.class, on(1, &scaled).class);
        assert!(one.dag.edge_count() > 0);
    }
}

#[test]
fn what_it_cannot_use_is_refused() {
    let data = collider(19);
    for options in both() {
        let error = learn(&data, &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::TooFewRows { rows: 19, needed: 20 });
        let error = learn(&data.moments(), &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::NeedsRows { what: Action::method("gsges") });
        let required = vec![("x1".to_string(), "x2".to_string())];
        let knowledge = KnowledgeSpec { required, ..KnowledgeSpec::default() };
        let error = learn(&data, &Options { knowledge, ..options }, &Run::default()).unwrap_err();
        assert!(matches!(error, Error::TakesNoKnowledge { method: "gsges", .. }), "{error}");
    }
    for (name, params) in [
        ("folds", Gsges { folds: 1, ..Gsges::default() }),
        ("ridge", Gsges { ridge: 0.0, ..Gsges::default() }),
        ("features", Gsges { features: 0, ..Gsges::default() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
}

#[test]
fn it_can_be_stopped_at_any_time() {
    use crate::notebook::Notebook;
    let data = collider(200);
    for stop_at in [1, 10] {
        let stopped = Notebook { stop_at: Some(stop_at), ..Notebook::default() };
        let run = Run::default().stopped_by(&stopped);
        assert_eq!(learn(&data, &both()[0], &run).unwrap_err(), Error::Cancelled);
    }
}
