//! What looks wrong with a table: notes, never errors.
//!
//! Each suspicion is one file with its thresholds and one line in the list below. They look at rows
//! that were kept, all of them where the table is small.

mod keys;
mod repeats;
mod sentinels;
mod series;
mod shape;
mod steps;
mod twins;

use nocurl::{Action, Dataset, Kind, Mat, Spelling, Text};
use serde_json::{Value, json};

pub(crate) use shape::shape;

/// Something about a table that is seldom meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspicion {
    /// Its name in files.
    pub name: &'static str,
    /// The columns it is about; none where it is about rows.
    pub columns: Vec<String>,
    /// What it is and what to do.
    pub sentence: Text,
    /// What to do about it without a second look, where that is clear.
    pub remedy: Option<Action>,
}

impl Suspicion {
    /// As files have it: like a finding of a check.
    pub fn to_value(&self, spelling: &dyn Spelling) -> Value {
        json!({
            "check": self.name,
            "verdict": "note",
            "sentence": self.sentence.spelt(spelling),
            "numbers": { "columns": self.columns },
            "advice": self.sentence.actions().collect::<Vec<_>>(),
        })
    }
}

/// Rows of a table, as they are kept.
struct Rows<'a> {
    data: &'a Dataset,
    /// Rows with gaps, with NaN in the gaps.
    gapped: &'a Mat<f64>,
    /// Rows of the table.
    total: u64,
}

impl Rows<'_> {
    /// True when all rows are there, in their order.
    fn are_all(&self) -> bool {
        self.data.values().nrows() as u64 == self.total
    }

    /// Columns of numbers on a scale, as the table has them, with their names.
    fn numbers(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        let list = self.data.variables().list().iter().enumerate();
        list.filter(|(_, variable)| variable.kind == Kind::Continuous).map(|(v, variable)| {
            let values = self.data.column(v).iter().map(|&value| variable.untransformed(value));
            (variable.name.as_str(), values.collect())
        })
    }

    /// The same with the values of rows that have gaps.
    fn all_numbers(&self) -> impl Iterator<Item = (&str, Vec<f64>)> {
        let list = self.data.variables().list().iter().enumerate();
        list.filter(|(_, variable)| variable.kind == Kind::Continuous).map(|(v, variable)| {
            let complete = match self.data.values().nrows() {
                0 => &[],
                _ => self.data.column(v),
            };
            let gapped = (0..self.gapped.nrows()).map(|i| self.gapped[(i, v)]);
            let there = complete.iter().copied().chain(gapped).filter(|value| !value.is_nan());
            (variable.name.as_str(), there.map(|value| variable.untransformed(value)).collect())
        })
    }
}

/// Everything that looks wrong with a table of `total` complete rows, of which some are kept, and of
/// rows with gaps.
pub fn suspicions(rows: &Dataset, gapped: &Mat<f64>, total: u64) -> Vec<Suspicion> {
    let rows = Rows { data: rows, gapped, total };
    let kept = rows.data.values().nrows();
    if kept < FEWEST_ROWS {
        // Each cell tells by itself whether it stands for a missing value.
        let enough = kept + gapped.nrows() >= FEWEST_ROWS;
        return if enough { sentinels::look(&rows) } else { Vec::new() };
    }
    let all = [keys::look, sentinels::look, twins::look, repeats::look, series::look, steps::look];
    all.iter().flat_map(|look| look(&rows)).collect()
}

/// Fewer rows than this tell nothing.
const FEWEST_ROWS: usize = 10;

/// A few names in backticks.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match (shown.as_slice(), names.len().saturating_sub(SHOWN)) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (_, 0) => shown.join(", "),
        (_, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Values in their order, each once, with how often it is there.
fn counted(values: &[f64]) -> Vec<(f64, usize)> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut counts: Vec<(f64, usize)> = Vec::new();
    for value in sorted {
        match counts.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => counts.push((value, 1)),
        }
    }
    counts
}

fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 1e15
}
