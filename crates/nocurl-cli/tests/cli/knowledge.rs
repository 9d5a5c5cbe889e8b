//! Prior knowledge at the command line.

use serde_json::json;

use crate::{Folder, chain};

const FILE: &str = "required = [['slip', 'wet']]\ntiers = [['slip'], ['rain']]\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder
}

#[test]
fn a_file_and_flags_are_used_together_and_reported() {
    let folder = folder();
    folder.write("known.toml", FILE);
    let arguments = "learn rain.csv --knowledge known.toml --forbid slip,rain --sink rain \
                     --source slip --output g.json";
    let shown = folder.run(&arguments.split_whitespace().collect::<Vec<_>>());
    let (head, rest) = shown.split_once(" in ").unwrap();
    let (_, tail) = rest.split_once(" s (").unwrap();
    insta::assert_snapshot!(format!("{head} in [time] ({tail}"));
    let document = folder.json("g.json");
    assert_eq!(
        document["parameters"]["knowledge"],
        json!({
            "required": [["slip", "wet"]],
            "forbidden": [["slip", "rain"]],
            "tiers": [{ "variables": ["slip"] }, { "variables": ["rain"] }],
            "sources": ["slip"],
            "sinks": ["rain"],
        })
    );
    let edges = document["edges"].as_array().unwrap();
    let has =
        |from: &str, to: &str| edges.iter().any(|edge| edge["from"] == from && edge["to"] == to);
    assert!(has("slip", "wet") && has("wet", "rain") && edges.len() == 2, "{edges:?}");
    assert_eq!(document["class"]["undirected"], json!([]));
}

#[test]
fn without_knowledge_nothing_is_said_of_it() {
    let folder = folder();
    let shown = folder.run(&["learn", "rain.csv", "--output", "g.json"]);
    assert!(!shown.contains("Known") && !shown.contains("knowledge"), "{shown}");
    assert!(folder.json("g.json")["parameters"].get("knowledge").is_none());
}

#[test]
fn tetrads_file_says_the_same() {
    let folder = folder();
    folder.write("known.toml", FILE);
    folder.write("known.txt", "/knowledge\naddtemporal\n1 slip\n2 rain\nrequiredirect\nslip wet\n");
    let learn = |file: &str, output: &str| {
        folder.run(&["learn", "rain.csv", "--quiet", "--knowledge", file, "--output", output]);
        let document = folder.json(output);
        (document["edges"].clone(), document["parameters"].clone())
    };
    assert_eq!(learn("known.toml", "a.json"), learn("known.txt", "b.json"));
}

#[test]
fn a_required_edge_stays_however_small() {
    let folder = folder();
    let known = ["--require", "rain,slip", "--threshold", "1000"];
    let shown = folder.run(&[["learn", "rain.csv"].as_slice(), &known].concat());
    assert!(shown.contains("1 edge ") && shown.contains("1 required edge"), "{shown}");
}

#[test]
fn names_with_commas_go_in_quotes() {
    let folder = Folder::new();
    folder.write("t.csv", chain().replacen("rain", "\"rain, mm\"", 1));
    let known = ["--tier", "slip,wet", "--tier", "\"rain, mm\"", "--quiet", "--output", "g.csv"];
    folder.run(&[["learn", "t.csv"].as_slice(), &known].concat());
    assert!(folder.text("g.csv").contains("wet,\"rain, mm\","));
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let folder = folder();
    folder.write("broken.toml", "required = [['rain', 'wet']]\nrequire = []\n");
    folder.write("broken.txt", "/knowledge\nforbiddirect\nrain\n");
    folder.write("known.toml", FILE);
    let cases: [(&[&str], &str); 13] = [
        (&["--knowledge", "broken.toml"], "`broken.toml` is not a valid knowledge file: line 2"),
        (&["--knowledge", "broken.txt"], "`broken.txt` is not a valid knowledge file: line 3"),
        (&["--knowledge", "none.toml"], "none.toml"),
        (&["--knowledge", "known.toml", "--tier", "wet"], "tiers are given in two places"),
        (&["--require", "rain"], "--require rain: give two names"),
        (&["--forbid", "rain,wet,slip"], "--forbid rain,wet,slip: give two names"),
        (&["--forbid", "rain,rain"], "an edge from `rain` to itself"),
        (&["--source", "rein"], "`rein`, but there is no such column: did you mean `rain`?"),
        (
            &["--require", "rain,wet", "--require", "wet,slip", "--require", "slip,rain"],
            "the required edges `rain` -> `wet` -> `slip` -> `rain` are a cycle",
        ),
        (
            &["--require", "rain,wet", "--tier", "wet", "--tier", "rain"],
            "`rain` -> `wet` is required, but leads from tier 2 back to tier 1",
        ),
        (&["--require", "rain,wet", "--forbid", "rain,wet"], "is required and forbidden"),
        (&["--tier", ""], "--tier: the list of names is empty"),
        (
            &["--method", "fges", "--source", "rain"],
            "equivalence classes; use --method order-search instead",
        ),
    ];
    let before = folder.files();
    for (flags, told) in cases {
        let common = ["learn", "rain.csv", "--output", "g.json"];
        let line = folder.refused(&[common.as_slice(), flags].concat());
        assert!(line.contains(told), "`{told}` is not in `{line}`");
        assert_eq!(folder.files(), before);
    }
}
