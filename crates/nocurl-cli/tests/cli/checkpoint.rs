//! Trainings that are kept in a file.

use crate::Folder;

/// A table of five columns.
fn table(folder: &Folder, name: &str, seed: &str) {
    let flags = ["--variables", "5", "--rows", "200", "--mechanism", "dag-gnn-2"];
    let output = ["simulate", "--quiet", "--output", name, "--seed", seed];
    folder.run(&[&output[..], &flags[..]].concat());
}

const METHOD: [&str; 8] = [
    "--method",
    "nocurl-gnn",
    "--param",
    "estimate_epochs=20",
    "--param",
    "epochs=20",
    "--param",
    "hidden=8",
];

fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["learn", "x.csv", "--quiet"], &METHOD[..], arguments].concat()
}

fn result(folder: &Folder, name: &str) -> serde_json::Value {
    let mut document = folder.json(name);
    document["elapsed_seconds"] = 0.into();
    document
}

#[test]
fn a_finished_training_is_kept_and_gives_the_same_result_at_once() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    folder.run(&with(&["--output", "plain.json"]));
    folder.run(&with(&["--output", "first.json", "--checkpoint", "run.state"]));
    let kept = folder.text("run.state");
    assert_eq!(kept.lines().count(), 2);
    folder.run(&with(&["--output", "again.json", "--checkpoint", "run.state"]));
    assert_eq!(folder.text("run.state"), kept);
    assert_eq!(result(&folder, "first.json"), result(&folder, "plain.json"));
    assert_eq!(result(&folder, "again.json"), result(&folder, "plain.json"));
    // Steps after the training may be others.
    folder.run(&with(&["--threshold", "0.5", "--checkpoint", "run.state"]));
}

#[test]
fn networks_for_each_variable_are_kept_too() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    for method in ["notears-mlp", "nocurl-mlp"] {
        let state = format!("{method}.state");
        let learn = |more: &[&str]| {
            let arguments =
                ["learn", "x.csv", "--quiet", "--method", method, "--param", "hidden=4"];
            folder.run(&[&arguments[..], more].concat());
        };
        learn(&["--output", "plain.json"]);
        learn(&["--output", "first.json", "--checkpoint", &state]);
        let kept = folder.text(&state);
        learn(&["--output", "again.json", "--checkpoint", &state]);
        assert_eq!(folder.text(&state), kept);
        assert_eq!(result(&folder, "first.json"), result(&folder, "plain.json"));
        assert_eq!(result(&folder, "again.json"), result(&folder, "plain.json"));
    }
}

#[test]
fn a_search_over_orders_is_kept_too() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    // Levels are counted or coded, and beyond 200 variables the search is another.
    folder.run(&[
        "simulate",
        "--quiet",
        "--variables",
        "8",
        "--categorical",
        "0.4",
        "--rows",
        "150",
        "--output",
        "levels.csv",
    ]);
    folder.run(&[
        "simulate",
        "--quiet",
        "--variables",
        "210",
        "--degree",
        "2",
        "--rows",
        "60",
        "--output",
        "wide.csv",
    ]);
    for name in ["x.csv", "levels.csv", "wide.csv"] {
        let state = format!("{name}.state");
        let learn = |more: &[&str]| {
            folder.run(&[&["learn", name, "--quiet", "--no-confidence"], more].concat());
        };
        learn(&["--output", "plain.json"]);
        learn(&["--output", "first.json", "--checkpoint", &state]);
        let kept = folder.text(&state);
        learn(&["--output", "again.json", "--checkpoint", &state]);
        assert_eq!(folder.text(&state), kept, "{name}");
        assert_eq!(result(&folder, "first.json"), result(&folder, "plain.json"), "{name}");
        assert_eq!(result(&folder, "again.json"), result(&folder, "plain.json"), "{name}");
    }
    let told = folder.refused(&["learn", "x.csv", "--seed", "3", "--checkpoint", "x.csv.state"]);
    assert!(told.contains("its seed is 0, not 3"), "{told}");
}

#[test]
fn what_does_not_fit_is_refused_and_left_alone() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    table(&folder, "y.csv", "2");
    folder.run(&with(&["--checkpoint", "run.state"]));
    let kept = folder.text("run.state");
    let refused = |arguments: &[&str]| {
        let told = folder.refused(&[arguments, &["--checkpoint", "run.state"]].concat());
        assert_eq!(folder.text("run.state"), kept);
        assert!(told.ends_with("; delete it or name another file to start afresh"), "{told}");
        told
    };
    let other = [&["learn", "y.csv"], &METHOD[..]].concat();
    assert!(
        refused(&other).contains("`run.state`: the checkpoint does not fit: it is of other data")
    );
    assert!(refused(&with(&["--param", "epochs=21"])).contains("its epochs is 20, not 21"));
    assert!(refused(&with(&["--seed", "3"])).contains("its seed is 0, not 3"));
    assert!(refused(&with(&["--no-center"])).contains("its center is true, not false"));
    assert!(refused(&with(&["--forbid", "x1,x2"])).contains("prior knowledge"));
    assert!(refused(&with(&["--columns", "x1,x2,x3"])).contains("other data"));
    let method = ["learn", "x.csv", "--method", "dag-gnn"];
    assert!(refused(&method).contains("its method is \"nocurl-gnn\", not \"dag-gnn\""));
}

#[test]
fn a_damaged_file_is_refused() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    folder.run(&with(&["--checkpoint", "run.state"]));
    let kept = folder.text("run.state");
    let digit = kept.rfind('7').unwrap();
    let changed = format!("{}8{}", &kept[..digit], &kept[digit + 1..]);
    for (content, reason) in [
        (changed, "its digest is wrong"),
        (kept[..kept.len() / 2].to_string(), "it is cut short"),
        (String::new(), "it is cut short"),
        ("a,b\n1,2\n".into(), "its first line is not JSON"),
        ("{}\n{}\n".into(), "it has no schema"),
        (kept.replacen("checkpoint/1", "checkpoint/9", 1), "its schema is nocurl/checkpoint/9"),
        (kept.replacen("\"version\":\"", "\"version\":\"9", 1), "it is of nocurl 9"),
    ] {
        folder.write("run.state", &content);
        let told = folder.refused(&with(&["--checkpoint", "run.state"]));
        assert!(told.contains(reason), "{told}");
        assert_eq!(folder.text("run.state"), content);
    }
}

#[test]
fn checkpoints_are_refused_where_they_make_no_sense() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    let told = folder.refused(&["learn", "x.csv", "--method", "fges", "--checkpoint", "run.state"]);
    assert_eq!(
        told,
        "--checkpoint: the work of method `fges` cannot be kept; leave it out, or use --method \
         order-search or --method dag-gnn or --method nocurl-gnn or --method notears-mlp or --method \
         nocurl-mlp or --method nonlinear or --method gran-dag or --method nocurl-gran"
    );
    for (flags, reason) in [
        (vec!["--checkpoint", "x.csv"], "is also the table"),
        (vec!["--checkpoint", "g.json", "--output", "g.json"], "are one file"),
        (vec!["--checkpoint", "none/run.state"], "no folder"),
        (vec!["--checkpoint", "run.state", "--bootstrap", "2"], "--bootstrap"),
    ] {
        let told = folder.refused(&with(&flags));
        assert!(told.contains(reason), "{told}");
    }
    assert_eq!(folder.files(), ["x.csv"]);
}

#[test]
fn bad_tables_are_refused_before_training() {
    let folder = Folder::new();
    folder.write("few.csv", "a,b\n1,2\n2,1\n3,5\n");
    let told = folder.refused(&["learn", "few.csv", "--method", "nocurl-gnn"]);
    assert!(told.contains("`batch` is 100: the table has fewer rows"), "{told}");
    folder.write("gaps.csv", "a,b\n1,2\n,1\n3,5\n");
    let told = folder.refused(&["learn", "gaps.csv", "--method", "dag-gnn"]);
    assert!(told.contains("has no value in row 2"), "{told}");
    folder.write("constant.csv", "a,b\n1,2\n1,1\n1,5\n");
    let told = folder.refused(&["learn", "constant.csv", "--method", "dag-gnn"]);
    assert!(told.contains("left out `a` (one value)"), "{told}");
}

#[test]
fn a_training_that_diverges_leaves_what_was_good() {
    let folder = Folder::new();
    table(&folder, "x.csv", "1");
    let flags = ["--param", "learning_rate=1e9", "--checkpoint", "run.state"];
    let told = folder.refused(&with(&flags));
    assert!(told.starts_with("training broke down: the loss "), "{told}");
    assert!(told.ends_with("the 0 epochs before are kept in `run.state`"), "{told}");
    assert!(folder.files().contains(&"run.state".to_string()));
}

#[cfg(unix)]
mod stopped {
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use super::*;

    fn start(folder: &Folder, arguments: &[&str]) -> Child {
        crate::interrupt::hearing()
            .args(arguments)
            .current_dir(folder.path("."))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn interrupt(child: Child) -> (Option<i32>, String) {
        signalled(child, "-INT")
    }

    fn signalled(child: Child, signal: &str) -> (Option<i32>, String) {
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        let output = child.wait_with_output().unwrap();
        assert!(sent.unwrap().success() || output.status.success());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    #[test]
    fn ctrl_c_keeps_the_training() {
        let folder = Folder::new();
        table(&folder, "x.csv", "1");
        let flags =
            ["--param", "epochs=100000000", "--checkpoint", "run.state", "--output", "g.json"];
        let child = start(&folder, &with(&flags));
        std::thread::sleep(Duration::from_millis(700));
        let (code, told) = interrupt(child);
        assert_eq!(code, Some(130), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.starts_with("error: interrupted: "), "{told}");
        assert!(
            told.contains("kept in `run.state`; run the same command again to go on"),
            "{told}"
        );
        assert_eq!(folder.files(), ["run.state", "x.csv"]);
    }

    #[test]
    fn a_request_to_end_keeps_the_training_too() {
        let folder = Folder::new();
        table(&folder, "x.csv", "1");
        let flags = ["--param", "epochs=100000000", "--checkpoint", "run.state"];
        let child = start(&folder, &with(&flags));
        std::thread::sleep(Duration::from_millis(700));
        // Meanwhile nobody else may have the file.
        let told = folder.refused(&with(&flags));
        assert!(told.contains("`run.state` is in use by process"), "{told}");
        assert!(told.contains(&child.id().to_string()), "{told}");
        let (code, told) = signalled(child, "-TERM");
        assert_eq!(code, Some(143), "{told}");
        assert!(told.contains("kept in `run.state`"), "{told}");
        assert_eq!(folder.files(), ["run.state", "x.csv"]);
    }

    #[test]
    fn an_interrupted_training_ends_as_one_that_was_not() {
        let folder = Folder::new();
        table(&folder, "x.csv", "1");
        let epochs = ["--param", "epochs=3000"];
        let command = |more: &[&'static str]| with(&[&epochs[..], more].concat());
        folder.run(&command(&["--output", "plain.json"]));
        let kept = command(&["--output", "g.json", "--checkpoint", "run.state"]);
        // Three times stopped, unless it is done before; then to the end.
        for _ in 0..3 {
            let child = start(&folder, &kept);
            std::thread::sleep(Duration::from_millis(150));
            interrupt(child);
        }
        folder.run(&kept);
        assert_eq!(result(&folder, "g.json"), result(&folder, "plain.json"));
    }
}
