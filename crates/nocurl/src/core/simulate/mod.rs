//! Random graphs and data drawn from them.
//!
//! A simulation draws a graph, weights for its edges and then rows in topological order:
//! `x_j = f_j(parents of j) + z_j` with independent noise `z_j`.
//!
//! Graph, weights, noise scales and the noise of each variable come from streams of their own, all
//! derived from one seed. So the graph does not change with the number of rows, and a longer table
//! begins with the rows of a shorter one. Logarithms and trigonometric functions come from the
//! `libm` crate rather than from the system, which gives the same bytes on every machine.

mod experiments;
mod family;
mod mechanism;
mod mixed;
mod noise;
mod smooth;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub use experiments::{
    CONDITION, CONTROL, Interventions, SimulatedExperiments, simulate_experiments,
};
pub use family::GraphFamily;
pub use mechanism::Mechanism;
pub use noise::{Noise, Variances};

use crate::core::{Dag, Dataset, Error, Mat};

/// Largest number of values in a simulated table or weight matrix: 32 GiB of numbers.
const MOST_VALUES: u64 = 1 << 32;

/// What to simulate.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `graph` | `er` | family of graphs | see [`GraphFamily`] |
/// | `degree` | 4 | expected degree (in + out) of `er` and `sf` graphs | 0 to d - 1; `sf`: above 1 |
/// | `variables` | 10 | number of variables d | from 2 |
/// | `rows` | 1000 | number of rows n | from 1; from 2 when standardised |
/// | `weights` | 0.5, 2 | range of the absolute weight; the sign is a fair coin | above 0 |
/// | `mechanism` | `linear` | how parents make their child | see [`Mechanism`] |
/// | `noise` | `gaussian` | law of the noise | see [`Noise`] |
/// | `variances` | `standard` | variance of the noise of each variable | above 0; see [`Variances`] |
/// | `standardize` | false | bring every column to mean 0 and variance 1 | |
/// | `categorical` | 0 | probability of a variable to have levels | 0 to 1; above 0 with `linear` alone |
/// | `levels` | 2, 4 | fewest and most levels of such a variable | 2 to 26 |
///
/// The defaults are the linear experiments of *DAGs with No Curl*: degree `k` there means `k d / 2`
/// expected edges, and the data are not centred.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Simulation {
    /// Family of graphs.
    pub graph: GraphFamily,
    /// Expected degree, edges in and out together; `chain` and `full` do not use it.
    pub degree: f64,
    /// Number of variables.
    pub variables: usize,
    /// Number of rows.
    pub rows: usize,
    /// Smallest and largest absolute weight; the law is uniform on both signs of this range.
    pub weights: (f64, f64),
    /// How a variable depends on its parents.
    pub mechanism: Mechanism,
    /// Law of the noise.
    pub noise: Noise,
    /// Variances of the noise.
    pub variances: Variances,
    /// Whether to shift and scale each column to sample mean 0 and variance 1 (divided by n).
    pub standardize: bool,
    /// Probability of a variable to have levels rather than numbers. A number is then the weighted
    /// sum of numbers in standard units and of scores of levels, plus noise; a level given parents
    /// follows a multinomial logit of such sums.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_zero"))]
    pub categorical: f64,
    /// Fewest and most levels of a variable that has some.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_usual"))]
    pub levels: (usize, usize),
}

#[cfg(feature = "serde")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

#[cfg(feature = "serde")]
fn is_usual(levels: &(usize, usize)) -> bool {
    *levels == USUAL_LEVELS
}

const USUAL_LEVELS: (usize, usize) = (2, 4);

impl Default for Simulation {
    fn default() -> Self {
        Self {
            graph: GraphFamily::Er,
            degree: 4.0,
            variables: 10,
            rows: 1000,
            weights: (0.5, 2.0),
            mechanism: Mechanism::Linear,
            noise: Noise::Gaussian,
            variances: Variances::Standard,
            standardize: false,
            categorical: 0.0,
            levels: USUAL_LEVELS,
        }
    }
}

impl Simulation {
    /// Checks every parameter.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the first one outside its range.
    pub fn validate(&self) -> Result<(), Error> {
        let parameter = |name, value: String, reason| Err(Error::Parameter { name, value, reason });
        let d = self.variables;
        if d < 2 {
            return parameter("variables", d.to_string(), "a graph needs at least 2");
        }
        if d.checked_mul(d).is_none_or(|entries| entries as u64 > MOST_VALUES) {
            return parameter("variables", d.to_string(), "at most 65536 can be simulated");
        }
        if self.rows < 1 {
            return parameter("rows", self.rows.to_string(), "at least 1 is needed");
        }
        if self.standardize && self.rows < 2 {
            return parameter("rows", self.rows.to_string(), "standardising needs at least 2");
        }
        if d.checked_mul(self.rows).is_none_or(|values| values as u64 > MOST_VALUES) {
            let reason = "rows times variables must not exceed 2^32: simulate fewer rows";
            return parameter("rows", self.rows.to_string(), reason);
        }
        self.graph.validate(self.degree, d)?;
        let (low, high) = self.weights;
        if !(low > 0.0 && low <= high && high.is_finite()) {
            let reason = "give two positive numbers, the smaller first";
            return parameter("weights", format!("{low},{high}"), reason);
        }
        self.validate_levels()?;
        self.noise.validate()?;
        self.variances.validate(self.noise)
    }
}

impl Simulation {
    fn validate_levels(&self) -> Result<(), Error> {
        let parameter = |name, value: String, reason| Err(Error::Parameter { name, value, reason });
        let share = self.categorical;
        if !(0.0..=1.0).contains(&share) {
            let reason = "it is a probability, between 0 and 1";
            return parameter("categorical", share.to_string(), reason);
        }
        let (low, high) = self.levels;
        if low < 2 || low > high || high > mixed::MOST_LEVELS {
            let reason = "give two numbers between 2 and 26, the smaller first";
            return parameter("levels", format!("{low},{high}"), reason);
        }
        if share > 0.0 && (self.standardize || self.mechanism != Mechanism::Linear) {
            let reason = "levels go with the linear mechanism alone, and are not standardised";
            return parameter("categorical", share.to_string(), reason);
        }
        Ok(())
    }
}

/// A drawn graph with its data.
#[derive(Debug, Clone)]
pub struct Simulated {
    /// The graph that made the data.
    ///
    /// With standardised data from the linear mechanism the weights are those of the standardised
    /// variables, `A_ij s_i / s_j` for standard deviations `s`; the weights of other mechanisms
    /// act inside a function of the unscaled variables and stay as drawn.
    pub truth: Dag,
    /// The table, with variables `x1 .. xd`.
    pub data: Dataset,
    /// Factor between the standard form of the noise law and the noise of each variable, in the
    /// units of `data`.
    pub noise_scales: Vec<f64>,
}

/// Draws a graph and a table from it. Cost O(d^2 + n m) for m edges.
///
/// # Errors
/// When a parameter is outside its range or the values outgrow floating-point numbers.
///
/// ```
/// use nocurl::simulate::{GraphFamily, Noise, Simulation, simulate};
/// let simulation = Simulation {
///     graph: GraphFamily::Sf,
///     noise: Noise::Gumbel,
///     variables: 30,
///     rows: 200,
///     ..Simulation::default()
/// };
/// let drawn = simulate(&simulation, 7)?;
/// assert_eq!(drawn.data.values().shape(), (200, 30));
/// assert_eq!(drawn.truth.weights(), simulate(&simulation, 7)?.truth.weights());
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn simulate(simulation: &Simulation, seed: u64) -> Result<Simulated, Error> {
    simulation.validate()?;
    let d = simulation.variables;
    let mut streams = Streams::new(seed);
    let edges = simulation.graph.edges(simulation.degree, d, &mut streams.split());
    let weights = draw_weights(d, &edges, simulation.weights, &mut streams.split());
    let mut noise_scales = simulation.variances.scales(simulation.noise, d, &mut streams.split());
    let mut truth = Dag::new(weights)?;

    let mut values = Mat::zeros(simulation.rows, d);
    for (j, &scale) in noise_scales.iter().enumerate() {
        let mut stream = streams.split();
        values
            .col_mut(j)
            .iter_mut()
            .for_each(|value| *value = scale * simulation.noise.sample(&mut stream));
    }
    if simulation.categorical > 0.0 {
        let data = mixed::draw(simulation, &truth, values, &noise_scales, &mut streams)?;
        return Ok(Simulated { truth, data, noise_scales });
    }
    simulation.mechanism.apply(&truth, &mut values, || streams.split());

    if simulation.standardize {
        let deviations = standardize(&mut values);
        if deviations.iter().any(|s| !s.is_normal()) {
            return Err(out_of_range());
        }
        noise_scales.iter_mut().zip(&deviations).for_each(|(scale, s)| *scale /= s);
        if simulation.mechanism == Mechanism::Linear {
            let scaled = |j: usize| {
                let own = truth.weighted_parents(j).iter();
                own.map(|&(i, weight)| (i, weight * (deviations[i] / deviations[j]))).collect()
            };
            truth = Dag::from_parents((0..d).map(scaled).collect())?;
        }
    }
    let data = Dataset::new(Dataset::default_names(d), values).map_err(|_| out_of_range())?;
    Ok(Simulated { truth, data, noise_scales })
}

fn out_of_range() -> Error {
    Error::OutOfRange {
        stage: "simulation",
        advice: "use fewer variables, a lower degree or weights closer to 1",
    }
}

/// Independent random streams from one seed: each begins 2^128 draws after the one before.
struct Streams(Xoshiro256PlusPlus);

impl Streams {
    fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn split(&mut self) -> Xoshiro256PlusPlus {
        let stream = self.0.clone();
        self.0.jump();
        stream
    }
}

fn draw_weights(
    d: usize,
    edges: &[(usize, usize)],
    (low, high): (f64, f64),
    stream: &mut Xoshiro256PlusPlus,
) -> Mat<f64> {
    let mut weights = Mat::zeros(d, d);
    for &edge in edges {
        let size = low + (high - low) * stream.random::<f64>();
        weights[edge] = if stream.random() { size } else { -size };
    }
    weights
}

/// Brings each column to mean 0 and variance 1 and returns the standard deviations it had.
fn standardize(values: &mut Mat<f64>) -> Vec<f64> {
    let n = values.nrows() as f64;
    (0..values.ncols())
        .map(|j| {
            let column = values.col(j);
            let mean = column.iter().sum::<f64>() / n;
            let variance = column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            let deviation = variance.sqrt();
            values.col_mut(j).iter_mut().for_each(|x| *x = (*x - mean) / deviation);
            deviation
        })
        .collect()
}
