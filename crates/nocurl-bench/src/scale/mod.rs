//! Time and memory against the number of variables, of rows, of edges and of threads.
//!
//! One thing is changed at a time, around a table that suits the method. Times are seconds of the
//! processor, which hold on a machine that is busy with other work too, and seconds that passed.

mod exponent;
mod measure;
mod report;

use nocurl::metrics::cpdag_shd;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Algorithm, Options, Pdag, Progress, Run, learn};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};

use crate::Error;
use measure::Meter;

pub use exponent::{Exponent, fit};
pub use report::{csv, figure, markdown, read};

/// What is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Number of variables.
    Variables,
    /// Number of rows.
    Rows,
    /// Edges of a variable, on average.
    Degree,
    /// Threads.
    Threads,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Variables, Self::Rows, Self::Degree, Self::Threads];

    /// As it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variables => "variables",
            Self::Rows => "rows",
            Self::Degree => "degree",
            Self::Threads => "threads",
        }
    }
}

/// A table and the threads to learn it on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// Number of variables.
    pub variables: usize,
    /// Number of rows.
    pub rows: usize,
    /// Edges of a variable, on average.
    pub degree: f64,
    /// Threads.
    pub threads: usize,
}

impl Setting {
    /// The value of what is changed.
    fn at(&self, axis: Axis) -> f64 {
        match axis {
            Axis::Variables => self.variables as f64,
            Axis::Rows => self.rows as f64,
            Axis::Degree => self.degree,
            Axis::Threads => self.threads as f64,
        }
    }
}

/// A method, the numbers of variables it is run with, and those of its other tables.
struct Contender {
    name: &'static str,
    sizes: &'static [usize],
    base: usize,
}

/// Each as far as it ends in minutes.
const CONTENDERS: [Contender; 5] = [
    Contender { name: "order-search", sizes: &[500, 1000, 2000, 5000, 10_000, 20_000], base: 1000 },
    Contender { name: "fges", sizes: &[500, 1000, 2000, 5000, 10_000, 20_000], base: 1000 },
    Contender { name: "nocurl", sizes: &[100, 200, 500, 1000], base: 200 },
    Contender { name: "eq-td", sizes: &[500, 1000, 2000, 5000], base: 1000 },
    Contender { name: "notears", sizes: &[10, 20, 50, 100], base: 20 },
];

const ROWS: [usize; 4] = [500, 1000, 2000, 5000];
const DEGREES: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
const THREADS: [usize; 2] = [1, 2];

/// Which tables are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Methods by their names; all where there are none.
    pub methods: Vec<String>,
    /// Numbers of variables in place of those of each method.
    pub sizes: Vec<usize>,
    /// Tables of each kind.
    pub trials: u32,
    /// Seed of everything.
    pub seed: u64,
}

impl Default for Study {
    fn default() -> Self {
        Self { methods: Vec::new(), sizes: Vec::new(), trials: 1, seed: 0 }
    }
}

impl Study {
    /// Names of the methods there are.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CONTENDERS.iter().map(|contender| contender.name)
    }

    /// All that is to be run: the small tables of all methods before the large ones.
    fn plan(&self) -> Vec<(Axis, &'static str, Setting, u32)> {
        let mut plan = Vec::new();
        let wanted = |one: &&Contender| {
            self.methods.is_empty() || self.methods.iter().any(|name| name == one.name)
        };
        for contender in CONTENDERS.iter().filter(wanted) {
            let base = Setting { variables: contender.base, rows: 1000, degree: 2.0, threads: 1 };
            let sizes = if self.sizes.is_empty() { contender.sizes } else { &self.sizes };
            let by = |axis| -> Vec<Setting> {
                match axis {
                    Axis::Variables => {
                        sizes.iter().map(|&variables| Setting { variables, ..base }).collect()
                    }
                    Axis::Rows => ROWS.map(|rows| Setting { rows, ..base }).to_vec(),
                    Axis::Degree => DEGREES.map(|degree| Setting { degree, ..base }).to_vec(),
                    Axis::Threads => THREADS.map(|threads| Setting { threads, ..base }).to_vec(),
                }
            };
            for axis in Axis::ALL {
                for setting in by(axis) {
                    plan.extend((0..self.trials).map(|k| (axis, contender.name, setting, k)));
                }
            }
        }
        plan.sort_by_key(|(_, _, setting, _)| setting.variables);
        plan
    }
}

/// One method on one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was changed.
    pub axis: Axis,
    /// What was run.
    pub method: String,
    /// Number of variables.
    pub variables: usize,
    /// Number of rows.
    pub rows: usize,
    /// Edges of a variable, on average.
    pub degree: f64,
    /// Threads.
    pub threads: usize,
    /// Number of the trial.
    pub trial: u32,
    /// Seconds of the processor; nothing where the system does not say.
    pub cpu: Option<f64>,
    /// Seconds that passed.
    pub elapsed: f64,
    /// The most memory while it was learnt, that of the moments included, in bytes.
    pub memory: Option<u64>,
    /// F1 of the edges of the classes, direction or its absence included.
    pub f1: Option<f64>,
    /// Distance of the classes.
    pub class_shd: Option<u64>,
    /// Why there is no graph.
    pub error: Option<String>,
}

impl Record {
    /// The table and the threads.
    pub fn setting(&self) -> Setting {
        let Self { variables, rows, degree, threads, .. } = *self;
        Setting { variables, rows, degree, threads }
    }

    fn is(&self, axis: Axis, method: &str, setting: Setting, trial: u32) -> bool {
        (self.axis, self.method.as_str(), self.trial) == (axis, method, trial)
            && self.setting() == setting
    }
}

/// Runs what is not there yet, one table at a time, and shows all records after each.
///
/// # Errors
/// A request to stop, threads that cannot be started, or what `keep` says.
pub fn run(
    study: &Study,
    mut records: Vec<Record>,
    run: &Run<'_>,
    mut keep: impl FnMut(&[Record]) -> Result<(), Error>,
) -> Result<Vec<Record>, Error> {
    let plan = study.plan();
    for (k, &(axis, method, setting, trial)) in plan.iter().enumerate() {
        let (stage, done, total) = ("time and memory", k as u64, Some(plan.len() as u64));
        run.report(Progress { stage, done, total, objective: None });
        if records.iter().any(|record| record.is(axis, method, setting, trial)) {
            continue;
        }
        let pool = ThreadPoolBuilder::new().num_threads(setting.threads).build()?;
        let seed = study.seed.wrapping_add(u64::from(trial));
        let mut record = pool.install(|| trial_of(axis, method, setting, seed, run));
        record.trial = trial;
        if run.is_stopped() {
            return Err(Error::Cancelled);
        }
        records.push(record);
        keep(&records)?;
    }
    Ok(records)
}

fn trial_of(axis: Axis, method: &str, setting: Setting, seed: u64, run: &Run<'_>) -> Record {
    let Setting { variables, rows, degree, threads } = setting;
    let mut record = Record {
        axis,
        method: method.into(),
        variables,
        rows,
        degree,
        threads,
        trial: 0,
        cpu: None,
        elapsed: 0.0,
        memory: None,
        f1: None,
        class_shd: None,
        error: None,
    };
    if let Err(error) = fill(&mut record, seed, run) {
        record.error = Some(nocurl_io::plain(&error.to_string()));
    }
    record
}

fn fill(record: &mut Record, seed: u64, run: &Run<'_>) -> Result<(), nocurl::Error> {
    let Setting { variables, rows, degree, .. } = record.setting();
    let simulation =
        Simulation { variables, rows, degree, standardize: true, ..Simulation::default() };
    let drawn = simulate(&simulation, seed)?;
    let moments = drawn.data.moments();
    let truth = Pdag::class_of(&drawn.truth);
    // What the table took is not what learning takes.
    drop(drawn);
    let algorithm = Algorithm::from_name(&record.method)?;
    let options = Options { algorithm, seed, ..Options::default() };
    let meter = Meter::start();
    let fit = learn(&moments, &options, &run.quiet())?;
    (record.cpu, record.elapsed, record.memory) = meter.read();
    let found = Pdag::class_of(&fit.dag);
    let directed = found.directed().filter(|&(i, j)| truth.has_directed(i, j)).count();
    let undirected = found.undirected().filter(|&(i, j)| truth.has_undirected(i, j)).count();
    let edges = |class: &Pdag| class.directed().count() + class.undirected().count();
    let both = (edges(&truth) + edges(&found)).max(1);
    record.f1 = Some(2.0 * (directed + undirected) as f64 / both as f64);
    record.class_shd = Some(cpdag_shd(&truth, &found)? as u64);
    Ok(())
}
