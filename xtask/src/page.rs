//! `cargo xtask page`: the module of WebAssembly, and the page around it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{root, run};

const TARGET: &str = "wasm32-wasip1";

/// What the module is made of, and what the page is.
const MODULE: [&str; 7] = [
    "crates/nocurl",
    "crates/nocurl-render",
    "crates/nocurl-report",
    "crates/nocurl-io",
    "crates/nocurl-app",
    "crates/nocurl-web",
    "Cargo.lock",
];
const PAGE: [&str; 4] = ["web/page", "web/engine", "web/report", "data/sachs.csv"];

/// Where the digests of the sources are kept that the assets were built from.
const DIGESTS: &str = "crates/nocurl-page/asset/sources.txt";

/// What does not compute is made small rather than fast.
const SMALL: [&str; 6] =
    ["nocurl-app", "nocurl-io", "nocurl-render", "nocurl-report", "serde_json", "quick-xml"];

/// Bytes of the stack of the module: parsers run on it, see `nocurl-io/src/stack.rs`.
const STACK: usize = 16 << 20;

/// Builds all of it, or with `--check` says whether the kept files are those of their sources.
pub(crate) fn page() -> Result<()> {
    match env::args().nth(2).as_deref() {
        None => build(),
        Some("--check") => match stale()? {
            None => Ok(()),
            Some(words) => bail!("{words}"),
        },
        Some("--script") => {
            assets(None)?;
            let kept = fs::read_to_string(root().join(DIGESTS)).unwrap_or_default();
            let now = digests()?;
            let lines =
                [line(&kept, "module").unwrap_or("module"), line(&now, "page").unwrap_or("")];
            Ok(fs::write(root().join(DIGESTS), lines.join("\n") + "\n")?)
        }
        Some(other) => bail!("usage: cargo xtask page [--check | --script], not {other}"),
    }
}

/// What has changed since the assets were built, if anything.
pub(crate) fn stale() -> Result<Option<String>> {
    let kept = fs::read_to_string(root().join(DIGESTS)).unwrap_or_default();
    let now = digests()?;
    let changed: Vec<&str> = ["module", "page"]
        .into_iter()
        .filter(|name| line(&kept, name) != line(&now, name))
        .collect();
    if changed.is_empty() {
        return Ok(None);
    }
    Ok(Some(format!(
        "the sources of the {} have changed since `nocurl page` was built: run `cargo xtask page`",
        changed.join(" and of the ")
    )))
}

fn line<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find(|line| line.starts_with(name))
}

fn digests() -> Result<String> {
    Ok(format!("module {:016x}\npage {:016x}\n", digest(&MODULE)?, digest(&PAGE)?))
}

/// FNV-1a of the names and contents of all files in folders, without tests and what is built.
fn digest(paths: &[&str]) -> Result<u64> {
    let mut files = Vec::new();
    for path in paths {
        gather(&root().join(path), &mut files)?;
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let name = file.strip_prefix(root())?.to_string_lossy().replace('\\', "/");
        for byte in name.bytes().chain(fs::read(&file)?) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(hash)
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    const PASSED_OVER: [&str; 4] = ["tests", "benches", "examples", "node_modules"];
    if path.is_file() {
        files.push(path.into());
        return Ok(());
    }
    if !path.exists() || PASSED_OVER.iter().any(|name| path.ends_with(name)) {
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        gather(&entry?.path(), files)?;
    }
    Ok(())
}

fn build() -> Result<()> {
    assets(Some(&module()?))?;
    Ok(fs::write(root().join(DIGESTS), digests()?)?)
}

fn npm() -> Result<()> {
    if root().join("web/node_modules/esbuild").exists() {
        return Ok(());
    }
    run(Command::new("npm").args(["ci", "--prefix", "web", "--no-audit", "--no-fund"]))
        .context("Node with npm is needed: apt-get install nodejs npm")
}

/// The page, around this module or the one that is kept.
fn assets(module: Option<&Path>) -> Result<()> {
    npm()?;
    run(Command::new("node").arg("web/page/build.mjs").args(module))
}

/// Compiles the module: by rustup's target where it is installed, else by Debian's compiler, which
/// builds the standard library for it from its sources.
fn module() -> Result<PathBuf> {
    let installed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).exists());
    let folder = root().join("target/wasm");
    let mut command = Command::new(if installed { env!("CARGO") } else { "/usr/bin/cargo" });
    command.args(["rustc", "--release", "-p", "nocurl-web", "--target", TARGET, "--target-dir"]);
    command.arg(&folder);
    for name in SMALL {
        command.arg("--config").arg(format!("profile.release.package.{name}.opt-level = \"s\""));
    }
    let mut flags = format!(
        "-Ctarget-feature=+simd128,+bulk-memory -Clink-arg=-zstack-size={STACK} \
         -Clink-arg=--stack-first"
    );
    // zstd is in C.
    command
        .env("CC_wasm32_wasip1", tool("clang")?)
        .env("AR_wasm32_wasip1", tool("llvm-ar")?)
        .env("CFLAGS_wasm32_wasip1", "--sysroot=/usr -isystem /usr/include/wasm32-wasi");
    if !installed {
        debian(&mut command, &mut flags, &folder)?;
    }
    // Optimised as a whole it would be smaller, at many times the time of a build.
    run(command
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", flags))?;
    Ok(folder.join(TARGET).join("release/nocurl-web.wasm"))
}

/// Debian's compiler, linker and C library.
fn debian(command: &mut Command, flags: &mut String, folder: &Path) -> Result<()> {
    const LIBRARY: &str = "/usr/lib/wasm32-wasi";
    if !Path::new("/usr/lib/rustlib/src").exists() || !Path::new(LIBRARY).exists() {
        bail!("there is no compiler for {TARGET}; CONTRIBUTING.md says how to get one");
    }
    *flags += &format!(
        " -Clink-self-contained=no -Clink-arg={LIBRARY}/crt1-command.o -Lnative={LIBRARY} \
         -Clink-arg=-lc"
    );
    // Its C library is older than Rust's standard library expects.
    let missing = folder.join("missing.o");
    fs::create_dir_all(folder)?;
    run(Command::new(tool("clang")?)
        .args(["--target=wasm32-wasi", "--sysroot=/usr", "-isystem", "/usr/include/wasm32-wasi"])
        .args(["-O2", "-c", "xtask/wasi/missing.c", "-o"])
        .arg(&missing))?;
    command
        .arg("-Zbuild-std=std,panic_abort")
        .arg("--")
        .arg(format!("-Clink-arg={}", missing.display()))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", "/usr/bin/rustc")
        .env("CARGO_TARGET_WASM32_WASIP1_LINKER", tool("wasm-ld")?);
    Ok(())
}

/// A tool of LLVM, the newest where it is there in several versions.
fn tool(name: &str) -> Result<String> {
    let versions = (14..40).rev().map(|version| format!("{name}-{version}"));
    let found = versions.chain([name.to_string()]).find(|tool| {
        env::split_paths(&env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(tool).exists())
    });
    found.with_context(|| format!("{name} is not there; CONTRIBUTING.md says what is needed"))
}
