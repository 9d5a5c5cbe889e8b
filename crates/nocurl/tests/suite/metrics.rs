//! Distances against independent implementations, by hand and by their laws.

use nocurl::metrics::{
    compare, compare_as, compare_partially_directed, cpdag_shd, delta_f, shd, sid,
};
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Dag, Determines, Mat, Pdag};
use proptest::prelude::*;

const SACHS: [(&str, usize); 2] = [
    (include_str!("../../../../data/sachs-20.csv"), 20),
    (include_str!("../../../../data/sachs-17.csv"), 17),
];

fn graph(d: usize, edges: &[(usize, usize)]) -> Dag {
    Dag::from_edges(d, edges).unwrap()
}

fn random_graph(variables: usize, share: f64, seed: u64) -> Dag {
    let degree = share * (variables - 1) as f64;
    let simulation = Simulation { variables, degree, rows: 1, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().truth
}

#[derive(serde::Deserialize)]
struct Case {
    variables: usize,
    truth: Vec<(usize, usize)>,
    estimate: Vec<(usize, usize)>,
    shd: usize,
    sid: usize,
    cpdag_shd: usize,
}

#[test]
fn distances_agree_with_gadjid_and_causal_learn() {
    let text = include_str!("../../../../testdata/metrics/distances.json");
    let cases: Vec<Case> = serde_json::from_str(text).unwrap();
    assert_eq!(cases.len(), 60);
    for (number, case) in cases.iter().enumerate() {
        let truth = graph(case.variables, &case.truth);
        let estimate = graph(case.variables, &case.estimate);
        let found = compare(&truth, &estimate).unwrap();
        assert_eq!(
            (found.shd, found.sid.unwrap(), found.cpdag_shd),
            (case.shd, case.sid, case.cpdag_shd),
            "case {number}"
        );
    }
}

#[test]
fn rates_follow_their_formulae() {
    // Correct 0 -> 1 and 3 -> 4, reversed 1 -> 2, missing 2 -> 3, extra 0 -> 4.
    let truth = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
    let estimate = graph(5, &[(0, 1), (2, 1), (3, 4), (0, 4)]);
    let found = compare(&truth, &estimate).unwrap();
    assert_eq!((found.extra, found.missing, found.reversed, found.shd), (1, 1, 1, 3));
    assert_eq!((found.true_edges, found.estimated_edges), (4, 4));
    assert_eq!((found.fdr, found.tpr, found.fpr), (0.5, 0.5, 2.0 / 6.0));
    assert_eq!((found.precision, found.recall, found.f1), (0.5, 0.5, 0.5));
    assert_eq!(
        (found.skeleton_precision, found.skeleton_recall, found.skeleton_f1),
        (0.75, 0.75, 0.75)
    );
}

#[test]
fn empty_and_full_graphs_have_finite_rates() {
    let empty = Dag::empty(3);
    let full = graph(3, &[(0, 1), (0, 2), (1, 2)]);
    let turned = graph(3, &[(1, 0), (2, 0), (2, 1)]);
    let nothing = compare(&empty, &empty).unwrap();
    assert_eq!((nothing.fdr, nothing.tpr, nothing.fpr, nothing.f1), (0.0, 0.0, 0.0, 1.0));
    let missed = compare(&full, &empty).unwrap();
    assert_eq!((missed.shd, missed.precision, missed.f1, missed.skeleton_f1), (3, 0.0, 0.0, 0.0));
    // No pair is without a true edge: the denominator of the false positive rate is 1.
    let reversed = compare(&full, &turned).unwrap();
    assert_eq!((reversed.reversed, reversed.fdr, reversed.fpr), (3, 1.0, 3.0));
    assert_eq!((reversed.skeleton_f1, reversed.cpdag_shd, reversed.sid), (1.0, 0, Some(6)));
}

#[test]
fn graphs_of_different_size_are_refused_in_one_line() {
    let (two, three) = (Dag::empty(2), Dag::empty(3));
    let expected = "graphs to compare: the truth has 2 variables, the estimate 3; compare \
                    graphs of the same variables";
    assert_eq!(compare(&two, &three).unwrap_err().to_string(), expected);
    assert_eq!(shd(&two, &three).unwrap_err().to_string(), expected);
    assert_eq!(sid(&two, &three).unwrap_err().to_string(), expected);
    let error = cpdag_shd(&Pdag::class_of(&two), &Pdag::class_of(&three)).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_undetermined_direction_contradicts_nothing() {
    let truth = Dag::from_edges(3, &[(0, 1), (1, 2)]).unwrap();
    let estimate = Dag::from_edges(3, &[(0, 1), (1, 2), (0, 2)]).unwrap();
    assert_eq!(compare(&truth, &estimate).unwrap().shd, 1);
    let turned = Dag::from_edges(3, &[(1, 0), (2, 1)]).unwrap();
    // The given graph decides, not the class of the estimate, which has no directed edge here.
    let half = Pdag::new(3, &[(1, 0)], &[(1, 2)]).unwrap();
    let scores = compare_as(&truth, &turned, &half, Determines::Class).unwrap();
    assert_eq!((scores.shd, scores.reversed, scores.cpdag_shd), (1, 1, 0));
    assert_eq!(scores.sid, compare(&truth, &turned).unwrap().sid);
    let none = Pdag::new(3, &[], &[(0, 1), (1, 2)]).unwrap();
    let with = |determines| compare_as(&truth, &turned, &none, determines).unwrap().reversed;
    assert_eq!((with(Determines::Class), with(Determines::Skeleton)), (0, 2));
    assert!(compare_as(&truth, &turned, &Pdag::of_dag(&Dag::empty(2)), Determines::Class).is_err());
}

#[test]
fn partially_directed_graphs_are_compared_pair_by_pair() {
    let graph = |directed: &[_], undirected: &[_]| Pdag::new(4, directed, undirected).unwrap();
    let truth = graph(&[(0, 1), (2, 1)], &[(2, 3)]);
    let with = |estimate: &Pdag, determines| {
        let found = compare_partially_directed(&truth, estimate, determines).unwrap();
        assert_eq!(found.sid, None);
        (found.shd, found.extra, found.missing, found.reversed, found.cpdag_shd)
    };
    assert_eq!(with(&truth, Determines::Class), (0, 0, 0, 0, 0));
    // 1 -> 0 contradicts, 3 -> 2 does not, 0 - 3 is extra and 1 - 2 missing.
    let estimate = graph(&[(1, 0), (3, 2)], &[(0, 3)]);
    assert_eq!(with(&estimate, Determines::Class), (3, 1, 1, 1, 4));
    // Of a skeleton only the direction that the truth determines is missed.
    let skeleton = graph(&[], &[(0, 1), (2, 3)]);
    assert_eq!(with(&skeleton, Determines::Skeleton), (2, 0, 1, 1, 2));
    // A graph whose edges are all directed stands for its class, which is the truth here.
    let dag = graph(&[(0, 1), (2, 1), (2, 3)], &[]);
    assert_eq!(with(&dag, Determines::Graph), (0, 0, 0, 0, 0));
    let cycle = graph(&[(0, 1), (1, 2), (2, 0)], &[]);
    assert!(compare_partially_directed(&cycle, &truth, Determines::Graph).is_err());
    let small = Pdag::new(3, &[], &[]).unwrap();
    let error = compare_partially_directed(&truth, &small, Determines::Graph).unwrap_err();
    assert_eq!(error, nocurl::Error::DifferentSizes { truth: 4, estimate: 3 });
}

#[test]
fn intervention_distance_of_the_authors_example() {
    // Peters and Buhlmann (2015), Example 1: X1, X2 cause Y1, Y2, Y3; X1 causes X2.
    let (x1, x2) = (0, 1);
    let effects = [(x1, 2), (x1, 3), (x1, 4), (x2, 2), (x2, 3), (x2, 4)];
    let with = |extra: (usize, usize)| graph(5, &[&effects[..], &[extra]].concat());
    let truth = with((x1, x2));
    // One edge among the effects is harmless, the reversed cause is wrong in eight pairs: both are
    // one step in the structural Hamming distance.
    let harmless = graph(5, &[&effects[..], &[(x1, x2), (2, 3)]].concat());
    assert_eq!((shd(&truth, &harmless).unwrap(), sid(&truth, &harmless).unwrap()), (1, 0));
    let turned = with((x2, x1));
    assert_eq!((shd(&truth, &turned).unwrap(), sid(&truth, &turned).unwrap()), (1, 8));
}

#[test]
fn delta_f_is_the_difference_of_losses() {
    let second_moments = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 1.0 });
    let mut weights = Mat::zeros(2, 2);
    weights[(0, 1)] = 0.5;
    let empty = Mat::zeros(2, 2);
    // F(0) = 2; the best 0 -> 1 explains 1^2 / 2 of the variance of 1, half of it in F.
    let gain = delta_f(second_moments.as_ref(), weights.as_ref(), empty.as_ref());
    assert!((gain + 0.25).abs() < 1e-15, "{gain}");
    assert_eq!(delta_f(second_moments.as_ref(), weights.as_ref(), weights.as_ref()), 0.0);
}

#[test]
fn sachs_graphs_are_acyclic_and_name_the_columns_of_the_table() {
    let table = include_str!("../../../../data/sachs.csv");
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!((names.len(), table.lines().count()), (11, 7467));
    let graphs = SACHS.map(|(text, count)| {
        assert_eq!(text.lines().next(), Some("from,to"));
        let index = |name| names.iter().position(|&known| known == name).unwrap();
        let edges: Vec<_> = text
            .lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap())
            .map(|(from, to)| (index(from), index(to)))
            .collect();
        let dag = graph(11, &edges);
        assert_eq!(dag.edge_count(), count);
        assert_eq!(shd(&dag, &Dag::empty(11)).unwrap(), count);
        dag
    });
    // The smaller graph turns pip3 -> plc and lacks three edges of the larger one.
    let found = compare(&graphs[0], &graphs[1]).unwrap();
    assert_eq!((found.extra, found.missing, found.reversed), (0, 3, 1));
}

#[test]
fn comparison_is_written_with_its_names() {
    let found = compare(&graph(2, &[(0, 1)]), &Dag::empty(2)).unwrap();
    let text = serde_json::to_value(found).unwrap();
    assert_eq!((&text["shd"], &text["cpdag_shd"]), (&1.into(), &1.into()));
    assert_eq!(text["sid"], 1);
}

/// Valid adjustment by the definition, path by path: the slow counterpart of [`sid`].
fn sid_by_paths(truth: &Dag, estimate: &Dag) -> usize {
    let d = truth.size();
    let reach = nocurl::graph::Reachability::new(truth.weights());
    let descends = |from: usize, to: usize| from == to || reach.reaches(from, to);
    let wrong = |i: usize, j: usize| {
        let adjustment: Vec<usize> = estimate.parents(i).collect();
        if adjustment.contains(&j) {
            return descends(i, j);
        }
        let forbidden = (0..d).any(|w| {
            reach.reaches(i, w) && descends(w, j) && adjustment.iter().any(|&z| descends(w, z))
        });
        forbidden || open_path(truth, &descends, &adjustment, &mut vec![i], j)
    };
    (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).filter(|&(i, j)| i != j && wrong(i, j)).count()
}

/// Whether some path that goes on from `path` to `end`, and is not directed, is open.
fn open_path(
    dag: &Dag,
    descends: &impl Fn(usize, usize) -> bool,
    given: &[usize],
    path: &mut Vec<usize>,
    end: usize,
) -> bool {
    let at = path[path.len() - 1];
    if at == end {
        let directed = path.windows(2).all(|step| dag.has_edge(step[0], step[1]));
        let open = path.windows(3).all(|step| {
            let collider = dag.has_edge(step[0], step[1]) && dag.has_edge(step[2], step[1]);
            if collider {
                given.iter().any(|&z| descends(step[1], z))
            } else {
                !given.contains(&step[1])
            }
        });
        return open && !directed;
    }
    (0..dag.size()).any(|next| {
        if path.contains(&next) || !(dag.has_edge(at, next) || dag.has_edge(next, at)) {
            return false;
        }
        path.push(next);
        let found = open_path(dag, descends, given, path, end);
        path.pop();
        found
    })
}

proptest! {
    #[test]
    fn hamming_distance_is_a_metric(
        variables in 2..12usize, share in 0.0..1.0f64, a: u64, b: u64, c: u64,
    ) {
        let [x, y, z] = [a, b, c].map(|seed| random_graph(variables, share, seed));
        let distance = |p: &Dag, q: &Dag| shd(p, q).unwrap();
        prop_assert_eq!(distance(&x, &y), distance(&y, &x));
        prop_assert!(distance(&x, &z) <= distance(&x, &y) + distance(&y, &z));
        let same = x.edges().map(|e| (e.0, e.1)).eq(y.edges().map(|e| (e.0, e.1)));
        prop_assert_eq!(distance(&x, &y) == 0, same);
        prop_assert_eq!(distance(&x, &x), 0);
        let complete = [&x, &y, &z].map(Pdag::class_of);
        let distance = |p: usize, q: usize| cpdag_shd(&complete[p], &complete[q]).unwrap();
        prop_assert_eq!(distance(0, 1), distance(1, 0));
        prop_assert!(distance(0, 2) <= distance(0, 1) + distance(1, 2));
        prop_assert_eq!(distance(0, 1) == 0, complete[0] == complete[1]);
    }

    #[test]
    fn counts_add_up(variables in 2..15usize, share in 0.0..1.0f64, a: u64, b: u64) {
        let (truth, estimate) = (random_graph(variables, share, a), random_graph(variables, share, b));
        let found = compare(&truth, &estimate).unwrap();
        prop_assert_eq!(found.extra + found.missing + found.reversed, found.shd);
        prop_assert_eq!(found.shd, shd(&truth, &estimate).unwrap());
        prop_assert_eq!(found.true_edges, truth.edge_count());
        prop_assert_eq!(found.estimated_edges, estimate.edge_count());
        prop_assert!(found.sid.unwrap() <= variables * (variables - 1));
        let backward = compare(&estimate, &truth).unwrap();
        prop_assert_eq!(
            (found.extra, found.reversed, found.precision, found.skeleton_precision),
            (backward.missing, backward.reversed, backward.recall, backward.skeleton_recall)
        );
        if found.estimated_edges > 0 {
            prop_assert!((found.fdr + found.precision - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn intervention_distance_agrees_with_its_definition(
        variables in 2..8usize, share in 0.0..1.0f64, a: u64, b: u64,
    ) {
        let (truth, estimate) = (random_graph(variables, share, a), random_graph(variables, share, b));
        prop_assert_eq!(sid(&truth, &truth).unwrap(), 0);
        prop_assert_eq!(sid(&truth, &estimate).unwrap(), sid_by_paths(&truth, &estimate));
        // A full graph that respects the order of the truth gets every effect right.
        let order = truth.order();
        let pairs = (0..variables).flat_map(|q| (0..q).map(move |p| (p, q)));
        let full: Vec<_> = pairs.map(|(p, q)| (order[p], order[q])).collect();
        prop_assert_eq!(sid(&truth, &graph(variables, &full)).unwrap(), 0);
    }
}
