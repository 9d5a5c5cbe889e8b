//! `nocurl effects`: what a change of one variable does to another, along all paths.

use std::collections::BTreeMap;

use nocurl::Determines;
use nocurl_app::{AdjustmentSets, EffectEntry, Effects};
use nocurl_io::RunFiles;
use serde::Serialize;

use super::loaded::Loaded;
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
    level: f64,
    effects: &'a [EffectEntry],
    /// Sets to adjust for, where one effect is asked for and it is determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustment: Option<&'a AdjustmentSets>,
    /// The scales of variables that were learnt on another scale than that of the table.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    scales: BTreeMap<String, String>,
    warnings: &'a [String],
}

/// Runs the command.
pub(crate) fn effects(arguments: &EffectsArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("effects", &arguments.output, files)?;
    let graph = Loaded::read(&arguments.graph)?;
    for (flag, name) in [("--from", &arguments.from), ("--to", &arguments.to)] {
        name.as_ref().map(|name| graph.variable(flag, name)).transpose()?;
    }
    let (from, to) = (arguments.from.as_deref(), arguments.to.as_deref());
    let found = graph.answers.effects(from, to).map_err(|error| graph.failed(error))?;
    let adjustment = match (from, to) {
        (Some(from), Some(to)) => graph.answers.adjustment(from, to)?,
        _ => None,
    };
    let transformed = graph.answers.transformed();
    let document = Document {
        schema: "nocurl/effects/3",
        graph: &graph.label,
        determines: graph.document.determines,
        level: found.level,
        effects: &found.effects,
        adjustment: adjustment.as_ref(),
        scales: transformed.iter().map(|of| (of.name.clone(), of.scale())).collect(),
        warnings: &found.warnings,
    };
    let json = report::json(&document)?;
    let records = found.effects.iter().map(|effect| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let end = |ends: Option<[f64; 2]>, at: usize| {
            ends.map_or_else(String::new, |ends| format!("{:?}", ends[at]))
        };
        vec![
            effect.from.clone(),
            text(&effect.from_level),
            text(&effect.from_base),
            effect.to.clone(),
            text(&effect.to_level),
            format!("{:?}", effect.effect),
            end(effect.interval, 0),
            end(effect.interval, 1),
            effect.identified.to_string(),
            end(effect.range, 0),
            end(effect.range, 1),
        ]
    });
    let heading = [
        "from",
        "from_level",
        "from_base",
        "to",
        "to_level",
        "effect",
        "lower",
        "upper",
        "identified",
        "least",
        "most",
    ];
    outputs.write(&json, &csv_text(&heading, records))?;
    if arguments.json {
        return report::print(&json);
    }
    let mut text = graph.headline();
    text += &match (from, to) {
        (Some(_), Some(_)) => single(&graph, &found, adjustment.as_ref()),
        _ => table(&found),
    };
    text += &report::warnings(&found.warnings);
    report::print(&text)
}

/// The name of one end, with its level.
fn end(name: &str, level: Option<&String>) -> String {
    level.map_or_else(|| name.to_string(), |level| format!("{name}={level}"))
}

/// One effect in sentences.
fn single(graph: &Loaded, found: &Effects, adjustment: Option<&AdjustmentSets>) -> String {
    let transformed = graph.answers.transformed();
    let scale = |name: &str| {
        let known = transformed.iter().find(|variable| variable.name == name);
        report::clean(&known.map_or_else(|| name.to_string(), |variable| variable.scale()))
    };
    let mut text = String::new();
    for effect in &found.effects {
        let size = report::number(effect.effect);
        let between = effect.interval.map_or_else(String::new, |ends| {
            format!(" ({} {})", interval_heading(found.level), interval(ends))
        });
        let (from, to) = (scale(&effect.from), scale(&effect.to));
        let target = match &effect.to_level {
            Some(level) => format!("the probability of `{to}` = `{}`", report::clean(level)),
            None => format!("`{to}`"),
        };
        let change = match (&effect.from_level, &effect.from_base) {
            (Some(level), Some(base)) => format!(
                "a change of `{from}` from `{}` to `{}` changes {target} by {size}",
                report::clean(base),
                report::clean(level)
            ),
            _ => format!("one unit more of `{from}` changes {target} by {size}"),
        };
        let sentence = match effect.path {
            true => format!("{size}{between}: {change}, along all paths"),
            false => format!("0: there is no directed path from `{from}` to `{to}`"),
        };
        text += &report::line("Effect", &sentence);
        if let (Some(ends), Some(values)) = (effect.range, &effect.values) {
            let sets = report::count(values.len() as u64, "possible set");
            let words = format!("{} over {sets} of parents of `{from}`", interval(ends));
            text += &report::line("Range", &words);
        }
        if !effect.path {
            break;
        }
    }
    if let Some(sets) = adjustment {
        let listed = |set: &[String]| match set {
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

fn table(found: &Effects) -> String {
    let effects = &found.effects;
    if effects.is_empty() {
        return report::line("Effects", "none: no directed path leads there");
    }
    let levels = effects.iter().any(|effect| effect.from_level.is_some());
    let measured = effects.iter().any(|effect| effect.interval.is_some());
    let ranged = effects.iter().any(|effect| effect.range.is_some());
    let mut heading = ["from", "", "to", "effect"].map(String::from).to_vec();
    heading.extend(levels.then(|| "compared with".to_string()));
    heading.extend(measured.then(|| interval_heading(found.level)));
    heading.extend(ranged.then(|| "range".to_string()));
    heading.push(String::new());
    let rows = effects.iter().take(SHOWN_EFFECTS).map(|effect| {
        let mark = if effect.identified { "" } else { "undetermined" };
        let mut row = vec![
            end(&effect.from, effect.from_level.as_ref()),
            "->".into(),
            end(&effect.to, effect.to_level.as_ref()),
            report::number(effect.effect),
        ];
        if levels {
            row.push(effect.from_base.clone().unwrap_or_default());
        }
        if measured {
            row.push(effect.interval.map_or_else(String::new, interval));
        }
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
    if levels {
        text += "For levels it is the change from the level that it is compared with.\n";
    }
    text
}
