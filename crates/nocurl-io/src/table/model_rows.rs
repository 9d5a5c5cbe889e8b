//! Rows of a table as the variables of a model, whose kinds and levels are known.

use std::collections::BTreeSet;

use nocurl::{Mat, MatMut, Run, Variable};

use super::collect::Collect;
use super::columns::Selection;
use super::kinds::{Plan, unknown_level};
use super::open::read_as;
use super::reading::Reading;
use super::{Input, Missing, ReadOptions};
use crate::Error;
use crate::error::shorten;

/// What is read of a table for a model.
#[derive(Debug, Clone)]
pub struct RowSchema<'a> {
    /// The variables of the model.
    pub variables: &'a [Variable],
    /// Those whose columns must be there; the columns of others count as missing if they are not.
    pub needed: &'a [usize],
    /// Words and numbers that stand for missing values, besides the usual ones.
    pub missing: &'a [String],
    /// Whether levels that a variable does not have count as missing values.
    pub unknown_as_missing: bool,
}

/// Rows as they are, with NaN in gaps.
#[derive(Debug)]
struct RawRows(Vec<Mat<f64>>);

impl Collect for RawRows {
    const KEEPS_ROWS: bool = true;
    const GLANCES: bool = true;

    fn start(_: &Selection) -> Self {
        Self(Vec::new())
    }

    fn push(&mut self, _: MatMut<'_, f64>) {}

    fn append(&mut self, later: Self, _: u64, _: u64) {
        self.0.extend(later.0);
    }

    fn observe(&mut self, block: &MatMut<'_, f64>) {
        self.0.push(block.as_ref().to_owned());
    }
}

/// Reads the rows of a table as the variables of a model: numbers as the table has them, positions of
/// levels, NaN in missing cells; one column per variable. Columns are matched by name in any order,
/// others are ignored, and any number of rows will do.
///
/// # Errors
/// Anything wrong with the file; a needed column that is not there; text where a number should be; a
/// level that a variable does not have; infinite values.
///
/// ```
/// use nocurl::{Kind, Run, Variable};
/// use nocurl_io::{RowSchema, Source, read_rows};
/// let sex = Variable::with_levels("sex", Kind::Binary, vec!["f".into(), "m".into()]);
/// let variables = [Variable::continuous("age"), sex];
/// let schema =
///     RowSchema { variables: &variables, needed: &[0, 1], missing: &[], unknown_as_missing: false };
/// let source = Source::bytes("new.csv", "id,sex,age\n7,m,31\n8,,40\n");
/// let rows = read_rows(&source, &schema, &Run::default())?;
/// assert_eq!((rows[(0, 0)], rows[(0, 1)]), (31.0, 1.0));
/// assert!(rows[(1, 1)].is_nan());
/// # Ok::<(), nocurl_io::Error>(())
/// ```
pub fn read_rows<'a>(
    input: impl Into<Input<'a>>,
    schema: &RowSchema<'_>,
    run: &Run<'_>,
) -> Result<Mat<f64>, Error> {
    rows_of(input.into(), schema, run)
}

fn rows_of(input: Input<'_>, schema: &RowSchema<'_>, run: &Run<'_>) -> Result<Mat<f64>, Error> {
    let names: Vec<String> = schema.variables.iter().map(|v| v.name.clone()).collect();
    let needed: BTreeSet<String> = schema.needed.iter().map(|&v| names[v].clone()).collect();
    let options = ReadOptions {
        columns: Some(names.clone()),
        part: true,
        missing: Missing::Drop,
        na: schema.missing.to_vec(),
        ..ReadOptions::default()
    };
    let plan = Plan::of_variables(schema.variables, schema.missing).for_rows(needed);
    let reading = Reading::new::<RawRows>(&options).with(&plan);
    let (mut found, _) = read_as(input, reading, run)?;
    if let Some(error) = found.infinite_values() {
        return Err(error);
    }
    let RawRows(blocks) = found.take();
    let rows = blocks.iter().map(Mat::nrows).sum();
    let mut values = Mat::from_fn(rows, names.len(), |_, _| f64::NAN);
    for (slot, name) in found.selection.names.iter().enumerate() {
        let Some(v) = names.iter().position(|known| known == name) else { continue };
        let mut start = 0;
        for block in &blocks {
            for (i, &value) in block.col(slot).iter().enumerate() {
                if let Some(place) = unknown_level(value).filter(|_| !schema.unknown_as_missing) {
                    return Err(Error::NewLevel {
                        column: shorten(name, 80),
                        row: (start + i) as u64 + 1,
                        level: plan.unknown(name, place),
                        levels: schema.variables[v].levels.clone(),
                    });
                }
                values[(start + i, v)] = value;
            }
            start += block.nrows();
        }
    }
    Ok(values)
}
