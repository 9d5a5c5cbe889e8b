//! What can be typed after `nocurl effects` and `intervene`.

use std::path::PathBuf;

use clap::Args;

const EFFECTS_EXAMPLES: &str = "\
Examples:
  nocurl effects graph.json
  nocurl effects graph.json --from age --to income
  nocurl effects graph.json --to income --output effects.csv

The graph is a file that `nocurl learn` wrote as .json, or any graph with weights on its edges. An
effect is the change of a mean, or of the probability of a level, along all directed paths: per unit
of a number, or for a change from the base level of a category.";

#[derive(Debug, Args)]
#[command(after_help = EFFECTS_EXAMPLES)]
pub(crate) struct EffectsArguments {
    /// File of the graph, with weights
    pub(crate) graph: PathBuf,
    /// Only effects of this variable
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) from: Option<String>,
    /// Only effects on this variable
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) to: Option<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the effects to FILE, as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}

const INTERVENE_EXAMPLES: &str = "\
Examples:
  nocurl learn data.csv --output graph.json
  nocurl intervene graph.json --do dose=2
  nocurl intervene graph.json --do dose=2 --do age=40 --json

Variables that are set no longer follow their parents; the others follow along the remaining paths.
Categories are set to a level by its name. Means come from the .json file of `nocurl learn`; .csv has
none.";

#[derive(Debug, Args)]
#[command(after_help = INTERVENE_EXAMPLES)]
pub(crate) struct InterveneArguments {
    /// File of the graph, with weights and means
    pub(crate) graph: PathBuf,
    /// Set a variable to a value; repeat for several
    #[arg(long = "do", value_name = "VARIABLE=VALUE", required = true, allow_hyphen_values = true)]
    pub(crate) set: Vec<String>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the means to FILE, as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}
