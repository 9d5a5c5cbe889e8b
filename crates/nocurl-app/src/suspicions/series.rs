//! Rows whose neighbours are alike.

use nocurl::Text;

use super::{Rows, Suspicion, counted, few};

/// Fewer rows than this tell nothing.
const FEWEST_ROWS: usize = 20;

/// Correlation of a value with that of the row before from which a column is like a series.
const ALIKE: f64 = 0.6;

/// Share of steps from row to row that go back on the step before: two thirds where rows are
/// independent, also within sorted groups, one half for a random walk.
const TURNS: f64 = 0.61;

/// Different values of a column that can be like a series: few are sorted soon.
const FEWEST_VALUES: usize = 11;

/// Columns that are like a series: their share of all, and at least how many.
const SHARE: f64 = 0.5;
const FEWEST_COLUMNS: usize = 2;

/// Columns in which a row is close to the one before, and not only because rows are sorted by a
/// group: then steps within a group would go back and forth.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    if !rows.are_all() || rows.data.values().nrows() < FEWEST_ROWS {
        return Vec::new();
    }
    let (mut all, mut names) = (0, Vec::new());
    for (name, values) in rows.numbers() {
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Sorted by it, or counted; or too few values to tell.
        if counted(&values).len() < FEWEST_VALUES
            || steps.iter().all(|step| *step >= 0.0)
            || steps.iter().all(|step| *step <= 0.0)
        {
            continue;
        }
        all += 1;
        let limit = ALIKE.max(4.0 / (values.len() as f64).sqrt());
        if lagged(&values) > limit && turns(&steps) < TURNS {
            names.push(name.to_string());
        }
    }
    if names.len() < FEWEST_COLUMNS || (names.len() as f64) < SHARE * f64::from(all) {
        return Vec::new();
    }
    let sentence = Text::new(format!(
        "The rows look like a series: {} differ little from row to row. Edges may be artefacts of \
         time or of the order of the rows, and confidence is too high: learn from changes, or from \
         what a trend leaves.",
        few(&names)
    ));
    vec![Suspicion { name: "series", columns: names, sentence, remedy: None }]
}

/// The share of steps that go the other way than the step before. Unlike a correlation it does not
/// see how large steps are, such as those between groups.
fn turns(steps: &[f64]) -> f64 {
    let moves: Vec<f64> = steps.iter().copied().filter(|step| *step != 0.0).collect();
    let back = moves.windows(2).filter(|pair| (pair[0] > 0.0) != (pair[1] > 0.0)).count();
    back as f64 / moves.len().saturating_sub(1).max(1) as f64
}

/// The correlation of values with those before them; 0 where nothing varies.
fn lagged(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let lagged: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if total > 0.0 { lagged / total } else { 0.0 }
}
