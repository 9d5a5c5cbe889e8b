//! Losses, gradients and changes of shape of the networks.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::journal::Log;
use super::net::{Net, Rows, Workspace};
use super::train::{Loss, Objective, Training};
use crate::core::{Dataset, Mat, Run};
use crate::math::objective::Acyclicity;
use crate::math::optimize::Multiplier;

const D: usize = 4;

fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    2.0 * rng.random::<f64>() - 1.0
}

/// A table whose columns differ in size and mean, more rows than a block.
fn rows(n: usize, seed: u64) -> Rows {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let values = Mat::from_fn(n, D, |_, j| (j + 1) as f64 * uniform(&mut rng) + j as f64);
    Rows::new(&Dataset::new(Dataset::default_names(D), values).unwrap())
}

fn nets(rows: &Rows, hidden: usize, seed: u64) -> Vec<Net> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let inputs = [vec![1, 2, 3], vec![0, 3], vec![], vec![0, 1, 2]];
    let net =
        |(j, inputs): (usize, &Vec<usize>)| Net::random(j, inputs.clone(), rows, hidden, &mut rng);
    inputs.iter().enumerate().map(net).collect()
}

fn training(rows: &Rows) -> Training<'_> {
    Training {
        rows,
        loss: Loss::Squares,
        variables: D,
        lambda1: 0.03,
        lambda2: 0.05,
        acyclicity: Acyclicity::Polynomial,
        tolerance: 1e-8,
        max_iterations: 10,
        stage: "test",
        run: &Run::ALONE,
    }
}

/// The loss of a network by its formula.
fn plain_loss(rows: &Rows, net: &Net) -> f64 {
    let (p, hidden) = (net.inputs.len(), net.second_layer().len());
    let (weights, rest) = net.parameters.split_at(net.weights());
    let residual = |row: usize| {
        let value = |variable: usize| rows.values()[(row, variable)];
        let mut output = rest[2 * hidden];
        for unit in 0..hidden {
            let mut sum = rest[unit];
            for (at, &input) in net.inputs.iter().enumerate() {
                sum += weights[unit * p + at] * value(input);
            }
            output += rest[hidden + unit] / (1.0 + (-sum).exp());
        }
        output - value(net.target)
    };
    (0..rows.count()).map(|row| residual(row).powi(2)).sum::<f64>() / (2 * rows.count()) as f64
}

fn loss(rows: &Rows, net: &Net) -> (f64, Vec<f64>) {
    let mut gradient = vec![f64::NAN; net.parameters.len()];
    let all = 0..rows.count();
    let value = rows.loss(net, all, &mut gradient, &mut Workspace::default(), &Run::default());
    (value, gradient)
}

/// Rounding of the value over the step, and the third derivative times its square.
const STEP: f64 = 1e-5;
const ERROR: f64 = 1e-8;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_loss_is_its_formula_and_has_this_gradient(
        n in 2..600_usize, hidden in 1..6_usize, seed in 0..1000_u64,
    ) {
        let rows = rows(n, seed);
        for net in nets(&rows, hidden, seed) {
            let (value, gradient) = loss(&rows, &net);
            let expected = plain_loss(&rows, &net);
            // Sums over rows and units, of numbers about 1 that may cancel.
            let rounding = (n + 20 * hidden) as f64 * f64::EPSILON;
            prop_assert!((value - expected).abs() <= rounding * (1.0 + expected));
            for (at, slope) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut net = net.clone();
                    net.parameters[at] += by;
                    loss(&rows, &net).0
                };
                let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                prop_assert!((difference - slope).abs() <= ERROR * (1.0 + expected));
            }
        }
    }

    #[test]
    fn the_objective_has_this_gradient(
        hidden in 1..5_usize, seed in 0..1000_u64, linear in 0.0..3.0, quadratic in 0.0..3.0,
    ) {
        let rows = rows(300, seed);
        for (acyclicity, loss) in [
            (Acyclicity::Polynomial, Loss::Squares),
            (Acyclicity::Exponential, Loss::Squares),
            (Acyclicity::Polynomial, Loss::Logarithm),
        ] {
            let training = Training { acyclicity, loss, ..training(&rows) };
            let mut nets = nets(&rows, hidden, seed);
            let size: usize = nets.iter().map(|net| net.parameters.len() + net.weights()).sum();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let x: Vec<f64> = (0..size).map(|_| 0.5 * (1.0 + uniform(&mut rng))).collect();
            let multiplier = Some(Multiplier { linear, quadratic });
            let mut objective = Objective::new(&training, &mut nets, multiplier);
            let (mut gradient, mut unused) = (vec![0.0; size], vec![0.0; size]);
            let value = objective.evaluate(&x, &mut gradient);
            for (at, slope) in gradient.iter().enumerate() {
                let mut moved = |by: f64| {
                    let mut x = x.clone();
                    x[at] += by;
                    objective.evaluate(&x, &mut unused)
                };
                let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                prop_assert!(
                    (difference - slope).abs() <= 100.0 * ERROR * (1.0 + value),
                    "{at}: {difference} {slope}"
                );
            }
        }
    }

    #[test]
    fn parts_without_weights_can_go_and_come_back(seed in 0..1000_u64, hidden in 2..6_usize) {
        let rows = rows(50, seed);
        let mut net = nets(&rows, hidden, seed).swap_remove(0);
        // The second input and the first unit lose their weights.
        let p = net.inputs.len();
        for at in 0..net.weights() {
            if at % p == 1 || at / p == 0 {
                net.parameters[at] = 0.0;
            }
        }
        let (value, gradient) = loss(&rows, &net);
        let keep_unit: Vec<bool> = (0..hidden).map(|unit| unit != 0).collect();
        let narrow = net.narrowed(&[true, false, true], &keep_unit);
        prop_assert_eq!(&narrow.inputs, &[1, 3]);
        prop_assert_eq!(narrow.weights(), 2 * (hidden - 1));
        prop_assert!(!narrow.has(2, 0) && narrow.has(1, hidden - 2) && !narrow.has(1, hidden - 1));
        let rounding = 1e3 * f64::EPSILON;
        prop_assert!((loss(&rows, &narrow).0 - value).abs() <= rounding * value);
        let wide = narrow.widened(net.inputs.clone());
        let (again, slopes) = loss(&rows, &wide);
        prop_assert!((again - value).abs() <= rounding * value);
        // The unit that was put aside is the last one now.
        let size = |slopes: &[f64]| slopes.iter().map(|slope| slope * slope).sum::<f64>();
        prop_assert!((size(&slopes) - size(&gradient)).abs() <= rounding * size(&gradient));
        for (new, old) in wide.squared_norms().zip(net.squared_norms()) {
            prop_assert_eq!(new.0, old.0);
            prop_assert!((new.1 - old.1).abs() <= rounding * old.1);
        }
    }
}

#[test]
fn an_input_without_weights_makes_no_difference_when_it_goes() {
    let rows = rows(300, 5);
    let mut net = nets(&rows, 3, 5).swap_remove(0);
    let p = net.inputs.len();
    net.parameters[p] = 0.0;
    assert_eq!((net.weights_of(0), net.weights_of(1)), (2, 3));
    let shorter = net.without(1);
    (0..3).for_each(|unit| net.parameters[unit * p + 1] = 0.0);
    assert_eq!(shorter.inputs, [1, 3]);
    assert_eq!(net.weights_of(1), 0);
    let (expected, found) = (loss(&rows, &net).0, loss(&rows, &shorter).0);
    assert!((expected - found).abs() <= 1e3 * f64::EPSILON * expected);
}

#[test]
fn the_second_layer_is_refitted_to_where_no_change_helps() {
    let rows = rows(700, 9);
    let ridge = 0.02;
    for net in nets(&rows, 3, 9) {
        let found = rows.refitted(&net, ridge, &mut Workspace::default());
        // By gradient descent on the second layer and the last bias alone.
        let mut slow = net.clone();
        let from = net.second_layer().start;
        for _ in 0..20_000 {
            let (_, gradient) = loss(&rows, &slow);
            for (at, slope) in gradient.iter().enumerate().skip(from) {
                let weight = slow.parameters[at];
                let penalised = net.second_layer().contains(&at);
                slow.parameters[at] -= slope + if penalised { ridge * weight } else { 0.0 };
            }
        }
        let expected = 2.0 * loss(&rows, &slow).0;
        assert!((found - expected).abs() <= 1e-6 * expected, "{found} {expected}");
    }
}

#[test]
fn training_goes_downhill_to_where_no_candidate_helps() {
    let rows = rows(400, 3);
    let training = Training { max_iterations: 2000, ..training(&rows) };
    let mut nets = nets(&rows, 3, 3);
    let candidates: Vec<Vec<usize>> = nets.iter().map(|net| net.inputs.clone()).collect();
    let before: f64 = nets.iter().map(|net| loss(&rows, net).0).sum();
    let multiplier = Multiplier { linear: 1.0, quadratic: 0.0 };
    let info =
        training.minimise(&mut nets, &candidates, Some(multiplier), &mut Log::none()).unwrap();
    assert_ne!(info.termination, crate::core::Termination::MaxIterations);
    let after: f64 = nets.iter().map(|net| loss(&rows, net).0).sum();
    assert!(after < before);
    for (net, candidates) in nets.iter().zip(&candidates) {
        let wide = net.widened(candidates.clone());
        let (_, gradient) = loss(&rows, &wide);
        for at in 0..wide.weights() {
            if wide.parameters[at] == 0.0
                && !net.has(candidates[at % candidates.len()], at / candidates.len())
            {
                assert!(gradient[at].abs() <= training.lambda1 + 1e-4);
            }
        }
    }
}
