//! One order of the columns for all tables with the same names.
//!
//! Searches take ties and random numbers by the place of a variable. Variables are therefore put
//! in the order of their names before anything is learnt, and the result is put back: the order
//! of the columns in a table has no influence.

use std::cmp::Ordering;

use super::Fit;
use crate::core::{Dag, Data, Dataset, Error, Mat, Moments, Pdag, Variables};

/// The places of variables in the order of their names.
pub(super) struct Canonical {
    /// The place in the table of the variable that comes k-th by name.
    given: Vec<usize>,
    /// The place by name of the variable that is i-th in the table.
    place: Vec<usize>,
}

/// A table in the order of names.
pub(super) enum Sorted {
    Rows(Dataset),
    Moments(Moments),
}

impl Canonical {
    /// None where the variables are in the order of their names already, or some have levels.
    pub(super) fn of(variables: &Variables) -> Option<Self> {
        if !variables.is_continuous() {
            return None;
        }
        let names = variables.names();
        let mut given: Vec<usize> = (0..names.len()).collect();
        given.sort_by(|&a, &b| natural(&names[a], &names[b]));
        if given.is_sorted() {
            return None;
        }
        let mut place = vec![0; names.len()];
        given.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        Some(Self { given, place })
    }

    /// The table in the order of names; rows are copied only for methods that need them.
    pub(super) fn sorted(&self, data: Data<'_>, needs_rows: bool) -> Result<Sorted, Error> {
        Ok(match data {
            Data::Rows(rows) if needs_rows => Sorted::Rows(rows.select(&self.given)?),
            other => Sorted::Moments(other.moments().select(&self.given)),
        })
    }

    /// A graph in the order of names.
    pub(super) fn sorted_dag(&self, dag: &Dag) -> Result<Dag, Error> {
        dag.renumbered(&self.place)
    }

    /// The potential in the order of the table, 0 at its last variable.
    fn potential(&self, sorted: &[f64]) -> Vec<f64> {
        let ground = self.place.last().map_or(0.0, |&last| sorted[last]);
        self.place.iter().map(|&k| sorted[k] - ground).collect()
    }

    /// What was learnt, in the order of the table.
    pub(super) fn back(&self, fit: Fit, variables: &Variables) -> Result<Fit, Error> {
        let matrix = |matrix| permuted(matrix, &self.place);
        let pdag = |graph: Pdag| graph.renumbered(&self.given);
        Ok(Fit {
            dag: fit.dag.renumbered(&self.given)?,
            variables: variables.clone(),
            evidence: fit
                .evidence
                .iter()
                .map(|(&(i, j), &evidence)| ((self.given[i], self.given[j]), evidence))
                .collect(),
            error_variances: fit
                .error_variances
                .map(|all| self.place.iter().map(|&k| all[k]).collect()),
            order: fit.order.iter().map(|&k| self.given[k]).collect(),
            potential: self.potential(&fit.potential),
            class: pdag(fit.class),
            determined: pdag(fit.determined),
            unpruned: fit.unpruned.renumbered(&self.given)?,
            estimate: fit.estimate.map(matrix),
            ..fit
        })
    }
}

/// The matrix whose entry `(a, b)` is `(to[a], to[b])` of the one given.
fn permuted(matrix: Mat<f64>, to: &[usize]) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |a, b| matrix[(to[a], to[b])])
}

/// Names in the order people expect: runs of digits by their number, so that `x2` is before `x10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while !left.is_empty() && !right.is_empty() {
        let ((one, rest_left), (other, rest_right)) = (run(left), run(right));
        let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let order = match digits(one) && digits(other) {
            true => {
                let number = |text: &'_ str| text.trim_start_matches('0').to_string();
                let (one, other) = (number(one), number(other));
                one.len().cmp(&other.len()).then_with(|| one.cmp(&other))
            }
            false => one.cmp(other),
        };
        if order != Ordering::Equal {
            return order;
        }
        (left, right) = (rest_left, rest_right);
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The first run of digits or of other characters, and the rest.
fn run(text: &str) -> (&str, &str) {
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    let end = text.find(|c: char| c.is_ascii_digit() != digit).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["x10", "x2", "b", "x02", "a10b", "a9c", "x", "", "10", "9"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["", "9", "10", "a9c", "a10b", "b", "x", "x02", "x2", "x10"]);
        let plain = Dataset::default_names(200);
        assert!(Canonical::of(&plain.into()).is_none());
    }
}
