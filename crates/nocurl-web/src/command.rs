//! The command line that repeats a run.

use serde_json::{Map, Value};

/// `nocurl learn` with the flags that mean these settings, ready for a shell. It asks for files with
/// the graph and its picture.
pub(crate) fn command(file: &str, settings: &Map<String, Value>) -> String {
    let mut words = vec!["nocurl learn".to_string(), argument(file)];
    for (name, value) in settings {
        flags(name, value, &mut words);
    }
    let stem = file.split('.').next().unwrap_or("graph");
    for ending in ["json", "svg"] {
        words.push(format!("--output {}", quoted(&format!("{stem}-graph.{ending}"))));
    }
    words.join(" ")
}

fn flags(name: &str, value: &Value, words: &mut Vec<String>) {
    let flag = format!("--{}", name.replace('_', "-"));
    match (name, value) {
        (_, Value::Null) => {}
        ("method", Value::String(method)) => words.push(with(&flag, method)),
        ("parameters", Value::Object(parameters)) => {
            let pair = |(name, value): (&String, &Value)| format!("{name}={}", plain(value));
            words.extend(parameters.iter().map(pair).map(|pair| with("--param", &pair)));
        }
        ("prune", Value::Object(rule)) => {
            let of = |key: &str| rule.get(key).map(plain).unwrap_or_default();
            words.push(with(&flag, &of("rule")));
            if rule.contains_key("alpha") {
                words.push(with("--alpha", &of("alpha")));
            }
        }
        ("knowledge", Value::Object(statements)) => knowledge(statements, words),
        ("ordinal", Value::Array(columns)) => {
            for column in columns {
                let name = column["column"].as_str().unwrap_or_default();
                let levels: Vec<&str> = texts(&column["levels"]).collect();
                words.push(match levels.is_empty() {
                    true => with(&flag, &listed([name])),
                    false => with(&flag, &format!("{name}={}", listed(levels))),
                });
            }
        }
        ("transform", Value::Array(_)) => {
            words.extend(texts(value).map(|rule| with(&flag, rule)));
        }
        ("diagnose", Value::Bool(false)) => words.push("--no-diagnosis".into()),
        ("diagnose" | "center" | "confidence", Value::Bool(on)) => {
            if !on {
                words.push(format!("--no-{}", name.replace('_', "-")));
            }
        }
        (_, Value::Bool(on)) => words.extend(on.then_some(flag)),
        (_, Value::Array(names)) if names.is_empty() => {}
        (_, list @ Value::Array(_)) => words.push(with(&flag, &listed(texts(list)))),
        (_, value) => words.push(with(&flag, &plain(value))),
    }
}

fn knowledge(statements: &Map<String, Value>, words: &mut Vec<String>) {
    let lists = |key: &str| statements.get(key).and_then(Value::as_array).into_iter().flatten();
    for (key, flag) in [("required", "--require"), ("forbidden", "--forbid"), ("tiers", "--tier")] {
        for list in lists(key) {
            // A tier is an object that has its names.
            let names: Vec<&str> = texts(list.get("variables").unwrap_or(list)).collect();
            words.push(with(flag, &listed(names.iter().copied())));
            if list.get("forbid_within") == Some(&Value::Bool(true)) {
                let pairs = names.iter().flat_map(|a| names.iter().map(move |b| [*a, *b]));
                let pairs = pairs.filter(|[a, b]| a != b);
                words.extend(pairs.map(|pair| with("--forbid", &listed(pair))));
            }
        }
    }
    for (key, flag) in [("sources", "--source"), ("sinks", "--sink")] {
        let names: Vec<&str> = statements.get(key).into_iter().flat_map(texts).collect();
        if !names.is_empty() {
            words.push(with(flag, &listed(names)));
        }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A value as it is typed.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

/// Names as a list with commas, quoted as in CSV where they must be.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let item = |name: &str| match name.contains([',', '"', '\n']) || name.trim() != name {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.into(),
    };
    names.into_iter().map(item).collect::<Vec<String>>().join(",")
}

/// A flag with its value.
fn with(flag: &str, value: &str) -> String {
    match value.starts_with('-') || value.is_empty() {
        true => format!("{flag}={}", quoted(value)),
        false => format!("{flag} {}", quoted(value)),
    }
}

/// A file as an argument; one that looks like a flag is made a path.
fn argument(file: &str) -> String {
    match file.starts_with('-') {
        true => quoted(&format!("./{file}")),
        false => quoted(file),
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+.,:/@%=".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(file: &str, settings: Value) -> String {
        let line = command(file, settings.as_object().unwrap());
        line.split(" --output").next().unwrap().to_string()
    }

    #[test]
    fn settings_are_flags() {
        for (settings, line) in [
            (json!({}), ""),
            (json!({"confidence": true, "drop": [], "refine": null}), ""),
            (json!({"confidence": false, "diagnose": false}), " --no-confidence --no-diagnosis"),
            (
                json!({"transform": ["log:a,b", "rank:*"], "standardize": true}),
                " --standardize --transform log:a,b --transform 'rank:*'",
            ),
            (json!({"method": "fges", "seed": 3}), " --method fges --seed 3"),
            (json!({"parameters": {"penalty": 2.5}}), " --param penalty=2.5"),
            (json!({"prune": {"rule": "t-test", "alpha": 0.1}}), " --prune t-test --alpha 0.1"),
            (json!({"drop": ["a b", "c,d"]}), r#" --drop 'a b,"c,d"'"#),
            (
                json!({"ordinal": [{"column": "size", "levels": ["S", "M"]}, {"column": "n"}]}),
                " --ordinal size=S,M --ordinal n",
            ),
            (
                json!({"knowledge": {
                    "forbidden": [["a", "$b"]],
                    "tiers": [{"variables": ["it's"]}, {"variables": ["-1", "c"], "forbid_within": true}],
                }}),
                r" --forbid 'a,$b' --tier 'it'\''s' --tier=-1,c --forbid=-1,c --forbid c,-1",
            ),
        ] {
            assert_eq!(of("t.csv", settings), format!("nocurl learn t.csv{line}"));
        }
        assert_eq!(of("-a `b`.csv", json!({})), "nocurl learn './-a `b`.csv'");
    }
}
