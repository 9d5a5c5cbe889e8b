//! Greedy search by kernel scores.

use nocurl::links::links;
use nocurl::methods::{Gsges, GsgesScore};
use nocurl::simulate::{Mechanism, Simulation, simulate};
use nocurl::{
    Action, Algorithm, Dataset, Determines, Error, Fit, Kind, KnowledgeSpec, Mat, Options, Pdag,
    Run, Variable, Variables, learn,
};

fn gsges(params: Gsges) -> Options {
    Options { algorithm: Algorithm::from(params), ..Options::default() }
}

fn both() -> [Options; 2] {
    [GsgesScore::CrossValidated, GsgesScore::Marginal]
        .map(|score| gsges(Gsges { score, ..Gsges::default() }))
}

/// x0 and x1 make x2, which makes x3, none of it linear.
fn collider(rows: usize) -> Dataset {
    let independent = Simulation { variables: 4, rows, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 4).unwrap().data.values().to_owned();
    for i in 0..rows {
        let (a, b): (f64, f64) = (x[(i, 0)], x[(i, 1)]);
        x[(i, 2)] = a * a + b * b + 0.5 * x[(i, 2)];
        let c: f64 = x[(i, 2)];
        x[(i, 3)] = 2.0 * (2.0 * c).sin() + 0.5 * x[(i, 3)];
    }
    Dataset::new(Dataset::default_names(4), x).unwrap()
}

#[test]
fn a_curved_collider_and_its_child_are_found() {
    let data = collider(500);
    for options in both() {
        let fit = learn(&data, &options, &Run::default()).unwrap();
        let directed: Vec<(usize, usize)> = fit.determined.directed().collect();
        assert_eq!(directed, [(0, 2), (1, 2), (2, 3)], "{:?}", options.algorithm);
        assert_eq!(fit.determines, Determines::Class);
        assert!(fit.iterations >= 3 && fit.evaluations > 0);
        // Linear methods see nothing here.
        let linear = learn(&data, &Options::default(), &Run::default()).unwrap();
        assert!(linear.dag.edge_count() < 3);
    }
}

/// Linear fits leave something curved, which is not normal, in either direction.
#[test]
fn what_linear_fits_leave_directs_nothing() {
    let independent = Simulation { variables: 2, rows: 500, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 4).unwrap().data.values().to_owned();
    for i in 0..500 {
        let cause: f64 = x[(i, 0)];
        x[(i, 1)] = cause + cause * cause + 0.5 * x[(i, 1)];
    }
    let data = Dataset::new(Dataset::default_names(2), x).unwrap();
    for options in both() {
        let options = Options { error_shape: true, ..options };
        let fit = learn(&data, &options, &Run::default()).unwrap();
        assert_eq!(fit.dag.edge_count(), 1);
        assert_eq!((fit.determined.directed().count(), fit.error_shape), (0, None));
    }
    // A method for linear effects takes what is left for errors.
    let linear = Options { error_shape: true, ..Options::default() };
    assert!(learn(&data, &linear, &Run::default()).unwrap().error_shape.is_some());
}

#[test]
fn results_do_not_depend_on_threads_or_units() {
    let simulation = Simulation {
        variables: 6,
        rows: 300,
        degree: 2.0,
        mechanism: Mechanism::GpAdditive,
        ..Simulation::default()
    };
    let data = simulate(&simulation, 3).unwrap().data;
    let values = data.values();
    let units = [64.0, 1.0, 0.125, 8.0, 2.0, 0.5];
    let scaled = Mat::from_fn(300, 6, |i, j| values[(i, j)] * units[j]);
    let scaled = Dataset::new(data.names().to_vec(), scaled).unwrap();
    for options in both() {
        let on = |threads: usize, data: &Dataset| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(data, &options, &Run::default()).unwrap())
        };
        let one = on(1, &data);
        assert_eq!(one.dag, on(2, &data).dag);
        assert_eq!(one.class, on(1, &scaled).class);
        assert!(one.dag.edge_count() > 0);
    }
}

#[test]
fn what_it_cannot_use_is_refused() {
    let data = collider(19);
    for options in both() {
        let error = learn(&data, &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::TooFewRows { rows: 19, needed: 20 });
        let error = learn(&data.moments(), &options, &Run::default()).unwrap_err();
        assert_eq!(error, Error::NeedsRows { what: Action::method("gsges") });
        let required = vec![("x1".to_string(), "x2".to_string())];
        let knowledge = KnowledgeSpec { required, ..KnowledgeSpec::default() };
        let error = learn(&data, &Options { knowledge, ..options }, &Run::default()).unwrap_err();
        assert!(matches!(error, Error::TakesNoKnowledge { method: "gsges", .. }), "{error}");
    }
    for (name, params) in [
        ("folds", Gsges { folds: 1, ..Gsges::default() }),
        ("ridge", Gsges { ridge: 0.0, ..Gsges::default() }),
        ("features", Gsges { features: 0, ..Gsges::default() }),
    ] {
        let error = params.validate().unwrap_err();
        assert!(matches!(error, Error::Parameter { name: found, .. } if found == name), "{error}");
    }
}

#[test]
fn it_can_be_stopped_at_any_time() {
    use crate::notebook::Notebook;
    let data = collider(200);
    for stop_at in [1, 10] {
        let stopped = Notebook { stop_at: Some(stop_at), ..Notebook::default() };
        let run = Run::default().stopped_by(&stopped);
        assert_eq!(learn(&data, &both()[0], &run).unwrap_err(), Error::Cancelled);
    }
}

fn levels(name: &str, count: usize) -> Variable {
    let kind = if count == 2 { Kind::Binary } else { Kind::Categorical };
    Variable::with_levels(name, kind, (0..count).map(|k| format!("l{k}")).collect())
}

fn fitted(data: &Dataset, options: &Options) -> Fit {
    learn(data, options, &Run::default()).unwrap()
}

/// A colour of three levels and a number make a size, by a curve that the colour turns round; the
/// size makes a species. No means differ between colours, so that straight lines see little.
fn mixed(rows: usize) -> Dataset {
    let independent = Simulation { variables: 4, rows, degree: 0.0, ..Simulation::default() };
    let mut x = simulate(&independent, 7).unwrap().data.values().to_owned();
    for i in 0..rows {
        let colour: f64 = (i % 3) as f64;
        let curve = (x[(i, 1)] * x[(i, 1)] - 1.0) * (colour - 1.0) + 0.5 * colour;
        let size = curve + 0.4 * x[(i, 2)];
        let species =
            if size + 0.3 * x[(i, 3)] > 1.0 { 2.0 } else { f64::from(u8::from(size > 0.0)) };
        (x[(i, 0)], x[(i, 2)], x[(i, 3)]) = (colour, size, species);
    }
    let list = vec![
        levels("colour", 3),
        Variable::continuous("number"),
        Variable::continuous("size"),
        levels("species", 3),
    ];
    Dataset::new(Variables::new(list), x).unwrap()
}

#[test]
fn levels_and_numbers_are_learnt_together() {
    let data = mixed(600);
    for options in both() {
        // Which rows are held out together is a matter of chance.
        let mut right = 0;
        for seed in 0..6 {
            let options = Options { seed, ..options.clone() };
            let fit = fitted(&data, &options);
            let directed: Vec<(usize, usize)> = fit.determined.directed().collect();
            right += usize::from(directed == [(0, 2), (1, 2), (2, 3)]);
            let edges = links(&data, &options, &fit).unwrap();
            assert_eq!(edges.len(), fit.dag.edge_count());
            let shares = |strength: Option<f64>| strength.is_some_and(|s| (0.0..=1.0).contains(&s));
            assert!(edges.iter().all(|edge| shares(edge.strength)));
        }
        assert!(right >= 4, "{:?}: {right} of 6", options.algorithm);
    }
}

/// The same rows with the levels of a categorical variable in another order.
fn turned(data: &Dataset, variable: usize, count: usize) -> Dataset {
    let values = data.values();
    let turn = |code: f64| (code as usize + 1) % count;
    let values = Mat::from_fn(values.nrows(), values.ncols(), |i, j| match j == variable {
        true => turn(values[(i, j)]) as f64,
        false => values[(i, j)],
    });
    Dataset::new(data.variables().clone(), values).unwrap()
}

#[test]
fn names_and_order_of_levels_do_not_matter() {
    let data = mixed(300);
    for options in both() {
        let classes: [Pdag; 3] = [
            fitted(&data, &options).class,
            fitted(&turned(&data, 0, 3), &options).class,
            fitted(&turned(&data, 3, 3), &options).class,
        ];
        assert_eq!(classes[0], classes[1]);
        assert_eq!(classes[0], classes[2]);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fitted(&data, &options).dag)
        };
        assert_eq!(on(1), on(2));
    }
}

/// a and b make c, each alone and more together.
fn categories(rows: usize) -> Dataset {
    let draw = |i: usize, by: f64| (i as f64 * by).fract();
    let values = Mat::from_fn(rows, 3, |i, j| {
        let a = (3.0 * draw(i, 0.618_034)).floor();
        let b = f64::from(u8::from(draw(i, 0.414_214) < 0.4));
        let chance = draw(i, 0.732_051);
        let c = if chance < 0.2 + 0.25 * a { b } else { 2.0 * f64::from(u8::from(chance < 0.9)) };
        [a, b, c][j]
    });
    let list = vec![levels("a", 3), levels("b", 2), levels("c", 3)];
    Dataset::new(Variables::new(list), values).unwrap()
}

#[test]
fn a_table_of_categories_alone_is_learnt() {
    let data = categories(1000);
    for options in both() {
        let fit = fitted(&data, &options);
        let directed: Vec<(usize, usize)> = fit.determined.directed().collect();
        assert_eq!(directed, [(0, 2), (1, 2)], "{:?}", options.algorithm);
    }
}

#[test]
fn rare_and_many_levels_are_no_obstacle() {
    // A level that one row has.
    let data = mixed(600);
    let values =
        Mat::from_fn(600, 4, |i, j| if (i, j) == (9, 0) { 3.0 } else { data.values()[(i, j)] });
    let list = [vec![levels("colour", 4)], data.variables().list()[1..].to_vec()].concat();
    let rare = Dataset::new(Variables::new(list), values).unwrap();
    // Very many levels that say nothing.
    let values = Mat::from_fn(600, 4, |i, j| match j {
        0 => (i * 37 % 100) as f64,
        3 => (i % 150) as f64,
        _ => data.values()[(i, j)],
    });
    let list = data.variables().list();
    let list = vec![levels("many", 100), list[1].clone(), list[2].clone(), levels("more", 150)];
    let many = Dataset::new(Variables::new(list), values).unwrap();
    for options in both() {
        let options = Options { seed: 1, ..options };
        let (usual, rare) = (fitted(&data, &options), fitted(&rare, &options));
        assert_eq!(usual.class, rare.class);
        let fit = fitted(&many, &options);
        assert!(!fit.class.is_adjacent(0, 1) && !fit.class.is_adjacent(0, 2));
    }
}
