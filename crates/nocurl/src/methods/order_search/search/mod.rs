//! Local search over orders by the Bayesian information criterion.

mod parents;
mod queue;
mod score;
mod scored;
mod state;

use crate::core::{Error, Run};

pub(crate) use parents::Model;
pub(in crate::methods) use parents::{Choice, Family, Prices, Table};
pub(super) use queue::Queue;
pub(crate) use score::{Node, Score};
pub(crate) use scored::Scored;
use state::Space;
pub(crate) use state::{PROGRESS, State};

/// How far the score may rise on the way of a variable through the order, in units of what a
/// parent costs, before the way is given up: in a search of everything ...
pub(super) const PATIENCE: f64 = 100.0;

/// ... and around what a restart disturbed. Longer ways find nothing more there.
pub(super) const PATIENCE_AROUND: f64 = 30.0;

/// A search with its work space: one for each thread.
pub(crate) struct Search<'a, S: Score> {
    model: &'a S,
    space: Space<S>,
    queue: Queue,
    touched: Vec<usize>,
}

impl<'a, S: Score> Search<'a, S> {
    pub(crate) fn new(model: &'a S) -> Self {
        let (space, queue) = (Space::new(model.size()), Queue::new(model.size()));
        Self { model, space, queue, touched: Vec::new() }
    }

    /// An order with parents chosen from nothing.
    pub(crate) fn start(&mut self, sequence: Vec<usize>) -> State<S::Node> {
        State::new(self.model, sequence, &mut self.space)
    }

    /// Moves each variable to its best place, until no move helps; returns the moves made.
    pub(crate) fn descend(
        &mut self,
        state: &mut State<S::Node>,
        run: &Run<'_>,
    ) -> Result<u64, Error> {
        let mut moves = 0;
        loop {
            // What is next to no change may still gain by it: the end is a whole round for nothing.
            (0..self.model.size()).for_each(|v| self.queue.push(v));
            match self.work_off(state, PATIENCE, run)? {
                0 => return Ok(moves),
                more => moves += more,
            }
        }
    }

    /// Moves a variable to a place, whatever that does to the score; the next
    /// [`settle`](Self::settle) looks at what it changes.
    pub(crate) fn kick(&mut self, state: &mut State<S::Node>, v: usize, place: usize) {
        self.touched.clear();
        state.move_to(self.model, v, place, &mut self.space, &mut self.touched);
        self.queue.push_around(state, &self.touched);
    }

    /// Moves the variables that wait to their best places, then those next to what that changed,
    /// until no such move helps; returns the moves made.
    pub(crate) fn settle(
        &mut self,
        state: &mut State<S::Node>,
        run: &Run<'_>,
    ) -> Result<u64, Error> {
        self.work_off(state, PATIENCE_AROUND, run)
    }

    /// Chooses parents thoroughly, two at a time where one alone does not pay, and moves what is
    /// around those that changed, until nothing helps; returns the moves made.
    pub(crate) fn polish(
        &mut self,
        state: &mut State<S::Node>,
        run: &Run<'_>,
    ) -> Result<u64, Error> {
        let mut moves = 0;
        loop {
            self.touched.clear();
            state.improve(self.model, &mut self.space, &mut self.touched);
            run.worked(self.model.size() as f64 * self.model.operations());
            if self.touched.is_empty() {
                return Ok(moves);
            }
            moves += self.touched.len() as u64;
            self.queue.push_around(state, &self.touched);
            moves += self.work_off(state, PATIENCE_AROUND, run)?;
        }
    }

    fn work_off(
        &mut self,
        state: &mut State<S::Node>,
        patience: f64,
        run: &Run<'_>,
    ) -> Result<u64, Error> {
        let patience = patience * self.model.cost();
        let mut moves = 0;
        while let Some(v) = self.queue.pop() {
            if run.is_stopped() {
                return Err(Error::Cancelled);
            }
            run.worked(self.model.operations());
            self.touched.clear();
            let (space, touched) = (&mut self.space, &mut self.touched);
            if state.move_to_best(self.model, v, patience, space, touched) {
                moves += 1;
                self.queue.push_around(state, &self.touched);
            }
        }
        Ok(moves)
    }
}
