//! Kinds of variables: their coding, their moments in pieces, and who takes them.

use nocurl::variable::Levels;
use nocurl::{
    Algorithm, Dataset, Error, Kind, Mat, Moments, OneHot, Options, Problem, Run, Variable,
    Variables, learn,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const SPECIES: [&str; 4] = ["emu", "dog", "cat", "ant"];

/// Rows of two numbers, a colour of three levels, and a species, as words where they are words.
fn rows(seed: u64, n: usize) -> Vec<(f64, String, f64, String)> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..n)
        .map(|_| {
            let number = rng.random::<f64>();
            let colour = ["red", "green", "blue"][rng.random_range(0..3)];
            let species = SPECIES[(rng.random::<f64>() * rng.random::<f64>() * 4.0) as usize];
            (number, colour.into(), rng.random::<f64>() + number, species.into())
        })
        .collect()
}

/// What a reader does with a piece: codes in the order in which levels come.
struct Piece {
    gathered: OneHot,
    levels: [Levels; 4],
}

fn piece(rows: &[(f64, String, f64, String)]) -> Piece {
    let mut levels: [Levels; 4] = std::array::from_fn(|_| Levels::default());
    let mut code = |column: usize, name: &str| levels[column].code(name).unwrap() as f64;
    let coded: Vec<[f64; 4]> = rows
        .iter()
        .map(|(a, colour, b, species)| [*a, code(1, colour), *b, code(3, species)])
        .collect();
    let mut gathered = OneHot::new(&[false, true, false, true]);
    for block in coded.chunks(100) {
        gathered.push(Mat::from_fn(block.len(), 4, |i, j| block[i][j]).as_mut());
    }
    Piece { gathered, levels }
}

fn finish(piece: Piece) -> Moments {
    let Piece { gathered, levels } = piece;
    let of = |v: usize, name: &str, kind| {
        Variable::of_levels(name, kind, levels[v].names(), &gathered.counts(v))
    };
    let ((colour, first), (species, second)) =
        (of(1, "colour", Kind::Categorical), of(3, "species", Kind::Categorical));
    let list = vec![Variable::continuous("a"), colour, Variable::continuous("b"), species];
    gathered.finish(list.into(), &[vec![], first, vec![], second])
}

/// The same table in memory.
fn table(rows: &[(f64, String, f64, String)], variables: &Variables) -> Dataset {
    let level = |v: usize, name: &str| variables.list()[v].level(name).unwrap() as f64;
    let values = Mat::from_fn(rows.len(), 4, |i, j| match j {
        0 => rows[i].0,
        1 => level(1, &rows[i].1),
        2 => rows[i].2,
        _ => level(3, &rows[i].3),
    });
    Dataset::new(variables.clone(), values).unwrap()
}

fn assert_close(a: &Moments, b: &Moments) {
    assert_eq!((a.variables(), a.rows()), (b.variables(), b.rows()));
    let (x, y) = (a.second_moments(true), b.second_moments(true));
    for i in 0..a.width() {
        assert!((a.mean()[i] - b.mean()[i]).abs() < 1e-12);
        for j in 0..a.width() {
            assert!((x[(i, j)] - y[(i, j)]).abs() < 1e-12, "{i} {j}");
        }
    }
}

#[test]
fn pieces_that_saw_other_levels_merge() {
    // Species that is in the first piece alone, in the last alone, and nowhere else.
    let mut all = rows(1, 700);
    all[3].3 = "yak".into();
    all[650].3 = "zebu".into();
    let whole = finish(piece(&all));
    for cut in [1, 4, 333, 640] {
        let (mut first, later) = (piece(&all[..cut]), piece(&all[cut..]));
        let places: Vec<Vec<usize>> =
            (0..4).map(|v| first.levels[v].absorb(&later.levels[v])).collect();
        first.gathered.append(later.gathered, &places);
        assert_close(&finish(first), &whole);
    }
    assert_close(&table(&all, whole.variables()).moments(), &whole);
    let species = &whole.variables().list()[3];
    assert_eq!(species.levels, ["emu", "ant", "cat", "dog", "yak", "zebu"]);
    assert_eq!((whole.columns(), whole.width()), (4, 2 + 2 + 5));
}

#[test]
fn the_most_common_level_is_the_base_and_two_levels_are_binary() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_string()).collect::<Vec<_>>();
    let (variable, places) =
        Variable::of_levels("v", Kind::Categorical, &names(&["10", "9", "x", "2"]), &[3, 5, 1, 5]);
    assert_eq!(variable.levels, ["2", "9", "10", "x"]);
    assert_eq!(places, [2, 1, 3, 0]);
    let (variable, places) =
        Variable::of_levels("v", Kind::Categorical, &names(&["yes", "no", "?"]), &[3, 5, 0]);
    assert_eq!((variable.kind, places), (Kind::Binary, vec![1, 0, 0]));
    assert_eq!(variable.levels, ["no", "yes"]);
    let (variable, _) =
        Variable::of_levels("v", Kind::Ordinal, &names(&["low", "mid", "high"]), &[1, 0, 9]);
    assert_eq!((variable.width(), variable.levels.len()), (1, 3));
}

#[test]
fn moments_with_levels_are_written_and_read() {
    let moments = finish(piece(&rows(2, 300)));
    let text = serde_json::to_string(&moments).unwrap();
    assert_eq!(serde_json::from_str::<Moments>(&text).unwrap(), moments);
    let old = r#"{"names":["a","b"],"rows":3,"mean":[1.0,2.0],"scatter":[1.0,0.5,2.0]}"#;
    let read: Moments = serde_json::from_str(old).unwrap();
    assert!(read.variables().is_continuous());
    assert_eq!(serde_json::to_string(&read).unwrap(), old);
    let part = moments.select(&[3, 0]);
    assert_eq!((part.names().len(), part.width()), (2, 4));
}

#[test]
fn a_sample_has_the_moments_of_its_rows() {
    let all = rows(3, 400);
    let data = table(&all, finish(piece(&all)).variables());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let counts: Vec<u32> = (0..400).map(|_| rng.random_range(0..3)).collect();
    assert_close(&data.sample_moments(&counts), &data.sample(&counts).moments());
}

#[test]
fn levels_that_no_row_has_are_left_out() {
    let all = rows(4, 300);
    let data = table(&all, finish(piece(&all)).variables());
    // The base, and another level.
    for gone in ["emu", "dog"] {
        let counts: Vec<u32> = all.iter().map(|row| u32::from(row.3 != gone)).collect();
        let problem = Problem::new(&data.sample_moments(&counts), true).unwrap();
        assert_eq!(problem.width(), 2 + 2 + 2, "{gone}");
        assert!(problem.warnings().is_empty(), "{gone}");
        assert!(!problem.variables().list()[3].levels.contains(&gone.to_string()));
    }
    let counts: Vec<u32> = all.iter().map(|row| u32::from(row.3 == "emu")).collect();
    let error = Problem::new(&data.sample_moments(&counts), true).unwrap_err();
    assert_eq!(error, Error::ConstantColumns { names: vec!["species".into()] });
}

#[test]
fn a_table_without_levels_has_the_same_bits_in_one_hot() {
    let all = rows(5, 3000);
    let values = |range: std::ops::Range<usize>| {
        Mat::from_fn(range.len(), 2, |i, j| [all[range.start + i].0, all[range.start + i].2][j])
    };
    let names: Vec<String> = vec!["a".into(), "b".into()];
    let mut plain = Moments::new(names.clone());
    let mut gathered = OneHot::new(&[false, false]);
    for start in (0..3000).step_by(1000) {
        plain.push_block(values(start..start + 1000).as_mut());
        gathered.push(values(start..start + 1000).as_mut());
    }
    assert_eq!(gathered.finish(names.into(), &[]), plain);
}

#[test]
fn values_must_be_levels() {
    let variables = Variables::new(vec![
        Variable::continuous("a"),
        Variable::with_levels("b", Kind::Binary, vec!["no".into(), "yes".into()]),
    ]);
    for (value, row) in [(2.0, 2), (0.5, 2), (-1.0, 2)] {
        let values = Mat::from_fn(3, 2, |i, j| if (i, j) == (1, 1) { value } else { 0.0 });
        let error = Dataset::new(variables.clone(), values).unwrap_err();
        assert_eq!(error, Error::NotALevel { column: "b".into(), row, value });
    }
}

#[test]
fn too_many_levels_are_noticed_and_bounded() {
    let mut levels = Levels::default();
    for i in 0..10_000 {
        levels.code(&format!("key {i}"));
    }
    assert!(levels.overflows());
    assert_eq!(levels.names().len(), nocurl::variable::MOST_LEVELS);
    assert!(Error::TooManyLevels { column: "id".into() }.to_string().contains("`id`"));
}

#[test]
fn methods_for_numbers_refuse_categories_and_take_binary_columns() {
    let all = rows(6, 200);
    let data = table(&all, finish(piece(&all)).variables());
    for method in Algorithm::all() {
        let takes = method.facts().columns.contains(&Kind::Categorical);
        let options = Options { algorithm: method.clone(), ..Options::default() };
        match learn(&data, &options, &Run::default()) {
            Ok(fit) => assert!(takes && fit.dag.size() == 4, "{}", method.name()),
            Err(error) => {
                assert!(!takes, "{}: {error}", method.name());
                let text = error.to_string();
                assert!(text.contains("`colour`, `species`"), "{text}");
                assert!(text.contains("order-search"), "{text}");
            }
        }
    }
}
