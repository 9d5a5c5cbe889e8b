//! Lengths and counts stated in a Parquet file, held against the file before it is decoded.
//!
//! The decoder allocates what a file says it needs, and an allocation that fails ends the program.

use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::guard::plausible_size;
use super::layout::{FILE_METADATA, PAGE_HEADER};
use super::thrift::{Event, walk};
use crate::Error;
use crate::input::Seekable;

const FORMAT: &str = "Parquet";

/// Bytes after the footer: its length and a signature.
const TAIL: u64 = 8;

/// Longest head of a page; it may hold the least and the greatest value, which may be texts.
const LONGEST_HEAD: u64 = 1 << 20;

/// Widest number that is stored as bytes: a decimal of 256 bits.
const WIDEST: i32 = 32;

/// Groups within groups, beyond which a file is not sound: the decoder goes down by calling itself.
const DEEPEST: usize = 64;

/// Values for each byte of a file, and values beside them, beyond which a file is not sound: a run
/// of equal values takes a few bytes however long it is said to be.
const VALUES_PER_BYTE: u64 = 1 << 16;
const SOME_VALUES: u64 = 1 << 26;

/// Bytes that a value takes at most before compression, with what says whether it is there, and
/// bytes that a page may have beside them.
const VALUE_BYTES: i64 = 64;
const SOME_BYTES: i64 = 1 << 20;

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
    let mut depth = Depth::default();
    let walked = walk(&footer, FILE_METADATA, &mut |path, event| match (path, event) {
        ([2, 0, 5], Event::Integer(children)) => depth.children = children,
        ([2, 0], Event::End) => depth.element(),
        _ => (),
    });
    walked.ok_or_else(|| invalid("its footer makes no sense"))?;
    if depth.is_too_large {
        let reason = format!("its columns are in more than {DEEPEST} groups, one in the other");
        return Err(Error::unsupported(&input.label, reason));
    }
    // The decoder makes room for as many children as a group is said to have.
    if depth.is_wrong || !depth.open.is_empty() {
        return Err(invalid("its schema has fewer columns than it says"));
    }
    Ok(())
}

/// How deep the groups of a schema are, which is a list of elements each before its children.
#[derive(Default)]
struct Depth {
    /// Children of the element that is being read.
    children: i64,
    /// For each group around the next element, how many of its children are to come.
    open: Vec<i64>,
    is_too_large: bool,
    is_wrong: bool,
}

impl Depth {
    fn element(&mut self) {
        if let Some(left) = self.open.last_mut() {
            *left -= 1;
        }
        match std::mem::take(&mut self.children) {
            ..0 => self.is_wrong = true,
            0 => {}
            _ if self.open.len() == DEEPEST => self.is_too_large = true,
            children => self.open.push(children),
        }
        while self.open.last().is_some_and(|&left| left <= 0) {
            self.open.pop();
        }
    }
}

/// What decoding a row group takes.
pub(super) struct Group {
    /// Rows of its longest page.
    pub(super) longest: u64,
    /// Bytes that its columns have in memory together, from above: of each the page that is decoded,
    /// as it is stored and as it is, and a dictionary.
    pub(super) bytes: u64,
}

/// Checks the pages of the columns that will be decoded, which are known by their places. Returns
/// what each row group takes.
pub(super) fn check_pages(
    input: &Seekable,
    metadata: &ParquetMetaData,
    leaves: &[usize],
) -> Result<Vec<Group>, Error> {
    let invalid = |reason: &str| Error::invalid(&input.label, FORMAT, reason);
    let mut groups = Vec::with_capacity(metadata.num_row_groups());
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        let count = u64::try_from(group.num_rows());
        let count = count.map_err(|_| invalid("a row group has fewer than no rows"))?;
        rows = rows.saturating_add(count);
        // One page of each column is in memory at a time.
        let mut together = Chunk::default();
        for &leaf in leaves {
            let chunk = group.columns().get(leaf);
            let chunk = chunk.ok_or_else(|| invalid("a row group has too few columns"))?;
            if chunk.column_descr().type_length() > WIDEST {
                return Err(invalid("a column has numbers of more bytes than there are"));
            }
            let found = check_chunk(input, chunk)?;
            if found.values != count {
                let fewer = if found.values < count { "fewer" } else { "more" };
                return Err(invalid(&format!("it has {fewer} rows than it says")));
            }
            together.stored = together.stored.saturating_add(found.stored);
            together.content = together.content.saturating_add(found.content);
            together.longest = together.longest.max(found.longest);
        }
        if !plausible_size(together.content, together.stored) {
            return Err(invalid(TOO_LARGE));
        }
        let bytes = together.stored.saturating_add(u64::try_from(together.content).unwrap_or(0));
        groups.push(Group { longest: together.longest, bytes });
    }
    if u64::try_from(metadata.file_metadata().num_rows()) != Ok(rows) {
        return Err(invalid("its row groups have other rows than it says"));
    }
    let most = VALUES_PER_BYTE.saturating_mul(input.length).saturating_add(SOME_VALUES);
    if rows.saturating_mul(leaves.len() as u64) > most {
        return Err(invalid("it is said to have more rows than so few bytes can hold"));
    }
    Ok(groups)
}

const TOO_LARGE: &str = "a page is said to be larger than it can be";

/// What the pages of a column say of themselves.
#[derive(Default)]
struct Chunk {
    values: u64,
    /// Values of the longest page.
    longest: u64,
    /// Bytes of the largest page.
    stored: u64,
    /// Bytes before compression of the largest page of data and of the dictionary beside it.
    content: i64,
}

/// Checks the pages of one column.
fn check_chunk(input: &Seekable, chunk: &ColumnChunkMetaData) -> Result<Chunk, Error> {
    let invalid = |reason| Error::invalid(&input.label, FORMAT, reason);
    let beyond = "a column lies beyond its end";
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let (Ok(mut at), Ok(length)) = (u64::try_from(start), u64::try_from(chunk.compressed_size()))
    else {
        return Err(invalid(beyond));
    };
    let end = at.checked_add(length).filter(|&end| end <= input.length);
    let end = end.ok_or_else(|| invalid(beyond))?;
    let mut found = Chunk::default();
    let (mut data, mut dictionary) = (0, 0);
    while at < end {
        let (head, length) = Head::read(input, at, end)?
            .ok_or_else(|| invalid("the head of a page makes no sense"))?;
        at += length;
        let stored = u64::try_from(head.stored).ok().filter(|&stored| stored <= end - at);
        let stored = stored.ok_or_else(|| invalid(beyond))?;
        // Each entry of a dictionary takes a byte or more.
        let entries = head.entries();
        if entries < 0 || entries > head.content.max(head.stored) {
            return Err(invalid("a dictionary is said to be larger than it can be"));
        }
        let values = u64::try_from(head.values());
        let values = values.map_err(|_| invalid("a page has fewer than no values"))?;
        let most = (head.values() + entries) * VALUE_BYTES + SOME_BYTES;
        if !plausible_size(head.content, stored) || head.content > most {
            return Err(invalid(TOO_LARGE));
        }
        at += stored;
        found.values = found.values.saturating_add(values);
        found.longest = found.longest.max(values);
        found.stored = found.stored.max(stored);
        let largest = if head.kind == 2 { &mut dictionary } else { &mut data };
        *largest = head.content.max(*largest);
    }
    found.content = dictionary.saturating_add(data);
    Ok(found)
}

/// What the head of a page says of the page behind it.
#[derive(Default)]
struct Head {
    /// 0 and 3 are pages of data, 2 is a dictionary.
    kind: i64,
    /// Bytes of the page, and of its content before compression.
    stored: i64,
    content: i64,
    /// Values by each of the parts that a head may have.
    data: i64,
    dictionary: i64,
    data_v2: i64,
}

impl Head {
    /// Values, if it is a page of data.
    fn values(&self) -> i64 {
        match self.kind {
            0 => self.data,
            3 => self.data_v2,
            _ => 0,
        }
    }

    /// Values, if it is a dictionary.
    fn entries(&self) -> i64 {
        if self.kind == 2 { self.dictionary } else { 0 }
    }

    /// Reads a head and returns its length as well, or nothing if it makes no sense.
    fn read(input: &Seekable, at: u64, end: u64) -> Result<Option<(Self, u64)>, Error> {
        let most = LONGEST_HEAD.min(end - at);
        let mut length = 128.min(most);
        loop {
            let bytes = bytes(input, at, length)?;
            let mut head = Self::default();
            let walked = walk(&bytes, PAGE_HEADER, &mut |path, event| {
                let Event::Integer(value) = event else { return };
                match path {
                    [1] => head.kind = value,
                    [2] => head.content = value,
                    [3] => head.stored = value,
                    [5, 1] => head.data = value,
                    [7, 1] => head.dictionary = value,
                    [8, 1] => head.data_v2 = value,
                    _ => (),
                }
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
    input.bytes_at(at, length).map_err(|error| Error::read(&input.label, &error))
}
