//! Methods with prior knowledge: no result breaks it, and exact results are the best that keep it.

use nocurl::Prune;
use nocurl::Run;
use nocurl::knowledge::{Knowledge, KnowledgeSpec, Tier};
use nocurl::methods::EqTd;
use nocurl::methods::Solver;
use nocurl::methods::{Exact, ExactScore, NoCurl, Notears, Variant};
use nocurl::refine::Refine;
use nocurl::simulate::{Mechanism, Simulated, Simulation, simulate};
use nocurl::{Algorithm, Dag, Dataset, Error, Fit, Mat, Moments, Options, Pdag, learn, metrics};
use proptest::prelude::*;

use super::knowledge::consistent;
use super::quick_methods;

const D: usize = 5;

fn named(data: &Dataset) -> Dataset {
    let names: Vec<String> = (0..data.names().len()).map(|i| format!("v{i}")).collect();
    Dataset::new(names, data.values().to_owned()).unwrap()
}

fn table(variables: usize, mechanism: Mechanism, seed: u64) -> Dataset {
    let simulation =
        Simulation { variables, rows: 80, degree: 2.0, mechanism, ..Simulation::default() };
    named(&simulate(&simulation, seed).unwrap().data)
}

fn bic() -> Algorithm {
    Algorithm::from(Exact { score: ExactScore::Bic, max_variables: None })
}

/// Every method that takes knowledge, with the variants that go their own way.
fn methods() -> Vec<Algorithm> {
    let mut all: Vec<Algorithm> =
        quick_methods().into_iter().filter(|method| method.takes_knowledge().is_ok()).collect();
    all.push(bic());
    for variant in [
        Variant::Threshold,
        Variant::Projected,
        Variant::Joint,
        Variant::RandomStart,
        Variant::RandomPotential,
    ] {
        let params = NoCurl { variant, max_iterations: 50, ..NoCurl::default() };
        all.push(Algorithm::from(params));
    }
    let solver = Solver::Lbfgs;
    all.push(Algorithm::from(NoCurl { solver, ..NoCurl::default() }));
    all.push(Algorithm::from(Notears { lambda1: 0.1, ..Notears::default() }));
    all
}

fn options() -> impl Strategy<Value = Options> {
    let searches = vec![Refine::EQUAL_VARIANCE, Refine::BIC, Refine::NETWORKS];
    let refine = prop::option::of(prop::sample::select(searches));
    let rules = vec![Prune::Bic, Prune::Ebic, Prune::TTest { alpha: 0.05 }];
    let prune = prop::option::of(prop::sample::select(rules));
    let threshold = prop::option::of(prop::sample::select(vec![0.0, 0.3, 1e9]));
    (prop::sample::select(methods()), any::<bool>(), refine, prune, threshold).prop_map(
        |(algorithm, center, refine, prune, threshold)| Options {
            algorithm,
            center,
            refine,
            prune,
            threshold,
            ..Options::default()
        },
    )
}

fn names(d: usize) -> Vec<String> {
    (0..d).map(|i| format!("v{i}")).collect()
}

fn keeps(knowledge: &Knowledge, fit: &Fit) -> Result<(), TestCaseError> {
    prop_assert_eq!(knowledge.is_satisfied_by(&fit.dag), Ok(()));
    let d = fit.dag.size();
    let mut place = vec![0; d];
    fit.order.iter().enumerate().for_each(|(k, &v)| place[v] = k);
    for i in 0..d {
        for j in 0..d {
            prop_assert!(!knowledge.must_precede(i, j) || place[i] < place[j]);
            prop_assert!(
                fit.unpruned.weight(i, j) == 0.0 || knowledge.allows(i, j) && place[i] < place[j]
            );
            prop_assert!(!fit.class.has_directed(i, j) || fit.dag.has_edge(i, j));
            if fit.class.has_undirected(i, j) {
                prop_assert!(knowledge.allows(i, j) && knowledge.allows(j, i));
            }
        }
    }
    for (i, j, _) in fit.dag.edges() {
        prop_assert!(place[i] < place[j] && fit.potential[i] < fit.potential[j]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_result_of_any_method_breaks_what_is_known(
        spec in consistent(D),
        options in options(),
        curved in any::<bool>(),
        seed in 0..1000_u64,
    ) {
        let mechanism = if curved { Mechanism::Nonlinear2 } else { Mechanism::Linear };
        let data = table(D, mechanism, seed);
        let options = Options { knowledge: spec, ..options };
        let fit = learn(&data, &options, &Run::default()).unwrap();
        keeps(&options.knowledge.resolve(data.names()).unwrap(), &fit)?;
    }

    /// Columns without a shared direction have weights of exactly zero, and still the edges that
    /// must be there.
    #[test]
    fn required_edges_without_any_effect_stay(spec in consistent(4), options in options()) {
        let corner = |i: usize, j: usize| if i >> j & 1 == 1 { 1.0 } else { -1.0 };
        let data = Dataset::new(names(4), Mat::from_fn(32, 4, corner)).unwrap();
        let options = Options { knowledge: spec, ..options };
        let fit = learn(&data, &options, &Run::default()).unwrap();
        keeps(&options.knowledge.resolve(data.names()).unwrap(), &fit)?;
    }
}

/// What the shape of errors draws anew keeps to the order of what is known, also where no edge asks
/// for it.
#[test]
fn a_graph_drawn_anew_keeps_to_what_is_known() {
    let data = table(D, Mechanism::Nonlinear2, 58);
    let knowledge = KnowledgeSpec { sources: vec!["v2".into()], ..Default::default() };
    let resolved = knowledge.resolve(data.names()).unwrap();
    let options = Options { algorithm: bic(), knowledge, ..Options::default() };
    let fit = learn(&data, &options, &Run::default()).unwrap();
    keeps(&resolved, &fit).unwrap();
}

/// More variables than fit in a word of the sets.
#[test]
fn many_variables_keep_to_what_is_known() {
    let d = 150;
    let data = table(d, Mechanism::Linear, 3);
    let name = |i: usize| format!("v{i}");
    let knowledge = KnowledgeSpec {
        required: vec![(name(149), name(2)), (name(2), name(64)), (name(63), name(70))],
        forbidden: (1..d).map(|i| (name(i - 1), name(i))).collect(),
        tiers: vec![Tier::new((100..130).map(name)), Tier::new((20..60).map(name))],
        sources: vec![name(140)],
        sinks: vec![name(0), name(64)],
    };
    let resolved = knowledge.resolve(data.names()).unwrap();
    for method in ["nocurl", "eq-td", "eq-bu", "r2-sortnregress"] {
        for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
            let algorithm = Algorithm::from_name(method).unwrap();
            let knowledge = knowledge.clone();
            let options = Options { algorithm, refine, knowledge, ..Options::default() };
            keeps(&resolved, &learn(&data, &options, &Run::default()).unwrap()).unwrap();
        }
    }
}

#[test]
fn methods_that_cannot_honour_knowledge_say_so() {
    let data = table(3, Mechanism::Linear, 1);
    let knowledge = KnowledgeSpec { sources: vec!["v1".into()], ..KnowledgeSpec::default() };
    let mut refused = Vec::new();
    for algorithm in quick_methods() {
        let options = Options { algorithm, knowledge: knowledge.clone(), ..Options::default() };
        match learn(&data, &options, &Run::default()) {
            Ok(_) => assert!(options.algorithm.takes_knowledge().is_ok()),
            Err(error) => {
                assert!(matches!(error, Error::TakesNoKnowledge { .. }), "{error}");
                refused.push(options.algorithm.name());
            }
        }
        // Statements that exclude nothing are honoured by all.
        let tiers = vec![Tier::new(["v0", "v1"])];
        let options =
            Options { knowledge: KnowledgeSpec { tiers, ..KnowledgeSpec::default() }, ..options };
        assert!(learn(&data, &options, &Run::default()).is_ok());
    }
    assert_eq!(refused, ["fges", "gsges", "mmpc"]);
}

/// All acyclic graphs of 4 variables.
fn all_dags() -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> =
        (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
    (0..1_usize << pairs.len())
        .filter_map(|bits| {
            let chosen = pairs.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1);
            Dag::from_edges(4, &chosen.map(|(_, &edge)| edge).collect::<Vec<_>>()).ok()
        })
        .collect()
}

/// The variance of `target` given `parents`, by eliminating them one after the other.
fn residual(s: &Mat<f64>, target: usize, parents: impl Iterator<Item = usize>) -> f64 {
    let mut schur = s.clone();
    for k in parents {
        let before = schur.clone();
        for i in 0..s.nrows() {
            for j in 0..s.nrows() {
                schur[(i, j)] -= before[(i, k)] * before[(k, j)] / before[(k, k)];
            }
        }
    }
    schur[(target, target)]
}

fn bic_of(moments: &Moments, dag: &Dag) -> f64 {
    let (s, n) = (moments.second_moments(true), moments.rows() as f64);
    let logs = (0..dag.size()).map(|j| residual(&s, j, dag.parents(j)).ln());
    n * logs.sum::<f64>() + n.ln() * dag.edge_count() as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn exact_bic_is_the_best_graph_that_keeps_to_the_knowledge(
        spec in consistent(4),
        seed in 0..1000_u64,
    ) {
        let moments = table(4, Mechanism::Linear, seed).moments();
        let knowledge = spec.resolve(moments.names()).unwrap();
        let best = all_dags()
            .iter()
            .filter(|dag| knowledge.is_satisfied_by(dag).is_ok())
            .map(|dag| bic_of(&moments, dag))
            .fold(f64::INFINITY, f64::min);
        let options = Options { algorithm: bic(), knowledge: spec, ..Options::default() };
        let found = bic_of(&moments, &learn(&moments, &options, &Run::default()).unwrap().dag);
        prop_assert!((found - best).abs() < 1e-9 * best.abs().max(1.0), "{found} {best}");
    }

    /// With least squares every allowed edge along the order helps, so that the best graph is the
    /// best of all graphs too.
    #[test]
    fn exact_least_squares_is_the_best_graph_that_keeps_to_the_knowledge(
        spec in consistent(4),
        seed in 0..1000_u64,
    ) {
        let moments = table(4, Mechanism::Linear, seed).moments();
        let s = moments.second_moments(true);
        let knowledge = spec.resolve(moments.names()).unwrap();
        let loss = |dag: &Dag| -> f64 {
            (0..4).map(|j| residual(&s, j, dag.parents(j))).sum::<f64>() / 2.0
        };
        let best = all_dags()
            .iter()
            .filter(|dag| knowledge.is_satisfied_by(dag).is_ok())
            .map(loss)
            .fold(f64::INFINITY, f64::min);
        let algorithm = Algorithm::from(Exact::default());
        let options = Options { algorithm, knowledge: spec, ..Options::default() };
        let found = learn(&moments, &options, &Run::default()).unwrap().unpruned_loss;
        prop_assert!((found - best).abs() < 1e-9 * best, "{found} {best}");
    }

    #[test]
    fn knowledge_that_holds_anyway_changes_no_score(
        seed in 0..1000_u64,
        statements in prop::collection::vec((0..6_usize, 0..6_usize), 0..12),
        cut in 1..5_usize,
    ) {
        let moments = table(6, Mechanism::Linear, seed).moments();
        let options = Options { algorithm: bic(), ..Options::default() };
        let free = learn(&moments, &options, &Run::default()).unwrap();
        let name = |i: &usize| format!("v{i}");
        let (first, second) = free.order.split_at(cut);
        let mut knowledge = KnowledgeSpec {
            tiers: vec![Tier::new(first.iter().map(name)), Tier::new(second.iter().map(name))],
            ..KnowledgeSpec::default()
        };
        for (i, j) in statements.into_iter().filter(|(i, j)| i != j) {
            let edge = (name(&i), name(&j));
            if free.dag.has_edge(i, j) {
                knowledge.required.push(edge);
            } else {
                knowledge.forbidden.push(edge);
            }
        }
        let bound = learn(&moments, &Options { knowledge, ..options }, &Run::default()).unwrap();
        let (free, bound) = (bic_of(&moments, &free.dag), bic_of(&moments, &bound.dag));
        prop_assert!((free - bound).abs() < 1e-9 * free.abs(), "{free} {bound}");
    }

    /// The class shown has exactly the directions that all its members share which have only
    /// edges that are allowed.
    #[test]
    fn the_class_shows_the_directions_that_follow(spec in consistent(4), seed in 0..1000_u64) {
        let moments = table(4, Mechanism::Linear, seed).moments();
        let knowledge = spec.resolve(moments.names()).unwrap();
        let options = Options { algorithm: bic(), knowledge: spec, ..Options::default() };
        let fit = learn(&moments, &options, &Run::default()).unwrap();
        let class = Pdag::class_of(&fit.dag);
        let members: Vec<Dag> = all_dags()
            .into_iter()
            .filter(|dag| Pdag::class_of(dag) == class)
            .filter(|dag| dag.edges().all(|(i, j, _)| knowledge.allows(i, j)))
            .collect();
        for i in 0..4 {
            for j in 0..4 {
                let shared = members.iter().all(|dag| dag.has_edge(i, j));
                prop_assert_eq!(fit.class.has_directed(i, j), shared, "({}, {})", i, j);
            }
        }
    }
}

/// Columns of equal variance hide the order from these methods; tiers give a part of it back.
#[test]
fn true_tiers_help() {
    let simulation = Simulation {
        variables: 9,
        rows: 500,
        degree: 3.0,
        standardize: true,
        ..Default::default()
    };
    for algorithm in [Algorithm::from_name("nocurl").unwrap(), Algorithm::from(EqTd {}), bic()] {
        let (mut without, mut with) = (0, 0);
        for seed in 0..20 {
            let Simulated { truth, data, .. } = simulate(&simulation, seed).unwrap();
            let tiers = truth.order().chunks(3);
            let tiers = tiers.map(|tier| Tier::new(tier.iter().map(|&i| data.names()[i].clone())));
            let knowledge = KnowledgeSpec { tiers: tiers.collect(), ..KnowledgeSpec::default() };
            let shd = |knowledge| {
                let (algorithm, prune) = (algorithm.clone(), Some(Prune::Bic));
                let options = Options { algorithm, prune, knowledge, ..Options::default() };
                metrics::shd(
                    &truth,
                    &learn(&data.moments(), &options, &Run::default()).unwrap().dag,
                )
                .unwrap()
            };
            without += shd(KnowledgeSpec::default());
            with += shd(knowledge);
        }
        assert!(with < without, "{}: {without} became {with}", algorithm.name());
    }
}
