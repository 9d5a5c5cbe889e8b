use serde_json::Value;

use crate::{Folder, chain, repository_data};

#[test]
fn support_is_shown_and_written() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let run = |output: &str, more: &[&str]| {
        let common = ["learn", "rain.csv", "--bootstrap", "50", "--output", output];
        folder.run(&[common.as_slice(), more].concat())
    };
    let shown = run("g.json", &[]);
    let (head, rest) = shown.split_once(" in ").unwrap();
    let (_, tail) = rest.split_once(" s (").unwrap();
    insta::assert_snapshot!(format!("{head} in [time] ({tail}"));

    let support = folder.json("g.json")["bootstrap"].clone();
    assert_eq!((&support["kind"], &support["level"]), (&"rows".into(), &0.95.into()));
    assert_eq!((&support["replicates"], &support["failed"]), (&50.into(), &0.into()));
    let pairs = support["pairs"].as_array().unwrap();
    let pair = pairs.iter().find(|pair| pair["from"] == "rain" && pair["to"] == "wet").unwrap();
    // No direction of a chain shows in its independences.
    let most: Value = (50.5 / 51.0).into();
    assert_eq!((&pair["undirected"], &pair["adjacent"]), (&most, &most));
    let ends = pair["weight"].as_array().unwrap();
    assert!(ends[0].as_f64().unwrap() < 1.5 && ends[1].as_f64().unwrap() > 1.5, "{pair}");
    let consensus = support["consensus"].as_array().unwrap();
    assert_eq!(consensus.len(), 2);
    assert!(consensus.iter().all(|edge| edge["direction"] == "undetermined"));

    // The other numbers are those of a run without, up to the rounding of the moments.
    folder.run(&["learn", "rain.csv", "--no-confidence", "--output", "plain.json", "-q"]);
    let plain = folder.json("plain.json");
    assert!(plain["bootstrap"].is_null());
    assert!(plain["edges"][0].get("confidence").is_none());
    let weights = |document: &Value| {
        let edges = document["edges"].as_array().unwrap();
        edges.iter().map(|edge| edge["weight"].as_f64().unwrap()).sum::<f64>()
    };
    assert!((weights(&plain) - weights(&folder.json("g.json"))).abs() < 1e-12);

    // Threads and repetition change nothing; the seed does.
    run("one.json", &["--threads", "1", "-q"]);
    run("two.json", &["--threads", "2", "-q"]);
    run("seed.json", &["--seed", "1", "-q"]);
    assert_eq!(folder.json("one.json")["bootstrap"], support);
    assert_eq!(folder.json("two.json")["bootstrap"], support);
    assert_ne!(folder.json("seed.json")["bootstrap"], support);
}

#[test]
fn the_consensus_can_be_what_is_written() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let flags = ["learn", "rain.csv", "--graph", "consensus", "--confidence-level", "0.99"];
    let outputs = ["--output", "g.json", "--output", "g.csv", "--output", "g.dot"];
    let shown = folder.run(&[flags.as_slice(), &outputs].concat());
    assert!(shown.contains("Learnt   a consensus of 2 edges"), "{shown}");
    let graph = folder.json("g.json");
    assert_eq!(graph["parameters"]["graph"], "consensus");
    let ends = |list: &Value| {
        let edges = list.as_array().unwrap().iter();
        let mut ends: Vec<[String; 2]> = edges
            .map(|edge| {
                let mut ends = ["from", "to"].map(|end| edge[end].to_string());
                ends.sort();
                ends
            })
            .collect();
        ends.sort();
        ends
    };
    assert_eq!(ends(&graph["edges"]), ends(&graph["bootstrap"]["consensus"]));
    let error = folder.refused(&["learn", "rain.csv", "--graph", "consensus", "--no-confidence"]);
    assert!(error.contains("--graph consensus: ") && error.contains("--no-confidence"), "{error}");
    let error = folder.refused(&["learn", "rain.csv", "--graph", "all"]);
    assert!(error.contains("best") && error.contains("consensus"), "{error}");
}

#[test]
fn effects_have_intervals_where_there_are_some() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let told = ["--source", "rain", "--bootstrap", "50", "--output", "g.json", "-q"];
    folder.run(&[["learn", "rain.csv"].as_slice(), &told].concat());
    let effects: Value =
        serde_json::from_str(&folder.run(&["effects", "g.json", "--json"])).unwrap();
    assert_eq!(effects["level"], 0.95);
    for effect in effects["effects"].as_array().unwrap() {
        let size = effect["effect"].as_f64().unwrap();
        let ends = effect["interval"].as_array().unwrap();
        assert!(ends[0].as_f64().unwrap() < size && size < ends[1].as_f64().unwrap(), "{effect}");
    }
    assert!(folder.run(&["effects", "g.json"]).contains("95% interval"));
    let one = folder.run(&["effects", "g.json", "--from", "rain", "--to", "slip"]);
    assert!(one.contains(" (95% interval ") && one.contains(" to "), "{one}");
    let none = folder.run(&["effects", "g.json", "--from", "slip", "--to", "rain"]);
    assert!(none.contains("0: there is no directed path"), "{none}");
}

#[test]
fn every_kind_of_graph_and_methods_on_rows_have_support() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let support = |method: &str| {
        let shown = folder.run(&["learn", "rain.csv", "--method", method, "--bootstrap", "4"]);
        shown.lines().find(|line| line.starts_with("Sure")).unwrap().to_string()
    };
    for method in ["fges", "mmpc"] {
        let line = support(method);
        assert!(line.contains("2 of 2 edges have a confidence of at least 90%, by 4 "), "{line}");
    }
    assert!(support("cam").contains(" of 2 edges have a confidence "));
}

#[test]
fn a_real_table_is_resampled_too() {
    let folder = Folder::new();
    let data = repository_data("sachs.csv");
    let shown = folder.run(&["learn", &data, "--prune", "bic", "--bootstrap", "20"]);
    assert!(shown.contains(" at least 90%, by 20 resampled tables"), "{shown}");
}

#[test]
fn confidence_is_shown_without_being_asked_for() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let told = folder.run(&["learn", "rain.csv", "--error-shape"]);
    assert!(
        told.contains("the shape of errors tells 2. At ") && told.contains("2 are likely"),
        "{told}"
    );
    let plain = ["learn", "rain.csv", "--output", "g.json", "--output"];
    let shown = folder.run(&[plain.as_slice(), &["g.csv"]].concat());
    assert!(shown.contains(" by 100 resampled tables"), "{shown}");
    assert!(shown.contains("undetermined") && !shown.contains("100%"), "{shown}");
    let document = folder.json("g.json");
    assert_eq!(document["bootstrap"]["asked"], 100);
    for edge in document["edges"].as_array().unwrap() {
        assert_eq!(edge["confidence"]["adjacent_frequency"], 100.5 / 101.0, "{edge}");
        assert_eq!(edge["direction"], "undetermined", "{edge}");
    }
    assert!(folder.text("g.csv").starts_with("from,to,weight,direction,confidence_adjacent,"));
    let none = folder.run(&["learn", "rain.csv", "--no-confidence"]);
    assert!(!none.contains("resampled") && none.contains("was not measured"), "{none}");
    let gaussian = folder.run(&["learn", "rain.csv", "--missing", "em", "--bootstrap", "9"]);
    assert!(gaussian.contains("by 9 resampled tables (of a Gaussian law"), "{gaussian}");
}

#[test]
fn tables_that_fail_are_told() {
    let folder = Folder::new();
    let mut table = String::from("a,rare\n");
    (0..12).for_each(|i| table += &format!("{},{}\n", i * i % 7, u8::from(i == 5)));
    folder.write("rare.csv", table);
    let shown = folder.run(&["learn", "rare.csv", "--bootstrap", "40", "--output", "g.json"]);
    let failed = folder.json("g.json")["bootstrap"]["failed"].as_u64().unwrap();
    assert!(failed > 0);
    assert!(shown.contains(&format!("{failed} of 40 resampled tables could not")), "{shown}");
    assert!(shown.contains("`rare`"), "{shown}");
}

#[test]
fn bad_requests_are_refused() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    for number in ["0", "1", "1000001", "18446744073709551615"] {
        let line = folder.refused(&["learn", "rain.csv", "--bootstrap", number]);
        assert!(line.contains(&format!("--bootstrap {number}: between 2 and 1000000")), "{line}");
    }
    for number in ["-5", "many", "2.5"] {
        let line = folder.refused(&["learn", "rain.csv", "--bootstrap", number]);
        assert!(line.contains("--bootstrap"), "{line}");
    }
    for seconds in ["0", "-1", "NaN", "inf"] {
        let line = folder.refused(&["learn", "rain.csv", "--confidence-seconds", seconds]);
        assert!(line.contains("a positive number of seconds"), "{line}");
        assert!(line.contains("--no-confidence"), "{line}");
    }
    for level in ["-0.5", "1.5", "NaN"] {
        let line = folder.refused(&["learn", "rain.csv", "--confidence-level", level]);
        assert!(line.contains("--confidence-level") && line.contains("from 0 to 1"), "{line}");
    }
    let line = folder.refused(&["learn", "rain.csv", "--no-confidence", "--bootstrap", "9"]);
    assert!(line.contains("--no-confidence") && line.contains("--bootstrap"), "{line}");
}
