//! What can be done at every variable, of one kind, and the best of it.

use super::super::moves::{Candidate, Moves};
use super::tournament::Tournament;
use crate::core::parallel::*;

/// So many variables are worth several threads.
const WORTHWHILE: usize = 64;

/// Moves of one kind at each variable. Those at variables whose surroundings changed are stale
/// until they are asked for.
#[derive(Debug)]
pub(super) struct Ledger {
    moves: Vec<Moves>,
    best: Tournament,
    stale: Vec<usize>,
    is_stale: Vec<bool>,
    /// Moves that were replaced, the latest last, while there may be a way back.
    replaced: Option<Vec<(usize, Moves)>>,
    pub(super) scored: u64,
    /// True when some ways to change the class were too many to try.
    pub(super) limited: bool,
}

impl Ledger {
    /// Without moves; all are stale.
    pub(super) fn new(size: usize) -> Self {
        Self {
            moves: (0..size).map(|_| Moves::default()).collect(),
            best: Tournament::new(size),
            stale: (0..size).collect(),
            is_stale: vec![true; size],
            replaced: None,
            scored: 0,
            limited: false,
        }
    }

    pub(super) fn at(&self, y: usize) -> &Moves {
        &self.moves[y]
    }

    /// The variable with the best move above a bound, and that move.
    pub(super) fn best(&self, bound: f64) -> Option<(Candidate, usize)> {
        let y = self.best.best(bound)?;
        Some((*self.moves[y].heap.peek()?, y))
    }

    pub(super) fn mark(&mut self, y: usize) {
        if !std::mem::replace(&mut self.is_stale[y], true) {
            self.stale.push(y);
        }
    }

    /// Scores what is stale, in parallel where it is much.
    pub(super) fn refresh(&mut self, score: impl Fn(usize) -> Moves + Sync) {
        let mut stale = std::mem::take(&mut self.stale);
        stale.sort_unstable();
        let scored: Vec<Moves> = match stale.len() < WORTHWHILE {
            true => stale.iter().map(|&y| score(y)).collect(),
            false => stale.par_iter().map(|&y| score(y)).collect(),
        };
        for (y, moves) in stale.into_iter().zip(scored) {
            self.is_stale[y] = false;
            self.scored += moves.scored;
            self.limited |= moves.limited;
            let old = std::mem::replace(&mut self.moves[y], moves);
            self.rank(y);
            if let Some(replaced) = &mut self.replaced {
                replaced.push((y, old));
            }
        }
    }

    /// Changes the moves at a variable.
    pub(super) fn change<T>(&mut self, y: usize, change: impl FnOnce(&mut Moves) -> T) -> T {
        let result = change(&mut self.moves[y]);
        self.rank(y);
        result
    }

    fn rank(&mut self, y: usize) {
        self.best.set(y, self.moves[y].heap.peek().map(|candidate| candidate.value));
    }

    /// Keeps a way back to the moves as they are; nothing may be stale.
    pub(super) fn begin(&mut self) {
        debug_assert!(self.stale.is_empty(), "what is stale cannot be gone back to");
        self.replaced = Some(Vec::new());
    }

    /// Gives up the way back.
    pub(super) fn keep(&mut self) {
        self.replaced = None;
    }

    /// Goes back; returns the variables whose moves changed.
    pub(super) fn undo(&mut self) -> Vec<usize> {
        for y in std::mem::take(&mut self.stale) {
            self.is_stale[y] = false;
        }
        let mut restored = Vec::new();
        for (y, moves) in self.replaced.take().unwrap_or_default().into_iter().rev() {
            self.moves[y] = moves;
            restored.push(y);
        }
        restored.sort_unstable();
        restored.dedup();
        restored.iter().for_each(|&y| self.rank(y));
        restored
    }
}
