//! The search for the variable that comes first.

use crate::core::parallel::*;
use crate::core::{Dataset, Error, Knowledge, Run};
use crate::math::entropy::{dot, entropy, residual_entropies};

/// Pairs that are compared at once, whatever the threads. More would use more threads, and compare
/// pairs that need not be.
const BATCH: usize = 16;

/// A column of which a smaller share of the variance is left has nothing of its own.
const EXHAUSTED: f64 = 1e-12;

/// Operations of comparing a pair, for each row: two regressions and their entropies.
const COMPARISON: f64 = 20.0;

/// The variables that have no place yet.
pub(super) struct Search {
    /// Standardised columns, without the parts of the variables that have a place.
    columns: Vec<Vec<f64>>,
    /// The entropies of the columns.
    entropies: Vec<f64>,
    /// The share of each variance that is left.
    left: Vec<f64>,
    /// Variables that have no place, from small to large.
    rest: Vec<usize>,
    comparisons: u64,
}

impl Search {
    pub(super) fn new(rows: &Dataset) -> Self {
        let n = rows.values().nrows() as f64;
        let d = rows.names().len();
        let standardised = |j: usize| {
            let column = rows.column(j);
            // In units of the largest value, so that no square leaves the range of numbers.
            let largest = column.iter().fold(f64::MIN_POSITIVE, |most, v| most.max(v.abs()));
            let mean = column.iter().map(|v| v / largest).sum::<f64>() / n;
            let mut column: Vec<f64> = column.iter().map(|v| v / largest - mean).collect();
            let scale = (n / dot(&column, &column)).sqrt();
            column.iter_mut().for_each(|v| *v *= scale);
            column
        };
        let columns: Vec<Vec<f64>> = (0..d).into_par_iter().map(standardised).collect();
        let entropies = columns.par_iter().map(|column| entropy(column)).collect();
        Self { columns, entropies, left: vec![1.0; d], rest: (0..d).collect(), comparisons: 0 }
    }

    /// Pairs compared so far.
    pub(super) fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// The variable that comes first among the rest, of those that prior knowledge lets come next.
    pub(super) fn first(
        &mut self,
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<Option<usize>, Error> {
        let free = |&i: &usize| !self.rest.iter().any(|&j| knowledge.must_precede(j, i));
        let mut candidates: Vec<usize> = self.rest.iter().copied().filter(free).collect();
        // Variables that others determine come last.
        if candidates.iter().any(|&i| !self.is_exhausted(i)) {
            candidates.retain(|&i| !self.is_exhausted(i));
        }
        if candidates.len() < 2 || candidates.iter().all(|&i| self.is_exhausted(i)) {
            return Ok(candidates.first().copied());
        }
        let partners: Vec<usize> =
            self.rest.iter().copied().filter(|&i| !self.is_exhausted(i)).collect();
        let mut contest = Contest::new(self.columns.len());
        loop {
            if run.is_stopped() {
                return Err(Error::Cancelled);
            }
            let pairs = match contest.next(&mut candidates, &partners) {
                Next::Won(first) => return Ok(Some(first)),
                Next::Compare(pairs) => pairs,
            };
            let ratios: Vec<f64> = pairs.par_iter().map(|&(i, j)| self.ratio(i, j)).collect();
            self.comparisons += pairs.len() as u64;
            let rows = self.columns[candidates[0]].len();
            run.worked(COMPARISON * (pairs.len() * rows) as f64);
            for (&(i, j), &ratio) in pairs.iter().zip(&ratios) {
                contest.settle(i, j, ratio);
            }
        }
    }

    fn is_exhausted(&self, i: usize) -> bool {
        self.left[i] < EXHAUSTED
    }

    /// The likelihood ratio of `i -> j` against `j -> i` per row.
    fn ratio(&self, i: usize, j: usize) -> f64 {
        residual_entropies(&self.columns[i], &self.columns[j])
            .map_or(0.0, |(of_i, of_j)| self.entropies[j] + of_i - self.entropies[i] - of_j)
    }

    /// Gives a variable its place, and takes its part out of the rest.
    pub(super) fn take_out(&mut self, first: usize) {
        self.rest.retain(|&i| i != first);
        let cause = std::mem::take(&mut self.columns[first]);
        if self.is_exhausted(first) {
            return;
        }
        let n = cause.len() as f64;
        let (rest, left) = (&self.rest, &self.left);
        let remove = |i: usize, column: &mut Vec<f64>| {
            let r = dot(column, &cause) / n;
            column.iter_mut().zip(&cause).for_each(|(v, c)| *v = (-r).mul_add(*c, *v));
            let share = dot(column, column) / n;
            if left[i] * share < EXHAUSTED {
                return (0.0, 0.0);
            }
            let scale = share.sqrt().recip();
            column.iter_mut().for_each(|v| *v *= scale);
            (entropy(column), left[i] * share)
        };
        let found: Vec<(f64, f64)> = self
            .columns
            .par_iter_mut()
            .enumerate()
            .map(|(i, column)| {
                if rest.binary_search(&i).is_ok() && left[i] > 0.0 {
                    remove(i, column)
                } else {
                    (0.0, left[i])
                }
            })
            .collect();
        (self.entropies, self.left) = found.into_iter().unzip();
    }
}

/// What to do next in a contest.
enum Next {
    Won(usize),
    Compare(Vec<(usize, usize)>),
}

/// Which variable has the smallest sum, with as few comparisons as that takes.
struct Contest {
    /// The sum of each variable so far.
    sums: Vec<f64>,
    /// The pairs that have been compared, both ways.
    compared: Vec<bool>,
}

impl Contest {
    fn new(size: usize) -> Self {
        Self { sums: vec![0.0; size], compared: vec![false; size * size] }
    }

    /// Comparisons of the candidate with the smallest sum so far; it has won once there are none.
    fn next(&self, candidates: &mut [usize], partners: &[usize]) -> Next {
        let by_sum = |&i: &usize, &j: &usize| self.sums[i].total_cmp(&self.sums[j]).then(i.cmp(&j));
        candidates.sort_unstable_by(by_sum);
        // Against likely causes first: they show soonest that a variable does not come first.
        let mut partners = partners.to_vec();
        partners.sort_unstable_by(by_sum);
        let d = self.sums.len();
        let mut pairs: Vec<(usize, usize)> = Vec::with_capacity(BATCH);
        for &i in candidates.iter() {
            for &j in partners.iter().filter(|&&j| j != i && !self.compared[i * d + j]) {
                if pairs.len() == BATCH {
                    return Next::Compare(pairs);
                }
                let pair = (i.min(j), i.max(j));
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
            if pairs.is_empty() {
                return Next::Won(i);
            }
        }
        Next::Compare(pairs)
    }

    fn settle(&mut self, i: usize, j: usize, ratio: f64) {
        let d = self.sums.len();
        (self.compared[i * d + j], self.compared[j * d + i]) = (true, true);
        let against = if ratio < 0.0 { i } else { j };
        self.sums[against] += ratio * ratio;
    }
}
