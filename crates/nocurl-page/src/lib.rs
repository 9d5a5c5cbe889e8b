//! The page: a folder of files in which the engine runs in a browser, without a server of its own.
//!
//! [`write()`] puts it into a folder. `asset/` has the files as `cargo xtask page` builds them from
//! `crates/nocurl-web` (the module) and `web/page` (the page); what is large is packed.
//!
//! ```
//! let folder = std::env::temp_dir().join(format!("nocurl-page-{}", std::process::id()));
//! nocurl_page::write(&folder)?;
//! assert!(folder.join("index.html").exists());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), nocurl_io::Error>(())
//! ```

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use nocurl_io::Error;

/// Files as they are.
const PLAIN: [(&str, &[u8]); 5] = [
    ("index.html", include_bytes!("../asset/index.html")),
    ("page.js", include_bytes!("../asset/page.js")),
    ("worker.js", include_bytes!("../asset/worker.js")),
    ("page.css", include_bytes!("../asset/page.css")),
    ("icon.svg", include_bytes!("../asset/icon.svg")),
];

/// Files packed by gzip.
const PACKED: [(&str, &[u8]); 2] = [
    ("nocurl.wasm", include_bytes!("../asset/nocurl.wasm.gz")),
    ("sachs.csv", include_bytes!("../asset/sachs.csv.gz")),
];

/// The files of the page, by their names.
pub fn files() -> Vec<(&'static str, Cow<'static, [u8]>)> {
    let plain = PLAIN.iter().map(|&(name, bytes)| (name, Cow::Borrowed(bytes)));
    let packed = PACKED.iter().map(|&(name, bytes)| (name, Cow::Owned(unpacked(bytes))));
    plain.chain(packed).collect()
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("what is built in is whole");
    bytes
}

/// Writes the page into a folder, which is made if it is not there. One that holds anything else is
/// refused; an older page in it is replaced.
///
/// # Errors
/// A folder with other files, or one that cannot be written.
pub fn write(folder: impl AsRef<Path>) -> Result<(), Error> {
    let files = files();
    let all: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    nocurl_io::write_folder(folder, &all)
}
