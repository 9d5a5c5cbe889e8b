//! What conditions act on, from files.

use std::collections::BTreeMap;

use nocurl::experiments::{Intervention, Target};
use serde::Deserialize;

use crate::stack::on_stack;
use crate::{Error, Source, read_text};

const FORMAT: &str = "targets";

/// One name or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

/// The file as written in TOML.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    targets: BTreeMap<String, Names>,
    soft: BTreeMap<String, Names>,
}

/// Reads what conditions act on: TOML with a table `[targets]`, and `[soft]` for those that change
/// weights alone; or CSV with the columns `condition,target` and maybe `kind` (`perfect` or
/// `soft`). Described in `docs/experiments.md`.
///
/// # Errors
/// A file that cannot be read or breaks the rules of its format, with the line.
///
/// ```
/// use nocurl_io::{Source, read_targets};
/// let toml = "[targets]\naktinhib = ['akt']\ncontrol = []\n";
/// let found = read_targets(&Source::bytes("t.toml", toml)).unwrap();
/// let csv = "condition,target\naktinhib,akt\ncontrol,\n";
/// assert_eq!(read_targets(&Source::bytes("t.csv", csv)).unwrap(), found);
/// ```
pub fn read_targets(source: &Source) -> Result<Vec<Target>, Error> {
    let label = source.label();
    let text = read_text(source, FORMAT)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Err(Error::Empty { path: label });
    }
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_csv = first.is_some_and(|line| line.contains(',') && !line.contains(['=', '[']));
    let read = on_stack(|| if is_csv { from_csv(text) } else { from_toml(text) });
    read.map_err(|(line, what)| Error::invalid(&label, FORMAT, format!("line {line}: {what}")))
}

type Mistake = (usize, String);

fn from_toml(text: &str) -> Result<Vec<Target>, Mistake> {
    let file: File = toml::from_str(text).map_err(|error| {
        let position = error.span().map_or(0, |span| span.start);
        let before = text.as_bytes().get(..position).unwrap_or_default();
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        (line, error.message().to_string())
    })?;
    let all = [(file.targets, Intervention::Perfect), (file.soft, Intervention::Soft)];
    let targets = all.into_iter().flat_map(|(table, kind)| {
        table.into_iter().flat_map(move |(condition, names)| {
            let names = match names {
                Names::One(name) => vec![name],
                Names::Several(names) => names,
            };
            let target = move |variable| Target { condition: condition.clone(), variable, kind };
            names.into_iter().map(target)
        })
    });
    Ok(targets.collect())
}

fn from_csv(text: &str) -> Result<Vec<Target>, Mistake> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let wrong = |error: csv::Error| {
        (error.position().map_or(1, |at| at.line() as usize), error.to_string())
    };
    let header = reader.headers().map_err(wrong)?.clone();
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(condition), Some(target)) = (place("condition"), place("target")) else {
        return Err((1, "the columns are `condition`, `target` and maybe `kind`".into()));
    };
    let kind_at = place("kind");
    let mut targets = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(1, |at| at.line() as usize);
        let kind = match kind_at.and_then(|at| record.get(at)).unwrap_or("") {
            "" | "perfect" => Intervention::Perfect,
            "soft" => Intervention::Soft,
            other => return Err((line, format!("`{other}` is neither `perfect` nor `soft`"))),
        };
        // A condition without a target is a control.
        if !record[target].is_empty() {
            let (condition, variable) = (record[condition].into(), record[target].into());
            targets.push(Target { condition, variable, kind });
        }
    }
    Ok(targets)
}

/// Targets as TOML.
pub fn format_targets<'a>(
    conditions: impl IntoIterator<Item = &'a str>,
    targets: &[Target],
) -> String {
    let mut tables: BTreeMap<Intervention, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    let perfect = tables.entry(Intervention::Perfect).or_default();
    conditions.into_iter().for_each(|condition| _ = perfect.entry(condition).or_default());
    for target in targets {
        let table = tables.entry(target.kind).or_default();
        table.entry(target.condition.as_str()).or_default().push(&target.variable);
    }
    // A condition stands in one table: the one that says what it acts on.
    let softened: Vec<&str> = tables
        .get(&Intervention::Soft)
        .map_or_else(Vec::new, |table| table.keys().copied().collect());
    let mut text = String::new();
    for (kind, table) in tables {
        let perfect = kind == Intervention::Perfect;
        text += if perfect { "[targets]\n" } else { "\n[soft]\n" };
        for (condition, variables) in table {
            if perfect && variables.is_empty() && softened.contains(&condition) {
                continue;
            }
            // Strings of JSON are strings of TOML.
            let quoted = |name: &str| serde_json::Value::from(name).to_string();
            let list = variables.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
            text += &format!("{} = [{list}]\n", quoted(condition));
        }
    }
    text
}
