//! Rows of levels, a byte each.

use super::{Dataset, MatRef};

/// All rows of a table of levels, column by column, a byte for each value.
///
/// Scores that count need the rows; a byte is an eighth of what a [`Dataset`] takes.
#[derive(Debug, Clone, Default)]
pub struct Codes {
    columns: Vec<Vec<u8>>,
    /// How often each row counts; once where this is empty.
    counts: Vec<u32>,
}

impl Codes {
    /// No rows yet, of `variables` variables.
    pub fn new(variables: usize) -> Self {
        Self { columns: vec![Vec::new(); variables], counts: Vec::new() }
    }

    /// The codes of a table whose variables all have levels.
    pub fn of(rows: &Dataset) -> Self {
        let mut codes = Self::new(rows.names().len());
        codes.push(rows.values());
        codes
    }

    /// Adds rows of codes below [`MOST_LEVELS`](crate::variable::MOST_LEVELS).
    ///
    /// # Panics
    /// When the block does not have one column per variable.
    pub fn push(&mut self, block: MatRef<'_, f64>) {
        assert_eq!(block.ncols(), self.columns.len(), "one column per variable");
        for (j, column) in self.columns.iter_mut().enumerate() {
            column.extend(block.col(j).iter().map(|&code| code as u8));
        }
    }

    /// Adds later rows, whose codes become those that `places` lists for each variable.
    ///
    /// # Panics
    /// When a code has no place.
    pub fn append(&mut self, later: Self, places: &[Vec<usize>]) {
        for ((column, later), places) in self.columns.iter_mut().zip(later.columns).zip(places) {
            column.extend(later.into_iter().map(|code| places[usize::from(code)] as u8));
        }
    }

    /// The same rows with other codes.
    ///
    /// # Panics
    /// When a code has no place.
    pub fn recoded(mut self, places: &[Vec<usize>]) -> Self {
        for (column, places) in self.columns.iter_mut().zip(places) {
            column.iter_mut().for_each(|code| *code = places[usize::from(*code)] as u8);
        }
        self
    }

    /// Some of the variables, in the order given.
    ///
    /// # Panics
    /// When an index is not a variable.
    pub fn select(&self, variables: &[usize]) -> Self {
        let columns = variables.iter().map(|&v| self.columns[v].clone()).collect();
        Self { columns, counts: self.counts.clone() }
    }

    /// A sample of the rows, in which row `i` is `counts[i]` times.
    ///
    /// # Panics
    /// When there is not one count for each row.
    pub fn sample(&self, counts: &[u32]) -> Self {
        assert_eq!(counts.len(), self.rows(), "one count for each row");
        let drawn: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
        let columns = self.columns.iter();
        let columns = columns.map(|column| drawn.iter().map(|&i| column[i]).collect()).collect();
        Self { columns, counts: drawn.iter().map(|&i| counts[i]).collect() }
    }

    /// Number of different rows held.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.columns.len()
    }

    /// The codes of one variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn column(&self, variable: usize) -> &[u8] {
        &self.columns[variable]
    }

    /// How often each row counts; nothing where each counts once.
    pub fn counts(&self) -> Option<&[u32]> {
        (!self.counts.is_empty()).then_some(self.counts.as_slice())
    }
}
