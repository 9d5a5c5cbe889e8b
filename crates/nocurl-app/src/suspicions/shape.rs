//! Tables in another shape than a row for each observation and a column for each variable.

use nocurl::{Action, Kind, Text};
use nocurl_io::{ColumnOverview, LeftOut, Overview};

use super::Suspicion;

/// Columns that observations in columns are at least.
const FEWEST_COLUMNS: usize = 4;

/// Rows for each column from which on rows may be variables.
const ROWS_FOR_COLUMN: u64 = 5;

/// Least correlation of any two columns that are observations of the same variables, and the least
/// of half of the pairs.
const LEAST_CORRELATION: f64 = 0.5;
const USUAL_CORRELATION: f64 = 0.8;

/// How much wider one of them may spread than another.
const SAME_SPREAD: f64 = 4.0;

/// Columns that are compared with each other at most.
const COMPARED: usize = 40;

/// Names of columns that name a variable, and of those that have its value, in long tables.
const VARIABLE: [&str; 14] = [
    "variable",
    "var",
    "key",
    "measure",
    "metric",
    "parameter",
    "feature",
    "analyte",
    "item",
    "attribute",
    "indicator",
    "gene",
    "marker",
    "probe",
];
const VALUE: [&str; 8] =
    ["value", "val", "measurement", "reading", "result", "expression", "level", "intensity"];

/// Looks at the shape of a table.
pub(crate) fn shape(overview: &Overview) -> Vec<Suspicion> {
    [covariance(overview), in_rows(overview), long(overview)].into_iter().flatten().collect()
}

/// As many complete rows as columns, of numbers that are the same on both sides of the diagonal.
fn covariance(overview: &Overview) -> Option<Suspicion> {
    let (rows, size) = (&overview.sample, overview.columns.len());
    let numbers = overview.columns.iter().all(|column| column.variable.kind == Kind::Continuous);
    if size < 3 || overview.rows != size as u64 || !numbers || rows.values().nrows() != size {
        return None;
    }
    let (first, all) = (rows.names() == names(&overview.columns), rows.values());
    let pairs = || (0..size).flat_map(|i| (0..i).map(move |j| (i, j)));
    let same = |(i, j): (usize, usize)| {
        (all[(i, j)] - all[(j, i)]).abs() <= 1e-6 * all[(i, j)].abs().max(all[(j, i)].abs())
    };
    let symmetric = first && pairs().all(same) && (0..size).all(|i| all[(i, i)] > 0.0);
    symmetric.then(|| Suspicion {
        name: "covariance",
        columns: Vec::new(),
        sentence: Text::new(
            "the table is square and symmetric, as a covariance matrix is: to learn from it, say how \
             many rows its table had, as in ",
        )
        .act(Action::set("rows", 1000_u64))
        .say("."),
        remedy: None,
    })
}

fn names(columns: &[ColumnOverview]) -> Vec<String> {
    columns.iter().map(|column| column.variable.name.clone()).collect()
}

/// Names of rows, and columns on one scale that say nearly the same: observations of the variables
/// that the rows are.
fn in_rows(overview: &Overview) -> Option<Suspicion> {
    let columns = &overview.columns;
    let named = matches!(
        overview.left_out.as_slice(),
        [(_, LeftOut::Identifier | LeftOut::Text | LeftOut::RowNames | LeftOut::TooMany(_))]
    );
    let numbers = columns.iter().all(|column| column.variable.kind == Kind::Continuous);
    let size = columns.len();
    if !named
        || !numbers
        || size < FEWEST_COLUMNS
        || overview.rows < ROWS_FOR_COLUMN * size as u64
        || overview.sample.values().nrows() < 10
    {
        return None;
    }
    let kept = overview
        .sample
        .names()
        .iter()
        .filter(|&name| columns.iter().any(|column| column.variable.name == *name));
    let places: Vec<usize> = kept
        .filter_map(|name| overview.sample.names().iter().position(|known| known == name))
        .take(COMPARED)
        .collect();
    let moments = overview.sample.moments();
    let variances = moments.variances();
    let spreads: Vec<f64> = places.iter().map(|&j| variances[j].sqrt()).collect();
    let widest = spreads.iter().copied().fold(0.0, f64::max);
    if spreads.iter().any(|&spread| spread * SAME_SPREAD < widest) {
        return None;
    }
    let covariances = moments.second_moments(true);
    let mut correlations: Vec<f64> = Vec::new();
    for (a, &i) in places.iter().enumerate() {
        for (b, &j) in places.iter().enumerate().take(a) {
            correlations.push(covariances[(i.max(j), i.min(j))] / (spreads[a] * spreads[b]));
        }
    }
    correlations.sort_by(f64::total_cmp);
    let usual = correlations.get(correlations.len() / 2).copied().unwrap_or(0.0);
    let least = correlations.first().copied().unwrap_or(0.0);
    (least >= LEAST_CORRELATION && usual >= USUAL_CORRELATION).then(|| {
        let named = &overview.left_out[0].0;
        Suspicion {
            name: "variables-in-rows",
            columns: Vec::new(),
            sentence: Text::new(format!(
                "the {size} columns of numbers are on one scale and nearly alike, and `{named}` names \
                 the rows: if the rows are the variables, as genes often are, use "
            ))
            .act(Action::set("transpose", true))
            .say("."),
            remedy: None,
        }
    })
}

/// A column that names a variable, one that has its value, and one that repeats for each of them.
fn long(overview: &Overview) -> Option<Suspicion> {
    let columns = &overview.columns;
    let all = columns.len() + overview.left_out.len();
    let is = |name: &str, known: &[&str]| known.contains(&name.to_lowercase().as_str());
    let variable = columns.iter().find(|column| {
        let kind = matches!(column.variable.kind, Kind::Categorical | Kind::Binary);
        kind && is(&column.variable.name, &VARIABLE)
    });
    let value = columns.iter().find(|column| {
        column.variable.kind == Kind::Continuous && is(&column.variable.name, &VALUE)
    });
    let (variable, value) = (variable?, value?);
    let others = |name: &&String| **name != variable.variable.name && **name != value.variable.name;
    let kept = columns.iter().map(|column| &column.variable.name).filter(others);
    let mut subjects = kept.chain(overview.left_out.iter().map(|(name, _)| name));
    let subject = subjects.next()?;
    let counts: Vec<u64> = variable.levels.iter().map(|(_, count)| *count).collect();
    let (most, least) = (counts.iter().max()?, counts.iter().min()?);
    let even = counts.len() > 1 && 2 * least >= *most;
    (all == 3 && even).then(|| Suspicion {
        name: "long",
        columns: vec![variable.variable.name.clone(), value.variable.name.clone()],
        sentence: Text::new(format!(
            "each row seems to hold one value of one variable (`{}`). A graph needs a column for each \
             variable: table.pivot(index='{subject}', columns='{}', values='{}') in pandas makes them.",
            variable.variable.name, variable.variable.name, value.variable.name
        )),
        remedy: None,
    })
}
