use serde_json::{Value, json};

use crate::{Folder, chain};

/// A folder with `a -> b -> c`, `a -> c` (weights 2, 3, 1) and `lonely`, means included, in a file
/// of the first schema.
fn triangle(claim: &str) -> Folder {
    let folder = Folder::new();
    let document = json!({
        "schema": "nocurl/graph/1",
        "variables": ["a", "b", "c", "lonely"],
        "edges": [
            {"from": "a", "to": "b", "weight": 2.0},
            {"from": "b", "to": "c", "weight": 3.0},
            {"from": "a", "to": "c", "weight": 1.0},
        ],
        "order": ["a", "b", "c", "lonely"],
        "potential": null,
        "cpdag": {"directed": [], "undirected": [["a", "b"], ["a", "c"], ["b", "c"]]},
        "claim": claim,
        "means": [1.0, 10.0, 100.0, 5.0],
        "method": "nocurl", "parameters": {}, "seed": 0, "version": "0", "input": null,
        "termination": "direct", "iterations": 0, "warnings": [], "elapsed_seconds": 0.0,
    });
    folder.write("g.json", document.to_string());
    folder
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn effects_are_sums_over_paths_from_the_largest() {
    let folder = triangle("dag");
    let files = ["--output", "e.json", "--output", "e.csv"];
    let printed = folder.run(&[["effects", "g.json", "--json"].as_slice(), &files].concat());
    assert_eq!(printed, folder.text("e.json"));
    let effect = |from: &str, to: &str, effect: f64| {
        json!({
            "from": from, "to": to, "effect": effect, "interval": null, "identified": true,
            "path": true,
        })
    };
    assert_eq!(
        parsed(&printed),
        json!({
            "schema": "nocurl/effects/3",
            "graph": "g.json",
            "determines": "graph",
            "level": 0.95,
            "effects": [
                effect("a", "c", 7.0),
                effect("b", "c", 3.0),
                effect("a", "b", 2.0),
            ],
            "warnings": [],
        })
    );
    let csv = "from,from_level,from_base,to,to_level,effect,lower,upper,identified,least,most\n\
               a,,,c,,7.0,,,true,,\nb,,,c,,3.0,,,true,,\na,,,b,,2.0,,,true,,\n";
    assert_eq!(folder.text("e.csv"), csv);
    insta::assert_snapshot!(folder.run(&["effects", "g.json"]));
    let shown = folder.run(&["effects", "g.json", "--from", "a", "--to", "c"]);
    assert!(shown.contains("7.000: one unit more of `a` changes `c` by 7.000"), "{shown}");
    let shown = folder.run(&["effects", "g.json", "--from", "c", "--to", "a"]);
    assert!(shown.contains("0: there is no directed path from `c` to `a`"), "{shown}");
    let none = parsed(&folder.run(&["effects", "g.json", "--from", "c", "--to", "a", "--json"]));
    assert_eq!(none["effects"][0]["effect"], 0.0);
    let pairs = |flag: &str, name: &str| {
        let found = parsed(&folder.run(&["effects", "g.json", flag, name, "--json"]));
        found["effects"].as_array().unwrap().len()
    };
    assert_eq!((pairs("--from", "a"), pairs("--to", "c"), pairs("--from", "lonely")), (2, 2, 0));
    assert!(folder.run(&["effects", "g.json", "--to", "a"]).contains("none"));
}

#[test]
fn interventions_cut_what_is_set_from_its_parents() {
    let folder = triangle("dag");
    let after = |arguments: &[&str]| -> Vec<f64> {
        let common = ["intervene", "g.json", "--json"];
        let document = parsed(&folder.run(&[common.as_slice(), arguments].concat()));
        assert_eq!(document["schema"], "nocurl/intervention/3");
        let variables = document["variables"].as_array().unwrap();
        for moved in variables {
            let number = |key: &str| moved[key].as_f64().unwrap();
            assert_eq!(number("difference"), number("after") - number("before"));
        }
        variables.iter().map(|moved| moved["after"].as_f64().unwrap()).collect()
    };
    assert_eq!(after(&["--do", "a=2"]), [2.0, 12.0, 107.0, 5.0]);
    assert_eq!(after(&["--do", "b=0"]), [1.0, 0.0, 70.0, 5.0]);
    assert_eq!(after(&["--do", "a=2", "--do", "b=-1e1"]), [2.0, -10.0, 41.0, 5.0]);
    let files = ["--output", "i.json", "--output", "i.csv"];
    let shown = folder.run(&[["intervene", "g.json", "--do", "b=0"].as_slice(), &files].concat());
    insta::assert_snapshot!(shown);
    assert_eq!(folder.json("i.json")["do"], json!([{"variable": "b", "value": 0.0}]));
    assert!(folder.text("i.csv").contains("\nc,,100.0,70.0,-30.0,true,,\n"));
}

#[test]
fn what_depends_on_undetermined_directions_is_marked() {
    for claim in ["class", "skeleton"] {
        let folder = triangle(claim);
        let shown = folder.run(&["effects", "g.json"]);
        assert!(shown.contains("3 of 3 effects, marked `undetermined`"), "{shown}");
        let shown = folder.run(&["effects", "g.json", "--from", "c", "--to", "a"]);
        assert!(shown.contains("depends on undetermined directions"), "{shown}");
        let shown = folder.run(&["effects", "g.json", "--from", "c", "--to", "lonely"]);
        assert!(!shown.contains("Warning"), "{shown}");
        let shown = folder.run(&["intervene", "g.json", "--do", "a=0", "--do", "b=1"]);
        assert!(shown.contains("1 mean, marked `undetermined`, depends"), "{shown}");
        let all = ["intervene", "g.json", "--do", "a=0", "--do", "b=1", "--do", "c=2"];
        assert!(!folder.run(&all).contains("Warning"));
    }
    // A file of another format has no marks; the class is that of the graph.
    let folder = Folder::new();
    folder.write("g.dot", "digraph { claim=class; a -> b [weight=1]; c -> b [weight=1] }");
    assert!(!folder.run(&["effects", "g.dot"]).contains("undetermined"));
    folder.write("g.dot", "digraph { claim=class; a -> b [weight=1] }");
    assert!(folder.run(&["effects", "g.dot"]).contains("undetermined"));
}

#[test]
fn learnt_graphs_have_the_means_of_their_data() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder.run(&[
        "learn", "rain.csv", "--quiet", "--output", "g.json", "--output", "g.gml", "--output",
        "g.csv",
    ]);
    let document = folder.json("g.json");
    let means: Vec<f64> =
        document["means"].as_array().unwrap().iter().map(|mean| mean.as_f64().unwrap()).collect();
    for (j, mean) in means.iter().enumerate() {
        let table = chain();
        let cells = table.lines().skip(1).map(|line| line.split(',').nth(j).unwrap());
        let sum: f64 = cells.map(|cell| cell.parse::<f64>().unwrap()).sum();
        assert!((mean - sum / 200.0).abs() < 1e-12);
    }
    let effects = parsed(&folder.run(&["effects", "g.json", "--json"]));
    let weight = |edge: usize| document["edges"][edge]["weight"].as_f64().unwrap();
    let whole = effects["effects"][0]["effect"].as_f64().unwrap();
    assert_eq!(effects["effects"][0]["from"], "rain");
    assert!((whole - weight(0) * weight(1)).abs() < 1e-12);
    let moved = parsed(&folder.run(&["intervene", "g.json", "--do", "rain=1", "--json"]));
    let slip = &moved["variables"][0];
    let expected = means[0] + whole * (1.0 - means[1]);
    assert!((slip["after"].as_f64().unwrap() - expected).abs() < 1e-12, "{slip}");
    let same = parsed(&folder.run(&["intervene", "g.gml", "--do", "rain=1", "--json"]));
    for (here, there) in [0, 1, 2].map(|at| (&moved["variables"][at], &same["variables"][at])) {
        for key in ["before", "after"] {
            let (here, there) = (here[key].as_f64().unwrap(), there[key].as_f64().unwrap());
            assert!((here - there).abs() < 1e-12, "GML holds the whole model of numbers");
        }
    }
    let line = folder.refused(&["intervene", "g.csv", "--do", "rain=1"]);
    assert!(line.contains("`g.csv` has no means") && line.contains("--output g.json"), "{line}");
    // Additive splines have effects that no single number tells.
    folder.run(&["learn", "rain.csv", "--method", "cam", "--quiet", "--output", "g.json"]);
    assert!(folder.run(&["effects", "g.json"]).contains("linear parts"));
}

#[test]
fn bad_questions_are_refused() {
    let folder = triangle("dag");
    folder.write("list.csv", "from,to\na,b\n");
    folder.write("cycle.csv", "a,b,1\nb,c,1\nc,a,1\n");
    folder.write("both.csv", "a,b,1\nb,a,1\n");
    folder.write("huge.csv", "a,b,1e200\nb,c,1e200\n");
    folder.write("other.json", folder.text("g.json").replace("graph/1", "graph/9"));
    let set = |value: &'static str| vec!["intervene", "g.json", "--do", value];
    for (arguments, parts) in [
        (
            vec!["effects", "g.json", "--from", "lonly"],
            vec!["--from lonly", "did you mean `lonely`?"],
        ),
        (vec!["effects", "g.json", "--to", "q"], vec!["--to q", "`g.json` has no such variable"]),
        (vec!["effects", "g.json", "--from", "a", "--to", "a"], vec!["both name `a`"]),
        (vec!["effects", "list.csv"], vec!["`list.csv`", "without weights"]),
        (vec!["effects", "both.csv"], vec!["`both.csv`", "without weights"]),
        (vec!["effects", "cycle.csv"], vec!["`cycle.csv` has a cycle: "]),
        (vec!["effects", "huge.csv"], vec!["`a` on `c` leaves the range"]),
        (vec!["effects", "other.json"], vec!["schema `nocurl/graph/9` is not known"]),
        (vec!["effects", "none.json"], vec!["none.json"]),
        (vec!["effects", "g.json", "--output", "e.txt"], vec!["e.txt", ".json or .csv"]),
        (
            vec!["effects", "g.json", "--output", "./g.json"],
            vec!["is also the graph, which is read"],
        ),
        (set("a"), vec!["--do a", "write --do VARIABLE=VALUE"]),
        (set("a=high"), vec!["--do a=high", "not a number"]),
        (set("a=inf"), vec!["finite"]),
        (set("a=nan"), vec!["finite"]),
        (set("a="), vec!["not a number"]),
        (set("lonly=1"), vec!["did you mean `lonely`?"]),
        (
            vec!["intervene", "g.json", "--do", "a=1", "--do", "a=2"],
            vec!["--do a: it is set twice"],
        ),
        (vec!["intervene", "g.json"], vec!["--do"]),
        (vec!["intervene", "list.csv", "--do", "a=1"], vec!["without weights"]),
        (vec!["intervene", "g.json", "--do", "a=1", "--output", "no/i.json"], vec!["no/i.json"]),
    ] {
        let line = folder.refused(&arguments);
        for part in parts {
            assert!(line.contains(part), "{arguments:?}: {line}");
        }
    }
    let files = ["both.csv", "cycle.csv", "g.json", "huge.csv", "list.csv", "other.json"];
    assert_eq!(folder.files(), files);
}
