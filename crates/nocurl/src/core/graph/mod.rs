//! Graphs and orders.

pub(crate) mod bits;
mod dag;
mod determines;
mod direction;
mod evidence;
mod order;
mod pdag;
mod reachability;
mod relatives;

pub use dag::Dag;
pub use determines::Determines;
pub use direction::Direction;
pub use evidence::Evidence;
pub use order::Order;
pub use pdag::Pdag;
pub use reachability::Reachability;
