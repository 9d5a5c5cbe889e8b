//! How the command line writes what a user can do: as flags.

use nocurl::Value;
use nocurl::advice::{Action, Spelling, in_list, leave_out};

/// Flags of `nocurl learn`.
pub(crate) struct Flags;

impl Spelling for Flags {
    fn spell(&self, action: &Action) -> String {
        match action {
            Action::Set { name, to: None | Some(Value::Bool(true)) } => flag(name),
            Action::Set { name, to: Some(Value::Bool(false)) } => flag(&format!("no_{name}")),
            Action::Set { name, to: Some(Value::Text(text)) } => with(&flag(name), text),
            Action::Set { name, to: Some(Value::List(list)) } => with(&flag(name), &listed(list)),
            Action::Set { name, to: Some(value) } => format!("{} {value}", flag(name)),
            Action::Parameter { name, to: Some(value) } => format!("--param {name}={value}"),
            Action::Method { name } => format!("--method {name}"),
            Action::LeaveOut { columns } => {
                format!("{} with {}", leave_out(columns), drop(columns))
            }
            Action::LeaveOutOne { .. } => "leave one of them out with --drop".into(),
            Action::FewerColumns => "choose fewer columns with --columns".into(),
            Action::Repeat => "run the same command again".into(),
            other => other.to_string(),
        }
    }
}

/// A command as it was typed, without what does not change its result: where that is written, what
/// is shown meanwhile, threads and memory.
pub(crate) fn repeated(typed: impl Iterator<Item = String>) -> String {
    const LEFT_OUT: [&str; 5] =
        ["--output", "--threads", "--memory", "--checkpoint", "--report-rows"];
    let mut words = vec!["nocurl".to_string()];
    let mut rest = typed.skip(1);
    while let Some(word) = rest.next() {
        let (name, value) =
            word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
        if LEFT_OUT.contains(&name) {
            if value.is_none() {
                rest.next();
            }
            continue;
        }
        if ["--quiet", "--verbose"].contains(&name) {
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            words.push(self::word(&word));
            continue;
        };
        let letters = letters.trim_start_matches(['q', 'v']);
        match letters.strip_prefix('o') {
            Some("") => _ = rest.next(),
            Some(_) => {}
            None if letters.is_empty() && word.len() > 1 => {}
            None => words.push(self::word(&format!("-{letters}"))),
        }
    }
    words.join(" ")
}

fn flag(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// The flag that leaves out these columns, ready for a shell; without their names where these are
/// many or long (then they are shortened already).
fn drop(columns: &[String]) -> String {
    const LONGEST: usize = 60;
    let names: Vec<_> = columns.iter().map(|name| in_list(name)).collect();
    let list = names.join(",");
    if list.is_empty() || list.chars().count() > LONGEST {
        return "--drop".into();
    }
    with("--drop", &list)
}

/// A flag with its value, ready for a shell.
fn with(flag: &str, value: &str) -> String {
    match word(value) {
        word if word == value && !value.starts_with('-') => format!("{flag} {value}"),
        // In quotes, as a reader expects of a value that begins like a flag.
        word if word == value => format!("{flag}='{value}'"),
        word => format!("{flag}={word}"),
    }
}

/// A word as a shell takes it.
pub(crate) fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+.,:/@%=".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Values as a list with commas.
fn listed(values: &[Value]) -> String {
    let items = values.iter().map(|value| match value {
        Value::Text(text) => in_list(text).into_owned(),
        other => other.to_string(),
    });
    items.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use nocurl::advice::SETTINGS;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn every_action_is_a_flag() {
        for (action, flags) in [
            (Action::set("missing", "drop"), "--missing drop"),
            (Action::set("categorical", "a b"), "--categorical='a b'"),
            (Action::set("decimal", ","), "--decimal ,"),
            (Action::set("confidence", false), "--no-confidence"),
            (Action::set("threshold", 0), "--threshold 0"),
            (Action::setting("refine"), "--refine"),
            (Action::set_parameter("penalty", 2.5), "--param penalty=2.5"),
            (Action::parameter("penalty"), "`penalty`"),
            (Action::method("fges"), "--method fges"),
            (Action::leave_out(&names(&["age"])), "leave the column out with --drop age"),
            (Action::leave_out(&names(&["a", "b"])), "leave the columns out with --drop a,b"),
            (Action::leave_out(&[]), "leave them out with --drop"),
            (Action::leave_out_one(&names(&["a", "b"])), "leave one of them out with --drop"),
            (Action::FewerColumns, "choose fewer columns with --columns"),
            (Action::Repeat, "run the same command again"),
        ] {
            assert_eq!(Flags.spell(&action), flags);
        }
    }

    #[test]
    fn a_command_is_repeated_without_what_does_not_matter() {
        for (typed, command) in [
            ("target/nocurl learn a.csv --output g.html --seed 3", "nocurl learn a.csv --seed 3"),
            ("x learn -qo g.json a.csv -o g.svg -og.dot", "nocurl learn a.csv"),
            ("x learn - --threads=2 -v --memory 4GiB -m fges", "nocurl learn - -m fges"),
            ("x learn a.csv -q --seed -3 -vm fges", "nocurl learn a.csv --seed -3 -m fges"),
            ("x learn it's.csv --na=-9", r"nocurl learn 'it'\''s.csv' --na=-9"),
            ("x learn $(id).csv --report-rows 0", "nocurl learn '$(id).csv'"),
        ] {
            assert_eq!(repeated(typed.split(' ').map(String::from)), command);
        }
    }

    #[test]
    fn names_are_quoted_for_shell_and_list() {
        for (columns, flag) in [
            (names(&["slip, or not", "b"]), r#"--drop='"slip, or not",b'"#),
            (names(&["it's"]), r"--drop='it'\''s'"),
            (names(&["-1"]), "--drop='-1'"),
            (names(&["größe"]), "--drop größe"),
            (vec!["x".repeat(61)], "--drop"),
        ] {
            assert_eq!(drop(&columns), flag);
            let list = flag.trim_start_matches("--drop").trim_matches(['=', ' ', '\'']);
            let list = list.replace(r"'\''", "'");
            if !list.is_empty() {
                assert_eq!(crate::config::names("--drop", &[list]).ok(), Some(columns));
            }
        }
    }

    #[test]
    fn every_setting_is_a_flag() {
        let command = crate::args::Arguments::command();
        let flags = |name: &str| -> Vec<String> {
            let command = command.find_subcommand(name).unwrap();
            command.get_arguments().filter_map(|flag| flag.get_long()).map(String::from).collect()
        };
        let known = [flags("learn"), flags("score")].concat();
        for name in SETTINGS.map(|name| name.replace('_', "-")) {
            let off = format!("no-{name}");
            assert!(known.iter().any(|flag| [&name, &off].contains(&flag)), "{name}");
        }
        for name in ["param", "method", "drop", "columns"] {
            assert!(known.contains(&name.to_string()), "{name}: {known:?}");
        }
    }
}
