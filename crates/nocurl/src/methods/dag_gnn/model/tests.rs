//! The loss and its gradient against the published form, written out plainly.

use faer::linalg::solvers::DenseSolveCore;
use proptest::prelude::*;

use super::*;
use crate::core::Mat;

/// Rows in the form that the model takes.
struct Rows {
    rows: usize,
    values: Vec<f64>,
    places: Vec<u32>,
}

impl Rows {
    fn new(x: &Mat<f64>) -> Self {
        let d = x.ncols();
        let cells: Vec<f64> = (0..d).flat_map(|j| x.col_as_slice(j).to_vec()).collect();
        let mut places: Vec<u32> = (0..cells.len() as u32).collect();
        places.sort_by(|&a, &b| cells[a as usize].total_cmp(&cells[b as usize]));
        let values = places.iter().map(|&place| cells[place as usize]).collect();
        Self { rows: x.nrows(), values, places }
    }

    fn batch(&self) -> Batch<'_> {
        Batch { rows: self.rows, values: &self.values, places: &self.places }
    }
}

fn network_at(weights: &[f64], x: f64) -> f64 {
    let hidden = (weights.len() - 1) / 3;
    let unit = |k: usize| weights[2 * hidden + k] * (weights[k] * x + weights[hidden + k]).max(0.0);
    weights[3 * hidden] + (0..hidden).map(unit).sum::<f64>()
}

/// The loss as the published code computes it, with the inverse.
fn long_form(
    layout: Layout,
    scale: &[f64],
    parameters: &[f64],
    x: &Mat<f64>,
    multiplier: Option<Multiplier>,
) -> f64 {
    let (n, d, size) = (x.nrows(), layout.variables, layout.network());
    let (encoder, rest) = parameters.split_at(size);
    let (decoder, rest) = rest.split_at(size);
    let (offset, w) = (rest[0], &rest[1..]);
    let a = Mat::from_fn(d, d, |i, j| scale[i + j * d] * (3.0 * w[i + j * d]).sinh());
    let identity = Mat::<f64>::identity(d, d);
    let system = &identity - a.transpose();
    let inverse = system.partial_piv_lu().inverse();
    let mut loss = 0.0;
    for i in 0..n {
        let e = Mat::from_fn(d, 1, |j, _| network_at(encoder, x[(i, j)]) + offset);
        let z = &system * &e - Mat::from_fn(d, 1, |_, _| offset);
        let shifted = &z + Mat::from_fn(d, 1, |_, _| offset);
        let back = &inverse * shifted;
        for j in 0..d {
            let error = network_at(decoder, back[(j, 0)] - offset) - x[(i, j)];
            loss += 0.5 * (error * error + z[(j, 0)] * z[(j, 0)]) / n as f64;
        }
    }
    if let Some(multiplier) = multiplier {
        let base = Mat::from_fn(d, d, |i, j| {
            f64::from(u8::from(i == j)) + a[(i, j)] * a[(i, j)] / d as f64
        });
        let mut power = identity.clone();
        (0..d).for_each(|_| power = &power * &base);
        let h = (0..d).map(|i| power[(i, i)]).sum::<f64>() - d as f64;
        loss += multiplier.linear * h + 0.5 * multiplier.quadratic * h * h;
        loss += 100.0 * (0..d).map(|i| a[(i, i)] * a[(i, i)]).sum::<f64>();
    }
    loss
}

#[derive(Debug, Clone)]
struct Case {
    layout: Layout,
    scale: Vec<f64>,
    parameters: Vec<f64>,
    x: Mat<f64>,
    multiplier: Option<Multiplier>,
}

fn case() -> impl Strategy<Value = Case> {
    let sizes = (1..6_usize, 2..6_usize, 1..7_usize);
    sizes.prop_flat_map(|(hidden, variables, rows)| {
        let layout = Layout { hidden, variables };
        let cells = variables * variables;
        let multiplier = (0.0..3.0_f64, 0.0..3.0_f64)
            .prop_map(|(linear, quadratic)| Multiplier { linear, quadratic });
        (
            prop::collection::vec(prop_oneof![1 => Just(0.0), 4 => 0.1..1.0_f64], cells),
            prop::collection::vec(-1.0..1.0_f64, layout.matrix()),
            // Small enough for I - A' to be regular.
            prop::collection::vec(-0.06..0.06_f64, cells),
            prop::collection::vec(-2.0..2.0_f64, rows * variables),
            prop::option::of(multiplier),
        )
            .prop_map(move |(scale, mut parameters, matrix, x, multiplier)| {
                parameters.extend(matrix);
                let x = Mat::from_fn(rows, variables, |i, j| x[i + j * rows]);
                Case { layout, scale, parameters, x, multiplier }
            })
    })
}

/// True away from the kinks of both networks, where there is a derivative.
fn smooth(case: &Case) -> bool {
    let (hidden, size) = (case.layout.hidden, case.layout.network());
    let (encoder, decoder) = case.parameters[..2 * size].split_at(size);
    let clear = |weights: &[f64], x: f64| {
        (0..hidden).all(|k| (weights[k] * x + weights[hidden + k]).abs() > 1e-3)
    };
    let cells = (0..case.x.ncols()).flat_map(|j| case.x.col_as_slice(j));
    cells.into_iter().all(|&x| clear(encoder, x) && clear(decoder, network_at(encoder, x)))
}

proptest! {
    #[test]
    fn the_loss_is_that_of_the_long_form_with_the_inverse(case in case()) {
        let Case { layout, scale, parameters, x, multiplier } = &case;
        let rows = Rows::new(x);
        let mut model = Model::new(*layout, x.nrows(), scale.clone());
        let loss = model.evaluate(parameters, rows.batch(), *multiplier);
        let long = long_form(*layout, scale, parameters, x, *multiplier);
        let tolerance = f64::EPSILON * 1e4 * (1.0 + long);
        prop_assert!((loss.total - long).abs() < tolerance, "{} {long}", loss.total);
    }

    #[test]
    fn the_gradient_is_that_of_the_long_form_by_finite_differences(case in case()) {
        prop_assume!(smooth(&case));
        let Case { layout, scale, parameters, x, multiplier } = &case;
        let rows = Rows::new(x);
        let mut model = Model::new(*layout, x.nrows(), scale.clone());
        model.evaluate(parameters, rows.batch(), *multiplier);
        let step = 1e-6;
        for k in 0..parameters.len() {
            let at = |shift: f64| {
                let mut moved = parameters.clone();
                moved[k] += shift;
                long_form(*layout, scale, &moved, x, *multiplier)
            };
            let slope = (at(step) - at(-step)) / (2.0 * step);
            let found = model.gradient()[k];
            prop_assert!((slope - found).abs() < 1e-6 * (1.0 + found.abs()), "{k}: {slope} {found}");
        }
    }

    #[test]
    fn pinned_entries_do_not_move(case in case()) {
        let Case { layout, scale, parameters, x, multiplier } = &case;
        let rows = Rows::new(x);
        let mut model = Model::new(*layout, x.nrows(), scale.clone());
        model.evaluate(parameters, rows.batch(), *multiplier);
        for (k, &scale) in scale.iter().enumerate() {
            if scale == 0.0 {
                prop_assert_eq!(model.gradient()[layout.matrix() + k], 0.0);
                prop_assert_eq!(model.matrix()[k], 0.0);
            }
        }
    }

    #[test]
    fn hyperbolic_functions_are_those_of_the_library(x in -NEAR..NEAR) {
        let (sinh, cosh) = hyperbolic(x);
        prop_assert!((sinh - x.sinh()).abs() <= 16.0 * f64::EPSILON * x.sinh().abs());
        prop_assert!((cosh - x.cosh()).abs() <= 16.0 * f64::EPSILON * x.cosh());
    }

    #[test]
    fn the_matrix_is_amplified_whatever_its_size(w in prop::collection::vec(-9.0..9.0_f64, 4)) {
        let layout = Layout { hidden: 1, variables: 2 };
        let mut model = Model::new(layout, 1, vec![0.0, 0.5, 1.0, 0.0]);
        let mut parameters = vec![0.0; layout.matrix()];
        parameters.extend(&w);
        let matrix = model.matrix_at(&parameters);
        for (k, factor) in [(1, 0.5), (2, 1.0)] {
            let expected = factor * (3.0 * w[k]).sinh();
            prop_assert!((matrix[k] - expected).abs() <= 16.0 * f64::EPSILON * expected.abs());
        }
        prop_assert_eq!((matrix[0], matrix[3]), (0.0, 0.0));
    }
}

#[test]
fn a_smaller_batch_does_not_see_what_a_larger_one_left() {
    let layout = Layout { hidden: 3, variables: 4 };
    let scale = vec![1.0; 16];
    let parameters: Vec<f64> = (0..layout.size()).map(|k| 0.1 * (k as f64).sin()).collect();
    let x = |rows: usize| Mat::from_fn(rows, 4, |i, j| ((3 * i + 7 * j) as f64).cos());
    let multiplier = Some(Multiplier { linear: 1.0, quadratic: 1.0 });
    let (large, small) = (Rows::new(&x(9)), Rows::new(&x(5)));
    let mut used = Model::new(layout, 9, scale.clone());
    used.evaluate(&parameters, large.batch(), multiplier);
    let mut fresh = Model::new(layout, 5, scale);
    let losses =
        [&mut used, &mut fresh].map(|m| m.evaluate(&parameters, small.batch(), multiplier));
    assert_eq!(losses[0], losses[1]);
    assert_eq!(used.gradient(), fresh.gradient());
}
