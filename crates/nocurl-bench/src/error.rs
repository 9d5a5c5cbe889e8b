//! What can stop a run.

use std::io;
use std::path::{Path, PathBuf};

/// A run that did not come to its end. Trials that fail do not stop a run: they are rows.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A grid, a flag or a results file that the user can change.
    #[error("{0}")]
    Input(String),
    /// A file that could not be read or written, such as on a full disk.
    #[error("`{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A report that could not be written.
    #[error(transparent)]
    Report(#[from] nocurl_io::Error),
    /// No threads to work with.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The caller asked to stop.
    #[error("stopped before the end; finished trials are kept")]
    Cancelled,
}

impl Error {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| Self::File { path: path.into(), source }
    }
}
