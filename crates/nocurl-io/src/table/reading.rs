//! What is asked of a table, and what is known of its columns by now.

use std::ops::Deref;

use super::collect::{Collect, Purpose};
use super::kinds::Plan;
use super::pattern::is_meant;
use super::top::Decimals;
use super::transform::Scores;
use crate::ReadOptions;

/// The options of a read, with the kinds of the columns where a look at them was needed.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    options: &'a ReadOptions,
    pub(super) purpose: Purpose,
    pub(super) plan: Option<&'a Plan>,
    /// Look at every selected column, not only at those whose kind is open.
    pub(super) all: bool,
    /// The file as one of several.
    pub(super) file: Option<Part<'a>>,
    /// Say that kinds are needed rather than look for them.
    pub(super) ask: bool,
    /// Whether whole numbers were double precision already when they were written, as those of
    /// sheets are.
    pub(super) doubles: bool,
    /// Normal scores, once all rows were seen.
    pub(super) scores: Option<&'a Scores>,
}

/// What is asked of one of several files.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// What the first rows of all files say about the decimal sign.
    pub(super) decimals: Option<&'a Decimals>,
    /// The first file, and its columns: those of all files.
    pub(super) first: Option<(&'a str, &'a [String])>,
    /// Columns with one value in the whole file, which its name or folder tells.
    pub(super) constants: &'a [(String, String)],
}

impl<'a> Reading<'a> {
    pub(super) fn new<C: Collect>(options: &'a ReadOptions) -> Self {
        let purpose = Purpose::of::<C>();
        Self {
            options,
            purpose,
            plan: None,
            all: false,
            file: None,
            ask: false,
            doubles: false,
            scores: None,
        }
    }

    /// The same to gather something else.
    pub(super) fn to_gather<C: Collect>(self) -> Self {
        Self { purpose: Purpose::of::<C>(), ..self }
    }

    /// The same with known kinds.
    pub(super) fn with(self, plan: &'a Plan) -> Self {
        Self { plan: Some(plan), ..self }
    }

    /// The same without a look at columns: where one is needed, that is an error.
    pub(super) fn asking(self) -> Self {
        Self { ask: true, ..self }
    }

    /// The same with known scores.
    pub(super) fn with_scores(self, scores: &'a Scores) -> Self {
        Self { scores: Some(scores), ..self }
    }

    /// The same of a sheet.
    pub(super) fn of_doubles(self) -> Self {
        Self { doubles: true, ..self }
    }

    /// The same to look at every column.
    pub(super) fn of_all(self) -> Self {
        Self { all: true, ..self }
    }

    /// The same for one of several files.
    pub(super) fn of_part(self, part: Part<'a>) -> Self {
        Self { file: Some(part), ..self }
    }

    /// The same with other options.
    pub(super) fn over<'b>(self, options: &'b ReadOptions) -> Reading<'b>
    where
        'a: 'b,
    {
        Reading { options, ..self }
    }

    /// Whether the file is all there is.
    pub(super) fn is_whole(&self) -> bool {
        self.file.is_none()
    }

    /// Whether users choose a column, or leave the choice open.
    pub(super) fn is_chosen(&self, name: &str) -> bool {
        let meant = |list: &[String]| list.iter().any(|pattern| is_meant(pattern, name));
        self.columns.as_deref().is_none_or(meant) && !meant(&self.drop)
    }

    /// Columns that the name of the file tells.
    pub(super) fn constants(&self) -> &'a [(String, String)] {
        self.file.map_or(&[], |part| part.constants)
    }
}

impl Deref for Reading<'_> {
    type Target = ReadOptions;

    fn deref(&self) -> &ReadOptions {
        self.options
    }
}
