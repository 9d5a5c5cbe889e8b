//! The messages that hold advice.

use super::{Error, list};
use crate::core::advice::{Action, Text};
use crate::core::variable::MOST_LEVELS;

pub(super) fn parameter(name: &'static str, value: &str, reason: &str) -> Text {
    Text::new("parameter ").act(Action::parameter(name)).say(format!(" is {value}: {reason}"))
}

pub(super) fn parameter_type(name: &str, reason: &str) -> Text {
    Text::new("parameter ").act(Action::parameter(name.to_string())).say(format!(": {reason}"))
}

pub(super) fn unknown_parameter(
    name: &str,
    method: &str,
    suggestion: &Option<String>,
    known: &[String],
    elsewhere: &[&'static str],
) -> Text {
    let parameter = |name: &String| Action::parameter(name.clone());
    let mut text = Text::new(format!("`{name}` is not a parameter of `{method}`"));
    if let Some(like) = suggestion {
        text = text.say(" (did you mean ").act(parameter(like)).say("?)");
    }
    text = match known {
        [] => text.say(", which has none"),
        known => text.say(", which has ").act_all(known.iter().map(parameter), ", "),
    };
    match elsewhere {
        [] => text,
        methods => {
            let methods = methods.iter().map(|&method| Action::method(method));
            text.say("; ").act_all(methods, " or ").say(" has it")
        }
    }
}

pub(super) fn too_few_to_invert(rows: u64, columns: usize) -> Text {
    Text::new(format!("{rows} rows do not determine {columns} columns: use more rows, "))
        .act(Action::FewerColumns)
        .say(", or use a method that needs no inverse such as ")
        .act(Action::method("eq-td"))
}

pub(super) fn too_many_columns(method: &str, limit: usize, columns: usize, advice: &Text) -> Text {
    Text::new(format!(
        "method `{method}` takes at most {limit} variables, the data has {columns}: "
    ))
    .act(Action::FewerColumns)
    .say(", or ")
    .append(advice.clone())
}

pub(super) fn constant_columns(names: &[String]) -> Text {
    let columns = if names.len() == 1 { "column" } else { "columns" };
    Text::new(format!("constant {columns} {}: ", list(names))).act(Action::leave_out(names))
}

pub(super) fn collinear(names: &[String]) -> Text {
    Text::new(format!("columns {} are exactly collinear: ", list(names)))
        .act(Action::leave_out_one(names))
}

pub(super) fn needs_rows(what: &Action) -> Text {
    Text::default()
        .act(what.clone())
        .say(" needs the rows of the table: moments alone are not enough; give the table itself")
}

pub(super) fn no_values(column: &String) -> Text {
    Text::new(format!("column `{column}` has no values at all; "))
        .act(Action::leave_out(std::slice::from_ref(column)))
}

pub(super) fn too_many_levels(column: &String) -> Text {
    Text::new(format!(
        "column `{column}` has more than {MOST_LEVELS} levels, as keys and free text have; "
    ))
    .act(Action::leave_out(std::slice::from_ref(column)))
    .say(", or put its levels into fewer groups")
}

pub(super) fn columns_not_taken(
    method: &str,
    kind: &str,
    names: &[String],
    instead: &'static str,
) -> Text {
    let columns = if names.len() == 1 { "column" } else { "columns" };
    Text::new(format!(
        "{method} takes no {kind} {columns}, as {} {}: use ",
        list(names),
        if names.len() == 1 { "is" } else { "are" }
    ))
    .act(Action::method(instead))
    .say(", or ")
    .act(Action::leave_out(names))
}

pub(super) fn not_for_categories(what: &Action, names: &[String]) -> Text {
    Text::default()
        .act(what.clone())
        .say(format!(" needs one number for each variable, but {} ", list(names)))
        .say(if names.len() == 1 {
            "is categorical: do without it, or "
        } else {
            "are categorical: do without it, or "
        })
        .act(Action::leave_out(names))
}

pub(super) fn incomplete_singular() -> Text {
    Text::new(
        "the covariance of the incomplete rows is singular: find columns that are constant or \
         repeat others and ",
    )
    .act(Action::leave_out(&[]))
    .say(", or use ")
    .act(Action::set("missing", "drop"))
}

pub(super) fn diverged(epoch: u64, loss: f64, learning_rate: f64, set: f64) -> Text {
    let how = match loss.is_finite() {
        true => format!("grew to {loss:.1e}"),
        false => "left the range of numbers".into(),
    };
    Text::new(format!(
        "training broke down: the loss {how} in epoch {epoch} at a learning rate of \
         {learning_rate}; set "
    ))
    .act(Action::parameter("learning_rate"))
    .say(format!(" lower than {set}, or bring the columns to similar units"))
}

pub(super) fn out_of_memory(stage: &str, mebibytes: usize) -> Text {
    Text::new(format!("{stage} needs {mebibytes} MiB of memory, which cannot be had: "))
        .act(Action::FewerColumns)
}

pub(super) fn bootstrap_failed(failed: usize, replicates: usize, first: &Error) -> Text {
    Text::new(format!(
        "bootstrap: {failed} of {replicates} replicates could not be learnt from, the first \
         because of: "
    ))
    .append(first.text())
}

pub(super) fn takes_no_knowledge(method: &str, reason: &str, instead: &'static str) -> Text {
    Text::new(format!("method `{method}` cannot take prior knowledge: {reason}; use "))
        .act(Action::method(instead))
        .say(" instead")
}

pub(super) fn takes_no_experiments(method: &str) -> Text {
    Text::new(format!("method `{method}` does not learn from experiments: use "))
        .act(Action::method("order-search"))
        .say(" instead")
}

pub(super) fn invalid_edge(from: usize, to: usize, variables: usize) -> String {
    let why = if from.max(to) >= variables {
        format!("it leaves the variables 0..{variables}")
    } else if from == to {
        "it joins a variable to itself".into()
    } else {
        "the two are joined already".into()
    };
    format!("edge ({from}, {to}) is not possible: {why}")
}

pub(super) fn off_scale(variable: &str, scale: &str, value: f64, row: Option<usize>) -> String {
    let place = row.map_or_else(String::new, |row| format!(" (row {row})"));
    format!("`{variable}` was learnt as {scale}, which is not defined for {value}{place}")
}
