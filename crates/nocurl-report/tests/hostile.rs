//! Names that look like markup stay text.

use nocurl_render::{Diagram, Edge, Node};
use nocurl_report::{Check, Fact, Report, Variable, View, html};

const HOSTILE: [&str; 6] = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "]]>\u{2028}\u{0}\u{202e}&amp;",
    "</title></style></noscript><b>",
];

/// A report in which every word is hostile.
fn report() -> Report {
    let nodes = HOSTILE.map(|name| Node { name: name.into(), ..Node::default() }).to_vec();
    let edges = vec![Edge { from: 0, to: 1, ..Edge::default() }];
    let title = HOSTILE.concat();
    let diagram = Diagram { nodes, edges, title: title.clone(), compared: None };
    let variable = |name: &str| Variable {
        name: name.into(),
        levels: HOSTILE.map(String::from).to_vec(),
        ..Variable::default()
    };
    let sentence = title.clone();
    Report {
        title: title.clone(),
        summary: title.clone(),
        warnings: vec![title.clone()],
        variables: HOSTILE.map(variable).to_vec(),
        views: vec![View::new(&title, &diagram)],
        checks: vec![Check { sentence, ..Check::default() }],
        facts: vec![Fact(title.clone(), title.clone())],
        command: Some(title),
        still: Some(diagram),
        ..Report::default()
    }
}

#[test]
fn names_never_become_markup() {
    let page = html(&report());
    let plain = html(&Report::default());
    for tag in ["<script", "</script", "<style", "</style", "</noscript", "<!--", "<img", "<b>"] {
        assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
    }
    // The still picture has titles of its own.
    assert_eq!(page.matches("<title>").count(), page.matches("</title>").count());
    for word in ["onerror=", "onload="] {
        for (at, _) in page.match_indices(word) {
            // Inside JSON, text whose `<` is no tag, or the quotes of an attribute.
            let before = &page[..at];
            let last = &before[before.rfind('<').unwrap()..];
            let quoted = last.matches('"').count() % 2 == 1;
            assert!(last.contains('>') || quoted, "{word} stands in a tag: {last}");
        }
    }
}

#[test]
fn the_data_can_be_read_back() {
    let page = html(&report());
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(&page[start..end]).unwrap();
    for (at, name) in HOSTILE.iter().enumerate() {
        assert_eq!(data["variables"][at]["name"], *name);
    }
}

#[test]
fn numbers_that_are_none_leave_the_report_readable() {
    let mut report = report();
    report.sample = vec![vec![f64::NAN, f64::INFINITY]];
    assert!(html(&report).contains("[null,null]"));
}
