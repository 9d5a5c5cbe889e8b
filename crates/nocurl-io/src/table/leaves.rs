//! Columns of a row group of a Parquet file as numbers.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Decimal256Type, Float16Type};
use arrow_schema::DataType as Kind;
use parquet::basic::Type as Physical;
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;

use super::columns::Rounding;
use super::fixed::{self, Floats};
use super::numbers::{decimal, is_rounded_decimal, wide_decimal};
use super::words::{any_large, is_rounded};

/// A column whose rows are read one after the other.
pub(super) trait Leaf: Send {
    /// Passes over rows.
    fn skip(&mut self, rows: usize) -> Result<()>;
    /// Reads as many rows as there is room for; NaN stands for a null.
    fn read(&mut self, target: &mut [f64]) -> Result<()>;
}

/// Opens a column of a type that is read as numbers.
pub(super) fn open(
    kind: &Kind,
    chunk: &ColumnChunkMetaData,
    pages: Box<dyn PageReader>,
    rounding: Rounding,
) -> Result<Box<dyn Leaf>> {
    let column = &chunk.column_descr_ptr();
    match column.physical_type() {
        Physical::BOOLEAN => leaf::<BoolType>(column, pages, |&x| f64::from(u8::from(x))),
        Physical::FLOAT => leaf::<FloatType>(column, pages, |&x| f64::from(x)),
        Physical::DOUBLE => leaf::<DoubleType>(column, pages, |&x| x),
        Physical::INT32 => open_int32(kind, column, pages),
        Physical::INT64 => open_int64(kind, column, pages, rounding),
        Physical::BYTE_ARRAY => {
            let scale = scale(kind).ok_or_else(|| mismatch(kind))?;
            let number = of_bytes(kind);
            leaf::<ByteArrayType>(column, pages, move |x| number(x.data(), scale, &rounding))
        }
        Physical::FIXED_LEN_BYTE_ARRAY => match scale(kind) {
            Some(scale) => {
                let number = of_bytes(kind);
                open_fixed(chunk, pages, move |x| number(x, scale, &rounding))
            }
            None => open_fixed(chunk, pages, half),
        },
        Physical::INT96 => Err(mismatch(kind)),
    }
}

/// Opens a column of text, of which a function makes numbers; blanks around a text do not count.
/// A column of another type has nothing but gaps.
pub(super) fn texts(
    chunk: &ColumnChunkMetaData,
    pages: Box<dyn PageReader>,
    number: impl Fn(&[u8]) -> f64 + Send + 'static,
) -> Result<Box<dyn Leaf>> {
    let column = &chunk.column_descr_ptr();
    match column.physical_type() {
        Physical::BYTE_ARRAY => {
            leaf::<ByteArrayType>(column, pages, move |x| number(x.data().trim_ascii()))
        }
        _ => Ok(Box::new(Gaps)),
    }
}

/// Nothing.
struct Gaps;

impl Leaf for Gaps {
    fn skip(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn read(&mut self, target: &mut [f64]) -> Result<()> {
        target.fill(f64::NAN);
        Ok(())
    }
}

/// Small and unsigned integers are stored in more bits than they have, or as signed ones.
fn open_int32(
    kind: &Kind,
    column: &ColumnDescPtr,
    pages: Box<dyn PageReader>,
) -> Result<Box<dyn Leaf>> {
    match values(kind) {
        Kind::Int8 => leaf::<Int32Type>(column, pages, |&x| f64::from(x as i8)),
        Kind::Int16 => leaf::<Int32Type>(column, pages, |&x| f64::from(x as i16)),
        Kind::UInt8 => leaf::<Int32Type>(column, pages, |&x| f64::from(x as u8)),
        Kind::UInt16 => leaf::<Int32Type>(column, pages, |&x| f64::from(x as u16)),
        Kind::UInt32 => leaf::<Int32Type>(column, pages, |&x| f64::from(x as u32)),
        kind => match scale(kind) {
            Some(scale) => leaf::<Int32Type>(column, pages, move |&x| decimal(x.into(), scale)),
            None => leaf::<Int32Type>(column, pages, |&x| f64::from(x)),
        },
    }
}

fn open_int64(
    kind: &Kind,
    column: &ColumnDescPtr,
    pages: Box<dyn PageReader>,
    rounding: Rounding,
) -> Result<Box<dyn Leaf>> {
    match (values(kind), scale(kind)) {
        (Kind::UInt64, _) => integers::<Int64Type>(
            column,
            pages,
            |&x| x as u64 as f64,
            |&x| is_rounded((x as u64).into()),
            rounding,
        ),
        (_, Some(scale)) => integers::<Int64Type>(
            column,
            pages,
            move |&x| decimal(x.into(), scale),
            move |&x| is_rounded_decimal(x.into(), scale),
            rounding,
        ),
        (_, None) => {
            integers::<Int64Type>(column, pages, |&x| x as f64, |&x| is_rounded(x.into()), rounding)
        }
    }
}

/// Values of a fixed count of bytes; only rare encodings of them are left to the decoder.
fn open_fixed(
    chunk: &ColumnChunkMetaData,
    pages: Box<dyn PageReader>,
    number: impl Fn(&[u8]) -> f64 + Send + 'static,
) -> Result<Box<dyn Leaf>> {
    let column = chunk.column_descr_ptr();
    if fixed::plain(chunk) {
        let pages = Floats::new(&column, pages, number);
        return leaf::<DoubleType>(&fixed::as_floats(&column)?, Box::new(pages), |&x| x);
    }
    leaf::<FixedLenByteArrayType>(&column, pages, move |x| number(x.data()))
}

/// The type of the values, whether or not they were in a dictionary when they were written.
fn values(kind: &Kind) -> &Kind {
    match kind {
        Kind::Dictionary(_, kind) => values(kind),
        kind => kind,
    }
}

/// Places after the point of a decimal.
fn scale(kind: &Kind) -> Option<i8> {
    match *values(kind) {
        Kind::Decimal32(_, scale)
        | Kind::Decimal64(_, scale)
        | Kind::Decimal128(_, scale)
        | Kind::Decimal256(_, scale) => Some(scale),
        _ => None,
    }
}

fn mismatch(kind: &Kind) -> ParquetError {
    ParquetError::General(format!("a column is said to hold {kind} and cannot"))
}

/// What makes a number of a decimal by its scale: the bytes of an integer, the highest first.
fn of_bytes(kind: &Kind) -> fn(&[u8], i8, &Rounding) -> f64 {
    type Wide = <Decimal256Type as ArrowPrimitiveType>::Native;
    match values(kind) {
        Kind::Decimal256(..) => |bytes, scale, rounding| {
            let integer = Wide::from_be_bytes(extend(bytes));
            if scale <= 0 && integer.to_i128().is_none_or(|x| is_rounded_decimal(x, scale)) {
                rounding.note();
            }
            wide_decimal(integer, scale)
        },
        _ => |bytes, scale, rounding| {
            let integer = i128::from_be_bytes(extend(bytes));
            if scale <= 0 && is_rounded_decimal(integer, scale) {
                rounding.note();
            }
            decimal(integer, scale)
        },
    }
}

/// Puts copies of the sign before the bytes. Too many bytes are a panic, and so an error.
fn extend<const WIDTH: usize>(bytes: &[u8]) -> [u8; WIDTH] {
    let negative = bytes.first().is_some_and(|&first| first >= 0x80);
    let mut wide = if negative { [0xff; WIDTH] } else { [0; WIDTH] };
    wide[WIDTH - bytes.len()..].copy_from_slice(bytes);
    wide
}

fn half(bytes: &[u8]) -> f64 {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    bytes.try_into().map_or(f64::NAN, |bytes| Half::from_le_bytes(bytes).into())
}

fn leaf<T: DataType>(
    column: &ColumnDescPtr,
    pages: Box<dyn PageReader>,
    number: impl Fn(&T::T) -> f64 + Send + 'static,
) -> Result<Box<dyn Leaf>> {
    Ok(Box::new(Typed::<T, _>::new(column, pages, number)))
}

/// A column of integers, with what tells of one whether it was rounded when it became a number.
fn integers<T: DataType>(
    column: &ColumnDescPtr,
    pages: Box<dyn PageReader>,
    number: impl Fn(&T::T) -> f64 + Send + 'static,
    rounds: impl Fn(&T::T) -> bool + Send + 'static,
    rounding: Rounding,
) -> Result<Box<dyn Leaf>> {
    let typed = Typed::<T, _>::new(column, pages, number);
    Ok(Box::new(Rounded { typed, rounds, rounding }))
}

/// A column of a physical type, with what makes a number of it.
struct Typed<T: DataType, F> {
    reader: ColumnReaderImpl<T>,
    /// Level at which there is a value; below it there is a null.
    full: i16,
    levels: Vec<i16>,
    values: Vec<T::T>,
    number: F,
}

impl<T: DataType, F> Typed<T, F> {
    fn new(column: &ColumnDescPtr, pages: Box<dyn PageReader>, number: F) -> Self {
        let reader = ColumnReaderImpl::new(Arc::clone(column), pages);
        let full = column.max_def_level();
        Self { reader, full, levels: Vec::new(), values: Vec::new(), number }
    }
}

impl<T: DataType, F: Fn(&T::T) -> f64 + Send> Leaf for Typed<T, F> {
    fn skip(&mut self, rows: usize) -> Result<()> {
        all(rows, self.reader.skip_records(rows)?)
    }

    fn read(&mut self, target: &mut [f64]) -> Result<()> {
        let Self { reader, full, levels, values, number } = self;
        levels.clear();
        values.clear();
        let (rows, ..) = reader.read_records(target.len(), Some(levels), None, values)?;
        all(target.len(), rows)?;
        if values.len() == target.len() {
            target.iter_mut().zip(values).for_each(|(to, from)| *to = number(from));
            return Ok(());
        }
        let mut values = values.iter();
        for (to, level) in target.iter_mut().zip(levels) {
            let value = if level == full { values.next() } else { None };
            *to = value.map_or(f64::NAN, &*number);
        }
        Ok(())
    }
}

/// A column of integers, some of which a number may not be able to hold.
struct Rounded<T: DataType, F, R> {
    typed: Typed<T, F>,
    rounds: R,
    rounding: Rounding,
}

impl<T: DataType, F, R> Leaf for Rounded<T, F, R>
where
    F: Fn(&T::T) -> f64 + Send,
    R: Fn(&T::T) -> bool + Send,
{
    fn skip(&mut self, rows: usize) -> Result<()> {
        self.typed.skip(rows)
    }

    fn read(&mut self, target: &mut [f64]) -> Result<()> {
        self.typed.read(target)?;
        if any_large(target) && self.typed.values.iter().any(&self.rounds) {
            self.rounding.note();
        }
        Ok(())
    }
}

fn all(wanted: usize, found: usize) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(ParquetError::General("it has fewer rows than it says".into()))
}
