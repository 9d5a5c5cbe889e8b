//! What can be typed. Nothing is checked here that needs more than one flag.

mod bench;
mod effects;
mod graphs;
mod inspect;
mod learn;
mod manual;
mod model;
mod moments;
mod next;
mod page;
mod simulate;
mod table;

use clap::{Parser, Subcommand};

pub(crate) use bench::{BenchArguments, MethodsArguments};
pub(crate) use effects::{EffectsArguments, InterveneArguments};
pub(crate) use graphs::{CompareArguments, DrawArguments, EvaluateArguments};
pub(crate) use inspect::InspectArguments;
pub(crate) use learn::{LearnArguments, MethodArguments, PipelineArguments, PruneArgument};
pub(crate) use manual::{CompletionsArguments, ManArguments};
pub(crate) use model::{
    PredictArguments, ResidualsArguments, SampleArguments, ScoreArguments, UnknownLevel,
};
pub(crate) use moments::MomentsArguments;
pub(crate) use next::NextArguments;
pub(crate) use page::PageArguments;
pub(crate) use simulate::SimulateArguments;
pub(crate) use table::{HeaderArgument, MissingArgument, TableArguments};

/// Learn directed acyclic graphs from tables of numbers.
#[derive(Debug, Parser)]
#[command(
    name = "nocurl",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub(crate) struct Arguments {
    /// Print the licences of everything that the program is built from
    #[arg(long)]
    pub(crate) licenses: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  nocurl inspect data.csv                        look at a table first
  nocurl learn data.csv                          learn a graph and show it
  nocurl learn data.csv --output graph.json      and write it to a file
  nocurl draw graph.json --output graph.svg      draw it
  nocurl effects graph.json --from age           what age changes, along all paths
  nocurl methods                                 list the methods
  nocurl bench paper                             repeat the paper's linear tables
  nocurl COMMAND --help                          flags and examples of a command";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look at a table: its columns, what looks wrong, and the command to type next
    Inspect(InspectArguments),
    /// Learn a graph from a table
    Learn(Box<LearnArguments>),
    /// Put together what learning needs of a table that lies in several files
    Moments(Box<MomentsArguments>),
    /// Draw a random graph and data from it
    Simulate(SimulateArguments),
    /// Compare an estimated graph with the true one
    Evaluate(EvaluateArguments),
    /// Propose the experiment that would determine most directions
    Next(NextArguments),
    /// Draw a graph, or a part of it
    Draw(DrawArguments),
    /// Show which edges two graphs share and where they differ
    Compare(CompareArguments),
    /// Show what one unit of a variable changes in another, along all paths of a graph
    Effects(EffectsArguments),
    /// Show the means of all variables after some are set
    Intervene(InterveneArguments),
    /// Show how well a learnt graph fits rows it has not seen: their log-likelihood
    Score(ScoreArguments),
    /// Predict a variable from the others by a learnt graph
    Predict(PredictArguments),
    /// Write what a learnt graph leaves unexplained of each value
    Residuals(ResidualsArguments),
    /// Draw new rows from a learnt graph
    Sample(SampleArguments),
    /// List the methods, where their directions come from, and their parameters
    Methods(MethodsArguments),
    /// Write a page that learns graphs in the browser
    Page(PageArguments),
    /// Run the paper's experiments, or others like them
    Bench(BenchArguments),
    /// Print what a shell needs to complete commands and flags
    Completions(CompletionsArguments),
    /// Write manual pages
    Man(ManArguments),
}
