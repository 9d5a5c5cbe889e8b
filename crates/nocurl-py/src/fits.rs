//! Fits of a search that are done by other processes: what they are sent, and what they do.

use std::sync::Arc;

use nocurl::methods::nonlinear::Fits as EngineFits;
use nocurl::{FitTable as EngineTable, Fitted, Mat, Wanted};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::array::{Matrix, matrix};
use crate::failure::{Failure, guarded};
use crate::watch;

/// What the fits of a search share.
#[pyclass(module = "nocurl._nocurl", frozen)]
pub(crate) struct FitTable(pub(crate) Arc<EngineTable>);

#[pymethods]
impl FitTable {
    /// What `Fits` takes: rows, edges that must be there, and a seed.
    fn parts<'py>(&self, py: Python<'py>) -> (Matrix<'py>, Vec<(usize, usize)>, u64) {
        let table = &self.0;
        let required = table.required().iter().copied().collect();
        (matrix(py, table.data().values()), required, table.seed())
    }
}

/// Fits on one table.
#[pyclass(module = "nocurl._nocurl", frozen)]
pub(crate) struct Fits(EngineFits<'static>);

#[pymethods]
impl Fits {
    #[new]
    fn new(
        py: Python<'_>,
        values: PyReadonlyArray2<'_, f64>,
        required: Vec<(usize, usize)>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let [rows, columns] = *values.shape() else { unreachable!("it has two dimensions") };
        let array = values.as_array();
        let values = Mat::from_fn(rows, columns, |i, j| array[(i, j)]);
        let table = guarded(|| Ok(EngineTable::new(values, required, seed)?))?;
        watch::run(py, threads, None, |run| Ok(Self(EngineFits::new(&table, run)?)))
    }

    /// What comes of each fit, in their order.
    fn fit(
        &self,
        py: Python<'_>,
        wanted: Vec<String>,
        threads: Option<usize>,
    ) -> PyResult<Vec<String>> {
        let wanted: Vec<Wanted> = guarded(|| {
            wanted.iter().map(|text| serde_json::from_str(text).map_err(told)).collect()
        })?;
        watch::run(py, threads, None, |run| {
            wanted.iter().map(|one| sent(&self.0.fit(one, run)?)).collect()
        })
    }
}

/// A fit as it is sent: numbers by their bits, which may be infinite.
type Sent = (Vec<usize>, u64, u64, bool);

fn sent(Fitted { parents, score, shape, network }: &Fitted) -> Result<String, Failure> {
    let sent = (parents, score.to_bits(), shape.to_bits(), network);
    serde_json::to_string(&sent).map_err(told)
}

/// A fit that was sent.
pub(crate) fn received(text: &str) -> Result<Fitted, Failure> {
    let (parents, score, shape, network): Sent = serde_json::from_str(text).map_err(told)?;
    let (score, shape) = (f64::from_bits(score), f64::from_bits(shape));
    Ok(Fitted { parents, score, shape, network })
}

/// A fit that is wanted, as it is sent.
pub(crate) fn asked(wanted: &Wanted) -> Result<String, Failure> {
    serde_json::to_string(wanted).map_err(told)
}

fn told(error: serde_json::Error) -> Failure {
    Failure::value(error.to_string())
}
