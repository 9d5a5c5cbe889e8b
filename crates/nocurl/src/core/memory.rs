//! Memory that work takes: how much, said before it is taken, and asked for in a way that can fail.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Error;

/// How large a piece of work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of variables.
    pub variables: usize,
    /// Number of rows.
    pub rows: u64,
    /// Number of threads that work on it.
    pub threads: usize,
}

/// The memory that a piece of work takes at its peak, from above: it grows with the pairs of
/// variables and with the cells of the table.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Memory {
    /// Numbers for each pair of variables: 1 is a d x d matrix.
    pub per_pair: f64,
    /// Numbers for each cell of the table: 1 is a copy of it.
    pub per_cell: f64,
    /// Bytes besides.
    pub bytes: f64,
}

impl Memory {
    /// This many d x d matrices.
    pub const fn matrices(count: f64) -> Self {
        Self { per_pair: count, per_cell: 0.0, bytes: 0.0 }
    }

    /// The same and this many copies of the table.
    #[must_use]
    pub const fn and_tables(self, count: f64) -> Self {
        Self { per_cell: self.per_cell + count, ..self }
    }

    /// The same and this many bytes.
    #[must_use]
    pub const fn and_bytes(self, bytes: f64) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }

    /// Both at the same time.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            per_pair: self.per_pair + other.per_pair,
            per_cell: self.per_cell + other.per_cell,
            bytes: self.bytes + other.bytes,
        }
    }

    /// One after the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            per_pair: self.per_pair.max(other.per_pair),
            per_cell: self.per_cell.max(other.per_cell),
            bytes: self.bytes.max(other.bytes),
        }
    }

    /// Several at the same time.
    #[must_use]
    pub fn times(self, count: f64) -> Self {
        let Self { per_pair, per_cell, bytes } = self;
        Self { per_pair: per_pair * count, per_cell: per_cell * count, bytes: bytes * count }
    }

    /// Bytes at this number of variables and rows; the largest number where it would be more.
    pub fn at(&self, variables: usize, rows: u64) -> u64 {
        let d = variables as f64;
        let numbers = self.per_pair * d * d + self.per_cell * d * rows as f64;
        (8.0 * numbers + self.bytes) as u64
    }
}

/// Requests smaller than this are not asked for.
const LARGE: u64 = 1 << 20;

/// Room for what no estimate knows: stacks of threads, the C library, buffers of products. It must
/// be there beside a large request, and is not taken.
const MARGIN: u64 = if usize::BITS > 32 { 64 << 20 } else { 0 };

/// Large requests so far, and the one that is to fail; for tests of what happens then.
static REQUESTS: AtomicU64 = AtomicU64::new(0);
static FAILS: AtomicU64 = AtomicU64::new(0);

/// Asks the system for memory that is about to be taken, and gives it back: where it cannot be had
/// there is an error, while taking it would end the process.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn ask(stage: &'static str, bytes: u64) -> Result<(), Error> {
    let refused = || Error::OutOfMemory { stage, mebibytes: (bytes >> 20) as usize };
    if FAILS.load(Ordering::Relaxed) > 0 {
        let request = REQUESTS.fetch_add(1, Ordering::Relaxed) + 1;
        return if request == FAILS.load(Ordering::Relaxed) { Err(refused()) } else { Ok(()) };
    }
    if bytes < LARGE {
        return Ok(());
    }
    let room = usize::try_from(bytes.saturating_add(MARGIN)).map_err(|_| refused())?;
    // Without a place to keep it the request would be left out altogether.
    let mut taken: Vec<u8> = Vec::new();
    taken.try_reserve_exact(room).map_err(|_| refused())?;
    std::hint::black_box(&mut taken);
    Ok(())
}

/// So many zeros in one piece, asked for by [`ask`].
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn zeros<T: Copy + Default>(stage: &'static str, count: usize) -> Result<Vec<T>, Error> {
    ask(stage, (count as u64).saturating_mul(size_of::<T>() as u64))?;
    Ok(vec![T::default(); count])
}

/// What a panic says about memory that could not be had; nothing where it is about anything else.
/// Matrices ask for theirs in a way that panics, so whoever starts work looks at its panics by this.
pub fn refused(panic: &(dyn Any + Send)) -> Option<Error> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied())?;
    let layout = text.split_once("AllocError")?.1;
    let size = layout.split_once("size: ").map_or("", |(_, rest)| rest);
    let digits = size.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let bytes: usize = digits.parse().unwrap_or(0);
    Some(Error::OutOfMemory { stage: "the work", mebibytes: bytes.div_ceil(1 << 20) })
}

/// Lets the request of this number fail, counted from 1, however small; 0 lets none fail. For tests,
/// one at a time: the count belongs to the process.
pub fn fail_at(request: u64) {
    REQUESTS.store(0, Ordering::Relaxed);
    FAILS.store(request, Ordering::Relaxed);
}

/// Requests since [`fail_at`].
pub fn requests() -> u64 {
    REQUESTS.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_pairs_and_cells() {
        let memory = Memory::matrices(2.0).and_tables(3.0).and_bytes(5.0);
        assert_eq!(memory.at(10, 100), 2 * 800 + 3 * 8000 + 5);
        assert_eq!(memory.times(2.0).at(10, 0), 3210);
        assert_eq!(memory.or(Memory::matrices(4.0)).per_pair, 4.0);
        assert_eq!(Memory::matrices(1e300).at(10, 0), u64::MAX);
    }

    #[test]
    fn what_no_machine_has_is_an_error() {
        let error = ask("a dream", 1 << 60).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { stage: "a dream", .. }), "{error}");
        ask("a moment", 1 << 21).unwrap();
        assert!(zeros::<f64>("a dream", 1 << 57).is_err());
        assert_eq!(zeros::<f64>("a moment", 3).unwrap(), [0.0; 3]);
    }

    #[test]
    fn a_matrix_that_no_machine_has_is_told_from_other_panics() {
        let panic = |work: fn()| std::panic::catch_unwind(work).unwrap_err();
        let matrix = panic(|| drop(faer::Mat::<f64>::zeros(1 << 28, 1 << 28)));
        let found = refused(&*matrix);
        assert!(matches!(found, Some(Error::OutOfMemory { mebibytes: 1.., .. })), "{found:?}");
        assert!(refused(&*panic(|| panic!("anything else"))).is_none());
    }
}
