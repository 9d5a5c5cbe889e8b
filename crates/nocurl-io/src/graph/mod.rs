//! Graphs in files: what a run writes, and what an evaluation reads.

mod bootstrap;
mod document;
mod mark;
mod parse;
mod read;
mod text;
mod write;

pub use bootstrap::{BootstrapSummary, EdgeSupport, PairSupport, PathSupport};
pub use document::{Cpdag, Edge, GraphDocument, InputDescription};
pub use mark::Mark;
pub use read::{Graph, read_graph};
pub use write::{GraphFormat, format_graph, write_graph};
