//! Learning, by a request in JSON.

use std::path::PathBuf;

use nocurl::{Algorithm, KnowledgeSpec, Options};
use nocurl_app::{ConfidenceOptions, Job, Outcome};
use nocurl_io::{RunFiles, Source, read_knowledge};
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::failure::{Failure, guarded};
use crate::moments::Moments;
use crate::request::TableRequest;
use crate::spelling::Keywords;
use crate::table::Table;
use crate::watch;

/// Everything that shapes a result, as the package sends it.
#[derive(Deserialize)]
struct Request {
    method: String,
    parameters: Map<String, Value>,
    center: Value,
    refine: Value,
    prune: Value,
    threshold: Value,
    error_shape: Value,
    seed: u64,
    /// Statements, or the path of a file that has them.
    knowledge: Option<Value>,
    #[serde(flatten)]
    table: TableRequest,
    bootstrap: Value,
    confidence: Value,
    confidence_seconds: Value,
    confidence_level: Value,
    checkpoint: Option<PathBuf>,
    diagnose: Value,
    threads: Option<usize>,
    /// A size with its unit, as text.
    memory: Option<String>,
}

impl Request {
    /// Checks that the checkpoint can be written and is nothing that is read.
    fn check_files(&self, table: Option<&Source>) -> Result<(), Failure> {
        let tables = table.map(Source::files).unwrap_or_default().into_iter();
        let mut files =
            tables.fold(RunFiles::default(), |files, path| files.reads("the table", path));
        if let Some(Value::String(path)) = &self.knowledge {
            files = files.reads("the prior knowledge", path);
        }
        if let Some(path) = &self.checkpoint {
            files = files.writes("the checkpoint", path);
        }
        Ok(files.check()?)
    }

    fn job(self) -> Result<(Job, Option<usize>), Failure> {
        let mut algorithm = Algorithm::from_name(&self.method)?;
        for (name, value) in self.parameters {
            algorithm = algorithm.with_parameter(&name, value.into())?;
        }
        let knowledge = match self.knowledge {
            None => KnowledgeSpec::default(),
            Some(Value::String(path)) => read_knowledge(&Source::new(&path))?,
            Some(statements) => serde_json::from_value(statements)
                .map_err(|error| Failure::value(format!("knowledge: {error}")))?,
        };
        let replicates: Option<usize> = setting("bootstrap", self.bootstrap, "a whole number")?;
        let measure: bool = setting("confidence", self.confidence, SWITCH)?;
        let confidence = ConfidenceOptions {
            measure: measure || replicates.is_some(),
            replicates,
            seconds: setting("confidence_seconds", self.confidence_seconds, "a number")?,
            level: setting("confidence_level", self.confidence_level, "a number")?,
        };
        let options = Options {
            algorithm,
            center: setting("center", self.center, SWITCH)?,
            refine: setting("refine", self.refine, "")?,
            prune: setting("prune", self.prune, "")?,
            threshold: setting("threshold", self.threshold, "a number")?,
            error_shape: setting("error_shape", self.error_shape, SWITCH)?,
            seed: self.seed,
            knowledge,
        };
        let read = self.table.options()?;
        let diagnose = setting("diagnose", self.diagnose, SWITCH)?;
        let checkpoint = self.checkpoint;
        let memory = match &self.memory {
            None => None,
            Some(text) => Some(nocurl_app::parse_bytes(text).ok_or_else(|| {
                Failure::value(format!("memory={text}: give a size such as '4GiB' or '500MB'"))
            })?),
        };
        Ok((Job { read, options, confidence, checkpoint, diagnose, memory }, self.threads))
    }
}

const SWITCH: &str = "True or False";

/// The value of a setting; the error has its name, what was expected (what the type of the setting
/// says of itself where `expected` is empty) and what was given.
pub(crate) fn setting<T: DeserializeOwned>(
    name: &str,
    value: Value,
    expected: &str,
) -> Result<T, Failure> {
    T::deserialize(&value).map_err(|error| {
        let given = nocurl::Value::from(value);
        Failure::value(match expected {
            "" => format!("{name}: {error}"),
            expected => format!("{name}: expected {expected}, got `{given}`"),
        })
    })
}

/// Learns from a table and returns the description of the graph as JSON.
#[pyfunction]
#[pyo3(signature = (table, names, request, progress=None))]
pub(crate) fn learn(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    names: Vec<String>,
    request: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let source = crate::table::source(table)?;
    let (job, threads) = guarded(|| {
        let request: Request =
            serde_json::from_str(request).map_err(|error| Failure::value(error.to_string()))?;
        request.check_files(source.as_ref())?;
        request.job()
    })?;
    let outcome = match table.cast::<Moments>() {
        Ok(moments) => {
            let moments = moments.get().engine();
            watch::run(py, threads, progress, |watch| Ok(job.run_on_moments(moments, watch)?))?
        }
        Err(_) => Table::new(table, names)?
            .read(|input| watch::run(py, threads, progress, |watch| Ok(job.run(input, watch)?)))?,
    };
    Ok(guarded(|| description(&job, &outcome))?)
}

fn description(job: &Job, outcome: &Outcome) -> Result<String, Failure> {
    serde_json::to_string(&outcome.document(job, &Keywords))
        .map_err(|error| Failure::value(error.to_string()))
}

/// Names of all methods.
#[pyfunction]
pub(crate) fn methods() -> Vec<&'static str> {
    Algorithm::all().iter().map(Algorithm::name).collect()
}

/// What there is to say of a method, as JSON.
#[pyfunction]
pub(crate) fn describe_method(name: &str) -> PyResult<String> {
    Ok(guarded(|| Ok(Algorithm::from_name(name)?.describe().to_string()))?)
}
