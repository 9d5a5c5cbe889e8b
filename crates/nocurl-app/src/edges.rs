//! What edges and variables carry in the description of a graph.

use std::collections::HashMap;

use nocurl::links::Link;
use nocurl::model::Model;
use nocurl::{Kind, Moments, Variable, Variables};
use nocurl_io::{BootstrapSummary, Coefficient, DescribedVariable, Edge, GraphDocument};

/// The level of all intervals.
pub(super) const LEVEL: f64 = 0.95;

/// More variables than this, and effects are not given an interval each.
const MOST_FOR_PATHS: usize = 200;

/// Gives every edge the numbers of the model and its strength, and puts the strongest first.
pub(super) fn weigh(document: &mut GraphDocument, model: &Model, links: &[Link]) {
    let names = &document.variables;
    let place: HashMap<&str, usize> =
        names.iter().enumerate().map(|(v, name)| (name.as_str(), v)).collect();
    let strengths: HashMap<(usize, usize), Option<f64>> =
        links.iter().map(|link| ((link.from, link.to), link.strength)).collect();
    for edge in &mut document.edges {
        let (from, to) = (place[edge.from.as_str()], place[edge.to.as_str()]);
        edge.strength = strengths.get(&(from, to)).copied().flatten();
        numbers(edge, model, from, to);
    }
    let strength = |edge: &Edge| edge.strength.unwrap_or(-1.0);
    document.edges.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
}

/// The coefficients of one edge, with their intervals.
fn numbers(edge: &mut Edge, model: &Model, from: usize, to: usize) {
    (edge.weight, edge.interval, edge.standardized_weight) = (None, None, None);
    edge.coefficients = Vec::new();
    let Some(linear) = model.mechanisms()[to].linear() else { return };
    let mut start = 0;
    for term in &linear.terms {
        if term.variable != from {
            start += term.coefficients.len();
            continue;
        }
        let cause = &model.variables().list()[from];
        let interval = |k: usize| model.coefficient_interval(to, start + k, LEVEL);
        if let ([weight], true) = (term.coefficients.as_slice(), cause.kind != Kind::Categorical) {
            edge.weight = Some(*weight);
            edge.interval = interval(0);
            let spreads = model.spreads()[from].zip(model.spreads()[to]);
            edge.standardized_weight = spreads.map(|(own, other)| weight * own / other);
        }
        if matches!(cause.kind, Kind::Categorical | Kind::Binary) && !cause.levels.is_empty() {
            let all = term.coefficients.iter().enumerate();
            edge.coefficients = all
                .map(|(k, &value)| Coefficient {
                    from_level: cause.levels.get(k + 1).cloned(),
                    from_base: cause.levels.first().cloned(),
                    to_level: None,
                    value,
                    interval: interval(k),
                })
                .collect();
        }
        return;
    }
}

/// Gives the pairs and paths of resampled tables the intervals of the model: a percentile of
/// replicates whose graphs differ is no confidence interval.
pub(super) fn bound(summary: &mut BootstrapSummary, document: &GraphDocument, model: &Model) {
    let intervals: HashMap<(&str, &str), [f64; 2]> = document
        .edges
        .iter()
        .filter_map(|edge| Some(((edge.from.as_str(), edge.to.as_str()), edge.interval?)))
        .collect();
    for pair in &mut summary.pairs {
        let of = |from: &str, to: &str| intervals.get(&(from, to)).copied();
        pair.weight = of(&pair.from, &pair.to);
        pair.weight_backward = of(&pair.to, &pair.from);
    }
    let mut known: HashMap<String, Option<Vec<Option<[f64; 2]>>>> = HashMap::new();
    for path in &mut summary.paths {
        path.effect = None;
        if document.variables.len() > MOST_FOR_PATHS {
            continue;
        }
        let of_cause = known.entry(path.from.clone()).or_insert_with(|| {
            let found = model.effects_of(model.variable(&path.from).ok()?, None, LEVEL).ok()?;
            let single = |entries: &Vec<nocurl::model::Effect>| match entries.as_slice() {
                [entry] => entry.interval,
                _ => None,
            };
            Some(found.on.iter().map(single).collect())
        });
        let place = model.variable(&path.to).ok();
        path.effect = of_cause.as_ref().zip(place).and_then(|(all, place)| all[place]);
    }
}

/// What the variables are, with the shares of their levels and their means.
pub(super) fn kinds(variables: &Variables, moments: &Moments) -> Vec<DescribedVariable> {
    let (all, deviations) = (moments.variables(), moments.variances());
    let describe = |(v, variable): (usize, &Variable)| {
        let columns = all.columns(v);
        let means = &moments.mean()[columns];
        let shares = match variable.kind {
            Kind::Continuous | Kind::Ordinal => Vec::new(),
            Kind::Binary => {
                let yes = means[0];
                if variable.levels.len() == 2 { vec![1.0 - yes, yes] } else { Vec::new() }
            }
            Kind::Categorical => {
                let of = |level: &String| match all.list()[v].level(level) {
                    Some(0) | None => 1.0 - means.iter().sum::<f64>(),
                    Some(place) => means[place - 1],
                };
                variable.levels.iter().map(of).collect()
            }
        };
        let mean = (variable.kind != Kind::Categorical).then(|| means[0]);
        let deviation = match variable.kind {
            Kind::Categorical => None,
            _ => deviations.get(all.columns(v).start).map(|d| d.sqrt()),
        };
        DescribedVariable {
            variable: variable.clone(),
            shares,
            mean,
            deviation,
            missing: None,
            histogram: None,
        }
    };
    variables.list().iter().enumerate().map(describe).collect()
}
