//! Engine, files and application speak of actions as values: no flag stands in their text.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// True for text in which two dashes and a letter begin a word, as flags do.
fn has_flag(text: &str) -> bool {
    text.match_indices("--").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '-')
            && after.is_some_and(|c| c.is_ascii_lowercase())
    })
}

/// The string literals of a file, with the line each begins at; comments are skipped.
fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let (mut line, mut rest) = (1, source);
    while let Some(c) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("'\"'") || rest.starts_with("b'\"'") {
            rest.find("\"'").unwrap() + 2
        } else if let Some(raw) = rest.strip_prefix("r#\"") {
            let end = raw.find("\"#").unwrap();
            found.push((line, raw[..end].to_string()));
            end + 5
        } else if c == '"' {
            let mut end = 1;
            while !rest[end..].starts_with('"') {
                let escaped = rest[end..].starts_with('\\');
                end += if escaped { 1 } else { 0 };
                end += rest[end..].chars().next().unwrap().len_utf8();
            }
            found.push((line, rest[1..end].to_string()));
            end + 1
        } else {
            c.len_utf8()
        };
        line += rest[..taken].matches('\n').count();
        rest = &rest[taken..];
    }
    found
}

#[test]
fn literals_and_flags_are_seen() {
    let source = "// \"--no\"\nlet a = \"x \\\" --drop\";\nlet b = '\"'; // \"--b\"\nf(r#\"--c\"#, \"a--b\");";
    let found = literals(source);
    let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 4, 4]);
    let flags: Vec<bool> = found.iter().map(|(_, text)| has_flag(text)).collect();
    assert_eq!(flags, [true, true, false]);
    assert!(has_flag("use\n--missing em") && has_flag("(--drop)") && !has_flag("a -- b"));
}

#[test]
fn no_flag_stands_in_the_text_of_engine_files_and_application() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut literal_count = 0;
    for name in ["nocurl", "nocurl-io", "nocurl-app"] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        assert!(files.len() > 3, "{name}");
        for file in files {
            for (line, text) in literals(&fs::read_to_string(&file).unwrap()) {
                literal_count += 1;
                assert!(!has_flag(&text), "{}:{line}: {text}", file.display());
            }
        }
    }
    assert!(literal_count > 500, "{literal_count}");
}
