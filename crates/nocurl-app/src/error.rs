//! What can go wrong with a job, in words for the person at the keyboard.

use nocurl::bootstrap::MOST_REPLICATES;
use nocurl::{Action, Text};

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
    /// Rows cannot be drawn from a table that is estimated as a whole.
    #[error("{}", no_rows_to_draw())]
    NoRowsToDraw,
    /// A number of resampled tables that makes no sense.
    #[error("{}", replicates(*given))]
    Replicates {
        /// The number as given.
        given: usize,
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
    /// One file for the states of many trainings.
    #[error("{}", one_state())]
    OneState,
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
            Self::NoRowsToDraw => no_rows_to_draw(),
            Self::Replicates { given } => replicates(*given),
            Self::NotTrained { method, trained } => not_trained(method, trained),
            Self::OneState => one_state(),
            Self::NotAModel => self.to_string().into(),
        }
    }
}

fn no_rows_to_draw() -> Text {
    Text::default()
        .act(Action::setting("bootstrap"))
        .say(" draws rows, but ")
        .act(Action::set("missing", "em"))
        .say(" does not fill them in; use ")
        .act(Action::set("missing", "drop"))
}

fn replicates(given: usize) -> Text {
    Text::default().act(Action::set("bootstrap", given)).say(format!(
        ": between 2 and {MOST_REPLICATES} tables can be drawn, some hundred are usual"
    ))
}

fn not_trained(method: &str, trained: &[&'static str]) -> Text {
    let trained = trained.iter().map(|&name| Action::method(name));
    Text::default()
        .act(Action::setting("checkpoint"))
        .say(format!(
            ": method `{method}` is not trained, so there is nothing to keep; leave it out, or \
             use "
        ))
        .act_all(trained, " or ")
}

fn one_state() -> Text {
    Text::default()
        .act(Action::setting("checkpoint"))
        .say(": one file cannot keep the trainings of ")
        .act(Action::setting("bootstrap"))
        .say("; use one of them")
}
