//! What other units of the columns would change.

use super::case::{Case, short};
use super::{Check, Finding, Verdict};
use crate::core::memory::ask;
use crate::core::{Action, Data, Dataset, Error, Mat, Moments, Run, Text};
use crate::pipeline::{Fit, learn};

/// Standard deviations further apart than this make one threshold mean different things.
const UNLIKE: f64 = 10.0;

/// Edges named in a sentence.
const SHOWN: usize = 3;

/// Numbers of `units`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Units {
    /// Whether other units could give another graph at all.
    pub depends: bool,
    /// Whether the graph was learnt again from standardised columns.
    pub refitted: bool,
    /// Smallest standard deviation of a column.
    pub smallest_deviation: f64,
    /// Largest standard deviation of a column.
    pub largest_deviation: f64,
    /// Edges that have another direction then.
    pub flipped: Vec<Edge>,
    /// Edges that are not there then.
    pub vanished: Vec<Edge>,
    /// Edges that are there only then.
    pub appeared: Vec<Edge>,
}

/// An edge by names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edge {
    /// The cause.
    pub from: String,
    /// The effect.
    pub to: String,
}

pub(super) struct Scale;

impl Check for Scale {
    fn name(&self) -> &'static str {
        "units"
    }

    fn takes_blocks(&self) -> bool {
        true
    }

    fn run(&self, case: &Case<'_>, run: &Run<'_>) -> Result<Option<Finding>, Error> {
        let deviations: Vec<f64> = case.moments.variances().into_iter().map(f64::sqrt).collect();
        let mut numbers = Units {
            depends: case.options.depends_on_units(),
            refitted: false,
            smallest_deviation: deviations.iter().copied().fold(f64::INFINITY, f64::min),
            largest_deviation: deviations.iter().copied().fold(0.0, f64::max),
            flipped: Vec::new(),
            vanished: Vec::new(),
            appeared: Vec::new(),
        };
        let (verdict, sentence) = if !numbers.depends {
            let sentence = format!(
                "Neither {} nor the rule that keeps edges depends on the units of the columns. \
                 Nothing needs to be done.",
                case.method()
            );
            (Verdict::Ok, sentence.into())
        } else if let Some(refitted) = refit(case, &deviations, run)? {
            numbers.refitted = true;
            compare(case, &refitted, &mut numbers);
            judge(case, &numbers)
        } else {
            unknown(&numbers)
        };
        Ok(Some(self.finding(verdict, sentence, numbers)))
    }
}

/// What is to be said where the graph was not learnt again.
fn unknown(numbers: &Units) -> (Verdict, Text) {
    let apart = numbers.largest_deviation / numbers.smallest_deviation;
    let sentence = format!(
        "The graph depends on the units of the columns, whose standard deviations range from {} to \
         {}. It was not learnt again in other units: scale the columns to variance 1, learn again \
         and compare.",
        short(numbers.smallest_deviation),
        short(numbers.largest_deviation)
    );
    (if apart > UNLIKE { Verdict::Note } else { Verdict::Ok }, sentence.into())
}

/// The fit to the same data with every column scaled to variance 1; nothing where that takes too
/// long, needs rows that are not there, or has no result.
fn refit(case: &Case<'_>, deviations: &[f64], run: &Run<'_>) -> Result<Option<Fit>, Error> {
    if case.moments.columns() > case.options.most_to_check() || !case.problem.is_plain() {
        return Ok(None);
    }
    let refitted = match (case.options.needs_rows(), case.data) {
        (true, Data::Rows(rows)) => {
            let (values, n) = (rows.values(), rows.values().nrows());
            ask("the table in other units", 8 * n as u64 * deviations.len() as u64)?;
            let scaled = Mat::from_fn(n, deviations.len(), |i, j| values[(i, j)] / deviations[j]);
            Dataset::new(rows.names().to_vec(), scaled)
                .and_then(|scaled| learn(&scaled, case.options, run))
        }
        (true, _) => return Ok(None),
        (false, _) => standardised(case.moments, deviations)
            .and_then(|scaled| learn(&scaled, case.options, run)),
    };
    match refitted {
        Ok(fit) => Ok(Some(fit)),
        Err(error @ (Error::Cancelled | Error::OutOfMemory { .. })) => Err(error),
        Err(_) => Ok(None),
    }
}

fn standardised(moments: &Moments, deviations: &[f64]) -> Result<Moments, Error> {
    let covariance = moments.second_moments(true);
    let d = moments.columns();
    let scaled = Mat::from_fn(d, d, |i, j| {
        if i == j { 1.0 } else { covariance[(i, j)] / deviations[i] / deviations[j] }
    });
    let mean = moments.mean().iter().zip(deviations).map(|(mean, by)| mean / by).collect();
    Moments::from_covariance(moments.names().to_vec(), moments.rows(), mean, scaled.as_ref())
}

/// How two variables are joined.
#[derive(PartialEq)]
enum Joint {
    Forward,
    Backward,
    Undetermined,
}

fn joint(fit: &Fit, i: usize, j: usize) -> Option<Joint> {
    let graph = &fit.determined;
    match (graph.has_directed(i, j), graph.has_directed(j, i), graph.has_undirected(i, j)) {
        (true, ..) => Some(Joint::Forward),
        (_, true, _) => Some(Joint::Backward),
        (_, _, true) => Some(Joint::Undetermined),
        _ => None,
    }
}

fn compare(case: &Case<'_>, refitted: &Fit, numbers: &mut Units) {
    let d = case.moments.columns();
    let edge = |fit: &Fit, i: usize, j: usize| {
        let (from, to) = if fit.dag.has_edge(i, j) { (i, j) } else { (j, i) };
        Edge { from: case.name(from), to: case.name(to) }
    };
    for j in 0..d {
        for i in 0..j {
            match (joint(case.fit, i, j), joint(refitted, i, j)) {
                (Some(_), None) => numbers.vanished.push(edge(case.fit, i, j)),
                (None, Some(_)) => numbers.appeared.push(edge(refitted, i, j)),
                (Some(before), Some(after)) if before != after => {
                    numbers.flipped.push(edge(case.fit, i, j));
                }
                _ => {}
            }
        }
    }
}

fn judge(case: &Case<'_>, numbers: &Units) -> (Verdict, Text) {
    let scaled = "when all columns are scaled to variance 1";
    let (turned, gone, new) =
        (numbers.flipped.len(), numbers.vanished.len(), numbers.appeared.len());
    if turned + gone + new == 0 {
        let sentence = format!("The same edges are found {scaled}. Nothing needs to be done.");
        return (Verdict::Ok, sentence.into());
    }
    let all = case.fit.dag.edge_count();
    let same_units = |what: &str| {
        Text::new(format!(" Trust {what} only if all columns are in the same units. "))
            .act(case.unit_free_method())
            .say(" does not depend on units.")
    };
    if turned > 0 {
        let others = match gone + new {
            0 => String::new(),
            _ => format!(", {gone} vanish and {new} appear"),
        };
        let sentence = format!(
            "{turned} of {all} edges change direction {scaled} ({}){others}.",
            listed(&numbers.flipped)
        );
        return (Verdict::Concern, Text::new(sentence).append(same_units("directions")));
    }
    let which = if gone > 0 { &numbers.vanished } else { &numbers.appeared };
    let sentence = Text::new(format!(
        "No edge changes direction, but {gone} of {all} vanish and {new} appear {scaled} ({}).",
        listed(which)
    ));
    let threshold = case.options.effective_threshold();
    let advice = if threshold > 0.0 {
        Text::new(format!(" The threshold of {threshold} on weights depends on the units; "))
            .act(Action::set("prune", "bic"))
            .say(" does not.")
    } else {
        same_units("them")
    };
    (Verdict::Note, sentence.append(advice))
}

/// Some edges by name.
fn listed(edges: &[Edge]) -> String {
    let shown: Vec<String> =
        edges.iter().take(SHOWN).map(|e| format!("`{}` -> `{}`", e.from, e.to)).collect();
    let more = if edges.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}
