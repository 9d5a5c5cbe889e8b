//! Flags that stand in a file: those of `--config`, and those that a result was learnt with.
//!
//! Both become words of the command line, before those that were typed; a flag that was typed is
//! not taken from the file.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, Command, CommandFactory as _};
use nocurl::advice::in_list;
use nocurl::error::closest;
use nocurl::experiments::{Intervention, Target};
use nocurl::{Algorithm, ExperimentSpec, KnowledgeSpec};
use nocurl_io::{GraphDocument, Source, read_graph, read_text};
use serde_json::Value;

use crate::args::Arguments;
use crate::failure::Failure;

/// Flags whose value is one list of names with commas; others with lists are repeated.
const LISTS: [&str; 7] = ["columns", "drop", "continuous", "categorical", "na", "source", "sink"];

/// Flags that are about files and the terminal, and not about how a graph is learnt.
const NOT_IN_FILES: [&str; 4] = ["config", "like", "help", "version"];

/// The words that were typed, with those of a file where one is named.
pub(crate) fn expanded(typed: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let words: Vec<String> = typed.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words.get(1).is_none_or(|command| command != "learn") {
        return Ok(typed);
    }
    let program = Arguments::command();
    let Some(learn) = program.find_subcommand("learn") else { return Ok(typed) };
    let more = match (value_of(&words, "config"), value_of(&words, "like")) {
        (Some(path), None) => of_config(&path, learn, &words)?,
        (None, Some(path)) => of_result(&path, learn, &words)?,
        // None, or both, which the parser refuses.
        _ => return Ok(typed),
    };
    let mut all = typed;
    all.splice(2..2, more.into_iter().map(OsString::from));
    Ok(all)
}

/// The value of a long flag among typed words.
fn value_of(words: &[String], flag: &str) -> Option<String> {
    let (alone, with) = (format!("--{flag}"), format!("--{flag}="));
    words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(&with) {
        Some(value) => Some(value.to_string()),
        None if *word == alone => words.get(at + 1).cloned(),
        None => None,
    })
}

/// Whether a flag was typed, long or short.
fn is_typed(learn: &Command, words: &[String], flag: &str) -> bool {
    let short = learn.get_arguments().find(|known| known.get_long() == Some(flag));
    let short = short.and_then(clap::Arg::get_short);
    words.iter().any(|word| match word.strip_prefix("--") {
        Some(long) => long.split('=').next() == Some(flag),
        None => word.starts_with('-') && short.is_some_and(|c| word[1..].starts_with(c)),
    })
}

/// The flags of a file in TOML.
fn of_config(path: &str, learn: &Command, words: &[String]) -> Result<Vec<String>, Failure> {
    let text = read_text(&Source::Path(path.into()), "TOML")?;
    let wrong = |reason: String| Failure::Input(format!("--config {path}: {reason}"));
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        wrong(error.message().split_whitespace().collect::<Vec<_>>().join(" "))
    })?;
    let mut all = Vec::new();
    for (key, value) in table {
        let flag = key.replace('_', "-");
        let known: Vec<&str> = learn
            .get_arguments()
            .filter_map(clap::Arg::get_long)
            .filter(|name| !NOT_IN_FILES.contains(name))
            .collect();
        if !known.contains(&flag.as_str()) {
            let like = closest(&flag, known);
            let hint = like.map_or_else(String::new, |like| format!("; did you mean `{like}`?"));
            return Err(wrong(format!("`{key}` is no flag of `nocurl learn`{hint}")));
        }
        if is_typed(learn, words, &flag) {
            continue;
        }
        let value = serde_json::to_value(value).map_err(|error| wrong(error.to_string()))?;
        let said = flags(learn, &flag, &value);
        all.extend(said.ok_or_else(|| wrong(format!("`{key}` cannot be {value}")))?);
    }
    Ok(all)
}

/// A flag with its value as words; nothing for a value that makes no sense.
fn flags(learn: &Command, flag: &str, value: &Value) -> Option<Vec<String>> {
    let switch = learn
        .get_arguments()
        .find(|known| known.get_long() == Some(flag))
        .is_some_and(|known| matches!(known.get_action(), ArgAction::SetTrue));
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let one = |text: String| format!("--{flag}={text}");
    match value {
        Value::Bool(on) if switch => Some(if *on { vec![format!("--{flag}")] } else { vec![] }),
        _ if switch => None,
        Value::Array(items) if LISTS.contains(&flag) => {
            let items: Option<Vec<String>> = items.iter().map(plain).collect();
            let items: Vec<String> = items?.iter().map(|name| in_list(name).into_owned()).collect();
            Some(if items.is_empty() { vec![] } else { vec![one(items.join(","))] })
        }
        // A list in a list is one of names, as in tiers and pairs.
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Array(names) => {
                    let names: Option<Vec<String>> = names.iter().map(plain).collect();
                    let names: Vec<String> =
                        names?.iter().map(|name| in_list(name).into_owned()).collect();
                    Some(one(names.join(",")))
                }
                item => plain(item).map(one),
            })
            .collect(),
        Value::Object(pairs) => {
            let pair = |(name, value): (&String, &Value)| match value {
                Value::String(text) => one(format!("{name}={text}")),
                other => one(format!("{name}={other}")),
            };
            (flag == "param").then(|| pairs.iter().map(pair).collect())
        }
        other => plain(other).map(|text| vec![one(text)]),
    }
}

/// The flags that a graph was learnt with.
fn of_result(path: &str, learn: &Command, words: &[String]) -> Result<Vec<String>, Failure> {
    let graph = read_graph(&Source::Path(Path::new(path).into()))?;
    if graph.method.is_empty() || !graph.parameters.is_object() {
        return Err(Failure::Input(format!(
            "--like {path}: it does not say how it was learnt; give the JSON of a learnt graph"
        )));
    }
    let mut all = Vec::new();
    for (flag, value) in settings(&graph, is_typed(learn, words, "method"), path)? {
        let typed = is_typed(learn, words, flag);
        if !typed && !value.is_null() {
            all.extend(flags(learn, flag, &value).unwrap_or_default());
        }
    }
    Ok(all)
}

/// Flags by name, with their values.
fn settings(
    graph: &GraphDocument,
    other_method: bool,
    path: &str,
) -> Result<Vec<(&'static str, Value)>, Failure> {
    let of = |name: &str| graph.parameters.get(name).cloned().unwrap_or(Value::Null);
    let off = |name: &str| Value::Bool(of(name) == Value::Bool(false));
    let on = |name: &str| Value::Bool(of(name) == Value::Bool(true));
    let mut all = vec![("seed", graph.seed.into())];
    if !other_method {
        let algorithm = Algorithm::from_name(&graph.method)?;
        let own = algorithm.parameters().into_iter();
        let changed = own.filter(|(name, default)| {
            let now = of(name);
            !now.is_null() && now != Value::from(default.clone())
        });
        let changed: serde_json::Map<String, Value> =
            changed.map(|(name, _)| (name.to_string(), of(name))).collect();
        all.push(("method", graph.method.clone().into()));
        all.push(("param", Value::Object(listed(changed))));
    }
    all.extend([
        ("no-center", off("center")),
        ("error-shape", on("error_shape")),
        ("refine", of("refine")),
        ("threshold", of("threshold")),
        ("graph", of("graph")),
        ("columns", of("columns")),
        ("drop", of("drop")),
        ("continuous", of("continuous")),
        ("categorical", of("categorical")),
        ("ordinal", ordinal(&of("ordinal"))),
        ("transform", of("transform")),
        ("standardize", on("standardize")),
        ("missing", of("missing")),
        ("na", of("na")),
        ("header", of("header")),
        ("delimiter", of("delimiter")),
        ("decimal", of("decimal")),
        ("comment", of("comment")),
        ("skip-rows", of("skip_rows")),
        ("transpose", Value::Bool(of("transpose") == Value::Bool(true))),
        ("rows", of("rows")),
        ("sheet", of("sheet")),
        ("file-column", of("file_column")),
    ]);
    let prune = of("prune");
    all.push(("prune", prune.get("rule").cloned().unwrap_or(Value::Null)));
    all.push(("alpha", prune.get("alpha").cloned().unwrap_or(Value::Null)));
    let knowledge: Option<KnowledgeSpec> = serde_json::from_value(of("knowledge")).ok();
    if let Some(known) = knowledge.filter(|known| !known.is_empty()) {
        all.extend(stated(&known, path)?);
    }
    let experiments: Option<ExperimentSpec> = serde_json::from_value(of("experiments")).ok();
    if let Some(told) = experiments.filter(|told| !told.is_empty()) {
        all.extend(conditions(&told, &of("file_column"), path)?);
    }
    Ok(all)
}

/// Conditions and what they act on as flags.
fn conditions(
    told: &ExperimentSpec,
    file_column: &Value,
    path: &str,
) -> Result<Vec<(&'static str, Value)>, Failure> {
    let has = |kind| told.targets.iter().any(|target| target.kind == kind);
    let soft = has(Intervention::Soft) || told.kind == Intervention::Soft;
    if soft && has(Intervention::Perfect) {
        return Err(Failure::Input(format!(
            "--like {path}: some of its targets are soft and some are not, which no flag says; give \
             them by --targets"
        )));
    }
    let condition = Value::from(told.condition.clone());
    let by_file = !condition.is_null() && *file_column == condition;
    let target = |target: &Target| {
        Value::String(format!("{}={}", target.condition, in_list(&target.variable)))
    };
    let mut all = vec![
        ("target", Value::Array(told.targets.iter().map(target).collect())),
        ("soft", Value::Bool(soft)),
        ("hide-condition", Value::Bool(told.hidden)),
    ];
    match &told.control {
        Some(control) => {
            all.push(("target-column", condition));
            all.push(("control", control.clone().into()));
        }
        None if by_file => all.push(("condition-from-files", Value::Bool(true))),
        None => all.push(("condition", condition)),
    }
    Ok(all)
}

/// Prior knowledge as flags.
fn stated(known: &KnowledgeSpec, path: &str) -> Result<Vec<(&'static str, Value)>, Failure> {
    let json =
        |value: &dyn Fn() -> Result<Value, serde_json::Error>| value().unwrap_or(Value::Null);
    if known.tiers.iter().any(|tier| *tier != nocurl::knowledge::Tier::new(tier.variables.clone()))
    {
        return Err(Failure::Input(format!(
            "--like {path}: its tiers forbid edges within them, which no flag says; give the prior \
             knowledge by --knowledge"
        )));
    }
    let tiers: Vec<&Vec<String>> = known.tiers.iter().map(|tier| &tier.variables).collect();
    Ok(vec![
        ("require", json(&|| serde_json::to_value(&known.required))),
        ("forbid", json(&|| serde_json::to_value(&known.forbidden))),
        ("tier", json(&|| serde_json::to_value(&tiers))),
        ("source", json(&|| serde_json::to_value(&known.sources))),
        ("sink", json(&|| serde_json::to_value(&known.sinks))),
    ])
}

/// Lists of parameters as `--param` takes them, with commas.
fn listed(parameters: serde_json::Map<String, Value>) -> serde_json::Map<String, Value> {
    let plain = |value: Value| match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            Value::String(items.join(","))
        }
        other => other,
    };
    parameters.into_iter().map(|(name, value)| (name, plain(value))).collect()
}

/// Columns with their levels, as in `size=small,large`.
fn ordinal(value: &Value) -> Value {
    let of = |item: &Value| {
        let levels = item.get("levels").and_then(Value::as_array).into_iter().flatten();
        let levels: Vec<&str> = levels.filter_map(Value::as_str).collect();
        let column = item.get("column").and_then(Value::as_str).unwrap_or_default();
        match levels.is_empty() {
            true => Value::String(column.into()),
            false => Value::String(format!("{column}={}", levels.join(","))),
        }
    };
    Value::Array(value.as_array().into_iter().flatten().map(of).collect())
}
