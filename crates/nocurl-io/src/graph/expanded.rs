//! A graph of the columns that code its variables.

use std::ops::Range;

use nocurl::memory::{Memory, ask};
use nocurl::{Dag, Kind, Mat, Pdag, Variables};

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
        ask("the weights of the graph", Memory::matrices(2.0).at(m, 0))?;
        let mut weights = Mat::zeros(m, m);
        let (mut directed, mut undirected) = (Vec::new(), Vec::new());
        for (from, to, edge) in self.indexed_edges()? {
            let ends = variables.columns(from);
            let pairs = ends.flat_map(|i| variables.columns(to).map(move |j| (i, j)));
            for (k, (i, j)) in pairs.enumerate() {
                let value = edge.coefficients.get(k).map(|coefficient| coefficient.value);
                let value = value.or(edge.weight).unwrap_or(1.0);
                weights[(i, j)] = if value == 0.0 { f64::MIN_POSITIVE } else { value };
                let pairs = if edge.is_determined() { &mut directed } else { &mut undirected };
                pairs.push((i, j));
            }
        }
        Ok(Expanded {
            names: (0..m).map(|column| variables.column_name(column)).collect(),
            columns: (0..variables.size()).map(|v| variables.columns(v)).collect(),
            dag: Dag::new(weights)?,
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
