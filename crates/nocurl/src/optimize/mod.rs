//! Minimisers.

pub mod lbfgs;
mod penalised;
mod ridge;

pub use penalised::{Info, Penalised, Solver};
pub use ridge::Multiplier;
pub(crate) use ridge::half_trace;
