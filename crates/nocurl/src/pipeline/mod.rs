//! From data to a graph: the stages that all methods share.

pub mod error_shape;
mod fit;
mod learn;
mod options;
mod prune;
pub mod refine;

pub use fit::Fit;
pub use learn::learn;
pub use options::{DEFAULT_THRESHOLD, Options};
pub use prune::{Prune, prune};
