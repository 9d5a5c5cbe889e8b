//! How Python writes what a user can do.

#[path = "../src/spelling.rs"]
mod spelling;

use nocurl::advice::{Action, SETTINGS, Spelling};
use serde_json::json;
use spelling::{Keywords, RENAMED};

#[test]
fn every_action_is_a_keyword_or_words() {
    let columns = ["a".to_string(), "b".to_string()];
    for (action, words) in [
        (Action::set("missing", "drop"), "missing='drop'"),
        (Action::set("categorical", json!(["a"])), "categorical=['a']"),
        (Action::set("threshold", 0), "threshold=0"),
        (Action::setting("refine"), "`refine`"),
        (Action::set_parameter("penalty", 2.5), "penalty=2.5"),
        (Action::set_parameter("max_iterations", 9), "max_iter=9"),
        (Action::set_parameter("lambdas", json!([1, null, "it's"])), r"lambdas=[1, None, 'it\'s']"),
        (Action::parameter("lambda"), "`penalty`"),
        (Action::method("fges"), "method='fges'"),
        (Action::leave_out(&columns[..1]), "leave the column out with drop=['a']"),
        (Action::leave_out(&columns), "leave the columns out with drop=['a', 'b']"),
        (Action::leave_out(&[]), "leave them out"),
        (Action::leave_out_one(&columns), "leave one of them out"),
        (Action::FewerColumns, "choose fewer columns"),
        (Action::Repeat, "call the same `fit` again"),
    ] {
        assert_eq!(Keywords.spell(&action), words);
    }
}

/// The package has a parameter of every name that is advised, and no other names for parameters
/// than those that messages use.
#[test]
fn the_package_knows_every_name() {
    let learner = include_str!("../../../python/nocurl/_learner.py");
    let shared =
        learner.split_once("SHARED: dict[str, Any] = {").unwrap().1.split_once('}').unwrap().0;
    for name in SETTINGS {
        let known = RENAMED.iter().find(|(engine, _)| *engine == name);
        let name = known.map_or(name, |(_, python)| *python);
        // Graphs take this one where they read rows.
        let known = shared.contains(&format!("\"{name}\":")) || name == "unknown_level";
        assert!(known, "{name}");
    }
    let renamed = learner.split_once("RENAMED = {").unwrap().1.split_once('}').unwrap().0;
    assert_eq!(renamed.matches(':').count(), RENAMED.len());
    for (engine, python) in RENAMED {
        assert!(renamed.contains(&format!("\"{engine}\": \"{python}\"")), "{engine}");
    }
}
