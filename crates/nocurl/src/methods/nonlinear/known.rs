//! What was fitted before: a fit depends on the variable and its candidates alone, so a search that
//! was stopped goes through its decisions again with the fits that it has.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::core::{Error, FitKind, Fitted, Keeper, Run, TrainingState, Wanted, unfit};

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
    fn of(wanted: &Wanted, fit: &Fit) -> Self {
        let Wanted { target, candidates, .. } = wanted.clone();
        Self { target, candidates, fitted: fit.fitted.clone() }
    }

    /// What was wanted and what came out, if it can be of a table with so many variables.
    fn read(self, kind: FitKind, variables: usize) -> Result<(Wanted, Fit), Error> {
        let Self { target, candidates, fitted } = self;
        let wanted = Wanted { kind, target, candidates };
        let finite = fitted.score.is_finite() && fitted.shape.is_finite();
        if wanted.is_of(variables) && fitted.answers(&wanted) && finite {
            return Ok((wanted, Fit { fitted, asked: false }));
        }
        Err(unfit())
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

struct Fit {
    fitted: Fitted,
    /// Whether this run has asked for it.
    asked: bool,
}

/// Fits that need not be done again.
pub(super) struct Known<'a> {
    keeper: Option<&'a dyn Keeper>,
    fits: Mutex<Fits>,
}

#[derive(Default)]
struct Fits {
    all: BTreeMap<Wanted, Fit>,
    /// Those on all rows that this run has asked for.
    asked: u64,
}

impl<'a> Known<'a> {
    /// Starts from what the keeper of the run has, if that is of a table with so many variables.
    pub(super) fn open(run: &Run<'a>, variables: usize) -> Result<Self, Error> {
        let keeper = run.keeper();
        let journal: Journal = match keeper.and_then(Keeper::state) {
            None => Journal::default(),
            Some(state) => state.decode()?,
        };
        let read = |entries: Vec<Entry>, kind| {
            entries.into_iter().map(move |entry| entry.read(kind, variables))
        };
        let all = read(journal.fits, FitKind::All).chain(read(journal.tried, FitKind::Some));
        let fits = Fits { all: all.collect::<Result<_, _>>()?, asked: 0 };
        Ok(Self { keeper, fits: Mutex::new(fits) })
    }

    /// A fit that is asked for, where it is known.
    pub(super) fn recall(&self, wanted: &Wanted) -> Option<Fitted> {
        let Fits { all, asked } = &mut *self.lock();
        let fit = all.get_mut(wanted)?;
        *asked += u64::from(!fit.asked && wanted.kind == FitKind::All);
        fit.asked = true;
        Some(fit.fitted.clone())
    }

    /// A fit that was asked for and is known from now on.
    pub(super) fn asked_for(&self, wanted: Wanted, fitted: Fitted) -> Fitted {
        let Fits { all, asked } = &mut *self.lock();
        let counts = wanted.kind == FitKind::All;
        let before = all.insert(wanted, Fit { fitted: fitted.clone(), asked: true });
        *asked += u64::from(counts && before.is_none_or(|known| !known.asked));
        fitted
    }

    /// A fit that is known from now on and will be asked for.
    pub(super) fn learn(&self, wanted: Wanted, fitted: Fitted) {
        self.lock().all.insert(wanted, Fit { fitted, asked: false });
    }

    /// Fits on all rows that this run has asked for, whoever did them.
    pub(super) fn asked(&self) -> u64 {
        self.lock().asked
    }

    /// Keeps all fits when it is time to.
    pub(super) fn keep_when_due(&self) {
        if self.keeper.is_some_and(Keeper::is_due) {
            self.keep();
        }
    }

    /// Keeps all fits but those by curves alone, which are quick.
    pub(super) fn keep(&self) {
        let Some(keeper) = self.keeper else { return };
        let entries = |kind| -> Vec<Entry> {
            let fits = self.lock();
            let of_kind = fits.all.iter().filter(|(wanted, _)| wanted.kind == kind);
            of_kind.map(|(wanted, fit)| Entry::of(wanted, fit)).collect()
        };
        let journal = Journal { fits: entries(FitKind::All), tried: entries(FitKind::Some) };
        let done = format!("{} fits", journal.fits.len());
        keeper.keep(&TrainingState::new(done, &journal));
    }

    fn lock(&self) -> MutexGuard<'_, Fits> {
        self.fits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
