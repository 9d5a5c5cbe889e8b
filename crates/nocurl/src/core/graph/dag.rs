//! Weighted directed acyclic graphs.

use crate::core::{Dataset, Error, Mat, MatRef};

/// A directed acyclic graph with weights: entry `(i, j)` is not zero exactly when `i -> j`.
///
/// A `Dag` cannot hold a cycle: its constructors prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct Dag {
    weights: Mat<f64>,
    /// A topological order: parents come before children.
    order: Vec<usize>,
}

impl Dag {
    /// The graph of the entries of `weights` that are not zero. Cost O(d^2).
    ///
    /// # Errors
    /// [`Error::Cycle`] with the names `x1 .. xd` of the variables on one cycle.
    ///
    /// ```
    /// use nocurl::{Dag, Mat};
    /// let mut weights = Mat::zeros(2, 2);
    /// weights[(0, 1)] = 1.5;
    /// assert_eq!(Dag::new(weights.clone()).unwrap().edge_count(), 1);
    /// weights[(1, 0)] = 1.0;
    /// assert!(Dag::new(weights).is_err());
    /// ```
    pub fn new(weights: Mat<f64>) -> Result<Self, Error> {
        let names = Dataset::default_names(weights.nrows());
        Self::named(weights, &names)
    }

    /// [`Self::new`] for variables with names, which the error then has.
    ///
    /// # Errors
    /// [`Error::Cycle`] with the names of the variables on one cycle.
    pub fn named(weights: Mat<f64>, names: &[String]) -> Result<Self, Error> {
        assert_eq!(weights.nrows(), weights.ncols(), "a graph's matrix is square");
        match topological_order(weights.as_ref()) {
            Ok(order) => Ok(Self { weights, order }),
            Err(cycle) => {
                Err(Error::Cycle { names: cycle.iter().map(|&i| names[i].clone()).collect() })
            }
        }
    }

    /// The graph with no edges.
    pub fn empty(d: usize) -> Self {
        Self { weights: Mat::zeros(d, d), order: (0..d).collect() }
    }

    /// A graph with the given edges `from -> to`, each of weight 1.
    ///
    /// # Errors
    /// [`Error::Cycle`] when the edges have a cycle.
    pub fn from_edges(d: usize, edges: &[(usize, usize)]) -> Result<Self, Error> {
        let mut weights = Mat::zeros(d, d);
        for &edge in edges {
            weights[edge] = 1.0;
        }
        Self::new(weights)
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// The weights, row -> column.
    pub fn weights(&self) -> MatRef<'_, f64> {
        self.weights.as_ref()
    }

    /// A topological order: every parent comes before its children. The same for the same edges.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// True when `from -> to`.
    pub fn has_edge(&self, from: usize, to: usize) -> bool {
        self.weights[(from, to)] != 0.0
    }

    /// Parents of a variable, in increasing index.
    pub fn parents(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(move |&i| self.has_edge(i, variable))
    }

    /// Children of a variable, in increasing index.
    pub fn children(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(move |&j| self.has_edge(variable, j))
    }

    /// All edges `(from, to, weight)`, by `to`, then by `from`.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.size())
            .flat_map(move |j| self.parents(j).map(move |i| (i, j, self.weights[(i, j)])))
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges().count()
    }
}

/// Kahn's algorithm, always taking the smallest free index; on failure, one cycle.
fn topological_order(weights: MatRef<'_, f64>) -> Result<Vec<usize>, Vec<usize>> {
    let d = weights.nrows();
    let mut waiting: Vec<usize> =
        (0..d).map(|j| (0..d).filter(|&i| weights[(i, j)] != 0.0).count()).collect();
    let mut free: std::collections::BTreeSet<usize> = (0..d).filter(|&j| waiting[j] == 0).collect();
    let mut order = Vec::with_capacity(d);
    while let Some(i) = free.pop_first() {
        order.push(i);
        for j in 0..d {
            if weights[(i, j)] != 0.0 {
                waiting[j] -= 1;
                if waiting[j] == 0 {
                    free.insert(j);
                }
            }
        }
    }
    if order.len() == d { Ok(order) } else { Err(find_cycle(weights, &waiting)) }
}

/// Walks backwards along edges among the variables that never became free until one repeats.
fn find_cycle(weights: MatRef<'_, f64>, waiting: &[usize]) -> Vec<usize> {
    let mut walk = vec![waiting.iter().position(|&w| w > 0).expect("some variable is on a cycle")];
    loop {
        let at = walk[walk.len() - 1];
        let parent = (0..waiting.len())
            .find(|&i| waiting[i] > 0 && weights[(i, at)] != 0.0)
            .expect("a variable that never became free has a parent that never did");
        if let Some(start) = walk.iter().position(|&i| i == parent) {
            let mut cycle = walk.split_off(start);
            cycle.reverse();
            return cycle;
        }
        walk.push(parent);
    }
}
