//! `nocurl effects`: what a unit of one variable does to another, along all paths.

use std::collections::BTreeMap;

use nocurl::effects;
use nocurl::graph::Reachability;
use nocurl::{Determines, Mat};
use nocurl_io::{BootstrapSummary, RunFiles};
use serde::Serialize;

use super::weighted::Weighted;
use crate::args::EffectsArguments;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;
use crate::support::{interval, interval_heading};

/// Effects shown; files have all of them.
const SHOWN_EFFECTS: usize = 30;

/// The JSON form, documented in `docs/effects.md`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    graph: &'a str,
    determines: Determines,
    level: Option<f64>,
    effects: Vec<Effect<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Effect<'a> {
    from: &'a str,
    to: &'a str,
    effect: f64,
    interval: Option<[f64; 2]>,
    identified: bool,
}

/// Runs the command.
pub(crate) fn effects(arguments: &EffectsArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("effects", &arguments.output, files)?;
    let graph = Weighted::read(&arguments.graph)?;
    let find = |flag: &str, name: &Option<String>| {
        name.as_ref().map(|name| graph.variable(flag, name)).transpose()
    };
    let (from, to) = (find("--from", &arguments.from)?, find("--to", &arguments.to)?);
    if let (Some(from), Some(to)) = (from, to)
        && from == to
    {
        return Err(Failure::Input(format!(
            "--from and --to both name `{}`: an effect needs two variables",
            graph.names[from]
        )));
    }
    let reach = Reachability::new(graph.dag.weights());
    let effects = chosen(&graph, &reach, from, to)?;
    let mut warnings = graph.warnings.clone();
    warnings.extend(undetermined_directions(&graph, &effects));
    let document = Document {
        schema: "nocurl/effects/2",
        graph: &graph.label,
        determines: graph.determines,
        level: graph.bootstrap.as_ref().map(|summary| summary.level),
        effects,
        warnings: &warnings,
    };
    let json = report::json(&document)?;
    let records = document.effects.iter().map(|effect| {
        let Effect { from, to, effect, interval, identified } = effect;
        let end = |at: usize| interval.map_or_else(String::new, |ends| format!("{:?}", ends[at]));
        let effect = format!("{effect:?}");
        vec![from.to_string(), to.to_string(), effect, end(0), end(1), identified.to_string()]
    });
    let heading = ["from", "to", "effect", "lower", "upper", "identified"];
    outputs.write(&json, &csv_text(&heading, records))?;
    if arguments.json {
        return report::print(&json);
    }
    let mut text = graph.headline();
    text += &match (from, to) {
        (Some(from), Some(to)) => one(&document, reach.reaches(from, to)),
        _ => table(&document),
    };
    text += &report::warnings(&warnings);
    report::print(&text)
}

/// The effects that are asked for, the largest first: one pair, or all that have a path.
fn chosen<'a>(
    graph: &'a Weighted,
    reach: &Reachability,
    from: Option<usize>,
    to: Option<usize>,
) -> Result<Vec<Effect<'a>>, Failure> {
    let d = graph.names.len();
    let total = match from {
        Some(from) => {
            let row = effects::of(&graph.dag, from);
            Mat::from_fn(1, d, |_, j| row[j])
        }
        None => effects::total(&graph.dag),
    };
    let intervals = graph.bootstrap.as_ref().map(intervals);
    let interval = |from: &str, to: &str| {
        // A pair that no resampled table connects has no effect in any of them.
        intervals.as_ref().map(|known| known.get(&(from, to)).copied().unwrap_or([0.0; 2]))
    };
    let mut found = Vec::new();
    for (row, source) in from.map_or(0..d, |from| from..from + 1).enumerate() {
        let identified = effects::identified(&graph.determined, &[source]);
        for target in to.map_or(0..d, |to| to..to + 1) {
            let asked = from.is_some() && to.is_some();
            if target == source || !(asked || reach.reaches(source, target)) {
                continue;
            }
            let (from, to) = (graph.names[source].as_str(), graph.names[target].as_str());
            found.push(Effect {
                from,
                to,
                effect: total[(row, target)],
                interval: interval(from, to),
                identified: identified[target],
            });
        }
    }
    if let Some(Effect { from, to, .. }) = found.iter().find(|effect| !effect.effect.is_finite()) {
        return Err(Failure::Input(format!(
            "`{}`: the effect of `{from}` on `{to}` leaves the range of numbers",
            graph.label
        )));
    }
    found.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
    Ok(found)
}

/// Intervals of total effects over resampled tables, by the ends of the paths.
fn intervals(summary: &BootstrapSummary) -> BTreeMap<(&str, &str), [f64; 2]> {
    let paths = summary.paths.iter();
    paths.map(|path| ((path.from.as_str(), path.to.as_str()), path.effect)).collect()
}

/// What is to be said where effects depend on undetermined directions.
fn undetermined_directions(graph: &Weighted, effects: &[Effect<'_>]) -> Option<String> {
    let open = effects.iter().filter(|effect| !effect.identified).count();
    let others = graph.others();
    match (open, effects) {
        (0, _) => None,
        (_, [one]) => Some(format!(
            "the effect of `{}` depends on undetermined directions: {others} may give \
             another value",
            one.from
        )),
        _ => Some(format!(
            "{open} of {} effects, marked `undetermined`, depend on undetermined directions: \
             {others} may give other values, and effects that are not listed",
            effects.len()
        )),
    }
}

fn one(document: &Document<'_>, is_path: bool) -> String {
    let effect = &document.effects[0];
    let (from, to) = (report::clean(effect.from), report::clean(effect.to));
    let size = report::number(effect.effect);
    let between = match (document.level, effect.interval) {
        (Some(level), Some(ends)) => format!(" ({} {})", interval_heading(level), interval(ends)),
        _ => String::new(),
    };
    let sentence = if is_path {
        format!(
            "{size}{between}: one unit more of `{from}` changes `{to}` by {size}, along all paths"
        )
    } else {
        format!("0{between}: there is no directed path from `{from}` to `{to}`")
    };
    report::line("Effect", &sentence)
}

fn table(document: &Document<'_>) -> String {
    let effects = &document.effects;
    if effects.is_empty() {
        return report::line("Effects", "none: no directed path leads there");
    }
    let mut heading = ["from", "", "to", "effect"].map(String::from).to_vec();
    heading.extend(document.level.map(interval_heading));
    heading.push(String::new());
    let rows = effects.iter().take(SHOWN_EFFECTS).map(|effect| {
        let mark = if effect.identified { "" } else { "undetermined" };
        let size = report::number(effect.effect);
        let mut row = vec![effect.from.into(), "->".into(), effect.to.into(), size];
        row.extend(effect.interval.map(interval));
        row.push(mark.into());
        row
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    let mut text = format!("\n{}", report::grid(&rows, &[3]));
    if effects.len() > SHOWN_EFFECTS {
        let more = effects.len() - SHOWN_EFFECTS;
        text += &format!("  ... and {more} more (use --output effects.csv for all)\n");
    }
    text += "\nAn effect is the change of `to` per unit of `from`, along all directed paths.\n";
    text
}
