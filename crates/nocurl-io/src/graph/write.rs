//! Graphs as JSON, DOT, GraphML, GML and edge lists.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::GraphDocument;
use super::text::{gml_escape, xml_escape};
use crate::Error;
use crate::output::write_atomic;

/// The formats graphs are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// The whole [`GraphDocument`].
    Json,
    /// Graphviz.
    Dot,
    /// GraphML (XML), for igraph, NetworkX, Gephi, yEd.
    Graphml,
    /// GML, for igraph, NetworkX, Cytoscape.
    Gml,
    /// An edge list `from,to,weight,cpdag`.
    Csv,
}

impl GraphFormat {
    /// The format by the extension of a path.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the list of known extensions.
    pub fn of_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "json" => Ok(Self::Json),
            "dot" | "gv" => Ok(Self::Dot),
            "graphml" => Ok(Self::Graphml),
            "gml" => Ok(Self::Gml),
            "csv" => Ok(Self::Csv),
            _ => Err(Error::unsupported(
                &format!("`{}`", path.display()),
                "unknown format of a graph; end the name in .json, .dot, .graphml, .gml or .csv",
            )),
        }
    }
}

/// Writes a graph in the format its extension asks for, whole or not at all.
///
/// # Errors
/// An unknown extension, or a file that cannot be written.
pub fn write_graph(path: impl AsRef<Path>, graph: &GraphDocument) -> Result<(), Error> {
    let path = path.as_ref();
    let text = format_graph(graph, GraphFormat::of_path(path)?)?;
    write_atomic(path, |file| file.write_all(text.as_bytes()))
}

/// A graph as text. Numbers have as many digits as give the same number back.
///
/// # Errors
/// [`Error::Unsupported`] when an edge names a variable that is not there or a weight is not
/// finite, which none of the formats can say.
pub fn format_graph(graph: &GraphDocument, format: GraphFormat) -> Result<String, Error> {
    if let Some(edge) = graph.edges.iter().find(|edge| !edge.weight.is_finite()) {
        return Err(Error::unsupported(
            "graph",
            format!("the weight of `{}` -> `{}` is not finite", edge.from, edge.to),
        ));
    }
    match format {
        GraphFormat::Json => serde_json::to_string_pretty(graph)
            .map(|text| text + "\n")
            .map_err(|error| Error::unsupported("graph", error.to_string())),
        GraphFormat::Dot => Ok(dot(graph)),
        GraphFormat::Graphml => graphml(graph),
        GraphFormat::Gml => gml(graph),
        GraphFormat::Csv => Ok(edge_list(graph)),
    }
}

fn dot(graph: &GraphDocument) -> String {
    // In a quoted identifier only the quote itself is special, and a backslash before it.
    let quoted = |name: &str| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = format!("digraph nocurl {{\n  claim=\"{}\";\n", graph.claim.name());
    for name in &graph.variables {
        let _ = writeln!(text, "  {};", quoted(name));
    }
    for (edge, mark) in graph.marked_edges() {
        let (from, to, weight) = (quoted(&edge.from), quoted(&edge.to), edge.weight);
        // Graphviz draws no head on an edge whose direction is not meant.
        let head = if graph.means_direction(mark) { "" } else { ", dir=none" };
        let _ = writeln!(
            text,
            "  {from} -> {to} [weight=\"{weight:?}\", label=\"{weight:.3}\", cpdag={}{head}];",
            mark.name()
        );
    }
    text + "}\n"
}

fn graphml(graph: &GraphDocument) -> Result<String, Error> {
    let claim = graph.claim.name();
    let mut text = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n",
        "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n",
        "  <key id=\"cpdag\" for=\"edge\" attr.name=\"cpdag\" attr.type=\"string\"/>\n",
        "  <key id=\"claim\" for=\"graph\" attr.name=\"claim\" attr.type=\"string\"/>\n",
        "  <graph id=\"nocurl\" edgedefault=\"directed\">\n",
    ));
    let _ = writeln!(text, "    <data key=\"claim\">{claim}</data>");
    for (index, name) in graph.variables.iter().enumerate() {
        let name = xml_escape(name);
        let _ = writeln!(text, "    <node id=\"n{index}\"><data key=\"name\">{name}</data></node>");
    }
    for (from, to, weight, mark) in indexed_edges(graph)? {
        let _ = writeln!(
            text,
            "    <edge source=\"n{from}\" target=\"n{to}\"><data key=\"weight\">{weight:?}</data>\
             <data key=\"cpdag\">{mark}</data></edge>"
        );
    }
    Ok(text + "  </graph>\n</graphml>\n")
}

fn gml(graph: &GraphDocument) -> Result<String, Error> {
    let claim = graph.claim.name();
    let mut text = format!("graph [\n  directed 1\n  claim \"{claim}\"\n");
    for (index, name) in graph.variables.iter().enumerate() {
        let _ = writeln!(text, "  node [ id {index} label \"{}\" ]", gml_escape(name));
    }
    for (from, to, weight, mark) in indexed_edges(graph)? {
        let _ = writeln!(
            text,
            "  edge [ source {from} target {to} weight {weight:?} cpdag \"{mark}\" ]"
        );
    }
    Ok(text + "]\n")
}

fn edge_list(graph: &GraphDocument) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |record: [&str; 4]| {
        writer.write_record(record).expect("writing to memory does not fail");
    };
    put(["from", "to", "weight", "cpdag"]);
    for (edge, mark) in graph.marked_edges() {
        put([&edge.from, &edge.to, &format!("{:?}", edge.weight), mark.name()]);
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}

/// Edges by the positions of their variables, with the words of their marks.
fn indexed_edges(graph: &GraphDocument) -> Result<Vec<(usize, usize, f64, &'static str)>, Error> {
    let positions: std::collections::BTreeMap<&str, usize> =
        graph.variables.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let position = |name: &str| {
        positions.get(name).copied().ok_or_else(|| {
            Error::unsupported("graph", format!("an edge names `{name}`, which is no variable"))
        })
    };
    graph
        .marked_edges()
        .map(|(edge, mark)| {
            Ok((position(&edge.from)?, position(&edge.to)?, edge.weight, mark.name()))
        })
        .collect()
}
