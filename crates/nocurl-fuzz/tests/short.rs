//! Kept files, and a number of new ones for each reader: no crash, one line for each refusal, both
//! readers agree. What is made depends on the seed alone; `cargo xtask fuzz` makes more.

use nocurl_fuzz::TARGETS;

/// Files that are made for each target: well below a minute for all of them.
const FILES: u64 = 4000;

fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let corpus = target.corpus();
    for bytes in &corpus {
        let outcome = target.read(bytes.clone());
        assert_eq!(outcome.finding, None, "a kept file");
    }
    let mut accepted = 0;
    for number in 0..FILES {
        let outcome = target.run(&corpus, 7, number);
        assert_eq!(outcome.finding, None, "file {number}: {}", outcome.bytes.escape_ascii());
        accepted += usize::from(outcome.accepted);
    }
    // Files that are all refused at once would test little.
    assert!(accepted > 10 || name == "checkpoint" || name == "grid", "{accepted} were accepted");
}

#[test]
fn parquet() {
    check("parquet");
}

#[test]
fn arrow() {
    check("arrow");
}

#[test]
fn npy() {
    check("npy");
}

#[test]
fn csv() {
    check("csv");
}

#[test]
fn packed() {
    check("packed");
}

#[test]
fn xlsx() {
    check("xlsx");
}

#[test]
fn ods() {
    check("ods");
}

#[test]
fn zip() {
    check("zip");
}

#[test]
fn jsonl() {
    check("jsonl");
}

#[test]
fn moments() {
    check("moments");
}

#[test]
fn graph() {
    check("graph");
}

#[test]
fn knowledge() {
    check("knowledge");
}

#[test]
fn grid() {
    check("grid");
}

#[test]
fn checkpoint() {
    check("checkpoint");
}
