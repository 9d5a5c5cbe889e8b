//! The job of nocurl, from a table to a described graph: what the command line and Python share.
//!
//! A [`Job`] says what to learn; running it gives an [`Outcome`], which has everything that was
//! found, and its [`document`](Outcome::document) for files and front ends.

mod describe;
mod directions;
mod job;
mod scores;

pub use describe::describe;
pub use job::{Job, Outcome};
pub use scores::score;
