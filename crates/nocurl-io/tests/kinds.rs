//! Kinds of columns, and text as people have it.

use nocurl::{Kind, Run};
use nocurl_io::{
    LeftOut, Missing, Ordinal, ReadOptions, Source, Table, read_dataset, read_moments, read_sampled,
};

fn read(text: &str, options: &ReadOptions) -> Table<nocurl::Dataset> {
    let source = Source::bytes("t.csv", text);
    let table = read_dataset(&source, options, &Run::default()).unwrap();
    let moments = read_moments(&source, options, &Run::default()).unwrap();
    assert_eq!(moments.data.variables(), table.data.variables());
    let (wide, narrow) = (table.data.moments(), moments.data);
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * (1.0 + a.abs());
    assert!(wide.mean().iter().zip(narrow.mean()).all(close), "{wide:?} {narrow:?}");
    let (a, b) = (wide.second_moments(true), narrow.second_moments(true));
    for i in 0..wide.width() {
        for j in 0..wide.width() {
            assert!(close((&a[(i, j)], &b[(i, j)])), "{i} {j}");
        }
    }
    table
}

fn plain(text: &str) -> Table<nocurl::Dataset> {
    read(text, &ReadOptions::default())
}

fn refused(text: &str, options: &ReadOptions) -> String {
    let source = Source::bytes("t.csv", text);
    let words = read_moments(&source, options, &Run::default()).unwrap_err().to_string();
    assert!(!words.contains('\n'), "{words}");
    words
}

/// Rows of a number, two truth values, a category, a name and a date.
fn mixed() -> String {
    let mut text = String::from("x,well,sex,kind,name,day\n");
    for i in 0..40 {
        let kind = ["cat", "dog", "emu"][[0, 1, 0, 2][i % 4]];
        let (well, sex) = (i % 3 == 0, if i % 2 == 0 { "F" } else { "M" });
        text += &format!("{}.5,{well},{sex},{kind},n{i},2026-01-{:02}\n", i * 7 % 11, i % 28 + 1);
    }
    text
}

#[test]
fn columns_are_chosen_by_kind() {
    let chosen = |columns: Option<&[&str]>, drop: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let options =
            ReadOptions { columns: columns.map(list), drop: list(drop), ..ReadOptions::default() };
        read(&mixed(), &options).data.names().to_vec()
    };
    assert_eq!(chosen(Some(&["kind:binary", "x"]), &[]), ["well", "sex", "x"]);
    assert_eq!(chosen(None, &["kind:binary"]), ["x", "kind"]);
    assert_eq!(chosen(Some(&["kind:categorical", "kind:continuous"]), &[]), ["kind", "x"]);
    let none = ReadOptions { drop: vec!["kind:nominal".into()], ..ReadOptions::default() };
    assert!(refused(&mixed(), &none).contains("no column `kind:nominal`"));
}

#[test]
fn kinds_come_from_cells() {
    let table = plain(&mixed());
    let list = table.data.variables().list();
    let kinds: Vec<_> = list.iter().map(|v| (v.name.as_str(), v.kind)).collect();
    let expected = [
        ("x", Kind::Continuous),
        ("well", Kind::Binary),
        ("sex", Kind::Binary),
        ("kind", Kind::Categorical),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(list[1].levels, ["false", "true"]);
    assert_eq!(list[3].levels, ["cat", "dog", "emu"]);
    assert_eq!(table.data.column(3)[..4], [0.0, 1.0, 0.0, 2.0]);
    let left = [("name".into(), LeftOut::Identifier), ("day".into(), LeftOut::Date)];
    assert_eq!(table.left_out, left);
    assert!(table.warnings[0].to_string().contains("`name` (identifier), `day` (date)"));
}

#[test]
fn tables_of_categories_alone_keep_their_codes() {
    let options = ReadOptions {
        columns: Some(vec!["sex".into(), "kind".into(), "well".into()]),
        ..Default::default()
    };
    let source = Source::bytes("t.csv", mixed());
    let (table, kept) = read_sampled(&source, &options, &Run::default()).unwrap();
    assert!(table.data.variables().is_categorical());
    let codes = kept.codes.unwrap();
    assert_eq!((codes.rows(), codes.size()), (40, 3));
    for (i, &code) in codes.column(1).iter().enumerate() {
        assert_eq!(f64::from(code), kept.rows.column(1)[i]);
    }
}

#[test]
fn users_say_what_columns_are() {
    let text =
        "cyl,size,zip,y\n4,small,01,1\n6,large,02,2\n4,medium,01,4\n8,small,03,3\n6,large,02,9\n";
    let ordinal = |column: &str, levels: &[&str]| Ordinal {
        column: column.into(),
        levels: levels.iter().map(|&level| level.into()).collect(),
    };
    let options = ReadOptions {
        categorical: vec!["zi*".into()],
        ordinal: vec![ordinal("cyl", &[]), ordinal("size", &["small", "medium", "large"])],
        ..Default::default()
    };
    let table = read(text, &options);
    let list = table.data.variables().list();
    assert_eq!(
        (list[0].kind, &list[0].levels[..]),
        (Kind::Ordinal, &["4", "6", "8"].map(String::from)[..])
    );
    assert_eq!(list[1].levels, ["small", "medium", "large"]);
    assert_eq!((list[2].kind, list[2].levels[0].as_str()), (Kind::Categorical, "01"));
    assert_eq!(table.data.column(1), [0.0, 2.0, 1.0, 0.0, 2.0]);

    let two = ReadOptions { continuous: vec!["cyl".into()], ..options.clone() };
    assert_eq!(
        refused(text, &two),
        "column `cyl` is said to be continuous and ordinal; choose one"
    );
    let none = ReadOptions { categorical: vec!["zap*".into()], ..Default::default() };
    assert_eq!(refused(text, &none), "there is no column `zap*`; did you mean `zip`?");
    let unordered = ReadOptions { ordinal: vec![ordinal("size", &[])], ..Default::default() };
    assert!(refused(text, &unordered).contains("give the order of its levels"));
    let short = ReadOptions { ordinal: vec![ordinal("size", &["small"])], ..Default::default() };
    assert!(refused(text, &short).contains("which the order of its levels lacks"));
}

#[test]
fn columns_that_need_a_decision_are_in_one_message() {
    let mut text = String::from("a,b,c\n");
    for i in 0..60 {
        let (a, b) = (
            if i == 7 { "oops".into() } else { format!("{i}.25") },
            if i % 20 == 3 { "low" } else { "9" },
        );
        text += &format!(
            "{a},{},{}\n",
            if b == "low" { b.into() } else { format!("{}", i * 3) },
            i * i
        );
    }
    let words = refused(&text, &ReadOptions::default());
    assert!(
        words.starts_with(
            "2 columns need a decision: 1 of 60 cells of `a` is no number: `oops` (line 9)"
        ),
        "{words}"
    );
    assert!(words.contains("3 of 60 cells of `b` are no numbers: `low` (line 5)"), "{words}");
    // So that the next run is the last: gaps in other columns, and those that `na` would make.
    let last = |i: usize| if i == 0 { "d".into() } else { (i * 7 % 31).to_string() };
    let lines = text.lines().enumerate().map(|(i, line)| format!("{line},{}\n", last(i)));
    let gap = lines.collect::<String>().replacen("\n3.25,low,9,", "\n3.25,low,,", 1);
    let words = refused(&gap, &ReadOptions::default());
    assert!(words.contains("use `na = [oops]` and `missing = drop` if they are"), "{words}");
    assert!(words.contains("; besides, column `c` has no value in row 4 (line 5)"), "{words}");
    let drop = ReadOptions { missing: Missing::Drop, ..Default::default() };
    let words = refused(&gap, &drop);
    assert!(!words.contains("besides") && words.contains("use `na = [oops]` if they"), "{words}");
    let na = ReadOptions {
        na: vec!["oops".into(), "low".into()],
        missing: Missing::Drop,
        ..Default::default()
    };
    let table = read(&text, &na);
    assert_eq!((table.rows, table.rows_dropped), (56, 4));
    assert!(table.data.variables().is_continuous());
}

#[test]
fn numbers_may_stand_for_missing_values() {
    let text = "a,b\n1,2\n-999,3\n2,5\n4,-999\n5,6\n";
    let options =
        ReadOptions { na: vec!["-999".into()], missing: Missing::Drop, ..Default::default() };
    assert_eq!(read(text, &options).rows, 3);
    let refused = refused(text, &ReadOptions { missing: Missing::Error, ..options });
    assert!(refused.contains("(also `b` 1); `missing = drop` keeps 3 of 5 rows"), "{refused}");
}

#[test]
fn text_as_people_have_it() {
    let numbers = [[1.0, 10.0], [2.0, 30.0], [3.0, 20.0]];
    for (text, names) in [
        ("\"\",\"a\",\"b\"\n\"x\",1,10\n\"y\",2,30\n\"z\",3,20\n", ["a", "b"]),
        ("a b\nx 1 10\ny 2 30\nz 3 20\n", ["a", "b"]),
        ("Unnamed: 0,a,b\n0,1,10\n1,2,30\n2,3,20\n", ["a", "b"]),
        ("# one\n# two\na,b\n1,10\n2,30\n3,20\n", ["a", "b"]),
        ("A title\n\na,b\n1,10\n2,30\n3,20\n", ["a", "b"]),
        ("sep=;\na;b\n1;10\n2;30\n3;20\n", ["a", "b"]),
        ("a;b\n1,0;10\n2,0;30\n3,0;20\n", ["a", "b"]),
        ("a,b\n\"$1\",€10\n\"$2\",€30\n\"$3\",€20\n", ["a", "b"]),
        ("a,b,\n1,10,\n2,30,\n3,20,\n", ["a", "b"]),
        ("a,b,none\n1,10,NA\n2,30,\n3,20,.\n", ["a", "b"]),
        ("1960,1970\n1,10\n2,30\n3,20\n", ["1960", "1970"]),
    ] {
        let table = plain(text);
        assert_eq!(table.data.names(), names, "{text}");
        for (i, row) in numbers.iter().enumerate() {
            assert_eq!([table.data.column(0)[i], table.data.column(1)[i]], *row, "{text}");
        }
    }
    let options = ReadOptions { comment: Some(b'%'), skip_rows: 2, ..Default::default() };
    let table = read("junk,\nmore;junk\na,b\n1,10\n% no\n2,30\n3,20\n", &options);
    assert_eq!(table.data.column(1), [10.0, 30.0, 20.0]);
}

#[test]
fn text_after_many_numbers_is_found() {
    let mut text = String::from("a,b,c\n");
    for i in 0..3000 {
        let c = if i < 2000 { "4".into() } else { ["4", "x", "y"][i % 3].to_string() };
        text += &format!("{},{},{c}\n", i % 17, i % 23);
    }
    let table = plain(&text);
    assert_eq!(table.data.variables().list()[2].levels, ["4", "x", "y"]);
}

#[test]
fn too_many_levels() {
    let rows = |levels: usize| -> String {
        let cells = (0..1000).map(|i| format!("{},{},t{}\n", i % 7, i % 11, i % levels));
        format!("a,b,c\n{}", cells.collect::<String>())
    };
    assert_eq!(plain(&rows(200)).data.names(), ["a", "b", "c"]);
    let table = plain(&rows(300));
    assert_eq!(table.left_out, [("c".into(), LeftOut::TooMany("text".into()))]);
    let told = ReadOptions { categorical: vec!["c".into()], ..Default::default() };
    assert!(refused(&rows(300), &told).contains("`c` has more than 256 levels"));
    let table = plain("a,b,c\n1,2,Yes\n2,5,yes\n3,4,no\n4,4,no\n5,1,Yes\n6,1,yes\n");
    assert!(
        table.warnings.iter().any(|w| w.to_string().contains("differ in case")),
        "{:?}",
        table.warnings
    );
}

#[test]
fn levels_of_incomplete_rows_do_not_count() {
    let text = "a,b,c\n1,2,x\n2,,z\n3,5,y\n4,1,x\n6,2,y\n2,8,x\n,3,z\n";
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    let table = read(text, &options);
    assert_eq!(table.data.variables().list()[2].levels, ["x", "y"]);
    let em = ReadOptions { missing: Missing::Em, ..options };
    let table = read_moments(&Source::bytes("t.csv", text), &em, &Run::default()).unwrap();
    assert_eq!(table.data.variables().list()[2].levels, ["x", "y", "z"]);
    assert_eq!(table.rows, 7);
}

#[test]
fn none_is_a_level_among_words_and_missing_elsewhere() {
    let mut text = String::from("x,bags,well,size\n");
    for i in 0..30 {
        let bags = ["None", "Driver", "Both"][i % 3];
        let (well, size) = (["True", "False", "None"][i % 3], ["1", "2", "none"][i % 3]);
        text += &format!("{}.5,{bags},{well},{size}\n", i * 7 % 11);
    }
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    let table = read(&text, &options);
    let list = table.data.variables().list();
    // The rows in which the others have gaps are the only ones with `Both`.
    assert!(["Driver", "None"].iter().all(|level| list[1].levels.contains(&level.to_string())));
    assert_eq!(table.rows, 20);
    let words = table.warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(
        words.iter().any(|words| words.contains("`None` is read as a level of `bags`")),
        "{words:?}"
    );
    let told = ReadOptions {
        na: vec!["none".into()],
        columns: Some(vec!["x".into(), "bags".into()]),
        ..options.clone()
    };
    assert_eq!(read(&text, &told).rows, 20);
    let kept = ReadOptions { columns: Some(vec!["x".into(), "bags".into()]), ..options };
    let table = read(&text, &kept);
    assert_eq!(table.rows, 30);
    assert_eq!(table.data.variables().list()[1].levels.len(), 3);
}

#[test]
fn integers_that_are_rounded_are_named() {
    let text = "id,x,y\n9007199254740993,1,2\n9007199254740994,2,2\n12,3,7\n";
    let table = plain(text);
    let words = table.warnings[0].to_string();
    assert!(words.contains("whole numbers of `id` are beyond 2^53"), "{words}");
    // What a floating-point number can tell is not.
    assert!(plain("id,x\n9007199254740994,1\n2e20,2\n").warnings.is_empty());
}

#[test]
fn numbers_beside_an_empty_corner_are_names() {
    let table = plain(",0,1,2\na,1,2,3\nb,3,5,2\nc,2,2,2\n");
    assert_eq!(table.data.names(), ["0", "1", "2"]);
    assert_eq!(table.left_out, [("rownames".to_string(), LeftOut::RowNames)]);
    // A gap in the first row of numbers is none.
    let options = ReadOptions { missing: Missing::Drop, ..Default::default() };
    assert_eq!(read(",0,1\n,3,5\n2,2,2\n3,4,4\n7,1,0\n", &options).rows, 3);
}

#[test]
fn columns_of_which_most_is_missing_are_named() {
    let mut text = String::from("a,b,c\n");
    (0..20).for_each(|i| {
        let c = if i % 5 == 0 { i.to_string() } else { String::new() };
        text += &format!("{i},{},{c}\n", i * 7 % 20);
    });
    let words = refused(&text, &ReadOptions::default());
    assert!(words.ends_with("; before that, as most of it is missing, leave out `c`"), "{words}");
}

#[test]
fn a_line_of_sizes_is_passed_over() {
    let table = plain("3,4,good,bad\n1,10,5,7,0,1\n2,30,6,1,1,0\n3,20,9,2,0,0\n");
    assert_eq!((table.rows, table.data.names().len()), (3, 6));
    let said = table.warnings[0].to_string();
    assert_eq!(said, "passed over a line above the names: `3, 4, good, bad`");
    // Words alone may be names that a row has too many cells for.
    let words = refused("a,b\n1,2,3,4\n5,6,7,8\n9,1,2,3\n", &ReadOptions::default());
    assert!(words.contains("4 cells where 2 are expected"), "{words}");
}

#[test]
fn an_empty_column_at_the_end_is_named_once() {
    let said = plain("a,b,\n1,10,\n2,30,\n3,20,\n").warnings;
    assert_eq!(said.len(), 1, "{said:?}");
    let said = plain("a,b,\n1,10,3\n2,30,1\n3,20,4\n").warnings;
    assert!(said[0].to_string().contains("column 3 has no name"), "{said:?}");
}

#[test]
fn gaps_are_estimated_beside_columns_that_do_not_vary() {
    let mut text = String::from("a,k,b,c\n");
    for i in 0..40 {
        let gap = if i % 6 == 1 { String::new() } else { format!("{}", i * 7 % 13) };
        text += &format!("{},5,{gap},{}\n", i * i % 17, i * 11 % 23);
    }
    let options = ReadOptions { missing: Missing::Em, ..Default::default() };
    let of = |text: &str| read_moments(&Source::bytes("t.csv", text), &options, &Run::default());
    let table = of(&text).unwrap();
    assert_eq!(table.left_out, [("k".to_string(), LeftOut::Constant)]);
    let without: String = text.replace(",k,", ",").replace(",5,", ",");
    let plain = of(&without).unwrap();
    assert_eq!(table.data.names(), plain.data.names());
    assert_eq!(table.data.mean(), plain.data.mean());
    // It varies where something else is missing.
    let varies = of(&text.replacen(",5,,", ",6,,", 1)).unwrap();
    assert_eq!(varies.data.names(), ["a", "k", "b", "c"]);
}

#[test]
fn nothing_is_offered_that_would_be_refused() {
    let of = |rows: usize| {
        let mut text = String::from("a,b,word\n");
        (0..rows).for_each(|i| text += &format!("{},{},w{i}\n", i * 7 % 31, i * i % 37));
        text
    };
    let said = |rows: usize| plain(&of(rows)).warnings[0].to_string();
    assert!(said(200).contains("to keep as a category"), "{}", said(200));
    assert_eq!(said(600), "left out `word` (text)");
    let asked = ReadOptions { categorical: vec!["word".into()], ..Default::default() };
    assert!(refused(&of(600), &asked).contains("more than 256 levels"));
}

#[test]
fn of_many_columns_that_need_a_decision_the_first_are_named() {
    let text = include_str!("../../../testdata/fuzz/csv/many-undecided");
    let words = refused(text, &ReadOptions::default());
    assert!(words.starts_with("40 columns need a decision: "), "{words}");
    assert!(words.contains("`v2`") && !words.contains("`v3`"), "{words}");
    assert!(words.ends_with("; and 37 others") && words.len() < 1000, "{words}");
}
