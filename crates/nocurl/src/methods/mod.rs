//! The methods, one file or folder each, and the list that makes them available everywhere.

pub mod cam;
pub mod dag_gnn;
pub mod equal_variance;
pub mod exact;
mod facts;
mod fges;
mod member;
mod method;
mod mmpc;
mod nocurl;
mod notears;
pub mod notears_mlp;
pub(crate) mod order_search;
mod proposal;
mod registry;
pub mod sort_regress;
mod sweep;
#[cfg(feature = "toy")]
mod toy;

pub use cam::Cam;
pub use dag_gnn::{DagGnn, NoCurlGnn};
pub use equal_variance::{EqBu, EqTd};
pub use exact::{Exact, ExactScore};
pub(crate) use facts::parameters;
pub use facts::{ColumnKind, Directions, Facts, MOST_TO_CHECK, Needs, Parameter, TakesKnowledge};
pub use fges::{Fges, FgesSearch};
pub use method::{Method, Task};
pub use mmpc::Mmpc;
pub use nocurl::{NoCurl, Variant};
pub use notears::Notears;
pub use notears_mlp::NotearsMlp;
pub use notears_mlp::nocurl::NoCurlMlp;
pub use order_search::OrderSearch;
pub use proposal::Proposal;
pub use registry::Algorithm;
pub use sort_regress::{R2SortNRegress, SortNRegress};
#[cfg(feature = "toy")]
pub use toy::Toy;

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
