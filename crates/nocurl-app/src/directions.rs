//! How sure the directions of a graph are, and what they rest on, in words.

use nocurl::checks::Verdict;
use nocurl::graph::Direction;
use nocurl::methods::Directions;
use nocurl::{Determines, Options};
use nocurl_io::{Edge, GraphDocument};

use crate::Outcome;

/// Edges named one by one; of more only the number is given.
const NAMED_EDGES: usize = 5;

/// Gives every edge its confidence and the word for its direction, puts the surest edges first,
/// and writes the sentence about them.
pub(super) fn tell(document: &mut GraphDocument, outcome: &Outcome, options: &Options, level: f64) {
    let cap = cap(outcome, options);
    if let Some(found) = &outcome.bootstrap {
        let names = document.variables.clone();
        let place = |name: &str| names.iter().position(|known| known == name);
        for edge in &mut document.edges {
            let (Some(from), Some(to)) = (place(&edge.from), place(&edge.to)) else { continue };
            let confidence = found.confidence(from, to);
            edge.direction = confidence.word(edge.is_determined(), level);
            edge.confidence = Some(confidence);
        }
        let key = |edge: &Edge| {
            let sure = edge.confidence.unwrap_or_default();
            [sure.adjacent, sure.direction, edge.weight.map_or(0.0, f64::abs)]
        };
        document.edges.sort_by(|a, b| {
            let pairs = key(b).into_iter().zip(key(a));
            pairs
                .map(|(b, a)| b.total_cmp(&a))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| (&a.from, &a.to).cmp(&(&b.from, &b.to)))
        });
    }
    if cap.is_some() {
        for edge in &mut document.edges {
            if edge.direction == Direction::Determined {
                edge.direction = Direction::Likely;
            }
        }
    }
    document.directions = sentence(document, outcome, options, level, cap);
}

/// Why no direction is more than likely, where that is so: directions rest on nothing, a check
/// doubts what they rest on, or the search did not settle on a graph.
fn cap(outcome: &Outcome, options: &Options) -> Option<&'static str> {
    let directions = options.facts().directions;
    let doubted = |check: &&str| {
        outcome
            .diagnosis
            .iter()
            .flat_map(|diagnosis| &diagnosis.findings)
            .any(|finding| finding.check == *check && finding.verdict == Verdict::Concern)
    };
    if directions.is_baseline() {
        return Some("");
    }
    if directions.checks().iter().any(doubted) {
        return Some(" A check doubts that, so none is more than likely.");
    }
    // Resampled tables are learnt from the found graph, so they do not show this.
    let unsettled = outcome.fit.search.is_some_and(|search| search.is_unsettled());
    unsettled.then_some(" No two searches ended at the same graph, so none is more than likely.")
}

/// What directions come from where rows come from experiments.
const BY_EXPERIMENTS: &str = "Directions come from experiments and conditional independences; \
                              undetermined ones are drawn by a guess";

/// What the directions come from, how many follow, and how sure they are.
fn sentence(
    document: &GraphDocument,
    outcome: &Outcome,
    options: &Options,
    level: f64,
    cap: Option<&str>,
) -> String {
    let facts = options.facts();
    let all = document.edges.len();
    let told = !options.experiments.is_empty();
    let source = match told && facts.directions == Directions::Independences {
        true => BY_EXPERIMENTS,
        false => facts.directions.sentence(),
    };
    if all == 0 {
        return format!("{source}. There are no edges.");
    }
    if document.determines == Determines::Skeleton {
        return match all {
            1 => format!("{source}. The one direction is not determined."),
            _ => format!("{source}. None of {all} directions is determined."),
        };
    }
    let by_shape = outcome.fit.error_shape.as_ref().map_or(0, |shape| shape.directed.len());
    let compelled = outcome.fit.determined.directed().count().saturating_sub(by_shape);
    let given = match (document.determines, options.knowledge.is_empty()) {
        (Determines::Class, _) if told => {
            "these adjacencies, colliders and what conditions act on are right".into()
        }
        (Determines::Class, true) => "these adjacencies and colliders are right".into(),
        (Determines::Class, false) => {
            "these adjacencies, colliders and the prior knowledge are right".into()
        }
        _ => format!("that holds ({})", facts.directions.short()),
    };
    let follow = match (compelled, all) {
        (0, 1) => format!("the one direction does not follow, even if {given}"),
        (0, _) => format!("no direction follows, even if {given}"),
        (1, 1) => format!("if {given}, the one direction follows"),
        (some, all) if some == all => format!("if {given}, all {all} directions follow"),
        (some, all) => format!("if {given}, {some} of {all} directions follow"),
    };
    let shape = match (by_shape, compelled) {
        (0, _) => String::new(),
        (1, 0) => "; the shape of errors tells 1".into(),
        (n, 0) => format!("; the shape of errors tells {n}"),
        (n, _) => format!("; the shape of errors tells {n} more"),
    };
    let doubt = cap.unwrap_or_default();
    format!("{source}. {}{shape}{}.{doubt}", capital(&follow), sure(document, outcome, level))
}

/// How many directions are determined, likely and undetermined.
fn sure(document: &GraphDocument, outcome: &Outcome, level: f64) -> String {
    let by = |direction| {
        document.edges.iter().filter(|edge| edge.direction == direction).collect::<Vec<_>>()
    };
    let open = by(Direction::Undetermined);
    let left = match (open.len(), document.edges.len()) {
        (0, _) => String::new(),
        (1, _) => format!("; {} is undetermined", named(&open)),
        (n, all) if n > NAMED_EDGES || n == all => {
            format!("; {} {n} are undetermined", if n == all { "all" } else { "the other" })
        }
        _ => format!("; {} are undetermined", named(&open)),
    };
    if outcome.bootstrap.is_none() {
        return format!("{left}. How sure they are was not measured");
    }
    let (determined, likely) = (by(Direction::Determined).len(), by(Direction::Likely).len());
    let share = 100.0 * level;
    format!(
        ". At a confidence of {share:.0}%, {}{}{left}",
        match determined {
            0 => "none is determined".into(),
            1 => "1 is determined".into(),
            n => format!("{n} are determined"),
        },
        match likely {
            0 => String::new(),
            1 => ", 1 is likely".into(),
            n => format!(", {n} are likely"),
        },
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn named(edges: &[&Edge]) -> String {
    let names: Vec<String> =
        edges.iter().map(|edge| format!("`{}` -- `{}`", edge.from, edge.to)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
