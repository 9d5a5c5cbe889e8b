//! Counting what replicates have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::{Confidence, CountedClass, Interval, Pair, Path};
use crate::core::graph::Reachability;
use crate::core::{Dag, Mat, Pdag};
use crate::model::effects;

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

/// Counts by ordered pairs of variables, and the values that intervals need. Of a large graph few pairs
/// are adjacent, so that only those are kept that have something.
pub(super) struct Tally {
    size: usize,
    replicates: usize,
    /// By the first variable of a pair, then by the second.
    pairs: Vec<BTreeMap<usize, Counts>>,
    /// How often each condition acts on each variable.
    treatments: BTreeMap<(usize, usize), u32>,
    /// How often each class came.
    classes: BTreeMap<Class, u32>,
}

/// What replicates say of an ordered pair.
#[derive(Default)]
struct Counts {
    directed: u32,
    /// Both ways round.
    undirected: u32,
    ancestor: u32,
    weights: Vec<f64>,
    /// Without the zeros, of which there is one for each replicate that has no entry.
    effects: Vec<f64>,
}

impl Counts {
    fn is_adjacent(&self) -> bool {
        self.directed + self.undirected > 0
    }
}

/// A class by its directed and its undirected edges.
type Class = (Vec<(usize, usize)>, Vec<(usize, usize)>);

/// Classes are kept for so many variables: what is to be done next depends on them.
const MOST_FOR_CLASSES: usize = 100;

impl Tally {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            replicates: 0,
            pairs: (0..size).map(|_| BTreeMap::new()).collect(),
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
        for (i, j) in replicate.determined.directed() {
            self.of(i, j).directed += 1;
        }
        for (i, j) in replicate.determined.undirected() {
            self.of(i, j).undirected += 1;
            self.of(j, i).undirected += 1;
        }
        for (i, j, weight) in replicate.dag.edges() {
            self.of(i, j).weights.push(weight);
        }
        let Some(paths) = &replicate.paths else { return };
        for i in 0..d {
            for j in 0..d {
                let (reaches, effect) = (paths.ancestors.reaches(i, j), paths.effects[(i, j)]);
                if reaches {
                    self.of(i, j).ancestor += 1;
                }
                if effect != 0.0 {
                    self.of(i, j).effects.push(effect);
                }
            }
        }
    }

    fn of(&mut self, from: usize, to: usize) -> &mut Counts {
        self.pairs[from].entry(to).or_default()
    }

    /// The share of replicates in which each condition acts on each variable.
    pub(super) fn treatments(&self) -> BTreeMap<(usize, usize), f64> {
        self.treatments.iter().map(|(&found, &count)| (found, self.share(count))).collect()
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
        let mut near: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (i, others) in self.pairs.iter().enumerate() {
            let adjacent = others.iter().filter(|(_, counts)| counts.is_adjacent());
            near.extend(adjacent.map(|(&j, _)| (i.min(j), i.max(j))));
        }
        let nothing = Counts::default();
        let weight = |counts: &Counts| {
            let mut values = counts.weights.clone();
            (!values.is_empty()).then(|| interval(&mut values, level))
        };
        let pair = |(i, j): (usize, usize)| {
            let counts = |i: usize, j: usize| self.pairs[i].get(&j).unwrap_or(&nothing);
            let (mut there, mut back) = (counts(i, j), counts(j, i));
            let (mut from, mut to) = (i, j);
            // By determined directions; where there is none, by those of the graphs.
            let often = |counts: &Counts| (counts.directed, counts.weights.len());
            if often(back) > often(there) {
                (there, back, from, to) = (back, there, to, from);
            }
            let adjacent = there.directed + back.directed + there.undirected;
            Pair {
                from,
                to,
                forward: self.share(there.directed),
                backward: self.share(back.directed),
                undirected: self.share(there.undirected),
                adjacent: self.share(adjacent),
                weight: weight(there),
                weight_backward: weight(back),
            }
        };
        near.into_iter().map(pair).collect()
    }

    /// Every ordered pair with a path in some replicate.
    pub(super) fn paths(&self, level: f64) -> Vec<Path> {
        let mut values = Vec::with_capacity(self.replicates);
        let mut paths = Vec::new();
        for (from, others) in self.pairs.iter().enumerate() {
            for (&to, counts) in others {
                if counts.ancestor == 0 && counts.effects.is_empty() {
                    continue;
                }
                values.clone_from(&counts.effects);
                values.resize(self.replicates, 0.0);
                let effect = interval(&mut values, level);
                paths.push(Path { from, to, ancestor: self.share(counts.ancestor), effect });
            }
        }
        paths
    }

    fn share(&self, count: u32) -> f64 {
        let share = f64::from(count) / self.replicates.max(1) as f64;
        share.min(Confidence::most(self.replicates))
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
        let mut tally = Tally::new(4);
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
