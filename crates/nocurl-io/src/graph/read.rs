//! Graphs from files, for comparison.

use std::collections::{BTreeMap, BTreeSet};

use nocurl::Mat;

use super::mark::{Attributes, Mark};
use super::parse::{dot, gml, graphml};
use super::{BootstrapSummary, GraphDocument};
use crate::error::shorten;
use crate::{Error, Source};

/// Names that a first line of an edge list may have in its first two cells.
const EDGE_HEADERS: [[&str; 2]; 3] = [["from", "to"], ["source", "target"], ["cause", "effect"]];

/// More variables than this make no graph that could be compared: the matrix would not fit.
const MOST_VARIABLES: usize = 20_000;

/// A graph as it was read. It may have cycles: [`nocurl::Dag::new`] tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Names of the variables. An edge list and DOT name them in the order of appearance, and an
    /// edge list cannot name a variable without edges.
    pub names: Vec<String>,
    /// Weights, row -> column; zero where there is no edge.
    pub weights: Mat<f64>,
    /// How much of the graph is meant; a file that does not say means all of it.
    pub claim: nocurl::Claim,
    /// Edges `(from, to)` whose direction the equivalence class leaves open, where the file says
    /// so of every edge.
    pub undirected: Option<BTreeSet<(usize, usize)>>,
    /// Whether the file gives a weight to every edge; those without one have weight 1.
    pub weighted: bool,
    /// Means of the variables; only JSON has them.
    pub means: Option<Vec<f64>>,
    /// What was found again in resampled data; only JSON has it.
    pub bootstrap: Option<BootstrapSummary>,
    /// Name of the method that found the graph, empty where the file does not say.
    pub method: String,
    /// The search after it, where the file names one.
    pub refine: Option<nocurl::refine::Refine>,
}

/// Reads a graph: JSON as [`crate::write_graph`] writes it, CSV, or the part of DOT, GraphML and
/// GML that [`crate::write_graph`] uses. Without a known extension the first character decides
/// between JSON and CSV.
///
/// CSV is an edge list `from,to[,weight[,cpdag]]`, with or without that header, or a square matrix with
/// the names in the first line (and maybe again in the first column), row -> column. An edge
/// without a weight has weight 1.
///
/// # Errors
/// Anything wrong with the file, in one line; a file of another schema version.
///
/// ```
/// use nocurl_io::{Source, read_graph};
/// let graph = read_graph(&Source::bytes("g.csv", "from,to\nrain,wet\n")).unwrap();
/// assert_eq!(graph.names, ["rain", "wet"]);
/// assert_eq!(graph.weights[(0, 1)], 1.0);
/// ```
pub fn read_graph(source: &Source) -> Result<Graph, Error> {
    let label = source.label();
    let bytes = source.read_all()?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Error::invalid(&label, "graph", "it is not UTF-8 text"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.trim_start().chars().next();
    let Some(first) = first else {
        return Err(Error::Empty { path: label });
    };
    let extension = source.extension();
    let result = match extension.as_str() {
        "json" => json(text),
        "dot" | "gv" => dot(text),
        "graphml" | "xml" => graphml(text),
        "gml" => gml(text),
        _ if first == '{' => json(text),
        "csv" | "tsv" | "txt" | "" => delimited(text),
        _ => {
            return Err(Error::unsupported(
                &label,
                "unknown format of a graph; .json, .csv, .dot, .graphml and .gml are read",
            ));
        }
    };
    result.map_err(|reason| Error::invalid(&label, "graph", reason))
}

/// Variables and edges while a file is being read.
#[derive(Debug, Default)]
pub(super) struct Builder {
    names: Vec<String>,
    positions: BTreeMap<String, usize>,
    edges: BTreeMap<(usize, usize), Attributes>,
}

impl Builder {
    /// The position of a variable, which is added if it is new.
    pub(super) fn variable(&mut self, name: &str) -> usize {
        if let Some(&position) = self.positions.get(name) {
            return position;
        }
        self.positions.insert(name.to_string(), self.names.len());
        self.names.push(name.to_string());
        self.names.len() - 1
    }

    /// Adds a variable that must be new.
    pub(super) fn declare(&mut self, name: &str) -> Result<usize, String> {
        if self.positions.contains_key(name) {
            return Err(format!("variable `{}` is there twice", shorten(name, 80)));
        }
        Ok(self.variable(name))
    }

    pub(super) fn position(&self, name: &str) -> Result<usize, String> {
        let known = self.positions.get(name).copied();
        known.ok_or_else(|| format!("an edge names `{}`, which is no variable", shorten(name, 80)))
    }

    pub(super) fn edge(
        &mut self,
        from: usize,
        to: usize,
        attributes: Attributes,
    ) -> Result<(), String> {
        let name = |at: usize| shorten(&self.names[at], 80);
        if attributes.weight.is_some_and(|weight| !weight.is_finite()) {
            return Err(format!("the weight of `{}` -> `{}` is not finite", name(from), name(to)));
        }
        if self.edges.insert((from, to), attributes).is_some() {
            return Err(format!("edge `{}` -> `{}` is there twice", name(from), name(to)));
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Graph, String> {
        if self.names.is_empty() {
            return Err("it has no variables".into());
        }
        self.finish_edges()
    }

    /// As [`Self::finish`], for a format that may name no variable at all.
    fn finish_edges(self) -> Result<Graph, String> {
        let d = self.names.len();
        if d > MOST_VARIABLES {
            return Err(format!("it has {d} variables, more than {MOST_VARIABLES}"));
        }
        let mut weights = Mat::zeros(d, d);
        for (&edge, attributes) in &self.edges {
            weights[edge] = attributes.weight.unwrap_or(1.0);
        }
        let marked = !self.edges.is_empty() && self.edges.values().all(|edge| edge.mark.is_some());
        let open = self.edges.iter().filter(|(_, edge)| edge.mark == Some(Mark::Undirected));
        let undirected = marked.then(|| open.map(|(&ends, _)| ends).collect());
        Ok(Graph {
            weighted: self.edges.values().all(|edge| edge.weight.is_some()),
            names: self.names,
            weights,
            claim: nocurl::Claim::Dag,
            undirected,
            means: None,
            bootstrap: None,
            method: String::new(),
            refine: None,
        })
    }
}

fn json(text: &str) -> Result<Graph, String> {
    // The schema is looked at first: another version may lack what this one requires.
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    match value.get("schema").and_then(|schema| schema.as_str()) {
        Some(GraphDocument::SCHEMA) => {}
        Some(other) => {
            let (other, known) = (shorten(other, 40), GraphDocument::SCHEMA);
            return Err(format!("schema `{other}` is not known, only `{known}`"));
        }
        None => return Err(format!("it has no `schema`; `{}` is read", GraphDocument::SCHEMA)),
    }
    let document: GraphDocument =
        serde_json::from_value(value).map_err(|error| error.to_string())?;
    let mut builder = Builder::default();
    for name in &document.variables {
        builder.declare(name)?;
    }
    for (edge, mark) in document.marked_edges() {
        let (from, to) = (builder.position(&edge.from)?, builder.position(&edge.to)?);
        builder.edge(from, to, Attributes { weight: Some(edge.weight), mark: Some(mark) })?;
    }
    let graph = builder.finish()?;
    let d = graph.names.len();
    if let Some(means) = document.means.as_ref().filter(|means| means.len() != d) {
        return Err(format!("it has {} means for {d} variables", means.len()));
    }
    let refine = document.parameters.get("refine").cloned();
    let refine = refine.and_then(|name| serde_json::from_value(name).ok());
    let GraphDocument { claim, means, bootstrap, method, .. } = document;
    Ok(Graph { claim, means, bootstrap, method, refine, ..graph })
}

fn delimited(text: &str) -> Result<Graph, String> {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let delimiter = [b'\t', b';', b','].into_iter().find(|&d| line.as_bytes().contains(&d));
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.unwrap_or(b','))
        .from_reader(text.as_bytes());
    let mut records: Vec<csv::StringRecord> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        // Only blanks are trimmed: a quoted name may start or end with a line end.
        let cells = record.iter().map(|cell| cell.trim_matches([' ', '\t']));
        let mut trimmed: csv::StringRecord = cells.collect();
        trimmed.set_position(record.position().cloned());
        records.push(trimmed);
    }
    // A matrix has as many rows below its names as it has names, all numbers; anything else with
    // two to four cells in a line is a list.
    if matrix_offset(&records).is_some() { matrix(&records) } else { edge_list(&records) }
}

/// For a matrix with names, whether its rows start with a name (1) or not (0).
fn matrix_offset(records: &[csv::StringRecord]) -> Option<usize> {
    let (header, rows) = records.split_first()?;
    let d = rows.len();
    let is_number = |cell: &str| cell.parse::<f64>().is_ok();
    let numeric = |offset: usize| {
        rows.iter().all(|row| row.len() == d + offset && row.iter().skip(offset).all(is_number))
    };
    let named = |offset: usize| header.iter().skip(offset).all(|cell| !is_number(cell));
    // With a column of row names, the header has an empty first cell or none at all.
    if header.len() == d && numeric(0) && named(0) {
        Some(0)
    } else if numeric(1)
        && ((header.len() == d + 1 && named(1) && header[0].is_empty())
            || (header.len() == d && named(0)))
    {
        Some(1)
    } else {
        None
    }
}

fn matrix(records: &[csv::StringRecord]) -> Result<Graph, String> {
    let offset = matrix_offset(records).ok_or("it is not a square matrix")?;
    let (header, rows) = records.split_first().ok_or("it is empty")?;
    let mut builder = Builder::default();
    let extra = header.len() - rows.len();
    for name in header.iter().skip(extra) {
        builder.declare(name)?;
    }
    for (i, row) in rows.iter().enumerate() {
        if offset == 1 && row[0] != builder.names[i] {
            let (found, expected) = (shorten(&row[0], 80), &builder.names[i]);
            return Err(format!("row {} is `{found}` but column {0} is `{expected}`", i + 1));
        }
        for (j, cell) in row.iter().skip(offset).enumerate() {
            let weight: f64 = cell.parse().map_err(|_| format!("`{cell}` is not a number"))?;
            if weight != 0.0 {
                builder.edge(i, j, Attributes { weight: Some(weight), mark: None })?;
            }
        }
    }
    builder.finish()
}

fn edge_list(records: &[csv::StringRecord]) -> Result<Graph, String> {
    let mut builder = Builder::default();
    for (index, record) in records.iter().enumerate() {
        let line = record.position().map_or(index as u64 + 1, |position| position.line());
        let mark = record.get(3).and_then(Mark::from_name);
        let known = match record.len() {
            2 | 3 => true,
            4 => mark.is_some() || (index == 0 && &record[3] == "cpdag"),
            _ => false,
        };
        if !known {
            return Err(format!(
                "line {line} has {} cells; an edge list has `from,to`, `from,to,weight` or \
                 `from,to,weight,cpdag`, a matrix as many rows as names",
                record.len()
            ));
        }
        let is_header = index == 0
            && EDGE_HEADERS
                .iter()
                .any(|names| (0..2).all(|i| record[i].eq_ignore_ascii_case(names[i])));
        if is_header {
            continue;
        }
        let weight = record.get(2).map(|cell| {
            cell.parse::<f64>().map_err(|_| {
                format!("line {line}: the weight `{}` is not a number", shorten(cell, 40))
            })
        });
        let attributes = Attributes { weight: weight.transpose()?, mark };
        if record[0].is_empty() || record[1].is_empty() {
            return Err(format!("line {line}: a variable has no name"));
        }
        let (from, to) = (builder.variable(&record[0]), builder.variable(&record[1]));
        builder.edge(from, to, attributes).map_err(|reason| format!("line {line}: {reason}"))?;
    }
    // A heading alone is the edge list of a graph without edges.
    builder.finish_edges()
}
