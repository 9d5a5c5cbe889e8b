//! `nocurl evaluate`: an estimated graph against the true one.

use std::path::Path;

use nocurl::metrics::{Comparison, compare_as};
use nocurl::{Claim, Dag, Mat};
use nocurl_io::{Graph, Source, read_graph};
use serde_json::Value;

use super::weighted::dag;
use crate::args::EvaluateArguments;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;

/// Runs the command.
pub(crate) fn evaluate(arguments: &EvaluateArguments) -> Result<(), Failure> {
    let outputs = Outputs::check("scores", &arguments.output)?;
    let truth = Side::read(&arguments.truth)?;
    let estimate = Side::read(&arguments.estimate)?;
    let (names, note) = shared_names(&truth, &estimate)?;
    let claim = estimate.graph.claim;
    let comparison = compare_as(&truth.dag(&names)?, &estimate.dag(&names)?, claim)?;
    let scores = match serde_json::to_value(comparison) {
        Ok(Value::Object(mut scores)) => {
            scores.insert("variables".into(), names.len().into());
            scores.insert("claim".into(), serde_json::to_value(claim).unwrap_or(Value::Null));
            scores
        }
        _ => return Err(Failure::Other("the scores cannot be written as JSON".into())),
    };
    let json = format!("{:#}\n", Value::Object(scores.clone()));
    let records = scores.iter().map(|(name, value)| {
        vec![name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_string)]
    });
    outputs.write(&json, &csv_text(&["score", "value"], records))?;
    match (arguments.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => report::print(&json),
        (false, false) => report::print(&summary(arguments, &names, &comparison, claim, note)),
    }
}

/// One of the two graphs.
struct Side {
    label: String,
    graph: Graph,
    /// Whether the file may have left out variables without edges, as an edge list does.
    partial: bool,
}

impl Side {
    fn read(path: &Path) -> Result<Self, Failure> {
        let graph = read_graph(&Source::new(path))?;
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let lists_edges = matches!(extension.as_str(), "csv" | "tsv" | "txt" | "dot" | "gv" | "");
        let d = graph.names.len();
        let weights = &graph.weights;
        let all_have_edges =
            (0..d).all(|i| (0..d).any(|j| weights[(i, j)] != 0.0 || weights[(j, i)] != 0.0));
        let label = report::clean(&path.to_string_lossy());
        Ok(Self { label, partial: lists_edges && all_have_edges, graph })
    }

    fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.graph.names.iter().position(|known| known == name)
    }

    /// The graph on the variables `names`.
    fn dag(&self, names: &[String]) -> Result<Dag, Failure> {
        let place: Vec<Option<usize>> = names.iter().map(|name| self.position(name)).collect();
        let weights = Mat::from_fn(names.len(), names.len(), |i, j| match (place[i], place[j]) {
            (Some(from), Some(to)) => self.graph.weights[(from, to)],
            _ => 0.0,
        });
        dag(weights, names, &self.label)
    }
}

/// The variables of both graphs, and what had to be assumed about them.
fn shared_names(truth: &Side, estimate: &Side) -> Result<(Vec<String>, Option<String>), Failure> {
    let only = |one: &Side, other: &Side| -> Vec<String> {
        one.graph.names.iter().filter(|name| !other.has(name)).cloned().collect()
    };
    let (only_truth, only_estimate) = (only(truth, estimate), only(estimate, truth));
    let shared = truth.graph.names.len() - only_truth.len();
    // Without edges, an edge list knows no variable at all.
    let strangers =
        shared == 0 && !truth.graph.names.is_empty() && !estimate.graph.names.is_empty();
    let fits = |missing: &[String], side: &Side| missing.is_empty() || side.partial;
    if strangers || !fits(&only_truth, estimate) || !fits(&only_estimate, truth) {
        let mut parts = Vec::new();
        for (side, names) in [(truth, &only_truth), (estimate, &only_estimate)] {
            if !names.is_empty() {
                parts.push(format!("only `{}` has {}", side.label, few(names)));
            }
        }
        return Err(Failure::Input(format!(
            "the graphs have different variables: {}",
            parts.join("; ")
        )));
    }
    let mut names = truth.graph.names.clone();
    names.extend(only_estimate.iter().cloned());
    let mut notes = Vec::new();
    for (side, missing) in [(truth, &only_estimate), (estimate, &only_truth)] {
        if !missing.is_empty() {
            notes.push(format!(
                "`{}` lists edges only: {} {} taken to have none",
                side.label,
                few(missing),
                if missing.len() == 1 { "is" } else { "are" }
            ));
        }
    }
    Ok((names, (!notes.is_empty()).then(|| notes.join("; "))))
}

fn few(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn summary(
    arguments: &EvaluateArguments,
    names: &[String],
    scores: &Comparison,
    claim: Claim,
    note: Option<String>,
) -> String {
    let side = |label, path: &Path, edges: usize| {
        let path = report::clean(&path.to_string_lossy());
        report::line(label, &format!("{path}: {}", report::count(edges as u64, "edge")))
    };
    let mut text = side("Truth", &arguments.truth, scores.true_edges);
    text += &side("Estimate", &arguments.estimate, scores.estimated_edges);
    text += &report::line("Among", &report::count(names.len() as u64, "variable"));
    let counted = match claim {
        Claim::Dag => None,
        Claim::Class => Some(
            "the estimate means an equivalence class: edges that it leaves open count as right",
        ),
        Claim::Skeleton => {
            Some("the estimate means adjacencies alone: edges in the right place count as reversed")
        }
    };
    for note in counted.map(String::from).into_iter().chain(note) {
        text += &report::line("Note", &report::clean(&note));
    }
    let whole = |name: &str, value: usize, meaning: &str| {
        vec![name.to_string(), value.to_string(), meaning.to_string()]
    };
    let rate = |name: &str, value: f64, meaning: &str| {
        vec![name.to_string(), format!("{value:.3}"), meaning.to_string()]
    };
    let rows = [
        whole("SHD", scores.shd, "structural Hamming distance: extra + missing + reversed"),
        whole("extra", scores.extra, "edges that should not be there"),
        whole("missing", scores.missing, "edges that should be there"),
        whole("reversed", scores.reversed, "edges that point the wrong way"),
        rate("precision", scores.precision, "share of the estimated edges that are right"),
        rate("recall", scores.recall, "share of the true edges that were found (TPR)"),
        rate("F1", scores.f1, "harmonic mean of the two"),
        rate("FDR", scores.fdr, "share of the estimated edges that are extra or reversed"),
        rate("FPR", scores.fpr, "extra or reversed edges per pair without a true edge"),
        rate("skeleton F1", scores.skeleton_f1, "F1 whatever the directions"),
        whole("CPDAG SHD", scores.cpdag_shd, "distance of the equivalence classes"),
        whole("SID", scores.sid, "pairs whose causal effect would be estimated wrongly"),
    ];
    text += &format!("\n{}", report::grid(&rows, &[1]));
    text
}
