//! Rows against columns.

use super::case::Case;
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};

/// Fewer rows than this for each column leave weights uncertain.
const ROWS_EACH: u64 = 10;

/// Numbers of `sample-size`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SampleSize {
    /// Rows, n.
    pub rows: u64,
    /// Columns, d.
    pub variables: usize,
    /// n / d.
    pub rows_per_variable: f64,
    /// The most parents that a variable has in the graph.
    pub most_parents: usize,
}

pub(super) struct Rows;

impl Check for Rows {
    fn name(&self) -> &'static str {
        "sample-size"
    }

    fn takes_blocks(&self) -> bool {
        true
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        // What has to be told apart are the columns that code the variables.
        let (n, d) = (case.moments.rows(), case.problem.width());
        let most_parents =
            (0..case.moments.columns()).map(|j| case.fit.dag.parents(j).count()).max().unwrap_or(0);
        let (verdict, sentence) = if n <= d as u64 {
            let sentence = Text::new(format!(
                "{n} rows cannot tell {d} columns apart, so the graph is a guess. Use more rows, \
                 or "
            ));
            (Verdict::Concern, sentence.act(Action::FewerColumns).say("."))
        } else if n < ROWS_EACH * d as u64 {
            let sentence = Text::new(format!(
                "{n} rows are few for {d} columns: some edges may be false, and others missing. \
                 Use more rows, or "
            ));
            // Edges that were chosen at this price or a higher one would stay; a price that suits the
            // table needs no other.
            let strict = case.is_priced_to_suit()
                || case.edge_price() >= case.extended_price() * (1.0 - 1e-9);
            let sentence = match strict {
                true => sentence.act(Action::FewerColumns).say("."),
                false => sentence
                    .say("keep fewer edges with ")
                    .act(Action::set("prune", "ebic"))
                    .say("."),
            };
            (Verdict::Note, sentence)
        } else {
            let sentence = format!(
                "{n} rows are enough for {d} columns with up to {most_parents} parents each. \
                 Nothing needs to be done."
            );
            (Verdict::Ok, sentence.into())
        };
        let rows_per_variable = n as f64 / d as f64;
        let numbers = SampleSize { rows: n, variables: d, rows_per_variable, most_parents };
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}
