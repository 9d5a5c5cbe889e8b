//! `nocurl bench`: a grid of trials in; results, tables and figures out.

use nocurl_bench::plot::{Figure, svg};
use nocurl_bench::table::{self, Provenance};
use nocurl_bench::{Error, Log, calibration, interventions, run, scale as study, summarise};
use nocurl_io::write_text;

use crate::config::{Bench, Calibration, InterventionStudy, ScaleStudy};
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;

/// Runs the command.
pub(crate) fn bench(config: Bench) -> Result<(), Failure> {
    let folder = report::clean(&config.output.to_string_lossy());
    let mut log = Log::open(&config.output, &config.selected, config.settings.seed)?;
    let kept = format!("finished trials are kept in {folder}; the same command goes on from there");
    let watch = Watch::start_keeping(config.quiet, kept);
    let outcome = run(&config.selected, &config.settings, &mut log, &watch.run());
    // First, since the watch knows what to say after Ctrl-C.
    watch.finish()?;
    outcome?;

    let cells = summarise(&config.grid, log.rows());
    let provenance = Provenance::here(command());
    let markdown = table::markdown(&config.grid, &config.settings, &provenance, &cells);
    let mut files = vec![("tables.md", markdown.clone()), ("tables.csv", table::csv(&cells)?)];
    for figure in [Figure::Shd, Figure::Time] {
        files.push((figure.file(), svg(figure, &config.grid, &cells)));
    }
    let mut names = vec!["results.csv", "results.json"];
    for (name, text) in &files {
        write_text(config.output.join(name), text).map_err(|error| Failure::writing(&error))?;
        names.push(name);
    }
    if config.quiet {
        return Ok(());
    }
    let wrote = report::line("Wrote", &format!("{folder}: {}", names.join(", ")));
    report::print(&format!("{markdown}\n{wrote}"))
}

/// Runs the study of what confidence is worth.
pub(crate) fn calibrate(config: Calibration) -> Result<(), Failure> {
    let folder = report::clean(&config.output.to_string_lossy());
    let cases = if config.fit { calibration::fitted() } else { calibration::reported() };
    let written = |error: std::io::Error| Failure::Input(format!("`{folder}`: {error}"));
    std::fs::create_dir_all(&config.output).map_err(written)?;
    let watch = Watch::start(config.quiet);
    let study = calibration::run(&cases, config.trials, config.seed, config.jobs, &watch.run());
    watch.finish()?;
    let study = study?;
    let Provenance { command, machine, date } = Provenance::here(command());
    let version = env!("CARGO_PKG_VERSION");
    let mut markdown = format!(
        "# What confidence is worth\n\n- Command: `{command}`\n- nocurl {version}, {date}; \
         {machine}\n\n"
    );
    markdown += &calibration::markdown(&cases, &study, config.trials);
    let files =
        [("pairs.csv", calibration::csv(&cases, &study.records)), ("tables.md", markdown.clone())];
    for (name, text) in &files {
        write_text(config.output.join(name), text).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    let wrote = report::line("Wrote", &format!("{folder}: pairs.csv, tables.md"));
    report::print(&format!("{markdown}\n{wrote}"))
}

/// Runs the study of learning from experiments.
pub(crate) fn intervene(config: &InterventionStudy) -> Result<(), Failure> {
    let folder = report::clean(&config.output.to_string_lossy());
    let written = |error: std::io::Error| Failure::Input(format!("`{folder}`: {error}"));
    std::fs::create_dir_all(&config.output).map_err(written)?;
    let watch = Watch::start(config.quiet);
    let records = interventions::run(&config.study, config.jobs, &watch.run());
    watch.finish()?;
    let records = records?;
    let Provenance { command, machine, date } = Provenance::here(command());
    let version = env!("CARGO_PKG_VERSION");
    let mut markdown = format!(
        "# Learning from experiments\n\n- Command: `{command}`\n- nocurl {version}, {date}; \
         {machine}\n\n"
    );
    markdown += &interventions::markdown(&config.study, &records);
    let files = [("trials.csv", interventions::csv(&records)), ("tables.md", markdown.clone())];
    for (name, text) in &files {
        write_text(config.output.join(name), text).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    let wrote = report::line("Wrote", &format!("{folder}: trials.csv, tables.md"));
    report::print(&format!("{markdown}\n{wrote}"))
}

/// Runs the study of time and memory.
pub(crate) fn scale(config: &ScaleStudy) -> Result<(), Failure> {
    let folder = report::clean(&config.output.to_string_lossy());
    let written = |error: std::io::Error| Failure::Input(format!("`{folder}`: {error}"));
    let path = config.output.join("trials.csv");
    if !path.exists() {
        nocurl_io::check_folder(&config.output, |_| false)
            .map_err(|error| Failure::writing(&error))?;
    }
    let known = study::read(&path)?;
    std::fs::create_dir_all(&config.output).map_err(written)?;
    let kept = format!("finished trials are kept in {folder}; the same command goes on from there");
    let watch = Watch::start_keeping(config.quiet, kept);
    let keep =
        |records: &[study::Record]| write_text(&path, &study::csv(records)?).map_err(Error::Report);
    let records = study::run(&config.study, known, &watch.run(), keep);
    watch.finish()?;
    let records = records?;
    let Provenance { command, machine, date } = Provenance::here(command());
    let version = env!("CARGO_PKG_VERSION");
    let mut markdown = format!(
        "# Time and memory\n\n- Command: `{command}`\n- nocurl {version}, {date}; {machine}\n\n"
    );
    markdown += &study::markdown(&records);
    let files = [("tables.md", markdown.clone()), ("time.svg", study::figure(&records))];
    for (name, text) in &files {
        write_text(config.output.join(name), text).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    let wrote = report::line("Wrote", &format!("{folder}: trials.csv, tables.md, time.svg"));
    report::print(&format!("{markdown}\n{wrote}"))
}

/// The command as typed, so that it can be typed again.
fn command() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,/+=:^".contains(c);
    let quoted = |word: String| match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let words =
        std::env::args_os().skip(1).map(|word| quoted(report::clean(&word.to_string_lossy())));
    std::iter::once("nocurl".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}
