//! What can be typed after `nocurl evaluate`, `draw` and `compare`.

use std::path::PathBuf;

use clap::Args;

const EVALUATE_EXAMPLES: &str = "\
Examples:
  nocurl evaluate truth.json graph.json
  nocurl evaluate data/sachs-20.csv graph.csv --json

Graphs are read from .json, .dot, .graphml, .gml or .csv. A .csv file is an edge list
`from,to[,weight[,direction]]`, or a square matrix with names, row -> column. Variables are matched
by name. An undetermined direction counts as right wherever the other graph has an edge.";

#[derive(Debug, Args)]
#[command(after_help = EVALUATE_EXAMPLES)]
pub(crate) struct EvaluateArguments {
    /// File of the true graph
    pub(crate) truth: PathBuf,
    /// File of the estimated graph
    pub(crate) estimate: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the scores to FILE, as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const DRAW_EXAMPLES: &str = "\
Examples:
  nocurl draw graph.json --output graph.svg
  nocurl draw graph.json --output report.html
  nocurl draw graph.json --output graph.pdf --min-confidence 0.8
  nocurl draw graph.json --output near-raf.png --around raf --depth 2

The graph is any file that `nocurl evaluate` reads. Causes stand on top. Blue edges have positive
weights, dashed orange ones negative; wide edges are strong, pale ones unsure; an edge without a
head has an undetermined direction. Above 60 variables with edges there is an overview: dots, with
names where there is room.";

#[derive(Debug, Args)]
#[command(after_help = DRAW_EXAMPLES)]
pub(crate) struct DrawArguments {
    /// File of the graph
    pub(crate) graph: PathBuf,
    /// Draw to FILE, as .svg, .png, .pdf or .tex, make a report as .html, or write what is shown in
    /// any format of `nocurl learn --output`; repeat for several
    #[arg(short, long, value_name = "FILE", required = true)]
    pub(crate) output: Vec<PathBuf>,
    /// Only edges that are at least this sure, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) min_confidence: Option<f64>,
    /// Only what is near these variables; a name with a comma goes in double quotes
    #[arg(long, value_name = "NAMES")]
    pub(crate) around: Vec<String>,
    /// How many edges away from them, in any direction
    #[arg(long, value_name = "N", default_value_t = 1, requires = "around")]
    pub(crate) depth: usize,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  nocurl compare one.json other.json
  nocurl compare one.json other.json --output both.svg --output both.html
  nocurl compare one.json other.csv --json

Graphs are files that `nocurl evaluate` reads; variables are matched by name. An edge is shared
where both graphs have it and no determined direction of one contradicts the other. To score a graph
against the truth use `nocurl evaluate`.";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// File of the first graph
    pub(crate) first: PathBuf,
    /// File of the second graph
    pub(crate) second: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Show both in FILE: a report as .html, a picture as .svg, .png, .pdf or .tex; or write the edges
    /// as .json or .csv; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
