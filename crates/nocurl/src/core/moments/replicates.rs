//! Moments of many resampled tables in one pass over the rows.

mod draws;
mod sums;

use std::ops::Range;

use faer::{Mat, MatRef};

use super::{Conditions, Moments, Part};
use crate::core::Error;
use crate::core::parallel::*;
use crate::core::variable::Variables;
use draws::Draws;
pub use draws::mix;
use sums::{Rows, Sums};

/// Rows that are worked on together; fixed, so that sums do not depend on threads.
const CHUNK: usize = 4096;

/// A block of rows with one value for each variable, and the weights of the rows where they have
/// some.
pub type WeightedBlock<'a> = (MatRef<'a, f64>, Option<&'a [f64]>);

/// Moments of tables in each of which every row is as often as a draw from Poisson's law with mean 1
/// says (the bootstrap for data in pieces: Hanley and MacGibbon, 2006; Chamandy et al., 2012).
///
/// How often is a hash of the seed, the number of the table, the number of the part and the place of
/// the row in it, so that parts can be looked at anywhere and in any order. The products of each row
/// are made once, and one matrix product adds them to all tables: `2 B m^2 / 2` operations a row for
/// `B` tables and `m` coded columns.
///
/// ```
/// use nocurl::{Mat, moments::Replicates};
/// let names = vec!["a".to_string(), "b".to_string()];
/// let mut tables = Replicates::new(names.into(), None, 0..20, 1, 0);
/// tables.push(Mat::from_fn(1000, 2, |i, j| (i * (j + 1) % 7) as f64).as_ref());
/// let rows: u64 = tables.moments().iter().map(|table| table.rows()).sum();
/// assert!((19_000..21_000).contains(&rows));
/// ```
#[derive(Debug, Clone)]
pub struct Replicates {
    variables: Variables,
    /// The variable whose levels are told apart, as the conditions of an experiment.
    condition: Option<usize>,
    /// The coded columns of the other variables.
    columns: Vec<usize>,
    numbers: Range<u64>,
    draws: Draws,
    /// Rows seen.
    rows: u64,
    /// By the level of the condition, or of all rows; nothing before the first row.
    sums: Vec<Option<Sums>>,
}

impl Replicates {
    /// Tables with these numbers, of a part that has no rows yet; with the levels of one variable
    /// told apart, if one is given, as [`Moments::by_condition`] does.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn new(
        variables: Variables,
        condition: Option<usize>,
        numbers: Range<u64>,
        seed: u64,
        part: u64,
    ) -> Self {
        let own = condition.map_or(0..0, |v| variables.columns(v));
        let columns = (0..variables.width()).filter(|column| !own.contains(column)).collect();
        let levels = condition.map_or(1, |v| variables.list()[v].levels.len());
        let sums = vec![None; levels];
        Self { variables, condition, columns, numbers, draws: Draws { seed, part }, rows: 0, sums }
    }

    /// Bytes that the sums of so many tables take, for so many coded columns.
    pub fn bytes(columns: usize, tables: usize) -> u64 {
        8 * (Sums::height(columns) as u64).saturating_mul(tables as u64)
    }

    /// Adds the next rows of the part, one value for each variable.
    ///
    /// # Panics
    /// When the block does not have one column per variable.
    pub fn push(&mut self, block: MatRef<'_, f64>) {
        self.push_all(&[(block, None)]);
    }

    /// Adds the next blocks of rows.
    ///
    /// # Panics
    /// When a block does not have one column per variable, or one weight for each row.
    pub fn push_all(&mut self, blocks: &[WeightedBlock<'_>]) {
        let mut places = vec![Vec::new(); self.sums.len()];
        for (at, (block, weights)) in blocks.iter().enumerate() {
            assert_eq!(block.ncols(), self.variables.size(), "one column per variable");
            let lengths = weights.map_or(block.nrows(), <[f64]>::len);
            assert_eq!(lengths, block.nrows(), "one weight for each row");
            for i in 0..block.nrows() {
                let level = self.condition.map_or(0, |condition| block[(i, condition)] as usize);
                places[level].push((at, i, self.rows + i as u64));
            }
            self.rows += block.nrows() as u64;
        }
        let tables = self.numbers.clone().count();
        let mut chunks: Vec<(usize, &[Place])> = Vec::new();
        for (level, places) in places.iter().enumerate() {
            for chunk in places.chunks(CHUNK) {
                if self.sums[level].is_none() {
                    let means = means(self.gathered(blocks, chunk).as_ref());
                    self.sums[level] = Some(Sums::new(means, tables));
                }
                chunks.push((level, chunk));
            }
        }
        // As many at a time as there are threads, so that memory is bounded.
        for chunks in chunks.chunks(threads().max(1)) {
            let work = |&(level, chunk): &(usize, &[Place])| {
                let about = self.sums[level].as_ref().map(|sums| sums.about.clone());
                let mut sums = Sums::new(about.unwrap_or_default(), tables);
                let values = self.gathered(blocks, chunk);
                let places: Vec<u64> = chunk.iter().map(|&(.., place)| place).collect();
                let weights: Option<Vec<f64>> = chunk
                    .iter()
                    .map(|&(at, i, _)| blocks[at].1.map(|weights| weights[i]))
                    .collect();
                let (values, weights) = (values.as_ref(), weights.as_deref());
                let rows = Rows { values, places: &places, weights };
                sums.push(&rows, self.draws, self.numbers.start);
                (level, sums)
            };
            let parts: Vec<(usize, Sums)> = chunks.par_iter().map(work).collect();
            for (level, part) in &parts {
                if let Some(sums) = &mut self.sums[*level] {
                    sums.merge(part);
                }
            }
        }
    }

    /// The coded columns of some rows, without those of the condition.
    fn gathered(&self, blocks: &[WeightedBlock<'_>], chunk: &[Place]) -> Mat<f64> {
        let mut raw = Mat::zeros(chunk.len(), self.variables.size());
        for j in 0..raw.ncols() {
            let column = raw.col_as_slice_mut(j).iter_mut();
            column.zip(chunk).for_each(|(value, &(at, i, _))| *value = blocks[at].0[(i, j)]);
        }
        let coded =
            if self.variables.is_continuous() { raw } else { self.variables.coded(raw.as_ref()) };
        match self.condition {
            None => coded,
            Some(_) => {
                Mat::from_fn(coded.nrows(), self.columns.len(), |i, j| coded[(i, self.columns[j])])
            }
        }
    }

    /// The moments so far.
    pub fn moments(&self) -> Vec<Moments> {
        (0..self.numbers.clone().count()).map(|table| self.table(table)).collect()
    }

    fn table(&self, table: usize) -> Moments {
        let Some(condition) = self.condition else {
            let found = self.sums[0].as_ref();
            let empty = || Moments::new(self.variables.clone());
            return found.map_or_else(empty, |s| s.moments(table).renamed(self.variables.clone()));
        };
        let mut conditions = Conditions::new(&self.variables, condition);
        for (level, sums) in self.sums.iter().enumerate() {
            let moments = sums.as_ref().map(|sums| sums.moments(table));
            if let Some(moments) = moments.filter(|moments| moments.weight > 0.0) {
                conditions.set(level, Part::Moments(moments));
            }
        }
        Moments::of_conditions(self.variables.clone(), conditions)
    }

    /// Adds the moments of the tables of another part.
    ///
    /// # Errors
    /// When there are not as many tables, or the variables differ.
    pub fn merge(totals: &mut [Moments], others: &[Moments]) -> Result<(), Error> {
        let (found, expected) = (others.len(), totals.len());
        if found != expected {
            let what = "resampled tables of a part";
            return Err(Error::Lengths { what, found, of: "tables of the other", expected });
        }
        totals.iter_mut().zip(others).try_for_each(|(total, other)| total.merge(other))
    }
}

/// A block, a row of it, and the place of the row in the part.
type Place = (usize, usize, u64);

/// The mean of each column.
fn means(values: MatRef<'_, f64>) -> Vec<f64> {
    (0..values.ncols()).map(|j| values.col(j).sum() / values.nrows() as f64).collect()
}
