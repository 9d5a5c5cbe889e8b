//! Whatever the table, every method ends with a graph or with an error, never with a panic.

use nocurl::Prune;
use nocurl::Run;
use nocurl::checks::{
    Bic, Collinearity, Density, Falsification, Finding, HodgeEnergy, NearConstant, NonGaussianity,
    ResidualVariances, SampleSize, Sortability, Units, diagnose,
};
use nocurl::knowledge::{KnowledgeSpec, Tier};
use nocurl::methods::Acyclicity;
use nocurl::methods::Solver;
use nocurl::methods::{Exact, ExactScore, NoCurl, Notears, SearchReport, Variant};
use nocurl::refine::Refine;
use nocurl::{Algorithm, Dataset, Mat, Options, learn};
use proptest::prelude::*;
use serde::de::DeserializeOwned;

/// How a column comes about.
#[derive(Debug, Clone)]
enum Column {
    /// The same number in every row.
    Constant(f64),
    /// Numbers of the size of the factor.
    Free(f64),
    /// A multiple of an earlier column.
    Copy(usize, f64),
    /// The sum of two earlier columns.
    Sum(usize, usize),
    /// Numbers around a mean that is much larger than they are.
    Shifted(f64),
}

fn scale() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => Just(1.0),
        2 => (-30.0..30.0).prop_map(|power| 10_f64.powf(power)),
        1 => prop::sample::select(vec![1e300, 1e-300, 1e154, 1e-154, 1e-320, f64::MAX]),
    ]
}

fn column() -> impl Strategy<Value = Column> {
    prop_oneof![
        1 => scale().prop_map(Column::Constant),
        8 => scale().prop_map(Column::Free),
        2 => (any::<usize>(), scale()).prop_map(|(of, factor)| Column::Copy(of, factor)),
        2 => any::<(usize, usize)>().prop_map(|(a, b)| Column::Sum(a, b)),
        1 => scale().prop_map(Column::Shifted),
    ]
}

/// A table of 1 to 6 columns and 0 to 20 rows; now and then with a value that is no number.
fn table() -> impl Strategy<Value = Mat<f64>> {
    (prop::collection::vec(column(), 1..=6), 0..=20_usize)
        .prop_flat_map(|(columns, rows)| {
            let noise = prop_oneof![
                200 => -1.0..1.0_f64,
                20 => (-2..=2_i32).prop_map(f64::from),
                1 => prop::sample::select(vec![f64::NAN, f64::INFINITY]),
            ];
            let cells = columns.len() * rows;
            (Just(columns), Just(rows), prop::collection::vec(noise, cells))
        })
        .prop_map(|(columns, rows, noise)| {
            let mut values = Mat::zeros(rows, columns.len());
            for (j, column) in columns.iter().enumerate() {
                for i in 0..rows {
                    let e = noise[i * columns.len() + j];
                    let earlier = |k: usize| if j == 0 { e } else { values[(i, k % j)] };
                    values[(i, j)] = match *column {
                        Column::Constant(value) => value,
                        Column::Free(scale) => scale * e,
                        Column::Copy(of, factor) => factor * earlier(of),
                        Column::Sum(a, b) => earlier(a) + earlier(b),
                        Column::Shifted(mean) => mean + e,
                    };
                }
            }
            values
        })
}

fn algorithm() -> impl Strategy<Value = Algorithm> {
    let nocurl = |variant, solver, acyclicity| {
        Algorithm::from(NoCurl {
            variant,
            solver,
            acyclicity,
            max_iterations: 50,
            ..NoCurl::default()
        })
    };
    let variants = vec![
        Variant::Standard,
        Variant::Threshold,
        Variant::Projected,
        Variant::Joint,
        Variant::RandomStart,
        Variant::RandomPotential,
    ];
    let penalties = || {
        let all = vec![Acyclicity::Polynomial, Acyclicity::Exponential, Acyclicity::LogDet];
        prop::sample::select(all)
    };
    let solvers = || prop::sample::select(vec![Solver::Ridge, Solver::Lbfgs]);
    prop_oneof![
        3 => (prop::sample::select(variants), solvers(), penalties())
            .prop_map(move |(variant, solver, acyclicity)| nocurl(variant, solver, acyclicity)),
        2 => (solvers(), penalties(), prop::sample::select(vec![0.0, 0.1])).prop_map(
            |(solver, acyclicity, lambda1)| Algorithm::from(Notears {
                solver,
                acyclicity,
                lambda1,
                max_rounds: 8,
                max_iterations: 50,
                ..Notears::default()
            })
        ),
        1 => Just(Algorithm::from(Exact { score: ExactScore::Bic, max_variables: None })),
        4 => prop::sample::select(super::quick_methods().split_off(2)),
    ]
}

/// Often nothing; else statements about the first variables, some of which contradict each other.
fn knowledge() -> impl Strategy<Value = KnowledgeSpec> {
    let edges = || prop::collection::vec((1..=3_usize, 1..=4_usize), 0..3);
    let stated =
        (edges(), edges(), any::<(bool, bool)>()).prop_map(|(required, forbidden, more)| {
            let named = |edges: Vec<(usize, usize)>| {
                edges.into_iter().map(|(i, j)| (format!("x{i}"), format!("x{j}"))).collect()
            };
            KnowledgeSpec {
                required: named(required),
                forbidden: named(forbidden),
                tiers: if more.0 { vec![Tier::new(["x2"]), Tier::new(["x1"])] } else { Vec::new() },
                sources: if more.1 { vec!["x3".into()] } else { Vec::new() },
                sinks: Vec::new(),
            }
        });
    prop_oneof![Just(KnowledgeSpec::default()), stated]
}

fn options() -> impl Strategy<Value = Options> {
    let searches = vec![Refine::EQUAL_VARIANCE, Refine::BIC, Refine::NETWORKS];
    let refine = prop::option::of(prop::sample::select(searches));
    let rules = vec![Prune::Bic, Prune::Ebic, Prune::TTest { alpha: 0.05 }];
    let prune = prop::option::of(prop::sample::select(rules));
    let threshold = prop::option::of(prop::sample::select(vec![0.0, 0.3]));
    (algorithm(), any::<bool>(), refine, prune, threshold, 0..3_u64, knowledge()).prop_map(
        |(algorithm, center, refine, prune, threshold, seed, knowledge)| Options {
            algorithm,
            center,
            refine,
            prune,
            threshold,
            error_shape: true,
            seed,
            knowledge,
            ..Options::default()
        },
    )
}

/// Whether a finding has numbers of this type, and JSON gives the same back.
fn comes_back<N: DeserializeOwned + PartialEq + 'static>(finding: &Finding) -> bool {
    let json = serde_json::to_string(finding).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    finding.numbers::<N>().is_some_and(|numbers| {
        serde_json::from_value::<N>(json["numbers"].clone()).is_ok_and(|back| back == *numbers)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_table_gives_a_graph_or_an_error(values in table(), options in options()) {
        let names = Dataset::default_names(values.ncols());
        let Ok(data) = Dataset::new(names, values) else { return Ok(()) };
        match learn(&data, &options, &Run::default()) {
            Ok(fit) => {
                prop_assert!(fit.dag.edges().all(|(_, _, weight)| weight.is_finite()));
                prop_assert!(fit.potential.iter().all(|value| value.is_finite()));
                let mut place = vec![usize::MAX; fit.dag.size()];
                for (position, &variable) in fit.order.iter().enumerate() {
                    place[variable] = position;
                }
                prop_assert!(!place.contains(&usize::MAX), "the order misses a variable");
                for (from, to, _) in fit.dag.edges() {
                    prop_assert!(place[from] < place[to], "an edge against the order");
                }
                // Numbers that are not finite would not come back.
                let diagnosis = diagnose(&data, &options, &fit, &Run::default()).unwrap();
                for finding in &diagnosis.findings {
                    let back = comes_back::<SampleSize>(finding)
                        || comes_back::<Collinearity>(finding)
                        || comes_back::<NearConstant>(finding)
                        || comes_back::<Sortability>(finding)
                        || comes_back::<ResidualVariances>(finding)
                        || comes_back::<NonGaussianity>(finding)
                        || comes_back::<HodgeEnergy>(finding)
                        || comes_back::<Bic>(finding)
                        || comes_back::<Units>(finding)
                        || comes_back::<Density>(finding)
                        || comes_back::<Falsification>(finding)
                        || comes_back::<SearchReport>(finding);
                    prop_assert!(back, "{:?}", finding);
                }
            }
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }
}
