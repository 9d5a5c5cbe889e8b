//! The fitted model: every answer about a learnt graph comes from it.
//!
//! A [`Model`] holds the variables, the graphs that the evidence does not tell apart, and one
//! [`Mechanism`] per variable: how the variable follows from its parents. Effects, interventions,
//! adjustment sets, scores, predictions, residuals and samples are methods of it.
//!
//! | file | what it answers |
//! |---|---|
//! | `mechanism` | how one variable follows from its parents |
//! | `fit` | mechanisms from moments and rows |
//! | `rows` | densities, residuals and predictions of rows |
//! | `gaussian` | models of numbers alone: covariance, missing cells |
//! | `discrete` | models of levels alone: variable elimination, missing cells |
//! | `expectation` | means and level probabilities under interventions |
//! | `simulate` | the same by simulation where there is no closed form; new rows |
//! | `effect` | effects of one variable on another, with intervals and ranges |
//! | `effects`, `class_effects`, `adjustment` | the graph calculus behind them |

pub mod adjustment;
pub mod class_effects;
mod discrete;
mod effect;
pub mod effects;
mod expectation;
mod fit;
mod gaussian;
mod logistic;
mod mechanism;
mod regression;
mod rows;
mod simulate;

use std::collections::BTreeMap;

use crate::core::{Dag, Error, Kind, Pdag, Variable, Variables};

pub use effect::{Effect, EffectsOf};
pub use expectation::{Answer, Expectation, Ranges};
pub use fit::Fitting;
pub use mechanism::{Counts, Linear, Logistic, Mechanism, Term};
pub use rows::{Prediction, Residuals};

/// A graph with a fitted mechanism for each variable.
///
/// Values are those of the table: numbers in its units, and positions of levels. NaN is a missing
/// cell. Transformations of the variables are applied and undone inside.
///
/// ```
/// use nocurl::model::{Linear, Mechanism, Model, Prediction, Term};
/// use nocurl::{Dag, Mat, Pdag, Variable};
/// let term = Term { variable: 0, coefficients: vec![2.0] };
/// let mechanisms = vec![
///     Mechanism::Linear(Linear::new(vec![], 1.0, 1.0)),
///     Mechanism::Linear(Linear::new(vec![term], 3.0, 3.0)),
/// ];
/// let class = Pdag::of_dag(&Dag::from_edges(2, &[(0, 1)])?);
/// let variables = vec![Variable::continuous("a"), Variable::continuous("b")];
/// let model = Model::new(variables, mechanisms, class)?;
/// // Given b one above its mean of 5, a is 2 / 7 above its own.
/// let row = Mat::from_fn(1, 2, |_, j| [f64::NAN, 6.0][j]);
/// let Prediction::Numbers(found) = model.predict(row.as_ref(), 0)? else { panic!() };
/// assert!((found[0] - (1.0 + 2.0 / 7.0)).abs() < 1e-12);
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    variables: Variables,
    graph: Dag,
    mechanisms: Vec<Mechanism>,
    class: Pdag,
    /// Whether the class tells adjacencies only.
    skeleton: bool,
    /// Standard deviations of numbers on the learnt scale, where they are known.
    spreads: Vec<Option<f64>>,
    experiment: Option<Experiment>,
}

/// The conditions of an experiment in a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// The variable whose levels are the conditions.
    pub condition: usize,
    /// The condition in which means without an intervention are stated.
    pub control: usize,
    /// The mechanisms of targets, by condition and variable.
    pub targets: BTreeMap<(usize, usize), Regime>,
}

/// How a variable behaves in a condition that acts on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Regime {
    /// Its mechanism there.
    pub mechanism: Mechanism,
    /// Whether the condition sets the variable: its values then say nothing about the model.
    pub set: bool,
}

/// The distribution that a model describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// Numbers with linear mechanisms: a multivariate normal distribution.
    Gaussian,
    /// Levels alone.
    Discrete,
    /// Both.
    Mixed,
}

impl Model {
    /// A model of these variables. `class` holds the graphs that are as good as the one that the
    /// parents of the mechanisms form.
    ///
    /// # Errors
    /// Lists of different lengths, unknown parents, a cycle, and numbers that do not fit the
    /// variables.
    pub fn new(
        variables: impl Into<Variables>,
        mechanisms: Vec<Mechanism>,
        class: Pdag,
    ) -> Result<Self, Error> {
        let variables = variables.into();
        let d = variables.size();
        if mechanisms.len() != d {
            let (what, of, found) = ("mechanisms", "variables", mechanisms.len());
            return Err(Error::Lengths { what, found, of, expected: d });
        }
        if class.size() != d {
            return Err(Error::DifferentVariables { what: "class and model" });
        }
        let mut parents = Vec::with_capacity(d);
        for (child, mechanism) in mechanisms.iter().enumerate() {
            mechanism.check(child, &variables)?;
            parents.push(mechanism.parents().into_iter().map(|parent| (parent, 1.0)).collect());
        }
        let graph = Dag::from_named_parents(sorted(parents), variables.names())?;
        let spreads = vec![None; d];
        let skeleton = false;
        Ok(Self { variables, graph, mechanisms, class, skeleton, spreads, experiment: None })
    }

    /// A model whose class tells adjacencies only: every direction is open.
    #[must_use]
    pub fn with_skeleton_only(self) -> Self {
        Self { skeleton: true, ..self }
    }

    /// A model that knows the standard deviations of its variables.
    #[must_use]
    pub fn with_spreads(self, spreads: Vec<Option<f64>>) -> Self {
        Self { spreads, ..self }
    }

    /// A model with the conditions of an experiment.
    ///
    /// # Errors
    /// Conditions, targets or mechanisms that are not those of the variables.
    pub fn with_experiment(self, experiment: Experiment) -> Result<Self, Error> {
        let d = self.size();
        let wrong = |reason: &str| Err(Error::Model { reason: reason.into() });
        if experiment.condition >= d {
            return wrong("the condition of the experiment is not a variable");
        }
        let levels = self.variables.list()[experiment.condition].levels.len();
        if experiment.control >= levels {
            return wrong("the control is not a level of the condition");
        }
        for (&(level, variable), regime) in &experiment.targets {
            if level >= levels || variable >= d || variable == experiment.condition {
                return wrong("a target of the experiment is not a variable or has no condition");
            }
            regime.mechanism.check(variable, &self.variables)?;
            let own = self.mechanisms[variable].parents();
            if !regime.mechanism.parents().iter().all(|parent| own.contains(parent)) {
                return wrong("a condition gives a variable parents that the graph does not have");
            }
        }
        Ok(Self { experiment: Some(experiment), ..self })
    }

    /// The variables.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The number of variables.
    pub fn size(&self) -> usize {
        self.variables.size()
    }

    /// The graph that the parents of the mechanisms form; its weights are all 1.
    pub fn graph(&self) -> &Dag {
        &self.graph
    }

    /// The graphs that are as good as the one drawn.
    pub fn class(&self) -> &Pdag {
        &self.class
    }

    /// Whether the class tells adjacencies only.
    pub fn is_skeleton(&self) -> bool {
        self.skeleton
    }

    /// How each variable follows from its parents.
    pub fn mechanisms(&self) -> &[Mechanism] {
        &self.mechanisms
    }

    /// Standard deviations of numbers on the learnt scale, where they are known.
    pub fn spreads(&self) -> &[Option<f64>] {
        &self.spreads
    }

    /// The conditions of the experiment behind the table, if there was one.
    pub fn experiment(&self) -> Option<&Experiment> {
        self.experiment.as_ref()
    }

    /// The position of a variable.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn variable(&self, name: &str) -> Result<usize, Error> {
        let names = self.variables.names();
        names.iter().position(|known| known == name).ok_or_else(|| Error::NoSuchVariable {
            name: name.into(),
            suggestion: crate::core::error::closest(name, names.iter().map(String::as_str))
                .map(Into::into),
        })
    }

    /// The value of a variable that a text names: a number, or one of its levels.
    ///
    /// # Errors
    /// A text that is neither.
    pub fn value(&self, variable: usize, text: &str) -> Result<f64, Error> {
        let known = &self.variables.list()[variable];
        if known.levels.is_empty() {
            let name = &known.name;
            return match text.trim().parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                Ok(_) => Err(Error::Value { reason: format!("`{name}` takes a finite number") }),
                Err(_) => {
                    Err(Error::Value { reason: format!("the value for `{name}` is not a number") })
                }
            };
        }
        let same = |level: &String| match (level.parse::<f64>(), text.trim().parse::<f64>()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        };
        let found = known.level(text.trim()).or_else(|| known.levels.iter().position(same));
        found.map(|level| level as f64).ok_or_else(|| Error::NoSuchLevel {
            variable: known.name.clone(),
            level: text.into(),
            levels: known.levels.clone(),
        })
    }

    /// The distribution that the model describes, which decides which answers are exact.
    pub fn law(&self) -> Law {
        match self.mechanisms.iter().filter(|found| found.linear().is_none()).count() {
            0 => Law::Gaussian,
            all if all == self.size() => Law::Discrete,
            _ => Law::Mixed,
        }
    }

    /// The level that effects of a variable's levels are compared with.
    pub fn reference(&self, variable: usize) -> usize {
        match &self.experiment {
            Some(experiment) if experiment.condition == variable => experiment.control,
            _ => 0,
        }
    }

    /// The model at the control condition, without the variable of the conditions: it was a source,
    /// so the others follow each other as before. A model without conditions stays as it is.
    ///
    /// # Errors
    /// None for a valid model.
    pub fn at_control(&self) -> Result<Self, Error> {
        let Some(experiment) = &self.experiment else { return Ok(self.clone()) };
        let (gone, control) = (experiment.condition, experiment.control);
        let kept: Vec<usize> = (0..self.size()).filter(|&v| v != gone).collect();
        let to: Vec<usize> = (0..self.size()).map(|v| v - usize::from(v > gone)).collect();
        let mechanisms = kept
            .iter()
            .map(|&v| self.mechanisms[v].given(&self.variables, gone, control).renumbered(&to));
        let ends = |edges: Vec<(usize, usize)>| -> Vec<(usize, usize)> {
            let others = edges.into_iter().filter(|&(i, j)| i != gone && j != gone);
            others.map(|(i, j)| (to[i], to[j])).collect()
        };
        let class = Pdag::new(
            kept.len(),
            &ends(self.class.directed().collect()),
            &ends(self.class.undirected().collect()),
        )?;
        let model = Self::new(self.variables.select(&kept), mechanisms.collect(), class)?;
        let spreads = kept.iter().map(|&v| self.spreads[v]).collect();
        Ok(Self { skeleton: self.skeleton, ..model.with_spreads(spreads) })
    }

    /// The mechanism of a variable in a condition.
    pub(crate) fn mechanism_in(&self, variable: usize, level: Option<usize>) -> &Mechanism {
        self.regime(variable, level).map_or(&self.mechanisms[variable], |found| &found.mechanism)
    }

    /// What a condition does to a variable, if it acts on it.
    pub(crate) fn regime(&self, variable: usize, level: Option<usize>) -> Option<&Regime> {
        self.experiment.as_ref()?.targets.get(&(level?, variable))
    }

    /// Whether the table came from an experiment that acts on a variable.
    pub(crate) fn is_target(&self, variable: usize) -> bool {
        let targets = self.experiment.iter().flat_map(|experiment| experiment.targets.keys());
        targets.into_iter().any(|&(_, target)| target == variable)
    }

    /// Whether some mechanism was not fitted for lack of rows.
    pub fn lacks_rows(&self) -> bool {
        self.mechanisms.iter().any(|found| matches!(found, Mechanism::Unfitted(_)))
    }

    /// Refuses an answer that needs the mechanism of a variable whose rows were not available.
    pub(crate) fn check_fitted(&self, of: impl IntoIterator<Item = usize>) -> Result<(), Error> {
        let lacks = |v: &usize| matches!(self.mechanisms[*v], Mechanism::Unfitted(_));
        match of.into_iter().find(lacks) {
            None => Ok(()),
            Some(v) => Err(Error::Unfitted { variable: self.variables.names()[v].clone() }),
        }
    }

    /// A value of the table on the learnt scale.
    ///
    /// # Errors
    /// A value outside the domain of the scale.
    pub fn to_scale(&self, variable: usize, value: f64) -> Result<f64, Error> {
        let known = &self.variables.list()[variable];
        let moved = known.transformed(value);
        match moved.is_finite() || !value.is_finite() {
            true => Ok(moved),
            false => Err(Error::OffScale {
                variable: known.name.clone(),
                scale: known.scale(),
                value,
                row: None,
            }),
        }
    }

    /// A value of the learnt scale in the units of the table.
    pub fn off_scale(&self, variable: usize, value: f64) -> f64 {
        self.variables.list()[variable].untransformed(value)
    }

    /// The columns of an answer about a variable: the variable itself, or one per level except the
    /// reference.
    pub fn answer_levels(&self, variable: usize) -> Vec<Option<usize>> {
        let known: &Variable = &self.variables.list()[variable];
        let levels = match known.kind {
            Kind::Binary => known.levels.len() == 2,
            kind => kind == Kind::Categorical,
        };
        let reference = self.reference(variable);
        match levels {
            false => vec![None],
            true => (0..known.levels.len()).filter(|&l| l != reference).map(Some).collect(),
        }
    }
}

/// Parents in increasing order, as a graph holds them.
fn sorted(mut parents: Vec<Vec<(usize, f64)>>) -> Vec<Vec<(usize, f64)>> {
    parents.iter_mut().for_each(|own| own.sort_by_key(|&(parent, _)| parent));
    parents
}
