//! Developer commands: `cargo xtask test` runs everything that must pass, `cargo xtask docs` writes
//! what the documentation takes from the code.
#![allow(clippy::print_stderr, reason = "a developer's tool talks on the terminal")]

mod browser;
mod cluster;
mod page;
mod supply;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        Some("test-cluster") => cluster::test(),
        Some("test-browser") => {
            cargo(&["build", "-p", "nocurl-cli"], &[])?;
            browser::test()
        }
        Some("docs") => docs(),
        Some("fmt") => format(&[]),
        Some("fuzz") => fuzz(),
        Some("supply") => supply::check(),
        Some("page") => page::page(),
        Some("notices") => supply::write_notices(),
        _ => bail!(
            "usage: cargo xtask test, test-browser, test-cluster, docs, fmt, fuzz, page, supply or \
             notices"
        ),
    }
}

/// The method that tests add to the engine, and see everywhere.
const TOY: [&str; 2] = ["--features", "nocurl/toy"];

/// Format, lints, documentation, tests, then the Python package and our files in other programs;
/// reports and pages in a browser where there is one or one can be installed.
fn test() -> Result<()> {
    format(&["--check"])?;
    supply::check()?;
    // The engine changes often and the module is megabytes: rebuilt now and then, not each time.
    if let Some(words) = page::stale()? {
        eprintln!("warning: {words}");
    }
    // Packages of Python come over the network while the compiler works.
    std::thread::scope(|scope| {
        let python = scope.spawn(environment);
        let browser = scope.spawn(browser::set_up);
        let lints: [&str; 3] = ["--", "-D", "warnings"];
        cargo(&[&["clippy", "--workspace", "--all-targets"], &TOY[..], &lints].concat(), &[])?;
        // All that fails is said at once.
        cargo(&[&["test", "--workspace", "--no-fail-fast"], &TOY[..]].concat(), &[])?;
        // Of the whole workspace: a part of it would have other features and check Arrow again.
        let doc = [&["doc", "--workspace", "--no-deps"], &TOY[..]].concat();
        cargo(&doc, &[("RUSTDOCFLAGS", "-D warnings")])?;
        without_features()?;
        let python = python.join().map_err(|_| anyhow!("setting up Python panicked"))??;
        let browser = browser.join().map_err(|_| anyhow!("setting up a browser panicked"))?;
        // Both wait more than they work.
        let pages = scope.spawn(|| match browser {
            Ok(browser) => browser::checked(&browser),
            Err(error) => {
                eprintln!("warning: reports and pages are not tested in a browser: {error:#}");
                Ok(())
            }
        });
        let tables = test_python(&python);
        pages.join().map_err(|_| anyhow!("the tests in a browser panicked"))??;
        tables
    })
}

/// The engine without the features that are on by default: it is small then, and has no serde.
fn without_features() -> Result<()> {
    let engine = ["-p", "nocurl", "--no-default-features"];
    let lints: [&str; 3] = ["--", "-D", "warnings"];
    for features in [&[][..], &["--features", "threads"][..]] {
        cargo(&[&["clippy"], &engine[..], features, &lints].concat(), &[])?;
    }
    Ok(())
}

/// A virtual environment with what the tests need; returns its interpreter.
fn environment() -> Result<PathBuf> {
    environment_of("target/python-venv", &["--no-deps", "-r", "tests/requirements.txt"])
}

/// A virtual environment with what pip installs by these words.
fn environment_of(folder: &str, words: &[&str]) -> Result<PathBuf> {
    let venv = root().join(folder);
    let python = venv.join("bin/python");
    if !python.exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))
            .context("Python 3 with its venv module is needed: apt-get install python3-venv")?;
    }
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(words))?;
    Ok(python)
}

/// Formats every file; `cargo fmt` misses those that a list declares.
fn format(flags: &[&str]) -> Result<()> {
    let mut files = Vec::new();
    for folder in ["crates", "fuzz", "xtask"] {
        sources(&root().join(folder), &mut files)?;
    }
    run(Command::new("rustfmt").args(["--edition", "2024"]).args(flags).args(files))
}

/// The Rust files in a folder, without what was built.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Writes the tables of methods in `docs/` and the types of Python's classes.
fn docs() -> Result<()> {
    let tables = [&["test", "-p", "nocurl"], &TOY[..], &["--test", "suite", "documents"]].concat();
    cargo(&tables, &[("NOCURL_WRITE_DOCS", "1")])?;
    // As the tests build it, so that nothing is compiled twice.
    cargo(&[&["test", "--workspace", "--no-run"], &TOY[..]].concat(), &[])?;
    let python = environment()?;
    let stage = staged()?;
    run(Command::new(python)
        .args(["-m", "nocurl._stubs", "python/nocurl/_methods.pyi"])
        .env("PYTHONPATH", stage))
}

/// Gives made-up files to the readers for as long as `--minutes N` says; findings go to
/// `target/fuzz/`.
fn fuzz() -> Result<()> {
    let rest: Vec<String> = std::env::args().skip(2).collect();
    let mut arguments = vec!["run", "--release", "-p", "nocurl-fuzz", "--"];
    arguments.extend(rest.iter().map(String::as_str));
    cargo(&arguments, &[])
}

/// The Python package with the module that `cargo test` has built; returns its folder.
fn staged() -> Result<PathBuf> {
    let stage = root().join("target/python");
    let package = stage.join("nocurl");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    copy_sources(&root().join("python/nocurl"), &package)?;
    let module = root().join("target/debug/deps/lib_nocurl.so");
    fs::copy(&module, package.join("_nocurl.abi3.so"))
        .with_context(|| format!("{} was not built", module.display()))?;
    Ok(stage)
}

/// Copies the files of a package, without what was built.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() {
            if name != "__pycache__" {
                copy_sources(&entry.path(), &to.join(name))?;
            }
        } else if !name.to_string_lossy().ends_with(".so") {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// Types, documentation and tests of the Python package, its examples and the README, with the
/// module that `cargo test` has built; then the files we write in other people's programs.
fn test_python(python: &Path) -> Result<()> {
    let stage = staged()?;
    let with_package = |arguments: &[&str]| {
        run(Command::new(python)
            .args(arguments)
            .env("PYTHONPATH", &stage)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("NOCURL", root().join("target/debug/nocurl"))
            .env("NOCURL_WEB", root().join("target/debug/nocurl-web")))
    };
    with_package(&["-m", "mypy", "--config-file", "pyproject.toml", "target/python/nocurl"])?;
    with_package(&[
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--doctest-modules",
        "--doctest-glob=README.md",
        "target/python/nocurl",
        "python/tests",
        "tests/interop",
        "README.md",
    ])?;
    // By itself: its files have names that others have too.
    with_package(&["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/differential"])
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    run(Command::new(env!("CARGO")).args(arguments).envs(environment.iter().copied()))
}

fn run(command: &mut Command) -> Result<()> {
    let shown: String = format!("{command:?}").chars().take(200).collect();
    eprintln!("$ {shown}");
    let status = command.current_dir(root()).status()?;
    if !status.success() {
        bail!("{shown} failed");
    }
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the root").into()
}
