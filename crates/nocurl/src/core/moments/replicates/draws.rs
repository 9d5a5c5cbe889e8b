//! How often a row is in a resampled table.

/// Tables of a seed and a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draws {
    pub(super) seed: u64,
    pub(super) part: u64,
}

impl Draws {
    /// What sets apart the draws of a pair of tables, an even number and the next, from those of
    /// other pairs.
    pub(super) fn salt(self, pair: u64) -> u64 {
        mix(mix(self.seed ^ mix(pair)) ^ mix(self.part))
    }
}

/// Draws for two tables: one number that looks random gives both, 32 bits each.
pub(super) struct Pair<'a> {
    pub(super) salt: u64,
    /// The places of the rows in their part.
    pub(super) places: &'a [u64],
    pub(super) even: &'a mut [f64],
    pub(super) odd: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Pair<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((&place, even), odd) in self.places.iter().zip(self.even).zip(self.odd) {
            let bits = mix(self.salt ^ place);
            *even = poisson(bits >> 32);
            *odd = poisson(bits & 0xffff_ffff);
        }
    }
}

/// A draw from Poisson's law with mean 1, from 32 bits that look random. Beyond 12 the chance is
/// below that of a number of 32 bits.
#[inline(always)]
fn poisson(bits: u64) -> f64 {
    // The law's distribution function in units of 2^-32, rounded to the nearest.
    const BELOW: [u64; 12] = [
        1_580_030_169,
        3_160_060_337,
        3_950_075_422,
        4_213_413_783,
        4_279_248_374,
        4_292_415_292,
        4_294_609_778,
        4_294_923_276,
        4_294_962_463,
        4_294_966_817,
        4_294_967_253,
        4_294_967_292,
    ];
    // As wide as the bits, so that the loop around is one of vector instructions.
    BELOW.iter().map(|&below| u64::from(bits >= below)).sum::<u64>() as f64
}

/// A number that looks random, from any number: a step of SplitMix64 (Steele, Lea and Flood, 2014).
#[inline(always)]
pub fn mix(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_follow_poissons_law_and_pairs_are_independent() {
        let places: Vec<u64> = (0..400_000).collect();
        let (mut even, mut odd) = (vec![0.0; places.len()], vec![0.0; places.len()]);
        let salt = Draws { seed: 3, part: 1 }.salt(0);
        let (one, other) = (&mut even, &mut odd);
        pulp::Arch::new().dispatch(Pair { salt, places: &places, even: one, odd: other });
        let draws = places.len() as f64;
        for counts in [&even, &odd] {
            let mut chance = (-1.0_f64).exp();
            for count in 0..7 {
                let found = counts.iter().filter(|&&drawn| drawn == f64::from(count)).count();
                let expected = chance * draws;
                let error = (found as f64 - expected).abs() / expected.sqrt();
                assert!(error < 4.0, "{count}: {found} where {expected} are expected");
                chance /= f64::from(count + 1);
            }
        }
        let products = even.iter().zip(&odd).map(|(a, b)| (a - 1.0) * (b - 1.0));
        let together = products.sum::<f64>() / draws.sqrt();
        assert!(together.abs() < 4.0, "{together}");
    }
}
