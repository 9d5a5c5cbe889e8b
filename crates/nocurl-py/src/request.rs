//! How a table is read, as the package asks for it.

use nocurl_io::{Ordinal, ReadOptions};
use serde::Deserialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::learn::setting;

const NAMES: &str = "a list of names";

/// The settings of a table; all of them are there, under the names of the package.
#[derive(Deserialize)]
pub(crate) struct TableRequest {
    columns: Value,
    drop: Value,
    continuous: Value,
    categorical: Value,
    ordinal: Value,
    transform: Value,
    standardize: Value,
    missing: Value,
    na: Value,
    header: Value,
    delimiter: Value,
    decimal: Value,
    comment: Value,
    skip_rows: Value,
    sheet: Value,
    file_column: Value,
}

impl TableRequest {
    pub(crate) fn options(self) -> Result<ReadOptions, Failure> {
        let names = |name: &str, value: Value| -> Result<Vec<String>, Failure> {
            Ok(setting::<Option<Vec<String>>>(name, value, NAMES)?.unwrap_or_default())
        };
        let ordinal: Option<Vec<Ordinal>> =
            setting("ordinal", self.ordinal, "names, or a dict from names to lists of levels")?;
        Ok(ReadOptions {
            columns: setting("columns", self.columns, NAMES)?,
            drop: names("drop", self.drop)?,
            continuous: names("continuous", self.continuous)?,
            categorical: names("categorical", self.categorical)?,
            ordinal: ordinal.unwrap_or_default(),
            transform: setting::<Option<_>>("transform", self.transform, "")?.unwrap_or_default(),
            standardize: setting("standardize", self.standardize, "True or False")?,
            missing: setting("missing", self.missing, "")?,
            na: names("na", self.na)?,
            header: setting("header", self.header, "")?,
            delimiter: sign("delimiter", self.delimiter)?,
            decimal: sign("decimal", self.decimal)?,
            comment: sign("comment", self.comment)?,
            skip_rows: setting("skip_rows", self.skip_rows, "a whole number")?,
            sheet: setting("sheet", self.sheet, "a name")?,
            file_column: setting("file_column", self.file_column, "a name")?,
            ..ReadOptions::default()
        })
    }
}

/// One character.
fn sign(name: &str, value: Value) -> Result<Option<u8>, Failure> {
    const ONE: &str = "one character of ASCII";
    let text: Option<String> = setting(name, value.clone(), ONE)?;
    match text.as_deref().map(str::as_bytes) {
        None => Ok(None),
        Some(&[byte]) if byte.is_ascii() => Ok(Some(byte)),
        Some(_) => Err(Failure::value(format!("{name}: expected {ONE}, got `{value}`"))),
    }
}
