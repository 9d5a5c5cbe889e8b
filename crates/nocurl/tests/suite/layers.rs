//! Rooms of the engine depend on each other in one direction only.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: a room may use those before it and itself.
const ROOMS: [&str; 6] = ["core", "math", "methods", "pipeline", "model", "analysis"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// What a source names after `crate::`, outside of comments.
fn named(text: &str) -> Vec<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .filter_map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next())
        .collect()
}

/// The rooms that a source in this room must not name.
fn wrong<'a>(room: &str, text: &'a str) -> Vec<&'a str> {
    let allowed = ROOMS.iter().position(|&other| other == room).unwrap();
    let is_wrong = |name: &&str| match ROOMS.iter().position(|other| other == name) {
        Some(at) => at > allowed,
        // A name of the crate's root hides its room.
        None => !name.is_empty(),
    };
    named(text).into_iter().filter(is_wrong).collect()
}

#[test]
fn rooms_depend_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for room in ROOMS {
        for path in sources(&root.join(room)) {
            let text = fs::read_to_string(&path).unwrap();
            let wrong = wrong(room, &text);
            assert!(wrong.is_empty(), "{} names {wrong:?}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 80, "only {seen} files were looked at");
    let in_no_room: Vec<_> = sources(&root)
        .into_iter()
        .filter(|path| path.parent() == Some(&root) && !path.ends_with("lib.rs"))
        .collect();
    assert!(in_no_room.is_empty(), "{in_no_room:?} are in no room");
}

#[test]
fn a_wrong_direction_is_found() {
    assert_eq!(wrong("core", "use crate::math::linalg;\n"), ["math"]);
    assert_eq!(
        wrong("math", "use crate::core::Dag;\nlet x = crate::Options::default();"),
        ["Options"]
    );
    assert!(wrong("analysis", "// crate::nowhere\nuse crate::pipeline::learn;").is_empty());
}
