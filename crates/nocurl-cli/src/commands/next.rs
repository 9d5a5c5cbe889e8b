//! `nocurl next`: which experiment would determine most directions.

use comfy_table::{CellAlignment, Table as Grid, presets};
use nocurl::Pdag;
use nocurl::next::{Next, WeightedClass, next};
use nocurl_io::{GraphDocument, RunFiles, Source, read_graph};
use serde_json::json;

use crate::args::NextArguments;
use crate::config::names;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report::{self, BOLD, FAINT};

/// Runs the command.
pub(crate) fn next_experiment(arguments: &NextArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("experiments", &arguments.output, files)?;
    let mut graph = read_graph(&Source::new(&arguments.graph))?;
    if let Some(experiments) = graph.experiments.clone() {
        graph = graph.without(&experiments.condition);
    }
    if arguments.targets == 0 {
        return Err(Failure::Input("--targets 0: an experiment acts on 1 variable at least".into()));
    }
    let candidates = candidates(arguments, &graph)?;
    let classes = classes(&graph)?;
    let found = next(&classes, &candidates, arguments.targets, arguments.seed)?;
    let name = |v: usize| graph.variables[v].clone();
    let rows: Vec<(String, f64, usize, usize)> = found
        .experiments
        .iter()
        .map(|one| {
            let targets: Vec<String> = one.targets.iter().map(|&v| name(v)).collect();
            (targets.join(" + "), one.settled, one.range.0, one.range.1)
        })
        .collect();
    let document = json!({
        "undetermined": found.undetermined,
        "graphs": found.graphs,
        "experiments": found.experiments.iter().map(|one| json!({
            "targets": one.targets.iter().map(|&v| name(v)).collect::<Vec<_>>(),
            "expected": one.settled,
            "least": one.range.0,
            "most": one.range.1,
        })).collect::<Vec<_>>(),
    });
    let json = format!("{document:#}\n");
    let records = rows.iter().map(|(targets, expected, least, most)| {
        vec![targets.clone(), expected.to_string(), least.to_string(), most.to_string()]
    });
    outputs.write(&json, &csv_text(&["targets", "expected", "least", "most"], records))?;
    match (arguments.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => report::print(&json),
        (false, false) => report::print(&summary(&found, &rows, arguments.top)),
    }
}

/// The variables that can be acted on.
fn candidates(arguments: &NextArguments, graph: &GraphDocument) -> Result<Vec<usize>, Failure> {
    let place = |name: &String| {
        graph.variables.iter().position(|variable| variable == name).ok_or_else(|| {
            let like = nocurl::error::closest(name, graph.variables.iter().map(String::as_str));
            let like = like.map_or_else(String::new, |like| format!(": did you mean `{like}`?"));
            Failure::Input(format!("`{}` is no variable of the graph{like}", report::clean(name)))
        })
    };
    let only = names("--only", &arguments.only)?;
    let never = names("--not", &arguments.not)?;
    let never = never.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let all = match only.is_empty() {
        true => (0..graph.variables.len()).collect(),
        false => only.iter().map(place).collect::<Result<Vec<_>, _>>()?,
    };
    let left: Vec<usize> = all.into_iter().filter(|v| !never.contains(v)).collect();
    match left.is_empty() {
        true => Err(Failure::Input("--not leaves no variable to act on".into())),
        false => Ok(left),
    }
}

/// The classes of the resampled tables, or that of the graph itself.
fn classes(graph: &GraphDocument) -> Result<Vec<WeightedClass>, Failure> {
    let place = |name: &String| graph.variables.iter().position(|variable| variable == name);
    let pairs = |list: &[[String; 2]]| -> Vec<(usize, usize)> {
        list.iter().filter_map(|[from, to]| Some((place(from)?, place(to)?))).collect()
    };
    let counted = graph.bootstrap.iter().flat_map(|bootstrap| &bootstrap.classes);
    let mut all = Vec::new();
    for class in counted {
        let d = graph.variables.len();
        let class_graph = Pdag::new(d, &pairs(&class.directed), &pairs(&class.undirected))?;
        all.push(WeightedClass { class: class_graph, weight: class.count as f64 });
    }
    if all.is_empty() {
        all.push(WeightedClass { class: graph.determined()?, weight: 1.0 });
    }
    Ok(all)
}

fn summary(found: &Next, rows: &[(String, f64, usize, usize)], top: usize) -> String {
    if found.undetermined == 0.0 {
        return "No direction is undetermined: no experiment is needed for that.\n".into();
    }
    let mut grid = Grid::new();
    grid.load_preset(presets::NOTHING);
    grid.set_header(["act on", "settles", "least", "most"]);
    for (targets, expected, least, most) in rows.iter().take(top) {
        let targets = report::clean(targets);
        grid.add_row([targets, format!("{expected:.2}"), least.to_string(), most.to_string()]);
    }
    for column in 1..4 {
        if let Some(column) = grid.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!(
        "{BOLD}{:.2}{BOLD:#} directions are undetermined, on average over {} graphs.\n\n{grid}\n\
         {FAINT}`settles` is how many of them an experiment on these variables is expected to \
         determine.{FAINT:#}\n",
        found.undetermined, found.graphs
    )
}
