//! The equivalence class that the search has reached.

use std::sync::Arc;

use super::moves::Surroundings;
use crate::core::graph::bits::{self, BitMatrix, members};
use crate::core::{Error, Pdag, Targets};

/// A completed partially directed graph, as one set of parents, children, neighbours (by an
/// undirected edge) and adjacent variables for each variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::methods) struct Class {
    size: usize,
    pub(in crate::methods) parents: BitMatrix,
    pub(in crate::methods) children: BitMatrix,
    pub(in crate::methods) neighbours: BitMatrix,
    pub(in crate::methods) adjacent: BitMatrix,
    /// What conditions act on, where the class is an interventional one.
    targets: Option<Arc<Targets>>,
}

impl Class {
    /// The class of the graph without edges.
    pub(super) fn empty(size: usize, targets: Option<Arc<Targets>>) -> Self {
        let none = BitMatrix::new(size);
        Self {
            size,
            parents: none.clone(),
            children: none.clone(),
            neighbours: none.clone(),
            adjacent: none,
            targets,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Adds `x -> y` and directs `t - y` to `t -> y` for all `t` of a set; see [`Self::complete`].
    pub(super) fn insert(&mut self, x: usize, y: usize, directed: impl Iterator<Item = usize>) {
        self.set_directed(x, y);
        for t in directed {
            self.set_directed(t, y);
        }
    }

    /// Removes the edge between `x` and `y` and directs undirected `y - h` and `x - h` towards
    /// all `h` of a set; see [`Self::complete`].
    pub(super) fn delete(&mut self, x: usize, y: usize, directed: impl Iterator<Item = usize>) {
        self.clear(x, y);
        for h in directed {
            self.set_directed(y, h);
            if self.neighbours.has(x, h) {
                self.set_directed(x, h);
            }
        }
    }

    /// Restores the completed graph of the class after an operation: a member of the class by
    /// removing sinks (Dor and Tarsi, 1992), then its compelled edges (Chickering, 1995). Cost
    /// O(d^2 / 64 + m k) for m edges and degrees up to k.
    ///
    /// # Errors
    /// When the graph has no member, which valid operations rule out.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        let order = self.extension()?;
        let mut rank = vec![0; self.size];
        order.iter().enumerate().for_each(|(place, &v)| rank[v] = place);
        let mut next = Self::empty(self.size, self.targets.clone());
        next.adjacent = self.adjacent.clone();
        // In the member, the parents of a variable are the adjacent ones before it.
        let mut in_member = BitMatrix::new(self.size);
        for &y in &order {
            let mut last = None;
            for x in members(self.adjacent.row(y)).filter(|&x| rank[x] < rank[y]) {
                in_member.insert(y, x);
                if last.is_none_or(|l: usize| rank[l] < rank[x]) {
                    last = Some(x);
                }
            }
            let Some(x) = last else { continue };
            // Compelled w -> x forces x -> y when w and y are not adjacent, and otherwise w -> y.
            // A parent of y that is no parent of x makes x -> y part of a v-structure.
            let (into_y, into_x) = (in_member.row(y), in_member.row(x));
            let forced = bits::difference(next.parents.row(x), into_y).next().is_some();
            let collides = || bits::difference(into_y, into_x).any(|z| z != x);
            if forced || collides() {
                next.parents.row_mut(y).copy_from_slice(into_y);
            } else {
                next.parents.copy_row(x, y);
            }
        }
        for y in 0..self.size {
            for x in members(in_member.row(y)) {
                if next.parents.has(y, x) {
                    next.children.insert(x, y);
                } else {
                    next.neighbours.insert(x, y);
                    next.neighbours.insert(y, x);
                }
            }
        }
        if let Some(targets) = &self.targets {
            let mut told = next.to_pdag()?;
            targets.direct(&mut told, |x, y| in_member.has(y, x));
            for (x, y) in
                told.directed().filter(|&(x, y)| next.neighbours.has(x, y)).collect::<Vec<_>>()
            {
                next.set_directed(x, y);
            }
        }
        *self = next;
        Ok(())
    }

    /// An order of the variables along which the undirected edges can be directed.
    fn extension(&self) -> Result<Vec<usize>, Error> {
        let mut alive = bits::set_of(self.size, 0..self.size);
        let mut queue: Vec<usize> = (0..self.size).collect();
        let mut order = Vec::with_capacity(self.size);
        while let Some(x) = queue.pop() {
            if !bits::has(&alive, x) || !self.is_sink(x, &alive) {
                continue;
            }
            bits::exclude(&mut alive, x);
            order.push(x);
            // Only variables next to the one removed can have become sinks.
            queue.extend(bits::common(self.adjacent.row(x), &alive));
        }
        if order.len() < self.size {
            return Err(Error::NoAcyclicMember);
        }
        order.reverse();
        Ok(order)
    }

    /// True when `x` has no child and every neighbour of it is adjacent to all others around `x`.
    fn is_sink(&self, x: usize, alive: &[u64]) -> bool {
        if bits::common(self.children.row(x), alive).next().is_some() {
            return false;
        }
        bits::common(self.neighbours.row(x), alive).all(|y| {
            let sets = self.adjacent.row(x).iter().zip(self.adjacent.row(y)).zip(alive);
            bits::of_words(sets.map(|((x, y), alive)| x & !y & alive)).all(|z| z == y)
        })
    }

    /// A path from `start` to `to` along directed (forwards) and undirected edges that meets no
    /// variable of `avoid`, if there is one.
    pub(super) fn path(&self, start: usize, to: usize, avoid: &[u64]) -> Option<Vec<usize>> {
        let mut seen = bits::set_of(self.size, [start]);
        bits::include(&mut seen, avoid);
        let mut before = vec![usize::MAX; self.size];
        let mut queue = vec![start];
        let mut at = 0;
        while let Some(&v) = queue.get(at) {
            at += 1;
            let onward = self.children.row(v).iter().zip(self.neighbours.row(v));
            let from = queue.len();
            queue.extend(bits::of_words(
                onward.zip(&seen).map(|((child, near), seen)| (child | near) & !seen),
            ));
            for &w in &queue[from..] {
                before[w] = v;
                bits::insert(&mut seen, w);
                if w == to {
                    let mut path = vec![to];
                    while let Some(&v) = path.last().filter(|&&v| v != start) {
                        path.push(before[v]);
                    }
                    path.reverse();
                    return Some(path);
                }
            }
        }
        None
    }

    /// True when a path found earlier can still be walked.
    pub(super) fn is_open(&self, path: &[usize]) -> bool {
        path.windows(2).all(|step| {
            self.children.has(step[0], step[1]) || self.neighbours.has(step[0], step[1])
        })
    }

    /// The graph in the form that everyone uses.
    pub(super) fn to_pdag(&self) -> Result<Pdag, Error> {
        let pairs = |sets: &BitMatrix, keep: fn(usize, usize) -> bool| -> Vec<(usize, usize)> {
            (0..self.size)
                .flat_map(|i| members(sets.row(i)).map(move |j| (i, j)))
                .filter(|&(i, j)| keep(i, j))
                .collect()
        };
        let directed = pairs(&self.children, |_, _| true);
        let undirected = pairs(&self.neighbours, |i, j| i < j);
        Pdag::new(self.size, &directed, &undirected)
    }

    fn set_directed(&mut self, from: usize, to: usize) {
        self.clear(from, to);
        self.children.insert(from, to);
        self.parents.insert(to, from);
        self.adjacent.insert(from, to);
        self.adjacent.insert(to, from);
    }

    fn clear(&mut self, i: usize, j: usize) {
        for (i, j) in [(i, j), (j, i)] {
            self.parents.remove(i, j);
            self.children.remove(i, j);
            self.neighbours.remove(i, j);
            self.adjacent.remove(i, j);
        }
    }
}

impl Surroundings for Class {
    fn parents(&self, y: usize) -> Vec<usize> {
        members(self.parents.row(y)).collect()
    }

    fn neighbours(&self, y: usize) -> Vec<usize> {
        members(self.neighbours.row(y)).collect()
    }

    fn adjacent(&self, a: usize, b: usize) -> bool {
        self.adjacent.has(a, b)
    }
}
