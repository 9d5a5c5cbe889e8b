//! The columns of a Parquet file as Arrow types, which say more plainly what is in them.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::basic::{
    ConvertedType as Converted, LogicalType as Logical, Repetition, TimeUnit as Unit,
    Type as Physical,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::Type;

/// Under this key programs that work with Arrow keep the schema of what they wrote.
const HINT: &str = "ARROW:schema";

/// The columns of a file, as the program that wrote it saw them where it left word of that: it is
/// the only trace of a duration, for one.
pub(super) fn arrow_schema(file: &FileMetaData) -> Result<Schema, ParquetError> {
    let columns = file.schema_descr().root_schema().get_fields();
    let pairs = file.key_value_metadata().into_iter().flatten();
    // Of several the last one counts.
    let hint =
        pairs.filter(|pair| pair.key == HINT).filter_map(|pair| pair.value.as_ref()).next_back();
    let hint = hint.map(|text| decode_hint(text)).transpose()?;
    if hint.as_ref().is_some_and(|hint| hint.len() != columns.len()) {
        return Err(fault("its Arrow schema has another number of columns"));
    }
    let fields = columns.iter().enumerate().map(|(i, column)| {
        let hint = hint.as_ref().map(|hint| &hint[i]);
        if hint.is_some_and(|hint| hint.name() != column.name()) {
            return Err(fault("its Arrow schema has other columns"));
        }
        Ok(Field::new(column.name(), kind(column, hint.map(|hint| hint.data_type()))?, true))
    });
    Ok(Schema::new(fields.collect::<Result<Vec<_>, _>>()?))
}

fn fault(reason: impl Into<String>) -> ParquetError {
    ParquetError::General(reason.into())
}

fn decode_hint(text: &str) -> Result<Fields, ParquetError> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|_| fault("its Arrow schema is no base64"))?;
    // A marker and the length of the message stand before it, but not in old files.
    let message = bytes.strip_prefix(&[0xff; 4]).and_then(|rest| rest.get(4..)).unwrap_or(&bytes);
    let message = arrow_ipc::root_as_message(message).ok();
    let schema = message.and_then(|message| message.header_as_schema());
    let schema = schema.ok_or_else(|| fault("its Arrow schema makes no sense"))?;
    Ok(arrow_ipc::convert::fb_to_schema(schema).fields)
}

fn kind(column: &Type, hint: Option<&DataType>) -> Result<DataType, ParquetError> {
    let repeated = column.get_basic_info().repetition() == Repetition::REPEATED;
    if column.is_group() || repeated {
        return hint.map_or_else(|| nested(column, repeated), |hint| Ok(hint.clone()));
    }
    let found = primitive(column)?;
    Ok(hint.map_or_else(|| found.clone(), |hint| hinted(&found, hint)))
}

/// A column of lists or of structures, only to be named in a message.
fn nested(column: &Type, repeated: bool) -> Result<DataType, ParquetError> {
    let field = |name: &str, kind| Arc::new(Field::new(name, kind, true));
    if column.is_primitive() {
        return Ok(DataType::List(field(column.name(), primitive(column)?)));
    }
    let children = column.get_fields().iter();
    let children: Vec<_> = children
        .map(|child| Ok(field(child.name(), kind(child, None)?)))
        .collect::<Result<_, ParquetError>>()?;
    let info = column.get_basic_info();
    Ok(match (info.converted_type(), children.first()) {
        (Converted::MAP | Converted::MAP_KEY_VALUE, Some(pairs)) => match pairs.data_type() {
            DataType::List(pair) => DataType::Map(pair.clone(), false),
            _ => DataType::Map(pairs.clone(), false),
        },
        (Converted::LIST, Some(items)) => match items.data_type() {
            DataType::List(item) => DataType::List(item.clone()),
            _ => DataType::List(items.clone()),
        },
        _ if repeated => match children.as_slice() {
            [item] => DataType::List(item.clone()),
            _ => DataType::List(field(column.name(), DataType::Struct(children.into()))),
        },
        _ => DataType::Struct(children.into()),
    })
}

/// The type that the writer had in mind, if the file can hold it.
fn hinted(found: &DataType, hint: &DataType) -> DataType {
    use DataType as T;
    let fits = match (found, hint) {
        (_, T::Dictionary(_, values)) => {
            let inner = hinted(found, values);
            return if inner == **values { hint.clone() } else { inner };
        }
        (T::Int32 | T::Int64, T::Timestamp(..)) => true,
        (T::Int32, T::Time32(_)) => true,
        (T::Int64, T::Time64(_) | T::Duration(_) | T::Date64) => true,
        (T::Date32, T::Date64) => true,
        (T::Timestamp(one, _), T::Timestamp(other, Some(_))) if one == other => true,
        (T::Timestamp(TimeUnit::Nanosecond, None), T::Timestamp(..)) => true,
        (T::Utf8, T::LargeUtf8 | T::Utf8View) => true,
        (T::Binary, T::LargeBinary | T::BinaryView) => true,
        (T::Binary, T::Utf8 | T::LargeUtf8 | T::Utf8View) => true,
        (T::Interval(_), T::Interval(_)) => true,
        (T::Decimal128(..), T::Decimal32(..) | T::Decimal64(..) | T::Decimal256(..)) => true,
        _ => false,
    };
    if fits { hint.clone() } else { found.clone() }
}

fn primitive(column: &Type) -> Result<DataType, ParquetError> {
    let Type::PrimitiveType { basic_info, physical_type, type_length, .. } = column else {
        return Err(fault("a group stands where a column should"));
    };
    let logical = basic_info.logical_type_ref();
    if logical == Some(&Logical::Unknown) {
        return Ok(DataType::Null);
    }
    let meant = logical.map_or_else(|| converted(column), |logical| annotated(logical, column))?;
    Ok(match (physical_type, meant) {
        (Physical::BOOLEAN, _) => DataType::Boolean,
        (Physical::FLOAT, _) => DataType::Float32,
        (Physical::DOUBLE, _) => DataType::Float64,
        (Physical::INT96, _) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        (_, Some(meant)) => meant,
        (Physical::INT32, None) => DataType::Int32,
        (Physical::INT64, None) => DataType::Int64,
        (Physical::BYTE_ARRAY, None) => DataType::Binary,
        (Physical::FIXED_LEN_BYTE_ARRAY, None) => DataType::FixedSizeBinary(*type_length),
    })
}

/// What a column is said to be.
fn annotated(logical: &Logical, column: &Type) -> Result<Option<DataType>, ParquetError> {
    Ok(Some(match logical {
        Logical::Integer(int) => match (int.bit_width, int.is_signed) {
            (8, true) => DataType::Int8,
            (16, true) => DataType::Int16,
            (32, true) => DataType::Int32,
            (64, true) => DataType::Int64,
            (8, false) => DataType::UInt8,
            (16, false) => DataType::UInt16,
            (32, false) => DataType::UInt32,
            (64, false) => DataType::UInt64,
            (bits, _) => return Err(fault(format!("a column has integers of {bits} bits"))),
        },
        Logical::Decimal(decimal) => {
            return self::decimal(decimal.precision, decimal.scale, column);
        }
        Logical::Date => DataType::Date32,
        Logical::Time(time) => match time_unit(time.unit) {
            TimeUnit::Millisecond => DataType::Time32(TimeUnit::Millisecond),
            unit => DataType::Time64(unit),
        },
        Logical::Timestamp(time) => {
            let zone = time.is_adjusted_to_u_t_c.then(|| "UTC".into());
            DataType::Timestamp(time_unit(time.unit), zone)
        }
        Logical::String | Logical::Json => DataType::Utf8,
        Logical::Float16 => DataType::Float16,
        _ => return Ok(None),
    }))
}

/// The same in the way of old files.
fn converted(column: &Type) -> Result<Option<DataType>, ParquetError> {
    let utc = || Some("UTC".into());
    Ok(Some(match column.get_basic_info().converted_type() {
        Converted::INT_8 => DataType::Int8,
        Converted::INT_16 => DataType::Int16,
        Converted::INT_32 => DataType::Int32,
        Converted::INT_64 => DataType::Int64,
        Converted::UINT_8 => DataType::UInt8,
        Converted::UINT_16 => DataType::UInt16,
        Converted::UINT_32 => DataType::UInt32,
        Converted::UINT_64 => DataType::UInt64,
        Converted::DECIMAL => {
            return decimal(column.get_precision(), column.get_scale(), column);
        }
        Converted::DATE => DataType::Date32,
        Converted::TIME_MILLIS => DataType::Time32(TimeUnit::Millisecond),
        Converted::TIME_MICROS => DataType::Time64(TimeUnit::Microsecond),
        Converted::TIMESTAMP_MILLIS => DataType::Timestamp(TimeUnit::Millisecond, utc()),
        Converted::TIMESTAMP_MICROS => DataType::Timestamp(TimeUnit::Microsecond, utc()),
        Converted::UTF8 | Converted::JSON => DataType::Utf8,
        Converted::INTERVAL => DataType::Interval(IntervalUnit::DayTime),
        _ => return Ok(None),
    }))
}

fn decimal(precision: i32, scale: i32, column: &Type) -> Result<Option<DataType>, ParquetError> {
    let (Ok(digits), Ok(scale)) = (u8::try_from(precision), i8::try_from(scale)) else {
        return Err(fault(format!("a column has decimals of {precision} digits")));
    };
    let wide = match column {
        Type::PrimitiveType { physical_type: Physical::BYTE_ARRAY, .. } => digits > 38,
        Type::PrimitiveType { type_length, .. } => *type_length > 16,
        Type::GroupType { .. } => false,
    };
    let kind = if wide { DataType::Decimal256 } else { DataType::Decimal128 };
    Ok(Some(kind(digits, scale)))
}

fn time_unit(unit: Unit) -> TimeUnit {
    match unit {
        Unit::MILLIS => TimeUnit::Millisecond,
        Unit::MICROS => TimeUnit::Microsecond,
        Unit::NANOS => TimeUnit::Nanosecond,
    }
}
