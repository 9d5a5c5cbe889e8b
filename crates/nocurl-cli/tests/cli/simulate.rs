use serde_json::{Value, json};

use crate::Folder;

#[test]
fn the_truth_is_written_beside_the_data() {
    let folder = Folder::new();
    let shown = folder.run(&[
        "simulate",
        "--graph",
        "chain",
        "--variables",
        "4",
        "--rows",
        "500",
        "--seed",
        "9",
        "--output",
        "data.csv",
        "--truth",
        "truth.json",
        "--truth",
        "truth.csv",
    ]);
    assert!(shown.contains("3 edges among 4 variables, and 500 rows"), "{shown}");
    assert_eq!(folder.text("data.csv").lines().count(), 501);
    let truth = folder.json("truth.json");
    assert_eq!(truth["method"], "simulate");
    assert_eq!(truth["seed"], 9);
    assert_eq!(truth["parameters"]["graph"], "chain");
    folder.run(&[
        "learn", "data.csv", "--method", "eq-td", "--prune", "bic", "--output", "g.json", "-q",
    ]);
    let scores: Value =
        serde_json::from_str(&folder.run(&["evaluate", "truth.csv", "g.json", "--json"])).unwrap();
    assert_eq!(scores["missing"], 0);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let folder = Folder::new();
    for (seed, output) in [("1", "a.csv"), ("1", "b.csv"), ("2", "c.csv")] {
        folder.run(&["simulate", "--seed", seed, "--rows", "20", "--output", output]);
    }
    assert_eq!(folder.text("a.csv"), folder.text("b.csv"));
    assert_ne!(folder.text("a.csv"), folder.text("c.csv"));
}

#[test]
fn every_setting_is_understood() {
    let folder = Folder::new();
    let settings: [(&str, &str, Value); 10] = [
        ("--graph", "sf", json!({"graph": "sf"})),
        ("--degree", "2", json!({"degree": 2.0})),
        ("--noise", "gumbel", json!({"noise": "gumbel"})),
        ("--noise", "student", json!({"noise": {"student": 5.0}})),
        ("--noise", "student:3", json!({"noise": {"student": 3.0}})),
        ("--variances", "standard", json!({"variances": "standard"})),
        ("--variances", "equal:2", json!({"variances": {"equal": 2.0}})),
        ("--variances", "random:0.5,2", json!({"variances": {"random": [0.5, 2.0]}})),
        ("--weights", "1,3", json!({"weights": [1.0, 3.0]})),
        ("--mechanism", "nonlinear-2", json!({"mechanism": "nonlinear-2"})),
    ];
    for (flag, value, expected) in settings {
        let common = ["simulate", "--output", "x.npy", "--truth", "t.json", "--rows", "10", "-q"];
        folder.run(&[common.as_slice(), &[flag, value, "--standardize"]].concat());
        let parameters = &folder.json("t.json")["parameters"];
        for (name, expected) in expected.as_object().unwrap() {
            assert_eq!(&parameters[name], expected, "{flag} {value}");
        }
        assert_eq!(parameters["standardize"], true);
    }
}

#[test]
fn mistakes_write_nothing() {
    let folder = Folder::new();
    let cases: [(&[&str], &str); 9] = [
        (&["--graph", "ring"], "`er`"),
        (&["--noise", "cauchy"], "`gaussian`"),
        (&["--noise", "student:x"], "`x`"),
        (&["--variances", "random:1"], "two numbers"),
        (&["--weights", "2,1"], "weights"),
        (&["--variables", "1"], "variables"),
        (&["--degree", "100"], "degree"),
        (&["--truth", "t.xyz"], "t.xyz"),
        (&["--truth", "data.csv"], "are one file"),
    ];
    for (flags, told) in cases {
        let line = folder.refused(&[&["simulate", "--output", "data.csv"], flags].concat());
        assert!(line.contains(told), "{line}");
    }
    assert!(folder.refused(&["simulate", "--output", "data.xlsx"]).contains(".parquet"));
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}
