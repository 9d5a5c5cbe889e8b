//! `nocurl moments`: parts of a table in, their moments out.

use nocurl_app::summarise;
use nocurl_io::{ReadOptions, RunFiles, Source, write_summary};

use crate::args::MomentsArguments;
use crate::config::read_options;
use crate::failure::Failure;
use crate::output::OUTPUT;
use crate::progress::Watch;
use crate::report;

/// Runs the command.
pub(crate) fn moments(arguments: &MomentsArguments) -> Result<(), Failure> {
    let read =
        ReadOptions { weights: arguments.weights.clone(), ..read_options(&arguments.table)? };
    let read = read.told_apart(arguments.condition.as_ref());
    let reads = |files: RunFiles, part| files.reads("a part of the table", part);
    let files = arguments.parts.iter().fold(RunFiles::default(), reads);
    files.writes(OUTPUT, &arguments.output).check()?;
    let parts: Vec<Source> = arguments.parts.iter().map(Source::new).collect();
    let watch = Watch::start(arguments.quiet);
    let work = || summarise(&parts, &read, &watch.run());
    let summary = super::on_threads(arguments.threads.map(usize::from), work)??;
    watch.finish()?;
    write_summary(&arguments.output, &summary).map_err(|error| Failure::writing(&error))?;
    if arguments.quiet {
        return Ok(());
    }
    let what = format!(
        "{}: {} of {} in {}",
        report::clean(&arguments.output.to_string_lossy()),
        report::count(summary.moments.rows(), "row"),
        report::count(summary.moments.columns() as u64, "variable"),
        report::count(parts.len() as u64, "part"),
    );
    report::print(&report::line("Wrote", &what))
}
