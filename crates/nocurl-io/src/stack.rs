//! Parsers that call themselves, on a stack whose size does not depend on who calls.

#[cfg(not(target_family = "wasm"))]
use std::thread;

/// Bytes of the stack: several times what the deepest input that parsers accept needs, in a build
/// without optimisation.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 16 << 20;

/// Runs work on a thread of its own with a stack of known size.
///
/// Parsers bound how deep their input may be. How much of a stack that takes depends on the build,
/// and how much of it is left on the caller: a thread of Python, or one of many of a pool.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.expect("there is room for one more thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs work where there is one thread, whose stack is made large enough when the program is linked
/// (`cargo xtask page`).
#[cfg(target_family = "wasm")]
pub(crate) fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_panics_come_through() {
        assert_eq!(on_stack(|| 3), 3);
        let caught =
            std::panic::catch_unwind(|| on_stack(|| std::panic::resume_unwind(Box::new(7))));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&7));
    }
}
