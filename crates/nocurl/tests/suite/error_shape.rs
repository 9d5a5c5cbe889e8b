//! Directions that the shape of errors tells where independences do not.

use nocurl::bootstrap::{BootstrapParams, bootstrap};
use nocurl::knowledge::Tier;
use nocurl::simulate::{Noise, Simulated, Simulation, simulate};
use nocurl::{
    Algorithm, Dag, Dataset, Evidence, Fit, KnowledgeSpec, Mat, Options, Pdag, Run, learn,
};

fn simulated(noise: Noise, variables: usize, rows: usize, seed: u64) -> Simulated {
    // Sparse graphs have classes with many undirected edges.
    let simulation = Simulation {
        variables,
        rows,
        noise,
        degree: 2.0,
        standardize: true,
        ..Simulation::default()
    };
    simulate(&simulation, seed).unwrap()
}

fn fit(data: &Dataset, method: &str) -> Fit {
    let algorithm = Algorithm::from_name(method).unwrap();
    learn(data, &Options { algorithm, ..by_shape() }, &Run::default()).unwrap()
}

fn by_shape() -> Options {
    Options { error_shape: true, ..Options::default() }
}

/// Undetermined edges that were directed rightly and wrongly, and all of them.
fn counts(noise: Noise, rows: usize, method: &str) -> (usize, usize, usize) {
    let (mut right, mut wrong, mut all) = (0, 0, 0);
    for seed in 0..10 {
        let made = simulated(noise, 15, rows, seed);
        let found = fit(&made.data, method);
        let shape = found.error_shape.unwrap();
        all += shape.undetermined;
        for edge in &shape.directed {
            right += usize::from(made.truth.has_edge(edge.from, edge.to));
            wrong += usize::from(made.truth.has_edge(edge.to, edge.from));
        }
    }
    (right, wrong, all)
}

#[test]
fn exponential_errors_direct_most_edges_and_rightly() {
    for method in ["order-search", "fges"] {
        let (right, wrong, all) = counts(Noise::Exponential, 1000, method);
        assert!(all > 30, "{all}");
        assert!(right * 10 > all * 8 && wrong * 20 <= all, "{method}: {right} {wrong} of {all}");
    }
}

#[test]
fn gaussian_errors_direct_nothing_to_speak_of() {
    for rows in [200, 2000] {
        let (_, wrong, all) = counts(Noise::Gaussian, rows, "order-search");
        assert!(wrong * 20 <= all, "{rows} rows: {wrong} of {all}");
    }
}

#[test]
fn results_are_legal_and_say_where_directions_come_from() {
    for seed in 0..10 {
        let found = fit(&simulated(Noise::Exponential, 12, 500, seed).data, "order-search");
        let class = Pdag::class_of(&found.dag);
        assert_eq!(class, found.class, "no collider more, none less");
        assert_eq!(found.order.len(), 12);
        for (i, j, _) in found.dag.edges() {
            let place = |v| found.order.iter().position(|&u| u == v);
            assert!(place(i) < place(j));
            let evidence = found.evidence.get(&(i, j));
            assert_eq!(evidence.is_some(), found.determined.has_directed(i, j));
            let independent = class.has_directed(i, j);
            assert_eq!(evidence == Some(&Evidence::Independences), independent);
        }
        for edge in &found.error_shape.as_ref().unwrap().directed {
            assert!(found.determined.has_directed(edge.from, edge.to));
            assert!(found.dag.has_edge(edge.from, edge.to));
            assert!((0.0..0.01).contains(&edge.p_value));
        }
    }
}

#[test]
fn moments_alone_and_the_default_leave_it_out() {
    let data = pair(500);
    let options = by_shape();
    let alone = learn(&data.moments(), &options, &Run::default()).unwrap();
    assert_eq!(alone.error_shape, None);
    assert_eq!(alone.determined, alone.class);
    let without = learn(&data, &Options::default(), &Run::default()).unwrap();
    assert_eq!(without.error_shape, None);
    assert_eq!(without.dag.weights(), alone.dag.weights());
    let with = learn(&data, &options, &Run::default()).unwrap();
    assert_ne!(with.determined, alone.determined);
    assert_eq!(with.class, alone.class);
    assert!((with.loss.is_finite()) && with.error_variances.unwrap().iter().all(|v| *v > 0.0));
}

/// Exponential columns `x1 -> x2` and a variable beside them.
fn pair(rows: usize) -> Dataset {
    let draw = |i: usize, step: f64| -(1.0 - (i as f64 * step).fract()).ln();
    let values = Mat::from_fn(rows, 3, |i, j| match j {
        0 => draw(i, 0.618_034),
        1 => draw(i, 0.618_034) + draw(i, 0.414_214),
        _ => draw(i, 0.732_051),
    });
    Dataset::new(Dataset::default_names(3), values).unwrap()
}

#[test]
fn a_pair_is_directed_and_prior_knowledge_goes_first() {
    let data = pair(500);
    let found = fit(&data, "order-search");
    assert_eq!(found.determined, Pdag::of_dag(&Dag::from_edges(3, &[(0, 1)]).unwrap()));
    assert_eq!(found.evidence[&(0, 1)], Evidence::ErrorShape);
    let tiers = vec![Tier::new(["x2"]), Tier::new(["x1"])];
    let knowledge = KnowledgeSpec { tiers, ..KnowledgeSpec::default() };
    let options = Options { knowledge, ..by_shape() };
    let found = learn(&data, &options, &Run::default()).unwrap();
    assert_eq!(found.evidence[&(1, 0)], Evidence::Knowledge);
    let few = fit(&pair(40), "order-search");
    assert!(few.error_shape.unwrap().directed.is_empty());
}

/// Two columns, the second a curve of the first with noise: linear fits point backwards, in every
/// resampled table too.
#[test]
fn curved_effects_are_left_undetermined_by_default() {
    let effects: [fn(f64, f64) -> f64; 3] = [
        |b, e| (0.5 * b).exp() + 0.3 * e,
        |b, e| (1.5 * b).tanh() + 0.3 * e,
        |b, e| b + 0.2 * b * b + 0.5 * e,
    ];
    for effect in effects {
        for seed in 0..8 {
            let independent = Simulation { variables: 2, degree: 0.0, ..Simulation::default() };
            let mut x = simulate(&independent, seed).unwrap().data.values().to_owned();
            for i in 0..x.nrows() {
                x[(i, 1)] = effect(x[(i, 0)], x[(i, 1)]);
            }
            let data = Dataset::new(Dataset::default_names(2), x).unwrap();
            let found = learn(&data, &Options::default(), &Run::default()).unwrap();
            assert_eq!(found.determined.directed().count(), 0);
            assert_eq!(found.determined.undirected().count(), 1);
        }
    }
}

/// How sure such a direction is, is its share of the resampled tables.
#[test]
fn resampled_tables_are_directed_too() {
    let params = BootstrapParams { replicates: 20, ..BootstrapParams::default() };
    let found = bootstrap(&pair(500), &by_shape(), &params, &Run::default()).unwrap();
    let sure = found.confidence(0, 1);
    assert!(sure.direction_frequency > 0.5 && sure.direction <= 20.5 / 21.0, "{sure:?}");
    let off = bootstrap(&pair(500), &Options::default(), &params, &Run::default()).unwrap();
    assert_eq!(off.confidence(0, 1).direction_frequency, 0.0);
}

#[test]
fn threads_do_not_matter() {
    let data = simulated(Noise::Laplace, 15, 1000, 7).data;
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&data, "order-search"))
    };
    let (one, many) = (on(1), on(3));
    assert_eq!(one.error_shape, many.error_shape);
    assert_eq!(one.dag.weights(), many.dag.weights());
}

#[test]
fn methods_name_the_evidence_of_all_directions() {
    let data = simulated(Noise::Gaussian, 6, 300, 2).data;
    for (method, evidence) in [
        ("eq-td", Some(Evidence::Variances)),
        ("lingam", Some(Evidence::ErrorShape)),
        ("cam", Some(Evidence::NonlinearEffects)),
        ("sortnregress", None),
    ] {
        let found = fit(&data, method);
        for (i, j, _) in found.dag.edges() {
            assert_eq!(found.evidence.get(&(i, j)).copied(), evidence, "{method}");
        }
    }
}
