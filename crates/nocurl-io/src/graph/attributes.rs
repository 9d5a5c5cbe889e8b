//! What graphs, variables and edges carry in formats that have attributes.
//!
//! DOT, GraphML and GML write and read these alike; each format only has its own way to spell an
//! attribute. Attributes of other names are passed over.

use nocurl::bootstrap::Confidence;
use nocurl::{Determines, Evidence};

use super::{DescribedVariable, Direction, Edge, GraphDocument, MechanismDocument};
use crate::error::shorten;

/// The value of an attribute that is written.
pub(super) enum Value<'a> {
    Number(f64),
    Text(&'a str),
}

type Attributes<'a> = Vec<(&'static str, Value<'a>)>;

/// What is written about the graph.
pub(super) fn of_graph(graph: &GraphDocument) -> Attributes<'_> {
    let mut attributes = vec![("determines", Value::Text(graph.determines.name()))];
    if !graph.method.is_empty() {
        attributes.push(("method", Value::Text(&graph.method)));
    }
    if graph.needs_json || graph.part || graph.model.is_some() && plain(graph).is_none() {
        attributes.push((MODEL, Value::Text("json")));
    }
    attributes
}

/// The attribute of a graph whose model only JSON holds.
const MODEL: &str = "model";

/// The error variance of each variable, where means, weights and these are the whole model: all
/// variables are numbers on their own scale with linear mechanisms.
fn plain(graph: &GraphDocument) -> Option<Vec<f64>> {
    let own = |known: &DescribedVariable| {
        known.variable.transforms.is_empty() && !known.variable.is_discrete()
    };
    let model = graph.model.as_ref().filter(|_| !graph.part)?;
    if model.experiment.is_some() || graph.experiments.is_some() || !graph.kinds.iter().all(own) {
        return None;
    }
    let variance = |mechanism: &MechanismDocument| match mechanism {
        MechanismDocument::Linear { variance, .. } => Some(*variance),
        _ => None,
    };
    model.mechanisms.iter().map(variance).collect()
}

/// What is written about each variable besides its name.
pub(super) fn of_variables(graph: &GraphDocument) -> Vec<Attributes<'_>> {
    let without_model = graph.model.is_none() && !graph.needs_json && !graph.part;
    let variances =
        plain(graph).or_else(|| graph.error_variances.clone().filter(|_| without_model));
    // Means without the rest of their model would be taken for all of it.
    let means = graph.means.as_ref().filter(|_| variances.is_some() || without_model);
    let numbers = [
        ("potential", graph.potential.as_ref()),
        ("mean", means),
        ("errorvariance", variances.as_ref()),
    ];
    let of = |variable: usize| {
        let value = |(name, all): (&'static str, Option<&Vec<f64>>)| {
            Some((name, Value::Number(*all?.get(variable)?)))
        };
        numbers.into_iter().filter_map(value).collect()
    };
    (0..graph.variables.len()).map(of).collect()
}

/// What is written about an edge beside its ends.
pub(super) fn of_edge(edge: &Edge) -> Attributes<'_> {
    let weight = edge.weight.map(|weight| ("weight", Value::Number(weight)));
    let direction = ("direction", Value::Text(edge.direction.name()));
    let confidence = edge.confidence.as_ref().map(numbers).into_iter().flatten();
    let confidence = confidence.map(|(name, number)| (name, Value::Number(number)));
    let evidence = edge.evidence.map(|evidence| ("evidence", Value::Text(evidence.name())));
    weight.into_iter().chain([direction]).chain(evidence).chain(confidence).collect()
}

/// How sure an edge is, by the names that files have for it.
pub(super) fn numbers(confidence: &Confidence) -> [(&'static str, f64); 4] {
    [
        ("confidence_adjacent", confidence.adjacent),
        ("confidence_direction", confidence.direction),
        ("frequency_adjacent", confidence.adjacent_frequency),
        ("frequency_direction", confidence.direction_frequency),
    ]
}

/// Takes one of [`numbers`]; what is no share is refused.
pub(super) fn set_number(
    confidence: &mut Option<Confidence>,
    name: &str,
    value: &str,
) -> Result<(), String> {
    let share = value.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    let share = share.ok_or_else(|| {
        format!("an edge has `{name}` `{}`; it is a number from 0 to 1", shorten(value, 40))
    })?;
    let known = confidence.get_or_insert_default();
    match name {
        "confidence_adjacent" => known.adjacent = share,
        "confidence_direction" => known.direction = share,
        "frequency_adjacent" => known.adjacent_frequency = share,
        _ => known.direction_frequency = share,
    }
    Ok(())
}

/// What is known of the graph while a file is being read.
#[derive(Debug, Clone, Default)]
pub(super) struct OfGraph {
    pub(super) determines: Option<Determines>,
    pub(super) method: String,
    /// Whether only JSON holds its model.
    pub(super) needs_json: bool,
}

impl OfGraph {
    /// Takes an attribute by its name in files; `claim` is that of schema 1.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "determines" | "claim" => {
                let known = Determines::from_name(value).ok_or_else(|| {
                    let value = shorten(value, 40);
                    format!("its `{name}` is `{value}`; it is `graph`, `class` or `skeleton`")
                })?;
                self.determines = Some(known);
            }
            "method" => self.method = value.into(),
            MODEL => self.needs_json = value == "json",
            _ => {}
        }
        Ok(())
    }
}

/// What is known of one variable while a file is being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OfVariable {
    pub(super) potential: Option<f64>,
    pub(super) mean: Option<f64>,
    pub(super) error_variance: Option<f64>,
}

impl OfVariable {
    /// Takes an attribute by its name in files. Other programs may use these names for something
    /// else: what is no number is passed over.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let number = || value.parse().ok().filter(|value: &f64| value.is_finite());
        match name {
            "potential" => self.potential = number(),
            "mean" => self.mean = number(),
            "errorvariance" => self.error_variance = number().filter(|value| *value >= 0.0),
            _ => {}
        }
    }
}

/// What is known of one edge while a file is being read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OfEdge {
    pub(super) weight: Option<f64>,
    pub(super) direction: Option<Direction>,
    pub(super) evidence: Option<Evidence>,
    /// The mark `cpdag` of schema 1: whether all graphs of the class share the direction.
    pub(super) shared: Option<bool>,
    /// Without a direction, in the way of the format or of another program.
    pub(super) undirected: bool,
    /// How sure it is.
    pub(super) confidence: Option<Confidence>,
}

impl OfEdge {
    /// Takes an attribute by its name in files. `directed` is what networkx users write on edges
    /// of a mixed graph; `dir` and `arrowhead` are Graphviz's, as causal-learn writes them.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            // In DOT `weight` is for Graphviz to lay edges out by, so that ours has another name.
            "weight" | "edge_weight" => {
                let number = value.parse();
                self.weight =
                    Some(number.map_err(|_| format!("`{}` is not a number", shorten(value, 40)))?);
            }
            "direction" => {
                let known = Direction::from_name(value).ok_or_else(|| {
                    let value = shorten(value, 40);
                    format!(
                        "an edge has `direction` `{value}`; it is `determined`, `likely` or \
                         `undetermined`"
                    )
                })?;
                self.direction = Some(known);
            }
            // Other programs may use this name for something else.
            "evidence" => self.evidence = Evidence::from_name(value),
            "cpdag" => {
                self.shared = Some(shared(value).ok_or_else(|| {
                    let value = shorten(value, 40);
                    format!("an edge has `cpdag` `{value}`; it is `directed` or `undirected`")
                })?);
            }
            "confidence_adjacent"
            | "confidence_direction"
            | "frequency_adjacent"
            | "frequency_direction" => set_number(&mut self.confidence, name, value)?,
            "directed" => self.undirected = matches!(value, "0" | "false" | "False"),
            "dir" | "arrowhead" if value == "none" => self.undirected = true,
            _ => {}
        }
        Ok(())
    }
}

/// The meaning of the mark `cpdag` of schema 1.
pub(super) fn shared(mark: &str) -> Option<bool> {
    match mark {
        "directed" => Some(true),
        "undirected" => Some(false),
        _ => None,
    }
}
