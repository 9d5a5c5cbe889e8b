//! Completed graphs against brute force over all graphs of four and five variables.

use std::collections::BTreeMap;

use nocurl::simulate::{GraphFamily, Simulation, simulate};
use nocurl::{Dag, Pdag};
use proptest::prelude::*;

/// Adjacencies and v-structures: what a Markov equivalence class is made of.
type Class = (Vec<(usize, usize)>, Vec<(usize, usize, usize)>);

fn class_of(dag: &Dag) -> Class {
    let d = dag.size();
    let adjacent = |i, j| dag.has_edge(i, j) || dag.has_edge(j, i);
    let mut colliders = Vec::new();
    for k in 0..d {
        for i in dag.parents(k) {
            colliders
                .extend(dag.parents(k).filter(|&j| i < j && !adjacent(i, j)).map(|j| (i, k, j)));
        }
    }
    let pairs = (0..d).flat_map(|j| (0..j).map(move |i| (i, j)));
    (pairs.filter(|&(i, j)| adjacent(i, j)).collect(), colliders)
}

/// Every acyclic graph on `d` variables.
fn all_dags(d: usize) -> Vec<Dag> {
    let pairs: Vec<_> = (0..d).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    (0..3usize.pow(pairs.len() as u32))
        .filter_map(|mut code| {
            let mut edges = Vec::new();
            for &(i, j) in &pairs {
                match code % 3 {
                    0 => {}
                    1 => edges.push((i, j)),
                    _ => edges.push((j, i)),
                }
                code /= 3;
            }
            Dag::from_edges(d, &edges).ok()
        })
        .collect()
}

fn classes(d: usize) -> BTreeMap<Class, Vec<Dag>> {
    let mut classes: BTreeMap<Class, Vec<Dag>> = BTreeMap::new();
    all_dags(d).into_iter().for_each(|dag| classes.entry(class_of(&dag)).or_default().push(dag));
    classes
}

/// The union of the graphs: an edge is directed when all of them agree.
fn union(members: &[&Dag]) -> Pdag {
    let (mut directed, mut undirected) = (Vec::new(), Vec::new());
    for (i, j, _) in members[0].edges() {
        if members.iter().all(|dag| dag.has_edge(i, j)) {
            directed.push((i, j));
        } else {
            undirected.push((i, j));
        }
    }
    Pdag::new(members[0].size(), &directed, &undirected).unwrap()
}

/// The adjacencies with only the v-structures directed.
fn pattern(dag: &Dag) -> Pdag {
    let (adjacencies, colliders) = class_of(dag);
    let mut directed: Vec<_> = colliders.iter().flat_map(|&(i, k, j)| [(i, k), (j, k)]).collect();
    directed.sort_unstable();
    directed.dedup();
    let undirected: Vec<_> = adjacencies
        .into_iter()
        .filter(|&(i, j)| !directed.contains(&(i, j)) && !directed.contains(&(j, i)))
        .collect();
    Pdag::new(dag.size(), &directed, &undirected).unwrap()
}

#[test]
fn small_graphs_complete_as_known() {
    let complete = |d, edges: &[_]| Pdag::class_of(&Dag::from_edges(d, edges).unwrap());
    assert_eq!(complete(3, &[(0, 1), (1, 2)]), Pdag::new(3, &[], &[(0, 1), (1, 2)]).unwrap());
    assert_eq!(complete(3, &[(0, 1), (2, 1)]), Pdag::new(3, &[(0, 1), (2, 1)], &[]).unwrap());
    // The collider 0 -> 2 <- 1 forces 2 -> 3.
    let forced = [(0, 2), (1, 2), (2, 3)];
    assert_eq!(complete(4, &forced), Pdag::new(4, &forced, &[]).unwrap());
    // A complete graph has nothing to tell its directions from.
    let full = complete(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    assert_eq!((full.directed().count(), full.undirected().count()), (0, 6));
    assert_eq!(Pdag::class_of(&Dag::empty(2)), Pdag::new(2, &[], &[]).unwrap());
}

#[test]
fn every_graph_of_up_to_five_variables_completes_to_the_union_of_its_class() {
    // Numbers of labelled graphs and classes: OEIS A003024 and A007984.
    for (d, graphs, sets) in [(2, 3, 2), (3, 25, 11), (4, 543, 185), (5, 29281, 8782)] {
        let classes = classes(d);
        assert_eq!(classes.values().map(Vec::len).sum::<usize>(), graphs);
        assert_eq!(classes.len(), sets);
        for members in classes.values() {
            let expected = union(&members.iter().collect::<Vec<_>>());
            for member in members {
                assert_eq!(Pdag::class_of(member), expected, "{member:?}");
            }
            let mut closed = pattern(&members[0]);
            closed.apply_meek_rules();
            assert_eq!(closed, expected, "Meek's rules complete the v-structures");
            assert!(members.contains(&expected.to_dag().unwrap()));
        }
    }
}

#[test]
fn meek_rules_draw_every_conclusion_from_known_directions() {
    for members in classes(4).values().chain(classes(5).values().step_by(7)) {
        let base = Pdag::class_of(&members[0]);
        let directed: Vec<_> = base.directed().collect();
        let undirected: Vec<_> = base.undirected().collect();
        // Any set of directions that at least one member has: each pair unknown or as in the member.
        for known in 0..1usize << undirected.len().min(4) {
            let member = &members[known % members.len()];
            let (mut arrows, mut lines) = (directed.clone(), Vec::new());
            for (bit, &(i, j)) in undirected.iter().enumerate() {
                if known >> bit & 1 == 0 {
                    lines.push((i, j));
                } else {
                    arrows.push(if member.has_edge(i, j) { (i, j) } else { (j, i) });
                }
            }
            let agreeing: Vec<&Dag> = members
                .iter()
                .filter(|dag| arrows.iter().all(|&(i, j)| dag.has_edge(i, j)))
                .collect();
            let mut closed = Pdag::new(base.size(), &arrows, &lines).unwrap();
            closed.apply_meek_rules();
            assert_eq!(closed, union(&agreeing));
            assert!(agreeing.contains(&&closed.to_dag().unwrap()));
        }
    }
}

#[test]
fn graphs_without_a_member_are_refused() {
    let refused = |directed: &[_], undirected: &[_]| {
        let error = Pdag::new(4, directed, undirected).unwrap().to_dag().unwrap_err().to_string();
        assert!(error.contains("no acyclic graph") && !error.contains('\n'), "{error}");
    };
    // A square without a chord: any direction makes a v-structure or a cycle.
    refused(&[], &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    refused(&[(0, 1), (1, 2), (2, 0)], &[]);
}

#[test]
fn malformed_edges_are_refused() {
    let error = Pdag::new(3, &[(0, 3)], &[]).unwrap_err();
    assert_eq!(error, nocurl::Error::InvalidEdge { from: 0, to: 3, variables: 3 });
    assert!(Pdag::new(3, &[], &[(1, 1)]).is_err());
    assert!(Pdag::new(3, &[(0, 1)], &[(1, 0)]).is_err());
}

proptest! {
    #[test]
    fn members_share_class_and_completion(
        variables in 2..40usize, share in 0.0..0.6f64, sf: bool, seed: u64,
    ) {
        let simulation = Simulation {
            graph: if sf && variables > 4 { GraphFamily::Sf } else { GraphFamily::Er },
            degree: if sf && variables > 4 { 4.0 } else { share * (variables - 1) as f64 },
            variables,
            rows: 1,
            ..Simulation::default()
        };
        let truth = simulate(&simulation, seed).unwrap().truth;
        let complete = Pdag::class_of(&truth);
        let member = complete.to_dag().unwrap();
        prop_assert_eq!(class_of(&member), class_of(&truth));
        prop_assert_eq!(&Pdag::class_of(&member), &complete);
        let mut closed = pattern(&truth);
        closed.apply_meek_rules();
        prop_assert_eq!(&closed, &complete);
    }
}
