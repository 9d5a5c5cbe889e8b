//! Tables of methods in the documentation, written from the facts: `cargo xtask docs` writes them,
//! and this test fails where they are stale.

use std::fs;
use std::path::Path;

use nocurl::Algorithm;
use nocurl::methods::{Facts, Needs, TakesKnowledge};
use nocurl::refine::Refine;

const BEGIN: &str = "<!-- methods:begin -->";
const END: &str = "<!-- methods:end -->";

/// Methods that users have; the one of the tests is not documented.
fn documented() -> Vec<Algorithm> {
    Algorithm::all().into_iter().filter(|method| method.name() != "toy").collect()
}

fn yes(fact: bool) -> &'static str {
    if fact { "yes" } else { "no" }
}

fn row(facts: &Facts) -> String {
    let needs = if facts.needs == Needs::Rows { "rows" } else { "moments" };
    let determines = facts.determines.name();
    format!(
        "| `{}` | {} | a {determines} | {} | {needs} | {} | {} | {} |\n",
        facts.name,
        facts.summary,
        facts.directions.short(),
        yes(facts.knowledge == TakesKnowledge::Yes),
        yes(facts.depends_on_units),
        facts.reference,
    )
}

fn table() -> String {
    let mut text = String::from(
        "| name | what it does | determines | directions come from | needs | honours prior \
         knowledge | depends on units | reference |\n|---|---|---|---|---|---|---|---|\n",
    );
    documented().iter().for_each(|method| text += &row(&method.facts()));
    text += "\nRefinements, after any method:\n\n| name | what it does | determines | directions \
             come from | needs | honours prior knowledge | depends on units | reference \
             |\n|---|---|---|---|---|---|---|---|\n";
    Refine::ALL.iter().for_each(|refine| text += &row(&refine.facts()));
    text
}

fn parameters() -> String {
    let mut text = String::new();
    for method in documented() {
        let facts = method.facts();
        text += &format!("### `{}`\n\n{}.\n\n", facts.name, facts.summary);
        if facts.parameters.is_empty() {
            text += "It has no parameters.\n\n";
            continue;
        }
        text += "| parameter | default | meaning | range |\n|---|---|---|---|\n";
        let values = method.parameters();
        for about in facts.parameters {
            let (default, meaning) = (serde_json::json!(values[about.name]), about.meaning);
            text += &format!("| `{}` | {default} | {meaning} | {} |\n", about.name, about.range);
        }
        text += "\n";
    }
    text.trim_end().to_string() + "\n"
}

/// Puts `content` between the marks of a page; true when it was there already.
fn update(page: &str, content: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap_or_else(|| panic!("{page} has no marks"));
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{BEGIN}\n\n{content}\n{END}{after}");
    if std::env::var_os("NOCURL_WRITE_DOCS").is_some() {
        fs::write(&path, current).unwrap();
    } else {
        assert!(text == current, "docs/{page} is stale: run `cargo xtask docs`");
    }
}

#[test]
fn tables_of_methods_are_up_to_date() {
    update("choose-a-method.md", &table());
    update("parameters.md", &parameters());
}
