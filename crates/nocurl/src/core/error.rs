//! What can go wrong, in words for the person at the keyboard.

/// An error of the engine: there is no usable result.
///
/// Each message fits on one line and says what is wrong, where, and what to do about it.
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
    #[error("unknown refinement `{name}`{}: it is {}", did_you_mean(.suggestion), .known.join(", "))]
    UnknownRefinement {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
        /// All there are.
        known: Vec<&'static str>,
    },
    /// A parameter outside its range.
    #[error("parameter `{name}` is {value}: {reason}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// The value as given.
        value: String,
        /// What it should be.
        reason: &'static str,
    },
    /// A parameter that the method does not have.
    #[error("`{name}` is not a parameter of `{method}`{}{}{}",
        did_you_mean(.suggestion), which_has(.known), others_have(.elsewhere))]
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
    #[error("parameter `{name}`: {reason}")]
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
    /// Fewer columns than make a graph.
    #[error("{columns} column{} of data: at least 2 are needed to learn a graph",
        plural(*.columns as u64))]
    TooFewColumns {
        /// Columns given.
        columns: usize,
    },
    /// More variables than a method can take.
    #[error("method `{method}` takes at most {limit} variables, the data has {columns}: {advice}")]
    TooManyColumns {
        /// The method.
        method: &'static str,
        /// Its limit.
        limit: usize,
        /// Columns given.
        columns: usize,
        /// What to do instead.
        advice: &'static str,
    },
    /// Columns without any variation.
    #[error("constant column{} {}: remove {} with --drop-constant or --drop",
        if .names.len() == 1 { "" } else { "s" }, list(.names),
        if .names.len() == 1 { "it" } else { "them" })]
    ConstantColumns {
        /// Names of the columns.
        names: Vec<String>,
    },
    /// Columns that are an exact linear combination of each other, for a method that cannot go on.
    #[error("columns {} are exactly collinear: drop one of them with --drop", list(.names))]
    Collinear {
        /// The smallest set found.
        names: Vec<String>,
    },
    /// Moments where a method needs the rows behind them.
    #[error("method `{method}` needs the rows of the table: moments alone are not enough")]
    NeedsRows {
        /// The method.
        method: &'static str,
    },
    /// Two objects that should speak of the same variables do not.
    #[error("{what}: {detail}")]
    Mismatch {
        /// What was compared.
        what: &'static str,
        /// How they differ.
        detail: String,
    },
    /// A value that is not a finite number.
    #[error("column `{column}` has a value that is not finite in row {row}")]
    NotFinite {
        /// Name of the column.
        column: String,
        /// Row, counted from 1 without the header.
        row: u64,
    },
    /// A graph with a cycle where a DAG is needed.
    #[error("the graph has a cycle through {}", list(.names))]
    Cycle {
        /// Variables on one cycle, in order.
        names: Vec<String>,
    },
    /// Two graphs that are to be compared have different numbers of variables.
    #[error("graphs to compare: the truth has {truth} variables, the estimate {estimate}")]
    DifferentSizes {
        /// Variables of the true graph.
        truth: usize,
        /// Variables of the estimate.
        estimate: usize,
    },
    /// An edge that a partially directed graph cannot have.
    #[error(
        "variables {} and {} of {variables} cannot have this edge, or have one already", .from + 1, .to + 1
    )]
    NotAnEdge {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
        /// Variables of the graph.
        variables: usize,
    },
    /// A partially directed graph that no acyclic graph belongs to.
    #[error(
        "no acyclic graph has the directed edges of this partially directed graph without a new \
         v-structure: check its directions"
    )]
    NoMember,
    /// Prior knowledge that contradicts itself or cannot be used.
    #[error("prior knowledge: {reason}")]
    Knowledge {
        /// The statements in conflict, or what is wrong with one.
        reason: String,
    },
    /// Prior knowledge about a variable that is not there.
    #[error("prior knowledge names `{name}`, which is no column in use{}",
        suggest(.suggestion))]
    UnknownVariable {
        /// The name as given.
        name: String,
        /// The closest known name, if any is close.
        suggestion: Option<String>,
    },
    /// Prior knowledge for a method that cannot honour it.
    #[error("method `{method}` cannot take prior knowledge: {reason}; use method `{instead}`")]
    TakesNoKnowledge {
        /// The method.
        method: &'static str,
        /// Why it cannot.
        reason: &'static str,
        /// A method that can.
        instead: &'static str,
    },
    /// The observer asked to stop.
    #[error("stopped before the end: nothing was written")]
    Cancelled,
    /// A computation that produced numbers without meaning.
    #[error("{stage} broke down: {reason}")]
    Numeric {
        /// Where.
        stage: &'static str,
        /// Why, and what to do.
        reason: String,
    },
}

fn suggest(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!(": did you mean `{name}`?"))
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

fn which_has(known: &[String]) -> String {
    if known.is_empty() {
        ", which has none".into()
    } else {
        format!(", which has {}", known.join(", "))
    }
}

fn others_have(methods: &[&str]) -> String {
    if methods.is_empty() {
        return String::new();
    }
    let methods: Vec<String> = methods.iter().map(|name| format!("--method {name}")).collect();
    format!("; {} has it", methods.join(" or "))
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
