//! The graph with the smallest BIC, and the best order where parents are limited.

use std::ops::ControlFlow::{self, Break, Continue};

use super::regression::regress;
use super::{ExactScore, REPORT, reserve};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Error, Knowledge, Mat, Order, Progress, Run};
use crate::math::linalg::pivot_floor;
use crate::math::local::{Local, Priced};
use crate::math::regress::refit;
use crate::math::{Price, Problem};
use crate::methods::Proposal;

/// The best graph: a topological order and the weights along it.
pub(super) fn best_graph(problem: &Problem, run: &Run<'_>) -> Result<Proposal, Error> {
    let (s, d) = (problem.second_moments(), problem.size());
    let parents = BestParents::compute(problem, ExactScore::Bic, run)?;
    let order = best_order(problem, &parents, run)?;

    let mut weights = Mat::zeros(d, d);
    let mut before = 0;
    for &j in &order {
        let chosen = parents.choose(j, before);
        for (&i, weight) in chosen.iter().zip(regress(s, j, &chosen).0) {
            weights[(i, j)] = weight;
        }
        before |= 1 << j;
    }
    let mut proposal = Proposal::direct(Order::strict(&order));
    proposal.weights = Some(weights);
    proposal.evaluations = (d as u64) << (d - 1);
    Ok(proposal)
}

/// The best graph by a likelihood of single variables.
pub(super) fn best_graph_by(
    problem: &Problem,
    local: &dyn Local,
    run: &Run<'_>,
) -> Result<Proposal, Error> {
    let d = problem.size();
    let parents = BestParents::by(problem, local, run)?;
    let order = best_order(problem, &parents, run)?;
    let mut support = Mat::zeros(d, d);
    let mut before = 0;
    for &j in &order {
        parents.choose(j, before).into_iter().for_each(|i| support[(i, j)] = 1.0);
        before |= 1 << j;
    }
    let mut proposal = Proposal::direct(Order::strict(&order));
    proposal.weights = Some(refit(problem, support.as_ref())?);
    proposal.evaluations = (d as u64) << (d - 1);
    Ok(proposal)
}

/// The order with the smallest sum of residual variances when each variable is regressed on those
/// before it that prior knowledge allows.
pub(super) fn best_order_within(problem: &Problem, run: &Run<'_>) -> Result<Proposal, Error> {
    let parents = BestParents::compute(problem, ExactScore::LeastSquares, run)?;
    let mut proposal = Proposal::direct(Order::strict(&best_order(problem, &parents, run)?));
    proposal.evaluations = (problem.size() as u64) << (problem.size() - 1);
    Ok(proposal)
}

/// For each variable and each set of others, the score of the best parents within that set;
/// infinite where a parent that must be there is missing.
struct BestParents {
    d: usize,
    /// Table of variable 0, then of variable 1, ...; in each, bit `i` of an index stands for the
    /// `i`-th of the other variables.
    scores: Vec<f64>,
}

impl BestParents {
    fn compute(problem: &Problem, score: ExactScore, run: &Run<'_>) -> Result<Self, Error> {
        let (s, d) = (problem.second_moments(), problem.size());
        let length = 1usize << (d - 1);
        let mut scores = reserve(d * length)?;
        scores.resize(d * length, 0.0);
        let progress = Counter::new("scoring all sets of parents", d * length, run).of(d as f64);
        let report = |sets| if progress.add(sets).is_err() { Break(()) } else { Continue(()) };
        scores.par_chunks_mut(length).enumerate().try_for_each(|(target, table)| {
            let mut others: Vec<usize> = (0..d).filter(|&i| i != target).collect();
            // Decided first comes first: the highest bit; the target is never decided.
            others.reverse();
            others.push(target);
            let mut levels: Vec<Mat<f64>> = (0..d)
                .map(|taken| {
                    Mat::from_fn(d - taken, d - taken, |i, j| {
                        if taken == 0 { s[(others[i], others[j])] } else { 0.0 }
                    })
                })
                .collect();
            let scorer = Scorer {
                floor: others.iter().map(|&j| s[(j, j)] * pivot_floor(d)).collect(),
                known: others.iter().map(|&i| Known::of(problem.knowledge(), i, target)).collect(),
                score,
                rows: problem.rows() as f64,
                penalty: (problem.rows() as f64).ln(),
            };
            let flow = fill(table, &mut levels, 0, 0, &scorer, &report);
            if flow.is_break() { Err(Error::Cancelled) } else { Ok(()) }
        })?;
        Ok(Self { d, scores })
    }

    /// The tables of a likelihood of single variables.
    fn by(problem: &Problem, local: &dyn Local, run: &Run<'_>) -> Result<Self, Error> {
        let d = problem.size();
        let length = 1usize << (d - 1);
        let mut scores = reserve(d * length)?;
        scores.resize(d * length, f64::INFINITY);
        let progress =
            Counter::new("scoring all sets of parents", d * length, run).of(local.operations());
        let priced = Priced { local, price: Price::bic(local.rows(), 1.0) };
        scores.par_chunks_mut(length).enumerate().try_for_each(|(target, table)| {
            let others: Vec<usize> = (0..d).filter(|&i| i != target).collect();
            let known: Vec<Option<Known>> =
                others.iter().map(|&i| Known::of(problem.knowledge(), i, target)).collect();
            let mut set = Vec::with_capacity(d);
            for index in 0..length {
                if index % REPORT == REPORT - 1 {
                    progress.add(REPORT)?;
                }
                let is = |i: usize| index >> i & 1 == 1;
                let wrong = |i: usize| Some(if is(i) { Known::Absent } else { Known::Present });
                if (0..d - 1).all(|i| known[i] != wrong(i)) {
                    set.clear();
                    set.extend((0..d - 1).filter(|&i| is(i)).map(|i| others[i]));
                    table[index] = priced.score(target, &set);
                }
                // The best parents within a set are the set itself or the best within a smaller one.
                for i in (0..d - 1).filter(|&i| is(i)) {
                    table[index] = table[index].min(table[index & !(1 << i)]);
                }
            }
            Ok(())
        })?;
        Ok(Self { d, scores })
    }

    /// The score of the best parents of `target` within `set`, which does not hold `target`.
    fn score(&self, target: usize, set: usize) -> f64 {
        let low = set & ((1 << target) - 1);
        let high = set >> (target + 1) << target;
        self.scores[(target << (self.d - 1)) + (low | high)]
    }

    /// The smallest set within `set` that has the best score: variables are left out, the last
    /// first, while the score stays the same.
    fn choose(&self, target: usize, mut set: usize) -> Vec<usize> {
        let best = self.score(target, set);
        let members: Vec<usize> = (0..self.d).filter(|i| set >> i & 1 == 1).collect();
        for i in members.into_iter().rev() {
            if self.score(target, set & !(1 << i)) == best {
                set &= !(1 << i);
            }
        }
        (0..self.d).filter(|i| set >> i & 1 == 1).collect()
    }
}

/// What turns a residual variance into a score.
struct Scorer {
    /// Rounding level of each variable's variance, in the order of decision, the target last.
    floor: Vec<f64>,
    /// Whether each variable is known to be a parent, or not to be one.
    known: Vec<Option<Known>>,
    score: ExactScore,
    rows: f64,
    penalty: f64,
}

impl Scorer {
    fn score(&self, variance: f64, parents: usize) -> f64 {
        match self.score {
            ExactScore::LeastSquares => variance,
            ExactScore::Bic => self.rows * variance.ln() + self.penalty * parents as f64,
        }
    }
}

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Present,
    Absent,
}

impl Known {
    fn of(knowledge: &Knowledge, from: usize, to: usize) -> Option<Self> {
        if knowledge.requires(from, to) {
            return Some(Self::Present);
        }
        (!knowledge.allows(from, to)).then_some(Self::Absent)
    }
}

/// Fills `table` with the score of the best parents within each set of the undecided variables, on
/// top of those `taken` in already: a depth-first walk with one Schur complement step per set.
///
/// `levels[0]` holds the covariances given the variables taken in, of the variables that were
/// undecided when it was made, in the order of decision, and of the target. The first `skipped` of
/// them have been left out since.
fn fill(
    table: &mut [f64],
    levels: &mut [Mat<f64>],
    skipped: usize,
    taken: usize,
    scorer: &Scorer,
    report: &impl Fn(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let undecided = table.len().trailing_zeros() as usize;
    let decided = scorer.floor.len() - 1 - undecided;
    if undecided == 0 {
        let variance = levels[0][(skipped, skipped)].max(scorer.floor[decided]);
        table[0] = scorer.score(variance, taken);
        return Continue(());
    }
    let half = table.len() / 2;
    let (without, with) = table.split_at_mut(half);
    let known = scorer.known[decided];
    let finish = || if 2 * half == REPORT { report(REPORT) } else { Continue(()) };
    let skip = || if half >= REPORT { report(half) } else { Continue(()) };
    if known == Some(Known::Present) {
        without.fill(f64::INFINITY);
        skip()?;
    } else {
        fill(without, levels, skipped + 1, taken, scorer, report)?;
    }
    if known == Some(Known::Absent) {
        with.copy_from_slice(without);
        skip()?;
        return finish();
    }

    let (here, rest) = levels.split_first_mut().expect("a level for each variable taken in");
    let pivot_column = &here.col_as_slice(skipped)[skipped..];
    // A variable that is a combination of those taken in before tells nothing new.
    let pivot = pivot_column[0];
    let inverse = if pivot > scorer.floor[decided] { 1.0 / pivot } else { 0.0 };
    for j in 0..undecided {
        let factor = pivot_column[1 + j] * inverse;
        let old = &here.col_as_slice(skipped + 1 + j)[skipped + 1..];
        let new = &mut rest[0].col_as_slice_mut(j)[..undecided];
        for ((new, old), pivot) in new.iter_mut().zip(old).zip(&pivot_column[1..]) {
            *new = old - factor * pivot;
        }
    }
    fill(with, rest, 0, taken + 1, scorer, report)?;

    // The best parents within a set are the set itself or the best within a smaller one.
    for (with, without) in with.iter_mut().zip(without) {
        if *without < *with {
            *with = *without;
        }
    }
    finish()
}

/// The best order, found from its end; among equally good variables the one with the largest index
/// comes last.
fn best_order(
    problem: &Problem,
    parents: &BestParents,
    run: &Run<'_>,
) -> Result<Vec<usize>, Error> {
    let size = 1usize << parents.d;
    let mut best = reserve(size)?;
    best.push(0.0);
    // The sets of variables that must come before each variable.
    let before: Vec<usize> = (0..parents.d)
        .map(|j| problem.knowledge().predecessors(j).fold(0, |set, i| set | 1 << i))
        .collect();
    let before = &before;
    // The members of a set that can be its last.
    let members =
        |set: usize| (0..parents.d).filter(move |&j| set >> j & 1 == 1 && before[j] & !set == 0);
    let score = |best: &[f64], set: usize, j: usize| {
        let before = set & !(1 << j);
        best[before] + parents.score(j, before)
    };
    for set in 1..size {
        best.push(members(set).map(|j| score(&best, set, j)).fold(f64::INFINITY, f64::min));
        if (set + 1) % REPORT.min(size) == 0 {
            let (stage, done, total) = ("trying all orders", set as u64 + 1, Some(size as u64));
            run.step(Progress { stage, done, total, objective: None })?;
        }
    }
    let mut order = Vec::with_capacity(parents.d);
    let mut set = size - 1;
    while set != 0 {
        // Graphs that say the same score the same up to rounding.
        let as_good = |&j: &usize| {
            let before = best[set & !(1 << j)];
            let rounding = pivot_floor(parents.d) * (before.abs() + best[set].abs());
            before.is_finite() && score(&best, set, j) <= best[set] + rounding
        };
        let last = members(set).rfind(as_good).unwrap_or(set.ilog2() as usize);
        order.push(last);
        set &= !(1 << last);
    }
    order.reverse();
    Ok(order)
}
