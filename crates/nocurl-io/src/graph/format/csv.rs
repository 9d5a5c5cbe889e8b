//! CSV: a list of edges, or a matrix.

use std::collections::BTreeSet;

use nocurl::Determines;
use nocurl::bootstrap::Confidence;

use super::{GraphDocument, GraphFormat, Written};
use crate::Error;
use crate::error::shorten;
use crate::graph::attributes::{OfEdge, numbers, set_number, shared};
use crate::graph::builder::{Builder, Flaw};
use crate::graph::text::check_names;
use crate::graph::{Direction, matrix};

pub(super) static FORMAT: GraphFormat = GraphFormat {
    name: "CSV",
    extensions: &["csv"],
    also_read: &["tsv", "txt"],
    may_omit_variables: true,
    read: Some(read),
    write: Written::Text(write),
};

/// Names that a first line of an edge list may have in its first two cells.
const EDGE_HEADERS: [[&str; 2]; 3] = [["from", "to"], ["source", "target"], ["cause", "effect"]];

/// Reads an edge list `from,to[,weight[,direction[,confidence..]]]`, with or without that header, or a square
/// matrix with the names in the first line (and maybe again in the first column), row -> column,
/// as [`GraphDocument::from_matrix`] takes it.
fn read(text: &str) -> Result<GraphDocument, Flaw> {
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
        let cells = record.iter().map(trimmed);
        let mut bare: csv::StringRecord = cells.collect();
        bare.set_position(record.position().cloned());
        records.push(bare);
    }
    // A matrix has as many rows below its names as it has names, all numbers; anything else with
    // two to four cells in a line is a list.
    match matrix_offset(&records) {
        Some(offset) => read_matrix(&records, offset),
        None => edge_list(&records),
    }
}

/// A cell without the blanks around it. Only blanks are trimmed: a quoted name may start or end with
/// a line end.
fn trimmed(cell: &str) -> &str {
    cell.trim_matches([' ', '\t'])
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

fn read_matrix(records: &[csv::StringRecord], offset: usize) -> Result<GraphDocument, Flaw> {
    let (header, rows) = records.split_first().ok_or("it is empty")?;
    let mut builder = Builder::default();
    for name in header.iter().skip(header.len() - rows.len()) {
        builder.declare(name)?;
    }
    let mut entries: Vec<Vec<f64>> = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        if offset == 1 && &row[0] != builder.name(i) {
            let (found, expected) = (shorten(&row[0], 80), builder.name(i));
            let row = i + 1;
            return Err(format!("row {row} is `{found}` but column {row} is `{expected}`").into());
        }
        let numbers = row.iter().skip(offset).map(|cell| {
            cell.parse().map_err(|_| format!("`{}` is not a number", shorten(cell, 40)))
        });
        entries.push(numbers.collect::<Result<_, _>>()?);
    }
    matrix::fill(&mut builder, rows.len(), |i, j| entries[i][j])?;
    builder.finish()
}

fn edge_list(records: &[csv::StringRecord]) -> Result<GraphDocument, Flaw> {
    let mut builder = Builder::default();
    for (index, record) in records.iter().enumerate() {
        let line = record.position().map_or(index as u64 + 1, |position| position.line());
        let at_line = |reason: String| format!("line {line}: {reason}");
        let is_header = index == 0
            && EDGE_HEADERS.iter().any(|names| {
                names.iter().zip(record).all(|(name, cell)| cell.eq_ignore_ascii_case(name))
            });
        // The fourth cell is `direction`, or the mark `cpdag` of schema 1.
        let mark = record.get(3).unwrap_or_default();
        let of_skeleton = mark == Determines::Skeleton.name();
        let direction = match of_skeleton {
            true => Some(Direction::Undetermined),
            false => Direction::from_name(mark),
        };
        let shared = shared(mark);
        let known = match record.len() {
            2 | 3 => true,
            4 | 8 => direction.is_some() || shared.is_some() || is_header,
            _ => false,
        };
        if !known {
            return Err(format!(
                "line {line} has {} cells; an edge list has `from,to`, `from,to,weight` or \
                 `from,to,weight,direction`, a matrix as many rows as names",
                record.len()
            )
            .into());
        }
        if is_header {
            continue;
        }
        let weight = match record.get(2).unwrap_or_default() {
            "" => None,
            cell => Some(cell.parse::<f64>().map_err(|_| {
                at_line(format!("the weight `{}` is not a number", shorten(cell, 40)))
            })?),
        };
        if of_skeleton {
            builder.graph.determines = Some(Determines::Skeleton);
        }
        if record[0].is_empty() || record[1].is_empty() {
            return Err(at_line("a variable has no name".into()).into());
        }
        let (from, to) = (builder.variable(&record[0]), builder.variable(&record[1]));
        let mut about = OfEdge { weight, direction, shared, ..OfEdge::default() };
        for (name, cell) in numbers(&Confidence::default()).iter().zip(record.iter().skip(4)) {
            if !cell.is_empty() {
                set_number(&mut about.confidence, name.0, cell).map_err(at_line)?;
            }
        }
        builder.edge(from, to, about).map_err(at_line)?;
    }
    // A heading alone is the edge list of a graph without edges.
    builder.finish_edges()
}

fn write(graph: &GraphDocument) -> Result<String, Error> {
    let ends: BTreeSet<&str> = graph.edges.iter().flat_map(|e| [&*e.from, &*e.to]).collect();
    let ends: Vec<String> = ends.into_iter().map(String::from).collect();
    check_names(FORMAT.name, &ends, |name| {
        let held = Some(trimmed(name)).filter(|name| !name.is_empty() && !name.contains('\0'));
        held.map(String::from)
    })?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |record: &[String]| {
        writer.write_record(record).expect("writing to memory does not fail");
    };
    let known = graph.edges.iter().any(|edge| edge.confidence.is_some());
    let mut heading = ["from", "to", "weight", "direction"].map(String::from).to_vec();
    if known {
        heading.extend(numbers(&Confidence::default()).map(|(name, _)| name.into()));
    }
    put(&heading);
    for edge in &graph.edges {
        let weight = edge.weight.map_or_else(String::new, |weight| format!("{weight:?}"));
        let (from, to) = (edge.from.clone(), edge.to.clone());
        // Of a skeleton no direction is known, of a class some are.
        let direction = match graph.determines {
            Determines::Skeleton => Determines::Skeleton.name(),
            _ => edge.direction.name(),
        };
        let mut record = vec![from, to, weight, direction.into()];
        if known {
            let cells = edge.confidence.as_ref().map(numbers);
            record.extend(cells.map_or_else(
                || [const { String::new() }; 4],
                |numbers| numbers.map(|(_, number)| format!("{number:?}")),
            ));
        }
        put(&record);
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    Ok(String::from_utf8(bytes).expect("names and numbers are UTF-8"))
}
