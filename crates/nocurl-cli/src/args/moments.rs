//! What can be typed after `nocurl moments`.

use std::path::PathBuf;

use clap::Args;

use super::TableArguments;

const EXAMPLES: &str = "\
Examples:
  nocurl moments part-*.parquet --output all.moments
  nocurl learn all.moments
  nocurl moments monday.moments tuesday.moments --output both.moments
  nocurl moments batch-*.csv --condition treatment --output all.moments
  nocurl learn all.moments --condition treatment --target drug=akt

All parts have the same columns, in any order. A part may have few rows, or none.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MomentsArguments {
    /// Parts of one table: files as for `nocurl learn`, or moments made from such files
    #[arg(required = true, value_name = "PARTS")]
    pub(crate) parts: Vec<PathBuf>,
    /// Write the moments to FILE, which `nocurl learn` takes
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Column that says how often each row counts
    #[arg(long, value_name = "NAME")]
    pub(crate) weights: Option<String>,
    /// Column with the condition that each row was measured under, for `learn --condition`
    #[arg(long, value_name = "COLUMN")]
    pub(crate) condition: Option<String>,
    #[command(flatten)]
    pub(crate) table: TableArguments,
}
