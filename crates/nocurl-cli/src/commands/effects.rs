//! `nocurl effects`: what a unit of one variable does to another, along all paths.

use std::collections::BTreeMap;

use nocurl::Determines;
use nocurl::effects;
use nocurl::graph::Reachability;
use nocurl_io::{BootstrapSummary, RunFiles};
use serde::Serialize;

use super::weighted::{Weighted, on_scales};
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
    /// What the numbers of variables are that were learnt on another scale than that of the table.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    scales: BTreeMap<&'a str, String>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Effect<'a> {
    from: &'a str,
    to: &'a str,
    effect: f64,
    interval: Option<[f64; 2]>,
    identified: bool,
    /// The smallest and the largest effect in the graphs of the class, where it is undetermined.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    /// The effect for each set of parents that the cause has in some graph of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
    /// Sets to adjust for, where one effect is asked for and it is determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustment: Option<AdjustmentSets<'a>>,
}

#[derive(Serialize)]
struct AdjustmentSets<'a> {
    optimal: Vec<&'a str>,
    minimal: Vec<&'a str>,
    parents: Vec<&'a str>,
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
    let reach = Reachability::of_dag(&graph.dag);
    let effects = chosen(&graph, &reach, from, to)?;
    let mut warnings = graph.warnings.clone();
    warnings.extend(undetermined_directions(&graph, &effects));
    warnings.extend(on_scales(&graph.scales, "effects are on"));
    let document = Document {
        schema: "nocurl/effects/2",
        graph: &graph.label,
        determines: graph.determines,
        level: graph.bootstrap.as_ref().map(|summary| summary.level),
        effects,
        scales: graph.scales.iter().map(|of| (of.name.as_str(), of.scale())).collect(),
        warnings: &warnings,
    };
    let json = report::json(&document)?;
    let records = document.effects.iter().map(|effect| {
        let end = |ends: Option<[f64; 2]>, at: usize| {
            ends.map_or_else(String::new, |ends| format!("{:?}", ends[at]))
        };
        vec![
            effect.from.to_string(),
            effect.to.to_string(),
            format!("{:?}", effect.effect),
            end(effect.interval, 0),
            end(effect.interval, 1),
            effect.identified.to_string(),
            end(effect.range, 0),
            end(effect.range, 1),
        ]
    });
    let heading = ["from", "to", "effect", "lower", "upper", "identified", "least", "most"];
    outputs.write(&json, &csv_text(&heading, records))?;
    if arguments.json {
        return report::print(&json);
    }
    let mut text = graph.headline();
    text += &match (from, to) {
        (Some(from), Some(to)) => one(&graph, &document, reach.reaches(from, to)),
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
    let intervals = graph.bootstrap.as_ref().map(intervals);
    let interval = |from: &str, to: &str| {
        // A pair that no resampled table connects has no effect in any of them.
        intervals.as_ref().map(|known| known.get(&(from, to)).copied().unwrap_or([0.0; 2]))
    };
    let mut found = Vec::new();
    // One cause at a time: a matrix of all pairs is more than many variables need.
    for source in from.map_or(0..d, |from| from..from + 1) {
        let total = effects::of(&graph.dag, source);
        let identified = effects::identified(&graph.determined, &[source]);
        let open = identified.contains(&false);
        // The model of the class has no columns of levels.
        let ranged = open && graph.variables.is_plain();
        let members = if ranged { graph.fitted.effects(source) } else { None };
        for target in to.map_or(0..d, |to| to..to + 1) {
            let asked = from.is_some() && to.is_some();
            let of_members = members.as_ref().filter(|_| !identified[target]);
            let values: Option<Vec<f64>> =
                of_members.map(|rows| rows.iter().map(|row| row[target]).collect());
            let possible = values.iter().flatten().any(|&value| value != 0.0);
            if target == source || !(asked || possible || reach.reaches(source, target)) {
                continue;
            }
            let (from, to) = (graph.names[source].as_str(), graph.names[target].as_str());
            found.push(Effect {
                from,
                to,
                effect: total[target],
                interval: interval(from, to),
                identified: identified[target],
                range: of_members.map(|rows| nocurl_app::ranges(rows, target)),
                values,
                adjustment: if asked { adjustment(graph, source, target) } else { None },
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

/// Sets to adjust for, by name.
fn adjustment(graph: &Weighted, from: usize, to: usize) -> Option<AdjustmentSets<'_>> {
    let sets = graph.fitted.adjustment(from, to)?;
    let named = |set: &[usize]| set.iter().map(|&v| graph.names[v].as_str()).collect();
    Some(AdjustmentSets {
        optimal: named(&sets.optimal),
        minimal: named(&sets.minimal),
        parents: named(&sets.parents),
    })
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
        (_, [Effect { from, range: None, .. }]) => Some(format!(
            "the effect of `{from}` depends on undetermined directions: {others} may give another \
             value"
        )),
        (_, [Effect { from, .. }]) => Some(format!(
            "the effect of `{from}` depends on undetermined directions: the range has the values \
             that the graphs of the class give"
        )),
        _ if effects.iter().all(|effect| effect.identified || effect.range.is_some()) => {
            Some(format!(
                "{open} of {} effects, marked `undetermined`, depend on undetermined directions: \
                 the range has the values that the graphs of the class give",
                effects.len()
            ))
        }
        _ => Some(format!(
            "{open} of {} effects, marked `undetermined`, depend on undetermined directions: \
             {others} may give other values, and effects that are not listed",
            effects.len()
        )),
    }
}

fn one(graph: &Weighted, document: &Document<'_>, is_path: bool) -> String {
    let effect = &document.effects[0];
    let name = |name: &str| report::clean(&graph.scale(name));
    let (from, to) = (name(effect.from), name(effect.to));
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
    let mut text = report::line("Effect", &sentence);
    if let (Some(ends), Some(values)) = (effect.range, &effect.values) {
        let sets = report::count(values.len() as u64, "possible set");
        let words = format!("{} over {sets} of parents of `{from}`", interval(ends));
        text += &report::line("Range", &words);
    }
    if let Some(sets) = &effect.adjustment {
        let listed = |set: &[&str]| match set {
            [] => "nothing".to_string(),
            _ => set.iter().map(|name| report::clean(name)).collect::<Vec<_>>().join(", "),
        };
        let mut words = format!("{} (smallest variance)", listed(&sets.optimal));
        if sets.minimal != sets.optimal {
            words += &format!("; {} (fewest variables)", listed(&sets.minimal));
        }
        text += &report::line("Adjust", &words);
    }
    text
}

fn table(document: &Document<'_>) -> String {
    let effects = &document.effects;
    if effects.is_empty() {
        return report::line("Effects", "none: no directed path leads there");
    }
    let mut heading = ["from", "", "to", "effect"].map(String::from).to_vec();
    heading.extend(document.level.map(interval_heading));
    let ranged = effects.iter().any(|effect| effect.range.is_some());
    heading.extend(ranged.then(|| "range".to_string()));
    heading.push(String::new());
    let rows = effects.iter().take(SHOWN_EFFECTS).map(|effect| {
        let mark = if effect.identified { "" } else { "undetermined" };
        let size = report::number(effect.effect);
        let mut row = vec![effect.from.into(), "->".into(), effect.to.into(), size];
        row.extend(effect.interval.map(interval));
        if ranged {
            row.push(effect.range.map_or_else(String::new, interval));
        }
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
