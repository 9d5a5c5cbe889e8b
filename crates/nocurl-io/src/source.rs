//! Where bytes come from, and what format they are in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Several files as one table, see [`Source::of_tables`].
    Several {
        /// As the user named them.
        name: String,
        /// The files in their order.
        parts: Vec<Part>,
    },
}

/// One of several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Where it is.
    pub path: PathBuf,
    /// Columns that the names of its folders tell, with their values in this file.
    pub values: Vec<(String, String)>,
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

    /// Whether it can be read more than once.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Stdin)
    }

    /// The name as the user gave it, `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.to_string_lossy().into_owned(),
            Self::Stdin => "-".into(),
            Self::Bytes { name, .. } | Self::Several { name, .. } => name.clone(),
        }
    }

    /// How messages speak of the source.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Path(path) => {
                format!("`{}`", crate::error::shorten(&path.to_string_lossy(), 200))
            }
            Self::Stdin => "standard input".into(),
            Self::Bytes { name, .. } | Self::Several { name, .. } => {
                format!("`{}`", crate::error::shorten(name, 200))
            }
        }
    }

    /// The extension in lower case, or nothing; of a packed file that of what is in it.
    pub(crate) fn extension(&self) -> String {
        let path = match self {
            Self::Path(path) => path.as_path(),
            Self::Stdin => return String::new(),
            Self::Bytes { name, .. } => Path::new(name),
            Self::Several { .. } => return String::new(),
        };
        let of = |path: &Path| {
            path.extension().map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
        };
        match (of(path).as_str(), path.file_stem()) {
            ("gz" | "gzip" | "zst" | "zstd" | "bz2" | "bzip2", Some(stem)) => of(Path::new(stem)),
            (extension, _) => extension.into(),
        }
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
    /// NumPy arrays in an archive.
    Npz,
    /// A workbook of Excel.
    Xlsx,
    /// An OpenDocument spreadsheet.
    Ods,
    /// JSON lines: an object on each line.
    Jsonl,
}

impl Format {
    /// The format by the extension of the name, if it is a known one.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "csv" | "tsv" | "tab" | "txt" | "dat" => Some(Self::Csv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "xlsx" | "xlsm" | "xltx" => Some(Self::Xlsx),
            "ods" | "ots" => Some(Self::Ods),
            "jsonl" | "ndjson" | "jsonlines" => Some(Self::Jsonl),
            _ => None,
        }
    }

    /// What messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Npy | Self::Npz => "NumPy",
            Self::Xlsx => "Excel",
            Self::Ods => "OpenDocument",
            Self::Jsonl => "JSON lines",
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
        } else if start.starts_with(b"{\"") || start.starts_with(b"{ \"") {
            Self::Jsonl
        } else {
            Self::Csv
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input_and_extensions_ignore_case() {
        assert_eq!(Source::new("-"), Source::Stdin);
        assert_eq!(Source::new("a/B.PARQUET").extension(), "parquet");
        assert_eq!(Source::Stdin.extension(), "");
        assert_eq!(Source::new("a/b.CSV.gz").extension(), "csv");
    }

    #[test]
    fn signatures_tell_formats_apart() {
        assert_eq!(Format::of_magic(b"PAR1...."), Format::Parquet);
        assert_eq!(Format::of_magic(b"ARROW1\0\0"), Format::Arrow);
        assert_eq!(Format::of_magic(b"\x93NUMPY\x01"), Format::Npy);
        assert_eq!(Format::of_magic(b"a,b\n"), Format::Csv);
    }
}
