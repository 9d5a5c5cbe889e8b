//! Means and probabilities of levels, after some variables are set.

use std::collections::BTreeMap;

use super::class_effects::interventions_over_class;
use super::discrete::Query;
use super::mechanism::is_block;
use super::simulate::Draws;
use super::{Law, Mechanism, Model};
use crate::core::Error;

/// What is expected of one variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The mean of a number; of two levels coded as numbers, the probability of the second.
    Number(f64),
    /// The probability of each level.
    Levels(Vec<f64>),
}

impl Answer {
    /// The mean, where levels count by their positions.
    pub(super) fn mean(&self) -> f64 {
        match self {
            Self::Number(mean) => *mean,
            Self::Levels(chances) => {
                chances.iter().enumerate().map(|(level, chance)| level as f64 * chance).sum()
            }
        }
    }

    /// The number in one of the columns of [`Model::answer_levels`].
    pub fn column(&self, level: Option<usize>) -> f64 {
        match (self, level) {
            (Self::Levels(chances), Some(level)) => chances[level],
            // Two levels as numbers: the mean is the probability of the second.
            (Self::Number(mean), Some(0)) => 1.0 - mean,
            (answer, _) => answer.mean(),
        }
    }
}

/// What is expected of all variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// One per variable, in the units of the table.
    pub answers: Vec<Answer>,
    /// The same on the learnt scales.
    pub on_scale: Vec<Answer>,
    /// Whether the answers come from [`Model::DRAWS`] simulated rows rather than a closed form.
    pub simulated: bool,
}

/// Means of all variables in each graph of the class, one row per graph.
pub type Ranges = Vec<Vec<f64>>;

/// Values that variables are set to, on the learnt scale.
pub(super) type Settings = BTreeMap<usize, f64>;

impl Model {
    /// Means of numbers and probabilities of levels after some variables are set to values:
    /// `do(x_i = v_i, ..)`, in the units of the table. Without settings this is what the model
    /// expects of a row.
    ///
    /// In a model with conditions, the answer is that of the control unless the condition is set.
    /// Means of variables learnt on a curved scale are medians.
    ///
    /// # Errors
    /// Unknown variables or levels, a variable set twice, and mechanisms without rows.
    pub fn expectation(&self, set: &[(usize, f64)]) -> Result<Expectation, Error> {
        let (on_scale, simulated) = self.expect(&self.settings(set)?)?;
        let back = |(v, answer): (usize, &Answer)| match answer {
            Answer::Number(mean) => Answer::Number(self.off_scale(v, *mean)),
            levels => levels.clone(),
        };
        let mut answers: Vec<Answer> = on_scale.iter().enumerate().map(back).collect();
        // Exactly the value, without rounding on the way to the scale and back.
        for &(v, value) in set {
            if let Answer::Number(mean) = &mut answers[v] {
                *mean = value;
            }
        }
        Ok(Expectation { answers, on_scale, simulated })
    }

    /// The means after some variables are set, in every graph of the class whose parents of these
    /// variables differ, in the units of the table; nothing for models with levels, for unknown
    /// error variances, or when there are too many graphs.
    ///
    /// # Errors
    /// As [`Self::expectation`].
    pub fn interventions_over_class(&self, set: &[(usize, f64)]) -> Result<Option<Ranges>, Error> {
        let settings: Vec<(usize, f64)> = self.settings(set)?.into_iter().collect();
        if self.law() != Law::Gaussian {
            return Ok(None);
        }
        let Some(joint) = self.joint() else { return Ok(None) };
        let covariance = joint.covariance.as_ref();
        let found = interventions_over_class(self.class(), covariance, &joint.mean, &settings)?;
        let back = |row: Vec<f64>| -> Vec<f64> {
            row.into_iter().enumerate().map(|(v, mean)| self.off_scale(v, mean)).collect()
        };
        Ok(found.map(|rows| rows.into_iter().map(back).collect()))
    }

    /// Settings on the learnt scale, checked.
    pub(super) fn settings(&self, set: &[(usize, f64)]) -> Result<Settings, Error> {
        let refused = |reason: String| Err(Error::Intervention { reason });
        let mut settings = Settings::new();
        for &(v, value) in set {
            let Some(known) = self.variables().list().get(v) else {
                return refused(format!("there is no variable {} of {}", v + 1, self.size()));
            };
            let name = &known.name;
            if !value.is_finite() {
                return refused(format!("`{name}` is set to {value}; give a number"));
            }
            if !known.levels.is_empty() {
                let is_level =
                    value.fract() == 0.0 && (0.0..known.levels.len() as f64).contains(&value);
                if !is_level {
                    return refused(format!("`{name}` has no level at position {value}"));
                }
            }
            if settings.insert(v, self.to_scale(v, value)?).is_some() {
                return refused(format!("`{name}` is set twice; give one value"));
            }
        }
        Ok(settings)
    }

    /// What is expected on the learnt scales, and whether it was simulated.
    pub(super) fn expect(&self, set: &Settings) -> Result<(Vec<Answer>, bool), Error> {
        let free = (0..self.size()).filter(|v| !set.contains_key(v));
        self.check_fitted(free)?;
        let set = self.with_control(set);
        match self.exact(&set) {
            Some(answers) => Ok((answers, false)),
            None => Ok((Draws::new(self).expect(self, &set), true)),
        }
    }

    /// The settings, with the condition at its control where it is not set.
    pub(super) fn with_control(&self, set: &Settings) -> Settings {
        let mut set = set.clone();
        if let Some(experiment) = self.experiment() {
            set.entry(experiment.condition).or_insert(experiment.control as f64);
        }
        set
    }

    /// The condition that settings put the model in.
    pub(super) fn level_of(&self, set: &Settings) -> Option<usize> {
        let condition = self.experiment()?.condition;
        set.get(&condition).map(|&level| level as usize)
    }

    /// Closed forms: expectations of linear mechanisms are linear in those of their parents, and
    /// tables of levels are summed by elimination. Nothing where a category depends on numbers
    /// that are not set.
    fn exact(&self, set: &Settings) -> Option<Vec<Answer>> {
        let level = self.level_of(set);
        let none = BTreeMap::new();
        let query = Query { model: self, set, observed: &none, level, counts_set: true };
        let mut answers: Vec<Option<Answer>> = vec![None; self.size()];
        for &v in self.graph().order() {
            let mechanism = self.mechanism_in(v, level);
            answers[v] = Some(match (set.get(&v), mechanism) {
                (Some(_), mechanism) if mechanism.linear().is_none() => {
                    Answer::Levels(query.marginal(v)?)
                }
                (Some(&value), _) => Answer::Number(value),
                (None, Mechanism::Linear(linear)) => {
                    let mean = |term: &super::Term| {
                        let parent = answers[term.variable].as_ref()?;
                        Some(self.expected_term(term, parent))
                    };
                    let sum: Option<f64> = linear.terms.iter().map(mean).sum();
                    Answer::Number(linear.intercept + sum?)
                }
                (None, _) => Answer::Levels(query.marginal(v)?),
            });
        }
        answers.into_iter().collect()
    }

    fn expected_term(&self, term: &super::Term, parent: &Answer) -> f64 {
        match (is_block(self.variables(), term.variable), parent) {
            (true, Answer::Levels(chances)) => {
                term.coefficients.iter().zip(&chances[1..]).map(|(c, chance)| c * chance).sum()
            }
            (true, Answer::Number(value)) => {
                super::mechanism::of_term(term, self.variables(), *value)
            }
            (false, parent) => term.coefficients[0] * parent.mean(),
        }
    }
}
