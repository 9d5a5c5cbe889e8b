//! Counting what replicates have in common.

use std::collections::BTreeMap;

use super::{CountedClass, Interval, Pair, Path};
use crate::analysis::effects;
use crate::core::graph::Reachability;
use crate::core::{Dag, Mat, Pdag};

/// What is counted of one replicate.
pub(super) struct Replicate {
    dag: Dag,
    /// Which directions are determined.
    determined: Pdag,
    paths: Option<Paths>,
    /// Conditions with what they act on directly.
    treatments: Vec<(usize, usize)>,
}

/// What paths there are in a replicate.
struct Paths {
    /// Who reaches whom along determined directions.
    ancestors: Reachability,
    effects: Mat<f64>,
}

impl Replicate {
    pub(super) fn new(
        dag: Dag,
        determined: Pdag,
        treatments: Vec<(usize, usize)>,
        with_paths: bool,
    ) -> Self {
        let paths = with_paths.then(|| Paths::new(&dag, &determined));
        Self { paths, treatments, determined, dag }
    }
}

impl Paths {
    fn new(dag: &Dag, determined: &Pdag) -> Self {
        let d = dag.size();
        let mut directed = Mat::zeros(d, d);
        determined.directed().for_each(|edge| directed[edge] = 1.0);
        Self { ancestors: Reachability::new(directed.as_ref()), effects: effects::total(dag) }
    }
}

/// Counts by ordered pairs of variables, row by row, and the values that intervals need.
pub(super) struct Tally {
    size: usize,
    replicates: usize,
    directed: Vec<u32>,
    /// Both ways round.
    undirected: Vec<u32>,
    ancestor: Vec<u32>,
    weights: Vec<Vec<f64>>,
    /// Without the zeros, of which there is one for each replicate that has no entry.
    effects: Vec<Vec<f64>>,
    /// How often each condition acts on each variable.
    treatments: BTreeMap<(usize, usize), u32>,
    /// How often each class came.
    classes: BTreeMap<Class, u32>,
}

/// A class by its directed and its undirected edges.
type Class = (Vec<(usize, usize)>, Vec<(usize, usize)>);

/// Classes are kept for so many variables: what is to be done next depends on them.
const MOST_FOR_CLASSES: usize = 100;

impl Tally {
    pub(super) fn new(size: usize, with_paths: bool) -> Self {
        let pairs = size * size;
        let paths = if with_paths { pairs } else { 0 };
        Self {
            size,
            replicates: 0,
            directed: vec![0; pairs],
            undirected: vec![0; pairs],
            ancestor: vec![0; paths],
            weights: vec![Vec::new(); pairs],
            effects: vec![Vec::new(); paths],
            treatments: BTreeMap::new(),
            classes: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, replicate: &Replicate) {
        self.replicates += 1;
        for &found in &replicate.treatments {
            *self.treatments.entry(found).or_default() += 1;
        }
        let d = self.size;
        if d <= MOST_FOR_CLASSES {
            let class = &replicate.determined;
            let key = (class.directed().collect(), class.undirected().collect());
            *self.classes.entry(key).or_default() += 1;
        }
        for i in 0..d {
            for j in 0..d {
                let at = i * d + j;
                self.directed[at] += u32::from(replicate.determined.has_directed(i, j));
                self.undirected[at] += u32::from(replicate.determined.has_undirected(i, j));
                let weight = replicate.dag.weight(i, j);
                if weight != 0.0 {
                    self.weights[at].push(weight);
                }
                let Some(paths) = &replicate.paths else { continue };
                self.ancestor[at] += u32::from(paths.ancestors.reaches(i, j));
                if paths.effects[(i, j)] != 0.0 {
                    self.effects[at].push(paths.effects[(i, j)]);
                }
            }
        }
    }

    /// The share of replicates in which each condition acts on each variable.
    pub(super) fn treatments(&self) -> BTreeMap<(usize, usize), f64> {
        let share = |&count: &u32| f64::from(count) / self.replicates.max(1) as f64;
        self.treatments.iter().map(|(&found, count)| (found, share(count))).collect()
    }

    /// The classes of the replicates, the most frequent first.
    pub(super) fn classes(&self) -> Vec<CountedClass> {
        let counted = self.classes.iter().map(|((directed, undirected), &count)| CountedClass {
            directed: directed.clone(),
            undirected: undirected.clone(),
            count: count as usize,
        });
        let mut all: Vec<CountedClass> = counted.collect();
        all.sort_by_key(|class| std::cmp::Reverse(class.count));
        all
    }

    /// Every pair that is adjacent in some replicate.
    pub(super) fn pairs(&self, level: f64) -> Vec<Pair> {
        let d = self.size;
        let place = |i: usize, j: usize| i * d + j;
        let weight = |at: usize| {
            let mut values = self.weights[at].clone();
            (!values.is_empty()).then(|| interval(&mut values, level))
        };
        let mut pairs = Vec::new();
        for i in 0..d {
            for j in i + 1..d {
                let (mut there, mut back) = (place(i, j), place(j, i));
                let (mut from, mut to) = (i, j);
                // By determined directions; where there is none, by those of the graphs.
                let often = |at: usize| (self.directed[at], self.weights[at].len());
                if often(back) > often(there) {
                    (there, back, from, to) = (back, there, to, from);
                }
                let [forward, backward, undirected] =
                    [self.directed[there], self.directed[back], self.undirected[there]];
                let adjacent = forward + backward + undirected;
                if adjacent == 0 {
                    continue;
                }
                pairs.push(Pair {
                    from,
                    to,
                    forward: self.share(forward),
                    backward: self.share(backward),
                    undirected: self.share(undirected),
                    adjacent: self.share(adjacent),
                    weight: weight(there),
                    weight_backward: weight(back),
                });
            }
        }
        pairs
    }

    /// Every ordered pair with a path in some replicate.
    pub(super) fn paths(&self, level: f64) -> Vec<Path> {
        let d = self.size;
        let mut values = Vec::with_capacity(self.replicates);
        let mut paths = Vec::new();
        for at in 0..self.ancestor.len() {
            if self.ancestor[at] == 0 && self.effects[at].is_empty() {
                continue;
            }
            values.clone_from(&self.effects[at]);
            values.resize(self.replicates, 0.0);
            paths.push(Path {
                from: at / d,
                to: at % d,
                ancestor: self.share(self.ancestor[at]),
                effect: interval(&mut values, level),
            });
        }
        paths
    }

    fn share(&self, count: u32) -> f64 {
        f64::from(count) / self.replicates.max(1) as f64
    }
}

/// The percentile interval of values, which are put in order.
fn interval(values: &mut [f64], level: f64) -> Interval {
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Interval { lower: quantile(values, tail), upper: quantile(values, 1.0 - tail) }
}

/// The quantile of values in order, linear between neighbours (type 7 of Hyndman and Fan, 1996).
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (place - place.floor()) * (above - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_r() {
        // quantile(c(1, 2, 4, 8, 16), c(0.025, 0.5, 0.975))
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (share, expected) in [(0.025, 1.1), (0.5, 4.0), (0.975, 15.2), (0.0, 1.0), (1.0, 16.0)]
        {
            assert!((quantile(&values, share) - expected).abs() < 1e-14, "{share}");
        }
        assert_eq!(quantile(&[3.0], 0.4), 3.0);
    }

    #[test]
    fn frequencies_are_shares_of_replicates() {
        let mut tally = Tally::new(4, true);
        let graphs: [&[(usize, usize)]; 5] = [
            &[(0, 1), (1, 2), (0, 3)],
            &[(0, 1), (1, 2), (3, 0)],
            &[(1, 2), (2, 0), (0, 3)],
            &[(2, 0), (0, 1)],
            &[(0, 1), (1, 2)],
        ];
        for edges in graphs {
            let dag = Dag::from_edges(4, edges).unwrap();
            let determined = Pdag::of_dag(&dag);
            let paths = Some(Paths::new(&dag, &determined));
            tally.add(&Replicate { paths, treatments: Vec::new(), determined, dag });
        }
        let pairs = tally.pairs(0.95);
        let found = |i, j| pairs.iter().find(|pair| (pair.from, pair.to) == (i, j)).unwrap();
        assert_eq!((found(0, 1).forward, found(0, 1).backward), (0.8, 0.0));
        assert_eq!(
            (found(0, 3).forward, found(0, 3).backward, found(0, 3).adjacent),
            (0.4, 0.2, 0.6)
        );
        assert_eq!((found(2, 0).forward, found(2, 0).adjacent), (0.4, 0.4));
        let paths = tally.paths(0.95);
        let path = paths.iter().find(|path| (path.from, path.to) == (0, 2)).unwrap();
        assert_eq!((path.ancestor, path.effect.lower, path.effect.upper), (0.6, 0.0, 1.0));
    }
}
