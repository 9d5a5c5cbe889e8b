//! Several files as one table.

use std::fs;
use std::path::{Path, PathBuf};

use nocurl::{Kind, Run};
use nocurl_io::{Missing, ReadOptions, Source, Table, read_dataset, read_moments};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

fn read(paths: &[impl AsRef<Path>], options: &ReadOptions) -> Table<nocurl::Dataset> {
    let source = Source::of_tables(paths).unwrap();
    let table = read_dataset(&source, options, &Run::default()).unwrap();
    let moments = read_moments(&source, options, &Run::default()).unwrap();
    assert_eq!(moments.data.variables(), table.data.variables());
    assert_eq!(moments.rows, table.rows);
    let (wide, narrow) = (table.data.moments(), moments.data);
    for (a, b) in wide.mean().iter().zip(narrow.mean()) {
        assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()));
    }
    table
}

fn refused(paths: &[impl AsRef<Path>], options: &ReadOptions) -> String {
    let source = Source::of_tables(paths).unwrap();
    let words = read_moments(&source, options, &Run::default()).unwrap_err().to_string();
    assert!(!words.contains('\n'), "{words}");
    words
}

#[test]
fn columns_are_matched_by_name() {
    let home = Home::new();
    let one = home.write("a.csv", "x,y\n1,2\n3,4\n");
    let two = home.write("b.csv", "y;x\n6;5\n8;7\n1;0\n");
    let table = read(&[&one, &two], &ReadOptions::default());
    assert_eq!(table.data.names(), ["x", "y"]);
    assert_eq!(table.data.column(0), [1.0, 3.0, 5.0, 7.0, 0.0]);
    assert_eq!(table.data.column(1), [2.0, 4.0, 6.0, 8.0, 1.0]);
    // The digest is that of the bytes one after the other.
    let joined = [fs::read(&one).unwrap(), fs::read(&two).unwrap()].concat();
    let whole = Source::bytes("j.csv", &joined[..12]);
    let first = read_moments(&whole, &ReadOptions::default(), &Run::default()).unwrap();
    let alone = read(&[home.0.path().join("a.*")], &ReadOptions::default());
    assert_eq!(first.origin.unwrap().digest, alone.origin.unwrap().digest);
}

#[test]
fn kinds_and_levels_are_those_of_all_files() {
    let home = Home::new();
    home.write("p/a.csv", "x,kind\n1,cat\n2,dog\n4,cat\n");
    home.write("p/b.csv", "x,kind\n3,emu\n5,dog\n1,emu\n");
    home.write("p/c.csv", "x,kind\n");
    let table = read(&[home.0.path().join("p")], &ReadOptions::default());
    let kind = &table.data.variables().list()[1];
    assert_eq!((kind.kind, kind.levels.len()), (Kind::Categorical, 3));
    assert_eq!(table.rows, 6);
    let options = ReadOptions { file_column: Some("batch".into()), ..Default::default() };
    let table = read(&[home.0.path().join("p")], &options);
    assert_eq!(table.data.names(), ["x", "kind", "batch"]);
    assert_eq!(table.data.variables().list()[2].levels, ["a", "b"]);
    assert_eq!(table.data.column(2), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
}

#[test]
fn folders_tell_columns() {
    let home = Home::new();
    for (year, place, shift) in [(2020, "Rome", 0), (2020, "Oslo", 3), (2021, "Rome", 5)] {
        let name = format!("t/year={year}/place={place}/part.csv");
        home.write(&name, &format!("x,y\n{shift},2\n{},4\n7,{}\n", 1 + shift, 3 * shift));
    }
    let folder = [home.0.path().join("t")];
    let table = read(&folder, &ReadOptions::default());
    assert_eq!(table.data.names(), ["x", "y", "year", "place"]);
    let list = table.data.variables().list();
    assert_eq!((list[2].kind, list[3].kind), (Kind::Continuous, Kind::Binary));
    assert_eq!(table.data.column(2)[..4], [2020.0; 4]);
    assert_eq!(list[3].levels[table.data.column(3)[0] as usize], "Oslo");
    let options = ReadOptions {
        columns: Some(vec!["year".into(), "x".into()]),
        categorical: vec!["year".into()],
        ..Default::default()
    };
    let table = read(&folder, &options);
    assert_eq!(table.data.names(), ["x", "year"]);
    assert_eq!(table.data.variables().list()[1].levels, ["2020", "2021"]);
    let options = ReadOptions { drop: vec!["place".into()], ..Default::default() };
    assert_eq!(read(&folder, &options).data.names(), ["x", "y", "year"]);
}

#[test]
fn what_does_not_fit_is_named_with_its_file() {
    let home = Home::new();
    let options = ReadOptions::default();
    let one = home.write("a.csv", "x,y\n1,2\n3,4\n");
    let other = home.write("b.csv", "x,z,w\n1,2,3\n3,4,5\n");
    let words = refused(&[&one, &other], &options);
    assert!(words.contains("b.csv` has other columns than"), "{words}");
    assert!(words.contains("it lacks `y` and adds `w`, `z`"), "{words}");
    let gap = home.write("c.csv", "x,y\n1,2\n3,\n");
    let words = refused(&[&one, &gap], &options);
    assert!(words.contains("c.csv`: column `y` has no value in row 2 (line 3)"), "{words}");
    let endless = home.write("d.csv", "x,y\n1,inf\n3,4\n");
    let words = refused(&[&one, &endless], &options);
    assert!(words.contains("d.csv`: column `y` is infinite in row 1 (line 2)"), "{words}");
    let mut many = String::from("x,y\n");
    (0..60).for_each(|i| many += &format!("{},{}\n", i * 7 % 13, i));
    let (many, odd) = (home.write("e.csv", &many), home.write("f.csv", "x,y\n1,abc\n3,4\n"));
    let words = refused(&[&many, &odd], &options);
    assert!(words.contains("`abc` (") && words.contains("f.csv`, line 2)"), "{words}");
    let ragged = home.write("g.csv", "x,y\n1,2\n3\n");
    let words = refused(&[&one, &ragged], &options);
    assert!(words.contains("g.csv`, line 3: 1 cells where 2 are expected"), "{words}");
    assert!(refused(&[&one, &home.0.path().join("no.csv")], &options).contains("no such file"));
    let dropped = ReadOptions { missing: Missing::Drop, ..options };
    assert_eq!(read(&[&one, &gap], &dropped).rows, 3);
}

#[test]
fn files_side_by_side_are_the_same_table_for_any_number_of_threads() {
    let home = Home::new();
    let file = |k: u64| {
        let row = |i: u64| format!("{}.5,{},{}\n", (i * 7 + k) % 11, i * k % 5, (i + k * k) % 13);
        format!("a,b,c\n{}", (0..40 + k).map(row).collect::<String>())
    };
    let mut paths: Vec<PathBuf> =
        (0..9).map(|k| home.write(&format!("{k}.csv"), &file(k))).collect();
    paths.insert(4, home.write("empty.csv", "a,b,c\n"));
    let on = |threads: usize, paths: &[PathBuf]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let source = Source::of_tables(paths).unwrap();
        pool.install(|| read_moments(&source, &ReadOptions::default(), &Run::default()))
    };
    let alone = on(1, &paths).unwrap();
    assert_eq!(alone.rows, 9 * 40 + 36);
    for threads in [2, 3, 8] {
        let found = on(threads, &paths).unwrap();
        assert_eq!(found.data, alone.data, "{threads}");
        assert_eq!(found.origin, alone.origin, "{threads}");
    }
    // Of two that are bad the first is named.
    fs::write(&paths[5], "a,c\n1,2\n").unwrap();
    fs::write(&paths[6], "a,b\n1,2\n").unwrap();
    for threads in [1, 8] {
        let told = on(threads, &paths).unwrap_err().to_string();
        assert!(told.contains("4.csv") && told.contains("it lacks `b`"), "{threads}: {told}");
    }
}
