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

mod analysis;
mod core;
mod math;
pub mod methods;
mod pipeline;

pub use analysis::{bootstrap, checks, effects, metrics};
pub use core::{
    Action, Dag, Data, Dataset, Determines, Epoch, Error, Keeper, Knowledge, KnowledgeSpec, Mat,
    MatMut, MatRef, Moments, Order, Pdag, Progress, Run, Spelling, Stop, Termination, Text,
    TrainingState, Watch, advice, error, graph, knowledge, moments, simulate,
};
pub use math::{Problem, hodge, missing};
pub use methods::{Algorithm, Proposal};
pub use pipeline::{DEFAULT_THRESHOLD, Fit, Options, Prune, learn, refine};

/// Parts that tests and benchmarks look at; they may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::math::{linalg, objective, optimize, regress};
    pub use crate::pipeline::prune;
}
