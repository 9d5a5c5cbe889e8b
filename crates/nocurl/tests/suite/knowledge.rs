//! Prior knowledge: what it means, what contradicts itself, and that no result breaks it.

use nocurl::knowledge::{Knowledge, KnowledgeSpec, Tier};
use nocurl::{Dag, Error, Order};
use proptest::prelude::*;

fn names(d: usize) -> Vec<String> {
    (0..d).map(|i| format!("v{i}")).collect()
}

fn edges(pairs: &[(usize, usize)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(i, j)| (format!("v{i}"), format!("v{j}"))).collect()
}

fn tier(variables: &[usize]) -> Tier {
    Tier::new(variables.iter().map(|i| format!("v{i}")))
}

fn resolve(spec: &KnowledgeSpec) -> Result<Knowledge, Error> {
    spec.resolve(&names(5))
}

fn refusal(spec: &KnowledgeSpec) -> String {
    resolve(spec).unwrap_err().to_string()
}

fn none() -> KnowledgeSpec {
    KnowledgeSpec::default()
}

#[test]
fn no_statements_allow_everything() {
    let knowledge = resolve(&none()).unwrap();
    assert!(knowledge.is_empty());
    for i in 0..5 {
        for j in 0..5 {
            assert_eq!(knowledge.allows(i, j), i != j);
            assert!(!knowledge.requires(i, j) && !knowledge.must_precede(i, j));
        }
    }
    // Statements that exclude nothing are none.
    assert!(resolve(&KnowledgeSpec { tiers: vec![tier(&[0, 1])], ..none() }).unwrap().is_empty());
}

#[test]
fn required_edges_order_what_they_connect() {
    let required = edges(&[(0, 1), (1, 2)]);
    let knowledge = resolve(&KnowledgeSpec { required, ..none() }).unwrap();
    assert!(knowledge.requires(0, 1) && !knowledge.requires(0, 2));
    assert!(knowledge.must_precede(0, 2) && !knowledge.must_precede(0, 3));
    // The reverse of a chain of required edges would close a cycle.
    assert!(!knowledge.allows(1, 0) && !knowledge.allows(2, 0) && knowledge.allows(0, 2));
    assert_eq!(knowledge.required_parents(2).collect::<Vec<_>>(), [1]);
    assert_eq!(knowledge.allowed_parents(0).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn tiers_order_their_variables_and_may_forbid_edges_within() {
    let mut within = tier(&[2, 3]);
    within.forbid_within = true;
    let spec = KnowledgeSpec { tiers: vec![tier(&[0, 1]), Tier::default(), within], ..none() };
    let knowledge = resolve(&spec).unwrap();
    assert!(knowledge.must_precede(0, 2) && !knowledge.must_precede(0, 1));
    assert!(knowledge.allows(0, 1) && knowledge.allows(1, 0) && knowledge.allows(1, 3));
    assert!(!knowledge.allows(3, 0) && !knowledge.allows(2, 3) && !knowledge.allows(3, 2));
    // Variables in no tier are free.
    assert!((0..4).all(|v| knowledge.allows(4, v) && knowledge.allows(v, 4)));
    // Each edge is allowed, but what happens in tier 3 must not act on tier 1.
    let back = Dag::from_edges(5, &[(2, 4), (4, 0)]).unwrap();
    let told = knowledge.is_satisfied_by(&back).unwrap_err().to_string();
    assert_eq!(told, "prior knowledge: the graph leads from `v2` back to `v0`");
}

#[test]
fn sources_come_first_and_sinks_last() {
    let spec = KnowledgeSpec {
        sources: vec!["v3".into(), "v4".into()],
        sinks: vec!["v0".into(), "v4".into()],
        ..none()
    };
    let knowledge = resolve(&spec).unwrap();
    for v in 0..5 {
        assert!(!knowledge.allows(v, 3) && !knowledge.allows(0, v));
        // Both at once: no edges at all.
        assert!(!knowledge.allows(v, 4) && !knowledge.allows(4, v));
    }
    assert!(knowledge.must_precede(3, 1) && knowledge.must_precede(1, 0));
    let order = knowledge.repair(&Order::strict(&[0, 1, 2, 3, 4]));
    assert_eq!(order.sequence(), [3, 4, 1, 2, 0]);
    // A tier decides where it speaks.
    let tiers = vec![tier(&[1]), tier(&[3])];
    let knowledge = resolve(&KnowledgeSpec { tiers, ..spec }).unwrap();
    assert!(knowledge.must_precede(1, 3) && !knowledge.allows(1, 3) && knowledge.allows(3, 2));
}

/// Statements that cannot all hold, and what is said of them.
fn contradictions() -> Vec<(KnowledgeSpec, &'static str)> {
    vec![
        (
            KnowledgeSpec { required: edges(&[(0, 1), (3, 0), (1, 2), (2, 0)]), ..none() },
            "the required edges `v0` -> `v1` -> `v2` -> `v0` are a cycle",
        ),
        (
            KnowledgeSpec {
                required: edges(&[(0, 1)]),
                forbidden: edges(&[(2, 3), (0, 1)]),
                ..none()
            },
            "`v0` -> `v1` is required and forbidden",
        ),
        (
            KnowledgeSpec {
                required: edges(&[(0, 1)]),
                tiers: vec![tier(&[1]), tier(&[2]), tier(&[0])],
                ..none()
            },
            "`v0` -> `v1` is required, but leads from tier 3 back to tier 1",
        ),
        (
            KnowledgeSpec {
                required: edges(&[(0, 4), (4, 1)]),
                tiers: vec![tier(&[1]), tier(&[0])],
                ..none()
            },
            "the required edges `v0` -> `v4` -> `v1` lead from tier 2 back to tier 1",
        ),
        (
            KnowledgeSpec {
                required: edges(&[(0, 1)]),
                tiers: vec![Tier { forbid_within: true, ..tier(&[0, 1]) }],
                ..none()
            },
            "`v0` -> `v1` is required, but tier 1 has no edges within it",
        ),
        (
            KnowledgeSpec { required: edges(&[(0, 1)]), sources: vec!["v1".into()], ..none() },
            "`v0` -> `v1` is required, but `v1` is a source",
        ),
        (
            KnowledgeSpec { required: edges(&[(0, 1)]), sinks: vec!["v0".into()], ..none() },
            "`v0` -> `v1` is required, but `v0` is a sink",
        ),
        (
            KnowledgeSpec { tiers: vec![tier(&[0, 1, 0]), tier(&[2, 1])], ..none() },
            "`v1` is in tier 1 and tier 2",
        ),
        (KnowledgeSpec { required: edges(&[(2, 2)]), ..none() }, "an edge from `v2` to itself"),
        (KnowledgeSpec { forbidden: edges(&[(2, 2)]), ..none() }, "an edge from `v2` to itself"),
    ]
}

#[test]
fn contradictions_are_named() {
    for (spec, told) in contradictions() {
        assert_eq!(refusal(&spec), format!("prior knowledge: {told}"));
    }
    let unknown = KnowledgeSpec { sinks: vec!["V3x".into()], ..none() };
    assert_eq!(
        refusal(&unknown),
        "prior knowledge names `V3x`, but there is no such column: did you mean `v3`?"
    );
}

#[test]
fn specifications_merge_and_go_through_json() {
    let file = KnowledgeSpec { required: edges(&[(0, 1)]), tiers: vec![tier(&[0])], ..none() };
    let flags = KnowledgeSpec { required: edges(&[(1, 2)]), sinks: vec!["v4".into()], ..none() };
    let both = file.clone().merge(flags).unwrap();
    assert_eq!(both.required, edges(&[(0, 1), (1, 2)]));
    let told = both.clone().merge(file).unwrap_err().to_string();
    assert!(told.contains("tiers are given in two places"), "{told}");
    let json = serde_json::to_value(&both).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "required": [["v0", "v1"], ["v1", "v2"]],
            "tiers": [{ "variables": ["v0"] }],
            "sinks": ["v4"],
        })
    );
    assert_eq!(serde_json::from_value::<KnowledgeSpec>(json).unwrap(), both);
}

#[test]
fn repair_splits_ties_only_where_it_must() {
    let knowledge = resolve(&KnowledgeSpec { required: edges(&[(3, 1)]), ..none() }).unwrap();
    let order = Order::from_potential(&[0.0, 0.0, 1.0, 0.0, 1.0]);
    let places: Vec<Vec<usize>> = vec![vec![0, 3], vec![1], vec![2, 4]];
    assert_eq!(knowledge.repair(&order).places(), places);
    let kept = Order::from_potential(&[0.0, 2.0, 2.0, 0.0, 1.0]);
    assert_eq!(knowledge.repair(&kept), kept);
}

/// Statements that are true of some graph along `order`, with holes and a few edges.
pub(super) fn consistent(d: usize) -> impl Strategy<Value = KnowledgeSpec> {
    let order = Just((0..d).collect::<Vec<usize>>()).prop_shuffle();
    let pairs = || prop::collection::vec((0..d, 0..d), 0..d);
    let cuts = prop::collection::vec(any::<bool>(), d);
    let tiered = prop::collection::vec(prop::bool::weighted(0.7), d);
    let kinds = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (order, pairs(), pairs(), cuts, tiered, kinds).prop_map(
        move |(order, required, forbidden, cuts, tiered, (tiers, within, source, sink))| {
            let name = |k: usize| format!("v{}", order[k]);
            let mut spec = none();
            if tiers {
                spec.tiers.push(Tier::default());
                for k in 0..d {
                    if cuts[k] && k > 0 {
                        spec.tiers.push(Tier { forbid_within: within, ..Tier::default() });
                    }
                    if tiered[k] {
                        spec.tiers.last_mut().expect("there is one").variables.push(name(k));
                    }
                }
            }
            if source {
                spec.sources.push(name(0));
            }
            if sink {
                spec.sinks.push(name(d - 1));
            }
            let place_of_tier =
                |name: &String| spec.tiers.iter().position(|tier| tier.variables.contains(name));
            for (a, b) in required.into_iter().filter(|(a, b)| a < b) {
                let (from, to) = (name(a), name(b));
                let alike = place_of_tier(&from).is_some_and(|k| Some(k) == place_of_tier(&to));
                if !(alike && within) {
                    spec.required.push((from, to));
                }
            }
            for (a, b) in forbidden.into_iter().filter(|(a, b)| a != b) {
                let edge = (name(a), name(b));
                if !spec.required.contains(&edge) {
                    spec.forbidden.push(edge);
                }
            }
            spec
        },
    )
}

proptest! {
    #[test]
    fn statements_true_of_a_graph_are_consistent(spec in consistent(6)) {
        let knowledge = spec.resolve(&names(6)).unwrap();
        let required: Vec<(usize, usize)> = (0..6)
            .flat_map(|i| (0..6).map(move |j| (i, j)))
            .filter(|&(i, j)| knowledge.requires(i, j))
            .collect();
        let least = Dag::from_edges(6, &required).unwrap();
        prop_assert_eq!(knowledge.is_satisfied_by(&least), Ok(()));
        for &(i, j) in &required {
            prop_assert!(knowledge.must_precede(i, j) && knowledge.allows(i, j));
        }
    }

    /// The repaired order keeps to the knowledge, and all allowed edges along it are a graph that
    /// satisfies it.
    #[test]
    fn repaired_orders_keep_to_the_knowledge(
        spec in consistent(6),
        potential in prop::collection::vec(0u8..4, 6),
    ) {
        let knowledge = spec.resolve(&names(6)).unwrap();
        let given =
            Order::from_potential(&potential.iter().map(|&p| f64::from(p)).collect::<Vec<_>>());
        let order = knowledge.repair(&given);
        let ranks = order.ranks();
        let keeps = |ranks: &[usize]| {
            (0..6).all(|i| (0..6).all(|j| !knowledge.must_precede(i, j) || ranks[i] < ranks[j]))
        };
        prop_assert!(keeps(&ranks));
        prop_assert_eq!(knowledge.repair(&order), order.clone());
        if keeps(&given.ranks()) {
            prop_assert_eq!(&order, &given);
        }
        let along: Vec<(usize, usize)> = (0..6)
            .flat_map(|i| (0..6).map(move |j| (i, j)))
            .filter(|&(i, j)| knowledge.allows(i, j) && ranks[i] < ranks[j])
            .collect();
        let dag = Dag::from_edges(6, &along).unwrap();
        prop_assert_eq!(knowledge.is_satisfied_by(&dag), Ok(()));
    }

    /// Whatever is stated, it is refused in one line or there is a graph that satisfies it.
    #[test]
    fn any_statements_are_refused_or_satisfiable(
        required in prop::collection::vec((0usize..4, 0usize..4), 0..4),
        forbidden in prop::collection::vec((0usize..4, 0usize..4), 0..4),
        tiers in prop::collection::vec(
            (prop::collection::vec(0usize..4, 0..3), any::<bool>()), 0..3),
        sources in prop::collection::vec(0usize..4, 0..2),
        sinks in prop::collection::vec(0usize..4, 0..2),
    ) {
        let list = |variables: &[usize]| variables.iter().map(|i| format!("v{i}")).collect();
        let spec = KnowledgeSpec {
            required: edges(&required),
            forbidden: edges(&forbidden),
            tiers: tiers
                .iter()
                .map(|(v, forbid_within)| Tier { variables: list(v), forbid_within: *forbid_within })
                .collect(),
            sources: list(&sources),
            sinks: list(&sinks),
        };
        match spec.resolve(&names(4)) {
            Ok(knowledge) => {
                let dag = Dag::from_edges(4, &required).unwrap();
                prop_assert_eq!(knowledge.is_satisfied_by(&dag), Ok(()));
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}
