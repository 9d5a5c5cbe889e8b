//! What can be typed after `nocurl score`, `predict`, `residuals` and `sample`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const SCORE_EXAMPLES: &str = "\
Examples:
  nocurl learn train.csv --output graph.json
  nocurl score graph.json test.csv
  nocurl predict graph.json test.csv --variable income --output predicted.csv

A learnt graph is a model of rows: each number is a linear function of its parents plus a normal
error, each category has probabilities given its parents. The .json file of `nocurl learn` holds the
model. The table needs the columns of the graph, matched by name; other columns are ignored, and one
row is enough. Missing cells are integrated out in models of numbers and in models of categories.";

/// What to do with a level that the graph was not learnt from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownLevel {
    /// Refuse the table
    #[default]
    Error,
    /// Treat it as a missing value
    Missing,
}

#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct ScoreArguments {
    /// File of a learnt graph
    pub(crate) graph: PathBuf,
    /// Table of rows to score
    pub(crate) table: PathBuf,
    /// What to do with a level that the graph was not learnt from
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) unknown_level: UnknownLevel,
    /// Print JSON instead of a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the log-likelihood of each row to FILE, as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct PredictArguments {
    /// File of a learnt graph
    pub(crate) graph: PathBuf,
    /// Table with the other variables
    pub(crate) table: PathBuf,
    /// The variable to predict; the table need not have it
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) variable: String,
    /// What to do with a level that the graph was not learnt from
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) unknown_level: UnknownLevel,
    /// Write the predicted values to FILE, as .csv, .tsv, .npy or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct ResidualsArguments {
    /// File of a learnt graph
    pub(crate) graph: PathBuf,
    /// Table of rows
    pub(crate) table: PathBuf,
    /// What to do with a level that the graph was not learnt from
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) unknown_level: UnknownLevel,
    /// Write the residuals to FILE, as .csv, .tsv, .npy or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct SampleArguments {
    /// File of a learnt graph
    pub(crate) graph: PathBuf,
    /// Number of rows
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub(crate) rows: u32,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Write the table to FILE, as .csv, .tsv, .npy or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
