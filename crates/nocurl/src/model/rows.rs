//! What a model says about rows of a table: densities, residuals, predictions.

use std::collections::BTreeMap;

use super::discrete::Query;
use super::gaussian::Joint;
use super::mechanism::normal_log_density;
use super::{Law, Linear, Mechanism, Model};
use crate::core::parallel::*;
use crate::core::{Error, Mat, MatRef};

/// Rows per piece of work.
const ROWS: usize = 4096;

/// What a variable is given the others, one entry per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// The conditional mean, in the units of the table; the median on curved scales.
    Numbers(Vec<f64>),
    /// The probability of each level: one row per row of the table, one column per level.
    Levels(Mat<f64>),
}

/// What the parents leave of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// The variable of each column, and the level where it has levels.
    pub columns: Vec<(usize, Option<usize>)>,
    /// Distances from the mean on the learnt scales; of levels, 1 or 0 less the probability. NaN
    /// where a cell is missing.
    pub values: Mat<f64>,
}

impl Model {
    /// The logarithm of the density of each row, on the learnt scales.
    ///
    /// Missing cells are integrated out: exactly for numbers, by summation over levels for
    /// categories. In rows of a condition that sets variables, the set variables do not count.
    ///
    /// # Errors
    /// Rows of other columns, values outside a scale, missing cells in a model of numbers and
    /// categories, and mechanisms without rows.
    pub fn log_likelihood(&self, rows: MatRef<'_, f64>) -> Result<Vec<f64>, Error> {
        self.check_fitted(0..self.size())?;
        let rows = self.on_scale(rows, None)?;
        let rows = rows.as_ref();
        let (n, d) = (rows.nrows(), rows.ncols());
        let gap = |i: usize| (0..d).find(|&j| rows[(i, j)].is_nan());
        let incomplete: Vec<usize> = (0..n).filter(|&i| gap(i).is_some()).collect();
        let mut found = self.complete_log_likelihood(rows);
        if let Some(&first) = incomplete.first() {
            let gap = gap(first).unwrap_or_default();
            self.fill_incomplete(rows, &incomplete, &mut found, (first, gap))?;
        }
        Ok(found)
    }

    /// The mean log-density of a row: the higher, the better the model fits new rows.
    ///
    /// # Errors
    /// As [`Self::log_likelihood`], and a table without rows.
    pub fn score(&self, rows: MatRef<'_, f64>) -> Result<f64, Error> {
        if rows.nrows() == 0 {
            return Err(Error::TooFewRows { rows: 0, needed: 1 });
        }
        Ok(self.log_likelihood(rows)?.iter().sum::<f64>() / rows.nrows() as f64)
    }

    /// The log-density of each row as if none had gaps: NaN for those that have.
    fn complete_log_likelihood(&self, rows: MatRef<'_, f64>) -> Vec<f64> {
        let pieces: Vec<usize> = (0..rows.nrows()).step_by(ROWS).collect();
        let parts: Vec<Vec<f64>> = pieces
            .into_par_iter()
            .map(|start| {
                let piece = rows.subrows(start, ROWS.min(rows.nrows() - start));
                let mut sums = vec![0.0; piece.nrows()];
                (0..self.size()).for_each(|v| self.add_log_density(v, piece, &mut sums));
                sums
            })
            .collect();
        parts.concat()
    }

    fn add_log_density(&self, v: usize, rows: MatRef<'_, f64>, sums: &mut [f64]) {
        if let (Mechanism::Linear(linear), false) = (&self.mechanisms()[v], self.is_target(v)) {
            let off = self.off_mean(v, linear, rows);
            let constant = normal_log_density(0.0, linear.variance);
            let scale = 0.5 / linear.variance;
            sums.iter_mut().zip(off).for_each(|(sum, off)| *sum += constant - scale * off * off);
            return;
        }
        let condition = self.experiment().map(|experiment| experiment.condition);
        for (i, sum) in sums.iter_mut().enumerate() {
            let level = condition.map(|c| rows[(i, c)]).filter(|level| !level.is_nan());
            let level = level.map(|level| level as usize);
            if self.regime(v, level).is_some_and(|regime| regime.set) {
                continue;
            }
            let mechanism = self.mechanism_in(v, level);
            let has_gap = rows[(i, v)].is_nan()
                || mechanism.parents().iter().any(|&parent| rows[(i, parent)].is_nan());
            *sum += match has_gap {
                true => f64::NAN,
                false => mechanism.log_density(self.variables(), rows[(i, v)], |p| rows[(i, p)]),
            };
        }
    }

    /// The values of a variable less their means given the parents.
    fn off_mean(&self, v: usize, linear: &Linear, rows: MatRef<'_, f64>) -> Vec<f64> {
        let mut off: Vec<f64> = rows.col(v).iter().map(|x| x - linear.intercept).collect();
        for term in &linear.terms {
            let column = rows.col(term.variable).iter();
            let block = super::mechanism::is_block(self.variables(), term.variable);
            for (off, &x) in off.iter_mut().zip(column) {
                *off -= match block {
                    false => term.coefficients[0] * x,
                    true => super::mechanism::of_term(term, self.variables(), x),
                };
            }
        }
        off
    }

    /// The log-density of the observed cells of rows with gaps.
    fn fill_incomplete(
        &self,
        rows: MatRef<'_, f64>,
        incomplete: &[usize],
        found: &mut [f64],
        first: (usize, usize),
    ) -> Result<(), Error> {
        match self.law() {
            Law::Gaussian => {
                let joint = self.joint().ok_or_else(|| self.too_many_for_gaps())?;
                for (there, of) in Joint::patterns(rows, None) {
                    if there.iter().all(|&there| there) {
                        continue;
                    }
                    let densities = joint.pattern(&there)?.log_density(rows, &of);
                    of.iter().zip(densities).for_each(|(&i, density)| found[i] = density);
                }
                Ok(())
            }
            Law::Discrete => {
                let mut known: BTreeMap<Vec<(usize, usize)>, f64> = BTreeMap::new();
                for &i in incomplete {
                    let observed = self.observed(rows, i, None);
                    let key: Vec<(usize, usize)> = observed.clone().into_iter().collect();
                    found[i] = match known.get(&key) {
                        Some(&density) => density,
                        None => {
                            let density = self.observed_log_density(&observed)?;
                            known.insert(key, density);
                            density
                        }
                    };
                }
                Ok(())
            }
            Law::Mixed => Err(self.gap_in_mixed(first)),
        }
    }

    fn observed_log_density(&self, observed: &BTreeMap<usize, usize>) -> Result<f64, Error> {
        let level = self.observed_level(observed)?;
        self.joint_log_density(observed, level, false)
    }

    /// The log-probability of observed levels in a condition.
    fn joint_log_density(
        &self,
        observed: &BTreeMap<usize, usize>,
        level: Option<usize>,
        counts_set: bool,
    ) -> Result<f64, Error> {
        let set = BTreeMap::new();
        let query = Query { model: self, set: &set, observed, level, counts_set };
        let joint = query.joint(&[]).ok_or_else(|| self.too_many_for_gaps())?;
        Ok(joint.table.values[0].ln() + joint.log_scale)
    }

    /// Whether a variable tells which mechanisms hold.
    fn is_deciding(&self, variable: usize) -> bool {
        let experiment = self.experiment();
        experiment.is_some_and(|e| e.condition == variable && !e.targets.is_empty())
    }

    /// The levels of a row that are there, but for one variable.
    fn observed(
        &self,
        rows: MatRef<'_, f64>,
        i: usize,
        but: Option<usize>,
    ) -> BTreeMap<usize, usize> {
        let there = |j: &usize| Some(*j) != but && !rows[(i, *j)].is_nan();
        (0..rows.ncols()).filter(there).map(|j| (j, rows[(i, j)] as usize)).collect()
    }

    /// The condition of a row, which must be known if any variable depends on it.
    fn observed_level(&self, observed: &BTreeMap<usize, usize>) -> Result<Option<usize>, Error> {
        let Some(experiment) = self.experiment() else { return Ok(None) };
        match observed.get(&experiment.condition) {
            Some(&level) => Ok(Some(level)),
            None if experiment.targets.is_empty() => Ok(None),
            None => Err(Error::Model {
                reason: format!(
                    "`{}` is missing, and it decides which variables were set: fill it in",
                    self.variables().names()[experiment.condition]
                ),
            }),
        }
    }

    fn gap_in_mixed(&self, (row, column): (usize, usize)) -> Error {
        Error::Model {
            reason: format!(
                "row {} has no value for `{}`: models of numbers and categories need complete rows",
                row + 1,
                self.variables().names()[column]
            ),
        }
    }

    fn too_many_for_gaps(&self) -> Error {
        Error::Model {
            reason: format!(
                "missing cells in a model of {} variables would take too much memory: leave out \
                 incomplete rows",
                self.size()
            ),
        }
    }

    /// What the parents leave of each value. Rows with gaps have NaN where a cell is needed.
    ///
    /// # Errors
    /// As [`Self::log_likelihood`], but for missing cells.
    pub fn residuals(&self, rows: MatRef<'_, f64>) -> Result<Residuals, Error> {
        self.check_fitted(0..self.size())?;
        let rows = self.on_scale(rows, None)?;
        let rows = rows.as_ref();
        let columns: Vec<(usize, Option<usize>)> = (0..self.size())
            .flat_map(|v| match self.mechanisms()[v].linear() {
                Some(_) => vec![(v, None)],
                None => self.answer_levels(v).into_iter().map(|level| (v, level)).collect(),
            })
            .collect();
        let condition = self.experiment().map(|experiment| experiment.condition);
        let residual = |i: usize, v: usize, of_level: Option<usize>| {
            let level = condition.map(|c| rows[(i, c)]).filter(|level| !level.is_nan());
            let mechanism = self.mechanism_in(v, level.map(|level| level as usize));
            let gap = |&parent: &usize| rows[(i, parent)].is_nan();
            if rows[(i, v)].is_nan() || mechanism.parents().iter().any(gap) {
                return f64::NAN;
            }
            let value = |parent: usize| rows[(i, parent)];
            match (mechanism, of_level) {
                (Mechanism::Linear(linear), _) => {
                    rows[(i, v)] - linear.mean(self.variables(), value)
                }
                (mechanism, of_level) => {
                    let level = of_level.unwrap_or_default();
                    let chance = mechanism.probabilities(self.variables(), value)[level];
                    f64::from(u8::from(rows[(i, v)] as usize == level)) - chance
                }
            }
        };
        let list: Vec<Vec<f64>> = (0..columns.len())
            .into_par_iter()
            .map(|k| {
                let (v, level) = columns[k];
                match (&self.mechanisms()[v], self.is_target(v)) {
                    (Mechanism::Linear(linear), false) => self.off_mean(v, linear, rows),
                    _ => (0..rows.nrows()).map(|i| residual(i, v, level)).collect(),
                }
            })
            .collect();
        let values = Mat::from_fn(rows.nrows(), columns.len(), |i, k| list[k][i]);
        Ok(Residuals { columns, values })
    }

    /// One variable given all others in each row; its own cells are not used. Missing cells of other
    /// variables are integrated out, as in [`Self::log_likelihood`].
    ///
    /// # Errors
    /// As [`Self::log_likelihood`], and an unknown variable.
    pub fn predict(&self, rows: MatRef<'_, f64>, variable: usize) -> Result<Prediction, Error> {
        if variable >= self.size() {
            let reason = "there is no such variable";
            return Err(Error::Parameter { name: "variable", value: variable.to_string(), reason });
        }
        let around = [variable].into_iter().chain(self.graph().children(variable));
        self.check_fitted(around)?;
        let rows = self.on_scale(rows, Some(variable))?;
        let rows = rows.as_ref();
        let needed = self.blanket(variable);
        let complete = |i: usize| needed.iter().all(|&j| !rows[(i, j)].is_nan());
        let all_complete = (0..rows.nrows()).all(complete);
        let numbers = |found: Vec<f64>| {
            Prediction::Numbers(found.into_iter().map(|x| self.off_scale(variable, x)).collect())
        };
        if all_complete {
            let pieces: Vec<usize> = (0..rows.nrows()).step_by(ROWS).collect();
            let parts: Vec<Vec<Vec<f64>>> = pieces
                .into_par_iter()
                .map(|start| {
                    let end = rows.nrows().min(start + ROWS);
                    (start..end).map(|i| self.given_blanket(rows, i, variable)).collect()
                })
                .collect();
            let all = parts.concat();
            return Ok(match self.mechanisms()[variable].linear() {
                Some(_) => numbers(all.into_iter().map(|row| row[0]).collect()),
                None => levels(&all, self.variables().list()[variable].levels.len()),
            });
        }
        self.predict_with_gaps(rows, variable).map(|found| match found {
            Prediction::Numbers(found) => numbers(found),
            levels => levels,
        })
    }

    fn predict_with_gaps(
        &self,
        rows: MatRef<'_, f64>,
        variable: usize,
    ) -> Result<Prediction, Error> {
        match self.law() {
            Law::Gaussian => {
                let joint = self.joint().ok_or_else(|| self.too_many_for_gaps())?;
                let mut found = vec![0.0; rows.nrows()];
                for (there, of) in Joint::patterns(rows, Some(variable)) {
                    let means = joint.pattern(&there)?.mean_of(variable, rows, &of);
                    of.iter().zip(means).for_each(|(&i, mean)| found[i] = mean);
                }
                Ok(Prediction::Numbers(found))
            }
            Law::Discrete => {
                let set = BTreeMap::new();
                let mut known: BTreeMap<Vec<(usize, usize)>, Vec<f64>> = BTreeMap::new();
                let mut all = Vec::with_capacity(rows.nrows());
                for i in 0..rows.nrows() {
                    let observed = self.observed(rows, i, Some(variable));
                    let key: Vec<(usize, usize)> = observed.clone().into_iter().collect();
                    if !known.contains_key(&key) {
                        let chances = match self.is_deciding(variable) {
                            true => self.condition_given(&observed, variable)?,
                            false => {
                                let level = self.observed_level(&observed)?;
                                let observed = &observed;
                                let (model, set) = (self, &set);
                                let query = Query { model, set, observed, level, counts_set: true };
                                let chances = query.marginal(variable);
                                chances.ok_or_else(|| self.too_many_for_gaps())?
                            }
                        };
                        known.insert(key.clone(), chances);
                    }
                    all.push(known[&key].clone());
                }
                Ok(levels(&all, self.variables().list()[variable].levels.len()))
            }
            Law::Mixed => {
                let needed = self.blanket(variable);
                let gap = |i: usize| needed.iter().find(|&&j| rows[(i, j)].is_nan());
                let first = (0..rows.nrows()).find_map(|i| Some((i, *gap(i)?)));
                Err(self.gap_in_mixed(first.unwrap_or_default()))
            }
        }
    }

    /// The probability of each condition given observed levels: by the rule of Bayes over what the
    /// conditions do.
    fn condition_given(
        &self,
        observed: &BTreeMap<usize, usize>,
        condition: usize,
    ) -> Result<Vec<f64>, Error> {
        let levels = self.variables().list()[condition].levels.len();
        let mut odds = Vec::with_capacity(levels);
        for level in 0..levels {
            let mut observed = observed.clone();
            observed.insert(condition, level);
            odds.push(self.joint_log_density(&observed, Some(level), true)?);
        }
        super::mechanism::softmax(&mut odds);
        Ok(odds)
    }

    /// What a variable depends on given all others: its parents, its children and their parents, and
    /// the condition where one acts on these.
    pub fn blanket(&self, variable: usize) -> Vec<usize> {
        let mut blanket: Vec<usize> = self.graph().parents(variable).collect();
        let mut acted = self.is_target(variable);
        for child in self.graph().children(variable) {
            blanket.push(child);
            blanket.extend(self.graph().parents(child));
            acted |= self.is_target(child);
        }
        if let Some(experiment) = self.experiment().filter(|_| acted) {
            blanket.push(experiment.condition);
        }
        if self.is_deciding(variable) {
            for target in (0..self.size()).filter(|&v| self.is_target(v)) {
                blanket.push(target);
                blanket.extend(self.graph().parents(target));
            }
        }
        blanket.sort_unstable();
        blanket.dedup();
        blanket.retain(|&other| other != variable);
        blanket
    }

    /// The mean or the probabilities of one variable given a complete row.
    fn given_blanket(&self, rows: MatRef<'_, f64>, i: usize, variable: usize) -> Vec<f64> {
        let level = self.experiment().map(|experiment| rows[(i, experiment.condition)]);
        let level = level.filter(|level| !level.is_nan()).map(|level| level as usize);
        let children: Vec<usize> = self
            .graph()
            .children(variable)
            .filter(|&child| {
                let regime = self.regime(child, level);
                regime.is_none_or(|found| found.mechanism.parents().contains(&variable))
            })
            .collect();
        let value_with = |own: f64| move |v: usize| if v == variable { own } else { rows[(i, v)] };
        let log_density = |own: f64| -> f64 {
            let of = |v: usize| {
                let value = value_with(own);
                let mechanism = self.mechanism_in(v, level);
                mechanism.log_density(self.variables(), value(v), value)
            };
            children.iter().map(|&child| of(child)).sum::<f64>()
        };
        if self.is_deciding(variable) {
            return self.condition_given_blanket(rows, i, variable);
        }
        let mechanism = self.mechanism_in(variable, level);
        let Mechanism::Linear(linear) = mechanism else {
            let own = mechanism.probabilities(self.variables(), value_with(0.0));
            let mut odds: Vec<f64> = own
                .iter()
                .enumerate()
                .map(|(level, chance)| chance.ln() + log_density(level as f64))
                .collect();
            super::mechanism::softmax(&mut odds);
            return odds;
        };
        // The normal factors of the variable and its linear children, as a precision and a pull.
        let mut precision = 1.0 / linear.variance;
        let mut pull = linear.mean(self.variables(), value_with(0.0)) * precision;
        let mut curved = false;
        for &child in &children {
            match self.mechanism_in(child, level) {
                Mechanism::Linear(of) => {
                    let weight = of
                        .terms
                        .iter()
                        .find(|term| term.variable == variable)
                        .map_or(0.0, |term| term.coefficients[0]);
                    let off = rows[(i, child)] - of.mean(self.variables(), value_with(0.0));
                    precision += weight * weight / of.variance;
                    pull += weight * off / of.variance;
                }
                _ => curved = true,
            }
        }
        let (mean, deviation) = (pull / precision, precision.sqrt().recip());
        if !curved {
            return vec![mean];
        }
        let others = |own: f64| -> f64 {
            let value = value_with(own);
            let of = children.iter().map(|&child| (child, self.mechanism_in(child, level)));
            of.filter(|(_, mechanism)| mechanism.linear().is_none())
                .map(|(child, mechanism)| {
                    mechanism.log_density(self.variables(), rows[(i, child)], value)
                })
                .sum()
        };
        vec![mean_of_product(mean, deviation, others)]
    }

    /// The probability of each condition given a complete row.
    fn condition_given_blanket(
        &self,
        rows: MatRef<'_, f64>,
        i: usize,
        condition: usize,
    ) -> Vec<f64> {
        let value =
            |level: usize| move |v: usize| if v == condition { level as f64 } else { rows[(i, v)] };
        let own = self.mechanisms()[condition].probabilities(self.variables(), value(0));
        let children: Vec<usize> = (0..self.size())
            .filter(|&v| self.is_target(v) || self.graph().has_edge(condition, v))
            .collect();
        let log_density = |level: usize| -> f64 {
            let of = |&v: &usize| {
                let mechanism = self.mechanism_in(v, Some(level));
                mechanism.log_density(self.variables(), rows[(i, v)], value(level))
            };
            children.iter().map(of).sum()
        };
        let mut odds: Vec<f64> = own
            .iter()
            .enumerate()
            .map(|(level, chance)| chance.ln() + log_density(level))
            .collect();
        super::mechanism::softmax(&mut odds);
        odds
    }

    /// Rows of a table on the learnt scales, but for a column that is not used.
    fn on_scale(&self, rows: MatRef<'_, f64>, but: Option<usize>) -> Result<Mat<f64>, Error> {
        let (found, expected) = (rows.ncols(), self.size());
        if found != expected {
            return Err(Error::Lengths { what: "columns", found, of: "variables", expected });
        }
        let mut moved = rows.to_owned();
        for (j, variable) in self.variables().list().iter().enumerate() {
            if Some(j) == but {
                continue;
            }
            let levels = variable.levels.len() as f64;
            for (i, value) in moved.col_as_slice_mut(j).iter_mut().enumerate() {
                if value.is_infinite() {
                    let (column, row) = (variable.name.clone(), i as u64 + 1);
                    return Err(Error::NotFinite { column, row });
                }
                if variable.is_discrete() && !variable.levels.is_empty() && !value.is_nan() {
                    if value.fract() != 0.0 || !(0.0..levels).contains(value) {
                        let (column, row) = (variable.name.clone(), i as u64 + 1);
                        return Err(Error::NotALevel { column, row, value: *value });
                    }
                } else if !variable.transforms.is_empty() {
                    *value = self.to_scale(j, *value).map_err(|error| error.in_row(i + 1))?;
                }
            }
        }
        Ok(moved)
    }
}

fn levels(rows: &[Vec<f64>], width: usize) -> Prediction {
    Prediction::Levels(Mat::from_fn(rows.len(), width, |i, j| rows[i][j]))
}

/// The mean of a normal density times the exponential of a function, by the trapezoid rule, which
/// converges exponentially for smooth functions that vanish at both ends; steps are halved until
/// the mean stays.
fn mean_of_product(mean: f64, deviation: f64, log_factor: impl Fn(f64) -> f64) -> f64 {
    const REACH: f64 = 12.0;
    const MOST_STEPS: usize = 1 << 16;
    let by = |steps: usize| {
        let at = |k: usize| REACH * (2.0 * k as f64 / steps as f64 - 1.0);
        let logs: Vec<f64> = (0..=steps)
            .map(|k| -0.5 * at(k).powi(2) + log_factor(mean + deviation * at(k)))
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut moved) = (0.0, 0.0);
        for (k, log) in logs.iter().enumerate() {
            let weight = (log - most).exp();
            total += weight;
            moved += weight * at(k);
        }
        moved / total
    };
    let (mut steps, mut found) = (128, by(128));
    while steps < MOST_STEPS {
        steps *= 2;
        let finer = by(steps);
        let close = (finer - found).abs() <= 1e-11;
        found = finer;
        if close {
            break;
        }
    }
    mean + deviation * found
}
