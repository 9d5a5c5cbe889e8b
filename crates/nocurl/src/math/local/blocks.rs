//! The degenerate Gaussian likelihood of blocks of columns.

use super::{Fit, Local};
use crate::math::Problem;

/// Below this share of its variance a column counts as determined by others.
pub(super) const FLOOR: f64 = 1e-10;

/// Correlations are rounded to multiples of one over this: units change their last digits, which
/// could turn a search another way.
const DIGITS: f64 = (1u64 << 40) as f64;

/// The likelihood of the Gaussian law of all coded columns, in which a variable is a block: for
/// block `y` given parents `P` the deviance is `n (log det S[P + y] - log det S[P])`, and `P` adds
/// one parameter for each pair of a column of `y` and a column of `P` (Andrews, Ramsey and Cooper,
/// *Learning high-dimensional directed acyclic graphs with mixed data-types*, 2019). It does not
/// depend on units, nor on which level of a variable has no column.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(super) rows: f64,
    pub(super) width: usize,
    /// Where each block begins, and the end of the last.
    starts: Vec<usize>,
    /// Correlations row by row.
    pub(super) correlation: Vec<f64>,
}

impl Blocks {
    pub(crate) fn new(problem: &Problem) -> Self {
        let (m, s) = (problem.width(), problem.correlation());
        let rounded = |value: f64| (value * DIGITS).round() / DIGITS;
        let starts = (0..problem.size()).map(|v| problem.columns(v).start).chain([m]).collect();
        let correlation = (0..m * m).map(|at| rounded(s[(at / m, at % m)])).collect();
        Self { rows: problem.rows() as f64, width: m, starts, correlation }
    }

    pub(super) fn columns(&self, variable: usize) -> std::ops::Range<usize> {
        self.starts[variable]..self.starts[variable + 1]
    }

    pub(super) fn width_of(&self, variable: usize) -> usize {
        self.columns(variable).len()
    }
}

/// Rows of a Cholesky factor of some columns, which grows and shrinks at its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Factor {
    columns: Vec<usize>,
    /// Rows one after the other, with one over the diagonal in its place.
    rows: Vec<f64>,
}

impl Factor {
    /// Adds a column and returns what is left of its variance given those before it; one of which
    /// less than the floor is left is not added.
    fn push(&mut self, blocks: &Blocks, column: usize) -> f64 {
        let s = &blocks.correlation[column * blocks.width..(column + 1) * blocks.width];
        self.push_with(column, s[column], |other| s[other])
    }

    /// The same, of a column with this variance and these covariances with others.
    pub(super) fn push_with(
        &mut self,
        column: usize,
        variance: f64,
        with: impl Fn(usize) -> f64,
    ) -> f64 {
        self.push_after(column, variance, |_| 0.0, with)
    }

    /// The same, where the columns that are in come after others: `below` is what these explain of the
    /// covariance with one of the columns, `variance` what they leave.
    pub(super) fn push_after(
        &mut self,
        column: usize,
        variance: f64,
        below: impl Fn(usize) -> f64,
        with: impl Fn(usize) -> f64,
    ) -> f64 {
        let (start, k) = (self.rows.len(), self.columns.len());
        let mut rest = variance;
        let mut at = 0;
        for a in 0..k {
            let (known, fresh) = self.rows.split_at(start);
            let row = &known[at..=at + a];
            at += a + 1;
            let other = self.columns[a];
            let known = row[..a].iter().zip(fresh);
            let sum = known.fold(below(other), |sum, (x, y)| sum + x * y);
            let value = (with(other) - sum) * row[a];
            rest -= value * value;
            self.rows.push(value);
        }
        if rest < FLOOR {
            self.rows.truncate(start);
            return FLOOR;
        }
        self.rows.push(1.0 / rest.sqrt());
        self.columns.push(column);
        rest
    }

    /// Columns that are in.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The last row with one over its diagonal, where it is known.
    pub(super) fn append(&mut self, column: usize, row: impl Iterator<Item = f64>, scale: f64) {
        self.rows.extend(row);
        self.rows.push(scale);
        self.columns.push(column);
    }

    /// What a column has left of its variance, and what the columns that are in explain of its
    /// covariance with one of these entries.
    pub(super) fn entries(
        &self,
        variance: f64,
        with: impl Fn(usize) -> f64,
        others: &[f64],
        work: &mut Vec<f64>,
    ) -> (f64, f64) {
        let (mut rest, mut sum, mut at) = (variance, 0.0, 0);
        work.clear();
        for (a, (&column, other)) in self.columns.iter().zip(others).enumerate() {
            let row = &self.rows[at..=at + a];
            at += a + 1;
            let known = row[..a].iter().zip(&*work).fold(0.0, |sum, (x, y)| sum + x * y);
            let value = (with(column) - known) * row[a];
            rest -= value * value;
            sum += value * other;
            work.push(value);
        }
        (rest, sum)
    }

    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    pub(super) fn truncate(&mut self, columns: usize) {
        self.columns.truncate(columns);
        self.rows.truncate(columns * (columns + 1) / 2);
    }

    /// Adds the columns of a variable that are not determined.
    pub(super) fn push_all(&mut self, blocks: &Blocks, variable: usize) {
        blocks.columns(variable).for_each(|column| _ = self.push(blocks, column));
    }

    /// The fit of a variable given the columns that are in; they stay as they are.
    pub(super) fn fit(&mut self, blocks: &Blocks, variable: usize) -> Fit {
        let given = self.columns.len();
        let log_det: f64 =
            blocks.columns(variable).map(|column| self.push(blocks, column).ln()).sum();
        self.truncate(given);
        Fit { deviance: blocks.rows * log_det, freedom: (given * blocks.width_of(variable)) as f64 }
    }
}

impl Local for Blocks {
    fn size(&self) -> usize {
        self.starts.len() - 1
    }

    fn rows(&self) -> f64 {
        self.rows
    }

    fn least(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn blocks(&self) -> Option<&Blocks> {
        Some(self)
    }

    fn freedom(&self, variable: usize, parents: &[usize]) -> f64 {
        let given: usize = parents.iter().map(|&parent| self.width_of(parent)).sum();
        (given * self.width_of(variable)) as f64
    }

    fn fit(&self, variable: usize, parents: &[usize]) -> Fit {
        // In one order, so that a set has one score.
        let mut set = parents.to_vec();
        set.sort_unstable();
        let mut factor = Factor::default();
        set.into_iter().for_each(|parent| factor.push_all(self, parent));
        factor.fit(self, variable)
    }

    fn fits_with(
        &self,
        variable: usize,
        parents: &[usize],
        candidates: &[usize],
        pays: &dyn Fn(f64) -> bool,
        see: &mut dyn FnMut(usize, Fit),
    ) {
        let mut factor = Factor::default();
        let mut set = parents.to_vec();
        set.sort_unstable();
        set.iter().for_each(|&parent| factor.push_all(self, parent));
        let (given, freedom) = (factor.columns.len(), self.freedom(variable, parents));
        for &candidate in candidates {
            let more = (self.width_of(candidate) * self.width_of(variable)) as f64;
            if pays(freedom + more) {
                factor.push_all(self, candidate);
                see(candidate, factor.fit(self, variable));
                factor.truncate(given);
            }
        }
    }
}
