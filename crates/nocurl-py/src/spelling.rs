//! How Python writes what a user can do: as keyword arguments.

use std::borrow::Cow;

use nocurl::Value;
use nocurl::advice::{Action, Spelling, leave_out};

/// Parameters of the engine under the names that users of Python know.
pub(crate) const RENAMED: [(&str, &str); 4] = [
    ("max_iterations", "max_iter"),
    ("score", "criterion"),
    ("lambda", "penalty"),
    // scikit-learn takes an attribute `transform` for a method.
    ("transform", "transforms"),
];

/// Keyword arguments of the package.
pub(crate) struct Keywords;

impl Spelling for Keywords {
    fn spell(&self, action: &Action) -> String {
        match action {
            Action::Set { name, to } => keyword(&renamed(name), to.as_ref()),
            Action::Parameter { name, to } => keyword(&renamed(name), to.as_ref()),
            Action::Method { name } => format!("method='{name}'"),
            Action::LeaveOut { columns } if columns.is_empty() => leave_out(columns).into(),
            Action::LeaveOut { columns } => {
                format!("{} with drop={}", leave_out(columns), listed(columns))
            }
            Action::Repeat => "call the same `fit` again".into(),
            other => other.to_string(),
        }
    }
}

/// Names as a list.
pub(crate) fn listed(names: &[String]) -> String {
    literal(&Value::List(names.iter().cloned().map(Value::Text).collect()))
}

fn keyword(name: &str, to: Option<&Value>) -> String {
    to.map_or_else(|| format!("`{name}`"), |value| format!("{name}={}", literal(value)))
}

fn renamed(name: &str) -> Cow<'_, str> {
    let known = RENAMED.iter().find(|(engine, _)| *engine == name);
    known.map_or(Cow::Borrowed(name), |(_, python)| Cow::Borrowed(python))
}

/// A value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Text(text) => {
            format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
        }
        Value::List(values) => {
            format!("[{}]", values.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
