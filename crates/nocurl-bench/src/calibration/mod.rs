//! What confidence is worth: shares of true edges and directions in bins of confidence.
//!
//! Every trial draws a table from a graph that is known, learns from it with the default options,
//! measures confidence from resampled tables, and records every pair of variables that is adjacent
//! in the graph found or in some resampled table. `reported` cases are shown; the constants of
//! [`nocurl::bootstrap::Calibration`] come from `fitted` ones alone.

mod cases;
mod networks;
mod table;

use std::sync::Mutex;

use nocurl::bootstrap::{BootstrapParams, Confidence, Start, bootstrap_from};
use nocurl::metrics::cpdag_shd;
use nocurl::{Options, Pdag, Progress, Run, learn};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

use crate::Error;

pub use cases::{Case, fitted, reported};
pub use networks::{NETWORKS, Network};
pub use table::{csv, markdown};

/// The confidence from which on edges and directions are in the consensus.
const CONSENSUS: f64 = 0.5;

/// What is recorded of a pair of variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Record {
    /// Place of the case.
    pub case: usize,
    /// Which of its tables.
    pub table: u32,
    /// Rows and variables of the table.
    pub size: (u64, usize),
    /// Whether the graph found has the edge.
    pub drawn: bool,
    /// Whether its class compels the direction.
    pub compelled: bool,
    /// How sure it is said to be: of drawn edges as they are drawn, of others in their more
    /// frequent direction.
    pub confidence: Confidence,
    /// Whether the true graph has the edge in either direction.
    pub truly_adjacent: bool,
    /// Whether the true class compels it in this direction.
    pub truly_compelled: bool,
    /// Whether the true graph has it in this direction.
    pub truly_directed: bool,
}

/// How far the two graphs of one table are from the truth: CPDAG SHD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// Place of the case.
    pub case: usize,
    /// Of the best-scoring graph.
    pub best: usize,
    /// Of the consensus, edges and directions with a confidence of at least 0.5.
    pub consensus: usize,
}

/// What all trials gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Study {
    /// Every pair of every table.
    pub records: Vec<Record>,
    /// One for each table.
    pub distances: Vec<Distances>,
}

/// Runs all trials of all cases.
///
/// # Errors
/// A request to stop; data that cannot be learnt from.
pub fn run(
    cases: &[Case],
    trials: u32,
    seed: u64,
    jobs: usize,
    run: &Run<'_>,
) -> Result<Study, Error> {
    let all: Vec<(usize, u32)> =
        (0..trials).flat_map(|trial| (0..cases.len()).map(move |case| (case, trial))).collect();
    let done = Mutex::new(0);
    let pool = ThreadPoolBuilder::new().num_threads(jobs.max(1)).build()?;
    let trials: Result<Vec<(Vec<Record>, Distances)>, Error> = pool.install(|| {
        all.par_iter()
            .map(|&(case, trial)| {
                // Far apart, so that no case sees the tables of another.
                let own = seed
                    .wrapping_add(u64::from(trial))
                    .wrapping_add((case as u64 + 1).wrapping_mul(1 << 32));
                let trial = trial_of(&cases[case], (case, trial), own, run)?;
                let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *done += 1;
                let (stage, total) = ("measuring confidence", Some(all.len() as u64));
                run.report(Progress { stage, done: *done, total, objective: None });
                Ok(trial)
            })
            .collect()
    });
    let mut study = Study::default();
    for (records, distances) in trials? {
        study.records.extend(records);
        study.distances.push(distances);
    }
    Ok(study)
}

fn trial_of(
    case: &Case,
    (place, table): (usize, u32),
    seed: u64,
    run: &Run<'_>,
) -> Result<(Vec<Record>, Distances), Error> {
    let told = |error: nocurl::Error| match error {
        nocurl::Error::Cancelled => Error::Cancelled,
        other => Error::Input(format!("{}: {other}", case.name)),
    };
    let (truth, data) = case.draw(seed).map_err(told)?;
    let options = Options { seed, ..Options::default() };
    let quiet = run.quiet();
    let fit = learn(&data, &options, &quiet).map_err(told)?;
    let params = BootstrapParams { paths: false, ..BootstrapParams::default() };
    let start = Start { from: Some(&fit.dag), ..Start::default() };
    let found = bootstrap_from(&data, &options, &params, start, &quiet).map_err(told)?;
    let class = Pdag::class_of(&truth);
    let size = (data.values().nrows() as u64, truth.size());
    let mut pairs: Vec<(usize, usize)> = fit.dag.edges().map(|(i, j, _)| (i, j)).collect();
    let more = found.pairs.iter().map(|pair| (pair.from, pair.to));
    pairs.extend(more.filter(|&(i, j)| !fit.dag.has_edge(i, j) && !fit.dag.has_edge(j, i)));
    let record = |(from, to): (usize, usize)| Record {
        case: place,
        table,
        size,
        drawn: fit.dag.has_edge(from, to),
        compelled: fit.class.has_directed(from, to),
        confidence: found.confidence(from, to),
        truly_adjacent: class.is_adjacent(from, to),
        truly_compelled: class.has_directed(from, to),
        truly_directed: truth.has_edge(from, to),
    };
    let distances = Distances {
        case: place,
        best: cpdag_shd(&class, &fit.class).map_err(told)?,
        consensus: cpdag_shd(&class, &found.consensus(CONSENSUS)).map_err(told)?,
    };
    Ok((pairs.into_iter().map(record).collect(), distances))
}
