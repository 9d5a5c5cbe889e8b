//! What each condition of an experiment acts on directly, where that is not known beforehand.
//!
//! The condition is one variable of the graph, and an edge from it says that some of its levels
//! shift the effect beside what the effect's other causes explain. Here the levels are told apart:
//! in the regression of each variable on its causes, conditions get a mean of their own one after
//! the other, the one that explains most first, while each pays for itself by the same price as an
//! edge. What has a mean of its own in the end is acted on directly.

use crate::core::experiments::ExperimentSpec;
use crate::core::parallel::*;
use crate::core::{Data, Error, Mat};
use crate::math::{Group, Groups};
use crate::methods::OrderSearch;
use crate::pipeline::{Fit, Options, see};

/// A condition that shifts a variable beside what the variable's causes explain.
#[derive(Debug, Clone, PartialEq)]
pub struct Treatment {
    /// The condition, by the position of its level.
    pub condition: usize,
    /// The variable.
    pub variable: usize,
    /// The shift, in units of the standard deviation of what causes leave of the variable.
    pub shift: f64,
    /// The fall of minus twice the log-likelihood that its own mean is worth, less its price.
    pub gain: f64,
}

/// What conditions act on directly besides their known targets, by condition and then by variable.
///
/// The data and the options must be those of the fit. Empty where there are no conditions.
///
/// # Errors
/// Data that [`crate::learn`] refuses too.
pub fn treatments<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    fit: &Fit,
) -> Result<Vec<Treatment>, Error> {
    if options.experiments.is_empty() {
        return Ok(Vec::new());
    }
    let problem = see(&data.into(), options)?;
    let Some(experiments) = problem.experiments() else { return Ok(Vec::new()) };
    if problem.size() != fit.dag.size() {
        return Err(Error::DifferentVariables { what: "graph and data" });
    }
    let condition = experiments.condition();
    let levels = &problem.variables().list()[condition].levels;
    let control = control_of(&options.experiments, levels);
    // The default price of an edge, whatever the method.
    let price = OrderSearch::default().price(&problem).single();
    let single = |v: usize| problem.columns(v).len() == 1 && v != condition;
    let mut all: Vec<Treatment> = (0..problem.size())
        .into_par_iter()
        .filter(|&v| single(v))
        .map(|v| {
            let parents: Vec<usize> = fit.dag.parents(v).filter(|&i| i != condition).collect();
            of_variable(&experiments.groups(v, &parents), v, control, price)
        })
        .collect::<Vec<_>>()
        .concat();
    all.sort_by_key(|found| (found.condition, found.variable));
    Ok(all)
}

/// The level that others are compared with, where it is known by its name.
fn control_of(spec: &ExperimentSpec, levels: &[String]) -> Option<usize> {
    let named = spec.control.as_deref().unwrap_or("control");
    levels.iter().position(|level| level == named)
}

/// The conditions that get a mean of their own in the regression of one variable.
fn of_variable(
    groups: &Groups,
    variable: usize,
    control: Option<usize>,
    price: f64,
) -> Vec<Treatment> {
    let total: f64 = groups.conditions.iter().map(|group| group.rows).sum();
    let mut own = vec![false; groups.conditions.len()];
    let mut found: Vec<Treatment> = Vec::new();
    let mut now = scatter(groups, &own);
    let Some((_, mut left)) = groups.regression(&now) else { return found };
    loop {
        let mut best: Option<(f64, usize)> = None;
        let mean = shared_mean(groups, &own);
        let rows: f64 = shared(groups, &own).map(|group| group.rows).sum();
        // One condition at least stays to compare with.
        let sharing = own.iter().filter(|&&own| !own).count();
        for (k, group) in groups.conditions.iter().enumerate() {
            if own[k] || sharing <= 1 || control == Some(group.level) {
                continue;
            }
            // Without one group the scatter of the others about their mean falls by one product.
            let factor = group.rows * rows / (rows - group.rows);
            let away = |i: usize| group.shift[i] - mean[i];
            let without = Mat::from_fn(now.nrows(), now.ncols(), |i, j| {
                now[(i, j)] - factor * away(i) * away(j)
            });
            if let Some((_, rest)) = groups.regression(&without)
                && best.is_none_or(|(lowest, _)| rest < lowest)
            {
                best = Some((rest, k));
            }
        }
        let Some((rest, k)) = best else { break };
        let gain = total * (left / rest).ln() - price;
        if gain.is_nan() || gain <= 0.0 {
            break;
        }
        own[k] = true;
        (now, left) = (scatter(groups, &own), rest);
        let condition = groups.conditions[k].level;
        found.push(Treatment { condition, variable, shift: 0.0, gain });
    }
    let deviation = (left / total).sqrt();
    for treatment in &mut found {
        treatment.shift = shift_of(groups, &own, treatment.condition) / deviation;
    }
    found
}

/// The scatter matrix where some conditions have means of their own and the rest share one.
fn scatter(groups: &Groups, own: &[bool]) -> Mat<f64> {
    let m = groups.within.nrows();
    let mean = shared_mean(groups, own);
    let mut s = groups.within.clone();
    for group in shared(groups, own) {
        for j in 0..m {
            for i in 0..m {
                s[(i, j)] += group.rows * (group.shift[i] - mean[i]) * (group.shift[j] - mean[j]);
            }
        }
    }
    s
}

/// The conditions without means of their own.
fn shared<'a>(groups: &'a Groups, own: &'a [bool]) -> impl Iterator<Item = &'a Group> {
    groups.conditions.iter().zip(own).filter(|(_, own)| !**own).map(|(group, _)| group)
}

fn shared_mean(groups: &Groups, own: &[bool]) -> Vec<f64> {
    let mut mean = vec![0.0; groups.within.nrows()];
    let rows: f64 = shared(groups, own).map(|group| group.rows).sum();
    for group in shared(groups, own) {
        mean.iter_mut().zip(&group.shift).for_each(|(to, x)| *to += group.rows / rows * x);
    }
    mean
}

/// By how much a condition with a mean of its own differs from those that share one.
fn shift_of(groups: &Groups, own: &[bool], level: usize) -> f64 {
    let Some((coefficients, _)) = groups.regression(&scatter(groups, own)) else { return 0.0 };
    let Some(group) = groups.conditions.iter().find(|group| group.level == level) else {
        return 0.0;
    };
    let mean = shared_mean(groups, own);
    let difference = |i: usize| group.shift[i] - mean[i];
    let last = mean.len() - 1;
    let explained: f64 = coefficients.iter().enumerate().map(|(i, c)| c * difference(i)).sum();
    difference(last) - explained
}
