//! What the graph implies, held against the data.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, Normal};

use super::case::{Case, percent, regressions};
use super::{Check, Finding, MOST_FOR_REFIT, Verdict};
use crate::core::parallel::*;
use crate::core::{Dag, Determines, Error, Mat, Pdag, Run, Text};
use crate::math::regress::Node;

/// The false discovery rate of the tests.
const RATE: f64 = 0.05;

/// Graphs with permuted names.
const PERMUTED: u64 = 100;

/// Shares of permuted graphs that fit as well, from which the fit is no evidence.
const BY_CHANCE: [f64; 2] = [0.05, 0.2];

/// Shares of the implied independences that the data contradict, from which edges are missing or
/// point the wrong way.
const CONTRADICTED: [f64; 2] = [0.05, 0.2];

/// Numbers of `falsification`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Falsification {
    /// Independences that the graph implies: of each variable and those before it in the order that
    /// are no parents, given its parents.
    pub implied: usize,
    /// Those of them that the data contradict, at a false discovery rate of 5%.
    pub violated: usize,
    /// Graphs with permuted names that were scored: those that are not of the same class, which
    /// fit equally well whatever the data.
    pub permuted: u64,
    /// Those of them that fit at least as well as the graph.
    pub as_good: u64,
}

impl Falsification {
    fn as_good_share(&self) -> f64 {
        self.as_good as f64 / self.permuted.max(1) as f64
    }

    fn violated_share(&self) -> f64 {
        self.violated as f64 / self.implied.max(1) as f64
    }
}

pub(super) struct Implied;

impl Check for Implied {
    fn name(&self) -> &'static str {
        "falsification"
    }

    fn run(&self, case: &Case<'_>, _: &Run<'_>) -> Result<Option<Finding>, Error> {
        let d = case.fit.dag.size();
        let tested = d <= MOST_FOR_REFIT
            && case.problem.is_plain()
            && case.fit.dag.edge_count() > 0
            && case.options.determines() != Determines::Skeleton;
        let Some(nodes) = case.nodes.as_deref().filter(|_| tested) else { return Ok(None) };
        let p_values = implied(case, nodes);
        let (permuted, as_good) = permuted(case, nodes);
        let violated = violated(&p_values);
        let numbers = Falsification { implied: p_values.len(), violated, permuted, as_good };
        let most = if case.is_nonlinear() { Verdict::Note } else { Verdict::Concern };
        let by_chance = Verdict::grade(numbers.as_good_share(), BY_CHANCE);
        let contradicted = Verdict::grade(numbers.violated_share(), CONTRADICTED);
        let verdict = by_chance.max(contradicted).min(most);
        Ok(Some(self.finding(verdict, sentence(&numbers), numbers)))
    }
}

fn sentence(numbers: &Falsification) -> Text {
    let independences = match numbers.implied {
        0 => "The graph implies no independence that could be tested".to_string(),
        all => format!(
            "On the rows that it was learnt from, {} of {all} independences that the graph implies \
             are violated (false discovery rate 5%)",
            numbers.violated
        ),
    };
    let names = match numbers.as_good {
        0 if numbers.permuted == 0 => "no permutation of names makes another graph".to_string(),
        0 => format!("none of {} graphs with permuted names fits as well", numbers.permuted),
        _ => format!(
            "{} of graphs with permuted names fit as well",
            percent(numbers.as_good_share())
        ),
    };
    let by_chance = numbers.as_good_share() >= BY_CHANCE[0];
    let contradicted = numbers.violated_share() >= CONTRADICTED[0];
    let advice = match (by_chance, contradicted) {
        (true, _) => "so the data hardly support its structure. Use it with care",
        (false, true) => {
            "so edges are missing or point the wrong way. Do not rely on independences that the graph \
             implies"
        }
        (false, false) => "nothing needs to be done",
    };
    Text::new(format!("{independences}; {names}: {advice}."))
}

/// The p-value of the partial correlation for each independence.
fn implied(case: &Case<'_>, nodes: &[Node]) -> Vec<f64> {
    let mut rank = vec![0; nodes.len()];
    case.fit.dag.order().iter().enumerate().for_each(|(place, &v)| rank[v] = place);
    let s = case.covariance();
    let normal = Normal::standard();
    let of = |j: usize| -> Vec<f64> {
        let (node, parents) = (&nodes[j], &nodes[j].parents);
        let freedom = case.moments.rows() as f64 - parents.len() as f64 - 3.0;
        let before = (0..nodes.len()).filter(|&i| rank[i] < rank[j] && !parents.contains(&i));
        before
            .filter_map(|i| {
                let other = Node::new(s, i, parents.clone())?;
                let shared: f64 = parents
                    .iter()
                    .zip(&node.coefficients)
                    .map(|(&p, coefficient)| coefficient * s[(p, i)])
                    .sum();
                let r = (s[(i, j)] - shared) / (node.residual * other.residual).sqrt();
                let z = r.clamp(-1.0, 1.0).atanh() * freedom.max(0.0).sqrt();
                (freedom > 0.0).then(|| 2.0 * normal.sf(z.abs()))
            })
            .collect()
    };
    (0..nodes.len()).into_par_iter().map(of).collect::<Vec<_>>().concat()
}

/// The rejections of Benjamini and Hochberg's rule (1995).
fn violated(p_values: &[f64]) -> usize {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let passes = |&(rank, &p): &(usize, &f64)| p <= RATE * (rank + 1) as f64 / count;
    sorted.iter().enumerate().rev().find(passes).map_or(0, |(rank, _)| rank + 1)
}

/// How many graphs with permuted names there are that are not of the same class again, by a symmetry
/// of it, and how many of these fit at least as well.
fn permuted(case: &Case<'_>, nodes: &[Node]) -> (u64, u64) {
    let d = nodes.len();
    let s = case.covariance();
    let fit = |nodes: &[Node]| -> f64 { nodes.iter().map(|node| node.residual.ln()).sum() };
    let own = fit(nodes);
    let (weights, class) = (case.fit.dag.weights(), Pdag::class_of(&case.fit.dag));
    let better = |seed: u64| -> Option<bool> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(case.options.seed ^ (seed << 32));
        let mut names: Vec<usize> = (0..d).collect();
        names.shuffle(&mut rng);
        let renamed = Dag::new(Mat::from_fn(d, d, |i, j| weights[(names[i], names[j])])).ok()?;
        if Pdag::class_of(&renamed) == class {
            return None;
        }
        Some(fit(&regressions(s, &renamed)?) <= own + 1e-9)
    };
    let scored: Vec<Option<bool>> = (1..=PERMUTED).into_par_iter().map(better).collect();
    let counted = scored.iter().flatten().count() as u64;
    (counted, scored.iter().filter(|better| **better == Some(true)).count() as u64)
}
