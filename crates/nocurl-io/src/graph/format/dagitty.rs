//! DAGitty: code for dagitty.net and the R package, with places for the variables.

use std::fmt::Write as _;

use super::{GraphDocument, GraphFormat, Written};
use crate::Error;
use crate::graph::text::check_names;

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "DAGitty",
    extensions: &["dagitty"],
    also_read: &[],
    may_omit_variables: false,
    read: None,
    write: Written::Text(write),
};

/// Units of DAGitty's canvas for a point of the picture.
const UNIT: f64 = 0.01;

fn write(graph: &GraphDocument) -> Result<String, Error> {
    check_names(FORMAT.name, &graph.variables, |name| Some(quoted(name)))?;
    let layout = nocurl_render::layout(&graph.diagram()?);
    let directed = graph.edges.iter().all(super::super::Edge::is_determined);
    let mut text = format!("{} {{\n", if directed { "dag" } else { "pdag" });
    for (name, place) in graph.variables.iter().zip(&layout.nodes) {
        let (x, y) = (UNIT * place.x, UNIT * place.y);
        let _ = writeln!(text, "{} [pos=\"{x:.3},{y:.3}\"]", quoted(name));
    }
    for edge in &graph.edges {
        let arrow = if edge.is_determined() { "->" } else { "--" };
        let _ = write!(text, "{} {arrow} {}", quoted(&edge.from), quoted(&edge.to));
        if let Some(weight) = edge.weight.filter(|_| edge.is_determined()) {
            let _ = write!(text, " [beta=\"{weight:?}\"]");
        }
        text.push('\n');
    }
    Ok(text + "}\n")
}

/// DAGitty has no way to write a quote inside a name, nor a line end.
fn quoted(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|letter| match letter {
            '"' => '\u{2033}',
            letter if letter.is_control() => ' ',
            letter => letter,
        })
        .collect();
    format!("\"{name}\"")
}
