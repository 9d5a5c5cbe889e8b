//! Rows that are there twice.

use std::collections::HashSet;

use nocurl::Text;

use super::{Rows, Suspicion, counted};

/// Share of rows that are copies of earlier ones from which it is worth a note.
const SHARE: f64 = 0.02;

/// Columns of numbers with many different values that make a copy by chance unlikely.
const TELLING: usize = 2;

/// Rows that are copies of others, in tables in which that does not come about by chance.
pub(super) fn look(rows: &Rows<'_>) -> Vec<Suspicion> {
    if !rows.are_all() {
        return Vec::new();
    }
    let values = rows.data.values();
    let (n, d) = (values.nrows(), values.ncols());
    let mut seen = HashSet::with_capacity(n);
    let copies = (0..n)
        .filter(|&i| {
            let row: Vec<u64> = (0..d).map(|j| (values[(i, j)] + 0.0).to_bits()).collect();
            !seen.insert(row)
        })
        .count();
    let telling =
        rows.numbers().filter(|(_, v)| counted(v).len() * 4 > seen.len() && seen.len() > 9).count();
    if copies < 2 || (copies as f64) < SHARE * n as f64 || telling < TELLING {
        return Vec::new();
    }
    let sentence = Text::new(format!(
        "{copies} of {n} rows are copies of others. Copies make every edge look surer than it is: \
         look where they come from, and keep one of each."
    ));
    vec![Suspicion { name: "duplicate-rows", columns: Vec::new(), sentence, remedy: None }]
}
