//! The one place that writes files: whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::Error;

/// Checks that a file can be written at `path`, without leaving anything behind.
///
/// To be called before long work: a missing or read-only folder, or a folder in the place of the
/// file, is found now rather than at the end.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), Error> {
    let path = path.as_ref();
    let (_, folder) = resolve(path).map_err(|error| failed(path, &error))?;
    temporary_in(&folder).map_err(|error| failed(path, &error))?;
    Ok(())
}

/// Writes text to a file, whole or not at all.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn write_text(path: impl AsRef<Path>, text: &str) -> Result<(), Error> {
    write_atomic(path.as_ref(), |file| file.write_all(text.as_bytes()))
}

/// Writes a file atomically: into a temporary file beside it, flushed to disk, then renamed.
pub(crate) fn write_atomic(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut fs::File>) -> io::Result<()>,
) -> Result<(), Error> {
    let write = || -> io::Result<()> {
        let (target, folder) = resolve(path)?;
        let mut temporary = temporary_in(&folder)?;
        let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file_mut());
        fill(&mut writer)?;
        writer.flush()?;
        drop(writer);
        temporary.as_file().sync_all()?;
        temporary.persist(target).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error| failed(path, &error))
}

/// The real file behind `path` and its folder. Renaming onto a device or a link would replace it,
/// so links are followed and anything but a plain file is refused.
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
        Err(_) => path.to_path_buf(),
    };
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    };
    match fs::metadata(&folder) {
        Ok(found) if found.is_dir() => Ok((target, folder)),
        Ok(_) => Err(io::Error::other(format!("`{}` is not a folder", folder.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(io::Error::other(format!("there is no folder `{}`", folder.display())))
        }
        Err(error) => Err(error),
    }
}

/// A file that removes itself unless it is renamed, with the permissions of an ordinary new file.
fn temporary_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nocurl-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
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
