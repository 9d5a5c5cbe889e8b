//! Sets of variables to adjust for, so that a regression gives the effect of one variable on
//! another.
//!
//! In a class of graphs, the effect of `x` on `y` is the coefficient of `x` in a regression of `y`
//! on `x` and such a set exactly when every path from `x` to `y` that could be directed starts with
//! a directed edge, the set holds nothing that `x` may act on along such paths, and it blocks all
//! other paths (Perković, Textor, Kalisch and Maathuis, *Complete graphical characterization and
//! construction of adjustment sets*, JMLR 18, 2018). A set that blocks them in one member does in all.

use super::effects::identified;
use crate::core::{Dag, Pdag};

/// Sets to adjust for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Adjustment {
    /// The set with the smallest variance of the estimate, of all that are valid: the parents of
    /// the variables on the paths (Henckel, Perković and Maathuis, JRSS B 84, 2022).
    pub optimal: Vec<usize>,
    /// A set that is valid and has no smaller valid set inside, out of the optimal one.
    pub minimal: Vec<usize>,
    /// The determined parents of the cause: valid as well.
    pub parents: Vec<usize>,
}

/// Sets to adjust for in a class of graphs, so that a regression gives the effect of `cause` on
/// `effect`; nothing where the effect depends on undetermined directions, or where no directed path
/// can lead to `effect`, so that the effect is 0.
///
/// Cost O(d^2) and a walk for each variable of the optimal set.
///
/// ```
/// use nocurl::adjustment::adjustment;
/// use nocurl::{Dag, Pdag};
/// // z acts on both x and y, and x on y.
/// let graph = Pdag::of_dag(&Dag::from_edges(3, &[(2, 0), (2, 1), (0, 1)])?);
/// let sets = adjustment(&graph, 0, 1).unwrap();
/// assert_eq!((sets.optimal, sets.minimal), (vec![2], vec![2]));
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Panics
/// When one of the two is not a variable.
pub fn adjustment(class: &Pdag, cause: usize, effect: usize) -> Option<Adjustment> {
    if cause == effect || !identified(class, &[cause])[effect] {
        return None;
    }
    let member = class.to_dag().ok()?;
    let between = between(class, cause, effect);
    if !between[effect] {
        return None;
    }
    let d = class.size();
    let mut forbidden = possible_descendants(class, (0..d).filter(|&v| between[v]));
    forbidden[cause] = true;
    let mut optimal: Vec<usize> = (0..d)
        .filter(|&p| !forbidden[p] && (0..d).any(|v| between[v] && class.has_directed(p, v)))
        .collect();
    if !blocks(&member, cause, effect, &between, &optimal) {
        optimal.clone_from(&class.parents(cause));
    }
    let mut minimal = optimal.clone();
    for &v in &optimal {
        let without: Vec<usize> = minimal.iter().copied().filter(|&other| other != v).collect();
        if blocks(&member, cause, effect, &between, &without) {
            minimal = without;
        }
    }
    Some(Adjustment { optimal, minimal, parents: class.parents(cause) })
}

/// The variables other than `cause` on paths from it to `effect` that could be directed and do not
/// come back to `cause`.
fn between(class: &Pdag, cause: usize, effect: usize) -> Vec<bool> {
    let d = class.size();
    let may_act = |i: usize, j: usize| class.has_directed(i, j) || class.has_undirected(i, j);
    let walk = |start: usize, step: &dyn Fn(usize, usize) -> bool| {
        let mut seen = vec![false; d];
        let mut queue = vec![start];
        while let Some(i) = queue.pop() {
            for j in (0..d).filter(|&j| j != cause && step(i, j)) {
                if !std::mem::replace(&mut seen[j], true) {
                    queue.push(j);
                }
            }
        }
        seen
    };
    let from = walk(cause, &may_act);
    let mut towards = walk(effect, &|i, j| may_act(j, i));
    towards[effect] = true;
    (0..d).map(|v| from[v] && towards[v]).collect()
}

/// What the variables may act on, themselves included.
fn possible_descendants(class: &Pdag, of: impl Iterator<Item = usize>) -> Vec<bool> {
    let d = class.size();
    let mut seen = vec![false; d];
    let mut queue: Vec<usize> = of.collect();
    queue.iter().for_each(|&v| seen[v] = true);
    while let Some(i) = queue.pop() {
        for j in (0..d).filter(|&j| class.has_directed(i, j) || class.has_undirected(i, j)) {
            if !std::mem::replace(&mut seen[j], true) {
                queue.push(j);
            }
        }
    }
    seen
}

/// Whether the set blocks every path that is not directed from `cause` to `effect`: whether it
/// separates them once the first edges of directed paths are taken away.
fn blocks(dag: &Dag, cause: usize, effect: usize, between: &[bool], set: &[usize]) -> bool {
    let first = |i: usize, j: usize| i == cause && between[j];
    let edge = |i: usize, j: usize| dag.has_edge(i, j) && !first(i, j);
    !connected(dag.size(), edge, cause, effect, set)
}

/// Whether a path joins the two that the set does not block (Shachter's walk: a ball comes from a
/// parent or from a child, and passes or bounces).
fn connected(
    d: usize,
    edge: impl Fn(usize, usize) -> bool,
    from: usize,
    to: usize,
    set: &[usize],
) -> bool {
    let mut given = vec![false; d];
    set.iter().for_each(|&v| given[v] = true);
    // Entry (v, 1) is a ball that comes from a parent, (v, 0) from a child.
    let mut seen = vec![[false; 2]; d];
    let mut queue = vec![(from, 0)];
    while let Some((v, from_parent)) = queue.pop() {
        if std::mem::replace(&mut seen[v][from_parent], true) {
            continue;
        }
        if v == to {
            return true;
        }
        let up = if from_parent == 1 { given[v] } else { !given[v] };
        let down = !given[v];
        if up {
            queue.extend((0..d).filter(|&p| edge(p, v)).map(|p| (p, 0)));
        }
        if down {
            queue.extend((0..d).filter(|&c| edge(v, c)).map(|c| (c, 1)));
        }
    }
    false
}
