use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::GranErrors;
use super::network::{Block, Net, Shape, Space};
use super::training::mean_loss;

const SHAPES: [Shape; 5] = [
    Shape { hidden: 4, layers: 2, errors: GranErrors::Own },
    Shape { hidden: 3, layers: 1, errors: GranErrors::Own },
    Shape { hidden: 4, layers: 2, errors: GranErrors::Predicted },
    Shape { hidden: 2, layers: 3, errors: GranErrors::Predicted },
    Shape { hidden: 3, layers: 2, errors: GranErrors::Equal },
];

fn values(rows: usize, variables: usize) -> Vec<f64> {
    (0..rows * variables).map(|k| 1.5 * ((k * k) as f64 * 0.37).sin()).collect()
}

fn net(shape: Shape, inputs: &[usize]) -> Net {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut net = Net::random(inputs.to_vec(), 5, shape, &mut rng);
    // Biases and deviations that matter.
    for parameter in &mut net.parameters {
        *parameter += 0.1 * (rng.random::<f64>() - 0.5);
    }
    net
}

/// Halfway between steps on both sides, relative to the size of what is compared.
fn differences(net: &Net, mut value: impl FnMut(&Net) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-6;
    (0..net.parameters.len())
        .map(|k| {
            let mut moved = |by: f64| {
                let mut moved = net.clone();
                moved.parameters[k] += by;
                value(&moved)
            };
            (moved(STEP) - moved(-STEP)) / (2.0 * STEP)
        })
        .collect()
}

#[test]
fn the_gradient_of_the_loss_is_that_of_differences() {
    let values = values(23, 5);
    let block = Block { rows: 23, values: &values };
    for shape in SHAPES {
        for inputs in [&[0, 1, 4][..], &[3], &[]] {
            let (net, mut space) = (net(shape, inputs), Space::default());
            net.loss(shape, 2, block, true, &mut space);
            let found = space.gradient.clone();
            let expected =
                differences(&net, |net| net.loss(shape, 2, block, false, &mut Space::default()));
            assert_eq!(found.len(), shape.size(inputs.len()));
            for (found, expected) in found.iter().zip(&expected) {
                let close = 1e-6 * (1.0 + expected.abs());
                assert!((found - expected).abs() < close, "{shape:?} {found} {expected}");
            }
        }
    }
}

#[test]
fn the_loss_is_the_likelihood_of_a_normal_law() {
    let shape = Shape { hidden: 2, layers: 1, errors: GranErrors::Own };
    let mut net = net(shape, &[0]);
    // y = leaky(2 x - 1) * 3 - leaky(x) + 0.5, deviation e^0.3.
    net.parameters = vec![2.0, 1.0, -1.0, 0.0, 3.0, -1.0, 0.5, 0.3];
    let values = [0.2, 1.5, -0.7, 0.9, 0.1, -0.4];
    let block = Block { rows: 3, values: &values };
    let leaky = |z: f64| if z > 0.0 { z } else { 0.01 * z };
    let expected: f64 = (0..3)
        .map(|row| {
            let x = values[row];
            let mean = 3.0 * leaky(2.0 * x - 1.0) - leaky(x) + 0.5;
            let law = statrs::distribution::Normal::new(mean, 0.3f64.exp()).unwrap();
            -statrs::distribution::Continuous::ln_pdf(&law, values[3 + row])
        })
        .sum();
    let found = net.loss(shape, 1, block, false, &mut Space::default());
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn path_products_are_those_of_absolute_weights_and_so_is_their_gradient() {
    let shape = Shape { hidden: 2, layers: 2, errors: GranErrors::Predicted };
    let net_of_two = net(shape, &[1, 3]);
    let w = &net_of_two.parameters;
    // Weights of the three layers, each unit by unit: 2 x 2, 2 x 2, 2 x 2.
    let (first, second, third) = (&w[..4], &w[6..10], &w[12..16]);
    let mut expected = [0.0; 2];
    for (input, sum) in expected.iter_mut().enumerate() {
        for (a, b, c) in (0..8).map(|k| (k & 1, k >> 1 & 1, k >> 2)) {
            *sum += (first[2 * a + input] * second[2 * b + a] * third[2 * c + b]).abs() / 8.0;
        }
    }
    let mut space = Space::default();
    let found = net_of_two.products(shape, &mut space);
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");

    let slope = |input: usize| [0.0, 2.0, 0.0, -0.7, 1.3][input];
    for shape in SHAPES {
        let net = net(shape, &[1, 3, 4]);
        let mut space = Space::default();
        space.gradient = vec![0.0; net.parameters.len()];
        net.add_product_slopes(shape, slope, &mut space);
        let expected = differences(&net, |net| {
            let mut space = Space::default();
            let products = net.products(shape, &mut space);
            net.inputs.iter().zip(products).map(|(&input, product)| slope(input) * product).sum()
        });
        for (found, expected) in space.gradient.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-8, "{shape:?} {found} {expected}");
        }
    }
}

#[test]
fn inputs_that_go_leave_the_others_as_they_are() {
    let values = values(11, 5);
    for shape in SHAPES {
        let mut net = net(shape, &[0, 1, 3, 4]);
        let p = 4;
        // Without weights the second and the fourth input say nothing.
        for unit in 0..shape.hidden {
            net.parameters[unit * p + 1] = 0.0;
            net.parameters[unit * p + 3] = 0.0;
        }
        let block = Block { rows: 11, values: &values };
        let before = net.loss(shape, 2, block, false, &mut Space::default());
        net.retain(shape, |input| input == 0 || input == 3);
        assert_eq!(net.inputs, [0, 3]);
        assert!(net.is_of(shape, &[0, 1, 3, 4]) && !net.is_of(shape, &[0, 1]));
        let after = net.loss(shape, 2, block, false, &mut Space::default());
        assert!((before - after).abs() < 1e-13 * before.abs(), "{before} {after}");
        net.retain(shape, |_| false);
        assert_eq!(net.parameters.len(), shape.size(0));
    }
}

#[test]
fn steps_follow_the_formula() {
    let shape = Shape { hidden: 1, layers: 1, errors: GranErrors::Own };
    let mut net = net(shape, &[0]);
    let start = net.parameters.clone();
    let gradients: Vec<Vec<f64>> =
        (0..3).map(|t| (0..start.len()).map(|k| ((t + 2 * k) as f64).cos()).collect()).collect();
    for gradient in &gradients {
        net.step(gradient, 0.01, pulp::Arch::new());
    }
    for (k, (found, start)) in net.parameters.iter().zip(start).enumerate() {
        let (mut square, mut expected) = (0.0, start);
        for gradient in &gradients {
            square = 0.99 * square + 0.01 * gradient[k] * gradient[k];
            expected -= 0.01 * gradient[k] / (square.sqrt() + 1e-8);
        }
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
}

#[test]
fn equal_errors_have_the_deviation_with_the_largest_likelihood() {
    let residuals = [0.3, -1.2, 0.8, 2.1, -0.4];
    let at = |deviation: f64| -> f64 {
        let law = statrs::distribution::Normal::new(0.0, deviation).unwrap();
        residuals.iter().map(|&r| -statrs::distribution::Continuous::ln_pdf(&law, r)).sum()
    };
    let count = residuals.len();
    let best = (1..4000).map(|k| at(f64::from(k) * 1e-3)).fold(f64::INFINITY, f64::min);
    let (loss, precision) = mean_loss(GranErrors::Equal, at(1.0), count);
    assert!((loss - best / count as f64).abs() < 1e-6, "{loss} {best}");
    // Derivatives in the sum.
    let moved = |by: f64| mean_loss(GranErrors::Equal, at(1.0) + by, count).0;
    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
    assert!((slope - precision / count as f64).abs() < 1e-8, "{slope} {precision}");
    assert_eq!(mean_loss(GranErrors::Own, 3.0, 2), (1.5, 1.0));
}
