//! Compressed input: gzip, bzip2 and Zstandard, unpacked while it is read.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

/// Unpacked bytes that are always read, and how many times the packed bytes they may be beyond.
pub(crate) const ALWAYS: u64 = 1 << 30;
const RATIO: u64 = 250;

/// The same for text that is made of a small file which says how often a cell or a row is repeated.
pub(crate) const ALWAYS_MADE: u64 = 64 << 20;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Bzip2,
    Gzip,
    Zstandard,
}

impl Packing {
    /// The packing by the first bytes.
    pub(crate) fn of_magic(start: &[u8]) -> Option<Self> {
        match start {
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstandard),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bzip2 => "bzip2",
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
        }
    }

    /// Unpacks a stream; more than can be meant is an error of it.
    pub(crate) fn unpacked(self, packed: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let taken = Arc::new(AtomicU64::new(0));
        let packed = BufReader::new(Counted { packed, taken: Arc::clone(&taken) });
        let unpacked: Box<dyn Read + Send> = match self {
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstandard => Box::new(zstd::Decoder::with_buffer(packed)?),
        };
        Ok(Box::new(Bounded { name: self.name(), unpacked, taken, always: ALWAYS, given: 0 }))
    }
}

struct Counted<R> {
    packed: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.packed.read(buffer)?;
        self.taken.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// What is unpacked, or made, of bytes: not without end.
struct Bounded {
    name: &'static str,
    unpacked: Box<dyn Read + Send>,
    /// Packed bytes that were read.
    taken: Arc<AtomicU64>,
    always: u64,
    given: u64,
}

/// A stream made of a file of this many bytes; more than can be meant is an error of it.
pub(crate) fn bounded(
    name: &'static str,
    stream: impl Read + Send + 'static,
    bytes: u64,
    always: u64,
) -> impl Read + Send + 'static {
    let (unpacked, taken) = (Box::new(stream), Arc::new(bytes.into()));
    Bounded { name, unpacked, taken, always, given: 0 }
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(buffer).map_err(|error| {
            io::Error::other(format!("it is no whole {} file: {error}", self.name))
        })?;
        self.given += read as u64;
        let most = self.always.max(RATIO.saturating_mul(self.taken.load(Ordering::Relaxed)));
        if self.given > most {
            let words = format!(
                "it unpacks to more than {RATIO} times its size; if that is meant, unpack it first"
            );
            return Err(io::Error::other(words));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn unpack(packed: Vec<u8>) -> io::Result<Vec<u8>> {
        let packing = Packing::of_magic(&packed).unwrap();
        let mut bytes = Vec::new();
        let mut stream = packing.unpacked(Box::new(io::Cursor::new(packed)))?;
        stream.read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn what_is_packed_comes_back() {
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        assert_eq!(unpack(gzip(&bytes)).unwrap(), bytes);
        for pack in [gzip, bzip2] {
            let two = [pack(&bytes[..1000]), pack(&bytes[1000..])].concat();
            assert_eq!(unpack(two).unwrap(), bytes);
        }
        assert_eq!(unpack(zstd::encode_all(&bytes[..], 1).unwrap()).unwrap(), bytes);
    }

    #[test]
    fn a_file_that_was_cut_off_is_an_error() {
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        for packed in [gzip(&bytes), bzip2(&bytes), zstd::encode_all(&bytes[..], 1).unwrap()] {
            let half = packed[..packed.len() / 2].to_vec();
            assert!(unpack(half).unwrap_err().to_string().contains("no whole"));
        }
    }

    #[test]
    fn a_bomb_is_an_error() {
        let packed = Counted { packed: io::empty(), taken: Arc::new(AtomicU64::new(9)) };
        let mut bomb = Bounded {
            name: "gzip",
            unpacked: Box::new(io::repeat(0)),
            taken: packed.taken,
            always: ALWAYS,
            given: 0,
        };
        let error = io::copy(&mut bomb, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("more than 250 times its size"), "{error}");
        assert!(bomb.given <= ALWAYS + (1 << 20));
    }
}
