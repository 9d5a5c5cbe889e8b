//! Checks of a result against its data: what it rests on, and how much weight it bears.
//!
//! Every [`Finding`] has its numbers, a [`Verdict`] and one sentence that says what they mean and
//! what to do. No check changes the graph. The thresholds and their reasons are in
//! `docs/diagnosis.md`.

mod bic;
mod case;
mod finding;
mod hodge_energy;
mod normality;
mod residuals;
mod sortability;
mod table;
mod units;

use crate::core::{Data, Error, Progress, Run};
use crate::pipeline::{Fit, Options};
use case::Case;
pub use finding::{
    Bic, Check, Collinearity, Diagnosis, Edge, Finding, HodgeEnergy, NearConstant,
    NearConstantColumn, NonGaussianity, ResidualVariances, SampleSize, Shape, Sortability, Units,
    Verdict,
};
pub use normality::normality;
pub use sortability::sortability;

/// More variables than this, and the checks that learn once more are left out: the limit is one of
/// size and not of time, so that the same data always has the same findings.
const MOST_FOR_REFIT: usize = 200;

/// Checks what was learnt from `data` with `options`.
///
/// The data and the options must be those of the fit. With [`Data::Sampled`] the checks that need
/// rows use the sample. The result has the same bits for any number of threads.
///
/// Cost: a few factorisations of a d x d matrix, O(d^3). Up to 200 variables the data is also
/// regressed on three orders with pruning, O(d^4), and a method that depends on units runs once
/// more (fewer variables for `exact` and `notears`).
///
/// ```
/// use nocurl::Run;
/// use nocurl::checks::{Verdict, diagnose};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::{Options, learn};
/// let data = simulate(&Simulation::default(), 1)?.data;
/// let options = Options::default();
/// let fit = learn(&data, &options, &Run::default())?;
/// let diagnosis = diagnose(&data, &options, &fit, &Run::default())?;
/// for finding in diagnosis.notable() {
///     assert!(finding.verdict > Verdict::Ok && !finding.sentence.is_empty());
/// }
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// Data of other variables than those of the fit, data that [`crate::learn`] refuses too, or
/// cancellation by the observer.
pub fn diagnose<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    fit: &Fit,
    run: &Run<'_>,
) -> Result<Diagnosis, Error> {
    type Checker = fn(&Case<'_>, &Run<'_>) -> Result<Option<Finding>, Error>;
    const CHECKERS: [Checker; 10] = [
        |case, _| Ok(Some(table::sample_size(case))),
        |case, _| Ok(Some(table::collinearity(case))),
        |case, _| Ok(Some(table::near_constant(case))),
        |case, _| Ok(Some(sortability::by_variance(case))),
        |case, _| Ok(Some(sortability::by_r2(case))),
        |case, _| Ok(Some(residuals::variances(case))),
        |case, _| Ok(Some(residuals::non_gaussianity(case))),
        |case, _| Ok(hodge_energy::check(case)),
        |case, _| Ok(Some(bic::check(case))),
        |case, run| units::check(case, run).map(Some),
    ];
    let data = data.into();
    let moments = data.moments();
    let case = Case::new(data, &moments, options, fit)?;
    let mut findings = Vec::with_capacity(CHECKERS.len());
    for (done, checker) in CHECKERS.iter().enumerate() {
        let (stage, total) = ("checking the result", Some(CHECKERS.len() as u64));
        run.step(Progress { stage, done: done as u64, total, objective: None })?;
        findings.extend(checker(&case, run)?);
    }
    Ok(Diagnosis { findings })
}
