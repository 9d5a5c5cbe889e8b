//! What can be typed after `nocurl learn`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use nocurl::Algorithm;
use nocurl::refine::Refine;
use nocurl_app::Shown;

use super::table::TableArguments;
use crate::experiments::ExperimentArguments;
use crate::knowledge::KnowledgeArguments;

const LEARN_EXAMPLES: &str = "\
Examples:
  nocurl learn data.csv
  nocurl learn data.parquet --restarts 200 --output graph.json --output graph.dot
  nocurl learn x.npy --method nocurl --lambda 10,1000 --threshold 0.3 --no-center \\
      --refine equal-variance --prune bic --threads 2 --seed 3 --output g.json --quiet
  nocurl learn data.csv --output report.html
  nocurl learn data.csv --method exact --score bic --columns age,height,weight
  nocurl learn data.csv --method notears --param max_rounds=50
  nocurl learn data.csv --bootstrap 200 --output graph.json
  nocurl learn data.csv --tier age,sex --tier dose --tier health --require dose,health
  nocurl learn survey.xlsx --sheet answers
  nocurl learn 'parts/*.parquet' --drop id
  zcat data.csv.gz | nocurl learn - --missing em
  nocurl learn data.csv --transform 'log:*' --output - --format dot | dot -Tsvg > graph.svg
  nocurl learn new.csv --like graph.json

Exit codes: 0 success, 2 bad input or flags, 130 stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP),
1 anything else.";

#[derive(Debug, Args)]
#[command(after_help = LEARN_EXAMPLES)]
pub(crate) struct LearnArguments {
    /// Table to learn from: CSV, TSV, Parquet, Arrow, .xlsx, .ods, .npy, .npz or JSON lines, also
    /// packed (.gz, .bz2, .zst, .zip); `-` is standard input. Several files, patterns ('*.csv') and
    /// folders are read as one table
    #[arg(required = true, value_name = "TABLE")]
    pub(crate) data: Vec<PathBuf>,

    /// Write the graph to FILE, as .json, .dot, .graphml, .gml, .csv, .dagitty or .mmd, or draw it
    /// as .svg, .png, .pdf or .tex, or make a report of all that was found as .html; `-` is standard
    /// output; repeat for several
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Format for `--output -`: an extension of the above [default: json]
    #[arg(long, value_name = "NAME")]
    pub(crate) format: Option<String>,
    /// Print JSON instead of the summary; the same as `--output -`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Show all edges, not only the first 30
    #[arg(long)]
    pub(crate) all: bool,
    /// Take flags from FILE, written as in `missing = "drop"`; what is typed counts more
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Learn as the graph in FILE was learnt: its method, parameters, columns, transformations and
    /// prior knowledge; what is typed counts more
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    pub(crate) like: Option<PathBuf>,
    /// Rows of the table that a report holds at most, for its scatter plots; 0 keeps data out of it
    #[arg(long, value_name = "N", default_value_t = 300,
        value_parser = clap::value_parser!(u16).range(0..=300))]
    pub(crate) report_rows: u16,
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

    /// Keep a training or an order search in FILE, and continue from FILE if it is there
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
    #[command(flatten)]
    pub(crate) experiments: ExperimentArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How sure the result is")]
pub(crate) struct ConfidenceArguments {
    /// Learn again from N resampled tables, however much work that is [default: up to 100, within 2e10
    /// operations]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) bootstrap: Option<usize>,
    /// Do not measure how sure edges and directions are
    #[arg(long, conflicts_with_all = ["bootstrap", "confidence_seconds", "confidence_level"])]
    pub(crate) no_confidence: bool,
    /// Stop resampling after this time; the number of tables, and so the result, then depends on the
    /// machine [default: work is counted instead]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) confidence_seconds: Option<f64>,
    /// Confidence from which on a direction is determined, and edges are in the consensus
    /// [default: 0.9 and 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) confidence_level: Option<f64>,
    /// Graph to show and write: the one with the best score, or the one on which resampled tables
    /// agree
    #[arg(long, value_name = "WHICH", default_value = Shown::default().name(),
        value_parser = shown())]
    pub(crate) graph: Shown,
}

/// The graphs that can be shown.
fn shown() -> impl TypedValueParser<Value = Shown> {
    let named = |name: &str| Shown::ALL.into_iter().find(|shown| shown.name() == name);
    PossibleValuesParser::new(Shown::ALL.map(Shown::name))
        .try_map(move |name| named(&name).ok_or("there is no such graph"))
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
    /// Direct undetermined edges by the shape of errors; misleads where effects are curved or columns
    /// have few values
    #[arg(long)]
    pub(crate) error_shape: bool,
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
