//! What edges carry, and what their ends are, in the description of a graph.

use std::collections::HashMap;

use nocurl::links::Link;
use nocurl::{Kind, Moments, Variable, Variables};
use nocurl_io::{DescribedVariable, GraphDocument};

/// Adds the strength of every edge, and puts the strongest first.
pub(super) fn strengthen(document: &mut GraphDocument, links: &[Link]) {
    let names = &document.variables;
    let known: HashMap<(&str, &str), &Link> = links
        .iter()
        .map(|link| ((names[link.from].as_str(), names[link.to].as_str()), link))
        .collect();
    for edge in &mut document.edges {
        let Some(link) = known.get(&(edge.from.as_str(), edge.to.as_str())) else { continue };
        edge.strength = link.strength;
        edge.standardized_weight = link.standardized_weight;
        if !link.coefficients.is_empty() {
            edge.coefficients = link.coefficients.clone();
            edge.weight = None;
        }
    }
    let strength = |strength: Option<f64>| strength.unwrap_or(-1.0);
    document.edges.sort_by(|a, b| strength(b.strength).total_cmp(&strength(a.strength)));
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
            Kind::Continuous => deviations.get(all.columns(v).start).map(|d| d.sqrt()),
            _ => None,
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
