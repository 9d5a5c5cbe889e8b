//! NumPy arrays: plain numbers behind a short header.

use std::io::{Read, Seek, SeekFrom};

use nocurl::moments::BLOCK_ROWS;
use nocurl::{Dataset, Run};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use super::block::{Block, column_mut};
use super::collect::{Assembly, Collect, by_rows};
use super::columns::Selection;
use super::guard::guarded;
use crate::error::shorten;
use crate::source::Seekable;
use crate::{Error, ReadOptions};

const FORMAT: &str = "NumPy";

/// Where the numbers are and what they are.
struct Layout {
    /// Bytes before the first number.
    start: u64,
    rows: u64,
    columns: usize,
    order: Order,
    width: usize,
    decode: Decode,
}

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
pub(super) fn read<C: Collect>(
    input: &Seekable,
    options: &ReadOptions,
    run: &Run<'_>,
) -> Result<Assembly<C>, Error> {
    let layout = guarded(&input.label, FORMAT, || Layout::read(input))?;
    let names = Dataset::default_names(layout.columns);
    let selection = Selection::new(&input.label, &names, options)?;
    let mut total = Assembly::new(&selection, options.missing);
    by_rows(&mut total, layout.rows, layout.columns, run, |from, rows| {
        layout
            .read_rows(input, &selection, options, from, rows)
            .map_err(|error| Error::read(&input.label, &error))
    })?;
    Ok(total)
}

impl Layout {
    fn read(input: &Seekable) -> Result<Self, Error> {
        let label = input.label.as_str();
        let mut handle = input.handle()?;
        // The length of the header is part of the header, so a corrupt one must not be trusted
        // with more than there is.
        let header = NpyHeader::from_reader((&mut handle).take(input.length))
            .map_err(|error| Error::invalid(label, FORMAT, error))?;
        let start = handle.stream_position().map_err(|error| Error::read(label, &error))?;
        let DType::Plain(kind) = header.dtype() else {
            let reason = "records are not read; save a plain array of numbers";
            return Err(Error::unsupported(label, reason));
        };
        let decode = decoder(kind.type_char(), kind.endianness(), kind.size_field());
        let Some(decode) = decode else {
            let reason = format!(
                "arrays of type {} are not read; save one of floats, integers or booleans",
                shorten(&kind.to_string(), 20)
            );
            return Err(Error::unsupported(label, reason));
        };
        let &[rows, columns] = header.shape() else {
            let reason =
                format!("the array has {} dimensions, a table has 2", header.shape().len());
            return Err(Error::unsupported(label, reason));
        };
        if rows < 2 {
            return Err(nocurl::Error::TooFewRows { rows, needed: 2 }.into());
        }
        let width = kind.size_field();
        let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(width));
        if bytes.and_then(|bytes| bytes.checked_add(start)).is_none_or(|end| end > input.length) {
            let reason = format!("it ends before the {rows} x {columns} numbers it announces");
            return Err(Error::invalid(label, FORMAT, reason));
        }
        let (columns, width) = (columns as usize, width as usize);
        Ok(Self { start, rows, columns, order: header.order(), width, decode })
    }

    fn read_rows<C: Collect>(
        &self,
        input: &Seekable,
        selection: &Selection,
        options: &ReadOptions,
        from: u64,
        rows: usize,
    ) -> std::io::Result<Assembly<C>> {
        let mut part = Assembly::new(selection, options.missing);
        let mut block = Block::new(selection.names.len());
        let mut handle = input.handle().map_err(std::io::Error::other)?;
        let mut bytes = Vec::new();
        let mut start = 0;
        while start < rows {
            let count = BLOCK_ROWS.min(rows - start);
            let first = from + start as u64;
            let mut target = block.rows_mut(count);
            match self.order {
                Order::C => {
                    let length = self.columns * self.width;
                    bytes.resize(count * length, 0);
                    handle.seek(SeekFrom::Start(self.start + first * length as u64))?;
                    handle.read_exact(&mut bytes)?;
                    for (tile, records) in bytes.chunks(TILE_ROWS * length).enumerate() {
                        let rows = tile * TILE_ROWS..(tile * TILE_ROWS + records.len() / length);
                        for (slot, &position) in selection.positions.iter().enumerate() {
                            let place = Records { length, at: position * self.width };
                            let column = column_mut(&mut target, slot);
                            (self.decode)(records, place, &mut column[rows.clone()]);
                        }
                    }
                }
                Order::Fortran => {
                    bytes.resize(count * self.width, 0);
                    for (slot, &position) in selection.positions.iter().enumerate() {
                        let at = (position as u64 * self.rows + first) * self.width as u64;
                        handle.seek(SeekFrom::Start(self.start + at))?;
                        handle.read_exact(&mut bytes)?;
                        let place = Records { length: self.width, at: 0 };
                        (self.decode)(&bytes, place, column_mut(&mut target, slot));
                    }
                }
            }
            part.push(target, None);
            start += count;
        }
        Ok(part)
    }
}

/// The function that reads numbers of a type, if the type is numeric.
fn decoder(kind: TypeChar, endianness: Endianness, width: u64) -> Option<Decode> {
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
            match endianness {
                Endianness::Big => numbers!($type, |bytes| <$type>::from_be_bytes(bytes) as f64),
                _ => numbers!($type, |bytes| <$type>::from_le_bytes(bytes) as f64),
            }
        };
    }
    Some(match (kind, width) {
        (TypeChar::Float, 8) => number!(f64),
        (TypeChar::Float, 4) => number!(f32),
        (TypeChar::Int, 1) => number!(i8),
        (TypeChar::Int, 2) => number!(i16),
        (TypeChar::Int, 4) => number!(i32),
        (TypeChar::Int, 8) => number!(i64),
        (TypeChar::Uint, 1) => number!(u8),
        (TypeChar::Uint, 2) => number!(u16),
        (TypeChar::Uint, 4) => number!(u32),
        (TypeChar::Uint, 8) => number!(u64),
        (TypeChar::Bool, 1) => numbers!(u8, |[byte]: [u8; 1]| f64::from(u8::from(byte != 0))),
        _ => return None,
    })
}
