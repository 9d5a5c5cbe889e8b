//! `nocurl inspect`: a look at a table before learning.

use std::borrow::Cow;

use nocurl::{Action, Spelling as _, Value};
use nocurl_app::{Inspection, Job, show_bytes};
use nocurl_io::{ColumnOverview, Source};

use crate::args::InspectArguments;
use crate::config;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report::{self, BOLD, FAINT};
use crate::spelling::{self, Flags};
use crate::terminal;

/// Columns that are shown; JSON has all of them.
const SHOWN: usize = 200;

/// Characters of the longest name that is shown.
const LONGEST_NAME: usize = 20;

/// Runs the command.
pub(crate) fn inspect(arguments: &InspectArguments) -> Result<(), Failure> {
    let job = Job { read: config::read_options(&arguments.table)?, ..Job::default() };
    let watch = Watch::start(arguments.json);
    let source = Source::of_tables(&arguments.data)?;
    let found = job.inspect(&source, &watch.run())?;
    watch.finish()?;
    let paths: Vec<_> = arguments.data.iter().map(|path| path.to_string_lossy()).collect();
    let command = command(&paths, &found.next, &typed(&paths));
    if arguments.json {
        return report::print(&report::json(&found.to_value(&Flags, &command))?);
    }
    report::print(&shown(&source.name(), &found, &command))
}

/// The command to type next, with what was typed to read the table.
fn command(paths: &[Cow<'_, str>], next: &[Action], typed: &[String]) -> String {
    let mut parts = vec!["nocurl learn".to_string()];
    parts.extend(paths.iter().map(|path| spelling::word(path)));
    parts.extend(typed.iter().cloned());
    parts.extend(next.iter().map(|action| match action {
        Action::LeaveOut { columns } => {
            let names = columns.iter().cloned().map(Value::Text).collect();
            Flags.spell(&Action::Set { name: "drop", to: Some(Value::List(names)) })
        }
        other => Flags.spell(other),
    }));
    parts.join(" ")
}

/// The flags that were typed to read the table.
fn typed(paths: &[Cow<'_, str>]) -> Vec<String> {
    let all = std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned());
    let mut all: Vec<String> = all.filter(|word| word != "--json").collect();
    for path in paths {
        if let Some(at) = all.iter().position(|word| word == path) {
            all.remove(at);
        }
    }
    all.iter().map(|word| spelling::word(word)).collect()
}

fn shown(path: &str, found: &Inspection, command: &str) -> String {
    let overview = &found.overview;
    let gaps = match overview.rows - overview.complete {
        0 => "no missing values".into(),
        rows => format!("{} with missing values", report::count(rows, "row")),
    };
    let source = if path == "-" { "standard input".into() } else { report::clean(path) };
    let size = format!(
        "{source}: {}, {} of them variables, {gaps}",
        report::count(overview.rows, "row")
            + ", "
            + &report::count((overview.columns.len() + overview.left_out.len()) as u64, "column"),
        overview.columns.len(),
    );
    let mut text = report::line("Read", &size);
    text += &format!("\n{}", table(&overview.columns));
    if !overview.left_out.is_empty() {
        let all: Vec<String> = overview
            .left_out
            .iter()
            .map(|(name, why)| format!("{} ({})", report::clean(name), why.word()))
            .collect();
        text += &format!("\n{}", report::line("Left out", &all.join(", ")));
    }
    let notes = overview.notes.iter().map(|note| {
        let word = if note.actions().next().is_some() { "decide" } else { "note" };
        (word, note.spelt(&Flags))
    });
    let suspicions = found.suspicions.iter();
    let suspicions = suspicions.map(|found| (found.name, found.sentence.spelt(&Flags)));
    let all: Vec<(&str, String)> = notes.chain(suspicions).collect();
    text += &format!("\n{BOLD}What looks suspicious{BOLD:#}\n");
    if all.is_empty() {
        text += &format!("  {FAINT}nothing{FAINT:#}\n");
    }
    for (name, sentence) in all {
        let said = format!("{BOLD}{name}{BOLD:#}: {}", report::clean(&sentence));
        text += &terminal::wrapped(&format!("  {said}"), "    ");
    }
    let takes = format!(
        "{} and at most {} of memory; confidence takes up to about 10 s more",
        duration(found.seconds),
        show_bytes(found.memory.total())
    );
    text += &format!("\n{}", report::line("Takes", &takes));
    text += &report::line("Next", &format!("{BOLD}{}{BOLD:#}", report::clean(command)));
    text
}

/// A time in words: it is an estimate.
fn duration(seconds: f64) -> String {
    match seconds {
        short if short < 1.0 => "less than a second".into(),
        some if some < 90.0 => format!("about {:.0} s", some.max(1.0)),
        long if long < 5400.0 => format!("about {:.0} minutes", (long / 60.0).max(2.0)),
        long => format!("about {:.0} hours", (long / 3600.0).max(2.0)),
    }
}

fn table(columns: &[ColumnOverview]) -> String {
    let heading =
        ["column", "kind", "missing", "distinct", "least", "greatest", "mean", "histogram"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    for column in columns.iter().take(SHOWN) {
        let [least, greatest, mean] = match column.range {
            Some(range) => range.map(short),
            None => [levels(column), String::new(), String::new()],
        };
        rows.push(vec![
            terminal::shortened(&column.variable.name, LONGEST_NAME),
            column.variable.kind.name().into(),
            if column.missing > 0 { column.missing.to_string() } else { "-".into() },
            format!("{}{}", if column.exact { "" } else { "~" }, column.distinct),
            least,
            greatest,
            mean,
            terminal::bars(&column.histogram),
        ]);
    }
    let mut text = report::grid(&rows, &[2, 3, 4, 5, 6]);
    if columns.len() > SHOWN {
        text += &format!("  ... and {} more (use --json for all)\n", columns.len() - SHOWN);
    }
    text
}

/// The most common level.
fn levels(column: &ColumnOverview) -> String {
    column.levels.first().map_or_else(String::new, |(name, _)| terminal::shortened(name, 9))
}

/// A number in at most eight characters, mostly.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if !(1e-3..1e6).contains(&size) => format!("{value:.1e}"),
        _ if value.fract() == 0.0 => format!("{value}"),
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
