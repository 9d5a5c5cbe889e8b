//! How far the first estimate was from an order.

use super::case::{Case, few, finite, percent};
use super::{Check, Finding, HodgeEnergy, Verdict};
use crate::core::graph::Reachability;
use crate::math::hodge::order_energy;

/// Share of squared weights on cycles from which the order is in doubt.
const CYCLIC: f64 = 0.1;

/// Nothing for methods without a first estimate.
///
/// The energies are those of [`order_energy`], on the graph of the estimate's own edges. The
/// gradient is what a ranking of the variables explains; the rest need not mean a contradiction,
/// since weights along the two ways round an acyclic triangle rarely add up. Contradictions are
/// the edges within strongly connected components, and the verdict goes by them.
pub(super) fn check(case: &Case<'_>) -> Option<Finding> {
    let estimate = case.fit.estimate.as_ref()?.as_ref();
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
    let (verdict, sentence) = match (numbers.gradient_share, numbers.cyclic_share) {
        (Some(gradient), Some(cyclic)) if cyclic > 0.0 => {
            let sentence = format!(
                "The first estimate goes round in circles among {} ({} of its squared weights; a \
                 ranking explains {}): their order is a guess, and edges between them may be \
                 missing; --refine looks for one.",
                few(&numbers.on_cycles),
                percent(cyclic),
                percent(gradient)
            );
            // After an order search the estimate was only a start.
            let doubtful = cyclic >= CYCLIC && case.options.refine.is_none();
            (if doubtful { Verdict::Concern } else { Verdict::Note }, sentence)
        }
        (Some(gradient), _) => {
            let sentence = format!(
                "The first estimate has no cycles, so the order follows from it without a choice \
                 (a ranking explains {} of its weights); nothing needs to be done.",
                percent(gradient)
            );
            (Verdict::Ok, sentence)
        }
        _ => {
            let sentence = "The first estimate has no edges, so it says nothing of an order; \
                            lower its threshold if you expect some.";
            (Verdict::Ok, sentence.into())
        }
    };
    Some(Check::HodgeEnergy(numbers).finding(verdict, sentence))
}
