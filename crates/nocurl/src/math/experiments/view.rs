//! Sums over conditions, and what is left of them for the variables that some act on.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::scatter;
use crate::core::moments::{Part, Spread};
use crate::core::{Mat, gram_accumulate};

/// Rows of correlations that are kept take no more than this.
const MOST_KEPT: usize = 512 << 20;

/// Below this share of its variance in all rows, a column does not vary.
const STILL: f64 = 1e-12;

/// Correlations are rounded to multiples of one over this: units change their last digits, which
/// could turn a search another way.
const DIGITS: f64 = (1u64 << 40) as f64;

/// How much memory the rows that are kept take.
#[derive(Debug, Default)]
pub(super) struct Budget(AtomicUsize);

/// One condition.
#[derive(Debug)]
struct Own {
    level: usize,
    rows: f64,
    /// Its means less those of all rows.
    shift: Vec<f64>,
    spread: Spread,
}

impl Own {
    /// Adds a multiple of a row of its scatter matrix, about its own means or about those of all.
    fn add_row(&self, to: &mut [f64], column: usize, within: bool, factor: f64) {
        match &self.spread {
            Spread::Rows(values) => {
                for row in values.chunks_exact(to.len()) {
                    // The factor is a sign, so the order of this product does not matter.
                    let weight = factor * row[column];
                    to.iter_mut().zip(row).for_each(|(to, value)| *to += weight * value);
                }
            }
            Spread::Scatter(matrix) => {
                let row = matrix.col_as_slice(column);
                to.iter_mut().zip(row).for_each(|(to, value)| *to += factor * value);
            }
        }
        if !within {
            // Products of two values first: they are the same whichever of the two has the row.
            let (weight, own) = (factor * self.rows, self.shift[column]);
            to.iter_mut().zip(&self.shift).for_each(|(to, value)| *to += weight * (own * value));
        }
    }

    /// The same of one entry, in the same order.
    fn add_entry(&self, to: &mut f64, (a, b): (usize, usize), within: bool, factor: f64) {
        match &self.spread {
            Spread::Rows(values) => {
                for row in values.chunks_exact(self.shift.len()) {
                    *to += factor * row[a] * row[b];
                }
            }
            Spread::Scatter(matrix) => *to += factor * matrix[(a, b)],
        }
        if !within {
            *to += (factor * self.rows) * (self.shift[a] * self.shift[b]);
        }
    }
}

/// All conditions, and their sums.
#[derive(Debug)]
pub(super) struct Sums {
    own: Vec<Own>,
    /// The sum of the scatter matrices about the means of each condition.
    within: Mat<f64>,
    /// The same about the means of all rows.
    about: Mat<f64>,
}

impl Sums {
    pub(super) fn new(parts: &[Part], width: usize) -> Self {
        let there = parts.iter().enumerate().filter(|(_, part)| part.rows() > 0);
        let means: Vec<(usize, f64, Vec<f64>)> =
            there.map(|(level, part)| (level, part.rows() as f64, part.mean())).collect();
        let total: f64 = means.iter().map(|(_, rows, _)| rows).sum();
        let mut grand = vec![0.0; width];
        for (_, rows, mean) in &means {
            grand.iter_mut().zip(mean).for_each(|(sum, value)| *sum += rows / total * value);
        }
        let own: Vec<Own> = means
            .into_iter()
            .map(|(level, rows, mean)| {
                let shift = mean.iter().zip(&grand).map(|(mean, grand)| mean - grand).collect();
                Own { level, rows, shift, spread: parts[level].spread() }
            })
            .collect();
        let mut within = Mat::zeros(width, width);
        own.iter().for_each(|own| scatter(&mut within, &own.spread, width));
        let mut about = within.clone();
        let shifts = Mat::from_fn(own.len(), width, |k, j| own[k].rows.sqrt() * own[k].shift[j]);
        gram_accumulate(&mut about, shifts.as_ref());
        for matrix in [&mut within, &mut about] {
            for j in 0..width {
                for i in 0..j {
                    matrix[(i, j)] = matrix[(j, i)];
                }
            }
        }
        Self { own, within, about }
    }

    pub(super) fn width(&self) -> usize {
        self.within.ncols()
    }

    /// The variance of a column about the mean of all rows, of which there are so many.
    pub(super) fn variance(&self, column: usize, rows: f64) -> f64 {
        self.about[(column, column)] / rows
    }

    /// The levels that have rows, in their order.
    pub(super) fn conditions(&self) -> impl Iterator<Item = usize> + '_ {
        self.own.iter().map(|own| own.level)
    }
}

/// The correlations of the rows of some conditions.
#[derive(Debug)]
pub(crate) struct View {
    /// Places of the conditions among those that have rows: those in the view, or where these are
    /// most of them those that are not.
    list: Vec<usize>,
    listed: bool,
    members: Vec<usize>,
    rows: f64,
    /// Its means less those of all rows.
    shift: Vec<f64>,
    /// One over the root of each column's scatter; 0 where it does not vary.
    scale: Vec<f64>,
    /// What is left of each column's variance within conditions, as a share.
    inner: Vec<f64>,
    /// Rows that were asked for, about the mean of the view and about those of each condition.
    pooled: Vec<OnceLock<Box<[f64]>>>,
    within: Vec<OnceLock<Box<[f64]>>>,
}

impl View {
    /// The view of these levels.
    pub(super) fn new(sums: &Sums, levels: &[usize]) -> Self {
        let place = |level: &usize| sums.own.binary_search_by_key(level, |own| own.level).ok();
        let members: Vec<usize> = levels.iter().filter_map(place).collect();
        let listed = 2 * members.len() <= sums.own.len();
        let list: Vec<usize> = match listed {
            true => members.clone(),
            false => (0..sums.own.len()).filter(|k| members.binary_search(k).is_err()).collect(),
        };
        let m = sums.width();
        let rows: f64 = members.iter().map(|&k| sums.own[k].rows).sum();
        let mut shift = vec![0.0; m];
        for &k in &members {
            let own = &sums.own[k];
            shift.iter_mut().zip(&own.shift).for_each(|(to, x)| *to += own.rows / rows * x);
        }
        let none = || (0..m).map(|_| OnceLock::new()).collect();
        let mut view = Self {
            list,
            listed,
            members,
            rows,
            shift,
            scale: vec![1.0; m],
            inner: vec![1.0; m],
            pooled: none(),
            within: none(),
        };
        let total: f64 = sums.own.iter().map(|own| own.rows).sum();
        let (scale, inner) = (0..m)
            .map(|j| {
                let pooled = view.raw_entry(sums, j, j, false);
                let still = STILL * sums.about[(j, j)] / total;
                if pooled.is_nan() || pooled / rows <= still {
                    return (0.0, 0.0);
                }
                let share = view.raw_entry(sums, j, j, true) / pooled;
                (1.0 / pooled.sqrt(), if share < STILL { 0.0 } else { share })
            })
            .unzip();
        (view.scale, view.inner) = (scale, inner);
        view
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> f64 {
        self.rows
    }

    /// Number of conditions.
    pub(crate) fn conditions(&self) -> usize {
        self.members.len()
    }

    /// True when a column varies.
    pub(crate) fn varies(&self, column: usize) -> bool {
        self.scale[column] > 0.0
    }

    /// What is left of the variance of a column, as a share: all of it, or what is within
    /// conditions.
    pub(crate) fn variance(&self, column: usize, within: bool) -> f64 {
        match within {
            true => self.inner[column],
            false => f64::from(u8::from(self.varies(column))),
        }
    }

    /// The standard deviation of a column; 0 where it does not vary.
    pub(crate) fn deviation(&self, column: usize) -> f64 {
        if self.varies(column) { 1.0 / self.scale[column] / self.rows.sqrt() } else { 0.0 }
    }

    /// The means of each condition of the view less those of all rows, with its level.
    pub(super) fn shifts<'a>(
        &'a self,
        sums: &'a Sums,
    ) -> impl Iterator<Item = (usize, &'a [f64])> + 'a {
        self.members.iter().map(|&k| (sums.own[k].level, sums.own[k].shift.as_slice()))
    }

    /// The same with the rows of each.
    pub(super) fn sized_shifts<'a>(
        &'a self,
        sums: &'a Sums,
    ) -> impl Iterator<Item = (usize, f64, &'a [f64])> + 'a {
        let own = self.members.iter().map(|&k| &sums.own[k]);
        own.map(|own| (own.level, own.rows, own.shift.as_slice()))
    }

    /// The correlations of a column with all: of the rows of the view, or `within` its conditions
    /// in units of the former. Kept once they are known, while there is room.
    pub(super) fn row<'a>(
        &'a self,
        sums: &Sums,
        budget: &Budget,
        column: usize,
        within: bool,
    ) -> Cow<'a, [f64]> {
        let kept = &(if within { &self.within } else { &self.pooled })[column];
        if let Some(row) = kept.get() {
            return Cow::Borrowed(row);
        }
        let bytes = 8 * sums.width();
        if budget.0.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_KEPT {
            budget.0.fetch_sub(bytes, Ordering::Relaxed);
            return Cow::Owned(self.compute(sums, column, within));
        }
        Cow::Borrowed(kept.get_or_init(|| self.compute(sums, column, within).into()))
    }

    fn compute(&self, sums: &Sums, column: usize, within: bool) -> Vec<f64> {
        let whole = if within { &sums.within } else { &sums.about };
        let (mut row, sign) = match self.listed {
            true => (vec![0.0; sums.width()], 1.0),
            false => (whole.col_as_slice(column).to_vec(), -1.0),
        };
        for &k in &self.list {
            sums.own[k].add_row(&mut row, column, within, sign);
        }
        if !within {
            let (weight, own) = (self.rows, self.shift[column]);
            row.iter_mut().zip(&self.shift).for_each(|(to, value)| *to -= weight * (own * value));
        }
        let own = self.scale[column];
        row.iter_mut().zip(&self.scale).for_each(|(to, scale)| *to = rounded(*to * (own * scale)));
        row
    }

    fn raw_entry(&self, sums: &Sums, a: usize, b: usize, within: bool) -> f64 {
        let whole = if within { &sums.within } else { &sums.about };
        let (mut entry, sign) = if self.listed { (0.0, 1.0) } else { (whole[(a, b)], -1.0) };
        for &k in &self.list {
            sums.own[k].add_entry(&mut entry, (a, b), within, sign);
        }
        if !within {
            entry -= self.rows * (self.shift[a] * self.shift[b]);
        }
        entry
    }

    /// One entry of [`Self::row`].
    pub(super) fn entry(&self, sums: &Sums, a: usize, b: usize, within: bool) -> f64 {
        let kept = if within { &self.within } else { &self.pooled };
        match (kept[a].get(), kept[b].get()) {
            (Some(row), _) => row[b],
            (None, Some(row)) => row[a],
            (None, None) => {
                let scale = self.scale[a] * self.scale[b];
                rounded(self.raw_entry(sums, a, b, within) * scale)
            }
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * DIGITS).round() / DIGITS
}
