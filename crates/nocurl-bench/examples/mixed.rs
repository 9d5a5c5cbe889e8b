//! Tables with categories: blocks of indicators beside three ways to do without them.
//!
//! Draws tables by `nocurl simulate`'s mixed mechanism and learns from each by the default method
//! four times: as it is (blocks), without its categorical columns (dropped), with the positions of
//! levels as numbers (integers), and with every indicator as a node of its own (one-hot), whose
//! edges are put together again afterwards; and once by `gsges` as it is (kernels). Prints a table
//! of means with standard errors.
//!
//! ```text
//! cargo run --release -p nocurl-bench --example mixed -- 20 1
//! ```
//!
//! The first number is how many tables a cell has, the second the seed of the first.
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use nocurl::methods::Gsges;
use nocurl::simulate::{Simulated, Simulation, simulate};
use nocurl::{Dataset, Error, Mat, Options, Pdag, Run, Variables, learn, metrics};

/// Scores of one graph.
#[derive(Clone, Copy)]
struct Scores {
    f1: f64,
    shd: f64,
}

/// A way to learn from a table, and its name.
type Way = (&'static str, fn(&Simulated) -> Result<Pdag, Error>);

const WAYS: [Way; 5] = [
    ("blocks", |drawn| class(&drawn.data)),
    ("kernels", kernels),
    ("dropped", dropped),
    ("integers", integers),
    ("one-hot", one_hot),
];

fn main() -> Result<(), Error> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(1));
    let (trials, seed) = (numbers.next().unwrap_or(20), numbers.next().unwrap_or(1));
    println!("| d | n | share | way | skeleton F1 | CPDAG SHD |\n|---|---|---|---|---|---|");
    for variables in [10, 20] {
        for rows in [500, 2000] {
            for categorical in [0.3, 0.6] {
                let simulation = Simulation {
                    variables,
                    rows,
                    categorical,
                    degree: 3.0,
                    levels: (3, 5),
                    weights: (0.5, 1.5),
                    ..Simulation::default()
                };
                cell(&simulation, trials, seed)?;
            }
        }
    }
    Ok(())
}

/// Prints one line for each way.
fn cell(simulation: &Simulation, trials: u64, seed: u64) -> Result<(), Error> {
    let drawn: Vec<Simulated> =
        (0..trials).map(|trial| simulate(simulation, seed + trial)).collect::<Result<_, _>>()?;
    for (name, way) in WAYS {
        let scores: Vec<Scores> = drawn
            .iter()
            .map(|drawn| Ok(score(&Pdag::class_of(&drawn.truth), &way(drawn)?)))
            .collect::<Result<_, Error>>()?;
        let (f1, shd) = (mean(&scores, |s| s.f1), mean(&scores, |s| s.shd));
        let Simulation { variables, rows, categorical, .. } = simulation;
        println!(
            "| {variables} | {rows} | {categorical} | {name} | {:.3} ± {:.3} | {:.1} ± {:.1} |",
            f1.0, f1.1, shd.0, shd.1
        );
    }
    Ok(())
}

/// Mean and standard error.
fn mean(scores: &[Scores], of: impl Fn(&Scores) -> f64) -> (f64, f64) {
    let n = scores.len() as f64;
    let mean = scores.iter().map(&of).sum::<f64>() / n;
    let squares: f64 = scores.iter().map(|score| (of(score) - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

fn score(truth: &Pdag, found: &Pdag) -> Scores {
    let pairs = || (0..truth.size()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let count = |graph: &Pdag| pairs().filter(|&(i, j)| graph.is_adjacent(i, j)).count() as f64;
    let both = |&(i, j): &(usize, usize)| truth.is_adjacent(i, j) && found.is_adjacent(i, j);
    let edges = count(truth) + count(found);
    let f1 = if edges == 0.0 { 1.0 } else { 2.0 * pairs().filter(both).count() as f64 / edges };
    let shd = metrics::cpdag_shd(truth, found).map_or(f64::NAN, |shd| shd as f64);
    Scores { f1, shd }
}

/// The class that the default method finds.
fn class(data: &Dataset) -> Result<Pdag, Error> {
    Ok(learn(data, &Options::default(), &Run::default())?.class)
}

/// The class that kernel scores find, with one kernel for numbers and one for levels.
fn kernels(drawn: &Simulated) -> Result<Pdag, Error> {
    let options = Options { algorithm: Gsges::default().into(), ..Options::default() };
    Ok(learn(&drawn.data, &options, &Run::default())?.class)
}

/// Without the categorical columns, which have no edges then.
fn dropped(drawn: &Simulated) -> Result<Pdag, Error> {
    let data = &drawn.data;
    let list = data.variables().list();
    let kept: Vec<usize> = (0..list.len()).filter(|&v| !list[v].is_discrete()).collect();
    let d = list.len();
    if kept.len() < 2 {
        return Pdag::new(d, &[], &[]);
    }
    let values =
        Mat::from_fn(data.values().nrows(), kept.len(), |i, j| data.values()[(i, kept[j])]);
    let found = class(&Dataset::new(data.variables().select(&kept), values)?)?;
    let back = |(i, j): (usize, usize)| (kept[i], kept[j]);
    let directed: Vec<_> = found.directed().map(back).collect();
    let undirected: Vec<_> = found.undirected().map(back).collect();
    Pdag::new(d, &directed, &undirected)
}

/// With the positions of levels as numbers.
fn integers(drawn: &Simulated) -> Result<Pdag, Error> {
    let names = drawn.data.names().to_vec();
    class(&Dataset::new(names, drawn.data.values().to_owned())?)
}

/// With every indicator as a node; two variables are adjacent when some of their nodes are, and the
/// direction is that of all edges between them, or undetermined.
fn one_hot(drawn: &Simulated) -> Result<Pdag, Error> {
    let variables = drawn.data.variables();
    let coded = variables.coded(drawn.data.values());
    // Levels that no row has are columns that do not vary.
    let varies = |&j: &usize| coded.col(j).iter().any(|&value| value != coded[(0, j)]);
    let kept: Vec<usize> = (0..coded.ncols()).filter(varies).collect();
    let names: Vec<String> = kept.iter().map(|&j| variables.column_name(j)).collect();
    let values = Mat::from_fn(coded.nrows(), kept.len(), |i, j| coded[(i, kept[j])]);
    let found = class(&Dataset::new(Variables::continuous(names), values)?)?;
    let owner = |node: usize| {
        (0..variables.size()).find(|&v| variables.columns(v).contains(&kept[node])).unwrap_or(0)
    };
    let d = variables.size();
    let (mut forward, mut open) = (Mat::<f64>::zeros(d, d), Mat::<f64>::zeros(d, d));
    found.directed().for_each(|(i, j)| forward[(owner(i), owner(j))] += 1.0);
    found.undirected().for_each(|(i, j)| open[(owner(i), owner(j))] += 1.0);
    let (mut directed, mut undirected) = (Vec::new(), Vec::new());
    for j in 0..d {
        for i in 0..j {
            let loose = open[(i, j)] + open[(j, i)];
            match (forward[(i, j)] > 0.0, forward[(j, i)] > 0.0, loose > 0.0) {
                (false, false, false) => {}
                (true, false, false) => directed.push((i, j)),
                (false, true, false) => directed.push((j, i)),
                _ => undirected.push((i, j)),
            }
        }
    }
    Pdag::new(d, &directed, &undirected)
}
