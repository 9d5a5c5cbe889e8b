//! Whether errors have similar variances, for methods that assume it.

use super::case::{Case, few, finite, short};
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};
use crate::math::regress::Node;

/// Ratio of the largest to the smallest residual variance that is worth a note or a concern where
/// they should be equal: standard deviations that differ 1.4 and 2 times.
const UNEQUAL: [f64; 2] = [2.0, 4.0];

/// Numbers of `residual-variances`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResidualVariances {
    /// Residual variance of each variable given its parents, in the order of the variables.
    pub variances: Vec<f64>,
    /// The largest over the smallest.
    pub ratio: Option<f64>,
    /// The variable with the smallest.
    pub smallest: Option<String>,
    /// The variable with the largest.
    pub largest: Option<String>,
}

pub(super) struct EqualVariances;

impl Check for EqualVariances {
    fn name(&self) -> &'static str {
        "residual-variances"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let mut numbers =
            ResidualVariances { variances: Vec::new(), ratio: None, smallest: None, largest: None };
        let n = case.moments.rows() as f64;
        let unbiased = |node: &Node| {
            // The mean and every parent take one degree of freedom, where there are as many.
            let freedom = n - node.parents.len() as f64 - 1.0;
            node.residual * if freedom >= 1.0 { n / freedom } else { 1.0 }
        };
        numbers.variances = case.nodes.iter().flatten().map(unbiased).collect();
        let by_size =
            |a: &usize, b: &usize| numbers.variances[*a].total_cmp(&numbers.variances[*b]);
        let variables = 0..numbers.variances.len();
        let (Some(low), Some(high)) =
            (variables.clone().min_by(by_size), variables.max_by(by_size))
        else {
            let sentence = Case::collinear("there are no residuals to look at");
            return Ok(Some(self.finding(Verdict::Ok, sentence, numbers)));
        };
        let ratio = numbers.variances[high] / numbers.variances[low];
        (numbers.smallest, numbers.largest) = (Some(case.name(low)), Some(case.name(high)));
        numbers.ratio = finite(ratio);
        let verdict = match case.options.facts().assumes_equal_variances() {
            true => Verdict::grade(ratio, UNEQUAL),
            false => Verdict::Ok,
        };
        let sentence = sentence(case, verdict, ratio, &numbers);
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

fn sentence(case: &Case<'_>, verdict: Verdict, ratio: f64, numbers: &ResidualVariances) -> Text {
    let (method, apart) = (case.method(), short(ratio));
    let (low, high) = (few(numbers.smallest.as_slice()), few(numbers.largest.as_slice()));
    let differ = format!("Error variances differ by a factor of {apart}, from {low} to {high}");
    if !case.options.facts().assumes_equal_variances() {
        let sentence = format!(
            "{differ}. {method} does not need them to be equal, so nothing needs to be done."
        );
        return sentence.into();
    }
    if verdict == Verdict::Ok {
        let sentence = format!(
            "Error variances are within a factor of {apart} of each other, as {method} assumes. \
             Nothing needs to be done."
        );
        return sentence.into();
    }
    Text::new(format!("{differ}, but {method} takes them as equal, so directions may be wrong. "))
        .act_all([case.unit_free_method(), Action::set("refine", "bic")], " and ")
        .say(" do not assume it.")
}
