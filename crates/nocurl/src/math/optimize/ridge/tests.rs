//! Both ways of finding the step, against each other and against the definition of a minimum.

use std::sync::{LazyLock, Mutex};

use super::conjugate::Conjugate;
use super::{Iterate, Multiplier, Steps, direct, iterative, minimise_by};
use crate::core::simulate::{Simulation, simulate};
use crate::core::{Knowledge, Mat, MatRef, Progress, Run, Termination, Watch};
use crate::math::objective::{Acyclicity, Grams, Penalty, least_squares};
use crate::math::optimize::{Penalised, Solver};

/// What is known where nothing is, about any number of variables.
static NOTHING: LazyLock<Knowledge> = LazyLock::new(|| Knowledge::unconstrained(&[]));

const PENALTIES: [Acyclicity; 3] =
    [Acyclicity::Polynomial, Acyclicity::Exponential, Acyclicity::LogDet];

fn second_moments(d: usize, seed: u64) -> Mat<f64> {
    let simulation = Simulation { variables: d, degree: 2.0, ..Simulation::default() };
    simulate(&simulation, seed).unwrap().data.moments().second_moments(true)
}

fn penalised(
    s: MatRef<'_, f64>,
    acyclicity: Acyclicity,
    tolerance: f64,
    max_iterations: u64,
) -> Penalised<'_> {
    Penalised {
        second_moments: s.into(),
        unit: 1.0,
        acyclicity,
        lambda1: 0.0,
        solver: Solver::Ridge,
        tolerance,
        max_iterations,
        knowledge: &NOTHING,
    }
}

fn direct(d: usize) -> Steps {
    Steps::Direct(direct::Columns::new(d))
}

fn iterative(d: usize) -> Steps {
    Steps::Iterative(Box::new(iterative::Columns::new(d)))
}

/// Keeps the objective values it is told.
#[derive(Default)]
struct Values(Mutex<Vec<f64>>);

impl Watch for Values {
    fn report(&self, progress: Progress) {
        self.0.lock().unwrap().extend(progress.objective);
    }
}

/// Value and gradient of `F + value(h)` from their definitions, the diagonal left out.
fn objective(
    s: MatRef<'_, f64>,
    acyclicity: Acyclicity,
    multiplier: Multiplier,
    weights: MatRef<'_, f64>,
) -> (f64, Mat<f64>) {
    let d = s.nrows();
    let mut penalty = Penalty::new(acyclicity, d);
    let h = penalty.evaluate(weights);
    let of_h = penalty.gradient(weights);
    let smooth = s * weights - s;
    let slope = multiplier.linear + multiplier.quadratic * h;
    let gradient =
        Mat::from_fn(d, d, |i, j| if i == j { 0.0 } else { smooth[(i, j)] + slope * of_h[(i, j)] });
    (
        least_squares(s, weights) + multiplier.linear * h + multiplier.quadratic / 2.0 * h * h,
        gradient,
    )
}

#[test]
fn stops_where_the_gradient_vanishes() {
    let multipliers = [
        Multiplier { linear: 10.0, quadratic: 0.0 },
        Multiplier { linear: 0.5, quadratic: 40.0 },
        Multiplier { linear: 0.0, quadratic: 1.0 },
    ];
    let s = second_moments(7, 1);
    for acyclicity in PENALTIES {
        for multiplier in multipliers {
            for steps in [direct(7), iterative(7)] {
                let mut weights = Mat::zeros(7, 7);
                let values = Values::default();
                let problem = penalised(s.as_ref(), acyclicity, 1e-15, 20_000);
                let info = minimise_by(
                    steps,
                    &problem,
                    multiplier,
                    &mut weights,
                    &Run::default().watched_by(&values),
                )
                .unwrap();
                let case = format!("{acyclicity:?}, {multiplier:?}, {info:?}");
                assert_ne!(info.termination, Termination::MaxIterations, "{case}");
                let (value, gradient) =
                    objective(s.as_ref(), acyclicity, multiplier, weights.as_ref());
                let (start, slope) =
                    objective(s.as_ref(), acyclicity, multiplier, Mat::zeros(7, 7).as_ref());
                assert!(gradient.norm_max() < 1e-5 * slope.norm_max(), "{case} {gradient:?}");
                assert!(value < start);
                assert_eq!(
                    info.penalty,
                    Penalty::new(acyclicity, 7).evaluate(weights.as_ref()),
                    "{case}"
                );
                assert!((0..7).all(|j| weights[(j, j)] == 0.0));
                let values = values.0.into_inner().unwrap();
                assert!(values.windows(2).all(|w| w[1] <= w[0]), "{case} rises: {values:?}");
                assert!((values[values.len() - 1] - value).abs() <= 1e-9 * value, "{case}");
            }
        }
    }
}

#[test]
fn both_kinds_of_steps_reach_the_same_value() {
    let d = 15;
    let s = second_moments(d, 3);
    let multiplier = Multiplier { linear: 10.0, quadratic: 0.0 };
    let reached = [direct(d), iterative(d)].map(|steps| {
        let mut weights = Mat::zeros(d, d);
        let polynomial = Acyclicity::Polynomial;
        let problem = penalised(s.as_ref(), polynomial, 1e-10, 5000);
        minimise_by(steps, &problem, multiplier, &mut weights, &Run::default()).unwrap();
        objective(s.as_ref(), polynomial, multiplier, weights.as_ref()).0
    });
    // Different paths may end in different valleys, of about the same depth.
    assert!((reached[0] / reached[1] - 1.0).abs() < 0.01, "{reached:?}");
}

#[test]
fn every_step_goes_downhill() {
    let d = 12;
    let s = second_moments(d, 5);
    for strength in [0.0, 1.0, 1e3, 1e8] {
        for seed in 0..4 {
            let weights = at(d, seed);
            let mut penalty = Penalty::new(Acyclicity::Polynomial, d);
            penalty.evaluate(weights.as_ref());
            let smooth = &s * &weights - &s;
            let iterate = Iterate {
                second_moments: s.as_ref().into(),
                strength,
                walks: penalty.walks(),
                weights: weights.as_ref(),
                smooth: smooth.as_ref(),
                knowledge: &NOTHING,
            };
            for mut steps in [direct(d), iterative(d)] {
                let (mut step, mut smooth_step) = (Mat::zeros(d, d), Mat::zeros(d, d));
                let slope = steps.solve(iterate, true, &mut step, &mut smooth_step).unwrap();
                let mut expected = 0.0;
                for j in 0..d {
                    for i in 0..d {
                        expected += iterate.gradient(i, j) * step[(i, j)];
                    }
                    assert_eq!(step[(j, j)], 0.0);
                }
                assert!(slope < 0.0);
                assert!((slope - expected).abs() <= 1e-12 * slope.abs(), "{slope} {expected}");
                let product = &s * &step;
                let error = (&product - &smooth_step).norm_max();
                assert!(error <= 1e-10 * product.norm_max(), "{error}");
            }
        }
    }
}

/// Conjugate gradients solve what the factorisations solve, to the part of the residual they stop
/// at.
#[test]
fn steps_solve_the_ridge_regressions() {
    let d = 12;
    let s = second_moments(d, 5);
    let weights = Mat::from_fn(d, d, |i, j| if i < j { 0.3 } else { 0.0 });
    let mut penalty = Penalty::new(Acyclicity::Polynomial, d);
    penalty.evaluate(weights.as_ref());
    let smooth = &s * &weights - &s;
    let iterate = Iterate {
        second_moments: s.as_ref().into(),
        strength: 2.0,
        walks: penalty.walks(),
        weights: weights.as_ref(),
        smooth: smooth.as_ref(),
        knowledge: &NOTHING,
    };
    for (mut steps, bound) in [(direct(d), 1e-10), (iterative(d), 0.1)] {
        let (mut step, mut smooth_step) = (Mat::zeros(d, d), Mat::zeros(d, d));
        steps.solve(iterate, true, &mut step, &mut smooth_step).unwrap();
        for j in 0..d {
            // In the norm that the conjugate gradients watch.
            let (mut left, mut first) = (0.0, 0.0);
            for i in (0..d).filter(|&i| i != j) {
                let scale = s[(i, i)] + iterate.ridge(i, j);
                let residual = iterate.gradient(i, j)
                    + smooth_step[(i, j)]
                    + iterate.ridge(i, j) * step[(i, j)];
                left += residual * residual / scale;
                first += iterate.gradient(i, j) * iterate.gradient(i, j) / scale;
            }
            assert!(left.sqrt() <= bound * first.sqrt() * (1.0 + 1e-9), "column {j}: {left}");
        }
    }
}

/// Some weights with cycles.
fn at(d: usize, seed: usize) -> Mat<f64> {
    Mat::from_fn(d, d, |i, j| {
        let draw = ((i * 31 + j * 17) % (seed + 5)) as f64 - 2.0;
        if i == j { 0.0 } else { draw / 5.0 }
    })
}

/// Factors of an iteration before: at the same place the same bits, elsewhere still downhill.
#[test]
fn factors_serve_more_than_one_iteration() {
    let d = 12;
    let s = second_moments(d, 5);
    let mut kept = direct(d);
    let (mut step, mut smooth_step) = (Mat::zeros(d, d), Mat::zeros(d, d));
    for (k, strength) in [1.0, 1.0, 30.0, 0.01, 1e6].into_iter().enumerate() {
        let weights = at(d, k);
        let mut penalty = Penalty::new(Acyclicity::Polynomial, d);
        penalty.evaluate(weights.as_ref());
        let smooth = &s * &weights - &s;
        let iterate = Iterate {
            second_moments: s.as_ref().into(),
            strength,
            walks: penalty.walks(),
            weights: weights.as_ref(),
            smooth: smooth.as_ref(),
            knowledge: &NOTHING,
        };
        let slope = kept.solve(iterate, k == 0, &mut step, &mut smooth_step).unwrap();
        let (mut fresh, mut smooth_fresh) = (Mat::zeros(d, d), Mat::zeros(d, d));
        let fresh_slope = direct(d).solve(iterate, true, &mut fresh, &mut smooth_fresh).unwrap();
        if k == 0 {
            kept.solve(iterate, false, &mut step, &mut smooth_step).unwrap();
            assert_eq!((&step, slope), (&fresh, fresh_slope));
        } else {
            assert_ne!(step, fresh, "the ridge has changed");
        }
        let entries = (0..d).flat_map(|j| (0..d).map(move |i| (i, j)));
        let expected: f64 = entries.map(|(i, j)| iterate.gradient(i, j) * step[(i, j)]).sum();
        assert!(slope < 0.0 && (slope - expected).abs() <= 1e-12 * slope.abs(), "{slope}");
        assert!((0..d).all(|j| step[(j, j)] == 0.0));
    }
}

/// Without a penalty the objective is a parabola: conjugate directions do not undo each other, and
/// go downhill whatever the plain steps are.
#[test]
fn directions_are_conjugate_and_go_downhill() {
    let d = 9;
    let s = second_moments(d, 4);
    let mut weights = Mat::zeros(d, d);
    let mut conjugate = Conjugate::new(d);
    let walks = Mat::zeros(d, d);
    let mut before: Option<(Mat<f64>, f64)> = None;
    for _ in 0..6 {
        let smooth = &s * &weights - &s;
        let iterate = Iterate {
            second_moments: s.as_ref().into(),
            strength: 0.0,
            walks: walks.as_ref(),
            weights: weights.as_ref(),
            smooth: smooth.as_ref(),
            knowledge: &NOTHING,
        };
        // The gradient scaled by the moments: far from the solution of the regressions.
        let scaled = |i: usize, j: usize| -iterate.gradient(i, j) / s[(i, i)];
        let mut plain = Mat::from_fn(d, d, |i, j| if i == j { 0.0 } else { scaled(i, j) });
        let smooth_plain = &s * &plain;
        let dot = |a: &Mat<f64>, b: &Mat<f64>| -> f64 {
            (0..d).flat_map(|j| (0..d).map(move |i| a[(i, j)] * b[(i, j)])).sum()
        };
        let gradient = Mat::from_fn(d, d, |i, j| iterate.gradient(i, j));
        let own = dot(&gradient, &plain);
        let slope = conjugate.turn(iterate, &mut plain, &smooth_plain, own);
        let direction = conjugate.direction.clone();
        let error = (slope - dot(&gradient, &direction)).abs();
        assert!(slope < 0.0 && error <= 1e-10 * slope.abs(), "{slope}, off by {error}");
        let smooth_direction = &s * &direction;
        let off = (&smooth_direction - &conjugate.smooth).norm_max();
        assert!(off <= 1e-12 * smooth_direction.norm_max(), "{off}");
        let curvature = dot(&direction, &smooth_direction);
        if let Some((smooth_before, curvature_before)) = &before {
            let both = dot(&direction, smooth_before);
            assert!(both.abs() <= 1e-9 * (curvature * curvature_before).sqrt(), "{both}");
        }
        weights = &weights + &direction * faer::Scale(-slope / curvature);
        before = Some((smooth_direction, curvature));
    }
}

/// What is left to gain where the default tolerance stops is small.
#[test]
fn the_default_tolerance_stops_near_the_minimum() {
    let polynomial = Acyclicity::Polynomial;
    for seed in 0..6 {
        let d = 20;
        let s = second_moments(d, seed);
        for linear in [10.0, 1000.0] {
            let multiplier = Multiplier { linear, quadratic: 0.0 };
            let mut weights = Mat::zeros(d, d);
            let values = [Solver::Ridge.tolerance(), 1e-10].map(|tolerance| {
                let problem = penalised(s.as_ref(), polynomial, tolerance, 20_000);
                let info = problem.minimise(multiplier, &mut weights, &Run::default()).unwrap();
                assert_eq!(info.termination, Termination::Converged);
                objective(s.as_ref(), polynomial, multiplier, weights.as_ref()).0
            });
            let gain = 1.0 - values[1] / values[0];
            assert!((0.0..2e-3).contains(&gain), "seed {seed}, {linear}: {gain}");
        }
    }
}

#[test]
fn both_solvers_take_every_penalty() {
    let s = second_moments(8, 2);
    let multiplier = Multiplier { linear: 20.0, quadratic: 5.0 };
    for acyclicity in PENALTIES {
        let values = [Solver::Ridge, Solver::Lbfgs].map(|solver| {
            let penalised =
                Penalised { solver, ..penalised(s.as_ref(), acyclicity, 1e-10, 20_000) };
            let mut weights = Mat::zeros(8, 8);
            let info = penalised.minimise(multiplier, &mut weights, &Run::default()).unwrap();
            assert_ne!(info.termination, Termination::MaxIterations);
            assert!(info.penalty >= 0.0 && info.penalty < 0.1, "{acyclicity:?} {info:?}");
            objective(s.as_ref(), acyclicity, multiplier, weights.as_ref()).0
        });
        // Different paths may end in different valleys; on easy data these are alike.
        assert!((values[0] / values[1] - 1.0).abs() < 0.05, "{acyclicity:?} {values:?}");
    }
}

/// Second moments of a column's own are the loss of that column alone, whatever finds the minimum.
#[test]
fn columns_go_by_their_own_moments() {
    let d = 7;
    let own = [second_moments(d, 1), second_moments(d, 2)];
    let place = [0, 1, 0, 1, 0, 1, 0];
    let multiplier = Multiplier { linear: 10.0, quadratic: 0.0 };
    let polynomial = Acyclicity::Polynomial;
    let problem = Penalised {
        second_moments: Grams::Own(&own, &place),
        ..penalised(own[0].as_ref(), polynomial, 1e-15, 20_000)
    };
    let by_lbfgs = Penalised { solver: Solver::Lbfgs, ..problem };
    let runs = [
        Box::new(|w: &mut Mat<f64>| {
            minimise_by(direct(d), &problem, multiplier, w, &Run::default())
        }) as Box<dyn Fn(&mut Mat<f64>) -> _>,
        Box::new(|w| minimise_by(iterative(d), &problem, multiplier, w, &Run::default())),
        Box::new(|w| by_lbfgs.minimise(multiplier, w, &Run::default())),
    ];
    for run in runs {
        let mut weights = Mat::zeros(d, d);
        run(&mut weights).unwrap();
        let gradients =
            [0, 1].map(|k| objective(own[k].as_ref(), polynomial, multiplier, weights.as_ref()).1);
        let size = gradients[0].norm_max().max(gradients[1].norm_max());
        for j in 0..d {
            let (mine, other) = (&gradients[place[j]], &gradients[1 - place[j]]);
            let most = |g: &Mat<f64>| (0..d).map(|i| g[(i, j)].abs()).fold(0.0, f64::max);
            assert!(most(mine) < 1e-4 * size, "column {j}: {}", most(mine));
            assert!(
                most(other) > 1e-3 * size,
                "column {j}: the other moments have no minimum here"
            );
        }
    }
}

#[test]
fn running_out_of_iterations_is_said() {
    let s = second_moments(8, 2);
    let mut weights = Mat::zeros(8, 8);
    let multiplier = Multiplier { linear: 10.0, quadratic: 0.0 };
    let problem = penalised(s.as_ref(), Acyclicity::Polynomial, 1e-15, 3);
    let info = minimise_by(direct(8), &problem, multiplier, &mut weights, &Run::default()).unwrap();
    assert_eq!((info.termination, info.iterations), (Termination::MaxIterations, 3));
}

/// Edges that are not allowed stay at zero, and the others reach the minimum without them.
#[test]
fn forbidden_edges_are_pinned() {
    let d = 7;
    let s = second_moments(d, 1);
    let names = crate::core::Dataset::default_names(d);
    let pair = |i: usize, j: usize| (names[i].clone(), names[j].clone());
    let knowledge = crate::core::KnowledgeSpec {
        required: vec![pair(6, 2)],
        forbidden: vec![pair(0, 1), pair(3, 1), pair(1, 0), pair(4, 5)],
        sources: vec![names[3].clone()],
        ..Default::default()
    }
    .resolve(&names)
    .unwrap();
    let multiplier = Multiplier { linear: 10.0, quadratic: 0.0 };
    for acyclicity in PENALTIES {
        let problem =
            Penalised { knowledge: &knowledge, ..penalised(s.as_ref(), acyclicity, 1e-15, 20_000) };
        let by_lbfgs = Penalised { solver: Solver::Lbfgs, ..problem };
        let runs = [
            Box::new(|w: &mut Mat<f64>| {
                minimise_by(direct(d), &problem, multiplier, w, &Run::default())
            }) as Box<dyn Fn(&mut Mat<f64>) -> _>,
            Box::new(|w| minimise_by(iterative(d), &problem, multiplier, w, &Run::default())),
            Box::new(|w| by_lbfgs.minimise(multiplier, w, &Run::default())),
        ];
        for run in runs {
            let mut weights = Mat::zeros(d, d);
            run(&mut weights).unwrap();
            let (_, gradient) = objective(s.as_ref(), acyclicity, multiplier, weights.as_ref());
            let (_, slope) =
                objective(s.as_ref(), acyclicity, multiplier, Mat::zeros(d, d).as_ref());
            let mut pinned = 0;
            for j in 0..d {
                for i in 0..d {
                    if knowledge.allows(i, j) {
                        let part = gradient[(i, j)].abs() / slope.norm_max();
                        assert!(part < 1e-4, "{acyclicity:?} ({i}, {j}): {part}");
                    } else {
                        assert_eq!(weights[(i, j)], 0.0);
                        pinned += usize::from(i != j && gradient[(i, j)].abs() > 1e-3);
                    }
                }
            }
            assert!(pinned > 0, "the pins held nothing back");
        }
    }
}
