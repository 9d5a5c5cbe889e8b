//! Learns directed acyclic graphs (causal and Bayesian-network structure) from tables of numbers.
//!
//! Give it the rows of a table or their [`Moments`]; it gives a [`Fit`]: a [`Dag`] with weights,
//! which of its directions are [determined](Fit::determined), the order of the variables, and what
//! you should know about it. The result cannot have a cycle, has the same bits for any number of
//! threads, and satisfies [prior knowledge](knowledge) if you have some.
//!
//! ```
//! use nocurl::simulate::{Simulation, simulate};
//! use nocurl::{Options, Pdag, Run, learn, metrics};
//!
//! // A random graph, and a table drawn from it.
//! let simulation = Simulation { variables: 8, degree: 2.0, rows: 2000, ..Simulation::default() };
//! let drawn = simulate(&simulation, 1)?;
//! let fit = learn(&drawn.data, &Options::default(), &Run::default())?;
//! for (from, to, weight) in fit.dag.edges() {
//!     let arrow = if fit.determined.has_directed(from, to) { "->" } else { "--" };
//!     println!("x{from} {arrow} x{to}: {weight:.2}");
//! }
//! assert_eq!(metrics::cpdag_shd(&Pdag::class_of(&drawn.truth), &fit.class)?, 0);
//! # Ok::<(), nocurl::Error>(())
//! ```
//!
//! # Choose a method
//!
//! [`Options::algorithm`] is any of [`methods`]. The default, [`OrderSearch`](methods::OrderSearch),
//! does not depend on units and marks directions that the data do not determine. The project
//! started from *DAGs with No Curl* (Yu, Gao, Yin and Ji, ICML 2021), which is
//! [`NoCurl`](methods::NoCurl): a first, maybe cyclic estimate is projected by the graph Hodge
//! decomposition onto the gradient of a potential, that is, onto an order of the variables;
//! regression on that order gives the graph.
//!
//! ```
//! use nocurl::methods::NoCurl;
//! use nocurl::refine::Refine;
//! use nocurl::{Algorithm, Options, Prune};
//! let options = Options {
//!     algorithm: NoCurl { lambdas: vec![10.0, 1000.0], ..NoCurl::default() }.into(),
//!     refine: Some(Refine::EQUAL_VARIANCE),
//!     prune: Some(Prune::Ebic),
//!     ..Options::default()
//! };
//! assert_eq!(options.algorithm.name(), "nocurl");
//! for method in Algorithm::all() {
//!     println!("{}: {}", method.name(), method.facts().summary);
//! }
//! ```
//!
//! # Where things are
//!
//! | you want | look at |
//! |---|---|
//! | a table in memory, or its means and covariances | [`Dataset`], [`Moments`], [`missing`], [`transform`] |
//! | to learn a graph | [`learn`], [`Options`], [`methods`], [`refine`], [`Prune`] |
//! | to say what is known beforehand | [`KnowledgeSpec`], [`knowledge`] |
//! | graphs, classes, orders | [`Dag`], [`Pdag`], [`Order`] |
//! | how far to trust the result | [`checks`], [`bootstrap`] |
//! | what follows from it | [`effects`] |
//! | to compare graphs, to draw test data | [`metrics`], [`simulate`] |
//! | the Hodge decomposition itself | [`hodge`] |
//! | progress, a stop button, checkpoints, fits on other machines | [`Run`] |
//! | how much memory it will take | [`Options::memory`], [`memory`] |
//!
//! Everywhere, in every matrix of this crate, entry `(i, j)` speaks of the edge `i -> j`.
//!
//! The crate does no input or output, prints nothing and reads no environment. Randomness comes
//! from a seed in the options. Files are read by `nocurl-io`; the program is `nocurl-cli`.
//!
//! # Features
//!
//! | feature | default | what it does |
//! |---|---|---|
//! | `serde` | yes | options, moments, findings and trainings can be written down and read back (serde, serde_json); without it parameters still go by name, and a training can be kept in memory alone |
//! | `threads` | yes | several threads (rayon); without it the crate builds for WebAssembly |

mod analysis;
mod core;
mod math;
pub mod methods;
pub mod model;
mod pipeline;

pub use analysis::{bootstrap, checks, links, metrics, next, treatments};
pub use core::{
    Action, Codes, Conditions, Dag, Data, Dataset, Determines, Epoch, Error, Evidence,
    ExperimentSpec, FitKind, FitTable, Fitted, Fitters, Keeper, Kind, Knowledge, KnowledgeSpec,
    Mat, MatMut, MatRef, Moments, OneHot, Order, Pdag, Progress, Run, Spelling, Stop, Targets,
    Termination, Text, TrainingState, Transform, Value, Variable, Variables, Wanted, Watch, Work,
    advice, error, experiments, graph, knowledge, memory, moments, simulate, transform, variable,
};
pub use math::{Experiments, Problem, hodge, missing};
pub use methods::{Algorithm, Proposal};
pub use model::{adjustment, class_effects, effects};
pub use pipeline::{DEFAULT_THRESHOLD, Fit, Options, Prune, error_shape, learn, redraw, refine};

/// Parts that tests and benchmarks look at; they may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::math::{linalg, objective, optimize, regress};
    pub use crate::pipeline::prune;
}
