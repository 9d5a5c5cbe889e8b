//! The fit of a variable given parents that come and go, by the Gaussian law of blocks of columns.

use super::Fit;
use super::blocks::{Blocks, FLOOR, Factor};

/// What all columns have left of one variable once its parents are known, for each parent added.
///
/// A column more costs O(k m) for k columns among the parents and m in all, and gives the fits with
/// every candidate at once. Sums are taken in the order of [`Blocks`], so both give the same bits.
#[derive(Debug, Default)]
pub(crate) struct Ladder {
    variable: Option<usize>,
    /// Parents, each with the number of columns before it.
    parents: Vec<(usize, usize)>,
    /// Their columns that are not determined by those before, and one over what each has left.
    columns: Vec<usize>,
    scales: Vec<f64>,
    /// Row k: the entry of every column in the factor for column k of the parents.
    rows: Vec<f64>,
    /// Level k: the variance of every column given the first k.
    left: Vec<f64>,
    /// Level k: for each column of the variable, what the first k explain of its covariances.
    explained: Vec<f64>,
    /// Columns of a candidate and of the variable, on top of the parents.
    top: Factor,
}

impl Ladder {
    /// Takes a variable and its parents, in the order of their numbers.
    pub(crate) fn take(&mut self, blocks: &Blocks, variable: usize, parents: &[usize]) {
        if self.variable != Some(variable) {
            self.begin(blocks, variable);
        }
        let known = self.parents.iter().zip(parents);
        let same = known.take_while(|((known, _), parent)| known == *parent).count();
        if let Some(&(_, columns)) = self.parents.get(same) {
            self.parents.truncate(same);
            self.columns.truncate(columns);
            self.scales.truncate(columns);
        }
        for &parent in &parents[same..] {
            self.parents.push((parent, self.columns.len()));
            blocks.columns(parent).for_each(|column| self.push(blocks, column));
        }
    }

    fn begin(&mut self, blocks: &Blocks, variable: usize) {
        let (m, own) = (blocks.width, blocks.width_of(variable));
        self.variable = Some(variable);
        self.parents.clear();
        self.columns.clear();
        self.scales.clear();
        self.left.clear();
        self.left.extend((0..m).map(|c| blocks.correlation[c * m + c]));
        self.explained.clear();
        self.explained.resize(own * m, 0.0);
        self.rows.clear();
    }

    /// Adds a column, unless those there determine it.
    fn push(&mut self, blocks: &Blocks, column: usize) {
        let (m, k) = (blocks.width, self.columns.len());
        let own = self.variable.map_or(0..0, |variable| blocks.columns(variable));
        let rest = self.left[k * m + column];
        if rest < FLOOR {
            return;
        }
        let scale = 1.0 / rest.sqrt();
        self.rows.resize((k + 1) * m, 0.0);
        let (known, row) = self.rows.split_at_mut(k * m);
        row.fill(0.0);
        for known in known.chunks_exact(m) {
            let entry = known[column];
            row.iter_mut().zip(known).for_each(|(sum, value)| *sum += entry * value);
        }
        let correlations = &blocks.correlation[column * m..(column + 1) * m];
        row.iter_mut().zip(correlations).for_each(|(to, s)| *to = (s - *to) * scale);
        self.left.resize((k + 2) * m, 0.0);
        let (before, after) = self.left.split_at_mut((k + 1) * m);
        let change = after.iter_mut().zip(&before[k * m..]).zip(&*row);
        change.for_each(|((next, now), value)| *next = now - value * value);
        let level = own.len() * m;
        self.explained.resize((k + 2) * level, 0.0);
        let (before, after) = self.explained.split_at_mut((k + 1) * level);
        let levels = after.chunks_exact_mut(m).zip(before[k * level..].chunks_exact(m));
        for ((next, now), y) in levels.zip(own) {
            let entry = row[y];
            let change = next.iter_mut().zip(now).zip(&*row);
            change.for_each(|((next, now), value)| *next = now + value * entry);
        }
        self.columns.push(column);
        self.scales.push(scale);
    }

    /// The fit given the parents.
    pub(crate) fn fit(&mut self, blocks: &Blocks) -> Fit {
        self.fit_on_top(blocks)
    }

    /// The fit given the parents and a candidate.
    pub(crate) fn fit_with(&mut self, blocks: &Blocks, candidate: usize) -> Fit {
        let variable = self.variable.unwrap_or_default();
        let (m, k) = (blocks.width, self.columns.len());
        let (own, columns) = (blocks.columns(variable), blocks.columns(candidate));
        if own.len() == 1 && columns.len() == 1 {
            let (y, c) = (own.start, columns.start);
            let (mut rest, left) = (self.left[k * m + y], self.left[k * m + c]);
            let mut given = k;
            if left >= FLOOR {
                let scale = 1.0 / left.sqrt();
                let value = (blocks.correlation[y * m + c] - self.explained[k * m + c]) * scale;
                rest -= value * value;
                given += 1;
            }
            let rest = if rest < FLOOR { FLOOR } else { rest };
            return Fit { deviance: blocks.rows * rest.ln(), freedom: given as f64 };
        }
        for column in columns {
            self.add(blocks, column, None);
        }
        let fit = self.fit_on_top(blocks);
        self.top.clear();
        fit
    }

    /// The fit given the parents and the columns on top.
    fn fit_on_top(&mut self, blocks: &Blocks) -> Fit {
        let given = self.columns.len() + self.top.len();
        let on_top = self.top.len();
        let own = self.variable.map_or(0..0, |variable| blocks.columns(variable));
        let width = own.len();
        let log_det: f64 =
            own.enumerate().map(|(y, column)| self.add(blocks, column, Some(y)).ln()).sum();
        self.top.truncate(on_top);
        Fit { deviance: blocks.rows * log_det, freedom: (given * width) as f64 }
    }

    /// Adds a column on top, of a candidate or that of the variable with this place, and returns what
    /// it has left.
    fn add(&mut self, blocks: &Blocks, column: usize, own: Option<usize>) -> f64 {
        let (m, k) = (blocks.width, self.columns.len());
        let Self { rows, explained, left, variable, top, .. } = self;
        let width = variable.map_or(0, |variable| blocks.width_of(variable));
        let below = |other: usize| match own {
            Some(y) => explained[(k * width + y) * m + other],
            None => {
                let rows = rows[..k * m].chunks_exact(m);
                rows.map(|row| row[other] * row[column]).sum()
            }
        };
        let s = &blocks.correlation[column * m..(column + 1) * m];
        top.push_after(column, left[k * m + column], below, |other| s[other])
    }

    /// The factor of the parents, and for a variable of one column its entries in it and what is
    /// left of it.
    pub(crate) fn rung(&self, blocks: &Blocks) -> Rung {
        let (m, k) = (blocks.width, self.columns.len());
        let mut factor = Factor::default();
        for (a, (&column, &scale)) in self.columns.iter().zip(&self.scales).enumerate() {
            factor.append(column, (0..a).map(|b| self.rows[b * m + column]), scale);
        }
        let y = self.variable.map_or(0, |variable| blocks.columns(variable).start);
        let own = (0..k).map(|b| self.rows[b * m + y]).collect();
        Rung { factor, own, left: self.left[k * m + y] }
    }
}

/// The factor of some parents.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rung {
    factor: Factor,
    own: Vec<f64>,
    left: f64,
}

impl Rung {
    /// The fit of the variable given the parents and a candidate.
    pub(crate) fn fit_with(
        &self,
        blocks: &Blocks,
        variable: usize,
        candidate: usize,
        work: &mut Vec<f64>,
    ) -> Fit {
        let (m, own, columns) = (blocks.width, blocks.columns(variable), blocks.columns(candidate));
        if own.len() > 1 || columns.len() > 1 {
            let mut factor = self.factor.clone();
            factor.push_all(blocks, candidate);
            return factor.fit(blocks, variable);
        }
        let (y, c) = (own.start, columns.start);
        let s = &blocks.correlation[c * m..(c + 1) * m];
        let (left, sum) = self.factor.entries(s[c], |other| s[other], &self.own, work);
        let (mut rest, mut given) = (self.left, self.own.len());
        if left >= FLOOR {
            let value = (blocks.correlation[y * m + c] - sum) * (1.0 / left.sqrt());
            rest -= value * value;
            given += 1;
        }
        let rest = if rest < FLOOR { FLOOR } else { rest };
        Fit { deviance: blocks.rows * rest.ln(), freedom: given as f64 }
    }
}
