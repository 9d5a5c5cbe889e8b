//! The Gaussian likelihood of experiments: every variable by the rows in which it is not set.

use super::blocks::Factor;
use super::{Fit, Local, Priced};
use crate::core::Knowledge;
use crate::math::Price;
use crate::math::experiments::{Experiments, View};

/// Below this share of its variance a column counts as determined by others.
const FLOOR: f64 = 1e-10;

/// So many candidates are worth a sweep over all columns.
const SWEPT: usize = 4;

/// As [`Blocks`](super::Blocks), with each variable by its own moments. The condition as a parent
/// takes out the mean of each condition, and costs a parameter for each but one. A condition with a
/// regression of its own (a soft intervention) adds its own coefficients.
#[derive(Debug)]
pub(crate) struct Experimental<'a>(pub(crate) &'a Experiments);

impl Experimental<'_> {
    fn condition(&self) -> usize {
        self.0.condition()
    }

    /// Whether the condition shifts a variable beside what its parents explain: whether an edge from
    /// it pays for itself.
    pub(crate) fn is_shifted(
        &self,
        variable: usize,
        parents: &[usize],
        price: Price,
        known: &Knowledge,
    ) -> bool {
        let condition = self.condition();
        let priced = Priced { local: self, price };
        let with: Vec<usize> = parents.iter().copied().chain([condition]).collect();
        variable != condition
            && known.allows(condition, variable)
            && priced.score(variable, &with) < priced.score(variable, parents)
    }

    /// The columns of a set of parents in one order, so that a set has one score.
    fn given(&self, parents: &[usize]) -> Vec<usize> {
        let mut set = parents.to_vec();
        set.sort_unstable();
        set.into_iter().flat_map(|parent| self.0.columns(parent)).collect()
    }

    /// The fit by the rows of one view.
    fn fit_in(&self, view: &View, variable: usize, given: &[usize], within: bool) -> Fit {
        let mut factor = Factor::default();
        let push = |factor: &mut Factor, column: usize| {
            let variance = view.variance(column, within);
            factor.push_with(column, variance, |other| self.0.entry(view, column, other, within))
        };
        given.iter().for_each(|&column| _ = push(&mut factor, column));
        let known = factor.len();
        let own = self.0.columns(variable);
        let log_det: f64 = own.clone().map(|column| push(&mut factor, column).ln()).sum();
        self.concluded(view, log_det, known, own.len(), within)
    }

    /// A fit of a log-determinant, unless it has more parameters than half of its rows: these would
    /// fit anything.
    fn concluded(
        &self,
        view: &View,
        log_det: f64,
        known: usize,
        width: usize,
        within: bool,
    ) -> Fit {
        let columns = known + if within { view.conditions() - 1 } else { 0 };
        let deviance = match known > 0 && 2.0 * columns as f64 > view.rows() {
            true => f64::INFINITY,
            false => view.rows() * log_det,
        };
        Fit { deviance, freedom: (columns * width) as f64 }
    }

    /// What is left of a variable of one column given parents, and with each further column.
    fn sweep(&self, view: &View, variable: usize, given: &[usize], within: bool) -> Sweep {
        let target = self.0.columns(variable).start;
        let m = self.0.width();
        let mut sweep = Sweep {
            rows: Vec::with_capacity(given.len() * m),
            variances: (0..m).map(|column| view.variance(column, within)).collect(),
            covariances: self.0.row(view, target, within).into_owned(),
            known: 0,
            left: view.variance(target, within),
        };
        for &column in given {
            sweep.push(&self.0.row(view, column, within), column, target);
        }
        sweep
    }
}

/// Rows of a factor over all columns.
struct Sweep {
    rows: Vec<f64>,
    variances: Vec<f64>,
    covariances: Vec<f64>,
    known: usize,
    left: f64,
}

impl Sweep {
    fn push(&mut self, correlations: &[f64], column: usize, target: usize) {
        let m = correlations.len();
        if self.variances[column] < FLOOR {
            return;
        }
        let start = self.rows.len();
        self.rows.extend_from_slice(correlations);
        let (known, row) = self.rows.split_at_mut(start);
        for earlier in known.chunks_exact(m) {
            let factor = earlier[column];
            row.iter_mut().zip(earlier).for_each(|(to, x)| *to -= factor * x);
        }
        let scale = 1.0 / self.variances[column].sqrt();
        row.iter_mut().for_each(|value| *value *= scale);
        let own = row[target];
        for ((value, variance), covariance) in
            row.iter().zip(&mut self.variances).zip(&mut self.covariances)
        {
            *variance -= value * value;
            *covariance -= value * own;
        }
        self.left -= own * own;
        self.known += 1;
    }

    /// The log of what is left with a further column, and the columns in all.
    fn with(&self, column: usize) -> (f64, usize) {
        let variance = self.variances[column];
        match variance < FLOOR {
            true => (self.left.max(FLOOR).ln(), self.known),
            false => {
                let more = self.covariances[column] * self.covariances[column] / variance;
                ((self.left - more).max(FLOOR).ln(), self.known + 1)
            }
        }
    }
}

fn sum(fits: impl Iterator<Item = Fit>) -> Fit {
    fits.fold(Fit { deviance: 0.0, freedom: 0.0 }, |sum, fit| Fit {
        deviance: sum.deviance + fit.deviance,
        freedom: sum.freedom + fit.freedom,
    })
}

impl Local for Experimental<'_> {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn rows(&self) -> f64 {
        self.0.rows()
    }

    fn rows_of(&self, variable: usize) -> f64 {
        self.0.view(variable).rows()
    }

    fn least(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn freedom(&self, variable: usize, parents: &[usize]) -> f64 {
        let given: usize = parents.iter().map(|&parent| self.0.columns(parent).len()).sum();
        let shifts = match parents.contains(&self.condition()) {
            true => self.0.view(variable).conditions() - 1,
            false => 0,
        };
        let own = self.0.own_views(variable).count();
        ((given * (1 + own) + shifts) * self.0.columns(variable).len()) as f64
    }

    fn fit(&self, variable: usize, parents: &[usize]) -> Fit {
        // Nothing acts on the condition.
        if variable == self.condition() {
            return Fit { deviance: 0.0, freedom: 0.0 };
        }
        let given = self.given(parents);
        let within = parents.contains(&self.condition());
        let own = self.0.own_views(variable).map(|view| self.fit_in(view, variable, &given, false));
        sum(own.chain([self.fit_in(self.0.view(variable), variable, &given, within)]))
    }

    fn fits_with(
        &self,
        variable: usize,
        parents: &[usize],
        candidates: &[usize],
        _: &dyn Fn(f64) -> bool,
        see: &mut dyn FnMut(usize, Fit),
    ) {
        let single = |v: usize| self.0.columns(v).len() == 1;
        let swept = candidates.len() > SWEPT && single(variable);
        let mut set = parents.to_vec();
        let mut fit_with = |candidate: usize| {
            set.push(candidate);
            let fit = self.fit(variable, &set);
            set.pop();
            fit
        };
        if !swept {
            candidates.iter().for_each(|&candidate| see(candidate, fit_with(candidate)));
            return;
        }
        let given = self.given(parents);
        let within = parents.contains(&self.condition());
        let main = self.0.view(variable);
        let views = self.0.own_views(variable).map(|view| (view, false)).chain([(main, within)]);
        let sweeps: Vec<(&View, bool, Sweep)> = views
            .map(|(view, within)| (view, within, self.sweep(view, variable, &given, within)))
            .collect();
        for &candidate in candidates {
            let fit = match single(candidate) {
                true => sum(sweeps.iter().map(|(view, within, sweep)| {
                    let (log_left, known) = sweep.with(self.0.columns(candidate).start);
                    self.concluded(view, log_left, known, 1, *within)
                })),
                false => fit_with(candidate),
            };
            see(candidate, fit);
        }
    }
}
