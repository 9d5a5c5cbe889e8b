//! Means and covariances of data with missing values.
//!
//! Maximum likelihood under a Gaussian model by expectation-maximisation (Dempster, Laird and
//! Rubin 1977; Little and Rubin, Statistical Analysis with Missing Data, ch. 11): each gap is
//! filled by its conditional mean given the rest of its row, and the conditional covariance of
//! what was filled in is added to the scatter. Valid when values are missing at random, that is,
//! for reasons that lie in the values that are there.

use std::collections::BTreeMap;

use faer::{Mat, MatRef};

use crate::core::parallel::*;
use crate::core::{Error, Moments, Termination};
use crate::core::{Progress, Run};
use crate::math::linalg::{self, Cholesky};

/// Parameters of [`expectation_maximization`].
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `tolerance` | 1e-8 | largest change of a mean or covariance, in standard deviations | > 0 |
/// | `max_iterations` | 1000 | iterations after which the result is given as it is | >= 1 |
#[derive(Debug, Clone, PartialEq)]
pub struct EmParams {
    /// Largest change of a mean or covariance, in standard deviations, that counts as none.
    pub tolerance: f64,
    /// Limit on iterations.
    pub max_iterations: u64,
}

impl Default for EmParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 1000 }
    }
}

/// What [`expectation_maximization`] found.
#[derive(Debug, Clone)]
pub struct EmFit {
    /// The estimate, for as many rows as there were complete and incomplete ones.
    pub moments: Moments,
    /// Log-likelihood of the observed values before each iteration.
    pub log_likelihood: Vec<f64>,
    /// Iterations used.
    pub iterations: u64,
    /// Whether the estimate had settled.
    pub termination: Termination,
}

/// Rows that miss the same variables.
struct Pattern {
    observed: Vec<usize>,
    missing: Vec<usize>,
    /// Observed values: one column per row of the data, one row per observed variable.
    values: Mat<f64>,
}

/// The current estimate.
struct Estimate {
    mean: Vec<f64>,
    /// Symmetric, both triangles.
    covariance: Mat<f64>,
}

/// What the rows of a pattern add to the expected sums, with their log-likelihood.
struct Expected {
    sum: Vec<f64>,
    /// Expected sum of (x - m)(x - m)' around the current means m.
    scatter: Mat<f64>,
    log_likelihood: f64,
}

/// Gaussian maximum likelihood of mean and covariance from complete rows, given by their moments,
/// and rows in which NaN marks a missing value.
///
/// Maximises the likelihood of the observed values, which no iteration lowers. An iteration costs
/// one Cholesky factorisation per pattern of missing variables and O(d^2) per incomplete row.
/// Rows without any value must be left out by the caller.
///
/// # Errors
/// Sizes that do not agree; a variable that is never observed; a covariance of observed variables
/// that is singular; a request to stop.
///
/// ```
/// use nocurl::Run;
/// use nocurl::missing::{EmParams, expectation_maximization};
/// use nocurl::{Mat, Moments};
/// let mut complete = Moments::new(vec!["a".to_string(), "b".to_string()]);
/// let mut rows = Mat::from_fn(4, 2, |i, j| [[0., 0.], [1., 2.5], [2., 3.5], [3., 6.]][i][j]);
/// complete.push_block(rows.as_mut());
/// let incomplete = Mat::from_fn(1, 2, |_, j| [5.0, f64::NAN][j]);
/// let fit = expectation_maximization(&complete, incomplete.as_ref(), &EmParams::default(), &Run::default());
/// // The gap is filled by regression: b is close to 2 a.
/// assert!(fit.unwrap().moments.mean()[1] > 4.0);
/// ```
pub fn expectation_maximization(
    complete: &Moments,
    incomplete: MatRef<'_, f64>,
    params: &EmParams,
    run: &Run<'_>,
) -> Result<EmFit, Error> {
    let d = complete.width();
    if incomplete.ncols() != d {
        return Err(Error::Lengths {
            what: "columns of incomplete rows",
            found: incomplete.ncols(),
            of: "variables",
            expected: d,
        });
    }
    let rows = complete.rows() + incomplete.nrows() as u64;
    let patterns = patterns(incomplete);
    let mut estimate = start(complete, incomplete)?;
    let mut log_likelihood = Vec::new();
    let mut termination = Termination::MaxIterations;
    for iteration in 0..params.max_iterations {
        let done = Progress {
            stage: "estimating from incomplete rows",
            done: iteration,
            total: None,
            objective: log_likelihood.last().copied(),
        };
        run.step(done)?;
        let (next, value) = step(complete, &patterns, &estimate, rows)?;
        log_likelihood.push(value);
        let change = change(&estimate, &next);
        estimate = next;
        if change <= params.tolerance {
            termination = Termination::Converged;
            break;
        }
    }
    let moments = Moments::from_covariance(
        complete.variables().clone(),
        rows,
        estimate.mean,
        estimate.covariance.as_ref(),
    )?;
    let iterations = log_likelihood.len() as u64;
    Ok(EmFit { moments, log_likelihood, iterations, termination })
}

/// Groups rows by what they miss, in an order that depends on the patterns alone.
fn patterns(incomplete: MatRef<'_, f64>) -> Vec<Pattern> {
    let d = incomplete.ncols();
    let mut groups: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for i in 0..incomplete.nrows() {
        let key = (0..d).map(|j| incomplete[(i, j)].is_nan()).collect();
        groups.entry(key).or_default().push(i);
    }
    groups
        .into_iter()
        .map(|(gaps, rows)| {
            let observed: Vec<usize> = (0..d).filter(|&j| !gaps[j]).collect();
            let missing = (0..d).filter(|&j| gaps[j]).collect();
            let values =
                Mat::from_fn(observed.len(), rows.len(), |j, i| incomplete[(rows[i], observed[j])]);
            Pattern { observed, missing, values }
        })
        .collect()
}

/// Mean and variance of each variable from the values that are there, without correlations.
fn start(complete: &Moments, incomplete: MatRef<'_, f64>) -> Result<Estimate, Error> {
    let d = complete.width();
    let mut mean = vec![0.0; d];
    let mut covariance = Mat::zeros(d, d);
    let variances = complete.variances();
    for j in 0..d {
        let values = || (0..incomplete.nrows()).map(|i| incomplete[(i, j)]).filter(|x| !x.is_nan());
        let rows = complete.rows() as f64;
        let count = rows + values().count() as f64;
        if count == 0.0 {
            return Err(Error::NoValues { column: complete.variables().column_name(j) });
        }
        mean[j] = (rows * complete.mean()[j] + values().sum::<f64>()) / count;
        let known = if rows > 0.0 {
            rows * (variances[j] + (complete.mean()[j] - mean[j]).powi(2))
        } else {
            0.0
        };
        covariance[(j, j)] = (known + values().map(|x| (x - mean[j]).powi(2)).sum::<f64>()) / count;
    }
    Ok(Estimate { mean, covariance })
}

/// One iteration: expected sums under the estimate, then the estimate that fits them; also the
/// log-likelihood of the estimate that was given.
fn step(
    complete: &Moments,
    patterns: &[Pattern],
    estimate: &Estimate,
    rows: u64,
) -> Result<(Estimate, f64), Error> {
    let d = estimate.mean.len();
    let n = rows as f64;
    let mut total = expect_complete(complete, estimate)?;
    // Collected before summing, in order, so that threads do not matter.
    let parts: Vec<_> = patterns.par_iter().map(|p| expect_pattern(p, estimate)).collect();
    for part in parts {
        let part = part?;
        for j in 0..d {
            total.sum[j] += part.sum[j];
            for i in 0..d {
                total.scatter[(i, j)] += part.scatter[(i, j)];
            }
        }
        total.log_likelihood += part.log_likelihood;
    }
    let shift: Vec<f64> = total.sum.iter().map(|sum| sum / n).collect();
    let mean = estimate.mean.iter().zip(&shift).map(|(old, shift)| old + shift).collect();
    let covariance = Mat::from_fn(d, d, |i, j| total.scatter[(i, j)] / n - shift[i] * shift[j]);
    Ok((Estimate { mean, covariance }, total.log_likelihood))
}

/// The complete rows as if they were one pattern, from their moments.
fn expect_complete(complete: &Moments, estimate: &Estimate) -> Result<Expected, Error> {
    let d = estimate.mean.len();
    let n = complete.rows() as f64;
    if complete.rows() == 0 {
        return Ok(Expected { sum: vec![0.0; d], scatter: Mat::zeros(d, d), log_likelihood: 0.0 });
    }
    let shift: Vec<f64> =
        complete.mean().iter().zip(&estimate.mean).map(|(mean, centre)| mean - centre).collect();
    let mut scatter = complete.second_moments(true);
    for j in 0..d {
        for i in 0..d {
            scatter[(i, j)] = n * (scatter[(i, j)] + shift[i] * shift[j]);
        }
    }
    let factor = factor(estimate.covariance.as_ref())?;
    let inverse = factor.inverse();
    let distance: f64 = (0..d).map(|j| inverse.col(j).transpose() * scatter.col(j)).sum();
    let log_likelihood = log_density(&factor, n, distance);
    Ok(Expected { sum: shift.iter().map(|s| n * s).collect(), scatter, log_likelihood })
}

/// Expected sums of the rows of a pattern given what they show.
fn expect_pattern(pattern: &Pattern, estimate: &Estimate) -> Result<Expected, Error> {
    let d = estimate.mean.len();
    let (seen, gaps) = (&pattern.observed, &pattern.missing);
    let rows = pattern.values.ncols();
    let sub = |a: &[usize], b: &[usize]| {
        Mat::from_fn(a.len(), b.len(), |i, j| estimate.covariance[(a[i], b[j])])
    };
    let factor = factor(sub(seen, seen).as_ref())?;
    let inverse = factor.inverse();
    // Coefficients of the regression of what is missing on what is there.
    let mut coefficients = Mat::zeros(gaps.len(), seen.len());
    linalg::matmul(coefficients.as_mut(), sub(gaps, seen).as_ref(), inverse.as_ref());
    let deviations =
        Mat::from_fn(seen.len(), rows, |j, i| pattern.values[(j, i)] - estimate.mean[seen[j]]);
    let mut filled = Mat::zeros(gaps.len(), rows);
    linalg::matmul(filled.as_mut(), coefficients.as_ref(), deviations.as_ref());

    let mut whole = Mat::zeros(rows, d);
    for i in 0..rows {
        for (j, &variable) in seen.iter().enumerate() {
            whole[(i, variable)] = deviations[(j, i)];
        }
        for (j, &variable) in gaps.iter().enumerate() {
            whole[(i, variable)] = filled[(j, i)];
        }
    }
    let mut scatter = Mat::zeros(d, d);
    linalg::matmul(scatter.as_mut(), whole.transpose(), whole.as_ref());
    let mut left = sub(gaps, gaps);
    linalg::matmul_accumulate(left.as_mut(), coefficients.as_ref(), sub(seen, gaps).as_ref(), -1.0);
    for (b, &j) in gaps.iter().enumerate() {
        for (a, &i) in gaps.iter().enumerate() {
            scatter[(i, j)] += rows as f64 * 0.5 * (left[(a, b)] + left[(b, a)]);
        }
    }
    let mut solved = Mat::zeros(seen.len(), rows);
    linalg::matmul(solved.as_mut(), inverse.as_ref(), deviations.as_ref());
    let distance: f64 = (0..rows).map(|i| deviations.col(i).transpose() * solved.col(i)).sum();
    let log_likelihood = log_density(&factor, rows as f64, distance);
    let sum = (0..d).map(|j| whole.col(j).sum()).collect();
    Ok(Expected { sum, scatter, log_likelihood })
}

fn factor(covariance: MatRef<'_, f64>) -> Result<Cholesky, Error> {
    Cholesky::new(covariance).ok_or(Error::IncompleteSingular)
}

/// Gaussian log-density of `n` rows whose squared Mahalanobis distances sum to `distance`.
fn log_density(factor: &Cholesky, n: f64, distance: f64) -> f64 {
    let d = factor.lower().nrows();
    let log_determinant: f64 = (0..d).map(|j| 2.0 * factor.lower()[(j, j)].ln()).sum();
    -0.5 * (n * (d as f64 * std::f64::consts::TAU.ln() + log_determinant) + distance)
}

/// The largest change of a mean or covariance, in standard deviations.
fn change(old: &Estimate, new: &Estimate) -> f64 {
    let d = old.mean.len();
    let scale: Vec<f64> =
        (0..d).map(|j| new.covariance[(j, j)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let mut largest = 0.0_f64;
    for j in 0..d {
        largest = largest.max((new.mean[j] - old.mean[j]).abs() / scale[j]);
        for i in 0..d {
            let change = (new.covariance[(i, j)] - old.covariance[(i, j)]).abs();
            largest = largest.max(change / (scale[i] * scale[j]));
        }
    }
    largest
}
