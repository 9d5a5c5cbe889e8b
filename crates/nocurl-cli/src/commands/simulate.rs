//! `nocurl simulate`: a random graph, and data drawn from it.

use nocurl::simulate::simulate_experiments;
use nocurl::{Dag, Dataset, Pdag};
use nocurl_io::{Class, GraphDocument, format_targets, write_graph, write_table, write_text};
use serde_json::Value;

use crate::config::Simulate;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;

/// Runs the command.
pub(crate) fn simulate(config: Simulate) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet);
    let drawn = draw(&config)?;
    let names: Vec<String> = drawn
        .data
        .names()
        .iter()
        .skip(drawn.data.names().len() - drawn.truth.size())
        .cloned()
        .collect();
    let truth = GraphDocument {
        class: Some(Class::new(&names, &Pdag::class_of(&drawn.truth))),
        directions: "All directions are determined: the data were drawn from this graph.".into(),
        method: "simulate".into(),
        parameters: serde_json::to_value(&config.simulation).unwrap_or(Value::Null),
        seed: config.seed,
        ..GraphDocument::new(&names, &drawn.truth, &Pdag::of_dag(&drawn.truth))
    };
    watch.finish()?;
    write_table(&config.output, &drawn.data).map_err(|error| Failure::writing(&error))?;
    for path in &config.truth {
        write_graph(path, &truth).map_err(|error| Failure::writing(&error))?;
    }
    if let (Some(path), Some(targets)) = (&config.targets, &drawn.targets) {
        write_text(path, targets).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    let (rows, columns) = (drawn.data.values().nrows(), drawn.truth.size());
    let mut text = report::line(
        "Drew",
        &format!(
            "{} among {columns} variables, and {} of data",
            report::count(truth.edges.len() as u64, "edge"),
            report::count(rows as u64, "row")
        ),
    );
    let files: Vec<String> = std::iter::once(&config.output)
        .chain(&config.truth)
        .chain(&config.targets)
        .map(|path| report::clean(&path.to_string_lossy()))
        .collect();
    text += &report::line("Wrote", &files.join(", "));
    report::print(&text)
}

/// A graph, a table, and what its conditions act on.
struct Drawn {
    truth: Dag,
    data: Dataset,
    targets: Option<String>,
}

fn draw(config: &Simulate) -> Result<Drawn, Failure> {
    let Some(interventions) = &config.interventions else {
        let drawn = nocurl::simulate::simulate(&config.simulation, config.seed)?;
        return Ok(Drawn { truth: drawn.truth, data: drawn.data, targets: None });
    };
    let drawn = simulate_experiments(&config.simulation, interventions, config.seed)?;
    let levels = drawn.data.variables().list()[0].levels.clone();
    let targets = format_targets(levels.iter().map(String::as_str), &drawn.experiments.targets);
    Ok(Drawn { truth: drawn.truth, data: drawn.data, targets: Some(targets) })
}
