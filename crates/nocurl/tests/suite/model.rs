//! The fitted model against the normal law, enumeration and simulation.

use std::collections::BTreeMap;

use nocurl::model::{
    Answer, Counts, Experiment, Fitting, Law, Linear, Logistic, Mechanism, Model, Prediction,
    Regime, Term,
};
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Data, Dataset, Error, Kind, Mat, Options, Pdag, Run, Variable, learn};

fn options() -> Options {
    Options::default()
}

fn fitted(data: &Dataset, options: &Options) -> Model {
    let fit = learn(data, options, &Run::default()).unwrap();
    let from = Fitting { data: Data::Rows(data), rows: None, precise: true };
    Model::fit(from, options, &fit, fit.class.clone()).unwrap()
}

fn model(seed: u64) -> (Model, Dataset) {
    let simulation = Simulation { variables: 6, rows: 3000, ..Simulation::default() };
    let data = simulate(&simulation, seed).unwrap().data;
    (fitted(&data, &options()), data)
}

fn numbers(prediction: Prediction) -> Vec<f64> {
    match prediction {
        Prediction::Numbers(found) => found,
        Prediction::Levels(_) => panic!("numbers are expected"),
    }
}

fn chances(prediction: Prediction) -> Mat<f64> {
    match prediction {
        Prediction::Levels(found) => found,
        Prediction::Numbers(_) => panic!("levels are expected"),
    }
}

fn term(variable: usize, coefficients: &[f64]) -> Term {
    Term { variable, coefficients: coefficients.to_vec() }
}

fn linear(terms: Vec<Term>, intercept: f64, variance: f64) -> Mechanism {
    Mechanism::Linear(Linear::new(terms, intercept, variance))
}

fn levels(name: &str, levels: &[&str]) -> Variable {
    let kind = if levels.len() == 2 { Kind::Binary } else { Kind::Categorical };
    Variable::with_levels(name, kind, levels.iter().map(|level| level.to_string()).collect())
}

fn class(mechanisms: &[Mechanism]) -> Pdag {
    let edges: Vec<(usize, usize)> = mechanisms
        .iter()
        .enumerate()
        .flat_map(|(child, own)| own.parents().into_iter().map(move |parent| (parent, child)))
        .collect();
    Pdag::of_dag(&nocurl::Dag::from_edges(mechanisms.len(), &edges).unwrap())
}

fn of(variables: Vec<Variable>, mechanisms: Vec<Mechanism>) -> Model {
    let class = class(&mechanisms);
    Model::new(variables, mechanisms, class).unwrap()
}

/// Solves `a x = b` by elimination with pivots: an oracle of its own.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> (Vec<f64>, f64) {
    let n = b.len();
    let mut log_determinant = 0.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        log_determinant += a[k][k].abs().ln();
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            a[i].iter_mut().zip(&pivot).for_each(|(own, other)| *own -= factor * other);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    (b, log_determinant)
}

/// Means and covariance by definition: `x = c + B x + e`.
fn joint(model: &Model) -> (Vec<f64>, Mat<f64>) {
    let d = model.size();
    let linears: Vec<&Linear> = model.mechanisms().iter().map(|m| m.linear().unwrap()).collect();
    // Column k of (I - B)^-1, row -> column transposed: the response to a unit error of k.
    let system = |i: usize, j: usize| {
        let own = linears[i].terms.iter().find(|term| term.variable == j);
        f64::from(u8::from(i == j)) - own.map_or(0.0, |term| term.coefficients[0])
    };
    let matrix: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| system(i, j)).collect()).collect();
    let intercepts = linears.iter().map(|linear| linear.intercept).collect();
    let mean = solve(matrix.clone(), intercepts).0;
    let responses: Vec<Vec<f64>> = (0..d)
        .map(|k| solve(matrix.clone(), (0..d).map(|i| f64::from(u8::from(i == k))).collect()).0)
        .collect();
    let covariance = Mat::from_fn(d, d, |i, j| {
        (0..d).map(|k| linears[k].variance * responses[k][i] * responses[k][j]).sum()
    });
    (mean, covariance)
}

#[test]
fn a_model_of_numbers_is_the_normal_law_with_and_without_gaps() {
    let (model, data) = model(1);
    assert_eq!(model.law(), Law::Gaussian);
    let (mean, s) = joint(&model);
    let d = model.size();
    for gaps in [vec![], vec![0], vec![2, 4], vec![0, 1, 3, 5], vec![0, 1, 2, 3, 4, 5]] {
        let rows =
            Mat::from_fn(
                5,
                d,
                |i, j| if gaps.contains(&j) { f64::NAN } else { data.values()[(i, j)] },
            );
        let found = model.log_likelihood(rows.as_ref()).unwrap();
        for i in 0..5 {
            let there: Vec<usize> = (0..d).filter(|j| !gaps.contains(j)).collect();
            let block = |of: &[usize]| -> Vec<Vec<f64>> {
                of.iter().map(|&a| of.iter().map(|&b| s[(a, b)]).collect()).collect()
            };
            let off =
                |of: &[usize]| -> Vec<f64> { of.iter().map(|&j| rows[(i, j)] - mean[j]).collect() };
            let (solved, log_determinant) = solve(block(&there), off(&there));
            let square: f64 = solved.iter().zip(off(&there)).map(|(a, b)| a * b).sum();
            let constant = there.len() as f64 * (2.0 * std::f64::consts::PI).ln();
            let expected = -0.5 * (constant + log_determinant + square);
            assert!((found[i] - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{expected}");
            for v in 0..d {
                let others: Vec<usize> = there.iter().copied().filter(|&j| j != v).collect();
                let pull = solve(block(&others), off(&others)).0;
                let expected =
                    mean[v] + others.iter().zip(&pull).map(|(&j, p)| s[(j, v)] * p).sum::<f64>();
                let predicted = numbers(model.predict(rows.as_ref(), v).unwrap())[i];
                assert!((predicted - expected).abs() < 1e-7 * (1.0 + expected.abs()));
            }
        }
    }
}

#[test]
fn the_data_it_was_fitted_to_scores_better_than_a_shuffled_one() {
    let (model, data) = model(2);
    let own = model.score(data.values()).unwrap();
    let x = data.values();
    let shuffled = Mat::from_fn(x.nrows(), 6, |i, j| x[((i + 17 * j) % x.nrows(), j)]);
    assert!(own > model.score(shuffled.as_ref()).unwrap() + 0.1);
    let residuals = model.residuals(x).unwrap();
    let column = residuals.values.col_as_slice(0);
    assert!((column.iter().sum::<f64>() / x.nrows() as f64).abs() < 1e-9);
}

#[test]
fn drawn_rows_have_the_moments_of_the_model() {
    let (model, _) = model(3);
    let rows = 40_000;
    let drawn = model.sample(rows, 7).unwrap();
    assert_eq!(drawn, model.sample(rows, 7).unwrap());
    let s = model.covariance().unwrap();
    let names = Dataset::default_names(6);
    let found = Dataset::new(names, drawn).unwrap().moments().second_moments(true);
    for i in 0..6 {
        for j in 0..6 {
            // Four standard errors of a covariance.
            let error = 4.0 * ((s[(i, i)] * s[(j, j)] + s[(i, j)].powi(2)) / rows as f64).sqrt();
            assert!((found[(i, j)] - s[(i, j)]).abs() < error, "{i} {j}");
        }
    }
}

/// A network of levels with a common cause, a collider and a chain.
fn network() -> Model {
    let variables = vec![
        levels("a", &["0", "1", "2"]),
        levels("b", &["no", "yes"]),
        levels("c", &["x", "y", "z"]),
        levels("d", &["no", "yes"]),
    ];
    let counts = |parents: &[usize], rows: &[(&[usize], &[f64])]| {
        let width = rows[0].1.len();
        let overall = (0..width).map(|k| rows.iter().map(|row| row.1[k]).sum()).collect();
        let table: BTreeMap<Vec<usize>, Vec<f64>> = match parents {
            [] => BTreeMap::new(),
            _ => rows.iter().map(|(given, row)| (given.to_vec(), row.to_vec())).collect(),
        };
        Mechanism::Counts(Counts { parents: parents.to_vec(), overall, table })
    };
    let mechanisms = vec![
        counts(&[], &[(&[], &[30.0, 50.0, 20.0])]),
        counts(&[0], &[(&[0], &[20.0, 10.0]), (&[1], &[5.0, 45.0]), (&[2], &[10.0, 10.0])]),
        // One combination of levels has no rows.
        counts(
            &[0, 1],
            &[
                (&[0, 0], &[10.0, 5.0, 5.0]),
                (&[0, 1], &[1.0, 2.0, 7.0]),
                (&[1, 0], &[2.0, 2.0, 1.0]),
                (&[1, 1], &[5.0, 30.0, 10.0]),
                (&[2, 0], &[4.0, 4.0, 2.0]),
            ],
        ),
        counts(&[2], &[(&[0], &[15.0, 7.0]), (&[1], &[3.0, 40.0]), (&[2], &[12.0, 13.0])]),
    ];
    of(variables, mechanisms)
}

/// The probability of a whole row, by the definition of the counts.
fn probability(model: &Model, row: &[usize], set: &[(usize, usize)]) -> f64 {
    let of = |(v, mechanism): (usize, &Mechanism)| {
        if let Some(&(_, level)) = set.iter().find(|&&(other, _)| other == v) {
            return f64::from(u8::from(level == row[v]));
        }
        let Mechanism::Counts(counts) = mechanism else { panic!("counts are expected") };
        let given: Vec<usize> = counts.parents.iter().map(|&p| row[p]).collect();
        counts.probabilities(&given)[row[v]]
    };
    model.mechanisms().iter().enumerate().map(of).product()
}

fn all_rows() -> Vec<Vec<usize>> {
    let sizes = [3, 2, 3, 2];
    (0..36)
        .map(|mut k: usize| {
            sizes.iter().map(|size| (k % size, k /= size).0).collect::<Vec<usize>>()
        })
        .collect()
}

#[test]
fn a_model_of_levels_is_summed_over_by_enumeration() {
    let model = network();
    assert_eq!(model.law(), Law::Discrete);
    let rows = all_rows();
    let total: f64 = rows.iter().map(|row| probability(&model, row, &[])).sum();
    assert!((total - 1.0).abs() < 1e-12);
    // Missing cells: every pattern of every row.
    for row in &rows {
        for pattern in 0..16_usize {
            let seen = |v: usize| pattern >> v & 1 == 1;
            let cells = Mat::from_fn(1, 4, |_, v| if seen(v) { row[v] as f64 } else { f64::NAN });
            let fits = |other: &&Vec<usize>| (0..4).all(|v| !seen(v) || other[v] == row[v]);
            let expected: f64 =
                rows.iter().filter(fits).map(|other| probability(&model, other, &[])).sum();
            let found = model.log_likelihood(cells.as_ref()).unwrap()[0];
            assert!((found - expected.ln()).abs() < 1e-10, "{row:?} {pattern}");
            for v in 0..4 {
                let chance = |level: usize| -> f64 {
                    let fits = |other: &&Vec<usize>| {
                        other[v] == level
                            && (0..4).all(|u| u == v || !seen(u) || other[u] == row[u])
                    };
                    rows.iter().filter(fits).map(|other| probability(&model, other, &[])).sum()
                };
                let found = chances(model.predict(cells.as_ref(), v).unwrap());
                let total: f64 = (0..found.ncols()).map(chance).sum();
                for level in 0..found.ncols() {
                    assert!((found[(0, level)] - chance(level) / total).abs() < 1e-10);
                }
            }
        }
    }
}

#[test]
fn interventions_on_levels_are_those_of_enumeration() {
    let model = network();
    let rows = all_rows();
    for set in [vec![], vec![(0, 2)], vec![(1, 1)], vec![(2, 0), (0, 1)], vec![(3, 1)]] {
        let settings: Vec<(usize, f64)> = set.iter().map(|&(v, level)| (v, level as f64)).collect();
        let found = model.expectation(&settings).unwrap();
        assert!(!found.simulated);
        for v in 0..4 {
            let Answer::Levels(chances) = &found.answers[v] else { panic!("levels are expected") };
            for (level, chance) in chances.iter().enumerate() {
                let expected: f64 = rows
                    .iter()
                    .filter(|row| row[v] == level)
                    .map(|row| probability(&model, row, &set))
                    .sum();
                assert!((chance - expected).abs() < 1e-12, "{set:?} {v} {level}");
            }
        }
    }
    // An effect is the difference from the base, one entry for each level of both ends.
    let effects = model.effects_of(0, Some(3), 0.95).unwrap();
    assert_eq!(effects.on[3].len(), 2);
    for entry in &effects.on[3] {
        let at = |level: usize| {
            let after = model.expectation(&[(0, level as f64)]).unwrap();
            after.answers[3].column(entry.to_level)
        };
        let expected = at(entry.from_level.unwrap()) - at(0);
        assert!((entry.value - expected).abs() < 1e-12);
        assert_eq!(entry.interval, None);
    }
}

/// x -> k (three levels) -> y <- x, z a cause of both k and y.
fn mixed() -> Model {
    let variables = vec![
        Variable::continuous("x"),
        Variable::continuous("z"),
        levels("k", &["a", "b", "c"]),
        Variable::continuous("y"),
    ];
    let odds = |x: f64, z: f64| vec![term(0, &[x]), term(1, &[z])];
    let k = Logistic {
        parents: vec![0, 1],
        intercepts: vec![0.3, -0.5],
        levels: vec![odds(1.2, -0.4), odds(-0.7, 0.9)],
    };
    let mechanisms = vec![
        linear(vec![], 1.0, 2.0),
        linear(vec![], -0.5, 1.0),
        Mechanism::Logistic(k),
        linear(vec![term(0, &[0.5]), term(1, &[-1.0]), term(2, &[2.0, -1.5])], 0.2, 0.8),
    ];
    of(variables, mechanisms).with_spreads(vec![Some(2f64.sqrt()), Some(1.0), None, Some(2.0)])
}

fn normal(x: f64, mean: f64, variance: f64) -> f64 {
    (-0.5 * (x - mean).powi(2) / variance).exp() / (2.0 * std::f64::consts::PI * variance).sqrt()
}

/// Probabilities of k, by the definition of the odds.
fn of_k(x: f64, z: f64) -> [f64; 3] {
    let odds = [1.0, (0.3 + 1.2 * x - 0.4 * z).exp(), (-0.5 - 0.7 * x + 0.9 * z).exp()];
    let total: f64 = odds.iter().sum();
    odds.map(|own| own / total)
}

fn density(x: f64, z: f64, k: usize, y: f64) -> f64 {
    let shift = [0.0, 2.0, -1.5][k];
    normal(x, 1.0, 2.0)
        * normal(z, -0.5, 1.0)
        * of_k(x, z)[k]
        * normal(y, 0.2 + 0.5 * x - z + shift, 0.8)
}

#[test]
fn a_mixed_model_multiplies_densities_and_integrates_one_variable() {
    let model = mixed();
    assert_eq!(model.law(), Law::Mixed);
    for (x, z, k, y) in [(0.3, -1.0, 1, 2.0), (2.5, 0.7, 2, -3.0), (-1.0, 0.0, 0, 0.1)] {
        let row = Mat::from_fn(1, 4, |_, j| [x, z, k as f64, y][j]);
        let found = model.log_likelihood(row.as_ref()).unwrap()[0];
        assert!((found - density(x, z, k, y).ln()).abs() < 1e-10);
        // The category: by the rule of Bayes.
        let total: f64 = (0..3).map(|k| density(x, z, k, y)).sum();
        let found = chances(model.predict(row.as_ref(), 2).unwrap());
        for level in 0..3 {
            assert!((found[(0, level)] - density(x, z, level, y) / total).abs() < 1e-10);
        }
        // A number with a category as effect: by a sum over a fine grid.
        let (mut total, mut moved) = (0.0, 0.0);
        for step in -400_000..=400_000 {
            let x = f64::from(step) * 5e-5;
            let weight = density(x, z, k, y);
            (total, moved) = (total + weight, moved + weight * x);
        }
        let found = numbers(model.predict(row.as_ref(), 0).unwrap())[0];
        assert!((found - moved / total).abs() < 1e-8, "{found} {}", moved / total);
        let gap = Mat::from_fn(1, 4, |_, j| if j == 0 { f64::NAN } else { row[(0, j)] });
        let error = model.log_likelihood(gap.as_ref()).unwrap_err();
        assert!(error.to_string().contains("row 1 has no value for `x`"), "{error}");
    }
}

#[test]
fn interventions_on_a_mixed_model_agree_with_integration() {
    let model = mixed();
    let found = model.expectation(&[(0, 0.5)]).unwrap();
    assert!(found.simulated);
    let (mut expected, step) = ([0.0; 3], 1e-3);
    for k in -8000..=8000 {
        let z = -0.5 + f64::from(k) * step;
        let chances = of_k(0.5, z);
        let weight = normal(z, -0.5, 1.0) * step;
        expected.iter_mut().zip(chances).for_each(|(sum, chance)| *sum += weight * chance);
    }
    let Answer::Levels(chances) = &found.answers[2] else { panic!("levels are expected") };
    // Four standard errors of a share of 10,000 draws.
    for (found, expected) in chances.iter().zip(expected) {
        assert!((found - expected).abs() < 0.02, "{found} {expected}");
    }
    let mean = 0.2 + 0.25 + 0.5 + 2.0 * expected[1] - 1.5 * expected[2];
    let Answer::Number(y) = found.answers[3] else { panic!("a number is expected") };
    assert!((y - mean).abs() < 0.1, "{y} {mean}");
    // Set, the category has a closed form.
    let found = model.expectation(&[(2, 1.0)]).unwrap();
    assert!(!found.simulated);
    let Answer::Number(y) = found.answers[3] else { panic!("a number is expected") };
    assert!((y - (0.2 + 0.5 + 0.5 + 2.0)).abs() < 1e-12);
    let effects = model.effects_of(2, Some(3), 0.95).unwrap();
    let values: Vec<f64> = effects.on[3].iter().map(|entry| entry.value).collect();
    assert!((values[0] - 2.0).abs() < 1e-12 && (values[1] + 1.5).abs() < 1e-12, "{values:?}");
}

#[test]
fn conditions_decide_which_mechanism_holds() {
    // t: control or drug; the drug sets b.
    let variables = vec![
        levels("t", &["control", "drug"]),
        Variable::continuous("a"),
        Variable::continuous("b"),
        Variable::continuous("y"),
    ];
    let t = Counts { parents: vec![], overall: vec![60.0, 40.0], table: BTreeMap::new() };
    let mechanisms = vec![
        Mechanism::Counts(t),
        linear(vec![], 0.0, 1.0),
        linear(vec![term(1, &[1.2])], 0.5, 1.0),
        linear(vec![term(2, &[0.8])], 0.0, 1.0),
    ];
    let regime = Regime { mechanism: linear(vec![], 50.0, 4.0), set: true };
    let targets = BTreeMap::from([((1, 2), regime)]);
    let model = of(variables, mechanisms)
        .with_experiment(Experiment { condition: 0, control: 0, targets })
        .unwrap();
    let mean =
        |set: &[(usize, f64)], v: usize| model.expectation(set).unwrap().answers[v].column(None);
    assert!((mean(&[], 3) - 0.8 * 0.5).abs() < 1e-12);
    assert!((mean(&[(1, 10.0)], 3) - 0.8 * (0.5 + 12.0)).abs() < 1e-12);
    assert!((mean(&[(0, 1.0)], 3) - 0.8 * 50.0).abs() < 1e-12);
    assert!((mean(&[(0, 1.0), (1, 10.0)], 3) - 0.8 * 50.0).abs() < 1e-12);
    let of_drug = model.effects_of(0, Some(3), 0.95).unwrap();
    assert!((of_drug.on[3][0].value - 0.8 * 49.5).abs() < 1e-12);
    // Values that were set say nothing about the model.
    let row = |t: f64, b: f64| Mat::from_fn(1, 4, move |_, j| [t, 0.0, b, 0.8 * b][j]);
    let at = |t: f64, b: f64| model.log_likelihood(row(t, b).as_ref()).unwrap()[0];
    assert!((at(1.0, 50.0) - at(1.0, 900.0)).abs() < 1e-9);
    assert!(at(0.0, 0.5) > at(0.0, 50.0) + 100.0);
    // Without the conditions, what is left is the control.
    let control = model.at_control().unwrap();
    assert_eq!(control.law(), Law::Gaussian);
    assert!((control.expectation(&[]).unwrap().answers[2].column(None) - 0.8 * 0.5).abs() < 1e-12);
    let drawn = model.sample(20_000, 3).unwrap();
    let of_drug: Vec<f64> =
        (0..20_000).filter(|&i| drawn[(i, 0)] == 1.0).map(|i| drawn[(i, 2)]).collect();
    let mean = of_drug.iter().sum::<f64>() / of_drug.len() as f64;
    assert!((mean - 50.0).abs() < 0.1, "{mean}");
}

/// Maximum likelihood, up to the small penalty: the gradient of the likelihood is all but zero.
#[test]
fn logistic_mechanisms_are_at_the_maximum_of_the_likelihood() {
    let truth = mixed();
    let data = Dataset::new(truth.variables().clone(), truth.sample(4000, 5).unwrap()).unwrap();
    let mut options = options();
    options.knowledge.tiers = vec![
        nocurl::knowledge::Tier::new(["x", "z"]),
        nocurl::knowledge::Tier::new(["k"]),
        nocurl::knowledge::Tier::new(["y"]),
    ];
    let model = fitted(&data, &options);
    let Mechanism::Logistic(logistic) = &model.mechanisms()[2] else {
        panic!("{:?}", model.mechanisms()[2])
    };
    assert_eq!(logistic.parents, [0, 1]);
    let base = data.variables().list()[2].levels[0].clone();
    let expected: BTreeMap<&str, [f64; 2]> =
        [("a", [0.0, 0.0]), ("b", [1.2, -0.4]), ("c", [-0.7, 0.9])].into();
    for (level, terms) in data.variables().list()[2].levels[1..].iter().zip(&logistic.levels) {
        for (term, k) in terms.iter().zip(0..) {
            let right = expected[level.as_str()][k] - expected[base.as_str()][k];
            // Three to four standard errors with 4000 rows.
            assert!((term.coefficients[0] - right).abs() < 0.25, "{level} {k}");
        }
    }
    let mut gradient = vec![[0.0; 3]; 2];
    for i in 0..4000 {
        let (x, z) = (data.values()[(i, 0)], data.values()[(i, 1)]);
        let mut odds = vec![1.0];
        for (intercept, terms) in logistic.intercepts.iter().zip(&logistic.levels) {
            odds.push(
                (intercept + terms[0].coefficients[0] * x + terms[1].coefficients[0] * z).exp(),
            );
        }
        let total: f64 = odds.iter().sum();
        for (level, sums) in gradient.iter_mut().enumerate() {
            let seen = f64::from(u8::from(data.values()[(i, 2)] as usize == level + 1));
            let off = seen - odds[level + 1] / total;
            sums.iter_mut().zip([1.0, x, z]).for_each(|(sum, value)| *sum += off * value);
        }
    }
    assert!(gradient.iter().flatten().all(|g| g.abs() < 0.02), "{gradient:?}");
}

#[test]
fn mechanisms_follow_units_and_not_the_order_of_rows() {
    let simulation = Simulation { variables: 6, rows: 3000, ..Simulation::default() };
    let drawn = simulate(&simulation, 5).unwrap();
    let data = drawn.data;
    // One graph for both: which member of a class is drawn may follow units.
    let mut options = options();
    let names = data.names().to_vec();
    options.knowledge.tiers = drawn
        .truth
        .order()
        .iter()
        .map(|&v| nocurl::knowledge::Tier::new([names[v].as_str()]))
        .collect();
    let model = fitted(&data, &options);
    let scale = |j: usize| [1e-3, 7.3, 1.0, 250.0, 0.1, 3.0][j];
    let moved =
        Mat::from_fn(data.values().nrows(), 6, |i, j| data.values()[(2999 - i, j)] * scale(j));
    let other = fitted(&Dataset::new(data.names().to_vec(), moved).unwrap(), &options);
    for (j, (own, other)) in model.mechanisms().iter().zip(other.mechanisms()).enumerate() {
        let (own, other) = (own.linear().unwrap(), other.linear().unwrap());
        assert!((other.variance / scale(j).powi(2) - own.variance).abs() < 1e-9 * own.variance);
        for (a, b) in own.terms.iter().zip(&other.terms) {
            assert_eq!(a.variable, b.variable);
            let back = b.coefficients[0] * scale(a.variable) / scale(j);
            assert!((back - a.coefficients[0]).abs() < 1e-9 * a.coefficients[0].abs());
        }
    }
}

#[test]
fn odd_models_and_rows_are_refused() {
    let (model, data) = model(4);
    let class = model.class().clone();
    let variables = model.variables().clone();
    let mechanisms = model.mechanisms().to_vec();
    let refused = |mechanisms: Vec<Mechanism>| {
        Model::new(variables.clone(), mechanisms, class.clone()).unwrap_err()
    };
    assert!(matches!(refused(mechanisms[..5].to_vec()), Error::Lengths { .. }));
    for odd in [
        linear(vec![], 0.0, 0.0),
        linear(vec![], f64::NAN, 1.0),
        linear(vec![term(0, &[1.0, 2.0])], 0.0, 1.0),
        linear(vec![term(9, &[1.0])], 0.0, 1.0),
        linear(vec![term(1, &[1.0]), term(1, &[2.0])], 0.0, 1.0),
        Mechanism::Counts(Counts { parents: vec![], overall: vec![1.0], table: BTreeMap::new() }),
    ] {
        let mut all = mechanisms.clone();
        all[2] = odd;
        assert!(matches!(refused(all), Error::Model { .. }));
    }
    let fewer = data.values().subcols(0, 3);
    assert!(model.score(fewer).is_err() && model.residuals(fewer).is_err());
    assert!(model.predict(data.values(), 6).is_err());
    assert!(model.score(data.values().subrows(0, 0)).is_err());
    let infinite = Mat::from_fn(1, 6, |_, j| if j == 3 { f64::INFINITY } else { 0.0 });
    assert!(matches!(model.score(infinite.as_ref()), Err(Error::NotFinite { .. })));
    for set in [vec![(9, 0.0)], vec![(0, f64::NAN)], vec![(0, 1.0), (0, 2.0)]] {
        assert!(matches!(model.expectation(&set), Err(Error::Intervention { .. })));
    }
    let network = network();
    let half = Mat::from_fn(1, 4, |_, j| if j == 2 { 0.5 } else { 0.0 });
    assert!(matches!(network.score(half.as_ref()), Err(Error::NotALevel { .. })));
    assert!(matches!(network.value(1, "maybe"), Err(Error::NoSuchLevel { .. })));
    assert_eq!(network.value(0, "2").unwrap(), 2.0);
    assert!(matches!(network.expectation(&[(0, 3.0)]), Err(Error::Intervention { .. })));
}

#[test]
fn without_rows_answers_that_need_them_are_refused() {
    let truth = mixed();
    let data = Dataset::new(truth.variables().clone(), truth.sample(3000, 6).unwrap()).unwrap();
    let mut options = options();
    options.knowledge.tiers = vec![
        nocurl::knowledge::Tier::new(["x", "z"]),
        nocurl::knowledge::Tier::new(["k"]),
        nocurl::knowledge::Tier::new(["y"]),
    ];
    let moments = data.moments();
    let fit = learn(&moments, &options, &Run::default()).unwrap();
    let from = Fitting { data: Data::Moments(&moments), rows: None, precise: true };
    let model = Model::fit(from, &options, &fit, fit.class.clone()).unwrap();
    assert!(matches!(model.mechanisms()[2], Mechanism::Unfitted(_)));
    for refused in [
        model.score(data.values()).map(drop),
        model.expectation(&[(0, 1.0)]).map(drop),
        model.effects_of(0, Some(3), 0.95).map(drop),
        model.sample(3, 0).map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Unfitted { .. })), "{refused:?}");
    }
    // What does not depend on it is answered.
    assert!(model.effects_of(2, Some(3), 0.95).is_ok());
}

/// Coverage of 95% intervals where the fitted parents contain all true parents: 94% to 96%.
#[test]
fn intervals_cover_what_they_say() {
    for rows in [200, 2000] {
        let (mut weights, mut effects) = ([0, 0], [0, 0]);
        for seed in 0..250 {
            let simulation =
                Simulation { variables: 8, degree: 3.0, rows, ..Simulation::default() };
            let drawn = simulate(&simulation, 1000 + seed).unwrap();
            let names = drawn.data.names().to_vec();
            let mut options = options();
            // Directions are given, so that the parents are those of the truth or a little more.
            options.knowledge.tiers = drawn
                .truth
                .order()
                .iter()
                .map(|&v| nocurl::knowledge::Tier::new([names[v].as_str()]))
                .collect();
            let model = fitted(&drawn.data, &options);
            let whole = |v: usize| {
                let own = model.mechanisms()[v].parents();
                drawn.truth.parents(v).all(|parent| own.contains(&parent))
            };
            for v in (0..8).filter(|&v| whole(v)) {
                let linear = model.mechanisms()[v].linear().unwrap();
                for (place, term) in linear.terms.iter().enumerate() {
                    let truth = drawn.truth.weight(term.variable, v);
                    if truth == 0.0 {
                        continue;
                    }
                    let [low, high] = model.coefficient_interval(v, place, 0.95).unwrap();
                    weights[0] += usize::from(low <= truth && truth <= high);
                    weights[1] += 1;
                }
            }
            if !(0..8).all(whole) {
                continue;
            }
            let total = nocurl::effects::total(&drawn.truth);
            for cause in 0..8 {
                let found = model.effects_of(cause, None, 0.95).unwrap();
                for (v, entries) in found.on.iter().enumerate() {
                    let truth = total[(cause, v)];
                    for [low, high] in entries.iter().filter_map(|entry| entry.interval) {
                        if truth != 0.0 {
                            effects[0] += usize::from(low <= truth && truth <= high);
                            effects[1] += 1;
                        }
                    }
                }
            }
        }
        for [covered, all] in [weights, effects] {
            let share = covered as f64 / all as f64;
            assert!(all > 2000 && (0.94..=0.96).contains(&share), "{rows}: {covered} of {all}");
        }
    }
}
