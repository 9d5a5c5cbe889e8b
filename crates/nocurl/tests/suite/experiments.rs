//! Experiments: conditions, targets, and what they determine.

use nocurl::experiments::{ExperimentSpec, Intervention, Target};
use nocurl::methods::exact::{Exact, ExactScore};
use nocurl::methods::{Fges, OrderSearch};
use nocurl::simulate::{Interventions, SimulatedExperiments, Simulation, simulate_experiments};
use nocurl::treatments::treatments;
use nocurl::{
    Algorithm, Dag, Dataset, Error, Evidence, Kind, KnowledgeSpec, Mat, Moments, Options, Run,
    Targets, Variable, Variables, learn,
};

fn drawn(d: usize, rows: usize, kind: Intervention, seed: u64) -> SimulatedExperiments {
    let simulation = Simulation {
        variables: d,
        rows,
        degree: 2.0_f64.min(d as f64 - 1.0),
        standardize: true,
        ..Simulation::default()
    };
    let interventions = Interventions { conditions: d, kind, ..Interventions::default() };
    simulate_experiments(&simulation, &interventions, seed).unwrap()
}

fn options(algorithm: impl Into<Algorithm>, experiments: &ExperimentSpec) -> Options {
    Options { algorithm: algorithm.into(), experiments: experiments.clone(), ..Options::default() }
}

fn exact() -> Exact {
    Exact { score: ExactScore::Bic, ..Exact::default() }
}

/// The rows of a variable's regressions: of the conditions that do not act on it, and of each
/// condition with a regression of its own.
fn row_groups(drawn: &SimulatedExperiments, v: usize) -> Vec<Vec<usize>> {
    let targets = drawn.experiments.resolve(drawn.data.variables()).unwrap().unwrap();
    let acting: Vec<(usize, Intervention)> = targets.acting_on(v).collect();
    let level = |row: usize| drawn.data.values()[(row, 0)] as usize;
    let n = drawn.data.values().nrows();
    let acted = |row: usize| acting.iter().any(|&(other, _)| other == level(row));
    let mut groups = vec![(0..n).filter(|&row| !acted(row)).collect::<Vec<_>>()];
    for &(of, kind) in &acting {
        if kind == Intervention::Soft {
            groups.push((0..n).filter(|&row| level(row) == of).collect());
        }
    }
    groups
}

/// Residual sum of squares on parents and indicators, by Gram and Schmidt on the rows themselves.
fn residual(drawn: &SimulatedExperiments, rows: &[usize], v: usize, parents: &[usize]) -> f64 {
    let column = |j: usize| rows.iter().map(|&i| drawn.data.values()[(i, j)]).collect::<Vec<f64>>();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut reduce = |mut x: Vec<f64>| {
        for b in &basis {
            let along: f64 = x.iter().zip(b).map(|(x, b)| x * b).sum();
            x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
        }
        let size: f64 = x.iter().map(|x| x * x).sum::<f64>();
        if size > 1e-9 {
            let root = size.sqrt();
            basis.push(x.iter().map(|x| x / root).collect());
        }
        size
    };
    let mut levels: Vec<u64> = rows.iter().map(|&i| drawn.data.values()[(i, 0)] as u64).collect();
    levels.sort_unstable();
    levels.dedup();
    reduce(vec![1.0; rows.len()]);
    if parents.contains(&0) {
        for &level in &levels[1..] {
            let is = |&i: &usize| f64::from(u8::from(drawn.data.values()[(i, 0)] as u64 == level));
            reduce(rows.iter().map(is).collect());
        }
    }
    for &parent in parents.iter().filter(|&&parent| parent != 0) {
        reduce(column(parent));
    }
    reduce(column(v))
}

/// The BIC of a graph over the condition (variable 0) and the others, from the rows.
fn bic(drawn: &SimulatedExperiments, dag: &Dag) -> f64 {
    let n = drawn.data.values().nrows() as f64;
    let mut score = 0.0;
    for v in 1..dag.size() {
        let parents: Vec<usize> = dag.parents(v).collect();
        for (place, rows) in row_groups(drawn, v).iter().enumerate() {
            let main = place == 0;
            let given: Vec<usize> = parents.iter().copied().filter(|&p| main || p != 0).collect();
            let left = residual(drawn, rows, v, &given);
            let mut levels: Vec<u64> =
                rows.iter().map(|&i| drawn.data.values()[(i, 0)] as u64).collect();
            levels.sort_unstable();
            levels.dedup();
            let shifts = if given.contains(&0) { levels.len() - 1 } else { 0 };
            let numbers = given.iter().filter(|&&parent| parent != 0).count();
            score += rows.len() as f64 * (left / rows.len() as f64).ln();
            score += n.ln() * (shifts + numbers) as f64;
        }
    }
    score
}

/// Every graph of a condition (variable 0) and three other variables.
fn all_graphs() -> Vec<Dag> {
    let pairs: Vec<(usize, usize)> =
        (0..4).flat_map(|i| (1..4).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
    (0..1u32 << pairs.len())
        .filter_map(|set| {
            let edges: Vec<(usize, usize)> =
                (0..pairs.len()).filter(|&k| set >> k & 1 == 1).map(|k| pairs[k]).collect();
            Dag::from_edges(4, &edges).ok()
        })
        .collect()
}

#[test]
fn exact_search_finds_the_best_of_all_graphs() {
    for kind in [Intervention::Perfect, Intervention::Soft] {
        for seed in 0..3 {
            let mut drawn = drawn(3, 40, kind, seed);
            // One condition without a known target, which only shifts can tell.
            drawn.experiments.targets.pop();
            let fit = learn(&drawn.data, &options(exact(), &drawn.experiments), &Run::default());
            let found = bic(&drawn, &fit.unwrap().dag);
            let best =
                all_graphs().iter().map(|dag| bic(&drawn, dag)).fold(f64::INFINITY, f64::min);
            assert!((found - best).abs() < 1e-6 * best.abs(), "{kind:?} {seed}: {found} {best}");
        }
    }
}

#[test]
fn an_intervention_on_every_variable_determines_the_graph() {
    for kind in [Intervention::Perfect, Intervention::Soft] {
        for seed in 0..4 {
            let drawn = drawn(4, 4000, kind, seed);
            let methods: [Algorithm; 3] =
                [exact().into(), OrderSearch::default().into(), Fges::default().into()];
            for method in methods {
                let name = method.name();
                let options = options(method, &drawn.experiments);
                let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
                for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                    let truth = drawn.truth.has_edge(i, j);
                    assert_eq!(fit.dag.has_edge(i + 1, j + 1), truth, "{name} {kind:?} {seed}");
                }
                assert!(fit.determined.is_directed(), "{name}: all directions are determined");
            }
        }
    }
}

#[test]
fn experiments_tell_what_independences_do_not() {
    // Two variables: without the experiment nothing says which is the cause.
    for seed in 0..5 {
        let drawn = drawn(2, 500, Intervention::Perfect, seed);
        if drawn.truth.edge_count() == 0 {
            continue;
        }
        let fit = learn(
            &drawn.data,
            &options(OrderSearch::default(), &drawn.experiments),
            &Run::default(),
        )
        .unwrap();
        let (i, j, _) = drawn.truth.edges().next().unwrap();
        assert!(fit.determined.has_directed(i + 1, j + 1));
        assert_eq!(fit.evidence[&(i + 1, j + 1)], Evidence::Experiments);
        assert!(fit.dag.parents(0).next().is_none());
    }
}

#[test]
fn moments_by_condition_merge_in_any_cut() {
    let drawn = drawn(5, 60, Intervention::Perfect, 7);
    let rows = drawn.data.values();
    let variables = drawn.data.variables().clone();
    let whole = drawn.data.moments_by_condition(0);
    let fit = |moments: &Moments| {
        learn(moments, &options(OrderSearch::default(), &drawn.experiments), &Run::default())
            .unwrap()
    };
    let expected = fit(&whole);
    for cut in [1, 7, 59, 60, 61, 200, 359] {
        let part = |start: usize, end: usize| {
            let mut moments = Moments::by_condition(variables.clone(), 0);
            let mut block = variables.coded(rows.subrows(start, end - start));
            moments.push_block(block.as_mut());
            moments
        };
        let (mut first, second) = (part(0, cut), part(cut, rows.nrows()));
        first.merge(&second).unwrap();
        assert_eq!(first.conditions().unwrap().rows(), whole.conditions().unwrap().rows());
        let found = fit(&first);
        for (i, j, weight) in expected.dag.edges() {
            assert!((found.dag.weights()[(i, j)] - weight).abs() < 1e-9, "cut {cut}");
        }
        let text = serde_json::to_string(&first).unwrap();
        let back: Moments = serde_json::from_str(&text).unwrap();
        assert_eq!(back, first);
    }
    let mut plain = drawn.data.moments();
    assert!(matches!(plain.merge(&whole), Err(Error::Unmergeable { .. })));
    let mut none = Moments::new(variables.clone());
    none.merge(&whole).unwrap();
    assert_eq!(none.conditions(), whole.conditions());
}

#[test]
fn moments_that_tell_conditions_apart_are_otherwise_the_same() {
    let drawn = drawn(4, 50, Intervention::Perfect, 3);
    let (plain, told) = (drawn.data.moments(), drawn.data.moments_by_condition(0));
    assert_eq!(
        (plain.mean(), plain.second_moments(true)),
        (told.mean(), told.second_moments(true))
    );
    let fit = |moments: &Moments| learn(moments, &Options::default(), &Run::default()).unwrap();
    assert_eq!(fit(&plain).dag.weights(), fit(&told).dag.weights());
}

#[test]
fn threads_do_not_matter() {
    let drawn = drawn(12, 40, Intervention::Soft, 5);
    let options = options(OrderSearch::default(), &drawn.experiments);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn(&drawn.data, &options, &Run::default()).unwrap())
    };
    let (one, two) = (with(1), with(2));
    assert_eq!(one.dag.weights(), two.dag.weights());
    assert_eq!(one.determined, two.determined);
}

#[test]
fn unknown_targets_are_found() {
    let mut drawn = drawn(6, 400, Intervention::Perfect, 11);
    let known = std::mem::take(&mut drawn.experiments.targets);
    let options = options(OrderSearch::default(), &drawn.experiments);
    let fit = learn(&drawn.data, &options, &Run::default()).unwrap();
    let found = treatments(&drawn.data, &options, &fit).unwrap();
    let levels = &drawn.data.variables().list()[0].levels;
    let names = drawn.data.names();
    let hits = known.iter().filter(|target| {
        found.iter().any(|one| {
            levels[one.condition] == target.condition && names[one.variable] == target.variable
        })
    });
    assert!(hits.count() >= 5, "{found:?}");
    assert!(found.iter().all(|one| levels[one.condition] != "control"));
}

#[test]
fn the_class_of_a_chain_is_directed_from_its_targets() {
    let chain = Dag::from_edges(4, &[(0, 1), (1, 2), (2, 3)]).unwrap();
    let none = Targets { condition: usize::MAX, of: vec![Vec::new()] };
    assert_eq!(none.class_of(&chain).undirected().count(), 3);
    let second = Targets { condition: usize::MAX, of: vec![vec![(1, Intervention::Perfect)]] };
    assert!(second.class_of(&chain).is_directed());
    let last = Targets { condition: usize::MAX, of: vec![vec![(3, Intervention::Perfect)]] };
    assert_eq!(last.class_of(&chain).undirected().count(), 2);
}

fn table(conditions: &[&str], per: usize) -> Dataset {
    let levels: Vec<String> = conditions.iter().map(|&name| name.into()).collect();
    let kind = if levels.len() > 2 { Kind::Categorical } else { Kind::Binary };
    let variables = vec![
        Variable { kind, levels: levels.clone(), ..Variable::continuous("condition") },
        Variable::continuous("akt"),
        Variable::continuous("pkc"),
    ];
    let n = per * levels.len();
    let values = Mat::from_fn(n, 3, |i, j| match j {
        0 => (i / per) as f64,
        _ => ((i * 37 + j * 11) % 23) as f64 + ((i * j * 7) % 5) as f64,
    });
    Dataset::new(Variables::new(variables), values).unwrap()
}

fn spec(targets: &[(&str, &str)]) -> ExperimentSpec {
    let target = |&(condition, variable): &(&str, &str)| Target {
        condition: condition.into(),
        variable: variable.into(),
        kind: Intervention::Perfect,
    };
    ExperimentSpec {
        condition: Some("condition".into()),
        targets: targets.iter().map(target).collect(),
        ..ExperimentSpec::default()
    }
}

fn message(data: &Dataset, spec: &ExperimentSpec) -> String {
    let found = learn(data, &options(OrderSearch::default(), spec), &Run::default());
    found.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_used_is_said_in_one_line() {
    let data = table(&["control", "a", "b"], 10);
    let cases = [
        (
            spec(&[("a", "akd")]),
            "condition `a` acts on `akd`, but there is no such column: did you mean `akt`?",
        ),
        (
            spec(&[("contrl", "akt")]),
            "no row of column `condition` is `contrl`: did you mean `control`?",
        ),
        (spec(&[("a", "condition")]), "condition `a` cannot be its own target"),
        (spec(&[("a", "akt"), ("a", "akt")]), "`akt` is a target of condition `a` twice"),
        (
            spec(&[("control", "akt"), ("a", "akt"), ("b", "akt")]),
            "`akt` is set in every condition, so no row is left to learn what acts on it",
        ),
        (
            ExperimentSpec { condition: Some("conditions".into()), ..spec(&[]) },
            "there is no column `conditions` that could hold conditions: did you mean `condition`?",
        ),
        (
            ExperimentSpec { condition: Some("akt".into()), ..spec(&[]) },
            "column `akt` is continuous, but conditions are categories",
        ),
        (
            ExperimentSpec { condition: None, ..spec(&[("a", "akt")]) },
            "there are targets, but no column that holds the conditions",
        ),
        (
            ExperimentSpec { control: Some("none".into()), ..spec(&[]) },
            "no row is the control `none`",
        ),
    ];
    for (spec, expected) in cases {
        assert_eq!(message(&data, &spec), format!("experiments: {expected}"));
    }
    let many = table(&["a", "b", "c", "d"], 1);
    assert!(message(&many, &spec(&[])).contains("has 4 values in 4 rows"));
    let mut levels: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
    levels.push(2.0);
    let data = table(&["control", "a", "b"], 7);
    let mut values = data.values().to_owned();
    levels.iter().enumerate().for_each(|(i, &level)| values[(i, 0)] = level);
    let data = Dataset::new(data.variables().clone(), values).unwrap();
    assert!(message(&data, &spec(&[])).contains("condition `b` of column `condition` has one row"));
}

#[test]
fn knowledge_and_other_methods_are_held_against_conditions() {
    let data = table(&["control", "a", "b"], 10);
    let knowledge = KnowledgeSpec {
        required: vec![("akt".into(), "condition".into())],
        ..KnowledgeSpec::default()
    };
    let with = Options { knowledge, ..options(OrderSearch::default(), &spec(&[])) };
    let error = learn(&data, &with, &Run::default()).unwrap_err();
    assert!(matches!(error, Error::Knowledge { .. }), "{error}");
    for name in ["mmpc", "lingam", "cam"] {
        let method = Algorithm::from_name(name).unwrap();
        let error = learn(&data, &options(method, &spec(&[])), &Run::default()).unwrap_err();
        assert!(
            matches!(error, Error::TakesNoExperiments { .. } | Error::ColumnsNotTaken { .. }),
            "{error}"
        );
    }
    let moments = data.moments();
    let error = learn(&moments, &options(OrderSearch::default(), &spec(&[])), &Run::default());
    assert!(error.unwrap_err().to_string().contains("do not tell the conditions"));
}
