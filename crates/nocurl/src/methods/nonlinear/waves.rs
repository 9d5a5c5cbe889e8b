//! Directions along which what is left of a variable goes up and down.
//!
//! `cos(a'x + 1)` of several parents shows next to nothing of any one of them, and a network that
//! starts with small weights on all candidates stays flat. But its Fourier coefficient, the mean of
//! `r exp(i w'x)` over the rows, stands out at `w = a`, and part of it does where `w` has some of
//! the entries of `a`. So `w` is built up entry by entry, many of them side by side.

use std::collections::BTreeSet;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use crate::core::{Error, Run};

/// What an entry may be at first, for variables of variance 1; training goes on from there.
const SIZES: [f64; 4] = [0.6, 1.1, 1.6, 2.2];

/// Directions that are followed side by side.
const BEAM: usize = 100;

/// Entries at most, and entries after which a search that has nothing yet gives up.
const MOST: usize = 8;
const PATIENCE: usize = 4;

/// More rows than this are thinned out evenly.
const MOST_ROWS: usize = 5000;

/// By how much a coefficient must be larger than the largest of all that were looked at would be by
/// chance, in units of twice a log-likelihood.
pub(super) const MARGIN: f64 = 20.0;

/// A direction: the variables with entries, in rising order, and the entries.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wave {
    pub(super) inputs: Vec<usize>,
    pub(super) entries: Vec<f64>,
}

/// A direction as places among the candidates and, of each, a step: twice the place of its size, and
/// one more where it is negative.
type Steps = Vec<(usize, usize)>;

fn entry(step: usize) -> f64 {
    let size = SIZES[step / 2];
    if step.is_multiple_of(2) { size } else { -size }
}

/// The direction whose Fourier coefficient stands out most; none where none does.
///
/// `values` are standardised columns, `residual` is what is left of a variable.
///
/// Cost: a product of 16 times as many columns as there are candidates with 200, over at most
/// 5000 rows, for each entry.
pub(super) fn strongest(
    values: MatRef<'_, f64>,
    residual: &[f64],
    candidates: &[usize],
    run: &Run<'_>,
) -> Result<Option<Wave>, Error> {
    let step = residual.len().div_ceil(MOST_ROWS);
    let left = standardised(residual.iter().step_by(step).copied().collect());
    let (n, c) = (left.len(), candidates.len());
    if c == 0 {
        return Ok(None);
    }
    // Cosines and sines of each candidate at each size.
    let columns: Vec<Vec<f64>> = candidates
        .iter()
        .map(|&i| (0..residual.len()).step_by(step).map(|row| values[(row, i)]).collect())
        .collect();
    let turns = Mat::from_fn(n, 2 * c * SIZES.len(), |row, at| {
        let (pair, sine) = (at / 2, at % 2 == 1);
        let angle = SIZES[pair % SIZES.len()] * columns[pair / SIZES.len()][row];
        if sine { libm::sin(angle) } else { libm::cos(angle) }
    });
    // Twice the log-likelihood that one entry more must be worth.
    let price = 2.0 * libm::log((2 * c * SIZES.len()) as f64);
    let mut beam: Vec<Steps> = vec![Vec::new()];
    let mut best: Option<(f64, Steps)> = None;
    for entries in 1..=MOST.min(c) {
        if run.is_stopped() {
            return Err(Error::Cancelled);
        }
        let next = longer(&beam, &columns, turns.as_ref(), &left);
        let Some((strength, steps)) = next.first() else { break };
        let worth = strength - price * entries as f64;
        let better = best.as_ref().is_none_or(|(most, _)| worth > *most);
        if better {
            best = Some((worth, steps.clone()));
        }
        let promising = best.as_ref().is_some_and(|(most, _)| *most > MARGIN);
        if if promising { !better } else { entries >= PATIENCE } {
            break;
        }
        beam = next.into_iter().map(|(_, steps)| steps).collect();
    }
    Ok(best.filter(|(worth, _)| *worth > MARGIN).map(|(_, steps)| Wave {
        inputs: steps.iter().map(|&(at, _)| candidates[at]).collect(),
        entries: steps.iter().map(|&(_, step)| entry(step)).collect(),
    }))
}

/// The strongest directions with one entry more than those of the beam, the strongest first, each
/// with `2 n` times its squared coefficient.
fn longer(
    beam: &[Steps],
    columns: &[Vec<f64>],
    turns: MatRef<'_, f64>,
    left: &[f64],
) -> Vec<(f64, Steps)> {
    let (n, sizes) = (left.len(), SIZES.len());
    let mut turned = Mat::zeros(n, 2 * beam.len());
    for (k, steps) in beam.iter().enumerate() {
        for (row, &value) in left.iter().enumerate() {
            let angle: f64 = steps.iter().map(|&(at, step)| entry(step) * columns[at][row]).sum();
            let (sine, cosine) = libm::sincos(angle);
            turned[(row, 2 * k)] = value * cosine;
            turned[(row, 2 * k + 1)] = value * sine;
        }
    }
    let mut sums = Mat::zeros(2 * beam.len(), turns.ncols());
    let scale = 1.0 / n as f64;
    matmul(&mut sums, Accum::Replace, turned.transpose(), turns, scale, Par::Seq);
    let mut found = Vec::new();
    for (k, steps) in beam.iter().enumerate() {
        for pair in 0..turns.ncols() / 2 {
            let at = pair / sizes;
            if steps.iter().any(|&(taken, _)| taken == at) {
                continue;
            }
            let (cc, cs) = (sums[(2 * k, 2 * pair)], sums[(2 * k, 2 * pair + 1)]);
            let (sc, ss) = (sums[(2 * k + 1, 2 * pair)], sums[(2 * k + 1, 2 * pair + 1)]);
            // The angle of an entry is added or taken off; of w and -w one is enough.
            let squares = [(cc - ss).hypot(cs + sc), (cc + ss).hypot(sc - cs)];
            for (minus, size) in squares.into_iter().enumerate().take(1 + steps.len().min(1)) {
                let strength = 2.0 * n as f64 * size * size;
                found.push((strength, k, (at, 2 * (pair % sizes) + minus)));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut known = BTreeSet::new();
    let mut kept = Vec::new();
    for (strength, k, step) in found {
        let mut steps = beam[k].clone();
        steps.push(step);
        steps.sort_unstable();
        if known.insert(steps.clone()) {
            kept.push((strength, steps));
        }
        if kept.len() == BEAM {
            break;
        }
    }
    kept
}

/// Values with mean 0 and variance 1; zeros where they are all the same.
fn standardised(mut values: Vec<f64>) -> Vec<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter_mut().for_each(|value| *value -= mean);
    let deviation = (values.iter().map(|value| value * value).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    values.iter_mut().for_each(|value| *value *= scale);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::simulate::{Simulation, simulate};

    fn columns(seed: u64) -> Mat<f64> {
        let independent =
            Simulation { variables: 10, rows: 2000, degree: 0.0, ..Simulation::default() };
        simulate(&independent, seed).unwrap().data.values().to_owned()
    }

    #[test]
    fn a_wave_in_four_directions_is_found() {
        let x = columns(3);
        let wave = |row: usize| 1.2 * (x[(row, 1)] - x[(row, 4)] + x[(row, 5)]) + x[(row, 7)];
        let left: Vec<f64> = (0..2000).map(|i| (wave(i) + 1.0).cos() + x[(i, 9)]).collect();
        let candidates: Vec<usize> = (0..9).collect();
        let found = strongest(x.as_ref(), &left, &candidates, &Run::default()).unwrap().unwrap();
        assert_eq!(found.inputs, [1, 4, 5, 7]);
        let sign = found.entries[0].signum();
        let signs: Vec<f64> = found.entries.iter().map(|entry| sign * entry.signum()).collect();
        assert_eq!(signs, [1.0, -1.0, 1.0, 1.0]);
    }

    #[test]
    fn noise_has_none() {
        for seed in 1..=3 {
            let x = columns(seed);
            let left = x.col_as_slice(9);
            let candidates: Vec<usize> = (0..9).collect();
            assert_eq!(strongest(x.as_ref(), left, &candidates, &Run::default()), Ok(None));
            assert_eq!(strongest(x.as_ref(), &[2.0; 2000], &[1], &Run::default()), Ok(None));
        }
    }
}
