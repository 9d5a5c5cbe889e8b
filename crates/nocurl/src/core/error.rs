//! What can go wrong, in words for the person at the keyboard.

mod message;
#[cfg(test)]
mod tests;

use super::advice::{Action, Text};
use message::*;

/// An error of the engine: there is no usable result.
///
/// Each message fits on one line and says what is wrong, where, and what to do about it. Front ends
/// write [`Error::text`] in their own spelling; `Display` is for readers of Rust.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A method that is not in the registry.
    #[error("unknown method `{name}`{}", suggest(.suggestion))]
    UnknownMethod {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
    },
    /// A refinement that is not there.
    #[error("unknown refinement `{name}`{}; known are {}", suggest(.suggestion), .known.join(", "))]
    UnknownRefinement {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
        /// All there are.
        known: Vec<&'static str>,
    },
    /// A parameter outside its range.
    #[error("{}", parameter(name, value, reason))]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value as given.
        value: String,
        /// What it should be.
        reason: &'static str,
    },
    /// A parameter that the method does not have.
    #[error("{}", unknown_parameter(name, method, suggestion, known, elsewhere))]
    UnknownParameter {
        /// The name as given.
        name: String,
        /// The method.
        method: &'static str,
        /// The closest name of one of its parameters, if any is close.
        suggestion: Option<String>,
        /// Names of all its parameters.
        known: Vec<String>,
        /// Methods that have a parameter of this name.
        elsewhere: Vec<&'static str>,
    },
    /// A value that a parameter cannot hold.
    #[error("{}", parameter_type(name, reason))]
    ParameterType {
        /// Name of the parameter.
        name: String,
        /// What is expected instead.
        reason: String,
    },
    /// Fewer rows than any method can use.
    #[error("{rows} row{} of data: at least {needed} are needed", plural(*.rows))]
    TooFewRows {
        /// Rows given.
        rows: u64,
        /// Rows needed.
        needed: u64,
    },
    /// Too few rows for a method that inverts the second moments.
    #[error("{}", too_few_to_invert(*rows, *columns))]
    TooFewRowsToInvert {
        /// Rows given.
        rows: u64,
        /// Columns given.
        columns: usize,
    },
    /// Fewer columns than make a graph.
    #[error("{columns} column{} of data: at least 2 are needed to learn a graph",
        plural(*.columns as u64))]
    TooFewColumns {
        /// Columns given.
        columns: usize,
    },
    /// More variables than a method can take.
    #[error("{}", too_many_columns(method, *limit, *columns, advice))]
    TooManyColumns {
        /// The method.
        method: &'static str,
        /// Its limit.
        limit: usize,
        /// Columns given.
        columns: usize,
        /// What to do instead, besides taking fewer columns.
        advice: Text,
    },
    /// Columns without any variation.
    #[error("{}", constant_columns(names))]
    ConstantColumns {
        /// Names of the columns.
        names: Vec<String>,
    },
    /// Columns that are an exact linear combination of each other, for a method that cannot go on.
    #[error("{}", collinear(names))]
    Collinear {
        /// The smallest set found.
        names: Vec<String>,
    },
    /// Moments where a method or an order search needs the rows behind them.
    #[error("{}", needs_rows(what))]
    NeedsRows {
        /// The method or the setting.
        what: Action,
    },
    /// Lists that should be of one length are not.
    #[error("{found} {what} for {expected} {of}: give one for each")]
    Lengths {
        /// What was counted, as in `names`.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// What they belong to, as in `columns`.
        of: &'static str,
        /// How many of these there are.
        expected: usize,
    },
    /// Graphs to compare that have different numbers of variables.
    #[error(
        "graphs to compare: the truth has {truth} variables, the estimate {estimate}; compare \
         graphs of the same variables"
    )]
    DifferentSizes {
        /// Variables of the truth.
        truth: usize,
        /// Variables of the estimate.
        estimate: usize,
    },
    /// Objects that should speak of the same variables do not.
    #[error("{what}: the variables differ in name, number or order; take all from one table")]
    DifferentVariables {
        /// The objects.
        what: &'static str,
    },
    /// Rows that are not those behind the moments.
    #[error(
        "{what}: the table is not the one that the moments are from; give both of the same table"
    )]
    DifferentRows {
        /// Who needs them.
        what: &'static str,
    },
    /// Moments of parts that are not of one table.
    #[error("moments cannot be merged: {reason}")]
    Unmergeable {
        /// Which variable, and how it differs.
        reason: String,
    },
    /// An edge that a graph of this size cannot have, or has already.
    #[error("{}", invalid_edge(*from, *to, *variables))]
    InvalidEdge {
        /// Position of the cause, counted from 0.
        from: usize,
        /// Position of the effect, counted from 0.
        to: usize,
        /// Number of variables.
        variables: usize,
    },
    /// A partially directed graph that is no class of acyclic graphs.
    #[error(
        "no acyclic graph has the directed edges of this partially directed graph without a new \
         v-structure; check its directions"
    )]
    NoAcyclicMember,
    /// A variable that cannot be set, or not to this value.
    #[error("intervention: {reason}")]
    Intervention {
        /// Which, why, and what to do.
        reason: String,
    },
    /// A name that no variable of a model has.
    #[error("there is no variable `{name}`{}", suggest(.suggestion))]
    NoSuchVariable {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
    },
    /// A level that a variable does not have.
    #[error("`{variable}` has no level `{level}`; its levels are {}", list(.levels))]
    NoSuchLevel {
        /// The variable.
        variable: String,
        /// The level as given.
        level: String,
        /// The levels it has.
        levels: Vec<String>,
    },
    /// A text that is no value of a variable.
    #[error("{reason}")]
    Value {
        /// What is wrong.
        reason: String,
    },
    /// A model that contradicts itself, or an answer that it cannot give.
    #[error("model: {reason}")]
    Model {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A mechanism that needs rows, in a model that was fitted without them.
    #[error(
        "this needs the mechanism of `{variable}`, which is fitted to rows: learn the graph from the \
         table instead of its moments"
    )]
    Unfitted {
        /// The variable.
        variable: String,
    },
    /// A value outside the domain of the scale that a variable was learnt on.
    #[error("{}", off_scale(variable, scale, *value, *row))]
    OffScale {
        /// The variable.
        variable: String,
        /// The scale, such as `log(dose)`.
        scale: String,
        /// The value.
        value: f64,
        /// The row it is in, if it is in one.
        row: Option<usize>,
    },
    /// The state of a training that is not of this data and method.
    #[error("the checkpoint is not of this data and method; start again without it")]
    ForeignCheckpoint,
    /// Fits that were done elsewhere and are not those that were wanted.
    #[error("fits came back that are not of this table: run the same version of nocurl everywhere")]
    ForeignFits,
    /// A value that is not a finite number.
    #[error("column `{column}` has a value that is not finite in row {row}; correct it")]
    NotFinite {
        /// Name of the column.
        column: String,
        /// Row, counted from 1 without the header.
        row: u64,
    },
    /// A value that is not the position of a level.
    #[error(
        "column `{column}` has {value} in row {row}, which is not the position of a level; give \
         numbers from 0 on, one for each level"
    )]
    NotALevel {
        /// Name of the column.
        column: String,
        /// Row, counted from 1 without the header.
        row: u64,
        /// The value.
        value: f64,
    },
    /// A column with more levels than a table of categories has.
    #[error("{}", too_many_levels(column))]
    TooManyLevels {
        /// Its name.
        column: String,
    },
    /// Columns of a kind that a method does not take.
    #[error("{}", columns_not_taken(method, kind, names, instead))]
    ColumnsNotTaken {
        /// How a sentence speaks of the method.
        method: &'static str,
        /// Their kind.
        kind: &'static str,
        /// Their names.
        names: Vec<String>,
        /// A method that takes them.
        instead: &'static str,
    },
    /// A setting that has no meaning for variables of more than one column.
    #[error("{}", not_for_categories(what, names))]
    NotForCategories {
        /// The setting.
        what: Action,
        /// The categorical variables.
        names: Vec<String>,
    },
    /// A column without a single value.
    #[error("{}", no_values(column))]
    NoValues {
        /// Its name.
        column: String,
    },
    /// Incomplete rows whose columns determine each other.
    #[error("{}", incomplete_singular())]
    IncompleteSingular,
    /// A column whose numbers are too large or too small to be squared.
    #[error(
        "column `{column}` has a standard deviation of {deviation:e}: measure it in other units"
    )]
    ExtremeScale {
        /// Its name.
        column: String,
        /// Its standard deviation.
        deviation: f64,
    },
    /// Numbers that became too large for a computation.
    #[error("{stage} left the range of floating-point numbers; {advice}")]
    OutOfRange {
        /// Where.
        stage: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// A training whose loss grew without bounds.
    #[error("{}", diverged(*epoch, *loss, *learning_rate, *set))]
    Diverged {
        /// The epoch in which it did.
        epoch: u64,
        /// The loss, maybe infinite.
        loss: f64,
        /// The learning rate then.
        learning_rate: f64,
        /// The learning rate as set.
        set: f64,
    },
    /// Memory that the operating system does not give.
    #[error("{}", out_of_memory(stage, *mebibytes))]
    OutOfMemory {
        /// Who needs it.
        stage: &'static str,
        /// How much, in units of 2^20 bytes.
        mebibytes: usize,
    },
    /// More than half of the resampled tables could not be learnt from.
    #[error("{}", bootstrap_failed(*failed, *replicates, first))]
    BootstrapFailed {
        /// Tables that could not.
        failed: usize,
        /// Tables drawn.
        replicates: usize,
        /// Why the first of these failed.
        first: Box<Error>,
    },
    /// A graph with a cycle where a DAG is needed.
    #[error("the graph has a cycle through {}", list(.names))]
    Cycle {
        /// Variables on one cycle, in order.
        names: Vec<String>,
    },
    /// Prior knowledge that contradicts itself or cannot be used.
    #[error("prior knowledge: {reason}")]
    Knowledge {
        /// The statements in conflict, or what is wrong with one.
        reason: String,
    },
    /// Prior knowledge about a variable that is not there.
    #[error("prior knowledge names `{name}`, but there is no such column{}", suggest(.suggestion))]
    UnknownVariable {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
    },
    /// Prior knowledge for a method that cannot honour it.
    #[error("{}", takes_no_knowledge(method, reason, instead))]
    TakesNoKnowledge {
        /// The method.
        method: &'static str,
        /// Why it cannot.
        reason: &'static str,
        /// A method that can.
        instead: &'static str,
    },
    /// Conditions or targets that cannot be used.
    #[error("experiments: {reason}")]
    Experiments {
        /// What is wrong, where, and what to do.
        reason: String,
    },
    /// Experiments for a method that does not learn from them.
    #[error("{}", takes_no_experiments(method))]
    TakesNoExperiments {
        /// The method.
        method: &'static str,
    },
    /// The caller asked to stop.
    #[error("stopped before the end: nothing was written")]
    Cancelled,
}

impl Error {
    /// The same error, in a row of a table.
    #[must_use]
    pub fn in_row(self, row: usize) -> Self {
        match self {
            Self::OffScale { variable, scale, value, .. } => {
                Self::OffScale { variable, scale, value, row: Some(row) }
            }
            other => other,
        }
    }

    /// The message: what is wrong, where, and what to do.
    pub fn text(&self) -> Text {
        match self {
            Self::Parameter { name, value, reason } => parameter(name, value, reason),
            Self::UnknownParameter { name, method, suggestion, known, elsewhere } => {
                unknown_parameter(name, method, suggestion, known, elsewhere)
            }
            Self::ParameterType { name, reason } => parameter_type(name, reason),
            Self::TooFewRowsToInvert { rows, columns } => too_few_to_invert(*rows, *columns),
            Self::TooManyColumns { method, limit, columns, advice } => {
                too_many_columns(method, *limit, *columns, advice)
            }
            Self::ConstantColumns { names } => constant_columns(names),
            Self::Collinear { names } => collinear(names),
            Self::NeedsRows { what } => needs_rows(what),
            Self::NoValues { column } => no_values(column),
            Self::TooManyLevels { column } => too_many_levels(column),
            Self::ColumnsNotTaken { method, kind, names, instead } => {
                columns_not_taken(method, kind, names, instead)
            }
            Self::NotForCategories { what, names } => not_for_categories(what, names),
            Self::IncompleteSingular => incomplete_singular(),
            Self::Diverged { epoch, loss, learning_rate, set } => {
                diverged(*epoch, *loss, *learning_rate, *set)
            }
            Self::OutOfMemory { stage, mebibytes } => out_of_memory(stage, *mebibytes),
            Self::BootstrapFailed { failed, replicates, first } => {
                bootstrap_failed(*failed, *replicates, first)
            }
            Self::TakesNoKnowledge { method, reason, instead } => {
                takes_no_knowledge(method, reason, instead)
            }
            Self::TakesNoExperiments { method } => takes_no_experiments(method),
            // The others are words alone.
            other => Text::new(other.to_string()),
        }
    }
}

/// What to do about numbers that are too large or too small.
pub(crate) const SIMILAR_UNITS: &str = "bring the columns to similar units";

fn suggest(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Names in backticks, shortened after eight.
pub(crate) fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text =
        names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// The candidate most like `name`, for a "did you mean", when one is like it at all.
///
/// ```
/// use nocurl::error::closest;
/// assert_eq!(closest("Weigth", ["age", "weight"]), Some("weight"));
/// assert_eq!(closest("q", ["age", "weight"]), None);
/// ```
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.75;
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|&(likeness, _)| likeness >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
