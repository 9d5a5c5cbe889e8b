//! What is asked of a table, and what is known of its columns by now.

use std::ops::Deref;

use super::kinds::Plan;
use super::transform::Scores;
use crate::ReadOptions;

/// The options of a read, with the kinds of the columns where a look at them was needed.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    options: &'a ReadOptions,
    pub(super) plan: Option<&'a Plan>,
    /// Look at every selected column, not only at those whose kind is open.
    pub(super) all: bool,
    /// Normal scores, once all rows were seen.
    pub(super) scores: Option<&'a Scores>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(options: &'a ReadOptions) -> Self {
        Self { options, plan: None, all: false, scores: None }
    }

    /// The same with known kinds.
    pub(super) fn with(self, plan: &'a Plan) -> Self {
        Self { plan: Some(plan), ..self }
    }

    /// The same with known scores.
    pub(super) fn with_scores(self, scores: &'a Scores) -> Self {
        Self { scores: Some(scores), ..self }
    }

    /// The same to look at every column.
    pub(super) fn of_all(self) -> Self {
        Self { all: true, ..self }
    }
}

impl Deref for Reading<'_> {
    type Target = ReadOptions;

    fn deref(&self) -> &ReadOptions {
        self.options
    }
}
