//! Which directions of a graph are supported, and by what, in words.

use nocurl::{Claim, Options};

use nocurl_io::{Edge, GraphDocument, Mark};

/// Edges named one by one; of more only the number is told.
const NAMED_EDGES: usize = 5;

/// What the directions rest on, and which of them are supported how far.
pub(super) fn sentence(options: &Options, document: &GraphDocument) -> String {
    let assumption = options.facts().directions.sentence();
    let all = document.edges.len();
    let open: Vec<&Edge> = document
        .marked_edges()
        .filter(|&(_, mark)| mark == Mark::Undirected)
        .map(|(edge, _)| edge)
        .collect();
    let directions = format!("{all} direction{}", if all == 1 { "" } else { "s" });
    let supported = match all - open.len() {
        0 => format!("none of {directions}"),
        some => format!("{some} of {directions}"),
    };
    let evidence = match options.knowledge.is_empty() {
        true => "Conditional independences",
        false => "Conditional independences and prior knowledge",
    };
    let rest = match (document.claim, open.len()) {
        _ if all == 0 => "There are no edges".into(),
        (Claim::Skeleton, _) => format!("None of {directions} is supported"),
        (Claim::Class, 0) => format!("{evidence} support {supported}"),
        (Claim::Class, _) => format!(
            "{evidence} support {supported}; {} may point either way",
            named(&open, "-", all)
        ),
        (Claim::Dag, 0) => format!("{evidence} alone support {supported} as well"),
        (Claim::Dag, number) => format!(
            "{evidence} alone support {supported}; {} rest{} on that assumption \
             alone",
            named(&open, "->", all),
            if number == 1 { "s" } else { "" }
        ),
    };
    format!("{assumption}. {rest}.")
}

fn named(edges: &[&Edge], arrow: &str, all: usize) -> String {
    if edges.len() > NAMED_EDGES {
        let others = if edges.len() < all { "the other" } else { "all" };
        return format!("{others} {}", edges.len());
    }
    let names: Vec<String> =
        edges.iter().map(|edge| format!("`{}` {arrow} `{}`", edge.from, edge.to)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
