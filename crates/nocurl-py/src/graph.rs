//! Graphs as matrices and as JSON: scores, effects, formats.

use std::path::PathBuf;

use nocurl::{Determines, Pdag};
use nocurl_io::{Class, GraphDocument, GraphFormat, RunFiles, Source};
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::array::square;
use crate::failure::{Failure, guarded};

/// Every score of an estimate that needs no data, as JSON. Both graphs are documents on the same
/// variables in the same order; `determines` overrules what the estimate says of itself.
#[pyfunction]
pub(crate) fn compare(truth: &str, estimate: &str, determines: Option<&str>) -> PyResult<String> {
    Ok(guarded(|| {
        let named = |name| {
            Determines::from_name(name).ok_or_else(|| {
                let known = Determines::ALL.map(Determines::name).join("', '");
                Failure::value(format!("determines='{name}' is not known: use one of '{known}'"))
            })
        };
        let determines = determines.map(named).transpose()?;
        let scores = nocurl_app::score(&parsed(truth)?, &parsed(estimate)?, determines)?;
        serde_json::to_string(&scores).map_err(|error| Failure::value(error.to_string()))
    })?)
}

/// The experiments that are expected to determine most directions, as JSON.
#[pyfunction]
pub(crate) fn next_experiment(
    document: &str,
    targets: usize,
    only: Vec<String>,
    never: Vec<String>,
    seed: u64,
) -> PyResult<String> {
    Ok(guarded(|| {
        let request = nocurl_app::NextRequest { targets, only, never, seed };
        let (found, names) = request.propose(parsed(document)?)?;
        Ok(nocurl_app::describe_next(&found, &names).to_string())
    })?)
}

/// A graph in another format that is text, by its extension.
#[pyfunction]
pub(crate) fn format_graph(document: &str, format: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let document = parsed(document)?;
        let format = GraphFormat::of_path(std::path::Path::new(&format!("graph.{format}")))?;
        Ok(nocurl_io::format_graph(&document, format)?)
    })?)
}

/// Writes a graph to a file, which must not be the table it was learnt from; the extension says how.
#[pyfunction]
pub(crate) fn write_graph(document: &str, path: PathBuf) -> PyResult<()> {
    Ok(guarded(|| {
        let document = parsed(document)?;
        let mut files = RunFiles::default().writes("the graph", &path);
        if let Some(input) = &document.input {
            files = files.reads("the table", &input.path);
        }
        files.check()?;
        Ok(nocurl_io::write_graph(&path, &document)?)
    })?)
}

/// The description of a graph by its matrix and names, as JSON.
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
        json(with_class(GraphDocument::from_matrix(&names, weights.as_ref())?)?)
    })?)
}

/// Everything that a file says of a graph, in any format that is read, as JSON.
#[pyfunction]
pub(crate) fn read_graph(path: PathBuf) -> PyResult<String> {
    Ok(guarded(|| json(with_class(nocurl_io::read_graph(&Source::new(&path))?)?))?)
}

/// The document with its class: where it does not say one, that of the graph as it is drawn.
fn with_class(document: GraphDocument) -> Result<GraphDocument, Failure> {
    let class = match document.class {
        Some(class) => class,
        None => Class::new(&document.variables, &Pdag::class_of(&document.dag()?)),
    };
    Ok(GraphDocument { class: Some(class), ..document })
}

pub(crate) fn json(document: GraphDocument) -> Result<String, Failure> {
    serde_json::to_string(&document).map_err(|error| Failure::value(error.to_string()))
}

pub(crate) fn parsed(document: &str) -> Result<GraphDocument, Failure> {
    Ok(GraphDocument::from_json(document)?)
}
