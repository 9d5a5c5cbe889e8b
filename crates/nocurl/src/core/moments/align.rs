//! Moments of parts of a table that saw other levels, or have their columns in another order.

use std::collections::HashMap;
use std::sync::Arc;

use faer::Mat;

use super::{Conditions, Moments};
use crate::core::variable::{Kind, Levels, MOST_CONDITIONS, MOST_LEVELS, Variable, Variables};
use crate::core::{Error, error};

/// A coded column as a sum of others: a constant, and columns with their factors.
type Sum = (f64, Vec<(usize, f64)>);

impl Moments {
    /// Both in one coding of the same variables, in the order of the first.
    pub(super) fn aligned(&self, other: &Self) -> Result<(Self, Self), Error> {
        let other = other.select(&places(&self.variables, &other.variables)?);
        if self.weight == 0.0 {
            return Ok((Self::new(other.variables.clone()), other));
        }
        if other.weight == 0.0 {
            return Ok((self.clone(), Self::new(self.variables.clone())));
        }
        let told = self.conditions.as_ref().map(|conditions| conditions.variable());
        let joint = (0..self.columns()).map(|v| {
            let (a, b) = (&self.variables.list()[v], &other.variables.list()[v]);
            let most = if told == Some(v) { MOST_CONDITIONS } else { MOST_LEVELS };
            match a == b {
                true => Ok(a.clone()),
                false => joint(a, &self.counts(v), b, &other.counts(v), most),
            }
        });
        let joint = Variables::new(joint.collect::<Result<_, _>>()?);
        Ok((self.coded_as(&joint), other.coded_as(&joint)))
    }

    /// How often each level of a variable was seen.
    fn counts(&self, variable: usize) -> Vec<u64> {
        let of = &self.variables.list()[variable];
        let columns = self.variables.columns(variable);
        let mut shares: Vec<f64> = columns.map(|j| self.mean[j]).take(of.levels.len()).collect();
        if matches!(of.kind, Kind::Binary | Kind::Categorical) {
            shares.truncate(of.levels.len().saturating_sub(1));
            shares.insert(0, 1.0 - shares.iter().sum::<f64>());
        }
        shares.into_iter().map(|share| (share * self.weight).round().max(0.0) as u64).collect()
    }

    /// The same rows in the coding of variables that have these levels, and maybe more.
    fn coded_as(&self, target: &Variables) -> Self {
        let sums: Vec<Sum> = (0..target.size()).flat_map(|v| self.sums(v, target)).collect();
        let scatter = |a: usize, b: usize| -> f64 {
            let pairs = sums[a].1.iter().flat_map(|x| sums[b].1.iter().map(move |y| (x, y)));
            pairs.map(|(&(i, p), &(j, q))| p * q * self.scatter[(i.max(j), i.min(j))]).sum()
        };
        let mean = |(constant, of): &Sum| -> f64 {
            constant + of.iter().map(|&(i, p)| p * self.mean[i]).sum::<f64>()
        };
        let m = sums.len();
        let conditions = self.conditions.as_ref();
        Self {
            variables: target.clone(),
            weight: self.weight,
            mean: sums.iter().map(mean).collect(),
            scatter: Mat::from_fn(m, m, |a, b| if a >= b { scatter(a, b) } else { 0.0 }),
            conditions: conditions
                .map(|all| Arc::new(coded_conditions(all, &self.variables, target, &sums))),
        }
    }

    /// The columns of a variable of `target` in terms of those that are here.
    fn sums(&self, v: usize, target: &Variables) -> Vec<Sum> {
        let (own, wanted) = (&self.variables.list()[v], &target.list()[v]);
        let columns = self.variables.columns(v);
        if own == wanted || !matches!(wanted.kind, Kind::Binary | Kind::Categorical) {
            return columns.map(|j| (0.0, vec![(j, 1.0)])).collect();
        }
        let indicator = |level: &String| match own.level(level) {
            None => (0.0, Vec::new()),
            // The base has no column: it is what the others leave.
            Some(0) => (1.0, columns.clone().map(|j| (j, -1.0)).collect()),
            Some(place) => (0.0, vec![(columns.start + place - 1, 1.0)]),
        };
        wanted.levels.iter().skip(1).map(indicator).collect()
    }
}

/// Conditions in the coding of variables that have these levels, and maybe more.
fn coded_conditions(
    all: &Conditions,
    own: &Variables,
    target: &Variables,
    sums: &[Sum],
) -> Conditions {
    let (variable, told) = (all.variable(), own.columns(all.variable()));
    let place = |column: usize| if column < told.start { column } else { column - told.len() };
    let free = (0..target.width()).filter(|column| !target.columns(variable).contains(column));
    let (constants, factors): (Vec<f64>, Vec<Vec<(usize, f64)>>) = free
        .map(|column| {
            let (constant, of) = &sums[column];
            (*constant, of.iter().map(|&(i, factor)| (place(i), factor)).collect())
        })
        .unzip();
    let mut coded = Conditions::new(target, variable);
    let levels = own.list()[variable].levels.iter().zip(all.parts());
    for (level, part) in levels.filter(|(_, part)| part.rows() > 0) {
        let to = target.list()[variable].level(level).expect("it has the levels of both");
        coded.set(to, part.recoded(&factors).moved(&constants));
    }
    coded
}

/// Where the variables of the first stand in the second.
fn places(one: &Variables, other: &Variables) -> Result<Vec<usize>, Error> {
    let known: HashMap<&str, usize> =
        other.names().iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let alone = |names: Vec<String>| {
        let reason = format!("only one of them has {}", error::list(&names));
        Err(Error::Unmergeable { reason })
    };
    let missing = |names: &[String], of: &Variables| -> Vec<String> {
        names.iter().filter(|name| !of.names().contains(name)).cloned().collect()
    };
    if one.size() != other.size() {
        let (fewer, more) = if one.size() < other.size() { (one, other) } else { (other, one) };
        return alone(missing(more.names(), fewer));
    }
    let places: Option<Vec<usize>> =
        one.names().iter().map(|name| known.get(name.as_str()).copied()).collect();
    places.map_or_else(|| alone(missing(one.names(), other)), Ok)
}

/// One variable that has the levels of both.
fn joint(
    a: &Variable,
    a_counts: &[u64],
    b: &Variable,
    b_counts: &[u64],
    most: usize,
) -> Result<Variable, Error> {
    let unordered = |v: &Variable| matches!(v.kind, Kind::Binary | Kind::Categorical);
    if !(unordered(a) && unordered(b)) {
        let reason = match a.kind == b.kind {
            true if a.kind == Kind::Continuous => {
                format!("`{}` is on another scale in one of them", a.name)
            }
            true => format!("`{}` has other levels in one of them; give the order of all", a.name),
            false => format!(
                "`{}` is {} in one of them and {} in the other; say what it is",
                a.name,
                a.kind.name(),
                b.kind.name()
            ),
        };
        return Err(Error::Unmergeable { reason });
    }
    let mut levels = Levels::with_room(most.max(a.levels.len()));
    a.levels.iter().for_each(|level| _ = levels.code(level));
    let mut counts = a_counts.to_vec();
    for (level, count) in b.levels.iter().zip(b_counts) {
        let Some(code) = levels.code(level) else {
            return Err(Error::TooManyLevels { column: a.name.clone() });
        };
        counts.resize(levels.names().len(), 0);
        counts[code] += count;
    }
    // Levels that were given stay, seen or not.
    let counts: Vec<u64> = counts.into_iter().map(|count| count.max(1)).collect();
    Ok(Variable::of_levels(&a.name, Kind::Categorical, levels.names(), &counts).0)
}
