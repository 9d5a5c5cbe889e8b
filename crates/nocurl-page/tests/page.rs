//! What is built in is a page: whole, with a policy that lets nothing out, and of the size promised.

use std::fs;
use std::path::Path;

fn text(name: &str) -> String {
    let files = nocurl_page::files();
    let (_, bytes) = files.iter().find(|(file, _)| *file == name).expect("it is there");
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_policy_names_no_outside_source() {
    let page = text("index.html");
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for word in ["http:", "https:", "*", "'unsafe-inline'", "'unsafe-eval'"] {
        assert!(!policy.contains(word), "{policy} has {word}");
    }
    for name in ["index.html", "page.js", "worker.js", "page.css"] {
        let text = text(name);
        let outside: Vec<&str> = text
            .match_indices("http")
            .map(|(at, _)| &text[at..(at + 40).min(text.len())])
            .filter(|link| link.starts_with("http://") || link.starts_with("https://"))
            .filter(|link| !link.starts_with("http://www.w3.org/"))
            .collect();
        assert!(outside.is_empty(), "{name}: {outside:?}");
    }
}

#[test]
fn the_module_is_small_and_the_example_is_the_data() {
    let packed = include_bytes!("../asset/nocurl.wasm.gz");
    assert!(packed.len() <= 2_250_000, "the module has {} bytes", packed.len());
    let files = nocurl_page::files();
    let (_, module) = files.iter().find(|(name, _)| *name == "nocurl.wasm").unwrap();
    assert!(module.starts_with(b"\0asm"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/sachs.csv");
    if let Ok(data) = fs::read_to_string(data) {
        assert_eq!(text("sachs.csv"), data);
    }
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    nocurl_page::write(folder.path()).unwrap();
    nocurl_page::write(folder.path()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), nocurl_page::files().len());
    let mine = folder.path().join("notes.txt");
    fs::write(&mine, "mine").unwrap();
    let error = nocurl_page::write(folder.path()).unwrap_err().to_string();
    assert!(error.contains("notes.txt"), "{error}");
    let file = nocurl_page::write(&mine).unwrap_err().to_string();
    assert!(file.contains("notes.txt"), "{file}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
}
