//! The best parents of a variable among candidates: by a sum of curves or by a network, whichever
//! costs less.

use std::borrow::Cow;

use super::fit::{Fitted, Fitter, is_odd};
use super::known::Known;
use crate::core::{Dataset, Error, Progress, Run};
use crate::math::Problem;
use crate::math::entropy::negentropy;
use crate::math::networks::Rows;
use crate::methods::cam::{Chosen, Curves};

/// Inputs of a network at most. Where there are more candidates, those that help most in a sum of
/// curves; a variable with more parents than this has no network.
pub(super) const WIDE: usize = 20;

/// Rows on which a fit is tried first, where there are more than twice as many.
const SAMPLE: usize = 1000;

/// Fits on one table, each done once.
pub(super) struct Local<'a> {
    problem: &'a Problem,
    all: Class<'a>,
    /// The same on some of the rows, where there are many.
    some: Option<Class<'a>>,
    known: Known<'a>,
    run: &'a Run<'a>,
}

/// Both kinds of fits on some rows.
struct Class<'a> {
    rows: Cow<'a, Dataset>,
    curves: Curves,
    networks: Fitter<'a>,
    /// Whether waves are tried: not on small tables, where one fits about as well as a curve, in
    /// either direction.
    waves: bool,
}

impl<'a> Local<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        data: &'a Dataset,
        seed: u64,
        run: &'a Run<'a>,
    ) -> Result<Self, Error> {
        let n = data.values().nrows();
        let waves = n > 2 * SAMPLE;
        let class = |data: Cow<'a, Dataset>| -> Result<Class<'a>, Error> {
            let rows = Rows::standardised(&data).coarse();
            let networks = Fitter::new(problem, rows, seed, run.quiet());
            Ok(Class { curves: Curves::new(&data, run)?, networks, rows: data, waves })
        };
        let some = if waves {
            let mut counts = vec![0; n];
            (0..SAMPLE).for_each(|k| counts[k * n / SAMPLE] = 1);
            Some(class(Cow::Owned(data.sample(&counts)))?)
        } else {
            None
        };
        let all = class(Cow::Borrowed(data))?;
        Ok(Self { problem, all, some, known: Known::open(run, problem.size())?, run })
    }

    /// Fits on all rows that were asked for so far.
    pub(super) fn count(&self) -> u64 {
        self.known.asked()
    }

    /// Keeps what was fitted.
    pub(super) fn keep(&self) {
        self.known.keep();
    }

    /// The parents of a variable on some of the rows; none where fits on all rows are quick too.
    pub(super) fn quick(
        &self,
        target: usize,
        candidates: &[usize],
    ) -> Result<Option<Fitted>, Error> {
        let Some(some) = &self.some else { return Ok(None) };
        let fit = || some.fit_variable(self.problem, target, candidates);
        self.known.tried(target, candidates, fit).map(Some)
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
    pub(super) fn fit(&self, target: usize, candidates: &[usize]) -> Result<Fitted, Error> {
        let fit = || self.all.fit_variable(self.problem, target, candidates);
        let fitted = self.known.fitted(target, candidates, fit)?;
        let (stage, done) = ("fitting networks", self.count());
        self.run.step(Progress { stage, done, total: None, objective: None })?;
        Ok(fitted)
    }
}

impl Class<'_> {
    fn curves_of(&self, problem: &Problem, target: usize, candidates: &[usize]) -> Chosen {
        let required = |i| problem.knowledge().requires(i, target);
        self.curves.fit(target, candidates, required, self.curves.strict())
    }

    /// The parents of a variable among candidates, by curves or by a network. Depends on the rows,
    /// the two and the seed alone.
    fn fit_variable(
        &self,
        problem: &Problem,
        target: usize,
        candidates: &[usize],
    ) -> Result<Fitted, Error> {
        let chosen = self.curves_of(problem, target, candidates);
        let left = self.curves.residuals(&self.rows, &chosen);
        let wave = match self.waves {
            true => self.wave(problem, target, candidates, &chosen, &left)?,
            false => None,
        };
        let shape = -2.0 * left.len() as f64 * negentropy(left);
        let smooth = Fitted { parents: chosen.parents, score: chosen.score, shape, network: false };
        let best = match wave {
            Some(wave) if wave.score < smooth.score => wave,
            _ => smooth,
        };
        // A wave that leaves normal residuals is all there is to find.
        if best.network && !is_odd(&best) {
            return Ok(best);
        }
        let parents = &best.parents;
        let network = match self.inputs(target, candidates, parents) {
            Some(inputs) => self.networks.fit(target, &inputs, best.score)?,
            None => None,
        };
        Ok(network.unwrap_or(best))
    }

    /// The better of the waves along the line through the parents and in any other direction.
    fn wave(
        &self,
        problem: &Problem,
        target: usize,
        candidates: &[usize],
        chosen: &Chosen,
        left: &[f64],
    ) -> Result<Option<Fitted>, Error> {
        let harmonics = self.networks.harmonics();
        let required = |i| problem.knowledge().requires(i, target);
        let line = harmonics.along_line(target, &chosen.parents, candidates, WIDE);
        let known: Vec<usize> = candidates.iter().copied().filter(|&i| required(i)).collect();
        let along = match line {
            Some(wave) => harmonics.fit(target, &wave, &known, candidates, &required)?,
            None => None,
        };
        if along.as_ref().is_some_and(|fitted| fitted.score < chosen.score && !is_odd(fitted)) {
            return Ok(along);
        }
        let Some(wave) = harmonics.across(left, candidates)? else { return Ok(along) };
        if wave.inputs.len() + chosen.parents.len() > WIDE {
            return Ok(along);
        }
        let across = harmonics.fit(target, &wave, &chosen.parents, candidates, &required)?;
        let both = [along, across].into_iter().flatten();
        Ok(both.reduce(|best, next| if next.score < best.score { next } else { best }))
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
