//! An order as labels, with the parents of every variable.

use super::super::search::{Family, Node};

/// An order with the parents of every variable.
///
/// Variables come in the order of their labels, those with the same label by number. To move one
/// gives it another label; only its place among those near it matters.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct State {
    labels: Vec<f64>,
    nodes: Vec<Family>,
}

/// What an attempt would change.
pub(super) struct Change {
    pub(super) nodes: Vec<(usize, Family)>,
    pub(super) labels: Vec<(usize, f64)>,
    /// What it depends on, with those near these.
    pub(super) examined: Vec<usize>,
}

impl Change {
    /// Variables that it gives another place or other parents.
    pub(super) fn touched(&self) -> impl Iterator<Item = usize> + '_ {
        self.labels.iter().map(|(v, _)| *v).chain(self.nodes.iter().map(|(v, _)| *v))
    }
}

impl State {
    /// The order without any parents.
    pub(super) fn new(sequence: &[usize]) -> Self {
        let nodes = vec![Family::default(); sequence.len()];
        let mut labels = vec![0.0; sequence.len()];
        sequence.iter().enumerate().for_each(|(place, &v)| labels[v] = place as f64);
        Self { labels, nodes }
    }

    pub(super) fn size(&self) -> usize {
        self.labels.len()
    }

    /// True for an order of so many variables in which parents come first.
    pub(super) fn is_sound(&self, size: usize) -> bool {
        let place = |v: usize| (self.labels[v], v);
        let fits = |(v, node): (usize, &Family)| {
            let first = |&parent: &usize| parent < size && place(parent) < place(v);
            node.is_sound() && node.parents().iter().all(first)
        };
        [self.labels.len(), self.nodes.len()] == [size; 2]
            && self.labels.iter().all(|label| label.is_finite())
            && self.nodes.iter().enumerate().all(fits)
    }

    pub(super) fn label(&self, v: usize) -> f64 {
        self.labels[v]
    }

    pub(super) fn node(&self, v: usize) -> &Family {
        &self.nodes[v]
    }

    pub(super) fn set_node(&mut self, v: usize, node: Family) {
        self.nodes[v] = node;
    }

    pub(super) fn apply(&mut self, change: Change) {
        change.labels.into_iter().for_each(|(v, label)| self.labels[v] = label);
        change.nodes.into_iter().for_each(|(v, node)| self.nodes[v] = node);
    }

    /// Labels that are places, so that there is room between all.
    pub(super) fn relabel(&mut self) {
        let mut sequence: Vec<usize> = (0..self.size()).collect();
        sequence.sort_by(|&a, &b| self.labels[a].total_cmp(&self.labels[b]).then(a.cmp(&b)));
        sequence.iter().enumerate().for_each(|(place, &v)| self.labels[v] = place as f64);
    }

    pub(super) fn score(&self) -> f64 {
        self.nodes.iter().map(Node::score).sum()
    }
}

/// Values of a few of many variables.
pub(super) struct Layer<T> {
    items: Vec<(usize, T)>,
    /// For each variable where its value is, or nothing.
    slot: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<T> Layer<T> {
    pub(super) fn new(size: usize) -> Self {
        Self { items: Vec::new(), slot: vec![NONE; size] }
    }

    pub(super) fn get(&self, v: usize) -> Option<&T> {
        self.items.get(self.slot[v] as usize).map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, v: usize, value: T) {
        match self.items.get_mut(self.slot[v] as usize) {
            Some((_, old)) => *old = value,
            None => {
                self.slot[v] = self.items.len() as u32;
                self.items.push((v, value));
            }
        }
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &(usize, T)> {
        self.items.iter()
    }

    pub(super) fn clear(&mut self) {
        self.items.drain(..).for_each(|(v, _)| self.slot[v] = NONE);
    }

    /// All values, which are gone then.
    pub(super) fn take(&mut self) -> Vec<(usize, T)> {
        self.items.iter().for_each(|(v, _)| self.slot[*v] = NONE);
        std::mem::take(&mut self.items)
    }
}
