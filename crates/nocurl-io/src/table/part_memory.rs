//! Memory that a part of a table takes, held against what there is before a row is read.

use nocurl::moments::Replicates;

use super::ReadOptions;
use super::collect::reading_memory;
use crate::{Error, available_memory};

/// How many columns a part may have.
pub(super) struct PartBounds {
    /// As asked for.
    limit: usize,
    /// That fit in memory.
    pub(super) most: usize,
    available: Option<u64>,
    tables: usize,
    threads: usize,
}

impl PartBounds {
    pub(super) fn new(options: &ReadOptions) -> Self {
        let tables = options.resample.as_ref().map_or(0, |wish| wish.numbers.clone().count());
        let (available, threads) = (available_memory(), rayon::current_num_threads());
        let limit = options.max_columns;
        let mut bounds = Self { limit, most: limit, available, tables, threads };
        let fits = |columns: usize| available.is_none_or(|bytes| bounds.bytes(columns) <= bytes);
        if !fits(limit) {
            // All of it grows with the columns.
            let columns: Vec<usize> = (0..limit).collect();
            bounds.most = columns.partition_point(|&columns| fits(columns)).saturating_sub(1);
        }
        bounds
    }

    /// Bytes that a part of so many columns takes, from above: its moments, pieces of it, and sums
    /// for the tables drawn from it, of which each thread has some of its own.
    fn bytes(&self, columns: usize) -> u64 {
        let read = reading_memory(false, columns, self.threads).at(columns, 0);
        let sums = Replicates::bytes(columns, self.tables);
        read.saturating_add(sums.saturating_mul(1 + self.threads as u64))
            // Moments of the tables, at the end.
            .saturating_add(8 * (columns * columns) as u64 * self.tables as u64)
    }

    /// Says which bound it was.
    pub(super) fn explain(&self, error: Error) -> Error {
        match error {
            Error::TooManyColumns { columns, .. } if columns <= self.limit => Error::PartTooWide {
                columns,
                mebibytes: self.bytes(columns) >> 20,
                available: self.available.unwrap_or(u64::MAX) >> 20,
                most: self.most,
            },
            Error::TooManyColumns { path, columns, .. } => {
                Error::TooManyColumns { path, columns, limit: self.limit }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resample;

    #[test]
    fn tables_that_do_not_fit_are_told_with_their_size() {
        let resample = Resample { numbers: 0..100, seed: 0, part: 0 };
        let options = ReadOptions { resample: Some(resample), ..ReadOptions::default() };
        let bounds = PartBounds { available: Some(1 << 30), ..PartBounds::new(&options) };
        let (path, limit) = ("part.csv".to_string(), bounds.most);
        let wide = Error::TooManyColumns { path: path.clone(), columns: 20_000, limit };
        let text = bounds.explain(wide).to_string();
        assert!(text.starts_with("20000 columns take ") && text.contains("1024 MiB"), "{text}");
        let beyond = Error::TooManyColumns { path, columns: 20_001, limit };
        assert!(bounds.explain(beyond).to_string().contains("more than 20000"));
        assert!(bounds.bytes(40) < 128 << 20, "{}", bounds.bytes(40));
    }
}
