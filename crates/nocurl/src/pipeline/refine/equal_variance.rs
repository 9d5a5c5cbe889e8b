//! Order search on the sum of residual variances.

use faer::Mat;

use super::{Refined, Refinement};
use crate::core::{Error, Knowledge, Order, Progress, Run};
use crate::math::Problem;
use crate::math::linalg::Cholesky;
use crate::methods::{Facts, Task};

/// A fall of the score that counts, relative to the score.
const PROGRESS: f64 = 1e-10;

/// Operations of a round, in units of d^3.
const ROTATIONS: f64 = 10.0;

/// Residual variances as the score.
pub(super) struct EqualVariance;

impl Refinement for EqualVariance {
    fn facts(&self) -> Facts {
        Facts {
            name: "equal-variance",
            phrase: "the order search by equal variances",
            summary: "order search on the sum of residual variances; depends on units",
            reference: "Chen, Drton and Wang, Biometrika 106, 2019, for the score",
            ..Facts::LINEAR
        }
    }

    fn search(&self, task: &Task<'_>, start: &Order) -> Result<Refined, Error> {
        search(task.problem, start, task.run)
    }
}

/// Moves each variable in turn to the place where the sum of residual variances is smallest,
/// until no move helps.
///
/// A variable travels through all places by swaps of neighbours; a swap rotates two columns of
/// the Cholesky factor in O(d), so a round over all variables costs O(d^3).
fn search(problem: &Problem, start: &Order, run: &Run<'_>) -> Result<Refined, Error> {
    let d = problem.size();
    let mut factor = Factor::new(problem, break_ties(problem, start))?;
    let score_before = factor.score();
    let (mut score, mut moves, mut round) = (score_before, 0, 0);
    loop {
        let before = factor.sequence.clone();
        let mut found = 0;
        for v in 0..d {
            found += u64::from(factor.move_to_best(v, PROGRESS * score, problem.knowledge()));
        }
        round += 1;
        let progress = Progress {
            stage: "search for a better order",
            done: round,
            total: None,
            objective: Some(score),
        };
        run.step(progress)?;
        run.worked(ROTATIONS * (d as f64).powi(3));
        // Rotations add up rounding errors, so a fresh factor decides. Where columns are nearly
        // collinear the gains on the way may be nothing else, and the search would go in circles.
        let fresh = Factor::new(problem, factor.sequence)?;
        if found == 0 || fresh.score() > score * (1.0 - PROGRESS) {
            factor = Factor::new(problem, before)?;
            break;
        }
        (score, moves, factor) = (fresh.score(), moves + found, fresh);
    }
    Ok(Refined {
        order: Order::strict(&factor.sequence),
        parents: None,
        directed: None,
        score_before,
        score_after: score,
        moves,
    })
}

/// A strict order: variables that share a place follow each other by smallest conditional
/// variance, the choice that lowers the score most at each step.
fn break_ties(problem: &Problem, order: &Order) -> Vec<usize> {
    let s = problem.second_moments();
    let d = problem.size();
    let mut remaining = s.to_owned();
    let mut sequence = Vec::with_capacity(d);
    let mut done = vec![false; d];
    for place in order.places() {
        for _ in 0..place.len() {
            let v = *place
                .iter()
                .filter(|&&v| !done[v])
                .min_by(|&&a, &&b| remaining[(a, a)].total_cmp(&remaining[(b, b)]))
                .expect("one variable of the place is left");
            done[v] = true;
            sequence.push(v);
            let pivot = remaining[(v, v)];
            if order.is_strict() || pivot <= 0.0 {
                continue;
            }
            for b in (0..d).filter(|&b| !done[b]) {
                let factor = remaining[(v, b)] / pivot;
                for a in (0..d).filter(|&a| !done[a]) {
                    remaining[(a, b)] -= remaining[(a, v)] * factor;
                }
            }
        }
    }
    sequence
}

/// A square root `Q` of the second moments that is triangular along the order: `S = Q Q'`, and
/// row v of `Q` ends at the place of v.
struct Factor {
    /// Row: variable; column: place.
    root: Mat<f64>,
    sequence: Vec<usize>,
    place: Vec<usize>,
}

impl Factor {
    fn new(problem: &Problem, sequence: Vec<usize>) -> Result<Self, Error> {
        let s = problem.second_moments();
        let d = problem.size();
        let permuted = Mat::from_fn(d, d, |a, b| s[(sequence[a], sequence[b])]);
        let cholesky = Cholesky::new(permuted.as_ref()).ok_or_else(|| problem.singular())?;
        let lower = cholesky.lower();
        let mut place = vec![0; d];
        for (k, &v) in sequence.iter().enumerate() {
            place[v] = k;
        }
        let root = Mat::from_fn(d, d, |v, k| lower[(place[v], k)]);
        Ok(Self { root, sequence, place })
    }

    fn residual(&self, k: usize) -> f64 {
        let value = self.root[(self.sequence[k], k)];
        value * value
    }

    fn score(&self) -> f64 {
        (0..self.sequence.len()).map(|k| self.residual(k)).sum()
    }

    /// Swaps the variables at places k and k + 1; returns the change of the score.
    fn swap(&mut self, k: usize) -> f64 {
        let before = self.residual(k) + self.residual(k + 1);
        let w = self.sequence[k + 1];
        let (a, b) = (self.root[(w, k)], self.root[(w, k + 1)]);
        let r = a.hypot(b);
        let (cosine, sine) = (a / r, b / r);
        let (left, right) = self.root.as_mut().split_at_col_mut(k + 1);
        let x = left.col_mut(k).try_as_col_major_mut().expect("columns are contiguous");
        let y = right.col_mut(0).try_as_col_major_mut().expect("columns are contiguous");
        for (x, y) in x.as_slice_mut().iter_mut().zip(y.as_slice_mut()) {
            (*x, *y) = (cosine * *x + sine * *y, cosine * *y - sine * *x);
        }
        self.root[(w, k + 1)] = 0.0;
        self.sequence.swap(k, k + 1);
        self.place[self.sequence[k]] = k;
        self.place[self.sequence[k + 1]] = k + 1;
        self.residual(k) + self.residual(k + 1) - before
    }

    /// Takes a variable through all places it may have and leaves it at the best when that gains
    /// more than `least`, else where it was; true when it moved.
    fn move_to_best(&mut self, v: usize, least: f64, knowledge: &Knowledge) -> bool {
        let bound = |i: usize, j: usize| knowledge.must_precede(i, j);
        let home = self.place[v];
        let first = (0..home).rfind(|&k| bound(self.sequence[k], v)).map_or(0, |k| k + 1);
        let end = self.sequence.len();
        let last = (home + 1..end).find(|&k| bound(v, self.sequence[k])).unwrap_or(end) - 1;
        let (mut change, mut best, mut best_place) = (0.0, -least, home);
        for k in (first..home).rev() {
            change += self.swap(k);
            if change < best {
                (best, best_place) = (change, k);
            }
        }
        for k in first..last {
            change += self.swap(k);
            if k + 1 > home && change < best {
                (best, best_place) = (change, k + 1);
            }
        }
        for k in (best_place..last).rev() {
            self.swap(k);
        }
        best_place != home
    }
}
