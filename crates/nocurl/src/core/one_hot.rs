//! Moments of levels that are not known beforehand.

use faer::{Mat, MatMut, MatRef};

use super::moments::{Conditions, Part, unnamed};
use super::variable::{Kind, Variables};
use super::{Dataset, Error, Moments, Variable};

/// Moments of a table in pieces, of which none has seen all levels.
///
/// Columns of levels hold codes, as [`Levels`](crate::variable::Levels) gives them. Every level
/// has an indicator column of its own here, and a level that a piece has not seen is a column of
/// zeros, so that pieces can be merged whatever they saw. At the end the levels are put in their
/// order, and the columns become those of the [`Variables`]. A table without levels costs what
/// [`Moments`] cost, and has the same bits.
///
/// ```
/// use nocurl::variable::Levels;
/// use nocurl::{Kind, Mat, OneHot, Variable};
/// let (mut first, mut second) = (Levels::default(), Levels::default());
/// let code = |levels: &mut Levels, name| levels.code(name).unwrap() as f64;
/// let mut total = OneHot::new(&[false, true]);
/// let species = ["cat", "dog", "cat"].map(|name| code(&mut first, name));
/// total.push(Mat::from_fn(3, 2, |i, j| [i as f64, species[i]][j]).as_mut());
/// let mut later = OneHot::new(&[false, true]);
/// let species = ["emu", "cat"].map(|name| code(&mut second, name));
/// later.push(Mat::from_fn(2, 2, |i, j| [i as f64, species[i]][j]).as_mut());
/// let places = first.absorb(&second);
/// total.append(later, &[vec![], places]);
/// let (species, places) =
///     Variable::of_levels("species", Kind::Categorical, first.names(), &total.counts(1));
/// assert_eq!(species.levels, ["cat", "dog", "emu"]);
/// let moments = total.finish(vec![Variable::continuous("age"), species].into(), &[vec![], places]);
/// assert_eq!((moments.columns(), moments.width()), (2, 3));
/// assert!(moments.mean()[1..].iter().all(|share| (share - 0.2).abs() < 1e-15));
/// ```
#[derive(Debug, Clone)]
pub struct OneHot {
    /// For each variable whether it has levels.
    discrete: Vec<bool>,
    /// The columns of each variable: one, or one for each level by its code.
    columns: Vec<Vec<usize>>,
    moments: Moments,
    /// Indicators of a block of rows.
    work: Mat<f64>,
    /// The rows of each condition, where these are told apart.
    told: Option<Told>,
}

/// Rows by the codes of one variable.
#[derive(Debug, Clone)]
struct Told {
    variable: usize,
    /// The columns of the others.
    columns: Vec<usize>,
    /// By code.
    parts: Vec<Part>,
    /// Rows of a block by their codes, and their weights.
    work: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Told {
    fn push(&mut self, codes: &[f64], coded: MatRef<'_, f64>, weights: Option<&[f64]>) {
        for (i, &code) in codes.iter().enumerate() {
            let row = self.columns.iter().map(|&column| coded[(i, column)]);
            let (rows, of_rows) = &mut self.work[code as usize];
            rows.extend(row);
            of_rows.extend(weights.map(|weights| weights[i]));
        }
        for (part, (rows, of_rows)) in self.parts.iter_mut().zip(&mut self.work) {
            if !rows.is_empty() {
                part.push_some(rows, weights.map(|_| of_rows.as_slice()));
                rows.clear();
                of_rows.clear();
            }
        }
    }
}

impl OneHot {
    /// No rows yet, of variables with so many levels each (none where they have no levels), with the
    /// rows of each level of one of them told apart as the conditions of an experiment.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn by_condition(levels: &[usize], condition: usize) -> Self {
        let discrete: Vec<bool> = levels.iter().map(|&levels| levels > 0).collect();
        let mut all = Self::new(&discrete);
        // All columns are there from the start, so that those of the parts stay what they are.
        all.know(&levels.iter().map(|&levels| levels.max(1)).collect::<Vec<_>>());
        let own = &all.columns[condition];
        let columns: Vec<usize> =
            (0..all.moments.width()).filter(|column| !own.contains(column)).collect();
        let parts = vec![Part::new(columns.len()); levels[condition]];
        let work = vec![Default::default(); levels[condition]];
        all.told = Some(Told { variable: condition, columns, parts, work });
        all
    }

    /// No rows yet, of variables with levels or without.
    pub fn new(discrete: &[bool]) -> Self {
        let numbers = discrete.iter().filter(|&&discrete| !discrete).count();
        let mut next = 0..numbers;
        let columns = discrete.iter().map(|&levels| match levels {
            true => Vec::new(),
            false => next.next().into_iter().collect(),
        });
        Self {
            columns: columns.collect(),
            discrete: discrete.to_vec(),
            moments: Moments::new(unnamed(numbers)),
            work: Mat::new(),
            told: None,
        }
    }

    /// Adds complete rows with one column for each variable; the block may be used as work space.
    ///
    /// # Panics
    /// When the block does not have one column per variable.
    pub fn push(&mut self, block: MatMut<'_, f64>) {
        self.push_some(block, None);
    }

    /// Adds complete rows of which each counts as often as its weight says.
    ///
    /// # Panics
    /// As [`Self::push`] and [`Moments::push_weighted`].
    pub fn push_weighted(&mut self, block: MatMut<'_, f64>, weights: &[f64]) {
        self.push_some(block, Some(weights));
    }

    fn push_some(&mut self, mut block: MatMut<'_, f64>, weights: Option<&[f64]>) {
        assert_eq!(block.ncols(), self.discrete.len(), "one column per variable");
        let add = |moments: &mut Moments, coded: MatMut<'_, f64>| match weights {
            None => moments.push_block(coded),
            Some(weights) => moments.push_weighted(coded, weights),
        };
        if !self.discrete.contains(&true) {
            add(&mut self.moments, block);
            return;
        }
        let rows = block.nrows();
        let codes = (0..self.discrete.len()).map(|v| match self.discrete[v] {
            false => 1,
            true => {
                let column = block.as_ref().col(v);
                let most = column.iter().fold(-1.0, |most: f64, &code| most.max(code));
                (most + 1.0) as usize
            }
        });
        self.know(&codes.collect::<Vec<_>>());
        let width = self.moments.width();
        if self.work.nrows() < rows || self.work.ncols() < width {
            self.work = Mat::zeros(rows, width);
        }
        let mut coded = self.work.as_mut().submatrix_mut(0, 0, rows, width);
        for (v, columns) in self.columns.iter().enumerate() {
            let from = block.as_mut().col_mut(v);
            if !self.discrete[v] {
                coded.as_mut().col_mut(columns[0]).copy_from(from);
                continue;
            }
            columns.iter().for_each(|&j| coded.as_mut().col_mut(j).fill(0.0));
            for i in 0..rows {
                coded[(i, columns[from[i] as usize])] = 1.0;
            }
        }
        if let Some(told) = &mut self.told {
            let codes: Vec<f64> = block.as_ref().col(told.variable).iter().copied().collect();
            told.push(&codes, coded.as_ref(), weights);
        }
        add(&mut self.moments, coded);
    }

    /// Makes columns for levels of these many codes.
    fn know(&mut self, codes: &[usize]) {
        let width = self.moments.width();
        let mut next = width;
        for (columns, &codes) in self.columns.iter_mut().zip(codes) {
            let more = codes.saturating_sub(columns.len());
            columns.extend(next..next + more);
            next += more;
        }
        if next > width {
            self.moments = self.moments.grown(unnamed(next));
        }
    }

    /// Adds what was gathered from later rows of the same variables. `places` has, for each
    /// variable with levels, what its later codes become, as
    /// [`Levels::absorb`](crate::variable::Levels::absorb) says.
    ///
    /// # Panics
    /// When a code has no place.
    pub fn append(&mut self, later: Self, places: &[Vec<usize>]) {
        if !self.discrete.contains(&true) {
            self.moments.merge(&later.moments).expect("the variables are the same");
            return;
        }
        let codes = (0..self.discrete.len()).map(|v| match self.discrete[v] {
            false => 1,
            true => {
                let places = &places[v][..later.columns[v].len()];
                places.iter().map(|&place| place + 1).max().unwrap_or(0)
            }
        });
        self.know(&codes.collect::<Vec<_>>());
        if let (Some(told), Some(later)) = (&mut self.told, &later.told) {
            for (code, part) in later.parts.iter().enumerate() {
                told.parts[places[told.variable][code]].append(part);
            }
        }
        let width = self.moments.width();
        let mut factors = vec![Vec::new(); width];
        for (v, columns) in later.columns.iter().enumerate() {
            for (code, &from) in columns.iter().enumerate() {
                let code = if self.discrete[v] { places[v][code] } else { 0 };
                factors[self.columns[v][code]].push((from, 1.0));
            }
        }
        let later = later.moments.recoded(unnamed(width), &factors);
        self.moments.merge(&later).expect("the columns are the same now");
    }

    /// Rows gathered.
    pub fn rows(&self) -> u64 {
        self.moments.rows()
    }

    /// How often each level of a variable was seen, by its code.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn counts(&self, variable: usize) -> Vec<u64> {
        let rows = self.moments.weight();
        let columns = self.columns[variable].iter();
        columns.map(|&j| (self.moments.mean()[j] * rows).round() as u64).collect()
    }

    /// The moments of these variables, whose levels have the positions that `places` lists for
    /// their codes, as [`Variable::of_levels`] gives them.
    ///
    /// # Panics
    /// When a code has no place.
    pub fn finish(self, variables: Variables, places: &[Vec<usize>]) -> Moments {
        let mut factors: Vec<Vec<(usize, f64)>> = vec![Vec::new(); variables.width()];
        for (v, columns) in self.columns.iter().enumerate() {
            let target = variables.columns(v).start;
            let variable = &variables.list()[v];
            for (code, &from) in columns.iter().enumerate() {
                let (column, factor) = match variable.kind {
                    Kind::Continuous => (target, 1.0),
                    Kind::Binary | Kind::Ordinal => (target, places[v][code] as f64),
                    // The base has no column.
                    Kind::Categorical => match places[v][code] {
                        0 => continue,
                        place => (target + place - 1, 1.0),
                    },
                };
                if factor != 0.0 {
                    factors[column].push((from, factor));
                }
            }
        }
        if variables.is_continuous() {
            return self.moments.renamed(variables);
        }
        let Some(told) = self.told else { return self.moments.recoded(variables, &factors) };
        let place_of = |column: &usize| told.columns.binary_search(column).ok();
        let own = variables.columns(told.variable);
        let others = factors.iter().enumerate().filter(|(column, _)| !own.contains(column));
        let others: Vec<Vec<(usize, f64)>> = others
            .map(|(_, of)| of.iter().filter_map(|(i, x)| Some((place_of(i)?, *x))).collect())
            .collect();
        let mut conditions = Conditions::new(&variables, told.variable);
        for (code, part) in told.parts.iter().enumerate().filter(|(_, part)| part.rows() > 0) {
            conditions.set(places[told.variable][code], part.recoded(&others));
        }
        self.moments.recoded(variables, &factors).with_conditions(conditions)
    }
}

impl Dataset {
    /// A data set of codes that become positions of levels, as [`Variable::of_levels`] says.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    ///
    /// # Panics
    /// When a code has no place.
    pub fn of_codes(
        variables: Vec<Variable>,
        mut values: Mat<f64>,
        places: &[Vec<usize>],
    ) -> Result<Self, Error> {
        for (v, _) in variables.iter().enumerate().filter(|(_, v)| v.is_discrete()) {
            for value in values.col_as_slice_mut(v) {
                *value = places[v][*value as usize] as f64;
            }
        }
        Self::new(Variables::new(variables), values)
    }
}
