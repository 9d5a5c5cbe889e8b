//! Everything after the order: regression on it, and pruning.

mod node;
mod on_order;
mod prune;

pub(crate) use node::Node;
pub use on_order::{Regression, on_order};
pub use prune::{Prune, prune, refit, threshold};
