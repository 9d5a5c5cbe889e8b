//! An order with the parents of every variable, and moves of single variables in it.

use super::score::{Node, Score};

/// A fall of the score that counts; scores are in units of log-likelihood times two.
pub(crate) const PROGRESS: f64 = 1e-6;

/// An order with the parents of every variable.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct State<N> {
    sequence: Vec<usize>,
    /// The place of each variable.
    places: Vec<usize>,
    nodes: Vec<N>,
}

/// Work space for moves.
pub(super) struct Space<S: Score> {
    choice: S::Choice,
    work: Vec<f64>,
    /// Nodes that differ on the way, and for each variable where among them it is.
    changed: Vec<(usize, S::Node)>,
    used: usize,
    slot: Vec<usize>,
}

const NONE: usize = usize::MAX;

impl<S: Score> Space<S> {
    pub(super) fn new(size: usize) -> Self {
        Self {
            choice: S::Choice::default(),
            work: Vec::new(),
            changed: Vec::new(),
            used: 0,
            slot: vec![NONE; size],
        }
    }

    fn clear(&mut self) {
        for (v, _) in &self.changed[..self.used] {
            self.slot[*v] = NONE;
        }
        self.used = 0;
    }

    fn current<'a>(&'a self, nodes: &'a [S::Node], v: usize) -> &'a S::Node {
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

impl<N: Node> State<N> {
    /// The order with parents chosen from nothing.
    pub(super) fn new<S: Score<Node = N>>(
        model: &S,
        sequence: Vec<usize>,
        space: &mut Space<S>,
    ) -> Self {
        let mut nodes = vec![N::default(); sequence.len()];
        let mut places = vec![0; sequence.len()];
        for (k, &v) in sequence.iter().enumerate() {
            places[v] = k;
            let required = model.knowledge().required_parents(v);
            model.choose(&mut space.choice, v, required, &sequence[..k], &mut nodes[v]);
        }
        Self { sequence, places, nodes }
    }

    /// True for an order of so many variables in which parents come first.
    pub(in super::super) fn is_sound(&self, size: usize) -> bool {
        let place = |v: usize| self.places.get(v).copied();
        let fits = |(v, node): (usize, &N)| {
            let first = |&parent: &usize| parent < size && place(parent) < place(v);
            node.is_sound() && node.parents().iter().all(first)
        };
        [self.sequence.len(), self.places.len(), self.nodes.len()] == [size; 3]
            && self.sequence.iter().enumerate().all(|(k, &v)| place(v) == Some(k))
            && self.nodes.iter().enumerate().all(fits)
    }

    pub(crate) fn sequence(&self) -> &[usize] {
        &self.sequence
    }

    pub(crate) fn parents(&self, v: usize) -> &[usize] {
        self.nodes[v].parents()
    }

    pub(crate) fn score(&self) -> f64 {
        self.nodes.iter().map(Node::score).sum()
    }

    /// This one, unless the other has a score that is lower by more than rounding.
    pub(crate) fn better(self, other: Self) -> Self {
        if other.score() < self.score() - PROGRESS { other } else { self }
    }

    /// Moves a variable to the place where the score is smallest; true when that lowers it. A way
    /// on which the score rises by more than `patience` is not followed further. The variables
    /// whose parents changed are added to `touched`.
    pub(super) fn move_to_best<S: Score<Node = N>>(
        &mut self,
        model: &S,
        v: usize,
        patience: f64,
        space: &mut Space<S>,
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
    pub(super) fn improve<S: Score<Node = N>>(
        &mut self,
        model: &S,
        space: &mut Space<S>,
        touched: &mut Vec<usize>,
    ) {
        let mut next = N::default();
        for (k, &v) in self.sequence.iter().enumerate() {
            let start = self.nodes[v].parents().to_vec().into_iter();
            let (choice, before) = (&mut space.choice, &self.sequence[..k]);
            model.choose_thoroughly(choice, v, start, before, &mut next);
            if next.score() < self.nodes[v].score() - PROGRESS {
                std::mem::swap(&mut next, &mut self.nodes[v]);
                touched.push(v);
            }
        }
    }

    /// Moves a variable to a place, with the parents that go with it.
    pub(super) fn move_to<S: Score<Node = N>>(
        &mut self,
        model: &S,
        v: usize,
        place: usize,
        space: &mut Space<S>,
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
    fn travel<S: Score<Node = N>>(
        &mut self,
        model: &S,
        v: usize,
        place: usize,
        patience: f64,
        space: &mut Space<S>,
    ) -> Goal {
        space.clear();
        let mut at = self.places[v];
        let mut best = Goal { gain: 0.0, place: at };
        let mut gain = 0.0;
        while at != place {
            let k = if place < at { at - 1 } else { at };
            let (first, second) = (self.sequence[k], self.sequence[k + 1]);
            if model.knowledge().must_precede(first, second) {
                break;
            }
            self.sequence.swap(k, k + 1);
            self.places[first] = k + 1;
            self.places[second] = k;
            at = if place < at { at - 1 } else { at + 1 };
            // `second` may no longer have `first` as a parent, `first` may now have `second`.
            if space.current(&self.nodes, second).parents().contains(&first) {
                gain += self.choose(model, second, k, Some(first), None, space);
            }
            let mut work = std::mem::take(&mut space.work);
            let node = space.current(&self.nodes, first);
            let wanted = model.wants(node, first, second, &mut work);
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
    fn choose<S: Score<Node = N>>(
        &self,
        model: &S,
        v: usize,
        k: usize,
        without: Option<usize>,
        with: Option<usize>,
        space: &mut Space<S>,
    ) -> f64 {
        if space.used == space.changed.len() {
            space.changed.push((v, N::default()));
        }
        let (fixed, free) = space.changed.split_at_mut(space.used);
        let slot = space.slot[v];
        let mut next = std::mem::take(&mut free[0].1);
        let node = if slot == NONE { &self.nodes[v] } else { &fixed[slot].1 };
        let before = node.score();
        let start = node.parents().iter().copied().filter(|&u| Some(u) != without).chain(with);
        model.choose(&mut space.choice, v, start, &self.sequence[..k], &mut next);
        let after = next.score();
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
