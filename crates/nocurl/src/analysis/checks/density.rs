//! Edges against the number there could be.

use super::case::Case;
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};
use crate::math::regress::Node;
use crate::methods::{Fges, Lingam, OrderSearch};

/// Graphs of fewer variables are dense by chance.
const FEWEST: usize = 5;

/// Shares of the possible edges from which a graph says little, and next to nothing.
const DENSE: [f64; 2] = [0.7, 0.9];

/// How much more an edge should cost, at least, where a graph says little.
const STRICTER: f64 = 2.0;

/// Numbers of `density`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Density {
    /// Edges.
    pub edges: usize,
    /// Pairs of variables.
    pub possible: usize,
}

pub(super) struct Many;

impl Check for Many {
    fn name(&self) -> &'static str {
        "density"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let d = case.fit.dag.size();
        let numbers = Density { edges: case.fit.dag.edge_count(), possible: d * (d - 1) / 2 };
        let share = numbers.edges as f64 / numbers.possible as f64;
        let verdict = if d < FEWEST { Verdict::Ok } else { Verdict::grade(share, DENSE) };
        let counted = format!("{} of {} possible edges", numbers.edges, numbers.possible);
        let sentence = if verdict == Verdict::Ok {
            Text::new(format!("The graph has {counted}. Nothing needs to be done."))
        } else {
            Text::new(format!(
                "The graph has {counted}: nearly everything is joined, so it says little. Many rows \
                 show the weakest dependences, and causes that are no columns join what they act on. \
                 For fewer and stronger edges use "
            ))
            .act(fewer(case))
            .say(".")
        };
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

/// What keeps fewer edges.
fn fewer(case: &Case<'_>) -> Action {
    let algorithm = &case.options.algorithm;
    let priced = algorithm.downcast::<OrderSearch>().is_some()
        || algorithm.downcast::<Fges>().is_some()
        || algorithm.downcast::<Lingam>().is_some();
    if priced && case.options.prune.is_none() {
        let stricter = weaker_half(case).max(STRICTER * case.edge_price());
        return Action::set_parameter("penalty", up(stricter / (case.moments.rows() as f64).ln()));
    }
    Action::method("order-search")
}

/// What an edge must cost so that half of them no longer pay for themselves, given the others.
fn weaker_half(case: &Case<'_>) -> f64 {
    let n = case.moments.rows() as f64;
    let gains = |node: &Node| -> Vec<f64> {
        let without = |k: usize| node.coefficients[k] * node.coefficients[k] / node.inverse[(k, k)];
        (0..node.parents.len()).map(|k| n * (without(k) / node.residual).ln_1p()).collect()
    };
    let mut gains: Vec<f64> = case.nodes.iter().flatten().flat_map(gains).collect();
    gains.sort_by(f64::total_cmp);
    gains.get(gains.len() / 2).copied().unwrap_or(0.0)
}

/// The number with two digits that is the next above.
fn up(value: f64) -> f64 {
    let digit = 10f64.powf(value.log10().floor() - 1.0);
    (value / digit).ceil() * digit
}
