//! Knowledge by index, in the form that methods ask for.

use std::collections::BTreeSet;

use crate::core::graph::Reachability;
use crate::core::graph::bits::{BitMatrix, members};
use crate::core::{Dag, Error, Order, Pdag};

/// Consistent knowledge about the variables of one table, by index.
///
/// Made by [`KnowledgeSpec::resolve`](super::KnowledgeSpec::resolve); there is at least one graph
/// that satisfies it. Where nothing is known, every graph does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    names: Vec<String>,
    /// Nothing where every graph is allowed, which then costs no memory and no time.
    known: Option<Known>,
}

/// What is known, as sets of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    /// Row v: the parents v must have.
    pub(super) required: BitMatrix,
    /// Row v: the parents v may have, those it must have among them.
    pub(super) allowed: BitMatrix,
    /// Row v: the variables that come before v in every order.
    pub(super) before: BitMatrix,
}

impl Known {
    /// True when every edge is allowed and none is required.
    fn is_empty(&self, d: usize) -> bool {
        // A required edge forbids its reverse, and so does an order.
        (0..d).all(|v| members(self.allowed.row(v)).count() + 1 == d)
    }
}

impl Knowledge {
    /// Nothing known about variables of these names: every graph is allowed.
    pub fn unconstrained(names: &[String]) -> Self {
        Self { names: names.to_vec(), known: None }
    }

    pub(super) fn new(names: &[String], known: Known) -> Self {
        let known = (!known.is_empty(names.len())).then_some(known);
        Self { names: names.to_vec(), known }
    }

    /// Number of variables.
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// True when every edge is allowed and none is required.
    pub fn is_empty(&self) -> bool {
        self.known.is_none()
    }

    /// True when the edge may be there.
    pub fn allows(&self, from: usize, to: usize) -> bool {
        self.known.as_ref().map_or(from != to, |known| known.allowed.has(to, from))
    }

    /// True when the edge must be there.
    pub fn requires(&self, from: usize, to: usize) -> bool {
        self.known.as_ref().is_some_and(|known| known.required.has(to, from))
    }

    /// True when `i` comes before `j` in every order: along required edges, from tier to tier,
    /// and any chain of these. Sources in no tier come first and sinks in no tier last, which
    /// costs nothing and lets them have their edges.
    pub fn must_precede(&self, i: usize, j: usize) -> bool {
        self.known.as_ref().is_some_and(|known| known.before.has(j, i))
    }

    /// The variables that may be parents of `v`, by index.
    pub fn allowed_parents(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(move |&i| self.allows(i, v))
    }

    /// The variables that must be parents of `v`, by index.
    pub fn required_parents(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        self.known.iter().flat_map(move |known| members(known.required.row(v)))
    }

    /// The variables that come before `v` in every order, by index.
    pub fn predecessors(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        self.known.iter().flat_map(move |known| members(known.before.row(v)))
    }

    /// The order nearest to the given one that keeps to [`Self::must_precede`]: the earliest
    /// variable whose predecessors are all placed comes next. Variables that share a place still
    /// do unless one must precede the other; an order that keeps to it stays as it is. Cost
    /// O(d^2).
    ///
    /// ```
    /// use nocurl::{Order, knowledge::KnowledgeSpec};
    /// let names = ["a", "b", "c"].map(String::from);
    /// let required = vec![("c".into(), "a".into())];
    /// let knowledge = KnowledgeSpec { required, ..Default::default() }.resolve(&names)?;
    /// assert_eq!(knowledge.repair(&Order::strict(&[0, 1, 2])).sequence(), [1, 2, 0]);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    pub fn repair(&self, order: &Order) -> Order {
        self.repair_keeping(order, |_, _| false)
    }

    /// [`Self::repair`] that also keeps parents before children of a graph where it can.
    pub(crate) fn repair_keeping(
        &self,
        order: &Order,
        has_edge: impl Fn(usize, usize) -> bool,
    ) -> Order {
        if self.is_empty() {
            return order.clone();
        }
        let (d, ranks) = (self.size(), order.ranks());
        let has_edge = |i: usize, j: usize| has_edge(i, j) && self.allows(i, j);
        let mut waiting: Vec<usize> = (0..d).map(|j| self.predecessors(j).count()).collect();
        let mut waiting_for_parents: Vec<usize> =
            (0..d).map(|j| (0..d).filter(|&i| has_edge(i, j)).count()).collect();
        let mut left: BTreeSet<(usize, usize)> = (0..d).map(|v| (ranks[v], v)).collect();
        let mut places = Vec::with_capacity(d);
        while !left.is_empty() {
            let ready = |&&(_, v): &&(usize, usize)| waiting[v] == 0;
            let first = left.iter().filter(ready).find(|&&(_, v)| waiting_for_parents[v] == 0);
            let place: Vec<usize> = match first {
                Some(&(rank, _)) => left
                    .range((rank, 0)..(rank + 1, 0))
                    .filter(ready)
                    .filter(|&&(_, v)| waiting_for_parents[v] == 0)
                    .map(|&(_, v)| v)
                    .collect(),
                // The graph has an edge against the knowledge, which comes first.
                None => left.iter().find(ready).map(|&(_, v)| v).into_iter().collect(),
            };
            for &i in &place {
                left.remove(&(ranks[i], i));
                for &(_, j) in &left {
                    waiting[j] -= usize::from(self.must_precede(i, j));
                    waiting_for_parents[j] -= usize::from(has_edge(i, j));
                }
            }
            places.push(place);
        }
        Order::from_places(places)
    }

    /// Whether a graph has all required edges, no forbidden one, and no path from a later tier to
    /// an earlier one. Cost O(d^2) and the paths of the graph.
    ///
    /// # Errors
    /// [`Error::Knowledge`] with the first statement that the graph breaks.
    pub fn is_satisfied_by(&self, dag: &Dag) -> Result<(), Error> {
        let name = |i: usize| &self.names[i];
        let broken = |what: String| Err(Error::Knowledge { reason: format!("the graph {what}") });
        if let Some((i, j, _)) = dag.edges().find(|&(i, j, _)| !self.allows(i, j)) {
            return broken(format!("has the forbidden edge `{}` -> `{}`", name(i), name(j)));
        }
        let reach = Reachability::of_dag(dag);
        for j in 0..self.size() {
            if let Some(i) = self.required_parents(j).find(|&i| !dag.has_edge(i, j)) {
                return broken(format!("lacks the required edge `{}` -> `{}`", name(i), name(j)));
            }
            if let Some(i) = self.predecessors(j).find(|&i| reach.reaches(j, i)) {
                return broken(format!("leads from `{}` back to `{}`", name(j), name(i)));
            }
        }
        Ok(())
    }

    /// The allowed edges among variables in the places of an order: for each variable the parents
    /// it may have at earlier places.
    pub(crate) fn candidates(&self, order: &Order) -> Vec<Vec<usize>> {
        let ranks = order.ranks();
        (0..self.size())
            .map(|v| self.allowed_parents(v).filter(|&i| ranks[i] < ranks[v]).collect())
            .collect()
    }

    /// The edges that must be there, `(from, to)`.
    pub(crate) fn required_edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size()).flat_map(|j| self.required_parents(j).map(move |i| (i, j)))
    }

    /// Directs the edges of an equivalence class whose direction follows from the knowledge, by
    /// itself or through the directions of others (Meek, 1995).
    pub(crate) fn direct(&self, class: &mut Pdag) {
        let open: Vec<(usize, usize)> = class.undirected().collect();
        for (i, j) in open {
            match (self.allows(i, j), self.allows(j, i)) {
                (true, false) => class.direct(i, j),
                (false, true) => class.direct(j, i),
                _ => {}
            }
        }
        class.apply_meek_rules();
    }

    /// The edges that are not allowed, `(from, to)`.
    pub(crate) fn forbidden(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let pairs = (0..self.size()).flat_map(|j| (0..self.size()).map(move |i| (i, j)));
        pairs.filter(|&(i, j)| i != j && !self.allows(i, j))
    }
}
