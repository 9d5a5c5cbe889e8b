//! DAG-NoCurl with many variables, where both steps go over pairs that have to do with each other.

use nocurl::memory::Size;
use nocurl::methods::{Acyclicity, NoCurl};
use nocurl::simulate::{Simulated, Simulation, simulate};
use nocurl::{
    Dataset, Fit, KnowledgeSpec, Mat, Options, Problem, Run, Termination, learn, metrics,
};

/// More than go over all pairs.
const MANY: usize = 260;

fn draw(rows: usize, seed: u64) -> Simulated {
    let simulation = Simulation { variables: MANY, degree: 2.0, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap()
}

fn options() -> Options {
    Options { algorithm: NoCurl::default().into(), center: false, ..Options::default() }
}

fn check(fit: &Fit) {
    assert_ne!(fit.termination, Termination::MaxIterations);
    assert!(fit.loss.is_finite() && fit.unpruned_loss.is_finite());
    for (i, j, weight) in fit.unpruned.edges() {
        assert!(weight.is_finite() && fit.potential[i] < fit.potential[j], "{i} -> {j}");
    }
    assert!(fit.dag.edges().all(|(i, j, w)| w.abs() >= 0.3 && fit.unpruned.weight(i, j) == w));
    assert!(fit.estimate.is_some());
}

#[test]
fn graphs_are_found() {
    let mut distance = 0;
    for seed in 0..2 {
        let drawn = draw(1000, seed);
        for acyclicity in [Acyclicity::Polynomial, Acyclicity::Exponential] {
            let algorithm = NoCurl { acyclicity, ..NoCurl::default() }.into();
            let options = Options { algorithm, ..options() };
            let fit = learn(&drawn.data.moments(), &options, &Run::default()).unwrap();
            check(&fit);
            distance += metrics::shd(&drawn.truth, &fit.dag).unwrap();
        }
    }
    assert!(distance < 4 * 30, "{distance}");
}

/// Regressions on the order: by brute force, on the parents that were chosen.
#[test]
fn weights_are_those_of_regressions() {
    let moments = draw(1000, 3).data.moments();
    let fit = learn(&moments, &options(), &Run::default()).unwrap();
    let problem = Problem::new(&moments, false).unwrap();
    let s = problem.second_moments();
    for j in 0..MANY {
        let parents: Vec<(usize, f64)> = fit.unpruned.weighted_parents(j).to_vec();
        for &(i, _) in &parents {
            let explained: f64 = parents.iter().map(|&(k, weight)| s[(i, k)] * weight).sum();
            let scale = (s[(i, i)] * s[(j, j)]).sqrt();
            assert!((explained - s[(i, j)]).abs() < 1e-9 * scale, "{i} -> {j}");
        }
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let moments = draw(500, 5).data.moments();
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn(&moments, &options(), &Run::default()).unwrap())
    };
    let (one, two) = (by(1), by(2));
    assert_eq!(one.dag, two.dag);
    assert_eq!(one.unpruned, two.unpruned);
    assert_eq!(one.estimate, two.estimate);
    assert_eq!((one.iterations, one.evaluations), (two.iterations, two.evaluations));
}

#[test]
fn prior_knowledge_holds() {
    let drawn = draw(400, 7);
    let names = drawn.data.names().to_vec();
    let pair = |i: usize, j: usize| (names[i].clone(), names[j].clone());
    let mut edges = drawn.truth.edges();
    let (first, second) = (edges.next().unwrap(), edges.next().unwrap());
    let knowledge = KnowledgeSpec {
        forbidden: vec![pair(first.0, first.1), pair(first.1, first.0)],
        required: vec![pair(second.1, second.0)],
        ..Default::default()
    };
    let options = Options { knowledge, ..options() };
    let fit = learn(&drawn.data.moments(), &options, &Run::default()).unwrap();
    assert!(!fit.dag.has_edge(first.0, first.1) && !fit.dag.has_edge(first.1, first.0));
    assert!(fit.dag.has_edge(second.1, second.0));
}

/// Columns that are the same twice, and fewer rows than columns.
#[test]
fn singular_moments_are_no_obstacle() {
    let drawn = draw(60, 2);
    let values = drawn.data.values();
    let twice = Mat::from_fn(60, MANY, |row, j| values[(row, if j < 20 { j + 100 } else { j })]);
    let names = Dataset::default_names(MANY);
    let data = Dataset::new(names, twice).unwrap();
    check(&learn(&data.moments(), &options(), &Run::default()).unwrap());
}

/// Units far from each other change the loss, and neither panic nor overflow.
#[test]
fn units_far_apart_are_taken() {
    let drawn = draw(300, 4);
    let values = drawn.data.values();
    let scaled = Mat::from_fn(300, MANY, |row, j| values[(row, j)] * 10f64.powi(j as i32 % 9 - 4));
    let data = Dataset::new(Dataset::default_names(MANY), scaled).unwrap();
    let fit = learn(&data.moments(), &options(), &Run::default()).unwrap();
    assert!(fit.loss.is_finite());
}

/// Known before it starts: the few pairs hardly count beside the second moments.
#[test]
fn memory_is_a_few_matrices() {
    let at = |variables: usize| {
        let size = Size { variables, rows: 1000, threads: 2 };
        options().memory(&size).at(variables, 1000)
    };
    let matrix = |d: u64| 8 * d * d;
    assert!(at(5000) > 3 * matrix(5000) && at(5000) < 7 * matrix(5000), "{}", at(5000));
    // Over all pairs it takes some 50.
    assert!(at(250) > 40 * matrix(250));
}
