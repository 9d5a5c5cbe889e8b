//! What an Arrow IPC file says of itself, held against the file before it is decoded.
//!
//! The decoder allocates what a file says it needs, and an allocation that fails ends the program.
//! It also passes over messages that it does not know, and takes numbers of another byte order in a
//! stream as they are.

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
    BigEndian,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

/// What decoding a file takes, and what is to come of it.
#[derive(Default)]
pub(super) struct Announced {
    pub(super) rows: u64,
    /// Bytes of the dictionaries, which stay, and of the largest batch: as they are stored and as
    /// they are.
    dictionaries: u64,
    batch: u64,
}

impl Announced {
    pub(super) fn bytes(&self) -> u64 {
        self.dictionaries.saturating_add(self.batch)
    }

    fn add(&mut self, batch: &Batch) {
        if batch.kind == MessageHeader::RecordBatch {
            self.rows = self.rows.saturating_add(batch.rows);
            self.batch = self.batch.max(batch.bytes);
        } else {
            self.dictionaries = self.dictionaries.saturating_add(batch.bytes);
        }
    }
}

/// What a message says of a batch.
struct Batch {
    kind: MessageHeader,
    rows: u64,
    bytes: u64,
}

/// Checks all that decoding relies on.
pub(super) fn check(input: &Seekable, format: &'static str) -> Result<Announced, Error> {
    let file = Extent { input, length: input.length };
    let checked = file.starts_with_magic().and_then(|is_file| match is_file {
        true => file.check_file(),
        false => file.check_stream(),
    });
    checked.map_err(|fault| match fault {
        Fault::Reading(error) => Error::read(&input.label, &error),
        Fault::Length(reason) => Error::invalid(&input.label, format, reason),
        Fault::BigEndian => {
            let reason = "its numbers are big-endian, which is not read; write it again on a \
                          little-endian machine, or as Parquet";
            Error::unsupported(&input.label, reason)
        }
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
        Ok(self.input.bytes_at(range.start, range.end - range.start)?)
    }

    fn check_file(&self) -> Result<Announced, Fault> {
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
        check_order(footer.schema())?;
        let mut announced = Announced::default();
        let blocks = [
            (footer.dictionaries(), MessageHeader::DictionaryBatch),
            (footer.recordBatches(), MessageHeader::RecordBatch),
        ];
        for (blocks, kind) in blocks {
            for block in blocks.iter().flatten() {
                let fault = "a batch lies beyond its end";
                let places = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
                let [offset, head, body] =
                    places.map(|place| u64::try_from(place).unwrap_or(u64::MAX));
                let message = self.bytes(offset..offset.saturating_add(head), fault)?;
                let message = message.strip_prefix(&CONTINUATION).unwrap_or(&message);
                let message = message.get(4..).ok_or(Fault::Length(fault))?;
                let start = offset.saturating_add(head);
                let batch = self.check_message(message, start..start.saturating_add(body))?;
                match batch {
                    Some(batch) if batch.kind == kind => announced.add(&batch),
                    _ => return Err(Fault::Length("a batch is of another kind than its place")),
                }
            }
        }
        Ok(announced)
    }

    fn check_stream(&self) -> Result<Announced, Fault> {
        let fault = "it ends within a message; it may have been cut off, or is no Arrow file";
        let mut at = 0;
        let mut announced = Announced::default();
        let mut first = true;
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
            let batch = self.check_message(&message, at..end)?;
            if batch.is_none() != first {
                return Err(Fault::Length("a schema stands in it that is not its first message"));
            }
            batch.iter().for_each(|batch| announced.add(batch));
            first = false;
            at = end;
        }
        if at < self.length {
            return Err(Fault::Length("it goes on after its end; it may be two files in one"));
        }
        Ok(announced)
    }

    /// Checks a message whose body is to lie in a range. Returns what it says of a batch, nothing for
    /// a schema.
    fn check_message(&self, message: &[u8], body: Range<u64>) -> Result<Option<Batch>, Fault> {
        let fault = || Fault::Length("a message makes no sense");
        let message = ipc::root_as_message(message).map_err(|_| fault())?;
        if body.end > self.length {
            return Err(Fault::Length("a batch lies beyond its end"));
        }
        let kind = message.header_type();
        let batch = match kind {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            MessageHeader::Schema => {
                check_order(message.header_as_schema())?;
                return Ok(None);
            }
            _ => return Err(Fault::Length("a message is of a kind that no table has")),
        };
        let batch = batch.ok_or_else(fault)?;
        let stored = body.end - body.start;
        let bytes = stored.saturating_add(self.check_buffers(&batch, body)?);
        let rows = u64::try_from(batch.length()).map_err(|_| fault())?;
        Ok(Some(Batch { kind, rows, bytes }))
    }

    /// Returns how many bytes the buffers take once they are unpacked, 0 where they are not packed.
    fn check_buffers(&self, batch: &ipc::RecordBatch<'_>, body: Range<u64>) -> Result<u64, Fault> {
        // A batch is decoded as a whole, so that its columns count together.
        let (mut contents, mut stored) = (0_i64, 0_u64);
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
                contents = contents.saturating_add(if content < -1 { i64::MAX } else { content });
                stored = stored.saturating_add(length);
                if content != -1 && !plausible_size(contents, stored) {
                    return Err(Fault::Length("a column is said to be larger than it can be"));
                }
            }
        }
        Ok(u64::try_from(contents).unwrap_or(0))
    }
}

/// Refuses a schema whose numbers have their highest byte first.
fn check_order(schema: Option<ipc::Schema<'_>>) -> Result<(), Fault> {
    let schema = schema.ok_or(Fault::Length("its schema makes no sense"))?;
    if schema.endianness() == ipc::Endianness::Little { Ok(()) } else { Err(Fault::BigEndian) }
}

/// The number in the first four bytes, which are there.
fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
