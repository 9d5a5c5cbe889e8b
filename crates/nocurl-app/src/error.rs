//! What can go wrong with a job, in words for the person at the keyboard.

use nocurl::bootstrap::MOST_REPLICATES;
use nocurl::{Action, Text};

use crate::show_bytes;

/// A job without a result.
///
/// Each message fits on one line and says what is wrong, where, and what to do about it. Front ends
/// write [`Error::text`] in their own spelling; `Display` is for readers of Rust.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The table, the method or a file.
    #[error(transparent)]
    Io(#[from] nocurl_io::Error),
    /// More memory than there is, found before it is taken.
    #[error("{}", over_budget(table, *needed, *available, advice))]
    OverBudget {
        /// What should be learnt from.
        table: String,
        /// Bytes that it takes at most.
        needed: u64,
        /// Bytes there are.
        available: u64,
        /// What would fit.
        advice: Text,
    },
    /// Something about one of several parts of a table.
    #[error("{}", of_part(part, error))]
    Part {
        /// The part.
        part: String,
        /// What is wrong with it.
        error: Box<nocurl_io::Error>,
    },
    /// A question that was answered when the moments were made.
    #[error("{}", not_for_moments(setting, path))]
    NotForMoments {
        /// The setting.
        setting: &'static str,
        /// The file of moments.
        path: String,
    },
    /// A number of resampled tables that makes no sense.
    #[error("{}", replicates(*given))]
    Replicates {
        /// The number as given.
        given: usize,
    },
    /// A time that measuring confidence cannot take.
    #[error("{}", seconds(*given))]
    Seconds {
        /// The number as given.
        given: f64,
    },
    /// A level of confidence that is no probability.
    #[error("{}", level(*given))]
    Level {
        /// The number as given.
        given: f64,
    },
    /// A consensus of resampled tables where there are none.
    #[error("{}", no_consensus(reason.as_ref()))]
    NoConsensus {
        /// Why there are none, where it was tried.
        reason: Option<Text>,
    },
    /// A file for the state of a method that has none.
    #[error("{}", not_trained(method, trained))]
    NotTrained {
        /// The method.
        method: &'static str,
        /// The methods that are trained.
        trained: Vec<&'static str>,
    },
    /// A graph without the numbers of a model.
    #[error(
        "the graph has no weights, means and error variances, which a model needs: learn it, and \
         keep it as JSON"
    )]
    NotAModel,
    /// A graph in which some edges have no weight.
    #[error(
        "the graph has edges without weights, and effects need them all: learn it and keep it as \
         JSON, or add a third column to a list of edges"
    )]
    NotWeighted,
    /// A graph without means.
    #[error(
        "the graph has no means, which an intervention starts from: learn it, and keep it as JSON"
    )]
    NoMeans,
    /// An effect of a variable on itself.
    #[error("cause and effect are both `{name}`: an effect needs two variables")]
    SameVariable {
        /// The variable.
        name: String,
    },
    /// An effect that is too large for a number.
    #[error("the effect of `{from}` on `{to}` leaves the range of numbers")]
    EffectOutOfRange {
        /// The cause.
        from: String,
        /// The effect.
        to: String,
    },
    /// A mean that is too large for a number.
    #[error("the mean of `{name}` leaves the range of numbers")]
    MeanOutOfRange {
        /// The variable.
        name: String,
    },
    /// A confidence that is no share.
    #[error("{}", confidence(*given))]
    Confidence {
        /// The number as given.
        given: f64,
    },
    /// A graph that does not say how sure its edges are.
    #[error("{}", no_confidence())]
    NoConfidence,
    /// A variable that a graph does not have.
    #[error("{}", no_such_variable(name, like.as_deref()))]
    NoSuchVariable {
        /// The name as given.
        name: String,
        /// A name like it.
        like: Option<String>,
    },
    /// A matrix that needs no look.
    #[error(
        "{path} is a covariance matrix of {rows} rows and {variables} variables: there are no rows to \
         look at, and it can be learnt from"
    )]
    IsMatrix {
        /// The file.
        path: String,
        /// Rows of its table.
        rows: u64,
        /// Its variables.
        variables: usize,
    },
    /// Names in prior knowledge that are no columns.
    #[error("{}", crate::known::unknown_names(names))]
    UnknownKnown {
        /// The names, each with one like it.
        names: Vec<(String, Option<String>)>,
    },
    /// One file for the states of many trainings.
    #[error("{}", one_state())]
    OneState,
    /// A setting of a request that is not known, or has a wrong value.
    #[error("{name}: {reason}")]
    Setting {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

impl From<nocurl::Error> for Error {
    fn from(error: nocurl::Error) -> Self {
        Self::Io(error.into())
    }
}

impl Error {
    /// The message: what is wrong, where, and what to do.
    pub fn text(&self) -> Text {
        match self {
            Self::Io(error) => error.text(),
            Self::OverBudget { table, needed, available, advice } => {
                over_budget(table, *needed, *available, advice)
            }
            Self::Part { part, error } => of_part(part, error),
            Self::NotForMoments { setting, path } => not_for_moments(setting, path),
            Self::Replicates { given } => replicates(*given),
            Self::Seconds { given } => seconds(*given),
            Self::Level { given } => level(*given),
            Self::NoConsensus { reason } => no_consensus(reason.as_ref()),
            Self::NotTrained { method, trained } => not_trained(method, trained),
            Self::Confidence { given } => confidence(*given),
            Self::NoConfidence => no_confidence(),
            Self::NoSuchVariable { name, like } => no_such_variable(name, like.as_deref()),
            Self::OneState => one_state(),
            Self::NotAModel
            | Self::NotWeighted
            | Self::NoMeans
            | Self::SameVariable { .. }
            | Self::EffectOutOfRange { .. }
            | Self::MeanOutOfRange { .. }
            | Self::UnknownKnown { .. }
            | Self::IsMatrix { .. }
            | Self::Setting { .. } => self.to_string().into(),
        }
    }
}

fn over_budget(table: &str, needed: u64, available: u64, advice: &Text) -> Text {
    let (needed, available) = (show_bytes(needed), show_bytes(available));
    Text::new(format!(
        "learning from {table} takes up to {needed} of memory, and {available} are there: "
    ))
    .append(advice.clone())
}

fn of_part(part: &str, error: &nocurl_io::Error) -> Text {
    Text::new(format!("`{}`: ", nocurl_io::plain(part))).append(error.text())
}

fn not_for_moments(setting: &'static str, path: &str) -> Text {
    Text::default().act(Action::setting(setting)).say(format!(
        ": `{}` holds moments, which have no cells to look at; say it when they are made",
        nocurl_io::plain(path)
    ))
}

fn replicates(given: usize) -> Text {
    Text::default().act(Action::set("bootstrap", given)).say(format!(
        ": between 2 and {MOST_REPLICATES} tables can be drawn, some hundred are usual"
    ))
}

fn seconds(given: f64) -> Text {
    Text::default()
        .act(Action::set("confidence_seconds", given))
        .say(": it must be a positive number of seconds; to leave confidence out use ")
        .act(Action::set("confidence", false))
}

fn level(given: f64) -> Text {
    Text::default()
        .act(Action::set("confidence_level", given))
        .say(": it must be a number from 0 to 1, such as 0.9")
}

fn no_consensus(reason: Option<&Text>) -> Text {
    let text = Text::default().act(Action::set("graph", "consensus"));
    match reason {
        None => text
            .say(": resampled tables agree on it, so confidence must be measured; leave out ")
            .act(Action::set("confidence", false)),
        Some(reason) => text.say(": there is none, because ").append(reason.clone()),
    }
}

fn not_trained(method: &str, trained: &[&'static str]) -> Text {
    let trained = trained.iter().map(|&name| Action::method(name));
    Text::default()
        .act(Action::setting("checkpoint"))
        .say(format!(": the work of method `{method}` cannot be kept; leave it out, or use "))
        .act_all(trained, " or ")
}

fn confidence(given: f64) -> Text {
    format!("a confidence of {given}: it must be a number from 0 to 1").into()
}

fn no_confidence() -> Text {
    Text::new("the graph does not say how sure its edges are: learn it with ")
        .act(Action::setting("bootstrap"))
        .say(" and give the JSON file")
}

fn no_such_variable(name: &str, like: Option<&str>) -> Text {
    let question = like.map_or_else(String::new, |like| format!("; did you mean `{like}`?"));
    format!("the graph has no variable `{name}`{question}").into()
}

fn one_state() -> Text {
    Text::default()
        .act(Action::setting("checkpoint"))
        .say(": one file cannot keep the trainings of ")
        .act(Action::setting("bootstrap"))
        .say("; use one of them")
}
