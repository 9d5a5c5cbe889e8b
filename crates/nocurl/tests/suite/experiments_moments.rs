//! Moments by condition: parts that saw other conditions, weights, and tables drawn from them.

use nocurl::bootstrap::{BootstrapParams, Kind as Drawn, bootstrap};
use nocurl::experiments::{ExperimentSpec, Intervention, Target};
use nocurl::moments::{Conditions, Replicates};
use nocurl::simulate::{Interventions, Simulation, simulate_experiments};
use nocurl::{Dataset, Error, Kind, Mat, Moments, Options, Run, Variable, learn};

/// Rows of a condition, a category and two numbers; the condition shifts the first of them.
fn table(rows: usize, conditions: &[&str], kinds: &[&str]) -> Dataset {
    let told = Variable::with_levels("drug", Kind::Categorical, levels(conditions));
    let kind = Variable::with_levels("kind", Kind::Categorical, levels(kinds));
    let variables = vec![Variable::continuous("a"), told, kind, Variable::continuous("b")];
    let values = Mat::from_fn(rows, 4, |i, j| {
        let (drug, kind) = (i * 7 % 11 % conditions.len(), i * 5 % 13 % kinds.len());
        let a = ((i * 37) % 101) as f64 / 50.0 + drug as f64;
        [a, drug as f64, kind as f64, a - ((i * 53) % 97) as f64 / 40.0 + kind as f64][j]
    });
    Dataset::new(variables, values).unwrap()
}

fn levels(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| name.to_string()).collect()
}

fn close(one: &Moments, other: &Moments) {
    assert_eq!(one.names(), other.names());
    assert!((one.weight() - other.weight()).abs() < 1e-9);
    let (a, b) = (one.second_moments(true), other.second_moments(true));
    for j in 0..a.ncols() {
        assert!((one.mean()[j] - other.mean()[j]).abs() < 1e-12);
        (0..a.nrows()).for_each(|i| assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-12));
    }
}

/// The moments of a condition by its name.
fn of(moments: &Moments, condition: &str) -> Moments {
    let all = moments.conditions().unwrap();
    let level = moments.variables().list()[all.variable()].level(condition).unwrap();
    all.moments(moments.variables(), level)
}

#[test]
fn parts_may_have_other_conditions_levels_and_orders_of_columns() {
    let one = table(90, &["none", "x", "y"], &["p", "q"]);
    let other = table(200, &["none", "z", "y"], &["q", "r", "p"]);
    let mut found = one.moments_by_condition(1);
    found.merge(&other.moments_by_condition(1).select(&[3, 1, 0, 2])).unwrap();
    let rows = |name: &str| of(&found, name).rows();
    assert_eq!(["none", "x", "y", "z"].map(rows).iter().sum::<u64>(), 290);
    // A table of all rows, with one coding, says the same of each condition.
    let (drugs, kinds) = (levels(&["none", "x", "y", "z"]), levels(&["p", "q", "r"]));
    let all = Mat::from_fn(290, 4, |i, j| {
        let (data, i) = if i < 90 { (&one, i) } else { (&other, i - 90) };
        let value = data.values()[(i, j)];
        let name = |v: usize| data.variables().list()[v].levels[value as usize].clone();
        let place = |names: &[String], name: String| names.iter().position(|n| *n == name).unwrap();
        match j {
            1 => place(&drugs, name(1)) as f64,
            2 => place(&kinds, name(2)) as f64,
            _ => value,
        }
    });
    let variables = vec![
        Variable::continuous("a"),
        Variable::with_levels("drug", Kind::Categorical, drugs),
        Variable::with_levels("kind", Kind::Categorical, kinds),
        Variable::continuous("b"),
    ];
    let whole = Dataset::new(variables, all).unwrap().moments_by_condition(1);
    for name in ["none", "x", "y", "z"] {
        let (found, whole) = (of(&found, name), of(&whole, name));
        assert_eq!(found.rows(), whole.rows());
        let numbers = |m: &Moments| m.select(&[0, 2]);
        close(&numbers(&found), &numbers(&whole));
    }
    let other_column = one.moments_by_condition(2);
    let error = one.moments_by_condition(1).merge(&other_column).unwrap_err();
    assert!(error.to_string().contains("another column"), "{error}");
}

#[test]
fn weights_count_in_each_condition() {
    let data = table(120, &["none", "x"], &["p", "q", "r"]);
    let weights: Vec<f64> = (0..120).map(|i| f64::from(i % 3)).collect();
    let mut found = Moments::by_condition(data.variables().clone(), 1);
    let mut block = data.variables().coded(data.values());
    found.push_weighted(block.as_mut(), &weights);
    let counts: Vec<u32> = weights.iter().map(|&weight| weight as u32).collect();
    let expected = data.sample_by_condition(1, &counts);
    close(&found, &expected);
    for name in ["none", "x"] {
        close(&of(&found, name), &of(&expected, name));
    }
}

#[test]
fn what_is_kept_of_conditions_can_be_given_back() {
    let moments = table(120, &["none", "x", "y"], &["p", "q", "r"]).moments_by_condition(1);
    let conditions = moments.conditions().unwrap();
    let kept: Vec<_> = conditions.kept_rows().collect();
    let back = Conditions::of_kept(moments.variables(), 1, kept.clone()).unwrap();
    assert_eq!(&back, conditions.as_ref());
    let wrong = |change: &dyn Fn(&mut Vec<_>)| {
        let mut kept = kept.clone();
        change(&mut kept);
        assert!(Conditions::of_kept(moments.variables(), 1, kept).is_err());
    };
    wrong(&|kept| _ = kept.pop());
    wrong(&|kept| _ = kept[0].numbers.pop());
    wrong(&|kept| kept[0].numbers[0] = f64::NAN);
    assert!(Conditions::of_kept(moments.variables(), 9, kept.clone()).is_err());
}

#[test]
fn tables_are_drawn_by_condition_with_the_same_weights() {
    let data = table(3000, &["none", "x", "y"], &["p", "q", "r"]);
    let draw = |condition: Option<usize>| {
        let mut found = Replicates::new(data.variables().clone(), condition, 1..6, 5, 2);
        found.push(data.values().subrows(0, 1700));
        found.push(data.values().subrows(1700, 1300));
        found.moments()
    };
    let (plain, told) = (draw(None), draw(Some(1)));
    for (one, other) in plain.iter().zip(&told) {
        close(one, other);
        assert_eq!(one.rows(), other.conditions().unwrap().rows().iter().sum::<u64>());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| draw(Some(1))), told);
}

#[test]
fn confidence_from_moments_by_condition_is_like_that_from_rows() {
    let simulation = Simulation { variables: 5, rows: 400, degree: 2.0, ..Simulation::default() };
    let interventions = Interventions { conditions: 5, ..Interventions::default() };
    let drawn = simulate_experiments(&simulation, &interventions, 3).unwrap();
    let options = Options { experiments: drawn.experiments.clone(), ..Options::default() };
    let params = BootstrapParams { replicates: 30, ..BootstrapParams::default() };
    let told = drawn.data.moments_by_condition(0);
    let (rows, run) =
        (bootstrap(&drawn.data, &options, &params, &Run::default()).unwrap(), Run::default());
    let found = bootstrap(&told, &options, &params, &run).unwrap();
    assert_eq!((rows.kind, found.kind), (Drawn::Rows, Drawn::Gaussian));
    for pair in rows.pairs.iter().filter(|pair| pair.adjacent == 1.0) {
        let same = found.pairs.iter().find(|p| (p.from, p.to) == (pair.from, pair.to)).unwrap();
        assert!(same.adjacent > 0.8, "{pair:?} {same:?}");
    }
    let plain = bootstrap(&drawn.data.moments(), &options, &params, &run).unwrap_err();
    assert!(plain.to_string().contains("tell conditions apart"), "{plain}");
    let untold = learn(&drawn.data.moments(), &options, &run).unwrap_err();
    assert!(untold.to_string().contains("do not tell the conditions"), "{untold}");
}

#[test]
fn a_condition_with_one_row_and_unknown_targets_are_refused() {
    let data = table(50, &["none", "x"], &["p", "q", "r"]);
    let mut values = data.values().to_owned();
    (0..50).for_each(|i| values[(i, 1)] = f64::from(u8::from(i == 7)));
    let moments = Dataset::new(data.variables().list().to_vec(), values).unwrap();
    let moments = moments.moments_by_condition(1);
    let refused = |targets: Vec<Target>| {
        let condition = Some("drug".to_string());
        let experiments = ExperimentSpec { condition, targets, ..ExperimentSpec::default() };
        let options = Options { experiments, ..Options::default() };
        match learn(&moments, &options, &Run::default()) {
            Err(Error::Experiments { reason }) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(Vec::new()).contains("`x` of column `drug` has one row"));
    let kind = Intervention::Perfect;
    let target = Target { condition: "x".into(), variable: "bb".into(), kind };
    assert!(refused(vec![target]).contains("did you mean `b`?"));
}
