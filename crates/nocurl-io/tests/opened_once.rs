//! A file is opened once: what is read is of one file, and a change meanwhile is an error.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use nocurl::{Progress, Run, Watch};
use nocurl_io::{Error, ReadOptions, Source, read_graph, read_knowledge, read_moments};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tables").join(name)
}

/// Does something to the input at the first word of progress.
struct Once<F> {
    done: AtomicBool,
    change: F,
}

impl<F: Fn() + Sync> Watch for Once<F> {
    fn report(&self, _: Progress) {
        if !self.done.swap(true, Ordering::Relaxed) {
            (self.change)();
        }
    }
}

/// A table of one million numbers, all of them `value`, beside one that alternates.
fn npy(value: f64) -> Vec<u8> {
    let rows = 500_000;
    let mut header =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, 2), }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header);
    for row in 0..rows {
        bytes.extend(value.to_le_bytes());
        bytes.extend(f64::from(row % 2).to_le_bytes());
    }
    bytes
}

#[test]
fn a_file_that_is_replaced_or_written_to_while_it_is_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.npy");
    let replace = || {
        let other = folder.path().join("other");
        fs::write(&other, npy(2.0)).unwrap();
        fs::rename(other, &path).unwrap();
    };
    let append = || {
        use std::io::Write;
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"!").unwrap();
    };
    let changes: [&(dyn Fn() + Sync); 2] = [&replace, &append];
    for change in changes {
        fs::write(&path, npy(1.0)).unwrap();
        let once = Once { done: AtomicBool::new(false), change };
        let run = Run::default().watched_by(&once);
        let result = read_moments(&Source::new(&path), &ReadOptions::default(), &run);
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
        assert!(error.to_string().ends_with("try again when nothing writes to it"));
    }
}

#[test]
fn a_file_that_is_deleted_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.npy");
    fs::write(&path, npy(1.0)).unwrap();
    let once = Once { done: AtomicBool::new(false), change: || fs::remove_file(&path).unwrap() };
    let run = Run::default().watched_by(&once);
    let table = read_moments(
        &Source::new(&path),
        &ReadOptions { keep_constant: true, ..Default::default() },
        &run,
    )
    .unwrap();
    assert_eq!(table.data.mean(), [1.0, 0.5]);
}

/// A pipe that a program writes a file into.
fn pipe_of(folder: &Path, name: &str, bytes: Vec<u8>) -> PathBuf {
    let path = folder.join(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let to = path.clone();
    // Nobody waits for it: a reader that gives up early leaves it with a broken pipe.
    std::thread::spawn(move || fs::write(to, bytes));
    path
}

#[test]
fn pipes_of_every_format_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let files = fs::read_dir(testdata("")).unwrap().map(|entry| entry.unwrap().path());
    let (mut formats, options) = (Vec::new(), ReadOptions::default());
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(plain) = read_moments(&Source::new(&file), &options, &Run::default()) else {
            continue;
        };
        // Without an extension the first bytes tell the format.
        for target in [format!("pipe-{name}"), format!("bare-{}", name.replace('.', "-"))] {
            let path = pipe_of(folder.path(), &target, fs::read(&file).unwrap());
            let table = read_moments(&Source::new(path), &options, &Run::default()).unwrap();
            assert_eq!(table.data.mean(), plain.data.mean(), "{target}");
            assert_eq!(table.origin, plain.origin, "{target}");
        }
        formats.push(plain.origin.unwrap().format);
    }
    formats.dedup();
    assert!(formats.len() > 3, "{formats:?}");
}

#[test]
fn nobody_looks_into_a_pipe_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Opening it would wait for a writer, and reading from it would take what is to be read.
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(nocurl_io::is_summary(&path)));
    assert_eq!(told.recv_timeout(std::time::Duration::from_secs(60)), Ok(false));
}

#[test]
fn graphs_and_knowledge_come_through_pipes_and_never_from_endless_sources() {
    let folder = tempfile::tempdir().unwrap();
    let graph = pipe_of(folder.path(), "g.csv", b"from,to\na,b\n".to_vec());
    assert_eq!(read_graph(&Source::new(graph)).unwrap().variables, ["a", "b"]);
    let knowledge = pipe_of(folder.path(), "k.toml", b"required = [['a', 'b']]\n".to_vec());
    assert_eq!(read_knowledge(&Source::new(knowledge)).unwrap().required.len(), 1);
    let zero = Source::new("/dev/zero");
    for error in [read_graph(&zero).unwrap_err(), read_knowledge(&zero).unwrap_err()] {
        assert!(error.to_string().ends_with("it holds zero bytes, so it is not text"), "{error}");
    }
}
