//! Moments of each condition of an experiment.

use faer::{Mat, MatRef};

use super::Moments;
use crate::core::{Dataset, Error, Variables};

/// Conditions of so few rows keep them: their scatter matrix would take more room.
const FEW: usize = 8;

/// The rows of one condition, of all coded columns but those of the condition itself: the rows as
/// they are where they take less room than their moments, else the moments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Rows { width: usize, values: Vec<f64> },
    Moments(Moments),
}

impl Part {
    pub(crate) fn new(width: usize) -> Self {
        Self::Rows { width, values: Vec::new() }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        match self {
            Self::Rows { width, values } => (values.len() / (*width).max(1)) as u64,
            Self::Moments(moments) => moments.rows(),
        }
    }

    /// Memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let numbers = match self {
            Self::Rows { values, .. } => values.len(),
            Self::Moments(moments) => moments.width() * moments.width(),
        };
        8 * numbers as u64
    }

    /// Adds rows, one after the other.
    pub(crate) fn push(&mut self, more: &[f64]) {
        match self {
            Self::Rows { values, .. } => values.extend_from_slice(more),
            Self::Moments(moments) => {
                let mut block = matrix(more, moments.width());
                moments.push_block(block.as_mut());
            }
        }
        self.settle();
    }

    /// Rows that are too many become moments.
    fn settle(&mut self) {
        if let Self::Rows { width, values } = self
            && values.len() > *width * (*width / 2).max(FEW)
        {
            let mut moments = Moments::new(unnamed(*width));
            moments.push_block(matrix(values, *width).as_mut());
            *self = Self::Moments(moments);
        }
    }

    /// Adds later rows of the same condition.
    pub(crate) fn append(&mut self, later: &Self) {
        let later = match later {
            Self::Rows { values, .. } if values.is_empty() => return,
            Self::Rows { values, .. } => return self.push(values),
            Self::Moments(later) => later,
        };
        if let Self::Rows { width, values } = self {
            let mut moments = Moments::new(unnamed(*width));
            moments.push_block(matrix(values, *width).as_mut());
            *self = Self::Moments(moments);
        }
        if let Self::Moments(moments) = self {
            moments.merge(later).expect("both have the same columns");
        }
    }

    /// The same in another coding, see [`Moments::recoded`].
    pub(crate) fn recoded(&self, columns: &[Vec<(usize, f64)>]) -> Self {
        match self {
            Self::Rows { width, values } => {
                let rows = values.chunks_exact((*width).max(1));
                let sum = |row: &[f64], of: &[(usize, f64)]| -> f64 {
                    of.iter().map(|&(i, factor)| factor * row[i]).sum()
                };
                let values = rows.flat_map(|row| columns.iter().map(move |of| sum(row, of)));
                Self::Rows { width: columns.len(), values: values.collect() }
            }
            Self::Moments(moments) => {
                Self::Moments(moments.recoded(unnamed(columns.len()), columns))
            }
        }
    }

    /// The means of the columns.
    pub(crate) fn mean(&self) -> Vec<f64> {
        match self {
            Self::Rows { width, values } => {
                let mut mean = vec![0.0; *width];
                for row in values.chunks_exact((*width).max(1)) {
                    mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
                let n = self.rows().max(1) as f64;
                mean.iter_mut().for_each(|sum| *sum /= n);
                mean
            }
            Self::Moments(moments) => moments.mean.clone(),
        }
    }

    /// The scatter matrix about the means (both triangles), or the rows less their means where
    /// these are kept, one after the other.
    pub(crate) fn spread(&self) -> Spread {
        match self {
            Self::Rows { width, values } => {
                let mean = self.mean();
                let rows = values.chunks_exact((*width).max(1));
                let centred = rows.flat_map(|row| row.iter().zip(&mean).map(|(x, m)| x - m));
                Spread::Rows(centred.collect())
            }
            Self::Moments(moments) => {
                let s = &moments.scatter;
                let m = moments.width();
                Spread::Scatter(Mat::from_fn(m, m, |i, j| s[(i.max(j), i.min(j))]))
            }
        }
    }
}

/// What is left of the rows of a condition once the means are gone.
#[derive(Debug, Clone)]
pub(crate) enum Spread {
    Rows(Vec<f64>),
    Scatter(Mat<f64>),
}

/// Moments by condition: those of each level of one variable, of all other coded columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    variable: usize,
    /// By the position of the level.
    parts: Vec<Part>,
}

impl Conditions {
    /// No rows yet.
    ///
    /// # Panics
    /// When there is no such variable.
    pub(crate) fn new(variables: &Variables, variable: usize) -> Self {
        let width = variables.width() - variables.columns(variable).len();
        let levels = variables.list()[variable].levels.len();
        Self { variable, parts: vec![Part::new(width); levels] }
    }

    /// The rows of a table by the levels of one of its variables; row `i` is there `counts[i]`
    /// times, or once.
    pub(crate) fn of(rows: &Dataset, variable: usize, counts: Option<&[u32]>) -> Self {
        let (variables, values) = (rows.variables(), rows.values());
        let mut all = Self::new(variables, variable);
        let width = variables.width();
        let own = variables.columns(variable);
        // A few rows at a time, so that there is no copy of the table.
        const AT_ONCE: usize = 512;
        let mut waiting: Vec<Vec<f64>> = vec![Vec::new(); all.parts.len()];
        let mut coded = Mat::zeros(AT_ONCE, width);
        let mut start = 0;
        while start < values.nrows() {
            let taken = AT_ONCE.min(values.nrows() - start);
            let mut block = coded.as_mut().subrows_mut(0, taken);
            variables.code(values.subrows(start, taken), block.as_mut());
            for i in 0..taken {
                let level = values[(start + i, variable)] as usize;
                let times = counts.map_or(1, |counts| counts[start + i]);
                for _ in 0..times {
                    let free = (0..width).filter(|column| !own.contains(column));
                    waiting[level].extend(free.map(|column| block[(i, column)]));
                }
            }
            start += taken;
            for (part, values) in all.parts.iter_mut().zip(&mut waiting) {
                if values.len() > AT_ONCE * width || start == rows.values().nrows() {
                    part.push(values);
                    values.clear();
                }
            }
        }
        all
    }

    /// The same where only some coded columns are kept, in their order, and the levels of the
    /// condition are those of the new variables.
    pub(crate) fn kept(&self, old: &Variables, new: &Variables, columns: &[usize]) -> Self {
        let own = old.columns(self.variable);
        let free = columns.iter().filter(|&column| !own.contains(column));
        let place = |column: usize| if column < own.start { column } else { column - own.len() };
        let columns: Vec<Vec<(usize, f64)>> =
            free.map(|&column| vec![(place(column), 1.0)]).collect();
        let before = &old.list()[self.variable];
        let levels = new.list()[self.variable].levels.iter();
        let parts = levels.filter_map(|level| before.level(level));
        let parts = parts.map(|level| self.parts[level].recoded(&columns)).collect();
        Self { variable: self.variable, parts }
    }

    /// The rows of one level.
    pub(crate) fn set(&mut self, level: usize, part: Part) {
        self.parts[level] = part;
    }

    /// The same with each coded column in other units, by one over these.
    pub(super) fn scaled(&self, variables: &Variables, units: &[f64]) -> Self {
        let own = variables.columns(self.variable);
        let free = (0..units.len()).filter(|column| !own.contains(column));
        let columns: Vec<Vec<(usize, f64)>> =
            free.enumerate().map(|(place, column)| vec![(place, 1.0 / units[column])]).collect();
        let parts = self.parts.iter().map(|part| part.recoded(&columns)).collect();
        Self { variable: self.variable, parts }
    }

    /// The variable whose levels are the conditions.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Rows of each condition, by the position of its level.
    pub fn rows(&self) -> Vec<u64> {
        self.parts.iter().map(Part::rows).collect()
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds rows of coded columns.
    pub(super) fn push_block(&mut self, variables: &Variables, block: MatRef<'_, f64>) {
        let own = variables.columns(self.variable);
        let binary = own.len() == 1 && self.parts.len() == 2;
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); self.parts.len()];
        for i in 0..block.nrows() {
            let level = match binary {
                true => block[(i, own.start)] as usize,
                false => own.clone().position(|j| block[(i, j)] == 1.0).map_or(0, |at| at + 1),
            };
            let free = (0..block.ncols()).filter(|column| !own.contains(column));
            rows[level].extend(free.map(|column| block[(i, column)]));
        }
        for (part, rows) in self.parts.iter_mut().zip(&rows) {
            part.push(rows);
        }
    }

    /// Adds the conditions of other rows.
    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.variable != other.variable || self.parts.len() != other.parts.len() {
            return Err(Error::DifferentVariables { what: "moments to merge" });
        }
        for (part, later) in self.parts.iter_mut().zip(&other.parts) {
            part.append(later);
        }
        Ok(())
    }

    /// The conditions of some variables, in the order given; none where the condition is not
    /// among them.
    pub(super) fn select(&self, variables: &Variables, chosen: &[usize]) -> Option<Self> {
        let variable = chosen.iter().position(|&v| v == self.variable)?;
        let own = variables.columns(self.variable);
        let place = |column: usize| if column < own.start { column } else { column - own.len() };
        let kept = chosen.iter().filter(|&&v| v != self.variable);
        let columns: Vec<Vec<(usize, f64)>> = kept
            .flat_map(|&v| variables.columns(v).map(|column| vec![(place(column), 1.0)]))
            .collect();
        let parts = self.parts.iter().map(|part| part.recoded(&columns)).collect();
        Some(Self { variable, parts })
    }
}

/// Rows one after the other as a matrix.
fn matrix(values: &[f64], width: usize) -> Mat<f64> {
    Mat::from_fn(values.len() / width.max(1), width, |i, j| values[i * width + j])
}

/// Columns that need no names.
fn unnamed(columns: usize) -> Variables {
    Variables::continuous(vec![String::new(); columns])
}

/// How conditions are written: rows, or moments.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct PackedConditions {
    variable: usize,
    parts: Vec<PackedPart>,
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PackedPart {
    Rows(Vec<f64>),
    Moments(Moments),
}

#[cfg(feature = "serde")]
impl From<Conditions> for PackedConditions {
    fn from(conditions: Conditions) -> Self {
        let parts = conditions.parts.into_iter().map(|part| match part {
            Part::Rows { values, .. } => PackedPart::Rows(values),
            Part::Moments(moments) => PackedPart::Moments(moments),
        });
        Self { variable: conditions.variable, parts: parts.collect() }
    }
}

#[cfg(feature = "serde")]
impl PackedConditions {
    /// The conditions of these variables.
    ///
    /// # Errors
    /// When the sizes do not agree.
    pub(super) fn unpack(self, variables: &Variables) -> Result<Conditions, Error> {
        let wrong = |found: usize, expected: usize| Error::Lengths {
            what: "parts of a condition",
            found,
            of: "levels or columns",
            expected,
        };
        if self.variable >= variables.size() {
            return Err(wrong(self.variable, variables.size()));
        }
        let mut all = Conditions::new(variables, self.variable);
        if self.parts.len() != all.parts.len() {
            return Err(wrong(self.parts.len(), all.parts.len()));
        }
        let width = variables.width() - variables.columns(self.variable).len();
        for (to, from) in all.parts.iter_mut().zip(self.parts) {
            *to = match from {
                PackedPart::Rows(values)
                    if width > 0
                        && values.len() % width == 0
                        && values.iter().all(|value| value.is_finite()) =>
                {
                    Part::Rows { width, values }
                }
                PackedPart::Moments(moments) if moments.width() == width => Part::Moments(moments),
                PackedPart::Rows(values) => return Err(wrong(values.len(), width)),
                PackedPart::Moments(moments) => return Err(wrong(moments.width(), width)),
            };
        }
        Ok(all)
    }
}
