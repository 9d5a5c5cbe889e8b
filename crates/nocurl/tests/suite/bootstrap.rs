//! Resampling against its definition, and the promises about threads, failures and intervals.

use nocurl::advice::Action;
use nocurl::bootstrap::{
    Bootstrap, BootstrapParams, Confidence, Kind, Pair, Start, bootstrap, bootstrap_from, wishart,
};
use nocurl::simulate::{GraphFamily, Simulation, simulate};
use nocurl::{Algorithm, Dataset, Determines, Error, Mat, Options, Progress, Run};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn data(seed: u64, variables: usize, rows: usize) -> Dataset {
    simulate(&Simulation { variables, rows, degree: 2.0, ..Simulation::default() }, seed)
        .unwrap()
        .data
}

fn by(method: &str) -> Options {
    Options { algorithm: Algorithm::from_name(method).unwrap(), ..Options::default() }
}

fn params(replicates: usize) -> BootstrapParams {
    BootstrapParams { replicates, ..BootstrapParams::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn moments_of_a_sample_are_those_of_its_rows(
        seed in any::<u64>(),
        n in 2_usize..2500,
        mean in prop_oneof![Just(0.0), -1e6..1e6],
        most in 1_u32..5,
    ) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let values = Mat::from_fn(n, 3, |_, j| mean + (j + 1) as f64 * rng.random::<f64>());
        let rows = Dataset::new(Dataset::default_names(3), values).unwrap();
        let mut counts: Vec<u32> = (0..n).map(|_| rng.random_range(0..most)).collect();
        counts[0] += 2;
        let (found, expected) = (rows.sample_moments(&counts), rows.sample(&counts).moments());
        prop_assert_eq!(found.rows(), expected.rows());
        prop_assert_eq!(found.rows(), counts.iter().map(|&count| u64::from(count)).sum::<u64>());
        let bound = f64::EPSILON * n as f64 * (1.0 + mean.abs());
        for (a, b) in found.mean().iter().zip(expected.mean()) {
            prop_assert!((a - b).abs() <= bound);
        }
        let (a, b) = (found.second_moments(true), expected.second_moments(true));
        prop_assert!((a - b).norm_max() <= 9.0 * bound);
    }

    #[test]
    fn frequencies_are_consistent_whatever_is_determined(
        seed in 0_u64..1000,
        method in prop::sample::select(vec!["nocurl", "eq-td", "fges", "mmpc"]),
        rows in 20_usize..200,
    ) {
        let (data, options) = (data(seed, 6, rows), by(method));
        let found = bootstrap(&data, &options, &params(12), &Run::default()).unwrap();
        check_consistency(&found, options.determines())?;
    }
}

fn check_consistency(found: &Bootstrap, determines: Determines) -> Result<(), TestCaseError> {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let ancestor = |from: usize, to: usize| {
        let path = found.paths.iter().find(|path| (path.from, path.to) == (from, to));
        path.map_or(0.0, |path| path.ancestor)
    };
    for pair in &found.pairs {
        let parts = [pair.forward, pair.backward, pair.undirected];
        let most = Confidence::most(found.learnt());
        prop_assert!(parts.iter().all(|part| (0.0..=most).contains(part)));
        prop_assert!(pair.adjacent > 0.0 && pair.adjacent <= most);
        prop_assert!(close(parts.iter().sum::<f64>().min(most), pair.adjacent));
        prop_assert!(pair.forward >= pair.backward);
        prop_assert!(ancestor(pair.from, pair.to) >= pair.forward);
        prop_assert!(ancestor(pair.to, pair.from) >= pair.backward);
        prop_assert!(pair.weight.is_some(), "the more frequent direction occurs");
        match determines {
            Determines::Graph => prop_assert_eq!(pair.undirected, 0.0),
            Determines::Skeleton => prop_assert_eq!(pair.undirected, pair.adjacent),
            Determines::Class => {}
        }
        for interval in [pair.weight, pair.weight_backward].into_iter().flatten() {
            prop_assert!(interval.lower <= interval.upper);
        }
    }
    for path in &found.paths {
        prop_assert!((0.0..=1.0).contains(&path.ancestor));
        prop_assert!(path.effect.lower <= path.effect.upper && path.from != path.to);
    }
    for level in [0.0, 0.3, 0.5, 0.8, 1.0] {
        check_consensus(found, level)?;
    }
    Ok(())
}

/// The consensus is legal: closed, without a cycle, with a member; and it has the sure edges.
fn check_consensus(found: &Bootstrap, level: f64) -> Result<(), TestCaseError> {
    let graph = found.consensus(level);
    let member = graph.to_dag();
    prop_assert!(member.is_ok(), "{graph:?}");
    let mut closed = graph.clone();
    closed.apply_meek_rules();
    prop_assert_eq!(&closed, &graph);
    let member = member.unwrap();
    prop_assert!(graph.directed().all(|(from, to)| member.has_edge(from, to)));
    for pair in &found.pairs {
        let sure = found.confidence(pair.from, pair.to);
        prop_assert!(sure.direction <= sure.adjacent);
        prop_assert_eq!(graph.is_adjacent(pair.from, pair.to), sure.adjacent >= level);
    }
    Ok(())
}

/// A bootstrap with any frequencies, which need not come from graphs.
fn imagined(d: usize, shares: &[(f64, f64, f64)]) -> Bootstrap {
    let mut shares = shares.iter();
    let mut pairs = Vec::new();
    for i in 0..d {
        for j in i + 1..d {
            let &(a, b, c) = shares.next().unwrap();
            let scale = 1.0 / (1.0 + a + b + c);
            let (there, back) = (a * scale, b * scale);
            let (from, to) = if there >= back { (i, j) } else { (j, i) };
            pairs.push(Pair {
                from,
                to,
                forward: there.max(back),
                backward: there.min(back),
                undirected: c * scale,
                adjacent: (a + b + c) * scale,
                weight: None,
                weight_backward: None,
            });
        }
    }
    Bootstrap {
        kind: Kind::Rows,
        variables: d,
        asked: 100,
        replicates: 100,
        failed: 0,
        first_error: None,
        level: 0.95,
        pairs,
        paths: Vec::new(),
        calibration: None,
        treatments: Default::default(),
        classes: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_consensus_is_legal_whatever_the_frequencies(
        d in 2_usize..9,
        shares in prop::collection::vec(
            (0.0..4.0, 0.0..4.0, prop_oneof![Just(0.0), 0.0..9.0]).prop_map(|(a, b, c)| {
                (if a < 1.0 { 0.0 } else { a }, if b < 2.0 { 0.0 } else { b }, c)
            }),
            36,
        ),
        level in 0.2..1.0,
    ) {
        check_consensus(&imagined(d, &shares), level)?;
    }
}

#[test]
fn a_ring_without_a_chord_gets_the_directions_it_needs() {
    let ring = |i: usize, j: usize| matches!((i, j), (0, 1) | (1, 2) | (2, 3) | (0, 3));
    let mut shares = Vec::new();
    for i in 0..4 {
        for j in i + 1..4 {
            shares.push((0.0, 0.0, if ring(i, j) { 9.0 } else { 0.0 }));
        }
    }
    let found = imagined(4, &shares);
    let graph = found.consensus(0.5);
    assert!(graph.to_dag().is_ok() && graph.directed().count() >= 2, "{graph:?}");
}

#[test]
fn a_consensus_can_take_the_place_of_the_graph() {
    let data = data(5, 8, 150);
    let options = Options::default();
    let fit = nocurl::learn(&data, &options, &Run::default()).unwrap();
    let found = bootstrap(&data, &options, &params(30), &Run::default()).unwrap();
    for level in [0.1, 0.5, 0.95] {
        let graph = found.consensus(level);
        let drawn = nocurl::redraw(&data, &options, &fit, &graph).unwrap();
        assert_eq!(drawn.class, graph);
        for (i, j, weight) in drawn.dag.edges() {
            assert!(graph.is_adjacent(i, j) && !graph.has_directed(j, i));
            // The weights are those of a regression on the parents.
            let rest = nocurl::redraw(&data.moments(), &options, &fit, &graph).unwrap();
            assert!((rest.dag.weights()[(i, j)] - weight).abs() < 1e-9);
        }
        assert_eq!(drawn.dag.edge_count(), graph.directed().count() + graph.undirected().count());
        let places = |v| drawn.order.iter().position(|&u| u == v).unwrap();
        assert!(drawn.dag.edges().all(|(i, j, _)| places(i) < places(j)));
        assert!(drawn.loss > 0.0 && drawn.error_variances.is_some());
    }
    let other = nocurl::Pdag::new(3, &[], &[]).unwrap();
    assert!(nocurl::redraw(&data, &options, &fit, &other).is_err());
}

#[test]
fn a_warm_start_agrees_with_learning_from_nothing_and_can_end_early() {
    let data = data(5, 8, 600);
    let options = Options::default();
    let fit = nocurl::learn(&data, &options, &Run::default()).unwrap();
    let start = Start { from: Some(&fit.dag), ..Start::default() };
    let warm = bootstrap_from(&data, &options, &params(60), start, &Run::default()).unwrap();
    let cold = bootstrap(&data, &options, &params(60), &Run::default()).unwrap();
    for pair in &cold.pairs {
        let apart = warm.confidence(pair.from, pair.to).adjacent_frequency - pair.adjacent;
        assert!(apart.abs() <= 0.1, "{pair:?}: {apart}");
    }
    // The first replicates are the same, however many there are.
    let seven = bootstrap_from(&data, &options, &params(7), start, &Run::default()).unwrap();
    struct After(std::sync::atomic::AtomicU64);
    impl nocurl::Stop for After {
        fn is_stopped(&self) -> bool {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 3000
        }
    }
    let after = After(0.into());
    let start = Start { enough: Some(&after), ..start };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let some = pool.install(|| {
        bootstrap_from(&data, &options, &params(1000), start, &Run::default()).unwrap()
    });
    assert!(some.replicates > 0 && some.replicates < 1000, "{}", some.replicates);
    assert_eq!(some.asked, 1000);
    let start = Start { from: Some(&fit.dag), ..Start::default() };
    let again = params(some.replicates.max(2));
    let again = bootstrap_from(&data, &options, &again, start, &Run::default()).unwrap();
    if some.replicates >= 2 {
        assert_eq!(again.pairs, some.pairs);
    }
    assert_eq!((seven.replicates, seven.kind), (7, Kind::Rows));
}

#[test]
fn threads_and_repetition_do_not_change_the_result() {
    let data = data(3, 8, 1500);
    let moments = data.moments();
    for method in ["nocurl", "fges", "cam"] {
        let options = by(method);
        let on = |threads: usize, rows: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let params = params(if method == "cam" { 3 } else { 7 });
            pool.install(|| match rows {
                true => bootstrap(&data, &options, &params, &Run::default()).unwrap(),
                false => bootstrap(&moments, &options, &params, &Run::default()).unwrap(),
            })
        };
        let one = on(1, true);
        assert_eq!((one.kind, one.failed), (Kind::Rows, 0));
        assert_eq!(one, on(2, true), "{method}");
        assert_eq!(one, on(1, true), "{method}");
        let other = Options { seed: 1, ..options.clone() };
        assert_ne!(one, bootstrap(&data, &other, &params(7), &Run::default()).unwrap());
        if method != "cam" {
            let one = on(1, false);
            assert_eq!(one.kind, Kind::Gaussian);
            assert_eq!(one, on(2, false), "{method}");
        }
    }
}

#[test]
fn more_replicates_begin_with_the_same_ones() {
    // The failures of the first replicates are the same, whatever comes after them.
    let rare =
        Mat::from_fn(12, 2, |i, j| if j == 0 { (i * i % 7) as f64 } else { f64::from(i == 5) });
    let data = Dataset::new(Dataset::default_names(2), rare).unwrap();
    let failed = |replicates| {
        let found = bootstrap(&data, &by("eq-td"), &params(replicates), &Run::default()).unwrap();
        let names = vec!["x2".to_string()];
        assert_eq!(found.first_error, Some(Error::ConstantColumns { names }));
        found.failed
    };
    let (few, many) = (failed(40), failed(80));
    assert!(few > 0 && few <= many && many - few <= 40);
    // In 12 draws the row is missed with probability (11/12)^12 = 0.35.
    assert!((15..42).contains(&many), "{many}");
}

#[test]
fn failing_too_often_is_an_error_that_says_why() {
    let rare = Mat::from_fn(9, 4, |i, j| f64::from(i == j + 1));
    let data = Dataset::new(Dataset::default_names(4), rare).unwrap();
    let error =
        bootstrap(&data, &by("eq-td"), &params(30), &Run::default()).unwrap_err().to_string();
    assert!(error.contains("of 30 replicates could not be learnt from"), "{error}");
    assert!(error.contains("constant column"), "{error}");
}

#[test]
fn bad_parameters_and_data_are_errors() {
    let data = data(1, 4, 50);
    for bad in [
        BootstrapParams { replicates: 1, ..BootstrapParams::default() },
        BootstrapParams { replicates: usize::MAX, ..BootstrapParams::default() },
        BootstrapParams { level: 1.0, ..BootstrapParams::default() },
        BootstrapParams { level: f64::NAN, ..BootstrapParams::default() },
    ] {
        assert!(matches!(
            bootstrap(&data, &Options::default(), &bad, &Run::default()),
            Err(Error::Parameter { .. })
        ));
    }
    let moments = data.moments();
    assert!(matches!(
        bootstrap(&moments, &by("cam"), &params(2), &Run::default()),
        Err(Error::NeedsRows { what: Action::Method { name: "cam" } })
    ));
}

/// Stops after some reports and keeps the last one.
struct Impatient(std::sync::Mutex<Option<Progress>>, u64);

impl nocurl::Watch for Impatient {
    fn report(&self, progress: Progress) {
        *self.0.lock().unwrap() = Some(progress);
    }
}

impl nocurl::Stop for Impatient {
    fn is_stopped(&self) -> bool {
        self.0.lock().unwrap().is_some_and(|progress| progress.done >= self.1)
    }
}

#[test]
fn it_can_be_watched_and_stopped() {
    let data = data(1, 4, 50);
    let run = |patience: u64| {
        let run = Impatient(std::sync::Mutex::new(None), patience);
        let outcome = bootstrap(
            &data,
            &Options::default(),
            &params(50),
            &Run::default().watched_by(&run).stopped_by(&run),
        );
        (outcome, run.0.into_inner().unwrap().unwrap())
    };
    let (outcome, last) = run(u64::MAX);
    assert!(outcome.is_ok());
    assert_eq!((last.done, last.total), (50, Some(50)));
    let (outcome, last) = run(10);
    assert_eq!(outcome, Err(Error::Cancelled));
    assert!(last.done < 50);
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_should() {
    // A chain of three with weight sizes well above the threshold: always found.
    const TRIALS: u64 = 150;
    let simulation = Simulation {
        graph: GraphFamily::Chain,
        variables: 3,
        rows: 100,
        weights: (1.0, 2.0),
        ..Simulation::default()
    };
    let params = BootstrapParams { replicates: 99, level: 0.9, ..BootstrapParams::default() };
    let options = by("eq-td");
    let (mut weights, mut effects, mut total) = ([0, 0], [0, 0], 0);
    for seed in 0..TRIALS {
        let drawn = simulate(&simulation, seed).unwrap();
        let (from, middle, _) = drawn.truth.edges().next().unwrap();
        let order = drawn.truth.order();
        let weight = drawn.truth.weights()[(from, middle)];
        let effect = nocurl::effects::of(&drawn.truth, order[0])[order[2]];
        let moments = drawn.data.moments();
        total += 1;
        for (kind, found) in [
            bootstrap(&drawn.data, &options, &params, &Run::default()).unwrap(),
            bootstrap(&moments, &options, &params, &Run::default()).unwrap(),
        ]
        .into_iter()
        .enumerate()
        {
            let pair = found.pairs.iter().find(|p| (p.from, p.to) == (from, middle)).unwrap();
            assert!(pair.forward > 0.9);
            let interval = pair.weight.unwrap();
            weights[kind] += usize::from((interval.lower..=interval.upper).contains(&weight));
            let ends = (order[0], order[2]);
            let path = found.paths.iter().find(|p| (p.from, p.to) == ends).unwrap();
            let interval = path.effect;
            effects[kind] += usize::from((interval.lower..=interval.upper).contains(&effect));
        }
    }
    // 90% of 150 within four standard errors (3.7), and a little less for 100 rows.
    for covered in weights.into_iter().chain(effects) {
        assert!((118..=149).contains(&covered), "{weights:?}, {effects:?} of {total}");
    }
}

#[test]
fn wishart_draws_have_the_right_mean_spread_and_rank() {
    let factor =
        Mat::from_fn(3, 3, |i, j| [[2.0, 0.0, 0.0], [1.0, 1.5, 0.0], [-1.0, 0.5, 0.0]][i][j]);
    // The third variable is a combination of the others: the covariance is singular.
    let covariance = &factor * factor.transpose();
    const DRAWS: usize = 4000;
    for degrees in [1_u64, 2, 3, 10] {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(degrees);
        let (mut mean, mut spread) = (Mat::<f64>::zeros(3, 3), Mat::<f64>::zeros(3, 3));
        let nu = degrees as f64;
        for _ in 0..DRAWS {
            let drawn = wishart(covariance.as_ref(), degrees, &mut stream);
            assert_eq!(drawn[(0, 2)], 0.0, "only the lower triangle");
            for j in 0..3 {
                for i in j..3 {
                    mean[(i, j)] += drawn[(i, j)] / DRAWS as f64;
                    let apart = drawn[(i, j)] - nu * covariance[(i, j)];
                    spread[(i, j)] += apart * apart / DRAWS as f64;
                }
            }
            if degrees == 1 {
                let determinant = drawn[(0, 0)] * drawn[(1, 1)] - drawn[(1, 0)] * drawn[(1, 0)];
                assert!(determinant.abs() < 1e-10 * drawn[(0, 0)] * drawn[(1, 1)].max(1e-300));
            }
        }
        for j in 0..3 {
            for i in j..3 {
                // Var W_ij = nu (s_ij^2 + s_ii s_jj).
                let variance =
                    nu * (covariance[(i, j)].powi(2) + covariance[(i, i)] * covariance[(j, j)]);
                let error = (variance / DRAWS as f64).sqrt();
                let apart = (mean[(i, j)] - nu * covariance[(i, j)]).abs();
                assert!(apart < 4.0 * error, "mean ({i}, {j}) of {degrees}: {apart}, {error}");
                let ratio = spread[(i, j)] / variance;
                assert!((0.7..1.4).contains(&ratio), "variance ({i}, {j}) of {degrees}: {ratio}");
            }
        }
    }
}
