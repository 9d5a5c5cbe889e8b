use serde_json::{Value, json};

use crate::Folder;

#[test]
fn all_methods_are_listed_with_their_parameters() {
    let folder = Folder::new();
    let shown = folder.run(&["methods"]);
    let methods: Value = serde_json::from_str(&folder.run(&["methods", "--json"])).unwrap();
    let methods = methods.as_array().unwrap();
    assert_eq!(methods[0]["name"], "nocurl");
    assert_eq!(methods[0]["parameters"]["lambdas"], json!([10.0, 1000.0]));
    for method in methods {
        assert!(shown.contains(method["name"].as_str().unwrap()), "{shown}");
        assert!(shown.contains(method["summary"].as_str().unwrap()), "{shown}");
        for name in method["parameters"].as_object().unwrap().keys() {
            assert!(shown.contains(&format!("    {name}=")), "{name} is not in {shown}");
        }
    }
    assert!(shown.contains("lambdas=10,1000\n"), "{shown}");
    let default: Vec<&Value> = methods.iter().filter(|method| method["default"] == true).collect();
    assert!(default.len() == 1 && default[0]["name"] == "order-search", "{default:?}");
    assert!(shown.contains("order-search (default)\n"), "{shown}");
}

#[test]
fn help_has_examples_and_the_version_is_told() {
    let folder = Folder::new();
    for command in [
        &["--help"][..],
        &["learn", "--help"],
        &["simulate", "--help"],
        &["evaluate", "--help"],
        &["methods", "--help"],
        &["effects", "--help"],
        &["intervene", "--help"],
    ] {
        let shown = folder.run(command);
        assert!(shown.contains("Examples:\n  nocurl "), "{shown}");
    }
    assert_eq!(folder.run(&["--version"]), format!("nocurl {}\n", env!("CARGO_PKG_VERSION")));
    folder.nocurl(&[]).assert().code(2);
    assert!(folder.refused(&["lern", "x.csv"]).contains("'learn'"));
}

#[test]
fn licences_of_what_is_built_in_are_shown() {
    let shown = Folder::new().run(&["--licenses"]);
    for package in ["faer ", "parquet ", "the font of pictures"] {
        assert!(shown.contains(package), "{package}");
    }
}
