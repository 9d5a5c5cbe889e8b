//! The script and the style inside the crate are those of their sources.

use std::fs;
use std::path::{Path, PathBuf};

/// FNV-1a of the names and contents of files, as `web/build.mjs` computes it.
fn digest(web: &Path, files: &[PathBuf]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let name = file.strip_prefix(web).unwrap().to_string_lossy().replace('\\', "/");
        for byte in name.bytes().chain(fs::read(file).unwrap()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[test]
fn the_script_is_built_from_its_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    // A packed crate has no sources beside it.
    let Ok(entries) = fs::read_dir(web.join("report/src")) else { return };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "ts"));
    files.sort();
    files.push(web.join("report/style.css"));
    let script = include_str!("../asset/report.js");
    let wanted = format!("/* sources {} */", digest(&web, &files));
    assert!(
        script.starts_with(&wanted),
        "web/report has changed since its script was built: run `npm ci && npm run build` in web/"
    );
}

#[test]
fn nothing_inside_asks_for_anything_outside() {
    let (script, style) = (include_str!("../asset/report.js"), include_str!("../asset/report.css"));
    for word in ["fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "innerHTML", "https:"]
    {
        assert!(!script.contains(word), "{word}");
    }
    // The one address is the name of SVG.
    assert_eq!(
        script.matches("http:").count(),
        script.matches("http://www.w3.org/2000/svg").count()
    );
    for word in ["url(", "@import", "http"] {
        assert!(!style.contains(word), "{word}");
    }
}
