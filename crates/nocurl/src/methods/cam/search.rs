//! Greedy search for the order: edges are added, the best first, while there is no cycle.

use super::design::Design;
use super::fit::{Additive, Candidate};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Error, Knowledge, Progress, Run};

/// The fits of all variables on the parents they were given.
pub(super) struct Search<'a> {
    design: &'a Design,
    pub(super) fits: Vec<Additive>,
    /// For each variable, the parents it may still be given and what they bring.
    open: Vec<Vec<(usize, Candidate)>>,
    reaches: Vec<Vec<bool>>,
    most: usize,
    /// Additive fits tried.
    pub(super) evaluations: u64,
    /// Edges added.
    pub(super) edges: u64,
}

/// Operations of trying a parent.
const TRY: f64 = 15_000.0;

impl<'a> Search<'a> {
    /// Scores every edge from `allowed[j]` to `j`; no variable will have more than `most` parents.
    pub(super) fn new(
        design: &'a Design,
        allowed: Vec<Vec<usize>>,
        most: usize,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let d = design.variables();
        let progress = Counter::new("scoring single edges", d, run).of(TRY * d as f64);
        let fits: Vec<Additive> = (0..d).map(Additive::new).collect();
        let evaluations = allowed.iter().map(Vec::len).sum::<usize>() as u64;
        let open = fits
            .par_iter()
            .zip(allowed)
            .map(|(fit, allowed)| {
                let open = score(design, fit, allowed);
                progress.add(1).map(|()| open)
            })
            .collect::<Result<_, Error>>()?;
        let reaches = (0..d).map(|i| (0..d).map(|j| i == j).collect()).collect();
        Ok(Self { design, fits, open, reaches, most, evaluations, edges: 0 })
    }

    /// Puts in the edges that must be there and closes those against the order that is known.
    pub(super) fn start_from(&mut self, knowledge: &Knowledge) {
        let d = self.reaches.len();
        for i in 0..d {
            (0..d)
                .filter(|&j| knowledge.must_precede(i, j))
                .for_each(|j| self.reaches[i][j] = true);
        }
        for (parent, child) in knowledge.required_edges() {
            self.evaluations += 1;
            let candidate = self.fits[child].try_parent(self.design, parent);
            if candidate.is_some_and(|c| self.fits[child].add(self.design, parent, c.lambda)) {
                self.close(parent, child);
            }
            self.rescore(child, parent);
        }
    }

    /// Adds edges until none is left that would not close a cycle.
    pub(super) fn run(&mut self, run: &Run<'_>) -> Result<(), Error> {
        while let Some((parent, child, lambda)) = self.best() {
            if self.fits[child].add(self.design, parent, lambda) {
                self.close(parent, child);
            }
            let before = self.evaluations;
            self.rescore(child, parent);
            run.worked(TRY * (self.evaluations - before) as f64);
            let left = self.open.iter().map(Vec::len).sum::<usize>() as u64;
            let (done, total) = (self.edges, Some(self.edges + left));
            let stage = "searching the order";
            run.step(Progress { stage, done, total, objective: None })?;
        }
        Ok(())
    }

    /// The open edge with the largest gain, the first one among equals.
    fn best(&self) -> Option<(usize, usize, f64)> {
        self.open
            .iter()
            .enumerate()
            .flat_map(|(child, open)| open.iter().map(move |&(parent, c)| (parent, child, c)))
            .reduce(|best, next| if next.2.gain > best.2.gain { next } else { best })
            .map(|(parent, child, candidate)| (parent, child, candidate.lambda))
    }

    /// Takes note of a new edge: edges that would now close a cycle are no longer open.
    fn close(&mut self, parent: usize, child: usize) {
        self.edges += 1;
        let d = self.reaches.len();
        let below: Vec<usize> = (0..d).filter(|&j| self.reaches[child][j]).collect();
        for i in 0..d {
            if self.reaches[i][parent] {
                below.iter().for_each(|&j| self.reaches[i][j] = true);
            }
        }
        for (j, open) in self.open.iter_mut().enumerate() {
            open.retain(|&(i, _)| !self.reaches[j][i]);
        }
    }

    /// Scores the edges into `child` anew, all but the one from `tried`.
    fn rescore(&mut self, child: usize, tried: usize) {
        let open = std::mem::take(&mut self.open[child]);
        if self.fits[child].parents().len() >= self.most {
            return;
        }
        let left: Vec<usize> = open.into_iter().map(|(i, _)| i).filter(|&i| i != tried).collect();
        self.evaluations += left.len() as u64;
        self.open[child] = score(self.design, &self.fits[child], left);
    }
}

/// What each of these parents would bring; those that bring nothing are left out.
fn score(design: &Design, fit: &Additive, parents: Vec<usize>) -> Vec<(usize, Candidate)> {
    let scored: Vec<Option<(usize, Candidate)>> = parents
        .into_par_iter()
        .map(|i| fit.try_parent(design, i).map(|candidate| (i, candidate)))
        .collect();
    scored.into_iter().flatten().collect()
}
