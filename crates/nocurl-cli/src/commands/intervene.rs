//! `nocurl intervene`: the means of all variables after some are set.

use nocurl::error::closest;
use nocurl::{Determines, Kind, Variable, effects};
use nocurl_app::to_scale;
use nocurl_io::RunFiles;
use serde::Serialize;
use serde_json::Value;

use super::weighted::{Weighted, medians};
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
    /// A number, or the name of a level.
    value: Value,
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
    let typed: Vec<(&str, &str)> =
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
    // The model of the class has no columns of levels.
    let ranged = open && graph.variables.is_plain();
    let members = if ranged { graph.fitted.interventions(&set)? } else { None };
    let mut warnings = graph.warnings.clone();
    warnings.extend(undetermined(&graph, &identified, members.is_some()));
    warnings.extend(medians(&graph.scales));
    let means: Vec<f64> = in_units(&graph, means);
    let after = in_units(&graph, &after);
    let members: Option<Vec<Vec<f64>>> =
        members.map(|rows| rows.iter().map(|row| in_units(&graph, row)).collect());
    let document = Document {
        schema: "nocurl/intervention/2",
        graph: &graph.label,
        determines: graph.determines,
        set: typed
            .iter()
            .map(|&(variable, value)| Setting { variable, value: given(value) })
            .collect(),
        variables: moved(&graph.names, [&means, &after], &identified, members.as_deref()),
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

/// Means in the units of the table.
fn in_units(graph: &Weighted, means: &[f64]) -> Vec<f64> {
    let columns = graph.names.iter().zip(means);
    columns.map(|(name, &mean)| graph.untransformed(name, mean)).collect()
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

/// The columns that are set, by their positions: one for a number, all of the block for a level.
fn settings(graph: &Weighted, typed: &[(&str, &str)]) -> Result<Vec<(usize, f64)>, Failure> {
    let (mut set, mut known): (Vec<(usize, f64)>, Vec<usize>) = (Vec::new(), Vec::new());
    for &(name, value) in typed {
        let names = graph.variables.names();
        let Some(v) = names.iter().position(|known| known == name) else {
            let mut reason = format!("--do {name}: `{}` has no such variable", graph.label);
            if let Some(like) = closest(name, names.iter().map(String::as_str)) {
                reason += &format!("; did you mean `{like}`?");
            }
            return Err(Failure::Input(reason));
        };
        if known.contains(&v) {
            return Err(Failure::Input(format!("--do {name}: it is set twice")));
        }
        known.push(v);
        let variable = &graph.variables.list()[v];
        let columns = graph.variables.columns(v);
        match (variable.level(value), variable.kind) {
            (Some(level), Kind::Categorical) => {
                set.extend(
                    columns
                        .enumerate()
                        .map(|(offset, column)| (column, f64::from(u8::from(offset + 1 == level)))),
                );
            }
            (Some(level), _) => set.push((columns.start, level as f64)),
            (None, Kind::Categorical) => return Err(no_level(variable, value)),
            (None, _) => {
                let value = to_scale(variable, number(variable, value)?)?;
                set.push((columns.start, value));
            }
        }
    }
    Ok(set)
}

/// A finite number, for a variable that is one.
fn number(variable: &Variable, value: &str) -> Result<f64, Failure> {
    let refused = |reason| Failure::Input(format!("--do {}={value}: {reason}", variable.name));
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(refused("the value must be a finite number")),
        Err(_) if variable.is_discrete() => Err(no_level(variable, value)),
        Err(_) => Err(refused("the value is not a number")),
    }
}

fn no_level(variable: &Variable, value: &str) -> Failure {
    let levels: Vec<String> = variable.levels.iter().map(|level| format!("`{level}`")).collect();
    let (name, levels) = (&variable.name, levels.join(", "));
    Failure::Input(format!("--do {name}={value}: `{name}` has no such level; it has {levels}"))
}

/// A value as JSON has it.
fn given(value: &str) -> Value {
    value.parse::<f64>().map_or_else(|_| value.into(), Value::from)
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

/// `X=1`, `species=Adelie`: a variable and its value. A name may hold `=`, a value cannot.
fn setting(text: &str) -> Result<(&str, &str), Failure> {
    match text.rsplit_once('=') {
        Some((name, value)) => Ok((name.trim(), value.trim())),
        None => Err(Failure::Input(format!("--do {text}: write --do VARIABLE=VALUE"))),
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
