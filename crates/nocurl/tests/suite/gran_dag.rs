//! GraN-DAG and its combination with NoCurl.

use nocurl::methods::{GranDag, GranErrors, NoCurlGran};
use nocurl::metrics::shd;
use nocurl::simulate::{Mechanism, Simulated, Simulation, simulate};
use nocurl::{
    Action, Algorithm, Dataset, Error, Fit, KnowledgeSpec, Mat, Options, Run, Termination, learn,
};

use crate::notebook::{Notebook, written_and_read};

fn gran(params: GranDag) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

fn nocurl_gran(params: NoCurlGran) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

/// Both methods, small enough for a test.
fn short() -> [Options; 2] {
    [
        gran(GranDag { hidden: 4, max_iterations: 350, ..GranDag::default() }),
        nocurl_gran(NoCurlGran {
            hidden: 4,
            estimate_iterations: 120,
            iterations: 120,
            ..NoCurlGran::default()
        }),
    ]
}

fn drawn(variables: usize, rows: usize, seed: u64) -> Simulated {
    let simulation = Simulation {
        variables,
        rows,
        mechanism: Mechanism::Nonlinear3,
        degree: 2.0,
        ..Simulation::default()
    };
    simulate(&simulation, seed).unwrap()
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

#[test]
fn most_edges_of_nonlinear_data_are_found() {
    let (mut far, mut right, mut edges) = ([0, 0], 0, 0);
    for seed in 1..=3 {
        let drawn = drawn(5, 1000, seed);
        edges += drawn.truth.edge_count();
        let both = [gran(GranDag::default()), nocurl_gran(NoCurlGran::default())].map(|options| {
            let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
            assert_eq!(fit.termination, Termination::Converged);
            right += fit.dag.edges().filter(|&(i, j, _)| drawn.truth.has_edge(i, j)).count();
            shd(&drawn.truth, &fit.dag).unwrap()
        });
        far = [far[0] + both[0], far[1] + both[1]];
    }
    assert!(far.iter().all(|&far| far <= edges / 2), "{far:?} of {edges}");
    assert!(right > edges, "{right} of {edges} twice");
}

#[test]
fn the_same_bits_come_from_any_number_of_threads() {
    // Enough variables for the networks of a step to run side by side.
    let data = drawn(25, 300, 2).data;
    for options in short() {
        let fits = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(&data, &options, &Run::default()).unwrap())
        });
        assert!(fits[0].estimate.as_ref().unwrap().norm_l2() > 0.0);
        for fit in &fits[1..] {
            assert_eq!(fit.estimate, fits[0].estimate);
            assert_eq!(fit.unpruned, fits[0].unpruned);
        }
    }
}

#[test]
fn units_do_not_matter_and_the_seed_does() {
    let data = drawn(5, 200, 3).data;
    let values = data.values();
    let units = [64.0, 1.0, 0.125, 8.0, 2.0];
    let scaled = Mat::from_fn(values.nrows(), 5, |i, j| values[(i, j)] * units[j]);
    let scaled = Dataset::new(data.names().to_vec(), scaled).unwrap();
    for options in short() {
        let fit = |data: &Dataset, seed| {
            learn(data, &Options { seed, ..options.clone() }, &Run::default()).unwrap()
        };
        let first = fit(&data, 1);
        assert_eq!(first.estimate, fit(&data, 1).estimate);
        assert_eq!(first.estimate, fit(&scaled, 1).estimate);
        assert_eq!(edges(&first), edges(&fit(&scaled, 1)));
        assert_ne!(first.estimate, fit(&data, 2).estimate);
        assert!(!options.depends_on_units());
    }
}

/// Both methods with errors of one variance.
fn equal() -> [Options; 2] {
    let errors = GranErrors::Equal;
    [
        gran(GranDag { errors, ..GranDag::default() }),
        nocurl_gran(NoCurlGran { errors, ..NoCurlGran::default() }),
    ]
}

/// Straight effects with errors of equal variance: networks that fit both directions alike tell
/// them apart by what they leave.
#[test]
fn errors_of_one_variance_direct_straight_effects() {
    let (mut far, mut edges) = ([0, 0], 0);
    for seed in 1..=3 {
        let simulation =
            Simulation { variables: 5, rows: 1000, degree: 2.0, ..Simulation::default() };
        let drawn = simulate(&simulation, seed).unwrap();
        edges += drawn.truth.edge_count();
        for (options, far) in equal().iter().zip(&mut far) {
            let fit = learn(&drawn.data, options, &Run::default()).unwrap();
            *far += shd(&drawn.truth, &fit.dag).unwrap();
        }
    }
    assert!(far[0] <= edges / 4 && far[1] <= edges / 2, "{far:?} of {edges}");
}

#[test]
fn errors_of_one_variance_have_one_unit() {
    let data = drawn(5, 200, 3).data;
    let in_units = |units: [f64; 5]| {
        let values = data.values();
        let scaled = Mat::from_fn(values.nrows(), 5, |i, j| values[(i, j)] * units[j]);
        Dataset::new(data.names().to_vec(), scaled).unwrap()
    };
    let errors = GranErrors::Equal;
    let options = gran(GranDag { hidden: 4, max_iterations: 350, errors, ..GranDag::default() });
    let estimate = |data: &Dataset| learn(data, &options, &Run::default()).unwrap().estimate;
    assert_eq!(estimate(&data), estimate(&in_units([8.0; 5])));
    assert_ne!(estimate(&data), estimate(&in_units([8.0, 1.0, 1.0, 1.0, 1.0])));
    assert!(options.depends_on_units());
    let fit = learn(&in_units([1e-9, 1.0, 1.0, 1.0, 1e9]), &options, &Run::default()).unwrap();
    assert_eq!(fit.termination, Termination::MaxIterations);
}

#[test]
fn training_goes_on_from_any_window_with_the_same_bits() {
    let data = drawn(6, 230, 5).data;
    for options in short() {
        let whole = Notebook::default();
        let fit = learn(&data, &options, &whole.run()).unwrap();
        let states = whole.states.into_inner().unwrap();
        assert_eq!(states.len(), whole.epochs.into_inner().unwrap().len());
        assert!(states.len() >= 4);
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
fn a_training_that_is_stopped_keeps_its_last_whole_window() {
    let data = drawn(6, 230, 5).data;
    for options in short() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        // Everything before the training asks too: go on until a state is there.
        let kept = (1..).step_by(97).find_map(|stop_at| {
            let stopped = Notebook { stop_at: Some(stop_at), ..Notebook::default() };
            let error = learn(&data, &options, &stopped.run()).unwrap_err();
            assert_eq!(error, Error::Cancelled);
            stopped.states.into_inner().unwrap().pop()
        });
        let kept = kept.unwrap();
        assert!(kept.done().ends_with("00 steps") || kept.done() == "0 steps", "{}", kept.done());
        let again = Notebook { from: Some(written_and_read(&kept)), ..Notebook::default() };
        assert_eq!(learn(&data, &options, &again.run()).unwrap().unpruned, fit.unpruned);
    }
}

#[test]
fn a_state_of_another_training_is_refused() {
    let (small, large) = (drawn(5, 200, 1).data, drawn(6, 200, 1).data);
    let [one, other] = short();
    let state_of = |data: &Dataset, options: &Options| {
        let notebook = Notebook::default();
        learn(data, options, &notebook.run()).unwrap();
        notebook.states.into_inner().unwrap().remove(0)
    };
    let wide = nocurl_gran(NoCurlGran { hidden: 5, ..NoCurlGran::default() });
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
fn a_training_that_diverges_says_so() {
    let data = drawn(5, 200, 1).data;
    let ways = [(1e4, GranErrors::Own), (1e300, GranErrors::Own), (1e4, GranErrors::Equal)];
    for (learning_rate, errors) in ways {
        let notebook = Notebook::default();
        let params = GranDag { learning_rate, errors, ..GranDag::default() };
        let error = learn(&data, &gran(params), &notebook.run()).unwrap_err();
        let told = error.to_string();
        assert!(matches!(error, Error::Diverged { epoch: 1, .. }), "{told}");
        assert!(told.contains("set `learning_rate` lower"), "{told}");
        let kept = notebook.states.into_inner().unwrap().pop().unwrap();
        assert_eq!(kept.done(), "0 steps");
    }
}

#[test]
fn what_is_known_is_kept() {
    let data = drawn(6, 300, 9).data;
    let name = |i: usize| format!("x{}", i + 1);
    let forbidden: Vec<(String, String)> = (0..6)
        .flat_map(|i| (0..6).map(move |j| (i, j)))
        .filter(|&(i, j)| i != j && (i + j) % 3 == 0)
        .map(|(i, j)| (name(i), name(j)))
        .collect();
    let required = vec![(name(4), name(3))];
    for mut options in short() {
        options.knowledge = KnowledgeSpec {
            forbidden: forbidden.clone(),
            required: required.clone(),
            ..Default::default()
        };
        let fit = learn(&data, &options, &Run::default()).unwrap();
        let estimate = fit.estimate.as_ref().unwrap();
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            assert!(i == j || (i + j) % 3 != 0 || estimate[(i, j)] == 0.0);
        }
        assert!(edges(&fit).contains(&(4, 3)), "{:?}", edges(&fit));
    }
}

#[test]
fn what_cannot_be_trained_on_is_refused_at_once() {
    let table = drawn(5, 9, 1).data;
    for options in short() {
        let error = learn(&table, &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::TooFewRows { rows: 9, needed: 10 });
        let name = options.algorithm.name();
        let error = learn(&table.moments(), &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::NeedsRows { what: Action::method(name) });
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let gran = GranDag::default;
    for (name, params) in [
        ("hidden", GranDag { hidden: 0, ..gran() }),
        ("layers", GranDag { layers: 9, ..gran() }),
        ("learning_rate", GranDag { learning_rate: f64::NAN, ..gran() }),
        ("batch", GranDag { batch: 0, ..gran() }),
        ("clamp", GranDag { clamp: -1.0, ..gran() }),
        ("alpha", GranDag { alpha: 1.0, ..gran() }),
        ("penalty_tolerance", GranDag { penalty_tolerance: 0.0, ..gran() }),
        ("max_iterations", GranDag { max_iterations: 0, ..gran() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
    let gran = NoCurlGran::default;
    for (name, params) in [
        ("hidden", NoCurlGran { hidden: 2000, ..gran() }),
        ("lambdas", NoCurlGran { lambdas: vec![0.0], ..gran() }),
        ("lambdas", NoCurlGran { lambdas: Vec::new(), ..gran() }),
        ("share", NoCurlGran { share: 1.5, ..gran() }),
        ("estimate_iterations", NoCurlGran { estimate_iterations: 0, ..gran() }),
        ("iterations", NoCurlGran { iterations: 0, ..gran() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
}
