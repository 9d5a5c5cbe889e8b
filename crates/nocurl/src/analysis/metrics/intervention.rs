//! The structural intervention distance.

use super::compare::same_size;
use crate::core::parallel::*;
use crate::core::{Dag, Error};

/// The structural intervention distance (Peters and Bühlmann, 2015): the number of ordered pairs
/// `(i, j)` for which the effect of setting `i` on `j`, computed by adjusting for the parents of
/// `i` in the estimate, can be wrong in the truth. Between 0 and `d (d - 1)`, and not symmetric.
///
/// With `Z` the parents of `i` in the estimate, and all paths those of the truth:
/// - for `j` in `Z` the estimate has no effect: wrong when `i` reaches `j`;
/// - for other `j`, wrong unless `Z` is a valid adjustment set for `(i, j)`: it holds no descendant
///   of a variable after `i` on a directed path from `i` to `j`, and it blocks every path from `i`
///   to `j` that is not directed.
///
/// The second part is one walk per `i` over (variable, way of arrival) that visits each edge a
/// fixed number of times. Cost O(d (d + m)) for m edges, in parallel over `i`.
///
/// # Errors
/// When the graphs have different numbers of variables.
///
/// ```
/// use nocurl::{Dag, metrics::sid};
/// let truth = Dag::from_edges(3, &[(0, 1), (1, 2)])?;
/// // An extra edge that respects the order does no harm to any effect; a reversed one does.
/// assert_eq!(sid(&truth, &Dag::from_edges(3, &[(0, 1), (1, 2), (0, 2)])?)?, 0);
/// assert_eq!(sid(&truth, &Dag::from_edges(3, &[(1, 0), (1, 2)])?)?, 3);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn sid(truth: &Dag, estimate: &Dag) -> Result<usize, Error> {
    same_size(truth.size(), estimate.size())?;
    let d = truth.size();
    let parents: Vec<Vec<usize>> = (0..d).map(|j| truth.parents(j).collect()).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); d];
    for (j, above) in parents.iter().enumerate() {
        above.iter().for_each(|&i| children[i].push(j));
    }
    let wrong = |i: usize| {
        let adjustment: Vec<usize> = estimate.parents(i).collect();
        Walk::new(&parents, &children, i, &adjustment).wrong_effects()
    };
    Ok((0..d).into_par_iter().map(wrong).sum())
}

/// How a walk from the treatment came to a variable; each is a bit of [`Walk::seen`].
#[derive(Clone, Copy)]
enum Arrival {
    /// Down a directed path, all the way from the treatment.
    Causal = 1,
    /// From a parent, on a walk that is not directed.
    Down = 2,
    /// From a child.
    Up = 4,
    /// Down a directed path from a descendant of the treatment that is an ancestor of, or in, the
    /// adjustment set.
    Forbidden = 8,
    /// Down a directed path from the treatment, whether the adjustment set blocks it or not.
    Descendant = 16,
}

struct Walk<'a> {
    parents: &'a [Vec<usize>],
    children: &'a [Vec<usize>],
    treatment: usize,
    in_adjustment: Vec<bool>,
    above_adjustment: Vec<bool>,
    seen: Vec<u8>,
    stack: Vec<(usize, Arrival)>,
}

impl<'a> Walk<'a> {
    fn new(
        parents: &'a [Vec<usize>],
        children: &'a [Vec<usize>],
        treatment: usize,
        adjustment: &[usize],
    ) -> Self {
        let d = parents.len();
        let mut in_adjustment = vec![false; d];
        adjustment.iter().for_each(|&z| in_adjustment[z] = true);
        let mut above_adjustment = in_adjustment.clone();
        let mut climb = adjustment.to_vec();
        while let Some(z) = climb.pop() {
            for &p in &parents[z] {
                if !above_adjustment[p] {
                    above_adjustment[p] = true;
                    climb.push(p);
                }
            }
        }
        Self {
            parents,
            children,
            treatment,
            in_adjustment,
            above_adjustment,
            seen: vec![0; d],
            stack: Vec::new(),
        }
    }

    fn wrong_effects(mut self) -> usize {
        self.visit_all(&self.parents[self.treatment], Arrival::Up);
        self.visit_all(&self.children[self.treatment], Arrival::Causal);
        self.visit_all(&self.children[self.treatment], Arrival::Descendant);
        while let Some((v, arrival)) = self.stack.pop() {
            let (parents, children) = (&self.parents[v], &self.children[v]);
            let open = !self.in_adjustment[v];
            // Arriving from above, the way back up is through a collider.
            let collider_open = self.above_adjustment[v];
            match arrival {
                Arrival::Causal | Arrival::Down => {
                    if open {
                        self.visit_all(children, arrival);
                    }
                    if collider_open {
                        self.visit_all(parents, Arrival::Up);
                    }
                }
                Arrival::Up if open => {
                    self.visit_all(parents, Arrival::Up);
                    self.visit_all(children, Arrival::Down);
                }
                Arrival::Up => {}
                Arrival::Forbidden => self.visit_all(children, Arrival::Forbidden),
                Arrival::Descendant => {
                    self.visit_all(children, Arrival::Descendant);
                    if collider_open {
                        self.visit_all(&[v], Arrival::Forbidden);
                    }
                }
            }
        }
        let not_adjusted = Arrival::Down as u8 | Arrival::Up as u8 | Arrival::Forbidden as u8;
        (0..self.seen.len())
            .filter(|&j| {
                let harmful =
                    if self.in_adjustment[j] { Arrival::Descendant as u8 } else { not_adjusted };
                self.seen[j] & harmful != 0
            })
            .count()
    }

    /// Never comes back to the treatment: a path visits it only at its start.
    fn visit_all(&mut self, variables: &[usize], arrival: Arrival) {
        for &v in variables {
            if v != self.treatment && self.seen[v] & arrival as u8 == 0 {
                self.seen[v] |= arrival as u8;
                self.stack.push((v, arrival));
            }
        }
    }
}
