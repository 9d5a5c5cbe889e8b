//! Streams of random numbers.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random stream of one part of the work.
///
/// The seed is multiplied by an odd constant, so that neighbouring seeds share no stream.
pub(crate) fn stream(seed: u64, part: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(part))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::RngExt;

    use super::*;

    #[test]
    fn neighbouring_seeds_share_no_stream() {
        let first = |seed, part| stream(seed, part).random::<u64>();
        let all: BTreeSet<u64> =
            (0..50).flat_map(|seed| (0..1000).map(move |part| first(seed, part))).collect();
        assert_eq!(all.len(), 50 * 1000);
    }
}
