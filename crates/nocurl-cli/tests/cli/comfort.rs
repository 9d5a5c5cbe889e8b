//! What people expect of a command line: standard output, settings in files, completions, versions.

use serde_json::{Value, json};

use crate::{Folder, chain};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder
}

fn timeless(text: &str) -> Value {
    let mut document: Value = serde_json::from_str(text).unwrap();
    for field in ["elapsed_seconds", "command"] {
        document.as_object_mut().unwrap().remove(field).unwrap();
    }
    document
}

#[test]
fn graphs_go_to_standard_output() {
    let folder = folder();
    folder.run(&["learn", "rain.csv", "--quiet", "--output", "g.json"]);
    let printed = folder.run(&["learn", "rain.csv", "--json"]);
    assert_eq!(timeless(&printed), timeless(&folder.text("g.json")));
    assert_eq!(timeless(&folder.run(&["learn", "rain.csv", "-o", "-"])), timeless(&printed));
    let dot = folder.run(&["learn", "rain.csv", "--output", "-", "--format", "dot", "-o", "g.csv"]);
    assert!(dot.starts_with("digraph"), "{dot}");
    assert!(folder.text("g.csv").starts_with("from,to"));
    for (arguments, part) in [
        (vec!["--format", "dot"], "it is for `--output -`"),
        (vec!["-o", "-", "--format", "doc"], "--format doc: it is one of json"),
        (vec!["-o", "-", "--json"], "asked for twice"),
    ] {
        let line = folder.refused(&[&["learn", "rain.csv"], &arguments[..]].concat());
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn all_edges_are_shown_when_asked_for() {
    let folder = Folder::new();
    folder.run(&[
        "simulate",
        "--variables",
        "20",
        "--degree",
        "5",
        "--rows",
        "500",
        "--output",
        "x.npy",
    ]);
    let learn = ["learn", "x.npy", "--no-confidence", "--no-diagnosis"];
    let short = folder.run(&learn);
    assert!(short.contains("more (use --all"), "{short}");
    let long = folder.run(&[&learn[..], &["--all"]].concat());
    assert!(!long.contains("more (use") && long.lines().count() > short.lines().count());
}

#[test]
fn settings_stand_in_a_file_and_what_is_typed_counts_more() {
    let folder = folder();
    folder.write(
        "run.toml",
        "method = \"nocurl\"\ncolumns = [\"rain\", \"slip\"]\nseed = 4\nno-center = true\n\
         no_confidence = true\nparam = { lambdas = \"5\" }\ntransform = [\"rank:*\", \"none:rain\"]\n",
    );
    let run = |more: &[&str]| -> Value {
        let first = ["learn", "rain.csv", "--config", "run.toml", "--json"];
        serde_json::from_str(&folder.run(&[&first[..], more].concat())).unwrap()
    };
    let found = run(&[]);
    assert_eq!((&found["method"], &found["seed"]), (&json!("nocurl"), &json!(4)));
    assert_eq!(found["variables"], json!(["rain", "slip"]));
    assert_eq!(found["parameters"]["center"], false);
    assert_eq!(found["parameters"]["lambdas"], json!([5.0]));
    assert_eq!(found["parameters"]["transform"], json!(["rank:*", "none:rain"]));
    let found = run(&["--columns", "wet,slip", "--seed=5"]);
    assert_eq!((&found["variables"], &found["seed"]), (&json!(["wet", "slip"]), &json!(5)));
    for (text, part) in [
        ("metod = \"nocurl\"", "`metod` is no flag of `nocurl learn`; did you mean `method`?"),
        ("no-center = 3", "`no-center` cannot be 3"),
        ("method = ", "--config bad.toml"),
        ("method = \"none\"", "none"),
        ("like = \"g.json\"", "no flag"),
    ] {
        folder.write("bad.toml", text);
        let line = folder.refused(&["learn", "rain.csv", "--config", "bad.toml"]);
        assert!(line.contains(part), "{text}: {line}");
    }
    assert!(folder.refused(&["learn", "rain.csv", "--config", "no.toml"]).contains("no.toml"));
}

#[test]
fn a_result_says_how_the_next_is_learnt() {
    let folder = folder();
    folder.run(&[
        "learn",
        "rain.csv",
        "--method",
        "nocurl",
        "--lambda",
        "10,1000",
        "--prune",
        "t-test",
        "--alpha",
        "0.01",
        "--columns",
        "slip,wet,rain",
        "--transform",
        "rank:rain",
        "--standardize",
        "--no-confidence",
        "--tier",
        "rain",
        "--tier",
        "slip,wet",
        "--seed",
        "9",
        "-q",
        "-o",
        "g.json",
    ]);
    let again: Value = serde_json::from_str(&folder.run(&[
        "learn",
        "rain.csv",
        "--like",
        "g.json",
        "--no-confidence",
        "--json",
    ]))
    .unwrap();
    let (first, again) = (timeless(&folder.text("g.json")), timeless(&again.to_string()));
    assert_eq!(first, again);
    let other: Value = serde_json::from_str(&folder.run(&[
        "learn",
        "rain.csv",
        "--like",
        "g.json",
        "--method",
        "order-search",
        "--no-confidence",
        "--json",
    ]))
    .unwrap();
    assert_eq!((&other["method"], &other["seed"]), (&json!("order-search"), &json!(9)));
    folder.write("list.csv", "rain,wet,1\n");
    let line = folder.refused(&["learn", "rain.csv", "--like", "list.csv"]);
    assert!(line.contains("does not say how it was learnt"), "{line}");
    let line = folder.refused(&["learn", "rain.csv", "--like", "g.json", "-o", "g.json"]);
    assert!(line.contains("is also the settings"), "{line}");
}

#[test]
fn shells_and_manuals_are_served() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.run(&["completions", shell]).contains("nocurl"), "{shell}");
    }
    folder.run(&["man", "--output", "."]);
    let pages = folder.files();
    assert!(pages.contains(&"nocurl.1".into()) && pages.contains(&"nocurl-learn.1".into()));
    assert!(folder.text("nocurl-learn.1").contains("transform"));
    assert!(folder.refused(&["man", "--output", "none"]).contains("it is no folder"));
    assert!(folder.refused(&["completions", "cmd"]).contains("cmd"));
    let version = folder.run(&["--version"]);
    for command in ["learn", "inspect", "effects", "simulate", "bench"] {
        let shown = folder.run(&[command, "--version"]);
        assert_eq!(shown.split(' ').next_back(), version.split(' ').next_back(), "{command}");
    }
}

#[test]
fn narrow_terminals_are_respected() {
    let folder = folder();
    let long = chain().replace("slip", &"a very long name ".repeat(4));
    folder.write("long.csv", long);
    for arguments in [vec!["learn", "long.csv"], vec!["inspect", "long.csv"]] {
        for columns in ["80", "100"] {
            let output = folder.nocurl(&arguments).env("COLUMNS", columns).assert().success();
            let shown = String::from_utf8(output.get_output().stdout.clone()).unwrap();
            let most: usize = columns.parse().unwrap();
            for line in shown.lines() {
                assert!(line.chars().count() <= most, "{columns}: {line}");
            }
        }
    }
}
