//! Fits on one table, each done once: here, or elsewhere by whoever the run has for that.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::fits::Fits;
use super::known::Known;
use crate::core::parallel::*;
use crate::core::{Dataset, Error, FitKind, FitTable, Fitted, Fitters, Progress, Run, Wanted};
use crate::math::Problem;

/// Fits on one table.
pub(super) struct Local<'a> {
    fits: Fits<'a>,
    known: Known<'a>,
    elsewhere: Option<Elsewhere<'a>>,
    run: &'a Run<'a>,
}

/// Who does fits elsewhere, and which of them a search lacks.
struct Elsewhere<'a> {
    fitters: &'a dyn Fitters,
    table: Arc<FitTable>,
    lacking: Mutex<BTreeSet<Wanted>>,
}

/// Why there is no fit.
#[derive(Debug)]
pub(super) enum Halt {
    /// It is to be done elsewhere first.
    Lacking,
    Error(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl<'a> Local<'a> {
    pub(super) fn new(
        problem: &Problem,
        data: &'a Dataset,
        seed: u64,
        run: &'a Run<'a>,
    ) -> Result<Self, Error> {
        let (d, knowledge) = (problem.size(), problem.knowledge());
        let pairs = (0..d).flat_map(|i| (0..d).map(move |j| (i, j)));
        let required: BTreeSet<(usize, usize)> =
            pairs.filter(|&(i, j)| knowledge.requires(i, j)).collect();
        let elsewhere = |fitters| -> Result<Elsewhere<'a>, Error> {
            let values = data.values().to_owned();
            let table = Arc::new(FitTable::new(values, required.iter().copied(), seed)?);
            Ok(Elsewhere { fitters, table, lacking: Mutex::default() })
        };
        Ok(Self {
            elsewhere: run.fitters().map(elsewhere).transpose()?,
            fits: Fits::of(Cow::Borrowed(data), &required, seed, run)?,
            known: Known::open(run, d)?,
            run,
        })
    }

    /// Fits on all rows that were asked for so far.
    pub(super) fn count(&self) -> u64 {
        self.known.asked()
    }

    /// Keeps what was fitted.
    pub(super) fn keep(&self) {
        self.known.keep();
    }

    /// What `f` makes of each item, on several threads.
    ///
    /// Where fits are done elsewhere, `f` only gathers those that it lacks at first, and is called
    /// anew for every item once they have come, until none is lacking.
    pub(super) fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        f: impl Fn(&T) -> Result<R, Halt> + Sync,
    ) -> Result<Vec<R>, Error> {
        loop {
            let found: Vec<Result<R, Halt>> = items.par_iter().map(&f).collect();
            match found.into_iter().collect() {
                Ok(found) => return Ok(found),
                Err(Halt::Error(error)) => return Err(error),
                Err(Halt::Lacking) => self.fetch()?,
            }
        }
    }

    /// Has the fits that are lacking done.
    fn fetch(&self) -> Result<(), Error> {
        let Some(elsewhere) = &self.elsewhere else { return Ok(()) };
        let wanted: Vec<Wanted> = elsewhere.take().into_iter().collect();
        let fitted = elsewhere.fitters.fit(&elsewhere.table, &wanted)?;
        let answers = fitted.iter().zip(&wanted).all(|(fitted, wanted)| fitted.answers(wanted));
        if fitted.len() != wanted.len() || !answers {
            return Err(Error::ForeignFits);
        }
        wanted
            .into_iter()
            .zip(fitted)
            .for_each(|(wanted, fitted)| self.known.learn(wanted, fitted));
        self.known.keep_when_due();
        self.step()
    }

    /// The parents of a variable on some of the rows; none where fits on all rows are quick too.
    pub(super) fn quick(
        &self,
        target: usize,
        candidates: &[usize],
    ) -> Result<Option<Fitted>, Halt> {
        match self.fits.tries_some() {
            true => self.found(FitKind::Some, target, candidates).map(Some),
            false => Ok(None),
        }
    }

    /// The parents of a variable with curves as effects, and those of the candidates whose curves
    /// are too faint for the search but not by chance.
    pub(super) fn with_faint(
        &self,
        target: usize,
        parents: &[usize],
        candidates: &[usize],
    ) -> Vec<usize> {
        let curves = self.fits.curves();
        let stays = |i| parents.contains(&i);
        curves.fit(target, candidates, stays, curves.lenient()).parents
    }

    /// What a variable costs with a sum of curves.
    pub(super) fn curves(&self, target: usize, candidates: &[usize]) -> Result<f64, Halt> {
        Ok(self.found(FitKind::Curves, target, candidates)?.score)
    }

    /// The parents of `target` among `candidates`, which are in rising order.
    pub(super) fn fit(&self, target: usize, candidates: &[usize]) -> Result<Fitted, Halt> {
        let fitted = self.found(FitKind::All, target, candidates)?;
        self.known.keep_when_due();
        self.step()?;
        Ok(fitted)
    }

    /// Reports how many fits there are; where they are done elsewhere they are reported there.
    fn step(&self) -> Result<(), Error> {
        if self.elsewhere.is_some() {
            return if self.run.is_stopped() { Err(Error::Cancelled) } else { Ok(()) };
        }
        let (stage, done) = ("fitting networks", self.count());
        self.run.step(Progress { stage, done, total: None, objective: None })
    }

    /// A fit that is known, or is done now.
    fn found(&self, kind: FitKind, target: usize, candidates: &[usize]) -> Result<Fitted, Halt> {
        let wanted = Wanted { kind, target, candidates: candidates.to_vec() };
        if let Some(fitted) = self.known.recall(&wanted) {
            return Ok(fitted);
        }
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.want(wanted);
            return Err(Halt::Lacking);
        }
        // Fits of others go on meanwhile; the same one may be done twice, with the same result.
        let fitted = self.fits.fit(&wanted, &self.run.quiet())?;
        Ok(self.known.asked_for(wanted, fitted))
    }
}

impl Elsewhere<'_> {
    fn want(&self, wanted: Wanted) {
        self.lacking.lock().unwrap_or_else(PoisonError::into_inner).insert(wanted);
    }

    fn take(&self) -> BTreeSet<Wanted> {
        std::mem::take(&mut *self.lacking.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
