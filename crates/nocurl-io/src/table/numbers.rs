//! Arrow arrays as columns of numbers, of levels or of text.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::kinds::{Coding, Declared};
use super::survey::ColumnSurvey;
use super::words::{Absent, any_large, is_rounded};
use crate::error::shorten;

/// What a type says of a column; `ordered` is for categories.
pub(super) fn declared(kind: &DataType, ordered: bool) -> Declared {
    match kind {
        DataType::Boolean => Declared::Truth,
        DataType::Dictionary(_, values) => match declared(values, ordered) {
            Declared::Text => Declared::Category { levels: Vec::new(), ordered },
            other => other,
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Declared::Text,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Declared::Date,
        kind if kind.is_numeric() => Declared::Number,
        kind => Declared::Other(shorten(&kind.to_string(), 60)),
    }
}

/// The text of an array by row, if it is one of text.
fn texts<'a>(array: &'a dyn Array) -> Option<Box<dyn Fn(usize) -> &'a str + 'a>> {
    Some(match array.data_type() {
        DataType::Utf8 => Box::new(|i| array.as_string::<i32>().value(i)),
        DataType::LargeUtf8 => Box::new(|i| array.as_string::<i64>().value(i)),
        DataType::Utf8View => Box::new(|i| array.as_string_view().value(i)),
        _ => return None,
    })
}

/// Looks at the cells of a column of text or of a dictionary of text, `before` rows into the table.
pub(super) fn look(array: &ArrayRef, column: &mut ColumnSurvey, absent: &Absent, before: u64) {
    let dictionary = array.as_any_dictionary_opt();
    let values = dictionary.map_or(array, |dictionary| dictionary.values());
    let Some(text) = texts(values) else {
        column.missing += array.len() as u64;
        return;
    };
    if dictionary.is_some() {
        let known = (0..values.len()).filter(|&i| values.is_valid(i));
        known.map(&text).for_each(|name| column.know(name.trim()));
    }
    let keys = dictionary.map(|dictionary| {
        let mut keys = vec![0.0; array.len()];
        copy(dictionary.keys(), 0, &mut keys);
        keys
    });
    for (row, i) in (before + 1..).zip(0..array.len()) {
        let at = match &keys {
            None => array.is_valid(i).then_some(i),
            Some(keys) => (!keys[i].is_nan()).then_some(keys[i] as usize),
        };
        match at.filter(|&at| values.is_valid(at)).map(|at| text(at).trim().as_bytes()) {
            None => column.missing += 1,
            Some(name) if absent.has(name) => column.absent(name, absent),
            Some(name) => column.text(name, false, row, None),
        }
    }
}

/// A column of a batch, of a type that is read as numbers.
pub(super) enum Numbers<'a> {
    Plain(&'a dyn Array),
    /// Places in a dictionary, which is converted once for all rows, and whether that rounded
    /// integers.
    Dictionary(&'a dyn Array, Vec<f64>, bool),
    /// Text that becomes codes.
    Levels(&'a dyn Array, Box<dyn Fn(usize) -> &'a str + 'a>, &'a Coding),
    Nothing,
}

impl<'a> Numbers<'a> {
    /// A column of numbers, or of levels with their codes.
    pub(super) fn new(array: &'a ArrayRef, coding: Option<&'a Coding>) -> Self {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            let mut values = vec![0.0; dictionary.values().len()];
            let known = Numbers::new(dictionary.values(), coding);
            known.copy(0, &mut values);
            let rounds = known.rounds(0, &values);
            return Self::Dictionary(dictionary.keys(), values, rounds);
        }
        match (texts(array), coding) {
            (Some(text), Some(coding)) => Self::Levels(array, text, coding),
            // Nothing that could be read as a number: a first look has its own way.
            (Some(_), None) => Self::Nothing,
            (None, _) if declared(array.data_type(), false).is_number() => Self::Plain(array),
            (None, _) => Self::Nothing,
        }
    }

    /// Whether integers from row `start` on were rounded when they were copied to `target`.
    pub(super) fn rounds(&self, start: usize, target: &[f64]) -> bool {
        let array = match self {
            Self::Plain(array) if any_large(target) => *array,
            Self::Dictionary(_, _, rounds) => return *rounds,
            Self::Plain(_) | Self::Levels(..) | Self::Nothing => return false,
        };
        let any = |large: &dyn Fn(usize) -> bool| {
            (start..start + target.len()).any(|i| large(i) && array.is_valid(i))
        };
        match array.data_type() {
            DataType::Int64 => {
                let values = array.as_primitive::<Int64Type>().values();
                any(&|i| is_rounded(values[i].into()))
            }
            DataType::UInt64 => {
                let values = array.as_primitive::<UInt64Type>().values();
                any(&|i| is_rounded(values[i].into()))
            }
            DataType::Decimal64(_, scale @ ..=0) => {
                let values = array.as_primitive::<Decimal64Type>().values();
                any(&|i| is_rounded_decimal(values[i].into(), *scale))
            }
            DataType::Decimal128(_, scale @ ..=0) => {
                let values = array.as_primitive::<Decimal128Type>().values();
                any(&|i| is_rounded_decimal(values[i], *scale))
            }
            DataType::Decimal256(_, scale @ ..=0) => {
                let values = array.as_primitive::<Decimal256Type>().values();
                any(&|i| {
                    values[i].to_i128().is_none_or(|integer| is_rounded_decimal(integer, *scale))
                })
            }
            _ => false,
        }
    }

    /// Copies values from row `start` on, as many as there is room for; NaN stands for a null.
    pub(super) fn copy(&self, start: usize, target: &mut [f64]) {
        match self {
            Self::Plain(array) => copy(*array, start, target),
            Self::Nothing => target.fill(f64::NAN),
            Self::Levels(array, text, coding) => {
                for (i, code) in (start..).zip(target) {
                    *code = match array.is_valid(i) {
                        true => coding.of_text(text(i).trim().as_bytes()),
                        false => f64::NAN,
                    };
                }
            }
            Self::Dictionary(keys, values, _) => {
                copy(*keys, start, target);
                for number in target.iter_mut().filter(|number| !number.is_nan()) {
                    *number = values[*number as usize];
                }
            }
        }
    }
}

fn copy(array: &dyn Array, start: usize, target: &mut [f64]) {
    match array.data_type() {
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            target.copy_from_slice(&values[start..start + target.len()]);
        }
        DataType::Float32 => convert::<Float32Type>(array, start, target, f64::from),
        DataType::Float16 => convert::<Float16Type>(array, start, target, f64::from),
        DataType::Int8 => convert::<Int8Type>(array, start, target, f64::from),
        DataType::Int16 => convert::<Int16Type>(array, start, target, f64::from),
        DataType::Int32 => convert::<Int32Type>(array, start, target, f64::from),
        DataType::Int64 => convert::<Int64Type>(array, start, target, |x| x as f64),
        DataType::UInt8 => convert::<UInt8Type>(array, start, target, f64::from),
        DataType::UInt16 => convert::<UInt16Type>(array, start, target, f64::from),
        DataType::UInt32 => convert::<UInt32Type>(array, start, target, f64::from),
        DataType::UInt64 => convert::<UInt64Type>(array, start, target, |x| x as f64),
        DataType::Boolean => {
            let values = array.as_boolean().values().slice(start, target.len());
            target.iter_mut().zip(&values).for_each(|(to, from)| *to = f64::from(u8::from(from)));
        }
        DataType::Decimal32(_, scale) => {
            convert::<Decimal32Type>(array, start, target, |x| decimal(x.into(), *scale));
        }
        DataType::Decimal64(_, scale) => {
            convert::<Decimal64Type>(array, start, target, |x| decimal(x.into(), *scale));
        }
        DataType::Decimal128(_, scale) => {
            convert::<Decimal128Type>(array, start, target, |x| decimal(x, *scale));
        }
        DataType::Decimal256(_, scale) => {
            convert::<Decimal256Type>(array, start, target, |x| wide_decimal(x, *scale));
        }
        kind => unreachable!("columns of type {kind} have been refused"),
    }
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        for (i, number) in target.iter_mut().enumerate() {
            if nulls.is_null(start + i) {
                *number = f64::NAN;
            }
        }
    }
}

fn convert<T: ArrowPrimitiveType>(
    array: &dyn Array,
    start: usize,
    target: &mut [f64],
    number: impl Fn(T::Native) -> f64,
) {
    let values = &array.as_primitive::<T>().values()[start..start + target.len()];
    target.iter_mut().zip(values).for_each(|(to, &from)| *to = number(from));
}

/// The number nearest to an integer divided by a power of ten: rounded once.
pub(super) fn decimal(integer: i128, scale: i8) -> f64 {
    // Both are floating-point numbers, and so their quotient is the nearest one.
    if integer.unsigned_abs() <= 1 << 53 && (0..=22).contains(&scale) {
        return integer as f64 / 10_f64.powi(scale.into());
    }
    nearest(&integer, scale)
}

/// The same for integers of 256 bits.
pub(super) fn wide_decimal(
    integer: <Decimal256Type as ArrowPrimitiveType>::Native,
    scale: i8,
) -> f64 {
    match integer.to_i128() {
        Some(integer) => decimal(integer, scale),
        None => nearest(&integer, scale),
    }
}

/// Whether a decimal is a whole number that changes when it becomes a floating-point number. With
/// places after the point it is a measurement, which is rounded anyhow.
pub(super) fn is_rounded_decimal(integer: i128, scale: i8) -> bool {
    let zeros = 10_i128.checked_pow(scale.unsigned_abs().into());
    let whole = zeros.and_then(|zeros| integer.checked_mul(zeros));
    scale <= 0 && whole.map_or(integer != 0, is_rounded)
}

fn nearest(integer: &dyn std::fmt::Display, scale: i8) -> f64 {
    fast_float2::parse(format!("{integer}e{}", -i16::from(scale))).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_once() {
        for (integer, scale, value) in [
            (12_345, 2, 123.45),
            (-5, 1, -0.5),
            (7, -3, 7000.0),
            (9_007_199_254_740_993, 0, 9_007_199_254_740_992.0),
            // Rounded to an integer first, the last digit comes out wrong.
            (9_007_199_254_740_993, 1, 900_719_925_474_099.3),
            (123_456_789_012_345_678_901_234_567_890, 25, 12_345.678_901_234_568),
        ] {
            assert_eq!(decimal(integer, scale), value, "{integer} {scale}");
        }
        for (integer, scale, rounded) in [
            (9_007_199_254_740_993, 0, true),
            (9_007_199_254_740_992, 0, false),
            (9_007_199_254_740_993, 1, false),
            (900_719_925_474_099_301, -1, true),
            (0, -100, false),
            (1, -100, true),
        ] {
            assert_eq!(is_rounded_decimal(integer, scale), rounded, "{integer} {scale}");
        }
        let wide = <Decimal256Type as ArrowPrimitiveType>::Native::MAX;
        assert!((wide_decimal(wide, 70) / 5_789_604.461_865_81 - 1.0).abs() < 1e-12);
    }
}
