//! Every finding on data whose answer is known.

use nocurl::Prune;
use nocurl::checks::{
    Bic, Collinearity, Density, Diagnosis, Edge, Falsification, Finding, HodgeEnergy, NearConstant,
    NonGaussianity, ResidualVariances, SampleSize, Sortability, Units, Verdict, diagnose,
    sortability,
};
use nocurl::methods::{Exact, ExactScore};
use nocurl::refine::Refine;
use nocurl::simulate::{GraphFamily, Noise, Simulation, Variances, simulate};
use nocurl::{
    Action, Algorithm, Dag, Data, Dataset, Determines, Error, Fit, Mat, Moments, Options, Run,
    learn,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn by(method: &str) -> Options {
    Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() }
}

fn pruned(method: &str) -> Options {
    Options { prune: Some(Prune::Ebic), ..by(method) }
}

fn run<'a>(data: impl Into<Data<'a>>, options: &Options) -> Diagnosis {
    let data = data.into();
    let fit = learn(data, options, &Run::default()).unwrap();
    diagnose(data, options, &fit, &Run::default()).unwrap()
}

fn find(diagnosis: &Diagnosis, name: &str) -> Finding {
    let mut found = diagnosis.findings.iter().filter(|finding| finding.check == name);
    let finding = found.next().unwrap_or_else(|| panic!("no finding `{name}`")).clone();
    assert!(found.next().is_none(), "`{name}` twice");
    let sentence = finding.sentence.to_string();
    assert!(sentence.ends_with('.') && !sentence.contains('\n'), "{sentence}");
    for part in sentence.split(". ") {
        assert!(part.split(' ').count() <= 40, "{part}");
    }
    finding
}

/// The numbers of a finding, its verdict and its sentence.
fn numbers_of<N: Clone + 'static>(diagnosis: &Diagnosis, name: &str) -> (N, Verdict, String) {
    let finding = find(diagnosis, name);
    let numbers = finding.numbers::<N>().unwrap_or_else(|| panic!("{finding:?}")).clone();
    (numbers, finding.verdict, finding.sentence.to_string())
}

fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    Mat::from_fn(n, d, |_, _| StandardNormal.sample(&mut rng))
}

fn dataset(values: Mat<f64>) -> Dataset {
    Dataset::new(Dataset::default_names(values.ncols()), values).unwrap()
}

fn chain(rows: usize, noise: Noise, seed: u64) -> Dataset {
    let graph = GraphFamily::Chain;
    let simulation = Simulation { graph, variables: 5, rows, noise, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data
}

fn scaled(data: &Dataset, factors: &[f64]) -> Dataset {
    let values = data.values();
    dataset(Mat::from_fn(values.nrows(), values.ncols(), |i, j| values[(i, j)] * factors[j]))
}

#[test]
fn findings_have_their_names_and_survive_json() {
    let diagnosis = run(&chain(200, Noise::Gaussian, 1), &by("nocurl"));
    let names: Vec<&str> = diagnosis.findings.iter().map(|f| f.check).collect();
    let expected = [
        "sample-size",
        "collinearity",
        "near-constant",
        "varsortability",
        "r2-sortability",
        "residual-variances",
        "non-gaussianity",
        "hodge-energy",
        "bic",
        "units",
        "density",
        "falsification",
    ];
    assert_eq!(names, expected);
    let json = serde_json::to_value(&diagnosis).unwrap();
    for (finding, name) in json.as_array().unwrap().iter().zip(expected) {
        assert_eq!(finding["check"], name);
        assert!(finding["numbers"].is_object() && finding["sentence"].is_string(), "{finding}");
        let advice = finding["advice"].as_array().unwrap();
        assert!(advice.iter().all(|action| action.as_object().is_some()), "{finding}");
    }
    // Numbers come back as they are, each in the type of its check.
    let numbers = |place: usize| json[place]["numbers"].clone();
    let back: SampleSize = serde_json::from_value(numbers(0)).unwrap();
    assert_eq!(Some(&back), diagnosis.findings[0].numbers());
    let back: ResidualVariances = serde_json::from_value(numbers(5)).unwrap();
    assert_eq!(Some(&back), diagnosis.findings[5].numbers());
    let back: Units = serde_json::from_value(numbers(9)).unwrap();
    assert_eq!(Some(&back), diagnosis.findings[9].numbers());
    assert_eq!(diagnosis.findings[9].numbers::<Bic>(), None);
    assert_ne!(diagnosis.findings[0], diagnosis.findings[1]);
}

#[test]
fn the_worst_come_first() {
    let simulation = Simulation { rows: 40, ..Simulation::default() };
    let diagnosis = run(&simulate(&simulation, 3).unwrap().data, &Options::default());
    let notable = diagnosis.notable();
    assert!(notable.windows(2).all(|pair| pair[0].verdict >= pair[1].verdict));
    let ok = diagnosis.findings.iter().filter(|f| f.verdict <= Verdict::Ok).count();
    assert_eq!(notable.len() + ok, diagnosis.findings.len());
    assert!(notable.iter().any(|f| f.check == "sample-size"));
}

#[test]
fn few_rows_are_told() {
    for (rows, verdict) in
        [(4, Verdict::Concern), (5, Verdict::Concern), (49, Verdict::Note), (50, Verdict::Ok)]
    {
        let diagnosis = run(&chain(rows, Noise::Gaussian, 1), &Options::default());
        let (numbers, told, _) = numbers_of::<SampleSize>(&diagnosis, "sample-size");
        assert_eq!((numbers.rows, numbers.variables, told), (rows as u64, 5, verdict));
        assert_eq!(numbers.rows_per_variable, rows as f64 / 5.0);
    }
    let diagnosis = run(&chain(2000, Noise::Gaussian, 1), &pruned("eq-td"));
    assert_eq!(numbers_of::<SampleSize>(&diagnosis, "sample-size").0.most_parents, 1);
}

#[test]
fn edges_that_can_be_trusted_with_few_rows_are_counted() {
    let simulation = Simulation {
        variables: 150,
        rows: 100,
        degree: 2.0,
        standardize: true,
        ..Simulation::default()
    };
    let (mut strong, mut true_ones, mut learnt) = (0, 0, 0);
    for seed in 0..4 {
        let drawn = simulate(&simulation, seed).unwrap();
        let options = Options::default();
        let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
        let diagnosis = diagnose(&drawn.data, &options, &fit, &Run::default()).unwrap();
        let (numbers, verdict, told) = numbers_of::<SampleSize>(&diagnosis, "sample-size");
        assert_eq!(verdict, Verdict::Concern);
        let count = numbers.strong_edges.unwrap();
        assert!(told.contains(&format!("{count} of {} edges", fit.dag.edge_count())), "{told}");
        strong += count;
        learnt += fit.dag.edge_count();
        let known = |i, j| drawn.truth.has_edge(i, j) || drawn.truth.has_edge(j, i);
        true_ones += fit.dag.edges().filter(|&(i, j, _)| known(i, j)).count();
    }
    // Some edges are false, and about so many are not strong.
    assert!(true_ones < learnt, "{true_ones} of {learnt}");
    assert!(strong.abs_diff(true_ones) * 100 <= learnt, "{strong}, {true_ones} of {learnt}");
    assert!(strong * 2 > learnt, "{strong} of {learnt}");
}

fn collinearity(values: Mat<f64>) -> (Collinearity, Verdict, String) {
    numbers_of::<Collinearity>(&run(&dataset(values), &pruned("eq-td")), "collinearity")
}

#[test]
fn condition_and_inflation_are_those_of_two_variables() {
    let data = dataset(normal(300, 2, 1));
    let s = data.moments().second_moments(true);
    let r = s[(0, 1)] / (s[(0, 0)] * s[(1, 1)]).sqrt();
    let (numbers, verdict, _) =
        numbers_of::<Collinearity>(&run(&data, &Options::default()), "collinearity");
    let close = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-13, "{a:?} {b}");
    close(numbers.smallest_eigenvalue, 1.0 - r.abs());
    close(numbers.largest_eigenvalue, 1.0 + r.abs());
    close(numbers.condition_number, (1.0 + r.abs()) / (1.0 - r.abs()));
    close(numbers.largest_inflation, 1.0 / (1.0 - r * r));
    assert_eq!((verdict, numbers.set), (Verdict::Ok, vec![]));
}

#[test]
fn copies_and_sums_are_collinear() {
    let x = normal(400, 5, 2);
    // The last column as a copy of column 1 in other units, then as the sum of columns 0 and 2;
    // exactly, almost, and with an error that is a tenth of it.
    let made = |error: f64, copy: bool| {
        Mat::from_fn(400, 5, |i, j| {
            let exact = if copy { 50.0 * x[(i, 1)] } else { x[(i, 0)] + x[(i, 2)] };
            let size = if copy { 50.0 } else { 1.0 };
            if j == 4 { exact + error * size * x[(i, 4)] } else { x[(i, j)] }
        })
    };
    for copy in [true, false] {
        let set = if copy { vec!["x2", "x5"] } else { vec!["x1", "x3", "x5"] };
        for (error, expected) in
            [(0.0, Verdict::Concern), (0.003, Verdict::Concern), (0.05, Verdict::Note)]
        {
            let (numbers, verdict, sentence) = collinearity(made(error, copy));
            assert_eq!((verdict, numbers.set.as_slice()), (expected, set_of(&set).as_slice()));
            assert!(sentence.contains("`x"), "{sentence}");
            assert_eq!(numbers.condition_number.is_none(), error == 0.0, "{numbers:?}");
        }
        assert_eq!(collinearity(made(1.0, copy)).1, Verdict::Ok);
    }
}

fn set_of(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn near_constant(values: Mat<f64>) -> (NearConstant, Verdict, String) {
    numbers_of::<NearConstant>(&run(&dataset(values), &pruned("eq-td")), "near-constant")
}

#[test]
fn columns_that_hardly_vary_are_named() {
    let x = normal(500, 3, 3);
    let rare = |count: usize| {
        Mat::from_fn(500, 3, |i, j| if j == 1 && i >= count { 7.0 } else { x[(i, j)] })
    };
    assert_eq!(near_constant(x.clone()).1, Verdict::Ok);
    assert_eq!(near_constant(rare(50)).1, Verdict::Ok);
    for (count, expected) in [(20, Verdict::Note), (3, Verdict::Concern)] {
        let (numbers, verdict, sentence) = near_constant(rare(count));
        assert_eq!((verdict, numbers.rows, numbers.columns.len()), (expected, 500, 1));
        assert_eq!(numbers.columns[0].variable, "x2");
        assert_eq!(numbers.columns[0].most_common_share, Some(1.0 - count as f64 / 500.0));
        assert!(sentence.contains("`x2` hardly varies"), "{sentence}");
    }
    let shifted = |by: f64| Mat::from_fn(500, 3, |i, j| x[(i, j)] + if j == 2 { by } else { 0.0 });
    for (by, expected) in [(1e4, Verdict::Ok), (1e8, Verdict::Note), (1e11, Verdict::Concern)] {
        let (numbers, verdict, _) = near_constant(shifted(by));
        assert_eq!(verdict, expected, "{by:e}");
        let named: Vec<&str> = numbers.columns.iter().map(|c| c.variable.as_str()).collect();
        assert_eq!(named, if verdict == Verdict::Ok { vec![] } else { vec!["x3"] });
    }
}

/// Sortability by its definition: pairs joined by a path of exactly k edges, for every k.
fn sortability_by_definition(dag: &Dag, scores: &[f64]) -> Option<f64> {
    let d = dag.size();
    let (mut rising, mut paths) = (0.0, 0.0);
    let mut joined: Vec<Vec<bool>> =
        (0..d).map(|i| (0..d).map(|j| dag.has_edge(i, j)).collect()).collect();
    for _ in 1..d {
        for i in 0..d {
            for j in 0..d {
                if joined[i][j] {
                    paths += 1.0;
                    rising += match scores[i].partial_cmp(&scores[j]).unwrap() {
                        std::cmp::Ordering::Less => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Greater => 0.0,
                    };
                }
            }
        }
        joined = (0..d)
            .map(|i| (0..d).map(|j| dag.parents(j).any(|k| joined[i][k])).collect())
            .collect();
    }
    (paths > 0.0).then(|| rising / paths)
}

proptest! {
    #[test]
    fn sortability_is_that_of_its_definition(
        edges in prop::collection::vec((0..9_usize, 0..9_usize), 0..30),
        order in Just((0..9_usize).collect::<Vec<_>>()).prop_shuffle(),
        scores in prop::collection::vec(0..5_u8, 9),
    ) {
        let edges: Vec<(usize, usize)> = edges
            .into_iter()
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (order[a.min(b)], order[a.max(b)]))
            .collect();
        let dag = Dag::from_edges(9, &edges).unwrap();
        let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
        let expected = sortability_by_definition(&dag, &scores);
        prop_assert_eq!(sortability(&dag, &scores), expected);
        // Reversing the scores reverses the share.
        let negative: Vec<f64> = scores.iter().map(|score| -score).collect();
        let reversed = sortability(&dag, &negative);
        prop_assert!((reversed.unwrap_or(0.5) + expected.unwrap_or(0.5) - 1.0).abs() < 1e-15);
    }
}

#[test]
fn large_graphs_cross_the_words_of_bit_sets() {
    let edges: Vec<(usize, usize)> =
        (0..200).flat_map(|i| [(i, i + 1), (i, i + 5)]).filter(|&(_, j)| j < 200).collect();
    let dag = Dag::from_edges(200, &edges).unwrap();
    let scores: Vec<f64> = (0..200).map(|i| f64::from((i * 37) % 50)).collect();
    assert_eq!(sortability(&dag, &scores), sortability_by_definition(&dag, &scores));
}

#[test]
fn scale_gives_the_order_away_until_columns_are_standardised() {
    let raw = Simulation { rows: 2000, ..Simulation::default() };
    let diagnosis = run(&simulate(&raw, 5).unwrap().data, &pruned("eq-td"));
    let (numbers, verdict, _) = numbers_of::<Sortability>(&diagnosis, "varsortability");
    assert!(numbers.value.unwrap() > 0.9 && verdict == Verdict::Note, "{numbers:?}");

    let data = simulate(&Simulation { standardize: true, ..raw }, 5).unwrap().data;
    let diagnosis = run(&data, &pruned("nocurl"));
    let (numbers, verdict, _) = numbers_of::<Sortability>(&diagnosis, "varsortability");
    assert_eq!((numbers.value, verdict), (Some(0.5), Verdict::Ok));

    // Sorting by the number itself has all paths rising, by construction.
    let diagnosis = run(&data, &pruned("r2-sortnregress"));
    let (numbers, verdict, _) = numbers_of::<Sortability>(&diagnosis, "r2-sortability");
    assert_eq!((numbers.value, verdict), (Some(1.0), Verdict::Note));
    // Directions that a class leaves open are not judged.
    let diagnosis = run(&data, &by("fges"));
    assert_eq!(find(&diagnosis, "varsortability").verdict, Verdict::Ok);
    assert_eq!(find(&diagnosis, "r2-sortability").verdict, Verdict::Ok);

    let empty = run(&dataset(normal(500, 4, 1)), &Options::default());
    assert_eq!(numbers_of::<Sortability>(&empty, "varsortability").0.value, None);
}

fn residuals(data: &Dataset, options: &Options) -> (ResidualVariances, Verdict, String) {
    numbers_of::<ResidualVariances>(&run(data, options), "residual-variances")
}

#[test]
fn equal_variances_are_told_from_unequal_ones() {
    let equal = Simulation { rows: 3000, ..Simulation::default() };
    let data = simulate(&equal, 2).unwrap().data;
    let (numbers, verdict, _) = residuals(&data, &pruned("eq-td"));
    assert!(numbers.ratio.unwrap() < 1.2 && verdict == Verdict::Ok, "{numbers:?}");
    assert_eq!(numbers.variances.len(), 10);

    // The errors of x4 are ten times as large as all others.
    let mut factors = vec![1.0; 10];
    factors[3] = 10.0;
    let data = scaled(&data, &factors);
    let (numbers, verdict, sentence) = residuals(&data, &pruned("eq-td"));
    assert!(numbers.ratio.unwrap() > 4.0 && verdict == Verdict::Concern, "{numbers:?}");
    assert!(sentence.contains("eq-td takes them as equal"), "{sentence}");
    // Only methods that assume it are in trouble.
    let refined = Options { refine: Some(Refine::BIC), ..pruned("eq-td") };
    for options in [by("fges"), pruned("r2-sortnregress"), refined] {
        assert_eq!(residuals(&data, &options).1, Verdict::Ok);
    }
    let refined = Options { refine: Some(Refine::EQUAL_VARIANCE), ..by("fges") };
    assert_eq!(residuals(&data, &refined).1, Verdict::Concern);
}

#[test]
fn residual_variances_are_those_of_the_rows() {
    let data = chain(60, Noise::Gaussian, 8);
    let options = pruned("eq-td");
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let (numbers, ..) = residuals(&data, &options);
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    for (j, variance) in numbers.variances.iter().enumerate() {
        // A chain: one parent or none, so the regression is the textbook one.
        let parents: Vec<usize> = fit.dag.parents(j).collect();
        let y = data.column(j);
        let residual: Vec<f64> = match parents.as_slice() {
            [] => {
                let my = mean(y);
                y.iter().map(|y| y - my).collect()
            }
            &[i] => {
                let x = data.column(i);
                let (mx, my) = (mean(x), mean(y));
                let slope = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
                    / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>();
                x.iter().zip(y).map(|(x, y)| y - my - slope * (x - mx)).collect()
            }
            more => panic!("{more:?} are parents of one in a chain"),
        };
        let freedom = (60 - 1 - parents.len()) as f64;
        let expected = residual.iter().map(|r| r * r).sum::<f64>() / freedom;
        assert!((variance - expected).abs() < 1e-12 * expected.max(1.0), "{variance} {expected}");
    }
}

fn shapes(data: &Dataset, options: &Options) -> (NonGaussianity, Verdict, String) {
    numbers_of::<NonGaussianity>(&run(data, options), "non-gaussianity")
}

#[test]
fn the_shape_of_errors_is_seen() {
    for seed in 0..5 {
        let (numbers, verdict, _) = shapes(&chain(1000, Noise::Gaussian, seed), &pruned("eq-td"));
        assert_eq!((numbers.rejected.len(), verdict), (0, Verdict::Ok), "{numbers:?}");
        assert_eq!((numbers.rows, numbers.residuals.len()), (1000, 5));
        for noise in [Noise::Laplace, Noise::Uniform, Noise::Exponential] {
            let (numbers, verdict, _) = shapes(&chain(1000, noise, seed), &pruned("eq-td"));
            assert_eq!((numbers.rejected.len(), verdict), (5, Verdict::Ok), "{noise:?}");
            // Tests of edges assume normal errors; directions by shape need others.
            let prune = Some(Prune::TTest { alpha: 0.01 });
            let tested = Options { prune, ..by("eq-td") };
            assert_eq!(shapes(&chain(1000, noise, seed), &tested).1, Verdict::Note);
            assert_eq!(shapes(&chain(1000, noise, seed), &by("lingam")).1, Verdict::Ok);
        }
    }
    // A test of five residuals at a level of 1% in all rejects one of them now and then: in more
    // than 3 of 40 tables with a chance of 1e-3.
    let concern = |&seed: &u64| {
        let (_, verdict, _) = shapes(&chain(1000, Noise::Gaussian, seed), &by("lingam"));
        verdict == Verdict::Concern
    };
    let concerns = (0..40).filter(concern).count();
    assert!(concerns >= 37, "{concerns} of 40");
    let (numbers, ..) = shapes(&chain(20_000, Noise::Laplace, 1), &pruned("eq-td"));
    for shape in &numbers.residuals {
        assert!((shape.excess_kurtosis - 3.0).abs() < 0.6 && shape.skewness.abs() < 0.2);
    }
    let (_, verdict, sentence) = shapes(&chain(2000, Noise::Student(2.0), 1), &pruned("eq-td"));
    assert_eq!(verdict, Verdict::Concern, "{sentence}");
}

#[test]
fn normal_errors_are_rarely_called_something_else() {
    // 200 tables at a level of 1% in all: more than 8 rejections have a chance of 2e-4.
    let rejected = (0..200)
        .filter(|&seed| {
            let (numbers, ..) = shapes(&dataset(normal(40, 4, seed)), &pruned("eq-td"));
            !numbers.rejected.is_empty()
        })
        .count();
    assert!(rejected <= 8, "{rejected}");
}

#[test]
fn rows_are_needed_for_shapes_and_a_sample_is_enough() {
    let data = chain(1000, Noise::Laplace, 1);
    let (moments, options) = (data.moments(), pruned("eq-td"));
    let (numbers, verdict, sentence) =
        numbers_of::<NonGaussianity>(&run(&moments, &options), "non-gaussianity");
    assert_eq!((numbers.rows, verdict), (0, Verdict::Unchecked));
    assert!(sentence.contains("give the rows"), "{sentence}");

    let some = dataset(data.values().subrows(0, 300).to_owned());
    let diagnosis = run((&moments, &some), &options);
    let (numbers, verdict, _) = numbers_of::<NonGaussianity>(&diagnosis, "non-gaussianity");
    assert_eq!((numbers.rows, verdict), (300, Verdict::Ok));
    // What does not need rows is the same.
    let all = run(&data, &options);
    for name in ["sample-size", "collinearity", "bic", "units", "residual-variances"] {
        assert_eq!(find(&diagnosis, name), find(&all, name));
    }
    let few = dataset(data.values().subrows(0, 19).to_owned());
    let diagnosis = run((&moments, &few), &options);
    let (numbers, _, sentence) = numbers_of::<NonGaussianity>(&diagnosis, "non-gaussianity");
    assert!(numbers.residuals.is_empty() && sentence.contains("Too few rows"));
}

fn energy(data: &Dataset, fit: &Fit, options: &Options) -> (HodgeEnergy, Verdict, String) {
    let diagnosis = diagnose(data, options, fit, &Run::default()).unwrap();
    numbers_of::<HodgeEnergy>(&diagnosis, "hodge-energy")
}

#[test]
fn a_chain_is_all_gradient_and_a_ring_is_none() {
    let data = chain(2000, Noise::Gaussian, 4);
    let options = by("nocurl");
    let mut fit = learn(&data, &options, &Run::default()).unwrap();
    assert_eq!(fit.dag.edge_count(), 4);
    let (numbers, verdict, _) = energy(&data, &fit, &options);
    assert!((numbers.gradient_share.unwrap() - 1.0).abs() < 1e-12, "{numbers:?}");
    assert_eq!((numbers.cyclic_share, verdict), (Some(0.0), Verdict::Ok));

    // x1 -> x2 -> x3 -> x1 with weights 1, and x4 -> x5 with weight 1.
    let mut ring = Mat::zeros(5, 5);
    for edge in [(0, 1), (1, 2), (2, 0), (3, 4)] {
        ring[edge] = 1.0;
    }
    fit.estimate = Some(ring);
    let (numbers, verdict, sentence) = energy(&data, &fit, &options);
    assert!((numbers.curl - 0.75).abs() < 1e-12 && (numbers.gradient - 0.25).abs() < 1e-12);
    assert_eq!((numbers.cyclic_share, verdict), (Some(0.75), Verdict::Concern));
    assert_eq!(numbers.on_cycles, ["x1", "x2", "x3"]);
    assert!(sentence.contains("`x1`, `x2` and `x3`"), "{sentence}");

    fit.estimate = Some(Mat::zeros(5, 5));
    let (numbers, verdict, _) = energy(&data, &fit, &options);
    assert_eq!((numbers.gradient_share, verdict), (None, Verdict::Ok));
}

#[test]
fn methods_without_an_estimate_have_no_energy() {
    let data = chain(300, Noise::Gaussian, 4);
    for method in ["notears", "eq-td", "fges", "cam"] {
        let diagnosis = run(&data, &by(method));
        assert!(diagnosis.findings.iter().all(|f| f.check != "hodge-energy"), "{method}");
        assert_eq!(diagnosis.findings.len(), 11);
    }
}

fn bic(data: &Dataset, options: &Options) -> (Bic, Verdict, String) {
    numbers_of::<Bic>(&run(data, options), "bic")
}

#[test]
fn the_score_is_that_of_correlations_along_a_chain() {
    let n = 500;
    let data = chain(n, Noise::Gaussian, 6);
    let options = pruned("eq-td");
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let s = data.moments().second_moments(true);
    let expected: f64 = fit
        .dag
        .edges()
        .map(|(i, j, _)| {
            let r2 = s[(i, j)].powi(2) / s[(i, i)] / s[(j, j)];
            n as f64 * (1.0 - r2).ln() + (n as f64).ln() + 2.0 * 5_f64.ln()
        })
        .sum();
    assert!((0..5).all(|j| fit.dag.parents(j).count() <= 1));
    let (numbers, ..) = bic(&data, &options);
    assert!((numbers.learnt.unwrap() - expected).abs() < 1e-9, "{numbers:?} {expected}");
    assert_eq!(numbers.empty, 0.0);
    // No units: scaling changes only the order by variance.
    let (other, ..) = bic(&scaled(&data, &[100.0, 1.0, 0.01, 3.0, 7.0]), &Options::default());
    assert!((other.r2_sortnregress.unwrap() - numbers.r2_sortnregress.unwrap()).abs() < 1e-6);
}

#[test]
fn baselines_are_learnt_as_the_methods_of_their_names() {
    let data = simulate(&Simulation { rows: 400, ..Simulation::default() }, 9).unwrap().data;
    let (numbers, ..) = bic(&data, &Options::default());
    for (method, score) in
        [("sortnregress", numbers.sortnregress), ("r2-sortnregress", numbers.r2_sortnregress)]
    {
        // The price of an edge is that of the default.
        let options = Options { prune: Some(Prune::Ebic), ..by(method) };
        let (own, ..) = bic(&data, &options);
        assert_eq!(own.price, numbers.price);
        assert_eq!((own.learnt, own.learnt_order), (score, score));
    }
}

#[test]
fn a_graph_that_is_no_better_than_a_trivial_one_is_told() {
    let simulation = Simulation { rows: 1000, standardize: true, ..Simulation::default() };
    let data = simulate(&simulation, 3).unwrap().data;
    let (numbers, verdict, sentence) = bic(&data, &by("fges"));
    assert_eq!(verdict, Verdict::Ok, "{sentence}");
    assert!(numbers.learnt < numbers.sortnregress && numbers.learnt < numbers.r2_sortnregress);
    // The baseline itself is at best as good as the baseline.
    let (_, verdict, _) = bic(&data, &Options { prune: Some(Prune::Bic), ..by("sortnregress") });
    assert!(verdict >= Verdict::Note);
    // A graph with the wrong edges, or hardly any.
    let (_, verdict, sentence) = bic(&data, &Options { threshold: Some(0.9), ..by("fges") });
    assert_eq!(verdict, Verdict::Note, "{sentence}");
    assert!(sentence.contains("`threshold = 0`"), "{sentence}");
    // Edges among independent columns cost more than they explain.
    let noise = dataset(normal(1000, 6, 1));
    let all = Options { threshold: Some(0.0), ..by("eq-td") };
    let (numbers, verdict, _) = bic(&noise, &all);
    assert!(numbers.learnt.unwrap() > 0.0 && verdict == Verdict::Concern, "{numbers:?}");
    let (numbers, verdict, _) = bic(&noise, &pruned("eq-td"));
    assert_eq!((numbers.learnt, verdict), (Some(0.0), Verdict::Ok));
}

fn units(data: &Dataset, options: &Options) -> (Units, Verdict, String) {
    numbers_of::<Units>(&run(data, options), "units")
}

fn edge(from: &str, to: &str) -> Edge {
    Edge { from: from.into(), to: to.into() }
}

#[test]
fn scaling_turns_an_edge_of_eq_td() {
    // x2 -> x1, with x1 in units so small that it comes last. With equal variances nothing tells
    // which comes first, and the first column does.
    let x = normal(2000, 3, 7);
    let values = Mat::from_fn(2000, 3, |i, j| match j {
        0 => 10.0 * (x[(i, 1)] + 0.3 * x[(i, 0)]),
        j => x[(i, j)],
    });
    let data = dataset(values);
    let (numbers, verdict, sentence) = units(&data, &pruned("eq-td"));
    assert!(numbers.depends && numbers.refitted);
    assert_eq!((numbers.flipped, verdict), (vec![edge("x2", "x1")], Verdict::Concern));
    assert!(sentence.contains("1 of 1 edges change direction"), "{sentence}");
    assert!(sentence.contains("`x2` -> `x1`"), "{sentence}");
}

#[test]
fn changes_are_those_of_rows_standardised_by_hand() {
    let data = simulate(&Simulation { rows: 500, ..Simulation::default() }, 4).unwrap().data;
    let options = by("nocurl");
    let (numbers, ..) = units(&data, &options);
    let variances = data.moments().variances();
    let factors: Vec<f64> = variances.iter().map(|v| v.sqrt().recip()).collect();
    let [before, after] = [&data, &scaled(&data, &factors)]
        .map(|data| learn(data, &options, &Run::default()).unwrap().dag);
    let name = |i: usize| format!("x{}", i + 1);
    let edges = |dag: &Dag, other: &Dag, flipped: bool| {
        let mut edges: Vec<Edge> = dag
            .edges()
            .filter(|&(i, j, _)| !other.has_edge(i, j) && other.has_edge(j, i) == flipped)
            .map(|(i, j, _)| edge(&name(i), &name(j)))
            .collect();
        edges.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        edges
    };
    let sorted = |mut edges: Vec<Edge>| {
        edges.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        edges
    };
    assert!(!numbers.flipped.is_empty() && !numbers.appeared.is_empty(), "{numbers:?}");
    assert_eq!(sorted(numbers.flipped), edges(&before, &after, true));
    assert_eq!(sorted(numbers.vanished), edges(&before, &after, false));
    assert_eq!(sorted(numbers.appeared), edges(&after, &before, false));
}

#[test]
fn a_threshold_depends_on_units_even_if_the_method_does_not() {
    let data = scaled(&chain(2000, Noise::Gaussian, 3), &[1.0, 100.0, 1.0, 1.0, 1.0]);
    let (numbers, verdict, _) = units(&data, &by("fges"));
    assert_eq!((numbers.depends, numbers.refitted, verdict), (false, false, Verdict::Ok));
    let options = Options { threshold: Some(0.3), ..by("fges") };
    let (numbers, verdict, sentence) = units(&data, &options);
    assert!(numbers.depends && numbers.refitted && numbers.vanished.len() <= 4);
    assert_eq!(numbers.flipped, []);
    assert!(!numbers.appeared.is_empty() && verdict == Verdict::Note, "{numbers:?}");
    assert!(sentence.contains("threshold of 0.3"), "{sentence}");
}

#[test]
fn methods_that_say_so_do_not_depend_on_units() {
    let bic = Algorithm::from(Exact { score: ExactScore::Bic, ..Exact::default() });
    let methods: Vec<Algorithm> = super::quick_methods().into_iter().chain([bic]).collect();
    let simulation = Simulation {
        variables: 8,
        rows: 400,
        variances: Variances::Random(0.5, 2.0),
        ..Simulation::default()
    };
    for seed in 0..3 {
        let data = simulate(&simulation, seed).unwrap().data;
        let factors: Vec<f64> = (0..8).map(|j| 3_f64.powi((j * 5) % 8 - 4)).collect();
        let other = scaled(&data, &factors);
        for algorithm in &methods {
            let options = Options {
                algorithm: algorithm.clone(),
                prune: (!algorithm.facts().chooses_edges).then_some(Prune::Bic),
                ..Options::default()
            };
            assert_eq!(options.depends_on_units(), algorithm.facts().depends_on_units);
            let [a, b] =
                [&data, &other].map(|data| learn(data, &options, &Run::default()).unwrap());
            let same = match a.determines {
                Determines::Graph => {
                    (0..8).all(|i| (0..8).all(|j| a.dag.has_edge(i, j) == b.dag.has_edge(i, j)))
                }
                _ => a.class == b.class,
            };
            let name = algorithm.name();
            assert!(same || algorithm.facts().depends_on_units, "{name} depends on units");
            let (numbers, ..) = units(&data, &options);
            // Networks take too long to be trained a second time for as many variables.
            let refits = algorithm.facts().depends_on_units && !name.ends_with("-mlp");
            assert_eq!(numbers.refitted, refits, "{name}");
        }
    }
    let refined = Options { refine: Some(Refine::EQUAL_VARIANCE), ..by("fges") };
    assert!(refined.depends_on_units() && by("nocurl").depends_on_units());
    // What is drawn of a class may follow the units, and pruning goes along it.
    assert!(pruned("order-search").depends_on_units() && !by("order-search").depends_on_units());
    assert!(Options { threshold: Some(0.1), ..by("cam") }.depends_on_units());
}

#[test]
fn rows_are_scaled_where_the_method_needs_them() {
    let data = chain(200, Noise::Gaussian, 3);
    let options = Options { threshold: Some(0.3), ..by("cam") };
    assert!(units(&data, &options).0.refitted);
    // A sample of the rows is not enough for another fit.
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let moments = data.moments();
    let diagnosis = diagnose((&moments, &data), &options, &fit, &Run::default()).unwrap();
    assert!(!numbers_of::<Units>(&diagnosis, "units").0.refitted);
}

#[test]
fn many_variables_are_not_learnt_twice() {
    let simulation = Simulation { variables: 201, rows: 500, ..Simulation::default() };
    let data = simulate(&simulation, 1).unwrap().data;
    let diagnosis = run(&data, &by("eq-td"));
    let (numbers, _, sentence) = numbers_of::<Units>(&diagnosis, "units");
    assert!(numbers.depends && !numbers.refitted, "{sentence}");
    let (numbers, ..) = numbers_of::<Bic>(&diagnosis, "bic");
    assert!(numbers.learnt.is_some() && numbers.sortnregress.is_none());
}

#[test]
fn threads_do_not_change_it() {
    let data = simulate(&Simulation { variables: 30, ..Simulation::default() }, 1).unwrap().data;
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&data, &Options::default()))
    });
    assert_eq!(one, two);
}

#[test]
fn it_can_be_stopped_and_refuses_strangers() {
    let data = chain(100, Noise::Gaussian, 1);
    let options = Options::default();
    let fit = learn(&data, &options, &Run::default()).unwrap();
    assert_eq!(
        diagnose(
            &data,
            &options,
            &fit,
            &Run::default().stopped_by(&std::sync::atomic::AtomicBool::new(true))
        ),
        Err(Error::Cancelled)
    );
    let other: Moments = dataset(normal(50, 3, 1)).moments();
    assert!(matches!(
        diagnose(&other, &options, &fit, &Run::default()),
        Err(Error::DifferentVariables { .. })
    ));
    let moments = data.moments();
    let stranger = dataset(normal(50, 3, 1));
    let told = diagnose((&moments, &stranger), &options, &fit, &Run::default());
    assert!(matches!(told, Err(Error::DifferentVariables { .. })));
}

/// What a finding complains about, as a number that is better when smaller.
fn complaint(diagnosis: &Diagnosis, name: &str) -> f64 {
    let finding = find(diagnosis, name);
    match name {
        "density" => finding.numbers::<Density>().unwrap().edges as f64,
        "bic" => {
            let numbers = finding.numbers::<Bic>().unwrap();
            let best = numbers.sortnregress.unwrap().min(numbers.r2_sortnregress.unwrap());
            numbers.learnt.unwrap() - best
        }
        "sample-size" => finding.numbers::<SampleSize>().unwrap().most_parents as f64,
        "non-gaussianity" => f64::from(u8::from(finding.verdict == Verdict::Concern)),
        _ => panic!("no measure of {name}"),
    }
}

/// The options with what a finding advises.
fn advised(options: &Options, finding: &Finding) -> Option<Options> {
    let action = (*finding.advice().first()?).clone();
    let mut options = options.clone();
    match action {
        Action::Method { name } => {
            options =
                Options { algorithm: Algorithm::from_name(name).unwrap(), ..Options::default() };
        }
        Action::Parameter { name, to: Some(to) } => {
            options.algorithm = options.algorithm.with_parameter(&name, to).unwrap();
        }
        Action::Set { name: "prune", .. } if finding.check == "sample-size" => {
            options.prune = Some(Prune::Ebic);
        }
        Action::Set { name: "prune", .. } => options.prune = Some(Prune::Bic),
        Action::Set { name: "threshold", .. } => options.threshold = Some(0.0),
        _ => return None,
    }
    Some(options)
}

/// Every piece of advice that names a method or a setting is tried on a table that triggers it,
/// and improves what it complains about.
#[test]
fn advice_helps() {
    let dense = simulate(
        &Simulation { variables: 7, rows: 20_000, degree: 5.8, ..Simulation::default() },
        4,
    );
    let dense = dense.unwrap().data;
    let few = simulate(&Simulation { rows: 60, degree: 3.0, ..Simulation::default() }, 2);
    let few = few.unwrap().data;
    let simulation = Simulation { rows: 1000, standardize: true, ..Simulation::default() };
    let standardised = simulate(&simulation, 3).unwrap().data;
    let normal = chain(1000, Noise::Gaussian, 2);
    for (name, data, options) in [
        ("density", &dense, Options::default()),
        ("density", &dense, by("fges")),
        ("density", &dense, Options { threshold: Some(0.0), ..by("eq-td") }),
        ("bic", &standardised, pruned("eq-td")),
        ("bic", &standardised, Options { threshold: Some(0.9), ..by("fges") }),
        ("bic", &standardised, by("sortnregress")),
        ("sample-size", &few, Options { prune: Some(Prune::Bic), ..by("eq-td") }),
        ("non-gaussianity", &normal, by("lingam")),
    ] {
        let before = run(data, &options);
        let finding = find(&before, name);
        assert!(finding.verdict > Verdict::Ok, "{name}: {}", finding.sentence);
        let better = advised(&options, &finding).expect("advice that can be followed");
        let after = run(data, &better);
        let (was, is) = (complaint(&before, name), complaint(&after, name));
        assert!(is < was, "{name}: {was} became {is} by {:?}", finding.advice());
    }
}

#[test]
fn advice_is_not_what_is_done_already() {
    let few = simulate(&Simulation { rows: 60, ..Simulation::default() }, 2).unwrap().data;
    let found = find(&run(&few, &Options::default()), "sample-size");
    assert_eq!(found.verdict, Verdict::Note);
    assert_eq!(found.advice(), [&Action::FewerColumns], "its price suits the table");
}

#[test]
fn nearly_all_edges_are_too_many() {
    let full = Dag::from_edges(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).unwrap();
    assert_eq!(full.edge_count(), 6);
    let sparse = run(&chain(500, Noise::Gaussian, 1), &Options::default());
    assert_eq!(find(&sparse, "density").verdict, Verdict::Ok);
}

#[test]
fn a_right_graph_is_not_falsified_and_a_wrong_one_is() {
    let data = simulate(&Simulation { rows: 2000, degree: 3.0, ..Simulation::default() }, 5);
    let data = data.unwrap().data;
    let options = Options::default();
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let right = find(&diagnose(&data, &options, &fit, &Run::default()).unwrap(), "falsification");
    let numbers = right.numbers::<Falsification>().unwrap().clone();
    assert_eq!(right.verdict, Verdict::Ok, "{}", right.sentence);
    assert!(numbers.as_good == 0 && numbers.violated * 5 < numbers.implied, "{numbers:?}");
    // The same graph among other names.
    let weights = fit.dag.weights();
    let turned = Mat::from_fn(10, 10, |i, j| weights[((i + 3) % 10, (j + 3) % 10)]);
    let mut wrong = fit;
    wrong.dag = Dag::new(turned).unwrap();
    let found = find(&diagnose(&data, &options, &wrong, &Run::default()).unwrap(), "falsification");
    let numbers = found.numbers::<Falsification>().unwrap();
    assert!(numbers.violated * 5 > numbers.implied, "{numbers:?}");
    assert!(found.verdict > Verdict::Ok, "{}", found.sentence);
}

/// Half a graph fits better than one with permuted names, and implies what the data contradict.
#[test]
fn contradicted_independences_count_against_a_graph() {
    let simulation = Simulation { degree: 3.0, rows: 1000, ..Simulation::default() };
    let drawn = simulate(&simulation, 5).unwrap();
    let options = Options::default();
    let mut half = learn(&drawn.data, &options, &Run::default()).unwrap();
    let kept: Vec<(usize, usize)> =
        drawn.truth.edges().map(|(i, j, _)| (i, j)).step_by(2).collect();
    half.dag = Dag::from_edges(10, &kept).unwrap();
    let found =
        find(&diagnose(&drawn.data, &options, &half, &Run::default()).unwrap(), "falsification");
    let numbers = found.numbers::<Falsification>().unwrap();
    assert!(numbers.violated * 20 > numbers.implied, "{numbers:?}");
    assert!(numbers.as_good * 20 < numbers.permuted, "{numbers:?}");
    assert!(found.verdict > Verdict::Ok, "{}", found.sentence);
    assert!(found.sentence.to_string().contains("edges are missing"), "{}", found.sentence);
}
