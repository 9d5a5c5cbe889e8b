//! A graph with its numbers is a model of the data: it scores rows, predicts, draws new ones.
//!
//! The model is the linear one with Gaussian errors: every variable is its mean, plus the weights
//! times what its parents are off theirs, plus an error of its own variance. All graphs of a class
//! that were fitted to the same moments are the same model of the data.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::effects;
use crate::core::parallel::*;
use crate::core::{Dag, Error, Mat, MatRef};

/// A linear model with Gaussian errors on a graph.
///
/// ```
/// use nocurl::{Dag, Mat, model::Model};
/// let mut weights = Mat::zeros(2, 2);
/// weights[(0, 1)] = 2.0;
/// let model = Model::new(Dag::new(weights)?, vec![1.0, 5.0], vec![1.0, 3.0])?;
/// assert_eq!(model.covariance()[(1, 1)], 4.0 + 3.0);
/// // Given x2 one above its mean, x1 is 2 / 7 above its own.
/// let row = Mat::from_fn(1, 2, |_, j| [0.0, 6.0][j]);
/// assert!((model.predict(row.as_ref(), 0)?[0] - (1.0 + 2.0 / 7.0)).abs() < 1e-12);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    dag: Dag,
    means: Vec<f64>,
    variances: Vec<f64>,
}

impl Model {
    /// The model of a graph with the means of its variables and the variances of their errors.
    ///
    /// # Errors
    /// When there is not one mean and one variance for each variable, or one of them is not finite,
    /// or a variance is not positive.
    pub fn new(dag: Dag, means: Vec<f64>, error_variances: Vec<f64>) -> Result<Self, Error> {
        let expected = dag.size();
        for (what, found) in [("means", means.len()), ("error variances", error_variances.len())] {
            if found != expected {
                return Err(Error::Lengths { what, found, of: "variables", expected });
            }
        }
        let positive = error_variances.iter().all(|v| *v > 0.0 && v.is_finite());
        if !(positive && means.iter().all(|mean| mean.is_finite())) {
            let value = "not finite, or a variance of 0".to_string();
            let reason = "means must be finite numbers, error variances positive ones";
            return Err(Error::Parameter { name: "model", value, reason });
        }
        Ok(Self { dag, means, variances: error_variances })
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// The covariance of the variables that the model implies, `(I - A)^-T D (I - A)^-1`. O(d^3).
    pub fn covariance(&self) -> Mat<f64> {
        let d = self.dag.size();
        let mut paths = effects::total(&self.dag);
        (0..d).for_each(|i| paths[(i, i)] = 1.0);
        let scaled = Mat::from_fn(d, d, |i, j| self.variances[i] * paths[(i, j)]);
        let product = paths.transpose() * scaled;
        // Exactly symmetric.
        Mat::from_fn(d, d, |i, j| 0.5 * (product[(i, j)] + product[(j, i)]))
    }

    /// What the parents leave of each value: the errors, one row for each row.
    ///
    /// # Errors
    /// Rows of another number of variables.
    pub fn residuals(&self, rows: MatRef<'_, f64>) -> Result<Mat<f64>, Error> {
        self.check(rows)?;
        let columns: Vec<Vec<f64>> =
            (0..self.dag.size()).into_par_iter().map(|j| self.residual(rows, j)).collect();
        Ok(Mat::from_fn(rows.nrows(), rows.ncols(), |i, j| columns[j][i]))
    }

    fn residual(&self, rows: MatRef<'_, f64>, j: usize) -> Vec<f64> {
        let mut residual: Vec<f64> =
            (0..rows.nrows()).map(|i| rows[(i, j)] - self.means[j]).collect();
        for parent in self.dag.parents(j) {
            let weight = self.dag.weight(parent, j);
            for (i, value) in residual.iter_mut().enumerate() {
                *value -= weight * (rows[(i, parent)] - self.means[parent]);
            }
        }
        residual
    }

    /// The logarithm of the density of each row.
    ///
    /// # Errors
    /// Rows of another number of variables.
    pub fn log_likelihood(&self, rows: MatRef<'_, f64>) -> Result<Vec<f64>, Error> {
        self.check(rows)?;
        let columns: Vec<Vec<f64>> =
            (0..self.dag.size()).into_par_iter().map(|j| self.residual(rows, j)).collect();
        let constant: f64 =
            self.variances.iter().map(|v| (2.0 * std::f64::consts::PI * v).ln()).sum();
        let of = |i: usize| {
            let squares: f64 =
                columns.iter().zip(&self.variances).map(|(column, v)| column[i].powi(2) / v).sum();
            -0.5 * (constant + squares)
        };
        Ok((0..rows.nrows()).map(of).collect())
    }

    /// The mean log-density of a row: the higher, the better the model fits rows it has not seen.
    ///
    /// # Errors
    /// Rows of another number of variables, or none.
    pub fn score(&self, rows: MatRef<'_, f64>) -> Result<f64, Error> {
        if rows.nrows() == 0 {
            return Err(Error::TooFewRows { rows: 0, needed: 1 });
        }
        Ok(self.log_likelihood(rows)?.iter().sum::<f64>() / rows.nrows() as f64)
    }

    /// The mean of one variable given all others, in each row; its own column is not looked at.
    ///
    /// This is the conditional mean of the normal law, from the row of the precision matrix
    /// `(I - A) D^-1 (I - A)'`, in which the variable's Markov blanket alone is not zero.
    ///
    /// # Errors
    /// Rows of another number of variables, or a variable that is not there.
    pub fn predict(&self, rows: MatRef<'_, f64>, variable: usize) -> Result<Vec<f64>, Error> {
        self.check(rows)?;
        let d = self.dag.size();
        if variable >= d {
            let reason = "there is no such variable";
            return Err(Error::Parameter { name: "variable", value: variable.to_string(), reason });
        }
        let precision = self.precision_row(variable);
        let own = precision[variable];
        let blanket: Vec<(usize, f64)> = (0..d)
            .filter(|&k| k != variable && precision[k] != 0.0)
            .map(|k| (k, precision[k] / own))
            .collect();
        let predicted = |i: usize| {
            let pull: f64 = blanket.iter().map(|&(k, c)| c * (rows[(i, k)] - self.means[k])).sum();
            self.means[variable] - pull
        };
        Ok((0..rows.nrows()).map(predicted).collect())
    }

    /// A row of the precision matrix.
    fn precision_row(&self, variable: usize) -> Vec<f64> {
        let (d, weights) = (self.dag.size(), self.dag.weights());
        let mut row = vec![0.0; d];
        for child in std::iter::once(variable).chain(self.dag.children(variable)) {
            let entry = |i: usize| if i == child { 1.0 } else { -weights[(i, child)] };
            let scale = entry(variable) / self.variances[child];
            for i in std::iter::once(child).chain(self.dag.parents(child)) {
                row[i] += scale * entry(i);
            }
        }
        row
    }

    /// New rows from the model.
    pub fn sample(&self, rows: usize, seed: u64) -> Mat<f64> {
        let d = self.dag.size();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut drawn = Mat::zeros(rows, d);
        for i in 0..rows {
            for &j in self.dag.order() {
                let error: f64 = StandardNormal.sample(&mut rng);
                let weights = self.dag.weights();
                let pull: f64 = self
                    .dag
                    .parents(j)
                    .map(|p| weights[(p, j)] * (drawn[(i, p)] - self.means[p]))
                    .sum();
                drawn[(i, j)] = self.means[j] + pull + error * self.variances[j].sqrt();
            }
        }
        drawn
    }

    fn check(&self, rows: MatRef<'_, f64>) -> Result<(), Error> {
        let (found, expected) = (rows.ncols(), self.dag.size());
        if found == expected {
            return Ok(());
        }
        Err(Error::Lengths { what: "columns", found, of: "variables", expected })
    }
}
