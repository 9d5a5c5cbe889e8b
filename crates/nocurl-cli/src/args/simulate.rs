//! What can be typed after `nocurl simulate`.

use std::path::PathBuf;

use clap::Args;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  nocurl simulate --output data.csv --truth truth.json
  nocurl simulate --graph sf --degree 4 --variables 30 --noise gumbel --seed 7 --output data.npy
  nocurl simulate --noise student:3 --variances random:0.5,2 --standardize --output data.parquet
  nocurl simulate --interventions single:10 --rows 100 --targets-output t.toml --output data.csv";

#[derive(Debug, Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArguments {
    /// Write the table to FILE, as .csv, .tsv, .npy or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Write the true graph to FILE, in any format of `nocurl learn --output`; repeat for several
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Vec<PathBuf>,
    /// Kind of graph: er (random), sf (scale-free), chain or full
    #[arg(long, default_value = "er")]
    pub(crate) graph: String,
    /// Edges of a variable on average, for er and sf
    #[arg(long, default_value_t = 4.0, allow_negative_numbers = true)]
    pub(crate) degree: f64,
    /// Number of variables
    #[arg(long, default_value_t = 10, allow_negative_numbers = true)]
    pub(crate) variables: usize,
    /// Number of rows
    #[arg(long, default_value_t = 1000, allow_negative_numbers = true)]
    pub(crate) rows: usize,
    /// Noise: gaussian, gumbel, exponential, laplace, uniform, or student[:DEGREES OF FREEDOM]
    #[arg(long, default_value = "gaussian")]
    pub(crate) noise: String,
    /// Noise variances: standard (those of the law's standard form), equal[:VALUE] or random:LOW,HIGH
    #[arg(long, default_value = "standard")]
    pub(crate) variances: String,
    /// Range of the size of the weights; signs are random
    #[arg(long, default_value = "0.5,2", value_name = "LOW,HIGH", allow_negative_numbers = true)]
    pub(crate) weights: String,
    /// How parents act: linear, nonlinear-1, nonlinear-2, nonlinear-3, dag-gnn-1, dag-gnn-2, gp,
    /// gp-additive, multiplicative or post-nonlinear
    #[arg(long, default_value = "linear")]
    pub(crate) mechanism: String,
    /// Scale each column to mean 0 and variance 1
    #[arg(long)]
    pub(crate) standardize: bool,
    /// Probability of a variable to have levels rather than numbers
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) categorical: f64,
    /// Fewest and most levels of such a variable
    #[arg(long, default_value = "2,4", value_name = "LOW,HIGH")]
    pub(crate) levels: String,
    /// Conditions besides a control, each with --rows rows, as single:10 or double:5 for one or two
    /// targets each; the column `condition` tells them apart
    #[arg(long, value_name = "KIND:NUMBER")]
    pub(crate) interventions: Option<String>,
    /// Conditions change how their targets depend on others, rather than set them
    #[arg(long, requires = "interventions")]
    pub(crate) soft: bool,
    /// Rows of the control [default: as many as a condition has]
    #[arg(long, value_name = "N", requires = "interventions", allow_negative_numbers = true)]
    pub(crate) control_rows: Option<usize>,
    /// Write what conditions act on to FILE, as TOML for `nocurl learn --targets`
    #[arg(long, value_name = "FILE", requires = "interventions")]
    pub(crate) targets_output: Option<PathBuf>,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
