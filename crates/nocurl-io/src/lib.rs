//! Files in, files out: the only crate of nocurl that opens files.
//!
//! | task | entry point |
//! |---|---|
//! | a table as means and second moments, whatever its length | [`read_moments`] |
//! | the same with some of the rows, for checks | [`read_sampled`] |
//! | the same with all rows while they are few, for resampling | [`read_kept`] |
//! | what the columns of a table hold | [`read_overview`] |
//! | a table with all its rows in memory | [`read_dataset`] |
//! | moments by a covariance matrix | [`read_matrix`] |
//! | a graph, from any format | [`read_graph`] to a [`GraphDocument`] |
//! | prior knowledge, as TOML or as Tetrad writes it | [`read_knowledge`] |
//! | what conditions act on, as TOML or CSV | [`read_targets`] |
//! | what a run has found | [`GraphDocument`], [`write_graph`], [`format_graph`] |
//! | a training that goes on later | [`read_checkpoint`], [`write_checkpoint`] |
//! | simulated data | [`write_table`] |
//! | are the destinations any good, before hours of work | [`RunFiles`], [`check_writable`] |
//! | a folder of our own files | [`write_folder`] |
//! | nobody else writes there | [`Claim`] |
//! | any other text that a user wrote | [`read_text`] |
//!
//! Tables are CSV (any usual delimiter), Parquet, Arrow IPC, sheets of `.xlsx` and `.ods`, NumPy
//! `.npy` and `.npz`, or JSON lines, packed or not, from a path, from several, from standard input
//! or from memory; see [`Source`] and [`Format`]. Tables that are in memory already
//! ([`Columns`], Arrow batches) are read where they are; see [`Input`]. Results do not depend on the
//! number of threads: a file is cut into pieces whose borders depend on the file alone, and the
//! pieces are merged in order. Every failure is one [`Error`] whose message fits on one line.
//!
//! ```
//! use nocurl::Run;
//! use nocurl_io::{ReadOptions, Source, read_moments};
//! let source = Source::bytes("example.csv", "a,b\n1,2\n3,5\n");
//! let table = read_moments(&source, &ReadOptions::default(), &Run::default()).unwrap();
//! assert_eq!(table.data.names(), ["a", "b"]);
//! assert_eq!(table.data.mean(), [2.0, 3.5]);
//! ```

mod archive;
mod checkpoint;
mod digest;
mod error;
mod experiments;
mod files;
mod graph;
mod input;
mod knowledge;
mod machine;
mod output;
mod packed;
mod source;
mod stack;
mod summary;
mod table;

pub use checkpoint::{Kept, TrainingRun, read_checkpoint, write_checkpoint};
pub use error::{Error, plain};
pub use experiments::{format_targets, read_targets};
pub use graph::{
    BootstrapSummary, Class, ClassCount, Coefficient, ConditionSummary, ConsensusEdge,
    DescribedModel, DescribedVariable, Direction, Edge, EdgeSupport, ErrorShapeEdge,
    ErrorShapeSummary, ExperimentSummary, FORMATS, FoundTarget, GraphDocument, GraphFormat,
    InputDescription, KnownTarget, Mark, MechanismDocument, ModelDocument, PairSupport,
    PathSupport, TermDocument, format_graph, graph_bytes, picture_bytes, read_graph, write_graph,
};
pub use input::read_text;
pub use knowledge::read_knowledge;
pub use machine::available_memory;
pub use output::{
    Claim, RunFiles, check_folder, check_writable, write_bytes, write_folder, write_text,
};
pub use source::{Format, Part, Source};
pub use summary::{Summary, is_summary, read_matrix, read_summary, write_summary};
pub use table::{
    ColumnOverview, Columns, GivenLevels, Header, Input, Kinds, LeftOut, Missing, Ordinal, Origin,
    Overview, ReadOptions, Resample, Room, RowSchema, Sampled, Scale, Surveyed, Table, TableSurvey,
    TransformRule, decimal_sign, read_dataset, read_kept, read_moments, read_overview, read_part,
    read_rows, read_sampled, read_survey, reading_memory, write_rows, write_table,
};
