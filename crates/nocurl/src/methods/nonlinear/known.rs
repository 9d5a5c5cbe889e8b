//! What was fitted before: a fit depends on the variable and its candidates alone, so a search that
//! was stopped goes through its decisions again with the fits that it has.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fit::Fitted;
use crate::core::{Error, Keeper, Run, TrainingState, unfit};

/// A variable, its candidates, and what came out.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Entry {
    target: usize,
    candidates: Vec<usize>,
    fitted: Fitted,
}

impl Entry {
    /// Whether it can be one of a table with so many variables.
    fn is_of(&self, variables: usize) -> bool {
        let rising = |list: &[usize]| list.windows(2).all(|pair| pair[0] < pair[1]);
        let Self { target, candidates, fitted } = self;
        *target < variables
            && rising(candidates)
            && rising(&fitted.parents)
            && candidates.iter().all(|&i| i < variables && i != *target)
            && fitted.parents.iter().all(|parent| candidates.binary_search(parent).is_ok())
            && fitted.score.is_finite()
            && fitted.shape.is_finite()
    }
}

/// All fits, as they are kept.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Journal {
    /// On all rows.
    fits: Vec<Entry>,
    /// On some of them.
    tried: Vec<Entry>,
}

type Fits = BTreeMap<(usize, Vec<usize>), Fit>;

struct Fit {
    fitted: Fitted,
    /// Whether this run has asked for it.
    asked: bool,
}

/// Fits that need not be done again.
pub(super) struct Known<'a> {
    keeper: Option<&'a dyn Keeper>,
    fits: Mutex<(Fits, u64)>,
    tried: Mutex<(Fits, u64)>,
}

impl<'a> Known<'a> {
    /// Starts from what the keeper of the run has, if that is of a table with so many variables.
    pub(super) fn open(run: &Run<'a>, variables: usize) -> Result<Self, Error> {
        let keeper = run.keeper();
        let journal: Journal = match keeper.and_then(Keeper::state) {
            None => Journal::default(),
            Some(state) => state.decode()?,
        };
        let mut all = journal.fits.iter().chain(&journal.tried);
        if !all.all(|entry| entry.is_of(variables)) {
            return Err(unfit());
        }
        let known = |entries: Vec<Entry>| {
            let entries = entries.into_iter();
            let fit = |Entry { target, candidates, fitted }| {
                ((target, candidates), Fit { fitted, asked: false })
            };
            Mutex::new((entries.map(fit).collect(), 0))
        };
        Ok(Self { keeper, fits: known(journal.fits), tried: known(journal.tried) })
    }

    /// A fit on all rows, done now where it is not known.
    pub(super) fn fitted(
        &self,
        target: usize,
        candidates: &[usize],
        fit: impl FnOnce() -> Result<Fitted, Error>,
    ) -> Result<Fitted, Error> {
        let fitted = found(&self.fits, target, candidates, fit)?;
        if self.keeper.is_some_and(Keeper::is_due) {
            self.keep();
        }
        Ok(fitted)
    }

    /// The same on some of the rows.
    pub(super) fn tried(
        &self,
        target: usize,
        candidates: &[usize],
        fit: impl FnOnce() -> Result<Fitted, Error>,
    ) -> Result<Fitted, Error> {
        found(&self.tried, target, candidates, fit)
    }

    /// Fits on all rows that this run has asked for, whoever did them.
    pub(super) fn asked(&self) -> u64 {
        lock(&self.fits).1
    }

    /// Keeps all fits.
    pub(super) fn keep(&self) {
        let Some(keeper) = self.keeper else { return };
        let entries = |fits: &Mutex<(Fits, u64)>| -> Vec<Entry> {
            let fits = lock(fits);
            let entry = |((target, candidates), fit): (&(usize, Vec<usize>), &Fit)| Entry {
                target: *target,
                candidates: candidates.clone(),
                fitted: fit.fitted.clone(),
            };
            fits.0.iter().map(entry).collect()
        };
        let journal = Journal { fits: entries(&self.fits), tried: entries(&self.tried) };
        let done = format!("{} fits", journal.fits.len());
        keeper.keep(&TrainingState::new(done, &journal));
    }
}

fn found(
    fits: &Mutex<(Fits, u64)>,
    target: usize,
    candidates: &[usize],
    fit: impl FnOnce() -> Result<Fitted, Error>,
) -> Result<Fitted, Error> {
    let key = (target, candidates.to_vec());
    {
        let (fits, asked) = &mut *lock(fits);
        if let Some(known) = fits.get_mut(&key) {
            *asked += u64::from(!known.asked);
            known.asked = true;
            return Ok(known.fitted.clone());
        }
    }
    // Fits of others go on meanwhile; the same one may be done twice, with the same result.
    let fitted = fit()?;
    let (fits, asked) = &mut *lock(fits);
    let new = Fit { fitted: fitted.clone(), asked: true };
    if fits.insert(key, new).is_none_or(|known| !known.asked) {
        *asked += 1;
    }
    Ok(fitted)
}

fn lock(fits: &Mutex<(Fits, u64)>) -> MutexGuard<'_, (Fits, u64)> {
    fits.lock().unwrap_or_else(PoisonError::into_inner)
}
