//! The order with the smallest sum of residual variances.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::regression::regress;
use super::{REPORT, reserve};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Error, MatRef, Order, Run};
use crate::math::Problem;
use crate::math::linalg::pivot_floor;
use crate::methods::Proposal;

/// Variables, counted from the last, whose subsets are the units of work of the threads.
const SHARED: usize = 6;

/// The best order of all variables.
pub(super) fn best_order(problem: &Problem, run: &Run<'_>) -> Result<Proposal, Error> {
    let s = problem.second_moments();
    let best = Best::compute(s, run)?;
    let mut proposal = Proposal::direct(Order::strict(&best.backtrack(s)));
    proposal.evaluations = (problem.size() as u64) << (problem.size() - 1);
    Ok(proposal)
}

/// `f(U)` for all sets `U`, where bit `j` of an index says that variable `j` is in `U`.
///
/// Held as the bits of numbers that are not negative, whose order is that of the numbers: the
/// threads can then take minima without locks, and a minimum does not depend on who came first.
struct Best(Vec<AtomicU64>);

impl Best {
    fn compute(s: MatRef<'_, f64>, run: &Run<'_>) -> Result<Self, Error> {
        let d = s.nrows();
        let size = 1usize << d;
        let mut table = reserve(size)?;
        table.resize_with(size, || AtomicU64::new(f64::INFINITY.to_bits()));
        let best = Self(table);
        best.0[0].store(0f64.to_bits(), Relaxed);

        let shared = if d >= 2 * SHARED { SHARED } else { 0 };
        let progress = Counter::new("trying all orders", size, run).of((d * d) as f64);
        let unit = REPORT.min(size >> shared);
        // All smaller sets must be final before a set is reached: blocks of sets that agree on the
        // shared variables are worked on together when they share the same number of them.
        for members in 0..=shared as u32 {
            let blocks: Vec<usize> =
                (0..1 << shared).filter(|block: &usize| block.count_ones() == members).collect();
            blocks.into_par_iter().try_for_each(|block| {
                let mut walk = Walk::new(s);
                let at = walk.start(block, shared);
                let foreign = at.targets;
                let flow = walk.visit(at, &mut |set, bits, variances| {
                    best.push(set, bits, variances, foreign);
                    let reporting = (set + 1) % unit == 0;
                    if reporting && progress.add(unit).is_err() { Break(()) } else { Continue(()) }
                });
                if flow.is_break() { Err(Error::Cancelled) } else { Ok(()) }
            })?;
        }
        Ok(best)
    }

    fn get(&self, set: usize) -> f64 {
        f64::from_bits(self.0[set].load(Relaxed))
    }

    /// Extends the best order of `set` by each variable outside it; the first `foreign` of these
    /// lead into blocks that other threads may be writing to.
    fn push(&self, set: usize, bits: &[usize], variances: &[f64], foreign: usize) {
        let before = self.get(set);
        let (foreign_bits, own_bits) = bits.split_at(foreign);
        let (foreign_variances, own_variances) = variances.split_at(foreign);
        for (bit, variance) in foreign_bits.iter().zip(foreign_variances) {
            let score = before + variance;
            if score < self.get(set | bit) {
                self.0[set | bit].fetch_min(score.to_bits(), Relaxed);
            }
        }
        for (bit, variance) in own_bits.iter().zip(own_variances) {
            let score = before + variance;
            if score < self.get(set | bit) {
                self.0[set | bit].store(score.to_bits(), Relaxed);
            }
        }
    }

    /// The best order, found from its end; among equally good variables the one with the largest
    /// index comes last.
    fn backtrack(&self, s: MatRef<'_, f64>) -> Vec<usize> {
        let d = s.nrows();
        let mut set = self.0.len() - 1;
        let mut order = Vec::with_capacity(d);
        while set != 0 {
            let members: Vec<usize> = (0..d).filter(|j| set >> j & 1 == 1).collect();
            let scores: Vec<f64> = members
                .iter()
                .map(|&j| {
                    let others: Vec<usize> = members.iter().copied().filter(|&i| i != j).collect();
                    self.get(set & !(1 << j)) + regress(s, j, &others).1
                })
                .collect();
            let smallest = scores.iter().copied().fold(f64::INFINITY, f64::min);
            let bound = smallest * (1.0 + pivot_floor(d));
            let last =
                scores.iter().rposition(|&score| score <= bound).unwrap_or(members.len() - 1);
            order.push(members[last]);
            set &= !(1 << members[last]);
        }
        order.reverse();
        order
    }
}

/// Visits all sets of variables in increasing order of their index, with the variances of the
/// variables outside given those inside.
///
/// Variables are decided one at a time, the last first: out, then in. Taking one in is one Schur
/// complement step, copied to the next level; leaving one out changes no number.
struct Walk {
    levels: Vec<Level>,
    /// The bits of the variables left out so far (the targets), in the order of decision.
    bits: Vec<usize>,
    floor: Vec<f64>,
}

/// Where a walk stands.
#[derive(Clone, Copy)]
struct Place {
    set: usize,
    level: usize,
    targets: usize,
    undecided: usize,
}

/// Conditional covariances after some variables were taken in.
struct Level {
    /// A row for each variable undecided when the level was made. Its entries are the covariances
    /// with the targets, then with the undecided, both in the order of decision: a variable that
    /// is left out becomes a target without moving.
    rows: Vec<f64>,
    /// Targets when the level was made.
    targets: usize,
    /// Variances of the targets.
    variances: Vec<f64>,
}

impl Walk {
    fn new(s: MatRef<'_, f64>) -> Self {
        let d = s.nrows();
        let level = || Level { rows: vec![0.0; d * d], targets: 0, variances: vec![0.0; d] };
        let mut levels: Vec<Level> = (0..=d).map(|_| level()).collect();
        for row in 0..d {
            for slot in 0..d {
                levels[0].rows[row * d + slot] = s[(d - 1 - row, d - 1 - slot)];
            }
        }
        let floor = (0..d).map(|j| s[(j, j)] * pivot_floor(d)).collect();
        Self { levels, bits: vec![0; d], floor }
    }

    /// The place at which the last `count` variables are decided as the bits of `block` say.
    fn start(&mut self, block: usize, count: usize) -> Place {
        let d = self.floor.len();
        let mut at = Place { set: 0, level: 0, targets: 0, undecided: d };
        for position in (0..count).rev() {
            at = if block >> position & 1 == 1 { self.include(at) } else { self.exclude(at) };
        }
        at
    }

    fn visit(
        &mut self,
        at: Place,
        visitor: &mut impl FnMut(usize, &[usize], &[f64]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if at.undecided == 0 {
            let variances = &self.levels[at.level].variances[..at.targets];
            return visitor(at.set, &self.bits[..at.targets], variances);
        }
        let out = self.exclude(at);
        self.visit(out, visitor)?;
        let within = self.include(at);
        self.visit(within, visitor)
    }

    /// Leaves the next variable out: it becomes a target.
    fn exclude(&mut self, at: Place) -> Place {
        let d = self.floor.len();
        let level = &mut self.levels[at.level];
        let row = at.targets - level.targets;
        level.variances[at.targets] = level.rows[row * d + at.targets].max(0.0);
        self.bits[at.targets] = 1 << (at.undecided - 1);
        Place { targets: at.targets + 1, undecided: at.undecided - 1, ..at }
    }

    /// Takes the next variable in: all others are conditioned on it.
    fn include(&mut self, at: Place) -> Place {
        let Place { targets, undecided, .. } = at;
        let d = self.floor.len();
        let width = targets + undecided;
        let (before, after) = self.levels.split_at_mut(at.level + 1);
        let (here, next) = (&before[at.level], &mut after[0]);
        next.targets = targets;

        let rows = &here.rows[(targets - here.targets) * d..];
        let pivot_row = &rows[..width];
        let pivot = pivot_row[targets];
        // A variable that is a combination of those taken in before tells nothing new.
        let inverse = if pivot > self.floor[undecided - 1] { 1.0 / pivot } else { 0.0 };
        for ((new, old), covariance) in next.variances[..targets]
            .iter_mut()
            .zip(&here.variances[..targets])
            .zip(&pivot_row[..targets])
        {
            *new = (old - covariance * covariance * inverse).max(0.0);
        }
        let old_rows = rows.chunks_exact(d).skip(1);
        for (i, (new, old)) in
            next.rows.chunks_exact_mut(d).zip(old_rows).take(undecided - 1).enumerate()
        {
            let factor = pivot_row[targets + 1 + i] * inverse;
            let (new_targets, new_undecided) = new[..width - 1].split_at_mut(targets);
            for ((new, old), pivot) in new_targets.iter_mut().zip(old).zip(pivot_row) {
                *new = old - factor * pivot;
            }
            for ((new, old), pivot) in
                new_undecided.iter_mut().zip(&old[targets + 1..]).zip(&pivot_row[targets + 1..])
            {
                *new = old - factor * pivot;
            }
        }
        let set = at.set | 1 << (undecided - 1);
        Place { set, level: at.level + 1, targets, undecided: undecided - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Mat;

    #[test]
    fn the_walk_visits_every_set_in_order_with_the_right_variances() {
        let d = 5;
        // Diagonally dominant, so positive definite.
        let s = Mat::from_fn(d, d, |i, j| {
            let (i, j) = (i.min(j), i.max(j));
            if i == j { 2.0 + i as f64 } else { ((3 * i + 7 * j) % 5) as f64 * 0.2 - 0.4 }
        });
        let mut walk = Walk::new(s.as_ref());
        let start = walk.start(0, 0);
        let mut expected = 0;
        let flow = walk.visit(start, &mut |set, bits, variances| {
            assert_eq!(set, expected);
            expected += 1;
            let inside: Vec<usize> = (0..d).filter(|j| set >> j & 1 == 1).collect();
            assert_eq!(bits.len() + inside.len(), d);
            for (bit, variance) in bits.iter().zip(variances) {
                assert_eq!(set & bit, 0);
                let (_, residual) = regress(s.as_ref(), bit.trailing_zeros() as usize, &inside);
                assert!((variance - residual).abs() < 1e-13);
            }
            Continue(())
        });
        assert_eq!((flow, expected), (Continue(()), 1 << d));
    }
}
