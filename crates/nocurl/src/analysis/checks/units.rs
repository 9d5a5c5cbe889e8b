//! What other units of the columns would change.

use super::case::{Case, short};
use super::{Check, Edge, Finding, Units, Verdict};
use crate::core::{Data, Dataset, Error, Mat, Moments, Run};
use crate::pipeline::{Fit, learn};

/// Standard deviations further apart than this make one threshold mean different things.
const UNLIKE: f64 = 10.0;

/// Edges named in a sentence.
const SHOWN: usize = 3;

pub(super) fn check(case: &Case<'_>, run: &Run<'_>) -> Result<Finding, Error> {
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
    if !numbers.depends {
        let sentence = format!(
            "Neither {} nor the rule that keeps edges depends on the units of the columns; nothing \
             needs to be done.",
            case.method()
        );
        return Ok(Check::Units(numbers).finding(Verdict::Ok, sentence));
    }
    match refit(case, &deviations, run)? {
        Some(refitted) => {
            numbers.refitted = true;
            compare(case, &refitted, &mut numbers);
        }
        None => {
            let apart = numbers.largest_deviation / numbers.smallest_deviation;
            let sentence = format!(
                "The graph depends on the units of the columns, whose standard deviations range \
                 from {} to {}, and was not learnt again in others: do so with the columns scaled \
                 to variance 1 and compare.",
                short(numbers.smallest_deviation),
                short(numbers.largest_deviation)
            );
            let verdict = if apart > UNLIKE { Verdict::Note } else { Verdict::Ok };
            return Ok(Check::Units(numbers).finding(verdict, sentence));
        }
    }
    let (verdict, sentence) = judge(case, &numbers);
    Ok(Check::Units(numbers).finding(verdict, sentence))
}

/// The fit to the same data with every column scaled to variance 1; nothing where that takes too
/// long, needs rows that are not there, or has no result.
fn refit(case: &Case<'_>, deviations: &[f64], run: &Run<'_>) -> Result<Option<Fit>, Error> {
    if case.moments.columns() > case.options.most_to_check() {
        return Ok(None);
    }
    let refitted = match (case.options.needs_rows(), case.data) {
        (true, Data::Rows(rows)) => {
            let (values, n) = (rows.values(), rows.values().nrows());
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
        Err(Error::Cancelled) => Err(Error::Cancelled),
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

fn judge(case: &Case<'_>, numbers: &Units) -> (Verdict, String) {
    let scaled = "when all columns are scaled to variance 1";
    let list = |edges: &[Edge]| {
        let shown: Vec<String> =
            edges.iter().take(SHOWN).map(|e| format!("`{}` -> `{}`", e.from, e.to)).collect();
        let more = if edges.len() > SHOWN { ", ..." } else { "" };
        format!("{}{more}", shown.join(", "))
    };
    let (turned, gone, new) =
        (numbers.flipped.len(), numbers.vanished.len(), numbers.appeared.len());
    if turned + gone + new == 0 {
        let sentence = format!("The same edges come out {scaled}; nothing needs to be done.");
        return (Verdict::Ok, sentence);
    }
    let all = case.fit.dag.edge_count();
    if turned > 0 {
        let others = match gone + new {
            0 => String::new(),
            _ => format!(", {gone} vanish and {new} appear"),
        };
        let sentence = format!(
            "{turned} of {all} edges change direction {scaled} ({}){others}: rely on \
             directions only if all columns are in the same units; --method fges does not depend \
             on units.",
            list(&numbers.flipped)
        );
        return (Verdict::Concern, sentence);
    }
    let which = if gone > 0 { &numbers.vanished } else { &numbers.appeared };
    let threshold = case.options.effective_threshold();
    let advice = if threshold > 0.0 {
        format!(
            "the threshold of {threshold} on weights depends on the units; --prune bic does not."
        )
    } else {
        "rely on them only if all columns are in the same units; --method fges does not depend \
         on units."
            .into()
    };
    let sentence = format!(
        "No edge changes direction, but {gone} of {all} vanish and {new} appear {scaled} ({}): \
         {advice}",
        list(which)
    );
    (Verdict::Note, sentence)
}
