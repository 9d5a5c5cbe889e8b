//! What can be typed after `nocurl methods` and `bench`.

use std::path::PathBuf;

use clap::Args;

const METHODS_EXAMPLES: &str = "\
Examples:
  nocurl methods
  nocurl methods --json | jq '.[].name'
  nocurl learn data.csv --method notears --param lambda1=0.1";

#[derive(Debug, Args)]
#[command(after_help = METHODS_EXAMPLES)]
pub(crate) struct MethodsArguments {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

const BENCH_EXAMPLES: &str = "\
Grids:
  paper, paper-linear   the paper's Tables score1 to score4: all methods on linear data
  paper-hyper           its Tables hyperER3 and hyperER6: penalties and ablations of NoCurl
  paper-ablation        its Table ablation: ER6-Gaussian, d = 30
  paper-nonlinear       its Table gnn: three kinds of nonlinear data, one of them in two readings
  nonlinear-gp          functions from Gaussian processes, d and 4 d edges
  standardised          the data of paper-linear with unit variances
  unequal-variance      as paper-linear, with noise variances between 0.5 and 2
  default               raw, standardised, unequal-variance and non-Gaussian data
  calibration           what confidence is worth on graphs that are known
  scale                 time and memory against variables, rows, edges and threads
  interventions         learning from experiments beside the same rows pooled
  calibration-fit       the simulated graphs that its correction is fitted on
  FILE.toml             a grid of your own; docs/cli.md shows one

Examples:
  nocurl bench paper
  nocurl bench paper --sizes 10,30 --trials 100 --methods NoCurl-1,NoCurl-2,NOTEARS
  nocurl bench scale --methods order-search,fges --output bench-scale
  nocurl bench my-grid.toml

Every finished trial is written to results.csv in the output folder at once. The same command
continues where it was stopped.";

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Name of a grid (see below), or a .toml file
    pub(crate) grid: String,

    /// Folder for results, tables and figures [default: bench- and the name of the grid]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Seed from which every trial's own seed is made
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Trials of each scenario, size and method [default: the grid's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trials: Option<u32>,
    /// Numbers of variables [default: the grid's]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_negative_numbers = true)]
    pub(crate) sizes: Vec<usize>,
    /// Methods by their names in the tables; a name with a comma goes in double quotes
    #[arg(long, value_name = "NAMES")]
    pub(crate) methods: Vec<String>,
    /// Scenarios by their names in the tables
    #[arg(long, value_name = "NAMES")]
    pub(crate) scenarios: Vec<String>,

    /// Stop a trial after this time, and record that it ran out of time
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
    /// Trials at the same time, each on one core [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Trials of each cell to run again, alone, to measure their time; 0 for none
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) timing_trials: u32,
    /// Run again trials that failed or ran out of time
    #[arg(long)]
    pub(crate) retry: bool,
}
