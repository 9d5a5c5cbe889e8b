//! Completed partially directed acyclic graphs.
/// A CPDAG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpdag {}
