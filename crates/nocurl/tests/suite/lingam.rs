//! Directions from the shape of errors.

use nocurl::knowledge::Tier;
use nocurl::methods::Lingam;
use nocurl::simulate::{Noise, Simulation, simulate};
use nocurl::{Algorithm, Dataset, Determines, Error, Fit, KnowledgeSpec, Mat, Options, Run, learn};

fn options() -> Options {
    Options { algorithm: Algorithm::from(Lingam::default()), ..Options::default() }
}

fn fit(data: &Dataset, options: &Options) -> Fit {
    learn(data, options, &Run::default()).unwrap()
}

fn golden(table: u64) -> Dataset {
    let path = format!("{}/../../testdata/lingam/{table}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let values = Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
    Dataset::new(Dataset::default_names(rows[0].len()), values).unwrap()
}

fn exponential(variables: usize, rows: usize, seed: u64) -> nocurl::simulate::Simulated {
    let noise = Noise::Exponential;
    simulate(&Simulation { variables, rows, noise, degree: 2.0, ..Simulation::default() }, seed)
        .unwrap()
}

/// Orders of the package `lingam` 1.13.0; `testdata/lingam/make.py` writes them.
#[test]
fn orders_are_those_of_the_package() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/lingam/orders.json");
    let cases: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let data = golden(case["table"].as_u64().unwrap());
        let mut options = options();
        if let Some(first) = case["first"].as_u64() {
            let name = data.names()[first as usize].clone();
            let others: Vec<String> =
                data.names().iter().filter(|n| **n != name).cloned().collect();
            options.knowledge = KnowledgeSpec {
                tiers: vec![Tier::new([name]), Tier::new(others)],
                ..KnowledgeSpec::default()
            };
        }
        let expected: Vec<usize> = case["order"]
            .as_array()
            .unwrap()
            .iter()
            .map(|j| j.as_u64().unwrap() as usize)
            .collect();
        assert_eq!(fit(&data, &options).order, expected, "{case}");
    }
}

#[test]
fn graphs_with_exponential_errors_are_found_direction_and_all() {
    let mut wrong = 0;
    for seed in 0..5 {
        let simulated = exponential(10, 2000, seed);
        let found = fit(&simulated.data, &options());
        assert_eq!(found.determines, Determines::Graph);
        wrong += nocurl::metrics::compare(&simulated.truth, &found.dag).unwrap().shd;
    }
    assert!(wrong <= 6, "SHD of five graphs: {wrong}");
}

#[test]
fn units_do_not_matter() {
    let data = exponential(8, 500, 3).data;
    let x = data.values();
    let scaled = Mat::from_fn(500, 8, |i, j| x[(i, j)] * 10f64.powi(3 * j as i32 - 12) + j as f64);
    let scaled = Dataset::new(data.names().to_vec(), scaled).unwrap();
    let (one, other) = (fit(&data, &options()), fit(&scaled, &options()));
    assert_eq!(one.order, other.order);
    let edges = |fit: &Fit| fit.dag.edges().map(|(i, j, _)| (i, j)).collect::<Vec<_>>();
    assert_eq!(edges(&one), edges(&other));
}

#[test]
fn threads_do_not_matter() {
    let data = exponential(12, 5000, 4).data;
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&data, &options()))
    };
    let (one, many) = (on(1), on(3));
    assert_eq!((one.order, one.evaluations), (many.order, many.evaluations));
    assert_eq!(one.dag.weights(), many.dag.weights());
}

#[test]
fn fewer_pairs_are_compared_than_there_are() {
    let found = fit(&exponential(20, 1000, 5).data, &options());
    let all: u64 = (2..=20).map(|u| u * (u - 1) / 2).sum();
    assert!(found.evaluations < all, "{} of {all}", found.evaluations);
}

#[test]
fn collinear_columns_and_few_rows_have_an_order() {
    let data = exponential(6, 200, 6).data;
    let x = data.values();
    let doubled = Mat::from_fn(200, 8, |i, j| match j {
        6 => 2.0 * x[(i, 0)] + x[(i, 1)],
        7 => x[(i, 2)],
        _ => x[(i, j)],
    });
    let doubled = Dataset::new(Dataset::default_names(8), doubled).unwrap();
    assert_eq!(fit(&doubled, &options()).order.len(), 8);
    let few = exponential(12, 8, 7).data;
    assert_eq!(fit(&few, &options()).order.len(), 12);
    let two = exponential(3, 2, 7).data;
    assert_eq!(fit(&two, &options()).order.len(), 3);
}

#[test]
fn moments_alone_and_odd_penalties_are_refused() {
    let data = exponential(4, 100, 8).data;
    let error = learn(&data.moments(), &options(), &Run::default()).unwrap_err();
    assert!(matches!(error, Error::NeedsRows { .. }), "{error}");
    for penalty in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let algorithm = Algorithm::from(Lingam { penalty: Some(penalty) });
        let options = Options { algorithm, ..Options::default() };
        let error = learn(&data, &options, &Run::default()).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "penalty", .. }), "{error}");
    }
}
