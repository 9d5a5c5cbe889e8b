//! How far an estimate is from the truth.

mod compare;

pub use compare::{Comparison, compare, shd};
