//! What can be said of a graph once it is learnt: checks, resampling, effects, distances.

pub mod adjustment;
pub mod bootstrap;
pub mod checks;
pub mod class_effects;
pub mod effects;
pub mod links;
pub mod metrics;
pub mod model;
pub mod next;
pub mod treatments;
