//! Both ways of finding the step, against each other and against the definition of a minimum.

use std::sync::{LazyLock, Mutex};

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
    assert!((reached[0] / reached[1] - 1.0).abs() < 1e-4, "{reached:?}");
}

#[test]
fn every_step_goes_downhill() {
    let d = 12;
    let s = second_moments(d, 5);
    for strength in [0.0, 1.0, 1e3, 1e8] {
        for seed in 0..4_u32 {
            let weights = Mat::from_fn(d, d, |i, j| {
                let draw = f64::from((i * 31 + j * 17) as u32 % (seed + 5)) - 2.0;
                if i == j { 0.0 } else { draw / 5.0 }
            });
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
                let slope = steps.solve(iterate, &mut step, &mut smooth_step).unwrap();
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
        steps.solve(iterate, &mut step, &mut smooth_step).unwrap();
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
