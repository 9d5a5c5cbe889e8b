//! Which variables may be parents: preliminary neighbourhood selection by boosting.

use super::design::Design;
use crate::core::parallel::*;
use crate::core::progress::Counter;
use crate::core::{Error, Run};

/// Boosting steps.
const STEPS: usize = 100;

/// The share of a fitted term that a step takes in.
const SHRINKAGE: f64 = 0.1;

/// Effective degrees of freedom of a term, with the constant 4.
const FREEDOM: f64 = 3.0;

/// A variable must be chosen this often to be a neighbour: in 2 of 100 steps.
const OFTEN: usize = 2;

/// Operations of a boosted fit for each variable.
const BOOST: f64 = 15_000.0;

/// For every variable, the variables that may be its parents, in increasing order.
///
/// Boosting fits each variable by smooth functions of all others; its neighbours are the at most
/// `most` variables that are chosen most often. Of two variables joined by a straight line each
/// helps to explain the other, so that a neighbour with a straight effect must be one both ways:
/// the rule `and` of Meinshausen and Bühlmann (2006). A curve may work in one direction only, as
/// `y = x^2` does; a neighbour whose effect is more curved than straight stays in any case.
pub(super) fn neighbours(
    design: &Design,
    most: usize,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let chosen = chosen(design, most, run)?;
    let mutual = |i: usize, j: usize| chosen[i].iter().any(|choice| choice.variable == j);
    let neighbours = |(j, chosen): (usize, &Vec<Choice>)| {
        let kept = chosen.iter().filter(|choice| choice.curved || mutual(choice.variable, j));
        let mut kept: Vec<usize> = kept.map(|choice| choice.variable).collect();
        kept.sort_unstable();
        kept
    };
    Ok(chosen.iter().enumerate().map(neighbours).collect())
}

/// The same without asking for both: a neighbour of one is a neighbour of the other, and of these
/// the `most` that were chosen most often by either.
pub(super) fn neighbours_of_either(
    design: &Design,
    most: usize,
    run: &Run<'_>,
) -> Result<Vec<Vec<usize>>, Error> {
    let chosen = chosen(design, most, run)?;
    let mut counts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); chosen.len()];
    for (j, chosen) in chosen.iter().enumerate() {
        for choice in chosen {
            counts[j].push((choice.variable, choice.count));
            counts[choice.variable].push((j, choice.count));
        }
    }
    let neighbours = counts.into_iter().map(|mut counts| {
        counts.sort_by_key(|&(variable, count)| (variable, std::cmp::Reverse(count)));
        counts.dedup_by_key(|&mut (variable, _)| variable);
        counts.sort_by_key(|&(variable, count)| (std::cmp::Reverse(count), variable));
        counts.truncate(most);
        let mut neighbours: Vec<usize> = counts.into_iter().map(|(variable, _)| variable).collect();
        neighbours.sort_unstable();
        neighbours
    });
    Ok(neighbours.collect())
}

/// For every variable, the at most `most` others that boosting chooses most often.
fn chosen(design: &Design, most: usize, run: &Run<'_>) -> Result<Vec<Vec<Choice>>, Error> {
    let d = design.variables();
    let shrunken: Vec<f64> = (0..d).flat_map(|i| shrink(design.penalty(i))).collect();
    let progress = Counter::new("selecting neighbours", d, run).of(BOOST * d as f64);
    (0..d)
        .into_par_iter()
        .map(|target| {
            let rule = Rule { steps: STEPS, least: 0.0 };
            let mut chosen = boost(design, &shrunken, target, |_| true, rule);
            chosen.retain(|choice| choice.count >= OFTEN);
            chosen.sort_by_key(|choice| std::cmp::Reverse(choice.count));
            chosen.truncate(most);
            progress.add(1).map(|()| chosen)
        })
        .collect()
}

/// A variable in the boosted fit of another.
pub(super) struct Choice {
    pub(super) variable: usize,
    /// Steps in which it was chosen.
    pub(super) count: usize,
    /// Whether the curved part of its term has more variance than the straight part.
    curved: bool,
}

/// When boosting ends.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) steps: usize,
    /// The least share of the residual variance that a whole term must explain.
    pub(super) least: f64,
}

/// The other variables in the boosted fit of `target`: at every step the one is chosen whose term
/// takes most off the residual sum of squares, by componentwise boosting (Bühlmann and Yu, 2003).
pub(super) fn boost(
    design: &Design,
    shrunken: &[f64],
    target: usize,
    among: impl Fn(usize) -> bool,
    rule: Rule,
) -> Vec<Choice> {
    let d = design.variables();
    let mut variance = 1.0;
    let mut residual = design.column(design.of(target).start).to_vec();
    let mut coefficients = vec![0.0; shrunken.len()];
    let mut counts = vec![0; d];
    for _ in 0..rule.steps {
        let gain = |i: usize| -> f64 {
            design
                .of(i)
                .map(|k| residual[k] * residual[k] * shrunken[k] * (2.0 - shrunken[k]))
                .sum()
        };
        let best = (0..d)
            .filter(|&i| i != target && among(i))
            .map(|i| (gain(i), i))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((gain, best)) = best else { break };
        if gain < rule.least * variance {
            break;
        }
        counts[best] += 1;
        let steps: Vec<f64> =
            design.of(best).map(|k| SHRINKAGE * shrunken[k] * residual[k]).collect();
        for (k, step) in design.of(best).zip(steps) {
            // Functions of one variable are orthonormal.
            variance -= step * (2.0 * residual[k] - step);
            coefficients[k] += step;
            for (value, moment) in residual.iter_mut().zip(design.column(k)) {
                *value -= step * moment;
            }
        }
    }
    let curved = |i: usize| {
        let squares: Vec<f64> = design.of(i).map(|k| coefficients[k] * coefficients[k]).collect();
        squares[1..].iter().sum::<f64>() > squares[0]
    };
    (0..d).map(|i| Choice { variable: i, count: counts[i], curved: curved(i) }).collect()
}

/// The factors `1 / (1 + lambda penalty)` with the sum [`FREEDOM`], or all 1 where that is more
/// than there are functions.
pub(super) fn shrink(penalty: &[f64]) -> Vec<f64> {
    let factors = |lambda: f64| penalty.iter().map(move |p| 1.0 / (1.0 + lambda * p));
    if penalty.len() as f64 <= FREEDOM {
        return vec![1.0; penalty.len()];
    }
    // The sum falls with lambda: bisection on its logarithm.
    let (mut low, mut high) = (-30.0f64, 30.0f64);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if factors(middle.exp()).sum::<f64>() > FREEDOM { low = middle } else { high = middle }
    }
    factors((0.5 * (low + high)).exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_shrunk_to_their_degrees_of_freedom() {
        let penalty = [0.0, 1.0, 5.0, 20.0, 60.0];
        let factors = shrink(&penalty);
        assert!((factors.iter().sum::<f64>() - FREEDOM).abs() < 1e-12);
        assert!(factors[0] == 1.0 && factors.iter().rev().is_sorted());
        assert_eq!(shrink(&penalty[..3]), [1.0; 3]);
    }
}
