//! Checks of a result against its data: what it depends on, and how far it can be trusted.
//!
//! Every [`Finding`] has its numbers, a [`Verdict`] and a sentence that says what they mean and
//! what to do. No check changes the graph. The thresholds and their reasons are in
//! `docs/checks.md`.
//!
//! A check is one file, with its numbers, its thresholds and its `impl Check`, and one line in the
//! list below.

mod case;
mod finding;
mod sortability;

use crate::core::memory::{Memory, Size, ask};
use crate::core::{Data, Error, Progress, Run, Text, parallel};
pub use crate::math::normality;
use crate::pipeline::{Fit, Options};
use case::Case;
pub use finding::{Diagnosis, Finding, Verdict};
pub use sortability::{Sortability, sortability};

/// One way to look at a result.
trait Check: Sync {
    /// The name, as findings and files have it.
    fn name(&self) -> &'static str;

    /// Looks; nothing where the check does not apply.
    ///
    /// # Errors
    /// A request to stop.
    fn run(&self, case: &Case<'_>, run: &Run<'_>) -> Result<Option<Finding>, Error>;

    /// True when it has something to say of tables in which some variables are blocks of columns.
    fn takes_blocks(&self) -> bool {
        false
    }

    /// What it found.
    fn finding<N: finding::Numbers>(
        &self,
        verdict: Verdict,
        sentence: impl Into<Text>,
        numbers: N,
    ) -> Finding
    where
        Self: Sized,
    {
        Finding::new(self.name(), verdict, sentence.into(), numbers)
    }
}

/// The list of checks in the order of their findings: the file, the check in it, and the types of
/// its numbers.
macro_rules! checks {
    ($($file:ident { $check:ident: $($numbers:ident),* })*) => {
        $(mod $file;)*
        $($(pub use $file::$numbers;)*)*
        const CHECKS: &[&dyn Check] = &[$(&$file::$check),*];
    };
}

checks! {
    sample_size { Rows: SampleSize }
    collinearity { Collinear: Collinearity }
    near_constant { Constant: NearConstant, NearConstantColumn }
    varsortability { ByVariance: }
    r2_sortability { ByR2: }
    residual_variances { EqualVariances: ResidualVariances }
    non_gaussianity { Normal: NonGaussianity, Shape }
    hodge_energy { Cycles: HodgeEnergy }
    bic { Score: Bic }
    units { Scale: Units, Edge }
    density { Many: Density }
    falsification { Implied: Falsification }
    search { Agreement: }
}

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
/// use nocurl::checks::{Units, Verdict, diagnose};
/// use nocurl::simulate::{Simulation, simulate};
/// use nocurl::{Options, Run, learn};
/// let data = simulate(&Simulation::default(), 1)?.data;
/// let options = Options::default();
/// let fit = learn(&data, &options, &Run::default())?;
/// let diagnosis = diagnose(&data, &options, &fit, &Run::default())?;
/// for finding in diagnosis.notable() {
///     assert!(finding.verdict > Verdict::Ok && !finding.sentence.is_empty());
/// }
/// let units = diagnosis.findings.iter().find_map(|finding| finding.numbers::<Units>());
/// assert!(!units.unwrap().depends);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// Data of other variables than those of the fit, data that [`crate::learn`] refuses too, or
/// a request to stop.
pub fn diagnose<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    fit: &Fit,
    run: &Run<'_>,
) -> Result<Diagnosis, Error> {
    let data = data.into();
    let moments = data.moments();
    let (variables, rows) = (moments.columns(), moments.rows());
    let size = Size { variables, rows, threads: parallel::threads() };
    let memory = options.checking_memory(&size, Memory::default());
    ask("the checks", memory.at(variables, rows))?;
    let case = Case::new(data, &moments, options, fit)?;
    let mut findings = Vec::with_capacity(CHECKS.len());
    for (done, check) in CHECKS.iter().enumerate() {
        let (stage, total) = ("checking the result", Some(CHECKS.len() as u64));
        run.step(Progress { stage, done: done as u64, total, objective: None })?;
        if case.problem.is_plain() || check.takes_blocks() {
            findings.extend(check.run(&case, run)?);
        }
    }
    Ok(Diagnosis { findings })
}
