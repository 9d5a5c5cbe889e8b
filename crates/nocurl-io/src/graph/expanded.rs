//! A graph of the columns that code its variables.

use std::ops::Range;

use nocurl::{Dag, Kind, Pdag, Variables};

use super::GraphDocument;
use crate::Error;

/// A graph with one node for each column that codes a variable: the variable itself, or the
/// indicator of each level of a categorical one but the base. Effects of levels add up along its
/// paths as those of numbers do.
#[derive(Debug, Clone)]
pub struct Expanded {
    /// The names of the columns, such as `age` and `species=Adelie`.
    pub names: Vec<String>,
    /// The columns of each variable.
    pub columns: Vec<Range<usize>>,
    /// The coefficients.
    pub dag: Dag,
    /// Which directions are determined.
    pub determined: Pdag,
    /// Means of numbers, shares of levels, where they are known.
    pub means: Option<Vec<f64>>,
    /// The variables, where their kinds are known.
    pub variables: Variables,
}

impl GraphDocument {
    /// The graph of the columns that code the variables.
    ///
    /// # Errors
    /// Those of [`GraphDocument::dag`] and [`GraphDocument::determined`].
    pub fn expanded(&self) -> Result<Expanded, Error> {
        let list = self.kinds.iter().map(|known| known.variable.clone()).collect();
        let variables = match self.kinds.is_empty() {
            true => Variables::continuous(self.variables.clone()),
            false => Variables::new(list),
        };
        let m = variables.width();
        let mut weights = Vec::new();
        let (mut directed, mut undirected) = (Vec::new(), Vec::new());
        for (from, to, edge) in self.indexed_edges()? {
            let ends = variables.columns(from);
            let pairs = ends.flat_map(|i| variables.columns(to).map(move |j| (i, j)));
            for (k, (i, j)) in pairs.enumerate() {
                let value = edge.coefficients.get(k).map(|coefficient| coefficient.value);
                let value = value.or(edge.weight).unwrap_or(1.0);
                weights.push((i, j, value));
                let pairs = if edge.is_determined() { &mut directed } else { &mut undirected };
                pairs.push((i, j));
            }
        }
        Ok(Expanded {
            names: (0..m).map(|column| variables.column_name(column)).collect(),
            columns: (0..variables.size()).map(|v| variables.columns(v)).collect(),
            dag: Dag::from_parents(parents(m, weights.into_iter()))?,
            determined: Pdag::new(m, &directed, &undirected)?,
            means: self.column_means(),
            variables,
        })
    }

    /// Means of numbers and shares of levels, column by column.
    fn column_means(&self) -> Option<Vec<f64>> {
        if self.means.is_some() || self.kinds.is_empty() {
            return self.means.clone();
        }
        let mut means = Vec::new();
        for known in &self.kinds {
            match known.variable.kind {
                Kind::Categorical => {
                    let width = known.variable.width();
                    means.extend(known.shares.get(1..=width)?);
                }
                _ => means.push(known.mean?),
            }
        }
        Some(means)
    }
}

/// The parents of each variable with the weights of their edges, of which there are a few where
/// variables are many; the smallest positive number for a weight of 0, which would be no edge. Of
/// several edges between two variables the last counts.
pub(super) fn parents(
    size: usize,
    edges: impl Iterator<Item = (usize, usize, f64)>,
) -> Vec<Vec<(usize, f64)>> {
    let mut parents = vec![Vec::new(); size];
    for (from, to, weight) in edges {
        parents[to].push((from, if weight == 0.0 { f64::MIN_POSITIVE } else { weight }));
    }
    for own in &mut parents {
        own.reverse();
        own.sort_by_key(|&(from, _)| from);
        own.dedup_by_key(|&mut (from, _)| from);
    }
    parents
}
