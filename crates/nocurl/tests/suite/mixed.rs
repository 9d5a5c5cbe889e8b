//! Tables with categories: scores against brute force over all graphs, and what goes with them.

use nocurl::bootstrap::{BootstrapParams, Confidence, Start, bootstrap, bootstrap_from};
use nocurl::checks::diagnose;
use nocurl::links::{Link, links};
use nocurl::methods::{Exact, ExactScore, Fges, MixedScore, Mmpc, OrderSearch};
use nocurl::missing::{EmParams, expectation_maximization};
use nocurl::refine::Refine;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{
    Algorithm, Codes, Dag, Data, Dataset, Error, Fit, Kind, KnowledgeSpec, Mat, Options, Pdag,
    Prune, Run, Variable, Variables, learn,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn levels(name: &str, count: usize) -> Variable {
    let kind = if count == 2 { Kind::Binary } else { Kind::Categorical };
    Variable::with_levels(name, kind, (0..count).map(|k| format!("l{k}")).collect())
}

/// A draw from three levels with these odds.
fn pick(odds: [f64; 3], rng: &mut impl Rng) -> f64 {
    let at = rng.random::<f64>() * odds.iter().sum::<f64>();
    if at < odds[0] {
        0.0
    } else if at < odds[0] + odds[1] {
        1.0
    } else {
        2.0
    }
}

/// A colour with three levels, a number that depends on it, a species that depends on the number,
/// and a number that depends on both numbers: colour -> size -> species, size -> weight.
fn mixed(seed: u64, n: usize) -> Dataset {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut values = Mat::zeros(n, 4);
    for i in 0..n {
        let colour = pick([0.5, 0.3, 0.2], &mut rng);
        let noise = |rng: &mut Xoshiro256PlusPlus| -> f64 { StandardNormal.sample(rng) };
        let size = [0.0, 1.5, -1.0][colour as usize] + noise(&mut rng);
        let species = pick([1.0, (1.2 * size).exp(), 0.7 * (-0.8 * size).exp()], &mut rng);
        let weight = 0.8 * size + noise(&mut rng);
        [colour, size, species, weight]
            .into_iter()
            .enumerate()
            .for_each(|(j, x)| values[(i, j)] = x);
    }
    let variables = vec![
        levels("colour", 3),
        Variable::continuous("size"),
        levels("species", 3),
        Variable::continuous("weight"),
    ];
    Dataset::new(Variables::new(variables), values).unwrap()
}

/// Levels alone: a -> c <- b, c -> e, with an interaction at c.
fn categories(seed: u64, n: usize) -> Dataset {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut values = Mat::zeros(n, 4);
    for i in 0..n {
        let a = pick([0.4, 0.35, 0.25], &mut rng);
        let b = f64::from(u8::from(rng.random::<f64>() < 0.45));
        // What one does depends on the other, and each does something by itself: a search that adds
        // one parent at a time cannot see two that say nothing alone.
        let odds = [
            [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]],
            [[0.2, 0.2, 0.6], [0.6, 0.2, 0.2]],
            [[0.1, 0.6, 0.3], [0.3, 0.2, 0.5]],
        ];
        let c = pick(odds[a as usize][b as usize], &mut rng);
        let e = f64::from(u8::from(rng.random::<f64>() < [0.2, 0.5, 0.8][c as usize]));
        [a, b, c, e].into_iter().enumerate().for_each(|(j, x)| values[(i, j)] = x);
    }
    let variables = vec![levels("a", 3), levels("b", 2), levels("c", 3), levels("e", 2)];
    Dataset::new(Variables::new(variables), values).unwrap()
}

/// All directed acyclic graphs of four variables: 543 of them.
fn all_dags(d: usize) -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let mut found = Vec::new();
    for mut code in 0..3_usize.pow(pairs.len() as u32) {
        let mut edges = Vec::new();
        for &(i, j) in &pairs {
            match code % 3 {
                1 => edges.push((i, j)),
                2 => edges.push((j, i)),
                _ => {}
            }
            code /= 3;
        }
        found.extend(Dag::from_edges(d, &edges));
    }
    found
}

/// The logarithm of a determinant by plain elimination with pivots.
fn log_det(mut m: Vec<Vec<f64>>) -> f64 {
    let k = m.len();
    let mut sum = 0.0;
    for c in 0..k {
        let p = (c..k).max_by(|&a, &b| m[a][c].abs().total_cmp(&m[b][c].abs())).unwrap();
        m.swap(c, p);
        sum += m[c][c].abs().ln();
        for r in c + 1..k {
            let factor = m[r][c] / m[c][c];
            let pivot = m[c].clone();
            m[r].iter_mut().zip(&pivot).skip(c).for_each(|(to, from)| *to -= factor * from);
        }
    }
    sum
}

/// The degenerate Gaussian score of a graph, smaller is better, by its definition.
fn gaussian_score(data: &Dataset, dag: &Dag, price: f64) -> f64 {
    let (variables, x) = (data.variables(), data.variables().coded(data.values()));
    let n = x.nrows();
    let mean: Vec<f64> = (0..x.ncols()).map(|j| x.col(j).sum() / n as f64).collect();
    let s = |i: usize, j: usize| {
        (0..n).map(|r| (x[(r, i)] - mean[i]) * (x[(r, j)] - mean[j])).sum::<f64>() / n as f64
    };
    let det = |set: &[usize]| {
        let columns: Vec<usize> = set.iter().flat_map(|&v| variables.columns(v)).collect();
        log_det(columns.iter().map(|&i| columns.iter().map(|&j| s(i, j)).collect()).collect())
    };
    let of = |v: usize| {
        let parents: Vec<usize> = dag.parents(v).collect();
        let all: Vec<usize> = parents.iter().copied().chain([v]).collect();
        let width =
            |set: &[usize]| -> usize { set.iter().map(|&v| variables.columns(v).len()).sum() };
        n as f64 * (det(&all) - det(&parents)) + price * (width(&parents) * width(&[v])) as f64
    };
    (0..dag.size()).map(of).sum()
}

/// The multinomial score of a graph, by its definition.
fn multinomial_score(data: &Dataset, dag: &Dag, price: f64) -> f64 {
    let x = data.values();
    let size = |v: usize| data.variables().list()[v].levels.len() as f64;
    let of = |v: usize| {
        let parents: Vec<usize> = dag.parents(v).collect();
        let mut counts = std::collections::BTreeMap::<Vec<u64>, Vec<f64>>::new();
        for i in 0..x.nrows() {
            let key = parents.iter().map(|&p| x[(i, p)] as u64).collect();
            counts.entry(key).or_insert_with(|| vec![0.0; 9])[x[(i, v)] as usize] += 1.0;
        }
        let mut likelihood = 0.0;
        for row in counts.values() {
            let total: f64 = row.iter().sum();
            likelihood +=
                row.iter().filter(|&&c| c > 0.0).map(|c| c * (c / total).ln()).sum::<f64>();
        }
        let combinations: f64 = parents.iter().map(|&p| size(p)).product();
        -2.0 * likelihood + price * (combinations - 1.0) * (size(v) - 1.0)
    };
    (0..dag.size()).map(of).sum()
}

fn run(data: &Dataset, algorithm: impl Into<Algorithm>) -> Fit {
    let options = Options { algorithm: algorithm.into(), ..Options::default() };
    learn(data, &options, &Run::default()).unwrap()
}

fn by_bic() -> Exact {
    Exact { score: ExactScore::Bic, ..Exact::default() }
}

/// The three searches find a graph whose score is the least of all graphs.
fn finds_the_best(data: &Dataset, score: impl Fn(&Dag) -> f64, chosen: MixedScore, seed: u64) {
    let best = all_dags(4).iter().map(&score).fold(f64::INFINITY, f64::min);
    let plain = Some(1.0);
    for algorithm in [
        Algorithm::from(OrderSearch { penalty: plain, score: chosen, ..OrderSearch::default() }),
        Algorithm::from(Fges { penalty: Some(1.0), score: chosen, ..Fges::default() }),
        Algorithm::from(by_bic()),
    ] {
        let name = algorithm.name();
        let fit = run(data, algorithm);
        let found = score(&fit.dag);
        assert!(found <= best + 1e-5 * best.abs(), "{name} {seed}: {found} {best}");
        assert_eq!(fit.score, Some(chosen), "{name}");
    }
}

#[test]
fn blocks_have_the_best_degenerate_gaussian_score() {
    for seed in 0..5 {
        let data = mixed(seed, 200);
        let price = 200_f64.ln();
        finds_the_best(
            &data,
            |dag| gaussian_score(&data, dag, price),
            MixedScore::DegenerateGaussian,
            seed,
        );
    }
}

#[test]
fn categories_have_the_best_multinomial_score() {
    for seed in 0..5 {
        let data = categories(seed, 400);
        let price = 400_f64.ln();
        finds_the_best(
            &data,
            |dag| multinomial_score(&data, dag, price),
            MixedScore::Multinomial,
            seed,
        );
    }
}

#[test]
fn the_truth_is_found_from_enough_rows() {
    let truth = Dag::from_edges(4, &[(0, 1), (1, 2), (1, 3)]).unwrap();
    let data = mixed(7, 4000);
    for algorithm in [
        Algorithm::from(OrderSearch::default()),
        Algorithm::from(Fges::default()),
        Algorithm::from(by_bic()),
    ] {
        let name = algorithm.name();
        assert_eq!(run(&data, algorithm).class, Pdag::class_of(&truth), "{name}");
    }
    let skeleton = run(&mixed(7, 1000), Mmpc { alpha: 1e-3, ..Mmpc::default() });
    let found: Vec<(usize, usize)> =
        skeleton.dag.edges().map(|(i, j, _)| (i.min(j), i.max(j))).collect();
    assert!([(0, 1), (1, 2), (1, 3)].iter().all(|pair| found.contains(pair)), "{found:?}");
    assert_eq!(found.len(), 3);
    let truth = Dag::from_edges(4, &[(0, 2), (1, 2), (2, 3)]).unwrap();
    let data = categories(7, 4000);
    for algorithm in [Algorithm::from(OrderSearch::default()), Algorithm::from(by_bic())] {
        let name = algorithm.name();
        assert_eq!(run(&data, algorithm).class, Pdag::class_of(&truth), "{name}");
    }
}

#[test]
fn which_level_has_no_column_does_not_matter() {
    let data = mixed(3, 500);
    // Levels 0 and 2 of the colour change places, and so does the base.
    let values = Mat::from_fn(500, 4, |i, j| match j {
        0 => 2.0 - data.values()[(i, 0)],
        _ => data.values()[(i, j)],
    });
    let other = Dataset::new(data.variables().clone(), values).unwrap();
    let (a, b) = (run(&data, OrderSearch::default()), run(&other, OrderSearch::default()));
    assert_eq!(a.class, b.class);
    let strengths = |data: &Dataset, fit: &Fit| -> Vec<f64> {
        let all = links(data, &Options::default(), fit).unwrap();
        all.iter().map(|link| link.strength.unwrap()).collect()
    };
    for (x, y) in strengths(&data, &a).iter().zip(strengths(&other, &b)) {
        assert!((x - y).abs() < 1e-9, "{x} {y}");
    }
}

#[test]
fn threads_do_not_matter() {
    for data in [mixed(11, 300), categories(11, 300)] {
        let fit = || run(&data, OrderSearch::default());
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (one, four) = (pool(1).install(fit), pool(4).install(fit));
        assert_eq!(one.dag, four.dag);
        assert_eq!(one.order, four.order);
    }
}

#[test]
fn prior_knowledge_holds() {
    let knowledge = KnowledgeSpec {
        forbidden: vec![("colour".into(), "size".into())],
        required: vec![("weight".into(), "species".into())],
        ..KnowledgeSpec::default()
    };
    for algorithm in [Algorithm::from(OrderSearch::default()), Algorithm::from(by_bic())] {
        let options = Options { algorithm, knowledge: knowledge.clone(), ..Options::default() };
        let fit = learn(&mixed(5, 500), &options, &Run::default()).unwrap();
        assert!(fit.dag.parents(2).any(|parent| parent == 3));
        assert!(!fit.dag.parents(1).any(|parent| parent == 0));
    }
}

#[test]
fn strengths_are_squared_partial_correlations_between_numbers() {
    let data = mixed(1, 800);
    let knowledge = KnowledgeSpec {
        required: vec![("size".into(), "weight".into())],
        forbidden: vec![("colour".into(), "weight".into()), ("species".into(), "weight".into())],
        ..KnowledgeSpec::default()
    };
    let options = Options { knowledge, ..Options::default() };
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let all = links(&data, &options, &fit).unwrap();
    assert_eq!(all.len(), fit.dag.edge_count());
    for (link, (from, to, _)) in all.iter().zip(fit.dag.edges()) {
        assert_eq!((link.from, link.to), (from, to));
        let strength = link.strength.unwrap();
        assert!(strength > 0.0 && strength < 1.0, "{link:?}");
    }
    let between = |a: usize, b: usize| -> &Link {
        all.iter()
            .find(|link| [link.from, link.to] == [a, b] || [link.to, link.from] == [a, b])
            .unwrap()
    };
    // Two numbers of which one is the only parent of the other.
    let numbers = between(1, 3);
    let s = data.moments().second_moments(true);
    let (i, j) = (data.variables().columns(1).start, data.variables().columns(3).start);
    let squared = s[(i, j)].powi(2) / (s[(i, i)] * s[(j, j)]);
    assert_eq!(numbers.to, 3);
    assert!((numbers.strength.unwrap() - squared).abs() < 1e-9);
    let standardized = numbers.standardized_weight.unwrap();
    assert!((standardized * standardized - squared).abs() < 1e-9);
    assert!(numbers.coefficients.is_empty());
    let levels = between(0, 1);
    assert!(levels.standardized_weight.is_none());
    assert_eq!(levels.coefficients.len(), 2);
    assert!(levels.coefficients.iter().all(|c| c.from_level.is_some() != c.to_level.is_some()));
}

#[test]
fn coefficients_of_levels_are_differences_of_means() {
    let data = mixed(2, 1000);
    let knowledge = KnowledgeSpec {
        required: vec![("colour".into(), "size".into())],
        forbidden: vec![("species".into(), "size".into()), ("weight".into(), "size".into())],
        ..KnowledgeSpec::default()
    };
    let options = Options { knowledge, ..Options::default() };
    let fit = learn(&data, &options, &Run::default()).unwrap();
    let all = links(&data, &options, &fit).unwrap();
    let link = all.iter().find(|link| (link.from, link.to) == (0, 1)).unwrap();
    let mean = |level: f64| {
        let rows = || (0..1000).filter(|&i| data.values()[(i, 0)] == level);
        rows().map(|i| data.values()[(i, 1)]).sum::<f64>() / rows().count() as f64
    };
    for (k, coefficient) in link.coefficients.iter().enumerate() {
        assert_eq!(coefficient.from_level.as_deref(), Some(["l1", "l2"][k]));
        assert!((coefficient.value - (mean(k as f64 + 1.0) - mean(0.0))).abs() < 1e-9);
    }
}

#[test]
fn the_bootstrap_draws_rows_of_levels() {
    let params = BootstrapParams { replicates: 12, ..BootstrapParams::default() };
    for data in [mixed(4, 300), categories(4, 300)] {
        let found = bootstrap(&data, &Options::default(), &params, &Run::default()).unwrap();
        assert_eq!(found.failed, 0);
        assert!(found.pairs.iter().any(|pair| pair.adjacent == Confidence::most(12)));
    }
    // From the graph that was learnt the same is found again, in less time.
    for data in [mixed(4, 300), categories(4, 300)] {
        let fit = learn(&data, &Options::default(), &Run::default()).unwrap();
        let start = Start { from: Some(&fit.dag), ..Start::default() };
        let cold = bootstrap(&data, &Options::default(), &params, &Run::default()).unwrap();
        let warm =
            bootstrap_from(&data, &Options::default(), &params, start, &Run::default()).unwrap();
        for pair in &cold.pairs {
            let apart = warm.confidence(pair.from, pair.to).adjacent_frequency - pair.adjacent;
            assert!(apart.abs() <= 0.17, "{pair:?}: {apart}");
        }
    }
    // Of moments alone, by the Gaussian law of the columns.
    let moments = mixed(4, 300).moments();
    let found = bootstrap(&moments, &Options::default(), &params, &Run::default()).unwrap();
    assert!(found.failed == 0 && !found.pairs.is_empty());
}

#[test]
fn checks_say_what_they_can() {
    let data = mixed(6, 300);
    let fit = run(&data, OrderSearch::default());
    let found = diagnose(&data, &Options::default(), &fit, &Run::default()).unwrap();
    let names: Vec<&str> = found.findings.iter().map(|finding| finding.check).collect();
    assert!(names.contains(&"sample-size") && names.contains(&"units"), "{names:?}");
    assert!(!names.contains(&"varsortability"));
}

#[test]
fn later_steps_take_blocks_or_refuse() {
    let data = mixed(8, 400);
    let with = |refine, prune| Options { refine, prune, ..Options::default() };
    let truth = Dag::from_edges(4, &[(0, 1), (1, 2), (1, 3)]).unwrap();
    for options in [with(Some(Refine::BIC), Some(Prune::Ebic)), with(None, Some(Prune::Bic))] {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        assert_eq!(fit.class, Pdag::class_of(&truth), "{options:?}");
    }
    let error = learn(&data, &with(None, Some(Prune::TTest { alpha: 0.05 })), &Run::default());
    assert!(error.unwrap_err().to_string().contains("`colour`, `species`"));
    let error = learn(&data, &with(Some(Refine::EQUAL_VARIANCE), None), &Run::default());
    assert!(matches!(error, Err(Error::ColumnsNotTaken { .. })));
}

#[test]
fn counts_need_levels_and_rows() {
    let counted = OrderSearch { score: MixedScore::Multinomial, ..OrderSearch::default() };
    let options = Options { algorithm: counted.into(), ..Options::default() };
    let error = learn(&mixed(1, 100), &options, &Run::default()).unwrap_err();
    assert!(error.to_string().contains("continuous"), "{error}");
    let data = categories(1, 300);
    let moments = data.moments();
    let error = learn(&moments, &options, &Run::default()).unwrap_err();
    assert!(error.to_string().contains("rows"), "{error}");
    let fit = learn(&moments, &Options::default(), &Run::default()).unwrap();
    assert_eq!(fit.score, Some(MixedScore::DegenerateGaussian));
    assert!(fit.warnings.iter().any(|text| text.to_string().contains("multinomial")));
    // The same rows as compact codes.
    let codes = Codes::of(&data);
    let fit = learn(Data::Coded(&moments, &data, &codes), &options, &Run::default()).unwrap();
    assert_eq!(fit.dag, learn(&data, &options, &Run::default()).unwrap().dag);
}

#[test]
fn a_level_that_determines_another_does_not_break_the_search() {
    let base = mixed(9, 300);
    // A copy of the colour under another name, and a coarser one.
    let values = Mat::from_fn(300, 6, |i, j| match j {
        4 => base.values()[(i, 0)],
        5 => f64::from(u8::from(base.values()[(i, 0)] > 0.0)),
        _ => base.values()[(i, j)],
    });
    let mut list = base.variables().list().to_vec();
    list.extend([levels("copy", 3), levels("coarse", 2)]);
    let data = Dataset::new(Variables::new(list), values).unwrap();
    for algorithm in [
        Algorithm::from(OrderSearch::default()),
        Algorithm::from(Fges::default()),
        Algorithm::from(Mmpc::default()),
    ] {
        let fit = run(&data, algorithm);
        assert!(fit.loss.is_finite());
        for link in links(&data, &Options::default(), &fit).unwrap() {
            assert!((0.0..=1.0).contains(&link.strength.unwrap()));
        }
    }
}

#[test]
fn gaps_in_blocks_are_estimated() {
    let data = mixed(12, 3000);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    // A fifth of the colours and of the weights is missing.
    let values = Mat::from_fn(3000, 4, |i, j| match j % 3 == 0 && rng.random::<f64>() < 0.2 {
        true => f64::NAN,
        false => data.values()[(i, j)],
    });
    let (whole, gaps): (Vec<usize>, Vec<usize>) =
        (0..3000).partition(|&i| (0..4).all(|j| values[(i, j)].is_finite()));
    let rows = |list: &[usize]| Mat::from_fn(list.len(), 4, |i, j| values[(list[i], j)]);
    let complete = Dataset::new(data.variables().clone(), rows(&whole)).unwrap().moments();
    let incomplete = data.variables().coded(rows(&gaps).as_ref());
    assert!((0..gaps.len()).all(|i| incomplete[(i, 0)].is_nan() == incomplete[(i, 1)].is_nan()));
    let found = expectation_maximization(
        &complete,
        incomplete.as_ref(),
        &EmParams::default(),
        &Run::default(),
    )
    .unwrap()
    .moments;
    assert_eq!((found.rows(), found.variables()), (3000, data.variables()));
    let (a, b) = (found.second_moments(true), data.moments().second_moments(true));
    for i in 0..found.width() {
        for j in 0..found.width() {
            let scale = (b[(i, i)] * b[(j, j)]).sqrt();
            assert!((a[(i, j)] - b[(i, j)]).abs() < 0.05 * scale, "{i} {j}");
        }
    }
    let fit = learn(&found, &Options::default(), &Run::default()).unwrap();
    assert!([(0, 1), (1, 2), (1, 3)].iter().all(|&(i, j)| fit.class.is_adjacent(i, j)));
}

#[test]
fn tables_with_levels_are_drawn() {
    let simulation = Simulation {
        variables: 12,
        rows: 400,
        categorical: 0.5,
        levels: (2, 5),
        ..Simulation::default()
    };
    let drawn = simulate(&simulation, 3).unwrap();
    let list = drawn.data.variables().list();
    let with_levels = list.iter().filter(|variable| variable.is_discrete()).count();
    assert!((2..=10).contains(&with_levels));
    assert!(list.iter().all(|variable| variable.levels.len() <= 5));
    // A longer table begins with the rows of a shorter one, and the graph is that of numbers alone.
    let longer = simulate(&Simulation { rows: 500, ..simulation.clone() }, 3).unwrap();
    assert_eq!(longer.data.values().subrows(0, 400), drawn.data.values());
    let numbers = simulate(&Simulation { categorical: 0.0, ..simulation.clone() }, 3).unwrap();
    assert_eq!(numbers.truth, drawn.truth);
    for wrong in [
        Simulation { categorical: 1.5, ..simulation.clone() },
        Simulation { levels: (1, 3), ..simulation.clone() },
        Simulation { levels: (4, 3), ..simulation.clone() },
        Simulation { standardize: true, ..simulation.clone() },
    ] {
        assert!(matches!(simulate(&wrong, 3), Err(Error::Parameter { .. })));
    }
}
