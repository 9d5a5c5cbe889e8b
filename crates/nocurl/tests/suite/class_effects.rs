//! Effects over the graphs of a class, and sets to adjust for, against all members.

use nocurl::adjustment::adjustment;
use nocurl::class_effects::{effects_over_class, interventions_over_class, parent_sets};
use nocurl::model::{Linear, Mechanism, Model, Term};
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Dag, Dataset, Mat, Pdag, effects};

/// Every graph with these adjacencies that has the class of `dag`.
fn members(dag: &Dag) -> Vec<Dag> {
    let edges: Vec<(usize, usize)> = dag.edges().map(|(i, j, _)| (i, j)).collect();
    let class = Pdag::class_of(dag);
    (0..1_u32 << edges.len())
        .filter_map(|turned| {
            let turn = |(k, &(i, j)): (usize, &(usize, usize))| {
                if turned >> k & 1 == 1 { (j, i) } else { (i, j) }
            };
            let edges: Vec<_> = edges.iter().enumerate().map(turn).collect();
            Dag::from_edges(dag.size(), &edges).ok()
        })
        .filter(|member| Pdag::class_of(member) == class)
        .collect()
}

/// A member with the weights that the covariance gives it.
fn fitted(member: &Dag, s: &Mat<f64>) -> Dag {
    use nocurl::internals::linalg::Cholesky;
    let d = member.size();
    let mut weights = Mat::zeros(d, d);
    for j in 0..d {
        let p: Vec<usize> = member.parents(j).collect();
        if p.is_empty() {
            continue;
        }
        let block = Mat::from_fn(p.len(), p.len(), |a, b| s[(p[a], p[b])]);
        let inverse = Cholesky::new(block.as_ref()).unwrap().inverse();
        for a in 0..p.len() {
            weights[(p[a], j)] = (0..p.len()).map(|b| inverse[(a, b)] * s[(p[b], j)]).sum();
        }
    }
    Dag::new(weights).unwrap()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    values
}

fn cases() -> Vec<(Dag, Model)> {
    (0..25)
        .map(|seed| {
            let variables = 4 + seed as usize % 3;
            let simulation = Simulation { variables, degree: 2.5, ..Simulation::default() };
            let truth = simulate(&simulation, seed).unwrap().truth;
            let mechanism = |j: usize| {
                let term =
                    |parent| Term { variable: parent, coefficients: vec![truth.weight(parent, j)] };
                let terms: Vec<Term> = truth.parents(j).map(term).collect();
                // All means are 1.
                let intercept = 1.0 - terms.iter().map(|term| term.coefficients[0]).sum::<f64>();
                Mechanism::Linear(Linear::new(terms, intercept, 0.5 + j as f64 * 0.3))
            };
            let mechanisms = (0..variables).map(mechanism).collect();
            let names = Dataset::default_names(variables);
            let model = Model::new(names, mechanisms, Pdag::class_of(&truth)).unwrap();
            (truth, model)
        })
        .collect()
}

#[test]
fn values_are_those_of_all_members() {
    for (dag, model) in cases() {
        let (class, s) = (Pdag::class_of(&dag), model.covariance().unwrap());
        let members = members(&dag);
        for x in 0..dag.size() {
            let mut expected: Vec<Vec<usize>> =
                members.iter().map(|member| member.parents(x).collect()).collect();
            expected.sort();
            expected.dedup();
            assert_eq!(parent_sets(&class, x).unwrap(), expected);
            let local = effects_over_class(&class, s.as_ref(), x).unwrap();
            let identified = effects::identified(&class, &[x]);
            for y in (0..dag.size()).filter(|&y| y != x) {
                let all = members.iter().map(|member| effects::of(&fitted(member, &s), x)[y]);
                let (all, local) =
                    (sorted(all.collect()), sorted(local.iter().map(|row| row[y]).collect()));
                assert_eq!(all.len(), local.len(), "{all:?} {local:?}");
                assert!(all.iter().zip(&local).all(|(a, b)| (a - b).abs() < 1e-8));
                assert!(!identified[y] || all.len() == 1);
            }
        }
    }
}

#[test]
fn interventions_on_two_variables_are_those_of_all_members() {
    for (dag, model) in cases() {
        let (class, s) = (Pdag::class_of(&dag), model.covariance().unwrap());
        let (d, set) = (dag.size(), [(0, 3.0), (1, -1.0)]);
        let means = vec![1.0; d];
        let found = interventions_over_class(&class, s.as_ref(), &means, &set).unwrap().unwrap();
        let members = members(&dag);
        for y in 0..d {
            let all = members
                .iter()
                .map(|member| effects::intervene(&fitted(member, &s), &means, &set).unwrap()[y]);
            let (all, found) =
                (sorted(all.collect()), sorted(found.iter().map(|row| row[y]).collect()));
            assert_eq!(all.len(), found.len(), "{all:?} {found:?}");
            assert!(all.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-8));
        }
    }
}

/// A set is valid when the regression on it gives the effect, whatever the numbers.
#[test]
fn sets_to_adjust_for_give_the_effect() {
    let mut found = 0;
    for (dag, model) in cases() {
        let s = model.covariance().unwrap();
        let total = effects::total(&dag);
        for graph in [Pdag::class_of(&dag), Pdag::of_dag(&dag)] {
            for (x, y) in (0..dag.size()).flat_map(|x| (0..dag.size()).map(move |y| (x, y))) {
                let Some(sets) = adjustment(&graph, x, y) else {
                    let determined = x != y && effects::identified(&graph, &[x])[y];
                    assert!(!determined || total[(x, y)] == 0.0);
                    continue;
                };
                for set in [&sets.optimal, &sets.minimal, &sets.parents] {
                    assert!(!set.contains(&x) && !set.contains(&y));
                    let regressors: Vec<usize> =
                        std::iter::once(x).chain(set.iter().copied()).collect();
                    let m = regressors.len();
                    let block = Mat::from_fn(m, m, |a, b| s[(regressors[a], regressors[b])]);
                    let inverse =
                        nocurl::internals::linalg::Cholesky::new(block.as_ref()).unwrap().inverse();
                    let coefficient: f64 =
                        (0..m).map(|a| inverse[(0, a)] * s[(regressors[a], y)]).sum();
                    assert!((coefficient - total[(x, y)]).abs() < 1e-8, "{x} {y} {set:?}");
                }
                assert!(sets.minimal.len() <= sets.optimal.len());
                found += 1;
            }
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn too_many_parent_sets_are_not_listed() {
    let edges: Vec<(usize, usize)> =
        (0..14).flat_map(|i| (i + 1..14).map(move |j| (i, j))).collect();
    let class = Pdag::class_of(&Dag::from_edges(14, &edges).unwrap());
    assert!(class.directed().next().is_none());
    assert_eq!(parent_sets(&class, 0), None);
    let empty = Pdag::class_of(&Dag::empty(3));
    assert_eq!(parent_sets(&empty, 1).unwrap(), [Vec::<usize>::new()]);
}

#[test]
fn relatives_of_a_variable() {
    // 0 -> 2 <- 1, 2 -> 3, 4 - 5.
    let dag = Dag::from_edges(6, &[(0, 2), (1, 2), (2, 3), (4, 5)]).unwrap();
    let class = Pdag::class_of(&dag);
    assert_eq!((class.parents(2), class.siblings(5)), (vec![0, 1], vec![4]));
    assert_eq!((class.ancestors(3), class.ancestors(5)), (vec![0, 1, 2], vec![]));
    assert_eq!(class.possible_ancestors(5), [4]);
    assert_eq!(dag.ancestors(5), [4]);
    assert_eq!(class.markov_blanket(0), Some(vec![1, 2]));
}
