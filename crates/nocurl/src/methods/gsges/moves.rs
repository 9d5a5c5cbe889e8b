//! What can be done at a variable, by kernel scores.

use super::score::KernelScore;
use crate::core::graph::bits::members;
use crate::core::parallel::*;
use crate::core::{Dag, Run};
use crate::methods::fges::{Candidate, Class, Moves, Score};

/// Cliques tried at most among the neighbours of a variable.
const MOST_CLIQUES: usize = 256;

/// Kernel scores as the greedy search asks for them: the value of a candidate is what it gains.
pub(super) struct Scorer<'a> {
    pub(super) score: KernelScore,
    /// For each variable, the others that say something about it alone; all, where not asked for.
    near: Vec<Vec<usize>>,
    most_parents: usize,
    run: &'a Run<'a>,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(score: KernelScore, screen: bool, rows: usize, run: &'a Run<'a>) -> Self {
        let d = score.size();
        let pairs: Vec<(usize, usize)> =
            (0..d).flat_map(|j| (0..d).map(move |i| (i, j))).filter(|&(i, j)| i != j).collect();
        let gains = |&(i, j): &(usize, usize)| {
            !screen || (!run.is_stopped() && score.local(j, &[]) > score.local(j, &[i]))
        };
        let says: Vec<bool> = pairs.par_iter().map(gains).collect();
        let mut near = vec![Vec::new(); d];
        for (&(i, j), _) in pairs.iter().zip(says).filter(|(_, says)| *says) {
            near[j].push(i);
            near[i].push(j);
        }
        for own in &mut near {
            own.sort_unstable();
            own.dedup();
        }
        Self { score, near, most_parents: rows.div_ceil(20), run }
    }

    fn cost(&self, target: usize, parents: &[usize]) -> f64 {
        if self.run.is_stopped() { 0.0 } else { self.score.local(target, parents) }
    }
}

impl Score for Scorer<'_> {
    fn size(&self) -> usize {
        self.score.size()
    }

    fn bound(&self) -> f64 {
        0.0
    }

    fn gain(&self, value: f64) -> f64 {
        value
    }

    fn score(&self, dag: &Dag) -> Option<f64> {
        let parents = |j: usize| dag.parents(j).collect::<Vec<_>>();
        let costs: Vec<f64> =
            (0..self.size()).into_par_iter().map(|j| self.cost(j, &parents(j))).collect();
        Some(-costs.iter().sum::<f64>())
    }

    fn operations(&self) -> f64 {
        self.score.operations()
    }

    fn worthwhile(&self) -> usize {
        1
    }

    fn additions(&self, class: &Class, y: usize) -> Moves {
        let mut moves = Moves::default();
        let parents: Vec<usize> = members(class.parents.row(y)).collect();
        let around: Vec<usize> = members(class.neighbours.row(y)).collect();
        let candidates: Vec<usize> =
            self.near[y].iter().copied().filter(|&x| !class.adjacent.has(y, x)).collect();
        let (cliques, limited) = cliques(&around, |a, b| class.adjacent.has(a, b));
        moves.limited = limited;
        for clique in cliques {
            if parents.len() + clique.len() >= self.most_parents {
                continue;
            }
            let given = union(&parents, &clique);
            let fits = |&x: &usize| {
                let shared = around.iter().filter(|&&t| class.adjacent.has(x, t));
                shared.into_iter().all(|t| clique.contains(t))
            };
            let fitting: Vec<usize> = candidates.iter().copied().filter(fits).collect();
            if fitting.is_empty() {
                continue;
            }
            let cost = self.cost(y, &given);
            let gain = |&x: &usize| cost - self.cost(y, &union(&given, &[x]));
            let gains: Vec<f64> = fitting.par_iter().map(gain).collect();
            moves.scored += gains.len() as u64;
            for (&x, value) in fitting.iter().zip(gains).filter(|&(_, value)| value > 0.0) {
                moves.heap.push(Candidate { value, x, clique: moves.cliques.len() });
            }
            moves.cliques.push(clique);
        }
        moves
    }

    fn removals(&self, class: &Class, y: usize) -> Moves {
        let mut moves = Moves::default();
        let parents: Vec<usize> = members(class.parents.row(y)).collect();
        let around: Vec<usize> = members(class.neighbours.row(y)).collect();
        let (cliques, limited) = cliques(&around, |a, b| class.adjacent.has(a, b));
        moves.limited = limited;
        for clique in cliques {
            let fits = |x: usize| clique.iter().all(|&z| z != x && class.adjacent.has(x, z));
            for &x in parents.iter().chain(&around).filter(|&&x| fits(x)) {
                let others: Vec<usize> = parents.iter().copied().filter(|&z| z != x).collect();
                let given = union(&others, &clique);
                let value = self.cost(y, &union(&given, &[x])) - self.cost(y, &given);
                moves.scored += 1;
                moves.heap.push(Candidate { value, x, clique: moves.cliques.len() });
            }
            moves.cliques.push(clique);
        }
        moves
    }
}

/// All cliques among some variables, the empty one first, and whether there were too many.
fn cliques(among: &[usize], adjacent: impl Fn(usize, usize) -> bool) -> (Vec<Vec<usize>>, bool) {
    let mut found = vec![Vec::new()];
    let mut at = 0;
    while at < found.len() {
        let base: Vec<usize> = found[at].clone();
        let later = among.iter().filter(|&&v| base.last().is_none_or(|&last| v > last));
        for &v in later.filter(|&&v| base.iter().all(|&u| adjacent(u, v))) {
            if found.len() >= MOST_CLIQUES {
                return (found, true);
            }
            found.push([&base[..], &[v]].concat());
        }
        at += 1;
    }
    (found, false)
}

/// The members of both, in rising order.
fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_are_found_once_each() {
        // 0 - 1 - 2 - 0 and 2 - 3.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3)];
        let adjacent = |a: usize, b: usize| edges.contains(&(a.min(b), a.max(b)));
        let (found, limited) = cliques(&[0, 1, 2, 3], adjacent);
        let expected: [&[usize]; 10] =
            [&[], &[0], &[1], &[2], &[3], &[0, 1], &[0, 2], &[1, 2], &[2, 3], &[0, 1, 2]];
        assert_eq!(found, expected);
        assert!(!limited);
        let all: Vec<usize> = (0..20).collect();
        assert!(cliques(&all, |_, _| true).1);
    }
}
