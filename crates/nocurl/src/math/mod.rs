//! The mathematics that methods share: linear algebra, Hodge calculus, objectives, optimisation,
//! networks, regressions.

pub mod hodge;
pub mod linalg;
pub(crate) mod local;
pub mod missing;
pub(crate) mod networks;
pub mod objective;
pub mod optimize;
mod problem;
pub mod regress;

pub use problem::Problem;
