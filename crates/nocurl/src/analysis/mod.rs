//! What can be said of a graph once it is learnt: checks, resampling, effects, distances.

pub mod bootstrap;
pub mod checks;
pub mod links;
pub mod metrics;
pub mod next;
pub mod treatments;
