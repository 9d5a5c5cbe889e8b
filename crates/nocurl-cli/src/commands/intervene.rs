//! `nocurl intervene`: the means of all variables after some are set.

use nocurl::{Determines, effects};
use nocurl_io::RunFiles;
use serde::Serialize;

use super::weighted::Weighted;
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
    variables: Vec<Moved<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Setting<'a> {
    variable: &'a str,
    value: f64,
}

#[derive(Serialize)]
struct Moved<'a> {
    variable: &'a str,
    before: f64,
    after: f64,
    difference: f64,
    identified: bool,
    /// The smallest and the largest mean in the graphs of the class, where it is undetermined.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    /// The means that these graphs give.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<f64>>,
}

/// Runs the command.
pub(crate) fn intervene(arguments: &InterveneArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("means", &arguments.output, files)?;
    let typed: Vec<(&str, f64)> =
        arguments.set.iter().map(|text| setting(text)).collect::<Result<_, _>>()?;
    let graph = Weighted::read(&arguments.graph)?;
    let Some(means) = &graph.means else {
        return Err(Failure::Input(format!(
            "`{}` has no means, which an intervention starts from: learn the graph with --output \
             g.json and give that file",
            graph.label
        )));
    };
    let set = settings(&graph, &typed)?;
    let after = effects::intervene(&graph.dag, means, &set)?;
    if let Some(broken) = after.iter().position(|mean| !mean.is_finite()) {
        return Err(Failure::Input(format!(
            "`{}`: the mean of `{}` leaves the range of numbers",
            graph.label, graph.names[broken]
        )));
    }
    let variables: Vec<usize> = set.iter().map(|&(variable, _)| variable).collect();
    let identified = effects::identified(&graph.determined, &variables);
    let open = identified.contains(&false);
    let members = if open { graph.fitted.interventions(&set)? } else { None };
    let mut warnings = graph.warnings.clone();
    warnings.extend(undetermined(&graph, &identified, members.is_some()));
    let document = Document {
        schema: "nocurl/intervention/2",
        graph: &graph.label,
        determines: graph.determines,
        set: typed.iter().map(|&(variable, value)| Setting { variable, value }).collect(),
        variables: moved(&graph.names, [means, &after], &identified, members.as_deref()),
        warnings: &warnings,
    };
    let json = report::json(&document)?;
    let records = document.variables.iter().map(|moved| {
        let numbers = [moved.before, moved.after, moved.difference].map(|x| format!("{x:?}"));
        let mut record = vec![moved.variable.to_string()];
        record.extend(numbers);
        record.push(moved.identified.to_string());
        record
            .extend([0, 1].map(|end| {
                moved.range.map_or_else(String::new, |ends| format!("{:?}", ends[end]))
            }));
        record
    });
    let heading = ["variable", "before", "after", "difference", "identified", "least", "most"];
    outputs.write(&json, &csv_text(&heading, records))?;
    if arguments.json {
        return report::print(&json);
    }
    let settings: Vec<String> =
        typed.iter().map(|(name, value)| format!("{} = {value}", report::clean(name))).collect();
    let mut text = graph.headline();
    text += &report::line("Set", &settings.join(", "));
    text += &format!("\n{}", table(&document.variables, &variables));
    text += &report::warnings(&warnings);
    report::print(&text)
}

/// What becomes of each variable.
fn moved<'a>(
    names: &'a [String],
    [means, after]: [&[f64]; 2],
    identified: &[bool],
    members: Option<&[Vec<f64>]>,
) -> Vec<Moved<'a>> {
    let of_members = |i: usize| members.filter(|_| !identified[i]);
    (0..after.len())
        .map(|i| Moved {
            variable: &names[i],
            before: means[i],
            after: after[i],
            difference: after[i] - means[i],
            identified: identified[i],
            range: of_members(i).map(|rows| nocurl_app::ranges(rows, i)),
            values: of_members(i).map(|rows| rows.iter().map(|row| row[i]).collect()),
        })
        .collect()
}

/// The variables that are set, by their positions.
fn settings(graph: &Weighted, typed: &[(&str, f64)]) -> Result<Vec<(usize, f64)>, Failure> {
    let mut set: Vec<(usize, f64)> = Vec::new();
    for &(name, value) in typed {
        let variable = graph.variable("--do", name)?;
        if set.iter().any(|&(known, _)| known == variable) {
            return Err(Failure::Input(format!("--do {name}: it is set twice")));
        }
        set.push((variable, value));
    }
    Ok(set)
}

/// What is to be said of means that depend on undetermined directions.
fn undetermined(graph: &Weighted, identified: &[bool], ranged: bool) -> Option<String> {
    let count = identified.iter().filter(|&&identified| !identified).count();
    (count > 0).then(|| {
        format!(
            "{}, marked `undetermined`, depend{} on undetermined directions: {}",
            report::count(count as u64, "mean"),
            if count == 1 { "s" } else { "" },
            match ranged {
                true => "the range has the values that the graphs of the class give".to_string(),
                false => format!("{} may give other values", graph.others()),
            }
        )
    })
}

/// `X=1`: a variable and its value. A name may hold `=`, a number cannot.
fn setting(text: &str) -> Result<(&str, f64), Failure> {
    let refused = |reason| Failure::Input(format!("--do {text}: {reason}"));
    let (name, value) =
        text.rsplit_once('=').ok_or_else(|| refused("write --do VARIABLE=VALUE"))?;
    let value: f64 = value.trim().parse().map_err(|_| refused("the value is not a number"))?;
    if value.is_finite() {
        Ok((name.trim(), value))
    } else {
        Err(refused("the value must be a finite number"))
    }
}

fn table(variables: &[Moved<'_>], set: &[usize]) -> String {
    let ranged = variables.iter().any(|moved| moved.range.is_some());
    let mut heading = ["variable", "before", "after", "difference"].map(String::from).to_vec();
    heading.extend(ranged.then(|| "range after".to_string()));
    heading.push(String::new());
    let rows = variables.iter().enumerate().map(|(i, moved)| {
        let mark = match moved.identified {
            _ if set.contains(&i) => "set",
            true => "",
            false => "undetermined",
        };
        let [before, after, difference] =
            [moved.before, moved.after, moved.difference].map(report::number);
        let mut row = vec![moved.variable.into(), before, after, difference];
        if ranged {
            row.push(moved.range.map_or_else(String::new, interval));
        }
        row.push(mark.into());
        row
    });
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
    report::grid(&rows, &[1, 2, 3])
}
