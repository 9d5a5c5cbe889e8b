//! What can be typed. Nothing is checked here that needs more than one flag.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use nocurl::Algorithm;
use nocurl::refine::Refine;

use crate::knowledge::KnowledgeArguments;

/// Learn directed acyclic graphs from tables of numbers.
#[derive(Debug, Parser)]
#[command(name = "nocurl", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Print the licences of everything that the program is built from
    #[arg(long)]
    pub(crate) licenses: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  nocurl learn data.csv                          learn a graph and show it
  nocurl learn data.csv --output graph.json      and write it to a file
  nocurl draw graph.json --output graph.svg      draw it
  nocurl effects graph.json --from age           what age changes, along all paths
  nocurl methods                                 list the methods
  nocurl bench paper                             repeat the paper's linear tables
  nocurl COMMAND --help                          flags and examples of a command";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn a graph from a table
    Learn(Box<LearnArguments>),
    /// Draw a random graph and data from it
    Simulate(SimulateArguments),
    /// Compare an estimated graph with the true one
    Evaluate(EvaluateArguments),
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
    /// Run the paper's experiments, or others like them
    Bench(BenchArguments),
}

const LEARN_EXAMPLES: &str = "\
Examples:
  nocurl learn data.csv
  nocurl learn data.parquet --restarts 200 --output graph.json --output graph.dot
  nocurl learn x.npy --method nocurl --lambda 10,1000 --threshold 0.3 --no-center \\
      --refine equal-variance --prune bic --threads 2 --seed 3 --output g.json --quiet
  nocurl learn data.csv --method exact --score bic --columns age,height,weight
  nocurl learn data.csv --method notears --param max_rounds=50
  nocurl learn data.csv --bootstrap 200 --output graph.json
  nocurl learn data.csv --tier age,sex --tier dose --tier health --require dose,health
  zcat data.csv.gz | nocurl learn - --missing em

Exit codes: 0 success, 2 bad input or flags, 130 stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP),
1 anything else.";

#[derive(Debug, Args)]
#[command(after_help = LEARN_EXAMPLES)]
pub(crate) struct LearnArguments {
    /// Table to learn from: CSV, TSV, Parquet, Arrow or .npy; `-` is standard input
    pub(crate) data: PathBuf,

    /// Write the graph to FILE, as .json, .dot, .graphml, .gml, .csv, .dagitty or .mmd, or draw it
    /// as .svg, .png, .pdf or .tex; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Also show how much memory it takes at most
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Memory that may be taken, such as 4GiB or 500MB; more is refused before it is taken
    /// [default: what is left]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true)]
    pub(crate) memory: Option<String>,
    /// Do not check the result; checks can take as long as learning
    #[arg(long)]
    pub(crate) no_diagnosis: bool,
    /// Number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Seed of everything random
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Keep a training of networks in FILE, and continue from FILE if it is there
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) confidence: ConfidenceArguments,
    #[command(flatten)]
    pub(crate) table: TableArguments,
    #[command(flatten)]
    pub(crate) method: MethodArguments,
    #[command(flatten)]
    pub(crate) pipeline: PipelineArguments,
    #[command(flatten)]
    pub(crate) knowledge: KnowledgeArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How sure the result is")]
pub(crate) struct ConfidenceArguments {
    /// Learn again from N resampled tables, however long that takes [default: 100 in 10 seconds]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) bootstrap: Option<usize>,
    /// Do not measure how sure edges and directions are
    #[arg(long, conflicts_with_all = ["bootstrap", "confidence_seconds", "confidence_level"])]
    pub(crate) no_confidence: bool,
    /// Time that learning from resampled tables may take [default: 10, none with --bootstrap]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) confidence_seconds: Option<f64>,
    /// Confidence from which on a direction is determined, and edges are in the consensus
    /// [default: 0.9 and 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) confidence_level: Option<f64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Reading the table")]
pub(crate) struct TableArguments {
    /// Columns to use, in this order; `*` stands for anything, as in 'sleep_*', and a name with a
    /// comma goes in double quotes
    #[arg(long, value_name = "NAMES")]
    pub(crate) columns: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "NAMES")]
    pub(crate) drop: Vec<String>,
    /// Columns to take as numbers on a scale
    #[arg(long, value_name = "NAMES")]
    pub(crate) continuous: Vec<String>,
    /// Columns to take as categories, also where their cells are numbers
    #[arg(long, value_name = "NAMES")]
    pub(crate) categorical: Vec<String>,
    /// Columns of numbers whose order counts and not their distance; or one column with its levels
    /// from the lowest to the highest, as in size=small,medium,large
    #[arg(long, value_name = "NAMES")]
    pub(crate) ordinal: Vec<String>,
    /// What to do with missing values
    #[arg(long, value_enum, default_value_t = MissingArgument::Error)]
    pub(crate) missing: MissingArgument,
    /// Words or numbers that stand for missing values, besides nothing, NA, N/A, NaN, null, None,
    /// #N/A, <NA>, `?`, `-`, `.` and `*`
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// What the first line holds
    #[arg(long, value_enum, default_value_t = HeaderArgument::Auto)]
    pub(crate) header: HeaderArgument,
    /// Character between cells, or `tab` or `space` [default: detected]
    #[arg(long, value_name = "CHAR", allow_hyphen_values = true)]
    pub(crate) delimiter: Option<String>,
    /// The same as --header no
    #[arg(long, conflicts_with = "header")]
    pub(crate) no_header: bool,
    /// Sign before the places of a number: `.` or `,` [default: detected]
    #[arg(long, value_name = "CHAR", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
    /// Pass over lines that begin with CHAR [default: # above the names]
    #[arg(long, value_name = "CHAR")]
    pub(crate) comment: Option<char>,
    /// Pass over the first N lines
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) skip_rows: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Method (see `nocurl methods`)")]
pub(crate) struct MethodArguments {
    /// Method that learns the graph
    #[arg(short, long, value_name = "NAME", default_value = "order-search", long_help = methods())]
    pub(crate) method: String,
    /// Restarts of order-search; more take longer and find better graphs
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) restarts: Option<String>,
    /// Penalties of nocurl, such as 10,1000; one minimisation each
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    pub(crate) lambda: Option<String>,
    /// Variant of nocurl in the paper's ablation study
    #[arg(long, allow_hyphen_values = true,
        value_parser = ["standard", "s", "-", "+", "rand-init", "rand-p"])]
    pub(crate) variant: Option<String>,
    /// L1 penalty of notears
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) lambda1: Option<String>,
    /// Minimiser of nocurl and notears
    #[arg(long, value_parser = ["ridge", "lbfgs"])]
    pub(crate) solver: Option<String>,
    /// Penalty on cycles in nocurl and notears
    #[arg(long, value_parser = ["polynomial", "exponential", "log-det"])]
    pub(crate) acyclicity: Option<String>,
    /// Score that exact minimises
    #[arg(long, value_parser = ["least-squares", "bic"])]
    pub(crate) score: Option<String>,
    /// Parameter of the method by its name, see docs/parameters.md; repeat for several
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "After the method")]
pub(crate) struct PipelineArguments {
    /// Do not subtract the means of the columns, as in the paper's experiments
    #[arg(long)]
    pub(crate) no_center: bool,
    /// Leave edges undetermined that the shape of errors could direct
    #[arg(long)]
    pub(crate) no_error_shape: bool,
    /// Search for a better order, starting from the one found
    #[arg(long, value_parser = refinements())]
    pub(crate) refine: Option<Refine>,
    /// Rule that drops edges, before --threshold
    #[arg(long, value_enum)]
    pub(crate) prune: Option<PruneArgument>,
    /// False discovery rate of --prune t-test [default: 0.05]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) alpha: Option<f64>,
    /// Drop edges with smaller weights [default: 0.3, or 0 where --prune or the method chooses
    /// the edges]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MissingArgument {
    /// Stop and say where they are
    Error,
    /// Leave out rows with a missing value
    Drop,
    /// Estimate means and covariances from all rows, by expectation-maximisation
    Em,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum HeaderArgument {
    /// Names of the columns, unless all its cells are numbers
    Auto,
    /// Names of the columns
    Yes,
    /// Data; the columns are called x1, x2, ...
    No,
}

/// The refinements there are, with what they do.
fn refinements() -> impl TypedValueParser<Value = Refine> {
    let value = |refine: &Refine| PossibleValue::new(refine.name()).help(refine.facts().summary);
    PossibleValuesParser::new(Refine::ALL.iter().map(value))
        .try_map(|name| Refine::from_name(&name))
}

/// The help of `--method`: all methods, one to a line.
fn methods() -> String {
    let mut text = String::from("Method that learns the graph\n\nMethods:");
    for facts in Algorithm::all().iter().map(Algorithm::facts) {
        text += &format!("\n- {}: {}", facts.name, facts.summary);
    }
    text
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PruneArgument {
    /// Drop edges while that improves the BIC
    Bic,
    /// The same by the extended BIC, which is stricter with many variables
    Ebic,
    /// Drop edges by t-tests, with the false discovery rate under control
    TTest,
}

const SIMULATE_EXAMPLES: &str = "\
Examples:
  nocurl simulate --output data.csv --truth truth.json
  nocurl simulate --graph sf --degree 4 --variables 30 --noise gumbel --seed 7 --output data.npy
  nocurl simulate --noise student:3 --variances random:0.5,2 --standardize --output data.parquet";

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
    /// Noise variances: equal[:VALUE] or random:LOW,HIGH
    #[arg(long, default_value = "equal")]
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
    /// Seed of everything random
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

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
    /// Draw to FILE, as .svg, .png, .pdf or .tex, or write what is shown in any format of
    /// `nocurl learn --output`; repeat for several
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
  nocurl compare one.json other.json --output both.svg
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
    /// Draw both in FILE, as .svg, .png, .pdf or .tex, or write the edges as .json or .csv; repeat
    /// for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

const EFFECTS_EXAMPLES: &str = "\
Examples:
  nocurl effects graph.json
  nocurl effects graph.json --from age --to income
  nocurl effects graph.json --to income --output effects.csv

The graph is any file that `nocurl evaluate` reads, with weights on its edges. An effect is the sum
over all directed paths of the products of their weights, as in a linear model.";

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

Variables that are set no longer follow their parents; the others follow along the remaining paths,
as in a linear model. The means before come from the file that `nocurl learn` wrote; .csv has none.";

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
  standardised          the data of paper-linear with unit variances
  unequal-variance      as paper-linear, with noise variances between 0.5 and 2
  default               raw, standardised, unequal-variance and non-Gaussian data
  scale                 100 to 5000 variables
  calibration           what confidence is worth on graphs that are known
  calibration-fit       the simulated graphs that its correction is fitted on
  FILE.toml             a grid of your own; docs/cli.md shows one

Examples:
  nocurl bench paper
  nocurl bench paper --sizes 10,30 --trials 100 --methods NoCurl-1,NoCurl-2,NOTEARS
  nocurl bench scale --timeout 600 --output bench-scale
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
