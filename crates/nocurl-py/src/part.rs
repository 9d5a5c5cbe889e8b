//! Parts of a table that lies on many machines: looked at, summed up, resampled, learnt from again.

use nocurl::Moments as EngineMoments;
use nocurl::moments::Replicates;
use nocurl_app::Request;
use nocurl_io::{Error, GraphDocument, Kinds, LeftOut, TableSurvey, read_part, read_survey};
use pyo3::prelude::*;
use serde::Serialize;

use crate::failure::{Failure, guarded};
use crate::moments::Moments;
use crate::request::PartRequest;
use crate::spelling::Keywords;
use crate::table::Table;
use crate::watch;

/// The moments of a part, and those of the tables drawn from it; nothing where the kinds of its
/// columns must be known first.
#[pyfunction]
pub(crate) fn part(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    names: Vec<String>,
    request: &str,
    threads: Option<usize>,
) -> PyResult<Option<(Moments, Vec<Moments>)>> {
    let asked = guarded(|| PartRequest::from_json(request)?.read())?;
    let kinds = asked.variables.as_deref().map_or(Kinds::Numbers, Kinds::Given);
    let read = Table::new(table, names)?.read(|input| {
        watch::run(py, threads, None, |watch| {
            match read_part(input, &asked.options, kinds, watch) {
                Err(Error::KindsNeeded) => Ok(None),
                found => Ok(Some(found?)),
            }
        })
    })?;
    Ok(read.map(|(mut summary, drawn)| {
        summary.left_out.extend(asked.left_out);
        (Moments(summary), drawn.into_iter().map(Moments::bare).collect())
    }))
}

/// What the columns of a part look like, as JSON.
#[pyfunction]
pub(crate) fn survey(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    names: Vec<String>,
    request: &str,
    threads: Option<usize>,
) -> PyResult<String> {
    let asked = guarded(|| PartRequest::from_json(request)?.read())?;
    let seen = Table::new(table, names)?.read(|input| {
        watch::run(py, threads, None, |watch| Ok(read_survey(input, &asked.options, watch)?))
    })?;
    Ok(guarded(|| json(&seen))?)
}

/// What several parts look like together.
#[pyfunction]
pub(crate) fn surveys_merged(one: &str, other: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let mut seen = parsed(one)?;
        seen.append(parsed(other)?)?;
        json(&seen)
    })?)
}

/// The variables that a survey found, the columns that are none, and notes, as JSON.
#[pyfunction]
pub(crate) fn surveyed_variables(survey: &str, request: &str) -> PyResult<String> {
    Ok(guarded(|| {
        let asked = PartRequest::from_json(request)?.read()?;
        let found = parsed(survey)?.variables(&asked.options)?;
        let word = |(name, why): &(String, LeftOut)| (name.clone(), why.word().to_string());
        let left_out: Vec<_> = found.left_out.iter().map(word).collect();
        let notes: Vec<String> = found.notes.iter().map(|note| note.spelt(&Keywords)).collect();
        json(&(found.variables, left_out, notes))
    })?)
}

/// Moments of resampled tables, of all parts.
#[pyfunction]
pub(crate) fn drawn_merged(parts: Vec<Vec<PyRef<'_, Moments>>>) -> PyResult<Vec<Moments>> {
    Ok(guarded(|| {
        let mut totals: Option<Vec<EngineMoments>> = None;
        for part in &parts {
            let part: Vec<EngineMoments> =
                part.iter().map(|one| one.engine().moments.clone()).collect();
            match &mut totals {
                None => totals = Some(part),
                Some(totals) => Replicates::merge(totals, &part)?,
            }
        }
        Ok(totals.unwrap_or_default().into_iter().map(Moments::bare).collect())
    })?)
}

/// Learns from resampled tables, starting from a graph: JSON for each, null where it cannot be
/// learnt from.
#[pyfunction]
pub(crate) fn learn_again(
    py: Python<'_>,
    drawn: Vec<PyRef<'_, Moments>>,
    request: &str,
    document: &str,
) -> PyResult<Vec<String>> {
    let (job, threads, names, dag) = guarded(|| {
        let request = Request::from_json(request)?;
        let threads = request.threads();
        let job = request.job()?;
        let document = GraphDocument::from_json(document)?;
        Ok((job, threads, document.variables.clone(), document.dag()?))
    })?;
    let drawn: Vec<&EngineMoments> = drawn.iter().map(|one| &one.engine().moments).collect();
    watch::run(py, threads, None, |watch| {
        let again = drawn.iter().map(|one| json(&job.learn_again(one, &names, &dag, watch)?));
        again.collect()
    })
}

fn parsed(survey: &str) -> Result<TableSurvey, Failure> {
    serde_json::from_str(survey).map_err(|error| Failure::value(error.to_string()))
}

fn json<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|error| Failure::value(error.to_string()))
}
