//! Fits on one table: the best parents of a variable among candidates, by a sum of curves or by a
//! network, whichever costs less.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::fit::{Fitter, is_odd};
use crate::core::{Dataset, Error, FitKind, FitTable, Fitted, Run, Wanted};
use crate::math::entropy::negentropy;
use crate::math::networks::Rows;
use crate::methods::cam::{Chosen, Curves};

/// Inputs of a network at most. Where there are more candidates, those that help most in a sum of
/// curves; a variable with more parents than this has no network.
pub(super) const WIDE: usize = 20;

/// Rows on which a fit is tried first, where there are more than twice as many.
const SAMPLE: usize = 1000;

/// Fits on one table, for a search that is elsewhere.
///
/// ```
/// use nocurl::methods::nonlinear::Fits;
/// use nocurl::{FitKind, FitTable, Mat, Run, Wanted};
/// let noise = |i: usize| (i as f64 * 0.618).fract() - 0.5;
/// let x = |i: usize| (i as f64 * 0.414).fract() * 4.0 - 2.0;
/// let values = Mat::from_fn(300, 2, |i, j| if j == 0 { x(i) } else { x(i) * x(i) + noise(i) });
/// let fits = Fits::new(&FitTable::new(values, [], 0)?, &Run::default())?;
/// let wanted = Wanted { kind: FitKind::All, target: 1, candidates: vec![0] };
/// assert_eq!(fits.fit(&wanted, &Run::default())?.parents, [0]);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub struct Fits<'a> {
    all: Class<'a>,
    /// The same on some of the rows, where there are many.
    some: Option<Class<'a>>,
}

/// Both kinds of fits on some rows.
struct Class<'a> {
    rows: Cow<'a, Dataset>,
    curves: Curves,
    networks: Fitter,
    /// Whether waves are tried: not on small tables, where one fits about as well as a curve, in
    /// either direction.
    waves: bool,
}

impl Fits<'static> {
    /// Fits on a table. What all of them need is made here, on several threads.
    ///
    /// # Errors
    /// [`Error::Cancelled`], [`Error::TooManyColumns`].
    pub fn new(table: &FitTable, run: &Run<'_>) -> Result<Self, Error> {
        let (data, required) = (Cow::Owned(table.data().clone()), table.required());
        Fits::of(data, required, table.seed(), run)
    }
}

impl<'a> Fits<'a> {
    pub(super) fn of(
        data: Cow<'a, Dataset>,
        required: &BTreeSet<(usize, usize)>,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let n = data.values().nrows();
        let waves = n > 2 * SAMPLE;
        let class = |data: Cow<'a, Dataset>| -> Result<Class<'a>, Error> {
            let rows = Rows::standardised(&data).coarse();
            let networks = Fitter::new(rows, required.clone(), seed);
            Ok(Class { curves: Curves::new(&data, run)?, networks, rows: data, waves })
        };
        let some = if waves {
            let mut counts = vec![0; n];
            (0..SAMPLE).for_each(|k| counts[k * n / SAMPLE] = 1);
            Some(class(Cow::Owned(data.sample(&counts)))?)
        } else {
            None
        };
        Ok(Self { all: class(data)?, some })
    }

    /// Whether there are rows enough for fits on some of them.
    pub(super) fn tries_some(&self) -> bool {
        self.some.is_some()
    }

    /// Curves on all rows.
    pub(super) fn curves(&self) -> &Curves {
        &self.all.curves
    }

    /// One fit. Depends on the table and on what is wanted alone.
    ///
    /// # Errors
    /// [`Error::ForeignFits`] where it cannot be one of this table, [`Error::Cancelled`].
    pub fn fit(&self, wanted: &Wanted, run: &Run<'_>) -> Result<Fitted, Error> {
        let Wanted { kind, target, candidates } = wanted;
        if !wanted.is_of(self.all.rows.names().len()) {
            return Err(Error::ForeignFits);
        }
        match kind {
            FitKind::All => self.all.fit_variable(*target, candidates, run),
            FitKind::Some => {
                let some = self.some.as_ref().ok_or(Error::ForeignFits)?;
                some.fit_variable(*target, candidates, run)
            }
            FitKind::Curves => {
                let Chosen { parents, score, .. } = self.all.curves_of(*target, candidates);
                Ok(Fitted { parents, score, shape: 0.0, network: false })
            }
        }
    }
}

impl Class<'_> {
    fn curves_of(&self, target: usize, candidates: &[usize]) -> Chosen {
        let required = |i| self.networks.is_required(i, target);
        self.curves.fit(target, candidates, required, self.curves.strict())
    }

    /// The parents of a variable among candidates, by curves or by a network. Depends on the rows,
    /// the two and the seed alone.
    fn fit_variable(
        &self,
        target: usize,
        candidates: &[usize],
        run: &Run<'_>,
    ) -> Result<Fitted, Error> {
        let chosen = self.curves_of(target, candidates);
        let left = self.curves.residuals(&self.rows, &chosen);
        let wave = match self.waves {
            true => self.wave(target, candidates, &chosen, &left, run)?,
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
            Some(inputs) => self.networks.fit(target, &inputs, best.score, run)?,
            None => None,
        };
        Ok(network.unwrap_or(best))
    }

    /// The better of the waves along the line through the parents and in any other direction.
    fn wave(
        &self,
        target: usize,
        candidates: &[usize],
        chosen: &Chosen,
        left: &[f64],
        run: &Run<'_>,
    ) -> Result<Option<Fitted>, Error> {
        let harmonics = self.networks.harmonics(run);
        let required = |i| self.networks.is_required(i, target);
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
