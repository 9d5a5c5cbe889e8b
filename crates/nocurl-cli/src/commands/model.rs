//! A learnt graph as a model of rows: `nocurl score`, `predict`, `residuals` and `sample`.

use std::path::Path;

use nocurl::{Dataset, Mat, Run, Variable};
use nocurl_app::Fitted;
use nocurl_io::{
    GraphDocument, ReadOptions, RunFiles, Source, read_dataset, read_graph, write_table,
};
use serde_json::json;

use super::weighted::{on_scales, transformed};
use crate::args::{PredictArguments, ResidualsArguments, SampleArguments, ScoreArguments};
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;

/// A model from a file, with what is to be said of it.
struct Loaded {
    label: String,
    names: Vec<String>,
    model: Fitted,
    /// The variables that were learnt on another scale than that of the table.
    scales: Vec<Variable>,
    warnings: Vec<String>,
}

impl Loaded {
    fn read(path: &Path) -> Result<Self, Failure> {
        let graph: GraphDocument = read_graph(&Source::new(path))?;
        let label = report::clean(&path.to_string_lossy());
        let model = Fitted::new(&graph)?;
        model.model().map_err(|_| {
            Failure::Input(format!(
                "`{label}` has no weights, means and error variances, which a model needs: learn the \
                 graph with --output g.json and give that file"
            ))
        })?;
        let warnings = graph.linear_parts().into_iter().collect();
        let scales = transformed(&graph);
        Ok(Self { label, names: graph.variables, model, scales, warnings })
    }

    fn variable(&self, flag: &str, name: &str) -> Result<usize, Failure> {
        super::weighted::position(&self.names, &self.label, flag, name)
    }

    /// The columns of a table that are the variables of the model, in their order; of the variable
    /// `but` there may be none, and there are zeros instead.
    fn rows(&self, path: &Path, but: Option<usize>) -> Result<Mat<f64>, Failure> {
        let wanted: Vec<usize> = (0..self.names.len()).filter(|&j| Some(j) != but).collect();
        let columns = wanted.iter().map(|&j| self.names[j].clone()).collect();
        let options = ReadOptions { columns: Some(columns), ..ReadOptions::default() };
        let source = Source::of_tables(&[path])?;
        let table = read_dataset(&source, &options, &Run::default())?.data;
        let values = table.values();
        let place = |j: usize| wanted.iter().position(|&known| known == j);
        let places: Vec<Option<usize>> = (0..self.names.len()).map(place).collect();
        Ok(Mat::from_fn(values.nrows(), places.len(), |i, j| {
            places[j].map_or(0.0, |column| values[(i, column)])
        }))
    }
}

/// Runs `nocurl score`.
pub(crate) fn score(arguments: &ScoreArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    let outputs = Outputs::check("scores", &arguments.output, files)?;
    let loaded = Loaded::read(&arguments.graph)?;
    let rows = loaded.rows(&arguments.table, None)?;
    let each = loaded.model.log_likelihood(rows.as_ref())?;
    let score = each.iter().sum::<f64>() / each.len() as f64;
    let mut warnings = loaded.warnings.clone();
    warnings.extend(on_scales(&loaded.scales, "the score is of rows on"));
    let document = json!({
        "schema": "nocurl/score/1",
        "graph": loaded.label,
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
        "{} a row: the mean log-likelihood of {}; the higher, the better",
        report::number(score),
        report::count(each.len() as u64, "row")
    );
    report::print(&(report::line("Score", &words) + &report::warnings(&warnings)))
}

/// Runs `nocurl predict`.
pub(crate) fn predict(arguments: &PredictArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    files.writes("the table", &arguments.output).check()?;
    let loaded = Loaded::read(&arguments.graph)?;
    let variable = loaded.variable("--variable", &arguments.variable)?;
    let rows = loaded.rows(&arguments.table, Some(variable))?;
    let predicted = loaded.model.predict(rows.as_ref(), variable)?;
    let column = Mat::from_fn(predicted.len(), 1, |i, _| predicted[i]);
    write(&arguments.output, vec![arguments.variable.clone()], column, &loaded.warnings)
}

/// Runs `nocurl residuals`.
pub(crate) fn residuals(arguments: &ResidualsArguments) -> Result<(), Failure> {
    let files = reads(&arguments.graph, Some(&arguments.table));
    files.writes("the residuals", &arguments.output).check()?;
    let loaded = Loaded::read(&arguments.graph)?;
    let rows = loaded.rows(&arguments.table, None)?;
    let residuals = loaded.model.residuals(rows.as_ref())?;
    let mut warnings = loaded.warnings;
    warnings.extend(on_scales(&loaded.scales, "residuals are on"));
    write(&arguments.output, loaded.names, residuals, &warnings)
}

/// Runs `nocurl sample`.
pub(crate) fn sample(arguments: &SampleArguments) -> Result<(), Failure> {
    reads(&arguments.graph, None).writes("the table", &arguments.output).check()?;
    let loaded = Loaded::read(&arguments.graph)?;
    let rows = loaded.model.sample(arguments.rows as usize, arguments.seed)?;
    write(&arguments.output, loaded.names, rows, &loaded.warnings)
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
    names: Vec<String>,
    values: Mat<f64>,
    warnings: &[String],
) -> Result<(), Failure> {
    let count = report::count(values.nrows() as u64, "row");
    let table = Dataset::new(names, values)?;
    write_table(path, &table).map_err(|error| Failure::writing(&error))?;
    let words = format!("{}: {count}", report::clean(&path.to_string_lossy()));
    report::print(&(report::line("Wrote", &words) + &report::warnings(warnings)))
}
