//! `nocurl simulate`: a random graph, and data drawn from it.

use nocurl::Pdag;
use nocurl_io::{Class, GraphDocument, write_graph, write_table};
use serde_json::Value;

use crate::config::Simulate;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;

/// Runs the command.
pub(crate) fn simulate(config: Simulate) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet);
    let drawn = nocurl::simulate::simulate(&config.simulation, config.seed)?;
    let truth = GraphDocument {
        class: Some(Class::new(drawn.data.names(), &Pdag::class_of(&drawn.truth))),
        directions: "All directions are determined: the data were drawn from this graph.".into(),
        method: "simulate".into(),
        parameters: serde_json::to_value(&config.simulation).unwrap_or(Value::Null),
        seed: config.seed,
        ..GraphDocument::new(drawn.data.names(), &drawn.truth, &Pdag::of_dag(&drawn.truth))
    };
    watch.finish()?;
    write_table(&config.output, &drawn.data).map_err(|error| Failure::writing(&error))?;
    for path in &config.truth {
        write_graph(path, &truth).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    let (rows, columns) = drawn.data.values().shape();
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
        .map(|path| report::clean(&path.to_string_lossy()))
        .collect();
    text += &report::line("Wrote", &files.join(", "));
    report::print(&text)
}
