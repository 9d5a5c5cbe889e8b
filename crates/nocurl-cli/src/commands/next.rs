//! `nocurl next`: which experiment would determine most directions.

use comfy_table::{CellAlignment, Table as Grid, presets};
use nocurl::next::Next;
use nocurl_app::{NextRequest, describe_next};
use nocurl_io::{RunFiles, Source, read_graph};

use crate::args::NextArguments;
use crate::config::names;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report::{self, BOLD, FAINT};

/// Runs the command.
pub(crate) fn next_experiment(arguments: &NextArguments) -> Result<(), Failure> {
    let files = RunFiles::default().reads("the graph", &arguments.graph);
    let outputs = Outputs::check("experiments", &arguments.output, files)?;
    let request = NextRequest {
        targets: arguments.targets,
        only: names("--only", &arguments.only)?,
        never: names("--not", &arguments.not)?,
        seed: arguments.seed,
    };
    let graph = read_graph(&Source::new(&arguments.graph))?;
    let (found, names) = request.propose(graph)?;
    let json = format!("{:#}\n", describe_next(&found, &names));
    let row = |one: &nocurl::next::NextExperiment| {
        let targets: Vec<&str> = one.targets.iter().map(|&v| names[v].as_str()).collect();
        let (least, most) = one.range;
        [targets.join(" + "), format!("{:.2}", one.settled), least.to_string(), most.to_string()]
    };
    let rows: Vec<[String; 4]> = found.experiments.iter().map(row).collect();
    let records = rows.iter().map(|row| row.to_vec());
    outputs.write(&json, &csv_text(&["targets", "expected", "least", "most"], records))?;
    match (arguments.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => report::print(&json),
        (false, false) => report::print(&summary(&found, &rows, arguments.top)),
    }
}

fn summary(found: &Next, rows: &[[String; 4]], top: usize) -> String {
    if found.undetermined == 0.0 {
        return "No direction is undetermined: no experiment is needed for that.\n".into();
    }
    let mut grid = Grid::new();
    grid.load_preset(presets::NOTHING);
    grid.set_header(["act on", "settles", "least", "most"]);
    for [targets, expected, least, most] in rows.iter().take(top) {
        grid.add_row([&report::clean(targets), expected, least, most]);
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
