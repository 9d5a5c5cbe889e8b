//! Lengths and counts stated in a Parquet file, held against the file before it is decoded.
//!
//! The decoder allocates what a file says it needs, and an allocation that fails ends the program.

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::guard::plausible_size;
use super::thrift::walk;
use crate::Error;
use crate::input::Seekable;

const FORMAT: &str = "Parquet";

/// Bytes after the footer: its length and a signature.
const TAIL: u64 = 8;

/// Longest head of a page; it may hold the least and the greatest value, which may be texts.
const LONGEST_HEAD: u64 = 1 << 20;

/// Widest number that is stored as bytes: a decimal of 256 bits.
const WIDEST: i32 = 32;

/// Checks that the footer is as long as it says and holds as much as it says.
pub(super) fn check_footer(input: &Seekable) -> Result<(), Error> {
    let invalid = |reason| Error::invalid(&input.label, FORMAT, reason);
    let cut_off = || invalid("it does not end as a Parquet file does; it may have been cut off");
    let start = input.length.checked_sub(TAIL).ok_or_else(cut_off)?;
    let tail = bytes(input, start, TAIL)?;
    if tail.ends_with(b"PARE") {
        return Err(Error::unsupported(&input.label, "encrypted Parquet files are not read"));
    }
    let (length, magic) = tail.split_at(4);
    let length = length.try_into().map_or(0, u32::from_le_bytes);
    let footer = start.checked_sub(length.into()).filter(|_| magic == b"PAR1");
    let footer = bytes(input, footer.ok_or_else(cut_off)?, length.into())?;
    walk(&footer, &mut |_, _| ()).map(|_| ()).ok_or_else(|| invalid("its footer makes no sense"))
}

/// Checks the pages of the columns that will be decoded, which are known by their places.
pub(super) fn check_pages(
    input: &Seekable,
    metadata: &ParquetMetaData,
    leaves: &[usize],
) -> Result<(), Error> {
    let invalid = |reason| Error::invalid(&input.label, FORMAT, reason);
    for group in metadata.row_groups() {
        for &leaf in leaves {
            let chunk = group.columns().get(leaf);
            let chunk = chunk.ok_or_else(|| invalid("a row group has too few columns"))?;
            if chunk.column_descr().type_length() > WIDEST {
                return Err(invalid("a column has numbers of more bytes than there are"));
            }
            let values = check_chunk(input, chunk)?;
            if u64::try_from(group.num_rows()).is_ok_and(|rows| rows > values) {
                return Err(invalid("it has fewer rows than it says"));
            }
        }
    }
    Ok(())
}

/// Checks the pages of one column and returns how many values they say they have.
fn check_chunk(input: &Seekable, chunk: &ColumnChunkMetaData) -> Result<u64, Error> {
    let invalid = |reason| Error::invalid(&input.label, FORMAT, reason);
    let beyond = "a column lies beyond its end";
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let (Ok(mut at), Ok(length)) = (u64::try_from(start), u64::try_from(chunk.compressed_size()))
    else {
        return Err(invalid(beyond));
    };
    let end = at.checked_add(length).filter(|&end| end <= input.length);
    let end = end.ok_or_else(|| invalid(beyond))?;
    let mut values = 0;
    while at < end {
        let (head, length) = Head::read(input, at, end)?
            .ok_or_else(|| invalid("the head of a page makes no sense"))?;
        at += length;
        let stored = u64::try_from(head.stored).ok().filter(|&stored| stored <= end - at);
        let stored = stored.ok_or_else(|| invalid(beyond))?;
        if !plausible_size(head.content, stored) {
            return Err(invalid("a page is said to be larger than it can be"));
        }
        // Each entry of a dictionary takes a byte or more.
        if head.entries < 0 || head.entries > head.content.max(head.stored) {
            return Err(invalid("a dictionary is said to be larger than it can be"));
        }
        at += stored;
        values += u64::try_from(head.values).unwrap_or(0);
    }
    Ok(values)
}

/// What the head of a page says of the page behind it.
#[derive(Default)]
struct Head {
    /// Bytes of the page, and of its content before compression.
    stored: i64,
    content: i64,
    /// Values, if it is a page of data.
    values: i64,
    /// Values, if it is a dictionary.
    entries: i64,
}

impl Head {
    /// Reads a head and returns its length as well, or nothing if it makes no sense.
    fn read(input: &Seekable, at: u64, end: u64) -> Result<Option<(Self, u64)>, Error> {
        let most = LONGEST_HEAD.min(end - at);
        let mut length = 128.min(most);
        loop {
            let bytes = bytes(input, at, length)?;
            let mut head = Self::default();
            let walked = walk(&bytes, &mut |path, value| match path {
                [2] => head.content = value,
                [3] => head.stored = value,
                [5 | 8, 1] => head.values = value,
                [7, 1] => head.entries = value,
                _ => (),
            });
            if let Some(taken) = walked {
                return Ok(Some((head, taken as u64)));
            }
            if length == most {
                return Ok(None);
            }
            length = (16 * length).min(most);
        }
    }
}

fn bytes(input: &Seekable, at: u64, length: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; length as usize];
    let read = input.read_at(at, &mut bytes);
    read.map_err(|error| Error::read(&input.label, &error)).map(|()| bytes)
}
