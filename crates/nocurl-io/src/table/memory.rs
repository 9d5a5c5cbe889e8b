//! Tables in memory that belong to the caller.

use nocurl::Run;
use nocurl::moments::BLOCK_ROWS;

use super::block::{Block, column_mut};
use super::collect::{Assembly, Collect, by_rows};
use super::columns::Selection;
use crate::{Error, ReadOptions};

/// How messages speak of such a table.
pub(super) const LABEL: &str = "the table";

/// Rows that are copied together, so that they stay in the cache where the table is stored by rows.
const TILE_ROWS: usize = 64;

/// Columns of numbers in memory, in whatever layout and type. They are read a block at a time: the
/// table is never copied as a whole.
pub trait Columns: Sync {
    /// Names of the columns.
    fn names(&self) -> &[String];
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Copies the values of a column from row `start` on, as many as there is room for. NaN is a
    /// missing value.
    fn copy(&self, column: usize, start: usize, target: &mut [f64]);
}

/// Reads a table in memory, cut as a NumPy file of the same size is, so that sums have the same bits.
pub(super) fn read<C: Collect>(
    table: &dyn Columns,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let selection = Selection::new(LABEL, table.names(), options)?;
    let rows = table.rows() as u64;
    if rows < 2 {
        return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
    }
    let mut total = Assembly::new(&selection, options.missing);
    by_rows(&mut total, rows, table.names().len(), run, |from, count| {
        Ok(read_rows(table, &selection, options, from as usize, count))
    })?;
    Ok(total)
}

fn read_rows<C: Collect>(
    table: &dyn Columns,
    selection: &Selection,
    options: &ReadOptions,
    from: usize,
    rows: usize,
) -> Assembly<C> {
    let mut part = Assembly::new(selection, options.missing);
    let mut block = Block::new(selection.names.len());
    for start in (0..rows).step_by(BLOCK_ROWS) {
        let count = BLOCK_ROWS.min(rows - start);
        let mut target = block.rows_mut(count);
        for tile in (0..count).step_by(TILE_ROWS) {
            let end = count.min(tile + TILE_ROWS);
            for (slot, &position) in selection.positions.iter().enumerate() {
                let column = &mut column_mut(&mut target, slot)[tile..end];
                table.copy(position, from + start + tile, column);
            }
        }
        part.push(target, None);
    }
    part
}
