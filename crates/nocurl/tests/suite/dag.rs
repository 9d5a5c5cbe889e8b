//! Graphs without cycles, and orders with ties.

use nocurl::graph::Reachability;
use nocurl::{Dag, Error, Mat, Order};
use proptest::prelude::*;

/// Graphs of 1 to 9 variables from sparse to dense, self-loops included, of every kind of weight.
fn graphs() -> impl Strategy<Value = Mat<f64>> {
    (1usize..10, 0.0..0.5f64).prop_flat_map(|(d, density)| {
        let entry = (0.0..1.0f64, prop_oneof![Just(1.0), Just(-1e-300), Just(f64::NAN)]);
        prop::collection::vec(entry, d * d).prop_map(move |entries| {
            Mat::from_fn(d, d, |i, j| {
                let (draw, weight) = entries[i * d + j];
                if draw < density { weight } else { 0.0 }
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn accepted_exactly_when_acyclic(weights in graphs()) {
        let d = weights.nrows();
        let cyclic = Reachability::new(weights.as_ref()).is_cyclic();
        match Dag::new(weights.clone()) {
            Ok(dag) => {
                prop_assert!(!cyclic);
                let mut place = vec![usize::MAX; d];
                for (k, &v) in dag.order().iter().enumerate() {
                    place[v] = k;
                }
                prop_assert!(place.iter().all(|&k| k < d), "an order of all variables");
                let mut count = 0;
                for j in 0..d {
                    for i in 0..d {
                        if weights[(i, j)] != 0.0 {
                            prop_assert!(place[i] < place[j], "{} -> {}", i, j);
                            count += 1;
                        }
                    }
                }
                prop_assert_eq!(dag.edge_count(), count);
                for (i, j, _) in dag.edges() {
                    prop_assert!(dag.has_edge(i, j));
                    prop_assert!(dag.parents(j).any(|p| p == i));
                    prop_assert!(dag.children(i).any(|c| c == j));
                }
            }
            Err(Error::Cycle { names }) => {
                prop_assert!(cyclic);
                let cycle: Vec<usize> =
                    names.iter().map(|name| name[1..].parse::<usize>().unwrap() - 1).collect();
                prop_assert!(!cycle.is_empty());
                for (k, &i) in cycle.iter().enumerate() {
                    let next = cycle[(k + 1) % cycle.len()];
                    prop_assert!(weights[(i, next)] != 0.0, "{} -> {} of {:?}", i, next, cycle);
                    prop_assert!(!cycle[..k].contains(&i), "{:?} repeats itself", cycle);
                }
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn orders_follow_the_potential(
        potential in prop::collection::vec(
            prop_oneof![Just(0.0), Just(-0.0), Just(1.0), Just(-2.5), -1.0..1.0f64],
            0..10,
        ),
    ) {
        let d = potential.len();
        let order = Order::from_potential(&potential);
        let ranks = order.ranks();
        prop_assert_eq!((order.size(), ranks.len()), (d, d));
        for i in 0..d {
            for j in 0..d {
                prop_assert_eq!(ranks[i] < ranks[j], potential[i] < potential[j]);
                prop_assert_eq!(ranks[i] == ranks[j], potential[i] == potential[j]);
            }
        }
        for place in order.places() {
            prop_assert!(place.windows(2).all(|w| w[0] < w[1]), "{:?} by index", place);
        }
        prop_assert_eq!(order.is_strict(), order.places().len() == d);
        let mut sequence = order.sequence();
        sequence.sort_unstable();
        prop_assert_eq!(sequence, (0..d).collect::<Vec<_>>());
    }
}

#[test]
fn potentials_without_meaning_still_give_an_order() {
    let order = Order::from_potential(&[f64::NAN, 1.0, f64::NAN, f64::NEG_INFINITY]);
    assert_eq!(order.sequence(), [3, 1, 0, 2]);
}

#[test]
fn order_of_a_graph_puts_parents_first() {
    let dag = Dag::from_edges(4, &[(3, 1), (1, 0), (3, 2)]).unwrap();
    let order = Order::of_dag(&dag);
    assert!(order.is_strict());
    assert_eq!(order.sequence(), [3, 1, 0, 2]);
    assert_eq!(order.ranks(), [2, 1, 3, 0]);
    assert_eq!(Order::strict(&[2, 0, 1]).ranks(), [1, 2, 0]);
}
