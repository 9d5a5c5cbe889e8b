//! What moving a few variables would do, without touching the order it starts from.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::super::search::{Choice, Family, Node, PATIENCE_AROUND, PROGRESS, Queue};
use super::state::{Change, Layer, State};
use crate::core::{Error, Run};
use crate::methods::near::{Around, Correlate, Wide};

/// Variables near each other that a restart moves to random places.
const KICKS: usize = 3;

/// Looks at moves of variables on top of an order, with its work space: one for each thread.
pub(super) struct Attempt<'a, C> {
    wide: &'a Wide<C>,
    from: &'a State,
    choice: Choice,
    work: Vec<f64>,
    columns: Vec<usize>,
    places: Vec<usize>,
    /// What differs from the order it starts from.
    nodes: Layer<Family>,
    labels: Layer<f64>,
    /// What differs from that on the way of one variable.
    way: Layer<Family>,
    /// Those near the variable that is moved, in their order.
    path: Vec<usize>,
    touched: Vec<usize>,
    queue: Queue,
    /// Variables that were looked at: the outcome depends on these and those near them.
    examined: Layer<()>,
    /// True when there was no room for a variable between two others.
    crowded: bool,
}

/// How far a variable goes, in variables near it, and what that gains.
#[derive(Debug, Clone, Copy, Default)]
struct Goal {
    gain: f64,
    crossed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Earlier,
    Later,
}

/// How an attempt ended.
pub(super) enum Outcome {
    Better(Change),
    /// At the score it started from.
    Same,
    Worse,
    /// There was no room between two variables: labels have to be dealt out anew.
    Crowded,
}

impl<'a, C: Correlate> Attempt<'a, C> {
    pub(super) fn new(wide: &'a Wide<C>, from: &'a State) -> Self {
        let d = from.size();
        Self {
            wide,
            from,
            choice: Choice::default(),
            work: Vec::new(),
            columns: Vec::new(),
            places: Vec::new(),
            nodes: Layer::new(d),
            labels: Layer::new(d),
            way: Layer::new(d),
            path: Vec::new(),
            touched: Vec::new(),
            queue: Queue::new(d),
            examined: Layer::new(d),
            crowded: false,
        }
    }

    /// Moves one variable to its best place.
    pub(super) fn improve(&mut self, v: usize, patience: f64) -> Outcome {
        self.clear();
        self.move_to_best(v, patience * self.cost());
        self.outcome()
    }

    /// Moves some variables that are near each other to random places, and then all around them to
    /// their best places until no move helps.
    pub(super) fn restart(
        &mut self,
        rng: &mut Xoshiro256PlusPlus,
        run: &Run<'_>,
    ) -> Result<Outcome, Error> {
        self.clear();
        let first = rng.random_range(0..self.from.size());
        for kick in 0..KICKS {
            let near = self.wide.near(first);
            let v = match kick {
                0 => first,
                _ if near.is_empty() => break,
                _ => near[rng.random_range(0..near.len())],
            };
            self.kick(v, rng);
        }
        let patience = PATIENCE_AROUND * self.cost();
        while let Some(v) = self.queue.pop() {
            if run.is_stopped() {
                return Err(Error::Cancelled);
            }
            self.move_to_best(v, patience);
        }
        Ok(self.outcome())
    }

    /// The parents of a variable when it may have any before it, chosen from those it has, one at a
    /// time or more thoroughly.
    pub(super) fn parents(&mut self, v: usize, thoroughly: bool) -> Family {
        self.clear();
        let limit = self.key(v);
        self.gather(v, |attempt, u| attempt.key(u) < limit);
        let node = self.from.node(v);
        self.choose_gathered(node.parents(), thoroughly)
    }

    /// What a parent costs, whatever the variable.
    fn cost(&self) -> f64 {
        self.wide.correlations.prices(0).cost
    }

    fn clear(&mut self) {
        while self.queue.pop().is_some() {}
        self.nodes.clear();
        self.labels.clear();
        self.examined.clear();
        self.crowded = false;
    }

    fn outcome(&mut self) -> Outcome {
        if self.crowded {
            return Outcome::Crowded;
        }
        let gain: f64 =
            self.nodes.items().map(|(v, node)| self.from.node(*v).score() - node.score()).sum();
        if gain > PROGRESS {
            let examined = self.examined.items().map(|(v, ())| *v).collect();
            let (nodes, labels) = (self.nodes.take(), self.labels.take());
            Outcome::Better(Change { nodes, labels, examined })
        } else if gain >= -PROGRESS {
            Outcome::Same
        } else {
            Outcome::Worse
        }
    }

    fn node(&self, v: usize) -> &Family {
        self.way.get(v).or_else(|| self.nodes.get(v)).unwrap_or_else(|| self.from.node(v))
    }

    /// Where a variable is: labels first, then numbers.
    fn key(&self, v: usize) -> (f64, usize) {
        (self.labels.get(v).copied().unwrap_or_else(|| self.from.label(v)), v)
    }

    /// Puts those near `v` that come before it, or after it, in the order it would pass them.
    fn set_path(&mut self, v: usize, way: Way) {
        let home = self.key(v);
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let ahead = |&u: &usize| match way {
            Way::Earlier => self.key(u) < home,
            Way::Later => self.key(u) > home,
        };
        path.extend(self.wide.near(v).iter().copied().filter(ahead));
        let order = |a: usize, b: usize| {
            let (a, b) = (self.key(a), self.key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        };
        match way {
            Way::Earlier => path.sort_unstable_by(|&a, &b| order(b, a)),
            Way::Later => path.sort_unstable_by(|&a, &b| order(a, b)),
        }
        self.path = path;
    }

    /// Moves a variable to where the score is smallest, if that lowers it. A way on which the score
    /// rises by more than `patience` is not followed further.
    fn move_to_best(&mut self, v: usize, patience: f64) {
        self.set_path(v, Way::Later);
        let later = self.travel(v, Way::Later, usize::MAX, patience);
        self.set_path(v, Way::Earlier);
        let earlier = self.travel(v, Way::Earlier, usize::MAX, patience);
        if earlier.gain.max(later.gain) <= PROGRESS {
            return;
        }
        if earlier.gain >= later.gain {
            self.move_by(v, Way::Earlier, earlier.crossed);
        } else {
            self.set_path(v, Way::Later);
            self.move_by(v, Way::Later, later.crossed);
        }
    }

    /// Moves a variable to any place among those near it, whatever that does to the score.
    fn kick(&mut self, v: usize, rng: &mut Xoshiro256PlusPlus) {
        let to = rng.random_range(0..=self.wide.near(v).len());
        self.set_path(v, Way::Earlier);
        let before = self.path.len();
        if to < before {
            self.move_by(v, Way::Earlier, before - to);
        } else if to > before {
            self.set_path(v, Way::Later);
            self.move_by(v, Way::Later, to - before);
        }
    }

    /// Moves a variable past so many of its path.
    fn move_by(&mut self, v: usize, way: Way, crossed: usize) {
        let Some(label) = self.label_after(way, crossed) else {
            self.crowded = true;
            return;
        };
        self.travel(v, way, crossed, f64::INFINITY);
        self.labels.set(v, label);
        self.touched.clear();
        self.touched.push(v);
        for (u, node) in self.way.take() {
            self.touched.push(u);
            self.nodes.set(u, node);
        }
        let touched = std::mem::take(&mut self.touched);
        for &u in &touched {
            self.push_around(u);
        }
        self.touched = touched;
    }

    /// A variable and all that share an edge with it will be looked at.
    fn push_around(&mut self, v: usize) {
        self.queue.push(v);
        for &parent in self.nodes.get(v).unwrap_or_else(|| self.from.node(v)).parents() {
            self.queue.push(parent);
        }
        for &u in self.wide.near(v) {
            let node = self.nodes.get(u).unwrap_or_else(|| self.from.node(u));
            if node.parents().contains(&v) {
                self.queue.push(u);
            }
        }
    }

    /// A label between the last variable that is passed and the next; none where there is no room.
    fn label_after(&self, way: Way, crossed: usize) -> Option<f64> {
        let label = |k: usize| self.path.get(k).map(|&u| self.key(u).0);
        let last = label(crossed - 1)?;
        let Some(next) = label(crossed) else {
            return Some(if way == Way::Earlier { last - 1.0 } else { last + 1.0 });
        };
        let middle = last + (next - last) / 2.0;
        let (low, high) = (last.min(next), last.max(next));
        (low < middle && middle < high).then_some(middle)
    }

    /// Takes a variable along its path, past at most `most`, and returns the best place on the way;
    /// the nodes that go with its end are left in `way`.
    fn travel(&mut self, v: usize, way: Way, most: usize, patience: f64) -> Goal {
        self.way.clear();
        self.examined.set(v, ());
        let path = std::mem::take(&mut self.path);
        let mut best = Goal::default();
        let mut gain = 0.0;
        for (k, &u) in path.iter().enumerate().take(most) {
            let limit = self.key(u);
            gain += match way {
                Way::Earlier => {
                    // `v` may no longer have `u` as a parent, `u` may now have `v`.
                    let before = |attempt: &Self, c| attempt.key(c) < limit;
                    let own = self.without(v, u, before);
                    own + self.with(u, v, |attempt, c| c == v || attempt.key(c) < limit)
                }
                Way::Later => {
                    let before = |attempt: &Self, c| c != v && attempt.key(c) < limit;
                    let other = self.without(u, v, before);
                    other + self.with(v, u, |attempt, c| attempt.key(c) <= limit)
                }
            };
            if gain > best.gain {
                best = Goal { gain, crossed: k + 1 };
            }
            if gain < best.gain - patience {
                break;
            }
        }
        self.path = path;
        best
    }

    /// Chooses the parents of `v` anew without one of them, if it is one; what that gains.
    fn without(&mut self, v: usize, lost: usize, may: impl Fn(&Self, usize) -> bool) -> f64 {
        let node = self.node(v);
        if !node.parents().contains(&lost) {
            return 0.0;
        }
        let start: Vec<usize> = node.parents().iter().copied().filter(|&u| u != lost).collect();
        self.choose(v, &start, may)
    }

    /// Chooses the parents of `v` anew with one more, if that lowers the score; what that gains.
    fn with(&mut self, v: usize, new: usize, may: impl Fn(&Self, usize) -> bool) -> f64 {
        let with = self.wide.correlations.with(v, new);
        let mut work = std::mem::take(&mut self.work);
        let node = self.node(v);
        let wanted = node.wants(self.wide.correlations.prices(v), with(v), &with, &mut work);
        self.work = work;
        if !wanted {
            return 0.0;
        }
        let start: Vec<usize> = node_parents_and(self.node(v), new);
        self.choose(v, &start, may)
    }

    fn choose(&mut self, v: usize, start: &[usize], may: impl Fn(&Self, usize) -> bool) -> f64 {
        self.gather(v, may);
        let next = self.choose_gathered(start, false);
        let gain = self.node(v).score() - next.score();
        self.examined.set(v, ());
        self.way.set(v, next);
        gain
    }

    /// Those near `v` that may be its parents, and `v` as the last.
    fn gather(&mut self, v: usize, may: impl Fn(&Self, usize) -> bool) {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        columns.extend(self.wide.near(v).iter().copied().filter(|&u| may(self, u)));
        columns.push(v);
        self.columns = columns;
    }

    /// Chooses parents of the last variable gathered among the others, from `start` on.
    fn choose_gathered(&mut self, start: &[usize], thoroughly: bool) -> Family {
        let last = self.columns.len() - 1;
        let candidates = &self.columns[..last];
        self.places.clear();
        self.places.extend(0..last);
        let start = start.iter().filter_map(|u| candidates.binary_search(u).ok());
        let of = self.columns[last];
        let around = Around { wide: self.wide, columns: &self.columns, of };
        let mut node = Family::default();
        let (choice, places) = (&mut self.choice, &self.places);
        match thoroughly {
            true => choice.choose_thoroughly(&around, last, start, places, &mut node),
            false => choice.choose(&around, last, start, places, &mut node),
        }
        node.renumber(&self.columns);
        node
    }
}

fn node_parents_and(node: &Family, new: usize) -> Vec<usize> {
    node.parents().iter().copied().chain([new]).collect()
}
