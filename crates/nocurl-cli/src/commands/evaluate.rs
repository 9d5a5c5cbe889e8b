//! `nocurl evaluate`: an estimated graph against the true one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nocurl::experiments::Intervention;
use nocurl::metrics::{Comparison, cpdag_shd};
use nocurl::{Determines, Targets};
use nocurl_app::score;
use nocurl_io::{GraphDocument, GraphFormat, RunFiles, Source, read_graph, read_targets};
use serde_json::Value;

use crate::args::EvaluateArguments;
use crate::failure::Failure;
use crate::output::{Outputs, csv_text};
use crate::report;

/// Runs the command.
pub(crate) fn evaluate(arguments: &EvaluateArguments) -> Result<(), Failure> {
    let mut files = RunFiles::default()
        .reads("the true graph", &arguments.truth)
        .reads("the estimated graph", &arguments.estimate);
    if let Some(path) = &arguments.targets {
        files = files.reads("the targets", path);
    }
    let outputs = Outputs::check("scores", &arguments.output, files)?;
    let truth = Side::read(&arguments.truth)?;
    let mut estimate = Side::read(&arguments.estimate)?;
    estimate.hide_condition(&truth.graph);
    let (names, note) = shared_names(&truth, &estimate)?;
    let mut notes = counting(&truth.graph, &estimate.graph);
    notes.extend(note);
    let determines = estimate.graph.determines;
    let comparison = score(&truth.among(&names), &estimate.among(&names), None)?;
    let told = match &arguments.targets {
        Some(path) => Some(interventional(&truth.among(&names), &estimate.among(&names), path)?),
        None => None,
    };
    let scores = match serde_json::to_value(comparison) {
        Ok(Value::Object(mut scores)) => {
            if let Some(distance) = told {
                scores.insert("icpdag_shd".into(), distance.into());
            }
            scores.insert("variables".into(), names.len().into());
            scores.insert("determines".into(), determines.name().into());
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
        (false, false) => report::print(&summary(arguments, &names, &comparison, told, &notes)),
    }
}

/// The distance of the classes that conditions with these targets leave of both graphs.
fn interventional(
    truth: &GraphDocument,
    estimate: &GraphDocument,
    path: &Path,
) -> Result<usize, Failure> {
    let mut sets: BTreeMap<String, Vec<(usize, Intervention)>> = BTreeMap::new();
    for target in read_targets(&Source::new(path))? {
        let place = truth.variables.iter().position(|name| *name == target.variable);
        let Some(place) = place else {
            return Err(Failure::Input(format!(
                "`{}`: `{}` is no variable of the graphs",
                report::clean(&path.to_string_lossy()),
                report::clean(&target.variable)
            )));
        };
        sets.entry(target.condition).or_default().push((place, target.kind));
    }
    // No variable of the graphs is the condition.
    let targets = Targets { condition: usize::MAX, of: sets.into_values().collect() };
    let class = |graph: &GraphDocument| Ok::<_, Failure>(targets.class_of(&graph.dag()?));
    Ok(cpdag_shd(&class(truth)?, &class(estimate)?)?)
}

/// One of the two graphs.
struct Side {
    label: String,
    graph: GraphDocument,
    /// Whether the file may have left out variables without edges, as an edge list does.
    partial: bool,
}

impl Side {
    fn read(path: &Path) -> Result<Self, Failure> {
        let graph = read_graph(&Source::new(path))?;
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let may_omit =
            GraphFormat::of_extension(&extension).is_none_or(|format| format.may_omit_variables);
        let ends: BTreeSet<&String> =
            graph.edges.iter().flat_map(|edge| [&edge.from, &edge.to]).collect();
        let all_have_edges = ends.len() == graph.variables.len();
        let label = report::clean(&path.to_string_lossy());
        Ok(Self { label, partial: may_omit && all_have_edges, graph })
    }

    /// Leaves out the condition of an experiment, which is no variable of the true graph.
    fn hide_condition(&mut self, truth: &GraphDocument) {
        if let Some(experiments) = self.graph.experiments.clone()
            && !truth.variables.contains(&experiments.condition)
        {
            self.graph = self.graph.clone().without(&experiments.condition);
        }
    }

    /// The graph on the variables `names`, which are at least its own.
    fn among(&self, names: &[String]) -> GraphDocument {
        GraphDocument { variables: names.to_vec(), ..self.graph.clone() }
    }
}

/// The variables of both graphs, and what had to be assumed about them.
fn shared_names(truth: &Side, estimate: &Side) -> Result<(Vec<String>, Option<String>), Failure> {
    let only = |one: &Side, other: &Side| -> Vec<String> {
        let known: BTreeSet<&String> = other.graph.variables.iter().collect();
        one.graph.variables.iter().filter(|name| !known.contains(name)).cloned().collect()
    };
    let (only_truth, only_estimate) = (only(truth, estimate), only(estimate, truth));
    let shared = truth.graph.variables.len() - only_truth.len();
    // Without edges, an edge list knows no variable at all.
    let strangers =
        shared == 0 && !truth.graph.variables.is_empty() && !estimate.graph.variables.is_empty();
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
    let mut names = truth.graph.variables.clone();
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

/// How edges of undetermined direction were counted.
fn counting(truth: &GraphDocument, estimate: &GraphDocument) -> Vec<String> {
    let partial = |graph: &GraphDocument| graph.edges.iter().any(|edge| !edge.is_determined());
    let mut notes = Vec::new();
    if partial(truth) {
        notes.push(
            "the truth is partially directed: its undetermined directions count as right either \
             way, and there is no SID",
        );
    }
    match estimate.determines {
        Determines::Skeleton => notes
            .push("the estimate determines a skeleton: edges in the right place count as reversed"),
        _ if partial(estimate) => notes.push(
            "the estimate is partially directed: its undetermined directions count as right \
             wherever the truth has an edge",
        ),
        _ => {}
    }
    if !estimate.is_drawn() && !partial(truth) {
        notes.push("the estimate has undirected edges, so there is no SID");
    }
    notes.into_iter().map(String::from).collect()
}

fn summary(
    arguments: &EvaluateArguments,
    names: &[String],
    scores: &Comparison,
    told: Option<usize>,
    notes: &[String],
) -> String {
    let side = |label, path: &Path, edges: usize| {
        let path = report::clean(&path.to_string_lossy());
        report::line(label, &format!("{path}: {}", report::count(edges as u64, "edge")))
    };
    let mut text = side("Truth", &arguments.truth, scores.true_edges);
    text += &side("Estimate", &arguments.estimate, scores.estimated_edges);
    text += &report::line("Among", &report::count(names.len() as u64, "variable"));
    for note in notes {
        text += &report::line("Note", &report::clean(note));
    }
    let whole = |name: &str, value: usize, meaning: &str| {
        vec![name.to_string(), value.to_string(), meaning.to_string()]
    };
    let rate = |name: &str, value: f64, meaning: &str| {
        vec![name.to_string(), format!("{value:.3}"), meaning.to_string()]
    };
    let mut rows = vec![
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
    ];
    rows.extend(
        told.map(|distance| {
            whole("I-CPDAG SHD", distance, "distance of the interventional classes")
        }),
    );
    rows.extend(scores.sid.map(|distance| {
        whole("SID", distance, "pairs whose causal effect would be estimated wrongly")
    }));
    text += &format!("\n{}", report::grid(&rows, &[1]));
    text
}
