//! What a report shows of the rows: how values lie, and some of the rows themselves.

use nocurl::{Data, Kind, Moments, Variables};
use nocurl_io::{GraphDocument, Table};
use nocurl_report::Histogram;

/// Rows that a report shows at most.
const MOST_ROWS: usize = 300;

/// Numbers that it shows at most, of all variables: a report stays below a megabyte by it.
const MOST_NUMBERS: usize = 40_000;

/// Fewer rows than this show no more than chance.
const FEWEST_ROWS: usize = 30;

/// Steps of a histogram.
const STEPS: usize = 24;

/// The share of values at each end that all lie in the outermost steps of a histogram: a few far
/// values would leave one step for all others.
const FAR: f64 = 0.005;

/// What was seen of the rows, by variable.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    histograms: Vec<Option<Histogram>>,
    sample: Vec<Vec<f64>>,
}

impl Seen {
    /// What the rows of `data` look like, as far as there are some.
    pub(crate) fn new(data: Data<'_>, variables: &Variables) -> Self {
        let Some(rows) = data.sample() else { return Self::default() };
        let (size, all) = (variables.size(), rows.values().nrows());
        let histogram = |v: usize| match variables.list()[v].kind {
            Kind::Continuous => histogram(rows.column(v)),
            _ => None,
        };
        let most = (MOST_NUMBERS / size.max(1)).min(MOST_ROWS);
        let taken = all.min(most);
        let sample = match taken >= FEWEST_ROWS.min(all) {
            // Spread over all of them, since they are in the order of the table.
            true => (0..size)
                .map(|v| {
                    let column = rows.column(v);
                    (0..taken).map(|k| five_digits(column[k * all / taken])).collect()
                })
                .collect(),
            false => Vec::new(),
        };
        Self { histograms: (0..size).map(histogram).collect(), sample }
    }

    /// Adds it to a description, with the gaps of the table.
    pub(crate) fn tell(&self, document: &mut GraphDocument, table: &Table<Moments>) {
        for (known, histogram) in document.kinds.iter_mut().zip(&self.histograms) {
            known.histogram.clone_from(histogram);
        }
        if table.origin.is_some() || table.missing_values > 0 {
            for known in &mut document.kinds {
                let gaps = table.gaps.iter().find(|(name, _)| *name == known.variable.name);
                known.missing = Some(gaps.map_or(0, |(_, gaps)| *gaps));
            }
        }
        document.sample.clone_from(&self.sample);
    }
}

/// How values lie between steps of equal width.
fn histogram(values: &[f64]) -> Option<Histogram> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (&low, &high) = (sorted.first()?, sorted.last()?);
    let far = (FAR * sorted.len() as f64) as usize;
    let (from, to) = (sorted[far], sorted[sorted.len() - 1 - far]);
    let (from, to) = if to > from { (from, to) } else { (low, high) };
    let mut counts = vec![0; STEPS];
    let width = to - from;
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    for value in sorted {
        let step = ((value - from) / width * STEPS as f64).floor();
        counts[step.clamp(0.0, (STEPS - 1) as f64) as usize] += 1;
    }
    let [from, to] = [from, to].map(five_digits);
    Some(Histogram { range: [low, high].map(five_digits), from, to, counts })
}

/// A number to five digits, which is more than a picture shows.
fn five_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 4 - value.abs().log10().floor() as i32;
    let rounded = match digits {
        // Powers of ten have no exact inverse: with both branches the result is the nearest number.
        0..=300 => (value * 10_f64.powi(digits)).round() / 10_f64.powi(digits),
        -300..0 => (value / 10_f64.powi(-digits)).round() * 10_f64.powi(-digits),
        _ => value,
    };
    if rounded.is_finite() { rounded } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_and_far_ones_leave_room_for_the_rest() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.push(1e9);
        let found = histogram(&values).unwrap();
        assert_eq!(found.counts.iter().sum::<u64>(), 1001);
        assert_eq!(found.range, [0.0, 1e9]);
        assert!(found.to < 1000.0 && found.counts.iter().all(|&count| count > 30), "{found:?}");
        assert_eq!(histogram(&[3.0; 40]), None);
    }

    #[test]
    fn numbers_keep_five_digits() {
        assert_eq!(five_digits(1.234_567), 1.2346);
        assert_eq!(five_digits(-0.000_012_345_678), -0.000_012_346);
        assert_eq!(five_digits(0.0), 0.0);
    }
}
