//! An order with the parents of every variable, and moves of single variables in it.

use super::parents::{Choice, Family, Model};

/// A fall of the score that counts; scores are in units of log-likelihood times two.
pub(crate) const PROGRESS: f64 = 1e-6;

/// An order with the parents of every variable.
#[derive(Debug, Clone)]
pub(crate) struct State {
    sequence: Vec<usize>,
    /// The place of each variable.
    places: Vec<usize>,
    nodes: Vec<Family>,
}

/// Work space for moves.
#[derive(Debug, Default)]
pub(super) struct Space {
    choice: Choice,
    work: Vec<f64>,
    /// Nodes that differ on the way, and for each variable where among them it is.
    changed: Vec<(usize, Family)>,
    used: usize,
    slot: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl Space {
    pub(super) fn new(size: usize) -> Self {
        Self { slot: vec![NONE; size], ..Self::default() }
    }

    fn clear(&mut self) {
        for (v, _) in &self.changed[..self.used] {
            self.slot[*v] = NONE;
        }
        self.used = 0;
    }

    fn current<'a>(&'a self, nodes: &'a [Family], v: usize) -> &'a Family {
        match self.slot[v] {
            NONE => &nodes[v],
            at => &self.changed[at].1,
        }
    }
}

/// Where a variable goes, and what that gains.
#[derive(Debug, Clone, Copy)]
struct Goal {
    gain: f64,
    place: usize,
}

impl State {
    /// The order with parents chosen from nothing.
    pub(super) fn new(model: &Model<'_>, sequence: Vec<usize>, space: &mut Space) -> Self {
        let mut nodes = vec![Family::default(); sequence.len()];
        let mut places = vec![0; sequence.len()];
        for (k, &v) in sequence.iter().enumerate() {
            places[v] = k;
            space.choice.choose(model, v, model.required(v), &sequence[..k], &mut nodes[v]);
        }
        Self { sequence, places, nodes }
    }

    pub(crate) fn sequence(&self) -> &[usize] {
        &self.sequence
    }

    pub(crate) fn parents(&self, v: usize) -> &[usize] {
        &self.nodes[v].parents
    }

    pub(crate) fn score(&self) -> f64 {
        self.nodes.iter().map(|node| node.score).sum()
    }

    /// This one, unless the other has a score that is lower by more than rounding.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.score() < self.score() - PROGRESS { other } else { self }
    }

    /// Moves a variable to the place where the score is smallest; true when that lowers it. A way
    /// on which the score rises by more than `patience` is not followed further. The variables
    /// whose parents changed are added to `touched`.
    pub(super) fn move_to_best(
        &mut self,
        model: &Model<'_>,
        v: usize,
        patience: f64,
        space: &mut Space,
        touched: &mut Vec<usize>,
    ) -> bool {
        let home = self.places[v];
        let first = self.travel(model, v, 0, patience, space);
        self.rotate(v, home);
        let last = self.travel(model, v, self.sequence.len() - 1, patience, space);
        self.rotate(v, home);
        let best = if first.gain >= last.gain { first } else { last };
        if best.gain <= PROGRESS {
            return false;
        }
        self.move_to(model, v, best.place, space, touched);
        true
    }

    /// Chooses the parents of every variable thoroughly; those whose parents changed are added to
    /// `touched`.
    pub(super) fn improve(
        &mut self,
        model: &Model<'_>,
        space: &mut Space,
        touched: &mut Vec<usize>,
    ) {
        let mut next = Family::default();
        for (k, &v) in self.sequence.iter().enumerate() {
            let start = self.nodes[v].parents.iter().copied();
            space.choice.choose_thoroughly(model, v, start, &self.sequence[..k], &mut next);
            if next.score < self.nodes[v].score - PROGRESS {
                std::mem::swap(&mut next, &mut self.nodes[v]);
                touched.push(v);
            }
        }
    }

    /// Moves a variable to a place, with the parents that go with it.
    pub(super) fn move_to(
        &mut self,
        model: &Model<'_>,
        v: usize,
        place: usize,
        space: &mut Space,
        touched: &mut Vec<usize>,
    ) {
        self.travel(model, v, place, f64::INFINITY, space);
        for (u, node) in &mut space.changed[..space.used] {
            std::mem::swap(node, &mut self.nodes[*u]);
            touched.push(*u);
        }
    }

    /// Takes a variable to a place by swaps of neighbours, or as far as prior knowledge lets it, and
    /// returns the best place on the way. The sequence is changed; the nodes that go with it are
    /// left in `space`.
    fn travel(
        &mut self,
        model: &Model<'_>,
        v: usize,
        place: usize,
        patience: f64,
        space: &mut Space,
    ) -> Goal {
        space.clear();
        let mut at = self.places[v];
        let mut best = Goal { gain: 0.0, place: at };
        let mut gain = 0.0;
        while at != place {
            let k = if place < at { at - 1 } else { at };
            let (first, second) = (self.sequence[k], self.sequence[k + 1]);
            if !model.may_swap(first, second) {
                break;
            }
            self.sequence.swap(k, k + 1);
            self.places[first] = k + 1;
            self.places[second] = k;
            at = if place < at { at - 1 } else { at + 1 };
            // `second` may no longer have `first` as a parent, `first` may now have `second`.
            if space.current(&self.nodes, second).parents.contains(&first) {
                gain += self.choose(model, second, k, Some(first), None, space);
            }
            let mut work = std::mem::take(&mut space.work);
            let wanted = space.current(&self.nodes, first).wants(model, first, second, &mut work);
            space.work = work;
            if wanted {
                gain += self.choose(model, first, k + 1, None, Some(second), space);
            }
            if gain > best.gain {
                best = Goal { gain, place: at };
            }
            if gain < best.gain - patience {
                break;
            }
        }
        best
    }

    /// Chooses the parents of `v` anew among the first `k` variables, from those it has but
    /// `without`, and `with`; returns by how much the score falls.
    fn choose(
        &self,
        model: &Model<'_>,
        v: usize,
        k: usize,
        without: Option<usize>,
        with: Option<usize>,
        space: &mut Space,
    ) -> f64 {
        if space.used == space.changed.len() {
            space.changed.push((v, Family::default()));
        }
        let (fixed, free) = space.changed.split_at_mut(space.used);
        let slot = space.slot[v];
        let mut next = std::mem::take(&mut free[0].1);
        let node = if slot == NONE { &self.nodes[v] } else { &fixed[slot].1 };
        let before = node.score;
        let start = node.parents.iter().copied().filter(|&u| Some(u) != without).chain(with);
        space.choice.choose(model, v, start, &self.sequence[..k], &mut next);
        let after = next.score;
        if slot == NONE {
            space.slot[v] = space.used;
            space.changed[space.used] = (v, next);
            space.used += 1;
        } else {
            // The old node's memory is used again.
            space.changed[space.used].1 = std::mem::replace(&mut space.changed[slot].1, next);
        }
        before - after
    }

    /// Puts a variable back at a place; the others keep their order.
    fn rotate(&mut self, v: usize, place: usize) {
        let at = self.places[v];
        let range = at.min(place)..=at.max(place);
        if place < at {
            self.sequence[range.clone()].rotate_right(1);
        } else {
            self.sequence[range.clone()].rotate_left(1);
        }
        for k in range {
            self.places[self.sequence[k]] = k;
        }
    }
}
