//! The program as its users see it: what goes in, what comes out, and the exit code.

mod bad_input;
mod bench;
mod bootstrap;
mod checkpoint;
mod comfort;
mod draw;
mod effects;
mod evaluate;
mod experiments;
mod inspect;
mod interrupt;
mod knowledge;
mod learn;
mod memory;
mod methods;
mod model;
mod moments;
mod overwrite;
mod reading;
mod simulate;
mod transform;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own for one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// Names of all files, hidden ones too.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The program in this folder.
    fn nocurl(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("nocurl").unwrap();
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    /// Runs the program and returns standard output.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.nocurl(arguments).assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the program, which must fail with one line and code 2, and returns the line.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.nocurl(arguments).assert().code(2).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.stdout, b"", "{arguments:?}");
        assert_eq!(told.lines().count(), 1, "{arguments:?}: {told}");
        told.trim_end().strip_prefix("error: ").expect("it says that it is an error").to_string()
    }
}

/// A file of the repository's `data/`.
fn repository_data(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    root.join(name).to_string_lossy().into_owned()
}

/// A chain `rain -> wet -> slip` with weights 1.5 and 2, from a fixed sequence of numbers.
fn chain() -> String {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let mut text = String::from("slip,rain,wet\n");
    for _ in 0..200 {
        let rain = noise();
        let wet = 1.5 * rain + noise();
        let slip = 2.0 * wet + noise();
        text += &format!("{slip:.6},{rain:.6},{wet:.6}\n");
    }
    text
}
