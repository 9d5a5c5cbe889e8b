//! The search with networks as regressions.

use std::sync::atomic::AtomicBool;

use nocurl::knowledge::{KnowledgeSpec, Tier};
use nocurl::methods::Task;
use nocurl::metrics::shd;
use nocurl::refine::Refine;
use nocurl::simulate::{GraphFamily, Mechanism, Simulated, Simulation, simulate};
use nocurl::{
    Algorithm, Dag, Dataset, Determines, Error, Fit, Mat, Options, Order, Problem, Run, learn,
};

fn drawn(mechanism: Mechanism, variables: usize, rows: usize, seed: u64) -> Simulated {
    let graph = GraphFamily::Er;
    let simulation =
        Simulation { graph, mechanism, degree: 2.0, variables, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap()
}

fn options() -> Options {
    let algorithm = Algorithm::from_name("nocurl").unwrap();
    Options { algorithm, refine: Some(Refine::NETWORKS), ..Options::default() }
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

/// The order of the truth from its end.
fn reversed(truth: &Dag) -> Order {
    let mut sequence = Order::of_dag(truth).sequence();
    sequence.reverse();
    Order::strict(&sequence)
}

/// Each with its truth: 24 edges in all.
fn six_tables() -> impl Iterator<Item = Simulated> {
    let seeds = |mechanism| (1..=3).map(move |seed| drawn(mechanism, 5, 1000, seed));
    [Mechanism::Nonlinear3, Mechanism::DagGnn1].into_iter().flat_map(seeds)
}

#[test]
fn graphs_are_found_from_the_order_of_nocurl() {
    let far: usize = six_tables()
        .map(|drawn| {
            shd(&drawn.truth, &learn(&drawn.data, &options(), &Run::default()).unwrap().dag)
                .unwrap()
        })
        .sum();
    assert!(far <= 1, "{far}");
}

#[test]
fn most_of_the_edges_are_found_from_the_reversed_order() {
    let mut far = 0;
    for drawn in six_tables() {
        let problem = Problem::new(&drawn.data.moments(), true).unwrap();
        let start = reversed(&drawn.truth);
        let found = Refine::NETWORKS
            .search(&Task::new(&problem, &Run::default()).with_rows(&drawn.data), &start)
            .unwrap();
        assert!(found.score_after < found.score_before && found.moves > 0);
        let (ranks, parents) = (found.order.ranks(), found.parents.unwrap());
        let edge = |i: usize, j: usize| f64::from(u8::from(parents[j].contains(&i)));
        let dag = Dag::new(Mat::from_fn(5, 5, edge)).unwrap();
        assert!(dag.edges().all(|(i, j, _)| ranks[i] < ranks[j]));
        far += shd(&drawn.truth, &dag).unwrap();
    }
    // Where nothing is right at first, some tables end at another optimum.
    assert!(far <= 8, "{far}");
}

#[test]
fn effects_that_are_not_additive_are_found() {
    // y = sin(2 x1 + 2 x2): neither alone says much.
    let n = 1500;
    let spread = |i: usize, by: f64| (i as f64 * by).fract() * 4.0 - 2.0;
    let noise = |i: usize| 0.2 * spread(i, 0.732_050_807);
    let values = Mat::from_fn(n, 3, |i, j| {
        let x = [spread(i, 0.618_033_988), spread(i, 0.414_213_562)];
        if j < 2 { x[j] } else { (2.0 * (x[0] + x[1])).sin() + noise(i) }
    });
    let data = Dataset::new(Dataset::default_names(3), values).unwrap();
    let fit = learn(&data, &options(), &Run::default()).unwrap();
    assert_eq!(edges(&fit), [(0, 2), (1, 2)]);
    assert_eq!(fit.determines, Determines::Graph);
}

#[test]
fn it_beats_the_order_it_starts_from() {
    let (mut before, mut after) = (0, 0);
    for seed in 11..=13 {
        let drawn = drawn(Mechanism::DagGnn1, 6, 800, seed);
        let distance = |options: &Options| {
            shd(&drawn.truth, &learn(&drawn.data, options, &Run::default()).unwrap().dag).unwrap()
        };
        before += distance(&Options { refine: None, ..options() });
        after += distance(&options());
    }
    assert!(after <= 2 && after < before, "{before} {after}");
}

#[test]
fn results_do_not_depend_on_threads_or_units() {
    let drawn = drawn(Mechanism::Nonlinear3, 5, 400, 4);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn(&drawn.data, &options(), &Run::default()).unwrap())
    };
    let (one, two) = (on(1), on(2));
    assert_eq!(one.dag, two.dag);
    assert_eq!(one.order, two.order);
    // Powers of two leave all digits as they are; the order of eq-td would change.
    let values = drawn.data.values();
    let scaled =
        Mat::from_fn(values.nrows(), 5, |i, j| values[(i, j)] * [64.0, 1.0, 0.125, 8.0, 2.0][j]);
    let scaled = Dataset::new(drawn.data.names().to_vec(), scaled).unwrap();
    let started = |data: &Dataset| {
        let problem = Problem::new(&data.moments(), true).unwrap();
        let start = Order::strict(&[3, 1, 4, 0, 2]);
        Refine::NETWORKS
            .search(&Task::new(&problem, &Run::default()).with_rows(data), &start)
            .unwrap()
    };
    let (plain, scaled) = (started(&drawn.data), started(&scaled));
    assert_eq!(plain.parents, scaled.parents);
    assert_eq!(plain.score_after, scaled.score_after);
}

#[test]
fn what_is_known_is_kept() {
    let drawn = drawn(Mechanism::Nonlinear3, 5, 300, 2);
    let name = |i: usize| drawn.data.names()[i].clone();
    let order = Order::of_dag(&drawn.truth).sequence();
    let (first, last) = (name(order[0]), name(order[4]));
    let knowledge = KnowledgeSpec {
        required: vec![(last.clone(), first.clone())],
        forbidden: vec![(name(order[1]), name(order[2]))],
        tiers: vec![Tier::new([last]), Tier::new([first])],
        ..KnowledgeSpec::default()
    };
    let resolved = knowledge.resolve(drawn.data.names()).unwrap();
    let fit = learn(&drawn.data, &Options { knowledge, ..options() }, &Run::default()).unwrap();
    assert_eq!(resolved.is_satisfied_by(&fit.dag), Ok(()));
    assert!(fit.dag.edges().any(|(i, j, _)| (i, j) == (order[4], order[0])));
}

#[test]
fn moments_few_rows_and_other_rows_are_refused() {
    let drawn = drawn(Mechanism::Nonlinear3, 5, 200, 1);
    let error = learn(&drawn.data.moments(), &options(), &Run::default()).unwrap_err();
    assert!(matches!(error, Error::NeedsRows { .. }), "{error}");
    assert!(error.to_string().contains("`refine = networks` needs the rows"), "{error}");
    let few = Mat::from_fn(34, 5, |i, j| drawn.data.values()[(i, j)]);
    let few = Dataset::new(drawn.data.names().to_vec(), few).unwrap();
    let error = learn(&few, &options(), &Run::default()).unwrap_err();
    assert!(matches!(error, Error::TooFewRows { rows: 34, needed: 35 }), "{error}");
    let problem = Problem::new(&drawn.data.moments(), true).unwrap();
    let start = Order::strict(&[0, 1, 2, 3, 4]);
    let error = Refine::NETWORKS
        .search(&Task::new(&problem, &Run::default()).with_rows(&few), &start)
        .unwrap_err();
    assert!(matches!(error, Error::DifferentRows { .. }), "{error}");
}

#[test]
fn it_can_be_stopped() {
    let drawn = drawn(Mechanism::Nonlinear3, 5, 200, 1);
    let problem = Problem::new(&drawn.data.moments(), true).unwrap();
    let start = Order::strict(&[0, 1, 2, 3, 4]);
    let result = Refine::NETWORKS.search(
        &Task::new(&problem, &Run::default().stopped_by(&AtomicBool::new(true)))
            .with_rows(&drawn.data),
        &start,
    );
    assert!(matches!(result, Err(Error::Cancelled)));
}

#[test]
fn directions_of_straight_effects_are_left_open() {
    let drawn = drawn(Mechanism::Linear, 5, 800, 2);
    let fit = learn(&drawn.data, &options(), &Run::default()).unwrap();
    assert!(fit.dag.edge_count() > 0);
    assert_eq!(fit.determined, fit.class);
}
