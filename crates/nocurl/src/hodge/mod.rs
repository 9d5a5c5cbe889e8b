//! Hodge calculus on graphs.
