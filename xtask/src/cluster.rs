//! `cargo xtask test-cluster`: the package on real engines, each with two workers.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{cargo, environment_of, root, run, staged};

/// Installs the engines in an environment of their own and runs `tests/cluster` there; words after
/// the command choose tests, as in `cargo xtask test-cluster -k dask`.
pub(crate) fn test() -> Result<()> {
    run(Command::new("java").arg("-version"))
        .context("Spark needs Java 17: apt-get install openjdk-17-jre-headless")?;
    cargo(&["build", "-p", "nocurl-py", "-p", "nocurl-cli"], &[])?;
    let python = environment_of("target/cluster-venv", &["-r", "tests/cluster/requirements.txt"])?;
    let stage = staged()?;
    let chosen: Vec<String> = std::env::args().skip(2).collect();
    run(Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/cluster"])
        .args(chosen)
        .env("PYTHONPATH", stage)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("NOCURL", root().join("target/debug/nocurl")))
}
