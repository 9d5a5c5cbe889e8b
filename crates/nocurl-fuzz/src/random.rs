//! Chance that is the same every time, and what it does to bytes.

/// A small generator: the steps of splitmix64.
pub(crate) struct Random(u64);

/// Numbers at which lengths, counts and types go wrong.
const INTERESTING: [i64; 22] = [
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    15,
    16,
    63,
    64,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2_147_483_647,
    -2_147_483_648,
    4_294_967_295,
    i64::MAX,
    i64::MIN,
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0 if that is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    /// True once in `times` times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// A number near one that is known, or one at which things go wrong.
    pub(crate) fn number(&mut self, near: i64) -> i64 {
        match self.below(6) {
            0 => near.wrapping_add(1),
            1 => near.wrapping_sub(1),
            2 => near.wrapping_neg(),
            3 => near.wrapping_mul(1 << self.below(33)),
            _ => INTERESTING[self.below(INTERESTING.len())],
        }
    }

    /// Changes bytes in a few places.
    pub(crate) fn change(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            self.change_once(bytes);
        }
    }

    fn change_once(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let length = 1 + self.below(16).min(bytes.len().saturating_sub(at + 1));
        match self.below(9) {
            _ if bytes.is_empty() => bytes.push(self.next() as u8),
            0 => bytes[at] ^= 1 << self.below(8),
            1 => bytes[at] = self.next() as u8,
            2 => {
                let value = self.number(0).to_le_bytes();
                let width = [1, 2, 4, 8][self.below(4)].min(bytes.len() - at);
                bytes[at..at + width].copy_from_slice(&value[..width]);
            }
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..at + length)),
            5 => {
                let copy = bytes[at..at + length].to_vec();
                let to = self.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            6 => {
                let to = self.below(bytes.len() - length + 1);
                bytes.copy_within(at..at + length, to);
            }
            7 => {
                let byte = bytes[at];
                let count = self.below(300);
                bytes.splice(at..at, std::iter::repeat_n(byte, count));
            }
            _ => bytes.insert(at, self.next() as u8),
        }
    }
}
