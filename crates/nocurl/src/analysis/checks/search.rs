//! Whether independent searches end at the same graph.

use super::case::{Case, short};
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};
use crate::methods::SearchReport;

/// Scores of independent searches.
pub(super) struct Agreement;

impl Check for Agreement {
    fn name(&self) -> &'static str {
        "search"
    }

    fn run(&self, case: &Case<'_>, _run: &Run<'_>) -> Result<Option<Finding>, Error> {
        let Some(report) = case.fit.search else { return Ok(None) };
        let (verdict, sentence) = told(&report);
        Ok(Some(self.finding(verdict, sentence, report)))
    }
}

fn told(report: &SearchReport) -> (Verdict, Text) {
    if !report.is_unsettled() {
        return (Verdict::Ok, "The search found no better graph from other starts.".into());
    }
    let near = report.runner_up.map_or_else(String::new, |near| {
        format!(
            "; the next best is {} worse in score and joins {} pairs differently",
            short(near.gap),
            near.differs
        )
    });
    let sentence = Text::new(format!(
        "No two of {} independent searches ended at the same score{near}. Another seed may give \
         another graph; go by confidence, or search longer with ",
        report.runs
    ))
    .act(Action::set_parameter("restarts", 10 * report.restarts / report.runs.max(1)))
    .say(".");
    (Verdict::Concern, sentence)
}
