#![cfg(unix)]

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::{Folder, chain};

/// The program, which hears signals: what was ignored at the start stays so, and a test may have been
/// started by a shell that lets its jobs ignore Ctrl-C.
pub(crate) fn hearing() -> Command {
    let program = assert_cmd::cargo::cargo_bin("nocurl");
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Hang-up, interrupt and termination are 1, 2 and 15.
    if ignored.unwrap_or(0) & (1 | 1 << 1 | 1 << 14) == 0 {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP,INT,TERM").arg(program);
    command
}

#[test]
fn ctrl_c_stops_with_one_line_and_writes_nothing() {
    let folder = Folder::new();
    let mut child = hearing()
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
    let child = hearing()
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
    let child = hearing()
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

/// Starts the program and sends it a signal after a while.
fn stopped_by(signal: &str, folder: &Folder, arguments: &[&str]) -> std::process::Output {
    let child = hearing()
        .args(arguments)
        .current_dir(folder.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

const FOREVER: [&str; 6] = ["learn", "rain.csv", "--bootstrap", "1000000", "--output", "g.json"];

#[test]
fn requests_to_end_and_closed_terminals_stop_as_ctrl_c_does() {
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        let folder = Folder::new();
        folder.write("rain.csv", chain());
        let output = stopped_by(signal, &folder, &FOREVER);
        assert_eq!(output.status.code(), Some(code), "{signal}: {output:?}");
        assert_eq!(output.stderr, b"error: interrupted: nothing was written\n");
        assert_eq!(folder.files(), ["rain.csv"]);
    }
}

#[test]
fn a_signal_that_was_ignored_at_the_start_stays_so() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let program = assert_cmd::cargo::cargo_bin("nocurl");
    let script = format!("trap '' HUP INT; exec '{}' {}", program.display(), FOREVER.join(" "));
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    let send = |signal: &str| Command::new("kill").args([signal, &id]).status();
    assert!(send("-HUP").unwrap().success() && send("-INT").unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(300));
    let running = send("-0").unwrap().success();
    assert!(send("-TERM").unwrap().success());
    let code = child.wait().unwrap().code();
    assert_eq!((running, code), (true, Some(143)));
}

#[test]
fn what_a_killed_run_leaves_is_gone_after_the_next() {
    let folder = Folder::new();
    folder.write("rain.csv", chain());
    let waiting = ["learn", "rain.csv", "--quiet", "--output", "g.json"];
    // As after a kill between writing and renaming, and while a training was kept.
    folder.write(".nocurl-Ab12Cd.part", "{ half of");
    folder.write(".nocurl-run.state.lock", "process 1 on another\n");
    folder.run(&waiting);
    assert_eq!(folder.files(), [".nocurl-run.state.lock", "g.json", "rain.csv"]);
    let training = ["--method", "notears-mlp", "--param", "hidden=2", "--checkpoint", "run.state"];
    folder.run(&[&waiting[..], &training[..]].concat());
    assert_eq!(folder.files(), ["g.json", "rain.csv", "run.state"]);
}
