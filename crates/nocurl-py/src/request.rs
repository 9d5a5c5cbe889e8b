//! How a part of a table is read, as the package asks for it.

use nocurl::Variable;
use nocurl_app::TableRequest;
use nocurl_io::{LeftOut, ReadOptions, Resample};
use serde::Deserialize;

use crate::failure::Failure;

/// How a part of a table is read.
#[derive(Deserialize)]
pub(crate) struct PartRequest {
    #[serde(flatten)]
    table: TableRequest,
    #[serde(default)]
    weights: Option<String>,
    /// The column that tells conditions apart.
    #[serde(default)]
    condition: Option<String>,
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
        let options = options.told_apart(self.condition.as_ref());
        Ok(AskedPart { options, variables: self.variables, left_out })
    }
}
