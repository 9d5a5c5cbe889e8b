//! `nocurl methods`: what there is to choose from.

use nocurl::methods::{Facts, TakesKnowledge};
use nocurl::{Algorithm, Value};

use crate::args::MethodsArguments;
use crate::failure::Failure;
use crate::report::{self, BOLD};

/// Runs the command.
pub(crate) fn methods(arguments: &MethodsArguments) -> Result<(), Failure> {
    let all = Algorithm::all();
    if arguments.json {
        let list = all.iter().map(Algorithm::describe).collect();
        return report::print(&format!("{:#}\n", serde_json::Value::Array(list)));
    }
    let mut text = String::new();
    for method in &all {
        let note = if *method == Algorithm::default() { " (default)" } else { "" };
        text += &format!("{BOLD}{}{BOLD:#}{note}\n", method.name());
        text += &described(&method.facts());
        for (name, value) in method.parameters() {
            text += &format!("    {name}={}\n", shown(&value));
        }
    }
    text += "\nChoose with --method NAME; set parameters with --param name=value.\n";
    report::print(&text)
}

/// What a method does, what it determines, and what it needs.
fn described(facts: &Facts) -> String {
    let mut notes = vec![format!("Determines a {}.", facts.determines.name())];
    if facts.needs_rows() {
        notes.push("Keeps all rows in memory.".into());
    }
    if facts.depends_on_units {
        notes.push("Depends on units.".into());
    }
    if facts.knowledge != TakesKnowledge::Yes {
        notes.push("Takes no prior knowledge.".into());
    }
    let directions = facts.directions.sentence();
    format!("  {}\n  {} {directions}.\n  {}\n", facts.summary, notes.join(" "), facts.reference)
}

/// A value as `--param` takes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            let text = format!("{number:?}");
            text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
        }
        Value::List(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
