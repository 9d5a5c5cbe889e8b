//! Tables in the paper's format, as Markdown and as CSV.

use crate::published::Published;
use crate::results::Timing;
use crate::{Cell, Error, Estimate, Grid, Settings};

/// What a reader must know to repeat a run.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// The command as it was typed.
    pub command: String,
    /// The machine, in a few words.
    pub machine: String,
    /// The day the tables were made.
    pub date: String,
}

impl Provenance {
    /// Of this machine, now.
    pub fn here(command: String) -> Self {
        Self { command, machine: machine(), date: today() }
    }
}

/// The columns of every table.
const FIGURES: [&str; 9] =
    ["d", "method", "n", "time (s)", "delta-F", "SHD", "extra", "missing", "reversed"];

/// Beside them, where the paper has figures ...
const PUBLISHED: [&str; 4] =
    ["published SHD", "verdict", "published time (s)", "published delta-F"];

/// ... and where it has none.
const FURTHER: [&str; 2] = ["CPDAG SHD", "SID"];

/// The report: how it was made, then a table for each scenario.
pub fn markdown(
    grid: &Grid,
    settings: &Settings,
    provenance: &Provenance,
    cells: &[Cell],
) -> String {
    let mut text = preamble(grid, settings, provenance);
    let mut notes = Vec::new();
    let published = cells.iter().any(|cell| cell.published.is_some());
    let beside: &[&str] = if published { &PUBLISHED } else { &FURTHER };
    let header: Vec<&str> = FIGURES.iter().chain(beside).copied().collect();
    for scenario in &grid.scenarios {
        let cells: Vec<&Cell> =
            cells.iter().filter(|cell| cell.scenario == scenario.name).collect();
        if !cells.is_empty() {
            let rows: Vec<Vec<String>> = cells.iter().map(|cell| line(cell, published)).collect();
            text += &format!("\n## {}\n\n{}", scenario.name, aligned(&header, &rows));
        }
        notes.extend(cells.iter().flat_map(|cell| remarks(cell)));
    }
    notes.dedup();
    if !notes.is_empty() {
        text += &format!("\n{}", notes.concat());
    }
    text
}

/// What must be said of a cell below the tables.
fn remarks(cell: &Cell) -> impl Iterator<Item = String> {
    let doubt = cell.published.and_then(|row| {
        let remark = row.remark.as_ref()?;
        Some(format!("- † {} of Table {}: {remark}; no verdict.\n", row.method, row.table))
    });
    let lost = cell.error.as_ref().map(|error| {
        let Cell { scenario, method, d, .. } = cell;
        format!("- {scenario}, d = {d}, {method}: {} trials: {error}\n", trials(cell))
    });
    doubt.into_iter().chain(lost)
}

fn preamble(grid: &Grid, settings: &Settings, provenance: &Provenance) -> String {
    let Provenance { command, machine, date } = provenance;
    let (name, seed) = (&grid.name, settings.seed);
    let version = env!("CARGO_PKG_VERSION");
    let limit = settings.timeout.map_or_else(String::new, |timeout| {
        format!(" A trial that took longer than {} s was stopped.", timeout.as_secs_f64())
    });
    format!(
        "# nocurl bench {name}\n\n\
         - Command: `{command}`\n\
         - nocurl {version}, {date}; {machine}\n\
         - Mean ± standard error over n trials.{limit} Trial k of a scenario at d variables has a \
           seed made from the scenario's name, d, k and --seed {seed}: the column `seed` of \
           results.csv. All methods of a trial have the same data.\n\
         - Times are those of trials that had the machine for themselves; a time with `*` is of \
           trials that ran beside others. They leave out drawing data and, for methods that do not \
           need the rows, computing moments.\n\
         - delta-F is F before the last threshold, less F of the truth. SHD = extra + missing + \
           reversed.\n\
         - CPDAG SHD is the distance of the equivalence classes; SID the structural intervention \
           distance of the graph as it stands, arbitrary directions included.\n\
         - Published: {SOURCE}, 100 trials, on nonlinear data 5. `agrees`: the two SHD differ by at most two standard \
           errors of their difference; `better`: ours is lower than that; `worse`: higher. Trials \
           that failed or ran out of time leave no verdict.\n"
    )
}

const SOURCE: &str = "Yu, Gao, Yin, Ji, DAGs with No Curl, ICML 2021";

fn line(cell: &Cell, published: bool) -> Vec<String> {
    let aside = if cell.timing == Timing::Throughput && cell.time.is_some() { "*" } else { "" };
    let mut line = vec![
        cell.d.to_string(),
        cell.method.replace('|', "\\|"),
        trials(cell),
        shown_by(seconds, cell.time) + aside,
        shown(cell.delta_f),
        shown(cell.shd),
        shown(cell.extra),
        shown(cell.missing),
        shown(cell.reversed),
    ];
    if published {
        let row = cell.published;
        let mark = if row.is_some_and(|row| row.remark.is_some()) { " †" } else { "" };
        let figure = |figure: fn(&Published) -> Option<Estimate>| {
            let limit = row.and_then(|row| row.longer_than.as_ref());
            limit.map_or_else(|| shown(row.and_then(figure)), |limit| format!("> {limit}"))
        };
        line.extend([
            figure(|row| row.shd) + mark,
            cell.verdict().map_or("", |verdict| verdict.name()).into(),
            figure(|row| row.time),
            shown(row.and_then(|row| row.delta_f)),
        ]);
    } else {
        line.extend([shown(cell.cpdag_shd), shown(cell.sid)]);
    }
    line
}

/// `20`, or `18 (2 failed)`; nothing where only published values are.
fn trials(cell: &Cell) -> String {
    if !cell.was_run() {
        return String::new();
    }
    let lost = [(cell.failed, "failed"), (cell.timeouts, "timeout")];
    let lost: Vec<String> =
        lost.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    match lost.is_empty() {
        true => cell.trials.to_string(),
        false => format!("{} ({})", cell.trials, lost.join(", ")),
    }
}

/// With two decimals, as the paper.
fn shown(estimate: Option<Estimate>) -> String {
    shown_by(|value| format!("{value:.2}"), estimate)
}

fn shown_by(number: impl Fn(f64) -> String, estimate: Option<Estimate>) -> String {
    match estimate {
        None => String::new(),
        Some(Estimate { mean, error: None }) => number(mean),
        Some(Estimate { mean, error: Some(error) }) => {
            format!("{} ± {}", number(mean), number(error))
        }
    }
}

/// Two decimals, more where they would be all zeros.
fn seconds(value: f64) -> String {
    match value {
        short if short > 0.0 && short < 1e-4 => format!("{value:.0e}"),
        short if short > 0.0 && short < 0.1 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

/// A Markdown table that can also be read as it is.
fn aligned(names: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = names.iter().map(ToString::to_string).collect();
    let width = |k: usize| {
        let cells = rows.iter().chain([&header]).map(|row| row[k].chars().count());
        // The rule below the names needs three characters.
        cells.max().unwrap_or(0).max(3)
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let is_text = |k: usize| matches!(names[k], "method" | "verdict");
    let joined = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| {
            if is_text(k) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        joined(padded.collect())
    };
    let rule = widths.iter().enumerate().map(|(k, &width)| {
        let dashes = "-".repeat(width.saturating_sub(1));
        if is_text(k) { format!("{dashes}-") } else { format!("{dashes}:") }
    });
    let rule = joined(rule.collect());
    line(&header) + &rule + &rows.iter().map(line).collect::<String>()
}

/// One line for each cell, numbers in full.
///
/// # Errors
/// None in practice: the text is made in memory.
pub fn csv(cells: &[Cell]) -> Result<String, Error> {
    let figures = ["time", "delta_f", "shd", "extra", "missing", "reversed"];
    let mut header: Vec<String> =
        ["scenario", "d", "method", "trials", "failed", "timeouts", "timing"]
            .map(String::from)
            .to_vec();
    for prefix in ["", "published_"] {
        header.extend(
            figures.iter().flat_map(|f| [format!("{prefix}{f}"), format!("{prefix}{f}_se")]),
        );
    }
    header.extend(["verdict", "published_remark"].map(String::from));
    header.extend(["cpdag_shd", "cpdag_shd_se", "sid", "sid_se"].map(String::from));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let told = |error: csv::Error| Error::Input(format!("tables.csv: {error}"));
    writer.write_record(&header).map_err(told)?;
    for cell in cells {
        writer.write_record(record(cell)).map_err(told)?;
    }
    let bytes = writer.into_inner().map_err(|error| told(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn record(cell: &Cell) -> Vec<String> {
    let timing = match cell.timing {
        Timing::Alone => "alone",
        Timing::Throughput => "throughput",
    };
    let ours = [cell.time, cell.delta_f, cell.shd, cell.extra, cell.missing, cell.reversed];
    let published = cell.published.map_or([None; 6], |row| {
        [row.time, row.delta_f, row.shd, row.extra, row.missing, row.reversed]
    });
    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut record = vec![
        cell.scenario.clone(),
        cell.d.to_string(),
        cell.method.clone(),
        cell.trials.to_string(),
        cell.failed.to_string(),
        cell.timeouts.to_string(),
        timing.into(),
    ];
    let both = |estimate: Option<Estimate>| {
        let error = estimate.and_then(|estimate| estimate.error);
        [text(estimate.map(|estimate| estimate.mean)), text(error)]
    };
    record.extend(ours.into_iter().chain(published).flat_map(both));
    record.push(cell.verdict().map_or("", |verdict| verdict.name()).into());
    let remark = |row: &Published| {
        let limit = row.longer_than.as_ref().map(|limit| format!("> {limit}"));
        row.remark.clone().or(limit)
    };
    record.push(cell.published.and_then(remark).unwrap_or_default());
    record.extend([cell.cpdag_shd, cell.sid].into_iter().flat_map(both));
    record
}

fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or_else(|| "unknown processor".into(), |(_, model)| model.trim().to_string());
    let (system, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{model}, {cores} core{}, {system} {kind}", if cores == 1 { "" } else { "s" })
}

fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_keep_a_digit() {
        let texts = [0.0, 1e-6, 0.0123, 0.5, 1234.567].map(seconds);
        assert_eq!(texts, ["0.00", "1e-6", "0.0123", "0.50", "1234.57"]);
    }
}
