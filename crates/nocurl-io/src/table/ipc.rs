//! Lengths stated in an Arrow IPC file, held against the length of the file before it is decoded.
//!
//! The decoder allocates what a file says it needs, and an allocation that fails ends the program.

use std::io;
use std::ops::Range;

use arrow_ipc::{self as ipc, MessageHeader};

use super::guard::plausible_size;
use crate::Error;
use crate::input::Seekable;

/// Ends of a file: a signature before which the footer and its length stand.
const MAGIC: &[u8; 6] = b"ARROW1";
const TAIL: u64 = 4 + MAGIC.len() as u64;

/// Bytes before a message that has a length of its own behind them.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Why a file is refused.
enum Fault {
    Reading(io::Error),
    Length(&'static str),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

/// Checks all lengths that decoding relies on.
pub(super) fn check_lengths(input: &Seekable, format: &'static str) -> Result<(), Error> {
    let file = Extent { input, length: input.length };
    let checked = file.starts_with_magic().and_then(|is_file| match is_file {
        true => file.check_file(),
        false => file.check_stream(),
    });
    checked.map_err(|fault| match fault {
        Fault::Reading(error) => Error::read(&input.label, &error),
        Fault::Length(reason) => Error::invalid(&input.label, format, reason),
    })
}

/// A file whose length is known.
struct Extent<'a> {
    input: &'a Seekable,
    length: u64,
}

impl Extent<'_> {
    fn starts_with_magic(&self) -> Result<bool, Fault> {
        let length = (MAGIC.len() as u64).min(self.length);
        Ok(self.bytes(0..length, "")? == MAGIC)
    }

    /// Bytes of a range, which may be one that a corrupt file made up.
    fn bytes(&self, range: Range<u64>, fault: &'static str) -> Result<Vec<u8>, Fault> {
        if range.end > self.length || range.start > range.end {
            return Err(Fault::Length(fault));
        }
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.input.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    fn check_file(&self) -> Result<(), Fault> {
        let cut_off = "it does not end as an Arrow file does; it may have been cut off";
        let start = self.length.checked_sub(TAIL).ok_or(Fault::Length(cut_off))?;
        let tail = self.bytes(start..self.length, cut_off)?;
        if !tail.ends_with(MAGIC) {
            return Err(Fault::Length(cut_off));
        }
        let fault = "its footer makes no sense";
        let length = u64::from(word(&tail));
        let footer = self.bytes(start.checked_sub(length).unwrap_or(u64::MAX)..start, fault)?;
        let footer = ipc::root_as_footer(&footer).map_err(|_| Fault::Length(fault))?;
        let blocks = [footer.dictionaries(), footer.recordBatches()];
        for block in blocks.iter().flatten().flatten() {
            let fault = "a batch lies beyond its end";
            let places = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
            let [offset, head, body] = places.map(|place| u64::try_from(place).unwrap_or(u64::MAX));
            let message = self.bytes(offset..offset.saturating_add(head), fault)?;
            let message = message.strip_prefix(&CONTINUATION).unwrap_or(&message);
            let message = message.get(4..).ok_or(Fault::Length(fault))?;
            let start = offset.saturating_add(head);
            self.check_message(message, start..start.saturating_add(body))?;
        }
        Ok(())
    }

    fn check_stream(&self) -> Result<(), Fault> {
        let fault = "it ends within a message; it may have been cut off, or is no Arrow file";
        let mut at = 0;
        while at < self.length {
            let mut length = self.bytes(at..at + 4, fault)?;
            at += 4;
            if length == CONTINUATION {
                length = self.bytes(at..at + 4, fault)?;
                at += 4;
            }
            let head = u64::from(word(&length));
            if head == 0 {
                break;
            }
            let message = self.bytes(at..at + head, fault)?;
            at += head;
            let body = ipc::root_as_message(&message).map_or(0, |message| message.bodyLength());
            let end = at.saturating_add(u64::try_from(body).unwrap_or(u64::MAX));
            self.check_message(&message, at..end)?;
            at = end;
        }
        Ok(())
    }

    /// Checks a message whose body is to lie in a range.
    fn check_message(&self, message: &[u8], body: Range<u64>) -> Result<(), Fault> {
        let fault = Fault::Length("a message makes no sense");
        let Ok(message) = ipc::root_as_message(message) else { return Err(fault) };
        if body.end > self.length {
            return Err(Fault::Length("a batch lies beyond its end"));
        }
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            _ => return Ok(()),
        };
        let Some(batch) = batch else { return Err(fault) };
        for buffer in batch.buffers().iter().flatten() {
            let fault = "a column lies beyond the end of its batch";
            let places = [buffer.offset(), buffer.length()];
            let [offset, length] = places.map(|place| u64::try_from(place).unwrap_or(u64::MAX));
            let start = body.start.saturating_add(offset);
            if start.saturating_add(length) > body.end {
                return Err(Fault::Length(fault));
            }
            // The length of the content stands before compressed bytes; -1 is for plain ones.
            if batch.compression().is_some() && length > 0 {
                let content = self.bytes(start..start.saturating_add(8), fault)?;
                let content = content.try_into().map_or(0, i64::from_le_bytes);
                if content != -1 && !plausible_size(content, length) {
                    return Err(Fault::Length("a column is said to be larger than it can be"));
                }
            }
        }
        Ok(())
    }
}

/// The number in the first four bytes, which are there.
fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
