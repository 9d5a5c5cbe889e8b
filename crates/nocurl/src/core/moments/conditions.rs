//! Moments of each condition of an experiment.

use faer::{Mat, MatRef};

use super::{Moments, Part, unnamed};
use crate::core::{Dataset, Error, Kind, Variables};

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

    /// The same with each coded column moved and then divided by its unit.
    pub(super) fn standardized(&self, variables: &Variables, moves: &[f64], units: &[f64]) -> Self {
        let own = variables.columns(self.variable);
        let free: Vec<usize> = (0..units.len()).filter(|column| !own.contains(column)).collect();
        let by: Vec<f64> = free.iter().map(|&column| moves[column]).collect();
        let columns: Vec<Vec<(usize, f64)>> = free
            .iter()
            .enumerate()
            .map(|(place, &column)| vec![(place, 1.0 / units[column])])
            .collect();
        let parts = self.parts.iter().map(|part| part.clone().moved(&by).recoded(&columns));
        Self { variable: self.variable, parts: parts.collect() }
    }

    /// The variable whose levels are the conditions.
    pub fn variable(&self) -> usize {
        self.variable
    }

    /// Rows of each condition, by the position of its level.
    pub fn rows(&self) -> Vec<u64> {
        self.parts.iter().map(Part::rows).collect()
    }

    /// The moments of the rows of one level, of the other variables.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn moments(&self, variables: &Variables, level: usize) -> Moments {
        let others: Vec<usize> = (0..variables.size()).filter(|&v| v != self.variable).collect();
        self.parts[level].moments().renamed(variables.select(&others))
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Adds rows of coded columns, which may have weights.
    pub(super) fn push_block(
        &mut self,
        variables: &Variables,
        block: MatRef<'_, f64>,
        weights: Option<&[f64]>,
    ) {
        let own = variables.columns(self.variable);
        let binary = own.len() == 1 && self.parts.len() == 2;
        let mut rows: Vec<Vec<f64>> = vec![Vec::new(); self.parts.len()];
        let mut of_rows: Vec<Vec<f64>> = vec![Vec::new(); self.parts.len()];
        for i in 0..block.nrows() {
            let level = match binary {
                true => block[(i, own.start)] as usize,
                false => own.clone().position(|j| block[(i, j)] == 1.0).map_or(0, |at| at + 1),
            };
            let free = (0..block.ncols()).filter(|column| !own.contains(column));
            rows[level].extend(free.map(|column| block[(i, column)]));
            of_rows[level].extend(weights.map(|weights| weights[i]));
        }
        for ((part, rows), of_rows) in self.parts.iter_mut().zip(&rows).zip(&of_rows) {
            part.push_some(rows, weights.map(|_| of_rows.as_slice()));
        }
    }

    /// Adds the conditions of other rows.
    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.variable != other.variable || self.parts.len() != other.parts.len() {
            let reason = "each of them tells the conditions of another column apart".into();
            return Err(Error::Unmergeable { reason });
        }
        for (part, later) in self.parts.iter_mut().zip(&other.parts) {
            part.append(later);
        }
        Ok(())
    }

    /// The conditions of some variables, in the order given; none where the condition is not
    /// among them.
    pub(crate) fn select(&self, variables: &Variables, chosen: &[usize]) -> Option<Self> {
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

/// The rows of a condition as they are kept, of all coded columns but those of the condition.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRows {
    /// The number of rows or the sum of their weights, where moments are kept.
    pub weight: Option<f64>,
    /// Rows one after the other; or the means and the lower triangle of the scatter matrix, row by
    /// row.
    pub numbers: Vec<f64>,
}

impl KeptRows {
    fn of(part: &Part) -> Self {
        match part {
            Part::Rows { values, .. } => Self { weight: None, numbers: values.clone() },
            Part::Moments(moments) => {
                let mut numbers = moments.mean.clone();
                numbers.extend(moments.scatter_entries());
                Self { weight: Some(moments.weight), numbers }
            }
        }
    }
}

impl Conditions {
    /// What is kept of each condition, by the position of its level.
    pub fn kept_rows(&self) -> impl Iterator<Item = KeptRows> + '_ {
        self.parts.iter().map(KeptRows::of)
    }

    /// The conditions that a variable tells, from what [`Self::kept_rows`] gave.
    ///
    /// # Errors
    /// When the sizes do not agree, or numbers are not finite.
    pub fn of_kept(
        variables: &Variables,
        variable: usize,
        kept: Vec<KeptRows>,
    ) -> Result<Self, Error> {
        let wrong = |found: usize, expected: usize| Error::Lengths {
            what: "parts of a condition",
            found,
            of: "levels or columns",
            expected,
        };
        if variable >= variables.size() {
            return Err(wrong(variable, variables.size()));
        }
        let mut all = Self::new(variables, variable);
        if kept.len() != all.parts.len() {
            return Err(wrong(kept.len(), all.parts.len()));
        }
        let width = variables.width() - variables.columns(variable).len();
        for (to, KeptRows { weight, numbers }) in all.parts.iter_mut().zip(kept) {
            let fits = width > 0 && numbers.iter().all(|value| value.is_finite());
            *to = match weight {
                None if fits && numbers.len() % width == 0 => Part::Rows { width, values: numbers },
                Some(weight) if fits && numbers.len() >= width => {
                    let mean = numbers[..width].to_vec();
                    let entries = &numbers[width..];
                    Part::Moments(Moments::from_scatter(unnamed(width), weight, mean, entries)?)
                }
                _ => return Err(wrong(numbers.len(), width)),
            };
        }
        Ok(all)
    }
}

impl Moments {
    /// Moments of all rows from those of each condition.
    pub(crate) fn of_conditions(variables: Variables, conditions: Conditions) -> Self {
        let own = variables.columns(conditions.variable);
        let indicates = variables.list()[conditions.variable].kind == Kind::Categorical;
        let place = |column: usize| if column < own.start { column } else { column + own.len() };
        let mut total = Self::new(variables.clone());
        for (level, part) in conditions.parts.iter().enumerate().filter(|(_, p)| p.rows() > 0) {
            let part = part.moments();
            let mut whole = Self::new(variables.clone());
            whole.weight = part.weight;
            // The base has no column.
            match (indicates, level) {
                (true, 0) => {}
                (true, level) => whole.mean[own.start + level - 1] = 1.0,
                (false, level) => whole.mean[own.start] = level as f64,
            }
            for j in 0..part.width() {
                whole.mean[place(j)] = part.mean[j];
                for i in j..part.width() {
                    whole.scatter[(place(i), place(j))] = part.scatter[(i, j)];
                }
            }
            total.merge(&whole).expect("the variables are the same");
        }
        total.with_conditions(conditions)
    }
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
        let parts = self.parts.into_iter().map(|part| match part {
            PackedPart::Rows(values) => KeptRows { weight: None, numbers: values },
            PackedPart::Moments(moments) => KeptRows::of(&Part::Moments(moments)),
        });
        Conditions::of_kept(variables, self.variable, parts.collect())
    }
}
