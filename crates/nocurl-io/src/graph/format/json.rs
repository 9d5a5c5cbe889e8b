//! JSON: the whole document.

use serde_json::{Value, json};

use super::{GraphDocument, GraphFormat, Written, failure};
use crate::Error;
use crate::error::shorten;
use crate::graph::attributes::OfEdge;
use crate::graph::builder::{Builder, Flaw};
use crate::graph::{DescribedVariable, Edge};
use crate::stack::on_stack;

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "JSON",
    extensions: &["json"],
    also_read: &[],
    may_omit_variables: false,
    read: Some(read),
    write: Written::Text(write),
};

impl GraphDocument {
    /// The document that [`crate::format_graph`] wrote as JSON, checked like a file.
    ///
    /// # Errors
    /// Anything wrong with the text, in one line.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        on_stack(|| read(text)).map_err(|flaw| failure("the text", flaw))
    }
}

/// Schemas before [`GraphDocument::SCHEMA`].
const FIRST_SCHEMA: &str = "nocurl/graph/1";
const SECOND_SCHEMA: &str = "nocurl/graph/2";

fn read(text: &str) -> Result<GraphDocument, Flaw> {
    // The schema is looked at first: another version may lack what this one requires.
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    match value.get("schema").and_then(Value::as_str) {
        Some(GraphDocument::SCHEMA) => {}
        Some(FIRST_SCHEMA) => from_first(&mut value)?,
        // Its model is that of its weights, means and error variances.
        Some(SECOND_SCHEMA) => value["schema"] = GraphDocument::SCHEMA.into(),
        Some(other) => {
            let (other, known) = (shorten(other, 40), GraphDocument::SCHEMA);
            return Err(format!("schema `{other}` is not known, only `{known}` and before").into());
        }
        None => {
            let known = GraphDocument::SCHEMA;
            return Err(format!("it has no `schema`; `{known}` is read").into());
        }
    }
    let document: GraphDocument =
        serde_json::from_value(value).map_err(|error| error.to_string())?;
    checked(document)
}

/// Turns schema 1 into the current one: the direction of an edge followed from `claim` and `cpdag`.
fn from_first(value: &mut Value) -> Result<(), String> {
    let Some(document) = value.as_object_mut() else { return Ok(()) };
    let class = document.remove("cpdag").ok_or("it has no `cpdag`")?;
    let determines = document.remove("claim").unwrap_or_else(|| json!("graph"));
    let undirected: std::collections::BTreeSet<[String; 2]> =
        serde_json::from_value(class["undirected"].clone()).map_err(|error| error.to_string())?;
    for edge in document.get_mut("edges").and_then(Value::as_array_mut).into_iter().flatten() {
        let end = |key: &str| edge[key].as_str().unwrap_or_default().to_string();
        let (from, to) = (end("from"), end("to"));
        let reversible =
            undirected.contains(&[from.clone(), to.clone()]) || undirected.contains(&[to, from]);
        let determined = match determines.as_str() {
            Some("class") => !reversible,
            Some("skeleton") => false,
            _ => true,
        };
        if let Some(edge) = edge.as_object_mut() {
            let direction = if determined { "determined" } else { "undetermined" };
            edge.insert("direction".into(), direction.into());
        }
    }
    document.insert("class".into(), class);
    document.insert("determines".into(), determines);
    document.insert("schema".into(), GraphDocument::SCHEMA.into());
    Ok(())
}

/// The document, if it is one of a graph: every part speaks of its variables, and no cycle.
fn checked(document: GraphDocument) -> Result<GraphDocument, Flaw> {
    let mut builder = Builder::default();
    for name in &document.variables {
        builder.declare(name)?;
    }
    let d = document.variables.len();
    for (what, numbers) in [("means", &document.means), ("potentials", &document.potential)] {
        if let Some(numbers) = numbers.as_ref().filter(|numbers| numbers.len() != d) {
            return Err(format!("it has {} {what} for {d} variables", numbers.len()).into());
        }
    }
    check_kinds(&document)?;
    check_model(&document)?;
    check_sample(&document)?;
    let mut places: Vec<usize> =
        document.order.iter().map(|name| builder.position(name)).collect::<Result<_, _>>()?;
    places.sort_unstable();
    if places != (0..d).collect::<Vec<usize>>() {
        return Err("its `order` does not have every variable once".into());
    }
    for edge in &document.edges {
        let (from, to) = (builder.position(&edge.from)?, builder.position(&edge.to)?);
        let (weight, direction, confidence) = (edge.weight, Some(edge.direction), edge.confidence);
        builder.edge(from, to, OfEdge { weight, direction, confidence, ..OfEdge::default() })?;
    }
    let found = builder.finish()?;
    let document = GraphDocument { schema: GraphDocument::SCHEMA.into(), ..document };
    let same = |a: &Edge, b: &Edge| {
        (&a.from, &a.to, a.weight, a.direction) == (&b.from, &b.to, b.weight, b.direction)
    };
    let known = document.edges.iter();
    if found.edges.len() == known.len() && known.zip(&found.edges).all(|(a, b)| same(a, b)) {
        return Ok(document);
    }
    // Some edges had to be drawn anew: a pair with two edges, a cycle of undetermined directions.
    let (mut edges, order, determines) = (found.edges, found.order, found.determines);
    for edge in &mut edges {
        if let Some(known) = document.edges.iter().find(|known| same(known, edge)) {
            *edge = known.clone();
        }
    }
    Ok(GraphDocument { edges, order, determines, ..document })
}

/// Whether kinds and coefficients speak of the variables and their levels.
fn check_kinds(document: &GraphDocument) -> Result<(), Flaw> {
    let kinds = &document.kinds;
    let names = || kinds.iter().map(|known| &known.variable.name);
    if kinds.is_empty() {
        return match document.edges.iter().find(|edge| !edge.coefficients.is_empty()) {
            None => Ok(()),
            Some(edge) => Err(format!(
                "the edge from `{}` to `{}` has coefficients of levels, but there are no `kinds`",
                edge.from, edge.to
            )
            .into()),
        };
    }
    if !names().eq(&document.variables) {
        return Err("its `kinds` are not those of its variables, in their order".into());
    }
    let broken = |known: &&DescribedVariable| {
        !known.variable.transforms.iter().all(nocurl::Transform::is_valid)
    };
    if let Some(known) = kinds.iter().find(broken) {
        return Err(
            format!("the transformation of `{}` is no function", known.variable.name).into()
        );
    }
    let list = nocurl::Variables::new(kinds.iter().map(|known| known.variable.clone()).collect());
    let width = |name: &str| {
        let at = list.names().iter().position(|known| known == name);
        at.map_or(1, |at| list.columns(at).len())
    };
    let wrong = |edge: &&Edge| {
        let (own, pairs) = (width(&edge.from), width(&edge.from) * width(&edge.to));
        let found = edge.coefficients.len();
        found != 0 && found != own && found != pairs
    };
    match document.edges.iter().find(wrong) {
        None => Ok(()),
        Some(edge) => Err(format!(
            "the edge from `{}` to `{}` does not have one coefficient per level",
            edge.from, edge.to
        )
        .into()),
    }
}

/// Whether the mechanisms are those of the variables, their levels and the edges.
fn check_model(document: &GraphDocument) -> Result<(), Flaw> {
    if document.model.is_none() {
        return Ok(());
    }
    match document.described_model() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string().into()),
    }
}

/// Whether the rows that a report shows are those of the variables.
fn check_sample(document: &GraphDocument) -> Result<(), Flaw> {
    let sample = &document.sample;
    let rows = sample.first().map_or(0, Vec::len);
    let fits = sample.is_empty() || sample.len() == document.variables.len();
    match fits && sample.iter().all(|column| column.len() == rows) {
        true => Ok(()),
        false => Err("its `sample` does not have a value of every variable in each row".into()),
    }
}

fn write(graph: &GraphDocument) -> Result<String, Error> {
    // Rows of the table stay out of a file that is about the graph.
    let graph = GraphDocument { sample: Vec::new(), ..graph.clone() };
    serde_json::to_string_pretty(&graph)
        .map(|text| text + "\n")
        .map_err(|error| Error::unsupported("graph", error.to_string()))
}
