//! Trials of a benchmark, one by one, for those who run them elsewhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nocurl_bench::plot::{Figure, svg};
use nocurl_bench::table::{self, Provenance};
use nocurl_bench::{Grid, Log, Row, Settings, TrialTask, missing_tasks, run_task, summarise};
use nocurl_io::{Source, read_text, write_text};
use pyo3::prelude::*;
use serde::Deserialize;
use std::sync::{Mutex, PoisonError};

use crate::failure::{Failure, guarded};
use crate::watch;

/// A grid and how it is run.
#[derive(Deserialize)]
struct BenchRequest {
    /// The name of a preset, or the text of a file.
    grid: String,
    is_text: bool,
    seed: u64,
    trials: Option<u32>,
    sizes: Option<Vec<usize>>,
    methods: Vec<String>,
    scenarios: Vec<String>,
    timeout: Option<f64>,
    retry: bool,
}

impl BenchRequest {
    fn parsed(request: &str) -> Result<(Grid, Grid, Settings), Failure> {
        let asked: Self =
            serde_json::from_str(request).map_err(|error| Failure::value(error.to_string()))?;
        let told = |error: nocurl_bench::Error| Failure::value(error.to_string());
        let grid = match asked.is_text {
            true => Grid::from_toml(&asked.grid),
            false => Grid::preset(&asked.grid),
        };
        let grid = grid.map_err(told)?;
        let selected = grid.clone().with_methods(&asked.methods).map_err(told)?;
        let mut selected = selected.with_scenarios(&asked.scenarios).map_err(told)?;
        selected.trials = asked.trials.unwrap_or(grid.trials);
        if let Some(sizes) = asked.sizes {
            selected.sizes = sizes;
        }
        selected.validate().map_err(told)?;
        let timeout = asked.timeout.map(|seconds| {
            let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
            let words = format!("timeout={seconds}: it must be a positive number of seconds");
            time.ok_or_else(|| Failure::value(words))
        });
        let (seed, retry) = (asked.seed, asked.retry);
        let timeout = timeout.transpose()?;
        Ok((grid, selected, Settings { seed, jobs: 1, timeout, timing_trials: 0, retry }))
    }
}

/// The text of a grid in a file.
#[pyfunction]
pub(crate) fn bench_grid(path: PathBuf) -> PyResult<String> {
    Ok(guarded(|| Ok(read_text(&Source::Path(path), "grid")?))?)
}

/// Runs the trials of a task: their rows as JSON.
#[pyfunction]
pub(crate) fn bench_task(py: Python<'_>, request: &str, task: &str) -> PyResult<String> {
    let ((_, grid, settings), task) = guarded(|| {
        let task: TrialTask =
            serde_json::from_str(task).map_err(|error| Failure::value(error.to_string()))?;
        Ok((BenchRequest::parsed(request)?, task))
    })?;
    watch::run(py, Some(1), None, |run| {
        let rows = run_task(&grid, &settings, &task, run).map_err(failed)?;
        serde_json::to_string(&rows).map_err(|error| Failure::value(error.to_string()))
    })
}

fn failed(error: nocurl_bench::Error) -> Failure {
    match error {
        nocurl_bench::Error::Cancelled => nocurl::Error::Cancelled.into(),
        error => Failure::value(error.to_string()),
    }
}

/// The folder of a benchmark, to which rows are added; no other run writes to it meanwhile.
#[pyclass(module = "nocurl._nocurl", frozen)]
pub(crate) struct BenchLog {
    grid: Grid,
    selected: Grid,
    settings: Settings,
    folder: PathBuf,
    log: Mutex<Log>,
}

#[pymethods]
impl BenchLog {
    #[new]
    fn new(request: &str, folder: PathBuf) -> PyResult<Self> {
        Ok(guarded(|| {
            let (grid, selected, settings) = BenchRequest::parsed(request)?;
            let log = Log::open(&folder, &selected, settings.seed).map_err(failed)?;
            Ok(Self { grid, selected, settings, folder, log: Mutex::new(log) })
        })?)
    }

    /// What is still to be run, as JSON.
    fn tasks(&self) -> PyResult<Vec<String>> {
        Ok(guarded(|| {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            let tasks = missing_tasks(&self.selected, &self.settings, log.rows());
            let written = tasks.iter().map(serde_json::to_string).collect::<Result<_, _>>();
            written.map_err(|error| Failure::value(error.to_string()))
        })?)
    }

    /// Writes rows down.
    fn append(&self, rows: &str) -> PyResult<()> {
        Ok(guarded(|| {
            let rows: Vec<Row> =
                serde_json::from_str(rows).map_err(|error| Failure::value(error.to_string()))?;
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            rows.into_iter().try_for_each(|row| log.append(row)).map_err(failed)
        })?)
    }

    /// All rows, as JSON.
    fn rows(&self) -> PyResult<String> {
        Ok(guarded(|| {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            serde_json::to_string(log.rows()).map_err(|error| Failure::value(error.to_string()))
        })?)
    }

    /// Writes tables and figures.
    fn report(&self, command: String) -> PyResult<()> {
        Ok(guarded(|| {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            let cells = summarise(&self.grid, log.rows());
            let provenance = Provenance::here(command);
            let markdown = table::markdown(&self.grid, &self.settings, &provenance, &cells);
            let written = table::csv(&cells).map_err(failed)?;
            let mut files = vec![("tables.md", markdown), ("tables.csv", written)];
            for figure in [Figure::Shd, Figure::Time] {
                files.push((figure.file(), svg(figure, &self.grid, &cells)));
            }
            files.iter().try_for_each(|(name, text)| Self::write(&self.folder, name, text))
        })?)
    }
}

impl BenchLog {
    fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
        Ok(write_text(folder.join(name), text)?)
    }
}
