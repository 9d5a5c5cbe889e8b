//! Search over orders with many variables, where each is looked at with those near it alone.

use nocurl::internals::objective::least_squares;
use nocurl::methods::OrderSearch;
use nocurl::simulate::{Simulated, Simulation, simulate};
use nocurl::{Algorithm, Dag, Fit, Moments, Options, Pdag, Run, learn};

use crate::fges::score;

fn table(variables: usize, rows: usize, seed: u64) -> Simulated {
    let degree = 2.0;
    let simulation =
        Simulation { variables, degree, rows, standardize: true, ..Simulation::default() };
    simulate(&simulation, seed).unwrap()
}

fn search(moments: &Moments, restarts: u64) -> Fit {
    let method = OrderSearch { restarts: Some(restarts), ..OrderSearch::default() };
    let options = Options { algorithm: Algorithm::from(method), ..Options::default() };
    learn(moments, &options, &Run::default()).unwrap()
}

/// The extended criterion as a multiple of log n.
fn penalty(moments: &Moments) -> f64 {
    1.0 + 2.0 * (moments.columns() as f64).ln() / (moments.rows() as f64).ln()
}

#[test]
fn it_ends_no_worse_than_at_the_truth() {
    for seed in 0..2 {
        let simulated = table(210, 1000, seed);
        let moments = simulated.data.moments();
        let found = search(&moments, 300);
        let value = |dag: &Dag| score(&moments, dag, penalty(&moments));
        assert!(value(&found.dag) <= value(&simulated.truth) + 1e-6, "seed {seed}");
        let truth = Pdag::class_of(&simulated.truth);
        let common = truth.directed().filter(|&(i, j)| found.class.has_directed(i, j)).count()
            + truth.undirected().filter(|&(i, j)| found.class.has_undirected(i, j)).count();
        let edges = simulated.truth.edge_count();
        assert!(common * 100 >= edges * 95, "{common} of {edges}, seed {seed}");
    }
}

#[test]
fn no_parent_that_pays_is_left_out_though_it_was_not_near() {
    let moments = table(205, 300, 5).data.moments();
    let found = search(&moments, 20);
    let own = score(&moments, &found.dag, penalty(&moments));
    let order = found.dag.order();
    for (place, &j) in order.iter().enumerate().step_by(7) {
        for &i in order[..place].iter().step_by(3).filter(|&&i| !found.dag.has_edge(i, j)) {
            let edges = found.dag.edges().map(|(from, to, _)| (from, to)).chain([(i, j)]);
            let more = Dag::from_edges(205, &edges.collect::<Vec<_>>()).unwrap();
            assert!(score(&moments, &more, penalty(&moments)) >= own - 1e-6, "{i} -> {j}");
        }
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let moments = table(220, 250, 7).data.moments();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| search(&moments, 100));
        (found.order, found.dag.weights().to_owned())
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
}

#[test]
fn fewer_rows_than_variables_are_no_obstacle() {
    let simulated = table(300, 150, 3);
    let moments = simulated.data.moments();
    let found = search(&moments, 100);
    let weak = found
        .dag
        .edges()
        .filter(|&(i, j, _)| !simulated.truth.has_edge(i, j) && !simulated.truth.has_edge(j, i));
    assert!(weak.count() * 10 <= found.dag.edge_count(), "few edges are false");
    // The loss is that of the data, not of moments that were shrunk.
    let s = moments.second_moments(true);
    let loss = least_squares(s.as_ref(), found.dag.weights());
    assert!((found.loss - loss).abs() < 1e-9 * loss);
}
