//! The pairs of variables that have to do with each other.

use crate::core::Knowledge;
use crate::core::parallel::*;
use crate::math::regress::{Grower, Growth};

/// For each variable those near it, in increasing order; symmetric.
pub(super) struct Pairs {
    near: Vec<Vec<usize>>,
}

impl Pairs {
    /// Near a variable are those that its regression on all others needs, and those that need it;
    /// also the parents that prior knowledge requires. Cost O(d^2 k^2) for k of them.
    pub(super) fn new(grower: &Grower<'_>, knowledge: &Knowledge) -> Self {
        let d = grower.moments().ncols();
        let near = (0..d)
            .into_par_iter()
            .map_init(Growth::default, |growth, j| {
                growth.begin(grower, j);
                grower.grow(growth, |_| true);
                growth.chosen().to_vec()
            })
            .collect();
        let mut pairs = Self { near };
        let both = |(j, near): (usize, &Vec<usize>)| near.iter().map(move |&i| (i, j)).collect();
        let mut all: Vec<(usize, usize)> =
            pairs.near.iter().enumerate().flat_map(|part| -> Vec<_> { both(part) }).collect();
        all.extend(knowledge.required_edges());
        pairs.join(&all);
        pairs
    }

    /// Number of variables.
    pub(super) fn size(&self) -> usize {
        self.near.len()
    }

    /// Makes each of these pairs near each other.
    pub(super) fn join(&mut self, pairs: &[(usize, usize)]) {
        for &(i, j) in pairs {
            self.near[i].push(j);
            self.near[j].push(i);
        }
        for near in &mut self.near {
            near.sort_unstable();
            near.dedup();
        }
    }

    /// The variables that may act on each.
    pub(super) fn columns(&self, knowledge: &Knowledge) -> Vec<Vec<usize>> {
        let column = |(j, near): (usize, &Vec<usize>)| {
            near.iter().copied().filter(|&i| knowledge.allows(i, j)).collect()
        };
        self.near.iter().enumerate().map(column).collect()
    }
}
