//! Moments as an object of Python.

use std::path::PathBuf;

use nocurl_app::summarise;
use nocurl_io::{Kinds, RunFiles, Source, Summary, read_part, read_summary, write_summary};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::{Matrix, Vector, matrix, vector};
use crate::failure::{Failure, guarded};
use crate::request::PartRequest;
use crate::table::Table;
use crate::watch;

/// Number of rows, means and second moments; `nocurl.Moments` wraps it.
#[pyclass(module = "nocurl._nocurl", frozen)]
pub(crate) struct Moments(pub(crate) Summary);

impl Moments {
    pub(crate) fn engine(&self) -> &Summary {
        &self.0
    }

    /// Moments without rows of a sample.
    pub(crate) fn bare(moments: nocurl::Moments) -> Self {
        Self(Summary::new(moments))
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
        Ok(Self::bare(parsed?))
    }

    /// Moments of no rows.
    #[staticmethod]
    fn empty(names: Vec<String>) -> PyResult<Self> {
        Ok(guarded(|| {
            let d = names.len() as u64;
            nocurl::memory::ask("moments", d.saturating_mul(d).saturating_mul(8))?;
            Ok(Self::bare(nocurl::Moments::new(names)))
        })?)
    }

    /// Moments of a table.
    #[staticmethod]
    #[pyo3(signature = (table, names, request, threads=None))]
    fn of_table(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        names: Vec<String>,
        request: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let asked = guarded(|| PartRequest::from_json(request)?.read())?;
        let (summary, _) = Table::new(table, names)?.read(|input| {
            watch::run(py, threads, None, |watch| {
                Ok(read_part(input, &asked.options, Kinds::Find, watch)?)
            })
        })?;
        Ok(Self(summary))
    }

    /// Moments of the rows of several files.
    #[staticmethod]
    #[pyo3(signature = (paths, request, threads=None))]
    fn of_files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        request: &str,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let asked = guarded(|| PartRequest::from_json(request)?.read())?;
        let parts: Vec<Source> = paths.into_iter().map(Source::Path).collect();
        let summary =
            watch::run(py, threads, None, |watch| Ok(summarise(&parts, &asked.options, watch)?))?;
        Ok(Self(summary))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(guarded(|| Ok(Self(Summary::from_bytes(bytes, "the moments")?)))?)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        Ok(guarded(|| Ok(Self(read_summary(&Source::Path(path))?)))?)
    }

    fn write(&self, path: PathBuf) -> PyResult<()> {
        Ok(guarded(|| {
            RunFiles::default().writes("the moments", &path).check()?;
            Ok(write_summary(&path, &self.0)?)
        })?)
    }

    /// Moments of the rows of all, in groups of eight.
    #[staticmethod]
    fn merged(parts: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        Ok(guarded(|| {
            let parts = parts.iter().map(|part| part.0.clone()).collect();
            Ok(Self(Summary::of_parts(parts).map_err(|found| found.1)?))
        })?)
    }

    /// Some of the variables by their places.
    fn select(&self, variables: Vec<usize>) -> PyResult<Self> {
        Ok(guarded(|| {
            if let Some(v) = variables.iter().find(|&&v| v >= self.0.moments.columns()) {
                return Err(Failure::value(format!("there is no variable {v}")));
            }
            Ok(Self(self.0.select(&variables)))
        })?)
    }

    fn to_json(&self) -> PyResult<String> {
        Ok(guarded(|| json(&self.0.moments))?)
    }

    /// The variables with their kinds and levels, as JSON.
    fn variables(&self) -> PyResult<String> {
        Ok(guarded(|| json(&self.0.moments.variables().list()))?)
    }

    /// The variable whose levels are the conditions, where these are told apart.
    #[getter]
    fn condition(&self) -> Option<String> {
        let moments = &self.0.moments;
        moments.conditions().map(|all| moments.names()[all.variable()].clone())
    }

    /// The conditions with the moments of their rows.
    fn conditions(&self) -> Vec<(String, Self)> {
        let moments = &self.0.moments;
        let Some(all) = moments.conditions() else { return Vec::new() };
        let levels = moments.variables().list()[all.variable()].levels.iter().enumerate();
        levels
            .filter_map(|(at, name)| Some((name.clone(), Self(self.0.of_condition(at)?))))
            .collect()
    }

    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.moments.names().to_vec()
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.moments.rows()
    }

    #[getter]
    fn weight(&self) -> f64 {
        self.0.moments.weight()
    }

    #[getter]
    fn rows_dropped(&self) -> u64 {
        self.0.rows_dropped
    }

    #[getter]
    fn mean<'py>(&self, py: Python<'py>) -> Vector<'py> {
        vector(py, self.0.moments.mean())
    }

    #[pyo3(signature = (center=true))]
    fn second_moments<'py>(&self, py: Python<'py>, center: bool) -> Matrix<'py> {
        matrix(py, self.0.moments.second_moments(center).as_ref())
    }

    /// Some of the rows, with positions in place of levels.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Option<Matrix<'py>>> {
        let rows = guarded(|| Ok(self.0.sample_rows()?))?;
        Ok(rows.map(|rows| matrix(py, rows.values())))
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::value(error.to_string()))
}
