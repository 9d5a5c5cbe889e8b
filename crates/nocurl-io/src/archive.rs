//! Zip archives: what is in them, and each of them as a stream.
//!
//! The list at the end of an archive counts, as for every program that unpacks: what it says of a
//! member is held against the file before it is read, and against the bytes that come out of it.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use crate::Error;
use crate::input::Seekable;
use crate::packed::{ALWAYS, bounded};

const FORMAT: &str = "zip";

/// More members than this are no table, nor a workbook.
const MOST_MEMBERS: u64 = 65_536;

/// Bytes of the list of members; 65,536 of them with long names.
const LONGEST_LIST: u64 = 64 << 20;

/// Bytes of the record at the end, and of the longest comment behind it.
const END: u64 = 22;
const LONGEST_COMMENT: u64 = 65_535;

/// An archive whose list has been read.
pub(crate) struct Archive {
    place: Seekable,
    members: Vec<Member>,
}

/// A file in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    method: u16,
    encrypted: bool,
    checksum: u32,
    packed: u64,
    size: u64,
    /// Where its own head is.
    head: u64,
}

/// Whether a file begins as archives with members do.
pub(crate) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

impl Archive {
    pub(crate) fn open(place: Seekable) -> Result<Self, Error> {
        let (count, size, at) = end_of(&place)?;
        if count > MOST_MEMBERS || size > LONGEST_LIST {
            let reason = format!("it holds {count} files, more than {MOST_MEMBERS}");
            return Err(Error::unsupported(&place.label, reason));
        }
        if at.checked_add(size).is_none_or(|end| end > place.length) {
            return Err(cut_off(&place.label));
        }
        let list = place.bytes_at(at, size).map_err(|error| Error::read(&place.label, &error))?;
        let mut list = Fields(&list);
        let mut members = Vec::new();
        for _ in 0..count {
            let member = list.member().ok_or_else(|| senseless(&place.label))?;
            if !member.name.ends_with('/') {
                members.push(member);
            }
        }
        Ok(Self { place, members })
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    pub(crate) fn place(&self) -> &Seekable {
        &self.place
    }

    /// The content of a member.
    pub(crate) fn stream(&self, member: &Member) -> Result<Box<dyn Read + Send>, Error> {
        let label = &self.place.label;
        if member.encrypted {
            let reason = "it is encrypted; unpack it with its password first";
            return Err(Error::unsupported(label, reason));
        }
        let mut head = [0; 30];
        self.place.read_at(member.head, &mut head).map_err(|_| cut_off(label))?;
        if !is_zip(&head) {
            return Err(senseless(label));
        }
        let skipped = |at: usize| u64::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let start = member.head + 30 + skipped(26) + skipped(28);
        if start.checked_add(member.packed).is_none_or(|end| end > self.place.length) {
            return Err(cut_off(label));
        }
        let mut handle = self.place.handle();
        handle.seek(SeekFrom::Start(start)).map_err(|error| Error::read(label, &error))?;
        let packed = BufReader::new(handle.take(member.packed));
        let unpacked: Box<dyn Read + Send> = match member.method {
            0 => Box::new(packed),
            8 => Box::new(DeflateDecoder::new(packed)),
            method => {
                let reason = format!(
                    "a file in it is packed by method {method}, which is not read; pack it again \
                     in the usual way"
                );
                return Err(Error::unsupported(label, reason));
            }
        };
        let (size, checksum) = (member.size, member.checksum);
        let checked = Checked { unpacked, crc: Crc::new(), size, checksum, ended: false };
        Ok(Box::new(bounded(FORMAT, checked, member.packed, ALWAYS)))
    }

    /// The content of a small member, such as a list of what is in others.
    pub(crate) fn text(&self, name: &str, limit: u64) -> Result<Option<String>, Error> {
        let Some(member) = self.find(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = self.stream(member)?.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::read(&self.place.label, &error))?;
        if bytes.len() as u64 > limit {
            let reason = format!("`{name}` in it is larger than {} MiB", limit >> 20);
            return Err(Error::unsupported(&self.place.label, reason));
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn senseless(label: &str) -> Error {
    Error::invalid(label, FORMAT, "its list of files makes no sense")
}

fn cut_off(label: &str) -> Error {
    Error::invalid(label, FORMAT, "it ends before its list of files; it may have been cut off")
}

/// How many members there are, how long the list of them is, and where it starts.
fn end_of(place: &Seekable) -> Result<(u64, u64, u64), Error> {
    let label = &place.label;
    let length = place.length.min(END + LONGEST_COMMENT);
    let start = place.length - length;
    let tail = place.bytes_at(start, length).map_err(|error| Error::read(label, &error))?;
    let last = tail.len().checked_sub(END as usize).ok_or_else(|| cut_off(label))?;
    let at = (0..=last).rev().find(|&at| tail[at..].starts_with(b"PK\x05\x06"));
    let at = at.ok_or_else(|| cut_off(label))?;
    let mut end = Fields(&tail[at + 10..]);
    let short = (|| Some((end.two()?.into(), end.four()?.into(), end.four()?.into())))();
    let (count, size, list) = short.ok_or_else(|| senseless(label))?;
    // Larger archives have a second record, and a pointer to it before the first.
    let is_large = count == u64::from(u16::MAX) || list == u64::from(u32::MAX);
    let mut pointer = [0; 20];
    let before = (start + at as u64).checked_sub(20).filter(|_| is_large);
    if let Some(before) = before
        && place.read_at(before, &mut pointer).is_ok()
        && pointer.starts_with(b"PK\x06\x07")
    {
        let mut record = [0; 56];
        let found = Fields(&pointer[8..]).eight().unwrap_or(u64::MAX);
        place.read_at(found, &mut record).map_err(|_| cut_off(label))?;
        let mut fields = Fields(&record[32..]);
        let long = (|| Some((fields.eight()?, fields.eight()?, fields.eight()?)))();
        return long.filter(|_| record.starts_with(b"PK\x06\x06")).ok_or_else(|| senseless(label));
    }
    Ok((count, size, list))
}

/// Numbers one after the other, the lowest byte first.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn two(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn four(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn eight(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// The next entry of the list.
    fn member(&mut self) -> Option<Member> {
        self.take(4).filter(|magic| *magic == b"PK\x01\x02")?;
        self.take(4)?;
        let flags = self.two()?;
        let method = self.two()?;
        self.take(4)?;
        let checksum = self.four()?;
        let (packed, size) = (self.four()?, self.four()?);
        let lengths = [self.two()?, self.two()?, self.two()?].map(usize::from);
        self.take(8)?;
        let head = self.four()?;
        let name = String::from_utf8_lossy(self.take(lengths[0])?).replace('\\', "/");
        let mut extra = Fields(self.take(lengths[1])?);
        self.take(lengths[2])?;
        let mut member = Member {
            name,
            method,
            encrypted: flags & 1 != 0,
            checksum,
            packed: packed.into(),
            size: size.into(),
            head: head.into(),
        };
        while let (Some(kind), Some(length)) = (extra.two(), extra.two()) {
            let mut field = Fields(extra.take(length.into())?);
            // Only what did not fit above is in the extra field of large archives.
            if kind == 1 {
                for number in [&mut member.size, &mut member.packed, &mut member.head] {
                    if *number == u64::from(u32::MAX) {
                        *number = field.eight()?;
                    }
                }
            }
        }
        Some(member)
    }
}

/// Content that must be as long as it is said to be, and have its checksum.
struct Checked {
    unpacked: Box<dyn Read + Send>,
    crc: Crc,
    size: u64,
    checksum: u32,
    ended: bool,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.ended {
            return Ok(0);
        }
        let read = self.unpacked.read(buffer)?;
        self.crc.update(&buffer[..read]);
        self.size = self
            .size
            .checked_sub(read as u64)
            .ok_or_else(|| io::Error::other("a file in it is longer than it is said to be"))?;
        if read == 0 {
            self.ended = true;
            if self.size > 0 {
                return Err(io::Error::other("a file in it is shorter than it is said to be"));
            }
            if self.crc.sum() != self.checksum {
                return Err(io::Error::other("a file in it is not what its checksum says"));
            }
        }
        Ok(read)
    }
}
