//! `nocurl methods`: what there is to choose from.

use nocurl::Algorithm;
use serde_json::Value;

use crate::args::MethodsArguments;
use crate::failure::Failure;
use crate::report::{self, BOLD};

/// Runs the command.
pub(crate) fn methods(arguments: &MethodsArguments) -> Result<(), Failure> {
    let all = Algorithm::all();
    if arguments.json {
        let list: Vec<Value> = all.iter().map(Algorithm::describe).collect();
        return report::print(&format!("{:#}\n", Value::Array(list)));
    }
    let mut text = String::new();
    for method in &all {
        let note = if *method == Algorithm::default() { " (default)" } else { "" };
        text += &format!("{BOLD}{}{BOLD:#}{note}\n", method.name());
        let facts = method.facts();
        text += &format!("  {}\n  {}\n", facts.summary, facts.directions.sentence());
        if method.takes_knowledge().is_err() {
            text += "  takes no prior knowledge\n";
        }
        for (name, value) in method.parameters() {
            text += &format!("    {name}={}\n", shown(&value));
        }
    }
    text += "\nChoose with --method NAME; set parameters with --param name=value.\n";
    report::print(&text)
}

/// A value as `--param` takes it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            let text = number.to_string();
            text.strip_suffix(".0").map(str::to_string).unwrap_or(text)
        }
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
