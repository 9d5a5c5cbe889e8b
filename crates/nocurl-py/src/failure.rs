//! Errors of the engine as exceptions of Python, in the same words.

use std::panic::{self, AssertUnwindSafe};

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};

/// Why there is no result.
pub(crate) struct Failure(PyErr);

impl From<nocurl::Error> for Failure {
    fn from(error: nocurl::Error) -> Self {
        Self(match error {
            nocurl::Error::Cancelled => PyKeyboardInterrupt::new_err(()),
            error => PyValueError::new_err(in_python(&error.to_string())),
        })
    }
}

impl From<nocurl_io::Error> for Failure {
    fn from(error: nocurl_io::Error) -> Self {
        match error {
            nocurl_io::Error::Engine(error) => error.into(),
            nocurl_io::Error::Stopped { left } => Self(PyKeyboardInterrupt::new_err(left)),
            error @ nocurl_io::Error::Io { .. } => Self(PyOSError::new_err(error.to_string())),
            error => Self::value(error.to_string()),
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl Failure {
    /// Something the user can change.
    pub(crate) fn value(message: impl AsRef<str>) -> Self {
        Self(PyValueError::new_err(in_python(message.as_ref())))
    }

    /// A mistake of ours.
    pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self(PyRuntimeError::new_err(format!(
            "nocurl failed ({}): this is a mistake in nocurl, please report it",
            text.unwrap_or("no reason given")
        )))
    }
}

/// Runs short work that may panic on arguments nobody thought of.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // What the work was about is dropped with it, so nothing half-made is seen again.
    panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(Failure::panicked(payload.as_ref())))
}

/// A message of the command line with its flags as Python has them: `--missing drop` is
/// `missing='drop'`, `--drop-constant` is `drop_constant=True`.
pub(crate) fn in_python(message: &str) -> String {
    /// Flags that are followed by a word.
    const WITH_VALUE: [&str; 5] = ["missing", "method", "prune", "refine", "param"];
    /// Flags that stand for what one does with a table in Python.
    const PHRASES: [(&str, &str); 6] = [
        ("leave the column out with --drop or --columns", "leave the column out"),
        ("leave it out with --drop or --columns", "leave it out"),
        ("leave it out with --drop", "leave it out"),
        ("drop one of them with --drop", "leave one of them out"),
        ("with --drop-constant or --drop", "or set drop_constant=True"),
        ("choose some with --columns", "choose some"),
    ];
    let mut message = message.to_string();
    for (flags, words) in PHRASES {
        message = message.replace(flags, words);
    }
    let mut text = String::new();
    let mut rest = message.as_str();
    while let Some(start) = rest.find("--") {
        let (before, flag) = rest.split_at(start);
        let flag = &flag[2..];
        let end = flag.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let (name, after) = flag.split_at(end.unwrap_or(flag.len()));
        text += before;
        rest = after;
        if name.is_empty() {
            text += "--";
            continue;
        }
        text += &name.replace('-', "_");
        if WITH_VALUE.contains(&name)
            && let Some(value) = after.strip_prefix(' ')
        {
            let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            let (value, after) = value.split_at(end.unwrap_or(value.len()));
            text += &format!("='{value}'");
            rest = after;
        } else if name == "drop-constant" {
            text += "=True";
        }
    }
    text + rest
}
