//! The state of a training in a file, from which it can go on.
//!
//! Two lines of JSON: what the state belongs to and a digest of the state, then the state.

mod kept;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use nocurl::{Data, Dataset, Moments, Options, TrainingState};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Error;
use crate::digest::Digest;
use crate::output::write_atomic;
pub use kept::Kept;

const SCHEMA: &str = "nocurl/checkpoint/1";
const FORMAT: &str = "checkpoint";
const ADVICE: &str = "delete it or name another file to start afresh";

/// What a training depends on: a state fits no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingRun {
    schema: String,
    version: String,
    /// Digest of names and values of the table as it is learnt from.
    data: String,
    /// The method with its parameters, and the options that it sees.
    options: Map<String, Value>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Heading {
    #[serde(flatten)]
    run: TrainingRun,
    /// Digest of the second line.
    state: String,
}

impl TrainingRun {
    /// The training on this table with these options.
    pub fn new<'a>(data: impl Into<Data<'a>>, options: &Options) -> Self {
        let named = options.algorithm.parameters().into_iter();
        let mut all: Map<String, Value> =
            named.map(|(name, value)| (name.into(), value.into())).collect();
        all.insert("method".into(), options.algorithm.name().into());
        all.insert("center".into(), json!(options.center));
        all.insert("seed".into(), json!(options.seed));
        all.insert("knowledge".into(), json!(options.knowledge));
        if !options.experiments.is_empty() {
            all.insert("experiments".into(), json!(options.experiments));
        }
        Self {
            schema: SCHEMA.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            data: digest_of(data.into()),
            options: all,
        }
    }

    /// Why a state of this run does not fit `other`.
    fn difference(&self, other: &Self) -> Option<String> {
        if self.schema != other.schema {
            return Some(format!("its schema is {}, not {}", self.schema, other.schema));
        }
        if self.version != other.version {
            return Some(format!("it is of nocurl {}, not {}", self.version, other.version));
        }
        // The method first: others have other parameters.
        let method = |run: &Self| run.options.get("method").cloned().unwrap_or_default();
        if method(self) != method(other) {
            return Some(format!("its method is {}, not {}", method(self), method(other)));
        }
        if let Some((name, value)) =
            other.options.iter().find(|(name, value)| self.options.get(*name) != Some(*value))
        {
            let there = self.options.get(name).unwrap_or(&Value::Null);
            return Some(match name.as_str() {
                "knowledge" => "its prior knowledge is another".into(),
                "experiments" => "its experiments are others".into(),
                _ => format!("its {name} is {there}, not {value}"),
            });
        }
        (self.data != other.data).then(|| "it is of other data".into())
    }
}

fn digest_of(data: Data<'_>) -> String {
    let mut digest = Digest::new();
    match data {
        Data::Rows(rows) => add_rows(&mut digest, rows),
        Data::Moments(moments) => add_moments(&mut digest, moments),
        Data::Sampled(moments, sample) | Data::Coded(moments, sample, _) => {
            add_moments(&mut digest, moments);
            add_rows(&mut digest, sample);
        }
    }
    digest.finish()
}

fn add_names(digest: &mut Digest, names: &[String]) {
    for name in names {
        digest.update(&(name.len() as u64).to_le_bytes());
        digest.update(name.as_bytes());
    }
}

fn add_rows(digest: &mut Digest, data: &Dataset) {
    add_names(digest, data.names());
    for j in 0..data.names().len() {
        for value in data.column(j) {
            digest.update(&value.to_le_bytes());
        }
    }
}

fn add_moments(digest: &mut Digest, moments: &Moments) {
    add_names(digest, moments.names());
    digest.update(&moments.rows().to_le_bytes());
    for value in moments.mean().iter().chain(&moments.scatter_entries()) {
        digest.update(&value.to_le_bytes());
    }
}

/// Writes the state of a training, whole or not at all.
///
/// # Errors
/// [`Error::Io`] with the reason.
pub fn write_checkpoint(
    path: impl AsRef<Path>,
    run: &TrainingRun,
    state: &TrainingState,
) -> Result<(), Error> {
    let path = path.as_ref();
    let text = |value: serde_json::Result<String>| {
        value.map_err(|error| Error::invalid(&label(path), FORMAT, error))
    };
    let state = text(serde_json::to_string(state))?;
    let heading = Heading { run: run.clone(), state: digest_of_text(&state) };
    let heading = text(serde_json::to_string(&heading))?;
    write_atomic(path, |file| {
        [heading.as_str(), "\n", &state, "\n"]
            .iter()
            .try_for_each(|part| file.write_all(part.as_bytes()))
    })
}

/// Reads the state of a training; nothing where there is no such file.
///
/// # Errors
/// [`Error::Io`] when it cannot be read, [`Error::Invalid`] when it is damaged,
/// [`Error::Unsupported`] when it is of another schema, version, table, method or options.
pub fn read_checkpoint(
    path: impl AsRef<Path>,
    run: &TrainingRun,
) -> Result<Option<TrainingState>, Error> {
    let path = path.as_ref();
    let name = label(path);
    let damaged = |reason: &str| Error::invalid(&name, FORMAT, format!("{reason}; {ADVICE}"));
    // A pipe or a device may have no end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(damaged("it is not a plain file"));
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::read(&name, &error)),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
    let (first, rest) = text.split_once('\n').ok_or_else(|| damaged("it is cut short"))?;
    // The schema first: others may have other fields.
    let object: Value =
        serde_json::from_str(first).map_err(|_| damaged("its first line is not JSON"))?;
    match object.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) => {}
        Some(schema) => {
            let reason = format!("its schema is {schema}, not {SCHEMA}; {ADVICE}");
            return Err(Error::unsupported(
                &name,
                format!("the checkpoint does not fit: {reason}"),
            ));
        }
        None => return Err(damaged("it has no schema")),
    }
    let heading: Heading =
        serde_json::from_value(object).map_err(|_| damaged("its first line is damaged"))?;
    if let Some(difference) = heading.run.difference(run) {
        let reason = format!("the checkpoint does not fit: {difference}; {ADVICE}");
        return Err(Error::unsupported(&name, reason));
    }
    let state = rest.strip_suffix('\n').ok_or_else(|| damaged("it is cut short"))?;
    if digest_of_text(state) != heading.state {
        return Err(damaged("its digest is wrong"));
    }
    let state = serde_json::from_str(state).map_err(|_| damaged("its state cannot be read"))?;
    Ok(Some(state))
}

fn digest_of_text(text: &str) -> String {
    let mut digest = Digest::new();
    digest.update(text.as_bytes());
    digest.finish()
}

fn label(path: &Path) -> String {
    format!("`{}`", path.display())
}
