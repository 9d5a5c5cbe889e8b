//! Graphs and orders.

pub(crate) mod bits;
mod dag;
mod determines;
mod direction;
mod order;
mod pdag;
mod reachability;

pub use dag::Dag;
pub use determines::Determines;
pub use direction::Direction;
pub use order::Order;
pub use pdag::Pdag;
pub use reachability::Reachability;
