//! Accuracy trials on the paper's linear data: seeded, with standard errors.
//!
//! The benchmarks of speed are in `benches/`.

use std::time::Instant;

use nocurl::algorithms::{ExactParams, NoCurlParams, NotearsParams};
use nocurl::metrics::{Comparison, compare};
use nocurl::objective::least_squares;
use nocurl::refine::Refine;
use nocurl::regress::Prune;
use nocurl::simulate::{GraphFamily, Noise, Simulation, simulate};
use nocurl::{Algorithm, Error, Options, learn};

/// A family of random graphs and noise from the paper's tables.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// The name the paper's tables use.
    pub name: &'static str,
    graph: GraphFamily,
    degree: f64,
    noise: Noise,
}

/// The four scenarios of the paper's linear tables.
pub const SCENARIOS: [Scenario; 4] = [
    Scenario { name: "ER3-Gaussian", graph: GraphFamily::Er, degree: 3.0, noise: Noise::Gaussian },
    Scenario { name: "ER4-Gaussian", graph: GraphFamily::Er, degree: 4.0, noise: Noise::Gaussian },
    Scenario { name: "ER6-Gaussian", graph: GraphFamily::Er, degree: 6.0, noise: Noise::Gaussian },
    Scenario { name: "SF4-Gumbel", graph: GraphFamily::Sf, degree: 4.0, noise: Noise::Gumbel },
];

impl Scenario {
    /// The scenario at one size; n = 1000 as the paper.
    pub fn simulation(&self, variables: usize) -> Simulation {
        Simulation {
            graph: self.graph,
            degree: self.degree,
            noise: self.noise,
            variables,
            rows: 1000,
            ..Simulation::default()
        }
    }
}

/// A method as a row of a table: options of [`learn`] under a name.
#[derive(Debug, Clone)]
pub struct Contender {
    /// The name in tables.
    pub name: &'static str,
    /// How it learns.
    pub options: Options,
}

/// The rows of the accuracy table. The paper's data is not centred.
pub fn contenders() -> Vec<Contender> {
    let paper = |name, algorithm| Contender {
        name,
        options: Options { algorithm, center: false, ..Options::default() },
    };
    let pruned = |name, algorithm, refine| Contender {
        name,
        options: Options {
            algorithm,
            center: false,
            refine,
            prune: Some(Prune::Ebic),
            threshold: Some(0.3),
            ..Options::default()
        },
    };
    let nocurl = NoCurlParams::default;
    vec![
        paper("NoCurl-1", Algorithm::NoCurl(NoCurlParams { lambdas: vec![100.0], ..nocurl() })),
        paper("NoCurl-2", Algorithm::NoCurl(nocurl())),
        paper("NOTEARS", Algorithm::Notears(NotearsParams::default())),
        paper("Exact", Algorithm::Exact(ExactParams::default())),
        Contender {
            name: "Exact+intercepts",
            options: Options {
                algorithm: Algorithm::Exact(ExactParams::default()),
                ..Options::default()
            },
        },
        pruned("Eq-TD+ebic", Algorithm::EqTd {}, None),
        pruned("Eq-BU+ebic", Algorithm::EqBu {}, None),
        pruned("NoCurl-2+refine+ebic", Algorithm::NoCurl(nocurl()), Some(Refine::EqualVariance)),
    ]
}

/// One trial.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// The distance to the truth.
    pub comparison: Comparison,
    /// F of the weights before the threshold, less F of the truth.
    pub delta_f: f64,
    /// Seconds spent learning, moments excluded.
    pub seconds: f64,
    /// Evaluations of the method's objective.
    pub evaluations: u64,
}

/// Runs one seeded trial.
///
/// # Errors
/// Whatever simulation and learning report.
pub fn trial(
    scenario: &Scenario,
    variables: usize,
    options: &Options,
    seed: u64,
) -> Result<Trial, Error> {
    let simulated = simulate(&scenario.simulation(variables), seed)?;
    let moments = simulated.data.moments();
    let start = Instant::now();
    let fit = learn(&moments, options, &())?;
    let seconds = start.elapsed().as_secs_f64();
    // The truth has no intercepts; a fit to centred data has them.
    let s = moments.second_moments(false);
    let truth = least_squares(s.as_ref(), simulated.truth.weights());
    Ok(Trial {
        comparison: compare(&simulated.truth, &fit.dag)?,
        delta_f: fit.unpruned_loss - truth,
        seconds,
        evaluations: fit.evaluations,
    })
}

/// Mean and standard error of the mean.
pub fn mean_and_error(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, (variance / n).sqrt())
}
