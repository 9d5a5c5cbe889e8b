//! Which file a path leads to, whatever it is called.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

/// A file that is there, by the system's own name for it; or the place of one that is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    /// Device and number of the file: links of both kinds lead to the same.
    #[cfg(unix)]
    File(u64, u64),
    /// The path without links.
    #[cfg_attr(unix, allow(dead_code, reason = "where files have no numbers"))]
    Path(PathBuf),
    /// A name in a folder that is there.
    New(Box<Identity>, OsString),
}

impl Identity {
    /// What a path leads to, through links; nothing where even its folder is not there.
    pub(super) fn of_path(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => Self::of_metadata(&found, path),
            Err(_) => {
                let end = super::end_of_links(path).ok()?;
                let folder = super::folder_of(&end);
                let found = fs::metadata(&folder).ok()?;
                let folder = Self::of_metadata(&found, &folder)?;
                Some(Self::New(folder.into(), end.file_name()?.into()))
            }
        }
    }

    /// An open file.
    pub(super) fn of_file(file: &File) -> Option<Self> {
        Self::of_metadata(&file.metadata().ok()?, Path::new(""))
    }

    /// What standard input is, where it is a file.
    pub(super) fn of_standard_input() -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let input = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
            input.metadata().ok()?.is_file().then(|| Self::of_file(&input))?
        }
        #[cfg(not(unix))]
        None
    }

    #[cfg(unix)]
    fn of_metadata(found: &Metadata, _: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::File(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_metadata(_: &Metadata, path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self::Path)
    }
}
