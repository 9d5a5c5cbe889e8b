//! Which likelihood a search by BIC goes by.

use super::Task;
use crate::core::{Action, Error, Text, names};
use crate::math::local::{Blocks, Experimental, Local, Multinomial};

/// What is fitted to a variable given its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MixedScore {
    /// Counts where all variables are binary or categorical, the Gaussian law elsewhere.
    #[default]
    Auto,
    /// A Gaussian law of numbers and of indicators of levels (Andrews, Ramsey and Cooper, 2019).
    DegenerateGaussian,
    /// A probability of its own for every level given every combination of levels, from counts;
    /// for variables that all have levels.
    Multinomial,
}

names!(MixedScore {
    Auto = "auto",
    DegenerateGaussian = "degenerate-gaussian",
    Multinomial = "multinomial",
});

impl MixedScore {
    /// The name under which users know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::DegenerateGaussian => "degenerate-gaussian",
            Self::Multinomial => "multinomial",
        }
    }

    /// True when a table of categories alone is counted.
    pub(super) fn counts(self) -> bool {
        self != Self::DegenerateGaussian
    }
}

/// The likelihood of a task.
pub(super) enum Likelihood<'a> {
    /// The Gaussian law of variables of one column each.
    Plain,
    /// The Gaussian law of blocks of columns.
    Blocks(Blocks),
    /// The same, with each variable by the rows in which no condition acts on it.
    Experimental(Experimental<'a>),
    /// Counts.
    Counts(Multinomial<'a>),
}

impl<'a> Likelihood<'a> {
    /// What a method with this setting goes by.
    ///
    /// # Errors
    /// Counts of variables without levels, or without their rows.
    pub(super) fn new(task: &Task<'a>, score: MixedScore) -> Result<Self, Error> {
        let problem = task.problem;
        let forced = score == MixedScore::Multinomial;
        if let (Some(experiments), false) = (problem.experiments(), forced) {
            return Ok(Self::Experimental(Experimental(experiments)));
        }
        if forced && problem.experiments().is_some() {
            return Err(Error::Parameter {
                name: "score",
                value: "multinomial".into(),
                reason: "counts do not tell conditions apart; leave it at auto",
            });
        }
        if forced && !problem.variables().list().iter().all(|variable| variable.is_discrete()) {
            return Err(Error::Parameter {
                name: "score",
                value: "multinomial".into(),
                reason: "it counts levels, and some columns are continuous; leave it at auto",
            });
        }
        if forced || score.counts() && problem.variables().is_categorical() {
            match task.codes {
                Some(codes) => return Ok(Self::Counts(Multinomial::new(codes))),
                None if forced => {
                    return Err(Error::NeedsRows {
                        what: Action::set_parameter("score", "multinomial"),
                    });
                }
                None => {}
            }
        }
        Ok(match problem.is_plain() {
            true => Self::Plain,
            false => Self::Blocks(Blocks::new(problem)),
        })
    }

    /// The likelihood of single variables, unless the plain path does.
    pub(super) fn local(&self) -> Option<&dyn Local> {
        match self {
            Self::Plain => None,
            Self::Blocks(blocks) => Some(blocks),
            Self::Experimental(local) => Some(local),
            Self::Counts(counts) => Some(counts),
        }
    }

    /// The name of what was chosen.
    pub(super) fn score(&self) -> MixedScore {
        match self {
            Self::Plain | Self::Blocks(_) | Self::Experimental(_) => MixedScore::DegenerateGaussian,
            Self::Counts(_) => MixedScore::Multinomial,
        }
    }

    /// What the user should know about the choice.
    pub(super) fn warning(&self, task: &Task<'_>, score: MixedScore) -> Option<Text> {
        let uncounted = task.problem.variables().is_categorical()
            && score.counts()
            && task.problem.experiments().is_none()
            && !matches!(self, Self::Counts(_));
        uncounted.then(|| {
            Text::new(
                "all columns are categories, but moments alone cannot be counted: the score is \
                 degenerate Gaussian; give the table itself for ",
            )
            .act(Action::set_parameter("score", "multinomial"))
        })
    }
}
