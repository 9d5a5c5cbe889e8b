//! An exponential that the compiler turns into vector instructions.

/// Shares of `exp`'s series that rounding can see for arguments up to `ln 2 / 2`: 1/13! to 1/2!.
const SERIES: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// Arguments beyond this are cut; `exp` of it is still a number.
pub(crate) const LIMIT: f64 = 700.0;

/// Adding this to a number rounds it to an integer, which is then in the lowest bits.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;

/// `ln 2` in two parts; products of the first with small integers are exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEFA_3800);
const LN2_LOW: f64 = f64::from_bits(0x3D2E_F357_93C7_6730);

/// `exp(y)` as a number near 1 and a power of two, to be multiplied: to a unit in the last place or
/// two, without a branch or a call, so that a loop over it becomes vector instructions.
#[inline(always)]
pub(crate) fn exp_parts(y: f64) -> (f64, f64) {
    let y = y.clamp(-LIMIT, LIMIT);
    let shifted = y.mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let power = shifted - ROUNDER;
    let rest = (-power).mul_add(LN2_LOW, (-power).mul_add(LN2_HIGH, y));
    let series = SERIES.iter().fold(0.0f64, |sum, &share| sum.mul_add(rest, share));
    let exponential = series.mul_add(rest, 1.0).mul_add(rest, 1.0);
    (exponential, f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52))
}

/// The same in single precision: to a few units in its last place.
#[inline(always)]
pub(crate) fn exp_parts_single(y: f32) -> (f32, f32) {
    /// Beyond this the exponential is no normal number.
    const LIMIT: f32 = 87.0;
    const ROUNDER: f32 = 1.5 * (1u32 << 23) as f32;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    const SERIES: [f32; 6] =
        [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0];
    let y = y.clamp(-LIMIT, LIMIT);
    let shifted = y.mul_add(std::f32::consts::LOG2_E, ROUNDER);
    let power = shifted - ROUNDER;
    let rest = (-power).mul_add(LN2_LOW, (-power).mul_add(LN2_HIGH, y));
    let series = SERIES.iter().fold(0.0f32, |sum, &share| sum.mul_add(rest, share));
    let exponential = series.mul_add(rest, 1.0).mul_add(rest, 1.0);
    (exponential, f32::from_bits((shifted.to_bits().wrapping_add(127)) << 23))
}

/// `exp(y)`, see [`exp_parts`].
#[inline(always)]
pub(crate) fn exp(y: f64) -> f64 {
    let (number, power) = exp_parts(y);
    number * power
}
