//! How strong each edge of a graph is, on one scale for variables of all kinds.

use crate::core::parallel::*;
use crate::core::{Data, Error, Kind, Variable};
use crate::math::Problem;
use crate::math::local::{Blocks, Local, Multinomial};
use crate::math::regress::{Node, blocks};
use crate::methods::MixedScore;
use crate::pipeline::{Fit, Options};

/// More parents than this, and the strength of their edges is left out: it costs the cube of their
/// number.
const MOST_PARENTS: usize = 200;

/// An edge with what it carries.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Link {
    /// The cause.
    pub from: usize,
    /// The effect.
    pub to: usize,
    /// The share of what the other parents leave of the effect that the cause removes, between 0
    /// and 1: `1 - exp(-2 gain / n)` for the log-likelihood that it gains. Between two numbers it is
    /// the squared partial correlation. None beside more than 200 parents.
    pub strength: Option<f64>,
    /// The weight in units of standard deviations, between variables of one column each.
    pub standardized_weight: Option<f64>,
    /// Where a variable is categorical: for each of its levels but the base, what goes with it.
    pub coefficients: Vec<Coefficient>,
}

/// What goes with a change from the base level of a cause, or of one unit of it: the change of the
/// mean of the effect, or of the probability of one of its levels.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Coefficient {
    /// The level of the cause, where it is categorical.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub from_level: Option<String>,
    /// The level of the effect, where it is categorical.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub to_level: Option<String>,
    /// The change.
    pub value: f64,
}

/// The edges of a graph, in the order of [`Dag::edges`](crate::Dag::edges), with their strengths.
///
/// The data and the options must be those of the fit. Strengths come from the likelihood that the
/// method went by: counts where it counted, else the Gaussian law. Coefficients are those of linear
/// regressions on the parents, for a level of the effect a linear model of its probability.
///
/// # Errors
/// Data that [`crate::learn`] refuses too, or of other variables.
pub fn links<'a>(
    data: impl Into<Data<'a>>,
    options: &Options,
    fit: &Fit,
) -> Result<Vec<Link>, Error> {
    let data = data.into();
    let problem = Problem::new(&data.moments(), options.center)?;
    if problem.size() != fit.dag.size() {
        return Err(Error::DifferentVariables { what: "graph and data" });
    }
    let codes = match fit.score {
        Some(MixedScore::Multinomial) => data.codes(),
        _ => None,
    };
    let counts = codes.as_deref().map(Multinomial::new);
    let local = counts.as_ref().map(|counts| counts as &dyn Local);
    // Once for all variables: it holds a copy of the correlations.
    let blocks = (local.is_none() && !problem.is_plain()).then(|| Blocks::new(&problem));
    let local = local.or(blocks.as_ref().map(|blocks| blocks as &dyn Local));
    let of_variable = |j: usize| of_variable(&problem, local, fit, j);
    let mut all: Vec<Link> = (0..problem.size())
        .into_par_iter()
        .map(of_variable)
        .collect::<Result<Vec<_>, Error>>()?
        .concat();
    let places: std::collections::HashMap<(usize, usize), usize> =
        fit.dag.edges().enumerate().map(|(place, (from, to, _))| ((from, to), place)).collect();
    all.sort_by_key(|link| places[&(link.from, link.to)]);
    Ok(all)
}

/// The edges into one variable.
fn of_variable(
    problem: &Problem,
    local: Option<&dyn Local>,
    fit: &Fit,
    j: usize,
) -> Result<Vec<Link>, Error> {
    let parents: Vec<usize> = fit.dag.parents(j).collect();
    let strengths = match (parents.len() <= MOST_PARENTS, local) {
        (false, _) => vec![None; parents.len()],
        (true, Some(local)) => {
            parents.iter().map(|&i| Some(local.strength(j, &parents, i))).collect()
        }
        (true, None) => strengths(problem, j, &parents)?,
    };
    let variance = |v: usize| {
        let column = problem.columns(v).start;
        problem.sample_covariance()[(column, column)]
    };
    let single = |v: usize| problem.columns(v).len() == 1;
    let wide = !single(j) || !parents.iter().all(|&i| single(i));
    let found = if wide { Some(blocks::coefficients(problem, j, &parents)?.0) } else { None };
    let (mut at, list) = (0, problem.variables().list());
    let link = |(&i, strength): (&usize, Option<f64>)| {
        let (first, width) = (at, problem.columns(i).len());
        at += width;
        let both = single(i) && single(j);
        let coefficients = match &found {
            Some(found) if !both => (0..width)
                .flat_map(|row| (0..found.ncols()).map(move |column| (row, column)))
                .map(|(row, column)| Coefficient {
                    from_level: level(&list[i], row),
                    to_level: level(&list[j], column),
                    value: found[(first + row, column)],
                })
                .collect(),
            _ => Vec::new(),
        };
        Link {
            from: i,
            to: j,
            strength,
            standardized_weight: both
                .then(|| fit.dag.weight(i, j) * (variance(i) / variance(j)).sqrt()),
            coefficients,
        }
    };
    Ok(parents.iter().zip(strengths).map(link).collect())
}

/// The level that a column of the block indicates.
fn level(variable: &Variable, offset: usize) -> Option<String> {
    match variable.kind {
        Kind::Categorical => variable.levels.get(offset + 1).cloned(),
        _ => None,
    }
}

/// Strengths by the Gaussian law of variables of one column each.
fn strengths(problem: &Problem, j: usize, parents: &[usize]) -> Result<Vec<Option<f64>>, Error> {
    let node = Node::new(problem.sample_covariance(), j, parents.to_vec())
        .or_else(|| Node::new(problem.covariance(), j, parents.to_vec()))
        .ok_or_else(|| problem.singular())?;
    let share = |k: usize| {
        let rise = node.coefficients[k].powi(2) / node.inverse[(k, k)];
        Some((rise / (rise + node.residual)).clamp(0.0, 1.0))
    };
    Ok((0..parents.len()).map(share).collect())
}
