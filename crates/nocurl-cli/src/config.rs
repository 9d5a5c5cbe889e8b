//! From what was typed to what will be done: every mistake in the flags is found here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nocurl::Prune;
use nocurl::experiments::Intervention;
use nocurl::simulate::{Interventions, Simulation, Variances};
use nocurl::{Algorithm, Options};
use nocurl_app::{ConfidenceOptions, Job};
use nocurl_bench::{FILES, Grid, Settings, interventions, scale};
use nocurl_io::{
    FORMATS, GraphFormat, Header, Missing, Ordinal, ReadOptions, RunFiles, Source, TransformRule,
};
use serde_json::{Value, json};

use crate::args::{
    BenchArguments, HeaderArgument, LearnArguments, MethodArguments, MissingArgument,
    PipelineArguments, PruneArgument, SimulateArguments, TableArguments,
};
use crate::failure::Failure;
use crate::output::OUTPUT;
use crate::parameter;

/// False discovery rate of `--prune t-test`.
const DEFAULT_ALPHA: f64 = 0.05;

/// Degrees of freedom of `--noise student`.
const DEFAULT_FREEDOM: f64 = 5.0;

/// A valid `nocurl learn`.
#[derive(Debug)]
pub(crate) struct Learn {
    /// The table as the user named it.
    pub(crate) path: String,
    pub(crate) source: Source,
    pub(crate) job: Job,
    pub(crate) threads: Option<usize>,
    /// Files to write.
    pub(crate) outputs: Vec<PathBuf>,
    /// What standard output gets in place of the summary.
    pub(crate) printed: Option<&'static GraphFormat>,
    /// Whether all edges are shown.
    pub(crate) all: bool,
    /// Rows that a report holds at most.
    pub(crate) report_rows: usize,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

impl Learn {
    /// Checks flags and destinations; reads no data.
    pub(crate) fn new(arguments: LearnArguments) -> Result<Self, Failure> {
        let mut read = read_options(&arguments.table)?;
        let options = Options {
            algorithm: algorithm(&arguments.method)?,
            seed: arguments.seed,
            knowledge: arguments.knowledge.specification()?,
            experiments: arguments.experiments.specification(&mut read)?,
            ..pipeline(&arguments.pipeline)?
        };
        let confidence = ConfidenceOptions {
            measure: !arguments.confidence.no_confidence,
            replicates: arguments.confidence.bootstrap,
            seconds: arguments.confidence.confidence_seconds,
            level: arguments.confidence.confidence_level,
            shown: arguments.confidence.graph,
        };
        let source = Source::of_tables(&arguments.data)?;
        check_files(&arguments, &source)?;
        let job = Job {
            read,
            options,
            confidence,
            checkpoint: arguments.checkpoint.clone(),
            diagnose: !arguments.no_diagnosis,
            memory: arguments.memory.as_deref().map(bytes).transpose()?,
        };
        Ok(Self {
            path: source.name(),
            source,
            job,
            threads: arguments.threads.map(usize::from),
            printed: printed(&arguments)?,
            outputs: arguments.output.into_iter().filter(|path| !is_stdout(path)).collect(),
            all: arguments.all,
            report_rows: usize::from(arguments.report_rows),
            quiet: arguments.quiet,
            verbose: arguments.verbose,
        })
    }
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The format of what is printed instead of a summary.
fn printed(arguments: &LearnArguments) -> Result<Option<&'static GraphFormat>, Failure> {
    let dashes = arguments.output.iter().filter(|path| is_stdout(path)).count();
    match (dashes + usize::from(arguments.json), &arguments.format) {
        (0, None) => Ok(None),
        (0, Some(name)) => Err(Failure::Input(format!(
            "--format {name}: it is for `--output -`; the names of files say their formats"
        ))),
        (1, name) => {
            let name = name.as_deref().unwrap_or("json").trim_start_matches('.').to_lowercase();
            let format = GraphFormat::of_path(format!("graph.{name}"));
            format.map(Some).map_err(|_| {
                let all: Vec<&str> = FORMATS.iter().map(|format| format.extensions[0]).collect();
                Failure::Input(format!("--format {name}: it is one of {}", all.join(", ")))
            })
        }
        _ => {
            Err(Failure::Input("standard output is asked for twice: give `--output -` once".into()))
        }
    }
}

fn bytes(text: &str) -> Result<u64, Failure> {
    nocurl_app::parse_bytes(text).ok_or_else(|| {
        Failure::Input(format!("--memory {text}: give a size such as 4GiB, 500MB or 2e9"))
    })
}

/// Checks that what will be written can be, and is nothing that is read.
fn check_files(arguments: &LearnArguments, source: &Source) -> Result<(), Failure> {
    let tables = source.files().into_iter();
    let mut files = tables.fold(RunFiles::default(), |files, path| files.reads("the table", path));
    if let Some(path) = arguments.knowledge.path() {
        files = files.reads("the prior knowledge", path);
    }
    for path in [&arguments.config, &arguments.like].into_iter().flatten() {
        files = files.reads("the settings", path);
    }
    if let Some(path) = arguments.experiments.path() {
        files = files.reads("the targets", path);
    }
    for output in arguments.output.iter().filter(|path| !is_stdout(path)) {
        GraphFormat::of_path(output)?;
        files = files.writes(OUTPUT, output);
    }
    if let Some(path) = &arguments.checkpoint {
        files = files.writes("the checkpoint", path);
    }
    Ok(files.check()?)
}

fn algorithm(arguments: &MethodArguments) -> Result<Algorithm, Failure> {
    let mut algorithm = Algorithm::from_name(&arguments.method).map_err(|error| {
        let all = Algorithm::all();
        let names: Vec<&str> = all.iter().map(Algorithm::name).collect();
        Failure::input(&error.text().say(format!(" (there are {})", names.join(", "))))
    })?;
    let flags = [
        ("--restarts", "restarts", &arguments.restarts),
        ("--lambda", "lambdas", &arguments.lambda),
        ("--variant", "variant", &arguments.variant),
        ("--lambda1", "lambda1", &arguments.lambda1),
        ("--solver", "solver", &arguments.solver),
        ("--acyclicity", "acyclicity", &arguments.acyclicity),
        ("--score", "score", &arguments.score),
    ];
    for (flag, name, value) in flags {
        if let Some(value) = value {
            algorithm = parameter::set(&algorithm, flag, name, value)?;
        }
    }
    for pair in &arguments.param {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Failure::Input(format!("--param {pair}: write --param name=value")));
        };
        let name = name.trim().replace('-', "_");
        algorithm = parameter::set(&algorithm, "--param", &name, value.trim())?;
    }
    Ok(algorithm)
}

fn pipeline(arguments: &PipelineArguments) -> Result<Options, Failure> {
    if let Some(threshold) = arguments.threshold
        && !(threshold >= 0.0 && threshold.is_finite())
    {
        return Err(Failure::Input(format!(
            "--threshold {threshold}: it must be a number from 0 upwards"
        )));
    }
    let prune = match (arguments.prune, arguments.alpha) {
        (Some(PruneArgument::TTest), alpha) => {
            Some(Prune::TTest { alpha: alpha.unwrap_or(DEFAULT_ALPHA) })
        }
        (_, Some(_)) => {
            return Err(Failure::Input("--alpha needs --prune t-test".into()));
        }
        (Some(PruneArgument::Bic), None) => Some(Prune::Bic),
        (Some(PruneArgument::Ebic), None) => Some(Prune::Ebic),
        (None, None) => None,
    };
    if let Some(rule) = prune {
        rule.validate()?;
    }
    Ok(Options {
        center: !arguments.no_center,
        refine: arguments.refine,
        prune,
        threshold: arguments.threshold,
        error_shape: arguments.error_shape,
        ..Options::default()
    })
}

pub(crate) fn read_options(arguments: &TableArguments) -> Result<ReadOptions, Failure> {
    let columns = names("--columns", &arguments.columns)?;
    Ok(ReadOptions {
        columns: (!arguments.columns.is_empty()).then_some(columns),
        drop: names("--drop", &arguments.drop)?,
        continuous: names("--continuous", &arguments.continuous)?,
        categorical: names("--categorical", &arguments.categorical)?,
        ordinal: ordinal(&arguments.ordinal)?,
        transform: transforms(&arguments.transform)?,
        standardize: arguments.standardize,
        na: names("--na", &arguments.na)?,
        missing: match arguments.missing {
            MissingArgument::Auto => Missing::Auto,
            MissingArgument::Error => Missing::Error,
            MissingArgument::Drop => Missing::Drop,
            MissingArgument::Em => Missing::Em,
        },
        header: match arguments.header {
            _ if arguments.no_header => Header::No,
            HeaderArgument::Auto => Header::Auto,
            HeaderArgument::Yes => Header::Yes,
            HeaderArgument::No => Header::No,
        },
        delimiter: arguments.delimiter.as_deref().map(delimiter).transpose()?,
        decimal: arguments.decimal.as_ref().map(|sign| sign.as_bytes()[0]),
        comment: arguments.comment.map(comment).transpose()?,
        skip_rows: arguments.skip_rows,
        transpose: arguments.transpose,
        rows: arguments.rows,
        sheet: arguments.sheet.clone(),
        file_column: arguments.file_column.clone(),
        ..ReadOptions::default()
    })
}

/// Names in lists with commas, quoted as in CSV.
pub(crate) fn names(flag: &str, lists: &[String]) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for list in lists {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(list.as_bytes());
        let found = names.len();
        for record in reader.records() {
            let record =
                record.map_err(|error| Failure::Input(format!("{flag} {list}: {error}")))?;
            names.extend(record.iter().map(|name| name.trim().to_string()));
        }
        if names.len() == found {
            return Err(Failure::Input(format!("{flag}: the list of names is empty")));
        }
    }
    Ok(names)
}

/// Names, or one name with its levels in their order.
fn ordinal(lists: &[String]) -> Result<Vec<Ordinal>, Failure> {
    const FLAG: &str = "--ordinal";
    let mut all = Vec::new();
    for list in lists {
        // One level makes no order: then the sign is part of a name.
        match list.split_once('=').filter(|(_, levels)| levels.contains(',')) {
            Some((column, levels)) => all.push(Ordinal {
                column: column.trim().into(),
                levels: names(FLAG, &[levels.into()])?,
            }),
            None => {
                let names = names(FLAG, std::slice::from_ref(list))?.into_iter();
                all.extend(names.map(|column| Ordinal { column, levels: Vec::new() }));
            }
        }
    }
    Ok(all)
}

fn transforms(texts: &[String]) -> Result<Vec<TransformRule>, Failure> {
    let rule = |text: &String| {
        text.parse().map_err(|reason| Failure::Input(format!("--transform {text}: {reason}")))
    };
    texts.iter().map(rule).collect()
}

fn comment(sign: char) -> Result<u8, Failure> {
    u8::try_from(sign).ok().filter(|byte| byte.is_ascii_punctuation() && *byte != b'"').ok_or_else(
        || Failure::Input(format!("--comment {sign}: give a sign that is no letter, as in #")),
    )
}

fn delimiter(text: &str) -> Result<u8, Failure> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(b'\t'),
        ("space", _) => Ok(b' '),
        (_, &[byte]) if byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'"' => {
            Ok(byte)
        }
        _ => Err(Failure::Input(format!(
            "--delimiter {text}: give one character that is no letter, digit or quote, or `tab` or \
             `space`"
        ))),
    }
}

/// A valid `nocurl simulate`.
#[derive(Debug)]
pub(crate) struct Simulate {
    pub(crate) simulation: Simulation,
    pub(crate) seed: u64,
    pub(crate) output: PathBuf,
    pub(crate) truth: Vec<PathBuf>,
    pub(crate) interventions: Option<Interventions>,
    pub(crate) targets: Option<PathBuf>,
    pub(crate) quiet: bool,
}

impl Simulate {
    /// Checks flags and destinations; draws nothing.
    pub(crate) fn new(arguments: SimulateArguments) -> Result<Self, Failure> {
        let interventions = match &arguments.interventions {
            Some(text) => Some(interventions(text, &arguments)?),
            None => None,
        };
        let simulation = Simulation {
            graph: parameter::named("--graph", Value::String(arguments.graph))?,
            degree: arguments.degree,
            variables: arguments.variables,
            rows: arguments.rows,
            weights: pair("--weights", &arguments.weights)?,
            mechanism: parameter::named("--mechanism", Value::String(arguments.mechanism))?,
            noise: parameter::named("--noise", noise(&arguments.noise)?)?,
            variances: variances(&arguments.variances)?,
            standardize: arguments.standardize,
            categorical: arguments.categorical,
            levels: levels(&arguments.levels)?,
        };
        simulation.validate()?;
        let mut files = RunFiles::default().writes(OUTPUT, &arguments.output);
        for truth in &arguments.truth {
            GraphFormat::of_path(truth)?;
            files = files.writes("the true graph", truth);
        }
        if let Some(path) = &arguments.targets_output {
            files = files.writes("the targets", path);
        }
        files.check()?;
        Ok(Self {
            simulation,
            seed: arguments.seed,
            output: arguments.output,
            truth: arguments.truth,
            interventions,
            targets: arguments.targets_output,
            quiet: arguments.quiet,
        })
    }
}

/// What conditions are drawn.
fn interventions(text: &str, arguments: &SimulateArguments) -> Result<Interventions, Failure> {
    let wrong = || {
        Failure::Input(format!(
            "--interventions {text}: write single:10, or double:10 for two targets"
        ))
    };
    let (kind, number) = text.split_once(':').ok_or_else(wrong)?;
    let targets = match kind {
        "single" => 1,
        "double" => 2,
        _ => return Err(wrong()),
    };
    Ok(Interventions {
        conditions: number.trim().parse().map_err(|_| wrong())?,
        targets,
        kind: if arguments.soft { Intervention::Soft } else { Intervention::Perfect },
        control_rows: arguments.control_rows,
    })
}

/// The JSON form of a noise law: a name, or for Student's t an object with the degrees of freedom.
fn noise(text: &str) -> Result<Value, Failure> {
    match text.split_once(':') {
        None if text == "student" => Ok(json!({ "student": DEFAULT_FREEDOM })),
        Some(("student", freedom)) => Ok(json!({ "student": number("--noise", freedom)? })),
        _ => Ok(Value::String(text.into())),
    }
}

fn variances(text: &str) -> Result<Variances, Failure> {
    const FLAG: &str = "--variances";
    match text.split_once(':') {
        None if text == "standard" => Ok(Variances::Standard),
        None if text == "equal" => Ok(Variances::Equal(1.0)),
        Some(("equal", value)) => Ok(Variances::Equal(number(FLAG, value)?)),
        Some(("random", range)) => {
            let (low, high) = pair(FLAG, range)?;
            Ok(Variances::Random(low, high))
        }
        _ => Err(Failure::Input(format!(
            "{FLAG} {text}: write standard, equal[:VALUE] or random:LOW,HIGH"
        ))),
    }
}

fn pair(flag: &str, text: &str) -> Result<(f64, f64), Failure> {
    match text.split_once(',') {
        Some((low, high)) => Ok((number(flag, low)?, number(flag, high)?)),
        None => Err(Failure::Input(format!("{flag} {text}: give two numbers, as in 0.5,2"))),
    }
}

fn levels(text: &str) -> Result<(usize, usize), Failure> {
    let wrong = || Failure::Input(format!("--levels {text}: give two whole numbers, as in 2,4"));
    let whole = |part: &str| part.trim().parse().map_err(|_| wrong());
    let (low, high) = text.split_once(',').ok_or_else(wrong)?;
    Ok((whole(low)?, whole(high)?))
}

fn number(flag: &str, text: &str) -> Result<f64, Failure> {
    text.trim().parse().map_err(|_| Failure::Input(format!("{flag}: `{text}` is not a number")))
}

/// A valid `nocurl bench`.
#[derive(Debug)]
pub(crate) struct Bench {
    /// All that the tables may show.
    pub(crate) grid: Grid,
    /// What is run now.
    pub(crate) selected: Grid,
    pub(crate) settings: Settings,
    pub(crate) output: PathBuf,
    pub(crate) quiet: bool,
}

/// A valid `nocurl bench calibration`.
#[derive(Debug)]
pub(crate) struct Calibration {
    /// Whether the tables are those that the constants are fitted on.
    pub(crate) fit: bool,
    pub(crate) trials: u32,
    pub(crate) seed: u64,
    pub(crate) jobs: usize,
    pub(crate) output: PathBuf,
    pub(crate) quiet: bool,
}

impl Calibration {
    /// The study that a name asks for, if it is one.
    pub(crate) fn new(arguments: &BenchArguments) -> Result<Option<Self>, Failure> {
        let fit = match arguments.grid.as_str() {
            "calibration" => false,
            "calibration-fit" => true,
            _ => return Ok(None),
        };
        let given = !arguments.sizes.is_empty()
            || !arguments.methods.is_empty()
            || !arguments.scenarios.is_empty()
            || arguments.timeout.is_some()
            || arguments.retry;
        if given {
            return Err(Failure::Input(format!(
                "{} has its own tables and method: only --output, --seed, --trials, --jobs and \
                 --quiet apply",
                arguments.grid
            )));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = || format!("bench-{}", arguments.grid).into();
        Ok(Some(Self {
            fit,
            trials: arguments.trials.unwrap_or(if fit { 200 } else { 4 }),
            seed: arguments.seed,
            jobs: arguments.jobs.map_or(cores, usize::from),
            output: arguments.output.clone().unwrap_or_else(folder),
            quiet: arguments.quiet,
        }))
    }
}

/// A valid `nocurl bench interventions`.
#[derive(Debug)]
pub(crate) struct InterventionStudy {
    pub(crate) study: interventions::Study,
    pub(crate) jobs: usize,
    pub(crate) output: PathBuf,
    pub(crate) quiet: bool,
}

impl InterventionStudy {
    /// The study, if its name asks for it.
    pub(crate) fn new(arguments: &BenchArguments) -> Result<Option<Self>, Failure> {
        if arguments.grid != "interventions" {
            return Ok(None);
        }
        if !arguments.methods.is_empty() || !arguments.scenarios.is_empty() {
            return Err(Failure::Input(
                "interventions has its own methods: only --output, --sizes, --seed, --trials, \
                 --jobs and --quiet apply"
                    .into(),
            ));
        }
        let usual = interventions::Study::default();
        let sizes = arguments.sizes.clone();
        if sizes.iter().any(|&size| size < 3) {
            return Err(Failure::Input("--sizes: at least 3 variables are needed".into()));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = || "bench-interventions".into();
        Ok(Some(Self {
            study: interventions::Study {
                sizes: if sizes.is_empty() { usual.sizes } else { sizes },
                trials: arguments.trials.unwrap_or(usual.trials),
                seed: arguments.seed,
                ..usual
            },
            jobs: arguments.jobs.map_or(cores, usize::from),
            output: arguments.output.clone().unwrap_or_else(folder),
            quiet: arguments.quiet,
        }))
    }
}

/// A valid `nocurl bench scale`.
#[derive(Debug)]
pub(crate) struct ScaleStudy {
    pub(crate) study: scale::Study,
    pub(crate) output: PathBuf,
    pub(crate) quiet: bool,
}

impl ScaleStudy {
    /// The study, if its name asks for it.
    pub(crate) fn new(arguments: &BenchArguments) -> Result<Option<Self>, Failure> {
        if arguments.grid != "scale" {
            return Ok(None);
        }
        let given = !arguments.scenarios.is_empty()
            || arguments.timeout.is_some()
            || arguments.jobs.is_some()
            || arguments.retry;
        if given {
            return Err(Failure::Input(
                "scale has its own tables, one at a time: only --output, --methods, --sizes, \
                 --seed, --trials and --quiet apply"
                    .into(),
            ));
        }
        let methods = names("--methods", &arguments.methods)?;
        let known: Vec<&str> = scale::Study::names().collect();
        if let Some(name) = methods.iter().find(|name| !known.contains(&name.as_str())) {
            let known = known.join(", ");
            return Err(Failure::Input(format!("--methods: no `{name}` in scale; it has {known}")));
        }
        if arguments.sizes.iter().any(|&size| size < 3) {
            return Err(Failure::Input("--sizes: at least 3 variables are needed".into()));
        }
        let (sizes, seed) = (arguments.sizes.clone(), arguments.seed);
        let usual = scale::Study::default();
        let trials = arguments.trials.unwrap_or(usual.trials);
        Ok(Some(Self {
            study: scale::Study { methods, sizes, trials, seed },
            output: arguments.output.clone().unwrap_or_else(|| "bench-scale".into()),
            quiet: arguments.quiet,
        }))
    }
}

impl Bench {
    /// Checks flags and reads the grid; runs nothing.
    pub(crate) fn new(arguments: BenchArguments) -> Result<Self, Failure> {
        let grid = grid(&arguments.grid)?;
        let mut selected = grid
            .clone()
            .with_methods(&names("--methods", &arguments.methods)?)?
            .with_scenarios(&names("--scenarios", &arguments.scenarios)?)?;
        selected.trials = arguments.trials.unwrap_or(grid.trials);
        if !arguments.sizes.is_empty() {
            selected.sizes = arguments.sizes;
        }
        selected.validate()?;
        let seconds = |text: f64| {
            let positive = Duration::try_from_secs_f64(text).ok().filter(|time| !time.is_zero());
            positive.ok_or_else(|| {
                Failure::Input(format!("--timeout {text}: it must be a positive number of seconds"))
            })
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let settings = Settings {
            seed: arguments.seed,
            jobs: arguments.jobs.map_or(cores, usize::from),
            timeout: arguments.timeout.map(seconds).transpose()?,
            timing_trials: arguments.timing_trials,
            retry: arguments.retry,
        };
        let output = arguments.output.unwrap_or_else(|| format!("bench-{}", grid.name).into());
        if output.is_dir() {
            // Links in it may lead anywhere.
            let files = RunFiles::default().reads("the grid", &arguments.grid);
            let all = FILES.iter().fold(files, |all, name| all.writes(OUTPUT, output.join(name)));
            all.check()?;
        }
        Ok(Self { grid, selected, settings, output, quiet: arguments.quiet })
    }
}

/// A preset by its name, or the grid in a file.
fn grid(name: &str) -> Result<Grid, Failure> {
    if !name.ends_with(".toml") {
        return Ok(Grid::preset(name)?);
    }
    let told = |error: &dyn std::fmt::Display| Failure::Input(format!("`{name}`: {error}"));
    let text = nocurl_io::read_text(&Source::Path(name.into()), "grid")?;
    Grid::from_toml(&text).map_err(|error| told(&error))
}
