//! A digest of the bytes that were read, so that a run can be repeated on the same input.

use std::fmt::Write as _;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest as _, Sha256};

use crate::Error;
use crate::source::Seekable;

/// SHA-256 of a stream of bytes, as `sha256sum` gives it.
pub(crate) struct Digest(Sha256);

impl Digest {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// `sha256:` and the digest in hexadecimal.
    pub(crate) fn finish(self) -> String {
        let mut text = String::from("sha256:");
        for byte in self.0.finalize() {
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// Runs `work` while another thread takes the digest of the same input.
pub(crate) fn alongside<T>(
    input: &Seekable,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<(T, String), Error> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let digest = scope.spawn(|| of_input(input, &stop));
        let result = work();
        if result.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        let digest = digest.join().expect("taking a digest does not panic");
        Ok((result?, digest?))
    })
}

fn of_input(input: &Seekable, stop: &AtomicBool) -> Result<String, Error> {
    let mut handle = input.handle()?;
    let mut buffer = vec![0; 1 << 18];
    let mut digest = Digest::new();
    while !stop.load(Ordering::Relaxed) {
        match handle.read(&mut buffer).map_err(|error| Error::read(&input.label, &error))? {
            0 => break,
            length => digest.update(&buffer[..length]),
        }
    }
    Ok(digest.finish())
}
