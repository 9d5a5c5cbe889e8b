//! `nocurl intervene`: what is expected of all variables after some are set.

use nocurl::Determines;
use nocurl_app::Moved;
use nocurl_io::RunFiles;
use serde::Serialize;

use super::loaded::Loaded;
use crate::args::InterveneArguments;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;
use crate::support::interval;

/// The JSON form, documented in `docs/effects.md`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    graph: &'a str,
    determines: Determines,
    #[serde(rename = "do")]
    set: Vec<Setting<'a>>,
    variables: &'a [Moved],
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Setting<'a> {
    variable: &'a str,
    /// As it was typed: a number, or the name of a level.
    value: serde_json::Value,
}

/// Runs the command.
pub(crate) fn intervene(arguments: &InterveneArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("means", &arguments.output, files)?;
    let graph = Loaded::read(&arguments.graph)?;
    let typed: Vec<(&str, &str)> = arguments
        .set
        .iter()
        .map(|text| setting(text, &graph.document.variables))
        .collect::<Result<_, _>>()?;
    for (at, (name, value)) in typed.iter().enumerate() {
        graph.variable("--do", name)?;
        if typed[..at].iter().any(|(other, _)| other == name) {
            return Err(Failure::Input(format!("--do {name}: it is set twice")));
        }
        if let Err(error) = graph.answers.value(name, value) {
            let nocurl_app::Error::Io(error) = error else { return Err(graph.failed(error)) };
            return Err(Failure::Input(format!("--do {name}={value}: {error}")));
        }
    }
    let found = graph.answers.intervene(&typed).map_err(|error| graph.failed(error))?;
    let document = Document {
        schema: "nocurl/intervention/3",
        graph: &graph.label,
        determines: graph.document.determines,
        set: typed
            .iter()
            .map(|(variable, value)| Setting {
                variable,
                value: value.parse::<f64>().map_or_else(|_| (*value).into(), Into::into),
            })
            .collect(),
        variables: &found.variables,
        warnings: &found.warnings,
    };
    let json = report::json(&document)?;
    let records = found.variables.iter().map(|moved| {
        let end = |at: usize| {
            moved.range.map_or_else(String::new, |ends: [f64; 2]| format!("{:?}", ends[at]))
        };
        vec![
            moved.variable.clone(),
            moved.level.clone().unwrap_or_default(),
            format!("{:?}", moved.before),
            format!("{:?}", moved.after),
            format!("{:?}", moved.difference),
            moved.identified.to_string(),
            end(0),
            end(1),
        ]
    });
    let heading =
        ["variable", "level", "before", "after", "difference", "identified", "least", "most"];
    outputs.write(&json, &csv_text(&heading, records))?;
    if arguments.json {
        return report::print(&json);
    }
    let settings: Vec<String> =
        typed.iter().map(|(name, value)| format!("{} = {value}", report::clean(name))).collect();
    let mut text = graph.headline();
    text += &report::line("Set", &settings.join(", "));
    text += &format!("\n{}", table(&found.variables));
    if found.variables.iter().any(|moved| moved.level.is_some()) {
        text += "\nOf a level the numbers are probabilities.\n";
    }
    text += &report::warnings(&found.warnings);
    report::print(&text)
}

/// `X=1`, `species=Adelie`: a variable and its value. Where both may hold `=`, the split is the one
/// that names a variable.
fn setting<'a>(text: &'a str, variables: &[String]) -> Result<(&'a str, &'a str), Failure> {
    let splits: Vec<(&str, &str)> =
        text.match_indices('=').map(|(at, _)| (text[..at].trim(), text[at + 1..].trim())).collect();
    let named =
        splits.iter().rev().copied().find(|(name, _)| variables.iter().any(|known| known == name));
    let last = || text.rsplit_once('=').map(|(name, value)| (name.trim(), value.trim()));
    named
        .or_else(last)
        .ok_or_else(|| Failure::Input(format!("--do {text}: write --do VARIABLE=VALUE")))
}

fn table(variables: &[Moved]) -> String {
    let ranged = variables.iter().any(|moved| moved.range.is_some());
    let mut heading = ["variable", "before", "after", "difference"].map(String::from).to_vec();
    heading.extend(ranged.then(|| "range after".to_string()));
    heading.push(String::new());
    let rows = variables.iter().map(|moved| {
        let mark = match moved.identified {
            _ if moved.set => "set",
            true => "",
            false => "undetermined",
        };
        let [before, after, difference] =
            [moved.before, moved.after, moved.difference].map(report::number);
        let name = moved
            .level
            .as_ref()
            .map_or_else(|| moved.variable.clone(), |level| format!("{}={level}", moved.variable));
        let mut row = vec![name, before, after, difference];
        if ranged {
            row.push(moved.range.map_or_else(String::new, interval));
        }
        row.push(mark.into());
        row
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    report::grid(&rows, &[1, 2, 3])
}
