//! Moments as an object of Python.

use nocurl_io::{Missing, ReadOptions, read_moments};
use pyo3::prelude::*;
use serde_json::json;

use crate::array::{Matrix, Vector, matrix, vector};
use crate::failure::{Failure, guarded};
use crate::table::Table;
use crate::watch;

/// Number of rows, means and second moments; `nocurl.Moments` adds to it.
#[pyclass(module = "nocurl._nocurl", frozen, subclass)]
pub(crate) struct Moments(nocurl::Moments);

impl Moments {
    pub(crate) fn engine(&self) -> &nocurl::Moments {
        &self.0
    }
}

#[pymethods]
impl Moments {
    /// From JSON.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let parsed = guarded(|| {
            serde_json::from_str(text)
                .map_err(|error| Failure::value(format!("these are no moments: {error}")))
        });
        Ok(Self(parsed?))
    }

    /// Moments of a table, as JSON.
    #[staticmethod]
    fn of_table(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        names: Vec<String>,
        missing: &str,
    ) -> PyResult<String> {
        let missing: Missing = serde_json::from_value(json!(missing))
            .map_err(|error| Failure::value(format!("missing: {error}")))?;
        let options = ReadOptions { missing, keep_constant: true, ..ReadOptions::default() };
        let table = Table::new(table, names)?.read(|input| {
            watch::run(py, None, None, |watch| Ok(read_moments(input, &options, watch)?))
        })?;
        Ok(to_json(&table.data)?)
    }

    /// Moments of the rows of both, as JSON.
    fn merged(&self, other: &Self) -> PyResult<String> {
        Ok(guarded(|| {
            let mut total = self.0.clone();
            total.merge(&other.0)?;
            to_json(&total)
        })?)
    }

    fn to_json(&self) -> PyResult<String> {
        Ok(to_json(&self.0)?)
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, self.0.mean())
    }

    #[pyo3(signature = (center=true))]
    fn second_moments<'py>(&self, py: Python<'py>, center: bool) -> Matrix<'py> {
        matrix(py, self.0.second_moments(center).as_ref())
    }
}

fn to_json(moments: &nocurl::Moments) -> Result<String, Failure> {
    serde_json::to_string(moments).map_err(|error| Failure::value(error.to_string()))
}
