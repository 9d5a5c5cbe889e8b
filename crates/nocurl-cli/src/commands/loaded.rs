//! A graph from a file, for the commands that ask it something.

use std::path::Path;

use nocurl_app::Fitted;
use nocurl_io::{GraphDocument, Source, read_graph};

use crate::failure::Failure;
use crate::report;

/// A graph with its answers and its name on the command line.
pub(super) struct Loaded {
    pub(super) label: String,
    pub(super) document: GraphDocument,
    pub(super) answers: Fitted,
}

impl Loaded {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let document = read_graph(&Source::new(path))?;
        let label = report::clean(&path.to_string_lossy());
        let answers = Fitted::new(&document).map_err(|error| named(&label, error))?;
        Ok(Self { label, document, answers })
    }

    /// The position of a variable that a flag names.
    pub(super) fn variable(&self, flag: &str, name: &str) -> Result<usize, Failure> {
        self.answers.variable(name).map_err(|error| {
            let nocurl_app::Error::NoSuchVariable { like, .. } = &error else {
                return error.into();
            };
            let mut reason = format!("{flag} {name}: `{}` has no such variable", self.label);
            if let Some(like) = like {
                reason += &format!("; did you mean `{like}`?");
            }
            Failure::Input(reason)
        })
    }

    /// The error of an answer, with the name of the file.
    pub(super) fn failed(&self, error: nocurl_app::Error) -> Failure {
        named(&self.label, error)
    }

    /// The line on the terminal that says what was read.
    pub(super) fn headline(&self) -> String {
        let edges = report::count(self.document.edges.len() as u64, "edge");
        let variables = self.document.variables.len();
        report::line("Graph", &format!("{}: {edges} among {variables} variables", self.label))
    }
}

/// An error about a graph with the name of its file, where it does not name a table.
fn named(label: &str, error: nocurl_app::Error) -> Failure {
    use nocurl_app::Error;
    match error {
        Error::NotAModel => lacks(label, "has no weights, means and error variances"),
        Error::NotWeighted => lacks(label, "has edges without weights"),
        Error::NoMeans => lacks(label, "has no means, which an intervention starts from"),
        Error::SameVariable { name } => Failure::Input(format!(
            "--from and --to both name `{name}`: an effect needs two variables"
        )),
        Error::EffectOutOfRange { .. } | Error::MeanOutOfRange { .. } => {
            Failure::Input(format!("`{label}`: {error}"))
        }
        other => other.into(),
    }
}

/// The error for a file that lacks a part of the model.
fn lacks(label: &str, what: &str) -> Failure {
    Failure::Input(format!(
        "`{label}` {what}: learn the graph with --output g.json and give that file"
    ))
}
