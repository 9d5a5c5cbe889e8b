//! What can be typed after `nocurl next`.

use std::path::PathBuf;

use clap::Args;

const NEXT_EXAMPLES: &str = "\
Examples:
  nocurl learn data.csv --output graph.json
  nocurl next graph.json                         which variable to act on
  nocurl next graph.json --targets 2 --not age   which two at once, of those that can be set";

#[derive(Debug, Args)]
#[command(after_help = NEXT_EXAMPLES)]
pub(crate) struct NextArguments {
    /// Graph that was learnt, as `nocurl learn --output graph.json` writes it
    pub(crate) graph: PathBuf,
    /// Variables to act on at once
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub(crate) targets: usize,
    /// Act on these variables only
    #[arg(long, value_name = "NAMES")]
    pub(crate) only: Vec<String>,
    /// Do not act on these variables
    #[arg(long, value_name = "NAMES")]
    pub(crate) not: Vec<String>,
    /// Experiments to show; files have all
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    pub(crate) top: usize,
    /// Write all experiments to FILE, as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Seed of the graphs that are drawn where a class has too many
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
