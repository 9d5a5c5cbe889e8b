//! Where bytes come from, and what format they are in.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;

/// Where a table or a graph is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input, written `-` on the command line. It can be read once.
    Stdin,
    /// Bytes in memory under the name of a file, whose extension counts.
    Bytes {
        /// The name used in messages.
        name: String,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
}

impl Source {
    /// Standard input for `-`, a path for anything else.
    pub fn new(argument: impl AsRef<Path>) -> Self {
        let path = argument.as_ref();
        if path.as_os_str() == "-" { Self::Stdin } else { Self::Path(path.to_path_buf()) }
    }

    /// Bytes in memory under the name of a file.
    pub fn bytes(name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::Bytes { name: name.into(), bytes: bytes.as_ref().into() }
    }

    /// How messages speak of the source.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Path(path) => {
                format!("`{}`", crate::error::shorten(&path.to_string_lossy(), 200))
            }
            Self::Stdin => "standard input".into(),
            Self::Bytes { name, .. } => format!("`{name}`"),
        }
    }

    /// The extension in lower case, or nothing.
    pub(crate) fn extension(&self) -> String {
        let extension = match self {
            Self::Path(path) => path.extension(),
            Self::Stdin => None,
            Self::Bytes { name, .. } => Path::new(name).extension(),
        };
        extension.map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
    }

    /// Opens the source for reading from its start to its end.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        match self {
            Self::Path(path) => Ok(Box::new(open_file(path, &self.label())?)),
            Self::Stdin => Ok(Box::new(io::stdin())),
            Self::Bytes { bytes, .. } => Ok(Box::new(Cursor::new(bytes.clone()))),
        }
    }

    /// The whole source in memory, for graphs.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).map_err(|error| Error::read(&self.label(), &error))?;
        Ok(bytes)
    }
}

/// The formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Text with a delimiter: comma, semicolon, tab, bar or spaces.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream.
    Arrow,
    /// A NumPy array.
    Npy,
}

impl Format {
    /// The format by the extension of the name, if it is a known one.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "csv" | "tsv" | "tab" | "txt" | "dat" => Some(Self::Csv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }

    /// The format by the first bytes: text unless they are one of the known signatures.
    pub(crate) fn of_magic(start: &[u8]) -> Self {
        if start.starts_with(b"PAR1") {
            Self::Parquet
        } else if start.starts_with(b"ARROW1") || start.starts_with(&[0xff; 4]) {
            Self::Arrow
        } else if start.starts_with(b"\x93NUMPY") {
            Self::Npy
        } else {
            Self::Csv
        }
    }
}

/// A source that can be opened again and read from any place: a file, or bytes in memory.
///
/// Standard input is copied to a temporary file, which goes away with the value.
#[derive(Debug)]
pub(crate) struct Seekable {
    pub(crate) label: String,
    pub(crate) length: u64,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Path(PathBuf),
    Spool(tempfile::NamedTempFile),
    Bytes(Arc<[u8]>),
}

/// One handle of a [`Seekable`], with a position of its own.
pub(crate) enum Handle {
    File(File),
    Bytes(Cursor<Arc<[u8]>>),
}

impl Seekable {
    /// Makes the source seekable; `start` has already been taken from standard input.
    pub(crate) fn new(source: &Source, start: &[u8]) -> Result<Self, Error> {
        let label = source.label();
        let failed = |error: io::Error| Error::read(&label, &error);
        let (place, length) = match source {
            Source::Path(path) => {
                let length = open_file(path, &label)?.metadata().map_err(failed)?.len();
                (Place::Path(path.clone()), length)
            }
            Source::Stdin => {
                let mut spool = tempfile::NamedTempFile::new().map_err(failed)?;
                let mut input = start.chain(io::stdin().lock());
                let length = io::copy(&mut input, &mut spool).map_err(failed)?;
                (Place::Spool(spool), length)
            }
            Source::Bytes { bytes, .. } => (Place::Bytes(bytes.clone()), bytes.len() as u64),
        };
        Ok(Self { label, length, place })
    }

    /// A new handle at the start.
    pub(crate) fn handle(&self) -> Result<Handle, Error> {
        match &self.place {
            Place::Path(path) => Ok(Handle::File(open_file(path, &self.label)?)),
            Place::Spool(spool) => Ok(Handle::File(open_file(spool.path(), &self.label)?)),
            Place::Bytes(bytes) => Ok(Handle::Bytes(Cursor::new(bytes.clone()))),
        }
    }
}

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Bytes(bytes) => bytes.seek(to),
        }
    }
}

fn open_file(path: &Path, label: &str) -> Result<File, Error> {
    // Opening a folder succeeds on some systems and only reading fails, in words of no help.
    if path.is_dir() {
        return Err(Error::Io {
            action: "read",
            path: label.into(),
            reason: "it is a folder".into(),
        });
    }
    File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            Error::Io { action: "read", path: label.into(), reason: "there is no such file".into() }
        }
        _ => Error::read(label, &error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input_and_extensions_ignore_case() {
        assert_eq!(Source::new("-"), Source::Stdin);
        assert_eq!(Source::new("a/B.PARQUET").extension(), "parquet");
        assert_eq!(Source::Stdin.extension(), "");
    }

    #[test]
    fn signatures_tell_formats_apart() {
        assert_eq!(Format::of_magic(b"PAR1...."), Format::Parquet);
        assert_eq!(Format::of_magic(b"ARROW1\0\0"), Format::Arrow);
        assert_eq!(Format::of_magic(b"\x93NUMPY\x01"), Format::Npy);
        assert_eq!(Format::of_magic(b"a,b\n"), Format::Csv);
    }
}
