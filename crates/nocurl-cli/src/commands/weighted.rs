//! A graph from a file as effects need it: acyclic, with weights, and with what it claims.

use std::path::Path;

use nocurl::error::closest;
use nocurl::{Algorithm, Claim, Cpdag, Dag, Mat, Options};
use nocurl_io::{BootstrapSummary, Graph, Source, read_graph};

use crate::failure::Failure;
use crate::report;

/// A graph with its name on the command line.
pub(super) struct Weighted {
    pub(super) label: String,
    pub(super) names: Vec<String>,
    pub(super) dag: Dag,
    pub(super) claim: Claim,
    /// The graph with an undirected edge wherever the direction is not meant.
    pub(super) meant: Cpdag,
    pub(super) means: Option<Vec<f64>>,
    pub(super) bootstrap: Option<BootstrapSummary>,
    pub(super) warnings: Vec<String>,
}

impl Weighted {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let graph = read_graph(&Source::new(path))?;
        let label = report::clean(&path.to_string_lossy());
        if !graph.weighted {
            return Err(Failure::Input(format!(
                "`{label}` has edges without weights: effects need them all; learn the graph with \
                 --output g.json, or add a third column to the list"
            )));
        }
        let dag = dag(graph.weights.clone(), &graph.names, &label)?;
        let meant = meant(&graph, &dag)?;
        let linear = Algorithm::from_name(&graph.method).map_or(true, |algorithm| {
            Options { algorithm, refine: graph.refine, ..Options::default() }.facts().linear
        });
        let warnings = if linear {
            Vec::new()
        } else {
            vec![format!(
                "the graph was learnt by `{}`{}: its weights are the linear parts of effects that \
                 are not linear, and so are the numbers here",
                graph.method,
                graph.refine.map_or("", |_| " and a search with networks")
            )]
        };
        let Graph { names, claim, means, bootstrap, .. } = graph;
        Ok(Self { label, names, dag, claim, meant, means, bootstrap, warnings })
    }

    /// The position of a variable that a flag names.
    pub(super) fn variable(&self, flag: &str, name: &str) -> Result<usize, Failure> {
        self.names.iter().position(|known| known == name).ok_or_else(|| {
            let mut told = format!("{flag} {name}: `{}` has no such variable", self.label);
            if let Some(like) = closest(name, self.names.iter().map(String::as_str)) {
                told += &format!("; did you mean `{like}`?");
            }
            Failure::Input(told)
        })
    }

    /// The line on the terminal that says what was read.
    pub(super) fn headline(&self) -> String {
        let edges = report::count(self.dag.edge_count() as u64, "edge");
        report::line(
            "Graph",
            &format!("{}: {edges} among {} variables", self.label, self.names.len()),
        )
    }

    /// Who has other values where directions are open.
    pub(super) fn others(&self) -> &'static str {
        match self.claim {
            Claim::Skeleton => "another choice of directions",
            _ => "another graph of the equivalence class",
        }
    }
}

/// The directions that are meant: by the marks of the file, else by the graph itself.
fn meant(graph: &Graph, dag: &Dag) -> Result<Cpdag, Failure> {
    let class = match &graph.undirected {
        None => Cpdag::from_dag(dag),
        Some(open) => {
            let (open, directed): (Vec<_>, Vec<_>) =
                dag.edges().map(|(i, j, _)| (i, j)).partition(|edge| open.contains(edge));
            Cpdag::new(dag.size(), &directed, &open)?
        }
    };
    Ok(graph.claim.meant(dag, &class))
}

/// The graph of these weights; a cycle is told by the names of its variables.
pub(super) fn dag(weights: Mat<f64>, names: &[String], label: &str) -> Result<Dag, Failure> {
    Dag::named(weights, names).map_err(|error| match error {
        nocurl::Error::Cycle { names: mut cycle } => {
            cycle.extend(cycle.first().cloned());
            Failure::Input(format!("`{label}` has a cycle: {}", cycle.join(" -> ")))
        }
        error => error.into(),
    })
}
