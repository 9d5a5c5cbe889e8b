//! Everything after the order: regression on it, and pruning.

mod on_order;
mod prune;

pub use on_order::{Regression, on_order};
pub use prune::{Prune, prune, refit, threshold};
