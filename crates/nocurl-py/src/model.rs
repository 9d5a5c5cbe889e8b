//! A graph with its answers: relatives, effects, interventions, scores, predictions, new rows.

use std::sync::OnceLock;

use nocurl::model::Prediction;
use nocurl::{Mat, Run};
use nocurl_app::Fitted;
use nocurl_io::GraphDocument;
use pyo3::prelude::*;
use serde::Serialize;

use crate::array::{Matrix, Vector, matrix, vector};
use crate::failure::{Failure, guarded};
use crate::table::Table;

/// A graph that answers questions. It is made of a document once, and asked as often as needed.
#[pyclass(frozen, module = "nocurl._nocurl")]
pub(crate) struct Answers {
    document: GraphDocument,
    fitted: OnceLock<Fitted>,
}

fn text(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::value(error.to_string()))
}

impl Answers {
    fn fitted(&self) -> Result<&Fitted, Failure> {
        if self.fitted.get().is_none() {
            let fitted = Fitted::new(&self.document)?;
            return Ok(self.fitted.get_or_init(|| fitted));
        }
        self.fitted.get().ok_or_else(|| Failure::value("the graph has no answers"))
    }

    /// The rows of a table as the variables of the model.
    fn rows(
        &self,
        table: &Bound<'_, PyAny>,
        names: Vec<String>,
        predicted: Option<usize>,
        unknown_as_missing: bool,
    ) -> PyResult<Mat<f64>> {
        let fitted = self.fitted()?;
        let run = Run::default();
        Ok(Table::new(table, names)?.read(|input| {
            guarded(|| Ok(fitted.read(input, predicted, unknown_as_missing, &run)?))
        })?)
    }
}

/// Parents, siblings, ancestors, possible ancestors and Markov blanket of a variable.
type Relatives = (Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>);

/// Sets to adjust for: the optimal, a minimal one, the parents.
type Sets = (Vec<String>, Vec<String>, Vec<String>);

#[pymethods]
impl Answers {
    #[new]
    fn new(document: &str) -> PyResult<Self> {
        let document = guarded(|| Ok(GraphDocument::from_json(document)?))?;
        Ok(Self { document, fitted: OnceLock::new() })
    }

    /// Refuses a graph that is no whole model.
    fn check_model(&self) -> PyResult<()> {
        Ok(guarded(|| Ok(self.fitted()?.model().map(drop)?))?)
    }

    /// Effects as JSON: of one variable, on one variable, or all.
    #[pyo3(signature = (cause=None, target=None))]
    fn effects(&self, cause: Option<&str>, target: Option<&str>) -> PyResult<String> {
        Ok(guarded(|| text(&self.fitted()?.effects(cause, target)?))?)
    }

    /// What is expected after variables are set to the values that texts name, as JSON.
    fn intervene(&self, set: Vec<(String, String)>) -> PyResult<String> {
        Ok(guarded(|| {
            let set: Vec<(&str, &str)> =
                set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            text(&self.fitted()?.intervene(&set)?)
        })?)
    }

    /// Whether all graphs of the class agree on the effects of setting variables.
    fn identified(&self, set: Vec<String>) -> PyResult<Vec<bool>> {
        Ok(guarded(|| {
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            Ok(self.fitted()?.identified(&set)?)
        })?)
    }

    /// Sets to adjust for; nothing where the effect is 0 or depends on undetermined directions.
    fn adjustment(&self, cause: &str, target: &str) -> PyResult<Option<Sets>> {
        Ok(guarded(|| {
            let sets = self.fitted()?.adjustment(cause, target)?;
            Ok(sets.map(|sets| (sets.optimal, sets.minimal, sets.parents)))
        })?)
    }

    /// Who is who around a variable.
    fn relatives(&self, variable: usize) -> PyResult<Relatives> {
        Ok(guarded(|| {
            let graph = self.document.determined()?;
            if variable >= graph.size() {
                return Err(Failure::value(format!("there is no variable {variable}")));
            }
            Ok((
                graph.parents(variable),
                graph.siblings(variable),
                graph.ancestors(variable),
                graph.possible_ancestors(variable),
                self.document.dag()?.markov_blanket(variable),
            ))
        })?)
    }

    /// The logarithm of the density of each row.
    fn log_likelihood<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, PyAny>,
        names: Vec<String>,
        unknown_as_missing: bool,
    ) -> PyResult<Vector<'py>> {
        let rows = self.rows(table, names, None, unknown_as_missing)?;
        let found =
            py.detach(|| guarded(|| Ok(self.fitted()?.log_likelihood(rows.as_ref())?)))?;
        Ok(vector(py, &found))
    }

    /// One variable given all others, in each row: numbers, or the probability of each level.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, PyAny>,
        names: Vec<String>,
        variable: &str,
        unknown_as_missing: bool,
    ) -> PyResult<(Option<Vector<'py>>, Option<Matrix<'py>>)> {
        let place = guarded(|| Ok(self.fitted()?.variable(variable)?))?;
        let rows = self.rows(table, names, Some(place), unknown_as_missing)?;
        let found =
            py.detach(|| guarded(|| Ok(self.fitted()?.predict(rows.as_ref(), place)?)))?;
        Ok(match found {
            Prediction::Numbers(found) => (Some(vector(py, &found)), None),
            Prediction::Levels(found) => (None, Some(matrix(py, found.as_ref()))),
        })
    }

    /// What the parents leave of each value, with the names of the columns.
    fn residuals<'py>(
        &self,
        py: Python<'py>,
        table: &Bound<'py, PyAny>,
        names: Vec<String>,
        unknown_as_missing: bool,
    ) -> PyResult<(Vec<String>, Matrix<'py>)> {
        let rows = self.rows(table, names, None, unknown_as_missing)?;
        let found = py.detach(|| guarded(|| Ok(self.fitted()?.residuals(rows.as_ref())?)))?;
        let fitted = self.fitted()?;
        let names = found.columns.iter().map(|&(v, level)| fitted.column_name(v, level)).collect();
        Ok((names, matrix(py, found.values.as_ref())))
    }

    /// New rows: numbers, and positions of levels.
    fn sample<'py>(&self, py: Python<'py>, count: usize, seed: u64) -> PyResult<Matrix<'py>> {
        let found = py.detach(|| guarded(|| Ok(self.fitted()?.sample(count, seed)?)))?;
        Ok(matrix(py, found.as_ref()))
    }
}
