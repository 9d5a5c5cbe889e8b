//! Temporary files: what is written before it gets its name. They are locked while they are in use,
//! so that what a killed process has left can be told from what another one is writing.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::identity::Identity;

const PREFIX: &str = ".nocurl-";
const SUFFIX: &str = ".part";
/// Random characters between the two.
const RANDOM: usize = 6;

/// Tries to make a file that nobody removes before it is locked.
const TRIES: usize = 20;

/// A file that removes itself unless it is renamed, with mode and owner of the file that it will
/// replace, or of an ordinary new file.
pub(super) fn temporary_like(target: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let mut file = temporary_in(folder)?;
    for _ in 1..TRIES {
        if is_held(file.as_file(), file.path()) {
            break;
        }
        // Somebody cleaned up before it was locked.
        file = temporary_in(folder)?;
    }
    if let Ok(existing) = fs::metadata(target) {
        resemble(file.as_file(), &existing)?;
    }
    Ok(file)
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Locks a file of our own; false when it is no longer the one at its path. Where there are no
/// locks nobody cleans up either.
fn is_held(file: &File, path: &Path) -> bool {
    file.lock().is_err() || Identity::of_file(file) == Identity::of_path(path)
}

/// Gives a file the mode and the owner of another, before it holds anything.
#[cfg(unix)]
fn resemble(file: &File, existing: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let own = file.metadata()?;
    let other = |had: u32, now: u32| (had != now).then_some(had);
    let (user, group) = (other(existing.uid(), own.uid()), other(existing.gid(), own.gid()));
    if user.is_some() || group.is_some() {
        let kept = fchown(file, user, group);
        kept.map_err(|_| io::Error::other("it belongs to another user or group"))?;
    }
    file.set_permissions(fs::Permissions::from_mode(existing.mode() & 0o7777))
}

#[cfg(not(unix))]
fn resemble(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Removes temporary files in a folder that belong to no process. Failing to do so harms nobody.
pub(super) fn sweep(folder: &Path) {
    if !cfg!(unix) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && entry.file_name().to_str().is_some_and(is_temporary) {
            remove_if_stale(&entry.path());
        }
    }
}

/// True for names that only this file gives.
pub(super) fn is_temporary(name: &str) -> bool {
    let random = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|text| {
        text.len() == RANDOM && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn remove_if_stale(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    // Held until the file is gone: whoever has just made it waits for the lock and looks again.
    if file.try_lock().is_ok() && Identity::of_file(&file) == Identity::of_path(path) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_crash_left_goes_and_what_is_in_use_or_not_ours_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".nocurl-aB3xY9.part"), "half").unwrap();
        let others = [".nocurl-notes", ".nocurl-toolong.part", ".nocurl-aB-xY9.part", "x.part"];
        others.iter().for_each(|name| fs::write(at(name), "mine").unwrap());
        let used = temporary_like(&at("graph.json"), folder.path()).unwrap();
        sweep(folder.path());
        let own = used.path().file_name().unwrap().to_str().unwrap().to_string();
        assert!(is_temporary(&own));
        let mut expected: Vec<String> = others.map(String::from).into();
        expected.push(own);
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }
}
