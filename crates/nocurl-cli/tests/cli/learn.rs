use serde_json::{Value, json};

use crate::{Folder, chain, repository_data};

/// The document without what may differ between runs: the time, and what was typed.
fn timeless(mut document: Value) -> Value {
    for field in ["elapsed_seconds", "command"] {
        document.as_object_mut().unwrap().remove(field).unwrap();
    }
    document
}

#[test]
fn the_summary_is_readable() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let shown = folder.run(&["learn", "rain.csv", "--output", "graph.dot"]);
    let (head, rest) = shown.split_once(" in ").unwrap();
    let (_, tail) = rest.split_once(" s (").unwrap();
    insta::assert_snapshot!(format!("{head} in [time] ({tail}"));
}

#[test]
fn the_spelled_example_works() {
    let folder = Folder::new();
    folder.run(&["simulate", "--variables", "6", "--rows", "300", "--output", "x.npy"]);
    let arguments = "learn x.npy --method nocurl --lambda 10,1000 --threshold 0.3 --no-center \
                     --refine equal-variance --prune bic --threads 2 --seed 3 --output g.json \
                     --output g.csv --quiet";
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    assert_eq!(folder.run(&arguments), "");
    let document = folder.json("g.json");
    assert_eq!(document["schema"], "nocurl/graph/3");
    assert_eq!(document["variables"], json!(["x1", "x2", "x3", "x4", "x5", "x6"]));
    assert_eq!(document["method"], "nocurl");
    assert_eq!(document["seed"], 3);
    assert_eq!(document["input"]["path"], "x.npy");
    assert_eq!(document["input"]["rows"], 300);
    assert!(document["input"]["digest"].as_str().unwrap().starts_with("xxh3-128:"));
    let parameters = &document["parameters"];
    assert_eq!(parameters["lambdas"], json!([10.0, 1000.0]));
    assert_eq!(parameters["threshold"], 0.3);
    assert_eq!(parameters["center"], false);
    assert_eq!(parameters["refine"], "equal-variance");
    assert_eq!(parameters["prune"], json!({"rule": "bic"}));
    for field in ["order", "potential", "class", "version", "termination", "warnings"] {
        assert!(!document[field].is_null(), "{field}");
    }
    assert!(document["elapsed_seconds"].as_f64().unwrap() > 0.0);
    let edges = document["edges"].as_array().unwrap();
    assert!(!edges.is_empty());
    let csv = folder.text("g.csv");
    assert!(csv.starts_with("from,to,weight,direction,confidence_adjacent,"), "{csv}");
    assert_eq!(csv.lines().count(), edges.len() + 1);
    for (edge, line) in edges.iter().zip(csv.lines().skip(1)) {
        assert!(edge["weight"].as_f64().unwrap().abs() >= 0.3);
        let (from, to) = (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap());
        let (weight, word) =
            (edge["weight"].as_f64().unwrap(), edge["direction"].as_str().unwrap());
        assert!(["determined", "likely", "undetermined"].contains(&word), "{edge}");
        assert!(line.starts_with(&format!("{from},{to},{weight:?},{word},")), "{line}");
    }
}

#[test]
fn threads_do_not_change_the_result() {
    let folder = Folder::new();
    let data = repository_data("sachs.csv");
    for method in ["nocurl", "notears", "exact"] {
        let learn = |threads, output| {
            let common = ["learn", &data, "--method", method, "--prune", "ebic", "--quiet"];
            let own = ["--threads", threads, "--output", output];
            folder.run(&[common.as_slice(), own.as_slice()].concat());
            timeless(folder.json(output))
        };
        assert_eq!(learn("1", "one.json"), learn("2", "two.json"), "{method}");
    }
}

#[test]
fn standard_input_is_a_dash() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder.run(&["learn", "rain.csv", "--output", "file.json", "--quiet"]);
    folder
        .nocurl(&["learn", "-", "--output", "pipe.json", "--quiet"])
        .write_stdin(chain())
        .assert()
        .success();
    let (mut file, mut pipe) =
        (timeless(folder.json("file.json")), timeless(folder.json("pipe.json")));
    assert_eq!(pipe["input"]["path"].take(), "-");
    assert_eq!(file["input"]["path"].take(), "rain.csv");
    assert_eq!(file, pipe);
}

#[test]
fn real_data_has_its_concern_about_units() {
    let folder = Folder::new();
    let shown = folder.run(&["learn", &repository_data("sachs.csv"), "--method", "nocurl"]);
    assert!(shown.contains("7466 rows, 11 columns, no missing values"), "{shown}");
    assert!(shown.contains("concern  units: "), "{shown}");
    let shown = folder.run(&["learn", &repository_data("sachs.csv"), "--method", "order-search"]);
    assert!(!shown.contains("units: "), "{shown}");
}

#[test]
fn checks_are_short_on_the_terminal_and_whole_in_json() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let shown = folder.run(&["learn", "rain.csv", "--method", "nocurl", "--output", "g.json"]);
    let document = folder.json("g.json");
    let findings = document["diagnosis"].as_array().unwrap();
    assert_eq!(findings.len(), 12);
    for finding in findings {
        let name = finding["check"].as_str().unwrap();
        assert!(finding["numbers"].is_object() && finding["sentence"].is_string(), "{finding}");
        assert!(finding["advice"].is_array(), "{finding}");
        assert_eq!(shown.contains(&format!("  {name}: ")), finding["verdict"] != "ok", "{name}");
    }
    // All 200 rows are looked at.
    assert_eq!(findings[6]["numbers"]["rows"], 200);
    let ok = findings.iter().filter(|finding| finding["verdict"] == "ok").count();
    assert!(shown.contains(&format!("{ok} other checks found nothing")), "{shown}");

    let shown = folder.run(&["learn", "rain.csv", "--output", "g.json", "--no-diagnosis"]);
    assert!(!shown.contains("Checks"), "{shown}");
    assert!(folder.json("g.json")["diagnosis"].is_null());
}

#[test]
fn names_survive_in_every_format() {
    let folder = Folder::new();
    let names = ["a \"b\" <c>", "größe, cm", "x & y; 'z'"];
    let quoted: Vec<String> =
        names.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    let table = chain().replacen("slip,rain,wet", &quoted.join(","), 1);
    folder.write("names.csv", table);
    let formats = ["json", "dot", "graphml", "gml", "csv"].map(|format| format!("g.{format}"));
    let mut arguments = vec!["learn", "names.csv", "--quiet"];
    for file in &formats {
        arguments.extend(["--output", file]);
    }
    folder.run(&arguments);
    for file in &formats {
        let scores: Value =
            serde_json::from_str(&folder.run(&["evaluate", "g.json", file, "--json"])).unwrap();
        assert_eq!(scores["shd"], 0, "{file}");
        assert_eq!(scores["variables"], 3, "{file}");
        assert_eq!(scores["estimated_edges"], 2, "{file}");
    }
}

#[test]
fn columns_are_chosen_by_name() {
    let folder = Folder::new();
    let table = chain().replacen("slip", "\"slip, or not\"", 1);
    folder.write("rain.csv", table);
    let chosen = |arguments: &[&str]| {
        let common = ["learn", "rain.csv", "--quiet", "--output", "g.json"];
        folder.run(&[common.as_slice(), arguments].concat());
        folder.json("g.json")["variables"].clone()
    };
    assert_eq!(chosen(&["--columns", "wet,rain"]), json!(["wet", "rain"]));
    let quoted = ["--columns", "\"slip, or not\"", "--columns", "rain"];
    assert_eq!(chosen(&quoted), json!(["slip, or not", "rain"]));
    assert_eq!(chosen(&["--drop", "rain"]), json!(["slip, or not", "wet"]));
}

#[test]
fn missing_values_and_constants_have_ways_out() {
    let folder = Folder::new();
    let table = chain().replacen("\n", "\n,0.1,0.2\n", 1);
    folder.write("gaps.csv", table);
    let shown = folder.run(&["learn", "gaps.csv", "--missing", "drop"]);
    assert!(shown.contains("200 rows, 3 columns, 1 missing value in 1 row that was left out"));
    let shown = folder.run(&["learn", "gaps.csv", "--missing", "em"]);
    assert!(shown.contains("201 rows, 3 columns, 1 missing value estimated"), "{shown}");

    let constant: String = chain().lines().map(|line| format!("{line},7\n")).collect();
    folder.write("constant.csv", constant.replacen(",7", ",seven", 1));
    let shown = folder.run(&["learn", "constant.csv"]);
    assert!(shown.contains("200 rows, 3 columns"), "{shown}");
    assert!(shown.contains("`seven`"), "{shown}");
}

#[test]
fn every_variant_and_method_runs() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    for variant in ["standard", "s", "-", "+", "rand-init", "rand-p"] {
        folder.run(&["learn", "rain.csv", "--method", "nocurl", "--variant", variant]);
    }
    let methods: Value = serde_json::from_str(&folder.run(&["methods", "--json"])).unwrap();
    for method in methods.as_array().unwrap() {
        let shown =
            folder.run(&["learn", "rain.csv", "--method", method["name"].as_str().unwrap()]);
        assert!(shown.contains("among 3 variables by"), "{shown}");
    }
}

#[test]
fn quiet_and_closed_pipes_are_no_trouble() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let output =
        folder.nocurl(&["learn", "rain.csv", "-q"]).assert().success().get_output().clone();
    assert_eq!((output.stdout, output.stderr), (vec![], vec![]));
    // `true` reads nothing, so that the pipe is closed before or while the program writes.
    let program = assert_cmd::cargo::cargo_bin("nocurl");
    let script = format!("'{}' learn rain.csv | true; echo ${{PIPESTATUS[0]}}", program.display());
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n");
}

#[test]
fn independent_columns_and_few_rows_are_told() {
    let folder = Folder::new();
    folder.write("few.csv", chain().lines().take(13).collect::<Vec<_>>().join("\n"));
    let shown = folder.run(&["learn", "few.csv"]);
    assert!(shown.contains("12 rows are few for 3 columns"), "{shown}");
    let shown = folder.run(&["learn", "few.csv", "--threshold", "1000"]);
    assert!(shown.contains("no edges were found"), "{shown}");
    folder.run(&["learn", "few.csv", "--threshold", "1000", "--output", "g.csv", "-q"]);
    folder.write("truth.csv", "from,to\nrain,wet\n");
    let scores = folder.run(&["evaluate", "truth.csv", "g.csv"]);
    assert!(scores.contains("lists edges only"), "{scores}");
}

/// Lines that show an edge with this mark between its ends.
fn marked(shown: &str, mark: &str) -> usize {
    shown.lines().filter(|line| line.split_whitespace().nth(1) == Some(mark)).count()
}

#[test]
fn an_undetermined_direction_is_not_shown_as_an_arrow() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let truth = "from,to\nrain,wet\nwet,slip\n";
    folder.write("truth.csv", truth);
    // A chain: independences determine neither direction.
    for (method, determines, arrows, lines, reversed) in
        [("eq-td", "graph", 2, 0, 0), ("fges", "class", 0, 2, 0), ("mmpc", "skeleton", 0, 2, 2)]
    {
        let mut arguments = vec!["learn", "rain.csv", "--method", method];
        let files = ["g.json", "g.dot", "g.graphml", "g.gml"];
        files.iter().for_each(|file| arguments.extend(["--output", file]));
        let shown = folder.run(&arguments);
        assert_eq!((marked(&shown, "->"), marked(&shown, "--")), (arrows, lines), "{shown}");
        let document = folder.json("g.json");
        assert_eq!(document["determines"], determines);
        assert!(shown.contains(document["directions"].as_str().unwrap()), "{shown}");
        for file in files {
            let scores = folder.run(&["evaluate", "truth.csv", file, "--json"]);
            let scores: Value = serde_json::from_str(&scores).unwrap();
            assert_eq!(scores["reversed"], reversed, "{method}, {file}: {scores}");
            assert_eq!(scores["determines"], determines, "{file}");
        }
    }
}

#[test]
fn it_is_said_which_directions_are_determined() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let said = |arguments: &[&str]| {
        let common = ["learn", "--quiet", "--output", "g.json"];
        folder.run(&[common.as_slice(), arguments].concat());
        folder.json("g.json")["directions"].as_str().unwrap().to_string()
    };
    let class = said(&["rain.csv", "--method", "fges"]);
    assert!(class.contains("No direction follows, even if these adjacencies"), "{class}");
    assert!(class.ends_with("none is determined; all 2 are undetermined."), "{class}");
    let skeleton = said(&["rain.csv", "--method", "mmpc"]);
    assert!(skeleton.contains("None of 2 directions is determined."), "{skeleton}");
    for (method, ending) in [
        ("fges", "none is determined; `rain` -- `wet` is undetermined."),
        ("mmpc", "The one direction is not determined."),
    ] {
        let one = said(&["rain.csv", "--columns", "wet,rain", "--method", method]);
        assert!(one.ends_with(ending), "{one}");
    }
    let baseline = said(&["rain.csv", "--method", "sortnregress"]);
    assert!(baseline.contains("none is determined, 2 are likely"), "{baseline}");
    assert!(said(&["rain.csv", "--threshold", "9"]).ends_with("There are no edges."));
    let collider: String =
        (0..64).map(|i| format!("{},{},{}\n", i % 8, i / 8, i % 8 + i / 8 + (i * i) % 5)).collect();
    folder.write("collider.csv", format!("a,b,c\n{collider}"));
    let all = said(&["collider.csv", "--method", "fges"]);
    assert!(all.contains("are right, all 2 directions follow. At a confidence of 90%"), "{all}");
    let alone = said(&["collider.csv", "--method", "fges", "--no-confidence"]);
    assert!(alone.ends_with("follow. How sure they are was not measured."), "{alone}");
}
