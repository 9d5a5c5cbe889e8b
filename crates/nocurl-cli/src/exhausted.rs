//! What happens where memory ends in spite of all estimates, as under `ulimit -v`: exit code 1, as
//! of anything that is not the input's fault, and a line that says so.

use std::panic::{self, AssertUnwindSafe};

use crate::failure::Failure;

/// Matrices that cannot be had panic: [`caught`] says it in better words than the panic. Smaller
/// requests end the process: the standard library says how much could not be had, and the exit code
/// is that of a failure instead of a crash.
pub(crate) fn prepare() {
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if nocurl::memory::refused(info.payload()).is_none() {
            previous(info);
        }
    }));
    end_with_a_code();
}

#[cfg(unix)]
fn end_with_a_code() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let always = Arc::new(AtomicBool::new(true));
    // Without it the process ends by the signal, with the same line.
    let _ =
        signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGABRT, 1, always);
}

#[cfg(not(unix))]
fn end_with_a_code() {}

/// Runs a command; a matrix that could not be had is a failure like any other.
pub(crate) fn caught(work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    // The process ends with it: nothing half-made is seen again.
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(
        |panic| match nocurl::memory::refused(&*panic) {
            Some(error) => Err(error.into()),
            None => panic::resume_unwind(panic),
        },
    )
}
