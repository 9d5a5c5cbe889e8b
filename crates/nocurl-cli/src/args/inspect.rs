//! What can be typed after `nocurl inspect`.

use std::path::PathBuf;

use clap::Args;

use super::table::TableArguments;

const INSPECT_EXAMPLES: &str = "\
Examples:
  nocurl inspect data.csv
  nocurl inspect data.csv --na=-999
  nocurl inspect data.parquet --json

Shows what each column is and holds, what looks wrong, what learning will take, and the command to
type next. Nothing is learnt or written.";

#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub(crate) struct InspectArguments {
    /// Table to look at, as `nocurl learn` takes it: one file, several, a pattern or a folder; `-`
    /// is standard input
    #[arg(required = true, value_name = "TABLE")]
    pub(crate) data: Vec<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) table: TableArguments,
}
