//! The methods, one file each, and the registry that makes them available everywhere.

pub mod cam;
pub mod dag_gnn;
pub mod equal_variance;
pub mod exact;
mod fges;
mod learn;
mod member;
mod mmpc;
mod nocurl;
mod notears;
pub mod notears_mlp;
mod order_search;
mod parameters;
mod problem;
mod registry;
pub mod sort_regress;
mod sweep;
pub(crate) mod training;

pub use cam::CamParams;
pub use dag_gnn::{DagGnnParams, NoCurlGnnParams};
pub use exact::{ExactParams, ExactScore};
pub use fges::{FgesParams, FgesSearch};
pub use learn::{DEFAULT_THRESHOLD, Fit, Options, learn};
pub use mmpc::MmpcParams;
pub use nocurl::{NoCurlParams, Variant};
pub use notears::NotearsParams;
pub use notears_mlp::NotearsMlpParams;
pub use notears_mlp::nocurl::NoCurlMlpParams;
pub use order_search::OrderSearchParams;
pub use problem::{Problem, Proposal, Termination};
pub use registry::Algorithm;
pub use training::TrainingState;

use crate::Error;

/// [`Error::Parameter`] unless `holds`.
fn require(
    name: &'static str,
    value: impl std::fmt::Display,
    holds: bool,
    reason: &'static str,
) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), reason }) }
}
