//! Functions of the values of a variable, applied before learning and kept with the variable.

use statrs::distribution::{ContinuousCDF, Normal};

/// Knots of normal scores at most, but for values that many rows share.
const MOST_KNOTS: usize = 257;

/// Knots at each end, where values lie far apart.
const AT_ENDS: usize = 32;

/// A value that this share of the rows have is a knot, and so are its neighbours.
const COMMON: f64 = 0.005;

/// Excess kurtosis above which tails are heavy: that of Laplace's law is 3, that of an exponential
/// or a t with five degrees of freedom 6.
const HEAVY: f64 = 4.0;

/// Columns with fewer different values are scales of a few steps, whatever their moments.
const FEWEST_VALUES: usize = 12;

/// A function of the values of a variable.
///
/// ```
/// use nocurl::transform::{NormalScores, Transform};
/// assert_eq!(Transform::Log.apply(1.0), 0.0);
/// assert!(Transform::Log.apply(0.0).is_nan());
/// let scores = NormalScores::new(&[1.0, 10.0, 100.0, 1e6, 1e9]).unwrap();
/// let rank = Transform::Rank(scores);
/// assert_eq!(rank.apply(100.0), 0.0);
/// assert!((rank.invert(rank.apply(10.0)) - 10.0).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "name", rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Transform {
    /// The natural logarithm.
    Log,
    /// Normal scores: the quantile of the standard normal law at the rank of the value.
    Rank(NormalScores),
    /// The distance from the mean in standard deviations.
    Standardize {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
}

impl Transform {
    /// The word in flags and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Rank(_) => "rank",
            Self::Standardize { .. } => "standardize",
        }
    }

    /// The value on the new scale; NaN where there is none.
    pub fn apply(&self, value: f64) -> f64 {
        match self {
            Self::Log if value > 0.0 => libm::log(value),
            Self::Log => f64::NAN,
            Self::Rank(scores) => scores.score(value),
            Self::Standardize { mean, deviation } => (value - mean) / deviation,
        }
    }

    /// The value on the old scale.
    pub fn invert(&self, value: f64) -> f64 {
        match self {
            Self::Log => libm::exp(value),
            Self::Rank(scores) => scores.value(value),
            Self::Standardize { mean, deviation } => mean + deviation * value,
        }
    }

    /// Whether it is a function that goes up everywhere it is defined; what a file says may be none.
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Log => true,
            Self::Rank(scores) => scores.is_valid(),
            Self::Standardize { mean, deviation } => {
                mean.is_finite() && deviation.is_finite() && *deviation > 0.0
            }
        }
    }
}

/// Normal scores of the values of a table: a function that goes up in straight lines between knots.
///
/// A value of rank r among n is the quantile of the standard normal law at r / (n + 1), equal values
/// have their mean rank. Tables with more than 257 different values have knots at some of them: all
/// of the 32 at each end, those that half a percent of the rows share, and in between values whose
/// scores are evenly apart.
/// Values beyond those of the table have the score of the last one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NormalScores {
    values: Vec<f64>,
    scores: Vec<f64>,
}

impl NormalScores {
    /// The scores of these values; nothing where fewer than two differ or one is not finite.
    pub fn new(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        if !sorted.iter().all(|value| value.is_finite()) {
            return None;
        }
        // Different values, each with the place of its first and the count.
        let mut distinct: Vec<(f64, usize, usize)> = Vec::new();
        for (place, &value) in sorted.iter().enumerate() {
            match distinct.last_mut() {
                Some((last, _, count)) if *last == value => *count += 1,
                _ => distinct.push((value, place, 1)),
            }
        }
        if distinct.len() < 2 {
            return None;
        }
        let law = Normal::standard();
        let n = sorted.len() as f64;
        let (values, scores) = knots(&distinct, sorted.len())
            .into_iter()
            .map(|at| {
                let (value, first, count) = distinct[at];
                let rank = first as f64 + (count as f64 + 1.0) / 2.0;
                (value, law.inverse_cdf(rank / (n + 1.0)))
            })
            .unzip();
        Some(Self { values, scores })
    }

    fn score(&self, value: f64) -> f64 {
        between(&self.values, &self.scores, value)
    }

    fn value(&self, score: f64) -> f64 {
        between(&self.scores, &self.values, score)
    }

    fn is_valid(&self) -> bool {
        let rises = |list: &[f64]| {
            list.windows(2).all(|pair| pair[0] < pair[1]) && list.iter().all(|v| v.is_finite())
        };
        self.values.len() >= 2
            && self.values.len() == self.scores.len()
            && rises(&self.values)
            && rises(&self.scores)
    }
}

/// The places of the knots among different values.
fn knots(distinct: &[(f64, usize, usize)], rows: usize) -> Vec<usize> {
    let last = distinct.len() - 1;
    if last < MOST_KNOTS {
        return (0..=last).collect();
    }
    let mut chosen: Vec<usize> = (0..AT_ENDS).chain(last + 1 - AT_ENDS..=last).collect();
    // Evenly by score, not by rank: ranks far out are few and their scores far apart.
    let law = Normal::standard();
    let between = MOST_KNOTS - 2 * AT_ENDS;
    let furthest = law.inverse_cdf(1.0 / (rows as f64 + 1.0));
    chosen.extend((1..between).map(|k| {
        let score = furthest * (1.0 - 2.0 * k as f64 / between as f64);
        let place = (rows as f64 * law.cdf(score)) as usize;
        distinct.partition_point(|&(_, first, _)| first <= place) - 1
    }));
    let common = (COMMON * rows as f64).max(2.0);
    for (at, _) in distinct.iter().enumerate().filter(|(_, (.., count))| *count as f64 >= common) {
        chosen.extend(at.saturating_sub(1)..=(at + 1).min(last));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// A function in straight lines between knots, and constant beyond them.
fn between(from: &[f64], to: &[f64], at: f64) -> f64 {
    if at.is_nan() {
        return at;
    }
    match from.partition_point(|&knot| knot <= at) {
        0 => to[0],
        all if all == from.len() => to[all - 1],
        next => {
            let (low, high) = (from[next - 1], from[next]);
            // Halves, since the difference of two numbers may leave the range.
            let share = (0.5 * at - 0.5 * low) / (0.5 * high - 0.5 * low);
            (1.0 - share) * to[next - 1] + share * to[next]
        }
    }
}

/// Whether a column has heavy tails, so that a few rows would decide about its edges: an excess
/// kurtosis above 4, and more than a few different values.
///
/// ```
/// use nocurl::transform::has_heavy_tails;
/// let even: Vec<f64> = (1..100).map(f64::from).collect();
/// assert!(!has_heavy_tails(&even));
/// let skewed: Vec<f64> = even.iter().map(|x| (x / 10.0).exp()).collect();
/// assert!(has_heavy_tails(&skewed));
/// ```
pub fn has_heavy_tails(values: &[f64]) -> bool {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let size = values.iter().fold(0.0, |most: f64, value| most.max((value - mean).abs()));
    if !(size > 0.0 && size.is_finite()) {
        return false;
    }
    let moment =
        |power| values.iter().map(|value| ((value - mean) / size).powi(power)).sum::<f64>() / n;
    let excess = moment(4) / moment(2).powi(2) - 3.0;
    if excess <= HEAVY {
        return false;
    }
    let mut known: Vec<f64> = Vec::with_capacity(FEWEST_VALUES);
    for value in values {
        if !known.contains(value) {
            known.push(*value);
            if known.len() > FEWEST_VALUES {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_quantiles_of_ranks() {
        let law = Normal::standard();
        let values = [5.0, -1.0, 3.0, 3.0, 100.0];
        let scores = NormalScores::new(&values).unwrap();
        for (value, rank) in [(-1.0, 1.0), (3.0, 2.5), (5.0, 4.0), (100.0, 5.0)] {
            assert_eq!(scores.score(value), law.inverse_cdf(rank / 6.0), "{value}");
        }
        // Beyond the table, and between two of its values.
        assert_eq!(scores.score(-1e300), scores.score(-1.0));
        assert_eq!(scores.score(f64::INFINITY), scores.score(100.0));
        assert_eq!(scores.score(4.0), 0.5 * (scores.score(3.0) + scores.score(5.0)));
        assert!(scores.score(f64::NAN).is_nan());
    }

    #[test]
    fn nothing_has_no_scores() {
        assert!(NormalScores::new(&[]).is_none());
        assert!(NormalScores::new(&[2.0, 2.0]).is_none());
        assert!(NormalScores::new(&[2.0, f64::NAN, 3.0]).is_none());
        assert!(NormalScores::new(&[-f64::MAX, f64::MAX]).unwrap().score(0.0).abs() < 1e-12);
    }

    #[test]
    fn many_values_are_close_to_their_ranks() {
        // A skewed column of which a third is one value.
        let n = 30_000;
        let values: Vec<f64> = (0..n)
            .map(|i| if i % 3 == 0 { 0.0 } else { (f64::from(i) / 4000.0).exp() - 1.5 })
            .collect();
        let scores = NormalScores::new(&values).unwrap();
        assert!(scores.is_valid() && scores.values.len() < 2 * MOST_KNOTS);
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let law = Normal::standard();
        for (place, &value) in sorted.iter().enumerate().step_by(7) {
            let first = sorted.partition_point(|other| *other < value);
            let end = sorted.partition_point(|other| *other <= value);
            let rank = (first + end + 1) as f64 / 2.0;
            let exact = law.inverse_cdf(rank / (f64::from(n) + 1.0));
            let score = scores.score(value);
            assert!((score - exact).abs() < 0.005, "{place}: {value} {score} {exact}");
        }
    }

    #[test]
    fn every_function_has_its_inverse() {
        let table: Vec<f64> = (0..1000).map(|i| (f64::from(i) * 0.01).exp()).collect();
        for transform in [
            Transform::Log,
            Transform::Rank(NormalScores::new(&table).unwrap()),
            Transform::Standardize { mean: 3.0, deviation: 0.1 },
        ] {
            assert!(transform.is_valid());
            for &value in table.iter().step_by(13) {
                let back = transform.invert(transform.apply(value));
                assert!((back - value).abs() <= 1e-10 * value, "{}: {value}", transform.name());
            }
            #[cfg(feature = "serde")]
            {
                let text = serde_json::to_string(&transform).unwrap();
                assert_eq!(serde_json::from_str::<Transform>(&text).unwrap(), transform);
            }
        }
        assert!(!Transform::Standardize { mean: 0.0, deviation: 0.0 }.is_valid());
        assert!(!Transform::Rank(NormalScores { values: vec![1.0], scores: vec![] }).is_valid());
    }
}
