//! Columns on other scales: logarithms, normal scores, standard deviations.

use serde_json::{Value, json};

use crate::{Folder, chain};

/// The chain with every column an exponential: its logarithms are the chain.
fn skewed() -> String {
    let text = chain();
    let mut lines = text.lines();
    let mut skewed = format!("{}\n", lines.next().unwrap());
    for line in lines {
        let cells: Vec<String> =
            line.split(',').map(|cell| cell.parse::<f64>().unwrap().exp().to_string()).collect();
        skewed += &format!("{}\n", cells.join(","));
    }
    skewed
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("plain.csv", chain());
    folder.write("skewed.csv", skewed());
    folder
}

fn weights(document: &Value) -> Vec<(String, f64)> {
    let edges = document["edges"].as_array().unwrap().iter();
    edges.map(|e| (format!("{}{}", e["from"], e["to"]), e["weight"].as_f64().unwrap())).collect()
}

#[test]
fn logarithms_are_exact_and_kept() {
    let folder = folder();
    let shown = folder.run(&[
        "learn",
        "skewed.csv",
        "--transform",
        "log:*",
        "--no-confidence",
        "--output",
        "log.json",
    ]);
    assert!(shown.contains("Scale    logarithm of slip, rain, wet"), "{shown}");
    folder.run(&["learn", "plain.csv", "--no-confidence", "--quiet", "--output", "plain.json"]);
    let (log, plain) = (folder.json("log.json"), folder.json("plain.json"));
    for ((edge, weight), (other, expected)) in weights(&log).iter().zip(weights(&plain)) {
        assert_eq!(*edge, other);
        assert!((weight - expected).abs() < 1e-9, "{edge}: {weight} {expected}");
    }
    assert_eq!(log["parameters"]["transform"], json!(["log:*"]));
    for kind in log["kinds"].as_array().unwrap() {
        assert_eq!(kind["transforms"], json!([{ "name": "log" }]));
    }
    assert!(plain["kinds"][0].get("transforms").is_none());
}

#[test]
fn models_take_new_data_in_the_units_of_the_table() {
    let folder = folder();
    for (table, file, how) in
        [("skewed.csv", "log.json", "log:*"), ("plain.csv", "no.json", "none")]
    {
        folder.run(&["learn", table, "--transform", how, "--no-confidence", "-q", "-o", file]);
    }
    let parsed = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    let log = parsed(folder.run(&["score", "log.json", "skewed.csv", "--json"]));
    let plain = parsed(folder.run(&["score", "no.json", "plain.csv", "--json"]));
    let (a, b) = (log["score"].as_f64().unwrap(), plain["score"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-9, "{a} {b}");
    assert!(log["warnings"][0].as_str().unwrap().contains("log(rain)"), "{log}");
    // A prediction is the exponential of that of the logarithm.
    for (graph, table, out) in
        [("log.json", "skewed.csv", "p.csv"), ("no.json", "plain.csv", "q.csv")]
    {
        folder.run(&["predict", graph, table, "--variable", "slip", "--output", out]);
    }
    let values = |name: &str| -> Vec<f64> {
        folder.text(name).lines().skip(1).map(|line| line.parse().unwrap()).collect()
    };
    for (moved, plain) in values("p.csv").into_iter().zip(values("q.csv")) {
        assert!((moved.ln() - plain).abs() < 1e-9, "{moved} {plain}");
    }
    // Set in the units of the table, and told in them.
    let one =
        parsed(folder.run(&["intervene", "log.json", "--do", "rain=2.718281828459045", "--json"]));
    let other = parsed(folder.run(&["intervene", "no.json", "--do", "rain=1", "--json"]));
    for (moved, plain) in
        one["variables"].as_array().unwrap().iter().zip(other["variables"].as_array().unwrap())
    {
        let (moved, plain) = (moved["after"].as_f64().unwrap(), plain["after"].as_f64().unwrap());
        assert!((moved.ln() - plain).abs() < 1e-9, "{moved} {plain}");
    }
    let effect = folder.run(&["effects", "log.json", "--from", "rain", "--to", "slip"]);
    assert!(effect.contains("one unit more of `log(rain)` changes `log(slip)`"), "{effect}");
    folder.run(&["sample", "log.json", "--rows", "50", "--output", "new.csv"]);
    assert!(folder.text("new.csv").lines().skip(1).all(|line| !line.contains('-')));
    for arguments in
        [vec!["score", "log.json", "plain.csv"], vec!["intervene", "log.json", "--do", "rain=-1"]]
    {
        let line = folder.refused(&arguments);
        assert!(line.contains("was learnt as log("), "{line}");
    }
}

#[test]
fn ranks_do_not_see_a_rising_function() {
    let folder = folder();
    for table in ["plain", "skewed"] {
        folder.run(&[
            "learn",
            &format!("{table}.csv"),
            "--transform",
            "rank:*",
            "--no-confidence",
            "-q",
            "-o",
            &format!("{table}.json"),
        ]);
    }
    let (one, other) = (folder.json("plain.json"), folder.json("skewed.json"));
    assert_eq!(weights(&one), weights(&other));
    assert_eq!(one["kinds"][0]["transforms"][0]["name"], "rank");
    // The table of scores is kept, so that new rows can be scored.
    assert!(folder.run(&["score", "skewed.json", "skewed.csv"]).contains("200 rows"));
    let text = folder.text("plain.csv");
    let piped = folder
        .nocurl(&["learn", "-", "--transform", "rank:*", "--no-confidence", "-q", "-o", "p.json"])
        .write_stdin(text)
        .assert()
        .success();
    drop(piped);
    assert_eq!(weights(&folder.json("p.json")), weights(&one));
}

#[test]
fn automatic_ranks_are_for_heavy_tails() {
    let folder = folder();
    let heavy: String = skewed()
        .lines()
        .enumerate()
        .map(|(i, line)| match (i, line.split_once(',')) {
            (0, _) | (_, None) => format!("{line}\n"),
            (_, Some((first, rest))) => {
                format!("{},{rest}\n", first.parse::<f64>().unwrap().powi(4))
            }
        })
        .collect();
    folder.write("heavy.csv", heavy);
    let shown = folder.run(&["learn", "heavy.csv", "--transform", "auto", "--no-confidence"]);
    assert!(shown.contains("Scale    normal scores of slip\n"), "{shown}");
    let shown = folder.run(&["learn", "plain.csv", "--transform", "auto", "--no-confidence"]);
    assert!(shown.contains("no tails are heavy"), "{shown}");
    // A check that finds a few extreme rows names the flag.
    let shown = folder.run(&["learn", "heavy.csv", "--no-confidence"]);
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("--transform log:slip"), "{shown}");
}

#[test]
fn standardised_columns_have_variance_one() {
    let folder = folder();
    folder.run(&["learn", "plain.csv", "--standardize", "--no-confidence", "-q", "-o", "s.json"]);
    folder.run(&["learn", "plain.csv", "--no-confidence", "-q", "-o", "g.json"]);
    let (scaled, plain) = (folder.json("s.json"), folder.json("g.json"));
    assert_eq!(scaled["means"], json!([0.0, 0.0, 0.0]));
    let edges = scaled["edges"].as_array().unwrap();
    for (edge, raw) in edges.iter().zip(plain["edges"].as_array().unwrap()) {
        let (a, b) = (edge["weight"].as_f64(), raw["standardized_weight"].as_f64());
        assert!((a.unwrap() - b.unwrap()).abs() < 1e-9, "{edge} {raw}");
    }
    // In the units of the table nothing has changed.
    let after = |file: &str| -> Value {
        serde_json::from_str(&folder.run(&["intervene", file, "--do", "rain=0.3", "--json"]))
            .unwrap()
    };
    let (one, other) = (after("s.json"), after("g.json"));
    for i in 0..3 {
        let value = |of: &Value| of["variables"][i]["after"].as_f64().unwrap();
        assert!((value(&one) - value(&other)).abs() < 1e-9);
    }
}

#[test]
fn what_cannot_be_transformed_is_refused_with_what_to_do() {
    let folder = folder();
    let mut mixed = String::from("a,b,kind,c\n");
    for i in 0..40 {
        mixed +=
            &format!("{},{},{},{}\n", i % 7, i as i64 - 3, ["x", "y", "z"][i % 3], i * i % 11 + 1);
    }
    folder.write("mixed.csv", mixed);
    let try_it = |rules: &[&str]| {
        let mut arguments = vec!["learn", "mixed.csv", "--output", "g.json"];
        rules.iter().for_each(|rule| arguments.extend(["--transform", rule]));
        folder.refused(&arguments)
    };
    let line = try_it(&["log:*"]);
    assert!(line.contains("`a` has 6 (least 0), `b` has 4 (least -3)"), "{line}");
    assert!(line.contains("add --transform rank:a,b"), "{line}");
    assert!(try_it(&["log:kind"]).contains("`kind` is categorical"));
    assert!(try_it(&["log:d"]).contains("there is no column `d`"));
    assert!(try_it(&["square:a"]).contains("log:NAMES, rank:NAMES, auto or none"));
    assert!(try_it(&["log"]).contains("name the columns, as in log:a,b"));
    assert!(try_it(&["log:"]).contains("empty"));
    assert!(!folder.files().contains(&"g.json".to_string()));
    // What the message says works.
    let shown = folder.run(&[
        "learn",
        "mixed.csv",
        "--transform",
        "log:*",
        "--transform",
        "rank:a,b",
        "--no-confidence",
    ]);
    assert!(shown.contains("logarithm of c; normal scores of a, b"), "{shown}");
}
