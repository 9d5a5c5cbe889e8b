//! The largest of many values that change one at a time.

/// A tree of winners: a change costs O(log d), the largest nothing.
#[derive(Debug)]
pub(super) struct Tournament {
    leaves: usize,
    /// Node k has the children 2k and 2k + 1; leaves come last.
    values: Vec<f64>,
    winners: Vec<u32>,
}

impl Tournament {
    pub(super) fn new(size: usize) -> Self {
        let leaves = size.next_power_of_two().max(1);
        let mut winners = vec![0; 2 * leaves];
        (0..leaves).for_each(|v| winners[leaves + v] = v as u32);
        (1..leaves).rev().for_each(|k| winners[k] = winners[2 * k]);
        Self { leaves, values: vec![f64::NEG_INFINITY; 2 * leaves], winners }
    }

    /// Gives one a value, or none.
    pub(super) fn set(&mut self, v: usize, value: Option<f64>) {
        let mut k = self.leaves + v;
        self.values[k] = value.unwrap_or(f64::NEG_INFINITY);
        while k > 1 {
            k /= 2;
            // Of equals the first.
            let better =
                if self.values[2 * k + 1] > self.values[2 * k] { 2 * k + 1 } else { 2 * k };
            self.values[k] = self.values[better];
            self.winners[k] = self.winners[better];
        }
    }

    /// Who has the largest value above a bound.
    pub(super) fn best(&self, bound: f64) -> Option<usize> {
        (self.values[1] > bound).then_some(self.winners[1] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_wins_and_of_equals_the_first() {
        let mut tree = Tournament::new(5);
        assert_eq!(tree.best(f64::MIN), None);
        for (v, value) in [(3, 0.5), (1, 0.5), (4, 0.25)] {
            tree.set(v, Some(value));
        }
        assert_eq!(tree.best(0.0), Some(1));
        assert_eq!(tree.best(0.5), None);
        tree.set(1, None);
        assert_eq!(tree.best(0.0), Some(3));
        tree.set(3, Some(0.1));
        assert_eq!(tree.best(0.0), Some(4));
    }
}
