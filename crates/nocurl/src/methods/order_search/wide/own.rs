//! The same search where the rows come from experiments: each variable has correlations of its own.

use super::super::search::Prices;
use super::{Begin, Found, search_by};
use crate::core::parallel::*;
use crate::core::{Dag, Error, Run};
use crate::math::local::Experimental;
use crate::math::{Experiments, Price, Problem};
use crate::methods::near::{Correlate, rounded};

/// Searches at most: with which moments a variable goes is decided before each.
const PASSES: usize = 4;

/// Later searches start from a graph that is all but known, with one restart for so many.
const SHARE: u64 = 10;

/// The correlations of the rows in which each variable is not set.
struct Own<'a> {
    experiments: &'a Experiments,
    /// Variables that the condition shifts: they go by what is within conditions.
    within: Vec<bool>,
    prices: Vec<Prices>,
}

impl<'a> Own<'a> {
    fn new(experiments: &'a Experiments, within: &[bool], price: Price) -> Self {
        let d = experiments.size();
        let prices = |v: usize| Prices::of_rows(experiments.view(v).rows(), d, price);
        Self { experiments, within: within.to_vec(), prices: (0..d).map(prices).collect() }
    }

    /// The column of a variable; none for the condition, which is next to nothing.
    fn column(&self, v: usize) -> Option<usize> {
        self.experiments.columns(v).next()
    }

    /// One over the root of what is left of a column in the view of a variable.
    fn unit(&self, of: usize, column: usize) -> f64 {
        let left = self.experiments.view(of).variance(column, self.within[of]);
        if left > 0.0 { 1.0 / left.sqrt() } else { 0.0 }
    }
}

impl Correlate for Own<'_> {
    fn size(&self) -> usize {
        self.experiments.size()
    }

    fn prices(&self, of: usize) -> &Prices {
        &self.prices[of]
    }

    fn with<'s>(&'s self, of: usize, v: usize) -> impl Fn(usize) -> f64 + 's {
        let (view, within) = (self.experiments.view(of), self.within[of]);
        let from = self.column(v).map(|column| (column, self.unit(of, column)));
        move |u| match (from, self.column(u)) {
            _ if u == v => 1.0,
            (Some((a, own)), Some(b)) => {
                rounded(self.experiments.entry(view, a, b, within) * own * self.unit(of, b))
            }
            _ => 0.0,
        }
    }

    fn row<'s>(&'s self, of: usize, v: usize) -> impl Fn(usize) -> f64 + 's {
        let view = self.experiments.view(of);
        let from = self.column(v).map(|column| {
            let row = self.experiments.row(view, column, self.within[of]);
            (row, self.unit(of, column))
        });
        move |u| match (&from, self.column(u)) {
            _ if u == v => 1.0,
            (Some((row, own)), Some(b)) => rounded(row[b] * own * self.unit(of, b)),
            _ => 0.0,
        }
    }
}

/// The best order that is found where each variable goes by the rows in which it is not set, with
/// the edges of the condition.
///
/// Whether the condition shifts a variable is decided given the parents found, by the score of any
/// edge. At first every variable goes by what is within conditions, which holds for every graph.
pub(in super::super) fn search_experiments(
    problem: &Problem,
    experiments: &Experiments,
    price: Price,
    (from, restarts): (Option<&Dag>, u64),
    seed: u64,
    run: &Run<'_>,
) -> Result<Found, Error> {
    let condition = experiments.condition();
    let mut within = match from {
        Some(dag) => (0..dag.size()).map(|v| dag.has_edge(condition, v)).collect(),
        None => vec![true; experiments.size()],
    };
    let mut begin = match from {
        Some(dag) => Begin { orders: vec![dag.order().to_vec()], least: false },
        None => Begin { orders: Vec::new(), least: true },
    };
    // The first search shows which variables are shifted; the second is the thorough one.
    let mut share = if from.is_some() { restarts } else { 0 };
    let (mut done, mut moves) = (0, 0);
    for pass in 1.. {
        let own = Own::new(experiments, &within, price);
        // One state is kept, and these are several searches.
        let found = search_by(own, begin, share, seed, &run.unkept())?;
        done += found.restarts;
        moves += found.moves;
        let shifted = shifted(problem, experiments, price, &found.dag);
        let settled = shifted == within && (pass > 1 || from.is_some());
        if settled || pass == PASSES {
            let dag = with_condition(&found.dag, condition, &shifted)?;
            return Ok(Found { dag, restarts: done, moves, ..found });
        }
        begin = Begin { orders: vec![found.dag.order().to_vec()], least: pass == 1 };
        share = if pass == 1 { restarts } else { restarts / SHARE };
        within = shifted;
    }
    unreachable!("the last pass returns")
}

/// Which variables the condition shifts beside what their parents explain.
fn shifted(problem: &Problem, experiments: &Experiments, price: Price, dag: &Dag) -> Vec<bool> {
    let (local, known) = (Experimental(experiments), problem.knowledge());
    let decide = |v: usize| local.is_shifted(v, &dag.parents(v).collect::<Vec<_>>(), price, known);
    (0..experiments.size()).into_par_iter().map(decide).collect()
}

fn with_condition(dag: &Dag, condition: usize, shifted: &[bool]) -> Result<Dag, Error> {
    let own = dag.edges().map(|(i, j, _)| (i, j));
    let more = (0..shifted.len()).filter(|&v| shifted[v]).map(|v| (condition, v));
    Dag::from_edges(dag.size(), &own.chain(more).collect::<Vec<_>>())
}
