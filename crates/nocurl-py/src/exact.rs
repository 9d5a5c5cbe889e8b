//! Whole numbers in Arrow streams that would be rounded.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};

/// Whole numbers up to here are floating-point numbers too.
const LARGEST_EXACT: u64 = 1 << 53;

/// A stream that ends with an error at the first batch with such a number.
pub(crate) struct Exact(pub(crate) Box<dyn RecordBatchReader + Send>);

impl Iterator for Exact {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.0.next()?;
        Some(batch.and_then(|batch| {
            let schema = batch.schema();
            let column = batch.columns().iter().position(|column| has_large(column.as_ref()));
            match column {
                None => Ok(batch),
                Some(at) => Err(ArrowError::CastError(format!(
                    "column `{}` has whole numbers beyond 2**53, which would be rounded; leave the \
                     column out, or convert it to float64 if the rounding does no harm",
                    schema.field(at).name()
                ))),
            }
        }))
    }
}

impl RecordBatchReader for Exact {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }
}

fn has_large(array: &dyn Array) -> bool {
    match array.data_type() {
        DataType::Int64 => {
            let values = array.as_primitive::<Int64Type>();
            values.iter().flatten().any(|value| value.unsigned_abs() > LARGEST_EXACT)
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>();
            values.iter().flatten().any(|value| value > LARGEST_EXACT)
        }
        _ => false,
    }
}
