//! From a table to a described graph: what the command line and Python have in common.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::Instant;

use nocurl::checks::{Diagnosis, diagnose};
use nocurl::links::{Link, links};
use nocurl::model::{Fitting, Model};
use nocurl::treatments::{Treatment, treatments};
use nocurl::{Algorithm, Data, Dataset, Fit, Mat, Moments, Options, Run};
use nocurl_io::{
    Claim, Input, Kept, Missing, ReadOptions, Source, Summary, Table, check_writable, is_summary,
    read_dataset, read_kept, read_matrix, read_sampled, read_summary,
};

use crate::confidence::{Again, Measured};
use crate::experiments::check_files;
use crate::parts::not_for_moments;
use crate::{ConfidenceOptions, Error, Outcome, Resampled, Seen, Suspicion, suspicions};

/// What to learn from a table.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// How the table is read.
    pub read: ReadOptions,
    /// How the graph is learnt.
    pub options: Options,
    /// Learning again from resampled tables, to know how sure the result is.
    pub confidence: ConfidenceOptions,
    /// Where a training or a search is kept, so that it can go on after a stop.
    pub checkpoint: Option<PathBuf>,
    /// Whether the result is checked.
    pub diagnose: bool,
    /// Memory that may be taken, in bytes; without it what the machine has left.
    pub memory: Option<u64>,
}

impl Job {
    /// Reads a table and learns from it. All rows are kept for methods that need them, and where a
    /// number of resampled tables is asked for; else at most 64 MiB of them are, to resample.
    ///
    /// # Errors
    /// Anything wrong with the table or the options, in one line. What can be found before the table
    /// is read is found first.
    pub fn run<'a>(&self, input: impl Into<Input<'a>>, run: &Run<'_>) -> Result<Outcome, Error> {
        let input = input.into();
        // What the work was about is dropped with it, so nothing half-made is seen again.
        catch_unwind(AssertUnwindSafe(|| self.work(input, run))).unwrap_or_else(|panic| {
            match nocurl::memory::refused(&*panic) {
                Some(error) => Err(error.into()),
                None => resume_unwind(panic),
            }
        })
    }

    fn work(&self, input: Input<'_>, run: &Run<'_>) -> Result<Outcome, Error> {
        let started = Instant::now();
        self.validate()?;
        check_files(&self.read, &self.options.experiments, &input)?;
        // Held until the end, so that no other run writes to the same file meanwhile.
        let _claim = self.checkpoint.as_deref().map(Claim::of_file).transpose()?;
        if let Input::Source(Source::Path(path)) = &input
            && is_summary(path)
        {
            if let Some(error) = not_for_moments(&self.read, &path.to_string_lossy()) {
                return Err(error);
            }
            let summary = read_summary(&Source::Path(path.clone()))?;
            let outcome = self.run_on_summary(&summary, &Resampled::default(), run)?;
            return Ok(Outcome { path: Some(path.to_string_lossy().into_owned()), ..outcome });
        }
        if let Input::Source(source) = &input
            && let Some(summary) = read_matrix(source, &self.read)?
        {
            if let Some(error) = not_for_moments(&self.read, &source.name()) {
                return Err(error);
            }
            let outcome = self.run_on_summary(&summary, &Resampled::default(), run)?;
            return Ok(Outcome { path: Some(source.name()), ..outcome });
        }
        let path = match &input {
            Input::Source(source) => Some(source.name()),
            _ => None,
        };
        // Rows with gaps are not filled in: what is estimated from them has moments alone.
        let estimated = self.read.missing == Missing::Em;
        let bounds = self.bounded(rayon::current_num_threads());
        let condition = self.options.experiments.condition.as_ref();
        let read = bounds.read_options().told_apart(condition);
        let again = again(&input);
        let (table, mut found, suspicions) = if self.keeps_rows() {
            let table = read_dataset(input, &read, run).map_err(|error| bounds.explain(error))?;
            let (job, note) = self.knowing(table.data.names(), &table.left_out)?;
            let found = job.learn(Data::Rows(&table.data), Data::Rows(&table.data), run)?;
            let table = table.noting(note);
            let suspicions = self.look(&table.data, &Mat::new(), table.rows);
            (table.map(|rows| rows.moments()), found, suspicions)
        } else {
            // Without confidence too: mechanisms of categories are fitted to rows.
            let kept = match estimated {
                false => read_kept(input, &read, run),
                true => {
                    read_sampled(input, &read, run).map(|(table, sample)| (table, sample, None))
                }
            };
            let (table, sample, rows) = kept.map_err(|error| bounds.explain(error))?;
            let data = match &sample.codes {
                None => Data::Sampled(&table.data, &sample.rows),
                Some(codes) => Data::Coded(&table.data, &sample.rows, codes),
            };
            let (job, note) = self.knowing(table.data.names(), &table.left_out)?;
            let found = job.learn(data, rows.as_ref().map_or(data, Data::Rows), run)?;
            let table = table.noting(note);
            let suspicions = {
                let rows = rows.as_ref().unwrap_or(&sample.rows);
                self.look(rows, &sample.gapped, table.rows)
            };
            (table, found, suspicions)
        };
        if let Some(input) = again.filter(|_| found.1.lacks_rows() && !estimated) {
            self.fit_again(input, &read, &table.data, &mut found, run)?;
        }
        Ok(Outcome { path, suspicions, ..outcome(table, found, started) })
    }

    /// Reads the table once more for the mechanisms of categories, where its rows were too many to be
    /// kept meanwhile. Without room for them, answers that need these mechanisms are refused.
    fn fit_again(
        &self,
        input: Input<'_>,
        read: &ReadOptions,
        moments: &Moments,
        found: &mut Found,
        run: &Run<'_>,
    ) -> Result<(), Error> {
        let table = match read_dataset(input, read, run) {
            Ok(table) => table,
            Err(nocurl_io::Error::Engine(error @ nocurl::Error::Cancelled)) => {
                return Err(error.into());
            }
            Err(_) => return Ok(()),
        };
        let (fit, model) = (&found.0, &found.1);
        let data = Data::Moments(moments);
        let fitting = Fitting { data, rows: Some(&table.data), precise: true };
        found.1 = Model::fit(fitting, &self.options, fit, model.class().clone())?;
        Ok(())
    }

    /// Learns from moments alone.
    ///
    /// # Errors
    /// As [`Self::run`]; methods that need rows refuse.
    pub fn run_on_moments(&self, moments: &Moments, run: &Run<'_>) -> Result<Outcome, Error> {
        self.run_on_summary(&Summary::new(moments.clone()), &Resampled::default(), run)
    }

    /// Learns from what is kept of a table, and from tables that were resampled where it is.
    ///
    /// # Errors
    /// As [`Self::run`]; methods that need rows refuse.
    pub fn run_on_summary(
        &self,
        summary: &Summary,
        resampled: &Resampled,
        run: &Run<'_>,
    ) -> Result<Outcome, Error> {
        let started = Instant::now();
        self.validate()?;
        let condition = self.options.experiments.condition.as_ref();
        let summary = summary.chosen(&self.read.clone().told_apart(condition))?;
        let table = summary.table();
        let names = summary.moments.names();
        let place = |name: &String| names.iter().position(|known| known == name);
        let kept: Vec<usize> = table.data.names().iter().filter_map(place).collect();
        let sample = summary.select(&kept).sample_rows()?;
        let drawn = resampled.drawn_for(table.data.names())?;
        let data = match &sample {
            Some(rows) => Data::Sampled(&table.data, rows),
            None => Data::Moments(&table.data),
        };
        let rows = match &sample {
            Some(rows) if summary.has_all_rows() => Data::Rows(rows),
            _ => data,
        };
        let (job, note) = self.knowing(table.data.names(), &table.left_out)?;
        let fit = job.fit(data, run)?;
        let again = Again { drawn: drawn.as_deref(), learnt: &resampled.learnt };
        let found = job.check(data, rows, again, fit, run)?;
        Ok(outcome(table.noting(note), found, started))
    }

    /// What looks wrong with a table, where results are checked.
    fn look(&self, rows: &Dataset, gapped: &Mat<f64>, total: u64) -> Vec<Suspicion> {
        if self.diagnose { suspicions(rows, gapped, total) } else { Vec::new() }
    }

    /// What can be checked before a table is read.
    fn validate(&self) -> Result<(), Error> {
        let algorithm = &self.options.algorithm;
        if !self.options.experiments.is_empty() {
            self.options.experiments.check()?;
            algorithm.takes_experiments()?;
            if self.read.missing == Missing::Em {
                let reason = "missing values are not estimated where there are conditions: leave \
                              the rows out that have some";
                return Err(nocurl::Error::Experiments { reason: reason.into() }.into());
            }
        }
        if !self.options.knowledge.is_empty() {
            algorithm.takes_knowledge()?;
        }
        self.confidence.validate()?;
        let Some(path) = &self.checkpoint else { return Ok(()) };
        let refined = self.options.refine.is_some_and(|refine| refine.facts().checkpoint);
        if !algorithm.facts().checkpoint && !refined {
            let all = Algorithm::all();
            let trained =
                all.iter().filter(|method| method.facts().checkpoint).map(Algorithm::name);
            return Err(Error::NotTrained { method: algorithm.name(), trained: trained.collect() });
        }
        if self.confidence.is_asked() {
            return Err(Error::OneState);
        }
        Ok(check_writable(path)?)
    }

    /// Learns from `data` and resamples `rows`.
    fn learn(&self, data: Data<'_>, rows: Data<'_>, run: &Run<'_>) -> Result<Found, Error> {
        self.check(data, rows, Again::default(), self.fit(data, run)?, run)
    }

    /// The graph of the data, by work that is kept in a file where one is given.
    fn fit(&self, data: Data<'_>, run: &Run<'_>) -> Result<Fit, Error> {
        let Some(path) = &self.checkpoint else {
            return Ok(nocurl::learn(data, &self.options, run)?);
        };
        let kept = Kept::open(path, data, &self.options)?;
        let fit = nocurl::learn(data, &self.options, &run.kept_by(&kept));
        let mut fit = fit.map_err(|error| kept.error(error))?;
        fit.warnings.extend(kept.warning());
        Ok(fit)
    }

    /// Checks what was learnt, and learns it again from resampled data.
    fn check(
        &self,
        data: Data<'_>,
        rows: Data<'_>,
        again: Again<'_>,
        fit: Fit,
        run: &Run<'_>,
    ) -> Result<Found, Error> {
        let options = &self.options;
        let measured = self.confidence.measure(rows, again, options, &fit, run)?;
        let fit = self.confidence.choose(data, options, fit, &measured)?;
        let diagnosis = self.diagnose.then(|| diagnose(data, options, &fit, run)).transpose()?;
        let links = links(data, options, &fit)?;
        let fitting = Fitting {
            data,
            rows: rows.rows().or(data.rows()),
            precise: self.read.missing != Missing::Em,
        };
        let model = Model::fit(fitting, options, &fit, fit.class.clone())?;
        let treatments = treatments(data, options, &fit)?;
        let seen = Seen::new(data, &fit.variables);
        Ok((fit, model, links, treatments, diagnosis, measured, seen))
    }
}

/// The same table to be read once more; nothing for what can be read once.
fn again<'a>(input: &Input<'a>) -> Option<Input<'a>> {
    match input {
        Input::Source(source) if source.is_repeatable() => Some(Input::Source(source)),
        Input::Columns(columns) => Some(Input::Columns(*columns)),
        _ => None,
    }
}

type Found = (Fit, Model, Vec<Link>, Vec<Treatment>, Option<Diagnosis>, Measured, Seen);

fn outcome(table: Table<Moments>, found: Found, started: Instant) -> Outcome {
    let (fit, model, links, treatments, diagnosis, measured, seen) = found;
    let (bootstrap, unmeasured) = match measured {
        Ok(found) => (found, None),
        Err(reason) => (None, Some(reason)),
    };
    let elapsed = started.elapsed();
    let suspicions = Vec::new();
    Outcome {
        table,
        path: None,
        suspicions,
        fit,
        model,
        links,
        treatments,
        diagnosis,
        bootstrap,
        unmeasured,
        seen,
        elapsed,
    }
}
