//! A graph from a file as effects need it: with weights, and with what it determines.

use std::path::Path;

use nocurl::error::closest;
use nocurl::{Dag, Determines, Pdag, Variables};
use nocurl_app::Fitted;
use nocurl_io::{BootstrapSummary, Source, read_graph};

use crate::failure::Failure;
use crate::report;

/// A graph with its name on the command line.
pub(super) struct Weighted {
    pub(super) label: String,
    /// Edges between variables.
    edges: usize,
    /// The columns: variables, and levels of categorical ones but the base.
    pub(super) names: Vec<String>,
    /// The variables that the columns code.
    pub(super) variables: Variables,
    pub(super) dag: Dag,
    pub(super) determines: Determines,
    /// Which directions are determined.
    pub(super) determined: Pdag,
    pub(super) means: Option<Vec<f64>>,
    pub(super) bootstrap: Option<BootstrapSummary>,
    pub(super) warnings: Vec<String>,
    /// The graphs of its class, with the numbers of the model where the file has them.
    pub(super) fitted: Fitted,
}

impl Weighted {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let graph = read_graph(&Source::new(path))?;
        let label = report::clean(&path.to_string_lossy());
        if !graph.is_weighted() {
            return Err(Failure::Input(format!(
                "`{label}` has edges without weights: effects need them all; learn the graph with \
                 --output g.json, or add a third column to the list"
            )));
        }
        let (expanded, fitted) = (graph.expanded()?, Fitted::new(&graph)?);
        let mut warnings: Vec<String> = graph.linear_parts().into_iter().collect();
        // Intervals are those of variables, and weights of edges with levels are not effects.
        let bootstrap = graph.bootstrap.filter(|_| expanded.variables.is_plain());
        if !expanded.variables.is_plain() {
            warnings.push(
                "effects of and on levels are those of linear models of their probabilities, each \
                 beside the base level of its variable"
                    .into(),
            );
        }
        Ok(Self {
            label,
            edges: graph.edges.len(),
            dag: expanded.dag,
            fitted,
            determined: expanded.determined,
            determines: graph.determines,
            warnings,
            names: expanded.names,
            variables: expanded.variables,
            means: expanded.means,
            bootstrap,
        })
    }

    /// The position of a variable that a flag names.
    pub(super) fn variable(&self, flag: &str, name: &str) -> Result<usize, Failure> {
        let levels = self.names.iter().filter(|known| known.starts_with(&format!("{name}=")));
        let levels: Vec<String> = levels.map(|known| format!("`{known}`")).collect();
        if levels.is_empty() || self.names.iter().any(|known| known == name) {
            return position(&self.names, &self.label, flag, name);
        }
        Err(Failure::Input(format!(
            "{flag} {name}: name one of the levels of `{name}`: {}",
            levels.join(", ")
        )))
    }

    /// The line on the terminal that says what was read.
    pub(super) fn headline(&self) -> String {
        let edges = report::count(self.edges as u64, "edge");
        report::line(
            "Graph",
            &format!("{}: {edges} among {} variables", self.label, self.variables.size()),
        )
    }

    /// Who has other values where directions are undetermined.
    pub(super) fn others(&self) -> &'static str {
        match self.determines {
            Determines::Skeleton => "another choice of directions",
            _ => "another graph of the equivalence class",
        }
    }
}

/// The position of a variable that a flag names, in the file `label`.
pub(super) fn position(
    names: &[String],
    label: &str,
    flag: &str,
    name: &str,
) -> Result<usize, Failure> {
    names.iter().position(|known| known == name).ok_or_else(|| {
        let mut reason = format!("{flag} {name}: `{label}` has no such variable");
        if let Some(like) = closest(name, names.iter().map(String::as_str)) {
            reason += &format!("; did you mean `{like}`?");
        }
        Failure::Input(reason)
    })
}
