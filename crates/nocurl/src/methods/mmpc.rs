//! Max-min parents and children (`mmpc`).

mod local;

use std::ops::ControlFlow;

use statrs::distribution::{ContinuousCDF, Normal};

use super::fges::{self, FgesSearch};
use super::likelihood::Likelihood;
use super::sweep::{Subsets, Sweep};
use super::{
    Directions, Facts, Method, MixedScore, Proposal, TakesKnowledge, Task, parameters, require,
};
use crate::core::advice::{Action, Text};
use crate::core::graph::bits::{BitMatrix, members};
use crate::core::memory::{Memory, Size};
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Dag, Determines, Error, Kind, Mat, MatRef, Order, Termination};
use crate::math::Price;
use crate::math::local::Local;
use crate::math::regress::refit;
use local::RatioTests;

/// Sets tried at most as explanation of one dependence. With up to 15 variables to choose from all
/// are.
const MOST_SETS: usize = 1 << 15;

/// Operations of a test of a partial correlation.
const TEST: f64 = 500.0;

parameters! {
    /// Max-min parents and children: which variables are adjacent.
    pub struct Mmpc {
        /// Level of the tests of independence: Fisher's z, or likelihood ratios where columns are categorical.
        alpha: f64 = 0.05, "between 0 and 1";
        /// Most variables to condition on.
        max_condition: Option<usize> = None, "from 0";
    }
}

impl Method for Mmpc {
    fn facts(&self) -> Facts {
        Facts {
            name: "mmpc",
            class: "MMPC",
            summary: "skeleton by tests of independence (max-min parents and children)",
            determines: Determines::Skeleton,
            directions: Directions::Nothing,
            chooses_edges: true,
            depends_on_units: false,
            counts: true,
            columns: Kind::ALL,
            knowledge: TakesKnowledge::No {
                reason: "it tests adjacencies alone",
                instead: "order-search",
            },
            reference: "Tsamardinos, Brown and Aliferis, Machine Learning 65, 2006",
            parameters: Self::PARAMETERS,
            ..Facts::LINEAR
        }
    }

    fn memory(&self, size: &Size) -> Memory {
        Memory::matrices(8.0 + 2.0 * size.threads as f64)
    }

    fn propose(&self, task: &Task<'_>) -> Result<Proposal, Error> {
        propose(task, self)
    }
}

/// The skeleton in which two variables are adjacent when no set of the variables found next to
/// either makes them independent, by tests of partial correlations.
///
/// For each target the candidate whose weakest dependence, over all sets of those chosen so far,
/// is strongest is chosen next, until all others are independent of the target given some set;
/// then those chosen are tested once more against each other. Two variables are adjacent when each
/// is chosen for the other. The sets grow one variable at a time on a factorisation that serves
/// all candidates at once. Cost O(2^k k d) for a target with k adjacent variables; from 16 on the
/// sizes of sets are limited, with a warning. Targets run in parallel.
///
/// Where columns are categorical, tests are likelihood ratios of the degenerate Gaussian law or, in
/// a table of categories alone, of counts; one with fewer than five rows for each parameter is left
/// out.
///
/// Directions are no part of the method. Those of the graph returned come from the greedy search
/// over equivalence classes (`fges`) limited to the skeleton.
///
/// Reference: Tsamardinos, Brown and Aliferis, *The max-min hill-climbing Bayesian network
/// structure learning algorithm*, Machine Learning 65 (2006).
///
/// # Errors
/// A parameter out of range, or [`Error::Cancelled`].
pub(super) fn propose(task: &Task<'_>, params: &Mmpc) -> Result<Proposal, Error> {
    let (problem, run, alpha) = (task.problem, task.run, params.alpha);
    require("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must lie between 0 and 1")?;
    let d = problem.size();
    let likelihood = Likelihood::new(task, MixedScore::Auto)?;
    let correlation = problem.correlation();
    let tests = Tests::new(correlation.as_ref(), problem.rows(), params);
    let ratios = likelihood.local().map(|local| RatioTests::new(local, params));
    let progress = Counter::new("testing independence", d, run);
    let each = likelihood.local().map_or(TEST, Local::operations);
    let chosen: Vec<Chosen> = (0..d)
        .into_par_iter()
        .map(|target| {
            let found = match &ratios {
                None => tests.around(target, &progress)?,
                Some(ratios) => ratios.around(target, &progress)?,
            };
            run.worked(found.tests as f64 * each);
            progress.add(1).map(|()| found)
        })
        .collect::<Result<_, Error>>()?;
    let mut skeleton = BitMatrix::new(d);
    for (i, found) in chosen.iter().enumerate() {
        for &j in found.variables.iter().filter(|&&j| chosen[j].variables.contains(&i)) {
            skeleton.insert(i, j);
        }
    }
    let way = (Price::bic(problem.rows() as f64, fges::USUAL), FgesSearch::default());
    let ranks = fges::search(problem, likelihood.local(), way, Some(&skeleton), run)
        .and_then(|found| Ok(Order::of_dag(&found.class.to_dag()?).ranks()))?;
    let mut support = Mat::zeros(d, d);
    for i in 0..d {
        for j in members(skeleton.row(i)).filter(|&j| (ranks[i], i) < (ranks[j], j)) {
            support[(i, j)] = 1.0;
        }
    }
    let weights = refit(problem, support.as_ref())?;
    let mut warnings = Vec::new();
    let limited = chosen.iter().filter(|found| found.limited).count();
    if limited > 0 {
        let words = format!(
            "{limited} of {d} variables have so many others next to them that not all sets were \
             tried as explanations, so some edges may be false; for fewer of them set "
        );
        warnings.push(Text::new(words).act(Action::parameter("alpha")).say(" lower"));
    }
    Ok(Proposal {
        weights: Some(weights),
        evaluations: chosen.iter().map(|found| found.tests).sum(),
        termination: Termination::Converged,
        score: Some(likelihood.score()),
        warnings,
        ..Proposal::direct(Order::of_dag(&Dag::new(support)?))
    })
}

/// What was chosen for one target.
struct Chosen {
    variables: Vec<usize>,
    tests: u64,
    limited: bool,
}

/// Tests of independence by Fisher's z.
struct Tests<'a> {
    correlation: MatRef<'a, f64>,
    everyone: Vec<usize>,
    rows: u64,
    /// Size of z from which two variables count as dependent.
    critical: f64,
    most: usize,
}

impl<'a> Tests<'a> {
    fn new(correlation: MatRef<'a, f64>, rows: u64, params: &Mmpc) -> Self {
        // Conditioning on as many variables as there are rows leaves nothing to test.
        let testable = usize::try_from(rows.saturating_sub(4)).unwrap_or(usize::MAX);
        Self {
            correlation,
            everyone: (0..correlation.nrows()).collect(),
            rows,
            critical: Normal::standard().inverse_cdf(1.0 - params.alpha / 2.0),
            most: params.max_condition.unwrap_or(usize::MAX).min(testable),
        }
    }

    /// Size of Fisher's z of a squared partial correlation given `given` variables.
    fn z(&self, squared: f64, given: usize) -> f64 {
        let freedom = self.rows as f64 - given as f64 - 3.0;
        freedom.max(0.0).sqrt() * squared.sqrt().atanh()
    }

    /// The variables that no set of the others chosen makes independent of the target.
    fn around(&self, target: usize, progress: &Counter<'_>) -> Result<Chosen, Error> {
        let mut found = Chosen { variables: Vec::new(), tests: 0, limited: false };
        let mut sweep = Sweep::new(self.correlation, &self.everyone, target);
        let mut weakest: Vec<f64> =
            self.everyone.iter().map(|&x| self.z(sweep.squared_correlation(x), 0)).collect();
        let mut open: Vec<usize> = self.everyone.iter().copied().filter(|&x| x != target).collect();
        found.tests += open.len() as u64;
        loop {
            open.retain(|&x| weakest[x] >= self.critical);
            // The first of equals, so that the answer does not depend on chance.
            let strongest = |a: &&usize, b: &&usize| weakest[**a].total_cmp(&weakest[**b]);
            let Some(&best) = open.iter().rev().max_by(strongest) else { break };
            open.retain(|&x| x != best);
            // Sets without the newcomer have been tried before.
            if self.most > 0 && sweep.push(best) {
                let count = found.variables.len();
                let most = self.most - 1;
                let mut sets = Subsets::new(&mut sweep, count, most, MOST_SETS, |_, _| true);
                let _ = sets.walk(&found.variables, &mut |sweep, set| {
                    open.retain(|&x| {
                        let z = self.z(sweep.squared_correlation(x), set.len() + 1);
                        weakest[x] = weakest[x].min(z);
                        z >= self.critical
                    });
                    found.tests += open.len() as u64;
                    if open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                found.limited |= sets.limited;
                sweep.pop();
            }
            found.variables.push(best);
            progress.add(0)?;
        }
        self.test_again(&mut found, &mut sweep);
        Ok(found)
    }

    /// Drops each variable chosen that some set of the others makes independent after all.
    fn test_again(&self, found: &mut Chosen, sweep: &mut Sweep<'a>) {
        let mut k = 0;
        while k < found.variables.len() {
            let mut others = found.variables.clone();
            let x = others.remove(k);
            let mut sets = Subsets::new(sweep, others.len(), self.most, MOST_SETS, |_, _| true);
            let flow = sets.walk(&others, &mut |sweep, set| {
                found.tests += 1;
                if self.z(sweep.squared_correlation(x), set.len()) < self.critical {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            found.limited |= sets.limited;
            if flow.is_break() {
                found.variables.remove(k);
            } else {
                k += 1;
            }
        }
    }
}
