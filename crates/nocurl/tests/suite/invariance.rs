//! What must not change a graph: the unit of a table, one row more, digits, the order of rows.

use nocurl::methods::{GsgesScore, NoCurl, Notears, Solver, Variant};
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Algorithm, Dataset, Fit, Mat, Options, Run, learn};

fn drawn(variables: usize, rows: usize, degree: f64, seed: u64) -> Dataset {
    let simulation = Simulation { variables, rows, degree, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data
}

fn by(method: &str) -> Options {
    Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() }
}

fn fit(data: &Dataset, options: &Options) -> Fit {
    match options.needs_rows() {
        true => learn(data, options, &Run::default()).unwrap(),
        false => learn(&data.moments(), options, &Run::default()).unwrap(),
    }
}

fn edges(fit: &Fit) -> Vec<(usize, usize)> {
    fit.dag.edges().map(|(i, j, _)| (i, j)).collect()
}

fn changed(data: &Dataset, change: impl Fn(usize, usize, f64) -> f64) -> Dataset {
    let (n, d) = data.values().shape();
    let values = Mat::from_fn(n, d, |i, j| change(i, j, data.values()[(i, j)]));
    Dataset::new(data.names().to_vec(), values).unwrap()
}

#[test]
fn the_unit_of_all_columns_changes_no_edge() {
    let with = |params: NoCurl| Options { algorithm: params.into(), ..Options::default() };
    let notears = |params: Notears| Options { algorithm: params.into(), ..Options::default() };
    let mut all: Vec<Options> = ["nocurl", "notears", "order-search", "fges", "eq-td", "eq-bu"]
        .into_iter()
        .map(by)
        .collect();
    all.extend([
        Options { center: false, ..by("nocurl") },
        with(NoCurl { solver: Solver::Lbfgs, ..NoCurl::default() }),
        with(NoCurl { variant: Variant::Joint, ..NoCurl::default() }),
    ]);
    // Thousands of steps of L-BFGS blow up rounding, so only units that round nothing are compared.
    let long = [
        notears(Notears { solver: Solver::Lbfgs, ..Notears::default() }),
        notears(Notears { lambda1: 0.1, ..Notears::default() }),
    ];
    for seed in 0..4 {
        let data = drawn(10, 500, 2.0, seed);
        for options in &all {
            let expected = edges(&fit(&data, options));
            assert!(expected.len() > 4, "{options:?}: {expected:?}");
            for unit in [1e-3, 7.3, 1e5] {
                let scaled = changed(&data, |_, _, value| unit * value);
                assert_eq!(edges(&fit(&scaled, options)), expected, "{unit}: {options:?}");
            }
        }
        for options in &long {
            let expected = fit(&data, options);
            for unit in [1.0 / 1024.0, 8.0] {
                let scaled = fit(&changed(&data, |_, _, value| unit * value), options);
                assert_eq!(scaled.dag.weights(), expected.dag.weights(), "{unit}: {options:?}");
            }
        }
    }
}

#[test]
fn the_unit_of_many_columns_changes_no_edge() {
    let data = drawn(260, 600, 2.0, 1);
    let expected = edges(&fit(&data, &by("nocurl")));
    for unit in [1e-3, 7.3] {
        let scaled = changed(&data, |_, _, value| unit * value);
        assert_eq!(edges(&fit(&scaled, &by("nocurl"))), expected, "{unit}");
    }
}

/// From as many rows as columns on, one row after the other.
#[test]
fn one_row_more_changes_few_edges() {
    for (method, d) in [("nocurl", 20), ("nocurl", 12), ("notears", 20), ("eq-td", 20)] {
        let count = |rows: usize| -> usize {
            let one = |seed| fit(&drawn(d, rows, 3.0, seed), &by(method)).dag.edge_count();
            (0..10).map(one).sum()
        };
        let mut before = count(d);
        let mut last = d;
        for rows in [d + 1, d + 2, 2 * d - 1, 2 * d, 2 * d + 1, 3 * d - 1, 3 * d, 3 * d + 1] {
            let now = count(rows);
            if rows == last + 1 {
                let change = (now as f64 / before as f64 - 1.0).abs();
                assert!(change < 0.15, "{method}, {rows} rows: {before} edges, then {now}");
            }
            (before, last) = (now, rows);
        }
    }
}

/// The member that is drawn of a class is the same for columns that are standardised, however many
/// digits the file keeps of them.
#[test]
fn digits_of_standardised_columns_change_no_direction() {
    for method in ["order-search", "fges"] {
        for seed in 0..6 {
            let simulation = Simulation {
                variables: 8,
                rows: 300,
                degree: 2.0,
                standardize: true,
                ..Simulation::default()
            };
            let exact = simulate(&simulation, seed).unwrap().data;
            let expected = edges(&fit(&exact, &by(method)));
            for digits in [1e4, 1e3] {
                let rounded = changed(&exact, |_, _, value| (value * digits).round() / digits);
                assert_eq!(edges(&fit(&rounded, &by(method))), expected, "{method}, {seed}");
            }
        }
    }
}

#[test]
fn the_order_of_rows_does_not_matter_to_kernel_scores() {
    for seed in 0..3 {
        let rows = 150;
        let data = drawn(5, rows, 2.0, seed);
        for score in [GsgesScore::Marginal, GsgesScore::CrossValidated] {
            let params = nocurl::methods::Gsges { score, ..Default::default() };
            let options = Options { algorithm: params.into(), ..Options::default() };
            let expected = fit(&data, &options).class;
            for step in [7, 31, 149] {
                let place = |i: usize| (i * step + 3) % rows;
                let values = Mat::from_fn(rows, 5, |i, j| data.values()[(place(i), j)]);
                let shuffled = Dataset::new(data.names().to_vec(), values).unwrap();
                assert_eq!(fit(&shuffled, &options).class, expected, "{score:?}, seed {seed}");
            }
        }
    }
}
