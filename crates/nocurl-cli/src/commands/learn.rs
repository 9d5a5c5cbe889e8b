//! `nocurl learn`: a table in, a graph out.

use nocurl_app::Outcome;
use nocurl_io::{GraphDocument, InputDescription, write_graph};
use serde_json::Value;

use crate::config::Learn;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;

/// Runs the command.
pub(crate) fn learn(config: Learn) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet);
    let work = || config.job.run(&config.source, &watch.run());
    let outcome = match config.threads {
        None => work()?,
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Failure::Other(format!("cannot start {threads} threads: {error}")))?
            .install(work)?,
    };
    let document = describe(&config, &outcome, watch.elapsed().as_secs_f64());
    watch.finish()?;
    for output in &config.outputs {
        write_graph(output, &document).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    report::learnt(&config, &outcome, &document)
}

fn describe(config: &Learn, outcome: &Outcome, elapsed: f64) -> GraphDocument {
    let mut document = outcome.document(&config.job.options);
    if let Value::Object(parameters) = &mut document.parameters {
        parameters.extend(config.reading());
    }
    let table = &outcome.table;
    document.input = table.origin.as_ref().map(|origin| InputDescription {
        path: config.path.clone(),
        format: origin.format,
        rows: table.rows,
        rows_dropped: table.rows_dropped,
        columns: table.data.columns(),
        digest: origin.digest.clone(),
        missing: config.job.read.missing,
    });
    document.elapsed_seconds = elapsed;
    document
}
