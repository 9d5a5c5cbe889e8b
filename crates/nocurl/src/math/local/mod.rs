//! How well a variable is explained by a set of parents, for variables of every kind.

mod blocks;
mod experimental;
mod ladder;
mod multinomial;

use std::fmt::Debug;

use crate::math::{Price, Problem};

pub(crate) use blocks::Blocks;
pub(crate) use experimental::Experimental;
pub(crate) use ladder::{Ladder, Rung};
pub(crate) use multinomial::Multinomial;

/// The Gaussian likelihood of a problem that is not plain.
pub(crate) fn gaussian(problem: &Problem) -> Box<dyn Local + '_> {
    match problem.experiments() {
        Some(experiments) => Box::new(Experimental(experiments)),
        None => Box::new(Blocks::new(problem)),
    }
}

/// The fit of one variable given some others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// Minus twice the log-likelihood, up to a constant of the variable.
    pub(crate) deviance: f64,
    /// Parameters that the parents add.
    pub(crate) freedom: f64,
}

/// A likelihood that is a product over variables given their parents. Graphs that independences
/// cannot tell apart have the same deviance and the same freedom in sum.
pub(crate) trait Local: Sync + Debug {
    /// Number of variables.
    fn size(&self) -> usize;

    /// Number of rows.
    fn rows(&self) -> f64;

    /// Number of rows that a variable is explained by.
    fn rows_of(&self, _variable: usize) -> f64 {
        self.rows()
    }

    /// Operations of a fit, about.
    fn operations(&self) -> f64 {
        1000.0
    }

    /// Deviances cannot be smaller than this.
    fn least(&self) -> f64;

    /// The blocks of columns, where it is their Gaussian law of all rows: fits to sets that differ by
    /// little are then quicker by a [`Ladder`].
    fn blocks(&self) -> Option<&Blocks> {
        None
    }

    /// Parameters that parents add, where none of them repeats others.
    fn freedom(&self, variable: usize, parents: &[usize]) -> f64;

    /// The fit given parents, in any order, each once.
    fn fit(&self, variable: usize, parents: &[usize]) -> Fit;

    /// The fits given the parents and one of the candidates each, where `pays` says of the
    /// parameters in all that it may be worth the while.
    fn fits_with(
        &self,
        variable: usize,
        parents: &[usize],
        candidates: &[usize],
        pays: &dyn Fn(f64) -> bool,
        see: &mut dyn FnMut(usize, Fit),
    ) {
        let mut set = parents.to_vec();
        for &candidate in candidates {
            set.push(candidate);
            if pays(self.freedom(variable, &set)) {
                see(candidate, self.fit(variable, &set));
            }
            set.pop();
        }
    }

    /// The share of what is left of a variable that one of its parents removes given the others:
    /// `1 - exp(-gain / n)` for the deviance that it gains, between 0 and 1. Between two numbers
    /// this is the squared partial correlation.
    fn strength(&self, variable: usize, parents: &[usize], parent: usize) -> f64 {
        let others: Vec<usize> = parents.iter().copied().filter(|&other| other != parent).collect();
        let gain = self.fit(variable, &others).deviance - self.fit(variable, parents).deviance;
        -(-gain.max(0.0) / self.rows_of(variable)).exp_m1()
    }
}

/// A likelihood with what an edge costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Priced<'a> {
    pub(crate) local: &'a dyn Local,
    pub(crate) price: Price,
}

impl Priced<'_> {
    /// The score of a fit to so many parents: the smaller, the better.
    pub(crate) fn of(&self, fit: Fit, parents: usize) -> f64 {
        fit.deviance + self.costs(fit.freedom, parents)
    }

    fn costs(&self, freedom: f64, parents: usize) -> f64 {
        self.price.parameter * freedom + self.price.edge * parents as f64
    }

    /// The score of a variable with these parents.
    pub(crate) fn score(&self, variable: usize, parents: &[usize]) -> f64 {
        self.of(self.local.fit(variable, parents), parents.len())
    }

    /// The scores with one more parent each, of those candidates that could score below `bound`.
    pub(crate) fn scores_with(
        &self,
        variable: usize,
        parents: &[usize],
        candidates: &[usize],
        bound: f64,
        see: &mut dyn FnMut(usize, f64),
    ) {
        let (least, edges) = (self.local.least(), parents.len() + 1);
        let pays = |freedom: f64| least + self.costs(freedom, edges) < bound;
        self.local.fits_with(variable, parents, candidates, &pays, &mut |candidate, fit| {
            see(candidate, self.of(fit, edges));
        });
    }
}
