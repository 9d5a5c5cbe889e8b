//! Minimisers.

mod lagrangian;
pub mod lbfgs;
mod line;
mod penalised;
mod ridge;
mod screened;

pub(crate) use lagrangian::Lagrangian;
pub use penalised::{Info, Penalised, Solver};
pub use ridge::Multiplier;
pub(crate) use ridge::{factors, half_trace};
pub(crate) use screened::{Columns, Screened};
