//! NumPy arrays: plain numbers behind a short header.

use std::io::Seek;
use std::sync::Arc;

use nocurl::moments::BLOCK_ROWS;
use nocurl::{Dataset, Run};

use super::block::{Block, column_mut};
use super::collect::{Assembly, by_rows};
use super::columns::{Selection, check_count};
use super::header::Header;
use super::kinds::{Declared, are_told};
use super::reading::Reading;
use super::words::{any_large, is_rounded};
use crate::Error;
use crate::error::shorten;
use crate::input::Seekable;

const FORMAT: &str = "NumPy";

/// Where the numbers are and what they are.
pub(super) struct Layout {
    /// Bytes before the first number.
    start: u64,
    pub(super) rows: u64,
    columns: usize,
    fortran: bool,
    width: usize,
    decode: Decode,
    /// Tells integers that a floating-point number cannot hold, where the type has such.
    rounds: Option<Rounds>,
}

/// Whether any of some numbers is beyond what its floating-point number can tell.
type Rounds = fn(&[u8], Records) -> bool;

/// Reads one number from every record of a given length, at a given place within it.
type Decode = fn(&[u8], Records, &mut [f64]);

#[derive(Clone, Copy)]
struct Records {
    length: usize,
    at: usize,
}

/// Rows that are turned from rows into columns together, so that they stay in the cache.
const TILE_ROWS: usize = 64;

/// Reads a two-dimensional array of numbers.
pub(super) fn read(
    input: &Seekable,
    options: &Reading<'_>,
    run: &Run<'_>,
) -> Result<Assembly, Error> {
    let layout = Layout::read(input, options)?;
    check_count(&input.label, layout.columns, options)?;
    let names = Dataset::default_names(layout.columns);
    let selection = Selection::new(&input.label, &names, options, |_| Declared::Number)?;
    let selection = Arc::new(selection.for_reading(options, are_told(options))?);
    let mut total = Assembly::new(&selection, options.missing);
    by_rows(&mut total, layout.rows, layout.columns, run, |from, rows| {
        layout
            .read_rows(input, &selection, options, from, rows)
            .map_err(|error| Error::read(&input.label, &error))
    })?;
    Ok(total)
}

impl Layout {
    fn read(input: &Seekable, options: &Reading<'_>) -> Result<Self, Error> {
        Self::of_shape(input, options, |shape| match *shape {
            [rows, columns] => Some((rows, columns)),
            _ => None,
        })
    }

    /// The layout of an array that is a column.
    pub(super) fn read_column(input: &Seekable, options: &Reading<'_>) -> Result<Self, Error> {
        let layout = Self::of_shape(input, options, |shape| match *shape {
            [rows] => Some((rows, 1)),
            _ => None,
        })?;
        Ok(Self { fortran: true, ..layout })
    }

    fn of_shape(
        input: &Seekable,
        options: &Reading<'_>,
        table: impl Fn(&[u64]) -> Option<(u64, u64)>,
    ) -> Result<Self, Error> {
        let label = input.label.as_str();
        let mut handle = input.handle();
        let header =
            Header::read(&mut handle).map_err(|error| Error::decoding(label, FORMAT, &error))?;
        let start = handle.stream_position().map_err(|error| Error::read(label, &error))?;
        let Some(kind) = header.kind else {
            let reason = "records are not read; save a plain array of numbers";
            return Err(Error::unsupported(label, reason));
        };
        let Some((width, decode)) = decoder(&kind) else {
            let reason = format!(
                "arrays of type {} are not read; save one of floats, integers or booleans",
                shorten(&kind, 20)
            );
            return Err(Error::unsupported(label, reason));
        };
        let Some((rows, columns)) = table(&header.shape) else {
            let reason = format!("the array has {} dimensions, a table has 2", header.shape.len());
            return Err(Error::unsupported(label, reason));
        };
        if rows < 2 && options.is_whole() && !options.part {
            return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
        }
        let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(width as u64));
        let end = bytes.and_then(|bytes| bytes.checked_add(start));
        if end.is_none_or(|end| end > input.length) {
            let reason = format!("it ends before the {rows} x {columns} numbers it announces");
            return Err(Error::invalid(label, FORMAT, reason));
        }
        if end != Some(input.length) {
            let reason = format!("it goes on after the {rows} x {columns} numbers it announces");
            return Err(Error::invalid(label, FORMAT, reason));
        }
        let columns = columns as usize;
        let (fortran, rounds) = (header.fortran, rounding(&kind));
        Ok(Self { start, rows, columns, fortran, width, decode, rounds })
    }

    /// Reads rows of a column of an array that is stored by columns; true where integers were
    /// rounded.
    pub(super) fn read_column_at(
        &self,
        input: &Seekable,
        position: usize,
        first: u64,
        target: &mut [f64],
    ) -> std::io::Result<bool> {
        let mut bytes = vec![0; target.len() * self.width];
        let at = (position as u64 * self.rows + first) * self.width as u64;
        input.read_at(self.start + at, &mut bytes)?;
        let place = Records { length: self.width, at: 0 };
        (self.decode)(&bytes, place, target);
        Ok(self.rounds(&bytes, place, target))
    }

    /// Whether integers were rounded when they became these numbers.
    fn rounds(&self, bytes: &[u8], place: Records, numbers: &[f64]) -> bool {
        self.rounds.is_some_and(|rounds| any_large(numbers) && rounds(bytes, place))
    }

    fn read_rows(
        &self,
        input: &Seekable,
        selection: &Arc<Selection>,
        options: &Reading<'_>,
        from: u64,
        rows: usize,
    ) -> std::io::Result<Assembly> {
        let mut part = Assembly::new(selection, options.missing);
        let mut block = Block::new(selection.names.len());
        let mut bytes = Vec::new();
        let mut start = 0;
        while start < rows {
            let count = BLOCK_ROWS.min(rows - start);
            let first = from + start as u64;
            let mut target = block.rows_mut(count);
            if self.fortran {
                for (slot, &position) in selection.positions.iter().enumerate() {
                    let column = column_mut(&mut target, slot);
                    if self.read_column_at(input, position, first, column)? {
                        selection.note_rounded(slot);
                    }
                }
            } else {
                let length = self.columns * self.width;
                bytes.resize(count * length, 0);
                input.read_at(self.start + first * length as u64, &mut bytes)?;
                for (tile, records) in bytes.chunks(TILE_ROWS * length).enumerate() {
                    let rows = tile * TILE_ROWS..(tile * TILE_ROWS + records.len() / length);
                    for (slot, &position) in selection.positions.iter().enumerate() {
                        let place = Records { length, at: position * self.width };
                        let column = column_mut(&mut target, slot);
                        (self.decode)(records, place, &mut column[rows.clone()]);
                        if self.rounds(records, place, &column[rows.clone()]) {
                            selection.note_rounded(slot);
                        }
                    }
                }
            }
            part.push(target, None);
            start += count;
        }
        Ok(part)
    }
}

/// The bytes of a number of a type and the function that reads it, if the type is numeric.
fn decoder(kind: &str) -> Option<(usize, Decode)> {
    let big = kind.starts_with('>');
    let kind = kind.strip_prefix(['<', '>', '|'])?;
    // One loop per type, so that the type is known inside it.
    macro_rules! numbers {
        ($type:ty, $convert:expr) => {
            |bytes, records, column| {
                const WIDTH: usize = size_of::<$type>();
                for (value, record) in column.iter_mut().zip(bytes.chunks_exact(records.length)) {
                    let mut number = [0; WIDTH];
                    number.copy_from_slice(&record[records.at..records.at + WIDTH]);
                    *value = $convert(number);
                }
            }
        };
    }
    macro_rules! number {
        ($type:ty) => {
            if big {
                (size_of::<$type>(), numbers!($type, |x| <$type>::from_be_bytes(x) as f64))
            } else {
                (size_of::<$type>(), numbers!($type, |x| <$type>::from_le_bytes(x) as f64))
            }
        };
    }
    Some(match kind {
        "f8" => number!(f64),
        "f4" => number!(f32),
        "i1" => number!(i8),
        "i2" => number!(i16),
        "i4" => number!(i32),
        "i8" => number!(i64),
        "u1" => number!(u8),
        "u2" => number!(u16),
        "u4" => number!(u32),
        "u8" => number!(u64),
        "b1" => (1, numbers!(u8, |[byte]: [u8; 1]| f64::from(u8::from(byte != 0)))),
        _ => return None,
    })
}

/// What tells whether integers of a type are rounded, if those of the type can be.
fn rounding(kind: &str) -> Option<Rounds> {
    macro_rules! rounds {
        ($type:ty, $from:ident) => {
            |bytes, records| {
                bytes.chunks_exact(records.length).any(|record| {
                    let mut number = [0; 8];
                    number.copy_from_slice(&record[records.at..records.at + 8]);
                    is_rounded(<$type>::$from(number).into())
                })
            }
        };
    }
    Some(match kind {
        "<i8" => rounds!(i64, from_le_bytes),
        ">i8" => rounds!(i64, from_be_bytes),
        "<u8" => rounds!(u64, from_le_bytes),
        ">u8" => rounds!(u64, from_be_bytes),
        _ => return None,
    })
}
