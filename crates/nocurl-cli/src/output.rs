//! Files for results that are no graphs: JSON for programs, CSV for tables.

use std::path::{Path, PathBuf};

use nocurl_io::{RunFiles, write_text};

use crate::failure::Failure;

/// How messages speak of what is written.
pub(crate) const OUTPUT: &str = "the output";

/// How a result goes into a file.
#[derive(Debug, Clone, Copy)]
enum Format {
    Json,
    Csv,
}

/// Destinations that have been checked.
pub(crate) struct Outputs<'a>(Vec<(&'a Path, Format)>);

impl<'a> Outputs<'a> {
    /// Checks destinations before any work; `what` is what will be written, in the plural, and
    /// `files` is what the command reads.
    pub(crate) fn check(
        what: &'static str,
        paths: &'a [PathBuf],
        mut files: RunFiles,
    ) -> Result<Self, Failure> {
        let mut outputs = Vec::new();
        for path in paths {
            let format = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => Format::Json,
                Some("csv") => Format::Csv,
                _ => {
                    let path = path.display();
                    let message = format!("`{path}`: {what} are written as .json or .csv");
                    return Err(Failure::Input(message));
                }
            };
            files = files.writes(OUTPUT, path);
            outputs.push((path.as_path(), format));
        }
        files.check()?;
        Ok(Self(outputs))
    }

    /// Writes a result in both of its forms, each where it is asked for.
    pub(crate) fn write(&self, json: &str, csv: &str) -> Result<(), Failure> {
        for (path, format) in &self.0 {
            let text = match format {
                Format::Json => json,
                Format::Csv => csv,
            };
            write_text(path, text).map_err(|error| Failure::writing(&error))?;
        }
        Ok(())
    }
}

/// Records as CSV, with names quoted where they need it.
pub(crate) fn csv_text(heading: &[&str], records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(heading).expect("writing to memory does not fail");
    for record in records {
        writer.write_record(record).expect("writing to memory does not fail");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}
