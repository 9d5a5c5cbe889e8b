//! Who is at work on a file or in a folder: a lock beside it that names its holder.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::identity::Identity;
use crate::Error;

const PREFIX: &str = ".nocurl-";
const SUFFIX: &str = ".lock";

/// Tries to get a lock while others come and go.
const TRIES: usize = 100;

/// The sole right to write a file, or to fill a folder, until it is dropped or the process ends in
/// whatever way.
///
/// The lock is a file of its own, `.nocurl-NAME.lock`, since the file itself is replaced when it is
/// written. It goes with the claim; one that a killed process left is taken over.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// Holds the lock; closed last.
    _file: Option<File>,
}

impl Claim {
    /// Claims the file at `path`, which may not be there yet.
    ///
    /// # Errors
    /// [`Error::InUse`] with the process that holds it, [`Error::Io`] when no lock can be made.
    pub fn of_file(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        let lock = super::folder_of(path).join(format!("{PREFIX}{name}{SUFFIX}"));
        Self::take(lock, path)
    }

    /// Claims a folder, which must be there.
    ///
    /// # Errors
    /// As [`Self::of_file`].
    pub fn of_folder(folder: &Path) -> Result<Self, Error> {
        Self::take(folder.join(format!("{PREFIX}folder{SUFFIX}")), folder)
    }

    fn take(lock: PathBuf, claimed: &Path) -> Result<Self, Error> {
        let failed = |error: io::Error| super::failed(claimed, &error);
        for _ in 0..TRIES {
            let mut options = OpenOptions::new();
            let mut file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&lock)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let path = format!("`{}`", claimed.display());
                    return Err(Error::InUse { path, holder: holder(&mut file) });
                }
                // No locks on this file system: as before there were any.
                Err(TryLockError::Error(_)) => {
                    let _ = fs::remove_file(&lock);
                    return Ok(Self { path: lock, _file: None });
                }
            }
            // A holder that has just gone has taken its file along.
            if Identity::of_file(&file) == Identity::of_path(&lock) {
                file.set_len(0)
                    .and_then(|()| file.write_all(own_name().as_bytes()))
                    .map_err(failed)?;
                return Ok(Self { path: lock, _file: Some(file) });
            }
        }
        Err(Error::InUse { path: format!("`{}`", claimed.display()), holder: UNKNOWN.into() })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Still locked: whoever opens it before it is gone finds that it is not the file any more.
        let _ = fs::remove_file(&self.path);
    }
}

/// True for names of locks.
pub(super) fn is_claim(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

const UNKNOWN: &str = "another process";

/// Who has written its name into a lock.
fn holder(file: &mut File) -> String {
    let mut name = String::new();
    // A name is short; anything longer is not one of ours.
    match file.take(300).read_to_string(&mut name) {
        Ok(_) if !name.trim().is_empty() => crate::error::shorten(name.trim(), 200),
        _ => UNKNOWN.into(),
    }
}

fn own_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| fs::read_to_string("/etc/hostname"))
        .ok()
        .or_else(|| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok());
    let process = format!("process {}", std::process::id());
    match host.as_deref().map(str::trim) {
        Some(host) if !host.is_empty() => format!("{process} on {host}\n"),
        _ => format!("{process}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_names_its_holder_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.state");
        let claim = Claim::of_file(&path).unwrap();
        let told = Claim::of_file(&path).unwrap_err().to_string();
        assert!(told.contains(&format!("process {}", std::process::id())), "{told}");
        Claim::of_file(&folder.path().join("other.state")).unwrap();
        drop(claim);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // One that a killed process has left is taken over.
        fs::write(folder.path().join(".nocurl-run.state.lock"), "process 1 on moon\n").unwrap();
        drop(Claim::of_file(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn one_of_many_has_the_claim() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.state");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Ok(claim) = Claim::of_file(&path) else { continue };
                        assert_eq!(inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(claim);
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
