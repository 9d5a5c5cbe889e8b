//! The mathematics that methods share: linear algebra, Hodge calculus, objectives, optimisation,
//! networks, regressions.

pub(crate) mod entropy;
mod experiments;
pub(crate) mod exponential;
pub mod hodge;
pub mod linalg;
pub(crate) mod local;
pub mod missing;
pub(crate) mod networks;
mod normality;
pub mod objective;
pub mod optimize;
mod price;
mod problem;
pub mod regress;

pub use experiments::Experiments;
pub(crate) use experiments::{Group, Groups};
pub use normality::normality;
pub(crate) use price::Price;
pub use problem::Problem;
pub(crate) use problem::levels_seen;
