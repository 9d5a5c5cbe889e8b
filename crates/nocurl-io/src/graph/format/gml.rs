//! GML, the Graph Modelling Language, as igraph, networkx and Cytoscape write it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tokens::{Language, Token};
use super::{GraphDocument, GraphFormat, Written};
use crate::Error;
use crate::error::shorten;
use crate::graph::attributes::{OfEdge, Value, of_edge, of_graph, of_variables};
use crate::graph::builder::{Builder, Flaw};
use crate::graph::text::{gml_escape, unescape};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "GML",
    extensions: &["gml"],
    also_read: &[],
    may_omit_variables: false,
    read: Some(read),
    write: Written::Text(write),
};

const GML: Language = Language { symbols: &['[', ']'], is_dot: false };

/// Reads `graph [ directed 1 determines ".." node [ id .. label ".." ]
/// edge [ source .. target .. weight .. direction ".." ] ]`. Without `directed 1` edges have no
/// direction.
fn read(text: &str) -> Result<GraphDocument, Flaw> {
    let tokens = GML.tokens(text)?;
    let mut builder = Builder::default();
    let mut by_id = BTreeMap::new();
    let mut edges = Vec::new();
    let mut directed = false;
    let mut at = 0;
    while at < tokens.len() {
        let value = tokens.get(at + 1);
        let key = if tokens[at].quoted { "" } else { tokens[at].text.as_str() };
        match (key, value) {
            (kind @ ("node" | "edge"), Some(token)) if token.is("[") => {
                let (fields, next) = fields(&tokens, at + 2)?;
                if kind == "node" {
                    node(&mut builder, &mut by_id, &fields)?;
                } else {
                    edges.push(fields);
                }
                at = next;
            }
            ("directed", Some(value)) => {
                directed = value.text == "1";
                at += 2;
            }
            (key @ ("determines" | "claim" | "method" | "model"), Some(value)) if !value.symbol => {
                builder.graph.set(key, &unescape(&value.text))?;
                at += 2;
            }
            _ => at += 1,
        }
    }
    for fields in edges {
        let end = |key: &str| {
            let id = fields.get(key).ok_or_else(|| format!("an edge has no `{key}`"))?;
            by_id.get(id).copied().ok_or_else(|| {
                format!("an edge names node `{}`, which is not there", shorten(id, 80))
            })
        };
        let mut about = OfEdge { undirected: !directed, ..OfEdge::default() };
        fields.iter().try_for_each(|(name, value)| about.set(name, value))?;
        builder.edge(end("source")?, end("target")?, about)?;
    }
    builder.finish()
}

fn node<'a>(
    builder: &mut Builder,
    by_id: &mut BTreeMap<&'a str, usize>,
    fields: &BTreeMap<&'a str, &'a str>,
) -> Result<(), String> {
    let id = *fields.get("id").ok_or("a node has no `id`")?;
    let name = fields.get("label").map_or_else(|| id.to_string(), |label| unescape(label));
    let position = builder.declare(&name)?;
    let about = builder.about(position);
    fields.iter().for_each(|(name, value)| about.set(name, value));
    match by_id.insert(id, position) {
        None => Ok(()),
        Some(_) => Err(format!("node `{}` is there twice", shorten(id, 80))),
    }
}

/// Keys and values up to the closing bracket, and the place after it; nested lists are passed over.
fn fields(tokens: &[Token], mut at: usize) -> Result<(BTreeMap<&str, &str>, usize), String> {
    let mut fields = BTreeMap::new();
    let mut depth = 0_usize;
    while let Some(token) = tokens.get(at) {
        if token.is("[") {
            depth += 1;
        } else if token.is("]") {
            if depth == 0 {
                return Ok((fields, at + 1));
            }
            depth -= 1;
        } else if depth == 0
            && let Some(value) = tokens.get(at + 1)
            && !value.symbol
        {
            fields.insert(token.text.as_str(), value.text.as_str());
            at += 1;
        }
        at += 1;
    }
    Err("a `[` is not closed".into())
}

fn write(graph: &GraphDocument) -> Result<String, Error> {
    let mut text = String::from("graph [\n  directed 1\n");
    for (name, value) in of_graph(graph) {
        let _ = writeln!(text, "  {name} {}", spelled(&value));
    }
    let list = |attributes: Vec<(&str, Value<'_>)>| -> String {
        attributes.iter().map(|(name, value)| format!(" {name} {}", spelled(value))).collect()
    };
    let named = graph.variables.iter().zip(of_variables(graph));
    for (index, (name, attributes)) in named.enumerate() {
        let attributes = list(attributes);
        let _ = writeln!(text, "  node [ id {index} label \"{}\"{attributes} ]", gml_escape(name));
    }
    for (from, to, edge) in graph.indexed_edges()? {
        let attributes = list(of_edge(edge));
        let _ = writeln!(text, "  edge [ source {from} target {to}{attributes} ]");
    }
    Ok(text + "]\n")
}

fn spelled(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => format!("\"{}\"", gml_escape(text)),
        Value::Number(number) => {
            // A real number of GML has a point, also before an exponent.
            let digits = format!("{number:?}");
            match digits.split_once('e') {
                Some((mantissa, exponent)) if !mantissa.contains('.') => {
                    format!("{mantissa}.0e{exponent}")
                }
                _ => digits,
            }
        }
    }
}
