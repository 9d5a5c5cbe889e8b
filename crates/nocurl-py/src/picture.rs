//! Pictures: the layout for matplotlib, parts of graphs, and two graphs in one.

use std::path::PathBuf;

use nocurl_app::{Differences, View};
use pyo3::prelude::*;
use serde_json::json;

use crate::failure::{Failure, guarded};
use crate::graph::{json as document_json, parsed};

/// Where everything stands and how edges look, as JSON.
#[pyfunction]
pub(crate) fn picture(document: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let diagram = parsed(document)?.diagram()?;
        let layout = nocurl_render::layout(&diagram);
        let lines = nocurl_render::lines(&diagram, layout.overview);
        Ok(json!({ "layout": layout, "lines": lines }).to_string())
    })?)
}

/// A part of a graph, as JSON.
#[pyfunction]
pub(crate) fn part_of_graph(
    document: &str,
    around: Vec<String>,
    depth: usize,
    min_confidence: Option<f64>,
) -> PyResult<String> {
    Ok(guarded(|| {
        let view = View { min_confidence, around, depth };
        document_json(view.of(&parsed(document)?)?)
    })?)
}

fn compared(first: &str, second: &str, name: &str, other: &str) -> Result<Differences, Failure> {
    Ok(Differences::new([name, other], &parsed(first)?, &parsed(second)?))
}

/// What two graphs share and where they differ, as JSON.
#[pyfunction]
pub(crate) fn differences(first: &str, second: &str, name: &str, other: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let found = compared(first, second, name, other)?;
        serde_json::to_string(&found).map_err(|error| Failure::value(error.to_string()))
    })?)
}

/// Two graphs in one picture or report, by the extension of its kind.
#[pyfunction]
pub(crate) fn differences_picture(
    first: &str,
    second: &str,
    name: &str,
    other: &str,
    format: &str,
) -> PyResult<Vec<u8>> {
    Ok(guarded(|| {
        let found = compared(first, second, name, other)?;
        Ok(found.bytes(Differences::format_of(format!("graph.{format}"))?)?)
    })?)
}

/// Writes the page into a folder.
#[pyfunction]
pub(crate) fn write_page(folder: PathBuf) -> PyResult<()> {
    Ok(guarded(|| Ok(nocurl_page::write(folder)?))?)
}

/// Draws two graphs in a file; the extension says how.
#[pyfunction]
pub(crate) fn write_differences(
    first: &str,
    second: &str,
    name: &str,
    other: &str,
    path: PathBuf,
) -> PyResult<()> {
    Ok(guarded(|| {
        let found = compared(first, second, name, other)?;
        Ok(found.write(&path)?)
    })?)
}
