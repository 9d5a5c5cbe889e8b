//! Means and standard errors over trials, and how they compare with what is published.

use std::collections::BTreeMap;

use crate::published::{self, Published};
use crate::results::{Status, Timing};
use crate::{Contender, Grid, Row, Scenario};

/// A mean with its standard error, which takes at least two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: Option<f64>,
}

impl Estimate {
    /// Of some values; nothing without any.
    ///
    /// ```
    /// use nocurl_bench::Estimate;
    /// let estimate = Estimate::of([1.0, 3.0]);
    /// assert_eq!(estimate, Some(Estimate { mean: 2.0, error: Some(1.0) }));
    /// ```
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let error = (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt());
        (!values.is_empty()).then_some(Self { mean, error })
    }
}

/// How a distance from the truth compares with the published one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The two differ by at most two standard errors of their difference.
    Agrees,
    /// This one is lower.
    Better,
    /// This one is higher.
    Worse,
}

impl Verdict {
    /// Of two distances, unless one has no standard error.
    ///
    /// ```
    /// use nocurl_bench::{Estimate, Verdict};
    /// let of = |mean, error| Estimate { mean, error: Some(error) };
    /// assert_eq!(Verdict::of(of(5.0, 0.3), of(4.0, 0.4)), Some(Verdict::Agrees));
    /// assert_eq!(Verdict::of(of(5.1, 0.3), of(4.0, 0.4)), Some(Verdict::Worse));
    /// ```
    pub fn of(ours: Estimate, published: Estimate) -> Option<Self> {
        let bound = 2.0 * ours.error?.hypot(published.error?);
        let difference = ours.mean - published.mean;
        Some(match difference {
            // A tie with the bound agrees, whatever rounding makes of it.
            _ if difference.abs() <= bound * (1.0 + 1e-9) => Self::Agrees,
            _ if difference < 0.0 => Self::Better,
            _ => Self::Worse,
        })
    }

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Better => "better",
            Self::Worse => "worse",
        }
    }
}

/// All trials of one method on one scenario at one size.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The scenario's name.
    pub scenario: String,
    /// Number of variables.
    pub d: usize,
    /// The contender's name.
    pub method: String,
    /// Trials that ended with a graph; the means are theirs.
    pub trials: usize,
    /// Trials that failed.
    pub failed: usize,
    /// Trials that were stopped at the limit of time.
    pub timeouts: usize,
    /// What the last trial without a graph says.
    pub error: Option<String>,
    /// Seconds of a trial.
    pub time: Option<Estimate>,
    /// Whether these are of trials that had the machine for themselves.
    pub timing: Timing,
    /// F before the threshold, less F of the truth.
    pub delta_f: Option<Estimate>,
    /// Structural Hamming distance.
    pub shd: Option<Estimate>,
    /// Extra edges.
    pub extra: Option<Estimate>,
    /// Missing edges.
    pub missing: Option<Estimate>,
    /// Reversed edges.
    pub reversed: Option<Estimate>,
    /// Distance of the equivalence classes.
    pub cpdag_shd: Option<Estimate>,
    /// Structural intervention distance.
    pub sid: Option<Estimate>,
    /// What the paper says.
    pub published: Option<&'static Published>,
}

impl Cell {
    /// Whether there are trials: of some of the paper's methods only published values are shown.
    pub fn was_run(&self) -> bool {
        self.trials + self.failed + self.timeouts > 0
    }

    /// Times alone, of trials that were run one at a time.
    pub(crate) fn timed(
        scenario: &str,
        d: usize,
        method: &str,
        trials: usize,
        time: Estimate,
    ) -> Self {
        Self {
            trials,
            time: Some(time),
            timing: Timing::Alone,
            ..Self::without_figures(scenario, d, method)
        }
    }

    fn without_figures(scenario: &str, d: usize, method: &str) -> Self {
        Self {
            scenario: scenario.into(),
            d,
            method: method.into(),
            trials: 0,
            failed: 0,
            timeouts: 0,
            error: None,
            time: None,
            timing: Timing::Throughput,
            delta_f: None,
            shd: None,
            extra: None,
            missing: None,
            reversed: None,
            cpdag_shd: None,
            sid: None,
            published: None,
        }
    }

    /// A published row for a method that the grid does not have.
    fn only_published(row: &'static Published) -> Self {
        let published = Some(row);
        Self { published, ..Self::without_figures(&row.case, row.d, &row.method) }
    }

    /// How the distance compares with the published one. There is no verdict on a part of the
    /// trials, which may be the easy ones, nor where the paper's row is no target.
    pub fn verdict(&self) -> Option<Verdict> {
        let published = self.published.filter(|row| row.remark.is_none())?;
        let complete = self.failed + self.timeouts == 0;
        complete.then(|| Verdict::of(self.shd?, published.shd?)).flatten()
    }

    /// Mean and error of the trials' figures. Of several rows of a trial the last one counts, unless
    /// it is a timing that did not end well.
    fn new(scenario: &Scenario, d: usize, contender: &Contender, rows: &[&Row]) -> Self {
        let mut trials: BTreeMap<u32, &Row> = BTreeMap::new();
        for row in rows {
            let known = trials.entry(row.trial).or_insert(row);
            if row.status == Status::Ok || known.status != Status::Ok {
                *known = row;
            }
        }
        let count = |status| trials.values().filter(|row| row.status == status).count();
        let over = |figure: fn(&Row) -> Option<f64>| {
            Estimate::of(trials.values().filter_map(|row| figure(row)))
        };
        let seconds = |timing| {
            let timed = |row: &&&Row| row.status == Status::Ok && row.timing == timing;
            Estimate::of(rows.iter().filter(timed).map(|row| row.seconds))
        };
        let alone = seconds(Timing::Alone);
        Self {
            scenario: scenario.name.clone(),
            d,
            method: contender.name.clone(),
            trials: count(Status::Ok),
            failed: count(Status::Failed),
            timeouts: count(Status::Timeout),
            error: trials.values().rev().find_map(|row| row.error.clone()),
            timing: if alone.is_some() { Timing::Alone } else { Timing::Throughput },
            time: alone.or_else(|| seconds(Timing::Throughput)),
            delta_f: over(|row| row.delta_f),
            shd: over(|row| row.shd),
            extra: over(|row| row.extra),
            missing: over(|row| row.missing),
            reversed: over(|row| row.reversed),
            cpdag_shd: over(|row| row.cpdag_shd),
            sid: over(|row| row.sid),
            published: published::find(scenario, d, &contender.name),
        }
    }
}

/// The cells of a grid that have rows, by scenario, size and method; after those of a size, what is
/// published of methods that the grid does not have.
pub fn summarise(grid: &Grid, rows: &[Row]) -> Vec<Cell> {
    let mut by_cell: BTreeMap<(&str, usize, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_cell.entry((&row.scenario, row.d, &row.method)).or_default().push(row);
    }
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.d).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut cells = Vec::new();
    for scenario in &grid.scenarios {
        for &d in &sizes {
            let before = cells.len();
            for contender in &grid.contenders {
                let key = (scenario.name.as_str(), d, contender.name.as_str());
                cells.extend(by_cell.get(&key).map(|rows| Cell::new(scenario, d, contender, rows)));
            }
            if cells.len() > before {
                let others = published::others(scenario, d, &grid.contenders);
                cells.extend(others.map(Cell::only_published));
            }
        }
    }
    cells
}
