//! Reachability against a naive transitive closure.

use nocurl::Mat;
use nocurl::graph::Reachability;
use proptest::prelude::*;

/// Warshall's closure of paths of one or more edges.
fn closure(a: &Mat<f64>) -> Vec<Vec<bool>> {
    let d = a.nrows();
    let mut c: Vec<Vec<bool>> =
        (0..d).map(|i| (0..d).map(|j| a[(i, j)] != 0.0).collect()).collect();
    for k in 0..d {
        for i in 0..d {
            for j in 0..d {
                c[i][j] |= c[i][k] && c[k][j];
            }
        }
    }
    c
}

fn check(a: &Mat<f64>) {
    let d = a.nrows();
    let (reach, expected) = (Reachability::new(a.as_ref()), closure(a));
    assert_eq!(reach.size(), d);
    for (i, row) in expected.iter().enumerate() {
        for (j, &reached) in row.iter().enumerate() {
            assert_eq!(reach.reaches(i, j), reached, "{i} -> {j}");
        }
        assert_eq!(reach.reached_count(i), row.iter().filter(|&&r| r).count());
    }
    assert_eq!(reach.is_cyclic(), (0..d).any(|i| expected[i][i]));

    // Components: each variable once, mutual reachability inside, no way back to earlier ones.
    let mut place = vec![usize::MAX; d];
    for (index, component) in reach.components().iter().enumerate() {
        assert!(!component.is_empty());
        for &i in component {
            assert_eq!(std::mem::replace(&mut place[i], index), usize::MAX);
        }
    }
    for i in 0..d {
        assert_ne!(place[i], usize::MAX);
        for j in 0..d {
            let mutual = i == j || (expected[i][j] && expected[j][i]);
            assert_eq!(place[i] == place[j], mutual, "{i}, {j}");
            assert!(!expected[i][j] || place[i] <= place[j], "{i} -> {j}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Sparse and dense graphs on both sides of the 64 bits of a word, self-loops included.
    #[test]
    fn reachability_is_the_transitive_closure(
        d in prop_oneof![1..12usize, 60..70usize, 125..131usize],
        per_vertex in 0.0f64..3.0,
        edges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 400),
    ) {
        let mut a = Mat::zeros(d, d);
        for (i, j) in edges.iter().take((per_vertex * d as f64) as usize) {
            a[(i.index(d), j.index(d))] = -1.5;
        }
        check(&a);
    }
}

#[test]
fn chains_rings_and_empty_graphs() {
    for d in [0, 1, 2, 63, 64, 65, 129] {
        check(&Mat::zeros(d, d));
        check(&Mat::from_fn(d, d, |i, j| f64::from(u8::from(j == i + 1))));
        check(&Mat::from_fn(d, d, |i, j| f64::from(u8::from(i == j + 1))));
        check(&Mat::from_fn(d, d, |i, j| f64::from(u8::from(j == (i + 1) % d))));
        check(&Mat::from_fn(d, d, |_, _| 1.0));
    }
}

#[test]
fn a_path_of_many_variables_does_not_exhaust_the_stack() {
    let d = 3000;
    let mut a = Mat::zeros(d, d);
    for i in 1..d {
        a[(i, i - 1)] = 1.0;
    }
    let reach = Reachability::new(a.as_ref());
    assert_eq!((reach.reached_count(d - 1), reach.reached_count(0)), (d - 1, 0));
    assert_eq!(reach.components()[0], [d - 1]);
}
