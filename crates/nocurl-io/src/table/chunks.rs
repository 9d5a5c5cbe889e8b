//! The file as the decoder of Parquet wants it.

use std::io::{self, BufReader, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use nocurl::memory::zeros;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

use crate::input::{Handle, Seekable};

/// Bytes of a file, page by page.
///
/// A page that is done with leaves its buffer to the next one: a new buffer would be filled with
/// zeros first, which takes a third of the time that reading plain numbers takes.
pub(super) struct Chunks {
    input: Seekable,
    spare: Arc<Spare>,
}

/// Buffers that no page is in.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give(&self, buffer: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// A buffer with a page in its first bytes.
struct Page {
    buffer: Vec<u8>,
    length: usize,
    spare: Arc<Spare>,
}

impl AsRef<[u8]> for Page {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.spare.give(std::mem::take(&mut self.buffer));
    }
}

impl Chunks {
    pub(super) fn new(input: &Seekable) -> Self {
        Self { input: input.clone(), spare: Arc::default() }
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.input.length
    }
}

impl ChunkReader for Chunks {
    type T = BufReader<Handle>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut handle = self.input.handle();
        handle.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(512, handle))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        if let Some(bytes) = self.input.memory() {
            let start = start as usize;
            return Ok(Bytes::from_owner(bytes.clone()).slice(start..start + length));
        }
        let mut page = Page { buffer: self.spare.take(), length, spare: Arc::clone(&self.spare) };
        let refused = |error| io::Error::new(io::ErrorKind::OutOfMemory, error);
        if page.buffer.len() < length {
            page.buffer = Vec::new();
            page.buffer = zeros("reading", length).map_err(refused)?;
        }
        self.input.read_at(start, &mut page.buffer[..length])?;
        Ok(Bytes::from_owner(page))
    }
}
