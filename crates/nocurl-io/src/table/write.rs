//! Tables to files, without loss.

use std::io::{self, Write};
use std::path::Path;

use nocurl::Dataset;
use npyz::WriterBuilder;

use crate::output::write_atomic;
use crate::{Error, Format};

/// Writes a data set in the format its extension asks for, whole or not at all: `.csv` (with
/// names), `.tsv`, `.npy` (without names) or, with the feature `parquet`, `.parquet`.
///
/// Reading the file gives the same numbers, bit by bit.
///
/// # Errors
/// An unknown extension, or a file that cannot be written.
pub fn write_table(path: impl AsRef<Path>, data: &Dataset) -> Result<(), Error> {
    let path = path.as_ref();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match (Format::of_extension(&extension), extension.as_str()) {
        (Some(Format::Csv), "tsv" | "tab") => write_atomic(path, |file| text(file, data, b'\t')),
        (Some(Format::Csv), _) => write_atomic(path, |file| text(file, data, b',')),
        (Some(Format::Npy), _) => write_atomic(path, |file| npy(file, data)),
        #[cfg(feature = "parquet")]
        (Some(Format::Parquet), _) => write_atomic(path, |file| parquet(file, data)),
        _ => Err(Error::unsupported(
            &format!("`{}`", path.display()),
            "unknown format of a table; end the name in .csv, .tsv, .npy or .parquet",
        )),
    }
}

fn text(file: &mut impl Write, data: &Dataset, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(file);
    writer.write_record(data.names())?;
    let mut cells = vec![String::new(); data.names().len()];
    for i in 0..data.values().nrows() {
        for (j, cell) in cells.iter_mut().enumerate() {
            use std::fmt::Write as _;
            cell.clear();
            // The shortest digits that give the same number back.
            write!(cell, "{:?}", data.values()[(i, j)]).map_err(io::Error::other)?;
        }
        writer.write_record(&cells)?;
    }
    writer.flush()
}

fn npy(file: &mut impl Write, data: &Dataset) -> io::Result<()> {
    let shape = [data.values().nrows() as u64, data.values().ncols() as u64];
    let mut writer =
        npyz::WriteOptions::new().default_dtype().shape(&shape).writer(file).begin_nd()?;
    for i in 0..data.values().nrows() {
        for j in 0..data.values().ncols() {
            writer.push(&data.values()[(i, j)])?;
        }
    }
    writer.finish()
}

#[cfg(feature = "parquet")]
fn parquet(file: &mut (impl Write + Send), data: &Dataset) -> io::Result<()> {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array, RecordBatch};
    use arrow::datatypes::{DataType, Field, Schema};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    /// Rows of a row group: pieces that readers can share between threads.
    const GROUP_ROWS: usize = 1 << 17;

    let fields: Vec<Field> =
        data.names().iter().map(|name| Field::new(name, DataType::Float64, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    // A dictionary of numbers that hardly repeat costs time and saves nothing.
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .build();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
    let (rows, columns) = (data.values().nrows(), data.values().ncols());
    for start in (0..rows).step_by(GROUP_ROWS) {
        let end = rows.min(start + GROUP_ROWS);
        let column = |j| (start..end).map(move |i| data.values()[(i, j)]);
        let arrays = (0..columns)
            .map(|j| Arc::new(Float64Array::from_iter_values(column(j))) as ArrayRef)
            .collect();
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(io::Error::other)?;
        writer.write(&batch)?;
    }
    writer.close()?;
    Ok(())
}
