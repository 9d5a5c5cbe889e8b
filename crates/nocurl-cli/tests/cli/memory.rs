//! What would take more memory than there is, is refused before it is taken.

use crate::{Folder, chain};

/// A table of this many columns, and of as many rows as are given, each of one digit.
fn wide(columns: usize, rows: &[&str]) -> String {
    let names: Vec<String> = (0..columns).map(|j| format!("v{j}")).collect();
    let mut text = names.join(",") + "\n";
    for digit in rows {
        text += &(vec![*digit; columns].join(",") + "\n");
    }
    text
}

#[test]
fn too_many_columns_are_refused_when_the_header_is_read() {
    let folder = Folder::new();
    // A cell that would be refused, were it read.
    folder.write("wide.csv", wide(3000, &["1", "2", "oops"]));
    let told = folder.refused(&["learn", "wide.csv", "--memory", "200MB", "--threads", "2"]);
    assert!(told.starts_with("learning from 3000 columns takes up to "), "{told}");
    assert!(told.contains("and 191 MiB are there: at most "), "{told}");
    assert!(told.contains(" columns fit: choose fewer columns with --columns"), "{told}");
    assert!(told.ends_with("or raise --memory"), "{told}");
    let nocurl = ["learn", "wide.csv", "--method", "nocurl", "--memory", "200MB"];
    let told = folder.refused(&nocurl);
    assert!(told.starts_with("learning from 3000 columns takes up to "), "{told}");
    let told = folder.refused(&["learn", "wide.csv", "--method", "exact"]);
    assert!(told.contains("at most 29 variables, the data has 3000"), "{told}");
}

#[test]
fn as_many_columns_as_are_said_to_fit_do() {
    let folder = Folder::new();
    folder.write("wide.csv", wide(3000, &["1"]));
    let command = ["--memory", "200MB", "--threads", "1"];
    let told = folder.refused(&[&["learn", "wide.csv"], &command[..]].concat());
    let most = told.split("at most ").nth(1).and_then(|rest| rest.split(' ').next());
    let most: usize = most.unwrap().parse().unwrap();
    for (columns, words) in [(most, "infinite"), (most + 1, "columns fit")] {
        folder.write("wide.csv", wide(columns, &["1", "inf"]));
        let told = folder.refused(&[&["learn", "wide.csv"], &command[..]].concat());
        assert!(told.contains(words), "{columns}: {told}");
    }
}

#[test]
fn rows_that_must_be_kept_are_counted_while_they_are_read() {
    let folder = Folder::new();
    let table = ["simulate", "--variables", "5", "--rows", "300000", "-q", "--output"];
    for name in ["x.csv", "x.npy"] {
        folder.run(&[&table[..], &[name]].concat());
        let told = folder.refused(&["learn", name, "--method", "cam", "--memory", "30MB"]);
        assert!(told.contains("rows of 5 columns takes up to"), "{told}");
        assert!(told.contains("rows fit"), "{told}");
        folder.run(&["learn", name, "--method", "eq-td", "--memory", "60MB", "-q"]);
    }
}

#[test]
fn parameters_count_too() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let command = ["learn", "rain.csv", "--method", "notears-mlp", "--param"];
    let told = folder.refused(&[&command[..], &["hidden=4294967296"]].concat());
    assert!(told.contains("not even two columns fit; or use --method order-search"), "{told}");
}

#[test]
fn the_plan_is_shown_and_sizes_are_checked() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let shown = folder.run(&["learn", "rain.csv", "--verbose", "--memory", "1GiB"]);
    assert!(shown.contains("of 1.0 GiB that are there (data "), "{shown}");
    for size in ["much", "-1", "0", "1e99"] {
        let told = folder.refused(&["learn", "rain.csv", "--memory", size]);
        assert!(told.contains("give a size such as 4GiB"), "{told}");
    }
}

/// Under a limit of address space, as the review of a table of 20,000 columns had it.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_system_is_seen() {
    let folder = Folder::new();
    folder.write("wide.csv", wide(20_000, &["1", "2", "3"]));
    let program = assert_cmd::cargo::cargo_bin("nocurl");
    let script = format!("ulimit -v 3000000; exec '{}' learn wide.csv", program.display());
    let mut command = std::process::Command::new("sh");
    let output = command.args(["-c", &script]).current_dir(folder.path(".")).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("learning from 20000 columns takes up to"), "{told}");
}

/// Under limits that no estimate knows, from none of the work to all of it: an exit code of 0 or 1
/// and a line about memory, never a crash and never a word against the input.
#[cfg(target_os = "linux")]
#[test]
fn an_end_of_memory_anywhere_is_no_crash() {
    let folder = Folder::new();
    let table = ["simulate", "--variables", "60", "--rows", "4000", "-q", "--output"];
    folder.run(&[&table[..], &["x.npy"]].concat());
    let learn = "learn x.npy --method nocurl --no-confidence --no-diagnosis --memory 9GB -q";
    let program = assert_cmd::cargo::cargo_bin("nocurl");
    let mut codes = Vec::new();
    for mebibytes in (60..460).step_by(25).chain([4000]) {
        let command = format!("ulimit -v {}; exec {} {learn}", mebibytes << 10, program.display());
        let mut shell = std::process::Command::new("sh");
        let shell = shell.args(["-c", &command]).current_dir(folder.path("."));
        let output = shell.env_remove("RUST_BACKTRACE").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{mebibytes} MiB: {code:?}: {told}");
        assert!(code == Some(0) || told.contains("memory"), "{mebibytes} MiB: {told}");
        codes.push(code);
    }
    assert_eq!(codes.first(), Some(&Some(1)));
    assert_eq!(codes.last(), Some(&Some(0)));
}
