//! Checks of the data alone.

use super::case::{Case, few, finite, percent, short};
use super::{Check, Collinearity, Finding, NearConstant, NearConstantColumn, SampleSize, Verdict};
use crate::core::parallel::*;
use crate::math::linalg::{collinear_set, extreme_eigenvalues};

/// Fewer rows than this for each column, or for each parent, leave weights uncertain.
const ROWS_EACH: u64 = 10;

/// Variance inflation, `1 / (1 - R2)`, from which it is worth a note (R2 of 0.99) or a concern.
const INFLATED: [f64; 2] = [1e2, 1e4];

/// Partial correlation, squared, from which a column belongs to a collinear set: without it the
/// residual variance would at least double.
const NEEDED: f64 = 0.5;

/// The most variables whose eigenvalues are computed.
const MOST_FOR_EIGENVALUES: usize = 1000;

/// Share of equal values that is worth a note or a concern.
const SAME: [f64; 2] = [0.95, 0.99];

/// Standard deviation over the mean that is worth a note or a concern: numbers have 16 digits, and
/// few tables are written with more than 9.
const TINY: [f64; 2] = [1e-6, 1e-9];

/// The verdict of a value that gets worse as it grows.
fn grade(value: f64, [note, concern]: [f64; 2]) -> Verdict {
    match value {
        value if value >= concern => Verdict::Concern,
        value if value >= note => Verdict::Note,
        _ => Verdict::Ok,
    }
}

pub(super) fn sample_size(case: &Case<'_>) -> Finding {
    let (n, d) = (case.moments.rows(), case.moments.columns());
    let most_parents = (0..d).map(|j| case.fit.dag.parents(j).count()).max().unwrap_or(0);
    let (verdict, sentence) = if n <= d as u64 {
        let sentence = format!(
            "{n} rows cannot tell {d} columns apart: take the graph as a guess, and use more rows \
             or fewer columns (--columns)."
        );
        (Verdict::Concern, sentence)
    } else if n < ROWS_EACH * d as u64 {
        let sentence = format!(
            "{n} rows are few for {d} columns: expect edges that are not there and miss some that \
             are; --prune ebic is more careful."
        );
        (Verdict::Note, sentence)
    } else {
        let sentence = format!(
            "{n} rows are enough for {d} columns with up to {most_parents} parents each; nothing \
             needs to be done."
        );
        (Verdict::Ok, sentence)
    };
    let rows_per_variable = n as f64 / d as f64;
    Check::SampleSize(SampleSize { rows: n, variables: d, rows_per_variable, most_parents })
        .finding(verdict, sentence)
}

pub(super) fn collinearity(case: &Case<'_>) -> Finding {
    let (n, d) = (case.moments.rows(), case.moments.columns());
    let covariance = case.moments.second_moments(true);
    let extremes =
        if d <= MOST_FOR_EIGENVALUES { extreme_eigenvalues(covariance.as_ref()) } else { None };
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
        let sentence = "With no more rows than columns every column is a combination of others: \
                        use more rows or fewer columns (--columns).";
        return Check::Collinearity(numbers).finding(Verdict::Ok, sentence.into());
    }
    let mut verdict = Verdict::Ok;
    if let Some(precision) = &case.precision {
        let inflation = |j: usize| precision[(j, j)];
        // The first among equals: a column and its copy are named in the order of the table.
        let worst = (1..d).fold(0, |best, j| if inflation(j) > inflation(best) { j } else { best });
        verdict = grade(inflation(worst), INFLATED);
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
    }
    if let Some(set) = collinear_set(covariance.as_ref()) {
        (verdict, numbers.set) = (Verdict::Concern, case.names(&set));
    }
    let inflation = numbers.largest_inflation.map_or_else(|| "unknown".into(), short);
    let column = few(numbers.variable.as_slice());
    let sentence = match verdict {
        Verdict::Ok => format!(
            "No column is close to a combination of others (largest variance inflation \
             {inflation}, of {column}); nothing needs to be done."
        ),
        Verdict::Note => format!(
            "{column} is almost a combination of other columns (variance inflation {inflation}): \
             its edges can move with small changes of the data; check them, or drop a column that \
             says the same (--drop)."
        ),
        Verdict::Concern => format!(
            "{} all but determine each other: which of them get the edges is close to arbitrary; \
             keep the ones that matter and drop the others (--drop).",
            few(&numbers.set)
        ),
    };
    Check::Collinearity(numbers).finding(verdict, sentence)
}

pub(super) fn near_constant(case: &Case<'_>) -> Finding {
    let variances = case.moments.variances();
    let rows = case.data.sample();
    let looked: Vec<(Verdict, NearConstantColumn)> = (0..case.moments.columns())
        .into_par_iter()
        .map(|j| {
            let relative = variances[j].sqrt() / case.moments.mean()[j].abs();
            let share = rows.and_then(|rows| majority(rows.column(j)));
            // Reciprocals, so that both get worse as they grow.
            let verdict = grade(relative.recip(), TINY.map(f64::recip))
                .max(share.map_or(Verdict::Ok, |share| grade(share, SAME)));
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
    let names: Vec<String> = columns.iter().map(|column| column.variable.clone()).collect();
    let share = columns.iter().filter_map(|column| column.most_common_share).fold(0.0, f64::max);
    let sentence = match verdict {
        Verdict::Ok => "Every column varies enough to be used; nothing needs to be done.".into(),
        _ if share >= SAME[0] => format!(
            "{} hardly var{} (one value in {} of the rows): {} edges rest on few rows; drop {} or \
             look at {} rows (--drop).",
            few(&names),
            if names.len() == 1 { "ies" } else { "y" },
            percent(share),
            if names.len() == 1 { "its" } else { "their" },
            if names.len() == 1 { "it" } else { "them" },
            if names.len() == 1 { "its other" } else { "their other" },
        ),
        _ => format!(
            "{} var{} so little beside the mean that rounding may be all there is: subtract a \
             constant before the table is written, or use --drop.",
            few(&names),
            if names.len() == 1 { "ies" } else { "y" },
        ),
    };
    let rows = rows.map_or(0, |rows| rows.values().nrows() as u64);
    Check::NearConstant(NearConstant { rows, columns }).finding(verdict, sentence)
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
