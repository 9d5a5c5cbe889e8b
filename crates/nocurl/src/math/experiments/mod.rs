//! The second moments that each variable has of its own where conditions set some of them.
//!
//! The rows of a condition that sets a variable say nothing about what that variable depends on.
//! So variable j sees the sum over the conditions that do not act on it, with the mean of each
//! condition taken out or the mean of all, as its regression chooses. Sums are shared: what j sees
//! is the sum over all conditions less a few, and a row of it is worked out when it is first asked
//! for. Variables that the same conditions act on share one such [`View`].

mod grams;
mod regression;
mod view;

use std::collections::HashMap;
use std::ops::Range;

use crate::core::error::list;
use crate::core::experiments::Intervention;
use crate::core::memory::{Memory, ask};
use crate::core::moments::{Conditions, Part, Spread};
use crate::core::{Error, Mat, Targets, Variables, gram_accumulate};
pub(crate) use regression::{Group, Groups};
pub(crate) use view::View;
use view::{Budget, Sums};

/// The moments of every variable for its own regressions.
#[derive(Debug)]
pub struct Experiments {
    targets: Targets,
    rows: f64,
    /// The columns of each variable, where the condition has none.
    columns: Vec<Range<usize>>,
    /// The columns of the variable of conditions among those of the problem.
    levels: usize,
    sums: Sums,
    views: Vec<View>,
    /// For each variable the view that its regression goes by, and one for each condition with a
    /// regression of its own.
    main: Vec<usize>,
    soft: Vec<Vec<usize>>,
    budget: Budget,
}

impl Experiments {
    /// The moments of these variables, whose conditions have these targets.
    ///
    /// # Errors
    /// Conditions that leave a variable no rows, or that have too few themselves.
    pub(crate) fn new(
        variables: &Variables,
        conditions: &Conditions,
        targets: Targets,
    ) -> Result<Self, Error> {
        let condition = targets.condition;
        let (list, d) = (variables.list(), variables.size());
        let wrong = |reason: String| Err(Error::Experiments { reason });
        let parts = conditions.parts();
        if parts.iter().filter(|part| part.rows() > 0).count() < 2 {
            return wrong(format!("column `{}` has one condition only", list[condition].name));
        }
        let total: u64 = parts.iter().map(Part::rows).sum();
        check_sizes(&list[condition].name, &list[condition].levels, parts, total)?;
        let mut at = 0;
        let columns: Vec<Range<usize>> = (0..d)
            .map(|v| {
                let start = at;
                at += if v == condition { 0 } else { list[v].width() };
                start..at
            })
            .collect();
        // What is left of each condition once its means are gone, and the sums of all.
        let kept: u64 = parts.iter().map(Part::bytes).sum();
        ask("the moments of each condition", kept + Memory::matrices(3.0).at(at, 0))?;
        let sums = Sums::new(parts, at);
        let mut all = Self {
            rows: total as f64,
            columns,
            levels: variables.columns(condition).len(),
            sums,
            views: Vec::new(),
            main: Vec::new(),
            soft: Vec::new(),
            budget: Budget::default(),
            targets,
        };
        all.assign(variables)?;
        Ok(all)
    }

    /// Gives each variable its views.
    fn assign(&mut self, variables: &Variables) -> Result<(), Error> {
        let (d, condition) = (variables.size(), self.targets.condition);
        let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut view_of = |members: Vec<usize>, views: &mut Vec<View>, sums: &Sums| {
            *known.entry(members).or_insert_with_key(|members| {
                views.push(View::new(sums, members));
                views.len() - 1
            })
        };
        let there: Vec<usize> = self.sums.conditions().collect();
        let mut without = Vec::new();
        for v in 0..d {
            let acting: Vec<(usize, Intervention)> = self.targets.acting_on(v).collect();
            let acts = |level: usize| acting.iter().any(|&(other, _)| other == level);
            let free: Vec<usize> = there.iter().copied().filter(|&level| !acts(level)).collect();
            if free.is_empty() {
                without.push(variables.names()[v].clone());
                continue;
            }
            self.main.push(view_of(free, &mut self.views, &self.sums));
            let soft = acting.iter().filter(|&&(level, kind)| {
                kind == Intervention::Soft && there.binary_search(&level).is_ok()
            });
            let soft = soft.map(|&(level, _)| view_of(vec![level], &mut self.views, &self.sums));
            self.soft.push(soft.collect());
        }
        if !without.is_empty() {
            return Err(Targets::nothing_left(&without));
        }
        let still = |v: &usize| {
            let view = &self.views[self.main[*v]];
            self.columns[*v].clone().all(|column| !view.varies(column))
        };
        let constant: Vec<String> = (0..d)
            .filter(|v| *v != condition && still(v))
            .map(|v| variables.names()[v].clone())
            .collect();
        match constant.is_empty() {
            true => Ok(()),
            false => Err(Error::Experiments {
                reason: format!(
                    "{} does not vary in the conditions that do not act on it",
                    list(&constant)
                ),
            }),
        }
    }

    /// The variable whose levels are the conditions.
    pub fn condition(&self) -> usize {
        self.targets.condition
    }

    /// What conditions act on.
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Rows of all conditions.
    pub(crate) fn rows(&self) -> f64 {
        self.rows
    }

    /// Number of variables, the condition among them.
    pub(crate) fn size(&self) -> usize {
        self.columns.len()
    }

    /// Columns of all variables but the condition.
    pub(crate) fn width(&self) -> usize {
        self.sums.width()
    }

    /// The columns of a variable; none for the condition.
    pub(crate) fn columns(&self, variable: usize) -> Range<usize> {
        self.columns[variable].clone()
    }

    /// What the regression of a variable goes by.
    pub(crate) fn view(&self, variable: usize) -> &View {
        &self.views[self.main[variable]]
    }

    /// The conditions in which a variable has a regression of its own.
    pub(crate) fn own_views(&self, variable: usize) -> impl Iterator<Item = &View> + '_ {
        self.soft[variable].iter().map(|&view| &self.views[view])
    }

    /// A row of the correlations of a view; see [`View::row`].
    pub(crate) fn row<'a>(
        &'a self,
        view: &'a View,
        column: usize,
        within: bool,
    ) -> std::borrow::Cow<'a, [f64]> {
        view.row(&self.sums, &self.budget, column, within)
    }

    /// One entry of the correlations of a view.
    pub(crate) fn entry(&self, view: &View, a: usize, b: usize, within: bool) -> f64 {
        view.entry(&self.sums, a, b, within)
    }
}

/// Refuses conditions of one row, and columns that are no conditions.
fn check_sizes(name: &str, levels: &[String], parts: &[Part], total: u64) -> Result<(), Error> {
    let there: Vec<u64> = parts.iter().map(Part::rows).filter(|&rows| rows > 0).collect();
    if there.len() as u64 * 2 > total {
        return Err(Error::Experiments {
            reason: format!(
                "column `{name}` has {} values in {total} rows: a condition needs rows to compare",
                there.len()
            ),
        });
    }
    let single = levels.iter().zip(parts).filter(|(_, part)| part.rows() == 1);
    let single: Vec<String> = single.map(|(level, _)| level.clone()).collect();
    if !single.is_empty() {
        let word = if single.len() == 1 { "condition" } else { "conditions" };
        return Err(Error::Experiments {
            reason: format!(
                "{word} {} of column `{name}` has one row only: leave it out, or join it with another",
                list(&single)
            ),
        });
    }
    Ok(())
}

/// The sum of the scatter matrices of rows, of which some are kept as rows.
fn scatter(into: &mut Mat<f64>, spread: &Spread, width: usize) {
    match spread {
        Spread::Rows(values) => {
            let rows = values.len() / width.max(1);
            let block = Mat::from_fn(rows, width, |i, j| values[i * width + j]);
            gram_accumulate(into, block.as_ref());
        }
        Spread::Scatter(matrix) => {
            for j in 0..width {
                for i in j..width {
                    into[(i, j)] += matrix[(i, j)];
                }
            }
        }
    }
}
