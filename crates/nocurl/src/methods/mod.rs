//! The methods, one file each, and the registry that makes them available everywhere.

pub mod cam;
pub mod dag_gnn;
pub mod equal_variance;
pub mod exact;
mod fges;
mod member;
mod mmpc;
mod nocurl;
mod notears;
pub mod notears_mlp;
pub(crate) mod order_search;
mod parameters;
mod proposal;
mod registry;
pub mod sort_regress;
mod sweep;

pub use cam::CamParams;
pub use dag_gnn::{DagGnnParams, NoCurlGnnParams};
pub use exact::{ExactParams, ExactScore};
pub use fges::{FgesParams, FgesSearch};
pub use mmpc::MmpcParams;
pub use nocurl::{NoCurlParams, Variant};
pub use notears::NotearsParams;
pub use notears_mlp::NotearsMlpParams;
pub use notears_mlp::nocurl::NoCurlMlpParams;
pub use order_search::OrderSearchParams;
pub use proposal::Proposal;
pub use registry::Algorithm;

pub(crate) use crate::core::Termination;
pub(crate) use crate::math::Problem;
pub use crate::math::objective::Acyclicity;
pub use crate::math::optimize::Solver;

use crate::core::Error;

/// [`Error::Parameter`] unless `holds`.
pub(crate) fn require(
    name: &'static str,
    value: impl std::fmt::Display,
    holds: bool,
    reason: &'static str,
) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), reason }) }
}
