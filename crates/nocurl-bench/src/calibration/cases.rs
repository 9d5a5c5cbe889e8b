//! The tables on which confidence is measured.

use nocurl::simulate::{GraphFamily, Noise, Simulation, Variances, simulate};
use nocurl::{Dag, Dataset, Error};

use super::networks::{NETWORKS, Network};

/// Where tables come from, and how long they are.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in the tables.
    pub name: String,
    /// Rows of a table.
    pub rows: usize,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Network(Network),
    Simulation(Simulation),
    /// Every trial draws its own kind of simulation.
    Any,
}

impl Case {
    /// A table with the graph behind it.
    pub(super) fn draw(&self, seed: u64) -> Result<(Dag, Dataset), Error> {
        let simulated = match &self.source {
            Source::Network(network) => {
                return Ok((network.truth.clone(), network.sample(self.rows, seed)));
            }
            Source::Simulation(simulation) => simulate(simulation, seed)?,
            Source::Any => simulate(&any(seed), seed)?,
        };
        Ok((simulated.truth, simulated.data))
    }
}

/// The cases that are reported: four networks, and the two standard kinds of simulated graphs,
/// standardised, with Gaussian and exponential errors.
pub fn reported() -> Vec<Case> {
    let mut cases = Vec::new();
    for rows in [200, 1000, 5000] {
        for (name, _) in NETWORKS {
            let source = Source::Network(Network::named(name));
            cases.push(Case { name: name.into(), rows, source });
        }
        for (label, graph) in [("ER4", GraphFamily::Er), ("SF4", GraphFamily::Sf)] {
            for (law, noise) in [("", Noise::Gaussian), (" exponential", Noise::Exponential)] {
                let simulation = Simulation {
                    graph,
                    degree: 4.0,
                    variables: 50,
                    rows,
                    noise,
                    standardize: true,
                    ..Simulation::default()
                };
                let source = Source::Simulation(simulation);
                cases.push(Case { name: format!("{label}{law}"), rows, source });
            }
        }
    }
    cases
}

/// The one case that the constants are fitted on: every trial draws a simulation of another kind.
pub fn fitted() -> Vec<Case> {
    vec![Case { name: "any".into(), rows: 0, source: Source::Any }]
}

/// A kind of simulation by chance: graphs, degrees, sizes, weights, errors and their variances.
fn any(seed: u64) -> Simulation {
    let mut state = seed;
    let mut choose = |count: usize| {
        // SplitMix64: neighbouring seeds must not choose alike.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % count as u64) as usize
    };
    Simulation {
        graph: [GraphFamily::Er, GraphFamily::Sf][choose(2)],
        degree: [2.0, 2.0, 3.0, 3.0, 4.0][choose(5)],
        variables: [10, 20, 40, 60, 100][choose(5)],
        rows: [100, 200, 500, 1000, 2000, 5000][choose(6)],
        weights: [(0.05, 0.5), (0.1, 0.6), (0.1, 1.0), (0.1, 1.5), (0.3, 1.0), (0.5, 2.0)]
            [choose(6)],
        noise: [Noise::Gaussian, Noise::Gaussian, Noise::Exponential, Noise::Laplace][choose(4)],
        variances: [
            Variances::Standard,
            Variances::Random(0.25, 4.0),
            Variances::Random(0.02, 2.0),
        ][choose(3)],
        standardize: true,
        ..Simulation::default()
    }
}
