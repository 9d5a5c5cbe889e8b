//! How a table is read, as the package asks for it.

use nocurl::Variable;
use nocurl_io::{LeftOut, Ordinal, ReadOptions, Resample};
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
            ..ReadOptions::default()
        })
    }
}

/// How a part of a table is read.
#[derive(Deserialize)]
pub(crate) struct PartRequest {
    #[serde(flatten)]
    table: TableRequest,
    #[serde(default)]
    weights: Option<String>,
    /// The variables, where all parts were looked at.
    variables: Option<Vec<Variable>>,
    /// Columns that are no variables, and why.
    #[serde(default)]
    left_out: Vec<(String, String)>,
    /// First and last number, seed and part of tables to be drawn.
    #[serde(default)]
    resample: Option<(u64, u64, u64, u64)>,
}

/// The same, ready to be used.
pub(crate) struct AskedPart {
    pub(crate) options: ReadOptions,
    pub(crate) variables: Option<Vec<Variable>>,
    pub(crate) left_out: Vec<(String, LeftOut)>,
}

impl PartRequest {
    pub(crate) fn from_json(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| Failure::value(error.to_string()))
    }

    pub(crate) fn read(self) -> Result<AskedPart, Failure> {
        let resample = self.resample.map(|(first, end, seed, part)| Resample {
            numbers: first..end,
            seed,
            part,
        });
        let left_out = self.left_out.iter();
        let left_out =
            left_out.map(|(name, why)| (name.clone(), LeftOut::from_word(why))).collect();
        let options = ReadOptions { weights: self.weights, resample, ..self.table.options()? };
        Ok(AskedPart { options, variables: self.variables, left_out })
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
