//! What comes from others: licences, sources and duplicates against `deny.toml`, and the notices
//! that go with the program and the wheel.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::root;

/// Packages that are shipped to users.
const SHIPPED: [&str; 2] = ["nocurl-cli", "nocurl-py"];

/// Where the notices are kept, and compiled in from.
const NOTICES: &str = "crates/nocurl-app/data/third-party.txt";

/// The licence of the font that pictures are drawn with.
const FONT: &str = "crates/nocurl-render/font/LICENSE-OFL.txt";

/// Checks licences, sources and duplicates, and that the notices are those of the lock file.
pub(crate) fn check() -> Result<()> {
    let metadata = metadata()?;
    let rules: toml::Table = toml::from_str(&fs::read_to_string(root().join("deny.toml"))?)?;
    let mut wrong = licences(&metadata, &rules);
    wrong.extend(sources(&metadata, &rules));
    wrong.extend(duplicates(&metadata, &rules));
    let kept = fs::read_to_string(root().join(NOTICES)).unwrap_or_default();
    if kept != notices(&metadata)? {
        wrong.push(format!("{NOTICES} is stale: run `cargo xtask notices`"));
    }
    if wrong.is_empty() { Ok(()) } else { bail!("deny.toml:\n{}", wrong.join("\n")) }
}

/// Writes the notices anew.
pub(crate) fn write_notices() -> Result<()> {
    let path = root().join(NOTICES);
    fs::create_dir_all(path.parent().context("it is in a folder")?)?;
    Ok(fs::write(path, notices(&metadata()?)?)?)
}

fn metadata() -> Result<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked", "--all-features"]);
    let output = command.current_dir(root()).output()?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn is_foreign(package: &&Value) -> bool {
    package["source"].is_string()
}

fn label(package: &Value) -> String {
    format!("{} {}", text(package, "name"), text(package, "version"))
}

fn list<'a>(rules: &'a toml::Table, section: &str, name: &str) -> Vec<&'a str> {
    let found = rules.get(section).and_then(|section| section.get(name));
    found.and_then(toml::Value::as_array).into_iter().flatten().filter_map(|v| v.as_str()).collect()
}

fn licences(metadata: &Value, rules: &toml::Table) -> Vec<String> {
    let allowed: BTreeSet<&str> = list(rules, "licenses", "allow").into_iter().collect();
    packages(metadata)
        .filter(|package| !permits(text(package, "license"), &allowed))
        .map(|p| format!("{}: the licence `{}` is not allowed", label(p), text(p, "license")))
        .collect()
}

/// Whether an expression of licences can be met by those allowed.
fn permits(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    // `AND` binds tighter than `OR`; brackets, where there are any, stand around a choice.
    if let Some(inside) = expression.strip_prefix('(')
        && let Some((choice, rest)) = inside.split_once(')')
    {
        let rest = rest.trim().strip_prefix("AND ");
        return permits(choice, allowed) && rest.is_none_or(|rest| permits(rest, allowed));
    }
    expression
        .split(" OR ")
        .any(|choice| choice.split(" AND ").all(|one| allowed.contains(one.trim())))
}

fn sources(metadata: &Value, rules: &toml::Table) -> Vec<String> {
    let known = list(rules, "sources", "allow-registry");
    let stranger = |package: &&Value| {
        let source = text(package, "source").strip_prefix("registry+").unwrap_or("elsewhere");
        !known.contains(&source)
    };
    let foreign = packages(metadata).filter(is_foreign).filter(stranger);
    foreign.map(|p| format!("{}: it comes from {}", label(p), text(p, "source"))).collect()
}

/// Versions of a package beside its newest one that are not on the list, and entries of the list
/// that are gone.
fn duplicates(metadata: &Value, rules: &toml::Table) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages(metadata) {
        versions.entry(text(package, "name")).or_default().push(text(package, "version"));
    }
    let number = |version: &&str| -> Vec<u64> {
        version.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0)).collect()
    };
    let mut older = BTreeSet::new();
    for (name, found) in &mut versions {
        found.sort_by_key(number);
        found.pop();
        older.extend(found.iter().map(|version| format!("{name}@{version}")));
    }
    let listed: BTreeSet<String> =
        list(rules, "bans", "skip").into_iter().map(String::from).collect();
    let more = older.difference(&listed).map(|one| format!("{one}: there is a newer version too"));
    let gone = listed.difference(&older).map(|one| format!("{one}: it is on the list, and gone"));
    more.chain(gone).collect()
}

/// The packages in what is shipped, ourselves left out.
fn shipped(metadata: &Value) -> Vec<&Value> {
    let nodes = metadata["resolve"]["nodes"].as_array();
    let nodes: BTreeMap<&str, &Value> =
        nodes.into_iter().flatten().map(|node| (text(node, "id"), node)).collect();
    let roots = packages(metadata).filter(|package| SHIPPED.contains(&text(package, "name")));
    let mut open: Vec<&str> = roots.map(|package| text(package, "id")).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            // What tests and build scripts use is not in the program.
            if kinds.into_iter().any(|kind| kind["kind"].is_null()) {
                open.push(text(dependency, "pkg"));
            }
        }
    }
    let mut found: Vec<&Value> = packages(metadata)
        .filter(is_foreign)
        .filter(|package| seen.contains(text(package, "id")))
        .collect();
    found.sort_by_key(|package| label(package));
    found
}

/// One text with all packages, and every licence text once.
fn notices(metadata: &Value) -> Result<String> {
    let mut out = String::from(
        "nocurl is built from the work of others. Each package below is used under the licence\n\
         named with it; where it offers a choice, under the first of MIT, Apache-2.0, BSD, Zlib and\n\
         others that it offers.\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    texts.insert(
        fs::read_to_string(root().join(FONT))?.trim().to_string(),
        vec!["the font of pictures (OFL-1.1)".into()],
    );
    for package in shipped(metadata) {
        let chosen = choice(text(package, "license"));
        let folder = Path::new(text(package, "manifest_path")).parent().map(PathBuf::from);
        let found = folder.map(|folder| licence_texts(&folder, chosen)).transpose()?;
        let mut words = found.unwrap_or_default().join("\n\n");
        if words.is_empty() {
            let authors = package["authors"].as_array().into_iter().flatten();
            let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
            let repository = text(package, "repository");
            words = format!(
                "{chosen}. Its package holds no text of the licence. Authors: {}. {repository}",
                if authors.is_empty() { "see its repository".into() } else { authors.join(", ") }
            );
        }
        texts.entry(words).or_default().push(format!("{} ({chosen})", label(package)));
    }
    let mut sections: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(words, names)| (names, words)).collect();
    sections.sort();
    for (names, words) in sections {
        out += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join("\n"), words);
    }
    Ok(out)
}

/// The licence that is used of those a package offers.
fn choice(expression: &str) -> &str {
    let offered = |name: &str| expression.split([' ', '/', '(', ')']).any(|word| word == name);
    if expression.contains(" AND ") || expression.contains(" WITH ") && !offered("MIT") {
        return expression;
    }
    let order = ["MIT", "Apache-2.0", "BSD-3-Clause", "BSD-2-Clause", "Zlib"];
    order.into_iter().find(|name| offered(name)).unwrap_or(expression)
}

/// Texts of the chosen licence in the folder of a package, and notices.
fn licence_texts(folder: &Path, chosen: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| {
            let name = name.to_lowercase();
            ["license", "licence", "copying", "notice", "unlicense"]
                .iter()
                .any(|w| name.starts_with(w))
        })
        .collect();
    names.sort();
    let word = chosen.split('-').next().unwrap_or(chosen).to_lowercase();
    let own: Vec<&String> =
        names.iter().filter(|name| name.to_lowercase().contains(&word)).collect();
    let notice = |name: &&String| name.to_lowercase().starts_with("notice");
    let chosen: Vec<&String> = match own.is_empty() {
        true => names.iter().collect(),
        false => own.into_iter().chain(names.iter().filter(notice)).collect(),
    };
    let mut texts = Vec::new();
    for name in chosen {
        let path = folder.join(name);
        if path.is_file() {
            let lines = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            // Line ends and trailing blanks differ between copies of one text.
            let lines: Vec<&str> = lines.lines().map(str::trim_end).collect();
            texts.push(lines.join("\n").trim().to_string());
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences_are_understood() {
        let allowed: BTreeSet<&str> = ["MIT", "Unicode-3.0", "BSD-3-Clause"].into();
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "BSD-3-Clause AND MIT",
        ] {
            assert!(permits(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND GPL-2.0", "MITx"] {
            assert!(!permits(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn a_duplicate_that_nobody_listed_is_named() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "a", "version": "1.10.0" }, { "name": "a", "version": "1.9.0" },
            { "name": "b", "version": "2.0.0" },
        ] });
        let rules = |skip: &str| toml::from_str(&format!("[bans]\nskip = [{skip}]")).unwrap();
        assert_eq!(duplicates(&metadata, &rules("\"a@1.9.0\"")), [""; 0]);
        assert_eq!(duplicates(&metadata, &rules("")), ["a@1.9.0: there is a newer version too"]);
        let gone = duplicates(&metadata, &rules("\"a@1.9.0\", \"c@1.0.0\""));
        assert_eq!(gone, ["c@1.0.0: it is on the list, and gone"]);
    }
}
