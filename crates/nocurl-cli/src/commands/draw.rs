//! `nocurl draw`: a picture of a graph, or of a part of it.

use nocurl_app::View;
use nocurl_io::{GraphDocument, GraphFormat, RunFiles, Source, read_graph, write_graph};

use crate::args::DrawArguments;
use crate::config;
use crate::failure::Failure;
use crate::output::OUTPUT;
use crate::report;

/// Runs the command.
pub(crate) fn draw(arguments: DrawArguments) -> Result<(), Failure> {
    let mut files = RunFiles::default().reads("the graph", &arguments.graph);
    for output in &arguments.output {
        GraphFormat::of_path(output)?;
        files = files.writes(OUTPUT, output);
    }
    files.check()?;
    let view = View {
        min_confidence: arguments.min_confidence,
        around: config::names("--around", &arguments.around)?,
        depth: arguments.depth,
    };
    let graph = read_graph(&Source::new(&arguments.graph))?;
    let part = view.of(&graph)?;
    for output in &arguments.output {
        write_graph(output, &part).map_err(|error| Failure::writing(&error))?;
    }
    if arguments.quiet {
        return Ok(());
    }
    let size = |graph: &GraphDocument| {
        let edges = report::count(graph.edges.len() as u64, "edge");
        format!("{edges} among {}", report::count(graph.variables.len() as u64, "variable"))
    };
    let path = report::clean(&arguments.graph.to_string_lossy());
    let mut text = report::line("Graph", &format!("{path}: {}", size(&graph)));
    if part != graph {
        text += &report::line("Shown", &size(&part));
    }
    let files: Vec<String> =
        arguments.output.iter().map(|path| report::clean(&path.to_string_lossy())).collect();
    text += &report::line("Wrote", &files.join(", "));
    text += &report::warnings(&warnings(&arguments, &part));
    report::print(&text)
}

/// What cannot be seen in the picture.
fn warnings(arguments: &DrawArguments, part: &GraphDocument) -> Vec<String> {
    let printed = |ending: &str| {
        arguments
            .output
            .iter()
            .any(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending)))
    };
    let mut warnings = Vec::new();
    if part.edges.is_empty() {
        warnings.push("nothing is connected: the picture has no edges".to_string());
    }
    let strange = part.variables.iter().find(|name| !nocurl_render::is_printable(name));
    if let Some(name) = strange.filter(|_| printed("png") || printed("pdf")) {
        warnings.push(format!(
            "the font of .png and .pdf lacks letters of `{name}`, which are empty boxes there; .svg \
             shows them"
        ));
    }
    warnings
}
