//! The fitted model in the document of a graph: mechanisms by the names of variables and levels.

use std::collections::BTreeMap;

use nocurl::model::{Counts, Experiment, Linear, Logistic, Mechanism, Model, Regime, Term};
use nocurl::{Determines, Kind, Variable, Variables};
use serde::{Deserialize, Serialize};

use super::GraphDocument;
use crate::Error;

/// A fitted model: one mechanism per variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelDocument {
    /// How each variable follows from its parents, in the order of the variables.
    pub mechanisms: Vec<MechanismDocument>,
    /// The conditions of an experiment, if there are any among the variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ExperimentDocument>,
    /// Words and numbers that stand for missing values in tables of these variables, besides the
    /// usual ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// How one variable follows from its parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum MechanismDocument {
    /// A linear function of the parents plus a normal error.
    Linear {
        /// The contributions of the parents.
        parents: Vec<TermDocument>,
        /// The mean when all parents are 0 or at their base level.
        intercept: f64,
        /// The variance of the error.
        variance: f64,
        /// Rows it was fitted to.
        #[serde(default, skip_serializing_if = "is_zero")]
        rows: f64,
        /// Covariance of the coefficients: the lower triangle, row by row.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        covariance: Vec<f64>,
    },
    /// Counts of levels by the levels of the parents.
    Counts {
        /// The parents.
        parents: Vec<String>,
        /// Rows with each level.
        overall: Vec<f64>,
        /// Rows with each level by the levels of the parents.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        table: Vec<CountsRow>,
    },
    /// Multinomial logistic regression.
    Logistic {
        /// The parents.
        parents: Vec<String>,
        /// The log-odds of each level against the base.
        levels: Vec<LogisticLevel>,
    },
    /// Levels whose rows were not available.
    Unfitted {
        /// The parents.
        parents: Vec<String>,
    },
}

/// The contribution of one parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermDocument {
    /// The parent.
    pub variable: String,
    /// One coefficient for a number, or one per level except the base.
    pub coefficients: Vec<f64>,
}

/// Counts for one combination of levels of the parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountsRow {
    /// The levels of the parents.
    pub given: Vec<String>,
    /// Rows with each level.
    pub counts: Vec<f64>,
}

/// The log-odds of one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticLevel {
    /// The level.
    pub level: String,
    /// Log-odds when all parents are 0 or at their base level.
    pub intercept: f64,
    /// For each parent its coefficients.
    pub coefficients: Vec<Vec<f64>>,
}

/// The conditions of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExperimentDocument {
    /// The variable whose levels are the conditions.
    pub condition: String,
    /// The condition in which means without an intervention are stated.
    pub control: String,
    /// Mechanisms of the variables that conditions act on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<RegimeDocument>,
}

/// The mechanism of a variable in a condition that acts on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegimeDocument {
    /// The condition.
    pub condition: String,
    /// The variable.
    pub variable: String,
    /// Whether the condition sets the variable.
    pub set: bool,
    /// The mechanism there.
    pub mechanism: MechanismDocument,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl MechanismDocument {
    fn new(mechanism: &Mechanism, child: usize, variables: &Variables) -> Self {
        let name = |v: usize| variables.names()[v].clone();
        let names = |list: &[usize]| list.iter().map(|&v| name(v)).collect();
        match mechanism {
            Mechanism::Linear(linear) => Self::Linear {
                parents: linear
                    .terms
                    .iter()
                    .map(|term| TermDocument {
                        variable: name(term.variable),
                        coefficients: term.coefficients.clone(),
                    })
                    .collect(),
                intercept: linear.intercept,
                variance: linear.variance,
                rows: linear.rows,
                covariance: linear.covariance.clone(),
            },
            Mechanism::Counts(counts) => {
                let level =
                    |(&p, &level): (&usize, &usize)| variables.list()[p].levels[level].clone();
                let row = |(given, counted): (&Vec<usize>, &Vec<f64>)| CountsRow {
                    given: counts.parents.iter().zip(given).map(level).collect(),
                    counts: counted.clone(),
                };
                Self::Counts {
                    parents: names(&counts.parents),
                    overall: counts.overall.clone(),
                    table: counts.table.iter().map(row).collect(),
                }
            }
            Mechanism::Logistic(logistic) => {
                let levels = &variables.list()[child].levels[1..];
                let all = levels.iter().zip(&logistic.intercepts).zip(&logistic.levels);
                let level =
                    |((level, intercept), terms): ((&String, &f64), &Vec<Term>)| LogisticLevel {
                        level: level.clone(),
                        intercept: *intercept,
                        coefficients: terms.iter().map(|term| term.coefficients.clone()).collect(),
                    };
                Self::Logistic {
                    parents: names(&logistic.parents),
                    levels: all.map(level).collect(),
                }
            }
            other => Self::Unfitted { parents: names(&other.parents()) },
        }
    }

    fn mechanism(&self, child: usize, variables: &Variables) -> Result<Mechanism, Error> {
        let wrong = |reason: String| Error::unsupported("the model", reason);
        let place = |name: &String| {
            let found = variables.names().iter().position(|known| known == name);
            found.ok_or_else(|| wrong(format!("a mechanism names `{name}`, which is no variable")))
        };
        let places = |names: &[String]| names.iter().map(place).collect::<Result<Vec<_>, Error>>();
        let level = |v: usize, name: &String| {
            let known = &variables.list()[v];
            known.level(name).ok_or_else(|| {
                wrong(format!(
                    "a mechanism names level `{name}`, which `{}` does not have",
                    known.name
                ))
            })
        };
        Ok(match self {
            Self::Linear { parents, intercept, variance, rows, covariance } => {
                let term = |known: &TermDocument| {
                    let coefficients = known.coefficients.clone();
                    Ok(Term { variable: place(&known.variable)?, coefficients })
                };
                let terms = parents.iter().map(term).collect::<Result<Vec<_>, Error>>()?;
                let mut linear = Linear::new(terms, *intercept, *variance);
                linear.rows = *rows;
                linear.covariance.clone_from(covariance);
                Mechanism::Linear(linear)
            }
            Self::Counts { parents, overall, table } => {
                let parents = places(parents)?;
                let row = |row: &CountsRow| {
                    if row.given.len() != parents.len() {
                        return Err(wrong("counts do not have a level of each parent".into()));
                    }
                    let given = parents.iter().zip(&row.given);
                    let given = given.map(|(&v, name)| level(v, name));
                    Ok((given.collect::<Result<Vec<_>, Error>>()?, row.counts.clone()))
                };
                let table = table.iter().map(row).collect::<Result<BTreeMap<_, _>, Error>>()?;
                Mechanism::Counts(Counts { parents, overall: overall.clone(), table })
            }
            Self::Logistic { parents, levels } => {
                let parents = places(parents)?;
                let known = &variables.list()[child].levels;
                let same = known.iter().skip(1).eq(levels.iter().map(|own| &own.level));
                let whole = levels.iter().all(|own| own.coefficients.len() == parents.len());
                if !same || !whole {
                    return Err(wrong(format!(
                        "the regressions of `{}` are not those of its levels and parents",
                        variables.names()[child]
                    )));
                }
                let terms = |own: &LogisticLevel| -> Vec<Term> {
                    let all = parents.iter().zip(&own.coefficients);
                    all.map(|(&variable, own)| Term { variable, coefficients: own.clone() })
                        .collect()
                };
                Mechanism::Logistic(Logistic {
                    intercepts: levels.iter().map(|own| own.intercept).collect(),
                    levels: levels.iter().map(terms).collect(),
                    parents,
                })
            }
            Self::Unfitted { parents } => Mechanism::Unfitted(places(parents)?),
        })
    }
}

impl ModelDocument {
    /// A model by the names of its variables.
    pub fn new(model: &Model, missing: &[String]) -> Self {
        let variables = model.variables();
        let mechanism = |(v, own): (usize, &Mechanism)| MechanismDocument::new(own, v, variables);
        let experiment = model.experiment().map(|experiment| {
            let condition = &variables.list()[experiment.condition];
            let target = |(&(level, v), regime): (&(usize, usize), &Regime)| RegimeDocument {
                condition: condition.levels[level].clone(),
                variable: variables.names()[v].clone(),
                set: regime.set,
                mechanism: MechanismDocument::new(&regime.mechanism, v, variables),
            };
            ExperimentDocument {
                condition: condition.name.clone(),
                control: condition.levels[experiment.control].clone(),
                targets: experiment.targets.iter().map(target).collect(),
            }
        });
        Self {
            mechanisms: model.mechanisms().iter().enumerate().map(mechanism).collect(),
            experiment,
            missing: missing.to_vec(),
        }
    }

    fn model(&self, variables: Variables, class: nocurl::Pdag) -> Result<Model, Error> {
        if self.mechanisms.len() != variables.size() {
            let (found, expected) = (self.mechanisms.len(), variables.size());
            let reason = format!("it has {found} mechanisms for {expected} variables");
            return Err(Error::unsupported("the model", reason));
        }
        let all = self.mechanisms.iter().enumerate();
        let mechanisms: Vec<Mechanism> =
            all.map(|(v, own)| own.mechanism(v, &variables)).collect::<Result<_, Error>>()?;
        let model = Model::new(variables.clone(), mechanisms, class)?;
        let Some(known) = &self.experiment else { return Ok(model) };
        let condition = model.variable(&known.condition)?;
        let level = |name: &String| {
            let column = &variables.list()[condition];
            column.level(name).ok_or_else(|| {
                let reason = format!("`{}` has no level `{name}`", column.name);
                Error::unsupported("the model", reason)
            })
        };
        let mut targets = BTreeMap::new();
        for target in &known.targets {
            let v = model.variable(&target.variable)?;
            let mechanism = target.mechanism.mechanism(v, &variables)?;
            let regime = Regime { mechanism, set: target.set };
            targets.insert((level(&target.condition)?, v), regime);
        }
        let control = level(&known.control)?;
        Ok(model.with_experiment(Experiment { condition, control, targets })?)
    }
}

/// A model that a document describes, and which of its numbers are known.
#[derive(Debug, Clone)]
pub struct DescribedModel {
    /// The model.
    pub model: Model,
    /// Whether means are known; otherwise intercepts are 0.
    pub has_means: bool,
    /// Whether error variances are known; otherwise they are 1.
    pub has_variances: bool,
}

impl GraphDocument {
    /// The variables as far as their kinds are known.
    pub fn variable_list(&self) -> Vec<Variable> {
        match self.kinds.is_empty() {
            true => self.variables.iter().map(Variable::continuous).collect(),
            false => self.kinds.iter().map(|known| known.variable.clone()).collect(),
        }
    }

    /// The model of the document: the one it holds, or that of its weights, means and error
    /// variances. Nothing where an edge has no weight.
    ///
    /// # Errors
    /// Mechanisms that contradict the variables or the edges, and a document that is only a part of
    /// a graph or lost its model in a format that cannot hold it.
    pub fn described_model(&self) -> Result<Option<DescribedModel>, Error> {
        if self.part {
            return Err(Error::unsupported(
                "the graph",
                "it is a part of a larger graph, and answers need all of it: give the whole graph",
            ));
        }
        if self.needs_json {
            return Err(Error::unsupported(
                "the graph",
                "this format does not hold its model (levels, scales or conditions): give the .json \
                 file that the graph was written to",
            ));
        }
        let class = self.members()?;
        let variables = Variables::new(self.variable_list());
        let (model, has_means, has_variances) = match &self.model {
            Some(known) => (known.model(variables, class)?, true, true),
            None if !self.is_weighted() => return Ok(None),
            None => self.linear_model(variables, class)?,
        };
        let drawn = self.dag()?;
        let same = model.graph().edge_count() == drawn.edge_count()
            && drawn.edges().all(|(i, j, _)| model.graph().has_edge(i, j));
        if !same {
            let reason = "its mechanisms have other parents than its edges";
            return Err(Error::unsupported("the model", reason));
        }
        let deviation = |known: &super::DescribedVariable| known.deviation;
        let spreads = match self.kinds.is_empty() {
            true => vec![None; model.size()],
            false => self.kinds.iter().map(deviation).collect(),
        };
        let model = model.with_spreads(spreads);
        let model = match self.determines {
            Determines::Skeleton => model.with_skeleton_only(),
            _ => model,
        };
        Ok(Some(DescribedModel { model, has_means, has_variances }))
    }

    /// The linear model of weights, means and error variances, for documents without mechanisms.
    fn linear_model(
        &self,
        variables: Variables,
        class: nocurl::Pdag,
    ) -> Result<(Model, bool, bool), Error> {
        let d = variables.size();
        let mut parents: Vec<Vec<Term>> = vec![Vec::new(); d];
        for (from, to, edge) in self.indexed_edges()? {
            let width = variables.columns(from).len();
            let coefficients = match edge.weight {
                Some(weight) if width == 1 => vec![weight],
                _ => edge.coefficients.iter().take(width).map(|known| known.value).collect(),
            };
            parents[to].push(Term { variable: from, coefficients });
        }
        // Means of numbers, and shares of levels but the base.
        let mean_of = |v: usize| -> Option<Vec<f64>> {
            match variables.list()[v].kind {
                Kind::Categorical => {
                    let shares = &self.kinds.get(v)?.shares;
                    Some(shares.get(1..)?.to_vec())
                }
                _ => {
                    let own = self.kinds.get(v).and_then(|known| known.mean);
                    Some(vec![own.or(self.means.as_ref().map(|means| means[v]))?])
                }
            }
        };
        let means: Option<Vec<Vec<f64>>> = (0..d).map(mean_of).collect();
        let variances = self.error_variances.as_ref().filter(|all| all.iter().all(|v| *v > 0.0));
        let mechanisms = parents.into_iter().enumerate().map(|(v, terms)| {
            if variables.list()[v].kind == Kind::Categorical {
                return Mechanism::Unfitted(terms.iter().map(|term| term.variable).collect());
            }
            let intercept = means.as_ref().map_or(0.0, |means| {
                let explained = terms.iter().flat_map(|term| {
                    term.coefficients.iter().zip(&means[term.variable]).map(|(c, m)| c * m)
                });
                means[v][0] - explained.sum::<f64>()
            });
            let variance = variances.map_or(1.0, |all| all[v]);
            Mechanism::Linear(Linear::new(terms, intercept, variance))
        });
        let mechanisms = mechanisms.collect();
        let has_variances = variances.is_some();
        Ok((Model::new(variables, mechanisms, class)?, means.is_some(), has_variances))
    }
}
