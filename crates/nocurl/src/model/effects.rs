//! Effects that a linear graph implies: of one variable on another, and of setting variables.
//!
//! In a linear model `x = A' x + c + z` (row -> column) a unit more of `i` changes `j` by the sum,
//! over all directed paths from `i` to `j`, of the products of the weights on the path (Wright,
//! *The method of path coefficients*, 1934). Setting variables cuts them from their parents
//! (Pearl, *Causality*, 2009, section 3.2): they answer to nothing any more, and the others follow
//! along the paths that remain.
//!
//! The graph and its weights are taken as true. Where the directions are known up to an
//! equivalence class only, [`identified`] says which effects all its members share.

use crate::core::{Dag, Error, Mat, Pdag};

/// The total effect of each variable on each other: entry `(i, j)` is the sum over directed paths
/// from `i` to `j` of the products of the weights, 0 where there is none. This is
/// `(I - A)^-1 - I`, computed along the order in O(d^2 + d m) for m edges.
///
/// ```
/// use nocurl::{Dag, Mat, effects};
/// let mut weights = Mat::zeros(3, 3);
/// (weights[(0, 1)], weights[(1, 2)], weights[(0, 2)]) = (2.0, 3.0, 1.0);
/// let effects = effects::total(&Dag::new(weights)?);
/// assert_eq!(effects[(0, 2)], 2.0 * 3.0 + 1.0);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn total(dag: &Dag) -> Mat<f64> {
    let d = dag.size();
    let mut effects = Mat::zeros(d, d);
    let mut column = vec![0.0; d];
    for &j in dag.order() {
        column.fill(0.0);
        for p in dag.parents(j) {
            // What acts on a parent acts on its child, by the weight of the edge.
            let weight = dag.weight(p, j);
            let into_parent: &[f64] = effects.col_as_slice(p);
            column.iter_mut().zip(into_parent).for_each(|(sum, effect)| *sum += weight * effect);
            column[p] += weight;
        }
        effects.col_as_slice_mut(j).copy_from_slice(&column);
    }
    effects
}

/// The total effects of one variable on all, as a row of [`total`]; 0 for the variable itself.
/// Cost O(d + m) for m edges.
///
/// # Panics
/// When `source` is not a variable.
pub fn of(dag: &Dag, source: usize) -> Vec<f64> {
    let mut change = vec![None; dag.size()];
    change[source] = Some(1.0);
    let mut effects = follow(dag, &change);
    effects[source] = 0.0;
    effects
}

/// The means of all variables after some are set to values: `do(x_i = v_i, ..)`.
///
/// Variables that are set have their values, whatever their parents do; each other variable moves
/// by its parents' changes times the weights, so that its mean changes along the paths that do not
/// pass through a variable that is set. Cost O(d^2).
///
/// ```
/// use nocurl::{Dag, Mat, effects};
/// let mut weights = Mat::zeros(3, 3);
/// (weights[(0, 1)], weights[(1, 2)]) = (2.0, 3.0);
/// let (dag, means) = (Dag::new(weights)?, [1.0, 10.0, 100.0]);
/// assert_eq!(effects::intervene(&dag, &means, &[(0, 2.0)])?, [2.0, 12.0, 106.0]);
/// assert_eq!(effects::intervene(&dag, &means, &[(0, 2.0), (1, 9.0)])?, [2.0, 9.0, 97.0]);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// When there is not one mean for each variable, or a variable that is set does not exist, is set
/// twice or set to a value that is not finite.
pub fn intervene(dag: &Dag, means: &[f64], set: &[(usize, f64)]) -> Result<Vec<f64>, Error> {
    let d = dag.size();
    let refused = |reason| Err(Error::Intervention { reason });
    if means.len() != d {
        let (found, expected) = (means.len(), d);
        return Err(Error::Lengths { what: "means", found, of: "variables", expected });
    }
    let mut change = vec![None; d];
    for &(variable, value) in set {
        if variable >= d {
            return refused(format!("there is no variable {} of {d}", variable + 1));
        }
        if !value.is_finite() {
            return refused(format!("variable {} is set to {value}; give a number", variable + 1));
        }
        if change[variable].replace(value - means[variable]).is_some() {
            return refused(format!("variable {} is set twice; give one value", variable + 1));
        }
    }
    let changes = follow(dag, &change);
    let mut after: Vec<f64> =
        means.iter().zip(&changes).map(|(mean, change)| mean + change).collect();
    // Exactly the value, without the rounding of mean + (value - mean).
    set.iter().for_each(|&(variable, value)| after[variable] = value);
    Ok(after)
}

/// The change of every variable when those with a change of their own take it and the others
/// follow their parents.
fn follow(dag: &Dag, own: &[Option<f64>]) -> Vec<f64> {
    let mut change = vec![0.0; dag.size()];
    for &j in dag.order() {
        change[j] =
            own[j].unwrap_or_else(|| dag.parents(j).map(|p| dag.weight(p, j) * change[p]).sum());
    }
    change
}

/// For each variable, whether all members of a class agree on the effect of setting the variables
/// `set` on it; those in `set` are always agreed on.
///
/// They do exactly when no path from `set` to the variable that could be directed in some member
/// starts with an undirected edge (Perković, *Identifying causal effects in maximally oriented
/// partially directed acyclic graphs*, 2020). Any path without an edge against it counts as one
/// that could be directed, which may find a disagreement where there is none, never the other way
/// round. Cost O(d^2).
///
/// ```
/// use nocurl::{Dag, Pdag, effects};
/// let class = Pdag::class_of(&Dag::from_edges(4, &[(0, 1), (1, 3), (2, 3)])?);
/// assert_eq!(effects::identified(&class, &[0]), [true, false, true, false]);
/// assert_eq!(effects::identified(&class, &[2]), [true; 4]);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Panics
/// When a member of `set` is not a variable.
pub fn identified(class: &Pdag, set: &[usize]) -> Vec<bool> {
    let d = class.size();
    let mut is_set = vec![false; d];
    set.iter().for_each(|&i| is_set[i] = true);
    let mut identified = vec![true; d];
    let mut queue: Vec<usize> = Vec::new();
    for &i in set {
        queue.extend((0..d).filter(|&j| !is_set[j] && class.has_undirected(i, j)));
    }
    while let Some(i) = queue.pop() {
        if !std::mem::replace(&mut identified[i], false) {
            continue;
        }
        let goes_on = |j: usize| class.has_directed(i, j) || class.has_undirected(i, j);
        queue.extend((0..d).filter(|&j| !is_set[j] && identified[j] && goes_on(j)));
    }
    identified
}
