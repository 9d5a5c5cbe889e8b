//! What is minimised: the least-squares loss and the acyclicity penalties.

mod acyclicity;
mod grams;
mod least_squares;

pub use acyclicity::{Acyclicity, Penalty};
pub use grams::Grams;
pub use least_squares::least_squares;
pub(crate) use least_squares::least_squares_of;
