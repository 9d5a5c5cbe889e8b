//! Columns that are nearly combinations of others.

use super::case::{Case, few, finite, short};
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};
use crate::math::linalg::{collinear_set, extreme_eigenvalues};

/// Variance inflation, `1 / (1 - R2)`, from which it is worth a note (R2 of 0.99) or a concern.
const INFLATED: [f64; 2] = [1e2, 1e4];

/// Partial correlation, squared, from which a column belongs to a collinear set: without it the
/// residual variance would at least double.
const NEEDED: f64 = 0.5;

/// The most variables whose eigenvalues are computed.
const MOST_FOR_EIGENVALUES: usize = 1000;

/// Numbers of `collinearity`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Collinearity {
    /// Smallest eigenvalue of the correlation matrix, up to 1000 variables.
    pub smallest_eigenvalue: Option<f64>,
    /// Largest eigenvalue.
    pub largest_eigenvalue: Option<f64>,
    /// Their ratio; none where the smallest one is 0 up to rounding.
    pub condition_number: Option<f64>,
    /// Largest variance inflation factor, `1 / (1 - R2)` on all other columns.
    pub largest_inflation: Option<f64>,
    /// The column that has it.
    pub variable: Option<String>,
    /// That column and those that determine it, where they nearly do.
    pub set: Vec<String>,
}

pub(super) struct Collinear;

impl Check for Collinear {
    fn name(&self) -> &'static str {
        "collinearity"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let (n, d) = (case.moments.rows(), case.moments.columns());
        let covariance = || case.moments.second_moments(true);
        let extremes = match d <= MOST_FOR_EIGENVALUES {
            true => extreme_eigenvalues(covariance().as_ref()),
            false => None,
        };
        let mut numbers = Collinearity {
            smallest_eigenvalue: extremes.and_then(|(smallest, _)| finite(smallest)),
            largest_eigenvalue: extremes.and_then(|(_, largest)| finite(largest)),
            condition_number: extremes
                .filter(|(smallest, largest)| *smallest > largest * f64::EPSILON)
                .and_then(|(smallest, largest)| finite(largest / smallest)),
            largest_inflation: None,
            variable: None,
            set: Vec::new(),
        };
        if n <= d as u64 {
            let sentence = Text::new(
                "With no more rows than columns, every column is a combination of others. Use \
                 more rows, or ",
            );
            let sentence = sentence.act(Action::FewerColumns).say(".");
            return Ok(Some(self.finding(Verdict::Ok, sentence, numbers)));
        }
        let mut verdict = inflation(case, &mut numbers);
        if let Some(set) = collinear_set(covariance().as_ref()) {
            (verdict, numbers.set) = (Verdict::Concern, case.names(&set));
        }
        Ok(Some(self.finding(verdict, sentence(verdict, &numbers), numbers)))
    }
}

/// Fills in the largest inflation, whose it is, and with which columns.
fn inflation(case: &Case<'_>, numbers: &mut Collinearity) -> Verdict {
    let Some(precision) = &case.precision else { return Verdict::Ok };
    let d = case.moments.columns();
    let inflation = |j: usize| precision[(j, j)];
    // The first among equals: a column and its copy are named in the order of the table.
    let worst = (1..d).fold(0, |best, j| if inflation(j) > inflation(best) { j } else { best });
    let verdict = Verdict::grade(inflation(worst), INFLATED);
    numbers.largest_inflation = finite(inflation(worst));
    numbers.variable = Some(case.name(worst));
    if verdict > Verdict::Ok {
        let needed = |&j: &usize| {
            let partial = precision[(worst, j)].powi(2) / inflation(worst) / inflation(j);
            j == worst || partial >= NEEDED
        };
        let set: Vec<usize> = (0..d).filter(needed).collect();
        numbers.set = case.names(&set);
    }
    verdict
}

fn sentence(verdict: Verdict, numbers: &Collinearity) -> Text {
    let inflation = numbers.largest_inflation.map_or_else(|| "unknown".into(), short);
    let column = few(numbers.variable.as_slice());
    match verdict {
        Verdict::Unchecked | Verdict::Ok => Text::new(format!(
            "No column is close to a combination of others (largest variance inflation \
             {inflation}, of {column}). Nothing needs to be done."
        )),
        Verdict::Note => Text::new(format!(
            "{column} is almost a combination of other columns (variance inflation {inflation}), \
             so its edges can change with small changes of the data. Check them. If {} say the \
             same, ",
            few(&numbers.set)
        ))
        .act(Action::leave_out_one(&numbers.set))
        .say("."),
        Verdict::Concern => Text::new(format!(
            "{} nearly determine each other, so which of them gets an edge is close to arbitrary. \
             If they say the same, ",
            few(&numbers.set)
        ))
        .act(Action::leave_out_one(&numbers.set))
        .say("."),
    }
}
