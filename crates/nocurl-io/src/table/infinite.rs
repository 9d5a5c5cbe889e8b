//! Infinite values: how many each column has, and of which sign.

/// Infinite values by column.
#[derive(Debug, Clone)]
pub(super) struct Infinite {
    counts: Vec<u64>,
    /// Whether some are above all numbers, and whether some are below.
    signs: [bool; 2],
}

impl Infinite {
    pub(super) fn new(columns: usize) -> Self {
        Self { counts: vec![0; columns], signs: [false; 2] }
    }

    pub(super) fn take(&mut self, column: usize, value: f64) {
        self.counts[column] += 1;
        self.signs[usize::from(value < 0.0)] = true;
    }

    pub(super) fn append(&mut self, later: &Self) {
        self.counts.iter_mut().zip(&later.counts).for_each(|(count, more)| *count += more);
        self.signs.iter_mut().zip(later.signs).for_each(|(sign, more)| *sign |= more);
    }

    /// How many each column has.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The words for them.
    pub(super) fn words(&self) -> Vec<String> {
        let words = self.signs.iter().zip(["inf", "-inf"]).filter(|(there, _)| **there);
        words.map(|(_, word)| word.to_string()).collect()
    }
}
