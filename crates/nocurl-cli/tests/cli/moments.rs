//! `nocurl moments`: a table in several files.

use crate::Folder;

fn table(from: usize, count: usize) -> String {
    let row = |i: usize| {
        let a = ((i * 37) % 101) as f64;
        let b = 2.0 * a + ((i * 53) % 97) as f64;
        format!("{a},{b},{}\n", b - 3.0 * ((i * 71) % 89) as f64)
    };
    String::from("a,b,c\n") + &(from..from + count).map(row).collect::<String>()
}

#[test]
fn parts_learn_as_the_whole_does() {
    let folder = Folder::new();
    folder.write("one.csv", table(0, 700));
    folder.write("two.csv", table(700, 1));
    folder.write("three.csv", "a,b,c\n");
    folder.write("four.csv", table(701, 299));
    folder.write("all.csv", table(0, 1000));
    let parts = ["one.csv", "two.csv", "three.csv", "four.csv"];
    let command = [&["moments"], &parts[..], &["--output", "m.moments"]].concat();
    assert!(folder.run(&command).contains("1000 rows of 3 variables in 4 parts"));
    folder.run(&["learn", "m.moments", "-q", "-o", "parts.json"]);
    folder.run(&["learn", "all.csv", "-q", "-o", "all.json"]);
    let (one, all) = (folder.json("parts.json"), folder.json("all.json"));
    assert_eq!(one["edges"].as_array().unwrap().len(), all["edges"].as_array().unwrap().len());
    for (a, b) in one["edges"].as_array().unwrap().iter().zip(all["edges"].as_array().unwrap()) {
        assert_eq!((&a["from"], &a["to"]), (&b["from"], &b["to"]));
    }
    // All rows are few enough to be kept, so that checks and resampling see them.
    assert_eq!(one["bootstrap"]["kind"], "rows");
    // Moments of moments, and some of the columns.
    folder.run(&["moments", "m.moments", "four.csv", "-o", "more.moments", "-q"]);
    folder.run(&["learn", "more.moments", "--columns", "c,a"]);
}

#[test]
fn bad_files_are_one_line() {
    let folder = Folder::new();
    folder.write("one.csv", table(0, 50));
    folder.write("other.csv", "a,b,x\n1,2,3\n");
    folder.write("gap.csv", "a,b,c\n1,,3\n");
    folder.run(&["moments", "one.csv", "-o", "m.moments", "-q"]);
    let bytes = std::fs::read(folder.path("m.moments")).unwrap();
    folder.write("cut.moments", &bytes[..bytes.len() / 2]);
    let mut later = bytes.clone();
    later[8] = 7;
    folder.write("later.moments", later);
    folder.write("text.moments", "a,b\n1,2\n");
    let cases: [(&[&str], &str); 8] = [
        (&["learn", "cut.moments"], "cut off"),
        (&["learn", "later.moments"], "version 7"),
        (&["learn", "text.moments"], "does not begin as a file of moments"),
        (&["learn", "m.moments", "--columns", "z,a"], "`z`"),
        (&["learn", "m.moments", "--missing", "drop"], "--missing"),
        (&["moments", "one.csv", "other.csv", "-o", "n.moments"], "`other.csv`"),
        (
            &["moments", "one.csv", "gap.csv", "-o", "n.moments", "--missing", "error"],
            "`gap.csv`: ",
        ),
        (&["moments", "one.csv", "-o", "one.csv"], "choose another name"),
    ];
    for (command, words) in cases {
        let text = folder.refused(command);
        assert!(text.contains(words), "{command:?}: {text}");
    }
    assert!(!folder.path("n.moments").exists());
}

/// A table of an experiment in two files, of which each has a condition that the other has not.
fn experiment() -> Folder {
    let folder = Folder::new();
    let arguments = "simulate --variables 5 --degree 2 --rows 150 --interventions single:5 --seed 4 \
                     --standardize --output x.csv --truth truth.json --targets-output t.toml --quiet";
    folder.run(&arguments.split_whitespace().collect::<Vec<_>>());
    let text = std::fs::read_to_string(folder.path("x.csv")).unwrap();
    let (names, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let write =
        |name: &str, rows: &[&str]| folder.write(name, format!("{names}\n{}\n", rows.join("\n")));
    // Conditions stand one after the other, 150 rows each.
    write("one.csv", &rows[..400]);
    write("two.csv", &rows[400..]);
    folder
}

#[test]
fn conditions_are_learnt_from_moments_as_from_rows() {
    let folder = experiment();
    let flags = ["--condition", "condition", "--targets", "t.toml", "-q"];
    let told = ["--condition", "condition", "-q", "-o", "m.moments"];
    folder.run(&[&["moments", "one.csv", "two.csv"], &told[..]].concat());
    folder.run(&[&["learn", "m.moments", "-o", "moments.json"], &flags[..]].concat());
    folder.run(&[&["learn", "x.csv", "-o", "rows.json"], &flags[..]].concat());
    let (one, all) = (folder.json("moments.json"), folder.json("rows.json"));
    let edges = |document: &serde_json::Value| -> Vec<(String, f64)> {
        let all = document["edges"].as_array().unwrap().iter();
        let name = |edge: &serde_json::Value| format!("{} {}", edge["from"], edge["to"]);
        let mut all: Vec<_> = all.map(|e| (name(e), e["weight"].as_f64().unwrap_or(0.0))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    for ((name, weight), (other, expected)) in edges(&one).into_iter().zip(edges(&all)) {
        assert_eq!(name, other);
        assert!((weight - expected).abs() < 1e-9, "{name}: {weight} {expected}");
    }
    assert_eq!(edges(&one).len(), edges(&all).len());
    assert_eq!(one["experiments"]["conditions"][0]["rows"], 150);
    assert_eq!(one["bootstrap"]["kind"], "rows", "all rows are few enough to be kept");
    // Parts made apart, with some of the columns.
    for part in ["one", "two"] {
        let (table, output) = (format!("{part}.csv"), format!("{part}.moments"));
        folder.run(&["moments", &table, "--condition", "condition", "-q", "-o", &output]);
    }
    let again = ["moments", "one.moments", "two.moments", "-q", "-o", "again.moments"];
    folder.run(&again);
    let chosen = ["--columns", "x1,x2,x3", "--condition", "condition", "-q", "-o", "c.json"];
    folder.run(&[&["learn", "again.moments"], &chosen[..]].concat());
    assert_eq!(folder.json("c.json")["experiments"]["conditions"].as_array().unwrap().len(), 6);
}

#[test]
fn bad_conditions_of_moments_are_one_line() {
    let folder = experiment();
    let told = ["--condition", "condition", "-q", "-o", "m.moments"];
    folder.run(&[&["moments", "one.csv", "two.csv"], &told[..]].concat());
    folder.run(&["moments", "one.csv", "-q", "-o", "plain.moments"]);
    folder.write("without.csv", "x1,x2,x3,x4,x5\n1,2,3,4,5\n");
    folder.write("single.csv", "a,b,drug\n1,2,x\n2,1,x\n3,5,x\n4,4,x\n2,2,y\n");
    folder.run(&["moments", "single.csv", "--condition", "drug", "-q", "-o", "single.moments"]);
    let bytes = std::fs::read(folder.path("m.moments")).unwrap();
    folder.write("cut.moments", &bytes[..bytes.len() - 100]);
    let (condition, n) = (["--condition", "condition"], ["-o", "n.moments"]);
    let cases: [(Vec<&str>, &str); 9] = [
        (vec!["learn", "plain.moments", "--condition", "condition"], "do not tell the conditions"),
        (vec!["learn", "m.moments", "--condition", "x1"], "conditions are categories"),
        (vec!["learn", "m.moments", "--condition", "nope"], "`nope`"),
        (
            vec!["learn", "m.moments", "--condition", "condition", "--target", "x1=y9"],
            "no such column",
        ),
        (vec!["learn", "single.moments", "--condition", "drug"], "has one row only"),
        (vec!["learn", "cut.moments"], "cut off"),
        (
            [&["moments", "one.csv", "without.csv"], &condition[..], &n[..]].concat(),
            "`without.csv`",
        ),
        ([&["moments", "plain.moments"], &condition[..], &n[..]].concat(), "`condition` apart"),
        ([&["moments", "m.moments", "one.csv"], &n[..]].concat(), "only one of them tells"),
    ];
    for (command, words) in cases {
        let text = folder.refused(&command);
        assert!(text.contains(words), "{command:?}: {text}");
    }
    assert!(!folder.path("n.moments").exists());
}
