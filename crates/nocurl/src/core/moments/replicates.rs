//! Moments of many resampled tables in one pass over the rows.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::Moments;
use crate::core::Error;
use crate::core::parallel::*;
use crate::core::variable::Variables;

/// Rows that are worked on together; fixed, so that sums do not depend on threads.
const CHUNK: usize = 2048;

/// Rows whose products are in memory at a time.
const TILE: usize = 128;

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
/// let mut tables = Replicates::new(names.into(), 0..20, 1, 0);
/// tables.push(Mat::from_fn(1000, 2, |i, j| (i * (j + 1) % 7) as f64).as_ref());
/// let rows: u64 = tables.moments().iter().map(|table| table.rows()).sum();
/// assert!((19_000..21_000).contains(&rows));
/// ```
#[derive(Debug, Clone)]
pub struct Replicates {
    variables: Variables,
    numbers: Range<u64>,
    seed: u64,
    part: u64,
    /// Rows seen.
    rows: u64,
    totals: Vec<Moments>,
}

impl Replicates {
    /// Tables with these numbers, of a part that has no rows yet.
    pub fn new(variables: Variables, numbers: Range<u64>, seed: u64, part: u64) -> Self {
        let totals = numbers.clone().map(|_| Moments::new(variables.clone())).collect();
        Self { variables, numbers, seed, part, rows: 0, totals }
    }

    /// Adds the next rows of the part, one value for each variable.
    ///
    /// # Panics
    /// When the block does not have one column per variable.
    pub fn push(&mut self, block: MatRef<'_, f64>) {
        self.push_all(&[(block, None)]);
    }

    /// Adds the next blocks of rows, with the weights of their rows where they have some.
    ///
    /// # Panics
    /// When a block does not have one column per variable, or one weight for each row.
    pub fn push_all(&mut self, blocks: &[(MatRef<'_, f64>, Option<&[f64]>)]) {
        let mut chunks = Vec::new();
        for (block, weights) in blocks {
            assert_eq!(block.ncols(), self.variables.size(), "one column per variable");
            for start in (0..block.nrows()).step_by(CHUNK) {
                let rows = CHUNK.min(block.nrows() - start);
                let weights = weights.map(|weights| &weights[start..start + rows]);
                chunks.push((block.subrows(start, rows), weights, self.rows));
                self.rows += rows as u64;
            }
        }
        // As many at a time as there are threads, so that memory is bounded.
        for chunks in chunks.chunks(threads().max(1)) {
            let parts: Vec<Vec<Moments>> = chunks
                .par_iter()
                .map(|&(rows, weights, first)| self.chunk(rows, weights, first))
                .collect();
            for part in &parts {
                Self::merge(&mut self.totals, part).expect("the variables are the same");
            }
        }
    }

    /// The moments so far.
    pub fn moments(&self) -> &[Moments] {
        &self.totals
    }

    /// The moments.
    pub fn into_moments(self) -> Vec<Moments> {
        self.totals
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

    /// Every table's moments of some rows.
    fn chunk(&self, rows: MatRef<'_, f64>, weights: Option<&[f64]>, first: u64) -> Vec<Moments> {
        let (n, m) = (rows.nrows(), self.variables.width());
        let mut values = self.variables.coded(rows);
        let shift: Vec<f64> = (0..m)
            .map(|j| {
                let column = values.col_as_slice_mut(j);
                let mean = column.iter().sum::<f64>() / n as f64;
                column.iter_mut().for_each(|value| *value -= mean);
                mean
            })
            .collect();
        // Beside each other: 1, the values, and the products of each pair of values.
        let width = 1 + m + m * (m + 1) / 2;
        let tables = self.totals.len();
        let mut sums = Mat::<f64>::zeros(width, tables);
        let mut products = Mat::<f64>::zeros(TILE, width);
        products.col_as_slice_mut(0).fill(1.0);
        let mut counts = Mat::<f64>::zeros(TILE, tables);
        for start in (0..n).step_by(TILE) {
            let tile = TILE.min(n - start);
            fill(&mut products, values.as_ref().subrows(start, tile));
            for (table, number) in self.numbers.clone().enumerate() {
                let salt = mix(mix(self.seed ^ mix(number)) ^ mix(self.part));
                let column = &mut counts.col_as_slice_mut(table)[..tile];
                for (place, count) in (first + start as u64..).zip(column) {
                    *count = poisson(mix(salt ^ place));
                }
                if let Some(weights) = weights {
                    let weights = &weights[start..start + tile];
                    let column = &mut counts.col_as_slice_mut(table)[..tile];
                    column.iter_mut().zip(weights).for_each(|(count, weight)| *count *= weight);
                }
            }
            let used = products.as_ref().subrows(0, tile).transpose();
            let counts = counts.as_ref().subrows(0, tile);
            matmul(sums.as_mut(), Accum::Add, used, counts, 1.0, Par::Seq);
        }
        let table = |at| self.moments_of(sums.col_as_slice(at), &shift);
        (0..tables).map(table).collect()
    }

    /// Moments from sums about a point.
    fn moments_of(&self, sums: &[f64], shift: &[f64]) -> Moments {
        let m = shift.len();
        let (weight, first, second) = (sums[0], &sums[1..=m], &sums[1 + m..]);
        if weight == 0.0 {
            return Moments::new(self.variables.clone());
        }
        let mut mean = vec![0.0; m];
        let mut scatter = Mat::zeros(m, m);
        let mut at = 0;
        for j in 0..m {
            mean[j] = shift[j] + first[j] / weight;
            for i in j..m {
                let about = second[at] - first[i] * first[j] / weight;
                // Rounding may take a variance below zero.
                scatter[(i, j)] = if i == j { about.max(0.0) } else { about };
                at += 1;
            }
        }
        Moments { variables: self.variables.clone(), weight, mean, scatter }
    }
}

/// The products of each pair of values, column by column of the lower triangle.
fn fill(products: &mut Mat<f64>, values: MatRef<'_, f64>) {
    let (n, m) = values.shape();
    let column = |j: usize| {
        let column = values.col(j).try_as_col_major().expect("columns are contiguous");
        &column.as_slice()[..n]
    };
    let mut at = 1 + m;
    for j in 0..m {
        let left = column(j);
        products.col_as_slice_mut(1 + j)[..n].copy_from_slice(left);
        for i in j..m {
            let target = &mut products.col_as_slice_mut(at)[..n];
            for ((target, a), b) in target.iter_mut().zip(left).zip(column(i)) {
                *target = a * b;
            }
            at += 1;
        }
    }
}

/// A draw from Poisson's law with mean 1, from bits that look random. Beyond 12 the chance is below
/// that of a number of 32 bits.
fn poisson(bits: u64) -> f64 {
    // The law's distribution function in units of 2^-32, rounded to the nearest.
    const BELOW: [u32; 12] = [
        1_580_030_169,
        3_160_060_337,
        3_950_075_422,
        4_213_413_783,
        4_279_248_374,
        4_292_415_292,
        4_294_609_778,
        4_294_923_276,
        4_294_962_463,
        4_294_966_817,
        4_294_967_253,
        4_294_967_292,
    ];
    let number = (bits >> 32) as u32;
    f64::from(BELOW.iter().map(|&below| u8::from(number >= below)).sum::<u8>())
}

/// A number that looks random, from any number: a step of SplitMix64 (Steele, Lea and Flood, 2014).
pub fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_poissons_law() {
        let draws = 400_000_u64;
        let mut seen = [0_u64; 14];
        (0..draws).for_each(|number| seen[poisson(mix(number)) as usize] += 1);
        let mut chance = (-1.0_f64).exp();
        for (count, &found) in seen.iter().enumerate().take(7) {
            let expected = chance * draws as f64;
            let error = (found as f64 - expected).abs() / expected.sqrt();
            assert!(error < 4.0, "{count}: {found} where {expected} are expected");
            chance /= (count + 1) as f64;
        }
    }
}
