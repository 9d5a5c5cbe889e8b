//! Graphs as matrices, row -> column.

use nocurl::MatRef;

use super::attributes::OfEdge;
use super::builder::{Builder, Flaw};
use super::{Edge, GraphDocument, failure};
use crate::Error;
use crate::error::shorten;

impl GraphDocument {
    /// The graph of a square matrix: entry `(i, j)` is the weight of `i -> j`, 0 where there is
    /// none. Edges go from the largest weight to the smallest.
    ///
    /// A pair with both entries set is an undirected edge without a weight, as in the matrix of a
    /// CPDAG. The endpoint matrices of causal-learn are known by their entries -1, 0 and 1 with
    /// both entries of every pair set and a -1 among them: -1 at `(i, j)` and 1 at `(j, i)` is
    /// `i -> j`, -1 at both is an undirected edge; there are no weights.
    ///
    /// # Errors
    /// A matrix that is not square, names of another number or that are not unique, an entry that
    /// is not finite, a cycle of directed edges, an endpoint matrix with an edge that has two heads.
    ///
    /// ```
    /// use nocurl::Mat;
    /// use nocurl_io::GraphDocument;
    /// let names = ["a", "b", "c"].map(String::from);
    /// let mut matrix = Mat::zeros(3, 3);
    /// (matrix[(0, 1)], matrix[(0, 2)], matrix[(2, 0)]) = (2.0, 1.0, 1.0);
    /// let graph = GraphDocument::from_matrix(&names, matrix.as_ref()).unwrap();
    /// assert_eq!((graph.edges.len(), graph.is_drawn()), (2, false));
    /// ```
    pub fn from_matrix(names: &[String], matrix: MatRef<'_, f64>) -> Result<Self, Error> {
        let d = names.len();
        if (matrix.nrows(), matrix.ncols()) != (d, d) {
            let (rows, columns) = (matrix.nrows(), matrix.ncols());
            let reason = format!("{d} names for a matrix of {rows} rows and {columns} columns");
            return Err(Error::unsupported("graph", reason));
        }
        let mut builder = Builder::default();
        let mut graph = names
            .iter()
            .try_for_each(|name| builder.declare(name).map(drop))
            .and_then(|()| fill(&mut builder, d, |i, j| matrix[(i, j)]))
            .map_err(Flaw::from)
            .and_then(|()| builder.finish_edges())
            .map_err(|flaw| failure("the matrix", flaw))?;
        let size = |edge: &Edge| edge.weight.map_or(0.0, f64::abs);
        graph.edges.sort_by(|a, b| size(b).total_cmp(&size(a)));
        Ok(graph)
    }
}

/// Adds the edges of a matrix to the first `d` variables.
pub(super) fn fill(
    builder: &mut Builder,
    d: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> Result<(), String> {
    let endpoints = has_endpoints(d, &entry);
    for i in 0..d {
        for j in 0..d {
            let (there, back) = (entry(i, j), entry(j, i));
            if there == 0.0 || endpoints && there == 1.0 && back == -1.0 {
                continue;
            }
            if endpoints && there == 1.0 {
                let name = |variable| shorten(builder.name(variable), 80);
                return Err(format!(
                    "the edge between `{}` and `{}` has two heads, which is not read",
                    name(i),
                    name(j)
                ));
            }
            let weight = Some(there).filter(|_| !endpoints);
            builder.edge(i, j, OfEdge { weight, ..OfEdge::default() })?;
        }
    }
    Ok(())
}

/// True for an endpoint matrix of causal-learn. No acyclic graph has such weights: both entries
/// of every pair are set.
fn has_endpoints(d: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
    let mut tails = 0;
    for i in 0..d {
        for j in 0..=i {
            match (entry(i, j), entry(j, i)) {
                (0.0, 0.0) => {}
                (there, back) if i != j && there.abs() == 1.0 && back.abs() == 1.0 => {
                    tails += usize::from(there.min(back) < 0.0);
                }
                _ => return false,
            }
        }
    }
    tails > 0
}
