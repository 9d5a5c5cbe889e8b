//! The best parents of a variable among candidates: by a sum of curves or by a network, whichever
//! costs less.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fit::{Fitted, Fitter};
use crate::core::{Dataset, Error, Progress, Run};
use crate::math::Problem;
use crate::math::networks::Rows;
use crate::methods::cam::{Chosen, Curves};

/// Inputs of a network at most. Where there are more candidates, those that help most in a sum of
/// curves; a variable with more parents than this has no network.
const WIDE: usize = 20;

/// Rows on which a fit is tried first, where there are more than twice as many.
const SAMPLE: usize = 1000;

/// What was fitted before: a fit depends on the variable and its candidates alone.
type Known<T> = Mutex<BTreeMap<(usize, Vec<usize>), T>>;

/// Fits on one table, each done once.
pub(super) struct Local<'a> {
    problem: &'a Problem,
    all: Class<'a>,
    /// The same on some of the rows, where there are many.
    some: Option<Class<'a>>,
    fits: Known<Fitted>,
    tried: Known<f64>,
    run: &'a Run<'a>,
}

/// Both kinds of fits on some rows.
struct Class<'a> {
    curves: Curves,
    networks: Fitter<'a>,
}

impl<'a> Local<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        data: &Dataset,
        seed: u64,
        run: &'a Run<'a>,
    ) -> Result<Self, Error> {
        let class = |data: &Dataset| -> Result<Class<'a>, Error> {
            let networks =
                Fitter::new(problem, Rows::standardised(data).coarse(), seed, run.quiet());
            Ok(Class { curves: Curves::new(data, run)?, networks })
        };
        let n = data.values().nrows();
        let some = if n > 2 * SAMPLE {
            let mut counts = vec![0; n];
            (0..SAMPLE).for_each(|k| counts[k * n / SAMPLE] = 1);
            Some(class(&data.sample(&counts))?)
        } else {
            None
        };
        let all = class(data)?;
        Ok(Self { problem, all, some, fits: Mutex::default(), tried: Mutex::default(), run })
    }

    /// Fits on all rows so far.
    pub(super) fn count(&self) -> u64 {
        lock(&self.fits).len() as u64
    }

    /// What a variable costs on some of the rows; none where fits on all rows are quick too.
    pub(super) fn quick(&self, target: usize, candidates: &[usize]) -> Result<Option<f64>, Error> {
        let Some(some) = &self.some else { return Ok(None) };
        let key = (target, candidates.to_vec());
        let known = lock(&self.tried).get(&key).copied();
        if known.is_some() {
            return Ok(known);
        }
        let score = some.fit(self.problem, target, candidates)?.score;
        lock(&self.tried).insert(key, score);
        Ok(Some(score))
    }

    /// The parents of a variable with curves as effects, and those of the candidates whose curves
    /// are too faint for the search but not by chance.
    pub(super) fn with_faint(
        &self,
        target: usize,
        parents: &[usize],
        candidates: &[usize],
    ) -> Vec<usize> {
        let curves = &self.all.curves;
        let stays = |i| parents.contains(&i);
        curves.fit(target, candidates, stays, curves.lenient()).parents
    }

    /// What a variable costs with a sum of curves.
    pub(super) fn curves(&self, target: usize, candidates: &[usize]) -> f64 {
        self.all.curves_of(self.problem, target, candidates).score
    }

    /// The parents of `target` among `candidates`, which are in rising order.
    pub(super) fn fit(&self, target: usize, candidates: Vec<usize>) -> Result<Fitted, Error> {
        let key = (target, candidates);
        let known = lock(&self.fits).get(&key).cloned();
        if let Some(node) = known {
            return Ok(node);
        }
        let node = self.all.fit(self.problem, target, &key.1)?;
        let mut fits = lock(&self.fits);
        fits.insert(key, node.clone());
        let (stage, done) = ("fitting networks", fits.len() as u64);
        drop(fits);
        self.run.step(Progress { stage, done, total: None, objective: None })?;
        Ok(node)
    }
}

impl Class<'_> {
    fn curves_of(&self, problem: &Problem, target: usize, candidates: &[usize]) -> Fitted {
        let required = |i| problem.knowledge().requires(i, target);
        let Chosen { parents, score } =
            self.curves.fit(target, candidates, required, self.curves.strict());
        Fitted { parents, score, network: false }
    }

    /// The better of both.
    fn fit(&self, problem: &Problem, target: usize, candidates: &[usize]) -> Result<Fitted, Error> {
        let curves = self.curves_of(problem, target, candidates);
        let Some(inputs) = self.inputs(target, candidates, &curves.parents) else {
            return Ok(curves);
        };
        let network = self.networks.fit(target, &inputs, curves.score)?;
        Ok(network.unwrap_or(curves))
    }

    /// The candidates that a network is fitted on: those that help most in a sum of curves, where
    /// they are many. None where there are too many parents for a network.
    fn inputs(&self, target: usize, candidates: &[usize], parents: &[usize]) -> Option<Vec<usize>> {
        if candidates.len() <= WIDE {
            return Some(candidates.to_vec());
        }
        if parents.len() > WIDE {
            return None;
        }
        let mut kept = parents.to_vec();
        for i in self.curves.strongest(target, candidates) {
            if kept.len() < WIDE && !kept.contains(&i) {
                kept.push(i);
            }
        }
        kept.sort_unstable();
        Some(kept)
    }
}

fn lock<T>(known: &Known<T>) -> MutexGuard<'_, BTreeMap<(usize, Vec<usize>), T>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
