//! How sure an edge is, by frequencies in resampled tables.

use super::Bootstrap;
use crate::core::graph::Direction;

/// The confidence from which on a direction is called determined, unless another is asked for.
pub const DETERMINED_LEVEL: f64 = 0.9;

/// The confidence above which a direction is called likely.
const LIKELY_LEVEL: f64 = 0.5;

/// How sure an edge is, as it is drawn.
///
/// Frequencies are shares of the resampled tables. `adjacent` is what such a frequency was worth on
/// simulated graphs ([`Calibration`](super::Calibration)), where that is known for the method, and
/// the frequency itself elsewhere; `direction` is its frequency. None is above [`most`](Self::most).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confidence {
    /// Confidence that the two variables share an edge.
    pub adjacent: f64,
    /// Confidence that the edge points this way.
    pub direction: f64,
    /// Share of resampled tables with an edge of any kind between the two.
    pub adjacent_frequency: f64,
    /// Share of resampled tables that determine this direction.
    pub direction_frequency: f64,
}

impl Confidence {
    /// The largest confidence that this many replicates can give: `(B + 0.5) / (B + 1)`. What is in
    /// all of them may still be missing from the next.
    pub fn most(replicates: usize) -> f64 {
        (replicates as f64 + 0.5) / (replicates as f64 + 1.0)
    }

    /// The word for a direction: determined only where the graph itself compels it and its
    /// confidence is at least `level`.
    pub fn word(&self, compelled: bool, level: f64) -> Direction {
        match self.direction {
            sure if compelled && sure >= level => Direction::Determined,
            sure if sure > LIKELY_LEVEL => Direction::Likely,
            _ => Direction::Undetermined,
        }
    }
}

impl Bootstrap {
    /// How sure the edge `from -> to` is.
    pub fn confidence(&self, from: usize, to: usize) -> Confidence {
        let ends = (from.min(to), from.max(to));
        let place = |pair: &super::Pair| (pair.from.min(pair.to), pair.from.max(pair.to));
        let found = self.pairs.binary_search_by_key(&ends, place);
        let Ok(at) = found else { return Confidence::default() };
        let pair = &self.pairs[at];
        let direction = if pair.from == from { pair.forward } else { pair.backward };
        let (adjacent_frequency, direction_frequency) = (pair.adjacent, direction);
        let adjacent = match &self.calibration {
            None => adjacent_frequency,
            Some(known) => known.adjacent(adjacent_frequency),
        };
        let adjacent = adjacent.min(Confidence::most(self.learnt()));
        // A direction cannot be surer than its edge.
        let direction = direction.min(adjacent);
        Confidence { adjacent, direction, adjacent_frequency, direction_frequency }
    }
}
