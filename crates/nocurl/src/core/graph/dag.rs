//! Weighted directed acyclic graphs.

use std::sync::OnceLock;

use crate::core::{Dataset, Error, Mat, MatRef};

/// A directed acyclic graph with weights: entry `(i, j)` is not zero exactly when `i -> j`.
///
/// A `Dag` cannot hold a cycle: its constructors prove it. It holds its edges alone; the matrix is
/// made when it is asked for.
#[derive(Debug, Clone)]
pub struct Dag {
    /// Parents of each variable with the weights of their edges, in increasing index.
    parents: Vec<Vec<(usize, f64)>>,
    /// Children of each variable, in increasing index.
    children: Vec<Vec<usize>>,
    /// A topological order: parents come before children.
    order: Vec<usize>,
    matrix: OnceLock<Mat<f64>>,
}

impl PartialEq for Dag {
    fn eq(&self, other: &Self) -> bool {
        self.parents == other.parents
    }
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
        let column = |j: usize| {
            let entries = weights.col(j).iter().copied().enumerate();
            entries.filter(|&(_, weight)| weight != 0.0).collect()
        };
        let dag = Self::sparse((0..weights.ncols()).map(column).collect(), names)?;
        dag.matrix.set(weights).expect("no matrix was made yet");
        Ok(dag)
    }

    /// The graph with these parents of each variable, in increasing index, and the weights of their
    /// edges; an edge of weight 0 is none.
    ///
    /// # Errors
    /// [`Error::Cycle`] with the names `x1 .. xd` of the variables on one cycle.
    pub fn from_parents(parents: Vec<Vec<(usize, f64)>>) -> Result<Self, Error> {
        let names = Dataset::default_names(parents.len());
        Self::from_named_parents(parents, &names)
    }

    /// [`Self::from_parents`] for variables with names, which the error then has.
    ///
    /// # Errors
    /// [`Error::Cycle`] with the names of the variables on one cycle.
    pub fn from_named_parents(
        mut parents: Vec<Vec<(usize, f64)>>,
        names: &[String],
    ) -> Result<Self, Error> {
        for parents in &mut parents {
            parents.retain(|&(_, weight)| weight != 0.0);
            debug_assert!(parents.is_sorted_by_key(|&(i, _)| i));
        }
        Self::sparse(parents, names)
    }

    fn sparse(parents: Vec<Vec<(usize, f64)>>, names: &[String]) -> Result<Self, Error> {
        let mut children = vec![Vec::new(); parents.len()];
        for (j, parents) in parents.iter().enumerate() {
            parents.iter().for_each(|&(i, _)| children[i].push(j));
        }
        match topological_order(&parents, &children) {
            Ok(order) => Ok(Self { parents, children, order, matrix: OnceLock::new() }),
            Err(cycle) => {
                Err(Error::Cycle { names: cycle.iter().map(|&i| names[i].clone()).collect() })
            }
        }
    }

    /// The graph with no edges.
    pub fn empty(d: usize) -> Self {
        let (parents, children) = (vec![Vec::new(); d], vec![Vec::new(); d]);
        Self { parents, children, order: (0..d).collect(), matrix: OnceLock::new() }
    }

    /// A graph with the given edges `from -> to`, each of weight 1.
    ///
    /// # Errors
    /// [`Error::Cycle`] when the edges have a cycle.
    pub fn from_edges(d: usize, edges: &[(usize, usize)]) -> Result<Self, Error> {
        let mut parents = vec![Vec::new(); d];
        edges.iter().for_each(|&(from, to)| parents[to].push((from, 1.0)));
        for parents in &mut parents {
            parents.sort_unstable_by_key(|&(i, _)| i);
            parents.dedup();
        }
        Self::from_parents(parents)
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// The same graph with variable `k` under the number `to[k]`.
    pub(crate) fn renumbered(&self, to: &[usize]) -> Result<Self, Error> {
        let mut parents = vec![Vec::new(); self.size()];
        for (j, own) in self.parents.iter().enumerate() {
            parents[to[j]] = own.iter().map(|&(i, weight)| (to[i], weight)).collect();
            parents[to[j]].sort_unstable_by_key(|&(i, _)| i);
        }
        Self::from_parents(parents)
    }

    /// The graph without edges of smaller size.
    pub(crate) fn thresholded(&self, bound: f64) -> Result<Self, Error> {
        let kept = |own: &Vec<(usize, f64)>| {
            own.iter().copied().filter(|(_, weight)| weight.abs() >= bound).collect()
        };
        Self::from_parents(self.parents.iter().map(kept).collect())
    }

    /// The weights as a matrix, row -> column. It takes d^2 numbers; [`Self::edges`] and
    /// [`Self::weight`] take none.
    pub fn weights(&self) -> MatRef<'_, f64> {
        let matrix = self.matrix.get_or_init(|| {
            let mut matrix = Mat::zeros(self.size(), self.size());
            self.edges().for_each(|(i, j, weight)| matrix[(i, j)] = weight);
            matrix
        });
        matrix.as_ref()
    }

    /// The weight of `from -> to`, 0 where there is no edge.
    pub fn weight(&self, from: usize, to: usize) -> f64 {
        let parents = &self.parents[to];
        let at = parents.binary_search_by_key(&from, |&(i, _)| i);
        at.map_or(0.0, |at| parents[at].1)
    }

    /// Parents of a variable with the weights of their edges, in increasing index.
    pub fn weighted_parents(&self, variable: usize) -> &[(usize, f64)] {
        &self.parents[variable]
    }

    /// A topological order: every parent comes before its children. The same for the same edges.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// True when `from -> to`.
    pub fn has_edge(&self, from: usize, to: usize) -> bool {
        self.weight(from, to) != 0.0
    }

    /// Parents of a variable, in increasing index.
    pub fn parents(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        self.parents[variable].iter().map(|&(i, _)| i)
    }

    /// Children of a variable, in increasing index.
    pub fn children(&self, variable: usize) -> impl Iterator<Item = usize> + '_ {
        self.children[variable].iter().copied()
    }

    /// All edges `(from, to, weight)`, by `to`, then by `from`.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let columns = self.parents.iter().enumerate();
        columns.flat_map(|(j, parents)| parents.iter().map(move |&(i, weight)| (i, j, weight)))
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.parents.iter().map(Vec::len).sum()
    }
}

/// Kahn's algorithm, always taking the smallest free index; on failure, one cycle.
fn topological_order(
    parents: &[Vec<(usize, f64)>],
    children: &[Vec<usize>],
) -> Result<Vec<usize>, Vec<usize>> {
    let d = parents.len();
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut free: std::collections::BTreeSet<usize> = (0..d).filter(|&j| waiting[j] == 0).collect();
    let mut order = Vec::with_capacity(d);
    while let Some(i) = free.pop_first() {
        order.push(i);
        for &j in &children[i] {
            waiting[j] -= 1;
            if waiting[j] == 0 {
                free.insert(j);
            }
        }
    }
    if order.len() == d { Ok(order) } else { Err(find_cycle(parents, &waiting)) }
}

/// Walks backwards along edges among the variables that never became free until one repeats.
fn find_cycle(parents: &[Vec<(usize, f64)>], waiting: &[usize]) -> Vec<usize> {
    let mut walk = vec![waiting.iter().position(|&w| w > 0).expect("some variable is on a cycle")];
    loop {
        let at = walk[walk.len() - 1];
        let parent = parents[at]
            .iter()
            .map(|&(i, _)| i)
            .find(|&i| waiting[i] > 0)
            .expect("a variable that never became free has a parent that never did");
        if let Some(start) = walk.iter().position(|&i| i == parent) {
            let mut cycle = walk.split_off(start);
            cycle.reverse();
            return cycle;
        }
        walk.push(parent);
    }
}
