//! The neutral description of a learnt graph, and its JSON form.

use nocurl::Dag;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything a run has found and everything needed to repeat it; written as it is by JSON.
///
/// The fields are documented for readers of the files in `docs/graph-json.md`; a change that
/// breaks those readers needs a new [`GraphDocument::SCHEMA`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphDocument {
    /// Always [`GraphDocument::SCHEMA`].
    pub schema: String,
    /// Names of all variables, in the order of the data.
    pub variables: Vec<String>,
    /// The edges, in the order they should be shown.
    pub edges: Vec<Edge>,
    /// The variables so that parents come before children.
    pub order: Vec<String>,
    /// The potential behind the order, one value per variable, for methods that have one.
    pub potential: Option<Vec<f64>>,
    /// The class of graphs that data of this kind cannot tell apart.
    pub cpdag: Cpdag,
    /// How much of the graph is meant.
    #[serde(default)]
    pub claim: nocurl::Claim,
    /// Which directions the assumptions of the method support and which not, in plain words.
    #[serde(default)]
    pub directions: String,
    /// Means of the variables, in their order, where they are known.
    #[serde(default)]
    pub means: Option<Vec<f64>>,
    /// What was found again in resampled data, where that was asked for.
    #[serde(default)]
    pub bootstrap: Option<super::BootstrapSummary>,
    /// Name of the method.
    pub method: String,
    /// Its parameters, defaults included.
    pub parameters: serde_json::Value,
    /// Seed of all randomness.
    pub seed: u64,
    /// Version of the program.
    pub version: String,
    /// What was read.
    pub input: Option<InputDescription>,
    /// How the method ended.
    pub termination: String,
    /// Iterations used.
    pub iterations: u64,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Findings about the result ([`nocurl::checks`]); null without them. Not typed, so that
    /// findings of later versions can be read.
    #[serde(default)]
    pub diagnosis: serde_json::Value,
    /// Wall time of the run.
    pub elapsed_seconds: f64,
}

impl GraphDocument {
    /// Name and version of the schema that this crate writes and reads.
    pub const SCHEMA: &str = "nocurl/graph/1";

    /// A graph by itself, all directions meant, with its edges from the largest weight to the
    /// smallest.
    pub fn new(names: &[String], dag: &Dag, order: &[usize], class: &nocurl::Cpdag) -> Self {
        let name = |i: usize| names[i].clone();
        let mut edges: Vec<(usize, usize, f64)> = dag.edges().collect();
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        Self {
            schema: Self::SCHEMA.into(),
            variables: names.to_vec(),
            edges: edges
                .into_iter()
                .map(|(from, to, weight)| Edge { from: name(from), to: name(to), weight })
                .collect(),
            order: order.iter().map(|&i| name(i)).collect(),
            potential: None,
            cpdag: Cpdag {
                directed: class.directed().map(|(i, j)| [name(i), name(j)]).collect(),
                undirected: class.undirected().map(|(i, j)| [name(i), name(j)]).collect(),
            },
            claim: nocurl::Claim::Dag,
            directions: String::new(),
            means: None,
            bootstrap: None,
            method: String::new(),
            parameters: Value::Null,
            seed: 0,
            version: env!("CARGO_PKG_VERSION").into(),
            input: None,
            termination: "direct".into(),
            iterations: 0,
            warnings: Vec::new(),
            diagnosis: Value::Null,
            elapsed_seconds: 0.0,
        }
    }
}

/// A directed edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// Change of the effect per unit of the cause.
    pub weight: f64,
}

/// A completed partially directed acyclic graph by its edges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cpdag {
    /// Edges `[from, to]` that all graphs of the class share.
    pub directed: Vec<[String; 2]>,
    /// Edges whose direction is open.
    pub undirected: Vec<[String; 2]>,
}

/// The table that a graph was learnt from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputDescription {
    /// The path as given, or `-`.
    pub path: String,
    /// Format of the file.
    pub format: crate::Format,
    /// Rows used.
    pub rows: u64,
    /// Rows left out because of missing values.
    pub rows_dropped: u64,
    /// Columns used.
    pub columns: usize,
    /// Digest of the bytes of the input, with the name of its algorithm.
    pub digest: String,
    /// What was done about missing values.
    pub missing: crate::Missing,
}
