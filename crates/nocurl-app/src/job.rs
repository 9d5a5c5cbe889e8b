//! From a table to a described graph: what the command line and Python have in common.

use std::path::{Path, PathBuf};

use nocurl::bootstrap::{Bootstrap, BootstrapParams, bootstrap};
use nocurl::checks::{Diagnosis, diagnose};
use nocurl::{Algorithm, Data, Dataset, Fit, Moments, Options, Run};
use serde_json::Value;

use nocurl_io::{
    BootstrapSummary, Error, GraphDocument, Input, Kept, Missing, ReadOptions, Table,
    check_writable, read_dataset, read_sampled,
};

use crate::describe;

/// What to learn from a table.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// How the table is read.
    pub read: ReadOptions,
    /// How the graph is learnt.
    pub options: Options,
    /// Learning again from resampled tables.
    pub bootstrap: Option<BootstrapParams>,
    /// Where a training is kept, so that it can go on after a stop.
    pub checkpoint: Option<PathBuf>,
    /// Whether the result is checked.
    pub diagnose: bool,
}

/// What was found: the table, the graph, checks of it, and how it fares in resampled tables.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The table, reduced to its moments.
    pub table: Table<Moments>,
    /// The graph.
    pub fit: Fit,
    /// Checks, where they were asked for.
    pub diagnosis: Option<Diagnosis>,
    /// What was found again, where that was asked for.
    pub bootstrap: Option<Bootstrap>,
}

impl Job {
    /// Checks what can be checked before a table is read.
    ///
    /// # Errors
    /// What does not go together, and what to do.
    pub fn validate(&self) -> Result<(), Error> {
        let algorithm = &self.options.algorithm;
        if self.bootstrap.is_some() && self.read.missing == Missing::Em {
            return Err(Error::Request(
                "--bootstrap draws rows, which --missing em does not fill in: use --missing drop"
                    .into(),
            ));
        }
        let Some(path) = &self.checkpoint else { return Ok(()) };
        if !algorithm.facts().checkpoint {
            let all = Algorithm::all();
            let trained: Vec<&str> = all
                .iter()
                .filter(|method| method.facts().checkpoint)
                .map(Algorithm::name)
                .collect();
            let (last, others) = trained.split_last().unwrap_or((&"none", &[]));
            return Err(Error::Request(format!(
                "--checkpoint: method `{}` is not trained, so there is nothing to keep; {} and {last} are",
                algorithm.name(),
                others.join(", ")
            )));
        }
        if self.bootstrap.is_some() {
            return Err(Error::Request(
                "--checkpoint: one file cannot keep the trainings of --bootstrap; use one of them"
                    .into(),
            ));
        }
        check_writable(path)
    }

    /// Reads a table and learns from it. Rows are kept only for methods that need them and for
    /// resampling.
    ///
    /// # Errors
    /// Anything wrong with the table or the options, in one line.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>, run: &Run<'_>) -> Result<Outcome, Error> {
        self.validate()?;
        if self.options.needs_rows() || self.bootstrap.is_some() {
            let table = read_dataset(input, &self.read, run)?;
            let found = match &self.checkpoint {
                None => self.learn(Data::Rows(&table.data), run)?,
                Some(path) => self.train(&table.data, path, run)?,
            };
            return Ok(Self::outcome(table.map(|rows| rows.moments()), found));
        }
        let (table, sample) = read_sampled(input, &self.read, run)?;
        let found = self.learn(Data::Sampled(&table.data, &sample), run)?;
        Ok(Self::outcome(table, found))
    }

    /// Learns from moments alone.
    ///
    /// # Errors
    /// As [`Self::run`]; methods that need rows refuse.
    pub fn run_on_moments(&self, moments: &Moments, run: &Run<'_>) -> Result<Outcome, Error> {
        let found = self.learn(Data::Moments(moments), run)?;
        let table = Table {
            rows: moments.rows(),
            rows_dropped: 0,
            missing_values: 0,
            data: moments.clone(),
            origin: None,
            warnings: Vec::new(),
        };
        Ok(Self::outcome(table, found))
    }

    fn learn(&self, data: Data<'_>, run: &Run<'_>) -> Result<Found, Error> {
        self.check(data, nocurl::learn(data, &self.options, run)?, run)
    }

    /// Learns by a training that is kept in a file.
    fn train(&self, rows: &Dataset, path: &Path, run: &Run<'_>) -> Result<Found, Error> {
        let kept = Kept::open(path, rows, &self.options)?;
        let fit = nocurl::learn(rows, &self.options, &run.kept_by(&kept));
        let mut fit = fit.map_err(|error| kept.error(error))?;
        fit.warnings.extend(kept.warning());
        self.check(Data::Rows(rows), fit, run)
    }

    /// Checks what was learnt, and learns it again from resampled data, where that is asked for.
    fn check(&self, data: Data<'_>, fit: Fit, run: &Run<'_>) -> Result<Found, Error> {
        let options = &self.options;
        let diagnosis = self.diagnose.then(|| diagnose(data, options, &fit, run));
        let again = |params| bootstrap(data, options, params, run);
        Ok((fit, diagnosis.transpose()?, self.bootstrap.as_ref().map(again).transpose()?))
    }

    fn outcome(table: Table<Moments>, (fit, diagnosis, bootstrap): Found) -> Outcome {
        Outcome { table, fit, diagnosis, bootstrap }
    }
}

type Found = (Fit, Option<Diagnosis>, Option<Bootstrap>);

impl Outcome {
    /// The description of the graph, without what only the caller knows: where the table came
    /// from, and the time it took.
    pub fn document(&self, options: &Options) -> GraphDocument {
        let names = self.table.data.names();
        let mut document = describe(names, self.table.data.mean(), options, &self.fit);
        document.warnings.splice(0..0, self.table.warnings.iter().cloned());
        document.diagnosis = serde_json::to_value(&self.diagnosis).unwrap_or(Value::Null);
        document.bootstrap =
            self.bootstrap.as_ref().map(|found| BootstrapSummary::new(found, names));
        let failures = document.bootstrap.as_ref().and_then(BootstrapSummary::failures);
        document.warnings.extend(failures);
        document
    }
}
