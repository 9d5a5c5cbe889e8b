//! A learnt graph as a model of rows: `nocurl score`, `predict`, `residuals` and `sample`.

use std::path::Path;

use nocurl::model::Prediction;
use nocurl::{Mat, Run, Variable, Variables};
use nocurl_io::{RunFiles, Source, write_rows};
use serde_json::json;

use super::loaded::Loaded;
use crate::args::{
    PredictArguments, ResidualsArguments, SampleArguments, ScoreArguments, UnknownLevel,
};
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;

/// A graph that must be a whole model.
fn load(path: &Path) -> Result<Loaded, Failure> {
    let graph = Loaded::read(path)?;
    graph.answers.model().map_err(|error| graph.failed(error))?;
    Ok(graph)
}

/// The rows of a table as the variables of a graph.
fn rows(
    graph: &Loaded,
    table: &Path,
    predicted: Option<usize>,
    unknown: UnknownLevel,
) -> Result<Mat<f64>, Failure> {
    let source = Source::of_tables(&[table])?;
    let as_missing = unknown == UnknownLevel::Missing;
    Ok(graph.answers.read(&source, predicted, as_missing, &Run::default())?)
}

/// Runs `nocurl score`.
pub(crate) fn score(arguments: &ScoreArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    let outputs = Outputs::check("scores", &arguments.output, files)?;
    let graph = load(&arguments.graph)?;
    let rows = rows(&graph, &arguments.table, None, arguments.unknown_level)?;
    if rows.nrows() == 0 {
        return Err(nocurl::Error::TooFewRows { rows: 0, needed: 1 }.into());
    }
    let each = graph.answers.log_likelihood(rows.as_ref())?;
    let score = each.iter().sum::<f64>() / each.len() as f64;
    let mut warnings = graph.answers.notes().to_vec();
    warnings.extend(graph.answers.scales("the score is of rows on"));
    let document = json!({
        "schema": "nocurl/score/1",
        "graph": graph.label,
        "rows": each.len(),
        "score": score,
        "log_likelihood": each,
        "warnings": warnings,
    });
    let text = report::json(&document)?;
    let records =
        each.iter().enumerate().map(|(i, value)| vec![(i + 1).to_string(), format!("{value:?}")]);
    outputs.write(&text, &csv_text(&["row", "log_likelihood"], records))?;
    if arguments.json {
        return report::print(&text);
    }
    let words = format!(
        "{} per row: the mean log-likelihood of {}; higher is better",
        report::number(score),
        report::count(each.len() as u64, "row")
    );
    report::print(&(report::line("Score", &words) + &report::warnings(&warnings)))
}

/// Runs `nocurl predict`.
pub(crate) fn predict(arguments: &PredictArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    files.writes("the table", &arguments.output).check()?;
    let graph = load(&arguments.graph)?;
    let variable = graph.variable("--variable", &arguments.variable)?;
    let rows = rows(&graph, &arguments.table, Some(variable), arguments.unknown_level)?;
    let (columns, values) = match graph.answers.predict(rows.as_ref(), variable)? {
        Prediction::Numbers(found) => {
            let name = match graph.answers.model()?.answer_levels(variable)[..] {
                [level] => graph.answers.column_name(variable, level),
                _ => arguments.variable.clone(),
            };
            let column = Mat::from_fn(found.len(), 1, |i, _| found[i]);
            (vec![Variable::continuous(name)], column)
        }
        Prediction::Levels(chances) => {
            let known = graph.answers.model()?.variables().list()[variable].clone();
            let best = |i: usize| {
                let row = (0..chances.ncols()).map(|level| (level, chances[(i, level)]));
                row.fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best }).0 as f64
            };
            let probability =
                |level| Variable::continuous(graph.answers.column_name(variable, Some(level)));
            let columns = std::iter::once(known).chain((0..chances.ncols()).map(probability));
            let values = Mat::from_fn(chances.nrows(), chances.ncols() + 1, |i, j| match j {
                0 => best(i),
                _ => chances[(i, j - 1)],
            });
            (columns.collect(), values)
        }
    };
    write(&arguments.output, columns, &values, graph.answers.notes())
}

/// Runs `nocurl residuals`.
pub(crate) fn residuals(arguments: &ResidualsArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    files.writes("the residuals", &arguments.output).check()?;
    let graph = load(&arguments.graph)?;
    let rows = rows(&graph, &arguments.table, None, arguments.unknown_level)?;
    let found = graph.answers.residuals(rows.as_ref())?;
    let column = |&(v, level): &(usize, Option<usize>)| {
        Variable::continuous(graph.answers.column_name(v, level))
    };
    let columns = found.columns.iter().map(column).collect();
    let mut warnings = graph.answers.notes().to_vec();
    warnings.extend(graph.answers.scales("residuals are on"));
    write(&arguments.output, columns, &found.values, &warnings)
}

/// Runs `nocurl sample`.
pub(crate) fn sample(arguments: &SampleArguments) -> Result<(), Failure> {
    reads(&arguments.graph, None).writes("the table", &arguments.output).check()?;
    let graph = load(&arguments.graph)?;
    let rows = graph.answers.sample(arguments.rows as usize, arguments.seed)?;
    let model = graph.answers.model()?;
    write(&arguments.output, model.variables().list().to_vec(), &rows, graph.answers.notes())
}

/// The files that are read, none of which may be written.
fn reads(graph: &Path, table: Option<&Path>) -> RunFiles {
    let files = RunFiles::default().reads("the graph", graph);
    match table {
        Some(table) => files.reads("the table", table),
        None => files,
    }
}

fn write(
    path: &Path,
    columns: Vec<Variable>,
    values: &Mat<f64>,
    warnings: &[String],
) -> Result<(), Failure> {
    let count = report::count(values.nrows() as u64, "row");
    write_rows(path, &Variables::new(columns), values.as_ref())
        .map_err(|error| Failure::writing(&error))?;
    let words = format!("{}: {count}", report::clean(&path.to_string_lossy()));
    report::print(&(report::line("Wrote", &words) + &report::warnings(warnings)))
}
