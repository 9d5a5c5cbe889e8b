//! What a job has found, and its description: finished here and nowhere else.

use std::time::Duration;

use nocurl::bootstrap::{Bootstrap, Kind};
use nocurl::checks::Diagnosis;
use nocurl::links::Link;
use nocurl::model::Model;
use nocurl::treatments::Treatment;
use nocurl::{Action, Fit, Moments, Spelling, Text};
use nocurl_io::{
    BootstrapSummary, GraphDocument, InputDescription, ModelDocument, ReadOptions, Table,
};
use serde_json::{Map, Value, json};

use crate::{Job, Seen, Suspicion, describe, directions, edges, experiments};

/// What was found: the table, the graph, checks of it, and how it fares in resampled tables.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The table, reduced to its moments.
    pub table: Table<Moments>,
    /// Where it was read from: the path as given, or `-` for standard input; nothing for a table
    /// in memory.
    pub path: Option<String>,
    /// What looks wrong with the table, where the result is checked.
    pub suspicions: Vec<Suspicion>,
    /// The graph.
    pub fit: Fit,
    /// The model on its edges.
    pub model: Model,
    /// How strong its edges are.
    pub links: Vec<Link>,
    /// Checks, where they were asked for.
    pub diagnosis: Option<Diagnosis>,
    /// What conditions act on directly, besides their known targets.
    pub treatments: Vec<Treatment>,
    /// What was found again in resampled tables, where that was measured.
    pub bootstrap: Option<Bootstrap>,
    /// Why it was not, where it should have been.
    pub unmeasured: Option<Text>,
    /// What reports show of the rows.
    pub seen: Seen,
    /// Wall time of the job.
    pub elapsed: Duration,
}

impl Outcome {
    /// The whole description of the graph that `job` has found, with sentences in the spelling of a
    /// front end.
    pub fn document(&self, job: &Job, spelling: &dyn Spelling) -> GraphDocument {
        let names = self.table.data.names();
        let moments = &self.table.data;
        let mut document = describe(names, moments.mean(), &job.options, &self.fit);
        document.means = document.means.filter(|means| means.len() == names.len());
        document.kinds = edges::kinds(&self.fit.variables, moments);
        self.seen.tell(&mut document, &self.table);
        edges::weigh(&mut document, &self.model, &self.links);
        let level = job.confidence.determined_level();
        directions::tell(&mut document, self, &job.options, level);
        if let Value::Object(parameters) = &mut document.parameters {
            parameters.extend(reading(&job.read));
            parameters.insert("graph".into(), job.confidence.shown.name().into());
        }
        document.input = self.input(&job.read);
        document.warnings =
            self.warnings(job).iter().map(|warning| warning.spelt(spelling)).collect();
        document.diagnosis =
            self.diagnosis.as_ref().map_or(Value::Null, |found| found.to_value(spelling));
        if let Value::Array(findings) = &mut document.diagnosis {
            findings.extend(self.suspicions.iter().map(|found| found.to_value(spelling)));
        }
        document.bootstrap = self.bootstrap.as_ref().map(|found| BootstrapSummary {
            first_error: found.first_error.as_ref().map(|error| error.text().spelt(spelling)),
            ..BootstrapSummary::new(found, job.confidence.consensus_level(), names)
        });
        if let Some(mut summary) = document.bootstrap.take() {
            edges::bound(&mut summary, &document, &self.model);
            document.bootstrap = Some(summary);
        }
        document.elapsed_seconds = self.elapsed.as_secs_f64();
        document.experiments = experiments::summary(self, &job.options, &self.treatments);
        let missing = &job.read.na;
        match &job.options.experiments.condition {
            Some(condition) if job.options.experiments.hidden => {
                let model = self.model.at_control();
                document.model = model.ok().map(|model| ModelDocument::new(&model, missing));
                document.without(condition)
            }
            _ => {
                document.model = Some(ModelDocument::new(&self.model, missing));
                document
            }
        }
    }

    /// What the user should know: about the table, the graph, the resampled tables.
    pub fn warnings(&self, job: &Job) -> Vec<Text> {
        let mut warnings = self.table.warnings.clone();
        warnings.extend(self.fit.warnings.iter().cloned());
        if self.fit.dag.edge_count() == 0 {
            warnings.push(no_edges(job.options.effective_threshold()));
        }
        warnings.extend(self.bootstrap.as_ref().and_then(failures));
        warnings.extend(self.bootstrap.as_ref().and_then(|found| self.too_sure(found)));
        warnings.extend(self.bootstrap.as_ref().and_then(drawn_by_law));
        warnings.extend(self.unmeasured.clone());
        warnings
    }

    /// Where gaps were estimated, resampled tables have none.
    fn too_sure(&self, found: &Bootstrap) -> Option<Text> {
        let estimated = found.kind == Kind::Gaussian && self.table.missing_values > 0;
        let words = "resampled tables have no gaps: where many values are missing, confidence is \
                     lower than it looks; compare with ";
        estimated.then(|| Text::new(words).act(Action::set("missing", "drop")))
    }

    fn input(&self, read: &ReadOptions) -> Option<InputDescription> {
        let origin = self.table.origin.as_ref()?;
        Some(InputDescription {
            path: self.path.clone()?,
            format: origin.format,
            rows: self.table.rows,
            rows_dropped: self.table.rows_dropped,
            columns: self.table.data.columns(),
            digest: origin.digest.clone(),
            missing: read.missing,
        })
    }
}

/// How the table was read.
fn reading(read: &ReadOptions) -> Map<String, Value> {
    let sign = |byte: Option<u8>| byte.map(|byte| char::from(byte).to_string());
    let delimiter = sign(read.delimiter);
    [
        ("missing", json!(read.missing)),
        ("columns", json!(read.columns)),
        ("drop", json!(read.drop)),
        ("continuous", json!(read.continuous)),
        ("categorical", json!(read.categorical)),
        ("ordinal", json!(read.ordinal)),
        ("transform", json!(read.transform)),
        ("standardize", json!(read.standardize)),
        ("na", json!(read.na)),
        ("header", json!(read.header)),
        ("delimiter", json!(delimiter)),
        ("decimal", json!(sign(read.decimal))),
        ("comment", json!(sign(read.comment))),
        ("skip_rows", json!(read.skip_rows)),
        ("transpose", json!(read.transpose)),
        ("rows", json!(read.rows)),
        ("sheet", json!(read.sheet)),
        ("file_column", json!(read.file_column)),
    ]
    .map(|(name, value)| (name.into(), value))
    .into_iter()
    .collect()
}

fn no_edges(threshold: f64) -> Text {
    if threshold > 0.0 {
        Text::new(format!(
            "no edges were found: all weights are below the threshold of {threshold}; lower it \
             with "
        ))
        .act(Action::setting("threshold"))
        .say(", or use ")
        .act(Action::set("prune", "bic"))
    } else {
        "no edges were found: the columns look independent".into()
    }
}

/// Replicates that are no rows of the table.
fn drawn_by_law(found: &Bootstrap) -> Option<Text> {
    let words = "confidence comes from tables drawn from a Gaussian law with the moments of this \
                 one, since its rows are not all kept; where errors are far from normal it may be off";
    (found.kind == Kind::Gaussian).then(|| words.into())
}

fn failures(found: &Bootstrap) -> Option<Text> {
    let error = found.first_error.as_ref()?;
    let words = format!(
        "{} of {} resampled tables could not be learnt from, the first because of: ",
        found.failed, found.replicates
    );
    Some(Text::new(words).append(error.text()))
}
