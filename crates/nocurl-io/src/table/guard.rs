//! Foreign decoders on files that may be corrupt: no panics, no absurd allocations.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::Error;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder of another crate on bytes that may be corrupt.
///
/// Such decoders check most of what they read, but not all of it, and a file must never bring
/// the program down: a panic becomes an error. The panic hook is wrapped once so that it stays
/// silent for these threads at these times; every other panic is reported as before.
pub(super) fn guarded<T>(
    label: &str,
    format: &'static str,
    decode: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                previous(info);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    // What the decoder was working on is dropped with it, so nothing half-made is seen again.
    let result = panic::catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(outer);
    result.unwrap_or_else(|panic| match nocurl::memory::refused(&*panic) {
        Some(error) => Err(error.into()),
        None => Err(Error::invalid(label, format, "its contents make no sense")),
    })
}

/// Whether compressed bytes can hold as much content as a file says they do.
///
/// A constant column shrinks to almost nothing, so that a ratio alone would refuse good files.
pub(super) fn plausible_size(content: i64, compressed: u64) -> bool {
    const ALWAYS: u64 = 256 << 20;
    const RATIO: u64 = 1000;
    u64::try_from(content).is_ok_and(|size| size <= ALWAYS.max(compressed.saturating_mul(RATIO)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bounded_by_what_is_there() {
        assert!(plausible_size(1 << 20, 10));
        assert!(plausible_size(1 << 30, 1 << 21));
        assert!(!plausible_size(1 << 30, 10));
        assert!(!plausible_size(-2, 10));
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let result = guarded::<()>("`x`", "Parquet", || panic!("broken"));
        assert!(result.unwrap_err().to_string().starts_with("`x` is not a valid Parquet file"));
        assert_eq!(guarded("`x`", "Parquet", || Ok(3)).unwrap(), 3);
    }
}
