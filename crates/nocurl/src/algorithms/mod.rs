//! The methods, one file each, and the registry that makes them available everywhere.

pub mod equal_variance;
pub mod exact;
mod problem;
pub mod sort_regress;

pub use exact::{ExactParams, ExactScore};
pub use problem::{Problem, Proposal, Termination};
