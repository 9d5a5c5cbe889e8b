#![cfg(unix)]

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::{Folder, chain};

#[test]
fn ctrl_c_stops_with_one_line_and_writes_nothing() {
    let folder = Folder::new();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("nocurl"))
        .args(["learn", "-", "--output", "g.json"])
        .current_dir(folder.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Standard input stays open: the program waits for more.
    let mut input = child.stdin.take().unwrap();
    input.write_all(chain().as_bytes()).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let code = child.wait().unwrap().code();
    drop(input);
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(code, Some(130));
    assert_eq!(told, "error: interrupted: nothing was written\n");
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[test]
fn ctrl_c_stops_resampling() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let child = Command::new(assert_cmd::cargo::cargo_bin("nocurl"))
        .args(["learn", "rain.csv", "--bootstrap", "1000000", "--output", "g.json"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(output.stderr, b"error: interrupted: nothing was written\n");
    assert_eq!(folder.files(), ["rain.csv"]);
}

#[test]
fn ctrl_c_keeps_the_finished_trials_of_a_bench() {
    let folder = Folder::new();
    let flags = ["--sizes", "10,100", "--trials", "500", "--methods", "NOTEARS", "--output", "out"];
    let child = Command::new(assert_cmd::cargo::cargo_bin("nocurl"))
        .args(["bench", "paper"])
        .args(flags)
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let rows = || std::fs::read_to_string(folder.path("out/results.csv")).unwrap_or_default();
    while rows().lines().count() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("kept in out") && told.contains("the same command"), "{told}");
    assert!(rows().ends_with('\n') && rows().lines().count() >= 3);
}
