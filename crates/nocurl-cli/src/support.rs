//! How sure edges are, on the terminal.

use nocurl::bootstrap::Kind;
use nocurl_io::{BootstrapSummary, Edge, GraphDocument};

use crate::report;

/// The heading of the columns that [`cells`] fills.
pub(crate) fn heading() -> [String; 4] {
    ["edge".into(), "direction".into(), String::new(), interval_heading(0.95)]
}

/// How sure an edge and its direction are, the word for it, and the interval of the weight.
pub(crate) fn cells(edge: &Edge) -> [String; 4] {
    let confidence = edge.confidence.unwrap_or_default();
    [
        percent(confidence.adjacent),
        percent(confidence.direction),
        edge.direction.name().into(),
        edge.interval.map_or_else(String::new, interval),
    ]
}

/// The line that says how sure the graph is.
pub(crate) fn summary(document: &GraphDocument, summary: &BootstrapSummary) -> String {
    let sure = |edge: &&Edge| edge.confidence.is_some_and(|sure| sure.adjacent >= 0.9);
    let often = document.edges.iter().filter(sure).count();
    let (edges, tables) = (document.edges.len(), summary.replicates - summary.failed);
    let kind = match summary.kind {
        Kind::Rows => "",
        Kind::Gaussian => " (of a Gaussian law with the moments of the data)",
    };
    let asked = match summary.asked {
        Some(asked) if asked > summary.replicates => format!(" of {asked} for lack of time"),
        _ => String::new(),
    };
    report::line(
        "Sure",
        &format!(
            "{often} of {edges} edges have a confidence of at least 90%, by {tables} resampled \
             tables{asked}{kind}"
        ),
    )
}

/// What the columns mean.
pub(crate) fn caption(summary: &BootstrapSummary) -> String {
    let worth = match summary.calibrated {
        true => ", corrected by what such shares were worth on simulated graphs,",
        false => "",
    };
    format!(
        "\n`edge` and `direction` are confidence: shares of resampled tables that have the \
         edge{worth} and that determine its direction. The interval is that of the weight in this \
         graph."
    )
}

pub(crate) fn interval_heading(level: f64) -> String {
    format!(
        "{}% interval",
        report::number(100.0 * level).trim_end_matches('0').trim_end_matches('.')
    )
}

pub(crate) fn interval([lower, upper]: [f64; 2]) -> String {
    format!("{} to {}", report::number(lower), report::number(upper))
}

/// A share in percent; nothing short of certain is shown as 100%.
pub(crate) fn percent(share: f64) -> String {
    let most = if share < 1.0 { 99.0 } else { 100.0 };
    format!("{:.0}%", (100.0 * share).round().min(most))
}
