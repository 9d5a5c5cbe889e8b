//! Regressions in the units of the data.

use super::Experiments;
use crate::core::Mat;
use crate::math::regress::Node;

impl Experiments {
    /// The coefficients of the columns of a variable (columns) on those of its parents (rows), which
    /// stand one block after the other, and what is left of each column's variance; by the rows of
    /// the conditions that do not act on the variable. Of the condition the rows are the levels but
    /// the first; those that have no row to go by are not a number. None where parents are
    /// collinear.
    pub(crate) fn coefficients(
        &self,
        variable: usize,
        parents: &[usize],
    ) -> Option<(Mat<f64>, Vec<f64>)> {
        let (view, condition) = (self.view(variable), self.condition());
        let within = parents.contains(&condition);
        if variable == condition {
            return Some((Mat::zeros(0, self.levels), vec![0.0; self.levels]));
        }
        let given: Vec<usize> = parents.iter().flat_map(|&parent| self.columns(parent)).collect();
        let moving: Vec<usize> =
            given.iter().copied().filter(|&i| view.variance(i, within) > 0.0).collect();
        let rows: usize = parents
            .iter()
            .map(|&p| if p == condition { self.levels } else { self.columns(p).len() })
            .sum();
        let mut found = Mat::zeros(rows, self.columns(variable).len());
        let mut rest = Vec::new();
        for (k, column) in self.columns(variable).enumerate() {
            if !view.varies(column) {
                rest.push(0.0);
                continue;
            }
            // A small matrix of the columns in use, the variable's own last.
            let used: Vec<usize> = moving.iter().copied().chain([column]).collect();
            let s = Mat::from_fn(used.len(), used.len(), |a, b| match a == b {
                true => view.variance(used[a], within),
                false => self.entry(view, used[a], used[b], within),
            });
            let node = Node::new(s.as_ref(), used.len() - 1, (0..moving.len()).collect())?;
            let unit = view.deviation(column);
            rest.push(node.residual * unit * unit);
            let weight = |i: usize| {
                let place = moving.iter().position(|&other| other == i);
                place.map_or(0.0, |a| node.coefficients[a] * unit / view.deviation(i))
            };
            let mut at = 0;
            for &parent in parents {
                if parent == condition {
                    let all = self.shifts(variable, column, &given, &weight);
                    all.into_iter().enumerate().for_each(|(i, value)| found[(at + i, k)] = value);
                    at += self.levels;
                    continue;
                }
                for i in self.columns(parent) {
                    found[(at, k)] = weight(i);
                    at += 1;
                }
            }
        }
        Some((found, rest))
    }

    /// By how much each level but the first shifts a column beside what its other parents explain:
    /// relative to the first level that has rows to go by.
    fn shifts(
        &self,
        variable: usize,
        column: usize,
        given: &[usize],
        weight: &impl Fn(usize) -> f64,
    ) -> Vec<f64> {
        let mut all = vec![f64::NAN; self.levels.max(1) + 1];
        for (level, shift) in self.view(variable).shifts(&self.sums) {
            let explained: f64 = given.iter().map(|&i| weight(i) * shift[i]).sum();
            all[level] = shift[column] - explained;
        }
        let base = all.iter().copied().find(|value| value.is_finite()).unwrap_or(0.0);
        all.iter().skip(1).map(|value| value - base).collect()
    }
}

/// The conditions that a variable is explained by, of its columns and those of some others.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    /// The scatter matrix about the means of each condition, the variable last.
    pub(crate) within: Mat<f64>,
    /// The conditions.
    pub(crate) conditions: Vec<Group>,
}

/// One condition.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The position of its level.
    pub(crate) level: usize,
    /// Its rows.
    pub(crate) rows: f64,
    /// Its means, relative to some point that all share.
    pub(crate) shift: Vec<f64>,
}

impl Experiments {
    /// The conditions that do not act on a variable, of its parents and of itself.
    pub(crate) fn groups(&self, variable: usize, parents: &[usize]) -> Groups {
        let view = self.view(variable);
        let given = parents.iter().flat_map(|&parent| self.columns(parent));
        let used: Vec<usize> = given
            .filter(|&column| view.varies(column))
            .chain(self.columns(variable).take(1))
            .collect();
        let unit = |column: usize| view.deviation(column) * view.rows().sqrt();
        let entry = |a: usize, b: usize| match a == b {
            true => view.variance(used[a], true),
            false => self.entry(view, used[a], used[b], true),
        };
        let within = Mat::from_fn(used.len(), used.len(), |a, b| {
            entry(a, b) * unit(used[a]) * unit(used[b])
        });
        let conditions = view.sized_shifts(&self.sums).map(|(level, rows, shift)| Group {
            level,
            rows,
            shift: used.iter().map(|&column| shift[column]).collect(),
        });
        Groups { within, conditions: conditions.collect() }
    }
}

impl Groups {
    /// The regression of the last column on the others: coefficients and what is left.
    pub(crate) fn regression(&self, scatter: &Mat<f64>) -> Option<(Vec<f64>, f64)> {
        let last = scatter.nrows().checked_sub(1)?;
        let node = Node::new(scatter.as_ref(), last, (0..last).collect())?;
        Some((node.coefficients, node.residual))
    }
}
