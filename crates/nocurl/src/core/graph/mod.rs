//! Graphs and orders.

pub(crate) mod bits;
mod claim;
mod cpdag;
mod dag;
mod order;
mod reachability;

pub use claim::Claim;
pub use cpdag::Cpdag;
pub use dag::Dag;
pub use order::Order;
pub use reachability::Reachability;
