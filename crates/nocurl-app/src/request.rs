//! A job as a program asks for it, in JSON: Python, the page.

use std::path::PathBuf;

use nocurl::experiments::Intervention;
use nocurl::{Algorithm, ExperimentSpec, KnowledgeSpec, Options};
use nocurl_io::{Missing, Ordinal, ReadOptions, RunFiles, Source, read_knowledge, read_targets};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::{ConfidenceOptions, Error, Job, condition_from_files, parse_bytes};

const SWITCH: &str = "true or false";
const NUMBER: &str = "a number";
const WHOLE: &str = "a whole number";
const NAMES: &str = "a list of names";

/// Everything that shapes a result. What is left out has its default; a setting that is not known
/// is an error.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct Request {
    method: String,
    parameters: Map<String, Value>,
    center: Value,
    refine: Value,
    prune: Value,
    threshold: Value,
    error_shape: Value,
    seed: Value,
    /// Statements, or the path of a file that has them.
    knowledge: Value,
    /// The column of conditions and what these act on.
    experiments: Value,
    /// Whether each file is a condition of its own.
    condition_from_files: Value,
    bootstrap: Value,
    confidence: Value,
    confidence_seconds: Value,
    confidence_level: Value,
    graph: Value,
    checkpoint: Option<PathBuf>,
    diagnose: Value,
    threads: Option<usize>,
    /// A size with its unit, as text.
    memory: Option<String>,
    #[serde(flatten)]
    table: TableRequest,
    #[serde(flatten)]
    unknown: Map<String, Value>,
}

impl Default for Request {
    fn default() -> Self {
        let options = Options::default();
        Self {
            method: options.algorithm.name().into(),
            parameters: Map::new(),
            center: options.center.into(),
            refine: Value::Null,
            prune: Value::Null,
            threshold: Value::Null,
            error_shape: options.error_shape.into(),
            seed: options.seed.into(),
            knowledge: Value::Null,
            experiments: Value::Null,
            condition_from_files: false.into(),
            bootstrap: Value::Null,
            confidence: true.into(),
            confidence_seconds: Value::Null,
            confidence_level: Value::Null,
            graph: Value::String("best".into()),
            checkpoint: None,
            diagnose: true.into(),
            threads: None,
            memory: None,
            table: TableRequest::default(),
            unknown: Map::new(),
        }
    }
}

impl Request {
    /// A request by its JSON.
    ///
    /// # Errors
    /// Text that is no such object.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| wrong("the settings", &error))
    }

    /// Threads to work on; without it as many as there are.
    pub fn threads(&self) -> Option<usize> {
        self.threads
    }

    /// The files that the job reads and writes besides the table.
    pub fn files(&self, mut files: RunFiles) -> RunFiles {
        if let Value::String(path) = &self.knowledge {
            files = files.reads("the prior knowledge", path);
        }
        if let Some(path) = self.experiments.pointer("/targets/path").and_then(Value::as_str) {
            files = files.reads("the targets", path);
        }
        if let Some(path) = &self.checkpoint {
            files = files.writes("the checkpoint", path);
        }
        files
    }

    /// The job that is asked for.
    ///
    /// # Errors
    /// A setting that is not known or has a wrong value, by its name.
    pub fn job(self) -> Result<Job, Error> {
        if let Some((name, _)) = self.unknown.iter().next() {
            return Err(wrong(name, &"there is no such setting"));
        }
        let mut algorithm = Algorithm::from_name(&self.method)?;
        for (name, value) in self.parameters {
            algorithm = algorithm.with_parameter(&name, value.into())?;
        }
        let knowledge = match self.knowledge {
            Value::Null => KnowledgeSpec::default(),
            Value::String(path) => read_knowledge(&Source::new(&path))?,
            statements => setting("knowledge", statements, "")?,
        };
        let replicates: Option<usize> = setting("bootstrap", self.bootstrap, WHOLE)?;
        let measure: bool = setting("confidence", self.confidence, SWITCH)?;
        let confidence = ConfidenceOptions {
            measure: measure || replicates.is_some(),
            replicates,
            seconds: setting("confidence_seconds", self.confidence_seconds, NUMBER)?,
            level: setting("confidence_level", self.confidence_level, NUMBER)?,
            shown: setting("graph", self.graph, "'best' or 'consensus'")?,
        };
        let mut read = self.table.options()?;
        let mut experiments = experiments(self.experiments)?;
        if setting("condition_from_files", self.condition_from_files, SWITCH)? {
            if experiments.condition.is_some() {
                let words = "conditions are told by a column already";
                return Err(wrong("condition_from_files", &words));
            }
            condition_from_files(&mut read, &mut experiments);
        }
        let options = Options {
            algorithm,
            center: setting("center", self.center, SWITCH)?,
            refine: setting("refine", self.refine, "")?,
            prune: setting("prune", self.prune, "")?,
            threshold: setting("threshold", self.threshold, NUMBER)?,
            error_shape: setting("error_shape", self.error_shape, SWITCH)?,
            seed: setting("seed", self.seed, WHOLE)?,
            knowledge,
            experiments,
        };
        let memory = match &self.memory {
            None => None,
            Some(text) => Some(parse_bytes(text).ok_or_else(|| {
                let words = format!("`{text}`: give a size such as 4GiB or 500MB");
                wrong("memory", &words)
            })?),
        };
        Ok(Job {
            read,
            options,
            confidence,
            checkpoint: self.checkpoint,
            diagnose: setting("diagnose", self.diagnose, SWITCH)?,
            memory,
        })
    }
}

/// Conditions and their targets, of which the latter may be in a file.
fn experiments(mut given: Value) -> Result<ExperimentSpec, Error> {
    if given.is_null() {
        return Ok(ExperimentSpec::default());
    }
    if let Some(Value::String(path)) = given.pointer("/targets/path").cloned() {
        let mut targets = read_targets(&Source::new(&path))?;
        if given.pointer("/targets/soft") == Some(&Value::Bool(true)) {
            targets.iter_mut().for_each(|target| target.kind = Intervention::Soft);
        }
        given["targets"] = json!(targets);
    }
    setting("targets", given, "")
}

/// How a table is read.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct TableRequest {
    columns: Value,
    drop: Value,
    continuous: Value,
    categorical: Value,
    ordinal: Value,
    transform: Value,
    standardize: Value,
    missing: Value,
    na: Value,
    header: Value,
    delimiter: Value,
    decimal: Value,
    comment: Value,
    skip_rows: Value,
    transpose: Value,
    rows: Value,
    sheet: Value,
    file_column: Value,
}

impl Default for TableRequest {
    fn default() -> Self {
        let options = ReadOptions::default();
        Self {
            columns: Value::Null,
            drop: Value::Null,
            continuous: Value::Null,
            categorical: Value::Null,
            ordinal: Value::Null,
            transform: Value::Null,
            standardize: options.standardize.into(),
            missing: json!(Missing::Auto),
            na: Value::Null,
            header: json!(options.header),
            delimiter: Value::Null,
            decimal: Value::Null,
            comment: Value::Null,
            skip_rows: options.skip_rows.into(),
            transpose: options.transpose.into(),
            rows: Value::Null,
            sheet: Value::Null,
            file_column: Value::Null,
        }
    }
}

impl TableRequest {
    /// The options that are asked for.
    ///
    /// # Errors
    /// A setting with a wrong value, by its name.
    pub fn options(self) -> Result<ReadOptions, Error> {
        let names = |name: &str, value: Value| -> Result<Vec<String>, Error> {
            Ok(setting::<Option<Vec<String>>>(name, value, NAMES)?.unwrap_or_default())
        };
        let ordinal: Option<Vec<Ordinal>> =
            setting("ordinal", self.ordinal, "names, or names with lists of levels")?;
        Ok(ReadOptions {
            columns: setting("columns", self.columns, NAMES)?,
            drop: names("drop", self.drop)?,
            continuous: names("continuous", self.continuous)?,
            categorical: names("categorical", self.categorical)?,
            ordinal: ordinal.unwrap_or_default(),
            transform: setting::<Option<_>>("transform", self.transform, "")?.unwrap_or_default(),
            standardize: setting("standardize", self.standardize, SWITCH)?,
            missing: setting("missing", self.missing, "")?,
            na: names("na", self.na)?,
            header: setting("header", self.header, "")?,
            delimiter: sign("delimiter", self.delimiter)?,
            decimal: sign("decimal", self.decimal)?,
            comment: sign("comment", self.comment)?,
            skip_rows: setting("skip_rows", self.skip_rows, WHOLE)?,
            transpose: setting("transpose", self.transpose, SWITCH)?,
            rows: setting("rows", self.rows, WHOLE)?,
            sheet: setting("sheet", self.sheet, "a name")?,
            file_column: setting("file_column", self.file_column, "a name")?,
            ..ReadOptions::default()
        })
    }
}

/// The value of a setting; the error has its name, what was expected (what the type of the setting
/// says of itself where `expected` is empty) and what was given.
fn setting<T: DeserializeOwned>(name: &str, value: Value, expected: &str) -> Result<T, Error> {
    T::deserialize(&value).map_err(|error| {
        let given = nocurl::Value::from(value);
        match expected {
            "" => wrong(name, &error),
            expected => wrong(name, &format!("expected {expected}, got `{given}`")),
        }
    })
}

fn wrong(name: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::Setting { name: name.into(), reason: reason.to_string() }
}

/// One character.
fn sign(name: &str, value: Value) -> Result<Option<u8>, Error> {
    const ONE: &str = "one character of ASCII";
    let text: Option<String> = setting(name, value.clone(), ONE)?;
    match text.as_deref().map(str::as_bytes) {
        None => Ok(None),
        Some(&[byte]) if byte.is_ascii() => Ok(Some(byte)),
        Some(_) => Err(wrong(name, &format!("expected {ONE}, got `{value}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(json: &str) -> String {
        let job = Request::from_json(json).and_then(Request::job);
        job.err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn an_empty_request_is_the_default_job() {
        let job = Request::from_json("{}").unwrap().job().unwrap();
        let default = Job { diagnose: true, ..Job::default() };
        assert_eq!(job.read, ReadOptions { missing: Missing::Auto, ..default.read });
        assert_eq!(job.options, default.options);
        assert_eq!(job.confidence, default.confidence);
        assert!(job.diagnose && job.memory.is_none());
    }

    #[test]
    fn wrong_settings_are_named() {
        for (json, words) in [
            (r#"{"tresholds": 1}"#, "tresholds: there is no such setting"),
            (r#"{"threshold": "a"}"#, "threshold: expected a number, got `a`"),
            (r#"{"center": "yes"}"#, "center: expected true or false, got `yes`"),
            (r#"{"delimiter": "ab"}"#, "delimiter: expected one character of ASCII"),
            (r#"{"seed": -1}"#, "seed: expected a whole number"),
            (r#"{"memory": "much"}"#, "memory: `much`: give a size"),
            (r#"{"drop": 3}"#, "drop: expected a list of names, got `3`"),
            ("[]", "the settings: invalid"),
        ] {
            assert!(told(json).starts_with(words), "{json}: {}", told(json));
        }
        assert_eq!(told(r#"{"knowledge": {"forbidden": [["a", "b"]]}, "columns": ["a"]}"#), "");
    }
}
