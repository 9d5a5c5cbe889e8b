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

/// Share of steps against the others that a column has at most by which rows are sorted, within a
/// few groups or as a whole.
const AGAINST: f64 = 0.05;

/// Columns in which a row is close to the one before, and not only because rows are sorted by a
/// group: then steps within a group would go back and forth. Where rows are sorted by a column, others
/// are looked at by what it leaves of them.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    if !rows.are_all() || rows.data.values().nrows() < FEWEST_ROWS {
        return Vec::new();
    }
    let columns: Vec<(&str, Vec<f64>)> =
        rows.numbers().filter(|(_, values)| counted(values).len() >= FEWEST_VALUES).collect();
    let (sorted, others): (Vec<_>, Vec<_>) =
        columns.into_iter().partition(|(_, values)| is_sorted(values));
    // Even steps are those of time or of a count, which explain nothing.
    let by: Vec<&Vec<f64>> =
        sorted.iter().map(|(_, values)| values).filter(|values| !is_even(values)).collect();
    let all = others.len() as f64;
    let alike = others.into_iter().filter(|(_, values)| {
        is_like_a_series(values) && by.iter().all(|by| is_like_a_series(&left_by(by, values)))
    });
    let names: Vec<String> = alike.map(|(name, _)| name.to_string()).collect();
    if names.len() < FEWEST_COLUMNS || (names.len() as f64) < SHARE * all {
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

fn steps(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn is_like_a_series(values: &[f64]) -> bool {
    let limit = ALIKE.max(4.0 / (values.len() as f64).sqrt());
    lagged(values) > limit && turns(&steps(values)) < TURNS
}

/// Whether rows are sorted by these values, or within a few groups.
fn is_sorted(values: &[f64]) -> bool {
    let steps = steps(values);
    let (up, down) = (steps.iter().filter(|s| **s > 0.0), steps.iter().filter(|s| **s < 0.0));
    (up.count().min(down.count()) as f64) <= AGAINST * steps.len() as f64
}

/// Whether most steps are the same, as from year to year.
fn is_even(values: &[f64]) -> bool {
    let steps: Vec<f64> = steps(values).into_iter().filter(|step| *step != 0.0).collect();
    let most = counted(&steps).into_iter().map(|(_, count)| count).max().unwrap_or(0);
    2 * most > steps.len()
}

/// What a straight line in one column leaves of another.
fn left_by(by: &[f64], values: &[f64]) -> Vec<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mx, my) = (mean(by), mean(values));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in by.iter().zip(values) {
        xx += (x - mx).powi(2);
        xy += (x - mx) * (y - my);
    }
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    by.iter().zip(values).map(|(x, y)| y - my - slope * (x - mx)).collect()
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
