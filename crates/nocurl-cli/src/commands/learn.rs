//! `nocurl learn`: a table in, a graph out.

use nocurl_io::{graph_bytes, write_graph};

use crate::config::Learn;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;
use crate::spelling::{Flags, repeated};

/// Runs the command.
pub(crate) fn learn(config: Learn) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet || config.printed.is_some());
    let work = || config.job.run(&config.source, &watch.run());
    let outcome = super::on_threads(config.threads, work)??;
    let mut document = outcome.document(&config.job, &Flags);
    document.keep_rows(config.report_rows);
    let typed = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    document.command = Some(repeated(typed));
    watch.finish()?;
    for output in &config.outputs {
        write_graph(output, &document).map_err(|error| Failure::writing(&error))?;
    }
    if let Some(format) = config.printed {
        let bytes = graph_bytes(&document, format).map_err(|error| Failure::writing(&error))?;
        return report::write(&bytes);
    }
    if config.quiet {
        return Ok(());
    }
    report::learnt(&config, &outcome, &document)
}
