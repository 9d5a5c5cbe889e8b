//! A learnt graph as a model: effects over its class, scores, predictions, new rows.

use nocurl::{Mat, effects};
use nocurl_app::Fitted;
use nocurl_io::GraphDocument;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;

use crate::array::{Matrix, Vector, matrix, vector};
use crate::failure::{Failure, guarded};

fn fitted(document: &str) -> Result<Fitted, Failure> {
    Ok(Fitted::new(&GraphDocument::from_json(document)?)?)
}

fn rows(values: &PyReadonlyArray2<'_, f64>) -> Mat<f64> {
    let values = values.as_array();
    Mat::from_fn(values.nrows(), values.ncols(), |i, j| values[(i, j)])
}

/// Whether all graphs of the class agree on the effects of setting variables, for each variable.
#[pyfunction]
pub(crate) fn identified(document: &str, set: Vec<usize>) -> PyResult<Vec<bool>> {
    Ok(guarded(|| {
        let determined = GraphDocument::from_json(document)?.determined()?;
        if let Some(variable) = set.iter().find(|&&variable| variable >= determined.size()) {
            return Err(Failure::value(format!("there is no variable {variable}")));
        }
        Ok(effects::identified(&determined, &set))
    })?)
}

/// The effects of a variable on all, one row for each set of parents that it can have; nothing
/// where there is no model or there are too many.
#[pyfunction]
pub(crate) fn effects_over_class(document: &str, cause: usize) -> PyResult<Option<Vec<Vec<f64>>>> {
    Ok(guarded(|| Ok(fitted(document)?.effects(cause)))?)
}

/// The means after some variables are set, one row for each way in which they can have parents.
#[pyfunction]
pub(crate) fn interventions_over_class(
    document: &str,
    set: Vec<(usize, f64)>,
) -> PyResult<Option<Vec<Vec<f64>>>> {
    Ok(guarded(|| Ok(fitted(document)?.interventions(&set)?))?)
}

/// Sets to adjust for: the optimal, a minimal one, the parents.
type Sets = (Vec<usize>, Vec<usize>, Vec<usize>);

/// Sets to adjust for; nothing where the effect is 0 or depends on undetermined directions.
#[pyfunction]
pub(crate) fn adjustment(document: &str, cause: usize, effect: usize) -> PyResult<Option<Sets>> {
    Ok(guarded(|| {
        let sets = fitted(document)?.adjustment(cause, effect);
        Ok(sets.map(|sets| (sets.optimal, sets.minimal, sets.parents)))
    })?)
}

/// Parents, siblings, ancestors, possible ancestors and Markov blanket of a variable.
type Relatives = (Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>);

/// Who is who around a variable.
#[pyfunction]
pub(crate) fn relatives(document: &str, variable: usize) -> PyResult<Relatives> {
    Ok(guarded(|| {
        let document = GraphDocument::from_json(document)?;
        let graph = document.determined()?;
        if variable >= graph.size() {
            return Err(Failure::value(format!("there is no variable {variable}")));
        }
        Ok((
            graph.parents(variable),
            graph.siblings(variable),
            graph.ancestors(variable),
            graph.possible_ancestors(variable),
            document.dag()?.markov_blanket(variable),
        ))
    })?)
}

/// The logarithm of the density of each row.
#[pyfunction]
pub(crate) fn log_likelihood<'py>(
    py: Python<'py>,
    document: &str,
    table: PyReadonlyArray2<'py, f64>,
) -> PyResult<Vector<'py>> {
    let table = rows(&table);
    let found = guarded(|| Ok(fitted(document)?.log_likelihood(table.as_ref())?))?;
    Ok(vector(py, &found))
}

/// The mean of one variable given all others, in each row.
#[pyfunction]
pub(crate) fn predict<'py>(
    py: Python<'py>,
    document: &str,
    table: PyReadonlyArray2<'py, f64>,
    variable: usize,
) -> PyResult<Vector<'py>> {
    let table = rows(&table);
    let found = guarded(|| Ok(fitted(document)?.predict(table.as_ref(), variable)?))?;
    Ok(vector(py, &found))
}

/// Values of a variable of the table on the scale that was learnt on, or the other way round.
#[pyfunction]
pub(crate) fn on_scale(
    document: &str,
    variable: &str,
    values: Vec<f64>,
    invert: bool,
) -> PyResult<Vec<f64>> {
    Ok(guarded(|| {
        let document = GraphDocument::from_json(document)?;
        let known = document.kinds.iter().find(|known| known.variable.name == variable);
        let Some(known) = known.map(|known| &known.variable) else { return Ok(values) };
        match invert {
            true => Ok(values.into_iter().map(|value| known.untransformed(value)).collect()),
            false => {
                values.into_iter().map(|value| Ok(nocurl_app::to_scale(known, value)?)).collect()
            }
        }
    })?)
}

/// What the parents leave of each value.
#[pyfunction]
pub(crate) fn residuals<'py>(
    py: Python<'py>,
    document: &str,
    table: PyReadonlyArray2<'py, f64>,
) -> PyResult<Matrix<'py>> {
    let table = rows(&table);
    let found = guarded(|| Ok(fitted(document)?.residuals(table.as_ref())?))?;
    Ok(matrix(py, found.as_ref()))
}

/// New rows.
#[pyfunction]
pub(crate) fn sample<'py>(
    py: Python<'py>,
    document: &str,
    count: usize,
    seed: u64,
) -> PyResult<Matrix<'py>> {
    let found = guarded(|| Ok(fitted(document)?.sample(count, seed)?))?;
    Ok(matrix(py, found.as_ref()))
}
