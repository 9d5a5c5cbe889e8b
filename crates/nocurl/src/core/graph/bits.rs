//! Sets of variables as bits.

const WORD: usize = u64::BITS as usize;

/// One set of variables for each variable: row `i` is the set that belongs to `i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// Empty sets of `size` variables.
    pub(crate) fn new(size: usize) -> Self {
        let words = size.div_ceil(WORD);
        Self { words, bits: vec![0; size * words] }
    }

    pub(crate) fn row(&self, i: usize) -> &[u64] {
        &self.bits[i * self.words..(i + 1) * self.words]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [u64] {
        &mut self.bits[i * self.words..(i + 1) * self.words]
    }

    pub(crate) fn has(&self, i: usize, j: usize) -> bool {
        has(self.row(i), j)
    }

    pub(crate) fn insert(&mut self, i: usize, j: usize) {
        self.row_mut(i)[j / WORD] |= 1 << (j % WORD);
    }

    /// Makes the set of `to` the same as that of `from`.
    pub(crate) fn copy_row(&mut self, from: usize, to: usize) {
        let start = from * self.words;
        self.bits.copy_within(start..start + self.words, to * self.words);
    }

    pub(crate) fn remove(&mut self, i: usize, j: usize) {
        self.row_mut(i)[j / WORD] &= !(1 << (j % WORD));
    }
}

/// An empty set of `size` variables.
pub(crate) fn empty(size: usize) -> Vec<u64> {
    vec![0; size.div_ceil(WORD)]
}

/// The set of the given variables.
pub(crate) fn set_of(size: usize, members: impl IntoIterator<Item = usize>) -> Vec<u64> {
    let mut set = empty(size);
    members.into_iter().for_each(|i| set[i / WORD] |= 1 << (i % WORD));
    set
}

pub(crate) fn has(set: &[u64], i: usize) -> bool {
    set[i / WORD] >> (i % WORD) & 1 == 1
}

/// The members, from the smallest.
pub(crate) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    of_words(set.iter().copied())
}

/// The members of the set that has these words.
pub(crate) fn of_words(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(at, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < WORD).then_some(at * WORD + bit)
        })
    })
}

/// The members of both sets, without making a set of them.
pub(crate) fn common<'a>(a: &'a [u64], b: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    of_words(a.iter().zip(b).map(|(a, b)| a & b))
}

/// The members of the first set that are not in the second.
pub(crate) fn difference<'a>(a: &'a [u64], b: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
    of_words(a.iter().zip(b).map(|(a, b)| a & !b))
}

/// The members of both sets.
pub(crate) fn both(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

/// Adds the members of `more` to a set.
pub(crate) fn include(set: &mut [u64], more: &[u64]) {
    set.iter_mut().zip(more).for_each(|(to, from)| *to |= from);
}

/// Adds one member to a set.
pub(crate) fn insert(set: &mut [u64], i: usize) {
    set[i / WORD] |= 1 << (i % WORD);
}

/// Takes one member out of a set.
pub(crate) fn exclude(set: &mut [u64], i: usize) {
    set[i / WORD] &= !(1 << (i % WORD));
}
