//! Graphs in files: one document, read and written.

mod attributes;
mod bootstrap;
mod builder;
mod document;
mod error_shape;
mod experiments;
mod format;
mod matrix;
mod members;
mod model;
mod order;
mod picture;
mod report;
mod text;

pub use bootstrap::{
    BootstrapSummary, ClassCount, ConsensusEdge, EdgeSupport, PairSupport, PathSupport,
};
pub use document::{
    Class, Coefficient, DescribedVariable, Edge, GraphDocument, InputDescription, Mark,
};
pub use error_shape::{ErrorShapeEdge, ErrorShapeSummary};
pub use experiments::{ConditionSummary, ExperimentSummary, FoundTarget, KnownTarget};
pub use format::{
    FORMATS, GraphFormat, format_graph, graph_bytes, picture_bytes, read_graph, write_graph,
};
pub use model::{DescribedModel, MechanismDocument, ModelDocument, TermDocument};
pub use nocurl::graph::Direction;

use crate::Error;
use builder::Flaw;

/// The error of a text that is no graph; `label` says where it came from.
fn failure(label: &str, flaw: Flaw) -> Error {
    match flaw {
        Flaw::Invalid(reason) => Error::invalid(label, "graph", reason),
        Flaw::Cycle(names) => Error::Cycle { path: label.into(), names },
    }
}
