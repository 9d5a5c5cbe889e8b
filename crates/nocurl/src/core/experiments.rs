//! Experiments: which column tells the conditions apart, and what each condition acts on.
//!
//! A condition is a variable that nothing causes (Mooij, Magliacane and Claassen, *Joint causal
//! inference from multiple contexts*, JMLR 2020): whether it shifts another variable directly is
//! decided by the same score as any edge. What a condition is known to act on are its targets. A
//! *perfect* intervention sets its target, so the rows of that condition say nothing about what
//! else the target depends on; a *soft* one changes how the target depends on its parents, so the
//! condition has a regression of its own.

use std::collections::BTreeSet;

use super::error::{closest, list};
use super::{Dag, Error, Kind, KnowledgeSpec, Pdag, Variable, Variables};

/// What an intervention does to its target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Intervention {
    /// It sets the target: its rows do not count in the target's regression.
    #[default]
    Perfect,
    /// The target's parents stay, their weights may change: a regression of the condition's own.
    Soft,
}

/// A condition acts on a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Target {
    /// The condition, as the column has it.
    pub condition: String,
    /// The variable that it acts on.
    pub variable: String,
    /// How it acts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub kind: Intervention,
}

/// The conditions of a table and their targets, by name.
///
/// | Name | Meaning |
/// |---|---|
/// | `condition` | the column that holds the condition of each row; without it there are none |
/// | `targets` | what conditions are known to act on |
/// | `control` | set where the levels of the column are themselves names of targets, several joined by `+`: the level that acts on nothing |
/// | `kind` | what interventions do where the levels are names of targets |
/// | `hidden` | whether the condition is left out of what is drawn and written |
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ExperimentSpec {
    /// The column of conditions.
    pub condition: Option<String>,
    /// What conditions act on.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub targets: Vec<Target>,
    /// The level without targets, where the others are names of targets.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub control: Option<String>,
    /// What interventions do where levels are names of targets.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub kind: Intervention,
    /// Whether the condition is left out of what is drawn and written.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub hidden: bool,
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Targets by index: for each level of the condition the variables it acts on, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The variable whose levels are the conditions.
    pub condition: usize,
    /// By the position of the level; each list by index, without repeats.
    pub of: Vec<Vec<(usize, Intervention)>>,
}

fn wrong<T>(reason: String) -> Result<T, Error> {
    Err(Error::Experiments { reason })
}

/// What to add when a name is like another.
fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(name, known).map_or_else(String::new, |like| format!(": did you mean `{like}`?"))
}

impl ExperimentSpec {
    /// True when there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.condition.is_none() && self.targets.is_empty() && self.control.is_none()
    }

    /// Whether the statements make sense together, before any data is read.
    ///
    /// # Errors
    /// [`Error::Experiments`] in one line.
    pub fn check(&self) -> Result<(), Error> {
        if self.condition.is_none() && !self.is_empty() {
            return wrong("there are targets, but no column that holds the conditions".into());
        }
        let mut seen = BTreeSet::new();
        for target in &self.targets {
            if !seen.insert((&target.condition, &target.variable)) {
                let Target { condition, variable, .. } = target;
                return wrong(format!("`{variable}` is a target of condition `{condition}` twice"));
            }
        }
        Ok(())
    }

    /// What is known about the graph because of the conditions: nothing causes them.
    pub fn knowledge(&self) -> KnowledgeSpec {
        KnowledgeSpec { sources: self.condition.iter().cloned().collect(), ..Default::default() }
    }

    /// The targets by index, after checks against the variables of a table.
    ///
    /// # Errors
    /// [`Error::Experiments`] in one line.
    pub fn resolve(&self, variables: &Variables) -> Result<Option<Targets>, Error> {
        self.check()?;
        let Some(name) = &self.condition else { return Ok(None) };
        let names = || variables.names().iter().map(String::as_str);
        let Some(condition) = variables.names().iter().position(|column| column == name) else {
            let like = did_you_mean(name, names());
            return wrong(format!("there is no column `{name}` that could hold conditions{like}"));
        };
        let column = &variables.list()[condition];
        if !matches!(column.kind, Kind::Binary | Kind::Categorical) {
            return wrong(format!(
                "column `{name}` is {}, but conditions are categories",
                column.kind.name()
            ));
        }
        let mut of = vec![Vec::new(); column.levels.len()];
        for target in self.all_targets(&column.levels)? {
            let Target { condition: level, variable, kind } = &split(target, column, variables);
            let Some(place) = column.level(level) else {
                let like = did_you_mean(level, column.levels.iter().map(String::as_str));
                return wrong(format!("no row of column `{name}` is `{level}`{like}"));
            };
            let target = match variables.names().iter().position(|column| column == variable) {
                Some(target) if target != condition => target,
                Some(_) => {
                    return wrong(format!("condition `{level}` cannot be its own target"));
                }
                None => {
                    let like = did_you_mean(variable, names().filter(|other| other != name));
                    return wrong(format!(
                        "condition `{level}` acts on `{variable}`, but there is no such column{like}"
                    ));
                }
            };
            of[place].push((target, *kind));
        }
        of.iter_mut().for_each(|list: &mut Vec<_>| list.sort_unstable());
        Ok(Some(Targets { condition, of }))
    }

    /// The targets as stated, and those that levels name.
    fn all_targets(&self, levels: &[String]) -> Result<Vec<Target>, Error> {
        let mut all = self.targets.clone();
        let Some(control) = &self.control else { return Ok(all) };
        if !levels.contains(control) {
            let like = did_you_mean(control, levels.iter().map(String::as_str));
            return wrong(format!("no row is the control `{control}`{like}"));
        }
        for level in levels.iter().filter(|&level| level != control) {
            for variable in level.split('+').map(str::trim) {
                let (condition, variable) = (level.clone(), variable.into());
                all.push(Target { condition, variable, kind: self.kind });
            }
        }
        Ok(all)
    }
}

/// A target whose names are known. Names may hold the sign that stands between the two where they are
/// typed, so that they may have been split at another one.
fn split(target: Target, column: &Variable, variables: &Variables) -> Target {
    let known = |condition: &str, variable: &str| {
        column.level(condition).is_some() && variables.names().iter().any(|name| name == variable)
    };
    if known(&target.condition, &target.variable) {
        return target;
    }
    let text = format!("{}={}", target.condition, target.variable);
    let found = text
        .match_indices('=')
        .map(|(at, _)| (&text[..at], &text[at + 1..]))
        .find(|(condition, variable)| known(condition, variable));
    match found {
        Some((condition, variable)) => {
            Target { condition: condition.into(), variable: variable.into(), kind: target.kind }
        }
        None => target,
    }
}

impl Targets {
    /// The conditions that act on a variable.
    pub fn acting_on(&self, variable: usize) -> impl Iterator<Item = (usize, Intervention)> + '_ {
        let all = self.of.iter().enumerate();
        all.filter_map(move |(level, of)| {
            of.iter().find(|&&(target, _)| target == variable).map(|&(_, kind)| (level, kind))
        })
    }

    /// True when some condition acts on one of two variables and not on the other, and so tells
    /// which of them is the cause of the other (Hauser and Bühlmann, 2012).
    pub fn separate(&self, i: usize, j: usize) -> bool {
        let acts = |of: &[(usize, Intervention)], v| of.iter().any(|&(target, _)| target == v);
        self.of.iter().any(|of| acts(of, i) != acts(of, j))
    }

    /// The interventional class of a graph: the graphs that neither independences nor the
    /// conditions tell apart.
    pub fn class_of(&self, dag: &Dag) -> Pdag {
        let mut class = Pdag::class_of(dag);
        self.direct(&mut class, |i, j| dag.has_edge(i, j));
        class
    }

    /// Directs the edges of the class of a graph whose direction the conditions tell: those of the
    /// condition itself, those between variables that some condition [separates](Self::separate),
    /// and what follows from these. What is left is the interventional class of the graph.
    pub(crate) fn direct(&self, class: &mut Pdag, has_edge: impl Fn(usize, usize) -> bool) {
        let open: Vec<(usize, usize)> = class.undirected().collect();
        for (i, j) in open {
            let told = i == self.condition || j == self.condition || self.separate(i, j);
            if !told || !class.has_undirected(i, j) {
                continue;
            }
            let (from, to) = if has_edge(i, j) { (i, j) } else { (j, i) };
            class.direct(from, to);
        }
        class.apply_meek_rules();
    }

    /// The error for variables that are targets of every condition.
    pub(crate) fn nothing_left(names: &[String]) -> Error {
        let word = if names.len() == 1 { "is" } else { "are" };
        Error::Experiments {
            reason: format!(
                "{} {word} set in every condition, so no row is left to learn what acts on it",
                list(names)
            ),
        }
    }
}
