//! Columns that hardly vary.

use crate::core::parallel::*;

use super::case::{Case, few, finite, percent};
use super::{Check, Finding, Verdict};
use crate::core::{Action, Error, Run, Text};

/// Share of equal values that is worth a note or a concern.
const SAME: [f64; 2] = [0.95, 0.99];

/// Standard deviation over the mean that is worth a note or a concern: numbers have 16 digits, and
/// few tables are written with more than 9.
const TINY: [f64; 2] = [1e-6, 1e-9];

/// Numbers of `near-constant`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearConstant {
    /// Rows that were looked at for values that repeat.
    pub rows: u64,
    /// The columns that hardly vary.
    pub columns: Vec<NearConstantColumn>,
}

/// A column that hardly varies.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearConstantColumn {
    /// Its name.
    pub variable: String,
    /// Standard deviation over the size of the mean.
    pub relative_deviation: Option<f64>,
    /// Share of the rows that have its most common value, where that is more than a half.
    pub most_common_share: Option<f64>,
}

pub(super) struct Constant;

impl Check for Constant {
    fn name(&self) -> &'static str {
        "near-constant"
    }

    fn takes_blocks(&self) -> bool {
        true
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let variances = case.moments.variances();
        let rows = case.data.sample();
        let looked: Vec<(Verdict, NearConstantColumn)> = (0..case.moments.columns())
            .into_par_iter()
            .map(|j| {
                let coded = case.moments.variables().columns(j);
                // How large a mean is says nothing of levels.
                let relative = match case.moments.variables().list()[j].is_discrete() {
                    true => f64::INFINITY,
                    false => variances[coded.start].sqrt() / case.moments.mean()[coded.start].abs(),
                };
                let share = rows.and_then(|rows| majority(rows.column(j)));
                // Reciprocals, so that both get worse as they grow.
                let verdict = Verdict::grade(relative.recip(), TINY.map(f64::recip))
                    .max(share.map_or(Verdict::Ok, |share| Verdict::grade(share, SAME)));
                let column = NearConstantColumn {
                    variable: case.name(j),
                    relative_deviation: finite(relative),
                    most_common_share: share,
                };
                (verdict, column)
            })
            .collect();
        let verdict = looked.iter().map(|(verdict, _)| *verdict).max().unwrap_or(Verdict::Ok);
        let columns: Vec<NearConstantColumn> = looked
            .into_iter()
            .filter(|(verdict, _)| *verdict > Verdict::Ok)
            .map(|(_, column)| column)
            .collect();
        let rows = rows.map_or(0, |rows| rows.values().nrows() as u64);
        let sentence = sentence(&columns);
        Ok(Some(self.finding(verdict, sentence, NearConstant { rows, columns })))
    }
}

fn sentence(columns: &[NearConstantColumn]) -> Text {
    if columns.is_empty() {
        return "Every column varies enough to be used. Nothing needs to be done.".into();
    }
    let names: Vec<String> = columns.iter().map(|column| column.variable.clone()).collect();
    let (vary, edges) =
        if names.len() == 1 { ("varies", "its edges") } else { ("vary", "their edges") };
    let share = columns.iter().filter_map(|column| column.most_common_share).fold(0.0, f64::max);
    let text = if share >= SAME[0] {
        format!(
            "{} hardly {vary} (one value in {} of the rows), so {edges} depend on few rows. Look \
             at those rows, or ",
            few(&names),
            percent(share),
        )
    } else {
        format!(
            "{} {vary} so little beside the mean that it may be rounding. Subtract a constant \
             before the table is written, or ",
            few(&names),
        )
    };
    Text::new(text).act(Action::leave_out(&names)).say(".")
}

/// The share of the value that more than half of all are equal to, by the vote of Boyer and Moore
/// (1991): O(n) and without sorting.
fn majority(values: &[f64]) -> Option<f64> {
    let (mut candidate, mut votes) = (f64::NAN, 0_u64);
    for &value in values {
        if votes == 0 {
            (candidate, votes) = (value, 1);
        } else if value == candidate {
            votes += 1;
        } else {
            votes -= 1;
        }
    }
    let count = values.iter().filter(|&&value| value == candidate).count();
    let share = count as f64 / values.len() as f64;
    (share > 0.5).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_is_found_wherever_it_stands() {
        assert_eq!(majority(&[1.0, 2.0, 1.0, 1.0]), Some(0.75));
        assert_eq!(majority(&[2.0, 3.0, 1.0, 1.0, 1.0]), Some(0.6));
        assert_eq!(majority(&[0.0, -0.0, 5.0]), Some(2.0 / 3.0));
        assert_eq!(majority(&[1.0, 2.0]), None);
        assert_eq!(majority(&[]), None);
    }
}
