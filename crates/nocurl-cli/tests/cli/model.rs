//! A learnt graph as a model, and effects over its class.

use serde_json::{Value, json};

use crate::{Folder, chain};

/// `a - b` with weight 2 and error variances 1 and 3: the variance of b is 7.
fn pair() -> Folder {
    let folder = Folder::new();
    let document = json!({
        "schema": "nocurl/graph/2",
        "variables": ["a", "b"],
        "edges": [{"from": "a", "to": "b", "weight": 2.0, "direction": "undetermined"}],
        "order": ["a", "b"], "potential": null, "determines": "class",
        "class": {"directed": [], "undirected": [["a", "b"]]},
        "means": [1.0, 10.0], "error_variances": [1.0, 3.0],
        "method": "order-search", "parameters": {}, "seed": 0, "version": "0", "input": null,
        "termination": "direct", "iterations": 0, "warnings": [], "elapsed_seconds": 0.0,
    });
    folder.write("g.json", document.to_string());
    folder
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn effects_through_undetermined_edges_are_ranges() {
    let folder = pair();
    let found = parsed(&folder.run(&["effects", "g.json", "--json"]));
    let effects = found["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 2, "{found}");
    assert_eq!((&effects[0]["from"], &effects[0]["effect"]), (&json!("a"), &json!(2.0)));
    assert_eq!(effects[0]["range"], json!([0.0, 2.0]));
    assert_eq!(effects[0]["values"].as_array().unwrap().len(), 2);
    let back = effects[1]["range"][1].as_f64().unwrap();
    assert!((back - 2.0 / 7.0).abs() < 1e-12, "{back}");
    let shown = folder.run(&["effects", "g.json", "--from", "a", "--to", "b"]);
    assert!(shown.contains("Range") && shown.contains("0 to 2.000"), "{shown}");
    let moved = parsed(&folder.run(&["intervene", "g.json", "--do", "a=2", "--json"]));
    assert_eq!(moved["variables"][1]["range"], json!([10.0, 12.0]));
    assert!(folder.run(&["intervene", "g.json", "--do", "a=2"]).contains("10.000 to 12.000"));
}

#[test]
fn determined_effects_name_what_to_adjust_for() {
    let folder = Folder::new();
    folder.write("g.csv", "z,x,1\nz,y,1\nx,y,2\n");
    let found = parsed(&folder.run(&["effects", "g.csv", "--from", "x", "--to", "y", "--json"]));
    assert_eq!(found["adjustment"]["optimal"], json!(["z"]), "{found}");
    let shown = folder.run(&["effects", "g.csv", "--from", "x", "--to", "y"]);
    assert!(shown.contains("Adjust") && shown.contains("z (smallest variance)"), "{shown}");
}

#[test]
fn a_learnt_graph_scores_predicts_and_draws() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder.run(&["learn", "rain.csv", "--quiet", "--output", "g.json", "--output", "g.csv"]);
    assert!(folder.run(&["score", "g.json", "rain.csv"]).contains("200 rows"));
    let own = parsed(&folder.run(&["score", "g.json", "rain.csv", "--json", "-o", "s.csv"]));
    assert_eq!(folder.text("s.csv").lines().count(), 201);
    folder.run(&["sample", "g.json", "--rows", "300", "--seed", "4", "--output", "new.csv"]);
    let new = parsed(&folder.run(&["score", "g.json", "new.csv", "--json"]));
    assert_eq!(new["rows"], 300);
    let close = own["score"].as_f64().unwrap() - new["score"].as_f64().unwrap();
    assert!(close.abs() < 0.5, "{close}");
    // The column to predict need not be there, and others are passed over.
    folder.write("part.csv", "rain,wet,other\n0.1,0.2,7\n-0.3,-0.4,8\n");
    folder.run(&["predict", "g.json", "part.csv", "--variable", "slip", "--output", "p.csv"]);
    let predicted = folder.text("p.csv");
    let values: Vec<f64> = predicted.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(predicted.lines().next(), Some("slip"));
    assert!((values[0] - 0.4).abs() < 0.1 && (values[1] + 0.8).abs() < 0.1, "{values:?}");
    folder.run(&["residuals", "g.json", "rain.csv", "--output", "r.csv"]);
    assert_eq!(folder.text("r.csv").lines().count(), 201);
}

#[test]
fn what_is_no_model_and_what_is_missing_is_refused() {
    let folder = pair();
    folder.write("list.csv", "a,b,1\n");
    folder.write("rows.csv", "a,c\n1,2\n3,4\n");
    folder.write("gaps.csv", "a,b\n1,2\n,4\n");
    folder.write("text.csv", "a,b\n1,2\n3,high\n");
    for (arguments, part) in [
        (vec!["score", "list.csv", "rows.csv"], "`list.csv` has no weights, means"),
        (vec!["score", "g.json", "rows.csv"], "`b`"),
        (vec!["score", "g.json", "text.csv"], "column `b`"),
        (vec!["score", "g.json", "none.csv"], "none.csv"),
        (
            vec!["predict", "g.json", "rows.csv", "--variable", "q", "--output", "p.csv"],
            "--variable q: `g.json` has no such variable",
        ),
        (vec!["residuals", "g.json", "gaps.csv", "--output", "gaps.csv"], "is also the table"),
        (vec!["sample", "g.json", "--rows", "0", "--output", "n.csv"], "--rows"),
    ] {
        let line = folder.refused(&arguments);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
}
