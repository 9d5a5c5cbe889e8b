//! A class of many variables: a member of it, and which of its edges all members share.

use std::collections::{BinaryHeap, VecDeque};

use super::super::moves::Surroundings;
use crate::core::{Dag, Error};

/// What surrounds one variable; lists are in rising order.
#[derive(Debug, Clone, Default, PartialEq)]
struct Place {
    /// Parents and children in the member.
    parents: Vec<usize>,
    children: Vec<usize>,
    /// Parents in every member.
    compelled: Vec<usize>,
    /// Those with an edge that members direct either way.
    neighbours: Vec<usize>,
}

/// An equivalence class by a member and the edges that are compelled.
///
/// A change of one edge changes the class around it alone, and only that part is gone through. A
/// member that suits the change is made by turning edges of the undirected part that it touches;
/// what is compelled into a variable follows from its parents, those of one of them, and what is
/// compelled into that one, so it is worked out again from the change downwards until nothing
/// differs.
#[derive(Debug)]
pub(super) struct Class {
    places: Vec<Place>,
    /// Places as they were, while there may be a way back.
    saved: Vec<(usize, Place)>,
    saving: bool,
    /// The attempt that saved a place last.
    mark: Vec<u64>,
    attempt: u64,
    /// Variables whose parents or neighbours in the class changed, some of them twice.
    changed: Vec<usize>,
}

impl Class {
    /// The class of the graph without edges.
    pub(super) fn empty(size: usize) -> Self {
        Self {
            places: vec![Place::default(); size],
            saved: Vec::new(),
            saving: false,
            mark: vec![0; size],
            attempt: 0,
            changed: Vec::new(),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.places.len()
    }

    /// The parents of a variable in the member.
    pub(super) fn in_member(&self, v: usize) -> &[usize] {
        &self.places[v].parents
    }

    pub(super) fn neighbours(&self, v: usize) -> &[usize] {
        &self.places[v].neighbours
    }

    /// Those that an edge of any kind joins to a variable.
    pub(super) fn around(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        let Place { parents, children, .. } = &self.places[v];
        parents.iter().chain(children).copied()
    }

    /// Those that come next on a path along directed (forwards) and undirected edges.
    pub(super) fn onward(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        let Place { children, neighbours, .. } = &self.places[v];
        children.iter().chain(neighbours).copied()
    }

    /// Those that come before on such a path.
    pub(super) fn backward(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        let Place { parents, neighbours, .. } = &self.places[v];
        parents.iter().chain(neighbours).copied()
    }

    /// True when a path found earlier can still be walked.
    pub(super) fn is_open(&self, path: &[usize]) -> bool {
        path.windows(2).all(|step| {
            let Place { children, neighbours, .. } = &self.places[step[0]];
            has(children, step[1]) || has(neighbours, step[1])
        })
    }

    /// Adds `x -> y` to a member in which those of a clique, of all neighbours of `y`, are its
    /// parents; what changed is in [`Self::changed`].
    pub(super) fn insert(&mut self, x: usize, y: usize, clique: &[usize]) {
        self.begin_with(clique, y);
        self.save(x);
        self.save(y);
        put(&mut self.places[y].parents, x);
        put(&mut self.places[x].children, y);
        self.relabel(y);
    }

    /// Takes the edge of `x` and `y` out of a member in which `x`, and of all neighbours of `y`
    /// those of a clique, are parents of `y`.
    pub(super) fn delete(&mut self, x: usize, y: usize, clique: &[usize]) {
        if has(&self.places[y].neighbours, x) {
            self.begin_with(&[clique, &[x]].concat(), y);
        } else {
            self.begin_with(clique, y);
        }
        for (one, other) in [(x, y), (y, x)] {
            self.save(one);
            let Place { parents, children, compelled, neighbours } = &mut self.places[one];
            for list in [parents, children, compelled, neighbours] {
                take(list, other);
            }
        }
        self.relabel(y);
    }

    /// Turns undirected edges so that a clique of neighbours comes first and `y` next.
    ///
    /// All before them in their undirected part are put in another order: one by the most of those
    /// chosen that a variable is next to (maximum cardinality search), which has no new collider
    /// because the part is chordal, and may begin with any clique. What comes after stays as it is.
    fn begin_with(&mut self, clique: &[usize], y: usize) {
        let open = |place: &Place| {
            let own = place.parents.iter().copied();
            own.filter(|&u| !has(&place.compelled, u)).collect::<Vec<_>>()
        };
        let mut before = open(&self.places[y]);
        let mut wanted = clique.to_vec();
        before.sort_unstable();
        wanted.sort_unstable();
        if before == wanted {
            return;
        }
        // All that come before in the member.
        let mut part: Vec<usize> = clique.iter().copied().chain([y]).collect();
        part.sort_unstable();
        let mut queue = part.clone();
        while let Some(v) = queue.pop() {
            for u in open(&self.places[v]) {
                if let Err(at) = part.binary_search(&u) {
                    part.insert(at, u);
                    queue.push(u);
                }
            }
        }
        let mut order = vec![usize::MAX; part.len()];
        let mut next_to = vec![0usize; part.len()];
        let place = |v: usize| part.binary_search(&v).ok();
        // Of those next to as many, the one with the smallest number.
        let mut heap: BinaryHeap<(usize, std::cmp::Reverse<usize>)> = BinaryHeap::new();
        let mut first = clique.iter().copied().chain([y]);
        for rank in 0..part.len() {
            let at = match first.next() {
                Some(v) => place(v).expect("the clique is in the part"),
                None => loop {
                    let (count, std::cmp::Reverse(at)) = heap.pop().expect("the part is connected");
                    if order[at] == usize::MAX && next_to[at] == count {
                        break at;
                    }
                },
            };
            order[at] = rank;
            for other in self.places[part[at]].neighbours.iter().filter_map(|&u| place(u)) {
                next_to[other] += 1;
                if order[other] == usize::MAX {
                    heap.push((next_to[other], std::cmp::Reverse(other)));
                }
            }
        }
        for (at, &v) in part.iter().enumerate() {
            let later = |u: usize| place(u).is_some_and(|other| order[other] > order[at]);
            let turned: Vec<usize> =
                open(&self.places[v]).into_iter().filter(|&u| later(u)).collect();
            for u in turned {
                self.save(u);
                self.save(v);
                take(&mut self.places[v].parents, u);
                put(&mut self.places[v].children, u);
                take(&mut self.places[u].children, v);
                put(&mut self.places[u].parents, v);
            }
        }
    }

    /// Works out again what is compelled, from a variable with other parents on.
    fn relabel(&mut self, y: usize) {
        let mut queue: VecDeque<usize> = [y].into();
        queue.extend(&self.places[y].children);
        while let Some(z) = queue.pop_front() {
            let compelled = self.compelled(z);
            let is_same = compelled == self.places[z].compelled;
            // An edge is undirected where it is not compelled.
            let differs = |&u: &usize| has(&compelled, u) == has(&self.places[z].neighbours, u);
            let other: Vec<usize> =
                self.places[z].parents.iter().copied().filter(differs).collect();
            if is_same && other.is_empty() {
                continue;
            }
            self.save(z);
            for &u in &other {
                self.save(u);
                let change = if has(&compelled, u) { take } else { put };
                change(&mut self.places[z].neighbours, u);
                change(&mut self.places[u].neighbours, z);
                self.changed.push(u);
            }
            self.changed.push(z);
            if !is_same {
                self.places[z].compelled = compelled;
                queue.extend(&self.places[z].children);
            }
        }
    }

    /// The parents that a variable has in every member (Chickering, 1995).
    ///
    /// Where one parent has all others as its own parents, nothing collides but what collides
    /// there: what is compelled into it is compelled here too, and nothing else, unless it comes
    /// from outside. Elsewhere all are.
    fn compelled(&self, z: usize) -> Vec<usize> {
        let parents = &self.places[z].parents;
        let within = |list: &[usize], x: usize| list.iter().all(|&u| u == x || has(parents, u));
        let last = parents.iter().find(|&&x| {
            let own = &self.places[x].parents;
            own.len() + 1 >= parents.len() && parents.iter().all(|&u| u == x || has(own, u))
        });
        match last {
            Some(&x) if within(&self.places[x].compelled, x) => self.places[x].compelled.clone(),
            _ => parents.clone(),
        }
    }

    /// Variables whose parents or neighbours changed since this was asked last.
    pub(super) fn changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.changed)
    }

    /// Keeps a way back to the class as it is.
    pub(super) fn begin(&mut self) {
        self.saved.clear();
        self.saving = true;
        self.attempt += 1;
    }

    /// The variables with other parents in the member than when the attempt began, each with those
    /// it had.
    pub(super) fn differences(&self) -> impl Iterator<Item = (usize, &[usize])> + '_ {
        let differs = |(v, old): &&(usize, Place)| self.places[*v].parents != old.parents;
        self.saved.iter().filter(differs).map(|(v, old)| (*v, old.parents.as_slice()))
    }

    /// Ends an attempt; goes back where it failed. Returns what it had changed.
    pub(super) fn end(&mut self, is_kept: bool) -> Vec<usize> {
        self.saving = false;
        let saved = std::mem::take(&mut self.saved);
        let mut touched = Vec::with_capacity(saved.len());
        for (v, old) in saved {
            touched.push(v);
            if !is_kept {
                self.places[v] = old;
            }
        }
        touched
    }

    fn save(&mut self, v: usize) {
        if self.saving && self.mark[v] != self.attempt {
            self.mark[v] = self.attempt;
            self.saved.push((v, self.places[v].clone()));
        }
    }

    /// The member.
    pub(super) fn to_dag(&self) -> Result<Dag, Error> {
        let edges: Vec<(usize, usize)> = (0..self.size())
            .flat_map(|v| self.places[v].parents.iter().map(move |&u| (u, v)))
            .collect();
        Dag::from_edges(self.size(), &edges)
    }
}

impl Surroundings for Class {
    fn parents(&self, y: usize) -> Vec<usize> {
        self.places[y].compelled.clone()
    }

    fn neighbours(&self, y: usize) -> Vec<usize> {
        self.places[y].neighbours.clone()
    }

    fn adjacent(&self, a: usize, b: usize) -> bool {
        has(&self.places[a].parents, b) || has(&self.places[a].children, b)
    }
}

fn has(list: &[usize], v: usize) -> bool {
    list.binary_search(&v).is_ok()
}

fn put(list: &mut Vec<usize>, v: usize) {
    if let Err(at) = list.binary_search(&v) {
        list.insert(at, v);
    }
}

fn take(list: &mut Vec<usize>, v: usize) {
    if let Ok(at) = list.binary_search(&v) {
        list.remove(at);
    }
}
