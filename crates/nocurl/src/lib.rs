//! Structure learning of directed acyclic graphs (DAGs) from tables of numbers.
//!
//! The engine follows one shape for every method:
//!
//! ```text
//! data -> Moments -> estimate (maybe cyclic) -> potential / order -> regression -> pruning -> Dag
//! ```
//!
//! It starts from *DAGs with No Curl* (Yu, Gao, Yin and Ji, ICML 2021): a first, possibly cyclic
//! estimate is projected by the graph Hodge decomposition onto the gradient of a potential, that
//! is, onto an order of the variables; regression on that order gives a graph that cannot have a
//! cycle.
//!
//! Everywhere, in every matrix of this crate, entry `(i, j)` speaks of the edge `i -> j`.
//!
//! The crate does no input or output, prints nothing and reads no environment. Randomness comes
//! from a seed that the caller passes, and results do not depend on the number of threads.

pub mod algorithms;
pub mod bootstrap;
pub mod dataset;
pub mod diagnose;
pub mod effects;
pub mod error;
pub mod graph;
pub mod hodge;
pub mod knowledge;
pub mod linalg;
pub mod metrics;
pub mod missing;
pub mod moments;
mod networks;
pub mod objective;
pub mod observe;
pub mod optimize;
pub mod refine;
pub mod regress;
pub mod simulate;

pub use algorithms::{
    Algorithm, Fit, Options, Problem, Proposal, Termination, TrainingState, learn,
};
pub use dataset::{Data, Dataset};
pub use error::Error;
pub use faer::{Mat, MatMut, MatRef};
pub use graph::{Claim, Cpdag, Dag, Order};
pub use knowledge::{Knowledge, KnowledgeSpec};
pub use moments::Moments;
pub use observe::{Epoch, Keeper, Observer, Progress};
