//! The shape of what the parents leave unexplained.

use crate::core::parallel::*;

use super::case::{Case, few, short};
use super::{Check, Finding, Verdict, normality};
use crate::core::{Action, Dataset, Error, Run, Text, Transform};
use crate::math::regress::Node;
use crate::methods::Directions;
use crate::pipeline::Prune;

/// Chance in all that normal errors are called something else.
const LEVEL: f64 = 0.01;

/// Fewer rows than this cannot tell the shape of errors.
const FEWEST_ROWS: usize = 20;

/// Excess kurtosis from which a few rows decide what a variance is.
const HEAVY: f64 = 20.0;

/// Columns that advice names.
const NAMED: usize = 6;

/// Residuals smaller than this beside their variable are rounding.
const ROUNDING: f64 = 1e-10;

/// Numbers of `non-gaussianity`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NonGaussianity {
    /// Rows that were looked at; 0 where only moments are there.
    pub rows: u64,
    /// The shape of the residuals of each variable, in the order of the variables; empty where
    /// there are too few rows.
    pub residuals: Vec<Shape>,
    /// Variables whose residuals are not normal, with a chance of 1% in all that one is named
    /// wrongly; the worst first.
    pub rejected: Vec<String>,
}

/// The shape of the residuals of one variable given its parents.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// Its name.
    pub variable: String,
    /// Third standardised moment.
    pub skewness: f64,
    /// Fourth standardised moment, less 3.
    pub excess_kurtosis: f64,
    /// P-value of normal errors.
    pub p_value: f64,
}

pub(super) struct Normal;

impl Check for Normal {
    fn name(&self) -> &'static str {
        "non-gaussianity"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let rows = case.data.sample();
        let n = rows.map_or(0, |rows| rows.values().nrows());
        let mut numbers =
            NonGaussianity { rows: n as u64, residuals: Vec::new(), rejected: Vec::new() };
        let unknown = match (rows, &case.nodes) {
            (None, _) => {
                "Only moments are there: give the rows to see whether errors are normal.".into()
            }
            (_, None) => Case::collinear("there are no residuals to look at"),
            _ if n < FEWEST_ROWS => {
                "Too few rows to see whether errors are normal: at least 20 are needed.".into()
            }
            (Some(rows), Some(nodes)) => {
                // Errors of levels are not normal, and need not be.
                let list = case.moments.variables().list();
                let shapes = nodes.par_iter().enumerate().filter(|(j, _)| !list[*j].is_discrete());
                numbers.residuals =
                    shapes.filter_map(|(j, node)| shape(case, rows, j, node)).collect();
                let rejected = rejected(case, &numbers.residuals);
                let (verdict, sentence) = judge(case, &rejected);
                numbers.rejected = rejected.iter().map(|shape| shape.variable.clone()).collect();
                return Ok(Some(self.finding(verdict, sentence, numbers)));
            }
        };
        Ok(Some(self.finding::<NonGaussianity>(Verdict::Unchecked, unknown, numbers)))
    }
}

/// True for a column of at most two values, whose residuals cannot look normal.
fn is_binary(column: &[f64]) -> bool {
    let first = column.first();
    let other = column.iter().find(|value| Some(*value) != first);
    column.iter().all(|value| Some(value) == first || Some(value) == other)
}

/// The shapes that are not normal, the worst first.
fn rejected<'a>(case: &Case<'_>, residuals: &'a [Shape]) -> Vec<&'a Shape> {
    let level = LEVEL / case.moments.columns() as f64;
    let mut rejected: Vec<&Shape> =
        residuals.iter().filter(|shape| shape.p_value < level).collect();
    // Many p-values are 0 in numbers; the moments still tell which is the worst.
    let oddness =
        |shape: &Shape| shape.skewness.powi(2) / 6.0 + shape.excess_kurtosis.powi(2) / 24.0;
    rejected.sort_by(|a, b| oddness(b).total_cmp(&oddness(a)));
    rejected
}

fn judge(case: &Case<'_>, rejected: &[&Shape]) -> (Verdict, Text) {
    let of = if case.is_nonlinear() { "Residuals of linear fits" } else { "Residuals" };
    let by_shape = case.options.facts().directions == Directions::ErrorShape;
    let Some(worst) = rejected.first() else {
        if by_shape {
            let sentence = Text::new(format!(
                "{of} look normal, so their shape tells no directions, and those drawn are \
                 arbitrary. Use "
            ));
            return (Verdict::Concern, sentence.act(case.unit_free_method()).say("."));
        }
        let sentence = format!(
            "{of} look normal, as BIC and tests assume. Nothing needs to be done; normal errors \
             cannot determine directions by their shape."
        );
        return (Verdict::Ok, sentence.into());
    };
    if worst.excess_kurtosis >= HEAVY && !case.is_nonlinear() {
        let sentence = Text::new(format!(
            "A few extreme rows dominate {} (excess kurtosis {}) and can decide about its edges. \
             Look for outliers",
            few(std::slice::from_ref(&worst.variable)),
            short(worst.excess_kurtosis)
        ));
        let sentence = match scale(case, rejected) {
            Some(action) => sentence.say(", or use ").act(action),
            None => sentence,
        };
        return (Verdict::Concern, sentence.say("."));
    }
    let names: Vec<String> = rejected.iter().map(|shape| shape.variable.clone()).collect();
    let (verdict, means) = consequence(case);
    let sentence = Text::new(format!(
        "{of} of {} are not normal (worst: skewness {}, excess kurtosis {}){means}",
        few(&names),
        short(worst.skewness),
        short(worst.excess_kurtosis)
    ));
    (verdict, sentence)
}

/// The scale on which variables with extreme rows have fewer: logarithms where all values are
/// positive, else ranks; nothing where the worst is ranks already.
fn scale(case: &Case<'_>, rejected: &[&Shape]) -> Option<Action> {
    let extreme = rejected.iter().filter(|shape| shape.excess_kurtosis >= HEAVY);
    let names: Vec<String> = extreme.map(|shape| shape.variable.clone()).collect();
    let steps = |name: &String| {
        let known = case.moments.variables().list().iter().find(|known| known.name == *name);
        known.map_or(&[][..], |known| &known.transforms)
    };
    let ranks = |name: &String| steps(name).iter().any(|step| matches!(step, Transform::Rank(_)));
    let names: Vec<String> = names.into_iter().filter(|name| !ranks(name)).collect();
    let rows = case.data.sample()?;
    let positive = |name: &String| {
        let at = rows.names().iter().position(|known| known == name);
        steps(name).is_empty() && at.is_some_and(|at| rows.column(at).iter().all(|v| *v > 0.0))
    };
    let how = if names.iter().all(positive) { "log" } else { "rank" };
    match names.len() {
        0 => None,
        1..=NAMED => Some(Action::transform(how, &names)),
        _ => Some(Action::set("transform", "auto")),
    }
}

/// What errors that are not normal change for this result.
fn consequence(case: &Case<'_>) -> (Verdict, String) {
    let directed = case.fit.error_shape.as_ref().map_or(0, |shape| shape.directed.len());
    if matches!(case.options.prune, Some(Prune::TTest { .. })) {
        let words = ", so the t-tests that chose the edges hold only roughly. Judge weak edges with \
                     care.";
        return (Verdict::Note, words.into());
    }
    if directed > 0 {
        let s = if directed == 1 { "" } else { "s" };
        let words = format!(
            ", and their shape told {directed} direction{s} that independences do not. Nothing needs \
             to be done."
        );
        return (Verdict::Ok, words);
    }
    (Verdict::Ok, ". Linear fits do not need normal errors: nothing needs to be done.".into())
}

/// The shape of the residuals of a variable; nothing where they are only rounding.
fn shape(case: &Case<'_>, rows: &Dataset, variable: usize, node: &Node) -> Option<Shape> {
    if is_binary(rows.column(variable)) {
        return None;
    }
    let mut residuals = rows.column(variable).to_vec();
    for (&parent, coefficient) in node.parents.iter().zip(&node.coefficients) {
        let mean = case.moments.mean()[parent];
        for (residual, value) in residuals.iter_mut().zip(rows.column(parent)) {
            *residual -= coefficient * (value - mean);
        }
    }
    let n = residuals.len() as f64;
    let mean = residuals.iter().sum::<f64>() / n;
    residuals.iter_mut().for_each(|residual| *residual -= mean);
    let deviation = (residuals.iter().map(|r| r * r).sum::<f64>() / n).sqrt();
    let size = case.moments.variances()[variable].sqrt() + case.moments.mean()[variable].abs();
    if deviation <= ROUNDING * size {
        return None;
    }
    let moment = |power| residuals.iter().map(|r| (r / deviation).powi(power)).sum::<f64>() / n;
    let (skewness, kurtosis) = (moment(3), moment(4));
    Some(Shape {
        variable: case.name(variable),
        skewness,
        excess_kurtosis: kurtosis - 3.0,
        p_value: normality(residuals.len() as u64, skewness, kurtosis),
    })
}
