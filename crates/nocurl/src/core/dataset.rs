//! A table of variables with names, all in memory.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::core::{Codes, Error, Mat, MatRef, Moments, Variables, moments};

/// `n` rows of `d` named variables, one column each: numbers, or positions of levels.
///
/// Linear methods only need [`Moments`]; simulators make data sets, and methods that need the rows
/// themselves take them.
#[derive(Debug, Clone)]
pub struct Dataset {
    variables: Variables,
    values: Mat<f64>,
    /// Kept once they are known: learning, checks and reports all need them.
    moments: OnceLock<Moments>,
}

impl Dataset {
    /// A data set from a matrix with one row per observation and one column per variable; of
    /// [`Variables`], or of the names of numbers on a scale.
    ///
    /// # Errors
    /// When the number of variables is not the number of columns, a value is not finite, or one
    /// is not the position of a level.
    pub fn new(variables: impl Into<Variables>, values: Mat<f64>) -> Result<Self, Error> {
        let variables = variables.into();
        if variables.size() != values.ncols() {
            return Err(Error::Lengths {
                what: "names",
                found: variables.size(),
                of: "columns",
                expected: values.ncols(),
            });
        }
        for (j, variable) in variables.list().iter().enumerate() {
            let column = values.col_as_slice(j);
            let fits = |value: &f64| match variable.is_discrete() {
                true => variables.check(j, *value, 0).is_ok(),
                false => value.is_finite(),
            };
            if let Some(row) = column.iter().position(|value| !fits(value)) {
                variables.check(j, column[row], row)?;
            }
        }
        Ok(Self { variables, values, moments: OnceLock::new() })
    }

    /// The names given to variables that have none: `x1` to `xd`.
    pub fn default_names(columns: usize) -> Vec<String> {
        (1..=columns).map(|j| format!("x{j}")).collect()
    }

    /// Names of the variables, in column order.
    pub fn names(&self) -> &[String] {
        self.variables.names()
    }

    /// The variables, in column order.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The values: one row per observation, one column per variable.
    pub fn values(&self) -> MatRef<'_, f64> {
        self.values.as_ref()
    }

    /// The values of one variable.
    ///
    /// # Panics
    /// When there is no such variable.
    pub fn column(&self, variable: usize) -> &[f64] {
        self.values.col_as_slice(variable)
    }

    /// The rows of some of the variables, in the order given.
    ///
    /// # Errors
    /// None for rows that are here; as [`Self::new`].
    ///
    /// # Panics
    /// When an index is not a variable.
    pub(crate) fn select(&self, variables: &[usize]) -> Result<Self, Error> {
        let rows = self.values.nrows();
        let values = Mat::from_fn(rows, variables.len(), |i, j| self.values[(i, variables[j])]);
        Self::new(self.variables.select(variables), values)
    }

    /// The same rows as variables whose numbers went through one more step each, or none: as
    /// [`Moments::standardized`] gives them.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// When the variables are others.
    pub fn on_scale_of(mut self, variables: &Variables) -> Result<Self, Error> {
        assert_eq!(variables.names(), self.names(), "the variables are the same");
        for (v, variable) in variables.list().iter().enumerate() {
            let done = self.variables.list()[v].transforms.len();
            for step in &variable.transforms[done..] {
                let values = self.values.col_as_slice_mut(v).iter_mut();
                values.for_each(|value| *value = step.apply(*value));
            }
        }
        Self::new(variables.clone(), self.values)
    }

    /// Means and second moments of the data, computed in parallel over fixed blocks of rows the
    /// first time they are asked for.
    pub fn moments(&self) -> Moments {
        self.kept_moments().clone()
    }

    fn kept_moments(&self) -> &Moments {
        if self.moments.get().is_none() {
            // Not in `get_or_init`: a thread that waits for others there could be given work that
            // asks for the same moments, and wait for itself.
            let _ = self.moments.set(moments::of_matrix(&self.variables, self.values.as_ref()));
        }
        self.moments.get().expect("they were set above")
    }

    /// Means and second moments of a sample of the rows, in which row `i` is `counts[i]` times:
    /// those of [`Self::sample`], without a copy of the rows. Rows that are not in it cost nothing.
    ///
    /// # Panics
    /// When there is not one count for each row.
    pub fn sample_moments(&self, counts: &[u32]) -> Moments {
        moments::of_sample(&self.variables, self.values.as_ref(), counts)
    }

    /// A sample of the rows, in which row `i` is `counts[i]` times, in their order.
    ///
    /// # Panics
    /// When there is not one count for each row.
    pub fn sample(&self, counts: &[u32]) -> Self {
        assert_eq!(counts.len(), self.values.nrows(), "one count for each row");
        let rows: Vec<usize> =
            (0..counts.len()).flat_map(|i| std::iter::repeat_n(i, counts[i] as usize)).collect();
        let values =
            Mat::from_fn(rows.len(), self.values.ncols(), |i, j| self.values[(rows[i], j)]);
        Self { variables: self.variables.clone(), values, moments: OnceLock::new() }
    }
}

/// What is learnt from: a table with its rows, its moments alone, or moments with some of the rows.
///
/// Made from a reference to either, or from a pair of both; methods that need rows say so ([`Facts::needs_rows`](crate::methods::Facts::needs_rows)).
#[derive(Debug, Clone, Copy)]
pub enum Data<'a> {
    /// The rows.
    Rows(&'a Dataset),
    /// Means and second moments.
    Moments(&'a Moments),
    /// Means and second moments of all rows, and some of the rows for checks that need them.
    Sampled(&'a Moments, &'a Dataset),
    /// The same of a table of categories alone, with all of its rows as compact codes.
    Coded(&'a Moments, &'a Dataset, &'a Codes),
}

impl<'a> Data<'a> {
    /// Means and second moments; those of rows are computed once.
    pub fn moments(self) -> Cow<'a, Moments> {
        match self {
            Self::Rows(rows) => Cow::Borrowed(rows.kept_moments()),
            Self::Moments(moments) | Self::Sampled(moments, _) | Self::Coded(moments, ..) => {
                Cow::Borrowed(moments)
            }
        }
    }

    /// The rows, where all of them are there.
    pub fn rows(self) -> Option<&'a Dataset> {
        match self {
            Self::Rows(rows) => Some(rows),
            Self::Moments(_) | Self::Sampled(..) | Self::Coded(..) => None,
        }
    }

    /// The rows or some of them, where any are there.
    pub fn sample(self) -> Option<&'a Dataset> {
        match self {
            Self::Rows(rows) | Self::Sampled(_, rows) | Self::Coded(_, rows, _) => Some(rows),
            Self::Moments(_) => None,
        }
    }

    /// The rows as compact codes, where they are there and all variables have levels.
    pub fn codes(self) -> Option<Cow<'a, Codes>> {
        match self {
            Self::Rows(rows) if rows.variables().list().iter().all(|v| v.is_discrete()) => {
                Some(Cow::Owned(Codes::of(rows)))
            }
            Self::Coded(_, _, codes) => Some(Cow::Borrowed(codes)),
            Self::Rows(_) | Self::Moments(_) | Self::Sampled(..) => None,
        }
    }
}

impl<'a> From<&'a Dataset> for Data<'a> {
    fn from(rows: &'a Dataset) -> Self {
        Self::Rows(rows)
    }
}

impl<'a> From<&'a Moments> for Data<'a> {
    fn from(moments: &'a Moments) -> Self {
        Self::Moments(moments)
    }
}

impl<'a> From<(&'a Moments, &'a Dataset)> for Data<'a> {
    fn from((moments, rows): (&'a Moments, &'a Dataset)) -> Self {
        Self::Sampled(moments, rows)
    }
}
