//! Sums over rows for many tables at once.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::draws::{Draws, Pair};
use crate::core::moments::{Moments, unnamed};

/// Rows whose products are worked out together, and how many of these: they stay in the cache that
/// a core has for itself.
const TILE: usize = 256;
const PRODUCTS: usize = 96;

/// Sums of 1, of values and of products of two values about a point, in each of some tables.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    /// The point: any that is not far from the means will do.
    pub(super) about: Vec<f64>,
    /// A column for each table: the products of each pair of 1 and the values, column by column of
    /// the lower triangle.
    totals: Mat<f64>,
}

/// Rows with one column for each value, their places in the part, and their weights if they have
/// some.
pub(super) struct Rows<'a> {
    pub(super) values: MatRef<'a, f64>,
    pub(super) places: &'a [u64],
    pub(super) weights: Option<&'a [f64]>,
}

impl Sums {
    /// Of no rows yet.
    pub(super) fn new(about: Vec<f64>, tables: usize) -> Self {
        let totals = Mat::zeros(Self::height(about.len()), tables);
        Self { about, totals }
    }

    /// Numbers of each table, for so many values of a row.
    pub(super) fn height(values: usize) -> usize {
        (values + 1) * (values + 2) / 2
    }

    /// Adds those of other rows about the same point.
    pub(super) fn merge(&mut self, other: &Self) {
        for table in 0..self.totals.ncols() {
            let others = other.totals.col_as_slice(table);
            let own = self.totals.col_as_slice_mut(table).iter_mut();
            own.zip(others).for_each(|(own, other)| *own += other);
        }
    }

    /// Adds rows, each as often as is drawn for it in each table, of which the first has this number.
    pub(super) fn push(&mut self, rows: &Rows<'_>, draws: Draws, first: u64) {
        let (n, m, tables) = (rows.values.nrows(), self.about.len(), self.totals.ncols());
        let pairs: Vec<(usize, usize)> =
            (0..=m).flat_map(|j| (j..=m).map(move |i| (i, j))).collect();
        let mut values = Mat::<f64>::zeros(TILE, m + 1);
        values.col_as_slice_mut(0).fill(1.0);
        let mut products = Mat::<f64>::zeros(TILE, PRODUCTS);
        // Draws come in pairs: at either end one of a pair may be that of a table nobody asked for.
        let unasked = (first % 2) as usize;
        let mut counts = vec![0.0; TILE * (unasked + tables).next_multiple_of(2)];
        let arch = pulp::Arch::new();
        for start in (0..n).step_by(TILE) {
            let tile = TILE.min(n - start);
            for j in 0..m {
                let about = self.about[j];
                let column = &mut values.col_as_slice_mut(j + 1)[..tile];
                (0..tile).for_each(|i| column[i] = rows.values[(start + i, j)] - about);
            }
            let places = &rows.places[start..start + tile];
            for (pair, columns) in (first / 2..).zip(counts.chunks_exact_mut(2 * TILE)) {
                let (even, odd) = columns.split_at_mut(TILE);
                arch.dispatch(Pair { salt: draws.salt(pair), places, even, odd });
            }
            if let Some(weights) = rows.weights {
                let weights = &weights[start..start + tile];
                for column in counts.chunks_exact_mut(TILE) {
                    column.iter_mut().zip(weights).for_each(|(count, weight)| *count *= weight);
                }
            }
            let columns = counts.len() / TILE;
            let counts = MatRef::from_column_major_slice(&counts, TILE, columns);
            let counts = counts.submatrix(0, unasked, tile, tables);
            for (block, pairs) in pairs.chunks(PRODUCTS).enumerate() {
                for (at, &(i, j)) in pairs.iter().enumerate() {
                    let (left, right) = (&values.col_as_slice(i)[..tile], values.col_as_slice(j));
                    let target = &mut products.col_as_slice_mut(at)[..tile];
                    for ((target, a), b) in target.iter_mut().zip(left).zip(right) {
                        *target = a * b;
                    }
                }
                let totals = self.totals.as_mut().subrows_mut(block * PRODUCTS, pairs.len());
                let used = products.as_ref().submatrix(0, 0, tile, pairs.len());
                matmul(totals, Accum::Add, used.transpose(), counts, 1.0, Par::Seq);
            }
        }
    }

    /// The moments of a table, of columns without names.
    pub(super) fn moments(&self, table: usize) -> Moments {
        let m = self.about.len();
        let sums = self.totals.col_as_slice(table);
        let (weight, first, second) = (sums[0], &sums[1..=m], &sums[1 + m..]);
        let mut moments = Moments::new(unnamed(m));
        if weight == 0.0 {
            return moments;
        }
        moments.weight = weight;
        let mut at = 0;
        for j in 0..m {
            moments.mean[j] = self.about[j] + first[j] / weight;
            for i in j..m {
                let about = second[at] - first[i] * first[j] / weight;
                // Rounding may take a variance below zero.
                moments.scatter[(i, j)] = if i == j { about.max(0.0) } else { about };
                at += 1;
            }
        }
        moments
    }
}
