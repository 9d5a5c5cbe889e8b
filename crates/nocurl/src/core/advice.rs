//! What a user can do, as values, and sentences that hold them.
//!
//! The engine does not know who reads its sentences: the command line has flags, Python has keyword
//! arguments, a page has buttons. So a sentence is a [`Text`], words with [`Action`]s in between,
//! and each front end has one [`Spelling`] that says how an action reads there.
//!
//! ```
//! use nocurl::advice::{Action, Spelling, Text};
//! struct Flags;
//! impl Spelling for Flags {
//!     fn spell(&self, action: &Action) -> String {
//!         match action {
//!             Action::Set { name, to: Some(value) } => format!("/{name}:{value}"),
//!             other => other.to_string(),
//!         }
//!     }
//! }
//! let text = Text::new("some values are missing; use ").act(Action::set("missing", "drop"));
//! assert_eq!(text.to_string(), "some values are missing; use `missing = drop`");
//! assert_eq!(text.spelt(&Flags), "some values are missing; use /missing:drop");
//! assert_eq!(text.actions().count(), 1);
//! ```

mod plain;
mod text;

use std::borrow::Cow;
use std::fmt;

use super::Value;
use super::error::list;
pub use plain::{plain, plain_character};
pub use text::Text;

/// Every setting that an action can speak of: each front end has one of the same name, with the
/// punctuation of its own.
pub const SETTINGS: [&str; 24] = [
    "bootstrap",
    "categorical",
    "checkpoint",
    "confidence",
    "confidence_level",
    "confidence_seconds",
    "decimal",
    "file_column",
    "graph",
    "header",
    "memory",
    "missing",
    "na",
    "ordinal",
    "prune",
    "refine",
    "rows",
    "sheet",
    "skip_rows",
    "standardize",
    "threshold",
    "transform",
    "transpose",
    // Of commands that read rows for a model.
    "unknown_level",
];

/// Something that a user can do.
///
/// In a sentence, settings, parameters and methods stand as names; the other actions stand as
/// requests, such as "choose fewer columns". Serialised as a map with one key that says which kind
/// it is, as in `{"set": "missing", "to": "drop"}`, `{"method": "fges"}`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// A setting that does not belong to a method, one of [`SETTINGS`]; without a value, the
    /// setting itself.
    Set {
        /// Its name.
        name: &'static str,
        /// The value to give it.
        to: Option<Value>,
    },
    /// A parameter of the method in use; without a value, the parameter itself.
    Parameter {
        /// Its name.
        name: Cow<'static, str>,
        /// The value to give it.
        to: Option<Value>,
    },
    /// Another method.
    Method {
        /// Its name.
        name: &'static str,
    },
    /// To leave out these columns; where none is named, those that the sentence speaks of.
    LeaveOut {
        /// Their names.
        columns: Vec<String>,
    },
    /// To leave out one of these columns, which the user chooses.
    LeaveOutOne {
        /// Their names.
        columns: Vec<String>,
    },
    /// To learn from fewer columns, which the user chooses.
    FewerColumns,
    /// To do the same once more.
    Repeat,
}

impl Action {
    /// A setting with a value.
    pub fn set(name: &'static str, to: impl Into<Value>) -> Self {
        debug_assert!(SETTINGS.contains(&name), "`{name}` is no setting");
        Self::Set { name, to: Some(to.into()) }
    }

    /// A function of columns, such as `log`, as the setting `transform`.
    pub fn transform(scale: &str, columns: &[String]) -> Self {
        let names: Vec<Cow<'_, str>> = columns.iter().map(|name| in_list(name)).collect();
        Self::set("transform", format!("{scale}:{}", names.join(",")))
    }

    /// A setting by itself.
    pub fn setting(name: &'static str) -> Self {
        debug_assert!(SETTINGS.contains(&name), "`{name}` is no setting");
        Self::Set { name, to: None }
    }

    /// A parameter of the method with a value.
    pub fn set_parameter(name: impl Into<Cow<'static, str>>, to: impl Into<Value>) -> Self {
        Self::Parameter { name: name.into(), to: Some(to.into()) }
    }

    /// A parameter of the method by itself.
    pub fn parameter(name: impl Into<Cow<'static, str>>) -> Self {
        Self::Parameter { name: name.into(), to: None }
    }

    /// Another method.
    pub fn method(name: &'static str) -> Self {
        Self::Method { name }
    }

    /// To leave out these columns.
    pub fn leave_out(columns: &[String]) -> Self {
        Self::LeaveOut { columns: columns.to_vec() }
    }

    /// To leave out one of these columns.
    pub fn leave_out_one(columns: &[String]) -> Self {
        Self::LeaveOutOne { columns: columns.to_vec() }
    }
}

/// A name as one item of a list with commas, quoted as in CSV where it must be.
pub fn in_list(name: &str) -> Cow<'_, str> {
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")).into(),
        false => name.into(),
    }
}

/// The request to leave out columns, in words that every front end can use.
pub fn leave_out(columns: &[String]) -> &'static str {
    match columns.len() {
        0 => "leave them out",
        1 => "leave the column out",
        _ => "leave the columns out",
    }
}

impl fmt::Display for Action {
    /// The neutral spelling, for readers of Rust.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |f: &mut fmt::Formatter<'_>, name: &str, to: &Option<Value>| match to {
            None => write!(f, "`{name}`"),
            Some(value) => write!(f, "`{name} = {value}`"),
        };
        match self {
            Self::Set { name, to } => named(f, name, to),
            Self::Parameter { name, to } => named(f, name, to),
            Self::Method { name } => write!(f, "method `{name}`"),
            Self::LeaveOut { columns } if columns.is_empty() => f.write_str(leave_out(columns)),
            Self::LeaveOut { columns } => write!(f, "leave out {}", list(columns)),
            Self::LeaveOutOne { .. } => f.write_str("leave one of them out"),
            Self::FewerColumns => f.write_str("choose fewer columns"),
            Self::Repeat => f.write_str("run the same again"),
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Action {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Set { name, .. } => map.serialize_entry("set", name)?,
            Self::Parameter { name, .. } => map.serialize_entry("parameter", name)?,
            Self::Method { name } => map.serialize_entry("method", name)?,
            Self::LeaveOut { columns } => map.serialize_entry("leave_out", columns)?,
            Self::LeaveOutOne { columns } => map.serialize_entry("leave_out_one_of", columns)?,
            Self::FewerColumns => map.serialize_entry("fewer_columns", &true)?,
            Self::Repeat => map.serialize_entry("repeat", &true)?,
        }
        if let Self::Set { to: Some(to), .. } | Self::Parameter { to: Some(to), .. } = self {
            map.serialize_entry("to", to)?;
        }
        map.end()
    }
}

/// How a front end writes actions.
pub trait Spelling {
    /// The action as it stands in a sentence.
    fn spell(&self, action: &Action) -> String;
}

/// The spelling for readers of Rust, that of `Display`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neutral;

impl Spelling for Neutral {
    fn spell(&self, action: &Action) -> String {
        action.to_string()
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_action_is_a_value_and_has_words() {
        let columns = ["a".to_string(), "b".to_string()];
        for (action, value, words) in [
            (Action::set("prune", "bic"), json!({ "set": "prune", "to": "bic" }), "`prune = bic`"),
            (Action::setting("threshold"), json!({ "set": "threshold" }), "`threshold`"),
            (
                Action::set_parameter("penalty", 2),
                json!({ "parameter": "penalty", "to": 2 }),
                "`penalty = 2`",
            ),
            (
                Action::transform("log", &["a".into(), "b, c".into()]),
                json!({ "set": "transform", "to": "log:a,\"b, c\"" }),
                "`transform = log:a,\"b, c\"`",
            ),
            (Action::parameter("penalty"), json!({ "parameter": "penalty" }), "`penalty`"),
            (Action::method("fges"), json!({ "method": "fges" }), "method `fges`"),
            (Action::leave_out(&columns), json!({ "leave_out": ["a", "b"] }), "leave out `a`, `b`"),
            (
                Action::leave_out_one(&columns),
                json!({ "leave_out_one_of": ["a", "b"] }),
                "leave one of them out",
            ),
            (Action::FewerColumns, json!({ "fewer_columns": true }), "choose fewer columns"),
            (Action::Repeat, json!({ "repeat": true }), "run the same again"),
        ] {
            assert_eq!(serde_json::to_value(&action).unwrap(), value);
            assert_eq!(action.to_string(), words);
        }
    }
}
