//! Everything after the order: regression on it, and pruning.

pub(crate) mod blocks;
mod cycles;
mod eliminate;
mod grow;
mod informed;
mod node;
mod on_order;
mod refit;

pub(crate) use cycles::cut_cycles;
pub(crate) use eliminate::{eliminate, is_required, per_variable};
pub(crate) use grow::{Grower, Growth};
pub use informed::along;
pub(crate) use informed::{restrict, threshold_unless_required};
pub(crate) use node::Node;
pub use on_order::{Regression, on_order};
pub(crate) use refit::{assemble, error_variances, linear_dag, linear_parts, refit_dag};
pub use refit::{refit, threshold};
