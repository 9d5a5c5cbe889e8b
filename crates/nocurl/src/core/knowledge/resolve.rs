//! From names to indices, with every contradiction named.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::resolved::Known;
use super::{Knowledge, KnowledgeSpec};
use crate::core::Error;
use crate::core::error::closest;
use crate::core::graph::Reachability;
use crate::core::graph::bits::{BitMatrix, members};

impl KnowledgeSpec {
    /// The statements about the variables of these names, by index.
    ///
    /// Cost O(d^2 + d m / 64) for m pairs of variables that a statement orders.
    ///
    /// # Errors
    /// [`Error::UnknownVariable`] for a name that is not there; [`Error::Knowledge`] for an edge
    /// to itself and for statements that no graph satisfies, naming them: a cycle of required
    /// edges, an edge that is required and forbidden, or required against tiers, into a source or
    /// out of a sink, and a variable in two tiers.
    pub fn resolve(&self, names: &[String]) -> Result<Knowledge, Error> {
        let statements = Statements::new(self, names)?;
        statements.check()?;
        Ok(statements.knowledge())
    }
}

/// The statements of a specification by index.
struct Statements<'a> {
    names: &'a [String],
    required: Vec<(usize, usize)>,
    forbidden: Vec<(usize, usize)>,
    tiers: Vec<Vec<usize>>,
    /// The tier of each variable, counted from 0.
    tier: Vec<Option<usize>>,
    forbid_within: Vec<bool>,
    source: Vec<bool>,
    sink: Vec<bool>,
    /// Which variables required edges lead to.
    leads: Reachability,
}

impl<'a> Statements<'a> {
    fn new(spec: &KnowledgeSpec, names: &'a [String]) -> Result<Self, Error> {
        let d = names.len();
        let index: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let find = |name: &String| {
            index.get(name.as_str()).copied().ok_or_else(|| Error::UnknownVariable {
                name: name.clone(),
                suggestion: closest(name, names.iter().map(String::as_str)).map(Into::into),
            })
        };
        let edges = |pairs: &[(String, String)]| {
            let find_both = |(from, to): &(String, String)| Ok((find(from)?, find(to)?));
            pairs.iter().map(find_both).collect::<Result<Vec<_>, Error>>()
        };
        let marks = |variables: &[String]| {
            let mut marks = vec![false; d];
            for name in variables {
                marks[find(name)?] = true;
            }
            Ok::<_, Error>(marks)
        };
        let mut tier: Vec<Option<usize>> = vec![None; d];
        let mut tiers = vec![Vec::new(); spec.tiers.len()];
        for (k, given) in spec.tiers.iter().enumerate() {
            for name in &given.variables {
                let v = find(name)?;
                match tier[v].replace(k) {
                    None => tiers[k].push(v),
                    Some(other) if other == k => {}
                    Some(other) => {
                        let (first, second) = (other + 1, k + 1);
                        return conflict(format!("`{name}` is in tier {first} and tier {second}"));
                    }
                }
            }
        }
        let required = edges(&spec.required)?;
        let mut children = vec![Vec::new(); d];
        required.iter().for_each(|&(from, to)| children[from].push(to));
        Ok(Self {
            names,
            forbidden: edges(&spec.forbidden)?,
            tiers,
            tier,
            forbid_within: spec.tiers.iter().map(|tier| tier.forbid_within).collect(),
            source: marks(&spec.sources)?,
            sink: marks(&spec.sinks)?,
            leads: Reachability::of_children(&children),
            required,
        })
    }

    /// The first contradiction, in words.
    fn check(&self) -> Result<(), Error> {
        for &(from, to) in self.required.iter().chain(&self.forbidden) {
            if from == to {
                return conflict(format!("an edge from `{}` to itself", self.names[from]));
            }
        }
        let forbidden: BTreeSet<&(usize, usize)> = self.forbidden.iter().collect();
        for &(from, to) in &self.required {
            let edge = self.chain(&[from, to]);
            if forbidden.contains(&(from, to)) {
                return conflict(format!("{edge} is required and forbidden"));
            }
            if self.source[to] {
                return conflict(format!(
                    "{edge} is required, but `{}` is a source",
                    self.names[to]
                ));
            }
            if self.sink[from] {
                return conflict(format!(
                    "{edge} is required, but `{}` is a sink",
                    self.names[from]
                ));
            }
            if self.leads.reaches(to, from) {
                let mut cycle = self.required_path(to, from);
                cycle.insert(0, from);
                let cycle = self.chain(&cycle);
                return conflict(format!("the required edges {cycle} are a cycle"));
            }
            match (self.tier[from], self.tier[to]) {
                (Some(a), Some(b)) if a == b && self.forbid_within[a] => {
                    let tier = a + 1;
                    return conflict(format!(
                        "{edge} is required, but tier {tier} has no edges within it"
                    ));
                }
                (Some(a), Some(b)) if a > b => {
                    let (a, b) = (a + 1, b + 1);
                    return conflict(format!(
                        "{edge} is required, but leads from tier {a} back to tier {b}"
                    ));
                }
                _ => {}
            }
        }
        self.check_paths_between_tiers()
    }

    /// Required edges through variables in no tier must not lead back in time either.
    fn check_paths_between_tiers(&self) -> Result<(), Error> {
        for (k, later) in self.tiers.iter().enumerate() {
            for &from in later {
                let mut earlier = self.tiers[..k].iter().flatten();
                if let Some(&to) = earlier.find(|&&to| self.leads.reaches(from, to)) {
                    let path = self.chain(&self.required_path(from, to));
                    let (a, b) = (k + 1, self.tier[to].map_or(0, |tier| tier + 1));
                    return conflict(format!(
                        "the required edges {path} lead from tier {a} back to tier {b}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// The shortest path of required edges, which is there.
    fn required_path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut came_from = vec![None; self.names.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &(_, next) in self.required.iter().filter(|&&(start, _)| start == at) {
                if next != from && came_from[next].is_none() {
                    came_from[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        let mut path = vec![to];
        let mut at = to;
        while let Some(before) = came_from[at] {
            path.push(before);
            at = before;
        }
        path.reverse();
        path
    }

    /// Variables as `a` -> `b` -> `c`.
    fn chain(&self, variables: &[usize]) -> String {
        let names: Vec<String> =
            variables.iter().map(|&i| format!("`{}`", self.names[i])).collect();
        names.join(" -> ")
    }

    /// What the statements, which do not contradict each other, mean for every pair.
    fn knowledge(&self) -> Knowledge {
        let d = self.names.len();
        let before = self.before();
        let mut required = BitMatrix::new(d);
        self.required.iter().for_each(|&(from, to)| required.insert(to, from));
        let mut allowed = BitMatrix::new(d);
        for to in (0..d).filter(|&to| !self.source[to]) {
            for from in (0..d).filter(|&from| from != to && !self.sink[from]) {
                let alike = self.tier[from].filter(|_| self.tier[from] == self.tier[to]);
                let within = alike.is_some_and(|tier| self.forbid_within[tier]);
                if !within && !before.has(from, to) {
                    allowed.insert(to, from);
                }
            }
        }
        self.forbidden.iter().for_each(|&(from, to)| allowed.remove(to, from));
        debug_assert!((0..d).all(|v| members(required.row(v)).all(|i| allowed.has(v, i))));
        Knowledge::new(self.names, Known { required, allowed, before })
    }

    /// For each variable those that come before it in every order.
    fn before(&self) -> BitMatrix {
        let d = self.names.len();
        let mut later: Vec<Vec<usize>> = vec![Vec::new(); d];
        self.required.iter().for_each(|&(from, to)| later[from].push(to));
        let occupied: Vec<&Vec<usize>> =
            self.tiers.iter().filter(|tier| !tier.is_empty()).collect();
        for pair in occupied.windows(2) {
            pair[0].iter().for_each(|&i| later[i].extend(pair[1]));
        }
        // No statement orders these against anything that they do not come before, or after.
        let first = |v: usize| self.source[v] && self.tier[v].is_none();
        let last = |v: usize| self.sink[v] && self.tier[v].is_none() && !first(v);
        for (i, later) in later.iter_mut().enumerate() {
            later.extend((0..d).filter(|&j| first(i) && !first(j) || last(j) && !last(i)));
        }
        let reach = Reachability::of_children(&later);
        debug_assert!(!reach.is_cyclic());
        let mut before = BitMatrix::new(d);
        for i in 0..d {
            (0..d).filter(|&j| reach.reaches(i, j)).for_each(|j| before.insert(j, i));
        }
        before
    }
}

fn conflict<T>(reason: String) -> Result<T, Error> {
    Err(Error::Knowledge { reason })
}
