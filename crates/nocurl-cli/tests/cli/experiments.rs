//! Experiments at the command line: conditions, targets, what to do next.

use serde_json::Value;

use crate::Folder;

/// A table from a control and five conditions, with its targets and its true graph.
fn folder() -> Folder {
    let folder = Folder::new();
    let arguments = "simulate --variables 5 --degree 2 --rows 150 --interventions single:5 --seed 4 \
                     --standardize --output x.csv --truth truth.json --targets-output t.toml --quiet";
    folder.run(&arguments.split_whitespace().collect::<Vec<_>>());
    folder
}

fn learn(folder: &Folder, flags: &str, output: &str) -> Value {
    let arguments = format!("learn x.csv --quiet --no-confidence {flags} --output {output}");
    folder.run(&arguments.split_whitespace().collect::<Vec<_>>());
    folder.json(output)
}

fn edges(document: &Value) -> Vec<(String, String)> {
    let ends = |edge: &Value| {
        (edge["from"].as_str().unwrap().to_string(), edge["to"].as_str().unwrap().to_string())
    };
    let mut all: Vec<_> = document["edges"].as_array().unwrap().iter().map(ends).collect();
    all.sort();
    all
}

#[test]
fn conditions_and_targets_find_the_graph_that_made_the_data() {
    let folder = folder();
    let found = learn(&folder, "--condition condition --targets t.toml", "g.json");
    assert_eq!(found["experiments"]["condition"], "condition");
    assert_eq!(found["experiments"]["conditions"][0]["rows"], 150);
    assert!(found["variables"].as_array().unwrap().contains(&"condition".into()));
    let hidden =
        learn(&folder, "--condition condition --targets t.toml --hide-condition", "h.json");
    assert_eq!(edges(&hidden), edges(&folder.json("truth.json")));
    assert!(
        hidden["edges"].as_array().unwrap().iter().all(|edge| edge["direction"] == "determined")
    );
    assert!(!hidden["variables"].as_array().unwrap().contains(&"condition".into()));
    // What is hidden is compared without a word; so is a condition that the truth does not have.
    for file in ["g.json", "h.json"] {
        let scores = folder.run(&["evaluate", "truth.json", file, "--json", "--targets", "t.toml"]);
        let scores: Value = serde_json::from_str(&scores).unwrap();
        assert_eq!((&scores["shd"], &scores["icpdag_shd"]), (&0.into(), &0.into()), "{file}");
    }
}

#[test]
fn the_names_of_targets_can_be_the_conditions() {
    let folder = folder();
    let flags = "--target-column condition --hide-condition";
    let named = learn(&folder, flags, "a.json");
    let listed =
        learn(&folder, "--condition condition --targets t.toml --hide-condition", "b.json");
    assert_eq!(edges(&named), edges(&listed));
    let csv: String = (1..=5).map(|j| format!("x{j},x{j}\n")).collect();
    folder.write("t.csv", format!("condition,target\n{csv}control,\n"));
    let rows = learn(&folder, "--condition condition --targets t.csv --hide-condition", "c.json");
    assert_eq!(edges(&rows), edges(&listed));
    let soft = learn(&folder, "--condition condition --targets t.csv --soft", "d.json");
    assert_eq!(soft["experiments"]["conditions"][1]["targets"][0]["kind"], "soft");
}

#[test]
fn a_summary_says_what_conditions_act_on() {
    let folder = folder();
    let shown = folder.run(&["learn", "x.csv", "--condition", "condition", "--bootstrap", "5"]);
    assert!(shown.contains("conditions in condition, targets not known"), "{shown}");
    assert!(shown.contains("also acts directly on"), "{shown}");
}

#[test]
fn wrong_conditions_and_targets_are_refused() {
    let folder = folder();
    folder.write("broken.toml", "[targets]\na = 3\n");
    folder.write("short.csv", "condition,variable\na,b\n");
    let cases = [
        ("--targets t.toml", "--targets needs --condition"),
        ("--target x1=x1", "--target needs --condition"),
        ("--soft", "--soft needs --condition"),
        ("--hide-condition", "--hide-condition needs --condition"),
        ("--condition conditoin", "did you mean `condition`?"),
        ("--condition condition --target x1", "write --target condition=variable"),
        ("--condition condition --target x1=y", "there is no such column"),
        ("--condition condition --target drug=x1", "no row of column `condition` is `drug`"),
        ("--condition condition --targets none.toml", "none.toml"),
        ("--condition condition --targets broken.toml", "line 2"),
        ("--condition condition --targets short.csv", "the columns are `condition`, `target`"),
        ("--target-column condition --control water", "no row is the control `water`"),
        ("--condition condition --missing em", "missing values are not estimated"),
        ("--condition condition --require x1,condition", "prior knowledge"),
        ("--condition condition --method lingam", "does not learn from experiments"),
        ("--condition x1 --target 1=x2", "more than 256 levels"),
    ];
    for (flags, expected) in cases {
        let arguments = format!("learn x.csv {flags} --output g.json");
        let error = folder.refused(&arguments.split_whitespace().collect::<Vec<_>>());
        assert!(error.contains(expected), "{flags}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(!folder.path("g.json").exists());
    }
}

#[test]
fn the_next_experiment_settles_a_chain() {
    let folder = Folder::new();
    folder.write("g.dot", "graph { a -- b; b -- c; c -- d }\n");
    let shown = folder.run(&["next", "g.dot", "--json"]);
    let found: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(found["undetermined"], 3.0);
    let best = &found["experiments"][0];
    assert!(
        best["targets"] == serde_json::json!(["b"]) || best["targets"] == serde_json::json!(["c"])
    );
    assert!(best["expected"].as_f64().unwrap() > 2.0);
    assert!(folder.run(&["next", "g.dot"]).contains("act on"));
    assert!(folder.refused(&["next", "g.dot", "--only", "e"]).contains("no variable of the graph"));
    folder.refused(&["next", "g.dot", "--targets", "0"]);
}
