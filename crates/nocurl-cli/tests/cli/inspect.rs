//! A look at a table before learning, and what looks wrong with one.

use serde_json::{Value, json};

use crate::{Folder, chain};

/// Numbers from 0 to 1 that look random, the same on every run.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// A table with one of everything that is seldom meant.
fn odd() -> String {
    let mut noise = noise(7);
    let mut text = String::from("id,x,twin,ozone,zone,grade,empty,note\n");
    for i in 1..=150 {
        let x = noise();
        let ozone = if i % 17 == 0 { -999.0 } else { 40.0 + 20.0 * noise() };
        let zone = ["north", "south", "west"][(3.0 * noise()) as usize];
        let grade = 1 + (4.0 * noise()) as usize;
        text += &format!("{i},{x:.6},{x:.6},{ozone:.2},{zone},{grade},,note {i}\n");
    }
    text
}

fn looked(folder: &Folder, table: &str) -> Value {
    serde_json::from_str(&folder.run(&["inspect", table, "--json"])).unwrap()
}

fn names(found: &Value) -> Vec<&str> {
    found["suspicions"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect()
}

#[test]
fn the_command_it_names_works() {
    let folder = Folder::new();
    folder.write("odd.csv", odd());
    let found = looked(&folder, "odd.csv");
    assert_eq!((&found["rows"], &found["complete_rows"]), (&json!(150), &json!(150)));
    assert_eq!(names(&found), ["row-numbers", "sentinels", "duplicate-columns", "few-values"]);
    let left: Vec<&str> =
        found["left_out"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(left, ["empty", "note"]);
    let zone = &found["columns"][4];
    assert_eq!((&zone["name"], &zone["kind"]), (&json!("zone"), &json!("categorical")));
    assert_eq!(zone["levels"].as_array().unwrap().len(), 3);
    let command = found["next"]["command"].as_str().unwrap();
    assert_eq!(command, "nocurl learn odd.csv --drop id,twin --na='-999' --missing drop");
    let shown = folder.run(&["inspect", "odd.csv"]);
    assert!(shown.contains(command) && shown.contains("What looks suspicious"), "{shown}");
    assert!(shown.contains("empty (no values), note (identifier)"), "{shown}");
    let arguments: Vec<String> =
        command.split(' ').skip(1).map(|word| word.replace('\'', "")).collect();
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.push("--no-confidence");
    let learnt = folder.run(&arguments);
    assert!(!learnt.contains("row-numbers") && !learnt.contains("sentinels"), "{learnt}");
    assert_eq!(folder.files(), ["odd.csv"]);
}

#[test]
fn figures_are_those_of_the_table() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b,c\n1,2.5,7\n,3.5,7\n4,NA,7\n4,-1.5,7\n");
    let found = looked(&folder, "t.csv");
    let a = &found["columns"][0];
    assert_eq!((&a["missing"], &a["distinct"]), (&json!(1), &json!(2)));
    assert_eq!((&a["least"], &a["greatest"], &a["mean"]), (&json!(1.0), &json!(4.0), &json!(3.0)));
    let b = &found["columns"][1];
    assert_eq!((&b["least"], &b["mean"]), (&json!(-1.5), &json!(1.5)));
    assert_eq!(found["complete_rows"], 2);
    assert_eq!(found["left_out"], json!([{ "name": "c", "why": "one value" }]));
    // Half of the rows are complete: the others are better estimated.
    assert_eq!(found["next"]["command"], "nocurl learn t.csv --missing em");
    let mut piped = folder.nocurl(&["inspect", "-", "--json"]);
    let piped = piped.write_stdin(folder.text("t.csv")).assert().success();
    let piped: Value = serde_json::from_slice(&piped.get_output().stdout).unwrap();
    assert_eq!(piped["columns"], found["columns"]);
}

#[test]
fn what_is_undecided_is_listed_and_not_an_error() {
    let folder = Folder::new();
    let mut text = String::from("a,b,c\n");
    (0..60).for_each(|i| text += &format!("{i}.5,{},{}\n", i * i % 13, i * 7 % 31));
    folder.write("t.csv", text.replacen("9.5,", "oops,", 1));
    let found = looked(&folder, "t.csv");
    assert_eq!(found["left_out"], json!([{ "name": "a", "why": "to be decided" }]));
    assert!(found["notes"][0].as_str().unwrap().contains("`oops` (line 11)"), "{found}");
    assert!(folder.refused(&["learn", "t.csv"]).contains("`oops`"));
    assert_eq!(found["next"]["command"], "nocurl learn t.csv --drop a");
    folder.run(&["learn", "t.csv", "--drop", "a", "--no-confidence"]);
}

#[test]
fn infinite_values_and_hollow_columns_are_no_end_of_a_look() {
    let folder = Folder::new();
    let mut noise = noise(5);
    let (mut infinite, mut hollow) = (String::from("a,b,c\n"), String::from("a,b,c\n"));
    for i in 0..60 {
        let (a, c) = (noise(), noise());
        let b = if i % 9 == 4 { "Inf".into() } else { format!("{:.4}", a + noise()) };
        infinite += &format!("{a:.4},{b},{c:.4}\n");
        let c = if i % 4 == 1 { format!("{c:.4}") } else { String::new() };
        hollow += &format!("{a:.4},{:.4},{c}\n", noise());
    }
    folder.write("infinite.csv", infinite);
    folder.write("hollow.csv", hollow);
    let found = looked(&folder, "infinite.csv");
    let b = &found["columns"][1];
    assert_eq!((&b["missing"], &found["complete_rows"]), (&json!(7), &json!(53)));
    assert!(b["greatest"].as_f64().unwrap() < 3.0, "{b}");
    assert!(found["notes"][0].as_str().unwrap().contains("7 values are infinite"), "{found}");
    for (table, next) in [("infinite.csv", "--na inf --missing drop"), ("hollow.csv", "--drop c")] {
        let found = looked(&folder, table);
        let command = found["next"]["command"].as_str().unwrap();
        assert!(command.starts_with(&format!("nocurl learn {table} {next}")), "{command}");
        let mut words: Vec<&str> = command.split(' ').skip(1).collect();
        words.push("--no-confidence");
        folder.run(&words);
    }
}

#[test]
fn sorted_rows_are_no_series() {
    let folder = Folder::new();
    let mut noise = noise(9);
    let mut text = String::from("sex,weight,heart,girth\n");
    for sex in ["F", "M"] {
        let mut weights: Vec<f64> = (0..60).map(|_| 2.0 + 2.0 * noise()).collect();
        weights.sort_by(f64::total_cmp);
        for weight in weights {
            let (heart, girth) = (4.0 * weight + noise(), 3.0 * weight + noise());
            text += &format!("{sex},{weight:.3},{heart:.3},{girth:.3}\n");
        }
    }
    folder.write("t.csv", text);
    assert!(names(&looked(&folder, "t.csv")).is_empty());
}

#[test]
fn nothing_is_advised_that_leaves_one_column() {
    let folder = Folder::new();
    let mut noise = noise(2);
    let mut text = String::from("year,flow,switch\n");
    (1900..1960).for_each(|year| text += &format!("{year},{:.3},7\n", noise()));
    folder.write("t.csv", text);
    let found = looked(&folder, "t.csv");
    assert_eq!(names(&found), ["row-numbers"]);
    assert_eq!(found["next"]["command"], "nocurl learn t.csv");
}

#[test]
fn a_clean_table_has_nothing_suspicious() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    assert!(names(&looked(&folder, "rain.csv")).is_empty());
    let shown = folder.run(&["inspect", "rain.csv"]);
    assert!(shown.contains("nothing") && shown.contains("nocurl learn rain.csv\n"), "{shown}");
}

#[test]
fn series_are_told_from_sorted_groups() {
    let folder = Folder::new();
    let mut noise = noise(3);
    let (mut walk, mut groups) = (String::from("a,b,c\n"), String::from("a,b,c\n"));
    let mut at = [0.0; 3];
    for i in 0..120 {
        at.iter_mut().for_each(|place| *place += noise() - 0.5);
        walk += &format!("{:.4},{:.4},{:.4}\n", at[0], at[1], at[2]);
        let group = f64::from(i / 40) * 5.0;
        groups +=
            &format!("{:.4},{:.4},{:.4}\n", group + noise(), group + noise(), group + noise());
    }
    folder.write("walk.csv", walk);
    folder.write("groups.csv", groups);
    assert_eq!(names(&looked(&folder, "walk.csv")), ["series"]);
    assert!(names(&looked(&folder, "groups.csv")).is_empty());
    let shown = folder.run(&["learn", "walk.csv", "--no-confidence"]);
    assert!(shown.contains("note     series: The rows look like a series"), "{shown}");
}

#[test]
fn copies_of_rows_are_noticed() {
    let folder = Folder::new();
    let text = chain();
    let copies: Vec<&str> = text.lines().skip(1).take(20).collect();
    folder.write("t.csv", format!("{text}{}\n", copies.join("\n")));
    let found = looked(&folder, "t.csv");
    assert_eq!(names(&found), ["duplicate-rows"]);
    assert!(found["suspicions"][0]["sentence"].as_str().unwrap().contains("20 of 220 rows"));
}

#[test]
fn bad_tables_are_refused_in_one_line() {
    let folder = Folder::new();
    folder.write("empty.csv", "");
    folder.write("one.csv", "a\n1\n2\n");
    for (table, part) in [("empty.csv", "is empty"), ("one.csv", "1 column"), ("no.csv", "no.csv")]
    {
        let line = folder.refused(&["inspect", table]);
        assert!(line.contains(part), "{table}: {line}");
    }
}
