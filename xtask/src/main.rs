//! Developer commands: `cargo xtask test` runs everything that must pass.
#![allow(clippy::print_stderr, reason = "a developer's tool talks on the terminal")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        _ => bail!("usage: cargo xtask test"),
    }
}

/// Format, lints, documentation, tests, then the files we write in other people's programs.
fn test() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(&["test", "--workspace"], &[])?;
    cargo(
        &["doc", "-p", "nocurl", "-p", "nocurl-io", "--no-deps"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    interoperate()
}

/// Runs `tests/interop` with pytest in a virtual environment of its own.
fn interoperate() -> Result<()> {
    let root = root();
    let venv = root.join("target/interop-venv");
    let python = venv.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))
            .context("Python 3 with its venv module is needed: apt-get install python3-venv")?;
    }
    let requirements = root.join("tests/interop/requirements.txt");
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(requirements))?;
    run(Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .arg(root.join("tests/interop"))
        .env("NOCURL", root.join("target/debug/nocurl")))
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    run(Command::new(env!("CARGO")).args(arguments).envs(environment.iter().copied()))
}

fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {command:?}");
    let status = command.current_dir(root()).status()?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the root").into()
}
