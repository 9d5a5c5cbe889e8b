//! Whether explained shares of variance rise along the learnt order (Reisach et al., 2023).

use super::case::Case;
use super::sortability::{judge, sortability};
use super::{Check, Finding, Sortability};
use crate::core::{Action, Error, Run, Text};

/// The method that sorts by explained shares and does nothing else.
const SORTING: &str = "r2-sortnregress";

pub(super) struct ByR2;

impl Check for ByR2 {
    fn name(&self) -> &'static str {
        "r2-sortability"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let value = case.precision.as_ref().and_then(|precision| {
            let r2 = |j| 1.0 - 1.0 / precision[(j, j)];
            sortability(&case.fit.dag, &(0..case.moments.columns()).map(r2).collect::<Vec<f64>>())
        });
        let rising = "the share of variance that the other columns explain";
        let advice = if case.options.algorithm.name() == SORTING {
            "That is all this method does.".into()
        } else {
            Text::new("Compare with ")
                .act(Action::method(SORTING))
                .say(", which does nothing but sort.")
        };
        let (verdict, sentence) = judge(case, value, rising, advice);
        Ok(Some(self.finding(verdict, sentence, Sortability { value })))
    }
}
