//! A look at a table before learning.

use nocurl::{Action, Spelling as _};
use nocurl_app::{Job, TableRequest};
use pyo3::prelude::*;

use crate::failure::{Failure, guarded};
use crate::spelling::{Keywords, listed};
use crate::table::Table;
use crate::watch;

/// What a table holds, what looks wrong and what to call next, as JSON.
#[pyfunction]
pub(crate) fn inspect(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    names: Vec<String>,
    request: &str,
) -> PyResult<String> {
    let read = guarded(|| {
        let request: TableRequest =
            serde_json::from_str(request).map_err(|error| Failure::value(error.to_string()))?;
        Ok(request.options()?)
    })?;
    let job = Job { read, ..Job::default() };
    let found = Table::new(table, names)?
        .read(|input| watch::run(py, None, None, |watch| Ok(job.inspect(input, watch)?)))?;
    let mut call = "nocurl.learn(X".to_string();
    for action in &found.next {
        call += ", ";
        call += &match action {
            Action::LeaveOut { columns } => format!("drop={}", listed(columns)),
            other => Keywords.spell(other),
        };
    }
    Ok(found.to_value(&Keywords, &(call + ")")).to_string())
}
