//! Minimisers.

pub mod lbfgs;
