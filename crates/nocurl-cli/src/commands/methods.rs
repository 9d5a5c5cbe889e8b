//! `nocurl methods`: what there is to choose from.

use nocurl::Algorithm;
use serde_json::{Value, json};

use crate::args::MethodsArguments;
use crate::failure::Failure;
use crate::{parameter, report};

/// Runs the command.
pub(crate) fn methods(arguments: &MethodsArguments) -> Result<(), Failure> {
    let all = Algorithm::all();
    if arguments.json {
        let list: Vec<Value> = all
            .iter()
            .map(|method| {
                json!({
                    "name": method.name(),
                    "summary": method.summary(),
                    "assumption": method.assumption(),
                    "parameters": parameter::parameters(method),
                })
            })
            .collect();
        return report::print(&format!("{:#}\n", Value::Array(list)));
    }
    let mut text = String::new();
    for method in &all {
        text += &report::line(&format!("{:<15}", method.name()), method.summary());
        text += &format!("{:17}{}\n", "", method.assumption());
        let rows: Vec<Vec<String>> = parameter::parameters(method)
            .into_iter()
            .map(|(name, value)| vec![" ".repeat(15), format!("{name}={}", shown(&value))])
            .collect();
        text += &report::grid(&rows, &[]);
    }
    text += "\nChoose with --method NAME; set parameters with --param name=value.\n";
    report::print(&text)
}

/// A value as `--param` takes it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "by memory".into(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
