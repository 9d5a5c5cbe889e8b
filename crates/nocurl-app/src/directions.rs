//! Which directions of a graph are determined, and by what, in words.

use std::collections::BTreeSet;

use nocurl::{Determines, Options};

use nocurl_io::{Edge, GraphDocument};

/// Edges named one by one; of more only the number is given.
const NAMED_EDGES: usize = 5;

/// What determines the directions, and which of them are undetermined.
pub(super) fn sentence(options: &Options, document: &GraphDocument) -> String {
    let assumption = options.facts().directions.sentence();
    let all = document.edges.len();
    let reversible = reversible(document);
    let shared = match (all - reversible.len(), all) {
        (0, 1) => "do not determine the one direction".into(),
        (1, 1) => "determine the one direction".into(),
        (0, _) => format!("determine none of {all} directions"),
        (some, _) => format!("determine {some} of {all} directions"),
    };
    let evidence = match options.knowledge.is_empty() {
        true => "Conditional independences",
        false => "Conditional independences and prior knowledge",
    };
    let one = reversible.len() == 1;
    let rest = match (document.determines, reversible.len()) {
        _ if all == 0 => "There are no edges".into(),
        (Determines::Skeleton, _) if all == 1 => "The one direction is not determined".into(),
        (Determines::Skeleton, _) => format!("None of {all} directions is determined"),
        (Determines::Class, 0) => format!("{evidence} {shared}"),
        (Determines::Class, _) => format!(
            "{evidence} {shared}; {} {} undetermined",
            named(&reversible, "--", all),
            if one { "is" } else { "are" }
        ),
        (Determines::Graph, 0) => format!("{evidence} alone {shared} as well"),
        (Determines::Graph, _) => format!(
            "{evidence} alone {shared}; {} need{} that assumption",
            named(&reversible, "->", all),
            if one { "s" } else { "" }
        ),
    };
    format!("{assumption}. {rest}.")
}

/// The edges that point either way in some graph of the class.
fn reversible(document: &GraphDocument) -> Vec<&Edge> {
    let undirected: BTreeSet<[&str; 2]> = document
        .class
        .iter()
        .flat_map(|class| &class.undirected)
        .map(|[i, j]| [i.as_str(), j.as_str()])
        .collect();
    let is_reversible = |edge: &&Edge| {
        let (from, to) = (edge.from.as_str(), edge.to.as_str());
        undirected.contains(&[from, to]) || undirected.contains(&[to, from])
    };
    document.edges.iter().filter(is_reversible).collect()
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
