//! Readers of tables: both of them, and what they say of each other.

use nocurl::Run;
use nocurl_io::{Format, Missing, ReadOptions, Source, read_dataset, read_moments};

use crate::check_message;

pub(crate) fn parquet(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Parquet, bytes)
}

pub(crate) fn arrow(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Arrow, bytes)
}

pub(crate) fn npy(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Npy, bytes)
}

pub(crate) fn csv(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Csv, bytes)
}

pub(crate) fn xlsx(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Xlsx, bytes)
}

pub(crate) fn ods(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Ods, bytes)
}

pub(crate) fn zip(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Csv, bytes)
}

pub(crate) fn jsonl(bytes: &[u8]) -> Result<bool, String> {
    read(Format::Jsonl, bytes)
}

/// Reads moments and rows and compares them.
fn read(format: Format, bytes: &[u8]) -> Result<bool, String> {
    let options = ReadOptions {
        format: Some(format),
        missing: Missing::Drop,
        // Memory grows with the square of the columns; that limit is not what is tested.
        max_columns: 64,
        ..ReadOptions::default()
    };
    let source = Source::bytes("fuzz", bytes);
    let moments = read_moments(&source, &options, &Run::default());
    let rows = read_dataset(&source, &options, &Run::default());
    match (moments, rows) {
        (Err(one), Err(other)) => {
            let (one, other) = (one.text().to_string(), other.text().to_string());
            if one != other {
                return Err(format!("its readers disagree: {one} | {other}"));
            }
            check_message(&one)
        }
        (Ok(moments), Ok(rows)) => {
            let data = &rows.data;
            if moments.rows != rows.rows || moments.data.names() != data.names() {
                return Err("its readers find other rows or names".into());
            }
            let mut means = moments.data.mean().iter();
            for (j, variable) in data.variables().list().iter().enumerate() {
                let column = data.column(j);
                // A category has a mean for each level but the first: how often it is there.
                let levels = variable.levels.len().max(2);
                for level in 1..levels {
                    let is = |x: f64| if x == level as f64 { 1.0 } else { 0.0 };
                    let values = column.iter().map(|&x| if levels > 2 { is(x) } else { x });
                    let expected = values.map(|x| x / column.len() as f64).sum::<f64>();
                    let size = column.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                    let mean = *means.next().ok_or("its moments are fewer than its columns")?;
                    // Beyond this range squares are not finite, and neither are sums.
                    if size < 1e150 && (mean - expected).abs() > 1e-9 * size {
                        return Err(format!("the mean of column {j} is {mean}, not {expected}"));
                    }
                }
            }
            Ok(true)
        }
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(format!("one reader says: {error}")),
    }
}
