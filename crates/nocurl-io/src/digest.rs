//! A digest of the bytes that were read, so that a run can be repeated on the same input.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::Xxh3;

use crate::Error;
use crate::input::Seekable;

/// XXH3 with 128 bits, as `xxh128sum` gives it.
///
/// It tells apart files that differ by accident, which is what repeating a run needs. Nobody is
/// to be kept from forging a file, so the cost of a cryptographic digest would buy nothing.
pub(crate) struct Digest(Xxh3);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// `xxh3-128:` and the digest in hexadecimal.
    pub(crate) fn finish(self) -> String {
        format!("xxh3-128:{:032x}", self.0.digest128())
    }
}

/// Runs `work` while another thread takes the digest of the same input.
pub(crate) fn alongside<T>(
    input: &Seekable,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<(T, String), Error> {
    let mut digest = Digest::new();
    let found = alongside_into(&mut digest, &[input], work)?;
    Ok((found, digest.finish()))
}

/// The same of several inputs in a row, with a digest that goes on from what came before.
pub(crate) fn alongside_into<T>(
    digest: &mut Digest,
    inputs: &[&Seekable],
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let stop = AtomicBool::new(false);
    #[cfg(target_family = "wasm")]
    {
        // There are no threads.
        let result = work()?;
        of_inputs(digest, inputs, &stop)?;
        return Ok(result);
    }
    #[cfg(not(target_family = "wasm"))]
    std::thread::scope(|scope| {
        let taken = scope.spawn(|| of_inputs(digest, inputs, &stop));
        let result = work();
        if result.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        let taken = taken.join().expect("taking a digest does not panic");
        let result = result?;
        taken?;
        Ok(result)
    })
}

fn of_inputs(digest: &mut Digest, inputs: &[&Seekable], stop: &AtomicBool) -> Result<(), Error> {
    inputs.iter().try_for_each(|input| of_input(digest, input, stop))
}

fn of_input(digest: &mut Digest, input: &Seekable, stop: &AtomicBool) -> Result<(), Error> {
    let mut handle = input.handle();
    let mut buffer = vec![0; 1 << 18];
    while !stop.load(Ordering::Relaxed) {
        match handle.read(&mut buffer).map_err(|error| Error::read(&input.label, &error))? {
            0 => break,
            length => digest.update(&buffer[..length]),
        }
    }
    Ok(())
}
