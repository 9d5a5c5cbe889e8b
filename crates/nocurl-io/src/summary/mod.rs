//! What is kept of a table, or of a part of it, that is not there any more.

mod file;
mod matrix;

use nocurl::{Dataset, Error as EngineError, Moments, Variable};

pub use file::{is_summary, read_summary, write_summary};
pub use matrix::read_matrix;

use crate::error::shorten;
use crate::table::{MOST_DROPPED, Sample, is_meant};
use crate::{Error, LeftOut, ReadOptions, Table};

/// The most numbers that a sample holds: 4 MiB of them.
const SAMPLE_NUMBERS: usize = 1 << 19;

/// Moments of a table or of a part of it, with some of its rows: all that linear methods need, and
/// the checks of their results. Summaries of parts merge to that of the whole.
///
/// ```
/// use nocurl::Run;
/// use nocurl_io::{Kinds, ReadOptions, Source, Summary, read_part};
/// let part = |text: &str| {
///     let source = Source::bytes("part.csv", text);
///     read_part(&source, &ReadOptions::default(), Kinds::Numbers, &Run::default()).unwrap().0
/// };
/// let mut whole = part("a,b\n1,2\n3,5\n");
/// whole.merge(&part("b,a\n5,3\n"))?;
/// assert_eq!(whole.moments.mean()[1], 4.0);
/// let bytes = whole.to_bytes();
/// assert_eq!(Summary::from_bytes(&bytes, "part.moments")?, whole);
/// # Ok::<(), nocurl_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Means and second moments.
    pub moments: Moments,
    /// Some of the rows.
    pub(crate) sample: Sample,
    /// Rows left out because of missing values.
    pub rows_dropped: u64,
    /// Missing values that were found.
    pub missing_values: u64,
    /// Columns that are no variables, and why.
    pub left_out: Vec<(String, LeftOut)>,
    /// Parts in which gaps were estimated, each on its own.
    pub estimated: u64,
}

impl Summary {
    /// Of moments alone.
    pub fn new(moments: Moments) -> Self {
        Self {
            moments,
            sample: Sample::default(),
            rows_dropped: 0,
            missing_values: 0,
            left_out: Vec::new(),
            estimated: 0,
        }
    }

    /// Adds the rows of a later part of the same table.
    ///
    /// # Errors
    /// When the variables differ in name or kind.
    pub fn merge(&mut self, later: &Self) -> Result<(), Error> {
        let before = self.moments.variables().clone();
        self.moments.merge(&later.moments)?;
        let joint = self.moments.variables();
        if before != *joint {
            self.sample.translate(before.list(), joint.list());
        }
        let mut sample = later.sample.clone();
        if later.moments.variables() != joint {
            sample.translate(later.moments.variables().list(), joint.list());
        }
        self.sample.append(sample);
        self.sample = std::mem::take(&mut self.sample).bounded(self.moments.columns());
        self.rows_dropped += later.rows_dropped;
        self.missing_values += later.missing_values;
        self.estimated += later.estimated;
        for left in &later.left_out {
            if !self.left_out.iter().any(|(name, _)| *name == left.0) {
                self.left_out.push(left.clone());
            }
        }
        Ok(())
    }

    /// Summaries of parts in one, merged in groups of eight so that the sums do not depend on who
    /// merges which.
    ///
    /// # Errors
    /// As [`Self::merge`], with the position of the part; or none at all.
    pub fn of_parts(parts: Vec<Self>) -> Result<Self, Box<(usize, Error)>> {
        const GROUP: usize = 8;
        let mut level: Vec<(usize, Self)> = parts.into_iter().enumerate().collect();
        if level.is_empty() {
            return Err(Box::new((0, Error::NoParts)));
        }
        while level.len() > 1 {
            let groups = level.chunks(GROUP).map(|group| {
                let mut total = group[0].1.clone();
                for (at, part) in &group[1..] {
                    total.merge(part).map_err(|error| Box::new((*at, error)))?;
                }
                Ok((group[0].0, total))
            });
            level = groups.collect::<Result<_, Box<(usize, Error)>>>()?;
        }
        Ok(level.remove(0).1)
    }

    /// Refuses a table of which more rows were left out than [`crate::Missing::Auto`] leaves out.
    ///
    /// # Errors
    /// How many there are.
    pub fn check_gaps(&self) -> Result<(), Error> {
        let (dropped, rows) = (self.rows_dropped, self.rows_dropped + self.moments.rows());
        match dropped as f64 > MOST_DROPPED * rows as f64 {
            true => Err(Error::ManyGaps { dropped, rows }),
            false => Ok(()),
        }
    }

    /// The same with some of the variables, in the order given.
    ///
    /// # Panics
    /// When an index is not a variable.
    #[must_use]
    pub fn select(&self, variables: &[usize]) -> Self {
        let mut own = self.clone();
        own.moments = self.moments.select(variables);
        for row in &mut own.sample.rows {
            row.values = variables.iter().map(|&v| row.values[v]).collect();
        }
        own
    }

    /// The rows of one condition, where these are told apart.
    ///
    /// # Panics
    /// When there is no such level.
    #[must_use]
    pub fn of_condition(&self, level: usize) -> Option<Self> {
        let conditions = self.moments.conditions()?;
        let told = conditions.variable();
        let mut sample = self.sample.clone();
        sample.rows.retain(|row| row.values[told] == level as f64);
        for row in &mut sample.rows {
            let values = row.values.iter().enumerate();
            row.values = values.filter(|(v, _)| *v != told).map(|(_, value)| *value).collect();
        }
        let moments = conditions.moments(self.moments.variables(), level);
        Some(Self { sample, ..Self::new(moments) })
    }

    /// The variables that `columns` and `drop` of the options choose.
    ///
    /// # Errors
    /// A name that is none of the variables, or fewer than two that are left.
    pub fn chosen(&self, options: &ReadOptions) -> Result<Self, Error> {
        let names = self.moments.names();
        let meant = |pattern: &String| -> Result<Vec<usize>, Error> {
            let exact = names.iter().position(|name| name == pattern);
            let found: Vec<usize> = match exact {
                Some(at) => vec![at],
                None => (0..names.len()).filter(|&at| is_meant(pattern, &names[at])).collect(),
            };
            if found.is_empty() {
                let like = nocurl::error::closest(pattern, names.iter().map(String::as_str));
                return Err(Error::UnknownColumn {
                    name: shorten(pattern, 80),
                    suggestion: like.map(|known| shorten(known, 80)),
                });
            }
            Ok(found)
        };
        let mut kept: Vec<usize> = match &options.columns {
            None => (0..names.len()).collect(),
            Some(columns) => {
                let mut kept = Vec::new();
                for pattern in columns {
                    let found = meant(pattern)?.into_iter().filter(|at| !kept.contains(at));
                    kept.extend(found.collect::<Vec<_>>());
                }
                kept
            }
        };
        if let Some(condition) = &options.condition {
            let told = names.iter().position(|name| name == condition);
            kept.extend(told.filter(|at| !kept.contains(at)));
        }
        for pattern in &options.drop {
            let dropped = meant(pattern)?;
            kept.retain(|at| !dropped.contains(at));
        }
        if kept.len() < 2 {
            return Err(EngineError::TooFewColumns { columns: kept.len() }.into());
        }
        Ok(self.select(&kept))
    }

    /// The rows of the sample, as a table; nothing where there are none.
    ///
    /// # Errors
    /// Values that are no levels, which a whole file does not have.
    pub fn sample_rows(&self) -> Result<Option<Dataset>, Error> {
        let rows = self.sample.clone().rows_in_order();
        if rows.is_empty() {
            return Ok(None);
        }
        let columns = self.moments.columns();
        let values = nocurl::Mat::from_fn(rows.len(), columns, |i, j| rows[i].values[j]);
        Ok(Some(Dataset::new(self.moments.variables().clone(), values)?))
    }

    /// True when the sample has all rows, each once.
    pub fn has_all_rows(&self) -> bool {
        let rows = self.sample.rows.len() as u64;
        self.estimated == 0 && self.sample.seen == rows && self.moments.weight() == rows as f64
    }

    /// A table of which this is all there is; variables that do not vary are left out.
    pub fn table(&self) -> Table<Moments> {
        let mut table = Table::of_moments(&self.moments);
        table.rows_dropped = self.rows_dropped;
        table.missing_values = self.missing_values;
        let mut left_out = self.left_out.clone();
        left_out.append(&mut table.left_out);
        table.leave_out(left_out);
        if self.estimated > 1 {
            let words = format!(
                "gaps were estimated in each of {} parts on its own, not in the whole table; \
                 compare with ",
                self.estimated
            );
            let advice = nocurl::Action::set("missing", "drop");
            table.warnings.push(nocurl::Text::new(words).act(advice));
        }
        table
    }
}

impl Sample {
    /// At most as many rows as a summary of so many columns holds.
    pub(crate) fn bounded(mut self, columns: usize) -> Self {
        self.keep((SAMPLE_NUMBERS / columns.max(1)).min(crate::table::SAMPLE_ROWS));
        self
    }

    /// The same rows with columns and levels as other variables have them.
    fn translate(&mut self, from: &[Variable], to: &[Variable]) {
        let places: Vec<usize> = to
            .iter()
            .map(|v| from.iter().position(|known| known.name == v.name).expect("names agree"))
            .collect();
        for row in &mut self.rows {
            let value = |(v, &at): (usize, &usize)| {
                let value = row.values[at];
                let level = from[at].levels.get(value as usize);
                level.and_then(|level| to[v].level(level)).map_or(value, |place| place as f64)
            };
            row.values = places.iter().enumerate().map(value).collect();
        }
    }
}
