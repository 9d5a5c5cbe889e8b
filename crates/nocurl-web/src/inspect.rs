//! What a table is, before anything is learnt.

use nocurl::{Dataset, Run, Variable};
use nocurl_io::{Missing, ReadOptions, Source, read_sampled};
use serde_json::{Value, json};

use crate::calls::told;
use crate::spelling::Settings;

/// Bars of a small histogram.
const BARS: usize = 16;

/// Levels that are listed.
const LEVELS: usize = 12;

/// Columns with their kinds, and what the user should know. Missing values are no error here: what
/// is to be done about them is a decision that comes after the look.
pub(crate) fn inspect(file: &str, read: &ReadOptions, run: &Run<'_>) -> Result<Value, String> {
    let source = Source::Path(file.into());
    let with = |missing| read_sampled(&source, &ReadOptions { missing, ..read.clone() }, run);
    // Where no row is complete, what is there is looked at all the same.
    let found = with(Missing::Drop).or_else(|first| with(Missing::Em).map_err(|_| first));
    let (table, sample) = found.map_err(|error| told(error.into()))?;
    let variables = table.data.variables().list().iter().enumerate();
    let mut columns: Vec<Value> =
        variables.map(|(at, variable)| column(variable, at, &sample.rows)).collect();
    columns.extend(
        table
            .left_out
            .iter()
            .map(|(name, why)| json!({ "name": name, "kind": null, "left_out": why.word() })),
    );
    let warnings: Vec<String> = table.warnings.iter().map(|text| text.spelt(&Settings)).collect();
    Ok(json!({
        "file": file,
        "format": table.origin.as_ref().map(|origin| origin.format),
        "rows": table.rows + table.rows_dropped,
        "incomplete": table.rows_dropped,
        "missing": table.missing_values,
        "columns": columns,
        "warnings": warnings,
    }))
}

fn column(variable: &Variable, at: usize, sample: &Dataset) -> Value {
    let values = if sample.values().nrows() > 0 { sample.column(at) } else { &[] };
    let mut found = json!({ "name": variable.name, "kind": variable.kind, "left_out": null });
    let counts = match variable.levels.len() {
        0 => histogram(values, &mut found),
        levels => {
            found["distinct"] = levels.into();
            found["levels"] = variable.levels.iter().take(LEVELS).cloned().collect();
            let mut counts = vec![0_u32; levels.min(BARS)];
            for &value in values {
                if let Some(count) = counts.get_mut(value as usize) {
                    *count += 1;
                }
            }
            counts
        }
    };
    found["histogram"] = counts.into();
    found
}

/// Counts in bars of equal width, with the ends.
fn histogram(values: &[f64], found: &mut Value) -> Vec<u32> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= greatest {
        return Vec::new();
    }
    (found["least"], found["greatest"]) = (least.into(), greatest.into());
    let mut counts = vec![0_u32; BARS];
    for value in values {
        let place = (value - least) / (greatest - least) * BARS as f64;
        counts[(place as usize).min(BARS - 1)] += 1;
    }
    counts
}
