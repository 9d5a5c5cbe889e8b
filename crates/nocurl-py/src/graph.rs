//! Graphs as matrices and as JSON: scores, effects, formats.

use std::path::PathBuf;

use nocurl::{Claim, Cpdag, Dag, Mat, effects};
use nocurl_io::{GraphDocument, GraphFormat, Source};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use serde_json::json;

use crate::array::{Matrix, Vector, matrix, square, vector};
use crate::failure::{Failure, guarded};

fn dag(weights: &PyReadonlyArray2<'_, f64>) -> Result<Dag, Failure> {
    Ok(Dag::new(square(weights)?)?)
}

/// Every score of an estimate that needs no data, as JSON.
#[pyfunction]
pub(crate) fn compare(
    truth: PyReadonlyArray2<'_, f64>,
    estimate: PyReadonlyArray2<'_, f64>,
    claim: &str,
) -> PyResult<String> {
    Ok(guarded(|| {
        let claim: Claim = serde_json::from_value(json!(claim))
            .map_err(|error| Failure::value(format!("claim: {error}")))?;
        let scores = nocurl::metrics::compare_as(&dag(&truth)?, &dag(&estimate)?, claim)?;
        serde_json::to_string(&scores).map_err(|error| Failure::value(error.to_string()))
    })?)
}

/// Effect of every variable on every other, along all paths.
#[pyfunction]
pub(crate) fn total_effects<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
) -> PyResult<Matrix<'py>> {
    let total = guarded(|| Ok(effects::total(&dag(&weights)?)))?;
    Ok(matrix(py, total.as_ref()))
}

/// Means of all variables after some are set.
#[pyfunction]
pub(crate) fn intervene<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    means: Vec<f64>,
    set: Vec<(usize, f64)>,
) -> PyResult<Vector<'py>> {
    let means = guarded(|| Ok(effects::intervene(&dag(&weights)?, &means, &set)?))?;
    Ok(vector(py, &means))
}

/// The description of a graph in another format: `dot`, `gml`, `graphml`, `csv` or `json`.
#[pyfunction]
pub(crate) fn format_graph(document: &str, format: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let document = parsed(document)?;
        let format = GraphFormat::of_path(std::path::Path::new(&format!("graph.{format}")))?;
        Ok(nocurl_io::format_graph(&document, format)?)
    })?)
}

/// Writes a graph to a file; the extension says how.
#[pyfunction]
pub(crate) fn write_graph(document: &str, path: PathBuf) -> PyResult<()> {
    Ok(guarded(|| Ok(nocurl_io::write_graph(&path, &parsed(document)?)?))?)
}

/// The description of a graph by its weights and names, as JSON.
#[pyfunction]
pub(crate) fn describe_graph(
    weights: PyReadonlyArray2<'_, f64>,
    names: Vec<String>,
) -> PyResult<String> {
    Ok(guarded(|| {
        let weights = square(&weights)?;
        if names.len() != weights.ncols() {
            let (found, expected) = (names.len(), weights.ncols());
            return Err(Failure::value(format!("{found} names for {expected} variables")));
        }
        described(weights, &names, Claim::Dag)
    })?)
}

/// The description of a graph in a file, in any format that is read, as JSON.
#[pyfunction]
pub(crate) fn read_graph(path: PathBuf) -> PyResult<String> {
    Ok(guarded(|| {
        let graph = nocurl_io::read_graph(&Source::new(&path))?;
        described(graph.weights, &graph.names, graph.claim)
    })?)
}

fn described(weights: Mat<f64>, names: &[String], claim: Claim) -> Result<String, Failure> {
    let dag = Dag::named(weights, names)?;
    let class = Cpdag::from_dag(&dag);
    let document = GraphDocument { claim, ..GraphDocument::new(names, &dag, dag.order(), &class) };
    serde_json::to_string(&document).map_err(|error| Failure::value(error.to_string()))
}

fn parsed(document: &str) -> Result<GraphDocument, Failure> {
    serde_json::from_str(document)
        .map_err(|error| Failure::value(format!("this is no graph of nocurl: {error}")))
}
