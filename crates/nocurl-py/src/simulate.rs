//! Random graphs and data drawn from them.

use nocurl::simulate::Simulation;
use pyo3::prelude::*;

use crate::array::{Matrix, matrix};
use crate::failure::{Failure, guarded};

/// Draws a graph and data by a description in JSON: data, weights, and the variables as JSON.
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    simulation: &str,
    seed: u64,
) -> PyResult<(Matrix<'py>, Matrix<'py>, String)> {
    let drawn = py.detach(|| {
        guarded(|| {
            let simulation: Simulation = serde_json::from_str(simulation)
                .map_err(|error| Failure::value(error.to_string()))?;
            Ok(nocurl::simulate::simulate(&simulation, seed)?)
        })
    })?;
    let kinds = guarded(|| {
        serde_json::to_string(drawn.data.variables().list())
            .map_err(|error| Failure::value(error.to_string()))
    })?;
    Ok((matrix(py, drawn.data.values()), matrix(py, drawn.truth.weights()), kinds))
}
