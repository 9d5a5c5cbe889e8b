//! What the user sees on the terminal.

use std::io::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table as Grid, presets};
use nocurl::methods::{MixedScore, SearchReport};
use nocurl::{Fit, Kind, Moments, Termination};
use nocurl_app::{Outcome, Shown};
use nocurl_io::{Coefficient, DescribedVariable, Edge, GraphDocument, Scale, Table};

use crate::checks::checks;
use crate::config::Learn;
use crate::experiments;
use crate::failure::Failure;
use crate::knowledge;
use crate::support;
use crate::terminal;

/// Edges shown; files have all of them.
const SHOWN_EDGES: usize = 30;

/// Variables whose levels are shown.
const SHOWN_LEVELS: usize = 6;

/// Characters of the longest message.
const LONGEST_ERROR: usize = 1000;

/// Variables shown of an order.
const SHOWN_ORDER: usize = 12;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// One line on standard error.
pub(crate) fn error(failure: &Failure) {
    let mut message = clean(&failure.to_string());
    // A name in it may be as long as a file.
    if let Some((end, _)) = message.char_indices().nth(LONGEST_ERROR) {
        message.truncate(end);
        message.push('…');
    }
    // Where standard error is closed there is no place left to complain.
    let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {message}");
}

/// Text on standard output, without colours where those are not wanted.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Bytes on standard output, as they are.
pub(crate) fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

/// A result as JSON, for standard output or a file.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(document)
        .map(|text| text + "\n")
        .map_err(|error| Failure::Other(format!("the result cannot be written as JSON: {error}")))
}

/// The summary of `nocurl learn`.
pub(crate) fn learnt(
    config: &Learn,
    outcome: &Outcome,
    document: &GraphDocument,
) -> Result<(), Failure> {
    let mut text = String::new();
    let source = if config.path == "-" { "standard input".into() } else { clean(&config.path) };
    text += &line("Read", &format!("{source}: {}", size(&outcome.table)));
    if config.verbose {
        let threads = config.threads.unwrap_or_else(rayon::current_num_threads);
        let (columns, rows) = (outcome.table.data.columns(), outcome.table.rows);
        text += &line("Memory", &config.job.plan(columns, Some(rows), threads).summary());
    }
    if !config.job.options.knowledge.is_empty() {
        text += &line("Known", &knowledge::summary(&config.job.options.knowledge));
    }
    if !config.job.options.experiments.is_empty() {
        text += &line("Given", &experiments::summary(&config.job.options.experiments));
    }
    text += &line(
        "Learnt",
        &format!(
            "{} among {} variables by {} in {} ({})",
            match config.job.confidence.shown {
                Shown::Best => count(document.edges.len() as u64, "edge"),
                Shown::Consensus => {
                    format!("a consensus of {}", count(document.edges.len() as u64, "edge"))
                }
            },
            document.variables.len(),
            document.method,
            seconds(document.elapsed_seconds),
            ending(&outcome.fit)
        ),
    );
    if !document.is_numeric() {
        text += &line("Kinds", &kinds(document));
        text += &outcome.fit.score.map_or_else(String::new, |score| line("Score", chosen(score)));
    }
    text += &scales(config, document).map_or_else(String::new, |words| line("Scale", &words));
    text += &line("Order", &shortened(&document.order));
    if let Some(summary) = &document.bootstrap {
        text += &support::summary(document, summary);
    }
    if !document.edges.is_empty() {
        let most = if config.all { usize::MAX } else { SHOWN_EDGES };
        text += &format!("\n{}\n", edges(document, most));
        let caption = format!(
            "Strength is the share of `to` that `from` explains beside the other causes, from \
             0 to 1.\nA weight is the change of `to` per unit of `from`.{}\n{}{}",
            document
                .bootstrap
                .as_ref()
                .map_or_else(String::new, |summary| { support::caption(summary) }),
            levels(document),
            clean(&document.directions)
        );
        let lines: String = caption.lines().map(|line| terminal::flowing(line, "")).collect();
        text += &format!("{FAINT}{}{FAINT:#}\n", lines.trim_end());
    }
    text += &document.experiments.as_ref().map_or_else(String::new, experiments::table);
    if let Some(diagnosis) = &outcome.diagnosis {
        text += &checks(diagnosis, &outcome.suspicions);
    }
    text += &warnings(&document.warnings);
    if !config.outputs.is_empty() {
        let files: Vec<String> =
            config.outputs.iter().map(|path| clean(&path.to_string_lossy())).collect();
        text += &format!("\n{}", line("Wrote", &files.join(", ")));
    }
    print(&text)
}

/// The base levels of the weights in the table of edges.
fn levels(document: &GraphDocument) -> String {
    let mut bases: Vec<String> = Vec::new();
    for edge in &document.edges {
        if let Some(base) = edge.coefficients.first().and_then(|c| c.from_base.as_ref()) {
            let words = format!("{} {}", clean(&edge.from), clean(base));
            if !bases.contains(&words) {
                bases.push(words);
            }
        }
    }
    match bases.is_empty() {
        true => String::new(),
        false => {
            let more = if bases.len() > SHOWN_LEVELS { ", ..." } else { "" };
            bases.truncate(SHOWN_LEVELS);
            format!("Weights of levels are differences from {}{more}.\n", bases.join(", "))
        }
    }
}

/// The weight of an edge, or one per level of its cause.
fn weight(edge: &Edge) -> String {
    const SHOWN: usize = 3;
    if edge.coefficients.is_empty() {
        return edge.weight.map_or_else(String::new, number);
    }
    let level = |known: &Coefficient| {
        let name = known.from_level.as_deref().unwrap_or_default();
        let sign = if known.value >= 0.0 { "+" } else { "" };
        format!("{name} {sign}{}", number(known.value))
    };
    let mut words: Vec<String> = edge.coefficients.iter().take(SHOWN).map(level).collect();
    if edge.coefficients.len() > SHOWN {
        words.push("...".into());
    }
    words.join(", ")
}

/// How many variables of each kind there are, and the levels of those that have some.
fn kinds(document: &GraphDocument) -> String {
    let of = |kind: Kind| {
        let alike = document.kinds.iter().filter(|known| known.variable.kind == kind);
        let levels: Vec<String> = alike
            .clone()
            .take(SHOWN_LEVELS)
            .filter(|_| matches!(kind, Kind::Categorical | Kind::Ordinal))
            .map(|known| format!("{} {}", clean(&known.variable.name), known.variable.levels.len()))
            .collect();
        let count = alike.count();
        let more = if count > levels.len() { ", ..." } else { "" };
        match (count, levels.is_empty()) {
            (0, _) => None,
            (_, true) => Some(format!("{count} {}", kind.name())),
            _ => Some(format!("{count} {} (levels: {}{more})", kind.name(), levels.join(", "))),
        }
    };
    Kind::ALL.iter().filter_map(|&kind| of(kind)).collect::<Vec<_>>().join(", ")
}

/// What was done to columns of numbers, where that was asked for.
fn scales(config: &Learn, document: &GraphDocument) -> Option<String> {
    let read = &config.job.read;
    if read.transform.is_empty() && !read.standardize {
        return None;
    }
    let of = |step: &str, words: &str| {
        let has = |known: &&DescribedVariable| {
            known.variable.transforms.iter().any(|transform| transform.name() == step)
        };
        let names: Vec<&str> =
            document.kinds.iter().filter(has).map(|known| known.variable.name.as_str()).collect();
        let shown: Vec<String> = names.iter().take(SHOWN_LEVELS).map(|name| clean(name)).collect();
        let more = if names.len() > shown.len() {
            format!(" and {} more", names.len() - shown.len())
        } else {
            String::new()
        };
        (!names.is_empty()).then(|| format!("{words} {}{more}", shown.join(", ")))
    };
    let all = [
        of("log", "logarithm of"),
        of("rank", "normal scores of"),
        of("standardize", "mean 0 and variance 1 for"),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    let looked = read.transform.iter().any(|rule| rule.scale == Scale::Auto);
    match all.is_empty() {
        true => looked.then(|| "as in the table: no tails are heavy".into()),
        false => Some(all.join("; ")),
    }
}

/// What was fitted to the variables.
fn chosen(score: MixedScore) -> &'static str {
    match score {
        MixedScore::Multinomial => "multinomial: counts of levels, as all columns have some",
        _ => "degenerate Gaussian: numbers and indicators of levels together",
    }
}

/// `label` in bold with what it speaks of beside it.
pub(crate) fn line(label: &str, content: &str) -> String {
    terminal::flowing(&format!("{BOLD}{label:<8}{BOLD:#} {content}"), "         ")
}

/// Paragraphs of warnings.
pub(crate) fn warnings(warnings: &[String]) -> String {
    let mut text = String::new();
    for warning in warnings {
        let words = format!("{WARNING}Warning:{WARNING:#} {}", clean(warning));
        text += &format!("\n{}", terminal::flowing(&words, ""));
    }
    text
}

/// Lines of aligned cells, indented; `right` says which columns hold numbers.
pub(crate) fn grid(rows: &[Vec<String>], right: &[usize]) -> String {
    let mut grid = Grid::new();
    grid.load_preset(presets::NOTHING);
    let mut cells: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean(cell)).collect()).collect();
    terminal::fit(&mut cells, right);
    grid.add_rows(cells);
    for &column in right {
        if let Some(column) = grid.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    grid.lines().map(|line| format!(" {}\n", line.trim_end())).collect()
}

/// A number as short as it can be read.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e5).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// `1 edge`, `2 edges`.
pub(crate) fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Text of a file or of the user, as a terminal may show it.
pub(crate) fn clean(text: &str) -> String {
    nocurl_io::plain(text)
}

fn size(table: &Table<Moments>) -> String {
    let missing = match (table.missing_values, table.rows_dropped) {
        (0, _) => "no missing values".into(),
        (values, 0) => format!("{} estimated", count(values, "missing value")),
        (values, rows) => format!(
            "{} in {} that {} left out",
            count(values, "missing value"),
            count(rows, "row"),
            if rows == 1 { "was" } else { "were" }
        ),
    };
    format!("{}, {} columns, {missing}", count(table.rows, "row"), table.data.columns())
}

fn ending(fit: &Fit) -> String {
    if let Some(search) = &fit.search {
        return searched(search);
    }
    let iterations = count(fit.iterations, "iteration");
    match fit.termination {
        Termination::Direct => "computed directly".into(),
        Termination::Converged => format!("converged after {iterations}"),
        Termination::MaxIterations => format!("not converged: stopped after {iterations}"),
        Termination::Stalled => format!("no further progress after {iterations}"),
        Termination::PenaltyLimit => format!("stopped at the largest penalty, {iterations}"),
        other => format!("{other:?} after {iterations}"),
    }
}

/// How stable a search was.
fn searched(search: &SearchReport) -> String {
    let best = format!(
        "best of {}; {} reached the same score",
        count(search.restarts, "restart"),
        search.reached_best
    );
    match (search.runs, search.agreed) {
        (0 | 1, _) => best,
        (runs, agreed) if agreed < 2 => format!("{best}; no two of {runs} searches agree"),
        (runs, agreed) => format!("{best}; {agreed} of {runs} searches agree"),
    }
}

fn edges(document: &GraphDocument, most: usize) -> String {
    let measured = document.bootstrap.is_some();
    let mut heading = ["from", "", "to", "strength", "weight"].map(String::from).to_vec();
    heading.extend(measured.then(support::heading).into_iter().flatten());
    let rows = document.edges.iter().take(most).map(|edge| {
        let arrow = if edge.is_directed() { "->" } else { "--" };
        let strength = edge.strength.map_or_else(String::new, |share| format!("{share:.2}"));
        let mut row =
            vec![edge.from.clone(), arrow.into(), edge.to.clone(), strength, weight(edge)];
        row.extend(measured.then(|| support::cells(edge)).into_iter().flatten());
        row
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let mut text = grid(&rows, &[3, 4, 5, 6]);
    if document.edges.len() > most {
        let more = document.edges.len() - most;
        text += &format!("  ... and {more} more (use --all, or --output graph.csv)\n");
    }
    text
}

fn shortened(order: &[String]) -> String {
    let shown: Vec<String> = order.iter().take(SHOWN_ORDER).map(|name| clean(name)).collect();
    let mut text = shown.join(", ");
    if order.len() > SHOWN_ORDER {
        text += &format!(", ... ({} more)", order.len() - SHOWN_ORDER);
    }
    text
}

fn seconds(elapsed: f64) -> String {
    match elapsed {
        short if short < 0.01 => "less than 0.01 s".into(),
        short if short < 60.0 => format!("{short:.2} s"),
        long => format!("{:.1} min", long / 60.0),
    }
}
