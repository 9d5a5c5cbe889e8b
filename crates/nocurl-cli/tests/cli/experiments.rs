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
    // What is hidden is hidden everywhere, so that a report can be made of the file.
    folder.run(&["draw", "h.json", "--output", "h.html", "--quiet"]);
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

/// Each condition of the table in a file of its own, without the column.
fn split(folder: &Folder) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path("x.csv")).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = header.iter().position(|name| *name == "condition").unwrap();
    let without = |line: &str| {
        let cells = line.split(',').enumerate().filter(|(j, _)| *j != at);
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",")
    };
    let mut files: std::collections::BTreeMap<String, String> = Default::default();
    for line in lines {
        let level = line.split(',').nth(at).unwrap();
        let start = || without(&header.join(",")) + "\n";
        *files.entry(format!("{level}.csv")).or_insert_with(start) += &(without(line) + "\n");
    }
    files.iter().for_each(|(name, text)| drop(folder.write(name, text)));
    files.into_keys().collect()
}

#[test]
fn each_file_can_be_a_condition() {
    let folder = folder();
    let whole = learn(&folder, "--condition condition --targets t.toml", "a.json");
    let files = split(&folder);
    assert_eq!(files.len(), 6);
    let run = |flags: &str, output: &str| {
        let arguments = format!("learn {} --quiet --no-confidence {flags}", files.join(" "));
        let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
        arguments.extend(["--output", output]);
        folder.run(&arguments);
        folder.json(output)
    };
    let parts = run("--condition-from-files --targets t.toml", "b.json");
    assert_eq!(edges(&parts), edges(&whole));
    assert_eq!(parts["experiments"]["condition"], "condition");
    assert_eq!(parts["experiments"]["conditions"], whole["experiments"]["conditions"]);
    // Under another name, and as another result was learnt.
    let renamed = run("--condition-from-files --file-column batch --targets t.toml", "c.json");
    assert_eq!(renamed["experiments"]["condition"], "batch");
    assert_eq!(edges(&run("--like c.json", "d.json")), edges(&renamed));
    let error = folder.refused(&["learn", "x1.csv", "--condition-from-files"]);
    assert!(error.contains("there is one file"), "{error}");
    let error = folder.refused(&["learn", "x.csv", "x.csv", "--condition-from-files"]);
    assert!(error.contains("a column `condition` of their own"), "{error}");
    let both = ["learn", "x1.csv", "x2.csv", "--condition-from-files", "--condition", "x3"];
    assert!(folder.refused(&both).contains("cannot be used with"));
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
        ("--condition x1 --target 1=x2", "no row of column `x1` is `1`"),
        ("--condition x1", "900 values in 900 rows"),
        ("--condition condition --param score=multinomial", "do not tell conditions apart"),
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
