//! `nocurl compare`: which edges two graphs share, and where they differ.

use std::path::{Path, PathBuf};

use nocurl_app::{Difference, Differences, Side};
use nocurl_io::{Direction, RunFiles, Source, read_graph};
use nocurl_render::Part;
use serde::Serialize;

use crate::args::CompareArguments;
use crate::failure::Failure;
use crate::output::{OUTPUT, Outputs, csv_text};
use crate::report;

/// Edges shown; files have all of them.
const SHOWN: usize = 60;

/// The JSON form, documented in `docs/cli.md`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    found: &'a Differences,
}

/// Runs the command.
pub(crate) fn compare(arguments: &CompareArguments) -> Result<(), Failure> {
    let is_table = |path: &&PathBuf| {
        path.extension().is_some_and(|ending| ending == "json" || ending == "csv")
    };
    let tables: Vec<PathBuf> = arguments.output.iter().filter(is_table).cloned().collect();
    let pictures: Vec<&PathBuf> = arguments.output.iter().filter(|path| !is_table(path)).collect();
    let inputs = [&arguments.first, &arguments.second];
    let mut files = RunFiles::default();
    for (what, input) in ["the first graph", "the second graph"].into_iter().zip(inputs) {
        files = files.reads(what, input);
    }
    for path in &pictures {
        let known = Differences::format_of(path);
        known.map_err(|error| Failure::input(&error.text().say(", .html, .json or .csv")))?;
        files = files.writes(OUTPUT, path);
    }
    let outputs = Outputs::check("edges", &tables, files)?;
    let label = |path: &Path| report::clean(&path.to_string_lossy());
    let [first, second] = inputs.map(|path| read_graph(&Source::new(path)));
    let names = inputs.map(|path| label(path));
    let found = Differences::new([&names[0], &names[1]], &first?, &second?);
    let json = report::json(&Document { schema: "nocurl/compare/1", found: &found })?;
    outputs.write(&json, &csv(&found))?;
    for path in pictures {
        found.write(path).map_err(|error| Failure::writing(&error))?;
    }
    match (arguments.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => report::print(&json),
        (false, false) => report::print(&summary(&found)),
    }
}

/// The word for a part, in files and on the terminal.
fn word(part: Part) -> &'static str {
    match part {
        Part::Shared => "shared",
        Part::First => "first",
        Part::Second => "second",
        Part::Reversed => "reversed",
    }
}

fn csv(found: &Differences) -> String {
    let records = found.edges.iter().map(|edge| {
        let mut record = vec![word(edge.part).to_string(), edge.from.clone(), edge.to.clone()];
        for side in edge.of {
            let weight = side.and_then(|side| side.weight);
            record.push(weight.map_or_else(String::new, |weight| format!("{weight:?}")));
            record.push(side.map_or_else(String::new, |side| arrow(&side).to_string()));
        }
        record
    });
    let heading = ["part", "from", "to", "weight_1", "edge_1", "weight_2", "edge_2"];
    csv_text(&heading, records)
}

fn arrow(side: &Side) -> &'static str {
    match (side.direction, side.backward) {
        (Direction::Undetermined, _) => "--",
        (_, false) => "->",
        (_, true) => "<-",
    }
}

fn summary(found: &Differences) -> String {
    let mut text = report::line("First", &found.graphs[0]);
    text += &report::line("Second", &found.graphs[1]);
    let counts = [
        ("Shared", found.shared, "in both"),
        ("First", found.first, "only in the first"),
        ("Second", found.second, "only in the second"),
        ("Reversed", found.reversed, "in opposite directions"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .map(|(_, number, words)| format!("{} {words}", report::count(*number as u64, "edge")))
        .collect();
    text += &report::line("Edges", &counts.join(", "));
    for (names, which) in found.only.iter().zip(["first", "second"]) {
        if !names.is_empty() {
            let shown: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
            let more = names.len().saturating_sub(5);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let words = format!("only the {which} graph has {}{more}", shown.join(", "));
            text += &report::line("Note", &report::clean(&words));
        }
    }
    if found.edges.is_empty() {
        return text;
    }
    let heading = ["", "from", "first", "second", "to", "weight 1", "weight 2"];
    let rows = found.edges.iter().take(SHOWN).map(row);
    let rows: Vec<Vec<String>> =
        std::iter::once(heading.map(String::from).to_vec()).chain(rows).collect();
    text += &format!("\n{}", report::grid(&rows, &[5, 6]));
    if found.edges.len() > SHOWN {
        let more = found.edges.len() - SHOWN;
        text += &format!("  ... and {more} more (use --output edges.csv for all)\n");
    }
    text
}

fn row(edge: &Difference) -> Vec<String> {
    let arrows = edge.of.map(|side| side.as_ref().map_or("", arrow).to_string());
    let weights = edge
        .of
        .map(|side| side.and_then(|side| side.weight).map_or_else(String::new, report::number));
    let mut row = vec![word(edge.part).to_string(), edge.from.clone()];
    row.extend(arrows);
    row.push(edge.to.clone());
    row.extend(weights);
    row
}
