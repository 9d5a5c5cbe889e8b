//! Effects over the graphs of a class: all values that its members give.
//!
//! Where directions are undetermined, the effect of a variable depends on which of its neighbours
//! are its parents. Every set of neighbours that can be the parents in some member gives a value:
//! the coefficient in the regression on the cause and these parents (Maathuis, Kalisch and Bühlmann,
//! *Estimating high-dimensional intervention effects from observational data*, Annals of Statistics
//! 37, 2009; with directions known beforehand Fang and He, *IDA with background knowledge*, UAI 2020).

use super::effects;
use crate::core::{Dag, Error, Mat, MatRef, Pdag};
use crate::math::linalg::Cholesky;

/// The most parent sets of one variable that are listed.
pub const MOST_SETS: usize = 4096;

/// The most members that an intervention on several variables looks at.
const MOST_MEMBERS: usize = 1024;

/// The sets of variables that are the parents of `variable` in some graph of the class, the
/// determined ones included; nothing when there are more than [`MOST_SETS`].
///
/// A set of undirected neighbours is possible when all of them are next to each other, and none of
/// them follows from a neighbour outside of the set.
///
/// # Panics
/// When `variable` is not there.
pub fn parent_sets(class: &Pdag, variable: usize) -> Option<Vec<Vec<usize>>> {
    let siblings = class.siblings(variable);
    // Cliques grow by one later neighbour at a time.
    let mut cliques: Vec<Vec<usize>> = vec![Vec::new()];
    let mut next = 0;
    while next < cliques.len() {
        let clique = cliques[next].clone();
        next += 1;
        for &s in siblings.iter().filter(|&&s| clique.last().is_none_or(|&last| s > last)) {
            if clique.iter().all(|&other| class.is_adjacent(s, other)) {
                cliques.push([clique.as_slice(), &[s]].concat());
            }
        }
        if cliques.len() > MOST_SETS {
            return None;
        }
    }
    let closed = |set: &Vec<usize>| {
        let outside = |c: &&usize| !set.contains(c);
        !siblings.iter().filter(outside).any(|&c| set.iter().any(|&s| class.has_directed(c, s)))
    };
    let known = class.parents(variable);
    let mut sets: Vec<Vec<usize>> = cliques
        .into_iter()
        .filter(closed)
        .map(|set| {
            let mut parents = [known.as_slice(), &set].concat();
            parents.sort_unstable();
            parents
        })
        .collect();
    sets.sort();
    Some(sets)
}

/// For each parent set of `cause` that some member has, its effects on all variables; nothing when
/// there are more sets than can be listed or the moments of one are singular. `covariance` is that
/// of the data or of the model.
///
/// ```
/// use nocurl::class_effects::effects_over_class;
/// use nocurl::{Dag, Mat, Pdag};
/// let class = Pdag::class_of(&Dag::from_edges(2, &[(0, 1)])?);
/// let covariance = Mat::from_fn(2, 2, |i, j| [[1.0, 2.0], [2.0, 5.0]][i][j]);
/// let values = effects_over_class(&class, covariance.as_ref(), 0).unwrap();
/// assert_eq!(values, [[0.0, 2.0], [0.0, 0.0]]);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Panics
/// When `cause` is not there.
pub fn effects_over_class(
    class: &Pdag,
    covariance: MatRef<'_, f64>,
    cause: usize,
) -> Option<Vec<Vec<f64>>> {
    let sets = parent_sets(class, cause)?;
    sets.iter().map(|parents| with_parents(covariance, cause, parents)).collect()
}

/// The coefficient of `cause` in the regressions of all variables on it and its parents.
fn with_parents(s: MatRef<'_, f64>, cause: usize, parents: &[usize]) -> Option<Vec<f64>> {
    let regressors: Vec<usize> = std::iter::once(cause).chain(parents.iter().copied()).collect();
    let m = regressors.len();
    let block = Mat::from_fn(m, m, |a, b| s[(regressors[a], regressors[b])]);
    let inverse = Cholesky::new(block.as_ref())?.inverse();
    let coefficient = |y: usize| (0..m).map(|a| inverse[(0, a)] * s[(regressors[a], y)]).sum();
    let of = |y: usize| if regressors.contains(&y) { 0.0 } else { coefficient(y) };
    Some((0..s.nrows()).map(of).collect())
}

/// The means after some variables are set, in every member whose parents of these variables differ;
/// nothing when there are too many.
///
/// # Errors
/// Those of [`effects::intervene`].
pub fn interventions_over_class(
    class: &Pdag,
    covariance: MatRef<'_, f64>,
    means: &[f64],
    set: &[(usize, f64)],
) -> Result<Option<Vec<Vec<f64>>>, Error> {
    let variables: Vec<usize> = set.iter().map(|&(variable, _)| variable).collect();
    let Some(members) = members(class, &variables) else { return Ok(None) };
    let mut all = Vec::with_capacity(members.len());
    for member in members {
        let Some(fitted) = fitted(&member, covariance) else { return Ok(None) };
        all.push(effects::intervene(&fitted, means, set)?);
    }
    Ok(Some(all))
}

/// A member for each way in which the variables can have their parents.
fn members(class: &Pdag, variables: &[usize]) -> Option<Vec<Dag>> {
    let mut graphs = vec![class.clone()];
    for &v in variables {
        let mut next = Vec::new();
        for graph in &graphs {
            for parents in parent_sets(graph, v)? {
                let mut directed = graph.clone();
                for s in graph.siblings(v) {
                    let (from, to) = if parents.contains(&s) { (s, v) } else { (v, s) };
                    directed.direct(from, to);
                }
                directed.apply_meek_rules();
                if directed.to_dag().is_ok() {
                    next.push(directed);
                }
            }
            if next.len() > MOST_MEMBERS {
                return None;
            }
        }
        graphs = next;
    }
    graphs.iter().map(|graph| graph.to_dag().ok()).collect()
}

/// A graph with the weights that go with a covariance.
fn fitted(dag: &Dag, s: MatRef<'_, f64>) -> Option<Dag> {
    let d = dag.size();
    let mut weights = Mat::zeros(d, d);
    for j in 0..d {
        let parents: Vec<usize> = dag.parents(j).collect();
        let m = parents.len();
        let block = Mat::from_fn(m, m, |a, b| s[(parents[a], parents[b])]);
        let inverse = Cholesky::new(block.as_ref())?.inverse();
        for a in 0..m {
            weights[(parents[a], j)] = (0..m).map(|b| inverse[(a, b)] * s[(parents[b], j)]).sum();
        }
    }
    Dag::new(weights).ok()
}
