//! Regressions that grow by the variables that pay for themselves.

use faer::MatRef;

use crate::math::{Price, Problem};

/// A pivot smaller than this part of a variable's second moment counts as zero.
const FLOOR: f64 = 1e-10;

/// Chooses among very many variables by the second moments as they are: few are used at a time, so
/// these need not be regular.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grower<'a> {
    moments: MatRef<'a, f64>,
    /// The squared partial correlation that pays for an edge.
    bound: f64,
    /// Variables in a regression at most.
    most: usize,
}

/// The regression of one variable while it grows.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    variable: usize,
    chosen: Vec<usize>,
    /// For each variable chosen its row of the factor, over all variables.
    factor: Vec<Vec<f64>>,
    /// What is left of each variable's second moment.
    left: Vec<f64>,
    /// What is left of its moment with the one that is explained.
    with: Vec<f64>,
}

impl<'a> Grower<'a> {
    /// An edge costs `log n + 2 log d`, the extended BIC.
    pub(crate) fn new(problem: &'a Problem) -> Self {
        let (n, d) = (problem.rows() as f64, problem.size());
        let bound = 1.0 - (-Price::extended(n, d).single() / n).exp();
        Self { moments: problem.sample_moments(), bound, most: (n / 3.0) as usize }
    }

    /// The second moments.
    pub(crate) fn moments(&self) -> MatRef<'a, f64> {
        self.moments
    }

    /// Whether what a variable would explain, as a part of what there is, pays for an edge.
    pub(crate) fn pays(&self, part: f64) -> bool {
        part > self.bound
    }

    /// Adds variables that `may` be there, those that explain most first, while they pay.
    pub(crate) fn grow(&self, growth: &mut Growth, may: impl Fn(usize) -> bool) {
        while growth.chosen.len() < self.most {
            let mut best = (self.bound, None);
            for i in (0..growth.left.len()).filter(|&i| growth.is_open(self, i) && may(i)) {
                let part = growth.part(i, 0.0);
                if part > best.0 {
                    best = (part, Some(i));
                }
            }
            let Some(i) = best.1 else { return };
            growth.add(self, i, 0.0);
        }
    }
}

impl Growth {
    /// Begins with the variable that is explained.
    pub(crate) fn begin(&mut self, grower: &Grower<'_>, variable: usize) {
        let s = grower.moments;
        self.variable = variable;
        self.chosen.clear();
        self.left.clear();
        self.left.extend((0..s.ncols()).map(|i| s[(i, i)]));
        self.with.clear();
        self.with.extend_from_slice(column(s, variable));
    }

    /// Adds a variable, with a ridge; leaves out one that the others determine.
    pub(crate) fn add(&mut self, grower: &Grower<'_>, i: usize, ridge: f64) {
        let s = grower.moments;
        let pivot = self.left[i] + ridge;
        if pivot <= FLOOR * s[(i, i)] {
            return;
        }
        let count = self.chosen.len();
        if self.factor.len() == count {
            self.factor.push(Vec::new());
        }
        let (known, fresh) = self.factor.split_at_mut(count);
        let row = &mut fresh[0];
        row.clear();
        row.extend_from_slice(column(s, i));
        for known in known.iter() {
            let factor = known[i];
            row.iter_mut().zip(known).for_each(|(value, other)| *value -= factor * other);
        }
        let scale = 1.0 / pivot.sqrt();
        let own = row[self.variable] * scale;
        for ((value, left), with) in row.iter_mut().zip(&mut self.left).zip(&mut self.with) {
            *value *= scale;
            *left -= *value * *value;
            *with -= own * *value;
        }
        // The diagonal of the factor, where a ridge is part of it.
        row[i] = pivot.sqrt();
        self.chosen.push(i);
    }

    /// True for variables that are not in the regression and that it does not determine.
    fn is_open(&self, grower: &Grower<'_>, i: usize) -> bool {
        let clear = |i: usize| self.left[i] > FLOOR * grower.moments[(i, i)];
        i != self.variable && clear(i) && clear(self.variable) && !self.chosen.contains(&i)
    }

    /// The part of what is left that a variable, with a ridge of its own, would explain.
    pub(crate) fn part(&self, i: usize, ridge: f64) -> f64 {
        let with = self.with[i];
        with / (self.left[i] + ridge) * (with / self.left[self.variable])
    }

    /// The same where the variable may be one that the others determine.
    pub(crate) fn part_of(&self, grower: &Grower<'_>, i: usize, ridge: f64) -> f64 {
        if self.is_open(grower, i) { self.part(i, ridge) } else { 0.0 }
    }

    /// The variables in the regression, as they came.
    pub(crate) fn chosen(&self) -> &[usize] {
        &self.chosen
    }

    /// The variables in the regression with their coefficients, in increasing order.
    pub(crate) fn coefficients(&self) -> Vec<(usize, f64)> {
        let m = self.chosen.len();
        let mut values: Vec<f64> = (0..m).map(|t| self.factor[t][self.variable]).collect();
        for t in (0..m).rev() {
            values[t] /= self.factor[t][self.chosen[t]];
            let value = values[t];
            for (before, known) in values[..t].iter_mut().zip(&self.factor) {
                *before -= value * known[self.chosen[t]];
            }
        }
        let mut all: Vec<(usize, f64)> = self.chosen.iter().copied().zip(values).collect();
        all.sort_by_key(|&(i, _)| i);
        all
    }
}

fn column<'a>(s: MatRef<'a, f64>, j: usize) -> &'a [f64] {
    s.col(j).try_as_col_major().expect("columns are contiguous").as_slice()
}
