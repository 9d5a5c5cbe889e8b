//! The methods, one file each, and the registry that makes them available everywhere.

mod equal_variance;
mod exact;
mod problem;
mod sort_regress;

pub use exact::{ExactParams, ExactScore};
pub use problem::{Problem, Proposal, Termination};
