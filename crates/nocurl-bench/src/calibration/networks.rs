//! Gaussian networks with known structure, and tables drawn from them.

use nocurl::{Dag, Dataset, Mat};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Names of the networks and their files; where they are from is in `data/README.md`.
pub const NETWORKS: [(&str, &str); 4] = [
    ("ecoli70", include_str!("../../data/networks/ecoli70.csv")),
    ("magic-niab", include_str!("../../data/networks/magic-niab.csv")),
    ("magic-irri", include_str!("../../data/networks/magic-irri.csv")),
    ("arth150", include_str!("../../data/networks/arth150.csv")),
];

/// A linear Gaussian network.
#[derive(Debug, Clone)]
pub struct Network {
    /// Names of the variables.
    pub names: Vec<String>,
    /// The graph with its coefficients.
    pub truth: Dag,
    deviations: Vec<f64>,
}

impl Network {
    /// The network of this name.
    ///
    /// # Panics
    /// When there is none of this name.
    pub fn named(name: &str) -> Self {
        let (_, text) = NETWORKS.iter().find(|(known, _)| *known == name).expect("a known network");
        let cells = || text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let (mut names, mut deviations) = (Vec::new(), Vec::new());
        for line in cells().filter(|line| !line[1].is_empty()) {
            names.push(line[0].to_string());
            deviations.push(line[1].parse::<f64>().expect("a variance").sqrt());
        }
        let place = |name: &str| names.iter().position(|known| known == name).expect("a variable");
        let mut weights = Mat::zeros(names.len(), names.len());
        for line in cells().filter(|line| !line[2].is_empty()) {
            weights[(place(line[2]), place(line[0]))] = line[3].parse().expect("a coefficient");
        }
        let truth = Dag::new(weights).expect("a network has no cycle");
        Self { names, truth, deviations }
    }

    /// A table of this many rows.
    pub fn sample(&self, rows: usize, seed: u64) -> Dataset {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = Mat::zeros(rows, self.names.len());
        for &j in self.truth.order() {
            for i in 0..rows {
                let noise: f64 = StandardNormal.sample(&mut rng);
                let from = |k: usize| self.truth.weights()[(k, j)] * values[(i, k)];
                let known: f64 = self.truth.parents(j).map(from).sum();
                values[(i, j)] = known + self.deviations[j] * noise;
            }
        }
        Dataset::new(self.names.clone(), values).expect("all numbers are finite")
    }
}
