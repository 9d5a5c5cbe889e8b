//! The one place that writes files: whole or not at all, and never over something that the run
//! reads.

mod claim;
mod files;
mod identity;
mod temporary;

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::Error;
pub use claim::Claim;
pub use files::{RunFiles, check_folder};
use temporary::{sweep, temporary_like};

/// Checks that a file can be written at `path`, and removes what a run that crashed has left beside
/// it. Nothing is left behind.
///
/// To be called before long work: a missing or read-only folder, a folder in the place of the file, or
/// an owner that could not be kept is found now rather than at the end.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let check = || -> io::Result<()> {
        let (target, folder) = resolve(path)?;
        sweep(&folder);
        temporary_like(&target, &folder)?;
        Ok(())
    };
    check().map_err(|error| failed(path, &error))
}

/// Writes text to a file, whole or not at all.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn write_text(path: impl AsRef<Path>, text: &str) -> Result<(), Error> {
    write_bytes(path, text.as_bytes())
}

/// Writes bytes to a file, whole or not at all.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn write_bytes(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
    write_atomic(path.as_ref(), |file| file.write_all(bytes))
}

/// Fills a folder, which is made if it is not there; one that holds anything but these files is
/// refused.
///
/// # Errors
/// [`Error::ForeignFolder`] with something that is in it, or [`Error::Io`].
pub fn write_folder(folder: impl AsRef<Path>, files: &[(&str, &[u8])]) -> Result<(), Error> {
    let folder = folder.as_ref();
    check_folder(folder, |name| files.iter().any(|(ours, _)| *ours == name))?;
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    for (name, _) in files {
        check_writable(folder.join(name))?;
    }
    for (name, bytes) in files {
        write_bytes(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Writes a file atomically: into a temporary file beside it, flushed to disk, then renamed. A file
/// that is there is replaced, with its mode and owner kept.
pub(crate) fn write_atomic(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let (target, folder) = resolve(path)?;
        let mut temporary = temporary_like(&target, &folder)?;
        let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
        fill(&mut writer)?;
        writer.flush()?;
        drop(writer);
        temporary.as_file().sync_all()?;
        temporary.persist(target).map_err(|error| error.error)?;
        sync_folder(&folder)
    };
    write().map_err(|error| failed(path, &error))
}

/// Makes the new name last: without it a crash of the machine may bring the old file back.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        // Folders that can be written but not read, and file systems without this.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput
                    | io::ErrorKind::Unsupported
                    | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

/// Links to follow before they are taken to go round in a circle.
const MOST_LINKS: usize = 40;

/// The real file behind `path` and its folder. Renaming onto a device or a link would replace it,
/// so links are followed, also to files that are not there yet, and anything but a plain file is
/// refused.
fn resolve(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let target = match fs::metadata(path) {
        Ok(existing) if existing.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(existing) if !existing.is_file() => {
            return Err(io::Error::other("it is not a plain file"));
        }
        Ok(existing) if existing.permissions().readonly() => {
            return Err(io::Error::other("it is there already and read-only"));
        }
        Ok(_) => path.canonicalize()?,
        Err(_) if path.file_name().is_none() => {
            return Err(io::Error::other("it is not the name of a file"));
        }
        Err(_) => end_of_links(path)?,
    };
    let folder = folder_of(&target);
    match fs::metadata(&folder) {
        Ok(found) if found.is_dir() => Ok((target, folder)),
        Ok(_) => Err(io::Error::other(format!("`{}` is not a folder", folder.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(io::Error::other(format!("there is no folder `{}`", folder.display())))
        }
        Err(error) => Err(error),
    }
}

/// Where a path leads whose last part may be a link to nothing.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links go round in a circle"))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    // Errors of temporary files name a path that means nothing to the user.
    let reason = match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        io::ErrorKind::StorageFull => "no space left on the device".to_string(),
        _ => crate::error::shorten(&error.to_string(), 200),
    };
    Error::Io { action: "write", path: format!("`{}`", path.display()), reason }
}
