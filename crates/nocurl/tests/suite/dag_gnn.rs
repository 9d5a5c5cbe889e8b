//! DAG-GNN and its combination with NoCurl.

use nocurl::Action;
use nocurl::Run;
use nocurl::methods::{DagGnn, NoCurlGnn};
use nocurl::simulate::{Mechanism, Simulation, simulate};
use nocurl::{Algorithm, Dataset, Error, Fit, KnowledgeSpec, Mat, Options, Termination, learn};

use crate::notebook::{Notebook, written_and_read};

fn dag_gnn(params: DagGnn) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

fn nocurl_gnn(params: NoCurlGnn) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

/// Both methods, small enough for a test; every entry of their matrices is seen.
fn short() -> [Options; 2] {
    [
        dag_gnn(DagGnn {
            hidden: 8,
            epochs: 3,
            max_rounds: 3,
            threshold: 0.0,
            ..DagGnn::default()
        }),
        nocurl_gnn(NoCurlGnn {
            hidden: 8,
            threshold: 0.0,
            estimate_epochs: 4,
            epochs: 5,
            ..NoCurlGnn::default()
        }),
    ]
}

fn data(variables: usize, rows: usize, seed: u64) -> Dataset {
    let simulation = Simulation {
        variables,
        rows,
        mechanism: Mechanism::DagGnn2,
        degree: 2.0,
        ..Simulation::default()
    };
    simulate(&simulation, seed).unwrap().data
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

#[test]
fn a_curved_chain_is_found() {
    // Each variable is a rising function of the one before, with noise of the same size.
    let independent = Simulation { variables: 4, rows: 600, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 4).unwrap().data.values().to_owned();
    for i in 0..600 {
        for j in 1..4 {
            let before: f64 = x[(i, j - 1)];
            x[(i, j)] += 2.0 * before.sin() + 1.5 * before;
        }
    }
    let data = Dataset::new(Dataset::default_names(4), x).unwrap();
    let params = NoCurlGnn { estimate_epochs: 150, epochs: 150, ..NoCurlGnn::default() };
    let fit = learn(&data, &nocurl_gnn(params), &Run::default()).unwrap();
    assert!(
        [(0, 1), (1, 2), (2, 3)].iter().all(|edge| edges(&fit).contains(edge)),
        "{:?}",
        edges(&fit)
    );
    assert_eq!(fit.order, [0, 1, 2, 3]);
    assert_eq!((fit.iterations, fit.evaluations), (300, 300 * 6));
    assert_eq!(fit.termination, Termination::Converged);
    let params = DagGnn { epochs: 60, ..DagGnn::default() };
    let fit = learn(&data, &dag_gnn(params), &Run::default()).unwrap();
    assert!(
        [(0, 1), (1, 2), (2, 3)].iter().all(|edge| edges(&fit).contains(edge)),
        "{:?}",
        edges(&fit)
    );
}

#[test]
fn the_same_bits_come_from_any_number_of_threads() {
    // Enough variables for parts of a step to run side by side.
    let data = data(45, 230, 2);
    for options in short() {
        let fits = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(&data, &options, &Run::default()).unwrap())
        });
        let estimate = fits[0].estimate.as_ref().unwrap();
        assert!((0..45).any(|i| (0..45).any(|j| estimate[(i, j)] != 0.0)));
        for fit in &fits[1..] {
            assert_eq!(fit.estimate, fits[0].estimate);
            assert_eq!(fit.unpruned, fits[0].unpruned);
        }
    }
}

#[test]
fn the_seed_decides() {
    let data = data(5, 200, 3);
    for options in short() {
        let estimate =
            |seed| learn(&data, &Options { seed, ..options.clone() }, &Run::default()).unwrap();
        assert_eq!(estimate(1).estimate, estimate(1).estimate);
        let states = [1, 2].map(|seed| {
            let notebook = Notebook::default();
            learn(&data, &Options { seed, ..options.clone() }, &notebook.run()).unwrap();
            notebook.states.into_inner().unwrap().pop().unwrap()
        });
        assert_ne!(states[0], states[1]);
    }
}

#[test]
fn training_goes_on_from_any_epoch_with_the_same_bits() {
    let data = data(6, 230, 5);
    for options in short() {
        let whole = Notebook::default();
        let fit = learn(&data, &options, &whole.run()).unwrap();
        let states = whole.states.into_inner().unwrap();
        assert_eq!(states.len() as u64, fit.iterations);
        for state in &states {
            let again = Notebook { from: Some(written_and_read(state)), ..Notebook::default() };
            let resumed = learn(&data, &options, &again.run()).unwrap();
            assert_eq!(resumed.estimate, fit.estimate, "from {}", state.done());
            assert_eq!(resumed.unpruned, fit.unpruned);
            assert_eq!(resumed.iterations, fit.iterations);
            let last = again.states.into_inner().unwrap().pop();
            assert_eq!(last.as_ref().unwrap_or(state), states.last().unwrap());
        }
    }
}

#[test]
fn a_training_that_is_stopped_keeps_its_last_whole_epoch() {
    let data = data(6, 230, 5);
    for options in short() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        for stop_at in [1, 2, 5, 8, 14, 20] {
            let stopped = Notebook { stop_at: Some(stop_at), ..Notebook::default() };
            assert_eq!(learn(&data, &options, &stopped.run()).unwrap_err(), Error::Cancelled);
            let kept = stopped.states.into_inner().unwrap().pop().unwrap();
            // Three batches of an epoch, each asks once before it begins.
            assert_eq!(kept.done(), format!("{} epochs", (stop_at - 1) / 3));
            let again = Notebook { from: Some(written_and_read(&kept)), ..Notebook::default() };
            assert_eq!(learn(&data, &options, &again.run()).unwrap().unpruned, fit.unpruned);
        }
    }
}

#[test]
fn every_epoch_is_told() {
    let data = data(6, 230, 5);
    for options in short() {
        let notebook = Notebook::default();
        let fit = learn(&data, &options, &notebook.run()).unwrap();
        let epochs = notebook.epochs.into_inner().unwrap();
        let numbers: Vec<u64> = epochs.iter().map(|epoch| epoch.number).collect();
        assert_eq!(numbers, (1..=fit.iterations).collect::<Vec<_>>());
        assert!(epochs.iter().all(|epoch| epoch.elbo < 0.0 && epoch.acyclicity >= 0.0));
        assert!(epochs.last().unwrap().elbo > epochs[0].elbo);
        assert!(epochs.iter().all(|epoch| epoch.edges <= 30));
    }
}

#[test]
fn a_state_of_another_training_is_refused() {
    let (small, large) = (data(5, 200, 1), data(6, 200, 1));
    let [one, other] = short();
    let state_of = |data: &Dataset, options: &Options| {
        let notebook = Notebook::default();
        learn(data, options, &notebook.run()).unwrap();
        notebook.states.into_inner().unwrap().remove(0)
    };
    let wide = nocurl_gnn(NoCurlGnn { hidden: 9, ..NoCurlGnn::default() });
    for (data, options, state) in [
        (&large, &one, state_of(&small, &one)),
        (&small, &other, state_of(&small, &one)),
        (&small, &one, state_of(&small, &other)),
        (&small, &wide, state_of(&small, &other)),
    ] {
        let notebook = Notebook { from: Some(state), ..Notebook::default() };
        let error = learn(data, options, &notebook.run()).unwrap_err();
        assert!(matches!(error, Error::ForeignCheckpoint), "{error}");
    }
}

#[test]
fn a_state_that_would_never_end_is_refused() {
    let data = data(5, 200, 1);
    let [options, _] = short();
    let notebook = Notebook::default();
    learn(&data, &options, &notebook.run()).unwrap();
    let sound = serde_json::to_value(&notebook.states.into_inner().unwrap()[0]).unwrap();
    let with = |place: &str, value: serde_json::Value| {
        let mut state = sound.clone();
        *state.pointer_mut(place).unwrap() = value;
        let from = Some(serde_json::from_value(state).unwrap());
        learn(&data, &options, &Notebook { from, ..Notebook::default() }.run())
    };
    for (place, value) in [
        ("/state/stage/constrained/rho", 0.0.into()),
        ("/state/stage/constrained/rho", (-1.0).into()),
        ("/state/stage/constrained/rounds", u64::MAX.into()),
        ("/state/epochs", u64::MAX.into()),
        ("/state/adam/steps", u64::MAX.into()),
    ] {
        let error = with(place, value).unwrap_err();
        assert!(matches!(error, Error::ForeignCheckpoint), "{place}: {error}");
    }
    with("/state/stage/constrained/rho", 1.0.into()).unwrap();
}

#[test]
fn a_training_that_diverges_says_so_and_keeps_what_was_good() {
    let data = data(5, 200, 1);
    for learning_rate in [1e3, 1e300] {
        let params = NoCurlGnn { learning_rate, hidden: 8, ..NoCurlGnn::default() };
        let notebook = Notebook::default();
        let error = learn(&data, &nocurl_gnn(params), &notebook.run()).unwrap_err();
        let told = error.to_string();
        assert!(matches!(error, Error::Diverged { epoch: 1, .. }), "{told}");
        assert!(told.contains("set `learning_rate` lower") && told.contains("epoch 1"), "{told}");
        assert_eq!(told.lines().count(), 1);
        let kept = notebook.states.into_inner().unwrap().pop().unwrap();
        assert_eq!(kept.done(), "0 epochs");
    }
}

#[test]
fn the_graph_is_acyclic_at_any_threshold() {
    let data = data(8, 200, 7);
    for threshold in [0.0, 0.01, 0.1, 1.0, 100.0] {
        let fits = [
            // One epoch with a small penalty leaves cycles.
            dag_gnn(DagGnn { threshold, epochs: 8, max_rounds: 1, ..DagGnn::default() }),
            nocurl_gnn(NoCurlGnn {
                threshold,
                estimate_epochs: 8,
                epochs: 8,
                ..NoCurlGnn::default()
            }),
        ]
        .map(|options| learn(&data, &options, &Run::default()).unwrap());
        for fit in fits {
            // Every edge stands in the matrix of the method or, in the second one, on its order.
            assert!(fit.dag.edges().all(|(i, j, _)| fit.potential[i] < fit.potential[j]));
            assert!(threshold < 100.0 || fit.dag.edge_count() == 0);
        }
    }
    let options = dag_gnn(DagGnn { threshold: 0.0, epochs: 8, max_rounds: 1, ..DagGnn::default() });
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let estimate = fit.estimate.as_ref().unwrap();
    assert!(fit.dag.edges().all(|(i, j, _)| estimate[(i, j)] != 0.0));
    assert!(fit.warnings.iter().any(|told| told.contains("has cycles")), "{:?}", fit.warnings);
    assert_eq!(fit.termination, Termination::MaxIterations);
}

#[test]
fn edges_that_are_known_not_to_be_there_are_pinned() {
    let data = data(6, 200, 9);
    let free = learn(&data, &short()[1], &Run::default()).unwrap();
    let forbidden: Vec<(String, String)> = (0..6)
        .flat_map(|i| (0..6).map(move |j| (i, j)))
        .filter(|&(i, j)| i != j && (i + j) % 3 == 0)
        .map(|(i, j)| (format!("x{}", i + 1), format!("x{}", j + 1)))
        .collect();
    for mut options in short() {
        options.knowledge = KnowledgeSpec { forbidden: forbidden.clone(), ..Default::default() };
        let fit = learn(&data, &options, &Run::default()).unwrap();
        let estimate = fit.estimate.unwrap();
        for j in 0..6 {
            for i in 0..6 {
                assert!(i == j || (i + j) % 3 != 0 || estimate[(i, j)] == 0.0);
            }
        }
        assert_ne!(Some(estimate), free.estimate);
    }
}

#[test]
fn what_cannot_be_trained_on_is_refused_at_once() {
    let table = data(5, 99, 1);
    let error = learn(&table, &nocurl_gnn(NoCurlGnn::default()), &Run::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameter `batch` is 100: the table has fewer rows; set it to the number of rows or less"
    );
    let moments = table.moments();
    for options in short() {
        let name = options.algorithm.name();
        let error = learn(&moments, &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::NeedsRows { what: Action::method(name) });
        assert!(options.algorithm.facts().needs_rows() && options.algorithm.facts().checkpoint);
        assert!(!options.algorithm.facts().linear && options.depends_on_units());
    }
    let constant = Mat::from_fn(200, 2, |i, j| if j == 0 { i as f64 } else { 1.0 });
    let constant = Dataset::new(Dataset::default_names(2), constant).unwrap();
    for options in short() {
        let error = learn(&constant, &options, &Run::default()).unwrap_err();
        assert!(matches!(error, Error::ConstantColumns { .. }));
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let gnn = DagGnn::default;
    for (name, params) in [
        ("hidden", DagGnn { hidden: 0, ..gnn() }),
        ("epochs", DagGnn { epochs: 0, ..gnn() }),
        ("learning_rate", DagGnn { learning_rate: 0.0, ..gnn() }),
        ("learning_rate", DagGnn { learning_rate: f64::NAN, ..gnn() }),
        ("batch", DagGnn { batch: 0, ..gnn() }),
        ("threshold", DagGnn { threshold: -0.1, ..gnn() }),
        ("penalty_tolerance", DagGnn { penalty_tolerance: 0.0, ..gnn() }),
        ("max_penalty", DagGnn { max_penalty: 1.0, ..gnn() }),
        ("max_rounds", DagGnn { max_rounds: 0, ..gnn() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
    let gnn = NoCurlGnn::default;
    for (name, params) in [
        ("hidden", NoCurlGnn { hidden: 100_000, ..gnn() }),
        ("lambda", NoCurlGnn { lambda: 0.0, ..gnn() }),
        ("estimate_epochs", NoCurlGnn { estimate_epochs: 0, ..gnn() }),
        ("epochs", NoCurlGnn { epochs: 0, ..gnn() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
}
