//! Answers of a described graph: effects, interventions, scores, predictions, new rows. Every front
//! end asks here, by the names of variables and levels.

use nocurl::adjustment::adjustment;
use nocurl::error::closest;
use nocurl::model::{Effect, Model, Prediction, Residuals};
use nocurl::{Determines, Mat, MatRef, Pdag, Run, Transform, Variable};
use nocurl_io::{DescribedModel, GraphDocument, Input, RowSchema, read_rows};
use serde::Serialize;

use crate::Error;
use crate::edges::LEVEL;

/// More names than this are not listed in a note.
const SHOWN_NAMES: usize = 6;

/// A graph of a document with its model.
#[derive(Debug, Clone)]
pub struct Fitted {
    model: Option<DescribedModel>,
    class: Pdag,
    determines: Determines,
    variables: Vec<String>,
    /// Words for missing values in tables.
    missing: Vec<String>,
    notes: Vec<String>,
    /// Edges whose direction is drawn without being determined.
    unsure: usize,
}

/// One entry of an effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectEntry {
    /// The cause.
    pub from: String,
    /// The level that the cause changes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_level: Option<String>,
    /// The level that it changes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_base: Option<String>,
    /// The target.
    pub to: String,
    /// The level of the target whose probability changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_level: Option<String>,
    /// The change of the mean, or of the probability.
    pub effect: f64,
    /// Its confidence interval, where it is known.
    pub interval: Option<[f64; 2]>,
    /// Whether all graphs of the class agree on it.
    pub identified: bool,
    /// The smallest and the largest value over the graphs of the class, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// The value for each set of parents that the cause has in some graph of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<f64>>,
    /// Whether a directed path leads from the cause to the target in the drawn graph.
    pub path: bool,
}

/// Effects that were asked for, with what to know about them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effects {
    /// The level of the intervals.
    pub level: f64,
    /// The entries, the largest first.
    pub effects: Vec<EffectEntry>,
    /// What to know about them.
    pub warnings: Vec<String>,
}

/// Sets of variables to adjust for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdjustmentSets {
    /// With the smallest variance of the estimate.
    pub optimal: Vec<String>,
    /// Without a smaller valid set inside.
    pub minimal: Vec<String>,
    /// The determined parents of the cause.
    pub parents: Vec<String>,
}

/// What is expected of one variable, or of one of its levels, before and after an intervention.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    /// The variable.
    pub variable: String,
    /// The level whose probability this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The mean or probability before.
    pub before: f64,
    /// The same after.
    pub after: f64,
    /// The change.
    pub difference: f64,
    /// Whether all graphs of the class agree on it.
    pub identified: bool,
    /// Whether it was set.
    pub set: bool,
    /// The smallest and the largest value over the graphs of the class, where they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// The values that these graphs give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<f64>>,
}

/// The answer to an intervention.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Intervention {
    /// One entry per variable, and per level but the base.
    pub variables: Vec<Moved>,
    /// What to know about it.
    pub warnings: Vec<String>,
}

impl Fitted {
    /// The answers of a document.
    ///
    /// # Errors
    /// A document that contradicts itself, is a part of a graph, or lost its model.
    pub fn new(document: &GraphDocument) -> Result<Self, Error> {
        let model = document.described_model()?;
        let unsure = document.edges.iter().filter(|edge| !edge.is_determined()).count();
        Ok(Self {
            class: document.members()?,
            determines: document.determines,
            variables: document.variables.clone(),
            missing: document.model.as_ref().map_or_else(Vec::new, |model| model.missing.clone()),
            notes: document.linear_parts().into_iter().collect(),
            model,
            unsure,
        })
    }

    /// The model with its weights; means and variances may be unknown.
    ///
    /// # Errors
    /// When the document has edges without weights.
    pub fn weighted(&self) -> Result<&Model, Error> {
        self.model.as_ref().map(|found| &found.model).ok_or(Error::NotWeighted)
    }

    /// The whole model.
    ///
    /// # Errors
    /// When the document has no weights, means or error variances.
    pub fn model(&self) -> Result<&Model, Error> {
        let whole = self.model.as_ref().filter(|found| found.has_means && found.has_variances);
        whole.map(|found| &found.model).ok_or(Error::NotAModel)
    }

    /// The graphs that the evidence does not tell apart.
    pub fn class(&self) -> &Pdag {
        &self.class
    }

    /// Notes that hold for every answer.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Words for missing values in tables of these variables.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// The position of a variable.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one.
    pub fn variable(&self, name: &str) -> Result<usize, Error> {
        self.variables.iter().position(|known| known == name).ok_or_else(|| {
            let like = closest(name, self.variables.iter().map(String::as_str));
            Error::NoSuchVariable { name: name.into(), like: like.map(str::to_string) }
        })
    }

    /// Whether all graphs of the class agree on the effects of setting variables, for each variable.
    ///
    /// # Errors
    /// As [`Self::variable`].
    pub fn identified(&self, set: &[&str]) -> Result<Vec<bool>, Error> {
        let set: Vec<usize> =
            set.iter().map(|name| self.variable(name)).collect::<Result<_, _>>()?;
        Ok(match &self.model {
            Some(found) => found.model.identified(&set),
            None => nocurl::effects::identified(&self.class, &set),
        })
    }

    /// Effects of one variable, on one variable, of one on another, or all.
    ///
    /// # Errors
    /// Unknown variables, edges without weights, numbers out of range.
    pub fn effects(&self, from: Option<&str>, to: Option<&str>) -> Result<Effects, Error> {
        let find = |name: Option<&str>| name.map(|name| self.variable(name)).transpose();
        let (from, to) = (find(from)?, find(to)?);
        let model = self.weighted()?;
        if let (Some(from), Some(to)) = (from, to)
            && from == to
        {
            return Err(Error::SameVariable { name: self.variables[from].clone() });
        }
        let mut effects = Vec::new();
        let mut simulated = false;
        let mut refused = None;
        for cause in from.map_or(0..model.size(), |from| from..from + 1) {
            let found = match model.effects_of(cause, to, LEVEL) {
                Ok(found) => found,
                // What can be answered without the mechanism that is lacking is.
                Err(error) if from.is_none() => {
                    refused = Some(error);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            simulated |= found.simulated;
            for (target, entries) in found.on.iter().enumerate() {
                let known = found.identified[target];
                let own = entries.iter();
                effects.extend(own.map(|entry| self.entry(model, cause, target, entry, known)));
            }
        }
        // A single effect is listed even where it is 0.
        let single = from.is_some() && to.is_some();
        effects.retain(|entry: &EffectEntry| single || entry.path || entry.range.is_some());
        if let Some(entry) = effects.iter().find(|entry| !entry.effect.is_finite()) {
            return Err(Error::EffectOutOfRange { from: entry.from.clone(), to: entry.to.clone() });
        }
        effects.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
        let mut warnings = self.notes.clone();
        warnings.extend(refused.map(|error| format!("some effects are left out: {error}")));
        warnings.extend(self.open(&effects));
        warnings.extend(self.unsure_directions(effects.iter().any(|e| e.identified && e.path)));
        warnings.extend(self.scales("effects are on"));
        warnings.extend(simulated.then(simulation));
        Ok(Effects { level: LEVEL, effects, warnings })
    }

    fn entry(
        &self,
        model: &Model,
        cause: usize,
        target: usize,
        entry: &Effect,
        identified: bool,
    ) -> EffectEntry {
        let list = model.variables().list();
        let level = |v: usize, level: Option<usize>| level.map(|at| list[v].levels[at].clone());
        let base = entry.from_level.map(|_| model.reference(cause));
        let path = entry.value != 0.0 || reaches(model, cause, target);
        // Values over the class come from the covariance that error variances imply.
        let known = self.model.as_ref().is_some_and(|found| found.has_variances);
        let values = entry.values.clone().filter(|_| known);
        EffectEntry {
            from: self.variables[cause].clone(),
            from_level: level(cause, entry.from_level),
            from_base: level(cause, base),
            to: self.variables[target].clone(),
            to_level: level(target, entry.to_level),
            effect: entry.value,
            interval: entry.interval,
            identified,
            range: values.as_deref().map(extremes),
            values,
            path,
        }
    }

    /// Sets to adjust for; nothing where the effect is 0 or depends on undetermined directions.
    ///
    /// # Errors
    /// As [`Self::variable`].
    pub fn adjustment(&self, from: &str, to: &str) -> Result<Option<AdjustmentSets>, Error> {
        let (from, to) = (self.variable(from)?, self.variable(to)?);
        let found = match (&self.model, self.determines) {
            (Some(found), _) => found.model.adjustment(from, to),
            (None, Determines::Skeleton) => None,
            (None, _) => adjustment(&self.class, from, to),
        };
        let named = |set: Vec<usize>| set.into_iter().map(|v| self.variables[v].clone()).collect();
        Ok(found.map(|sets| AdjustmentSets {
            optimal: named(sets.optimal),
            minimal: named(sets.minimal),
            parents: named(sets.parents),
        }))
    }

    /// The value of a variable that a text names: a number, or one of its levels.
    ///
    /// # Errors
    /// As [`Model::value`].
    pub fn value(&self, variable: &str, text: &str) -> Result<f64, Error> {
        let v = self.variable(variable)?;
        Ok(self.weighted()?.value(v, text)?)
    }

    /// What is expected of all variables after some are set, by their names and by the texts of
    /// their values: numbers, or names of levels.
    ///
    /// # Errors
    /// Unknown variables and levels, and a document without means.
    pub fn intervene(&self, set: &[(&str, &str)]) -> Result<Intervention, Error> {
        let found = self.model.as_ref().ok_or(Error::NotWeighted)?;
        if !found.has_means {
            return Err(Error::NoMeans);
        }
        let model = &found.model;
        let settings: Vec<(usize, f64)> = set
            .iter()
            .map(|(name, text)| Ok((self.variable(name)?, self.value(name, text)?)))
            .collect::<Result<_, Error>>()?;
        let (before, after) = (model.expectation(&[])?, model.expectation(&settings)?);
        let over_class = match found.has_variances {
            true => model.interventions_over_class(&settings)?,
            false => None,
        };
        let names: Vec<usize> = settings.iter().map(|&(v, _)| v).collect();
        let identified = model.identified(&names);
        let mut variables = Vec::new();
        let mut cut: Vec<String> = Vec::new();
        for (v, known) in model.variables().list().iter().enumerate() {
            let set = names.contains(&v);
            let open = over_class.as_ref().filter(|_| !identified[v] && !set);
            for level in model.answer_levels(v) {
                let of = |answers: &[nocurl::model::Answer]| answers[v].column(level);
                let (from, mut to) = (of(&before.answers), of(&after.answers));
                // The linear probability of two levels may leave its range.
                if level.is_some() && !(0.0..=1.0).contains(&to) && to.is_finite() {
                    to = to.clamp(0.0, 1.0);
                    cut.push(known.name.clone());
                }
                let within = |value: f64| match level {
                    Some(_) => value.clamp(0.0, 1.0),
                    None => value,
                };
                let values = open.map(|rows| rows.iter().map(|row| within(row[v])).collect());
                let values: Option<Vec<f64>> = values;
                if !to.is_finite() || !from.is_finite() {
                    return Err(Error::MeanOutOfRange { name: known.name.clone() });
                }
                variables.push(Moved {
                    variable: known.name.clone(),
                    level: level.map(|level| known.levels[level].clone()),
                    before: from,
                    after: to,
                    difference: to - from,
                    identified: identified[v] || set,
                    set,
                    range: values.as_deref().map(extremes),
                    values,
                });
            }
        }
        let mut warnings = self.notes.clone();
        let open = variables.iter().filter(|moved| !moved.identified).count();
        if open > 0 {
            let what = match (over_class.is_some(), self.determines) {
                (true, _) => "the range has the values that the graphs of the class give",
                (false, Determines::Skeleton) => "other directions may give other values",
                (false, _) => "other graphs of the equivalence class may give other values",
            };
            let (s, depends) = if open == 1 { ("", "depends") } else { ("s", "depend") };
            warnings.push(format!(
                "{open} mean{s}, marked `undetermined`, {depends} on undetermined directions: {what}"
            ));
        }
        let moved = variables.iter().any(|v| v.identified && !v.set && v.difference != 0.0);
        warnings.extend(self.unsure_directions(moved));
        warnings.extend(self.medians());
        warnings.extend(named(cut.into_iter()).map(|list| {
            format!(
                "two-level variables follow linear probabilities, which left 0 to 1 and were cut: \
                 {list}"
            )
        }));
        warnings.extend(control_note(model, &names));
        warnings.extend((before.simulated || after.simulated).then(simulation));
        Ok(Intervention { variables, warnings })
    }

    /// Reads rows of a table as the variables of the model. For the prediction of a variable, only
    /// the columns that it depends on are needed.
    ///
    /// # Errors
    /// Anything wrong with the table, and a document that is no model.
    pub fn read<'a>(
        &self,
        input: impl Into<Input<'a>>,
        predicted: Option<usize>,
        unknown_as_missing: bool,
        run: &Run<'_>,
    ) -> Result<Mat<f64>, Error> {
        let model = self.model()?;
        let needed: Vec<usize> = match predicted {
            None => (0..model.size()).collect(),
            Some(variable) => model.blanket(variable),
        };
        let variables = model.variables().list();
        let missing = &self.missing;
        let schema = RowSchema { variables, needed: &needed, missing, unknown_as_missing };
        let mut rows = read_rows(input, &schema, run)?;
        if let Some(variable) = predicted {
            rows.col_as_slice_mut(variable).fill(f64::NAN);
        }
        Ok(rows)
    }

    /// The logarithm of the density of each row, on the scales that were learnt on.
    ///
    /// # Errors
    /// No model, or rows that do not fit it.
    pub fn log_likelihood(&self, rows: MatRef<'_, f64>) -> Result<Vec<f64>, Error> {
        Ok(self.model()?.log_likelihood(rows)?)
    }

    /// One variable given all others in each row, in the units of the table.
    ///
    /// # Errors
    /// No model, rows that do not fit it, or an unknown variable.
    pub fn predict(&self, rows: MatRef<'_, f64>, variable: usize) -> Result<Prediction, Error> {
        Ok(self.model()?.predict(rows, variable)?)
    }

    /// What the parents leave of each value of a table, on the scales that were learnt on.
    ///
    /// # Errors
    /// No model, or rows that do not fit it.
    pub fn residuals(&self, rows: MatRef<'_, f64>) -> Result<Residuals, Error> {
        Ok(self.model()?.residuals(rows)?)
    }

    /// New rows in the units of the table.
    ///
    /// # Errors
    /// No model.
    pub fn sample(&self, rows: usize, seed: u64) -> Result<Mat<f64>, Error> {
        Ok(self.model()?.sample(rows, seed)?)
    }

    /// The name of a column of an answer: the variable, or one of its levels.
    pub fn column_name(&self, variable: usize, level: Option<usize>) -> String {
        let name = &self.variables[variable];
        let list = self.model.as_ref().map(|found| found.model.variables().list());
        let level = level.and_then(|level| list?.get(variable)?.levels.get(level));
        level.map_or_else(|| name.clone(), |level| format!("{name}={level}"))
    }

    /// A note on numbers that are on other scales than those of the table.
    pub fn scales(&self, what: &str) -> Option<String> {
        let list = named(self.transformed().iter().map(|variable| variable.scale()))?;
        Some(format!("{what} the scales that were learnt on: {list}"))
    }

    /// The variables that were learnt on another scale than that of the table.
    pub fn transformed(&self) -> Vec<Variable> {
        let list = self.model.iter().flat_map(|found| found.model.variables().list());
        list.filter(|variable| !variable.transforms.is_empty()).cloned().collect()
    }

    /// A note on means that were turned back to the units of the table.
    fn medians(&self) -> Option<String> {
        let straight = |step: &Transform| matches!(step, Transform::Standardize { .. });
        let all = self.transformed();
        let bent = all.iter().filter(|variable| !variable.transforms.iter().all(straight));
        let list = named(bent.map(Variable::scale))?;
        Some(format!(
            "means of variables that were learnt on a curved scale are medians in the units of the \
             table: {list}"
        ))
    }

    /// A note on effects that depend on undetermined directions.
    fn open(&self, effects: &[EffectEntry]) -> Option<String> {
        let open: Vec<&EffectEntry> = effects.iter().filter(|entry| !entry.identified).collect();
        let others = match self.determines {
            Determines::Skeleton => "other directions",
            _ => "other graphs of the equivalence class",
        };
        let ranged = open.iter().all(|entry| entry.range.is_some());
        let rest = match ranged {
            true => "the range has the values that the graphs of the class give".to_string(),
            false => format!("{others} may give other values"),
        };
        match (open.len(), effects.len()) {
            (0, _) => None,
            (_, 1) => Some(format!(
                "the effect of `{}` depends on undetermined directions: {rest}",
                effects[0].from
            )),
            (open, all) => Some(format!(
                "{open} of {all} effects, marked `undetermined`, depend on undetermined directions: \
                 {rest}"
            )),
        }
    }

    /// A note where all graphs of the class agree, but resampled tables do not agree on the class.
    fn unsure_directions(&self, applies: bool) -> Option<String> {
        let open = self.class.undirected().count();
        let likely = self.unsure.saturating_sub(open);
        (applies && likely > 0 && self.determines != Determines::Skeleton).then(|| {
            let are = if likely == 1 { "direction is" } else { "directions are" };
            format!("{likely} {are} only likely: effects along them are as likely as these")
        })
    }
}

/// A note on the condition in which means are stated.
fn control_note(model: &Model, set: &[usize]) -> Option<String> {
    let experiment = model.experiment()?;
    if set.contains(&experiment.condition) {
        return None;
    }
    let condition = &model.variables().list()[experiment.condition];
    let level = &condition.levels[experiment.control];
    Some(format!("means are those of the control condition, `{}` = `{level}`", condition.name))
}

fn simulation() -> String {
    format!(
        "categories that depend on numbers have no closed form: their effects and probabilities are \
         simulated with {} draws and a fixed seed",
        Model::DRAWS
    )
}

fn reaches(model: &Model, from: usize, to: usize) -> bool {
    let graph = model.graph();
    let mut seen = vec![false; model.size()];
    let mut queue = vec![to];
    while let Some(v) = queue.pop() {
        for parent in graph.parents(v) {
            if parent == from {
                return true;
            }
            if !std::mem::replace(&mut seen[parent], true) {
                queue.push(parent);
            }
        }
    }
    false
}

fn extremes(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| {
        [low.min(value), high.max(value)]
    })
}

/// A few names in a row.
fn named(names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(SHOWN_NAMES);
    let mut list = names.iter().take(SHOWN_NAMES).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        list += &format!(" and {more} more");
    }
    (!names.is_empty()).then_some(list)
}
