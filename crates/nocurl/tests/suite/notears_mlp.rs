//! Networks under an acyclicity constraint, and by way of a potential.

use std::sync::atomic::{AtomicUsize, Ordering};

use nocurl::advice::Action;
use nocurl::knowledge::KnowledgeSpec;
use nocurl::methods::Acyclicity;
use nocurl::methods::{DagGnn, NoCurlMlp, NotearsMlp};
use nocurl::metrics::shd;
use nocurl::simulate::{GraphFamily, Mechanism, Simulated, Simulation, simulate};
use nocurl::{
    Algorithm, Dataset, Determines, Error, Fit, Mat, Options, Progress, Run, Termination, learn,
};

use crate::notebook::{Notebook, written_and_read};

fn with(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

/// Both methods with few hidden units.
fn both() -> [Options; 2] {
    [
        with(Algorithm::from(NotearsMlp { hidden: 6, ..Default::default() })),
        with(Algorithm::from(NoCurlMlp { hidden: 6, ..Default::default() })),
    ]
}

fn additive(variables: usize, rows: usize, seed: u64) -> Simulated {
    let simulation = Simulation {
        graph: GraphFamily::Sf,
        mechanism: Mechanism::Nonlinear3,
        degree: 2.0,
        variables,
        rows,
        ..Simulation::default()
    };
    simulate(&simulation, seed).unwrap()
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

#[test]
fn nonlinear_graphs_are_found() {
    for options in both() {
        let far: usize = (1..=3)
            .map(|seed| {
                let drawn = additive(5, 800, seed);
                let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
                assert_eq!(fit.termination, Termination::Converged);
                assert_eq!(fit.determines, Determines::Graph);
                shd(&drawn.truth, &fit.dag).unwrap()
            })
            .sum();
        // Four or so edges each; the empty graphs are 12 away.
        assert!(far <= 4, "{}: {far}", options.algorithm.name());
    }
}

#[test]
fn weights_are_linear_parts() {
    let drawn = additive(4, 500, 2);
    for options in both() {
        let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
        assert!(fit.dag.edge_count() > 0);
        let problem = nocurl::Problem::new(&drawn.data.moments(), true).unwrap();
        let linear = nocurl::internals::regress::refit(&problem, fit.dag.weights()).unwrap();
        assert_eq!(fit.dag.weights(), linear.as_ref());
        assert!(!options.algorithm.facts().linear && options.algorithm.facts().needs_rows());
        assert_eq!(options.effective_threshold(), 0.0);
    }
}

#[test]
fn seeds_and_threads() {
    let data = additive(4, 700, 5).data;
    for options in both() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let fit = pool.install(|| learn(&data, &options, &Run::default())).unwrap();
            let bits = |m: &Mat<f64>| {
                m.col_iter()
                    .flat_map(|c| c.iter().map(|v| v.to_bits()).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            };
            (
                bits(&fit.unpruned.weights().to_owned()),
                fit.iterations,
                fit.evaluations,
                fit.estimate.as_ref().map(bits),
            )
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(3));
    }
}

#[test]
fn training_goes_on_from_any_pass_with_the_same_bits() {
    let data = additive(4, 300, 5).data;
    for options in both() {
        let whole = Notebook::default();
        let fit = learn(&data, &options, &whole.run()).unwrap();
        let states = whole.states.into_inner().unwrap();
        assert!(states.len() > 3);
        assert_eq!(learn(&data, &options, &Run::default()).unwrap().unpruned, fit.unpruned);
        for state in &states {
            let again = Notebook { from: Some(written_and_read(state)), ..Notebook::default() };
            let resumed = learn(&data, &options, &again.run()).unwrap();
            assert_eq!(resumed.unpruned, fit.unpruned, "from {}", state.done());
            assert_eq!(resumed.estimate, fit.estimate);
            let counts = |fit: &Fit| (fit.iterations, fit.evaluations, fit.termination);
            assert_eq!(counts(&resumed), counts(&fit));
            assert_eq!(again.states.into_inner().unwrap().last(), states.last());
        }
    }
}

#[test]
fn a_training_that_is_stopped_keeps_its_last_whole_pass() {
    let data = additive(4, 300, 5).data;
    for options in both() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        let notebook = Notebook::default();
        learn(&data, &options, &notebook.run()).unwrap();
        let asked = notebook.asked.into_inner();
        let mut shares = Vec::new();
        for stop_at in [1, asked / 2, asked - asked / 10] {
            let stopped = Notebook { stop_at: Some(stop_at), ..Notebook::default() };
            assert_eq!(learn(&data, &options, &stopped.run()).unwrap_err(), Error::Cancelled);
            let kept = stopped.states.into_inner().unwrap().pop().unwrap();
            shares.push(kept.done().to_string());
            let again = Notebook { from: Some(written_and_read(&kept)), ..Notebook::default() };
            assert_eq!(learn(&data, &options, &again.run()).unwrap().unpruned, fit.unpruned);
        }
        assert_eq!(shares[0], "0 iterations");
        assert_ne!(shares[2], "0 iterations");
    }
}

#[test]
fn a_state_of_another_training_is_refused() {
    let (small, large) = (additive(4, 100, 1).data, additive(5, 100, 1).data);
    let state_of = |data: &Dataset, options: &Options| {
        let notebook = Notebook::default();
        learn(data, options, &notebook.run()).unwrap();
        notebook.states.into_inner().unwrap().remove(0)
    };
    let [one, _] = both();
    let wide = with(Algorithm::from(NotearsMlp { hidden: 7, ..Default::default() }));
    let params = DagGnn { epochs: 1, batch: 50, max_rounds: 1, ..Default::default() };
    let autoencoder = with(Algorithm::from(params));
    for (data, options, state) in [
        (&large, &one, state_of(&small, &one)),
        (&small, &wide, state_of(&small, &one)),
        (&small, &one, state_of(&small, &autoencoder)),
        (&small, &autoencoder, state_of(&small, &one)),
    ] {
        let notebook = Notebook { from: Some(state), ..Notebook::default() };
        let error = learn(data, options, &notebook.run()).unwrap_err();
        assert!(matches!(error, Error::ForeignCheckpoint), "{error}");
    }
}

#[test]
fn prior_knowledge_is_kept() {
    let drawn = additive(4, 300, 4);
    let names = drawn.data.names();
    let (from, to, _) = drawn.truth.edges().next().unwrap();
    let pair = |i: usize, j: usize| (names[i].clone(), names[j].clone());
    for options in both() {
        let forbidden = KnowledgeSpec { forbidden: vec![pair(from, to)], ..Default::default() };
        let fit = learn(
            &drawn.data,
            &Options { knowledge: forbidden, ..options.clone() },
            &Run::default(),
        );
        assert!(!fit.unwrap().dag.has_edge(from, to));
        let required = KnowledgeSpec { required: vec![pair(to, from)], ..Default::default() };
        let fit = learn(&drawn.data, &Options { knowledge: required, ..options }, &Run::default())
            .unwrap();
        assert!(fit.dag.has_edge(to, from) && !fit.dag.has_edge(from, to));
    }
}

#[test]
fn no_penalty_leaves_a_graph_and_all_norms_can_go() {
    let data = additive(4, 200, 1).data;
    let loose = NotearsMlp {
        hidden: 3,
        max_rounds: 1,
        norm_threshold: 0.0,
        penalty_tolerance: 1e-300,
        ..Default::default()
    };
    let fit = learn(&data, &with(Algorithm::from(loose.clone())), &Run::default()).unwrap();
    assert_eq!(fit.termination, Termination::MaxIterations);
    assert!(fit.warnings.iter().any(|warning| warning.contains("limit of iterations")));
    for norm_threshold in [0.1, 0.5, f64::INFINITY] {
        let params = NotearsMlp { norm_threshold, ..loose.clone() };
        let fewer = learn(&data, &with(Algorithm::from(params)), &Run::default()).unwrap();
        assert!(edges(&fewer).iter().all(|edge| edges(&fit).contains(edge)));
        assert!(norm_threshold.is_finite() || fewer.dag.edge_count() == 0);
    }
}

#[test]
fn bad_parameters_are_refused() {
    let data = additive(4, 50, 1).data;
    let base = NotearsMlp::default;
    for (params, wrong) in [
        (NotearsMlp { hidden: 0, ..base() }, "hidden"),
        (NotearsMlp { lambda1: -1.0, ..base() }, "lambda1"),
        (NotearsMlp { lambda2: f64::NAN, ..base() }, "lambda2"),
        (NotearsMlp { norm_threshold: -0.1, ..base() }, "norm_threshold"),
        (NotearsMlp { tolerance: 0.0, ..base() }, "tolerance"),
        (NotearsMlp { penalty_tolerance: 0.0, ..base() }, "penalty_tolerance"),
        (NotearsMlp { max_penalty: 1.0, ..base() }, "max_penalty"),
        (NotearsMlp { max_rounds: 0, ..base() }, "max_rounds"),
        (NotearsMlp { max_iterations: 0, ..base() }, "max_iterations"),
    ] {
        let error = learn(&data, &with(Algorithm::from(params)), &Run::default()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name, .. } if name == wrong), "{error}");
    }
    let base = NoCurlMlp::default;
    for (params, wrong) in [
        (NoCurlMlp { lambdas: vec![10.0, 0.0], ..base() }, "lambdas"),
        (NoCurlMlp { lambdas: Vec::new(), ..base() }, "lambdas"),
        (NoCurlMlp { estimate_threshold: f64::NAN, ..base() }, "estimate_threshold"),
        (NoCurlMlp { hidden: 0, ..base() }, "hidden"),
    ] {
        let error = learn(&data, &with(Algorithm::from(params)), &Run::default()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name, .. } if name == wrong), "{error}");
    }
}

#[test]
fn moments_are_not_enough() {
    let data = additive(4, 60, 1).data;
    for options in both() {
        let method = options.algorithm.name();
        let error = learn(&data.moments(), &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::NeedsRows { what: Action::method(method) });
    }
}

#[test]
fn any_units_go_through() {
    let data = additive(4, 60, 1).data;
    for (options, factor) in both().into_iter().flat_map(|o| [(o.clone(), 1e70), (o, 1e-70)]) {
        let scaled = Mat::from_fn(60, 4, |i, j| data.values()[(i, j)] * factor);
        let scaled = Dataset::new(data.names().to_vec(), scaled).unwrap();
        let fit = learn(&scaled, &options, &Run::default()).unwrap();
        assert!(fit.dag.weights().is_all_finite());
    }
}

#[test]
fn a_loss_that_is_no_number_is_told() {
    let data = additive(4, 20, 1).data;
    // The exponential of so many random weights is beyond all numbers.
    let acyclicity = Acyclicity::Exponential;
    let params = NotearsMlp { hidden: 10_000, acyclicity, ..Default::default() };
    let error = learn(&data, &with(Algorithm::from(params)), &Run::default()).unwrap_err();
    assert!(matches!(error, Error::OutOfRange { stage: "training networks", .. }), "{error}");
}

#[test]
fn it_reports_and_can_be_stopped_anywhere() {
    struct StopAfter(AtomicUsize);
    impl nocurl::Watch for StopAfter {
        fn report(&self, progress: Progress) {
            assert!(progress.objective.is_some() || progress.total.is_some(), "{progress:?}");
            let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        }
    }

    impl nocurl::Stop for StopAfter {
        fn is_stopped(&self) -> bool {
            self.0.load(Ordering::SeqCst) == 0
        }
    }
    let data = additive(3, 80, 1).data;
    for options in both() {
        let run = |reports| {
            let run = StopAfter(AtomicUsize::new(reports));
            let result = learn(&data, &options, &Run::default().watched_by(&run).stopped_by(&run));
            (result.map(|fit| fit.dag), reports - run.0.load(Ordering::SeqCst))
        };
        let (_, used) = run(100_000);
        assert!(used > 20, "{used} reports");
        for reports in (1..=used).step_by(7) {
            assert_eq!(run(reports).0.unwrap_err(), Error::Cancelled, "{reports} of {used}");
        }
        assert!(run(used + 1).0.is_ok());
    }
}
