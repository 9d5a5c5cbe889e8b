//! How far the first estimate was from an order.

use super::case::{Case, few, finite, percent};
use super::{Check, Finding, Verdict};
use crate::core::graph::Reachability;
use crate::core::{Action, Error, Run, Text};
use crate::math::hodge::order_energy;

/// Share of squared weights on cycles from which the order is in doubt.
const CYCLIC: f64 = 0.1;

/// Numbers of `hodge-energy`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HodgeEnergy {
    /// Energy of the gradient flow: what an order explains.
    pub gradient: f64,
    /// Energy of rotations around triangles.
    pub curl: f64,
    /// Energy of flows around longer cycles.
    pub harmonic: f64,
    /// Share of the gradient in all energy; none for an estimate without edges.
    pub gradient_share: Option<f64>,
    /// Share of the squared weights of the estimate that lie on directed cycles.
    pub cyclic_share: Option<f64>,
    /// Variables on directed cycles of the estimate.
    pub on_cycles: Vec<String>,
}

/// Nothing for methods without a first estimate.
///
/// The energies are those of [`order_energy`], on the graph of the estimate's own edges. The
/// gradient is what a ranking of the variables explains; the rest need not mean a contradiction,
/// since weights along the two ways round an acyclic triangle rarely add up. Contradictions are
/// the edges within strongly connected components, and the verdict goes by them.
pub(super) struct Cycles;

impl Check for Cycles {
    fn name(&self) -> &'static str {
        "hodge-energy"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let Some(estimate) = case.fit.estimate.as_ref() else { return Ok(None) };
        let estimate = estimate.as_ref();
        let energies = order_energy(estimate);
        let mut on_cycles = Vec::new();
        let mut squares = 0.0;
        for component in Reachability::new(estimate).components().iter().filter(|c| c.len() > 1) {
            for &i in component {
                squares += component.iter().map(|&j| estimate[(i, j)].powi(2)).sum::<f64>();
            }
            on_cycles.extend_from_slice(component);
        }
        on_cycles.sort_unstable();
        let numbers = HodgeEnergy {
            gradient: energies.gradient,
            curl: energies.curl,
            harmonic: energies.harmonic,
            gradient_share: finite(energies.gradient / energies.total()),
            cyclic_share: finite(squares / estimate.squared_norm_l2()),
            on_cycles: case.names(&on_cycles),
        };
        let (verdict, sentence) = judge(case, &numbers);
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

fn judge(case: &Case<'_>, numbers: &HodgeEnergy) -> (Verdict, Text) {
    match (numbers.gradient_share, numbers.cyclic_share) {
        (Some(gradient), Some(cyclic)) if cyclic > 0.0 => {
            let circles = Text::new(format!(
                "The first estimate has cycles among {} ({} of its squared weights; a ranking \
                 explains {}).",
                few(&numbers.on_cycles),
                percent(cyclic),
                percent(gradient)
            ));
            if case.options.refine.is_some() {
                let sentence = " It was only the start of the order search, so nothing needs to be \
                                done.";
                return (Verdict::Note, circles.say(sentence));
            }
            let sentence = circles
                .say(" Their order is a guess, and edges between them may be missing. Use ")
                .act(Action::set("refine", "equal-variance"))
                .say(" to search for an order.");
            (if cyclic >= CYCLIC { Verdict::Concern } else { Verdict::Note }, sentence)
        }
        (Some(gradient), _) => {
            let sentence = format!(
                "The first estimate has no cycles, so it determines the order (a ranking explains \
                 {} of its weights). Nothing needs to be done.",
                percent(gradient)
            );
            (Verdict::Ok, sentence.into())
        }
        _ => {
            let sentence = "The first estimate has no edges, so it does not determine an order. \
                            Lower its threshold if you expect some.";
            (Verdict::Ok, sentence.into())
        }
    }
}
