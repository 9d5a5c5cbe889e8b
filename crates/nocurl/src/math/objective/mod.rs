//! What is minimised: the least-squares loss and the acyclicity penalties.

mod acyclicity;
mod grams;
mod least_squares;
mod sparse;

pub use acyclicity::{Acyclicity, Penalty};
pub use grams::Grams;
pub use least_squares::least_squares;
pub(crate) use least_squares::least_squares_of;
pub(crate) use sparse::{SparsePenalty, Support, Walks};
