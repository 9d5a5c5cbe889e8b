//! The document of a graph: what is read and what is written.

use std::collections::BTreeMap;

use nocurl::bootstrap::Confidence;
use nocurl::graph::Direction;
use nocurl::methods::SearchReport;
use nocurl::{Dag, Determines, Evidence, Pdag, Variable};
use nocurl_report::Histogram;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelDocument;
use crate::Error;

/// A graph with everything that is known about it and everything needed to repeat the run.
///
/// The same type is read ([`crate::read_graph`]) and written ([`crate::write_graph`]): JSON holds
/// all of it, other formats what they can. The fields are documented for readers of the files in
/// `docs/graph-json.md`; a change that breaks those readers needs a new
/// [`GraphDocument::SCHEMA`].
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
    /// The graphs that independences cannot tell apart, where they are known.
    pub class: Option<Class>,
    /// How much of the graph is determined; the edges say which directions.
    pub determines: Determines,
    /// Which directions are determined, and why, in plain words.
    #[serde(default)]
    pub directions: String,
    /// What directions rest on where they come from more than independences, in a few words.
    #[serde(default)]
    pub assumption: Option<String>,
    /// Means of the variables, in their order, where they are known and all variables have one.
    #[serde(default)]
    pub means: Option<Vec<f64>>,
    /// What the variables are, in their order; none where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<DescribedVariable>,
    /// The fitted model: how each variable follows from its parents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelDocument>,
    /// Variances of the errors of the variables, in files of earlier schemas and other formats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_variances: Option<Vec<f64>>,
    /// Whether this is a part of a larger graph, which answers nothing by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part: bool,
    /// Whether it was read from a format that does not hold its model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_json: bool,
    /// What the shape of errors says about directions, where it was looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_shape: Option<super::ErrorShapeSummary>,
    /// The conditions that rows came from and what these act on, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiments: Option<super::ExperimentSummary>,
    /// What was found again in resampled data, where that was asked for.
    #[serde(default)]
    pub bootstrap: Option<super::BootstrapSummary>,
    /// Name of the method, empty where it is not known.
    pub method: String,
    /// Its parameters, defaults included.
    pub parameters: Value,
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
    /// How stable the search was, where it was one with restarts.
    #[serde(default)]
    pub search: Option<SearchReport>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Findings about the result ([`nocurl::checks`]); null without them. Not typed, so that
    /// findings of later versions can be read.
    #[serde(default)]
    pub diagnosis: Value,
    /// Wall time of the run.
    pub elapsed_seconds: f64,
    /// The command that repeats the run, as its front end writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Some of the rows, by variable: numbers to five digits, or positions of levels. For reports:
    /// no other format has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<Vec<f64>>,
}

impl GraphDocument {
    /// Name and version of the schema that this crate writes.
    pub const SCHEMA: &str = "nocurl/graph/3";

    /// A graph by itself with its edges from the largest weight to the smallest. `determined` says
    /// which directions are determined; it has the adjacencies of `dag`.
    pub fn new(names: &[String], dag: &Dag, determined: &Pdag) -> Self {
        let mut edges: Vec<(usize, usize, f64)> = dag.edges().collect();
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        let edges = edges.into_iter().map(|(from, to, weight)| Edge {
            from: names[from].clone(),
            to: names[to].clone(),
            weight: Some(weight),
            direction: match determined.has_directed(from, to) {
                true => Direction::Determined,
                false => Direction::Undetermined,
            },
            ..Edge::default()
        });
        let determines =
            if determined.is_directed() { Determines::Graph } else { Determines::Class };
        Self {
            edges: edges.collect(),
            order: dag.order().iter().map(|&i| names[i].clone()).collect(),
            determines,
            ..Self::without_edges(names.to_vec())
        }
    }

    /// These variables, and nothing known about them.
    pub(super) fn without_edges(names: Vec<String>) -> Self {
        Self {
            schema: Self::SCHEMA.into(),
            edges: Vec::new(),
            order: names.clone(),
            variables: names,
            potential: None,
            class: None,
            determines: Determines::Graph,
            directions: String::new(),
            assumption: None,
            means: None,
            kinds: Vec::new(),
            model: None,
            error_variances: None,
            part: false,
            needs_json: false,
            error_shape: None,
            experiments: None,
            bootstrap: None,
            method: String::new(),
            parameters: Value::Null,
            seed: 0,
            version: env!("CARGO_PKG_VERSION").into(),
            input: None,
            termination: "direct".into(),
            iterations: 0,
            search: None,
            warnings: Vec::new(),
            diagnosis: Value::Null,
            elapsed_seconds: 0.0,
            command: None,
            sample: Vec::new(),
        }
    }

    /// The acyclic graph of the edges as they are drawn, with their weights: 1 where an edge has none,
    /// and the smallest positive number for a weight of 0, which a [`Dag`] takes for no edge.
    ///
    /// # Errors
    /// A cycle, or an edge between variables that are not there; not in a document that was read.
    pub fn dag(&self) -> Result<Dag, Error> {
        let edges = self
            .indexed_edges()?
            .into_iter()
            .map(|(from, to, edge)| (from, to, edge.weight.unwrap_or(1.0)));
        Ok(Dag::from_named_parents(parents(self.variables.len(), edges), &self.variables)?)
    }

    /// The partially directed graph that says which directions are determined.
    ///
    /// # Errors
    /// Edges that are there twice or between variables that are not there; not in a document that
    /// was read.
    pub fn determined(&self) -> Result<Pdag, Error> {
        self.partially_directed(Edge::is_determined)
    }

    /// The partially directed graph with all directions that are determined or likely.
    ///
    /// # Errors
    /// As [`Self::determined`].
    pub fn directed(&self) -> Result<Pdag, Error> {
        self.partially_directed(Edge::is_directed)
    }

    fn partially_directed(&self, arrow: fn(&Edge) -> bool) -> Result<Pdag, Error> {
        let (directed, undirected): (Vec<_>, Vec<_>) =
            self.indexed_edges()?.into_iter().partition(|(_, _, edge)| arrow(edge));
        let ends = |edges: Vec<(usize, usize, &Edge)>| -> Vec<(usize, usize)> {
            edges.into_iter().map(|(from, to, _)| (from, to)).collect()
        };
        Ok(Pdag::new(self.variables.len(), &ends(directed), &ends(undirected))?)
    }

    /// True when no variable is known to have levels.
    pub fn is_numeric(&self) -> bool {
        self.kinds.iter().all(|known| !known.variable.is_discrete())
    }

    /// True when every edge has a weight, or coefficients for the levels of its ends.
    pub fn is_weighted(&self) -> bool {
        self.edges.iter().all(Edge::is_weighted)
    }

    /// True when every direction is one that somebody has drawn. An undirected edge of another
    /// program has no direction and so no weight: the one it is drawn in here was chosen when it
    /// was read.
    pub fn is_drawn(&self) -> bool {
        self.edges.iter().all(|edge| edge.is_directed() || edge.is_weighted())
    }

    /// The edges with the positions of their variables.
    pub(super) fn indexed_edges(&self) -> Result<Vec<(usize, usize, &Edge)>, Error> {
        let positions: BTreeMap<&str, usize> =
            self.variables.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let position = |name: &str| {
            positions.get(name).copied().ok_or_else(|| {
                Error::unsupported("graph", format!("an edge names `{name}`, which is no variable"))
            })
        };
        self.edges
            .iter()
            .map(|edge| Ok((position(&edge.from)?, position(&edge.to)?, edge)))
            .collect()
    }
}

/// What is at one end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// The end of a cause.
    Tail,
    /// The end of an effect.
    Arrow,
    /// Either.
    Circle,
}

/// An edge as it is drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "EdgeDocument", from = "EdgeDocument")]
pub struct Edge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
    /// Change of the effect per unit of the cause, where it is known and one number.
    pub weight: Option<f64>,
    /// The 95% confidence interval of the weight, where it is known.
    pub interval: Option<[f64; 2]>,
    /// How sure it is that the edge points this way.
    pub direction: Direction,
    /// How sure the edge and its direction are, where that was measured.
    pub confidence: Option<Confidence>,
    /// The share of what the other parents leave of the effect that the cause removes, between 0
    /// and 1 ([`nocurl::links`]).
    pub strength: Option<f64>,
    /// The weight in units of standard deviations, between numbers.
    pub standardized_weight: Option<f64>,
    /// The change of the effect for each level of the cause but its base, where the cause has levels.
    pub coefficients: Vec<Coefficient>,
    /// What a determined direction comes from, where it is known.
    pub evidence: Option<Evidence>,
}

/// The change of an effect when its cause changes from its base level to another one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// The level of the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_level: Option<String>,
    /// The base level that it is compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_base: Option<String>,
    /// The level of the effect, in files of earlier schemas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_level: Option<String>,
    /// The change.
    pub value: f64,
    /// Its 95% confidence interval, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// An edge as files hold it: with the marks at its ends and a lag.
#[derive(Serialize, Deserialize)]
struct EdgeDocument {
    from: String,
    to: String,
    /// At `from`, then at `to`: derived from the direction.
    #[serde(default)]
    marks: Option<[Mark; 2]>,
    /// Steps of time from the cause to the effect; always 0 for tables without time.
    #[serde(default)]
    lag: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
    #[serde(default)]
    direction: Direction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<Confidence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strength: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standardized_weight: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    coefficients: Vec<Coefficient>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}

impl From<Edge> for EdgeDocument {
    fn from(edge: Edge) -> Self {
        Self {
            marks: Some(edge.marks()),
            lag: 0,
            from: edge.from,
            to: edge.to,
            weight: edge.weight,
            interval: edge.interval,
            direction: edge.direction,
            confidence: edge.confidence,
            strength: edge.strength,
            standardized_weight: edge.standardized_weight,
            coefficients: edge.coefficients,
            evidence: edge.evidence,
        }
    }
}

impl From<EdgeDocument> for Edge {
    fn from(edge: EdgeDocument) -> Self {
        Self {
            from: edge.from,
            to: edge.to,
            weight: edge.weight,
            interval: edge.interval,
            direction: edge.direction,
            confidence: edge.confidence,
            strength: edge.strength,
            standardized_weight: edge.standardized_weight,
            coefficients: edge.coefficients,
            evidence: edge.evidence,
        }
    }
}

impl Edge {
    /// The marks at its ends: a tail and an arrow, or two circles where the direction is
    /// undetermined.
    pub fn marks(&self) -> [Mark; 2] {
        match self.is_directed() {
            true => [Mark::Tail, Mark::Arrow],
            false => [Mark::Circle, Mark::Circle],
        }
    }

    /// True when it says how much the effect changes.
    pub fn is_weighted(&self) -> bool {
        self.weight.is_some() || !self.coefficients.is_empty()
    }

    /// True when the direction is determined.
    pub fn is_determined(&self) -> bool {
        self.direction == Direction::Determined
    }

    /// True when the direction is at least likely.
    pub fn is_directed(&self) -> bool {
        self.direction != Direction::Undetermined
    }
}

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DescribedVariable {
    /// Its name, its kind and its levels.
    #[serde(flatten)]
    pub variable: Variable,
    /// The share of rows that have each level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<f64>,
    /// The mean, where it is one number: of levels, that of their positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The standard deviation of a number on a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// Values that were missing in the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<u64>,
    /// How values on a scale lie, in a sample of the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// A class of graphs by the edges of its partially directed graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Edges `[from, to]` that all graphs of the class share.
    pub directed: Vec<[String; 2]>,
    /// Edges that have either direction in some of them.
    pub undirected: Vec<[String; 2]>,
}

impl Class {
    /// A class of graphs with names for the variables.
    ///
    /// # Panics
    /// When there are fewer names than variables.
    pub fn new(names: &[String], class: &Pdag) -> Self {
        let pair = |(i, j): (usize, usize)| [names[i].clone(), names[j].clone()];
        Self {
            directed: class.directed().map(pair).collect(),
            undirected: class.undirected().map(pair).collect(),
        }
    }
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

/// The parents of each variable with the weights of their edges, of which there are a few where
/// variables are many; the smallest positive number for a weight of 0, which would be no edge. Of
/// several edges between two variables the last counts.
fn parents(
    size: usize,
    edges: impl Iterator<Item = (usize, usize, f64)>,
) -> Vec<Vec<(usize, f64)>> {
    let mut parents = vec![Vec::new(); size];
    for (from, to, weight) in edges {
        parents[to].push((from, if weight == 0.0 { f64::MIN_POSITIVE } else { weight }));
    }
    for own in &mut parents {
        own.reverse();
        own.sort_by_key(|&(from, _)| from);
        own.dedup_by_key(|&mut (from, _)| from);
    }
    parents
}
