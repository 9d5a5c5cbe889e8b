//! Number of rows, means and second moments: all that linear methods see of the data.

mod align;
mod conditions;
mod part;
mod replicates;

use std::sync::Arc;

use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};

pub use conditions::{Conditions, KeptRows};
pub(crate) use part::{Part, Spread, unnamed};

use super::gram_accumulate;
#[cfg(feature = "serde")]
use super::variable::Variable;
use super::variable::{Kind, Variables};
use crate::core::parallel::*;
use crate::core::{Error, Transform};
pub use replicates::{Replicates, WeightedBlock, mix};

/// Rows that are centred and multiplied together at a time.
pub const BLOCK_ROWS: usize = 1024;

/// From this many columns on, threads share one product rather than the rows.
const WIDE: usize = 512;

/// Segments of rows that threads may work on at once; fixed, so that sums do not depend on threads.
const SEGMENTS: usize = 16;

/// Mergeable first and second moments of named variables.
///
/// A variable is one column, or for a categorical one a block of them ([`Variables`]): means and
/// second moments are those of the coded columns.
///
/// Held as the mean and the scatter matrix, the sum of `(x - mean)(x - mean)'`, and combined by
/// the pairwise update of Chan, Golub and LeVeque (1983), so that large means do not cost
/// precision. Memory is O(d^2), whatever the number of rows; a block of rows costs one symmetric
/// product.
///
/// ```
/// use nocurl::{Mat, Moments};
/// let names = vec!["a".to_string(), "b".to_string()];
/// let mut moments = Moments::new(names);
/// let mut rows = Mat::from_fn(3, 2, |i, j| (i * (j + 1)) as f64);
/// moments.push_block(rows.as_mut());
/// assert_eq!(moments.rows(), 3);
/// assert_eq!(moments.mean(), [1.0, 2.0]);
/// assert!((moments.second_moments(true)[(0, 1)] - 4.0 / 3.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Packed", into = "Packed"))]
pub struct Moments {
    variables: Variables,
    /// Rows, or the sum of their weights.
    weight: f64,
    mean: Vec<f64>,
    /// Lower triangle only; the upper one is zero.
    scatter: Mat<f64>,
    /// The same by the conditions of an experiment, where these are told apart.
    conditions: Option<Arc<Conditions>>,
}

impl Moments {
    /// Moments of no rows yet, of variables or of the names of numbers on a scale.
    pub fn new(variables: impl Into<Variables>) -> Self {
        let variables = variables.into();
        let m = variables.width();
        Self {
            variables,
            weight: 0.0,
            mean: vec![0.0; m],
            scatter: Mat::zeros(m, m),
            conditions: None,
        }
    }

    /// Moments of no rows yet that tell the levels of one variable apart, as the conditions of an
    /// experiment.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn by_condition(variables: impl Into<Variables>, condition: usize) -> Self {
        let variables = variables.into();
        let conditions = Some(Arc::new(Conditions::new(&variables, condition)));
        Self { conditions, ..Self::new(variables) }
    }

    /// The moments of each condition, where these are told apart.
    pub fn conditions(&self) -> Option<&Arc<Conditions>> {
        self.conditions.as_ref()
    }

    /// The same with the moments of each condition.
    pub fn with_conditions(self, conditions: Conditions) -> Self {
        Self { conditions: Some(Arc::new(conditions)), ..self }
    }

    /// Moments with a known mean and covariance (divided by `rows`, not `rows - 1`), as an
    /// estimate from incomplete data gives them. The lower triangle of `covariance` is read.
    ///
    /// # Errors
    /// When the sizes do not agree.
    pub fn from_covariance(
        variables: impl Into<Variables>,
        rows: u64,
        mean: Vec<f64>,
        covariance: MatRef<'_, f64>,
    ) -> Result<Self, Error> {
        let variables = variables.into();
        let d = variables.width();
        if mean.len() != d || covariance.nrows() != d || covariance.ncols() != d {
            return Err(wrong_lengths(
                d,
                mean.len(),
                covariance.nrows() * covariance.ncols(),
                d * d,
            ));
        }
        let scatter =
            Mat::from_fn(d, d, |i, j| if i >= j { covariance[(i, j)] * rows as f64 } else { 0.0 });
        Ok(Self { variables, weight: rows as f64, mean, scatter, conditions: None })
    }

    /// Adds rows, given as a block with one row per observation, of coded columns. The block is used
    /// as work space: its columns are centred in place.
    ///
    /// # Panics
    /// When the block does not have as many columns as code the variables.
    pub fn push_block(&mut self, mut block: MatMut<'_, f64>) {
        assert_eq!(block.ncols(), self.width(), "one column per coded column");
        let rows = block.nrows();
        if rows == 0 {
            return;
        }
        if let Some(conditions) = &mut self.conditions {
            Arc::make_mut(conditions).push_block(&self.variables, block.as_ref(), None);
        }
        let mean: Vec<f64> = (0..block.ncols())
            .map(|j| {
                let column = block.rb_mut().col_mut(j);
                let mean = column.as_ref().sum() / rows as f64;
                match column.try_as_col_major_mut() {
                    // A slice, so that the loop is vectorised.
                    Some(column) => {
                        column.as_slice_mut().iter_mut().for_each(|value| *value -= mean);
                    }
                    None => block.rb_mut().col_mut(j).iter_mut().for_each(|value| *value -= mean),
                }
                mean
            })
            .collect();
        gram_accumulate(&mut self.scatter, block.as_ref());
        self.shift_mean(rows as f64, &mean);
    }

    /// Adds rows of which each counts as often as its weight says, which may be a fraction; the
    /// number of rows grows by their sum. The block is used as work space.
    ///
    /// # Panics
    /// When the block does not have as many columns as code the variables, or there is not one
    /// weight, finite and not negative, for each row.
    pub fn push_weighted(&mut self, mut block: MatMut<'_, f64>, weights: &[f64]) {
        assert_eq!(block.ncols(), self.width(), "one column per coded column");
        assert_eq!(block.nrows(), weights.len(), "one weight for each row");
        assert!(weights.iter().all(|w| w.is_finite() && *w >= 0.0), "weights are not negative");
        let total: f64 = weights.iter().sum();
        if total == 0.0 {
            return;
        }
        if let Some(conditions) = &mut self.conditions {
            let conditions = Arc::make_mut(conditions);
            conditions.push_block(&self.variables, block.as_ref(), Some(weights));
        }
        // The product of two such roots is the weight.
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let mean: Vec<f64> = (0..block.ncols())
            .map(|j| {
                let mut column = block.rb_mut().col_mut(j);
                let sum: f64 = (0..weights.len()).map(|i| weights[i] * column[i]).sum();
                let mean = sum / total;
                (0..weights.len()).for_each(|i| column[i] = roots[i] * (column[i] - mean));
                mean
            })
            .collect();
        gram_accumulate(&mut self.scatter, block.as_ref());
        self.shift_mean(total, &mean);
    }

    /// Combines with the moments of other rows of the same variables, in whatever order these have
    /// them. Levels that one has not seen are added, conditions too; moments of no rows take over the
    /// kinds of the other.
    ///
    /// # Errors
    /// When the names or the kinds of variables differ, or ordinal levels do; when only one of them
    /// tells conditions apart.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.variables != other.variables {
            let (mut one, other) = self.aligned(other)?;
            one.merge(&other)?;
            *self = one;
            return Ok(());
        }
        match (&mut self.conditions, &other.conditions) {
            (None, None) => {}
            (Some(own), Some(other)) => Arc::make_mut(own).merge(other)?,
            (Some(_), None) if other.weight == 0.0 => {}
            (None, Some(theirs)) if self.weight == 0.0 => {
                self.conditions = Some(Arc::clone(theirs));
            }
            _ => {
                let reason = "only one of them tells conditions apart".into();
                return Err(Error::Unmergeable { reason });
            }
        }
        for j in 0..self.width() {
            for i in j..self.width() {
                self.scatter[(i, j)] += other.scatter[(i, j)];
            }
        }
        self.shift_mean(other.weight, &other.mean);
        Ok(())
    }

    /// The part of the pairwise update that comes from two means being different.
    fn shift_mean(&mut self, weight: f64, mean: &[f64]) {
        let (a, b) = (self.weight, weight);
        self.weight += weight;
        if b == 0.0 {
            return;
        }
        if a == 0.0 {
            self.mean.copy_from_slice(mean);
            return;
        }
        let delta: Vec<f64> = mean.iter().zip(&self.mean).map(|(new, old)| new - old).collect();
        let factor = a * b / (a + b);
        for j in 0..delta.len() {
            for i in j..delta.len() {
                self.scatter[(i, j)] += factor * delta[i] * delta[j];
            }
            self.mean[j] += delta[j] * (b / (a + b));
        }
    }

    /// The variables.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        self.variables.names()
    }

    /// Number of rows, or the sum of their weights as a whole number.
    pub fn rows(&self) -> u64 {
        self.weight.round() as u64
    }

    /// Number of rows, or the sum of their weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Number of variables.
    pub fn columns(&self) -> usize {
        self.variables.size()
    }

    /// Number of columns that code the variables.
    pub fn width(&self) -> usize {
        self.mean.len()
    }

    /// Mean of each coded column.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Variance of each coded column (divided by n).
    pub fn variances(&self) -> Vec<f64> {
        (0..self.width()).map(|j| self.scatter[(j, j)] / self.weight).collect()
    }

    /// The second moment matrix `S`: `X'X / n` of the data as given, or of the centred data.
    /// Symmetric, both triangles filled.
    pub fn second_moments(&self, center: bool) -> Mat<f64> {
        let n = self.weight;
        Mat::from_fn(self.width(), self.width(), |i, j| {
            let (low, high) = if i >= j { (j, i) } else { (i, j) };
            let covariance = self.scatter[(high, low)] / n;
            if center { covariance } else { covariance + self.mean[i] * self.mean[j] }
        })
    }

    /// The same in the place of these moments: no second matrix is needed.
    pub(crate) fn into_second_moments(self, center: bool) -> Mat<f64> {
        let (n, mean, mut matrix) = (self.weight, self.mean, self.scatter);
        for j in 0..matrix.ncols() {
            for i in j..matrix.nrows() {
                let covariance = matrix[(i, j)] / n;
                let value = if center { covariance } else { covariance + mean[i] * mean[j] };
                (matrix[(i, j)], matrix[(j, i)]) = (value, value);
            }
        }
        matrix
    }

    /// The moments of some of the variables, in the order given.
    ///
    /// # Panics
    /// When an index is not a variable.
    pub fn select(&self, variables: &[usize]) -> Self {
        let columns: Vec<usize> =
            variables.iter().flat_map(|&v| self.variables.columns(v)).collect();
        let d = columns.len();
        Self {
            variables: self.variables.select(variables),
            weight: self.weight,
            mean: columns.iter().map(|&j| self.mean[j]).collect(),
            conditions: self
                .conditions
                .as_ref()
                .and_then(|all| all.select(&self.variables, variables))
                .map(Arc::new),
            scatter: Mat::from_fn(d, d, |a, b| {
                let (i, j) = (columns[a], columns[b]);
                if a >= b { self.scatter[(i.max(j), i.min(j))] } else { 0.0 }
            }),
        }
    }

    /// The scatter matrix, the sum of `(x - mean)(x - mean)'` over all rows: its lower triangle, row
    /// by row.
    pub fn scatter_entries(&self) -> Vec<f64> {
        let places = (0..self.width()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        places.map(|at| self.scatter[at]).collect()
    }

    /// Moments from what [`Self::scatter_entries`] gave.
    ///
    /// # Errors
    /// When the lengths do not agree.
    pub fn from_scatter(
        variables: impl Into<Variables>,
        weight: f64,
        mean: Vec<f64>,
        entries: &[f64],
    ) -> Result<Self, Error> {
        let variables = variables.into();
        let d = variables.width();
        let needed = d * (d + 1) / 2;
        if mean.len() != d || entries.len() != needed {
            return Err(wrong_lengths(d, mean.len(), entries.len(), needed));
        }
        let entry = |i: usize, j: usize| entries[i * (i + 1) / 2 + j];
        let scatter = Mat::from_fn(d, d, |i, j| if i >= j { entry(i, j) } else { 0.0 });
        Ok(Self { variables, weight, mean, scatter, conditions: None })
    }

    /// The same with more columns, which were zero in all rows.
    pub(crate) fn grown(&self, variables: Variables) -> Self {
        let (old, new) = (self.width(), variables.width());
        let mut scatter = Mat::zeros(new, new);
        scatter.as_mut().submatrix_mut(0, 0, old, old).copy_from(&self.scatter);
        let mut mean = self.mean.clone();
        mean.resize(new, 0.0);
        Self { variables, weight: self.weight, mean, scatter, conditions: None }
    }

    /// The same columns under other names.
    pub(crate) fn renamed(self, variables: Variables) -> Self {
        debug_assert_eq!(variables.width(), self.width());
        Self { variables, ..self }
    }

    /// The same rows in another coding of these variables: column `j` becomes the sum of the old
    /// columns `i` times the factors `(i, factor)` listed for it.
    pub(crate) fn recoded(&self, variables: Variables, columns: &[Vec<(usize, f64)>]) -> Self {
        let at = |i: usize, j: usize| self.scatter[(i.max(j), i.min(j))];
        let sum = |a: usize, b: usize| -> f64 {
            let pairs = columns[a].iter().flat_map(|x| columns[b].iter().map(move |y| (x, y)));
            pairs.map(|(&(i, p), &(j, q))| p * q * at(i, j)).sum()
        };
        let m = columns.len();
        Self {
            variables,
            weight: self.weight,
            mean: columns
                .iter()
                .map(|of| of.iter().map(|&(i, p)| p * self.mean[i]).sum())
                .collect(),
            scatter: Mat::from_fn(m, m, |a, b| if a >= b { sum(a, b) } else { 0.0 }),
            conditions: None,
        }
    }

    /// The same with all continuous variables moved and scaled to mean 0 and variance 1, which
    /// their [`Variable::transforms`] say. Those that do not vary stay as they are.
    pub fn standardized(&self) -> Self {
        let constant = self.constant_columns();
        let mut scales = vec![1.0; self.width()];
        let mut moves = vec![0.0; self.width()];
        let mut mean = self.mean.clone();
        let mut list = self.variables.list().to_vec();
        let n = self.weight;
        for (v, variable) in list.iter_mut().enumerate() {
            let j = self.variables.columns(v).start;
            let deviation = (self.scatter[(j, j)] / n).sqrt();
            let varies = constant.binary_search(&v).is_err() && deviation.is_finite();
            if variable.kind == Kind::Continuous && varies {
                scales[j] = deviation;
                variable.transforms.push(Transform::Standardize { mean: mean[j], deviation });
                moves[j] = -mean[j];
                mean[j] = 0.0;
            }
        }
        let d = self.width();
        // One factor at a time: products of deviations in large units overflow.
        let scatter = Mat::from_fn(d, d, |i, j| self.scatter[(i, j)] / scales[i] / scales[j]);
        let variables = Variables::new(list);
        let scaled = |all: &Arc<Conditions>| all.standardized(&variables, &moves, &scales);
        let conditions = self.conditions.as_ref().map(scaled);
        let conditions = conditions.map(Arc::new);
        Self { variables, weight: self.weight, mean, scatter, conditions }
    }

    /// Positions of the variables that do not vary, up to rounding.
    pub fn constant_columns(&self) -> Vec<usize> {
        let constant = self.constant_coded();
        (0..self.columns())
            .filter(|&v| self.variables.columns(v).all(|j| constant.binary_search(&j).is_ok()))
            .collect()
    }

    /// Coded columns that do not vary, up to rounding.
    pub(crate) fn constant_coded(&self) -> Vec<usize> {
        let floor = f64::EPSILON * 64.0;
        (0..self.width())
            .filter(|&j| {
                let variance = self.scatter[(j, j)] / self.weight;
                // Numbers too large to square are no constant.
                variance.is_finite() && variance.sqrt() <= self.mean[j].abs() * floor
            })
            .collect()
    }
}

/// Means and second moments of a matrix with one row per observation, in parallel.
pub(crate) fn of_matrix(variables: &Variables, values: MatRef<'_, f64>) -> Moments {
    let (n, d) = (values.nrows(), variables.width());
    let segments = if d >= WIDE { 1 } else { n.div_ceil(BLOCK_ROWS).clamp(1, SEGMENTS) };
    let length = n.div_ceil(segments).max(1);
    let parts: Vec<Moments> = (0..segments)
        .into_par_iter()
        .map(|segment| {
            let mut moments = Moments::new(variables.clone());
            let mut block = Mat::zeros(BLOCK_ROWS, d);
            let end = n.min((segment + 1) * length);
            let mut start = n.min(segment * length);
            while start < end {
                let rows = BLOCK_ROWS.min(end - start);
                let mut used = block.as_mut().subrows_mut(0, rows);
                variables.code(values.subrows(start, rows), used.as_mut());
                moments.push_block(used);
                start += rows;
            }
            moments
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_else(|| Moments::new(variables.clone()));
    for part in parts {
        total.merge(&part).expect("all parts have the same variables");
    }
    total
}

/// Means and second moments of the rows of a matrix, each `counts` times, one block after the other.
pub(crate) fn of_sample(variables: &Variables, values: MatRef<'_, f64>, counts: &[u32]) -> Moments {
    let (n, d) = (values.nrows(), variables.width());
    assert_eq!(counts.len(), n, "one count for each row");
    let drawn: Vec<usize> = (0..n).filter(|&i| counts[i] > 0).collect();
    let mut moments = Moments::new(variables.clone());
    let origins = origins(variables);
    let mut block = Mat::zeros(BLOCK_ROWS.min(drawn.len()), d);
    let mut mean = vec![0.0; d];
    for rows in drawn.chunks(BLOCK_ROWS) {
        let total = rows.iter().map(|&i| u64::from(counts[i])).sum::<u64>() as f64;
        // The product of two such roots is the count.
        let roots: Vec<f64> = rows.iter().map(|&i| f64::from(counts[i]).sqrt()).collect();
        let mut used = block.as_mut().subrows_mut(0, rows.len());
        for (j, (mean, &(v, level))) in mean.iter_mut().zip(&origins).enumerate() {
            let column = values.col(v);
            let value = |i: usize| match level {
                None => column[i],
                Some(level) => f64::from(u8::from(column[i] == level)),
            };
            let sum: f64 = rows.iter().map(|&i| f64::from(counts[i]) * value(i)).sum();
            *mean = sum / total;
            for (k, (&i, root)) in rows.iter().zip(&roots).enumerate() {
                used[(k, j)] = root * (value(i) - *mean);
            }
        }
        gram_accumulate(&mut moments.scatter, used.as_ref());
        moments.shift_mean(total, &mean);
    }
    moments
}

/// The variable behind each coded column, and the level that an indicator stands for.
fn origins(variables: &Variables) -> Vec<(usize, Option<f64>)> {
    let list = variables.list().iter().enumerate();
    list.flat_map(|(v, variable)| {
        let levels = 1..=variable.width();
        let indicates = variable.kind == Kind::Categorical;
        levels.map(move |level| (v, indicates.then_some(level as f64)))
    })
    .collect()
}

/// How moments are written: the lower triangle of the scatter matrix, row by row.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Packed {
    names: Vec<String>,
    /// The variables, unless all are numbers of the table on a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variables: Option<Vec<Variable>>,
    rows: u64,
    /// The sum of the weights, where it is no whole number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    mean: Vec<f64>,
    scatter: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conditions: Option<conditions::PackedConditions>,
}

#[cfg(feature = "serde")]
impl From<Moments> for Packed {
    fn from(moments: Moments) -> Self {
        let scatter = moments.scatter_entries();
        let variables = &moments.variables;
        Self {
            names: variables.names().to_vec(),
            variables: (!variables.is_continuous() || variables.is_transformed())
                .then(|| variables.list().to_vec()),
            rows: moments.rows(),
            weight: (moments.weight.fract() != 0.0).then_some(moments.weight),
            mean: moments.mean,
            scatter,
            conditions: moments.conditions.map(|all| Arc::unwrap_or_clone(all).into()),
        }
    }
}

/// The error of moments whose parts are not of one size: means, else second moments.
fn wrong_lengths(names: usize, means: usize, entries: usize, needed: usize) -> Error {
    match means == names {
        true => {
            let (what, of) = ("entries of the covariance", "pairs of variables");
            Error::Lengths { what, found: entries, of, expected: needed }
        }
        false => Error::Lengths { what: "means", found: means, of: "names", expected: names },
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Packed> for Moments {
    type Error = Error;

    fn try_from(packed: Packed) -> Result<Self, Error> {
        let variables = match packed.variables {
            None => packed.names.into(),
            Some(list) => Variables::new(list),
        };
        let weight = packed.weight.unwrap_or(packed.rows as f64);
        let conditions = packed.conditions.map(|all| all.unpack(&variables)).transpose()?;
        let moments = Self::from_scatter(variables, weight, packed.mean, &packed.scatter)?;
        Ok(Self { conditions: conditions.map(Arc::new), ..moments })
    }
}
