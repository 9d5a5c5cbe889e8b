//! Tables to files, without loss.

use std::io::{self, Write};
use std::path::Path;

use nocurl::{Dataset, MatRef, Variables};

use super::header::Header;
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
    write_rows(path, data.variables(), data.values())
}

/// Writes rows that may have gaps, as [`write_table`] does: NaN becomes an empty cell in text and for
/// levels, and stays NaN elsewhere.
///
/// # Errors
/// As [`write_table`].
///
/// # Panics
/// When there is not one column per variable, or a value is no position of a level.
pub fn write_rows(
    path: impl AsRef<Path>,
    variables: &Variables,
    values: MatRef<'_, f64>,
) -> Result<(), Error> {
    let path = path.as_ref();
    let data = &Rows { variables, values };
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match (Format::of_extension(&extension), extension.as_str()) {
        (Some(Format::Csv), "tsv" | "tab") => write_atomic(path, |file| text(file, data, b'\t')),
        (Some(Format::Csv), _) => write_atomic(path, |file| text(file, data, b',')),
        (Some(Format::Npy), _) if !data.variables.is_continuous() => Err(Error::unsupported(
            &format!("`{}`", path.display()),
            "a .npy file holds numbers alone, and some columns have levels; end the name in .csv \
             or .parquet",
        )),
        (Some(Format::Npy), _) => write_atomic(path, |file| npy(file, data)),
        #[cfg(feature = "parquet")]
        (Some(Format::Parquet), _) => write_atomic(path, |file| parquet(file, data)),
        _ => Err(Error::unsupported(
            &format!("`{}`", path.display()),
            "unknown format of a table; end the name in .csv, .tsv, .npy or .parquet",
        )),
    }
}

/// Rows with the variables of their columns.
struct Rows<'a> {
    variables: &'a Variables,
    values: MatRef<'a, f64>,
}

fn text(file: &mut impl Write, data: &Rows<'_>, delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(file);
    writer.write_record(data.variables.names())?;
    let mut cells = vec![String::new(); data.variables.names().len()];
    for i in 0..data.values.nrows() {
        for (j, cell) in cells.iter_mut().enumerate() {
            use std::fmt::Write as _;
            cell.clear();
            let variable = &data.variables.list()[j];
            if data.values[(i, j)].is_nan() {
                continue;
            }
            if variable.is_discrete() {
                cell.push_str(&variable.levels[data.values[(i, j)] as usize]);
                continue;
            }
            // The shortest digits that give the same number back.
            write!(cell, "{:?}", data.values[(i, j)]).map_err(io::Error::other)?;
        }
        writer.write_record(&cells)?;
    }
    writer.flush()
}

fn npy(file: &mut impl Write, data: &Rows<'_>) -> io::Result<()> {
    Header::write_doubles(&mut *file, [data.values.nrows(), data.values.ncols()])?;
    for i in 0..data.values.nrows() {
        for j in 0..data.values.ncols() {
            file.write_all(&data.values[(i, j)].to_le_bytes())?;
        }
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn parquet(file: &mut (impl Write + Send), data: &Rows<'_>) -> io::Result<()> {
    use std::sync::Arc;

    use nocurl::Variable;
    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;

    /// Rows of a row group: pieces that readers can share between threads.
    const GROUP_ROWS: usize = 1 << 17;

    let column = |variable: &Variable| {
        let column = match variable.is_discrete() {
            true => Type::primitive_type_builder(&variable.name, Physical::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String)),
            false => Type::primitive_type_builder(&variable.name, Physical::DOUBLE),
        };
        column.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let columns = data.variables.list().iter().map(column).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("schema").with_fields(columns).build()?;
    // A dictionary of numbers that hardly repeat costs time and saves nothing.
    let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let rows = data.values.nrows();
    let mut values = Vec::new();
    for start in (0..rows).step_by(GROUP_ROWS) {
        let end = rows.min(start + GROUP_ROWS);
        let mut group = writer.next_row_group()?;
        for j in 0..data.values.ncols() {
            values.clear();
            values.extend((start..end).map(|i| data.values[(i, j)]));
            let column = group.next_column()?;
            let mut column = column.ok_or_else(|| io::Error::other("a column is missing"))?;
            let variable = &data.variables.list()[j];
            if variable.is_discrete() {
                let name = |code: &f64| match code.is_nan() {
                    true => "",
                    false => variable.levels[*code as usize].as_str(),
                };
                let level = |code: &f64| ByteArray::from(name(code));
                let levels: Vec<ByteArray> = values.iter().map(level).collect();
                column.typed::<ByteArrayType>().write_batch(&levels, None, None)?;
            } else {
                column.typed::<DoubleType>().write_batch(&values, None, None)?;
            }
            column.close()?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}
