//! Tables in memory that belong to the caller.

use std::sync::Arc;

use nocurl::Run;
use nocurl::moments::BLOCK_ROWS;

use super::block::{Block, column_mut};
use super::collect::{Assembly, by_rows};
use super::columns::Selection;
use super::kinds::{Coding, Declared};
use super::reading::Reading;
use super::survey::ColumnSurvey;
use crate::Error;
use crate::error::shorten;

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
    /// The levels of a column whose values are their positions; none for numbers.
    fn levels(&self, _column: usize) -> Option<&GivenLevels> {
        None
    }
}

/// The levels of a column in memory.
#[derive(Debug, Clone, Default)]
pub struct GivenLevels {
    /// Their names; a value is the position of its level.
    pub names: Vec<String>,
    /// Whether the column is said to be a category, and is not only text.
    pub category: bool,
    /// Whether the levels have an order, the one they are given in.
    pub ordered: bool,
    /// Whether the column is of truth values, and the levels are false and true.
    pub truth: bool,
    /// The type of the column, where it is one that is not read.
    pub unread: Option<String>,
}

impl GivenLevels {
    fn declared(&self) -> Declared {
        if let Some(name) = &self.unread {
            return Declared::Other(shorten(name, 60));
        }
        match (self.truth, self.category) {
            (true, _) => Declared::Truth,
            (_, true) => Declared::Category { levels: self.names.clone(), ordered: self.ordered },
            _ => Declared::Text,
        }
    }
}

/// Reads a table in memory, cut as a NumPy file of the same size is, so that sums have the same bits.
pub(super) fn read(
    table: &dyn Columns,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let declared = |at: usize| table.levels(at).map_or(Declared::Number, GivenLevels::declared);
    let selection = Selection::new(LABEL, table.names(), options, declared)?;
    let open = (0..selection.names.len()).any(|slot| selection.is_open(slot, options));
    let selection = Arc::new(selection.for_reading(options, open)?);
    let rows = table.rows() as u64;
    if rows < 2 && !options.part {
        return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
    }
    let mut total = Assembly::new(&selection, options.missing);
    by_rows(&mut total, rows, table.names().len(), run, |from, count| {
        Ok(read_rows(table, &selection, options, from as usize, count))
    })?;
    Ok(total)
}

fn read_rows(
    table: &dyn Columns,
    selection: &Arc<Selection>,
    options: &Reading<'_>,
    from: usize,
    rows: usize,
) -> Assembly {
    let mut part: Assembly = Assembly::new(selection, options.missing);
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
        for (slot, &position) in selection.positions.iter().enumerate() {
            let Some(given) = table.levels(position) else { continue };
            let values = column_mut(&mut target, slot);
            if options.purpose.surveys && selection.texts[slot] {
                let column = &mut part.columns_seen()[slot];
                look(values, given, column, (from + start) as u64);
            } else if let Some(coding) = selection.codings[slot].as_ref().filter(|_| !given.truth) {
                place(values, given, coding);
            }
        }
        part.push(target, None);
    }
    part
}

/// Looks at positions of levels.
fn look(values: &[f64], given: &GivenLevels, column: &mut ColumnSurvey, before: u64) {
    for (row, &value) in (before + 1..).zip(values) {
        match given.names.get(value as usize).filter(|_| !value.is_nan()) {
            None => column.missing += 1,
            Some(name) => column.text(name.as_bytes(), false, row, None),
        }
    }
}

/// Codes in place of the positions of levels.
fn place(values: &mut [f64], given: &GivenLevels, coding: &Coding) {
    let codes: Vec<f64> = given.names.iter().map(|name| coding.of_text(name.as_bytes())).collect();
    for value in values.iter_mut().filter(|value| !value.is_nan()) {
        *value = codes.get(*value as usize).copied().unwrap_or(f64::NAN);
    }
}
