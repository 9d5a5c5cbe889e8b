//! Running a grid: several trials at a time for accuracy, then single ones for time.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nocurl::internals::objective::least_squares;
use nocurl::metrics::compare_as;
use nocurl::simulate::{Simulated, simulate};
use nocurl::{Fit, Moments, Options, Progress, Run, learn};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::{Deserialize, Serialize};

use crate::results::{Status, Timing};
use crate::{Contender, Error, Grid, Log, Row, Scenario};

/// How a grid is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed from which every trial's own is made.
    pub seed: u64,
    /// Trials at the same time, each on a thread of its own; one alone has all cores.
    pub jobs: usize,
    /// Longest time of a trial.
    pub timeout: Option<Duration>,
    /// Trials of each cell that are run once more, alone, for their time.
    pub timing_trials: u32,
    /// Whether trials that failed or ran out of time are run again.
    pub retry: bool,
}

/// Runs what the log does not have yet. Trials are taken round by round, so that a run that is
/// stopped early has something of every cell.
///
/// # Errors
/// Results that cannot be written, or cancellation; the log keeps every finished trial.
pub fn run(grid: &Grid, settings: &Settings, log: &mut Log, run: &Run<'_>) -> Result<(), Error> {
    let (stage, jobs) = ("running trials", missing_trials(grid, settings, log.rows()));
    Pass::new(stage, settings, jobs, log, run).run(settings.jobs.max(1))?;
    let (stage, jobs) = ("timing", missing_times(grid, settings, log.rows()));
    Pass::new(stage, settings, jobs, log, run).run(1)
}

/// Contenders to be run on one set of data.
struct Job<'a> {
    scenario: &'a Scenario,
    size: usize,
    trial: u32,
    contenders: Vec<&'a Contender>,
}

type Key<'a> = (&'a str, usize, &'a str, u32);

fn key(row: &Row) -> Key<'_> {
    (&row.scenario, row.d, &row.method, row.trial)
}

/// Trials without a row.
fn missing_trials<'a>(grid: &'a Grid, settings: &Settings, rows: &[Row]) -> Vec<Job<'a>> {
    let finished = |row: &&Row| !settings.retry || row.status == Status::Ok;
    let done: BTreeSet<Key<'_>> = rows.iter().filter(finished).map(key).collect();
    jobs(grid, |key| !done.contains(&key))
}

/// First trials that ended well, but never had the machine for themselves.
fn missing_times<'a>(grid: &'a Grid, settings: &Settings, rows: &[Row]) -> Vec<Job<'a>> {
    let mut wanted = BTreeSet::new();
    let first = |row: &&Row| row.trial < settings.timing_trials;
    for row in rows.iter().filter(first) {
        if row.timing == Timing::Alone || row.status != Status::Ok {
            wanted.remove(&key(row));
        } else {
            wanted.insert(key(row));
        }
    }
    jobs(grid, |key| wanted.contains(&key))
}

/// The jobs of a grid, trial by trial, with the contenders that are wanted.
fn jobs<'a>(grid: &'a Grid, wanted: impl Fn(Key<'_>) -> bool) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let sizes: BTreeSet<usize> = grid.sizes.iter().copied().collect();
    for trial in 0..grid.trials {
        for &size in &sizes {
            for scenario in &grid.scenarios {
                let due = |contender: &&Contender| {
                    trial < contender.trials(grid.trials, size)
                        && wanted((&scenario.name, size, &contender.name, trial))
                };
                let contenders: Vec<&Contender> = grid.contenders.iter().filter(due).collect();
                if !contenders.is_empty() {
                    jobs.push(Job { scenario, size, trial, contenders });
                }
            }
        }
    }
    jobs
}

/// Jobs that are done in the same way, and what their workers share.
struct Pass<'a> {
    stage: &'static str,
    settings: &'a Settings,
    jobs: Vec<Job<'a>>,
    next: AtomicUsize,
    log: Mutex<(&'a mut Log, Forecast)>,
    run: &'a Run<'a>,
    /// Set when a worker had to give up.
    broken: AtomicBool,
}

impl<'a> Pass<'a> {
    fn new(
        stage: &'static str,
        settings: &'a Settings,
        jobs: Vec<Job<'a>>,
        log: &'a mut Log,
        run: &'a Run<'a>,
    ) -> Self {
        let forecast = Forecast::new(&jobs, log.rows());
        let log = Mutex::new((log, forecast));
        let (next, broken) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { stage, settings, jobs, next, log, run, broken }
    }

    fn run(self, workers: usize) -> Result<(), Error> {
        if workers == 1 {
            return self.work(&Place::Alone);
        }
        let places = (0..workers)
            .map(|_| ThreadPoolBuilder::new().num_threads(1).build().map(Place::Beside))
            .collect::<Result<Vec<_>, _>>()?;
        let (pass, places) = (&self, &places);
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                places.iter().map(|place| scope.spawn(move || pass.work(place))).collect();
            // The first error is the cause of the others.
            let mut outcome = Ok(());
            for worker in workers {
                let ended = worker.join().unwrap_or(Err(Error::Cancelled));
                if outcome.is_ok() || matches!(outcome, Err(Error::Cancelled)) && ended.is_err() {
                    outcome = ended;
                }
            }
            outcome
        })
    }

    fn work(&self, place: &Place) -> Result<(), Error> {
        while let Some(job) = self.jobs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            place.install(|| self.run_job(job, place)).inspect_err(|_| {
                self.broken.store(true, Ordering::Relaxed);
            })?;
        }
        Ok(())
    }

    fn run_job(&self, job: &Job<'_>, place: &Place) -> Result<(), Error> {
        let seed = job.scenario.seed(self.settings.seed, job.size, job.trial);
        let draw = guarded(|| Draw::new(job.scenario, job.size, seed));
        for contender in &job.contenders {
            if self.cancelled() {
                return Err(Error::Cancelled);
            }
            let limit = Limit::new(self, self.settings.timeout);
            let blank = Row::blank(job, contender, seed, place);
            let row = row_of(&draw, contender, blank, &limit);
            if row.status != Status::Ok && self.cancelled() {
                return Err(Error::Cancelled);
            }
            self.record(row)?;
        }
        Ok(())
    }

    fn record(&self, row: Row) -> Result<(), Error> {
        let mut guard = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let (log, forecast) = &mut *guard;
        forecast.finished(&row);
        log.append(row)?;
        let progress = forecast.progress(self.stage);
        drop(guard);
        self.run.report(progress);
        Ok(())
    }

    fn cancelled(&self) -> bool {
        self.run.is_stopped() || self.broken.load(Ordering::Relaxed)
    }
}

/// The row of one contender on one draw.
fn row_of(
    draw: &Result<Draw, String>,
    contender: &Contender,
    blank: Row,
    limit: &Limit<'_>,
) -> Row {
    let start = Instant::now();
    let seed = blank.seed;
    let outcome = match draw {
        Ok(draw) => guarded(|| draw.trial(contender, seed, &Run::default().stopped_by(limit))),
        Err(error) => Err(error.clone()),
    };
    match outcome {
        Ok(trial) => trial.fill(blank),
        Err(error) => Row {
            seconds: start.elapsed().as_secs_f64(),
            status: if limit.passed() { Status::Timeout } else { Status::Failed },
            error: Some(if limit.passed() { limit.told() } else { error }),
            ..blank
        },
    }
}

/// Contenders that are still to be run on one draw, by their names: small enough to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialTask {
    /// The scenario.
    pub scenario: String,
    /// Number of variables.
    pub size: usize,
    /// The trial's number, from 0.
    pub trial: u32,
    /// The contenders.
    pub methods: Vec<String>,
}

/// The trials that rows do not have yet, round by round.
pub fn missing_tasks(grid: &Grid, settings: &Settings, rows: &[Row]) -> Vec<TrialTask> {
    let task = |job: Job<'_>| TrialTask {
        scenario: job.scenario.name.clone(),
        size: job.size,
        trial: job.trial,
        methods: job.contenders.iter().map(|contender| contender.name.clone()).collect(),
    };
    missing_trials(grid, settings, rows).into_iter().map(task).collect()
}

/// Runs the trials of a task on one thread: the rows that [`run`] would write, but for their times.
///
/// # Errors
/// A name that is not in the grid, or cancellation.
pub fn run_task(
    grid: &Grid,
    settings: &Settings,
    task: &TrialTask,
    run: &Run<'_>,
) -> Result<Vec<Row>, Error> {
    let unknown = |name: &str| Error::Input(format!("`{name}` is not in the grid"));
    let scenario = grid.scenarios.iter().find(|scenario| scenario.name == task.scenario);
    let scenario = scenario.ok_or_else(|| unknown(&task.scenario))?;
    let find = |name: &String| {
        let known = grid.contenders.iter().find(|contender| contender.name == *name);
        known.ok_or_else(|| unknown(name))
    };
    let contenders: Vec<&Contender> = task.methods.iter().map(find).collect::<Result<_, _>>()?;
    let job = Job { scenario, size: task.size, trial: task.trial, contenders };
    let place = Place::Beside(ThreadPoolBuilder::new().num_threads(1).build()?);
    let asked = Asked(run);
    place.install(|| {
        let seed = scenario.seed(settings.seed, job.size, job.trial);
        let draw = guarded(|| Draw::new(scenario, job.size, seed));
        let mut rows = Vec::new();
        for contender in &job.contenders {
            let limit = Limit::new(&asked, settings.timeout);
            let row = row_of(&draw, contender, Row::blank(&job, contender, seed, &place), &limit);
            if run.is_stopped() {
                return Err(Error::Cancelled);
            }
            rows.push(row);
        }
        Ok(rows)
    })
}

/// Who runs a task may stop it.
struct Asked<'a>(&'a Run<'a>);

impl nocurl::Stop for Asked<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// Where trials run.
enum Place {
    /// Alone, with all cores.
    Alone,
    /// Beside others, on a thread of its own.
    Beside(ThreadPool),
}

impl Place {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Alone => work(),
            Self::Beside(pool) => pool.install(work),
        }
    }

    fn timing(&self) -> Timing {
        match self {
            Self::Alone => Timing::Alone,
            Self::Beside(_) => Timing::Throughput,
        }
    }
}

impl nocurl::Stop for Pass<'_> {
    fn is_stopped(&self) -> bool {
        self.cancelled()
    }
}

/// Stops one trial when its time is over or the run is.
struct Limit<'a> {
    cancelled: &'a dyn nocurl::Stop,
    timeout: Option<Duration>,
    start: Instant,
    passed: AtomicBool,
}

impl<'a> Limit<'a> {
    fn new(cancelled: &'a dyn nocurl::Stop, timeout: Option<Duration>) -> Self {
        Self { cancelled, timeout, start: Instant::now(), passed: AtomicBool::new(false) }
    }

    fn passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    fn told(&self) -> String {
        format!("stopped after {} s", self.timeout.unwrap_or_default().as_secs_f64())
    }
}

impl nocurl::Stop for Limit<'_> {
    fn is_stopped(&self) -> bool {
        if self.timeout.is_some_and(|timeout| self.start.elapsed() > timeout) {
            self.passed.store(true, Ordering::Relaxed);
        }
        self.passed() || self.cancelled.is_stopped()
    }
}

/// Turns errors and panics alike into a line for the row.
fn guarded<T>(work: impl FnOnce() -> Result<T, nocurl::Error>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(nocurl_io::plain(&error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            Err(nocurl_io::plain(&format!("panic: {text}")))
        }
    }
}

/// The data of a trial, which all contenders share.
struct Draw {
    simulated: Simulated,
    moments: Moments,
    /// F of the true weights.
    truth_loss: f64,
}

impl Draw {
    fn new(scenario: &Scenario, size: usize, seed: u64) -> Result<Self, nocurl::Error> {
        let simulated = simulate(&scenario.at(size), seed)?;
        let moments = simulated.data.moments();
        // The truth has no intercepts; a fit to centred data has them.
        let s = moments.second_moments(false);
        let truth_loss = least_squares(s.as_ref(), simulated.truth.weights());
        Ok(Self { simulated, moments, truth_loss })
    }

    fn trial(
        &self,
        contender: &Contender,
        seed: u64,
        run: &Run<'_>,
    ) -> Result<Trial, nocurl::Error> {
        let mut trial = Trial::default();
        for repeat in 0..u64::from(contender.repeats) {
            let seed = seed.wrapping_add(repeat);
            let options = Options { seed, ..contender.options.clone() };
            let start = Instant::now();
            let fit = if options.needs_rows() {
                learn(&self.simulated.data, &options, run)?
            } else {
                learn(&self.moments, &options, run)?
            };
            trial.seconds.push(start.elapsed().as_secs_f64());
            trial.figures.push(self.figures(&fit)?);
        }
        Ok(trial)
    }

    fn figures(&self, fit: &Fit) -> Result<Figures, nocurl::Error> {
        let scores = compare_as(&self.simulated.truth, &fit.dag, &fit.determined, fit.determines)?;
        Ok(Figures {
            evaluations: fit.evaluations as f64,
            delta_f: fit.unpruned_loss - self.truth_loss,
            shd: scores.shd as f64,
            extra: scores.extra as f64,
            missing: scores.missing as f64,
            reversed: scores.reversed as f64,
            true_edges: scores.true_edges as f64,
            estimated_edges: scores.estimated_edges as f64,
            cpdag_shd: scores.cpdag_shd as f64,
            sid: scores.sid.expect("two acyclic graphs have one") as f64,
            skeleton_f1: scores.skeleton_f1,
        })
    }
}

/// What one repeat of a trial gave.
struct Figures {
    evaluations: f64,
    delta_f: f64,
    shd: f64,
    extra: f64,
    missing: f64,
    reversed: f64,
    true_edges: f64,
    estimated_edges: f64,
    cpdag_shd: f64,
    sid: f64,
    skeleton_f1: f64,
}

/// What the repeats of a trial gave.
#[derive(Default)]
struct Trial {
    seconds: Vec<f64>,
    figures: Vec<Figures>,
}

impl Trial {
    fn fill(self, blank: Row) -> Row {
        let n = self.figures.len() as f64;
        let mean =
            |figure: fn(&Figures) -> f64| Some(self.figures.iter().map(figure).sum::<f64>() / n);
        Row {
            seconds: self.seconds.iter().sum::<f64>() / n,
            evaluations: mean(|figures| figures.evaluations),
            delta_f: mean(|figures| figures.delta_f),
            shd: mean(|figures| figures.shd),
            extra: mean(|figures| figures.extra),
            missing: mean(|figures| figures.missing),
            reversed: mean(|figures| figures.reversed),
            true_edges: mean(|figures| figures.true_edges),
            estimated_edges: mean(|figures| figures.estimated_edges),
            cpdag_shd: mean(|figures| figures.cpdag_shd),
            sid: mean(|figures| figures.sid),
            skeleton_f1: mean(|figures| figures.skeleton_f1),
            ..blank
        }
    }
}

impl Row {
    /// A row without figures.
    fn blank(job: &Job<'_>, contender: &Contender, seed: u64, place: &Place) -> Self {
        Self {
            scenario: job.scenario.name.clone(),
            d: job.size,
            method: contender.name.clone(),
            trial: job.trial,
            seed,
            status: Status::Ok,
            seconds: 0.0,
            timing: place.timing(),
            threads: rayon::current_num_threads(),
            evaluations: None,
            delta_f: None,
            shd: None,
            extra: None,
            missing: None,
            reversed: None,
            true_edges: None,
            estimated_edges: None,
            cpdag_shd: None,
            sid: None,
            skeleton_f1: None,
            error: None,
        }
    }
}

/// How much work is left, in seconds of one worker, from how long finished trials took.
struct Forecast {
    cells: BTreeMap<(String, usize, String), Work>,
    /// Seconds of the trials of this pass.
    spent: f64,
}

#[derive(Default)]
struct Work {
    left: u32,
    finished: u32,
    seconds: f64,
}

impl Forecast {
    fn new(jobs: &[Job<'_>], rows: &[Row]) -> Self {
        let mut forecast = Self { cells: BTreeMap::new(), spent: 0.0 };
        for job in jobs {
            for contender in &job.contenders {
                let cell = (contender.name.clone(), job.size, job.scenario.name.clone());
                forecast.cells.entry(cell).or_default().left += 1;
            }
        }
        for row in rows {
            forecast.learn(row);
        }
        forecast
    }

    fn learn(&mut self, row: &Row) -> Option<&mut Work> {
        let work = self.cells.get_mut(&(row.method.clone(), row.d, row.scenario.clone()))?;
        work.finished += 1;
        work.seconds += row.seconds;
        Some(work)
    }

    fn finished(&mut self, row: &Row) {
        if let Some(work) = self.learn(row) {
            work.left = work.left.saturating_sub(1);
        }
        self.spent += row.seconds;
    }

    fn left(&self) -> f64 {
        let mut left = 0.0;
        // Cells are sorted by method and size: a cell without a trial is taken to be like the
        // last one known, with a cost that grows as d^3.
        let mut known: Option<(&str, usize, f64)> = None;
        for ((method, size, _), work) in &self.cells {
            if work.finished > 0 {
                known = Some((method, *size, work.seconds / f64::from(work.finished)));
            }
            if let Some((_, from, seconds)) = known.filter(|(name, ..)| name == method) {
                let growth = (*size as f64 / from as f64).powi(3);
                left += f64::from(work.left) * seconds * growth;
            }
        }
        left
    }

    /// In milliseconds of work.
    fn progress(&self, stage: &'static str) -> Progress {
        let (done, left) = (1e3 * self.spent, 1e3 * self.left());
        Progress { stage, done: done as u64, total: Some((done + left) as u64), objective: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_like_others() {
        let outcome: Result<(), String> = guarded(|| panic!("out of\n luck"));
        assert_eq!(outcome.unwrap_err(), "panic: out of  luck");
        let error = nocurl::Error::TooFewRows { rows: 1, needed: 2 };
        assert_eq!(guarded::<()>(|| Err(error.clone())).unwrap_err(), error.to_string());
    }
}
