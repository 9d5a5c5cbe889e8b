//! What frequencies in resampled tables are worth, measured on simulated graphs.

use crate::methods::OrderSearch;
use crate::pipeline::Options;

// Made by
//     nocurl bench calibration-fit --trials 150 --seed 1000
//     python bench/fit_calibration.py bench-calibration-fit/pairs.csv
// from 150 simulated graphs (ER and SF, degrees 2 to 4, 10 to 100 variables, 100 to 5000 rows,
// weights from 0.05 to 2, equal and unequal variances, Gaussian, exponential and Laplace errors): a
// constant, the slope on the logit of the frequency, on log(rows / 1000), on log(variables / 50), and
// on logit times log rows.
const ADJACENT: [f64; 5] = [0.3367, 2.6595, -0.2751, -0.1584, 0.5594];

/// The sizes that the constants were fitted on; tables beyond are taken for the nearest.
const ROWS: (f64, f64) = (100.0, 5000.0);
const VARIABLES: (f64, f64) = (10.0, 100.0);

/// The map from frequencies to how often such edges were right on simulated graphs, for tables of
/// this size.
///
/// Edges that most tables have are there more often than that says. The share of true ones is
/// `1 / (1 + exp(-(a + b logit f + c log n + e log d + g logit f log n)))`, which rises with the
/// frequency f, from 0 for none. Fitted once on simulated graphs alone; `docs/confidence.md` shows
/// how it does on others. Frequencies of directions are not changed: what made them right on
/// simulated graphs made them too bold on published networks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    rows: f64,
    variables: f64,
    replicates: f64,
}

impl Calibration {
    /// The map for a method on a table of this size, where it was measured: for `order-search`
    /// with its own penalty, and with nothing after it.
    pub fn of(options: &Options, rows: u64, variables: usize, replicates: usize) -> Option<Self> {
        let search = options.algorithm.downcast::<OrderSearch>()?;
        let alone =
            options.refine.is_none() && options.prune.is_none() && options.experiments.is_empty();
        let measured = alone && search.penalty.is_none() && options.threshold.is_none();
        (measured && replicates > 0).then(|| Self {
            rows: (rows as f64).clamp(ROWS.0, ROWS.1),
            variables: (variables as f64).clamp(VARIABLES.0, VARIABLES.1),
            replicates: replicates as f64,
        })
    }

    /// The share of true edges among simulated ones that this share of the resampled tables has.
    pub fn adjacent(&self, frequency: f64) -> f64 {
        let [constant, slope, rows, variables, both] = ADJACENT;
        if frequency <= 0.0 {
            return 0.0;
        }
        // Half a table is added on both sides: all of a hundred tables are not all there could be.
        let count = (frequency * self.replicates).round();
        let share = (count + 0.5) / (self.replicates + 1.0);
        let logit = (share / (1.0 - share)).ln();
        let (n, d) = ((self.rows / 1000.0).ln(), (self.variables / 50.0).ln());
        let value = constant + slope * logit + rows * n + variables * d + both * logit * n;
        1.0 / (1.0 + (-value).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_rises_with_the_frequency_for_all_sizes() {
        for rows in [2, 100, 1000, 5000, 1_000_000] {
            for variables in [2, 10, 50, 100, 5000] {
                let map = Calibration::of(&Options::default(), rows, variables, 100).unwrap();
                let values: Vec<f64> =
                    (0..=100).map(|k| map.adjacent(f64::from(k) / 100.0)).collect();
                assert!(values.is_sorted() && values[0] == 0.0, "{rows}, {variables}");
                assert!(values[100] > 0.9 && values[100] < 1.0, "{rows}: {}", values[100]);
            }
        }
    }

    #[test]
    fn other_methods_keep_their_frequencies() {
        let others = [
            Options { prune: Some(crate::pipeline::Prune::Bic), ..Options::default() },
            Options {
                algorithm: OrderSearch { penalty: Some(1.0), ..OrderSearch::default() }.into(),
                ..Options::default()
            },
            Options {
                algorithm: crate::methods::Algorithm::from_name("fges").unwrap(),
                ..Options::default()
            },
        ];
        assert!(others.iter().all(|options| Calibration::of(options, 500, 9, 100).is_none()));
    }
}
