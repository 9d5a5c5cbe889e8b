//! Tests in a real browser: Debian's chromium, driven by the packages that `web/package-lock.json`
//! names.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{page, root, run};

/// Where a browser is looked for beside `CHROMIUM`.
const BROWSERS: [&str; 3] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Runs the tests of report and page in a browser, with all their set-up. The program must have
/// been built.
pub(crate) fn test() -> Result<()> {
    let browser = set_up()?;
    checked(&browser)
}

/// The browser and the packages, installed where they are missing.
pub(crate) fn set_up() -> Result<PathBuf> {
    let has_npm = || Command::new("npm").arg("--version").output().is_ok();
    if !has_npm() {
        install(&["nodejs", "npm"]).context(
            "npm is needed: apt-get install nodejs npm, or nodejs.org (Node 20 or later)",
        )?;
    }
    let browser = match browser() {
        Some(browser) => browser,
        None => {
            install(&["chromium"])
                .context("a browser is needed: install chromium, or set CHROMIUM to its path")?;
            browser().context("chromium was installed, but is not in /usr/bin")?
        }
    };
    let web = root().join("web");
    let (wanted, kept) = ("package-lock.json", "node_modules/.package-lock.json");
    let time = |name: &str| web.join(name).metadata().and_then(|file| file.modified()).ok();
    if time(kept).is_none() || time(kept) < time(wanted) {
        run(Command::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"])
            .arg(&web))?;
    }
    Ok(browser)
}

fn browser() -> Option<PathBuf> {
    let given = std::env::var_os("CHROMIUM").map(PathBuf::from);
    given.into_iter().chain(BROWSERS.map(PathBuf::from)).find(|path| path.exists())
}

/// Installs packages of Debian, as root.
fn install(packages: &[&str]) -> Result<()> {
    let id = Command::new("id").arg("-u").output()?;
    if String::from_utf8_lossy(&id.stdout).trim() != "0" {
        bail!("only root can install it");
    }
    run(Command::new("apt-get").args(["update", "-qq"]))?;
    run(Command::new("apt-get")
        .args(["install", "-qq", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Types, the built files against their sources, and the tests.
pub(crate) fn checked(browser: &Path) -> Result<()> {
    let web = root().join("web");
    for sources in ["report", "page", "npm"] {
        run(Command::new(web.join("node_modules/.bin/tsc"))
            .args(["--noEmit", "-p"])
            .arg(web.join(sources)))?;
    }
    run(Command::new("node").arg(web.join("build.mjs")).arg("--check"))?;
    // A module that is older than the engine is not held against it.
    let old = page::stale()?.map(|words| ("NOCURL_PAGE_OLD", words));
    run(Command::new("node")
        .arg(web.join("tests/run.mjs"))
        .envs(old)
        .env("CHROMIUM", browser)
        .env("NOCURL", root().join("target/debug/nocurl")))
}
