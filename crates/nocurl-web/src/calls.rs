//! What can be asked.

use nocurl::{Algorithm, Run};
use nocurl_app::{Job, Request, View};
use nocurl_io::{Error, GraphDocument, GraphFormat, Source, format_graph};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::command::command;
use crate::inspect::inspect;
use crate::progress::Lines;
use crate::spelling::Settings;

/// Memory that a job may take unless it says so: a module has at most 4 GiB, and freed memory is not
/// always in one piece.
const MEMORY: u64 = 3 << 30;

#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "lowercase", deny_unknown_fields)]
enum Call {
    /// What there is to say of every method.
    Methods {},
    /// Looks at a table.
    Inspect {
        file: String,
        #[serde(default)]
        settings: Map<String, Value>,
    },
    /// Learns from a table.
    Learn {
        file: String,
        #[serde(default)]
        settings: Map<String, Value>,
    },
    /// Draws a graph, or the part of it around some variables.
    Draw {
        document: Box<GraphDocument>,
        #[serde(default)]
        around: Vec<String>,
        #[serde(default)]
        depth: usize,
        #[serde(default)]
        min_confidence: Option<f64>,
    },
    /// Writes a graph in a format, by the ending of its files.
    Write { document: Box<GraphDocument>, format: String },
}

/// The reply to a request: a result, or what is wrong in one line.
pub(crate) fn answer(request: &str) -> Result<Value, String> {
    let call: Call =
        serde_json::from_str(request).map_err(|error| format!("the request: {error}"))?;
    match call {
        Call::Methods {} => {
            let methods: Vec<Value> = Algorithm::all().iter().map(Algorithm::describe).collect();
            Ok(json!({ "methods": methods, "usual": Algorithm::default().name() }))
        }
        Call::Inspect { file, settings } => {
            let lines = Lines::default();
            inspect(&file, &job(settings)?.read, &Run::default().watched_by(&lines))
        }
        Call::Learn { file, settings } => learn(&file, settings),
        Call::Draw { document, around, depth, min_confidence } => {
            let part = View { min_confidence, around, depth }.of(&document).map_err(told)?;
            Ok(json!({ "svg": written(&part, "svg")?, "document": part }))
        }
        Call::Write { document, format } => written(&document, &format).map(Value::from),
    }
}

fn learn(file: &str, settings: Map<String, Value>) -> Result<Value, String> {
    let line = command(file, &settings);
    let job = job(settings)?;
    let lines = Lines::default();
    let run = Run::default().watched_by(&lines);
    let outcome = job.run(&Source::Path(file.into()), &run).map_err(told)?;
    let document = outcome.document(&job, &Settings);
    let svg = written(&document, "svg")?;
    // A build without the report has the rest.
    let report = written(&document, "html").ok();
    Ok(json!({ "document": document, "svg": svg, "report": report, "command": line }))
}

fn job(settings: Map<String, Value>) -> Result<Job, String> {
    for name in ["checkpoint", "threads"] {
        if settings.get(name).is_some_and(|value| !value.is_null()) {
            return Err(format!("{name}: only the program `nocurl` has this setting"));
        }
    }
    let request = Request::from_json(&Value::Object(settings).to_string());
    let mut job = request.and_then(Request::job).map_err(told)?;
    job.memory.get_or_insert(MEMORY);
    Ok(job)
}

/// A graph as text, by the ending of its files.
fn written(document: &GraphDocument, ending: &str) -> Result<String, String> {
    let format = GraphFormat::of_path(format!("graph.{ending}"));
    let text = format.and_then(|format| format_graph(document, format));
    text.map_err(|error| error.text().spelt(&Settings))
}

/// An error in the words of the page; what is too large is left to the program.
pub(crate) fn told(error: nocurl_app::Error) -> String {
    let large = matches!(
        error,
        nocurl_app::Error::OverBudget { .. }
            | nocurl_app::Error::Io(Error::Engine(nocurl::Error::OutOfMemory { .. }))
    );
    let text = error.text().spelt(&Settings);
    match large {
        true => format!("{text}; or use the program `nocurl`, which has all memory of the machine"),
        false => text,
    }
}
