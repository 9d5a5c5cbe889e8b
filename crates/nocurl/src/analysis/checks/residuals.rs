//! Checks of what the parents leave unexplained.

use super::case::{Case, few, finite, short};
use super::{Check, Finding, NonGaussianity, ResidualVariances, Shape, Verdict, normality};
use crate::core::Dataset;
use crate::core::parallel::*;
use crate::math::regress::Node;

/// Ratio of the largest to the smallest residual variance that is worth a note or a concern where
/// they should be equal: standard deviations that differ 1.4 and 2 times.
const UNEQUAL: [f64; 2] = [2.0, 4.0];

/// Chance in all that normal errors are called something else.
const LEVEL: f64 = 0.01;

/// Fewer rows than this cannot tell the shape of errors.
const FEWEST_ROWS: usize = 20;

/// Excess kurtosis from which a few rows decide what a variance is.
const HEAVY: f64 = 20.0;

/// Skewness from which logarithms may help.
const SKEWED: f64 = 0.5;

/// Residuals smaller than this beside their variable are rounding.
const ROUNDING: f64 = 1e-10;

const COLLINEAR: &str = "The columns are collinear, so there are no residuals to look at; drop \
                         columns that say the same (--drop).";

pub(super) fn variances(case: &Case<'_>) -> Finding {
    let mut numbers =
        ResidualVariances { variances: Vec::new(), ratio: None, smallest: None, largest: None };
    let Some(nodes) = &case.nodes else {
        return Check::ResidualVariances(numbers).finding(Verdict::Ok, COLLINEAR.into());
    };
    let n = case.moments.rows() as f64;
    let unbiased = |node: &Node| {
        // The mean and every parent take one degree of freedom, where there are as many.
        let freedom = n - node.parents.len() as f64 - 1.0;
        node.residual * if freedom >= 1.0 { n / freedom } else { 1.0 }
    };
    numbers.variances = nodes.iter().map(unbiased).collect();
    let by_size = |a: &usize, b: &usize| numbers.variances[*a].total_cmp(&numbers.variances[*b]);
    let variables = 0..numbers.variances.len();
    let (Some(low), Some(high)) = (variables.clone().min_by(by_size), variables.max_by(by_size))
    else {
        return Check::ResidualVariances(numbers).finding(Verdict::Ok, COLLINEAR.into());
    };
    let ratio = numbers.variances[high] / numbers.variances[low];
    (numbers.smallest, numbers.largest) = (Some(case.name(low)), Some(case.name(high)));
    numbers.ratio = finite(ratio);
    let (method, apart) = (case.method(), short(ratio));
    let (low, high) = (few(numbers.smallest.as_slice()), few(numbers.largest.as_slice()));
    let (verdict, sentence) = if !case.options.facts().assumes_equal_variances() {
        let sentence = format!(
            "Error variances differ by a factor of {apart}, from {low} to {high}; {method} does \
             not need them to be equal, so nothing needs to be done."
        );
        (Verdict::Ok, sentence)
    } else if ratio < UNEQUAL[0] {
        let sentence = format!(
            "Error variances are within a factor of {apart} of each other, as {method} assumes; \
             nothing needs to be done."
        );
        (Verdict::Ok, sentence)
    } else {
        let verdict = if ratio < UNEQUAL[1] { Verdict::Note } else { Verdict::Concern };
        let sentence = format!(
            "Error variances differ by a factor of {apart}, from {low} to {high}, but {method} \
             takes them as equal: directions may be wrong; --method fges and --refine bic do not \
             assume it."
        );
        (verdict, sentence)
    };
    Check::ResidualVariances(numbers).finding(verdict, sentence)
}

pub(super) fn non_gaussianity(case: &Case<'_>) -> Finding {
    let rows = case.data.sample();
    let n = rows.map_or(0, |rows| rows.values().nrows());
    let mut numbers =
        NonGaussianity { rows: n as u64, residuals: Vec::new(), rejected: Vec::new() };
    let done = |numbers, sentence: &str| {
        Check::NonGaussianity(numbers).finding(Verdict::Ok, sentence.into())
    };
    let (Some(rows), Some(nodes)) = (rows, &case.nodes) else {
        let missing = "Only moments are at hand: give the rows to see whether errors are normal.";
        return done(numbers, if rows.is_none() { missing } else { COLLINEAR });
    };
    if n < FEWEST_ROWS {
        let sentence = "Too few rows to see whether errors are normal; 20 or more would tell.";
        return done(numbers, sentence);
    }
    numbers.residuals =
        nodes.par_iter().enumerate().filter_map(|(j, node)| shape(case, rows, j, node)).collect();
    let level = LEVEL / case.moments.columns() as f64;
    let mut rejected: Vec<&Shape> =
        numbers.residuals.iter().filter(|shape| shape.p_value < level).collect();
    // Many p-values are 0 in numbers; the moments still tell which is the worst.
    let oddness =
        |shape: &Shape| shape.skewness.powi(2) / 6.0 + shape.excess_kurtosis.powi(2) / 24.0;
    rejected.sort_by(|a, b| oddness(b).total_cmp(&oddness(a)));
    let of = if case.is_nonlinear() { "Residuals of linear fits" } else { "Residuals" };
    let (verdict, sentence) = match rejected.first() {
        None => {
            let sentence = format!(
                "{of} look normal, as BIC and tests assume; nothing needs to be done, but the \
                 shape of errors cannot tell directions either."
            );
            (Verdict::Ok, sentence)
        }
        Some(worst) if worst.excess_kurtosis >= HEAVY && !case.is_nonlinear() => {
            let sentence = format!(
                "A few extreme rows dominate {} (excess kurtosis {}) and can make or break its \
                 edges: look for outliers, or take logarithms of such columns.",
                few(std::slice::from_ref(&worst.variable)),
                short(worst.excess_kurtosis)
            );
            (Verdict::Concern, sentence)
        }
        Some(worst) => {
            let names: Vec<String> = rejected.iter().map(|shape| shape.variable.clone()).collect();
            let skewed = rejected.iter().any(|shape| shape.skewness.abs() >= SKEWED);
            let advice = if skewed { "take logarithms of skewed columns, or " } else { "" };
            let sentence = format!(
                "{of} of {} are not normal (worst: skewness {}, excess kurtosis {}), so that BIC \
                 and tests hold only roughly: {advice}use the shape to tell directions (LiNGAM).",
                few(&names),
                short(worst.skewness),
                short(worst.excess_kurtosis)
            );
            (Verdict::Note, sentence)
        }
    };
    numbers.rejected = rejected.iter().map(|shape| shape.variable.clone()).collect();
    Check::NonGaussianity(numbers).finding(verdict, sentence)
}

/// The shape of the residuals of a variable; nothing where they are only rounding.
fn shape(case: &Case<'_>, rows: &Dataset, variable: usize, node: &Node) -> Option<Shape> {
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
