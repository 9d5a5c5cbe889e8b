//! What can be typed after `nocurl score`, `predict`, `residuals` and `sample`.

use std::path::PathBuf;

use clap::Args;

const SCORE_EXAMPLES: &str = "\
Examples:
  nocurl learn train.csv --output graph.json
  nocurl score graph.json test.csv
  nocurl predict graph.json test.csv --variable income --output predicted.csv

A learnt graph is a linear model with Gaussian errors: weights, means and error variances come from
the file that `nocurl learn` wrote, as JSON, DOT, GraphML or GML. The table needs the columns of the
graph, by name; others are passed over.";

#[derive(Debug, Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub(crate) struct ScoreArguments {
    /// File of a learnt graph
    pub(crate) graph: PathBuf,
    /// Table of rows to score
    pub(crate) table: PathBuf,
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
