//! From data to a graph: the stages that all methods share.

mod learn;
mod prune;
pub mod refine;

pub use learn::{DEFAULT_THRESHOLD, Fit, Options, learn};
pub use prune::{Prune, prune};
