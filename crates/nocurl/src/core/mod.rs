//! What everything else speaks of: tables and their moments, graphs, prior knowledge, errors,
//! progress.

pub mod advice;
pub(crate) mod codes;
mod dataset;
pub mod error;
pub mod experiments;
mod fits;
pub mod graph;
pub mod knowledge;
pub mod memory;
pub mod moments;
mod one_hot;
pub(crate) mod parallel;
mod product;
pub(crate) mod progress;
pub(crate) mod random;
pub mod simulate;
mod termination;
mod training;
pub mod transform;
pub(crate) mod value;
pub mod variable;

pub use advice::{Action, Spelling, Text};
pub use codes::Codes;
pub use dataset::{Data, Dataset};
pub use error::Error;
pub use experiments::{ExperimentSpec, Targets};
pub use faer::{Mat, MatMut, MatRef};
pub use fits::{FitKind, FitTable, Fitted, Fitters, Wanted};
pub use graph::{Dag, Determines, Evidence, Order, Pdag};
pub use knowledge::{Knowledge, KnowledgeSpec};
pub use moments::{Conditions, Moments};
pub use one_hot::OneHot;
pub use product::{gram_accumulate, matmul, matmul_accumulate};
pub use progress::{Epoch, Keeper, Progress, Run, Stop, Watch, Work};
pub use termination::Termination;
pub use training::TrainingState;
pub(crate) use training::{Kept, is_count, unfit};
pub use transform::Transform;
pub use value::Value;
pub(crate) use value::names;
pub use variable::{Kind, Variable, Variables};
