//! Input that is open. A file is opened once: whatever reads it, in order or from any place, goes
//! through one handle, so that all of it is of one file.

use std::fs::{self, File, Metadata};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use nocurl::memory::{ask, zeros};

#[cfg(not(target_family = "wasm"))]
use crate::machine::room_for_copies;
use crate::packed::Packing;
use crate::{Error, Source};

/// Reads a text that a user wrote: UTF-8, of at most 16 MiB.
///
/// # Errors
/// A file that cannot be read, is no text or is larger; `what` is what it should be.
pub fn read_text(source: &Source, what: &'static str) -> Result<String, Error> {
    let (input, watch) = Input::open(source)?;
    watch.unchanged(input.into_text(what, 16 << 20))
}

/// A source that has been opened.
///
/// Readers of formats take it as a stream of bytes or as something to be read from any place. What
/// can only be read in order (a pipe, or what a layer decompresses) is copied to a temporary file
/// for the latter.
pub(crate) struct Input {
    pub(crate) label: String,
    /// Of the name, in lower case; it tells the format where it is a known one.
    pub(crate) extension: String,
    content: Content,
}

enum Content {
    Placed(Seekable),
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Opens a source; also returns what tells at the end whether it has changed.
    pub(crate) fn open(source: &Source) -> Result<(Self, Watch), Error> {
        let label = source.label();
        let mut watch = Watch { label: label.clone(), opened: None };
        let content = match source {
            Source::Path(path) => {
                let file = open_file(path, &label)?;
                let found = file.metadata().map_err(|error| Error::read(&label, &error))?;
                // A pipe or a device; and some systems show things of theirs as empty files.
                if !found.is_file() || found.len() == 0 {
                    Content::Stream(Box::new(file))
                } else {
                    let bytes = Bytes::File(Arc::new(Positioned::new(file)));
                    let opened = Opened {
                        path: path.clone(),
                        bytes: bytes.clone(),
                        stamp: Stamp::of(&found),
                    };
                    watch.opened = Some(opened);
                    Content::Placed(Seekable { label: label.clone(), length: found.len(), bytes })
                }
            }
            Source::Stdin => Content::Stream(Box::new(io::stdin())),
            Source::Several { .. } => {
                return Err(Error::unsupported(&label, "one file is expected, not several"));
            }
            Source::Bytes { bytes, .. } => Content::Placed(Seekable {
                label: label.clone(),
                length: bytes.len() as u64,
                bytes: Bytes::Memory(bytes.clone()),
            }),
        };
        Ok((Self { label, extension: source.extension(), content }, watch))
    }

    /// What comes out of another input, under the name of that.
    pub(crate) fn of_stream(
        label: String,
        extension: String,
        stream: Box<dyn Read + Send>,
    ) -> Self {
        Self { label, extension, content: Content::Stream(stream) }
    }

    /// The first bytes, up to `count`, which stay to be read.
    pub(crate) fn peek(&mut self, count: usize) -> Result<Vec<u8>, Error> {
        ask("reading", count as u64)?;
        let mut start = Vec::with_capacity(count);
        let taken = match &mut self.content {
            Content::Placed(place) => place.handle().take(count as u64).read_to_end(&mut start),
            Content::Stream(stream) => stream.by_ref().take(count as u64).read_to_end(&mut start),
        };
        taken.map_err(|error| Error::read(&self.label, &error))?;
        if let Content::Stream(stream) = &mut self.content {
            let rest = std::mem::replace(stream, Box::new(io::empty()));
            *stream = Box::new(Cursor::new(start.clone()).chain(rest));
        }
        Ok(start)
    }

    /// The same without its packing, if it has one.
    pub(crate) fn unpacked(mut self) -> Result<Self, Error> {
        let Some(packing) = Packing::of_magic(&self.peek(4)?) else { return Ok(self) };
        let (label, extension) = (self.label.clone(), self.extension.clone());
        let stream = packing.unpacked(self.into_stream());
        let stream = stream.map_err(|error| Error::read(&label, &error))?;
        Ok(Self { label, extension, content: Content::Stream(stream) })
    }

    /// Bytes in all, where that is known before they are read.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.content {
            Content::Placed(place) => Some(place.length),
            Content::Stream(_) => None,
        }
    }

    /// The bytes from the first to the last.
    pub(crate) fn into_stream(self) -> Box<dyn Read + Send> {
        match self.content {
            Content::Placed(place) => Box::new(place.handle()),
            Content::Stream(stream) => stream,
        }
    }

    /// The bytes, to be read from any place.
    pub(crate) fn into_seekable(self) -> Result<Seekable, Error> {
        match self.content {
            Content::Placed(place) => Ok(place),
            Content::Stream(stream) => Seekable::spooled(self.label, stream),
        }
    }

    /// The whole input in memory.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, Error> {
        let label = self.label.clone();
        ask("reading", self.length().unwrap_or(0))?;
        let mut bytes = Vec::new();
        let read = self.into_stream().read_to_end(&mut bytes);
        read.map_err(|error| Error::read(&label, &error))?;
        Ok(bytes)
    }

    /// The whole input in memory, if it is text of at most `limit` bytes.
    pub(crate) fn into_text(self, format: &'static str, limit: u64) -> Result<String, Error> {
        const CHUNK: u64 = 1 << 20;
        let label = self.label.clone();
        let length = self.length().unwrap_or(0);
        // The text, and what is made of it.
        ask("reading", 2 * length.min(limit))?;
        let mut stream = self.into_stream();
        let mut bytes = Vec::with_capacity(length.min(limit) as usize + 1);
        loop {
            let old = bytes.len();
            let read = stream.by_ref().take(CHUNK).read_to_end(&mut bytes);
            read.map_err(|error| Error::read(&label, &error))?;
            // An endless source should not have to end before it is refused.
            if bytes[old..].contains(&0) {
                let reason = "it holds zero bytes, so it is not text";
                return Err(Error::invalid(&label, format, reason));
            }
            if bytes.len() as u64 > limit {
                let reason = format!("it is larger than {} MiB, which is not read", limit >> 20);
                return Err(Error::unsupported(&label, reason));
            }
            if ((bytes.len() - old) as u64) < CHUNK {
                break;
            }
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::invalid(&label, format, "it is not UTF-8 text"))?;
        Ok(text)
    }
}

/// What is read from any place, by several threads at a time.
#[derive(Debug, Clone)]
pub(crate) struct Seekable {
    pub(crate) label: String,
    pub(crate) length: u64,
    bytes: Bytes,
}

/// Shared bytes, each of them read by its place.
#[derive(Debug, Clone)]
enum Bytes {
    File(Arc<Positioned>),
    Memory(Arc<[u8]>),
}

impl Seekable {
    /// Copies a stream to memory, where there is no folder for temporary files.
    #[cfg(target_family = "wasm")]
    pub(crate) fn spooled(label: String, mut stream: impl Read) -> Result<Self, Error> {
        /// Half of what a module can have, so that there is room for the rest of the work.
        const MOST: u64 = 1 << 31;
        let mut bytes = Vec::new();
        let read = stream.by_ref().take(MOST).read_to_end(&mut bytes);
        read.map_err(|error| Error::read(&label, &error))?;
        if bytes.len() as u64 == MOST {
            let reason = "it unpacks to 2 GiB or more, which a browser has no room for";
            return Err(Error::unsupported(&label, reason));
        }
        Ok(Self { label, length: bytes.len() as u64, bytes: Bytes::Memory(bytes.into()) })
    }

    /// Copies a stream to a temporary file that nobody else sees and that goes away with the value.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn spooled(label: String, mut stream: impl Read) -> Result<Self, Error> {
        let limit = room_for_copies();
        let copied = tempfile::tempfile().and_then(|mut file| {
            let length = io::copy(&mut stream.by_ref().take(limit), &mut file)?;
            match length == limit && stream.read(&mut [0])? > 0 {
                true => Err(io::Error::other(format!(
                    "it is copied to `{}`, which is in memory, and has more than the {} MiB left; \
                     let TMPDIR name a folder on a disk",
                    std::env::temp_dir().display(),
                    limit >> 20
                ))),
                false => Ok((file, length)),
            }
        });
        let (file, length) = copied.map_err(|error| Error::read(&label, &error))?;
        Ok(Self { label, length, bytes: Bytes::File(Arc::new(Positioned::new(file))) })
    }

    /// A position of its own in the same bytes, at the start.
    pub(crate) fn handle(&self) -> Handle {
        Handle { bytes: self.bytes.clone(), at: 0, length: self.length }
    }

    /// Fills a buffer from a place on.
    pub(crate) fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        match &self.bytes {
            Bytes::File(file) => file.read_exact_at(at, buffer),
            Bytes::Memory(bytes) => {
                let start = usize::try_from(at).ok().and_then(|at| bytes.get(at..));
                let found = start.and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }

    /// So many bytes from a place on.
    pub(crate) fn bytes_at(&self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        let count = usize::try_from(count).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let refused = |error| io::Error::new(io::ErrorKind::OutOfMemory, error);
        let mut bytes = zeros("reading", count).map_err(refused)?;
        self.read_at(at, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes, if they are in memory.
    pub(crate) fn memory(&self) -> Option<&Arc<[u8]>> {
        match &self.bytes {
            Bytes::File(_) => None,
            Bytes::Memory(bytes) => Some(bytes),
        }
    }
}

/// A position in a [`Seekable`].
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    bytes: Bytes,
    at: u64,
    length: u64,
}

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &self.bytes {
            Bytes::File(file) => file.read_at(self.at, buffer)?,
            Bytes::Memory(bytes) => {
                let start = usize::try_from(self.at).unwrap_or(usize::MAX).min(bytes.len());
                (&bytes[start..]).read(buffer)?
            }
        };
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(step) => self.at.checked_add_signed(step),
            SeekFrom::End(step) => self.length.checked_add_signed(step),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A file that is read by place: threads share it and have no position in common.
#[cfg(unix)]
#[derive(Debug)]
struct Positioned(File);

#[cfg(unix)]
impl Positioned {
    fn new(file: File) -> Self {
        Self(file)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, buffer, at)
    }

    fn read_exact_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, buffer, at)
    }
}

/// The same where a file can only be read at its one position: one thread at a time.
#[cfg(not(unix))]
#[derive(Debug)]
struct Positioned(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Positioned {
    fn new(file: File) -> Self {
        Self(std::sync::Mutex::new(file))
    }

    fn file(&self) -> std::sync::MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.file().metadata()
    }

    fn read_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file();
        file.seek(SeekFrom::Start(at))?;
        file.read(buffer)
    }

    fn read_exact_at(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = self.file();
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(buffer)
    }
}

/// Tells whether a file has changed since it was opened. Pipes and memory do not.
pub(crate) struct Watch {
    label: String,
    opened: Option<Opened>,
}

struct Opened {
    path: PathBuf,
    bytes: Bytes,
    stamp: Stamp,
}

/// What is different of a file that was changed, and of another file under the same name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and number of the file on it.
    identity: Option<(u64, u64)>,
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            Some((found.dev(), found.ino()))
        };
        #[cfg(not(unix))]
        let identity = None;
        Self { length: found.len(), modified: found.modified().ok(), identity }
    }
}

impl Watch {
    /// What was read, unless the file has changed meanwhile: then neither numbers nor complaints
    /// mean anything.
    pub(crate) fn unchanged<T>(&self, read: Result<T, Error>) -> Result<T, Error> {
        if matches!(read, Err(Error::Engine(_))) || !self.has_changed() {
            return read;
        }
        Err(Error::Changed { path: self.label.clone() })
    }

    /// How the file was found, to be compared with how it is found another time.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.opened.as_ref().map(|opened| opened.stamp.clone())
    }

    fn has_changed(&self) -> bool {
        let Some(Opened { path, bytes: Bytes::File(file), stamp }) = &self.opened else {
            return false;
        };
        // A file that was deleted is still there for those who have it open.
        let now = [file.metadata(), fs::metadata(path)];
        now.iter().flatten().any(|found| Stamp::of(found) != *stamp)
    }
}

fn open_file(path: &Path, label: &str) -> Result<File, Error> {
    let refused =
        |reason: &str| Error::Io { action: "read", path: label.into(), reason: reason.into() };
    // Opening a folder succeeds on some systems and only reading fails, in words of no help.
    if path.is_dir() {
        return Err(refused("it is a folder"));
    }
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => refused("there is no such file"),
        _ => Error::read(label, &error),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file_of(bytes: &[u8]) -> (tempfile::NamedTempFile, Source) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let source = Source::new(file.path());
        (file, source)
    }

    fn all(mut read: impl Read) -> Vec<u8> {
        let mut bytes = Vec::new();
        read.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn files_memory_and_streams_give_the_same_bytes() {
        let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let (_file, file) = file_of(&content);
        let inputs = || {
            let stream = Input {
                label: "s".into(),
                extension: String::new(),
                content: Content::Stream(Box::new(Cursor::new(content.clone()))),
            };
            let memory = Source::bytes("m", &content);
            [Input::open(&file).unwrap().0, Input::open(&memory).unwrap().0, stream]
        };
        for mut input in inputs() {
            assert_eq!(input.peek(7).unwrap(), content[..7]);
            assert_eq!(input.peek(3).unwrap(), content[..3]);
            assert_eq!(all(input.into_stream()), content);
        }
        for mut input in inputs() {
            input.peek(8).unwrap();
            let place = input.into_seekable().unwrap();
            assert_eq!(place.length, content.len() as u64);
            let mut handle = place.handle();
            handle.seek(SeekFrom::End(-5)).unwrap();
            assert_eq!(all(&mut handle), content[content.len() - 5..]);
            assert_eq!(all(place.handle()), content);
            let mut some = [0; 100];
            place.read_at(1000, &mut some).unwrap();
            assert_eq!(some, content[1000..1100]);
            assert!(place.read_at(place.length - 99, &mut some).is_err());
            assert!(place.read_at(u64::MAX, &mut some).is_err());
        }
    }

    #[test]
    fn a_change_is_seen() {
        type Change = fn(&mut tempfile::NamedTempFile);
        let changes: [(Change, bool); 5] = [
            (|_| (), false),
            (|file| fs::remove_file(file.path()).unwrap(), false),
            (|file| file.write_all(b"more").unwrap(), true),
            (
                |file| {
                    let later = SystemTime::now() + std::time::Duration::from_secs(60);
                    file.as_file().set_modified(later).unwrap();
                },
                true,
            ),
            (
                |file| {
                    let other = file.path().with_extension("other");
                    fs::copy(file.path(), &other).unwrap();
                    let time = file.as_file().metadata().unwrap().modified().unwrap();
                    File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
                    fs::rename(other, file.path()).unwrap();
                },
                cfg!(unix),
            ),
        ];
        for (place, (change, seen)) in changes.into_iter().enumerate() {
            let (mut file, source) = file_of(b"a,b\n");
            let (_, watch) = Input::open(&source).unwrap();
            change(&mut file);
            let result = watch.unchanged(Ok(()));
            assert_eq!(result.is_err(), seen, "change {place}");
            if let Err(error) = result {
                assert!(matches!(error, Error::Changed { .. }));
            }
        }
    }

    #[test]
    fn text_has_a_limit() {
        let text = |bytes: &[u8]| {
            let (input, _) = Input::open(&Source::bytes("t", bytes)).unwrap();
            input.into_text("graph", 10).map_err(|error| error.to_string())
        };
        assert_eq!(text(b"0123456789").unwrap(), "0123456789");
        assert!(text(b"0123456789a").unwrap_err().contains("larger than"));
        assert!(text(b"01\0").unwrap_err().contains("zero bytes"));
        assert!(text(b"\xff").unwrap_err().contains("UTF-8"));
    }
}
