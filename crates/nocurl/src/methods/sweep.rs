//! Correlations given a growing set of variables.

use std::ops::ControlFlow;

use faer::MatRef;

/// Below this share of its variance a variable counts as determined by the others.
const FLOOR: f64 = 1e-10;

/// Correlations of any two variables.
pub(super) trait Entries {
    /// One of them.
    fn entry(&self, i: usize, j: usize) -> f64;

    /// Those of one variable with some others, added to a list.
    fn gather(&self, with: usize, others: &[usize], into: &mut Vec<f64>) {
        into.extend(others.iter().map(|&other| self.entry(other, with)));
    }
}

impl Entries for MatRef<'_, f64> {
    fn entry(&self, i: usize, j: usize) -> f64 {
        self[(i, j)]
    }
}

/// Variances of some columns, and their covariances with one variable, given a set of variables
/// that grows and shrinks at its end: rows of a Cholesky factor, one for each member of the set.
///
/// A member more costs O(k u) for k members and u columns.
pub(super) struct Sweep<'a, S = MatRef<'a, f64>> {
    correlation: S,
    columns: &'a [usize],
    target: usize,
    levels: Vec<Level>,
    depth: usize,
}

#[derive(Clone, Default)]
struct Level {
    /// The row of the factor that the member added, over the columns.
    row: Vec<f64>,
    /// The row's entry for the target.
    row_target: f64,
    variance: Vec<f64>,
    covariance: Vec<f64>,
    variance_target: f64,
}

impl<'a, S: Entries> Sweep<'a, S> {
    /// Nothing given yet.
    pub(super) fn new(correlation: S, columns: &'a [usize], target: usize) -> Self {
        let mut covariance = Vec::with_capacity(columns.len());
        correlation.gather(target, columns, &mut covariance);
        let start = Level {
            row: Vec::new(),
            row_target: 0.0,
            variance: columns.iter().map(|&c| correlation.entry(c, c)).collect(),
            covariance,
            variance_target: correlation.entry(target, target),
        };
        Self { correlation, columns, target, levels: vec![start], depth: 0 }
    }

    /// Adds a variable to the set; false, and nothing changes, when the set determines it already.
    pub(super) fn push(&mut self, z: usize) -> bool {
        let s = &self.correlation;
        // The member's own entries in the rows so far, by substitution.
        let at = self.columns.binary_search(&z).ok();
        debug_assert!(at.is_some(), "members of the set are among the columns");
        let Some(at) = at else { return false };
        let rest = self.levels[self.depth].variance[at];
        if rest < FLOOR {
            return false;
        }
        let scale = 1.0 / rest.sqrt();
        let mut next = if self.levels.len() > self.depth + 1 {
            std::mem::take(&mut self.levels[self.depth + 1])
        } else {
            Level::default()
        };
        next.row.clear();
        s.gather(z, self.columns, &mut next.row);
        let mut row_target = s.entry(self.target, z);
        for level in &self.levels[1..=self.depth] {
            let factor = level.row[at];
            row_target -= factor * level.row_target;
            next.row.iter_mut().zip(&level.row).for_each(|(to, from)| *to -= factor * from);
        }
        row_target *= scale;
        next.row_target = row_target;
        let last = &self.levels[self.depth];
        next.variance_target = last.variance_target - row_target * row_target;
        next.variance.clear();
        next.covariance.clear();
        for ((value, variance), covariance) in
            next.row.iter_mut().zip(&last.variance).zip(&last.covariance)
        {
            *value *= scale;
            next.variance.push(variance - *value * *value);
            next.covariance.push(covariance - *value * row_target);
        }
        self.depth += 1;
        if self.levels.len() > self.depth {
            self.levels[self.depth] = next;
        } else {
            self.levels.push(next);
        }
        true
    }

    /// Takes the last member out again.
    pub(super) fn pop(&mut self) {
        self.depth -= 1;
    }

    /// The squared partial correlation of the target and the column at a position, given the set.
    pub(super) fn squared_correlation(&self, position: usize) -> f64 {
        let level = &self.levels[self.depth];
        let (variance, covariance) = (level.variance[position], level.covariance[position]);
        if variance < FLOOR || level.variance_target < FLOOR {
            return 0.0;
        }
        (covariance * covariance / (variance * level.variance_target)).min(1.0)
    }
}

/// A walk through the subsets of a list of variables, the empty one first, each given in turn on
/// top of what a sweep holds already.
pub(super) struct Subsets<'w, 'a, S, J> {
    sweep: &'w mut Sweep<'a, S>,
    /// Whether two variables may be in one set.
    join: J,
    members: Vec<usize>,
    most: usize,
    limit: usize,
    /// True when sets were left out because there would be too many.
    pub(super) limited: bool,
}

impl<'w, 'a, S: Entries, J: Fn(usize, usize) -> bool> Subsets<'w, 'a, S, J> {
    /// Subsets of at most `most` of `count` variables, and no larger ones than keep their number
    /// below `budget`.
    pub(super) fn new(
        sweep: &'w mut Sweep<'a, S>,
        count: usize,
        most: usize,
        budget: usize,
        join: J,
    ) -> Self {
        let limit = size_limit(count, budget);
        Self { sweep, join, members: Vec::new(), most: most.min(limit), limit, limited: false }
    }

    /// Sees the set, then every larger one with members of `more`, until told to stop.
    pub(super) fn walk(
        &mut self,
        more: &[usize],
        see: &mut impl FnMut(&Sweep<'a, S>, &[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        see(self.sweep, &self.members)?;
        if self.members.len() == self.most {
            self.limited |= self.most == self.limit && !more.is_empty();
            return ControlFlow::Continue(());
        }
        for (k, &z) in more.iter().enumerate() {
            if !self.sweep.push(z) {
                continue;
            }
            self.members.push(z);
            let rest = &more[k + 1..];
            let next: Vec<usize> =
                rest.iter().copied().filter(|&other| (self.join)(z, other)).collect();
            let flow = self.walk(&next, see);
            self.members.pop();
            self.sweep.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }
}

/// The size up to which all subsets of `count` variables are no more than `budget`.
fn size_limit(count: usize, budget: usize) -> usize {
    let (mut subsets, mut total) = (1, 1);
    for size in 1..=count {
        subsets = subsets * (count + 1 - size) / size;
        total += subsets;
        if total > budget {
            return size - 1;
        }
    }
    count
}
