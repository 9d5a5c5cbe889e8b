//! Orders of graphs that are lists of edges.

use std::collections::BTreeSet;

/// The variables so that parents come before children, always the first that is free; on failure
/// the variables on one cycle, in order. Cost O((d + m) log d) for m edges: a file may name many
/// variables, so no matrix is made of them.
pub(super) fn order(d: usize, edges: &[(usize, usize)]) -> Result<Vec<usize>, Vec<usize>> {
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); d];
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); d];
    for &(from, to) in edges {
        parents[to].push(from);
        children[from].push(to);
    }
    let mut waiting: Vec<usize> = parents.iter().map(Vec::len).collect();
    let mut free: BTreeSet<usize> = (0..d).filter(|&i| waiting[i] == 0).collect();
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
    if order.len() == d { Ok(order) } else { Err(cycle(&parents, &waiting)) }
}

/// Walks backwards among the variables that never became free until one repeats.
fn cycle(parents: &[Vec<usize>], waiting: &[usize]) -> Vec<usize> {
    let mut at = waiting.iter().position(|&count| count > 0).expect("some variable is on a cycle");
    let mut visited = vec![None; waiting.len()];
    let mut walk = Vec::new();
    loop {
        if let Some(start) = visited[at].replace(walk.len()) {
            let mut cycle = walk.split_off(start);
            cycle.reverse();
            return cycle;
        }
        walk.push(at);
        at = *parents[at]
            .iter()
            .find(|&&parent| waiting[parent] > 0)
            .expect("a variable that never became free has a parent that never did");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nocurl::{Dag, Mat};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn orders_and_cycles_are_those_of_the_engine(
            d in 1_usize..7,
            pairs in proptest::collection::btree_set((0_usize..7, 0_usize..7), 0..12),
        ) {
            let edges: Vec<(usize, usize)> =
                pairs.into_iter().filter(|&(i, j)| i < d && j < d).collect();
            let mut weights = Mat::zeros(d, d);
            edges.iter().for_each(|&edge| weights[edge] = 1.0);
            match (order(d, &edges), Dag::new(weights.clone())) {
                (Ok(order), Ok(dag)) => prop_assert_eq!(order, dag.order()),
                (Err(cycle), Err(_)) => {
                    for (place, &i) in cycle.iter().enumerate() {
                        prop_assert!(weights[(i, cycle[(place + 1) % cycle.len()])] != 0.0);
                    }
                }
                (found, expected) => prop_assert!(false, "{found:?} and {expected:?}"),
            }
        }
    }
}
