//! What was found again in resampled data, on the terminal.

use std::collections::BTreeMap;

use nocurl_io::{BootstrapSummary, Edge, EdgeSupport, GraphDocument};

use crate::report;

/// Frequencies and intervals of edges, by their ends.
pub(crate) struct Support<'a> {
    level: f64,
    edges: BTreeMap<(&'a str, &'a str), EdgeSupport>,
}

impl<'a> Support<'a> {
    pub(crate) fn new(summary: &'a BootstrapSummary) -> Self {
        Self { level: summary.level, edges: summary.edges() }
    }

    /// The heading of the columns that [`Self::cells`] fills.
    pub(crate) fn heading(&self) -> [String; 2] {
        ["found".into(), interval_heading(self.level)]
    }

    /// How often an edge was found, in its direction where that is determined, and its weight.
    pub(crate) fn cells(&self, edge: &Edge) -> [String; 2] {
        let weight = self.of(edge).and_then(|support| support.weight);
        let found = percent(self.frequency(edge));
        [found, weight.map_or_else(String::new, interval)]
    }

    fn of(&self, edge: &Edge) -> Option<EdgeSupport> {
        self.edges.get(&(edge.from.as_str(), edge.to.as_str())).copied()
    }

    fn frequency(&self, edge: &Edge) -> f64 {
        self.of(edge).map_or(0.0, |support| {
            if edge.is_determined() { support.directed } else { support.adjacent }
        })
    }

    /// The line that says how much of the graph was found again.
    pub(crate) fn summary(&self, document: &GraphDocument, summary: &BootstrapSummary) -> String {
        let frequencies: Vec<f64> =
            document.edges.iter().map(|edge| self.frequency(edge)).collect();
        let often = frequencies.iter().filter(|&&frequency| frequency >= 0.9).count();
        let seldom = frequencies.iter().filter(|&&frequency| frequency < 0.5).count();
        let (edges, tables) = (frequencies.len(), summary.replicates - summary.failed);
        report::line(
            "Support",
            &format!(
                "edges in at least 90% of {tables} resampled tables: {often} of {edges}; in less \
                 than 50%: {seldom}"
            ),
        )
    }

    /// What the columns mean.
    pub(crate) fn caption() -> &'static str {
        "`found` is the share of resampled tables with the edge in its direction (for `--` in any); \
         the interval is of its weight in these.\n"
    }
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

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
