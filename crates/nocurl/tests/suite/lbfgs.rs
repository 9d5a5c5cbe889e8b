//! Limited-memory BFGS against problems with known solutions.

use std::sync::atomic::{AtomicU64, Ordering};

use nocurl::internals::optimize::lbfgs::{LbfgsInfo, LbfgsParams, Limits, minimize};
use nocurl::{Error, Progress, Run, Termination};
use proptest::prelude::*;

/// Tolerances so small that only the gradient stops the search.
fn tight() -> LbfgsParams {
    LbfgsParams { relative_tolerance: 0.0, gradient_tolerance: 1e-9, ..LbfgsParams::default() }
}

fn run(
    x: &mut [f64],
    mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
    limits: Limits<'_>,
    params: &LbfgsParams,
) -> LbfgsInfo {
    minimize(x, &mut objective, limits, params, &Run::default(), "test").unwrap()
}

/// The chained Rosenbrock function; its minimum is 0 at (1, .., 1).
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (valley, slope) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * valley * valley + slope * slope;
        gradient[i] += -400.0 * valley * x[i] - 2.0 * slope;
        gradient[i + 1] += 200.0 * valley;
    }
    value
}

/// `1/2 x'Qx - b'x` with Q tridiagonal: `diagonal` on the diagonal, -1 beside it.
fn chain(diagonal: f64, b: &[f64], x: &[f64], gradient: &mut [f64]) -> f64 {
    let n = x.len();
    let mut value = 0.0;
    for i in 0..n {
        let mut product = diagonal * x[i];
        if i > 0 {
            product -= x[i - 1];
        }
        if i + 1 < n {
            product -= x[i + 1];
        }
        gradient[i] = product - b[i];
        value += 0.5 * x[i] * product - b[i] * x[i];
    }
    value
}

#[test]
fn rosenbrock_in_two_and_a_hundred_dimensions() {
    for (n, most) in [(2, 60), (100, 750)] {
        let mut x: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let info = run(&mut x, rosenbrock, Limits::default(), &tight());
        assert_eq!(info.termination, Termination::Converged, "{n}: {info:?}");
        assert!(info.evaluations <= most, "{n}: {info:?}");
        // From n = 4 on a second minimum exists near x1 = -1; both are stationary.
        assert!(x.iter().skip(1).all(|v| (v - 1.0).abs() < 1e-6), "{n}: {x:?}");
    }
}

#[test]
fn an_ill_conditioned_quadratic_meets_its_closed_form() {
    let n = 60;
    let scale = |i: usize| 10f64.powf(6.0 * i as f64 / (n - 1) as f64);
    let mut x = vec![0.0; n];
    let objective = |x: &[f64], gradient: &mut [f64]| {
        (0..n)
            .map(|i| {
                gradient[i] = scale(i) * x[i] - 1.0;
                0.5 * scale(i) * x[i] * x[i] - x[i]
            })
            .sum()
    };
    let info = run(&mut x, objective, Limits::default(), &tight());
    assert!(matches!(info.termination, Termination::Converged | Termination::Stalled));
    let optimum: f64 = (0..n).map(|i| -0.5 / scale(i)).sum();
    assert!((info.objective - optimum).abs() <= 1e-9 * optimum.abs(), "{info:?} {optimum}");
}

#[test]
fn pinned_coordinates_keep_their_value_to_the_bit() {
    // With x1 pinned at 0.5 the rest of the chain 1/2 x'Qx is the solution of Q_ff x_f = e.
    let pinned = [true, false, false];
    let mut x = [0.5, 7.0, -7.0];
    let objective = |x: &[f64], gradient: &mut [f64]| chain(2.0, &[9.0, 0.0, 0.0], x, gradient);
    let info = run(&mut x, objective, Limits { pinned: Some(&pinned), lower: None }, &tight());
    assert_eq!(info.termination, Termination::Converged);
    assert_eq!(x[0], 0.5);
    // 2 y - z = 0.5, 2 z - y = 0.
    assert!((x[1] - 1.0 / 3.0).abs() < 1e-8 && (x[2] - 1.0 / 6.0).abs() < 1e-8, "{x:?}");
}

#[test]
fn soft_thresholding_by_positive_and_negative_parts() {
    // min 1/2 (w - c)^2 + penalty |w| has the solution sign(c) max(|c| - penalty, 0).
    let targets = [3.0, -2.0, 0.4, -0.1, 0.0, 1.0001];
    let penalty = 1.0;
    let n = targets.len();
    let objective = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for i in 0..n {
            let residual = x[i] - x[n + i] - targets[i];
            gradient[i] = residual + penalty;
            gradient[n + i] = -residual + penalty;
            value += 0.5 * residual * residual + penalty * (x[i] + x[n + i]);
        }
        value
    };
    let lower = vec![0.0; 2 * n];
    let mut x = vec![0.3; 2 * n];
    let limits = Limits { lower: Some(&lower), pinned: None };
    let info = run(&mut x, objective, limits, &tight());
    assert_eq!(info.termination, Termination::Converged, "{info:?}");
    for i in 0..n {
        let expected = targets[i].signum() * (targets[i].abs() - penalty).max(0.0);
        assert!((x[i] - x[n + i] - expected).abs() < 1e-7, "{i}: {x:?}");
        assert!(x[i] == 0.0 || x[n + i] == 0.0, "{i}: {x:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Bounded strictly convex problems: the KKT conditions hold at the end.
    #[test]
    fn bounded_problems_end_at_a_kkt_point(
        b in prop::collection::vec(-3.0f64..3.0, 2..40),
        bound in -1.0f64..0.5,
        diagonal in 2.0f64..5.0,
        pin_first in any::<bool>(),
    ) {
        let n = b.len();
        let lower: Vec<f64> =
            (0..n).map(|i| if i % 3 == 2 { f64::NEG_INFINITY } else { bound }).collect();
        let mut pinned = vec![false; n];
        pinned[0] = pin_first;
        let mut x = vec![0.7; n];
        let info = run(
            &mut x,
            |x, gradient| chain(diagonal, &b, x, gradient),
            Limits { pinned: Some(&pinned), lower: Some(&lower) },
            &LbfgsParams { gradient_tolerance: 1e-7, relative_tolerance: 0.0, ..tight() },
        );
        let mut gradient = vec![0.0; n];
        chain(diagonal, &b, &x, &mut gradient);
        prop_assert!(!pin_first || x[0] == 0.7);
        // Values that differ by rounding alone leave the gradient known to its square root.
        let tolerance = 20.0 * (f64::EPSILON * info.objective.abs().max(1.0)).sqrt();
        for i in usize::from(pin_first)..n {
            prop_assert!(x[i] >= lower[i]);
            let complementary = gradient[i].min(x[i] - lower[i]);
            prop_assert!(complementary.abs() <= tolerance, "{i}: {complementary} {info:?}");
        }
    }
}

#[test]
fn bounded_rosenbrock_stops_at_the_constrained_minimum() {
    // With x2 >= 2 the minimum lies on the bound, where d/dx1 vanishes: x1 near sqrt 2.
    let mut x = [-1.2, 3.0];
    let lower = [0.0, 2.0];
    let limits = Limits { lower: Some(&lower), pinned: None };
    let info = run(&mut x, rosenbrock, limits, &tight());
    assert!(matches!(info.termination, Termination::Converged | Termination::Stalled));
    assert_eq!(x[1], 2.0);
    let slope = -400.0 * (2.0 - x[0] * x[0]) * x[0] - 2.0 * (1.0 - x[0]);
    assert!(slope.abs() < 1e-5 && (x[0] - 2f64.sqrt()).abs() < 1e-2, "{x:?} {slope}");
}

#[test]
fn infinite_values_shorten_the_step() {
    // x - log x on x > 0, infinite elsewhere; the first unit step from 1e-3 is far too long.
    let barrier = |x: &[f64], gradient: &mut [f64]| {
        if x[0] <= 0.0 || x[0] > 2.0 {
            gradient[0] = f64::NAN;
            return f64::INFINITY;
        }
        gradient[0] = 1.0 - 1.0 / x[0];
        x[0] - x[0].ln()
    };
    for start in [1e-3, 1.999] {
        let mut x = [start];
        let info = run(&mut x, barrier, Limits::default(), &tight());
        assert_eq!(info.termination, Termination::Converged);
        assert!((x[0] - 1.0).abs() < 1e-6, "{x:?}");
    }
}

#[test]
fn an_infinite_start_is_an_error_not_a_panic() {
    let mut nowhere = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        f64::INFINITY
    };
    let result = minimize(
        &mut [0.0],
        &mut nowhere,
        Limits::default(),
        &LbfgsParams::default(),
        &Run::default(),
        "test",
    );
    assert!(matches!(result, Err(Error::OutOfRange { stage: "test", .. })));
}

#[test]
fn running_out_of_iterations_is_a_result_that_says_so() {
    let params = LbfgsParams { max_iterations: 3, ..LbfgsParams::default() };
    let mut x = [-1.2, 1.0];
    let info = run(&mut x, rosenbrock, Limits::default(), &params);
    assert_eq!((info.termination, info.iterations), (Termination::MaxIterations, 3));
    assert_eq!(info.objective, rosenbrock(&x, &mut [0.0; 2]));
    assert!(info.objective < rosenbrock(&[-1.2, 1.0], &mut [0.0; 2]));
}

#[test]
fn a_small_first_step_ends_the_search_unless_it_is_to_go_on() {
    let valley = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1e8 * x[0];
        gradient[1] = x[1];
        0.5e8 * x[0] * x[0] + 0.5 * x[1] * x[1]
    };
    let minimum = |min_iterations| {
        let params =
            LbfgsParams { relative_tolerance: 1e-3, min_iterations, ..LbfgsParams::default() };
        let mut x = [1e-5, 10.0];
        let info = run(&mut x, valley, Limits::default(), &params);
        assert_eq!(info.termination, Termination::Converged);
        info.objective
    };
    assert!(minimum(0) > 49.0);
    assert!(minimum(10) < 1e-6);
}

#[test]
fn a_kink_stalls_or_converges_but_never_goes_up() {
    let mut x = [5.0, -3.0];
    let kink = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = x[0].signum();
        gradient[1] = 10.0 * x[1].signum();
        x[0].abs() + 10.0 * x[1].abs()
    };
    let info = run(&mut x, kink, Limits::default(), &tight());
    assert_ne!(info.termination, Termination::MaxIterations);
    assert!(info.objective < 5.0, "{info:?}");
}

#[test]
fn bad_parameters_and_limits_are_named() {
    for params in [
        LbfgsParams { memory: 0, ..LbfgsParams::default() },
        LbfgsParams { relative_tolerance: -1.0, ..LbfgsParams::default() },
        LbfgsParams { gradient_tolerance: f64::NAN, ..LbfgsParams::default() },
    ] {
        assert!(matches!(params.validate(), Err(Error::Parameter { .. })), "{params:?}");
    }
    let limits = Limits { pinned: Some(&[true]), lower: None };
    let result = minimize(
        &mut [0.0, 0.0],
        &mut rosenbrock,
        limits,
        &LbfgsParams::default(),
        &Run::default(),
        "test",
    );
    assert!(matches!(result, Err(Error::Lengths { found: 1, expected: 2, .. })));
}

struct StopAfter(AtomicU64);

impl nocurl::Watch for StopAfter {
    fn report(&self, progress: Progress) {
        assert_eq!(progress.stage, "valley");
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl nocurl::Stop for StopAfter {
    fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn the_observer_can_stop_the_search() {
    let run = StopAfter(AtomicU64::new(4));
    let mut evaluations = 0;
    let mut counted = |x: &[f64], gradient: &mut [f64]| {
        evaluations += 1;
        rosenbrock(x, gradient)
    };
    let result = minimize(
        &mut [-1.2, 1.0],
        &mut counted,
        Limits::default(),
        &LbfgsParams::default(),
        &Run::default().watched_by(&run).stopped_by(&run),
        "valley",
    );
    assert_eq!(result, Err(Error::Cancelled));
    assert!(evaluations < 20);
}
