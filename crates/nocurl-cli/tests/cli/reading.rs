//! Reading what people have: gaps by default, matrices, tables in other shapes, parts, knowledge.

use serde_json::{Value, json};

use crate::{Folder, chain};

fn looked(folder: &Folder, arguments: &[&str]) -> Value {
    let all = [&["inspect"], arguments, &["--json"]].concat();
    serde_json::from_str(&folder.run(&all)).unwrap()
}

fn names(found: &Value) -> Vec<&str> {
    found["suspicions"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect()
}

/// The edges of a graph by their ends.
fn edges(graph: &Value) -> Vec<(String, String)> {
    let end = |edge: &Value, name: &str| edge[name].as_str().unwrap().to_string();
    let all = graph["edges"].as_array().unwrap().iter();
    let mut all: Vec<_> = all.map(|edge| (end(edge, "from"), end(edge, "to"))).collect();
    all.sort();
    all
}

/// The chain with this many gaps in its first column.
fn gaps(count: usize) -> String {
    let lines = chain();
    let row = |(i, line): (usize, &str)| match line.split_once(',') {
        Some((_, rest)) if (1..=count).contains(&i) => format!(",{rest}\n"),
        _ => format!("{line}\n"),
    };
    lines.lines().enumerate().map(row).collect()
}

#[test]
fn a_few_gaps_are_dropped_by_default() {
    let folder = Folder::new();
    folder.write("few.csv", gaps(10));
    let shown = folder.run(&["learn", "few.csv", "-o", "g.json", "--no-confidence"]);
    let words = "10 of 200 rows were left out because of missing values (`slip` 10); to estimate \
                 them instead, use --missing em";
    let graph = folder.json("g.json");
    assert_eq!(graph["warnings"][0], words);
    assert!(shown.lines().next().unwrap().contains("in 10 rows that were left out"), "{shown}");
    assert_eq!(graph["parameters"]["missing"], "auto");
    assert_eq!(graph["input"]["missing"], "auto");
    // A run like this one reads in the same way.
    folder.run(&["learn", "few.csv", "--like", "g.json", "-o", "h.json", "--no-confidence"]);
    assert_eq!(folder.json("h.json")["edges"], graph["edges"]);
    let next = looked(&folder, &["few.csv"])["next"]["command"].clone();
    assert_eq!(next, "nocurl learn few.csv");
    assert!(folder.refused(&["learn", "few.csv", "--missing", "error"]).contains("`slip`"));
    folder.write("many.csv", gaps(11));
    assert_eq!(
        folder.refused(&["learn", "many.csv"]),
        "column `slip` has no value in row 1 (line 2), and 11 values are missing in all; --missing \
         drop keeps 189 of 200 rows, --missing em estimates these 11 values"
    );
    // The same of parts, in all of them together.
    folder.write("rest.csv", chain());
    folder.run(&["moments", "many.csv", "rest.csv", "-o", "m.moments", "-q"]);
    folder.run(&["learn", "many.csv", "rest.csv", "--no-confidence", "-q"]);
    assert_eq!(
        folder.refused(&["moments", "many.csv", "-o", "m.moments"]),
        "11 of 200 rows have missing values; --missing drop keeps the other 189"
    );
}

#[test]
fn a_matrix_is_learnt_from() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    folder.run(&["learn", "rain.csv", "-o", "table.json", "--no-confidence"]);
    let rows: Vec<Vec<f64>> = chain()
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let mean = |j: usize| rows.iter().map(|row| row[j]).sum::<f64>() / 200.0;
    let covariance = |i: usize, j: usize| {
        let products = rows.iter().map(|row| (row[i] - mean(i)) * (row[j] - mean(j)));
        products.sum::<f64>() / 199.0
    };
    let line = |i: usize, end: usize, sign: &str| {
        let cells: Vec<String> = (0..end).map(|j| format!("{:.12}", covariance(i, j))).collect();
        cells.join(sign) + "\n"
    };
    let square: String = (0..3).map(|i| line(i, 3, ",")).collect();
    let triangle: String = (0..3).map(|i| line(i, i + 1, "\t")).collect();
    folder.write("square.csv", format!("slip,rain,wet\n{square}"));
    folder.write("tetrad.txt", format!("/covariance\n200\nslip\train\twet\n{triangle}"));
    let table = folder.json("table.json");
    for (file, flags) in [("square.csv", &["--rows", "200"][..]), ("tetrad.txt", &[])] {
        folder.run(&[&["learn", file, "-o", "g.json", "--no-confidence"], flags].concat());
        let graph = folder.json("g.json");
        assert_eq!(edges(&graph), edges(&table), "{file}");
        for (one, other) in
            graph["edges"].as_array().unwrap().iter().zip(table["edges"].as_array().unwrap())
        {
            let weight = |edge: &Value| edge["weight"].as_f64().unwrap();
            assert!((weight(one) - weight(other)).abs() < 1e-6);
        }
        let line = folder.refused(&[&["inspect", file], flags].concat());
        assert!(line.contains("covariance matrix of 200 rows and 3 variables"), "{line}");
        folder.refused(&[&["learn", file, "--method", "lingam"], flags].concat());
        let drop = [&["learn", file, "--missing", "drop"], flags].concat();
        assert!(folder.refused(&drop).contains("--missing"));
    }
    assert_eq!(names(&looked(&folder, &["square.csv"])), ["covariance"]);
    folder.write("other.csv", "a,b\n1,0.5\n0.4,1\n");
    let line = folder.refused(&["learn", "other.csv", "--rows", "50"]);
    assert!(line.contains("it is not symmetric"), "{line}");
    folder.write("other.csv", "a,b\n1,2\n2,1\n");
    let line = folder.refused(&["learn", "other.csv", "--rows", "50"]);
    assert!(line.contains("not positive semidefinite"), "{line}");
}

#[test]
fn rows_may_be_variables() {
    let folder = Folder::new();
    let table = chain();
    folder.write("rain.csv", &table);
    let cells: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let turned = |sign: &str| -> String {
        let head = (1..=200).map(|i| format!("{sign}s{i}")).collect::<String>();
        let row = |j: usize| cells.iter().map(|row| row[j]).collect::<Vec<_>>().join(sign) + "\n";
        format!("gene{head}\n") + &(0..3).map(row).collect::<String>()
    };
    folder.run(&["learn", "rain.csv", "-o", "table.json", "--no-confidence"]);
    folder.write("turned.csv", turned(","));
    folder.write("commas.csv", turned(";").replace('.', ","));
    for file in ["turned.csv", "commas.csv"] {
        let common = ["-o", "g.json", "--no-confidence"];
        folder.run(&[&["learn", file, "--transpose"], &common[..]].concat());
        let graph = folder.json("g.json");
        assert_eq!(graph["edges"], folder.json("table.json")["edges"], "{file}");
        assert_eq!(graph["parameters"]["transpose"], true);
        folder.run(&["learn", file, "--like", "g.json", "-o", "h.json", "--no-confidence"]);
        assert_eq!(folder.json("h.json")["edges"], graph["edges"], "{file}");
    }
    // Genes of few samples: nearly alike, on one scale.
    let level = |i: usize| (i * 37 % 101) as f64;
    let row = |i: usize| {
        let cells = (0..6).map(|j| format!(",{}", level(i) + (i * (7 + j) % 13) as f64));
        format!("g{i}{}\n", cells.collect::<String>())
    };
    folder.write(
        "genes.csv",
        "gene,a,b,c,d,e,f\n".to_string() + &(0..300).map(row).collect::<String>(),
    );
    let found = looked(&folder, &["genes.csv"]);
    assert!(names(&found).contains(&"variables-in-rows"), "{found}");
    let words = found["suspicions"][0]["sentence"].as_str().unwrap();
    assert!(words.contains("--transpose"), "{words}");
    assert!(!names(&looked(&folder, &["rain.csv"])).contains(&"variables-in-rows"));
    folder.write("rain.jsonl", "{\"a\":1,\"b\":2}\n{\"a\":2,\"b\":1}\n");
    let line = folder.refused(&["learn", "rain.jsonl", "--transpose"]);
    assert!(line.contains("only text and sheets"), "{line}");
}

#[test]
fn long_tables_are_recognised() {
    let folder = Folder::new();
    let mut text = String::from("subject,variable,value\n");
    for i in 0..60 {
        for (name, value) in [("height", 160 + i * 7 % 31), ("weight", 60 + i * 5 % 23), ("age", i)]
        {
            text += &format!("s{i},{name},{value}\n");
        }
    }
    folder.write("long.csv", &text);
    let found = looked(&folder, &["long.csv"]);
    let words = found["suspicions"][0]["sentence"].as_str().unwrap();
    assert_eq!(found["suspicions"][0]["name"], "long");
    assert!(
        words.contains("table.pivot(index='subject', columns='variable', values='value')"),
        "{words}"
    );
    folder.write("plain.csv", text.replace("variable,value", "group,score"));
    assert!(!names(&looked(&folder, &["plain.csv"])).contains(&"long"));
}

#[test]
fn a_look_goes_on_where_no_column_can_be_used() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|i| format!("{}.5 mg,{}.25 kg\n", i % 17, i * 3 % 19)).collect();
    folder.write("units.csv", format!("dose,mass\n{rows}"));
    let found = looked(&folder, &["units.csv"]);
    assert_eq!(found["rows"], 60);
    assert_eq!(found["columns"], json!([]));
    let notes = found["notes"].as_array().unwrap();
    assert!(
        notes[0].as_str().unwrap().contains("60 of 60 cells of `dose` are numbers with a unit")
    );
    assert!(folder.run(&["inspect", "units.csv"]).contains("`mass` are numbers with a unit"));
    let line = folder.refused(&["learn", "units.csv"]);
    assert!(
        line.contains("--categorical dose, or leave the column out with --drop dose"),
        "{line}"
    );
    // What to type where lines above the names are in the way.
    folder.write("notes.csv", "1,2,3,4\n5,6,7,8\n".to_string() + &chain());
    let line = folder.refused(&["inspect", "notes.csv"]);
    assert!(line.ends_with("if the lines above the names are notes, use --skip-rows 2"), "{line}");
    folder.run(&["inspect", "notes.csv", "--skip-rows", "2"]);
}

#[test]
fn sentinels_are_found_next_to_gaps() {
    let folder = Folder::new();
    let mut text = String::from("a,b\n");
    for i in 0..200 {
        // Every -999 stands next to a gap.
        text += &match i % 20 {
            0 => "-999,\n".to_string(),
            _ => format!("{}.5,{}.25\n", 40 + i * 7 % 23, i * 3 % 19),
        };
    }
    folder.write("t.csv", text);
    assert!(names(&looked(&folder, &["t.csv"])).contains(&"sentinels"));
    let em = ["learn", "t.csv", "--missing", "em", "-o", "g.json", "--no-confidence"];
    folder.run(&em);
    let graph = folder.json("g.json");
    let checks = graph["diagnosis"].as_array().unwrap().iter();
    let found: Vec<_> = checks.filter(|check| check["check"] == "sentinels").collect();
    assert!(found[0]["sentence"].as_str().unwrap().contains("-999 repeats in `a` (10 rows)"));
}

#[test]
fn files_and_parts_agree_on_types() {
    let folder = Folder::new();
    // Numbers in one file, words in the other; truth values that are 0 and 1 in the other.
    let rows = |cell: &dyn Fn(usize) -> String| {
        (0..40).map(|i| format!("{},{}.5\n", cell(i), i * 7 % 11)).collect::<String>()
    };
    let numbers = format!("a,b\n{}", rows(&|i| (i % 3).to_string()));
    let words = format!("a,b\n{}", rows(&|i| ["x", "y", "z"][i % 3].into()));
    folder.write("numbers.csv", &numbers);
    folder.write("words.csv", &words);
    folder.write("commas.csv", numbers.replace(',', ";").replace('.', ","));
    folder.write(
        "three.csv",
        format!("a;b\n{}", rows(&|i| (i % 3).to_string()).replace(',', ";").replace(".5", ",125")),
    );
    // A column that has no value in any file is left out by both.
    folder.write("hollow.csv", numbers.replace(',', ",,").replacen(",,", ",gap,", 1));
    for parts in [
        ["words.csv", "words.csv"],
        ["numbers.csv", "words.csv"],
        ["commas.csv", "three.csv"],
        ["hollow.csv", "hollow.csv"],
    ] {
        let learn = [&["learn"], &parts[..], &["-o", "g.json", "-q", "--no-confidence"]].concat();
        folder.run(&learn);
        folder.run(&[&["moments"], &parts[..], &["-o", "m.moments", "-q"]].concat());
        folder.run(&["learn", "m.moments", "-o", "h.json", "-q", "--no-confidence"]);
        let (one, other) = (folder.json("g.json"), folder.json("h.json"));
        assert_eq!(one["variables"], other["variables"], "{parts:?}");
        let means = |graph: &Value| graph["means"].as_array().cloned().unwrap_or_default();
        assert_eq!(means(&one).len(), means(&other).len());
        for (a, b) in means(&one).iter().zip(&means(&other)) {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{parts:?}: {a} {b}");
        }
    }
}

#[test]
fn knowledge_about_columns_that_are_not_there() {
    let folder = Folder::new();
    let table = chain();
    let constant: String = table
        .lines()
        .enumerate()
        .map(|(i, line)| {
            format!("{line},{}\n", if i == 0 { "site".into() } else { "3".to_string() })
        })
        .collect();
    folder.write("rain.csv", constant);
    let known = ["--tier", "rain,site", "--tier", "wet,slip", "--forbid", "site,wet"];
    let common = ["learn", "rain.csv", "-o", "g.json", "--no-confidence"];
    folder.run(&[&common[..], &known].concat());
    let graph = folder.json("g.json");
    let words = "prior knowledge about columns that are left out was skipped: `site` (one value)";
    assert!(graph["warnings"].as_array().unwrap().contains(&json!(words)), "{}", graph["warnings"]);
    assert_eq!(edges(&graph).len(), 2);
    folder.run(&[&common[..], &["--drop", "slip"], &known[..]].concat());
    let line = folder.refused(&[&common[..], &["--tier", "rein,snow", "--tier", "wett"]].concat());
    assert_eq!(
        line,
        "prior knowledge names columns that the table does not have: `rein` (did you mean \
         `rain`?), `snow`, `wett` (did you mean `wet`?)"
    );
}
