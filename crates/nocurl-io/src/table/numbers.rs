//! Arrow arrays as columns of numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use num_traits::ToPrimitive;

/// Types that are read as numbers; booleans are 0 and 1.
pub(super) fn is_numeric(kind: &DataType) -> bool {
    match kind {
        DataType::Boolean => true,
        DataType::Dictionary(_, values) => is_numeric(values),
        kind => kind.is_numeric(),
    }
}

/// A column of a batch, of a type that is read as numbers.
pub(super) enum Numbers<'a> {
    Plain(&'a dyn Array),
    /// Places in a dictionary, which is converted once for all rows.
    Dictionary(&'a dyn Array, Vec<f64>),
}

impl<'a> Numbers<'a> {
    pub(super) fn new(array: &'a ArrayRef) -> Self {
        let Some(dictionary) = array.as_any_dictionary_opt() else { return Self::Plain(array) };
        let mut values = vec![0.0; dictionary.values().len()];
        Numbers::new(dictionary.values()).copy(0, &mut values);
        Self::Dictionary(dictionary.keys(), values)
    }

    /// Copies values from row `start` on, as many as there is room for; NaN stands for a null.
    pub(super) fn copy(&self, start: usize, target: &mut [f64]) {
        match self {
            Self::Plain(array) => copy(*array, start, target),
            Self::Dictionary(keys, values) => {
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
            let unit = unit(*scale);
            convert::<Decimal32Type>(array, start, target, |x| f64::from(x) / unit);
        }
        DataType::Decimal64(_, scale) => {
            let unit = unit(*scale);
            convert::<Decimal64Type>(array, start, target, |x| x as f64 / unit);
        }
        DataType::Decimal128(_, scale) => {
            let unit = unit(*scale);
            convert::<Decimal128Type>(array, start, target, |x| x as f64 / unit);
        }
        DataType::Decimal256(_, scale) => {
            let unit = unit(*scale);
            let number = |x: <Decimal256Type as ArrowPrimitiveType>::Native| x.to_f64();
            let number = |x| number(x).expect("all such numbers fit") / unit;
            convert::<Decimal256Type>(array, start, target, number);
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

/// What the number behind a decimal is divided by.
pub(super) fn unit(scale: i8) -> f64 {
    10_f64.powi(scale.into())
}
