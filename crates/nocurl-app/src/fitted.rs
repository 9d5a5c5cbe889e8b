//! A described graph as a model: effects over its class, scores, predictions, new rows.

use nocurl::adjustment::{Adjustment, adjustment};
use nocurl::class_effects::{effects_over_class, interventions_over_class};
use nocurl::model::Model;
use nocurl::{Mat, MatRef, Pdag};
use nocurl_io::GraphDocument;

use crate::Error;

/// More variables than this, and effects are not given over a class.
const MOST_VARIABLES: usize = 2000;

/// A graph of a file with the graphs that are as good, and its numbers.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The graphs that the evidence does not tell apart.
    pub class: Pdag,
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
        Ok(Self { class, covariance, model })
    }

    /// The model.
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

    /// The mean log-density of rows.
    ///
    /// # Errors
    /// No model, or rows that do not fit it.
    pub fn score(&self, rows: MatRef<'_, f64>) -> Result<f64, Error> {
        Ok(self.model()?.score(rows)?)
    }
}

/// The smallest and the largest of each column.
pub fn ranges(rows: &[Vec<f64>], column: usize) -> [f64; 2] {
    let values = rows.iter().map(|row| row[column]);
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    })
}
