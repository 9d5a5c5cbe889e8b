//! A described graph as a model: effects over its class, scores, predictions, new rows.

use nocurl::adjustment::{Adjustment, adjustment};
use nocurl::class_effects::{effects_over_class, interventions_over_class};
use nocurl::model::Model;
use nocurl::{Mat, MatRef, Pdag, Variable};
use nocurl_io::GraphDocument;

use crate::Error;

/// More variables than this, and effects are not given over a class.
const MOST_VARIABLES: usize = 2000;

/// A graph of a file with the graphs that are as good, and its numbers.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The graphs that the evidence does not tell apart.
    pub class: Pdag,
    /// The variables with the scales that they were learnt on.
    variables: Vec<Variable>,
    model: Option<(Model, Vec<f64>)>,
    covariance: Option<Mat<f64>>,
}

impl Fitted {
    /// The graph of a document. Its numbers are there when the document has weights, means and
    /// error variances.
    ///
    /// # Errors
    /// A document that is no graph.
    pub fn new(document: &GraphDocument) -> Result<Self, Error> {
        let class = document.members()?;
        let variables = match document.kinds.is_empty() {
            true => document.variables.iter().map(Variable::continuous).collect(),
            false => document.kinds.iter().map(|known| known.variable.clone()).collect(),
        };
        let numbers = document.means.clone().zip(document.error_variances.clone());
        let model = match numbers.filter(|_| document.is_weighted()) {
            Some((means, variances)) => {
                Some((Model::new(document.dag()?, means.clone(), variances)?, means))
            }
            None => None,
        };
        let small = document.variables.len() <= MOST_VARIABLES;
        let wanted = model.as_ref().filter(|_| small && !class.is_directed());
        let covariance = wanted.map(|(model, _)| model.covariance());
        Ok(Self { class, variables, covariance, model })
    }

    /// The model, on the scales that were learnt on.
    ///
    /// # Errors
    /// When the document has no weights, means or error variances.
    pub fn model(&self) -> Result<&Model, Error> {
        self.model.as_ref().map(|(model, _)| model).ok_or(Error::NotAModel)
    }

    /// The effects of a variable on all, one row for each set of parents that it can have; nothing
    /// where there is no model or there are too many sets.
    pub fn effects(&self, cause: usize) -> Option<Vec<Vec<f64>>> {
        effects_over_class(&self.class, self.covariance.as_ref()?.as_ref(), cause)
    }

    /// The means after some variables are set, one row for each way in which they can have their
    /// parents; nothing where there is no model or there are too many.
    ///
    /// # Errors
    /// Variables or values that cannot be set.
    pub fn interventions(&self, set: &[(usize, f64)]) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let Some((model, means)) = self.model.as_ref().filter(|_| self.covariance.is_some()) else {
            return Ok(None);
        };
        Ok(interventions_over_class(&self.class, model, means, set)?)
    }

    /// Sets to adjust for; nothing where the effect is 0 or depends on undetermined directions.
    pub fn adjustment(&self, cause: usize, effect: usize) -> Option<Adjustment> {
        adjustment(&self.class, cause, effect)
    }

    /// The logarithm of the density of each row of a table, on the scales that were learnt on.
    ///
    /// # Errors
    /// No model, or rows that do not fit it.
    pub fn log_likelihood(&self, rows: MatRef<'_, f64>) -> Result<Vec<f64>, Error> {
        Ok(self.model()?.log_likelihood(self.on_scale(rows, None)?.as_ref())?)
    }

    /// The mean of one variable given all others, in each row of a table, in the units of the table;
    /// its own column is not looked at. Where the scale is no straight line this is its median.
    ///
    /// # Errors
    /// No model, rows that do not fit it, or a variable that is not there.
    pub fn predict(&self, rows: MatRef<'_, f64>, variable: usize) -> Result<Vec<f64>, Error> {
        let rows = self.on_scale(rows, Some(variable))?;
        let predicted = self.model()?.predict(rows.as_ref(), variable)?;
        Ok(predicted.into_iter().map(|value| self.off_scale(variable, value)).collect())
    }

    /// What the parents leave of each value of a table, on the scales that were learnt on.
    ///
    /// # Errors
    /// No model, or rows that do not fit it.
    pub fn residuals(&self, rows: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
        Ok(self.model()?.residuals(self.on_scale(rows, None)?.as_ref())?)
    }

    /// New rows in the units of the table.
    ///
    /// # Errors
    /// No model.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Mat<f64>, Error> {
        let drawn = self.model()?.sample(rows, seed);
        let value = |i: usize, j: usize| self.off_scale(j, drawn[(i, j)]);
        Ok(Mat::from_fn(drawn.nrows(), drawn.ncols(), value))
    }

    /// Rows of a table on the scales that were learnt on, but for a column that is not looked at.
    fn on_scale(&self, rows: MatRef<'_, f64>, but: Option<usize>) -> Result<Mat<f64>, Error> {
        let mut moved = rows.to_owned();
        for (j, variable) in self.variables.iter().enumerate().take(rows.ncols()) {
            if Some(j) == but || variable.transforms.is_empty() {
                continue;
            }
            for (i, value) in moved.col_as_slice_mut(j).iter_mut().enumerate() {
                *value = to_scale(variable, *value).map_err(|error| error.in_row(i + 1))?;
            }
        }
        Ok(moved)
    }

    fn off_scale(&self, variable: usize, value: f64) -> f64 {
        self.variables.get(variable).map_or(value, |known| known.untransformed(value))
    }
}

/// A value of a table on the scale that its variable was learnt on.
///
/// # Errors
/// A value that the scale does not have.
pub fn to_scale(variable: &Variable, value: f64) -> Result<f64, Error> {
    let moved = variable.transformed(value);
    match moved.is_finite() || !value.is_finite() {
        true => Ok(moved),
        false => Err(Error::OffScale {
            variable: variable.name.clone(),
            scale: variable.scale(),
            value,
            row: None,
        }),
    }
}

/// The smallest and the largest of each column.
pub fn ranges(rows: &[Vec<f64>], column: usize) -> [f64; 2] {
    let values = rows.iter().map(|row| row[column]);
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    })
}
