//! Learning from experiments beside learning from the same rows pooled.
//!
//! Every trial draws a graph and a table with a control and one condition for each variable, which
//! sets it. Distances are between directed graphs: an undetermined direction counts as an error
//! where it is drawn the wrong way, as everywhere else.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::Instant;

use nocurl::metrics::{cpdag_shd, shd};
use nocurl::simulate::{Interventions, SimulatedExperiments, Simulation, simulate_experiments};
use nocurl::{Algorithm, Dag, Dataset, Mat, Options, Pdag, Progress, Run, Targets, learn};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::Error;

/// What is compared.
const METHODS: [(&str, &str, bool); 3] = [
    ("order-search, experiments", "order-search", true),
    ("fges, experiments", "fges", true),
    ("order-search, pooled", "order-search", false),
];

/// Which tables are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Numbers of variables.
    pub sizes: Vec<usize>,
    /// Expected degrees of the random graphs.
    pub degrees: Vec<f64>,
    /// Rows of each condition.
    pub rows: usize,
    /// Tables of each kind.
    pub trials: u32,
    /// Seed of everything.
    pub seed: u64,
}

impl Default for Study {
    fn default() -> Self {
        Self { sizes: vec![20, 50, 100], degrees: vec![2.0, 4.0], rows: 100, trials: 10, seed: 0 }
    }
}

/// One method on one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Variables of the table.
    pub variables: usize,
    /// Expected degree.
    pub degree: f64,
    /// Number of the trial.
    pub trial: u32,
    /// What was run.
    pub method: &'static str,
    /// Distance of the directed graphs.
    pub shd: usize,
    /// Distance of the interventional classes.
    pub class_shd: usize,
    /// Wall time.
    pub seconds: f64,
}

/// Runs all trials.
///
/// # Errors
/// A request to stop; data that cannot be learnt from.
pub fn run(study: &Study, jobs: usize, run: &Run<'_>) -> Result<Vec<Record>, Error> {
    let mut all = Vec::new();
    for &variables in &study.sizes {
        for &degree in &study.degrees {
            all.extend((0..study.trials).map(|trial| (variables, degree, trial)));
        }
    }
    let done = Mutex::new(0);
    let pool = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build()?;
    let trials: Result<Vec<Vec<Record>>, Error> = pool.install(|| {
        all.par_iter()
            .map(|&(variables, degree, trial)| {
                let records = trial_of(study, variables, degree, trial, run)?;
                let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *done += 1;
                let (stage, total) = ("learning from experiments", Some(all.len() as u64));
                run.report(Progress { stage, done: *done, total, objective: None });
                Ok(records)
            })
            .collect()
    });
    Ok(trials?.concat())
}

fn trial_of(
    study: &Study,
    variables: usize,
    degree: f64,
    trial: u32,
    run: &Run<'_>,
) -> Result<Vec<Record>, Error> {
    let told = |error: nocurl::Error| match error {
        nocurl::Error::Cancelled => Error::Cancelled,
        other => Error::Input(other.to_string()),
    };
    let simulation = Simulation {
        variables,
        degree,
        rows: study.rows,
        standardize: true,
        ..Simulation::default()
    };
    let interventions = Interventions { conditions: variables, ..Interventions::default() };
    let seed = study.seed.wrapping_add(u64::from(trial)).wrapping_mul(1 << 16)
        + (variables as u64 * 100 + degree as u64);
    let drawn = simulate_experiments(&simulation, &interventions, seed).map_err(told)?;
    let class = class_of(&drawn).map_err(told)?;
    let quiet = run.quiet();
    METHODS
        .iter()
        .map(|&(method, name, with_experiments)| {
            let algorithm = Algorithm::from_name(name).map_err(told)?;
            let started = Instant::now();
            let (dag, found) = match with_experiments {
                true => {
                    let experiments = drawn.experiments.clone();
                    let options = Options { algorithm, experiments, ..Options::default() };
                    let fit = learn(&drawn.data, &options, &quiet).map_err(told)?;
                    let dag = without_first(&fit.dag).map_err(told)?;
                    (dag, pdag_without_first(&fit.class).map_err(told)?)
                }
                false => {
                    let options = Options { algorithm, ..Options::default() };
                    let pooled = pooled(&drawn.data).map_err(told)?;
                    let fit = learn(&pooled, &options, &quiet).map_err(told)?;
                    (fit.dag, fit.class)
                }
            };
            let seconds = started.elapsed().as_secs_f64();
            Ok(Record {
                variables,
                degree,
                trial,
                method,
                shd: shd(&drawn.truth, &dag).map_err(told)?,
                class_shd: cpdag_shd(&class, &found).map_err(told)?,
                seconds,
            })
        })
        .collect()
}

/// The interventional class of the graph that made the data.
fn class_of(drawn: &SimulatedExperiments) -> Result<Pdag, nocurl::Error> {
    let targets = drawn.experiments.resolve(drawn.data.variables())?;
    let of = targets.map_or_else(Vec::new, |targets| targets.of);
    // Without the condition variables stand one place earlier.
    let of = of.into_iter().map(|set| set.into_iter().map(|(v, kind)| (v - 1, kind)).collect());
    Ok(Targets { condition: usize::MAX, of: of.collect() }.class_of(&drawn.truth))
}

/// The rows without their condition.
fn pooled(data: &Dataset) -> Result<Dataset, nocurl::Error> {
    let values = data.values();
    let numbers = Mat::from_fn(values.nrows(), values.ncols() - 1, |i, j| values[(i, j + 1)]);
    Dataset::new(data.names()[1..].to_vec(), numbers)
}

fn without_first(dag: &Dag) -> Result<Dag, nocurl::Error> {
    let (weights, d) = (dag.weights(), dag.size() - 1);
    Dag::new(Mat::from_fn(d, d, |i, j| weights[(i + 1, j + 1)]))
}

fn pdag_without_first(class: &Pdag) -> Result<Pdag, nocurl::Error> {
    let kept = |&(i, j): &(usize, usize)| i > 0 && j > 0;
    let earlier = |(i, j): (usize, usize)| (i - 1, j - 1);
    let directed: Vec<_> = class.directed().filter(kept).map(earlier).collect();
    let undirected: Vec<_> = class.undirected().filter(kept).map(earlier).collect();
    Pdag::new(class.size() - 1, &directed, &undirected)
}

/// All records.
pub fn csv(records: &[Record]) -> String {
    let mut text = String::from("variables,degree,trial,method,shd,class_shd,seconds\n");
    for one in records {
        let Record { variables, degree, trial, method, shd, class_shd, seconds } = one;
        let _ = writeln!(
            text,
            "{variables},{degree},{trial},\"{method}\",{shd},{class_shd},{seconds:.4}"
        );
    }
    text
}

/// Means with their standard errors.
pub fn markdown(study: &Study, records: &[Record]) -> String {
    let mut text = format!(
        "Random graphs, standardised, {} rows in each of d + 1 conditions: a control, and one that \
         sets each variable. Means of {} tables with standard errors. `SHD` is the distance of the \
         directed graphs, `class` that of the interventional classes.\n\n\
         | graph | d | method | SHD | class | seconds |\n|---|--:|---|--:|--:|--:|\n",
        study.rows, study.trials
    );
    for &degree in &study.degrees {
        for &variables in &study.sizes {
            for (method, _, _) in METHODS {
                let of = |value: fn(&Record) -> f64| -> Vec<f64> {
                    let alike = records.iter().filter(|one| {
                        one.variables == variables && one.degree == degree && one.method == method
                    });
                    alike.map(value).collect()
                };
                let _ = writeln!(
                    text,
                    "| ER{degree} | {variables} | {method} | {} | {} | {} |",
                    mean(&of(|one| one.shd as f64)),
                    mean(&of(|one| one.class_shd as f64)),
                    mean(&of(|one| one.seconds)),
                );
            }
        }
    }
    text
}

/// A mean with its standard error.
fn mean(values: &[f64]) -> String {
    let n = values.len() as f64;
    if values.is_empty() {
        return "-".into();
    }
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return format!("{mean:.2}");
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    format!("{mean:.2} ± {:.2}", (variance / n).sqrt())
}
