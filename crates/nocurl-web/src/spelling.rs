//! How the page writes what a user can do: settings by their names, as JSON takes them.

use nocurl::Value;
use nocurl::advice::{Action, Spelling, leave_out};

/// The settings of the page and of the npm package.
pub(crate) struct Settings;

impl Spelling for Settings {
    fn spell(&self, action: &Action) -> String {
        match action {
            Action::Set { name, to } => named(name, to.as_ref()),
            Action::Parameter { name, to } => named(name, to.as_ref()),
            Action::Method { name } => format!("the method {name}"),
            Action::LeaveOut { columns } => leave_out(columns).into(),
            Action::Repeat => "learn again".into(),
            other => other.to_string(),
        }
    }
}

fn named(name: &str, to: Option<&Value>) -> String {
    let words = name.replace('_', " ");
    match to {
        None => format!("the setting “{words}”"),
        Some(Value::Bool(true)) => format!("“{words}” turned on"),
        Some(Value::Bool(false)) => format!("“{words}” turned off"),
        Some(Value::Text(text)) => format!("“{words}” set to “{text}”"),
        Some(value) => format!("“{words}” set to {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_settings() {
        for (action, words) in [
            (Action::set("missing", "drop"), "“missing” set to “drop”"),
            (Action::set("confidence", false), "“confidence” turned off"),
            (Action::setting("confidence_seconds"), "the setting “confidence seconds”"),
            (Action::set_parameter("penalty", 2.5), "“penalty” set to 2.5"),
            (Action::method("fges"), "the method fges"),
            (Action::Repeat, "learn again"),
        ] {
            assert_eq!(Settings.spell(&action), words);
        }
    }
}
