//! From a table to a described graph: what the command line and Python have in common.

use nocurl::bootstrap::{Bootstrap, BootstrapParams, bootstrap};
use nocurl::diagnose::{Diagnosis, diagnose};
use nocurl::{Data, Fit, Moments, Observer, Options};
use serde_json::Value;

use crate::{
    BootstrapSummary, Error, GraphDocument, Input, ReadOptions, Table, read_dataset, read_sampled,
};

/// What to learn from a table.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// How the table is read.
    pub read: ReadOptions,
    /// How the graph is learnt.
    pub options: Options,
    /// Learning again from resampled tables.
    pub bootstrap: Option<BootstrapParams>,
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
    /// Reads a table and learns from it. Rows are kept only for methods that need them and for
    /// resampling.
    ///
    /// # Errors
    /// Anything wrong with the table or the options, in one line.
    pub fn run<'a>(
        &self,
        input: impl Into<Input<'a>>,
        observer: &dyn Observer,
    ) -> Result<Outcome, Error> {
        if self.options.algorithm.needs_rows() || self.bootstrap.is_some() {
            let table = read_dataset(input, &self.read, observer)?;
            let found = self.learn(Data::Rows(&table.data), observer)?;
            return Ok(Self::outcome(table.map(|rows| rows.moments()), found));
        }
        let (table, sample) = read_sampled(input, &self.read, observer)?;
        let found = self.learn(Data::Sampled(&table.data, &sample), observer)?;
        Ok(Self::outcome(table, found))
    }

    /// Learns from moments alone.
    ///
    /// # Errors
    /// As [`Self::run`]; methods that need rows refuse.
    pub fn run_on_moments(
        &self,
        moments: &Moments,
        observer: &dyn Observer,
    ) -> Result<Outcome, Error> {
        let found = self.learn(Data::Moments(moments), observer)?;
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

    fn learn(&self, data: Data<'_>, observer: &dyn Observer) -> Result<Found, Error> {
        let options = &self.options;
        let fit = nocurl::learn(data, options, observer)?;
        let diagnosis = self.diagnose.then(|| diagnose(data, options, &fit, observer));
        let again = |params| bootstrap(data, options, params, observer);
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
        let mut document = GraphDocument::of_fit(names, self.table.data.mean(), options, &self.fit);
        document.warnings.splice(0..0, self.table.warnings.iter().cloned());
        document.diagnosis = serde_json::to_value(&self.diagnosis).unwrap_or(Value::Null);
        document.bootstrap =
            self.bootstrap.as_ref().map(|found| BootstrapSummary::new(found, names));
        let failures = document.bootstrap.as_ref().and_then(BootstrapSummary::failures);
        document.warnings.extend(failures);
        document
    }
}
