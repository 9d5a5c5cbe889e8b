//! Graphs from files.
use nocurl::Mat;

use crate::{Error, Source};

/// A graph as it was read. It may have cycles: [`nocurl::Dag::new`] tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Names of the variables.
    pub names: Vec<String>,
    /// Weights, row -> column; zero where there is no edge.
    pub weights: Mat<f64>,
}

/// Reads a graph.
///
/// # Errors
/// Anything wrong with the file, in one line.
pub fn read_graph(source: &Source) -> Result<Graph, Error> {
    Err(Error::unsupported(&source.label(), "not yet"))
}
