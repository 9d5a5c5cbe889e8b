//! Tables from experiments: a control, and conditions that act on some variables.

use rand::RngExt;

use super::{Simulation, Streams, draw_weights, out_of_range, standardize};
use crate::core::experiments::{ExperimentSpec, Intervention, Target};
use crate::core::{Dag, Dataset, Error, Kind, Mat, Variable, Variables};

/// The column of the conditions.
pub const CONDITION: &str = "condition";

/// The condition that acts on nothing.
pub const CONTROL: &str = "control";

/// By how many standard deviations of its noise a condition shifts its target.
const SHIFT: f64 = 2.0;

/// Conditions to draw besides a control.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `conditions` | 10 | conditions besides the control | from 1 |
/// | `targets` | 1 | variables that each acts on, drawn so that no set comes twice while there are others | 1 to d - 1 |
/// | `kind` | perfect | what it does: a perfect intervention draws its target around 2 standard deviations of its noise whatever the parents; a soft one multiplies the weights of the parents by a number between -0.5 and 0.5 and adds the same shift | |
/// | `control_rows` | as many as a condition | rows of the control; [`Simulation::rows`] are those of each condition | from 2 |
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields, rename_all = "kebab-case"))]
pub struct Interventions {
    /// Conditions besides the control.
    pub conditions: usize,
    /// Variables that each acts on.
    pub targets: usize,
    /// What it does to them.
    pub kind: Intervention,
    /// Rows of the control.
    pub control_rows: Option<usize>,
}

impl Default for Interventions {
    fn default() -> Self {
        Self { conditions: 10, targets: 1, kind: Intervention::Perfect, control_rows: None }
    }
}

/// A drawn graph with a table from experiments.
#[derive(Debug, Clone)]
pub struct SimulatedExperiments {
    /// The graph that made the data, without the condition.
    pub truth: Dag,
    /// The table: a first column `condition`, then the variables `x1 .. xd`.
    pub data: Dataset,
    /// The column of conditions and what these act on.
    pub experiments: ExperimentSpec,
}

impl SimulatedExperiments {
    /// The graph with the condition as its first variable, which has an edge to every target.
    ///
    /// # Errors
    /// None for what was drawn here.
    pub fn truth_with_condition(&self) -> Result<Dag, Error> {
        let d = self.truth.size();
        let targets = self.experiments.resolve(self.data.variables())?;
        let acted =
            |j: usize| targets.as_ref().is_some_and(|all| all.acting_on(j).next().is_some());
        Dag::new(Mat::from_fn(d + 1, d + 1, |i, j| match (i, j) {
            (_, 0) => 0.0,
            (0, j) => f64::from(u8::from(acted(j))),
            (i, j) => self.truth.weights()[(i - 1, j - 1)],
        }))
    }
}

/// Draws a graph and a table from experiments on it. The mechanism is linear.
///
/// ```
/// use nocurl::simulate::{Interventions, Simulation, simulate_experiments};
/// let simulation = Simulation { variables: 5, rows: 20, ..Simulation::default() };
/// let drawn = simulate_experiments(&simulation, &Interventions { conditions: 5, ..Default::default() }, 1)?;
/// assert_eq!(drawn.data.values().shape(), (120, 6));
/// assert_eq!(drawn.experiments.targets.len(), 5);
/// # Ok::<(), nocurl::Error>(())
/// ```
///
/// # Errors
/// When a parameter is outside its range or the values outgrow floating-point numbers.
pub fn simulate_experiments(
    simulation: &Simulation,
    interventions: &Interventions,
    seed: u64,
) -> Result<SimulatedExperiments, Error> {
    interventions.validate(simulation)?;
    let d = simulation.variables;
    let mut streams = Streams::new(seed);
    let edges = simulation.graph.edges(simulation.degree, d, &mut streams.split());
    let weights = draw_weights(d, &edges, simulation.weights, &mut streams.split());
    let scales = simulation.variances.scales(simulation.noise, d, &mut streams.split());
    let truth = Dag::new(weights)?;
    let sets = interventions.sets(d, &mut streams);
    let mut factors = streams.split();
    let control = interventions.control_rows.unwrap_or(simulation.rows);
    let total = control + sets.len() * simulation.rows;
    let mut values = Mat::zeros(total, d + 1);
    for (j, &scale) in scales.iter().enumerate() {
        let mut stream = streams.split();
        let column = values.col_mut(j + 1);
        column.iter_mut().for_each(|value| *value = scale * simulation.noise.sample(&mut stream));
    }
    let mut start = 0;
    for (level, set) in std::iter::once(&Vec::new()).chain(&sets).enumerate() {
        let rows = if level == 0 { control } else { simulation.rows };
        let softness: Vec<f64> = set.iter().map(|_| factors.random_range(-0.5..0.5)).collect();
        for &j in truth.order() {
            let acted = set.iter().position(|&target| target == j);
            let factor = match (acted, interventions.kind) {
                (None, _) => 1.0,
                (Some(_), Intervention::Perfect) => 0.0,
                (Some(place), Intervention::Soft) => softness[place],
            };
            let shift = if acted.is_some() { SHIFT * scales[j] } else { 0.0 };
            for row in start..start + rows {
                let parents: f64 =
                    truth.parents(j).map(|i| truth.weights()[(i, j)] * values[(row, i + 1)]).sum();
                values[(row, j + 1)] += shift + factor * parents;
                values[(row, 0)] = level as f64;
            }
        }
        start += rows;
    }
    finish(simulation, interventions, truth, values, &sets)
}

/// Scales the table if asked to, and names everything.
fn finish(
    simulation: &Simulation,
    interventions: &Interventions,
    mut truth: Dag,
    mut values: Mat<f64>,
    sets: &[Vec<usize>],
) -> Result<SimulatedExperiments, Error> {
    let d = truth.size();
    let names = Dataset::default_names(d);
    if simulation.standardize {
        let mut numbers = values.as_ref().subcols(1, d).to_owned();
        let deviations = standardize(&mut numbers);
        if deviations.iter().any(|s| !s.is_normal()) {
            return Err(out_of_range());
        }
        values.as_mut().subcols_mut(1, d).copy_from(&numbers);
        let weights = truth.weights().to_owned();
        truth =
            Dag::new(Mat::from_fn(d, d, |i, j| weights[(i, j)] * (deviations[i] / deviations[j])))?;
    }
    let label =
        |set: &Vec<usize>| set.iter().map(|&j| names[j].as_str()).collect::<Vec<_>>().join("+");
    // Sets may come again where there are no others left.
    let mut levels = vec![CONTROL.to_string()];
    for set in sets {
        let again =
            levels.iter().filter(|level| level.split('#').next() == Some(&label(set))).count();
        levels.push(match again {
            0 => label(set),
            again => format!("{}#{}", label(set), again + 1),
        });
    }
    let targets = sets.iter().zip(&levels[1..]).flat_map(|(set, condition)| {
        set.iter().map(|&j| Target {
            condition: condition.clone(),
            variable: names[j].clone(),
            kind: interventions.kind,
        })
    });
    let experiments = ExperimentSpec {
        condition: Some(CONDITION.into()),
        targets: targets.collect(),
        ..ExperimentSpec::default()
    };
    let kind = if levels.len() > 2 { Kind::Categorical } else { Kind::Binary };
    let condition = Variable { kind, levels, ..Variable::continuous(CONDITION) };
    let variables: Vec<Variable> =
        std::iter::once(condition).chain(names.into_iter().map(Variable::continuous)).collect();
    let data = Dataset::new(Variables::new(variables), values).map_err(|_| out_of_range())?;
    Ok(SimulatedExperiments { truth, data, experiments })
}

impl Interventions {
    fn validate(&self, simulation: &Simulation) -> Result<(), Error> {
        let parameter = |name, value: String, reason| Err(Error::Parameter { name, value, reason });
        let d = simulation.variables;
        if self.conditions < 1 || self.conditions > 100_000 {
            return parameter(
                "interventions",
                self.conditions.to_string(),
                "from 1 to 100000 conditions",
            );
        }
        if !(1..d).contains(&self.targets) {
            let reason = "a condition acts on at least one variable, and not on all";
            return parameter("interventions", self.targets.to_string(), reason);
        }
        let control = self.control_rows.unwrap_or(simulation.rows);
        if simulation.rows < 2 || control < 2 {
            let rows = simulation.rows.min(control);
            return parameter("rows", rows.to_string(), "a condition needs at least 2");
        }
        if simulation.categorical > 0.0 || simulation.mechanism != super::Mechanism::Linear {
            let reason = "experiments are drawn with the linear mechanism and numbers alone";
            return parameter("interventions", self.conditions.to_string(), reason);
        }
        let rows =
            self.conditions.checked_mul(simulation.rows).and_then(|n| n.checked_add(control));
        Simulation { rows: rows.unwrap_or(usize::MAX), ..simulation.clone() }.validate()
    }

    /// What each condition acts on: every variable once before any comes again.
    fn sets(&self, d: usize, streams: &mut Streams) -> Vec<Vec<usize>> {
        let mut stream = streams.split();
        let mut waiting: Vec<usize> = Vec::new();
        let mut sets = Vec::with_capacity(self.conditions);
        for _ in 0..self.conditions {
            let mut set: Vec<usize> = Vec::with_capacity(self.targets);
            while set.len() < self.targets {
                if waiting.is_empty() {
                    waiting = (0..d).collect();
                    for last in (1..d).rev() {
                        waiting.swap(last, stream.random_range(0..=last));
                    }
                }
                let next = waiting.iter().rposition(|v| !set.contains(v));
                match next {
                    Some(at) => set.push(waiting.remove(at)),
                    None => waiting.clear(),
                }
            }
            set.sort_unstable();
            sets.push(set);
        }
        sets
    }
}
