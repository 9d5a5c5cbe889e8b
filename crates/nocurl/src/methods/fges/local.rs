//! What can be done next at one variable, by any likelihood that is a product over variables.

use super::class::Class;
use super::moves::{Candidate, MOST_CLIQUES, Moves, Score, Scorer, without};
use crate::core::graph::bits::members;
use crate::math::local::Priced;

/// A gain that counts: more than rounding.
const PROGRESS: f64 = 1e-7;

/// Calls `see` with every clique among some variables, the empty one first, until there were too
/// many; true when that happened.
fn cliques(
    class: &Class,
    around: &[usize],
    chosen: &mut Vec<usize>,
    left: &mut usize,
    see: &mut impl FnMut(&[usize]),
) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    see(chosen);
    let mut limited = false;
    for (k, &z) in around.iter().enumerate() {
        let rest = around[k + 1..].iter().copied();
        let next: Vec<usize> = rest.filter(|&other| class.adjacent.has(z, other)).collect();
        chosen.push(z);
        limited |= cliques(class, &next, chosen, left, see);
        chosen.pop();
    }
    limited
}

impl Scorer<'_> {
    /// As [`Scorer::additions`], with gains as values.
    pub(super) fn local_additions(&self, priced: Priced<'_>, class: &Class, y: usize) -> Moves {
        let mut moves = Moves::default();
        let parents: Vec<usize> = members(class.parents.row(y)).collect();
        let near = class.neighbours.row(y);
        let around: Vec<usize> = members(near).collect();
        let candidates: Vec<usize> = (0..self.size())
            .filter(|&x| x != y && !class.adjacent.has(y, x))
            .filter(|&x| self.allowed.is_none_or(|pairs| pairs.has(y, x)))
            .collect();
        let mut left = MOST_CLIQUES;
        let limited = cliques(class, &around, &mut Vec::new(), &mut left, &mut |clique| {
            let given: Vec<usize> = parents.iter().chain(clique).copied().collect();
            if priced.local.freedom(y, &given) > priced.local.rows() / 2.0 {
                return;
            }
            let others = without(near, clique);
            let fits =
                |&x: &usize| class.adjacent.row(x).iter().zip(&others).all(|(a, o)| a & o == 0);
            let open: Vec<usize> = candidates.iter().copied().filter(fits).collect();
            moves.scored += open.len() as u64;
            let (before, now) = (moves.heap.len(), priced.score(y, &given));
            let at = moves.cliques.len();
            priced.scores_with(y, &given, &open, now - PROGRESS, &mut |x, score| {
                if score < now - PROGRESS {
                    moves.heap.push(Candidate { value: now - score, x, clique: at });
                }
            });
            if moves.heap.len() > before {
                moves.cliques.push(clique.to_vec());
            }
        });
        moves.limited = limited;
        moves
    }

    /// As [`Scorer::removals`], with gains as values.
    pub(super) fn local_removals(&self, priced: Priced<'_>, class: &Class, y: usize) -> Moves {
        let mut moves = Moves::default();
        let near: Vec<usize> = members(class.neighbours.row(y)).collect();
        let parents: Vec<usize> = members(class.parents.row(y)).collect();
        let mut left = MOST_CLIQUES;
        let limited = cliques(class, &near, &mut Vec::new(), &mut left, &mut |clique| {
            let given: Vec<usize> = parents.iter().chain(clique).copied().collect();
            let now = priced.score(y, &given);
            let at = moves.cliques.len();
            let fits = |x: usize| clique.iter().all(|&z| z != x && class.adjacent.has(x, z));
            for &x in near.iter().chain(&parents).filter(|&&x| fits(x)) {
                // What the edge gains, given the others.
                let gain = match class.parents.has(y, x) {
                    true => {
                        let rest: Vec<usize> = given.iter().copied().filter(|&z| z != x).collect();
                        priced.score(y, &rest) - now
                    }
                    false => {
                        let more: Vec<usize> = given.iter().copied().chain([x]).collect();
                        now - priced.score(y, &more)
                    }
                };
                moves.scored += 1;
                moves.heap.push(Candidate { value: -gain, x, clique: at });
            }
            moves.cliques.push(clique.to_vec());
        });
        moves.limited = limited;
        moves
    }
}
