//! Order search against recomputation, brute force and the exact optimum.

use std::sync::atomic::AtomicBool;

use nocurl::Prune;
use nocurl::internals::prune;
use nocurl::internals::regress::on_order;
use nocurl::methods::Task;
use nocurl::methods::equal_variance::{self, Direction};
use nocurl::methods::exact;
use nocurl::methods::{Exact, ExactScore};
use nocurl::refine::Refine;
use nocurl::simulate::{Simulation, Variances, simulate};
use nocurl::{Dag, Dataset, Error, Mat, MatRef, Moments, Order, Pdag, Problem, Run};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

fn problem(s: MatRef<'_, f64>, rows: u64) -> Problem {
    let names = Dataset::default_names(s.nrows());
    let moments = Moments::from_covariance(names, rows, vec![0.0; s.nrows()], s).unwrap();
    Problem::new(&moments, true).unwrap()
}

fn simulated(simulation: &Simulation, seed: u64) -> (Dag, Problem) {
    let drawn = simulate(simulation, seed).unwrap();
    let problem = Problem::new(&drawn.data.moments(), true).unwrap();
    (drawn.truth, problem)
}

fn shuffled(d: usize, seed: u64) -> Order {
    let mut sequence: Vec<usize> = (0..d).collect();
    sequence.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
    Order::strict(&sequence)
}

/// The sum of residual variances of an order, from scratch.
fn equal_variance_score(problem: &Problem, sequence: &[usize]) -> f64 {
    on_order(problem, &Order::strict(sequence)).unwrap().residual_variances.iter().sum()
}

fn permutations(d: usize) -> Vec<Vec<usize>> {
    if d == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(d - 1);
    let longer = |p: &Vec<usize>| -> Vec<Vec<usize>> {
        (0..d)
            .map(|k| {
                let mut q = p.clone();
                q.insert(k, d - 1);
                q
            })
            .collect()
    };
    shorter.iter().flat_map(longer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn equal_variance_ends_at_a_local_optimum(
        (s, potential) in (2usize..8).prop_flat_map(|d| {
            let values = prop::collection::vec(-1.0..1.0f64, 2 * d * d);
            let s = values.prop_map(move |x| Mat::from_fn(d, d, |i, j| {
                let dot: f64 = (0..2 * d).map(|k| x[k * d + i] * x[k * d + j]).sum();
                dot / (2 * d) as f64 + if i == j { 0.01 } else { 0.0 }
            }));
            // Orders with ties.
            (s, prop::collection::vec((0u8..5).prop_map(f64::from), d))
        }),
    ) {
        let d = s.nrows();
        let problem = problem(s.as_ref(), 1000);
        let start = Order::from_potential(&potential);
        let found = Refine::EQUAL_VARIANCE.search(&Task::new(&problem, &Run::default()), &start).unwrap();
        let sequence = found.order.sequence();
        prop_assert!(found.order.is_strict());
        let mut sorted = sequence.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..d).collect::<Vec<_>>());

        // What the rotations carried along is what a fresh factorisation gives.
        let score = equal_variance_score(&problem, &sequence);
        let rounding = 1e-11 * score;
        prop_assert!((found.score_after - score).abs() <= rounding);
        prop_assert!(found.score_after <= found.score_before + rounding);
        if found.moves > 0 {
            prop_assert!(found.score_after < found.score_before);
        }
        if start.is_strict() {
            let before = equal_variance_score(&problem, &start.sequence());
            prop_assert!((found.score_before - before).abs() <= rounding);
            prop_assert_eq!(found.moves == 0, sequence == start.sequence());
        }
        for v in 0..d {
            for place in 0..d {
                let mut moved: Vec<usize> = sequence.iter().copied().filter(|&u| u != v).collect();
                moved.insert(place, v);
                let other = equal_variance_score(&problem, &moved);
                prop_assert!(other >= score * (1.0 - 1e-9), "{} at {} is better", v, place);
            }
        }
    }
}

#[test]
fn orders_that_score_the_same_are_left_alone() {
    // Two pairs that have nothing to do with each other: the pairs may stand in any order.
    let values = [
        [1.0, 0.7, 0.0, 0.0],
        [0.7, 1.49, 0.0, 0.0],
        [0.0, 0.0, 1.0, -1.3],
        [0.0, 0.0, -1.3, 2.69],
    ];
    let problem = problem(Mat::from_fn(4, 4, |i, j| values[i][j]).as_ref(), 100);
    for start in [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3], [2, 0, 3, 1], [2, 0, 1, 3]] {
        let found = Refine::EQUAL_VARIANCE
            .search(&Task::new(&problem, &Run::default()), &Order::strict(&start))
            .unwrap();
        assert_eq!((found.order.sequence().as_slice(), found.moves), (start.as_slice(), 0));
    }
}

#[test]
fn equal_variance_mostly_finds_the_best_of_all_orders() {
    let orders = permutations(6);
    let simulation = Simulation {
        variables: 6,
        degree: 3.0,
        rows: 100,
        variances: Variances::Equal(1.0),
        ..Simulation::default()
    };
    let mut hits = 0;
    for seed in 0..100 {
        let (_, problem) = simulated(&simulation, seed);
        let best = orders
            .iter()
            .map(|order| equal_variance_score(&problem, order))
            .fold(f64::INFINITY, f64::min);
        let start = shuffled(6, seed);
        let found =
            Refine::EQUAL_VARIANCE.search(&Task::new(&problem, &Run::default()), &start).unwrap();
        assert!(found.score_after >= best * (1.0 - 1e-9), "seed {seed} beats every order");
        hits += u32::from(found.score_after <= best * (1.0 + 1e-9));
    }
    // 98 when this was written.
    assert!(hits >= 90, "{hits} of 100 random starts led to the best order");
}

#[test]
fn ties_are_broken_by_conditional_variance() {
    let (_, problem) = simulated(&Simulation::default(), 5);
    let tied = Order::from_potential(&[0.0; 10]);
    let found =
        Refine::EQUAL_VARIANCE.search(&Task::new(&problem, &Run::default()), &tied).unwrap();
    // One place for all: the search starts from the top-down equal-variance order.
    let greedy =
        equal_variance::propose(&problem, Direction::TopDown, &Run::default()).unwrap().order;
    let expected = equal_variance_score(&problem, &greedy.sequence());
    assert!((found.score_before - expected).abs() <= 1e-12 * expected);
    assert!(expected < equal_variance_score(&problem, &(0..10).collect::<Vec<_>>()));
}

/// The BIC of a graph on standardised variables, by regressions from scratch.
fn bic(problem: &Problem, graph: MatRef<'_, f64>) -> f64 {
    let (s, n, d) = (problem.covariance(), problem.rows() as f64, problem.size());
    let residual = Mat::from_fn(d, d, |i, j| f64::from(u8::from(i == j)) - graph[(i, j)]);
    let product = s * &residual;
    (0..d)
        .map(|j| {
            let variance: f64 = (0..d).map(|i| residual[(i, j)] * product[(i, j)]).sum();
            let parents = (0..d).filter(|&i| graph[(i, j)] != 0.0).count() as f64;
            n * (variance / s[(j, j)]).ln() + n.ln() * parents
        })
        .sum()
}

#[test]
fn bic_mostly_reaches_the_exact_optimum() {
    let simulation = Simulation {
        variables: 7,
        degree: 3.0,
        rows: 300,
        standardize: true,
        ..Simulation::default()
    };
    let params = Exact { score: ExactScore::Bic, ..Exact::default() };
    let mut hits = 0;
    for seed in 0..40 {
        let (_, problem) = simulated(&simulation, seed);
        let best = exact::propose(&problem, &params, &Run::default()).unwrap().weights.unwrap();
        let best = bic(&problem, best.as_ref());
        let found =
            Refine::BIC.search(&Task::new(&problem, &Run::default()), &shuffled(7, seed)).unwrap();
        assert!(found.score_after <= found.score_before);
        assert_eq!(found.score_after < found.score_before, found.moves > 0);
        assert!(found.score_after >= best - 1e-6, "seed {seed} beats the optimum");
        hits += u32::from(found.score_after <= best + 1e-6);
    }
    // 32 when this was written: single moves have local optima.
    assert!(hits >= 30, "{hits} of 40 random starts led to the optimum");
}

#[test]
fn bic_recovers_equivalence_classes_of_standardised_data() {
    let simulation = Simulation {
        variables: 8,
        degree: 2.0,
        rows: 5000,
        standardize: true,
        ..Simulation::default()
    };
    let mut hits = 0;
    for seed in 0..20 {
        let (truth, problem) = simulated(&simulation, seed);
        let found =
            Refine::BIC.search(&Task::new(&problem, &Run::default()), &shuffled(8, seed)).unwrap();
        let graph = Dag::new(prune(&problem, &found.order, Prune::Bic).unwrap()).unwrap();
        hits += u32::from(Pdag::class_of(&graph) == Pdag::class_of(&truth));
    }
    // 16 when this was written, from random starts.
    assert!(hits >= 15, "{hits} of 20 classes were found");
}

#[test]
fn bic_does_not_depend_on_units() {
    let (_, plain) = simulated(&Simulation { variables: 8, rows: 400, ..Simulation::default() }, 3);
    let start = shuffled(8, 1);
    let expected = Refine::BIC.search(&Task::new(&plain, &Run::default()), &start).unwrap();
    assert!(expected.moves > 0);
    // Powers of two, so that correlations are the same to the last bit.
    for exponents in [[1, -2, 3, 9, -7, 0, 5, -4], [230, -230, 220, 240, -210, 0, 225, -240]] {
        let s = plain.covariance();
        let scale = |i: usize| f64::exp2(f64::from(exponents[i]));
        let scaled = Mat::from_fn(8, 8, |i, j| s[(i, j)] * scale(i) * scale(j));
        let found = Refine::BIC
            .search(&Task::new(&problem(scaled.as_ref(), 400), &Run::default()), &start)
            .unwrap();
        assert_eq!(found.order, expected.order, "{exponents:?}");
        assert!((found.score_after - expected.score_after).abs() < 1e-6);
    }
}

#[test]
fn both_searches_can_be_stopped() {
    let (_, problem) = simulated(&Simulation::default(), 0);
    for score in [Refine::EQUAL_VARIANCE, Refine::BIC] {
        let result = score.search(
            &Task::new(&problem, &Run::default().stopped_by(&AtomicBool::new(true))),
            &shuffled(10, 0),
        );
        assert!(matches!(result, Err(Error::Cancelled)), "{score:?}");
    }
}
