//! Variables that wait to be looked at.

use std::collections::VecDeque;

use super::State;
use super::score::Node;

/// Variables, each at most once, first in, first out.
#[derive(Debug)]
pub(in super::super) struct Queue {
    waiting: VecDeque<usize>,
    waits: Vec<bool>,
    marked: Vec<bool>,
}

impl Queue {
    pub(in super::super) fn new(size: usize) -> Self {
        Self { waiting: VecDeque::new(), waits: vec![false; size], marked: vec![false; size] }
    }

    pub(in super::super) fn push(&mut self, v: usize) {
        if !std::mem::replace(&mut self.waits[v], true) {
            self.waiting.push_back(v);
        }
    }

    /// Adds variables and all that share an edge with one of them.
    pub(super) fn push_around<N: Node>(&mut self, state: &State<N>, variables: &[usize]) {
        for &v in variables {
            self.marked[v] = true;
            self.push(v);
            state.parents(v).iter().for_each(|&parent| self.push(parent));
        }
        for v in 0..self.waits.len() {
            if !self.waits[v] && state.parents(v).iter().any(|&parent| self.marked[parent]) {
                self.push(v);
            }
        }
        variables.iter().for_each(|&v| self.marked[v] = false);
    }

    pub(in super::super) fn pop(&mut self) -> Option<usize> {
        let v = self.waiting.pop_front()?;
        self.waits[v] = false;
        Some(v)
    }
}
