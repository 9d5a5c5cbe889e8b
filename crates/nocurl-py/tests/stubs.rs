//! The stubs name what the module has. (That there is a test makes `cargo test` build the module.)

/// Every function and class that `lib.rs` exports is in the stubs.
#[test]
fn the_stubs_name_every_export() {
    let stubs = include_str!("../../../python/nocurl/_nocurl.pyi");
    let exports = include_str!("../src/lib.rs");
    let names: Vec<&str> = exports
        .split("use super::")
        .skip(1)
        .filter_map(|line| line.split_once("::")?.1.split_once(';'))
        .flat_map(|(names, _)| names.trim_matches(['{', '}']).split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty() && *name != "fail")
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let known = [format!("def {name}("), format!("class {name}:")];
        assert!(known.iter().any(|text| stubs.contains(text)), "{name} has no stub");
    }
}
