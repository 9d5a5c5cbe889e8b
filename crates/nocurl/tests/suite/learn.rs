//! The pipeline that all methods share: defaults, order of stages, awkward data, the registry.

use nocurl::Run;
use nocurl::graph::Reachability;
use nocurl::internals::prune;
use nocurl::internals::regress::{on_order, threshold};
use nocurl::methods::EqBu;
use nocurl::methods::EqTd;
use nocurl::methods::R2SortNRegress;
use nocurl::methods::SortNRegress;
use nocurl::methods::{NoCurl, Variant};
use nocurl::refine::Refine;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{
    Algorithm, Dataset, Error, Fit, Mat, Moments, Options, Order, Pdag, Problem, Termination, learn,
};
use nocurl::{DEFAULT_THRESHOLD, Prune};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn simulated(variables: usize, rows: usize, seed: u64) -> Moments {
    let simulation = Simulation { variables, rows, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data.moments()
}

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Mat::from_fn(n, d, |_, _| StandardNormal.sample(&mut rng))
}

fn moments(x: Mat<f64>) -> Moments {
    Dataset::new(Dataset::default_names(x.ncols()), x).unwrap().moments()
}

fn with(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

/// Every method that learns from moments, and every variant of NoCurl.
fn methods() -> Vec<Algorithm> {
    let variants = [
        Variant::Threshold,
        Variant::Projected,
        Variant::Joint,
        Variant::RandomStart,
        Variant::RandomPotential,
    ];
    let variants = variants.map(|variant| Algorithm::from(NoCurl { variant, ..NoCurl::default() }));
    let all = Algorithm::all().into_iter().filter(|method| !method.facts().needs_rows());
    all.chain(variants).collect()
}

fn assert_sound(fit: &Fit, case: &str) {
    let d = fit.dag.size();
    let mut sorted = fit.order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..d).collect::<Vec<_>>(), "{case}");
    for j in 0..d {
        for i in 0..d {
            assert!(fit.unpruned.weight(i, j).is_finite(), "{case}");
            assert!(fit.dag.weights()[(i, j)].is_finite(), "{case}");
        }
    }
    assert!(!Reachability::new(fit.unpruned.weights()).is_cyclic(), "{case}");
    for (i, j, _) in fit.dag.edges() {
        assert!(fit.potential[i] < fit.potential[j], "{case}: {i} -> {j} falls");
    }
    assert!(fit.loss.is_finite() && fit.loss >= 0.0, "{case}");
}

#[test]
fn pruning_comes_first_then_the_threshold() {
    let moments = simulated(8, 200, 3);
    let problem = Problem::new(&moments, true).unwrap();
    for bound in [0.0, 0.1, 0.6] {
        let options = Options {
            prune: Some(Prune::Bic),
            threshold: Some(bound),
            ..with(Algorithm::from(EqTd {}))
        };
        let fit = learn(&moments, &options, &Run::default()).unwrap();
        let order = Order::strict(&fit.order);
        let mut expected = prune(&problem, &order, Prune::Bic).unwrap();
        threshold(&mut expected, bound);
        assert_eq!(fit.dag.weights(), expected.as_ref(), "threshold {bound}");
        assert_eq!(fit.unpruned.weights(), on_order(&problem, &order).unwrap().weights.as_ref());
        assert_eq!(fit.class, Pdag::class_of(&fit.dag));
        assert_eq!(fit.determined, fit.determines.determined(&fit.dag, &fit.class));
    }
}

#[test]
fn the_threshold_is_03_or_nothing_after_pruning() {
    assert_eq!(DEFAULT_THRESHOLD, 0.3);
    // Weights on both sides of the threshold.
    let simulation = Simulation { weights: (0.15, 0.6), rows: 2000, ..Simulation::default() };
    let moments = simulate(&simulation, 3).unwrap().data.moments();
    let fit = |prune, threshold| {
        let options = Options { prune, threshold, ..with(Algorithm::from(EqTd {})) };
        learn(&moments, &options, &Run::default()).unwrap().dag
    };
    assert_eq!(fit(None, None), fit(None, Some(0.3)));
    assert_eq!(fit(Some(Prune::Bic), None), fit(Some(Prune::Bic), Some(0.0)));
    // Each of these equalities could fail: the two thresholds differ on this data.
    assert_ne!(fit(None, Some(0.3)), fit(None, Some(0.0)));
    assert_ne!(fit(Some(Prune::Bic), Some(0.3)), fit(Some(Prune::Bic), Some(0.0)));
    for bound in [-0.1, f64::NAN] {
        let options = Options { threshold: Some(bound), ..Options::default() };
        let result = learn(&moments, &options, &Run::default());
        assert!(matches!(result, Err(Error::Parameter { name: "threshold", .. })), "{bound}");
    }
    let rule = Some(Prune::TTest { alpha: 2.0 });
    let result = learn(&moments, &Options { prune: rule, ..Options::default() }, &Run::default());
    assert!(matches!(result, Err(Error::Parameter { name: "alpha", .. })));
}

#[test]
fn every_method_gives_a_sound_result_with_every_refinement_and_rule() {
    let moments = simulated(6, 300, 7);
    for algorithm in methods() {
        for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
            for prune in
                [None, Some(Prune::Bic), Some(Prune::Ebic), Some(Prune::TTest { alpha: 0.01 })]
            {
                for center in [true, false] {
                    let options = Options { refine, prune, center, ..with(algorithm.clone()) };
                    let case = format!("{options:?}");
                    let fit = learn(&moments, &options, &Run::default()).unwrap();
                    assert_sound(&fit, &case);
                    assert_eq!(fit.warnings, [], "{case}");
                }
            }
        }
    }
}

#[test]
fn fewer_rows_than_columns_go_on_with_a_warning() {
    for (rows, columns) in [(2, 2), (2, 6), (6, 12), (12, 12)] {
        let moments = moments(normal(rows, columns, 9));
        for algorithm in methods() {
            for center in [true, false] {
                for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
                    for prune in [None, Some(Prune::Ebic)] {
                        let options = Options { center, refine, prune, ..with(algorithm.clone()) };
                        let case = format!("{rows} x {columns}: {options:?}");
                        let fit = learn(&moments, &options, &Run::default())
                            .unwrap_or_else(|error| panic!("{case}: {error}"));
                        assert_sound(&fit, &case);
                        let told = fit.warnings.iter().filter(|w| w.contains("too few")).count();
                        assert_eq!(told, 1, "{case}: {:?}", fit.warnings);
                    }
                }
            }
        }
        // A t-test has no freedom left and says what it needs.
        let options =
            Options { prune: Some(Prune::TTest { alpha: 0.05 }), ..with(Algorithm::from(EqTd {})) };
        let needed = columns as u64 + 1;
        assert_eq!(
            learn(&moments, &options, &Run::default()).unwrap_err(),
            Error::TooFewRows { rows: rows as u64, needed }
        );
    }
}

#[test]
fn collinear_columns_are_named_and_the_method_goes_on() {
    let base = normal(200, 6, 1);
    let x = Mat::from_fn(200, 6, |i, j| match j {
        2 => base[(i, 0)] + base[(i, 1)],
        _ => base[(i, j)] + 3.0,
    });
    let moments = moments(x);
    for algorithm in methods() {
        for center in [true, false] {
            for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
                for prune in
                    [None, Some(Prune::Bic), Some(Prune::Ebic), Some(Prune::TTest { alpha: 0.01 })]
                {
                    let options = Options { center, refine, prune, ..with(algorithm.clone()) };
                    let case = format!("{options:?}");
                    let fit = learn(&moments, &options, &Run::default())
                        .unwrap_or_else(|error| panic!("{case}: {error}"));
                    assert_sound(&fit, &case);
                    let told: Vec<_> =
                        fit.warnings.iter().filter(|w| w.contains("collinear")).collect();
                    assert_eq!(told.len(), 1, "{case}: {:?}", fit.warnings);
                    assert!(
                        told[0].to_string().starts_with("columns `x1`, `x2`, `x3` are"),
                        "{}",
                        told[0]
                    );
                }
            }
        }
    }
}

#[test]
fn tables_without_an_answer_are_refused() {
    let mut x = normal(50, 4, 1);
    x.col_mut(1).fill(1e6 + 0.1);
    x.col_mut(3).fill(0.0);
    let constant = moments(x);
    let one_column = moments(normal(50, 1, 1));
    let no_column = moments(Mat::zeros(50, 0));
    let one_row = moments(normal(1, 3, 1));
    let no_row = moments(normal(0, 3, 1));
    for algorithm in methods() {
        let error = |moments: &Moments| {
            learn(moments, &with(algorithm.clone()), &Run::default()).unwrap_err()
        };
        assert_eq!(
            error(&constant),
            Error::ConstantColumns { names: vec!["x2".into(), "x4".into()] }
        );
        assert_eq!(error(&one_column), Error::TooFewColumns { columns: 1 });
        assert_eq!(error(&no_column), Error::TooFewColumns { columns: 0 });
        assert_eq!(error(&one_row), Error::TooFewRows { rows: 1, needed: 2 });
        assert_eq!(error(&no_row), Error::TooFewRows { rows: 0, needed: 2 });
    }
}

/// Finite numbers whose squares are not: an error in one line, for every method.
#[test]
fn numbers_too_large_to_square_are_refused() {
    let mut x = normal(50, 4, 1);
    x.col_mut(2).iter_mut().for_each(|value| *value *= 1e200);
    let mut shifted = normal(50, 4, 1);
    shifted.col_mut(2).iter_mut().for_each(|value| *value = *value * 1e150 + 1e160);
    let mut summed = normal(50, 4, 1);
    summed.col_mut(2).iter_mut().for_each(|value| *value = 1e308 + *value * 1e306);
    for (x, center) in [(x, true), (shifted, false), (summed, true)] {
        let moments = moments(x);
        for algorithm in methods() {
            let options = Options { center, ..with(algorithm.clone()) };
            let error = learn(&moments, &options, &Run::default()).unwrap_err();
            assert!(matches!(error, Error::ExtremeScale { .. }), "{}: {error}", algorithm.name());
            assert!(error.to_string().contains("`x3`"), "{error}");
        }
    }
}

/// Means that drown the variances: with `center` nothing is lost; without it the second moments
/// are singular to rounding, and whatever comes out is sound or an error.
#[test]
fn means_far_above_the_deviations_go_through() {
    let x = normal(300, 4, 5);
    let x = Mat::from_fn(300, 4, |i, j| {
        let value = if j == 3 { x[(i, 0)] + x[(i, 3)] } else { x[(i, j)] };
        value + 1e8 * (j + 1) as f64
    });
    let moments = moments(x);
    for algorithm in methods() {
        for prune in [None, Some(Prune::Ebic)] {
            for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
                let options = Options { refine, prune, ..with(algorithm.clone()) };
                let fit = learn(&moments, &options, &Run::default()).unwrap();
                assert_sound(&fit, &format!("{options:?}"));
            }
        }
    }
    let nocurl = Algorithm::from(NoCurl::default());
    for algorithm in [
        nocurl,
        Algorithm::from(EqTd {}),
        Algorithm::from(EqBu {}),
        Algorithm::from(R2SortNRegress {}),
    ] {
        for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
            let options = Options { refine, center: false, ..with(algorithm.clone()) };
            if let Ok(fit) = learn(&moments, &options, &Run::default()) {
                assert_sound(&fit, &format!("{options:?}"));
            }
        }
    }
}

/// Units from nanometres to parsecs: no answer is promised, but there is one without a panic.
#[test]
fn columns_of_very_unlike_size_go_through() {
    let moments = simulated(5, 300, 2);
    let scale = [1e-9, 1e16, 1.0, 1e8, 1e-12];
    let s = moments.second_moments(true);
    let s = Mat::from_fn(5, 5, |i, j| s[(i, j)] * scale[i] * scale[j]);
    let scaled =
        Moments::from_covariance(Dataset::default_names(5), 300, vec![0.0; 5], s.as_ref()).unwrap();
    for algorithm in methods() {
        for refine in [None, Some(Refine::EQUAL_VARIANCE), Some(Refine::BIC)] {
            let options = Options { refine, ..with(algorithm.clone()) };
            let case = format!("{options:?}");
            let fit =
                learn(&scaled, &options, &Run::default()).unwrap_or_else(|e| panic!("{case}: {e}"));
            assert_sound(&fit, &case);
        }
    }
}

#[test]
fn every_method_survives_json_and_is_found_by_name() {
    for algorithm in methods().into_iter().chain(Algorithm::all()) {
        let text = serde_json::to_string(&algorithm).unwrap();
        assert_eq!(serde_json::from_str::<Algorithm>(&text).unwrap(), algorithm, "{text}");
        assert!(text.contains(&format!(r#""method":"{}""#, algorithm.name())), "{text}");
        assert!(!algorithm.facts().summary.is_empty() && !algorithm.facts().reference.is_empty());
    }
    let names: Vec<&str> = Algorithm::all().iter().map(Algorithm::name).collect();
    for (k, name) in names.iter().enumerate() {
        assert_eq!(Algorithm::from_name(name).unwrap(), Algorithm::all()[k]);
        assert!(!names[..k].contains(name), "{name} is there twice");
        // The name alone is enough: parameters have defaults.
        let short = format!(r#"{{"method":"{name}"}}"#);
        assert_eq!(serde_json::from_str::<Algorithm>(&short).unwrap(), Algorithm::all()[k]);
    }
    let options = Options {
        refine: Some(Refine::BIC),
        prune: Some(Prune::TTest { alpha: 0.05 }),
        threshold: Some(0.1),
        seed: u64::MAX,
        ..Options::default()
    };
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
}

#[test]
fn unknown_names_are_refused_with_a_suggestion() {
    for (name, expected) in [
        ("nocur", Some("nocurl")),
        ("no-tears", Some("notears")),
        ("eqtd", Some("eq-td")),
        ("eq-bd", Some("eq-bu")),
        ("sort-n-regress", Some("sortnregress")),
        ("r2sortnregress", Some("r2-sortnregress")),
        ("exakt", Some("exact")),
        ("zzzz", None),
        ("", None),
    ] {
        let error = Algorithm::from_name(name).unwrap_err();
        let suggestion = expected.map(String::from);
        assert_eq!(error, Error::UnknownMethod { name: name.into(), suggestion });
    }
}

#[test]
fn unknown_parameters_are_refused() {
    for algorithm in Algorithm::all() {
        let text = format!(r#"{{"method":"{}","lamda":3}}"#, algorithm.name());
        let error = serde_json::from_str::<Algorithm>(&text).unwrap_err();
        assert!(error.to_string().contains("lamda"), "{text}: {error}");
    }
    assert!(serde_json::from_str::<Algorithm>(r#"{"method":"nocurll"}"#).is_err());
    assert!(serde_json::from_str::<Algorithm>(r#"{"method":"nocurl","variant":"?"}"#).is_err());
}

#[test]
fn direct_methods_say_so() {
    let moments = simulated(5, 100, 1);
    for algorithm in
        [Algorithm::from(EqTd {}), Algorithm::from(EqBu {}), Algorithm::from(SortNRegress {})]
    {
        let fit = learn(&moments, &with(algorithm), &Run::default()).unwrap();
        assert_eq!((fit.termination, fit.iterations), (Termination::Direct, 0));
    }
}

#[test]
fn the_exact_bic_graph_does_not_depend_on_units() {
    let drawn =
        simulate(&Simulation { variables: 6, rows: 500, ..Simulation::default() }, 4).unwrap();
    let moments = drawn.data.moments();
    let score = nocurl::methods::ExactScore::Bic;
    let algorithm = Algorithm::from(nocurl::methods::Exact { score, max_variables: None });
    let options = Options { algorithm, ..Options::default() };
    let edges = |fit: &Fit| fit.dag.edges().map(|(i, j, _)| (i, j)).collect::<Vec<_>>();
    let plain = learn(&moments, &options, &Run::default()).unwrap();
    assert!(plain.dag.edge_count() > 0);
    // Units in which every weight is far below 0.3, or far above.
    let s = moments.second_moments(true);
    let scale = |i: usize| f64::exp2(10.0 * (i as f64 - 3.0));
    let scaled = Mat::from_fn(6, 6, |i, j| s[(i, j)] * scale(i) * scale(j));
    let names = moments.names().to_vec();
    let scaled = Moments::from_covariance(names, 500, vec![0.0; 6], scaled.as_ref()).unwrap();
    assert_eq!(edges(&learn(&scaled, &options, &Run::default()).unwrap()), edges(&plain));
}

/// The edges by name with their weights, from the smallest name.
fn named_edges(data: &Dataset, fit: &Fit) -> Vec<(String, String, f64)> {
    let name = |i: usize| data.names()[i].clone();
    let mut edges: Vec<_> =
        fit.dag.edges().map(|(i, j, weight)| (name(i), name(j), weight)).collect();
    edges.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    edges
}

#[test]
fn the_order_of_columns_has_no_influence() {
    for (seed, method, variables, rows) in [
        (1, "order-search", 12, 200),
        (2, "order-search", 25, 60),
        (3, "fges", 15, 150),
        (4, "nocurl", 10, 300),
        (5, "eq-td", 10, 300),
        (6, "cam", 5, 150),
    ] {
        let simulation = Simulation { variables, rows, standardize: true, ..Simulation::default() };
        let drawn = simulate(&simulation, seed).unwrap().data;
        let options =
            Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() };
        let plain = learn(&drawn, &options, &Run::default()).unwrap();
        // Reversed, and rotated by a third.
        for places in [
            (0..variables).rev().collect::<Vec<_>>(),
            (0..variables).map(|j| (j + variables / 3) % variables).collect(),
        ] {
            let names: Vec<String> = places.iter().map(|&j| drawn.names()[j].clone()).collect();
            let values = Mat::from_fn(rows, variables, |i, j| drawn.values()[(i, places[j])]);
            let other = Dataset::new(names, values).unwrap();
            let fit = learn(&other, &options, &Run::default()).unwrap();
            let (one, two) = (named_edges(&drawn, &plain), named_edges(&other, &fit));
            assert_eq!(one.len(), two.len(), "{method}");
            for (a, b) in one.iter().zip(&two) {
                assert_eq!((&a.0, &a.1), (&b.0, &b.1), "{method}");
                assert!((a.2 - b.2).abs() <= 1e-9 * (1.0 + a.2.abs()), "{method}: {a:?}, {b:?}");
            }
            let order = |data: &Dataset, fit: &Fit| -> Vec<String> {
                fit.order.iter().map(|&i| data.names()[i].clone()).collect()
            };
            assert_eq!(order(&drawn, &plain), order(&other, &fit), "{method}");
            // A potential is 0 at the last variable of its table.
            let ground = plain.potential[places[variables - 1]];
            for (place, &j) in places.iter().enumerate() {
                let expected = plain.potential[j] - ground;
                assert!((fit.potential[place] - expected).abs() < 1e-9, "{method}");
            }
            assert_eq!(fit.potential[variables - 1], 0.0, "{method}");
            let compelled = |data: &Dataset, fit: &Fit| {
                let name = |i: usize| data.names()[i].clone();
                let mut all: Vec<_> =
                    fit.class.directed().map(|(i, j)| (name(i), name(j))).collect();
                all.sort();
                all
            };
            assert_eq!(compelled(&drawn, &plain), compelled(&other, &fit), "{method}");
        }
    }
}
