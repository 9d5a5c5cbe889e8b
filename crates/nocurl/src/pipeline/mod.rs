//! From data to a graph: the stages that all methods share.

mod canonical;
pub mod error_shape;
mod fit;
mod learn;
mod options;
mod prune;
mod redraw;
pub mod refine;

pub use fit::Fit;
pub use learn::learn;
pub(crate) use learn::learn_from;
pub use options::{DEFAULT_THRESHOLD, Options};
pub use prune::{Prune, prune};
pub use redraw::redraw;
