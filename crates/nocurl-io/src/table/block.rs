//! A reusable block of rows, stored by columns.

use nocurl::moments::BLOCK_ROWS;
use nocurl::{Mat, MatMut};

use super::collect::Assembly;

/// Room between columns: without it all cells of a row would compete for the same cache lines.
const PADDING: usize = 8;

/// Rows on their way from a file to a collection.
pub(super) struct Block {
    values: Mat<f64>,
    lines: Vec<u64>,
    filled: usize,
}

impl Block {
    pub(super) fn new(columns: usize) -> Self {
        Self { values: Mat::zeros(BLOCK_ROWS + PADDING, columns), lines: Vec::new(), filled: 0 }
    }

    /// Places a value into the row that is being filled.
    pub(super) fn set(&mut self, column: usize, value: f64) {
        self.values[(self.filled, column)] = value;
    }

    /// Completes the row that is being filled.
    pub(super) fn finish_row(&mut self, line: u64, into: &mut Assembly) {
        self.lines.push(line);
        self.filled += 1;
        if self.filled == BLOCK_ROWS {
            self.flush(into);
        }
    }

    /// Hands over the rows that were filled one by one.
    pub(super) fn flush(&mut self, into: &mut Assembly) {
        into.push(self.values.as_mut().subrows_mut(0, self.filled), Some(&self.lines));
        self.lines.clear();
        self.filled = 0;
    }

    /// Room for `rows` rows to be filled by columns; at most [`BLOCK_ROWS`].
    pub(super) fn rows_mut(&mut self, rows: usize) -> MatMut<'_, f64> {
        self.values.as_mut().subrows_mut(0, rows)
    }
}

/// A column of a block.
pub(super) fn column_mut<'a>(block: &'a mut MatMut<'_, f64>, column: usize) -> &'a mut [f64] {
    let column = block.as_mut().col_mut(column).try_as_col_major_mut();
    column.expect("columns of a block are contiguous").as_slice_mut()
}
