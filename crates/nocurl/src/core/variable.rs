//! What a column of a table is: a variable with its kind and its levels.

use std::collections::HashMap;
use std::ops::Range;

use faer::prelude::ReborrowMut;

use super::{Mat, MatMut, MatRef};
use crate::core::{Error, Transform};

/// More levels than this in one column are taken for keys or free text.
pub const MOST_LEVELS: usize = 256;

/// More conditions than this in one experiment are taken for keys too.
pub const MOST_CONDITIONS: usize = 4096;

/// A kind of column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Kind {
    /// Numbers on a scale.
    #[default]
    Continuous,
    /// Two levels, coded as 0 and 1.
    Binary,
    /// Levels without an order: one indicator column for each but the most common.
    Categorical,
    /// Levels with an order, coded by their position.
    Ordinal,
}

impl Kind {
    /// The kinds that are one number each.
    pub const NUMBERS: &'static [Self] = &[Self::Continuous, Self::Binary, Self::Ordinal];
    /// Every kind there is.
    pub const ALL: &'static [Self] =
        &[Self::Continuous, Self::Binary, Self::Categorical, Self::Ordinal];

    /// The word in files and sentences.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continuous => "continuous",
            Self::Binary => "binary",
            Self::Categorical => "categorical",
            Self::Ordinal => "ordinal",
        }
    }
}

/// A column of a table: one node of the graph, whatever number of columns codes it.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its kind.
    #[cfg_attr(feature = "serde", serde(default))]
    pub kind: Kind,
    /// The names of its levels; a value is the position of its level. The first level of a
    /// categorical variable is its base, the most common one; those of an ordinal one are in
    /// their order. None for numbers on a scale.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub levels: Vec<String>,
    /// What was done to the values of the table, one after the other.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub transforms: Vec<Transform>,
}

impl Variable {
    /// Numbers on a scale.
    pub fn continuous(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A variable of levels that were seen `counts` times each, and for each of them the position
    /// it now has. Levels of binary and categorical variables that were never seen are left out.
    ///
    /// Two levels that are not ordinal make a binary variable, whose levels are in the order of
    /// numbers or of the alphabet. Those of a categorical one begin with the most common, the rest
    /// follow in that order. Those of an ordinal one stay as they are given.
    ///
    /// # Panics
    /// When there is not one count for each level.
    pub fn of_levels(
        name: impl Into<String>,
        kind: Kind,
        levels: &[String],
        counts: &[u64],
    ) -> (Self, Vec<usize>) {
        assert_eq!(levels.len(), counts.len(), "one count for each level");
        let name = name.into();
        if kind == Kind::Ordinal {
            let places = (0..levels.len()).collect();
            return (Self::with_levels(name, kind, levels.to_vec()), places);
        }
        let mut order: Vec<usize> = (0..levels.len()).filter(|&code| counts[code] > 0).collect();
        order.sort_by(|&a, &b| in_order(&levels[a], &levels[b]));
        let kind = if order.len() <= 2 { Kind::Binary } else { Kind::Categorical };
        if kind == Kind::Categorical {
            // The first of equally common ones, as the order above has them.
            let most = order.iter().map(|&code| counts[code]).max().unwrap_or(0);
            let base = order.iter().position(|&code| counts[code] == most).unwrap_or(0);
            order[..=base].rotate_right(1);
        }
        let mut places = vec![0; levels.len()];
        order.iter().enumerate().for_each(|(place, &code)| places[code] = place);
        let levels = order.into_iter().map(|code| levels[code].clone()).collect();
        (Self::with_levels(name, kind, levels), places)
    }

    /// A variable of these levels.
    pub fn with_levels(name: impl Into<String>, kind: Kind, levels: Vec<String>) -> Self {
        Self { name: name.into(), kind, levels, transforms: Vec::new() }
    }

    /// A value of the table on the scale that was learnt on; NaN where there is none.
    pub fn transformed(&self, value: f64) -> f64 {
        self.transforms.iter().fold(value, |value, step| step.apply(value))
    }

    /// A value of the scale that was learnt on as the table has it.
    pub fn untransformed(&self, value: f64) -> f64 {
        self.transforms.iter().rev().fold(value, |value, step| step.invert(value))
    }

    /// What its numbers are: the name, or a function of it, such as `log(dose)`.
    pub fn scale(&self) -> String {
        self.transforms.iter().fold(self.name.clone(), |name, step| match step {
            Transform::Log => format!("log({name})"),
            Transform::Rank(_) => format!("rank({name})"),
            Transform::Standardize { .. } => format!("standardized({name})"),
        })
    }

    /// The columns that code it.
    pub fn width(&self) -> usize {
        match self.kind {
            Kind::Categorical => self.levels.len().saturating_sub(1).max(1),
            _ => 1,
        }
    }

    /// True when its values are levels rather than numbers on a scale.
    pub fn is_discrete(&self) -> bool {
        self.kind != Kind::Continuous
    }

    /// The position of a level.
    pub fn level(&self, name: &str) -> Option<usize> {
        self.levels.iter().position(|level| level == name)
    }

    /// The name of the coded column at an offset in the block: that of the variable, or with the
    /// level that it indicates.
    pub fn column_name(&self, offset: usize) -> String {
        match self.kind {
            Kind::Categorical => match self.levels.get(offset + 1) {
                Some(level) => format!("{}={level}", self.name),
                None => self.name.clone(),
            },
            _ => self.name.clone(),
        }
    }
}

/// Numbers by size, other words by the alphabet, numbers first.
pub(crate) fn in_order(a: &str, b: &str) -> std::cmp::Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => std::cmp::Ordering::Less,
        (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// Levels as they come, each with its code: the position at which it was first seen.
///
/// ```
/// use nocurl::variable::Levels;
/// let mut here = Levels::default();
/// assert_eq!(["b", "a", "b"].map(|name| here.code(name)), [Some(0), Some(1), Some(0)]);
/// let mut later = Levels::default();
/// ["c", "a"].map(|name| later.code(name));
/// // What the codes of a later piece of the table become.
/// assert_eq!(here.absorb(&later), [2, 1]);
/// assert_eq!(here.names(), ["b", "a", "c"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Levels {
    names: Vec<String>,
    codes: HashMap<String, usize>,
    overflows: bool,
    /// How many there may be, where it is not [`MOST_LEVELS`].
    room: Option<usize>,
}

impl Levels {
    /// No levels yet, and room for so many.
    pub fn with_room(most: usize) -> Self {
        Self { room: Some(most), ..Self::default() }
    }

    /// These levels, in this order.
    pub fn new(names: &[String]) -> Self {
        let mut levels = Self::with_room(names.len().max(MOST_LEVELS));
        names.iter().for_each(|name| _ = levels.code(name));
        levels
    }

    /// Makes room for so many.
    pub fn widen(&mut self, most: usize) {
        self.room = Some(most);
    }

    /// The code of a level; none when it is new and there are as many as there may be.
    pub fn code(&mut self, name: &str) -> Option<usize> {
        if let Some(&code) = self.codes.get(name) {
            return Some(code);
        }
        let code = self.names.len();
        if code == self.room.unwrap_or(MOST_LEVELS) {
            self.overflows = true;
            return None;
        }
        self.names.push(name.into());
        self.codes.insert(name.into(), code);
        Some(code)
    }

    /// Adds the levels of a later piece of the table; returns what each of its codes becomes. A
    /// level for which there is no room becomes the first.
    pub fn absorb(&mut self, later: &Self) -> Vec<usize> {
        self.overflows |= later.overflows;
        later.names.iter().map(|name| self.code(name).unwrap_or(0)).collect()
    }

    /// The levels by their codes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Notes that there were more than there may be.
    pub fn overflow(&mut self) {
        self.overflows = true;
    }

    /// True when there were more than there may be.
    pub fn overflows(&self) -> bool {
        self.overflows
    }
}

/// The variables of a table, with the block of columns that codes each of them.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    list: Vec<Variable>,
    names: Vec<String>,
    /// Where each block begins, and the end of the last.
    starts: Vec<usize>,
}

impl PartialEq for Variables {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Variables {
    /// These variables.
    pub fn new(list: Vec<Variable>) -> Self {
        let names = list.iter().map(|variable| variable.name.clone()).collect();
        let mut starts = vec![0];
        starts.extend(list.iter().scan(0, |end, variable| {
            *end += variable.width();
            Some(*end)
        }));
        Self { list, names, starts }
    }

    /// Numbers on a scale of these names.
    pub fn continuous(names: Vec<String>) -> Self {
        Self::new(names.into_iter().map(Variable::continuous).collect())
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The variables themselves.
    pub fn list(&self) -> &[Variable] {
        &self.list
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.list.len()
    }

    /// The columns that code all of them.
    pub fn width(&self) -> usize {
        *self.starts.last().expect("there is always an end")
    }

    /// The columns that code one of them.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn columns(&self, variable: usize) -> Range<usize> {
        self.starts[variable]..self.starts[variable + 1]
    }

    /// True when every variable is one column.
    pub fn is_plain(&self) -> bool {
        self.width() == self.size()
    }

    /// True when every variable is a number on a scale.
    pub fn is_continuous(&self) -> bool {
        self.list.iter().all(|variable| variable.kind == Kind::Continuous)
    }

    /// True when the numbers of some are functions of those of the table.
    pub fn is_transformed(&self) -> bool {
        self.list.iter().any(|variable| !variable.transforms.is_empty())
    }

    /// True when every variable is binary or categorical.
    pub fn is_categorical(&self) -> bool {
        !self.list.is_empty()
            && self.list.iter().all(|v| matches!(v.kind, Kind::Binary | Kind::Categorical))
    }

    /// The name of a coded column.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn column_name(&self, column: usize) -> String {
        let variable = self.of_column(column);
        self.list[variable].column_name(column - self.starts[variable])
    }

    /// The variable of a coded column.
    pub(crate) fn of_column(&self, column: usize) -> usize {
        self.starts.partition_point(|&start| start <= column) - 1
    }

    /// Some of them, in the order given.
    ///
    /// # Panics
    /// When an index is not a variable.
    pub fn select(&self, variables: &[usize]) -> Self {
        Self::new(variables.iter().map(|&v| self.list[v].clone()).collect())
    }

    /// The coded columns of rows with one value for each variable; a value that is missing (NaN) is
    /// missing in all columns of its block.
    pub fn coded(&self, values: MatRef<'_, f64>) -> Mat<f64> {
        let mut coded = Mat::zeros(values.nrows(), self.width());
        self.code(values, coded.as_mut());
        coded
    }

    /// The same into memory that is there.
    pub(crate) fn code(&self, values: MatRef<'_, f64>, mut coded: MatMut<'_, f64>) {
        for v in 0..self.size() {
            let (column, start) = (values.col(v), self.starts[v]);
            if self.list[v].kind != Kind::Categorical {
                coded.rb_mut().col_mut(start).copy_from(column);
                continue;
            }
            for (offset, j) in self.columns(v).enumerate() {
                let level = (offset + 1) as f64;
                let mut target = coded.rb_mut().col_mut(j);
                for i in 0..column.nrows() {
                    let value = column[i];
                    target[i] =
                        if value.is_nan() { value } else { f64::from(u8::from(value == level)) };
                }
            }
        }
    }

    /// Whether a value can be one of a variable.
    pub(crate) fn check(&self, variable: usize, value: f64, row: usize) -> Result<(), Error> {
        let of = &self.list[variable];
        let (column, row) = (of.name.clone(), row as u64 + 1);
        if !value.is_finite() {
            return Err(Error::NotFinite { column, row });
        }
        if of.is_discrete()
            && !(value.fract() == 0.0 && (0.0..of.levels.len() as f64).contains(&value))
        {
            return Err(Error::NotALevel { column, row, value });
        }
        Ok(())
    }
}

impl From<Vec<String>> for Variables {
    fn from(names: Vec<String>) -> Self {
        Self::continuous(names)
    }
}

impl From<Vec<Variable>> for Variables {
    fn from(list: Vec<Variable>) -> Self {
        Self::new(list)
    }
}
