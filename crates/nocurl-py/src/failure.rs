//! Errors as exceptions of Python, in keyword arguments.

use std::panic::{self, AssertUnwindSafe};

use pyo3::PyErr;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};

use crate::spelling::Keywords;

/// Why there is no result.
pub(crate) struct Failure(PyErr);

impl From<nocurl::Error> for Failure {
    fn from(error: nocurl::Error) -> Self {
        Self(match error {
            nocurl::Error::Cancelled => PyKeyboardInterrupt::new_err(()),
            nocurl::Error::OutOfMemory { .. } => {
                PyMemoryError::new_err(error.text().spelt(&Keywords))
            }
            error => PyValueError::new_err(error.text().spelt(&Keywords)),
        })
    }
}

impl From<nocurl_io::Error> for Failure {
    fn from(error: nocurl_io::Error) -> Self {
        match error {
            nocurl_io::Error::Engine(error) => error.into(),
            nocurl_io::Error::Stopped { left } => {
                Self(PyKeyboardInterrupt::new_err(left.spelt(&Keywords)))
            }
            error @ nocurl_io::Error::Io { .. } => {
                Self(PyOSError::new_err(error.text().spelt(&Keywords)))
            }
            error => Self::value(error.text().spelt(&Keywords)),
        }
    }
}

impl From<nocurl_app::Error> for Failure {
    fn from(error: nocurl_app::Error) -> Self {
        match error {
            nocurl_app::Error::Io(error) => error.into(),
            error @ nocurl_app::Error::OverBudget { .. } => {
                Self(PyMemoryError::new_err(error.text().spelt(&Keywords)))
            }
            error => Self::value(error.text().spelt(&Keywords)),
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
        Self(PyValueError::new_err(nocurl_io::plain(message.as_ref())))
    }

    /// Memory that matrices could not have, or a mistake of ours.
    pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> Self {
        if let Some(error) = nocurl::memory::refused(payload) {
            return error.into();
        }
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
