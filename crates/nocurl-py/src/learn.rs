//! Learning, by a request in JSON.

use nocurl::Algorithm;
use nocurl_app::{Job, Outcome, Request, Resampled};
use nocurl_io::{RunFiles, Source};
use pyo3::prelude::*;

use crate::failure::{Failure, guarded};
use crate::moments::Moments;
use crate::spelling::Keywords;
use crate::table::Table;
use crate::watch;

/// Learns from a table and returns the description of the graph as JSON. Fits are done by `fitters`,
/// where there is such a function of a table and of what is wanted.
#[pyfunction]
#[pyo3(signature = (table, names, request, progress=None, drawn=None, learnt=None, fitters=None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn learn(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    names: Vec<String>,
    request: &str,
    progress: Option<&Bound<'_, PyAny>>,
    drawn: Option<Vec<PyRef<'_, Moments>>>,
    learnt: Option<Vec<String>>,
    fitters: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = crate::table::source(table)?;
    let (job, threads) = guarded(|| {
        let request = Request::from_json(request)?;
        let tables = source.as_ref().map(Source::files).unwrap_or_default().into_iter();
        let files = tables.fold(RunFiles::default(), |files, path| files.reads("the table", path));
        request.files(files).check()?;
        let threads = request.threads();
        Ok((request.job()?, threads))
    })?;
    let outcome = match table.cast::<Moments>() {
        Ok(moments) => {
            let moments = moments.get().engine();
            let again = guarded(|| resampled(drawn, learnt.unwrap_or_default()))?;
            watch::run(py, threads, progress, |watch| {
                Ok(job.run_on_summary(moments, &again, watch)?)
            })?
        }
        Err(_) => Table::new(table, names)?.read(|input| {
            watch::run_fitted(py, threads, progress, fitters, |run| Ok(job.run(input, run)?))
        })?,
    };
    Ok(guarded(|| description(&job, &outcome))?)
}

/// What was resampled elsewhere.
fn resampled(
    drawn: Option<Vec<PyRef<'_, Moments>>>,
    learnt: Vec<String>,
) -> Result<Resampled, Failure> {
    let parsed = |text: String| {
        serde_json::from_str(&text).map_err(|error| Failure::value(error.to_string()))
    };
    Ok(Resampled {
        drawn: drawn.map(|all| all.iter().map(|one| one.engine().moments.clone()).collect()),
        learnt: learnt.into_iter().map(parsed).collect::<Result<_, _>>()?,
    })
}

fn description(job: &Job, outcome: &Outcome) -> Result<String, Failure> {
    serde_json::to_string(&outcome.document(job, &Keywords))
        .map_err(|error| Failure::value(error.to_string()))
}

/// Names of all methods.
#[pyfunction]
pub(crate) fn methods() -> Vec<&'static str> {
    Algorithm::all().iter().map(Algorithm::name).collect()
}

/// What there is to say of a method, as JSON.
#[pyfunction]
pub(crate) fn describe_method(name: &str) -> PyResult<String> {
    Ok(guarded(|| Ok(Algorithm::from_name(name)?.describe().to_string()))?)
}
