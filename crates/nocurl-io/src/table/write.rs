//! Tables to files, without loss.
use std::path::Path;

use crate::Error;

/// Writes a data set in the format its extension asks for: `.csv`, `.npy` or `.parquet`.
///
/// # Errors
/// An unknown extension, or a file that cannot be written.
pub fn write_table(path: impl AsRef<Path>, _data: &nocurl::Dataset) -> Result<(), Error> {
    Err(Error::unsupported(&format!("`{}`", path.as_ref().display()), "not yet"))
}
