//! Whether variances rise along the learnt order (Reisach, Seiler and Weichwald, 2021).

use super::case::Case;
use super::sortability::{judge, sortability};
use super::{Check, Finding, Sortability};
use crate::core::{Error, Run};

pub(super) struct ByVariance;

impl Check for ByVariance {
    fn name(&self) -> &'static str {
        "varsortability"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let value = sortability(&case.fit.dag, &case.moments.variances());
        let rising = "the variance of the columns";
        let advice = "Other units would give another order: trust directions only if all columns \
                      are in the same units.";
        let (verdict, sentence) = judge(case, value, rising, advice.into());
        Ok(Some(self.finding(verdict, sentence, Sortability { value })))
    }
}
