//! The rule that keeps what belongs to the user: nothing that a run reads is written by it, nothing
//! is written twice, and only folders of our own are filled.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::temporary::is_temporary;
use super::{check_writable, claim};
use crate::Error;

/// What a run reads and writes.
///
/// ```
/// use nocurl_io::RunFiles;
/// let folder = std::env::temp_dir();
/// let files = RunFiles::default()
///     .reads("the table", folder.join("x.csv"))
///     .writes("the graph", folder.join("g.json"))
///     .writes("the checkpoint", folder.join("./g.json"));
/// assert!(files.check().unwrap_err().to_string().contains("are one file"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunFiles {
    reads: Vec<(&'static str, PathBuf)>,
    writes: Vec<(&'static str, PathBuf)>,
}

impl RunFiles {
    /// Adds a file that is read; `what` is what it holds, as in `the table`. `-` is standard input.
    #[must_use]
    pub fn reads(mut self, what: &'static str, path: impl Into<PathBuf>) -> Self {
        self.reads.push((what, path.into()));
        self
    }

    /// Adds a file that is written; `what` is what it will hold, as in `the graph`.
    #[must_use]
    pub fn writes(mut self, what: &'static str, path: impl Into<PathBuf>) -> Self {
        self.writes.push((what, path.into()));
        self
    }

    /// Checks before any work that every output can be written, and that it is neither an input nor
    /// another output, under whatever name and through links of either kind.
    ///
    /// # Errors
    /// [`Error::OutputIsInput`], [`Error::OneOutputTwice`], or [`Error::Io`] as from
    /// [`check_writable`].
    pub fn check(&self) -> Result<(), Error> {
        let reads: Vec<_> = self.reads.iter().map(|(what, path)| (what, identity(path))).collect();
        let mut written: Vec<(Identity, &str, &Path)> = Vec::new();
        for (what, path) in &self.writes {
            let Some(own) = Identity::of_path(path) else {
                // Its folder is not there, which this says.
                check_writable(path)?;
                continue;
            };
            if let Some((input, _)) = reads.iter().find(|(_, read)| read.as_ref() == Some(&own)) {
                return Err(Error::OutputIsInput { what, path: quoted(path), input });
            }
            if let Some((_, other, first)) = written.iter().find(|(before, ..)| *before == own) {
                return Err(Error::OneOutputTwice {
                    what: other,
                    path: quoted(first),
                    other: what,
                    other_path: quoted(path),
                });
            }
            check_writable(path)?;
            written.push((own, what, path));
        }
        Ok(())
    }
}

fn identity(path: &Path) -> Option<Identity> {
    match path.as_os_str() == "-" {
        true => Identity::of_standard_input(),
        false => Identity::of_path(path),
    }
}

/// Checks that a folder may be filled: it is not there yet, or it holds nothing but what `is_ours`
/// knows by its name. Temporary files of a run that crashed do not count.
///
/// # Errors
/// [`Error::ForeignFolder`] with something that is in it, or [`Error::Io`].
pub fn check_folder(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(super::failed(folder, &error)),
    };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let foreign = |name: &String| !is_temporary(name) && !claim::is_claim(name) && !is_ours(name);
    // The first by name, so that the message is always the same.
    match names.filter(foreign).min() {
        None => Ok(()),
        Some(name) => Err(Error::ForeignFolder {
            path: quoted(folder),
            found: crate::error::shorten(&name, 80),
        }),
    }
}

fn quoted(path: &Path) -> String {
    format!("`{}`", crate::error::shorten(&path.to_string_lossy(), 200))
}
